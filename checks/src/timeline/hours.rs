//! The hours of the week: turns and failures in each, and in which hours of the day models are crowded or quiet for this user.

use schemars::JsonSchema;
use serde::Serialize;

use super::clock::{Clock, Wall};
use super::counts::events_since;
use super::neighbours::is_refusal;
use super::rate::{is_above, is_below};
use crate::facts::history::{FailedTurn, History};

/// An hour with fewer turns is not known. Never is it quiet: that nobody asked is no answer.
const FEWEST_TURNS: u64 = 5;
/// Capacity comes and goes over hours. Each hour is judged together with the ones before and after it, which need so many turns …
const FEWEST_AROUND: u64 = 20;
/// … on so many days: failures come in bursts, and one bad afternoon is no pattern.
const FEWEST_DAYS: usize = 3;
/// With fewer refusals no hour can be told from another.
const FEWEST_REFUSALS: u64 = 6;

/// One hour of one weekday.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WeekdayHour {
    /// Turns that ended with an answer or an error.
    pub turns: u64,
    /// Those that ended with an error.
    pub failed: u64,
}

/// Turns by weekday (Monday first) and hour of local time.
pub(super) fn by_weekday(history: &History) -> Vec<Vec<WeekdayHour>> {
    let mut week = vec![vec![WeekdayHour::default(); 24]; 7];
    for tally in &history.tallies {
        let wall = Wall::of(tally.hour, tally.utc_offset_s);
        let cell = &mut week[wall.weekday()][wall.hour()];
        cell.turns += tally.succeeded + tally.failed;
        cell.failed += tally.failed;
    }
    week
}

/// What an hour of the day is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HourState {
    /// Turns are surely refused more often than in the other hours.
    Crowded,
    /// Nothing sets it apart.
    Usual,
    /// Turns are surely refused less often than on the whole.
    Quiet,
    /// Too few turns to say.
    Unknown,
}

/// One hour of the day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hour {
    /// It begins at this hour of local time.
    pub hour: u32,
    /// Turns that ended with an answer or an error.
    pub turns: u64,
    /// Those that were refused for want of capacity.
    pub refused: u64,
    /// What it is like.
    pub state: HourState,
}

/// Some hours in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// The hour with which it begins.
    pub from: u32,
    /// The hour before which it ends; before `from` when it goes over midnight.
    pub to: u32,
    /// Turns in it.
    pub turns: u64,
    /// Those that were refused for want of capacity.
    pub refused: u64,
}

/// The hours of the day, in local time as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hours {
    /// All 24, from midnight on.
    pub by_hour: Vec<Hour>,
    /// The crowded ones, the span with most refusals first.
    pub crowded: Vec<Span>,
    /// The quiet ones, the span with most turns first.
    pub quiet: Vec<Span>,
}

/// What is known of one hour of the day while it is counted.
#[derive(Clone, Default)]
struct Seen {
    turns: u64,
    refused: u64,
    days: Days,
    days_with_refusals: Days,
}

/// Different days. They come in their order, so that the last one tells whether the next is new.
#[derive(Clone, Default)]
struct Days(Vec<i64>);

impl Days {
    fn add(&mut self, day: i64) {
        if self.0.last() != Some(&day) {
            self.0.push(day);
        }
    }

    /// Whether `all` of them together are [`FEWEST_DAYS`].
    fn are_enough<'a>(all: impl Iterator<Item = &'a Self>) -> bool {
        let mut different: Vec<i64> = Vec::with_capacity(FEWEST_DAYS);
        for day in all.flat_map(|days| &days.0) {
            if !different.contains(day) {
                different.push(*day);
            }
            if different.len() == FEWEST_DAYS {
                return true;
            }
        }
        false
    }
}

impl Hours {
    pub(super) fn of(history: &History, clock: &Clock) -> Self {
        let seen = seen(history, clock);
        let all = Counts::of(seen.iter());
        let hour = |(hour, own): (u32, &Seen)| {
            let place = hour as usize;
            let around = [&seen[(place + 23) % 24], own, &seen[(place + 1) % 24]];
            Hour { hour, turns: own.turns, refused: own.refused, state: state(own, &around, all) }
        };
        let mut by_hour: Vec<Hour> = (0..).zip(&seen).map(hour).collect();
        // Hours are judged with their neighbours; a span that is named stands on turns of its own.
        for state in [HourState::Crowded, HourState::Quiet] {
            for span in spans(&by_hour, state).iter().filter(|span| span.turns < FEWEST_AROUND) {
                for hour in &mut by_hour {
                    if (hour.hour + 24 - span.from) % 24 < (span.to + 23 - span.from) % 24 + 1 {
                        hour.state = HourState::Unknown;
                    }
                }
            }
        }
        let mut crowded = spans(&by_hour, HourState::Crowded);
        crowded.sort_by_key(|span| (std::cmp::Reverse(span.refused), span.from));
        let mut quiet = spans(&by_hour, HourState::Quiet);
        quiet.sort_by_key(|span| (std::cmp::Reverse(span.turns), span.from));
        Self { by_hour, crowded, quiet }
    }

    /// How many hours have too few turns to be known.
    pub fn unknown(&self) -> usize {
        self.by_hour.iter().filter(|hour| hour.state == HourState::Unknown).count()
    }

    /// Turns that were refused for want of capacity.
    pub fn refused(&self) -> u64 {
        self.by_hour.iter().map(|hour| hour.refused).sum()
    }
}

/// Counts turns by hour of the day. Where only the newest failures are kept, the time before them is left out: its refusals are not known.
fn seen(history: &History, clock: &Clock) -> Vec<Seen> {
    let mut seen = vec![Seen::default(); 24];
    let from = events_since(history);
    for tally in history.tallies.iter().filter(|tally| from.is_none_or(|from| tally.hour > from)) {
        let wall = Wall::of(tally.hour, tally.utc_offset_s);
        let turns = tally.succeeded + tally.failed;
        let hour = &mut seen[wall.hour()];
        hour.turns += turns;
        if turns > 0 {
            hour.days.add(wall.day);
        }
    }
    let is_whole = |turn: &FailedTurn| from.is_none_or(|from| clock.hour(turn.at) > from);
    for turn in history.failures.iter().filter(|turn| is_refusal(turn) && is_whole(turn)) {
        let wall = clock.wall(turn.at);
        let hour = &mut seen[wall.hour()];
        hour.refused += 1;
        hour.days_with_refusals.add(wall.day);
    }
    // What is counted by another clock than the failures' own can differ by a turn at the edge.
    for hour in &mut seen {
        hour.refused = hour.refused.min(hour.turns);
    }
    seen
}

/// Turns and refusals of several hours.
#[derive(Clone, Copy)]
struct Counts {
    turns: u64,
    refused: u64,
}

impl Counts {
    fn of<'a>(hours: impl Iterator<Item = &'a Seen>) -> Self {
        hours.fold(Self { turns: 0, refused: 0 }, |sum, hour| Self {
            turns: sum.turns + hour.turns,
            refused: sum.refused + hour.refused,
        })
    }

    fn share(self) -> f64 {
        if self.turns == 0 { 0.0 } else { self.refused as f64 / self.turns as f64 }
    }
}

fn state(own: &Seen, around: &[&Seen; 3], all: Counts) -> HourState {
    let hours = || around.iter().copied();
    let sum = Counts::of(hours());
    if own.turns < FEWEST_TURNS || sum.turns < FEWEST_AROUND || !Days::are_enough(hours().map(|hour| &hour.days)) {
        return HourState::Unknown;
    }
    if all.refused < FEWEST_REFUSALS {
        return HourState::Usual;
    }
    let (own_share, whole) = (Counts::of([own].into_iter()).share(), all.share());
    let others = Counts { turns: all.turns - sum.turns, refused: all.refused - sum.refused };
    let on_days = Days::are_enough(hours().map(|hour| &hour.days_with_refusals));
    if own_share > whole && on_days && is_above(sum.turns, sum.refused, others.share()) {
        HourState::Crowded
    } else if own_share < whole && is_below(sum.turns, sum.refused, whole) {
        HourState::Quiet
    } else {
        HourState::Usual
    }
}

/// The hours that are in `state`, put together where they follow one another, over midnight, too.
fn spans(hours: &[Hour], state: HourState) -> Vec<Span> {
    let is_in = |hour: usize| hours[hour % 24].state == state;
    // A span begins where the hour before is not in it; a whole day has no such place.
    let begins: Vec<usize> = (0..24).filter(|hour| is_in(*hour) && !is_in(hour + 23)).collect();
    let begins = if begins.is_empty() && is_in(0) { vec![0] } else { begins };
    let span = |from: usize| {
        let length = (1..24).find(|length| !is_in(from + length)).unwrap_or(24);
        let sum = |of: fn(&Hour) -> u64| (from..from + length).map(|hour| of(&hours[hour % 24])).sum();
        Span {
            from: hours[from].hour,
            to: hours[(from + length) % 24].hour,
            turns: sum(|hour| hour.turns),
            refused: sum(|hour| hour.refused),
        }
    };
    begins.into_iter().map(span).collect()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;
    use crate::facts::history::Tally;
    use crate::timeline::made_up::{failure, moment, tally};

    /// So many days of turns; for each hour of the day how many there are, and how many of them are refused.
    fn days(count: i64, of_hour: impl Fn(i64) -> (u64, u64)) -> History {
        let mut history = History::default();
        for day in (0..count).rev() {
            for hour in 0..24 {
                let begins = moment() - TimeDelta::days(day + 1) + TimeDelta::hours(hour);
                let (turns, refused) = of_hour(hour);
                if turns > 0 {
                    history.tallies.push(tally(begins, turns - refused, refused));
                }
                for number in 0..refused {
                    let at = begins + TimeDelta::minutes(i64::try_from(number).unwrap());
                    history.failures.insert(0, FailedTurn { at, ..failure(0) });
                }
                history.failed_turns += refused;
            }
        }
        history
    }

    fn hours(history: &History) -> Hours {
        Hours::of(history, &Clock::of(history, 0))
    }

    fn named(spans: &[Span]) -> Vec<(u32, u32)> {
        spans.iter().map(|span| (span.from, span.to)).collect()
    }

    #[test]
    fn the_afternoon_is_crowded_and_the_early_morning_quiet() {
        let seen = hours(&days(14, |hour| match hour {
            5..=8 => (10, 0),
            14..=16 => (10, 3),
            9..=20 => (10, 0),
            _ => (0, 0),
        }));
        assert_eq!(named(&seen.crowded), [(14, 17)]);
        let quiet = named(&seen.quiet);
        assert_eq!(quiet, [(5, 13), (18, 21)], "{quiet:?}");
        assert_eq!(seen.by_hour[2].state, HourState::Unknown, "nobody asked at night");
    }

    #[test]
    fn one_bad_afternoon_is_no_pattern() {
        let mut history = days(14, |hour| if (8..20).contains(&hour) { (10, 0) } else { (0, 0) });
        let bad = days(1, |hour| if hour == 14 { (20, 18) } else { (0, 0) });
        history.tallies.extend(bad.tallies);
        history.failures = bad.failures;
        history.failed_turns = 18;
        assert_eq!(named(&hours(&history).crowded), []);
    }

    #[test]
    fn three_refusals_of_four_turns_are_no_pattern_either() {
        let seen = hours(&days(3, |hour| match hour {
            22 => (4, 3),
            9..=17 => (3, 0),
            _ => (0, 0),
        }));
        assert_eq!(seen.by_hour[22].state, HourState::Unknown);
        assert_eq!(named(&seen.crowded), []);
    }

    #[test]
    fn a_span_may_go_over_midnight() {
        let seen = hours(&days(14, |hour| match hour {
            23 | 0 | 1 => (10, 3),
            _ => (10, 0),
        }));
        assert_eq!(named(&seen.crowded), [(23, 2)]);
    }

    #[test]
    fn where_old_failures_are_not_kept_their_time_is_left_out() {
        let mut history = days(14, |hour| if hour == 14 { (10, 5) } else { (10, 0) });
        history.failures.truncate(5);
        let seen = hours(&history);
        assert_eq!(seen.by_hour[14].turns, 0, "the hour of the oldest kept failure is not whole");
        history.tallies.push(tally(moment(), 0, 3));
        history.failures.insert(0, FailedTurn { at: moment(), ..failure(0) });
        let seen = hours(&history);
        assert_eq!(
            (seen.by_hour[0].refused, seen.refused()),
            (1, 1),
            "refusals of an hour that is not whole are left out with its turns"
        );
    }

    #[test]
    fn a_span_of_few_turns_is_not_named_for_the_turns_of_its_neighbours() {
        let seen = hours(&days(7, |hour| match hour {
            12 => (1, 0),
            11 | 13 => (20, 0),
            18..=20 => (20, 10),
            _ => (0, 0),
        }));
        assert!(seen.quiet.iter().all(|span| span.turns >= FEWEST_AROUND), "{:?}", seen.quiet);
    }

    proptest! {
        #[test]
        fn the_map_holds_every_turn_once(seen in proptest::collection::vec((0i64..2000, 0u64..50, 0u64..50, -50_000i32..50_000), 0..60)) {
            let tallies: Vec<Tally> = seen
                .iter()
                .map(|(hour, succeeded, failed, utc_offset_s)| {
                    Tally { utc_offset_s: *utc_offset_s, ..tally(moment() - TimeDelta::hours(*hour), *succeeded, *failed) }
                })
                .collect();
            let week = by_weekday(&History { tallies: tallies.clone(), ..History::default() });
            prop_assert_eq!((week.len(), week.iter().all(|day| day.len() == 24)), (7, true));
            let cells = week.iter().flatten();
            let sums = cells.fold((0, 0), |(turns, failed), cell| (turns + cell.turns, failed + cell.failed));
            let wanted = tallies.iter().fold((0, 0), |(turns, failed), tally| (turns + tally.succeeded + tally.failed, failed + tally.failed));
            prop_assert_eq!(sums, wanted);
        }

        #[test]
        fn spans_hold_each_hour_of_their_state_once(states in proptest::collection::vec(0u8..2, 24)) {
            let hours: Vec<Hour> = (0..).zip(&states).map(|(hour, state)| Hour {
                hour,
                turns: 1,
                refused: 0,
                state: if *state == 1 { HourState::Quiet } else { HourState::Usual },
            }).collect();
            let held: u64 = spans(&hours, HourState::Quiet).iter().map(|span| span.turns).sum();
            prop_assert_eq!(held, states.iter().map(|state| u64::from(*state)).sum::<u64>());
        }
    }
}

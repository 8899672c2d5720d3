//! Local time as it was at each moment: a month may hold a change of the clocks.

use chrono::{DateTime, TimeDelta, Timelike, Utc};

use crate::facts::history::History;

/// The offsets from UTC, each with the hour from which on it held.
pub(super) struct Clock {
    changes: Vec<(DateTime<Utc>, i32)>,
    otherwise: i32,
}

impl Clock {
    /// The offsets that the tallies tell of; where there are none, the one of now.
    pub(super) fn of(history: &History, now_s: i32) -> Self {
        let mut changes: Vec<(DateTime<Utc>, i32)> = Vec::new();
        for tally in &history.tallies {
            if changes.last().is_none_or(|(_, offset_s)| *offset_s != tally.utc_offset_s) {
                changes.push((tally.hour, tally.utc_offset_s));
            }
        }
        let otherwise = changes.first().map_or(now_s, |(_, offset_s)| *offset_s);
        Self { changes, otherwise }
    }

    /// What the clock on the wall showed.
    pub(super) fn wall(&self, at: DateTime<Utc>) -> Wall {
        let place = self.changes.partition_point(|(from, _)| *from <= at);
        let offset_s =
            place.checked_sub(1).and_then(|place| self.changes.get(place)).map_or(self.otherwise, |(_, offset_s)| *offset_s);
        Wall::of(at, offset_s)
    }

    /// When the hour of that clock began into which `at` falls.
    pub(super) fn hour(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        at - TimeDelta::seconds(self.wall(at).second % 3600) - TimeDelta::nanoseconds(i64::from(at.nanosecond()))
    }
}

/// A moment on a clock on the wall, to the second.
#[derive(Clone, Copy)]
pub(super) struct Wall {
    /// The day, counted from 1970-01-01.
    pub(super) day: i64,
    /// The second of the day.
    second: i64,
}

impl Wall {
    /// `at` as a clock shows it that is `offset_s` ahead of UTC.
    pub(super) fn of(at: DateTime<Utc>, offset_s: i32) -> Self {
        let seconds = at.timestamp() + i64::from(offset_s);
        Self { day: seconds.div_euclid(SECONDS_OF_A_DAY), second: seconds.rem_euclid(SECONDS_OF_A_DAY) }
    }

    /// The hour of the day.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a day has 24")]
    pub(super) fn hour(self) -> usize {
        (self.second / 3600) as usize
    }

    /// The day of the week; Monday is 0, and 1970-01-01 was a Thursday.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a week has seven")]
    pub(super) fn weekday(self) -> usize {
        (self.day + 3).rem_euclid(7) as usize
    }
}

/// Whether two moments are no further apart than `span`. Asked of each failure and its neighbours, this must not take a calendar.
pub(super) fn are_close(one: DateTime<Utc>, other: DateTime<Utc>, span: TimeDelta) -> bool {
    let seconds = one.timestamp() - other.timestamp();
    let nanoseconds = i64::from(one.timestamp_subsec_nanos()) - i64::from(other.timestamp_subsec_nanos());
    let apart = seconds.saturating_mul(NANOSECONDS_OF_A_SECOND).saturating_add(nanoseconds);
    span.num_nanoseconds().is_none_or(|span| apart.saturating_abs() <= span)
}

const NANOSECONDS_OF_A_SECOND: i64 = 1_000_000_000;
const SECONDS_OF_A_DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use chrono::Datelike;
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::made_up::{self, tally};

    #[test]
    fn each_moment_has_the_offset_of_its_time() {
        let change = made_up::moment();
        let tallies = vec![
            crate::facts::history::Tally { utc_offset_s: 7200, ..tally(change - TimeDelta::hours(1), 1, 0) },
            crate::facts::history::Tally { utc_offset_s: 3600, ..tally(change, 1, 0) },
        ];
        let clock = Clock::of(&History { tallies, ..History::default() }, 0);
        let hour = |at| clock.wall(at).hour() as u32;
        assert_eq!(hour(change - TimeDelta::minutes(1)), (change.hour() + 1) % 24);
        assert_eq!(hour(change + TimeDelta::minutes(1)), (change.hour() + 1) % 24);
        assert_eq!(hour(change - TimeDelta::days(9)), (change.hour() + 2) % 24);
        assert_eq!(Clock::of(&History::default(), 3600).wall(change).hour() as u32, (change.hour() + 1) % 24);
    }

    proptest! {
        #[test]
        fn close_is_what_is_no_further_apart(seconds in -1000i64..1000, one in 0u32..1_000_000_000, other in 0u32..3, minutes in 0i64..16) {
            let (one, other) = (DateTime::from_timestamp(seconds, one).unwrap(), DateTime::from_timestamp(0, other).unwrap());
            for span in [TimeDelta::minutes(minutes), (one - other).abs()] {
                prop_assert_eq!(are_close(one, other, span), (one - other).abs() <= span);
                prop_assert_eq!(are_close(other, one, span), (one - other).abs() <= span);
            }
        }

        #[test]
        fn the_wall_shows_what_the_calendar_says(second in -100_000_000_000i64..100_000_000_000, nanosecond in 0u32..1_000_000_000, offset_s in -50_000i32..50_000) {
            let at = DateTime::from_timestamp(second, nanosecond).unwrap();
            let local = at.naive_utc() + TimeDelta::seconds(i64::from(offset_s));
            let wall = Wall::of(at, offset_s);
            prop_assert_eq!((wall.weekday() as u32, wall.hour() as u32), (local.weekday().num_days_from_monday(), local.hour()));
            prop_assert_eq!(wall.day, (local.date() - chrono::NaiveDate::default()).num_days());
            let begins = Clock::of(&History::default(), offset_s).hour(at);
            prop_assert!(begins <= at && at - begins < TimeDelta::hours(1));
            prop_assert_eq!(Wall::of(begins, offset_s).second % 3600, 0);
        }
    }
}

//! Streaks: failures of one model in a row, without a success between them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::counts::failed;
use super::reading::{Reading, Readings, Sort};
use crate::facts::Shared;
use crate::facts::history::{FailedTurn, History};

/// So many streaks and bursts are told.
const TOLD: usize = 5;

/// Failures of one model at one provider without a success between them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Streak {
    /// The model.
    pub model: Shared,
    /// The provider's id.
    pub provider: Option<Shared>,
    /// The first failure.
    pub from: DateTime<Utc>,
    /// The last.
    pub to: DateTime<Utc>,
    /// How many they are.
    pub failures: u64,
    /// What they say.
    pub kinds: BTreeMap<&'static str, u64>,
    /// When the model last answered before, if it did in the time looked at.
    pub answered_before: Option<DateTime<Utc>>,
    /// When it answered again, if it did.
    pub answered_after: Option<DateTime<Utc>>,
}

/// The streak to which the newest failed turn belongs, as far as it says the same.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Present {
    /// The model.
    pub model: Shared,
    /// The provider's id.
    pub provider: Option<Shared>,
    /// What the newest failure says.
    pub kind: Reading,
    /// The first failure that says so, without a success of the model since.
    pub since: DateTime<Utc>,
    /// The newest.
    pub last: DateTime<Utc>,
    /// How many say so.
    pub failures: u64,
    /// When the model last answered before, if it did in the time looked at.
    pub answered_before: Option<DateTime<Utc>>,
    /// When it answered again, if it did.
    pub answered_after: Option<DateTime<Utc>>,
}

/// Whether the records tell when a model succeeded beside a failure. Reports of older releases do not.
pub(super) fn tells_successes(history: &History) -> bool {
    !history.tallies.is_empty()
}

/// A streak as long as it is only counted: most of them are never told.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    first: &'a FailedTurn,
    last: &'a FailedTurn,
    failures: u64,
}

impl Row<'_> {
    pub(super) fn from(&self) -> DateTime<Utc> {
        self.first.at
    }

    pub(super) fn answered_after(&self) -> Option<DateTime<Utc>> {
        self.last.same_model_after
    }

    /// Whether it is of the model and the provider of `turn`.
    pub(super) fn is_of(&self, turn: &FailedTurn) -> bool {
        is_same(self.first, turn)
    }
}

/// Whether both are of one model and provider.
fn is_same(one: &FailedTurn, other: &FailedTurn) -> bool {
    one.model == other.model && one.provider == other.provider
}

/// All streaks, by the time of their first failure.
pub(super) struct Streaks<'a> {
    history: &'a History,
    rows: Vec<Row<'a>>,
    /// The place of each failure in the history, and that of its streak among `rows`; the oldest first.
    failures: Vec<(usize, usize)>,
}

impl<'a> Streaks<'a> {
    pub(super) fn of(history: &'a History, readings: &Readings) -> Self {
        let mut numbers: FxHashMap<(&str, Option<&str>), usize> = FxHashMap::default();
        let number = |sort: &Sort| {
            let turn = &history.failures[sort.newest];
            let next = numbers.len();
            Some(*numbers.entry((turn.model.as_deref()?, turn.provider.as_deref())).or_insert(next))
        };
        let numbers_of_sorts: Vec<Option<usize>> = readings.sorts().iter().map(number).collect();
        Self::among(history, |place, _| numbers_of_sorts[readings.sort_at(place)?])
    }

    /// Those of the model and the provider of `turn`.
    pub(super) fn beside(turn: &FailedTurn, history: &'a History) -> Self {
        Self::among(history, |_, other| (turn.model.is_some() && is_same(other, turn)).then_some(0))
    }

    /// The streaks of the failures to which `number` gives one, the same to those of one model and provider.
    fn among(history: &'a History, number: impl Fn(usize, &FailedTurn) -> Option<usize>) -> Self {
        let mut streaks = Self { history, rows: Vec::new(), failures: Vec::new() };
        if !tells_successes(history) {
            return streaks;
        }
        // Of each number, the place of its newest streak.
        let mut newest: Vec<Option<usize>> = Vec::new();
        for (place, turn) in history.failures.iter().enumerate().rev().filter(|(_, turn)| !turn.interrupted) {
            let Some(number) = number(place, turn) else { continue };
            newest.resize(newest.len().max(number + 1), None);
            let rows = &mut streaks.rows;
            // An answer in the moment of a failure counts as after it, and ends the streak.
            let going_on = newest[number].filter(|own| turn.same_model_before.is_none_or(|at| at < rows[*own].last.at));
            let own = going_on.unwrap_or(rows.len());
            match rows.get_mut(own) {
                Some(row) => (row.last, row.failures) = (turn, row.failures + 1),
                None => rows.push(Row { first: turn, last: turn, failures: 1 }),
            }
            newest[number] = Some(own);
            streaks.failures.push((place, own));
        }
        streaks
    }

    pub(super) fn rows(&self) -> &[Row<'a>] {
        &self.rows
    }

    /// The place of the streak that holds `turn`.
    pub(super) fn holding(&self, turn: &FailedTurn) -> Option<usize> {
        self.rows.iter().rposition(|row| row.is_of(turn) && (row.first.at..=row.last.at).contains(&turn.at))
    }

    /// The places in the history of the failures of the streak at `place`, the oldest first.
    fn failures_of(&self, place: usize) -> impl Iterator<Item = usize> {
        self.failures.iter().filter(move |(_, streak)| *streak == place).map(|(failure, _)| *failure)
    }

    /// When the streak at `place` failed.
    pub(super) fn moments(&self, place: usize) -> impl Iterator<Item = DateTime<Utc>> {
        self.failures_of(place).map(|failure| self.history.failures[failure].at)
    }

    fn told(&self, place: usize, readings: &Readings) -> Streak {
        let Row { first, last, failures } = self.rows[place];
        let mut kinds = BTreeMap::new();
        for failure in self.failures_of(place) {
            *kinds.entry(readings.at(failure).name()).or_default() += 1;
        }
        Streak {
            model: first.model.clone().unwrap_or_default(),
            provider: first.provider.clone(),
            from: first.at,
            to: last.at,
            failures,
            kinds,
            answered_before: first.same_model_before,
            answered_after: last.same_model_after,
        }
    }

    /// The longest of more than one failure.
    pub(super) fn longest(&self, readings: &Readings) -> Vec<Streak> {
        let size = |row: &Row| (row.failures, row.last.at);
        let longer = |one: &usize, other: &usize| {
            let (one, other) = (&self.rows[*one], &self.rows[*other]);
            size(other).cmp(&size(one)).then_with(|| one.first.model.cmp(&other.first.model))
        };
        let places = (0..self.rows.len()).filter(|place| self.rows[*place].failures > 1);
        first(places, longer).into_iter().map(|place| self.told(place, readings)).collect()
    }
}

/// Those of `items` that are told: the first ones in the order of `compare`, as a stable sort has them.
pub(super) fn first<T>(items: impl Iterator<Item = T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut told: Vec<T> = Vec::with_capacity(TOLD + 1);
    for item in items {
        let place = told.partition_point(|earlier| compare(earlier, &item).is_le());
        if place < TOLD {
            told.insert(place, item);
            told.truncate(TOLD);
        }
    }
    told
}

/// What the newest failed turn belongs to.
pub(super) fn present(history: &History, readings: &Readings, streaks: &Streaks<'_>) -> Option<Present> {
    let (newest, kind) = failed(history, readings).next()?;
    let streak = streaks.rows[streaks.holding(newest)?];
    let of_streak =
        failed(history, readings).filter(|(turn, reading)| *reading == kind && turn.at >= streak.first.at && streak.is_of(turn));
    let (since, failures) = of_streak.fold((newest.at, 0), |(since, failures), (turn, _)| (since.min(turn.at), failures + 1));
    Some(Present {
        model: streak.first.model.clone()?,
        provider: streak.first.provider.clone(),
        kind,
        since,
        last: newest.at,
        failures,
        answered_before: streak.first.same_model_before,
        answered_after: streak.last.same_model_after,
    })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;
    use crate::facts::{Facts, Observed};
    use crate::timeline::made_up::{failure, moment, tally};

    /// Failures of one model so many minutes ago, newest first, and its successes between them.
    fn history(failed: &[i64], answered: &[i64]) -> History {
        let at = |minutes: i64| moment() - TimeDelta::minutes(minutes);
        let failures = failed
            .iter()
            .map(|minutes| FailedTurn {
                same_model_before: answered.iter().filter(|answer| **answer > *minutes).min().map(|answer| at(*answer)),
                same_model_after: answered.iter().filter(|answer| **answer < *minutes).max().map(|answer| at(*answer)),
                ..failure(*minutes)
            })
            .collect();
        History { failures, tallies: vec![tally(moment(), 1, 1)], ..History::default() }
    }

    fn all(history: &History, readings: &Readings) -> Vec<Streak> {
        let streaks = Streaks::of(history, readings);
        (0..streaks.rows.len()).map(|place| streaks.told(place, readings)).collect()
    }

    fn readings(history: &History) -> Readings {
        Readings::of(&Facts { history: Observed::known(history.clone(), "test"), ..Facts::default() })
    }

    #[test]
    fn a_success_of_the_model_ends_a_streak() {
        let history = history(&[1, 2, 10, 11, 12], &[5, 60]);
        let streaks = all(&history, &readings(&history));
        let shown: Vec<_> = streaks.iter().map(|streak| (streak.failures, streak.answered_after.is_some())).collect();
        assert_eq!(shown, [(3, true), (2, false)]);
        assert_eq!(streaks[0].answered_before, Some(moment() - TimeDelta::minutes(60)));
    }

    #[test]
    fn an_answer_in_the_moment_of_a_failure_ends_its_streak() {
        let mut history = history(&[1, 5], &[]);
        history.failures[1].same_model_after = Some(history.failures[1].at);
        history.failures[0].same_model_before = Some(history.failures[1].at);
        assert_eq!(all(&history, &readings(&history)).len(), 2);
    }

    #[test]
    fn models_and_providers_have_streaks_of_their_own() {
        let mut history = history(&[1, 2, 3], &[]);
        history.failures[1].provider = Some("relay".into());
        assert_eq!(all(&history, &readings(&history)).len(), 2);
    }

    #[test]
    fn the_present_streak_counts_what_says_the_same() {
        let mut history = history(&[1, 20, 30, 90], &[60]);
        (history.failures[1].info, history.failures[1].text) = (None, Some("You’ve hit your usage limit.".into()));
        let readings = readings(&history);
        let present = present(&history, &readings, &Streaks::of(&history, &readings)).unwrap();
        assert_eq!((present.kind.name(), present.failures), ("overload.model", 2));
        assert_eq!(present.since, moment() - TimeDelta::minutes(30));
        assert_eq!(present.answered_before, Some(moment() - TimeDelta::minutes(60)));
    }

    #[test]
    fn where_successes_are_not_told_there_are_no_streaks() {
        let history = History { tallies: Vec::new(), ..history(&[1, 2], &[]) };
        assert!(all(&history, &readings(&history)).is_empty());
    }

    proptest! {
        #[test]
        fn the_first_ones_are_those_of_a_stable_sort(numbers in proptest::collection::vec(0u8..6, 0..30)) {
            let by_number = |one: &(usize, u8), other: &(usize, u8)| other.1.cmp(&one.1);
            let mut sorted: Vec<(usize, u8)> = numbers.into_iter().enumerate().collect();
            let told = first(sorted.clone().into_iter(), by_number);
            sorted.sort_by(by_number);
            sorted.truncate(TOLD);
            prop_assert_eq!(told, sorted);
        }

        #[test]
        fn every_failure_is_in_one_streak(
            failed in proptest::collection::btree_set(0i64..300, 0..40),
            answered in proptest::collection::btree_set(0i64..300, 0..10),
        ) {
            let answered: Vec<i64> = answered.difference(&failed).copied().collect();
            let history = history(&failed.iter().copied().collect::<Vec<_>>(), &answered);
            let streaks = all(&history, &readings(&history));
            prop_assert_eq!(streaks.iter().map(|streak| streak.failures).sum::<u64>(), failed.len() as u64);
            for streak in &streaks {
                let inside = answered.iter().map(|minutes| moment() - TimeDelta::minutes(*minutes)).any(|at| streak.from < at && at < streak.to);
                prop_assert!(!inside);
            }
        }
    }
}

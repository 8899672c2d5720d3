//! Failures in a row: streaks of one model without a success between them, and bursts of whatever model.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::counts::failed;
use super::reading::{Reading, Readings};
use crate::facts::history::{FailedTurn, History};

/// Failures that are no further apart belong to one burst: somebody tried again and again.
const GAP: TimeDelta = TimeDelta::minutes(10);
/// So many make a burst.
const BURST: usize = 5;
/// So many streaks and bursts are told.
const TOLD: usize = 5;

/// Failures of one model at one provider without a success between them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Streak {
    /// The model.
    pub model: String,
    /// The provider's id.
    pub provider: Option<String>,
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
    /// When each failed.
    #[serde(skip)]
    pub(super) moments: Vec<DateTime<Utc>>,
}

/// The streak to which the newest failed turn belongs, as far as it says the same.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Present {
    /// The model.
    pub model: String,
    /// The provider's id.
    pub provider: Option<String>,
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

/// Failures close together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Burst {
    /// The first failure.
    pub from: DateTime<Utc>,
    /// The last.
    pub to: DateTime<Utc>,
    /// How many they are.
    pub failures: u64,
    /// The models that failed.
    pub models: BTreeSet<String>,
    /// What the failures say.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// Whether the records tell when a model succeeded beside a failure. Reports of older releases do not.
pub(super) fn tells_successes(history: &History) -> bool {
    !history.tallies.is_empty()
}

/// All streaks, by the time of their first failure.
pub(super) fn all(history: &History, readings: &Readings) -> Vec<Streak> {
    let mut streaks: Vec<Streak> = Vec::new();
    if !tells_successes(history) {
        return streaks;
    }
    let mut newest: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    for (turn, reading) in failed(history, readings).rev() {
        let Some(model) = turn.model.as_deref() else { continue };
        let key = (model, turn.provider.as_deref());
        // An answer in the moment of a failure counts as after it, and ends the streak.
        let going_on = newest.get(&key).copied().filter(|place| turn.same_model_before.is_none_or(|at| at < streaks[*place].to));
        let place = going_on.unwrap_or_else(|| {
            streaks.push(begun(model, turn));
            newest.insert(key, streaks.len() - 1);
            streaks.len() - 1
        });
        let streak = &mut streaks[place];
        streak.to = turn.at;
        streak.failures += 1;
        *streak.kinds.entry(reading.name()).or_default() += 1;
        streak.answered_after = turn.same_model_after;
        streak.moments.push(turn.at);
    }
    streaks
}

fn begun(model: &str, turn: &FailedTurn) -> Streak {
    Streak {
        model: model.to_owned(),
        provider: turn.provider.clone(),
        from: turn.at,
        to: turn.at,
        failures: 0,
        kinds: BTreeMap::new(),
        answered_before: turn.same_model_before,
        answered_after: None,
        moments: Vec::new(),
    }
}

/// The longest streaks of more than one failure.
pub(super) fn longest(mut streaks: Vec<Streak>) -> Vec<Streak> {
    streaks.retain(|streak| streak.failures > 1);
    streaks.sort_by(|one, other| (other.failures, other.to).cmp(&(one.failures, one.to)).then_with(|| one.model.cmp(&other.model)));
    streaks.truncate(TOLD);
    streaks
}

/// The streak that holds `turn`.
pub(super) fn holding<'a>(streaks: &'a [Streak], turn: &FailedTurn) -> Option<&'a Streak> {
    let same = |streak: &&Streak| Some(&streak.model) == turn.model.as_ref() && streak.provider == turn.provider;
    streaks.iter().filter(same).rfind(|streak| (streak.from..=streak.to).contains(&turn.at))
}

/// What the newest failed turn belongs to.
pub(super) fn present(history: &History, readings: &Readings, streaks: &[Streak]) -> Option<Present> {
    let (newest, kind) = failed(history, readings).next()?;
    let streak = holding(streaks, newest)?;
    let of_streak = failed(history, readings).filter(|(turn, reading)| {
        *reading == kind && turn.at >= streak.from && turn.model.as_ref() == Some(&streak.model) && turn.provider == streak.provider
    });
    let (since, failures) = of_streak.fold((newest.at, 0), |(since, failures), (turn, _)| (since.min(turn.at), failures + 1));
    Some(Present {
        model: streak.model.clone(),
        provider: streak.provider.clone(),
        kind,
        since,
        last: newest.at,
        failures,
        answered_before: streak.answered_before,
        answered_after: streak.answered_after,
    })
}

/// The largest bursts.
pub(super) fn bursts(history: &History, readings: &Readings) -> Vec<Burst> {
    let failures: Vec<(&FailedTurn, Reading)> = failed(history, readings).rev().collect();
    let mut bursts: Vec<Burst> = failures
        .chunk_by(|(one, _), (next, _)| next.at - one.at <= GAP)
        .filter(|failures| failures.len() >= BURST)
        .filter_map(|failures| {
            let mut kinds = BTreeMap::new();
            for (_, reading) in failures {
                *kinds.entry(reading.name()).or_default() += 1;
            }
            Some(Burst {
                from: failures.first()?.0.at,
                to: failures.last()?.0.at,
                failures: failures.len() as u64,
                models: failures.iter().filter_map(|(turn, _)| turn.model.clone()).collect(),
                kinds,
            })
        })
        .collect();
    bursts.sort_by_key(|burst| std::cmp::Reverse((burst.failures, burst.to)));
    bursts.truncate(TOLD);
    bursts
}

#[cfg(test)]
mod tests {
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
        history.failures[1].provider = Some("relay".to_owned());
        assert_eq!(all(&history, &readings(&history)).len(), 2);
    }

    #[test]
    fn the_present_streak_counts_what_says_the_same() {
        let mut history = history(&[1, 20, 30, 90], &[60]);
        (history.failures[1].info, history.failures[1].text) = (None, Some("You’ve hit your usage limit.".to_owned()));
        let readings = readings(&history);
        let present = present(&history, &readings, &all(&history, &readings)).unwrap();
        assert_eq!((present.kind.name(), present.failures), ("overload.model", 2));
        assert_eq!(present.since, moment() - TimeDelta::minutes(30));
        assert_eq!(present.answered_before, Some(moment() - TimeDelta::minutes(60)));
    }

    #[test]
    fn where_successes_are_not_told_there_are_no_streaks() {
        let history = History { tallies: Vec::new(), ..history(&[1, 2], &[]) };
        assert!(all(&history, &readings(&history)).is_empty());
    }

    #[test]
    fn a_burst_is_many_failures_close_together() {
        let mut history = history(&[1, 3, 5, 14, 15, 100, 101, 200], &[]);
        history.failures[2].model = Some("gpt-b".to_owned());
        let bursts = bursts(&history, &readings(&history));
        assert_eq!(bursts.len(), 1);
        assert_eq!((bursts[0].failures, bursts[0].models.len()), (5, 2));
    }

    proptest! {
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

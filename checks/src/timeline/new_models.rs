//! The first days of a new model: everybody tries it, and it fills.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::rate::{Rate, is_above};
use crate::facts::history::History;
use crate::knowledge::catalogue;

/// The first days of a model.
const FIRST_DAYS: TimeDelta = TimeDelta::days(3);
/// So long before its first turn there must have been turns of others: else the records begin with it, and it may be old.
const BEFORE: TimeDelta = TimeDelta::days(3);

/// A model that was first used in the time looked at.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NewModel {
    /// The model.
    pub model: String,
    /// The hour of its first turn.
    pub first_used: DateTime<Utc>,
    /// The release of Codex that brought it, when known.
    pub release: Option<String>,
    /// Its turns in the first three days.
    pub early: Rate,
    /// Its turns since.
    pub later: Rate,
    /// Whether turns surely failed more often in the first days than since.
    pub fails_early: bool,
}

/// The models that were first used in the time looked at, the newest first.
pub(super) fn all(history: &History) -> Vec<NewModel> {
    let mut first: FxHashMap<&str, DateTime<Utc>> = FxHashMap::default();
    let mut begin: Option<DateTime<Utc>> = None;
    for tally in &history.tallies {
        begin = Some(begin.map_or(tally.hour, |begin| begin.min(tally.hour)));
        if let Some(model) = tally.model.as_deref() {
            let at = first.entry(model).or_insert(tally.hour);
            *at = tally.hour.min(*at);
        }
    }
    let is_new = |at: DateTime<Utc>| begin.is_some_and(|begin| at - begin >= BEFORE);
    let first: BTreeMap<&str, DateTime<Utc>> = first.into_iter().collect();
    let mut models: Vec<NewModel> =
        first.into_iter().filter(|(_, at)| is_new(*at)).map(|(model, at)| new_model(history, model, at)).collect();
    models.sort_by_key(|model| std::cmp::Reverse(model.first_used));
    models
}

fn new_model(history: &History, model: &str, first_used: DateTime<Utc>) -> NewModel {
    let of_model = || history.tallies.iter().filter(|tally| tally.model.as_deref() == Some(model));
    let early = Rate::of(of_model().filter(|tally| tally.hour - first_used < FIRST_DAYS));
    let later = Rate::of(of_model().filter(|tally| tally.hour - first_used >= FIRST_DAYS));
    NewModel {
        model: model.to_owned(),
        first_used,
        release: catalogue::since(model).map(str::to_owned),
        early,
        later,
        fails_early: later.error_rate.is_some_and(|rate| is_above(early.turns, early.failed, rate)),
    }
}

/// Whether `at` falls into the first days of a model that was not used before.
pub(crate) fn is_in_first_days(history: &History, model: &str, at: DateTime<Utc>) -> bool {
    let known = all(history);
    known.iter().any(|new| new.model == model && at >= new.first_used && at - new.first_used < FIRST_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::history::Tally;
    use crate::timeline::made_up::{moment, tally};

    fn history(first_day: i64) -> History {
        let mut tallies = vec![tally(moment() - TimeDelta::days(20), 5, 0)];
        for day in (0..=first_day).rev() {
            let failed = if first_day - day < 3 { 15 } else { 1 };
            tallies.push(Tally { model: Some("gpt-6.2-sol".into()), ..tally(moment() - TimeDelta::days(day), 20, failed) });
        }
        History { tallies, ..History::default() }
    }

    #[test]
    fn the_first_days_of_a_model_are_held_against_the_later_ones() {
        let models = all(&history(10));
        assert_eq!(models.len(), 1, "a model with which the records begin may be old");
        assert_eq!((models[0].early.failed, models[0].later.failed, models[0].fails_early), (45, 8, true));
        assert_eq!(models[0].release.as_deref(), Some("0.171.0"));
    }

    #[test]
    fn a_model_that_is_used_from_the_beginning_is_not_called_new() {
        assert!(all(&history(19)).is_empty());
        assert!(is_in_first_days(&history(1), "gpt-6.2-sol", moment()));
        assert!(!is_in_first_days(&history(10), "gpt-6.2-sol", moment()));
    }
}

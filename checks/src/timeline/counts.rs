//! Turns and failures by kind, model, provider and account.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::groups::{Asked, Groups};
use super::rate::Rate;
use super::reading::{Reading, Readings};
use crate::facts::history::{FailedTurn, History};

/// Failures that say the same.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KindCount {
    /// What they say.
    pub kind: Reading,
    /// How many they are.
    pub count: u64,
    /// The first.
    pub first: DateTime<Utc>,
    /// The last.
    pub last: DateTime<Utc>,
}

/// What became of the turns that have something in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Counted {
    /// How often they failed.
    #[serde(flatten)]
    pub rate: Rate,
    /// How many more were ended from outside.
    pub interrupted: u64,
    /// The failed ones by what their error says, the commonest first.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// The turns of one model.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ModelCount {
    /// The model; absent for turns of which it is not known.
    pub model: Option<String>,
    /// Its turns.
    #[serde(flatten)]
    pub counted: Counted,
}

/// The turns of one provider.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProviderCount {
    /// The provider's id; absent for turns of which it is not known.
    pub provider: Option<String>,
    /// Its turns.
    #[serde(flatten)]
    pub counted: Counted,
}

/// The turns of one account.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AccountCount {
    /// The account, as a role token; absent for turns of which it is not known.
    pub account: Option<String>,
    /// Its turns.
    #[serde(flatten)]
    pub counted: Counted,
}

pub(super) fn by_kind(history: &History, readings: &Readings) -> Vec<KindCount> {
    let mut kinds: Vec<KindCount> = Vec::new();
    for (newest, sort) in readings.failed(history) {
        let (first, last) = (history.failures[sort.oldest].at, newest.at);
        match kinds.iter_mut().find(|count| count.kind == sort.reading) {
            Some(count) => {
                count.count += sort.count;
                count.first = count.first.min(first);
                count.last = count.last.max(last);
            }
            None => kinds.push(KindCount { kind: sort.reading, count: sort.count, first, last }),
        }
    }
    kinds.sort_by(|one, other| other.count.cmp(&one.count).then(one.kind.name().cmp(other.kind.name())));
    kinds
}

pub(super) fn by_model(groups: &Groups<'_>) -> Vec<ModelCount> {
    let counts = by(groups, |asked| asked.model);
    counts.into_iter().map(|(model, counted)| ModelCount { model, counted }).collect()
}

pub(super) fn by_provider(groups: &Groups<'_>) -> Vec<ProviderCount> {
    let counts = by(groups, |asked| asked.provider);
    counts.into_iter().map(|(provider, counted)| ProviderCount { provider, counted }).collect()
}

pub(super) fn by_account(groups: &Groups<'_>) -> Vec<AccountCount> {
    let counts = by(groups, |asked| asked.account);
    counts.into_iter().map(|(account, counted)| AccountCount { account, counted }).collect()
}

/// When the oldest kept failure ended, where older ones are only counted. What is derived from single turns is known since then.
pub(super) fn events_since(history: &History) -> Option<DateTime<Utc>> {
    let failed = history.failures.iter().filter(|turn| !turn.interrupted).count() as u64;
    let all_kept = failed >= history.failed_turns;
    history.failures.last().map(|turn| turn.at).filter(|_| !all_kept)
}

/// The failed turns with what each says.
pub(super) fn failed<'a>(
    history: &'a History,
    readings: &'a Readings,
) -> impl DoubleEndedIterator<Item = (&'a FailedTurn, Reading)> {
    let turns = history.failures.iter().enumerate();
    turns.filter(|(_, turn)| !turn.interrupted).map(|(place, turn)| (turn, readings.at(place)))
}

/// Turns by a name, the one with most failures first. Those whose name no tally has are left out.
fn by<'a>(groups: &Groups<'a>, name: impl Fn(&Asked<'a>) -> Option<&'a str>) -> Vec<(Option<String>, Counted)> {
    let mut sums: BTreeMap<Option<&str>, [u64; 3]> = BTreeMap::new();
    let mut kinds: BTreeMap<Option<&str>, BTreeMap<&'static str, u64>> = BTreeMap::new();
    for (asked, group) in groups.iter() {
        let name = name(asked);
        if let Some(counted) = group.sums {
            let sum = sums.entry(name).or_default();
            sum.iter_mut().zip(counted).for_each(|(sum, counted)| *sum += counted);
        }
        let kinds = kinds.entry(name).or_default();
        for (kind, count) in &group.kinds {
            *kinds.entry(kind.name()).or_default() += count;
        }
    }
    let mut counts: Vec<(Option<String>, Counted)> = sums
        .into_iter()
        .map(|(name, [succeeded, failed, interrupted])| {
            let counted = Counted {
                rate: Rate::new(succeeded + failed, failed),
                interrupted,
                kinds: kinds.remove(&name).unwrap_or_default(),
            };
            (name.map(str::to_owned), counted)
        })
        .collect();
    counts.sort_by(|(one, one_counted), (other, other_counted)| {
        let size = |counted: &Counted| (counted.rate.failed, counted.rate.turns);
        size(other_counted).cmp(&size(one_counted)).then_with(|| one.cmp(other))
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::history::Tally;
    use crate::facts::{Facts, Observed};
    use crate::timeline::made_up::{failure, moment, tally};

    fn seen(history: History) -> (History, Readings) {
        let facts = Facts { history: Observed::known(history.clone(), "test"), ..Facts::default() };
        (history, Readings::of(&facts))
    }

    #[test]
    fn a_model_has_its_turns_its_failures_and_what_they_say() {
        let other = FailedTurn { model: Some("gpt-b".into()), ..failure(5) };
        let escaped = FailedTurn { interrupted: true, text: None, info: None, ..failure(3) };
        let tallies = vec![
            Tally { interrupted: 1, ..tally(moment(), 7, 2) },
            Tally { model: Some("gpt-b".into()), ..tally(moment(), 0, 1) },
            Tally { model: None, ..tally(moment(), 4, 0) },
        ];
        let failures = vec![failure(1), failure(2), escaped, other];
        let (history, readings) = seen(History { failures, tallies, ..History::default() });
        let models = by_model(&Groups::of(&history, &readings));
        let sums: Vec<_> =
            models.iter().map(|one| (one.model.as_deref(), one.counted.rate.turns, one.counted.rate.failed)).collect();
        assert_eq!(sums, [(Some("gpt-a"), 9, 2), (Some("gpt-b"), 1, 1), (None, 4, 0)]);
        assert_eq!(models[0].counted.interrupted, 1);
        assert_eq!(models[0].counted.kinds, BTreeMap::from([("overload.model", 2)]));
    }

    #[test]
    fn kinds_stand_with_their_first_and_last_time() {
        let silent = FailedTurn { text: None, info: None, ..failure(9) };
        let (history, readings) = seen(History { failures: vec![failure(1), failure(4), silent], ..History::default() });
        let kinds = by_kind(&history, &readings);
        let shown: Vec<_> = kinds.iter().map(|kind| (kind.kind.name(), kind.count, kind.first, kind.last)).collect();
        let at = |minutes| failure(minutes).at;
        assert_eq!(shown, [("overload.model", 2, at(4), at(1)), ("unknown", 1, at(9), at(9))]);
    }
}

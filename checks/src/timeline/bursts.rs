//! Bursts: failures close together, of whatever model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::clock::are_close;
use super::reading::Readings;
use super::streaks::first;
use crate::facts::Shared;
use crate::facts::history::History;

/// Failures that are no further apart belong to one burst: somebody tried again and again.
const GAP: TimeDelta = TimeDelta::minutes(10);
/// So many make a burst.
const BURST: usize = 5;

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
    pub models: BTreeSet<Shared>,
    /// What the failures say.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// The largest bursts.
pub(super) fn largest(history: &History, readings: &Readings) -> Vec<Burst> {
    let failures: Vec<(usize, DateTime<Utc>)> = history
        .failures
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, turn)| !turn.interrupted)
        .map(|(place, turn)| (place, turn.at))
        .collect();
    let bursts = failures.chunk_by(|(_, at), (_, next)| are_close(*at, *next, GAP)).filter(|failures| failures.len() >= BURST);
    let size = |failures: &&[(usize, DateTime<Utc>)]| (failures.len(), failures.last().map(|(_, at)| *at));
    let told = |failures: &[(usize, DateTime<Utc>)]| {
        let mut kinds = BTreeMap::new();
        for (place, _) in failures {
            *kinds.entry(readings.at(*place).name()).or_default() += 1;
        }
        Some(Burst {
            from: failures.first()?.1,
            to: failures.last()?.1,
            failures: failures.len() as u64,
            models: failures.iter().filter_map(|(place, _)| history.failures[*place].model.clone()).collect(),
            kinds,
        })
    };
    first(bursts, |one, other| size(other).cmp(&size(one))).into_iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Facts, Observed};
    use crate::timeline::made_up::failure;

    #[test]
    fn a_burst_is_many_failures_close_together() {
        let mut history = History { failures: [1, 3, 5, 14, 15, 100, 101, 200].map(failure).to_vec(), ..History::default() };
        history.failures[2].model = Some("gpt-b".into());
        let readings = Readings::of(&Facts { history: Observed::known(history.clone(), "test"), ..Facts::default() });
        let bursts = largest(&history, &readings);
        assert_eq!(bursts.len(), 1);
        assert_eq!((bursts[0].failures, bursts[0].models.len()), (5, 2));
    }
}

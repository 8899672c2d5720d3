//! How other models fared while one was full: the strongest evidence for one model's capacity against the account's share.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::clock::are_close;
use super::counts::events_since;
use super::streaks::tells_successes;
use crate::facts::history::{FailedTurn, History, Success};

/// `codex_error_info` of the capacity sentence.
pub(crate) const CAPACITY_CODE: &str = "server_overloaded";

/// Whether a turn was refused for want of capacity, whoever wrote that.
pub(super) fn is_refusal(turn: &FailedTurn) -> bool {
    turn.info.as_deref() == Some(CAPACITY_CODE)
}

/// So many pairs are told.
const TOLD: usize = 5;

/// Which other model answered while one was full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pair {
    /// The model that was full.
    pub model: String,
    /// The one that answered, at the same provider.
    pub other: String,
    /// How often.
    pub times: u64,
}

/// Which other provider served a model while it was full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SameModelElsewhere {
    /// The model.
    pub model: String,
    /// The provider at which it was full.
    pub provider: Option<String>,
    /// The one at which it answered.
    pub other: Option<String>,
    /// How often.
    pub times: u64,
}

/// What stood within minutes of the turns that were refused for want of capacity. A refusal can count for several of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighbours {
    /// Turns that were refused.
    pub refusals: u64,
    /// Another model of the same provider answered.
    pub another_answered: u64,
    /// Another model of the same provider was refused, too.
    pub another_refused: u64,
    /// Another provider served the same model.
    pub elsewhere_answered: u64,
    /// No other model and no other provider was tried in these minutes, as far as is known.
    pub alone: u64,
    /// Which model answered in place of which, the commonest first.
    pub pairs: Vec<Pair>,
    /// Which provider served a model in place of which, the commonest first.
    pub elsewhere: Vec<SameModelElsewhere>,
}

/// What kept a refusal company.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Company<'a> {
    /// The nearest success of another model of the same provider.
    pub(crate) another: Option<&'a Success>,
    /// The nearest success of the same model at another provider.
    pub(crate) elsewhere: Option<&'a Success>,
}

impl<'a> Company<'a> {
    /// What succeeded near `turn`.
    pub(crate) fn of(turn: &'a FailedTurn) -> Self {
        let is_same = |success: &&Success| Some(&success.model) == turn.model.as_ref();
        let is_here = |success: &&Success| success.provider == turn.provider;
        let near = || turn.others_nearby.iter();
        Self {
            another: near().find(|success| !is_same(success) && is_here(success)),
            elsewhere: near().find(|success| is_same(success) && !is_here(success)),
        }
    }
}

impl Neighbours {
    pub(super) fn of(history: &History) -> Self {
        let mut neighbours = Self::default();
        if !tells_successes(history) {
            return neighbours;
        }
        let refused: Vec<&FailedTurn> = history.failures.iter().filter(|turn| is_refusal(turn)).collect();
        let cut = events_since(history);
        let mut pairs: FxHashMap<(&str, &str), u64> = FxHashMap::default();
        let mut elsewhere: FxHashMap<(&str, Option<&str>, Option<&str>), u64> = FxHashMap::default();
        for (place, turn) in refused.iter().enumerate() {
            let company = Company::of(turn);
            let model = turn.model.as_deref().unwrap_or_default();
            let with_others = is_refused_with_others(&refused, place);
            neighbours.refusals += 1;
            neighbours.another_refused += u64::from(with_others);
            if let Some(success) = company.another {
                neighbours.another_answered += 1;
                *pairs.entry((model, &success.model)).or_default() += 1;
            }
            if let Some(success) = company.elsewhere {
                neighbours.elsewhere_answered += 1;
                *elsewhere.entry((model, turn.provider.as_deref(), success.provider.as_deref())).or_default() += 1;
            }
            neighbours.alone += u64::from(is_alone(history, turn) && cut.is_none_or(|cut| turn.at - cut > History::NEARBY));
        }
        let pair = |((model, other), times): ((&str, &str), u64)| Pair { model: model.to_owned(), other: other.to_owned(), times };
        neighbours.pairs = commonest(pairs).into_iter().map(pair).collect();
        neighbours.elsewhere = commonest(elsewhere)
            .into_iter()
            .map(|((model, provider, other), times)| SameModelElsewhere {
                model: model.to_owned(),
                provider: provider.map(str::to_owned),
                other: other.map(str::to_owned),
                times,
            })
            .collect();
        neighbours
    }
}

/// The entries with the largest counts.
fn commonest<K: Ord>(counts: FxHashMap<K, u64>) -> Vec<(K, u64)> {
    let mut counts: Vec<(K, u64)> = counts.into_iter().collect();
    counts.sort_unstable_by(|(one, times), (other, other_times)| other_times.cmp(times).then_with(|| one.cmp(other)));
    counts.truncate(TOLD);
    counts
}

/// Whether nothing but its own model at its own provider was tried within minutes of `turn`, with whatever end.
fn is_alone(history: &History, turn: &FailedTurn) -> bool {
    if !turn.others_nearby.is_empty() {
        return false;
    }
    let newest = turn.at + History::NEARBY;
    let begins = history.failures.partition_point(|other| other.at > newest);
    let mut near = history.failures[begins..].iter().take_while(|other| are_close(turn.at, other.at, History::NEARBY));
    near.all(|other| (&other.model, &other.provider) == (&turn.model, &turn.provider))
}

/// Whether another model of the same provider was refused within minutes of the refusal at `place`; they are sorted by time.
fn is_refused_with_others(refused: &[&FailedTurn], place: usize) -> bool {
    let turn = refused[place];
    let near = |other: &&&FailedTurn| are_close(other.at, turn.at, History::NEARBY);
    let (newer, older) = (refused[..place].iter().rev(), refused[place..].iter());
    let differs = |other: &&FailedTurn| other.model.is_some() && other.model != turn.model && other.provider == turn.provider;
    newer.take_while(near).any(differs) || older.take_while(near).any(differs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::made_up::{failure, moment, success, tally};

    fn neighbours(failures: Vec<FailedTurn>) -> Neighbours {
        Neighbours::of(&History { failures, tallies: vec![tally(moment(), 1, 1)], ..History::default() })
    }

    #[test]
    fn what_answered_in_place_of_a_full_model_is_counted() {
        let with = |minutes, others_nearby| FailedTurn { others_nearby, ..failure(minutes) };
        let seen = neighbours(vec![
            with(1, vec![success("gpt-b", "openai", 2)]),
            with(60, vec![success("gpt-b", "relay", 60), success("gpt-a", "relay", 62)]),
            with(200, Vec::new()),
        ]);
        assert_eq!((seen.refusals, seen.another_answered, seen.elsewhere_answered, seen.alone), (3, 1, 1, 1));
        assert_eq!(seen.pairs, [Pair { model: "gpt-a".to_owned(), other: "gpt-b".to_owned(), times: 1 }]);
        assert_eq!(seen.elsewhere[0].other.as_deref(), Some("relay"));
    }

    #[test]
    fn two_models_that_are_full_together_keep_each_other_company() {
        let other = FailedTurn { model: Some("gpt-b".into()), ..failure(12) };
        let seen = neighbours(vec![failure(1), other, failure(40)]);
        assert_eq!((seen.another_refused, seen.alone), (2, 1));
    }

    #[test]
    fn another_model_that_failed_otherwise_was_tried() {
        let limit = Some("usage_limit_exceeded".into());
        let other = FailedTurn { model: Some("gpt-b".into()), info: limit, ..failure(12) };
        let seen = neighbours(vec![failure(1), other, failure(40)]);
        assert_eq!((seen.refusals, seen.another_refused, seen.alone), (2, 0, 1));
    }

    #[test]
    fn what_is_no_refusal_has_no_company() {
        let limit = FailedTurn { info: None, text: Some("You’ve hit your usage limit.".into()), ..failure(1) };
        assert_eq!(neighbours(vec![limit]), Neighbours::default());
    }
}

//! Turns put together by what they asked. Of thousands of turns these are a few, and what is told of models, providers and accounts is
//! told of these.

use rustc_hash::FxHashMap;

use super::reading::{Reading, Readings};
use crate::facts::history::{FailedTurn, History, Tally};

/// What a turn asked, and as whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Asked<'a> {
    pub(super) model: Option<&'a str>,
    pub(super) provider: Option<&'a str>,
    pub(super) account: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn by_tally(tally: &'a Tally) -> Self {
        Self { model: tally.model.as_deref(), provider: tally.provider.as_deref(), account: tally.account.as_deref() }
    }

    fn by_turn(turn: &'a FailedTurn) -> Self {
        Self { model: turn.model.as_deref(), provider: turn.provider.as_deref(), account: turn.account.as_deref() }
    }
}

/// The turns that asked the same.
#[derive(Default)]
pub(super) struct Group {
    /// How many were answered, failed and were ended from outside, as the tallies count them; absent where they know none of them.
    pub(super) sums: Option<[u64; 3]>,
    /// The failed ones by what their error says; a kind may stand several times.
    pub(super) kinds: Vec<(Reading, u64)>,
}

/// All turns of a history.
pub(super) struct Groups<'a>(FxHashMap<Asked<'a>, Group>);

impl<'a> Groups<'a> {
    pub(super) fn of(history: &'a History, readings: &Readings) -> Self {
        let mut groups: FxHashMap<Asked<'a>, Group> = FxHashMap::default();
        for tally in &history.tallies {
            let [succeeded, failed, interrupted] = groups.entry(Asked::by_tally(tally)).or_default().sums.get_or_insert_default();
            *succeeded += tally.succeeded;
            *failed += tally.failed;
            *interrupted += tally.interrupted;
        }
        for (turn, sort) in readings.failed(history) {
            groups.entry(Asked::by_turn(turn)).or_default().kinds.push((sort.reading, sort.count));
        }
        Self(groups)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Asked<'a>, &Group)> {
        self.0.iter()
    }
}

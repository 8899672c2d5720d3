//! Several records of one turn: which of them counts, and in which order turns are told.

use crate::collect::history::brief::Brief;
use crate::collect::history::names::NameList;
use crate::collect::history::turn::{Detailed, Outcome};
use crate::collect::history::word::Id;
use crate::collect::sessions::listing::Place;

/// Newest first by this order. Rows of the database know only the second; ids begin with the time.
pub(super) fn order(detailed: &Detailed) -> (i64, &Option<Id>, &Place, Option<u64>) {
    (detailed.turn.at_ms, &detailed.turn.id, &detailed.source, detailed.turn.line)
}

/// Each turn once: what is known of it at first hand, with the strongest outcome that any record tells of.
pub(super) fn once(mut briefs: Vec<Brief>) -> Vec<Brief> {
    // What each thread put in order is found to be so.
    briefs.sort_by_key(|brief| brief.key);
    briefs.dedup_by(|other, known| {
        if other.key != known.key {
            return false;
        }
        // Whatever came first, one of two equal records is taken.
        if (other.is_second_hand(), *other) < (known.is_second_hand(), *known) {
            std::mem::swap(other, known);
        }
        if stronger(other.outcome(), known.outcome()) {
            *known = known.with_outcome(other.outcome());
        }
        if known.names() == NameList::UNKNOWN {
            *known = known.with_names(other.names());
        }
        true
    });
    briefs
}

/// Whether `other` says more than `known`. A row says "completed" of turns without an answer, too.
fn stronger(other: Outcome, known: Outcome) -> bool {
    other > known && !(known == Outcome::Nothing && other == Outcome::Success)
}

/// Puts two records of one turn together. The record of the older thread is the original.
pub(super) fn join(known: &mut Detailed, mut other: Detailed) {
    if known.turn.row != other.turn.row {
        if known.turn.row {
            std::mem::swap(known, &mut other);
        }
    } else if (&other.header.thread, order(&other)) < (&known.header.thread, order(known)) {
        // Whatever came first: of two records in files of one thread, always the same one is taken.
        std::mem::swap(known, &mut other);
    }
    if stronger(other.turn.outcome, known.turn.outcome) {
        known.turn.outcome = other.turn.outcome;
    }
    match (&mut known.turn.fault, other.turn.fault) {
        (None, fault) => known.turn.fault = fault,
        (Some(known), Some(other)) => {
            known.text = known.text.take().or(other.text);
            known.info = known.info.take().or(other.info);
            known.status = known.status.or(other.status);
        }
        (Some(_), None) => {}
    }
}

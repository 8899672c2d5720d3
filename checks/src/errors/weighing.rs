//! Several signatures in one text: which of them the verdict may rest on.

use super::Hit;
use crate::kind::{Cause, Target};
use crate::knowledge::signatures::{Author, Rank};
use crate::subject::Route;

/// What an earlier error of the same text weighs against the last one, when they speak for different causes.
const EARLIER_SHARE: f64 = 0.7;

/// Weighs the signatures of one text against each other.
pub(super) fn compare(hits: &mut Vec<Hit>, route: Route) {
    keep_to_the_matter(hits);
    let_remarks_yield(hits);
    prefer_the_telling(hits);
    prefer_the_last(hits);
    doubt_asides(hits, route);
}

/// Drops what a person says about something that this error cannot be about (a proxy beside an answer of the server).
fn keep_to_the_matter(hits: &mut Vec<Hit>) {
    let found: Vec<&str> = hits.iter().map(|hit| hit.signature.row.id.as_str()).collect();
    hits.retain(|hit| hit.signature.row.with.is_empty() || hit.signature.row.with.iter().any(|id| found.contains(&id.as_str())));
}

/// Takes the weight from words that persons also drop in passing, where another error stands beside them.
fn let_remarks_yield(hits: &mut [Hit]) {
    let stands = |hit: &Hit| {
        let row = &hit.signature.row;
        row.author != Author::Person && !row.yields && row.rank != Rank::Notice
    };
    if hits.iter().any(stands) {
        for hit in hits.iter_mut().filter(|hit| hit.signature.row.yields) {
            hit.counts = false;
            hit.weights.clear();
        }
    }
}

/// Takes the weight from errors that several causes share where another signature names the kind.
fn prefer_the_telling(hits: &mut [Hit]) {
    let of_error = |hit: &Hit| hit.counts && hit.signature.row.author != Author::Person;
    let highest = hits.iter().filter(|hit| of_error(hit)).map(|hit| hit.signature.row.rank).max();
    for hit in hits.iter_mut().filter(|hit| of_error(hit)) {
        if !hit.signature.row.keeps && highest.is_some_and(|highest| hit.signature.row.rank < highest) {
            hit.counts = false;
            hit.weights.clear();
        }
    }
}

/// Of several errors the last one ended the turn: earlier ones for another cause weigh less.
fn prefer_the_last(hits: &mut [Hit]) {
    let ends_a_turn = |hit: &Hit| !matches!(hit.signature.row.author, Author::Person | Author::Os);
    let of_error = |hit: &&Hit| hit.counts && ends_a_turn(hit) && leading_cause(hit).is_some();
    let Some(last) = hits.iter().filter(of_error).max_by_key(|hit| hit.place) else { return };
    let (place, cause) = (last.place, leading_cause(last));
    for hit in hits.iter_mut() {
        if hit.signature.row.author != Author::Person && hit.place < place && leading_cause(hit) != cause {
            // What an earlier answer proves impossible, the last error may well be.
            hit.weights.retain(|(_, decibans)| *decibans > 0);
            lessen(hit);
        }
    }
}

/// Beside an error of Codex that keeps its weight, words that no code backs may tell of another attempt, of what was ruled
/// out or of a guess. At a relay they are its own reason, mostly.
fn doubt_asides(hits: &mut [Hit], route: Route) {
    if !hits.iter().any(|hit| hit.signature.row.keeps) {
        return;
    }
    let aside = |hit: &Hit| match hit.signature.row.author {
        Author::Person => false,
        Author::Os => true,
        _ => route != Route::Relay && hit.by_words && !hit.signature.row.keeps && !hit.signature.row.beside,
    };
    hits.iter_mut().filter(|hit| aside(hit)).for_each(lessen);
}

/// What a bare number can weigh at most: a hint.
const HINT: i16 = 6;

/// Leaves of each weight a hint.
pub(super) fn doubt(hits: &mut [Hit]) {
    for (_, decibans) in hits.iter_mut().flat_map(|hit| &mut hit.weights) {
        *decibans = (*decibans).clamp(-HINT, HINT);
    }
}

fn lessen(hit: &mut Hit) {
    for (_, decibans) in hit.weights.iter_mut().filter(|(_, decibans)| *decibans > 0) {
        *decibans = lessened(*decibans);
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a share of a small number")]
fn lessened(decibans: i16) -> i16 {
    (f64::from(decibans) * EARLIER_SHARE).round() as i16
}

fn leading_cause(hit: &Hit) -> Option<Cause> {
    let (target, _) = hit.weights.iter().filter(|(_, decibans)| *decibans > 0).max_by_key(|(_, decibans)| *decibans)?;
    Some(match target {
        Target::Kind(kind) => kind.cause(),
        Target::Cause(cause) => *cause,
    })
}

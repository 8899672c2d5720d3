//! What an error in an answer says, by the signatures that read error texts: words before codes, codes before statuses.

use std::collections::BTreeMap;

use serde_json::json;

use crate::errors::{self, Hit};
use crate::facts::model_request::ErrorWords;
use crate::kind::Target;
use crate::knowledge::answer_words;
use crate::knowledge::signatures::{Author, Rank};
use crate::subject::{Route, Subject, SubjectSource};

/// Errors that several causes share, but whose words name a kind well enough where they are the server's own.
const TELLING_FAMILIES: [&str; 3] = ["gateway-words", "transport", "send-failed"];

/// Weights by target.
pub(super) type Weights = Vec<(Target, i16)>;

/// What `words` weigh, when they name a kind. The message alone comes first: a relay that writes the code for overload and says
/// "no quota left" means its quota.
pub(super) fn weights(words: &ErrorWords, status: Option<u16>, route: Route) -> Option<Weights> {
    let message = words.message.as_deref().filter(|message| !message.is_empty());
    let said = message.map(|message| json!({ "error": { "message": message, "code": null } }).to_string());
    let coded = json!({ "error": { "type": words.kind, "code": words.code } }).to_string();
    let own = |late| message.and_then(|message| answer_words::weights(&errors::fold(message), status, late));
    own(false)
        .or_else(|| telling(said.as_deref()?, None, route, Rank::Specific))
        .or_else(|| own(true))
        .or_else(|| telling(&coded, None, route, Rank::Specific))
        .or_else(|| telling(said.as_deref()?, status, route, Rank::Specific))
        .or_else(|| telling(said.as_deref()?, None, route, Rank::Family))
}

/// The weights of the signatures in `text` that are at least of `rank`.
fn telling(text: &str, status: Option<u16>, route: Route, rank: Rank) -> Option<Weights> {
    let subject = Subject {
        source: SubjectSource::Rollout,
        at: None,
        model: None,
        provider: None,
        text: Some(text.to_owned()),
        code: None,
        status,
        codex_version: None,
        originator: None,
        project: None,
        thread: None,
        turn: None,
        interrupted: false,
        recovered_at: None,
    };
    let hits = errors::recognise(&subject, route);
    let counts = |hit: &&Hit| {
        let row = &hit.signature.row;
        let telling = row.rank == Rank::Specific || (rank == Rank::Family && TELLING_FAMILIES.contains(&row.id.as_str()));
        hit.counts && telling && row.author != Author::Person
    };
    let mut strongest: BTreeMap<Target, i16> = BTreeMap::new();
    for (target, decibans) in hits.iter().filter(counts).flat_map(|hit| hit.weights.iter().copied()) {
        let known = strongest.entry(target).or_insert(decibans);
        if decibans.abs() > known.abs() {
            *known = decibans;
        }
    }
    let weights: Weights = strongest.into_iter().collect();
    weights.iter().any(|(_, decibans)| *decibans > 0).then_some(weights)
}

//! The classifier of error texts: a text, what the client stored beside it and where the request went, in; signatures with
//! their weights, out. It knows structure and families of words, no whole sentences; they stand in `signatures.toml`.

mod normalise;
pub(crate) mod shape;
mod weighing;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::facts::Facts;
use crate::kind::{Kind, Target};
use crate::knowledge::hosts;
use crate::knowledge::signatures::{self, Author, Signature};
use crate::knowledge::text::Text;
use crate::subject::{Route, Subject, SubjectSource};
use crate::{last_errors, verdict};
use shape::{Shape, Tag};

pub(crate) use normalise::clean;

/// A signature that was found.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) signature: &'static Signature,
    /// Where its last occurrence ends in the folded text.
    place: usize,
    /// Whether only words speak for it, no code, status or structure.
    by_words: bool,
    /// Decibans; empty when a more telling signature takes its place.
    pub(crate) weights: Vec<(Target, i16)>,
    /// Whether it weighs at all here.
    pub(crate) counts: bool,
    shape: Rc<Shape>,
}

impl Hit {
    /// Values for its message, by name.
    pub(crate) fn values(&self) -> BTreeMap<String, String> {
        values(self.signature, &self.shape)
    }
}

/// The kind that an error speaks for by itself, without any other evidence of the run; nothing where it leaves two causes open.
pub fn kind_of(subject: &Subject, facts: &Facts) -> Option<Kind> {
    verdict::kind_alone(&last_errors::weighed(subject, facts))
}

/// All signatures found in an error. A person's words count only beside an error, unless they are one.
pub(crate) fn recognise(subject: &Subject, route: Route) -> Vec<Hit> {
    let text = subject.text.as_deref().unwrap_or_default();
    let shape = Rc::new(Shape::of(text, subject.code.as_deref(), subject.status));
    let version = subject.codex_version.as_deref().and_then(signatures::number);
    let mut hits: Vec<Hit> = signatures::signatures()
        .iter()
        .filter(|signature| signature.fits_version(version))
        .filter(|signature| signature.row.routes.as_ref().is_none_or(|routes| routes.contains(&route)))
        .filter_map(|signature| Some((signature, place(signature, &shape)?)))
        .map(|(signature, place)| Hit {
            signature,
            place,
            by_words: !coded(signature, &shape),
            weights: signature.weights(route),
            counts: true,
            shape: Rc::clone(&shape),
        })
        .collect();
    let fails = |hit: &Hit| hit.signature.row.author != Author::Person || hit.signature.row.alone;
    if !hits.iter().any(fails) {
        return Vec::new();
    }
    weighing::compare(&mut hits, route);
    if subject.source == SubjectSource::Text && subject.code.is_none() && is_bare_number(text) {
        weighing::doubt(&mut hits);
    }
    hits
}

/// Whether the text is what Codex printed of a turn that came to neither an answer nor an error.
pub(crate) fn is_without_outcome(text: &str) -> bool {
    normalise::is_without_outcome(&normalise::without_asides(text))
}

/// A text as signatures see it.
pub(crate) fn fold(text: &str) -> Text {
    normalise::folded(&clean(text)).into()
}

/// All patterns for the structure of a text, for the test that finds their literals.
#[cfg(test)]
pub(crate) fn sources() -> Vec<String> {
    shape::PATTERNS.iter().map(|pattern| pattern.source()).collect()
}

/// Whether the text is the capacity sentence as Codex itself prints it.
pub(crate) fn is_capacity_text(text: &str) -> bool {
    Shape::of(text, None, None).tags.contains(&Tag::CapacityExact)
}

/// Whether a given text is a number and no word: it may be a status, and nothing says of what.
fn is_bare_number(text: &str) -> bool {
    !text.contains(char::is_alphabetic)
}

/// Whether the person says that a relay, bridge or gateway is on the way.
pub(crate) fn names_a_relay(text: &str) -> bool {
    Shape::of(text, None, None).tags.contains(&Tag::RelayNamed)
}

/// Where the last occurrence of `signature` ends in `shape`, when all that it asks for is there.
fn place(signature: &Signature, shape: &Shape) -> Option<usize> {
    let row = &signature.row;
    if !row.tags.iter().all(|tag| shape.tags.contains(tag)) || row.without.iter().any(|tag| shape.tags.contains(tag)) {
        return None;
    }
    if signature.unless.as_ref().is_some_and(|unless| unless.is_match(&shape.text)) {
        return None;
    }
    let mut found = Vec::new();
    if !row.status.is_empty() {
        let status = shape.statuses.iter().filter(|(status, _)| row.status.contains(status));
        found.push(status.map(|(_, place)| *place).max()?);
    }
    if signature.words.is_some() || !row.codes.is_empty() || !row.fields.is_empty() {
        found.push(said(signature, shape)?);
    }
    Some(found.into_iter().max().unwrap_or(0))
}

/// Where the words or codes of `signature` stand last.
fn said(signature: &Signature, shape: &Shape) -> Option<usize> {
    let row = &signature.row;
    let words = signature.words.as_ref().and_then(|words| {
        let places = words.places(&shape.text);
        let counts = |start: usize| row.author == Author::Person || !denied(shape.line_before(start));
        places.filter(|(start, _)| counts(*start)).map(|(_, end)| end).max()
    });
    let codes = row.codes.iter().filter_map(|code| last_word(&shape.text, code)).max();
    let stored = row.codes.iter().chain(&row.fields).any(|code| shape.codes.contains(code)).then_some(0);
    [words, codes, stored].into_iter().flatten().max()
}

/// Whether a code, a status or a structure speaks for `signature`.
fn coded(signature: &Signature, shape: &Shape) -> bool {
    let row = &signature.row;
    let code = row.codes.iter().any(|code| last_word(&shape.text, code).is_some());
    let field = row.codes.iter().chain(&row.fields).any(|code| shape.codes.contains(code));
    code || field || !row.status.is_empty() || !row.tags.is_empty()
}

/// "No rate limit was reached", "not a quota problem": what follows is just what did not happen.
fn denied(before: &str) -> bool {
    static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:\b(?:no|isn't|is not|was not|wasn't|without|never|neither|nor|rather than|instead of|not (?:a|an|the|my|about|due|because|hitting|over))\b[^.;:,]{0,18}|(?:n't|\bnot)(?: yet| even| actually| been)? |没有|不是|并非)$")
            .expect("a constant pattern")
    });
    let window = before.char_indices().rev().nth(40).map_or(0, |(place, _)| place);
    DENIAL.is_match(&before[window..])
}

/// Where `code` stands last as a whole word.
fn last_word(text: &Text, code: &str) -> Option<usize> {
    if !text.may_hold(code) {
        return None;
    }
    let joins = |character: Option<char>| character.is_some_and(|character| character.is_ascii_alphanumeric() || character == '_');
    text.rmatch_indices(code)
        .find(|(start, _)| !joins(text[..*start].chars().next_back()) && !joins(text[start + code.len()..].chars().next()))
        .map(|(start, _)| start + code.len())
}

fn values(signature: &Signature, shape: &Shape) -> BTreeMap<String, String> {
    let captured = |name: &String| match name.as_str() {
        "status" => shape.statuses.last().map(|(status, _)| status.to_string()),
        "host" => hosts::url_hosts(&shape.text).pop(),
        _ => signatures::captured(name, &shape.cleaned),
    };
    signature.row.capture.iter().map(|name| (name.clone(), captured(name).unwrap_or_else(|| "none".to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::facts::error_text::ErrorText;

    fn hits(text: &str, route: Route) -> Vec<Hit> {
        let given = ErrorText { text: text.to_owned(), input_bytes: 0, setting: None };
        let facts = Facts { error_text: Observed::known(given, "text given"), ..Facts::default() };
        recognise(&Subject::of(&facts).unwrap(), route)
    }

    fn weighing(text: &str, route: Route) -> Vec<String> {
        hits(text, route).iter().filter(|hit| hit.counts && !hit.weights.is_empty()).map(|hit| hit.signature.code()).collect()
    }

    fn value(text: &str, name: &str) -> Option<String> {
        hits(text, Route::Official).iter().find_map(|hit| hit.values().get(name).filter(|value| *value != "none").cloned())
    }

    #[test]
    fn a_number_without_a_word_is_no_proof_of_anything() {
        let strongest = |text| {
            let weights = hits(text, Route::Official).into_iter().flat_map(|hit| hit.weights);
            weights.map(|(_, decibans)| decibans).max().unwrap_or_default()
        };
        for number in ["401", "404", "429", "500", " 503\n", "(502)"] {
            assert!(strongest(number) <= 8, "{number}: {}", strongest(number));
        }
        assert!(strongest("HTTP 401") > 8);
    }

    #[test]
    fn the_sentence_is_codex_own_unless_another_message_holds_it() {
        let sentence = "Selected model is at capacity. Please try a different model.";
        for own in [
            sentence.to_owned(),
            format!("ERROR: {sentence}"),
            format!("Error running remote compact task: {sentence}"),
            format!(r#"{{"type":"turn.failed","error":{{"message":"{sentence}"}}}}"#),
        ] {
            assert!(weighing(&own, Route::Official).contains(&"errors.capacity".to_owned()), "{own}");
        }
        for quoted in [
            format!("stream disconnected before completion: {sentence}"),
            format!(
                r#"unexpected status 503 Service Unavailable: {{"detail": "{sentence}"}}, url: http://127.0.0.1:1/v1/responses"#
            ),
            format!(r#"{{"error":{{"message":"{sentence}","type":"invalid_request_error","code":null}}}}"#),
        ] {
            assert_eq!(weighing(&quoted, Route::Official), ["errors.capacity-quoted"], "{quoted}");
        }
    }

    #[test]
    fn a_word_on_the_balance_takes_the_place_of_the_status_beside_it() {
        let text = "unexpected status 503 Service Unavailable: 余额不足, url: http://127.0.0.1:1/v1/responses";
        assert_eq!(weighing(text, Route::Relay), ["errors.balance"]);
    }

    #[test]
    fn what_did_not_happen_is_no_evidence() {
        let text = "exceeded retry limit, last status: 401 Unauthorized; this is not a usage limit: no quota exceeded";
        assert_eq!(weighing(text, Route::Official), ["errors.status-401"]);
    }

    #[test]
    fn a_person_without_an_error_tells_nothing() {
        assert!(hits("all models work fine over the VPN", Route::Official).is_empty());
    }

    #[test]
    fn messages_get_the_values_that_stand_in_the_error() {
        let text = "You've hit your usage limit. Upgrade to Pro or try again at Nov 30th, 2026 12:53 AM.";
        assert_eq!(value(text, "reset").as_deref(), Some("Nov 30th, 2026 12:53 AM"));
        assert_eq!(
            value("or try again in 8 hours 30 minutes. hit your usage limit", "reset").as_deref(),
            Some("8 hours 30 minutes")
        );
        assert_eq!(value("Rate limit reached for x. Please try again in 1.898s. Visit us", "retry").as_deref(), Some("1.898s"));
        assert_eq!(value("Missing environment variable: `LAB_KEY`.", "variable").as_deref(), Some("LAB_KEY"));
        assert_eq!(
            value("The 'gpt-9-x' model is not supported when using Codex with a ChatGPT account.", "model").as_deref(),
            Some("gpt-9-x")
        );
        assert_eq!(
            value("config.toml:228:1: invalid type: map, expected a sequence", "place").as_deref(),
            Some("config.toml:228:1")
        );
        let refused = "Connection refused (os error 111), url: http://127.0.0.1:9/v1/responses, see https://help.openai.com";
        assert_eq!(value(refused, "host").as_deref(), Some("127.0.0.1"));
    }
}

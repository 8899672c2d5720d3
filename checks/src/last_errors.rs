//! Last errors: what does the error that stopped Codex say, and who wrote it?
//!
//! # What it checks
//! The error text that you gave, else the newest failed turn on disk: its words, codes, HTTP status and address, what Codex
//! stored beside them, and where the request went. Each signature that it finds is one finding. Where Codex's log keeps the answer
//! to the failed request, its request id is told, for a report to whoever runs the server.
//!
//! # Why it matters
//! Codex prints the same sentence for several causes, and the same cause in several sentences. Who wrote the words, and on
//! which route, decides what they prove.
//!
//! # What it cannot tell
//! What a relay hides behind a code that is not its own, and what Codex never stored: a turn that was ended from outside,
//! and failed turns of releases up to 0.144 that left no log, as those of `codex exec`.
//!
//! # Fix
//! It depends on the kind that the error speaks for; the verdict names it.
//!
//! # Example
//! `exceeded retry limit, last status: 429` at OpenAI's address speaks for throttling; from a relay it may as well be an
//! empty balance or a full back end.

use chrono::TimeDelta;

use crate::errors::{self, Hit};
use crate::facts::{Fact, Facts};
use crate::finding::{Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::signatures::{self, Author};
use crate::subject::{Subject, SubjectSource};

pub(crate) const ID: &str = "last-errors";

/// A turn at work writes something at least so often, mostly; reasoning can take longer.
const SILENCE: TimeDelta = TimeDelta::seconds(10);

/// What Codex printed shows that it waited in vain; what for, the look at the way there may tell.
const NO_OUTCOME: &str = "errors.no-outcome";
/// A hint only: the person may just have been impatient.
const WAITED: i16 = 8;

/// What whoever runs the server can find the failed request by.
const REQUEST: &str = "errors.request";
/// The headers that name a request, and those that say who answered it.
const NAMES_OF_A_REQUEST: [&str; 4] = ["x-request-id", "x-oai-request-id", "x-oneapi-request-id", "cf-ray"];
const OTHER_HEADERS: [&str; 4] = ["server", "via", "retry-after", "openai-processing-ms"];

/// Codes that stand for no signature.
const OWN_CODES: [&str; 10] = [
    "errors.none",
    REQUEST,
    "errors.unrecognised",
    NO_OUTCOME,
    "errors.no-text",
    "errors.interrupted",
    "errors.running",
    "errors.unread",
    "errors.broken-records",
    "errors.ahead",
];

pub(crate) fn codes() -> Vec<String> {
    let own = OWN_CODES.iter().map(|code| (*code).to_owned());
    own.chain(signatures::signatures().iter().map(signatures::Signature::code)).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let subject = Subject::of(facts);
    let mut findings = match &subject {
        Some(subject) => findings_of(subject, facts),
        None => vec![without_subject(facts)],
    };
    findings.extend(request(facts));
    findings.extend(running(facts, subject.is_some()));
    findings.extend(gaps(facts, subject.is_some()));
    findings.extend(ahead(facts));
    findings
}

/// Turns whose time is still to come are counted, and none of them is taken for the newest one.
fn ahead(facts: &Facts) -> Option<Finding> {
    let count = facts.history.value()?.ahead;
    (count > 0).then(|| Finding::new(ID, "errors.ahead", Severity::Note, [("count", count)]))
}

/// The names of the failed request, from the answer that Codex's log keeps.
fn request(facts: &Facts) -> Option<Finding> {
    let request = Subject::triaged_turn(facts)?.request.as_ref()?;
    let header = |name: &&str| request.headers.get(*name).map(|value| format!("{name}: {value}"));
    let names: Vec<String> = NAMES_OF_A_REQUEST.iter().filter_map(header).collect();
    if names.is_empty() {
        return None;
    }
    let answer = request.status.map(|status| format!("HTTP {status}"));
    let seen: Vec<String> = request.host.clone().into_iter().chain(answer).chain(OTHER_HEADERS.iter().filter_map(header)).collect();
    let finding = Finding::plain(ID, REQUEST, Severity::Note).arg("names", names.join(", ")).arg("at", request.at);
    Some(finding.arg("retries", i64::from(request.retries)).evidence(seen.join(", ")))
}

/// A turn that has not ended. Current releases of Codex wait for a dead network for ever and write nothing meanwhile: a turn that is
/// silent may be such a one, and is no proof that all is well.
fn running(facts: &Facts, error_found: bool) -> Option<Finding> {
    let heard = facts.history.value()?.running?;
    let silent = facts.run.at - heard;
    let severity = if silent >= SILENCE && !error_found { Severity::Unknown } else { Severity::Note };
    let silent_ms = silent.num_milliseconds().max(0);
    Some(Finding::plain(ID, "errors.running", severity).arg("silent", crate::finding::Arg::DurationMs(silent_ms)))
}

/// What stands on disk and could not be read. Where no error was found, it may be there.
fn gaps(facts: &Facts, error_found: bool) -> Vec<Finding> {
    let Some(history) = facts.history.value() else { return Vec::new() };
    let mut gaps = Vec::new();
    let severity = if error_found { Severity::Note } else { Severity::Unknown };
    let unread = history.unread.len() as u64 + history.not_reached;
    if unread > 0 {
        let first = history.unread.first().map_or_else(|| "none".to_owned(), |unread| unread.file.clone());
        let gap = Finding::plain(ID, "errors.unread", severity).arg("count", unread).arg("first", first);
        gaps.push(history.unread.iter().fold(gap, |gap, unread| gap.evidence(format!("{}: {}", unread.file, unread.why))));
    }
    // Beside turns that were read, a damaged line is an accident; where nothing else was read, it is what was to be seen.
    let broken = if history.turns > 0 { Severity::Note } else { severity };
    if history.broken_records > 0 {
        gaps.push(Finding::new(ID, "errors.broken-records", broken, [("count", history.broken_records)]));
    }
    gaps
}

/// What this check says about one error.
fn findings_of(subject: &Subject, facts: &Facts) -> Vec<Finding> {
    match &subject.text {
        None if subject.code.is_none() && subject.status.is_none() => vec![untold(subject, facts)],
        _ => recognised(subject, facts),
    }
}

/// Nothing was given and no turn failed, or the disk could not be read.
fn without_subject(facts: &Facts) -> Finding {
    match (&facts.history.fact, &facts.error_text.fact) {
        (_, Fact::Failed { .. }) => Finding::cannot_tell(ID, &facts.error_text),
        (Fact::Known { value }, _) => {
            let turns = i64::try_from(value.turns).unwrap_or(i64::MAX);
            Finding::new(ID, "errors.none", Severity::Ok, [("turns", turns)]).arg("since", facts.run.since)
        }
        _ => Finding::cannot_tell(ID, &facts.history),
    }
}

fn untold(subject: &Subject, facts: &Facts) -> Finding {
    let code = if subject.interrupted { "errors.interrupted" } else { "errors.no-text" };
    let version = subject.codex_version.clone().unwrap_or_else(|| "none".to_owned());
    let finding = Finding::new(ID, code, Severity::Unknown, [("version", version)]);
    dated(finding, subject).evidence(provenance(subject, facts))
}

fn recognised(subject: &Subject, facts: &Facts) -> Vec<Finding> {
    let hits = errors::recognise(subject, subject.route(facts));
    if hits.is_empty() {
        return vec![dated(unrecognised(subject), subject).evidence(provenance(subject, facts))];
    }
    let with_values = |hit: &Hit| hit.values().into_iter().fold(finding(hit), |finding, (name, value)| finding.arg(&name, value));
    hits.iter().map(|hit| with_values(hit).evidence(provenance(subject, facts))).collect()
}

/// The same findings as far as they weigh something: without what is only shown.
pub(crate) fn weighed(subject: &Subject, facts: &Facts) -> Vec<Finding> {
    let hits = errors::recognise(subject, subject.route(facts));
    if hits.is_empty() { vec![unrecognised(subject)] } else { hits.iter().map(finding).collect() }
}

fn unrecognised(subject: &Subject) -> Finding {
    if subject.text.as_deref().is_some_and(errors::is_without_outcome) {
        // Codex has no limit of its own for the first byte: what is refused, it prints.
        Finding::plain(ID, NO_OUTCOME, Severity::Unknown).weighs(Target::Kind(Kind::NetworkTimeout), WAITED)
    } else {
        Finding::plain(ID, "errors.unrecognised", Severity::Unknown)
    }
}

fn finding(hit: &Hit) -> Finding {
    let row = &hit.signature.row;
    let severity = if hit.counts && row.author != Author::Person { Severity::Error } else { Severity::Note };
    let mut finding = Finding::new(ID, hit.signature.code(), severity, [("author", row.author.name())]);
    for (target, decibans) in &hit.weights {
        finding = finding.weighs(*target, *decibans);
    }
    for advice in &row.advice {
        finding = finding.advises(advice);
    }
    finding.group(row.group.clone())
}

fn dated(finding: Finding, subject: &Subject) -> Finding {
    match subject.at {
        Some(at) => finding.arg("at", at),
        None => finding,
    }
}

/// Where the error was read, language-neutral.
fn provenance(subject: &Subject, facts: &Facts) -> String {
    if subject.source == SubjectSource::Text {
        return facts.error_text.source.clone();
    }
    match Subject::turn(facts) {
        Some(turn) => match turn.line {
            Some(line) => format!("{}:{line}", turn.source),
            None => turn.source.to_string(),
        },
        None => facts.history.source.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::error_text::ErrorText;
    use crate::facts::history::{FailedRequest, FailedTurn, History};
    use crate::facts::{Observed, SkipReason};
    use crate::finding::Arg;
    use crate::timeline::made_up::full_model;

    fn codes_of(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.code.as_str()).collect()
    }

    fn given(text: &str) -> Facts {
        let text = ErrorText { text: text.to_owned(), input_bytes: 0, setting: None };
        Facts { error_text: Observed::known(text, "text given"), ..Facts::default() }
    }

    fn failed(change: impl FnOnce(&mut FailedTurn)) -> Facts {
        let mut turn = FailedTurn {
            source: "~/rollout.jsonl".into(),
            line: Some(7),
            ..full_model(Facts::default().run.at - TimeDelta::hours(1))
        };
        change(&mut turn);
        let history = History { turns: 3, failed_turns: 1, failures: vec![turn], ..History::default() };
        Facts { history: Observed::known(history, "sessions"), ..Facts::default() }
    }

    #[test]
    fn a_failed_turn_is_found_with_its_place() {
        let findings = run(&failed(|_| {}));
        assert_eq!(findings[0].code, "errors.capacity");
        assert_eq!(findings[0].evidence, ["~/rollout.jsonl:7"]);
    }

    #[test]
    fn a_quiet_disk_is_said_to_be_quiet_and_a_failed_look_is_not() {
        let facts = Facts { history: Observed::known(History { turns: 3, ..History::default() }, "sessions"), ..Facts::default() };
        assert_eq!(codes_of(&run(&facts)), ["errors.none"]);
        let facts = Facts { history: Observed::failed("denied", "sessions"), ..Facts::default() };
        assert_eq!(run(&facts)[0].severity, Severity::Unknown);
        let facts = Facts { history: Observed::skipped(SkipReason::NotPartOfCommand), ..Facts::default() };
        assert_eq!(codes_of(&run(&facts)), ["last-errors.skipped"]);
    }

    #[test]
    fn a_request_that_the_log_names_is_named() {
        let headers = [("x-request-id", "req_1"), ("cf-ray", "8f1a-SJC"), ("server", "cloudflare")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let request = FailedRequest { status: Some(503), host: Some("a.test".to_owned()), headers, ..FailedRequest::default() };
        let findings = run(&failed(|turn| turn.request = Some(Box::new(request.clone()))));
        let named = findings.iter().find(|finding| finding.code == REQUEST).unwrap();
        assert_eq!(named.evidence, ["a.test, HTTP 503, server: cloudflare"]);
        assert_eq!(named.args["names"], Arg::Text("x-request-id: req_1, cf-ray: 8f1a-SJC".to_owned()));
        let nameless = FailedRequest { headers: std::collections::BTreeMap::new(), ..request };
        assert!(!codes_of(&run(&failed(|turn| turn.request = Some(Box::new(nameless))))).contains(&REQUEST));
    }

    #[test]
    fn an_interrupted_turn_and_one_without_text_tell_nothing() {
        let nothing = |turn: &mut FailedTurn| (turn.text, turn.info) = (None, None);
        assert_eq!(codes_of(&run(&failed(nothing))), ["errors.no-text"]);
        let interrupted = |turn: &mut FailedTurn| (turn.text, turn.info, turn.interrupted) = (None, None, true);
        assert_eq!(codes_of(&run(&failed(interrupted))), ["errors.interrupted"]);
    }

    #[test]
    fn turns_of_a_time_to_come_are_said() {
        let history = crate::facts::history::History { ahead: 2, ..Default::default() };
        let facts = Facts { history: crate::facts::Observed::known(history, "sessions"), ..Facts::default() };
        assert_eq!(codes_of(&run(&facts)), ["errors.none", "errors.ahead"]);
    }

    #[test]
    fn a_text_without_an_error_is_unknown_not_fine() {
        let findings = run(&given("hello"));
        assert_eq!((findings[0].code.as_str(), findings[0].severity), ("errors.unrecognised", Severity::Unknown));
        assert_eq!(findings[0].evidence, ["text given"]);
    }

    #[test]
    fn every_code_has_its_message_in_both_languages() {
        for texts in [include_str!("../../src/i18n/en/last-errors.ftl"), include_str!("../../src/i18n/zh/last-errors.ftl")] {
            for code in codes() {
                let id = code.replace('.', "-");
                assert!(texts.lines().any(|line| line.starts_with(&format!("{id} = "))), "{id}");
            }
        }
    }
}

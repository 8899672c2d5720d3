//! Our own cases: other texts of the same families, and texts without an error.

mod common;

use codex_triage_checks::kind::Cause;
use serde::Deserialize;

use common::{facts, local_relay, official, shown, triage};

#[derive(Deserialize)]
struct Case {
    id: String,
    /// `official` or `relay`, where the text has no address of its own.
    route: String,
    text: String,
    /// Causes that are right.
    expect: Vec<String>,
    why: String,
}

#[test]
fn other_texts_of_the_same_families_are_told_apart() {
    let lines = include_str!("../../fixtures/errors/extra.jsonl").lines();
    let cases: Vec<Case> = lines.map(|line| serde_json::from_str(line).expect("a row of the fixture")).collect();
    assert!(cases.len() >= 80);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let endpoint = if case.route == "relay" { local_relay() } else { official() };
            let (findings, verdict) = triage(&facts(&case.text, endpoint));
            let right = case.expect.iter().any(|name| name == verdict.cause.name());
            (!right)
                .then(|| format!("{} {:?} ({}): {}\n    {}", case.id, case.expect, case.why, shown(&findings, &verdict), case.text))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_text_without_an_error_is_not_recognised() {
    for text in ["how do I install codex on windows?", "Thanks, it works now! I use a VPN."] {
        let (findings, verdict) = triage(&facts(text, official()));
        assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["errors.unrecognised"]);
        assert_eq!((verdict.cause, verdict.confidence), (Cause::Undetermined, None));
    }
}

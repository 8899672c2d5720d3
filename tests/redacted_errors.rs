//! Redaction takes no diagnosis away: an error text gets the same verdict before and after it.

use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::error_text::ErrorText;
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::kind::Cause;
use codex_triage_checks::{registry, verdict};

fn answer(text: &str) -> Cause {
    let given = ErrorText { text: text.to_owned(), input_bytes: text.len() as u64, setting: None };
    let facts = Facts { error_text: Observed::known(given, "text given"), ..Facts::default() };
    verdict::weigh(&facts, &registry::run_all(&facts)).cause
}

fn texts() -> Vec<String> {
    let lines = [include_str!("../fixtures/reports/reports.jsonl"), include_str!("../fixtures/errors/extra.jsonl")];
    let rows = lines.into_iter().flat_map(str::lines).map(serde_json::from_str::<serde_json::Value>);
    rows.filter_map(|row| {
        let row = row.ok()?;
        row.get("input").or(row.get("text")).and_then(|text| text.as_str()).map(str::to_owned)
    })
    .collect()
}

#[test]
fn a_redacted_error_gets_the_same_verdict() {
    let environment = [("HOME", "/home/maria"), ("USER", "maria"), ("HOSTNAME", "marias-laptop")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let at = Facts::default().run.at;
    let redactor = Redactor::new(&World::new(environment, "/home/maria/work".into(), None, None, Platform::Linux, at, 0));
    let texts = texts();
    assert!(texts.len() > 200);
    let changed: Vec<String> = texts
        .iter()
        .map(|text| (text, redactor.text(text)))
        .filter(|(text, redacted)| answer(text) != answer(redacted))
        .map(|(text, redacted)| format!("{text}\n  -> {redacted}"))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

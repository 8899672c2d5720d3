//! Whatever is found has its words in both languages, with every argument filled in.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use codex_triage::i18n::{Language, Texts};
use codex_triage_checks::advice;
use codex_triage_checks::facts::error_text::ErrorText;
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::registry;
use codex_triage_checks::verdict;
use common::{Call, copied, fixture};
use serde_json::Value;

/// Messages that lack something, for `facts`.
fn gaps(facts: &Facts) -> Vec<String> {
    let findings = registry::run_all(facts);
    let verdict = verdict::weigh(facts, &findings);
    let fixes = advice::fixes(facts, &findings, &verdict);
    let mut gaps = Vec::new();
    for language in [Language::En, Language::Zh] {
        let texts = Texts::new(language, facts.run.at, 3600);
        let messages = findings.iter().map(|finding| (&finding.message_id, &finding.args));
        for (id, args) in messages.chain(fixes.iter().map(|fix| (&fix.message_id, &fix.args))) {
            if let Err(problem) = texts.try_get(id, args) {
                gaps.push(format!("{}: {id}: {problem}", language.name()));
            }
        }
    }
    gaps
}

#[test]
fn every_known_error_text_is_answered_in_whole_sentences() {
    let mut gaps_found = std::collections::BTreeSet::new();
    for (file, field) in [("errors/extra.jsonl", "text"), ("reports/reports.jsonl", "input"), ("errors/matrix.jsonl", "message")] {
        let lines = std::fs::read_to_string(fixture(file)).unwrap();
        let mut count = 0;
        for line in lines.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let Some(text) = row[field].as_str() else { continue };
            let given = ErrorText { text: text.to_owned(), input_bytes: 0, setting: None };
            let facts = Facts { error_text: Observed::known(given, "argument"), ..Facts::default() };
            gaps_found.extend(gaps(&facts));
            count += 1;
        }
        assert!(count > 100, "{file}: {count} texts");
    }
    assert!(gaps_found.is_empty(), "{gaps_found:#?}");
}

#[test]
fn every_sample_home_is_answered_in_whole_sentences() {
    for entry in std::fs::read_dir(fixture("homes")).unwrap().flatten() {
        let home = copied(&entry.path());
        let report = Call::new(&["--offline", "--json", "--since", "3650d"]).home(home.path()).run().json();
        let facts: Facts = serde_json::from_value(report["facts"].clone()).unwrap();
        assert_eq!(gaps(&facts), Vec::<String>::new(), "{}", entry.path().display());
    }
}

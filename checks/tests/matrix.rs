//! What the real Codex printed and stored for servers that fail on purpose: no sure wrong answer, by text alone and by record.

mod common;

use codex_triage_checks::facts::history::{FailedTurn, History};
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::kind::Cause;
use serde::Deserialize;

use common::{cause, causes, facts, local_relay, shown, triage};

#[derive(Deserialize)]
struct Row {
    id: String,
    version: String,
    /// What it printed.
    message: Option<String>,
    /// What it stored.
    stored_text: Option<String>,
    info: Option<String>,
    status: Option<u16>,
    interrupted: bool,
    true_class: String,
    also_right: Vec<String>,
}

fn rows() -> Vec<Row> {
    include_str!("../../fixtures/errors/matrix.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row of the fixture"))
        .collect()
}

/// Prints the count and returns the wrong ones.
#[allow(clippy::disallowed_macros, clippy::print_stdout, reason = "the numbers are what this test is for")]
fn judge(mode: &str, cases: impl Iterator<Item = (Row, Facts)>) -> Vec<String> {
    let (mut right, mut undetermined, mut wrong) = (0, Vec::new(), Vec::new());
    for (row, facts) in cases {
        let (findings, verdict) = triage(&facts);
        let mut allowed = causes(&row.also_right);
        allowed.push(cause(&row.true_class));
        let line = format!("{} {} [{}]: {}", row.id, row.version, row.true_class, shown(&findings, &verdict));
        match verdict.cause {
            Cause::Undetermined => undetermined.push(format!("{}@{}", row.id, row.version)),
            answer if allowed.contains(&answer) => right += 1,
            _ => wrong.push(line),
        }
    }
    println!("{mode}: {right} right, {} undetermined, {} wrong", undetermined.len(), wrong.len());
    println!("  undetermined: {}", undetermined.join(" "));
    println!("  wrong:\n    {}", wrong.join("\n    "));
    wrong
}

#[test]
fn no_text_gets_a_sure_wrong_answer() {
    let cases = rows().into_iter().filter_map(|row| {
        let facts = facts(row.message.as_deref()?, local_relay());
        Some((row, facts))
    });
    assert_eq!(judge("text", cases), Vec::<String>::new());
}

#[test]
fn no_record_gets_a_sure_wrong_answer() {
    let cases = rows().into_iter().filter(|row| row.stored_text.is_some() || row.interrupted || row.message.is_some()).map(|row| {
        let turn = FailedTurn {
            at: Facts::default().run.at,
            model: Some("gpt-lab".into()),
            provider: Some("lab".into()),
            codex_version: Some(row.version.as_str().into()),
            text: row.stored_text.as_deref().map(Into::into),
            info: row.info.as_deref().map(Into::into),
            status: row.status,
            interrupted: row.interrupted,
            source: "rollout".into(),
            ..FailedTurn::default()
        };
        let history = History { turns: 1, failed_turns: 1, failures: vec![turn], ..History::default() };
        let facts = Facts {
            history: Observed::known(history, "sessions"),
            endpoint: Observed::known(local_relay(), "test"),
            ..Facts::default()
        };
        (row, facts)
    });
    assert_eq!(judge("record", cases), Vec::<String>::new());
}

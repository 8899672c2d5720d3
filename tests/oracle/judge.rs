//! One scenario and one release: Codex runs, we answer, the answers are held against the truth.

use std::path::Path;
use std::time::Duration;

use codex_triage_lab::{Case, Mode, Truth};
use serde_json::Value;

use crate::world::World;
use crate::{ALLOW_COST_EXISTS, codex, said, triage};

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grade {
    /// The true cause, or one that counts as right.
    Right,
    /// It says that it cannot tell.
    Undetermined,
    /// Another cause.
    Wrong,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) mode: Mode,
    pub(crate) grade: Grade,
    pub(crate) cause: String,
    /// What the scenario file expects.
    pub(crate) expected: String,
    /// Whether it says what would settle an open question.
    pub(crate) settles: bool,
    /// The kind, the codes that carried weight, the shares, the way to settle.
    pub(crate) details: String,
    /// Findings of severity warning or error.
    pub(crate) warnings: Vec<String>,
}

/// A scenario under a release, with our answers.
pub(crate) struct Judged {
    pub(crate) id: String,
    pub(crate) version: &'static str,
    pub(crate) truth: Truth,
    pub(crate) all_good: bool,
    pub(crate) exit: i32,
    /// What Codex said at last.
    pub(crate) said: String,
    pub(crate) answers: Vec<Answer>,
    pub(crate) codex_took: Duration,
    pub(crate) triage_took: Duration,
}

/// Runs it all.
pub(crate) fn judge(case: &Case, version: &'static str, program: &Path) -> Judged {
    let world = World::new(case, program);
    let begun = std::time::Instant::now();
    let run = codex::run(case, &world, program);
    let codex_took = begun.elapsed();
    let modes = Mode::ALL.into_iter().filter(|mode| *mode != Mode::Cost || ALLOW_COST_EXISTS);
    let answers = modes.map(|mode| answer(case, version, mode, run.code, &triage::ask(&world, &run, mode))).collect();
    Judged {
        id: case.id.clone(),
        version,
        truth: case.truth,
        all_good: case.all_good,
        exit: run.code,
        said: said::last_words(&world.without_addresses(&run.stderr)),
        answers,
        codex_took,
        triage_took: begun.elapsed() - codex_took,
    }
}

fn answer(case: &Case, version: &str, mode: Mode, exit: i32, report: &Value) -> Answer {
    let verdict = &report["verdict"];
    let cause = verdict["cause"].as_str().unwrap_or_default().to_owned();
    let right = case.right();
    let grade = match cause.as_str() {
        "undetermined" => Grade::Undetermined,
        cause if right.contains(&cause) => Grade::Right,
        _ => Grade::Wrong,
    };
    let findings = report["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let codes = |keep: &dyn Fn(&&Value) -> bool| -> Vec<String> {
        findings.iter().filter(keep).map(|finding| finding["code"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let weighing = codes(&|finding| finding["weights"].as_object().is_some_and(|weights| !weights.is_empty()));
    let warnings = codes(&|finding| matches!(finding["severity"].as_str(), Some("warning" | "error")));
    let kind = verdict["kind"].as_str().unwrap_or("-");
    let settle = verdict["settle"]["id"].as_str().unwrap_or("-");
    let expected = case.expectation(version, mode).map_or("?", |expected| expected.answer.as_str()).to_owned();
    let details = format!("{kind} by {weighing:?} {} settle {settle} exit {exit}", verdict["posterior"]);
    Answer { mode, grade, cause, expected, settles: settle != "-", details, warnings }
}

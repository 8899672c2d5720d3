//! What Codex said, kept for the page of scenarios and for the test that scenarios share their evidence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::judge::Judged;

/// The last error in what Codex printed. Empty when there is none, or when the turn went on after it.
pub(crate) fn last_words(stderr: &str) -> String {
    if stderr.lines().any(|line| line.trim() == "tokens used") {
        return String::new();
    }
    let text = format!("\n{stderr}");
    let begin = ["\nERROR: ", "\nError: ", "\nError loading "].iter().filter_map(|start| text.rfind(start)).max();
    begin.map_or_else(String::new, |begin| text[begin + 1..].trim().trim_start_matches("ERROR: ").to_owned())
}

/// What a release said, by scenario and release.
pub(crate) type Said = BTreeMap<String, BTreeMap<String, Words>>;

/// The last words of a run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) struct Words {
    /// The exit code; 124 when Codex had to be ended.
    pub(crate) exit: i32,
    /// The last error that was printed; empty when there was none.
    pub(crate) said: String,
}

fn path() -> PathBuf {
    crate::root().join("fixtures/scenarios/said.json")
}

/// What was kept.
pub(crate) fn kept() -> Said {
    std::fs::read_to_string(path()).map_or_else(|_| Said::new(), |text| serde_json::from_str(&text).unwrap())
}

/// With `CODEX_TRIAGE_UPDATE=1`: adds what was said to `fixtures/scenarios/said.json`.
pub(crate) fn keep(judged: &[Judged]) {
    if std::env::var_os("CODEX_TRIAGE_UPDATE").is_none() {
        return;
    }
    let mut said = kept();
    for one in judged {
        let words = Words { exit: one.exit, said: one.said.clone() };
        said.entry(one.id.clone()).or_default().insert(one.version.to_owned(), words);
    }
    std::fs::write(path(), serde_json::to_string_pretty(&said).unwrap() + "\n").unwrap();
}

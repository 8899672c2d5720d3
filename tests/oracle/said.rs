//! What Codex said, kept for the page of scenarios and for the test that scenarios share their evidence.

use std::collections::BTreeMap;

use crate::judge::Judged;

/// The last error in what Codex printed, without what differs from run to run. Empty when there is none.
pub(crate) fn last_words(stderr: &str, origin: Option<&str>) -> String {
    let text = origin.map_or_else(|| stderr.to_owned(), |origin| stderr.replace(origin, "http://lab"));
    let sockets = origin.and_then(|origin| origin.split_once("://")).map(|(_, host)| format!("ws://{host}"));
    let text = sockets.map_or_else(|| text.clone(), |origin| text.replace(&origin, "ws://lab"));
    let starts = ["\nERROR: ", "\nError: ", "\nError loading "];
    let text = format!("\n{text}");
    let begin = starts.iter().filter_map(|start| text.rfind(start)).max();
    begin.map_or_else(String::new, |begin| text[begin + 1..].trim().trim_start_matches("ERROR: ").to_owned())
}

/// With `CODEX_TRIAGE_UPDATE=1`: adds what was said to `fixtures/scenarios/said.json`.
pub(crate) fn keep(judged: &[Judged]) {
    if std::env::var_os("CODEX_TRIAGE_UPDATE").is_none() {
        return;
    }
    let path = crate::root().join("fixtures/scenarios/said.json");
    let mut said: BTreeMap<String, BTreeMap<String, String>> =
        std::fs::read_to_string(&path).map_or_else(|_| BTreeMap::new(), |text| serde_json::from_str(&text).unwrap());
    for one in judged {
        said.entry(one.id.clone()).or_default().insert(one.version.to_owned(), one.said.clone());
    }
    std::fs::write(path, serde_json::to_string_pretty(&said).unwrap() + "\n").unwrap();
}

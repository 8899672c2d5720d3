//! Long configurations that Codex takes without a word: we have none either. The test of generated configurations asks the real
//! Codex about these files too.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod common;

use std::path::Path;

use common::Call;

/// Each file has at least so many lines.
const LINES: usize = 500;

#[test]
fn a_long_valid_configuration_gives_no_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/valid-configs");
    let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(paths.len() >= 2, "the fixtures are gone");
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.lines().count() >= LINES, "{}", path.display());
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        let output = Call::new(&["lint", "--json", "--codex-version", "0.171.0"]).home(home.path()).run();
        let report = output.json();
        let findings = report["findings"].as_array().unwrap();
        let loud: Vec<_> =
            findings.iter().filter(|finding| ["warning", "error"].contains(&finding["severity"].as_str().unwrap())).collect();
        assert!(loud.is_empty(), "{}: {loud:#?}", path.display());
        assert_eq!((output.code, report["config"]["outcome"].as_str()), (0, Some("accepted")), "{}", path.display());
        assert!(report["config"]["ignored"].as_array().unwrap().is_empty() && report["config"]["strict"].is_null());
    }
}

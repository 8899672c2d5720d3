//! Trees of configuration layers, and what the real Codex makes of them: whether it starts, which layers it reads, which layer each key
//! comes from. What it said is recorded per release; ours must be equal to it.
//!
//! `CODEX_TRIAGE_UPDATE=1 cargo test --test layers -- --ignored` asks the releases in [`RELEASES`] again and writes what they say (as root
//! on Linux: `/etc/codex` is put into a mount namespace, never onto the machine); without the variable it only compares;
//! `CODEX_TRIAGE_ONLY=part of a name` asks about some.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]
#![allow(clippy::disallowed_methods, reason = "starts the real Codex, and asks whether to write what it says")]

mod case;
mod codex;
mod ours;
mod said;

use std::collections::BTreeMap;

/// The releases that were asked.
const RELEASES: [&str; 2] = ["0.171.0", "0.142.5"];

/// Cases that cannot be equal, with the reason.
const DIFFERENT: [(&str, &str); 1] = [(
    "required-sandbox",
    "codex exec refuses what the interactive start only warns of: without a sandbox it would have nobody to ask",
)];

#[test]
fn layers_are_merged_as_codex_merges_them() {
    let cases = case::all();
    assert!(cases.len() >= 120, "{}", cases.len());
    let mut differences = Vec::new();
    let mut compared = 0;
    for release in RELEASES {
        let said = said::read(release);
        for case in cases.iter().filter(|case| DIFFERENT.iter().all(|(name, _)| *name != case.name)) {
            let expected = &said[&case.name];
            differences.extend(ours::differences(case, release, expected));
            compared += 1;
        }
    }
    assert!(differences.is_empty(), "{} in {compared}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
#[ignore = "asks the real Codex"]
fn what_codex_said_is_what_it_says() {
    let cases = case::all();
    for release in RELEASES {
        let program = codex::install(release);
        let only = std::env::var("CODEX_TRIAGE_ONLY").unwrap_or_default();
        let mut now = if only.is_empty() { BTreeMap::new() } else { said::read(release) };
        for case in cases.iter().filter(|case| case.name.contains(&only)) {
            now.insert(case.name.clone(), codex::ask(&program, case));
        }
        if std::env::var_os("CODEX_TRIAGE_UPDATE").is_some() {
            said::write(release, &now);
        }
        assert_eq!(now, said::read(release), "{release}");
    }
}

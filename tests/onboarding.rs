//! The lines of docs/onboarding.md, as they stand there, run with our binary.
//!
//! Each block that is marked `sh` begins with what it exits with: `# ready: 0, broken config: 1`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]
#![allow(clippy::disallowed_methods, reason = "these tests start a shell and our own binary")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const HOMES: [(&str, &str); 2] = [("ready", "model = \"gpt-6-sol\"\n"), ("broken config", "model = \"gpt-6-sol\n")];

/// Exit codes that a home allows, by the home's name.
type Promise = Vec<(String, Vec<i32>)>;

/// The blocks marked `sh`, with the exit codes that each home allows.
fn blocks() -> Vec<(String, Promise)> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/onboarding.md")).unwrap();
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0.to_owned());
    blocks
        .map(|block| {
            let promise = block.lines().next().unwrap().strip_prefix("# ").unwrap();
            let codes = promise.split(", ").map(|part| {
                let (home, codes) = part.split_once(": ").unwrap();
                (home.to_owned(), codes.split(" or ").map(|code| code.parse().unwrap()).collect())
            });
            let codes = codes.collect();
            (block, codes)
        })
        .collect()
}

/// Runs `block` in a folder of its own, over a home with this `config`.
fn run(block: &str, config: &str) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("codex-home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("config.toml"), config).unwrap();
    fs::write(home.join("auth.json"), "{\"auth_mode\": \"apikey\", \"OPENAI_API_KEY\": \"sk-no-key\"}").unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_codex-triage")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", block])
        .current_dir(&work)
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder.path())
        .env("CODEX_HOME", &home)
        .output()
        .unwrap();
    (output, folder)
}

#[test]
fn every_block_says_what_it_exits_with() {
    let blocks = blocks();
    assert!(blocks.len() >= 4);
    for (block, codes) in blocks {
        for (home, codes) in codes {
            assert!(HOMES.iter().any(|(name, _)| *name == home), "{block}");
            assert!(codes.iter().all(|code| (0..=4).contains(code)), "{block}");
        }
    }
}

#[test]
fn every_block_does_what_the_page_says() {
    for (block, codes) in blocks() {
        for (home, codes) in codes {
            let config = HOMES.iter().find(|(name, _)| *name == home).unwrap().1;
            let (output, folder) = run(&block, config);
            let code = output.status.code().unwrap();
            assert!(codes.contains(&code), "{home}: {code}\n{block}\n{}", String::from_utf8_lossy(&output.stderr));
            if block.contains("codex-triage.json") {
                let report = fs::read(folder.path().join("work/codex-triage.json")).unwrap();
                let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
                let cause = report["verdict"]["cause"].as_str().unwrap();
                assert_eq!(cause, if home == "ready" { "healthy" } else { "config" });
            }
        }
    }
}

//! What `lint` draws: the main shapes, as a person sees them. `CODEX_TRIAGE_UPDATE=1 cargo test --test diagnostics` writes them; look at
//! the difference before you keep it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::path::{Path, PathBuf};

use common::Call;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics")
}

/// The drawn part of a report: between its head and its outcome, whose time and advice are no matter here.
fn drawn(text: &str) -> String {
    let lines =
        text.lines().skip_while(|line| !line.contains("[config.") && !line.contains("[model.") && !line.starts_with("  In effect"));
    let lines = lines.take_while(|line| !line.starts_with("            "));
    let mut drawn: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    while drawn.ends_with("\n\n") {
        drawn.pop();
    }
    drawn
}

/// The arguments in the first line of a case, `#: …`, which Codex takes for a comment.
fn args(config: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(config);
    let line = text.lines().next().and_then(|line| line.trim_start_matches('\u{feff}').strip_prefix("#: ").map(str::to_owned));
    line.map(|line| line.split(' ').map(str::to_owned).collect()).unwrap_or_default()
}

#[test]
#[allow(clippy::disallowed_methods, reason = "asks whether to write the pictures")]
fn the_main_shapes_are_drawn_as_they_were_looked_at() {
    let update = std::env::var_os("CODEX_TRIAGE_UPDATE").is_some();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    cases.sort();
    assert!(cases.len() >= 12, "{}", cases.len());
    let mut differences = Vec::new();
    for case in cases {
        let config = std::fs::read(&case).unwrap();
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), &config).unwrap();
        let args = args(&config);
        let args: Vec<&str> = ["lint", "--codex-version", "0.171.0"].into_iter().chain(args.iter().map(String::as_str)).collect();
        let ours = drawn(&Call::new(&args).home(home.path()).run().stdout);
        let picture = case.with_extension("txt");
        if update {
            std::fs::write(&picture, &ours).unwrap();
        } else if std::fs::read_to_string(&picture).unwrap_or_default() != ours {
            differences.push(format!("{}:\n{ours}", case.display()));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn no_picture_shows_a_secret() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!text.contains("canary"), "{}", path.display());
        }
    }
}

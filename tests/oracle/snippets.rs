//! Whatever we hand out as a configuration, the real Codex accepts, strictly.

use std::path::Path;
use std::process::{Command, Stdio};

use codex_triage_checks::knowledge::{advice, snippets};

/// What `codex exec --strict-config` says of a home with these files, when nothing is asked of it.
fn strictly(program: &Path, files: &[(&str, &str)], profile: Option<&str>) -> String {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(home.path().join(name), text).unwrap();
    }
    let output = Command::new(program)
        .args(profile.iter().flat_map(|name| ["-p", name]))
        .args(["exec", "--strict-config", "--skip-git-repo-check"])
        .env("CODEX_HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The last thing that Codex says before it would ask a model.
const ACCEPTED: &str = "No prompt provided via stdin";

#[test]
#[ignore = "needs the real Codex CLI"]
fn codex_accepts_every_snippet_as_a_profile_and_as_the_configuration() {
    for version in crate::VERSIONS {
        let program = crate::codex::install(version);
        for snippet in snippets::all() {
            let as_config = strictly(&program, &[("config.toml", &snippet.config)], None);
            assert!(as_config.contains(ACCEPTED), "{} on {version}: {as_config}", snippet.id);
            let file = format!("{}.config.toml", snippet.id);
            let files = [("config.toml", "model = \"gpt-6-sol\"\n"), (file.as_str(), snippet.config.as_str())];
            let as_profile = strictly(&program, &files, Some(&snippet.id));
            assert!(as_profile.contains(ACCEPTED), "{} on {version}: {as_profile}", snippet.id);
        }
        let broken = strictly(&program, &[("config.toml", "model_provider = \"nobody\"\n")], None);
        assert!(!broken.contains(ACCEPTED), "{broken}");
    }
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn codex_accepts_the_lines_that_advice_gives() {
    let program = crate::codex::install(crate::VERSIONS[crate::VERSIONS.len() - 1]);
    for row in advice::rows() {
        // A line without its table is part of a file, not one.
        let Some(edit) = row.edit().filter(|edit| !edit.trim().starts_with("base_url")) else { continue };
        let said = strictly(&program, &[("config.toml", edit)], None);
        assert!(said.contains(ACCEPTED), "{}: {said}", row.id);
    }
}

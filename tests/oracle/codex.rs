//! The real Codex CLI.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use codex_triage_lab::Case;

use crate::world::World;

/// What a run of Codex gave.
pub(crate) struct Run {
    /// Its exit code; 124 when it had to be ended.
    pub(crate) code: i32,
    /// What it printed besides its answer.
    pub(crate) stderr: String,
}

/// Installs a release, or finds it; the path of its program.
pub(crate) fn install(version: &str) -> PathBuf {
    let output = Command::new(crate::root().join(".ci/oracle-install")).arg(version).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), ".ci/oracle-install {version} failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// Runs `codex exec` to its end, or to the end of the scenario's patience.
pub(crate) fn run(case: &Case, world: &World, program: &std::path::Path) -> Run {
    // Into a file: a grandchild that outlives Codex must not keep a pipe open.
    let errors = std::fs::File::create(world.file("codex.stderr")).unwrap();
    // `timeout` ends the whole process group; Codex's launcher alone would leave its child behind.
    let status = world
        .command("timeout")
        .args(["--signal=INT", "--kill-after=3", &case.patience_s.to_string()])
        .arg(program)
        .args(["exec", "--skip-git-repo-check", "hi"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .status()
        .expect("timeout (coreutils) can be started");
    let stderr = String::from_utf8_lossy(&std::fs::read(world.file("codex.stderr")).unwrap()).into_owned();
    if let Some(folder) = std::env::var_os("CODEX_TRIAGE_KEEP") {
        let name = format!("{}@{}.stderr", case.id, program.iter().rev().nth(3).unwrap_or_default().display());
        std::fs::write(std::path::Path::new(&folder).join(name), &stderr).unwrap();
    }
    Run { code: status.code().unwrap_or(-1), stderr }
}

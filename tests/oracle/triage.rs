//! codex-triage, asked with more and more evidence.

use std::io::Write as _;
use std::process::Stdio;

use codex_triage_lab::Mode;
use serde_json::Value;

use crate::codex::Run;
use crate::world::{KEY, World};

/// The report on what is in `mode`'s evidence.
pub(crate) fn ask(world: &World, run: &Run, mode: Mode) -> Value {
    let mut command = world.command(env!("CARGO_BIN_EXE_codex-triage"));
    // Somebody whose Codex worked has no error to give.
    let failed = run.code != 0;
    match mode {
        Mode::Text => command.args(["explain", "-"]),
        Mode::Disk => command.arg("--offline"),
        Mode::Live | Mode::Cost if failed => command.args(["--error", "-"]),
        Mode::Live | Mode::Cost => &mut command,
    };
    if mode == Mode::Cost {
        command.arg("--allow-cost");
    }
    command.args(["--json", "--timeout", "6"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("codex-triage starts");
    let mut stdin = child.stdin.take().expect("a pipe was asked for");
    // A program that does not read its input closes the pipe: no error of this test.
    let _ = stdin.write_all(run.stderr.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("codex-triage ends");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(!report.contains(KEY), "the key stands in the report");
    serde_json::from_str(&report).unwrap_or_else(|error| {
        let errors = String::from_utf8_lossy(&output.stderr);
        panic!("no JSON report ({error}); exit {:?}; stderr:\n{errors}", output.status.code())
    })
}

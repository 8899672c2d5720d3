//! What `fix` made of a file, given to the real Codex: a start with `--strict-config` must take it.
//!
//! Runs over `fixtures/config-cases` and `fixtures/fix-cases`. Every edit is taken, on a terminal of its own (`script` of
//! util-linux makes one). The test is ignored unless asked for (`cargo test --test fix_oracle -- --ignored`); when asked for, a
//! Codex that cannot be installed is a failure, never a silent pass.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the test itself starts programs and prints a table")]
#![allow(clippy::print_stdout, reason = "the test prints a table")]

mod common;

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use common::{Call, copy, fixture};
use serde_json::Value;

/// How many cases are judged at the same time.
const SIDE_BY_SIDE: usize = 4;

/// A configuration with a fault.
struct Case {
    name: String,
    home: tempfile::TempDir,
    args: Vec<String>,
}

impl Case {
    fn config(&self) -> PathBuf {
        self.home.path().join("config.toml")
    }
}

/// Config cases that Codex refuses or takes without some keys, in files that are the person's own.
fn faulty_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(fixture("config-cases")).unwrap().flatten() {
        let verdict: Value = serde_json::from_slice(&std::fs::read(entry.path().join("verdict.json")).unwrap()).unwrap();
        let args: Vec<String> = verdict["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned()).collect();
        let own = ["user", "profile"].contains(&verdict["layer"].as_str().unwrap());
        if verdict["verdict"] == "accepted" || !own || args.iter().any(|arg| arg == "-c") {
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        copy(&entry.path(), home.path());
        cases.push(Case { name: entry.file_name().into_string().unwrap(), home, args });
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    cases
}

/// The cases that are there for `fix`: all of them can be mended.
fn fix_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(fixture("fix-cases")).unwrap().flatten() {
        let home = tempfile::tempdir().unwrap();
        std::fs::copy(entry.path(), home.path().join("config.toml")).unwrap();
        cases.push(Case { name: entry.file_name().into_string().unwrap(), home, args: Vec::new() });
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    cases
}

/// Answers every question with yes.
fn fix_everything(case: &Case) -> String {
    let program = env!("CARGO_BIN_EXE_codex-triage");
    let arguments: String = case.args.iter().map(|arg| format!(" {arg}")).collect();
    let mut child = Command::new("script")
        .args(["-qec", &format!("{program} fix --color never{arguments}"), "/dev/null"])
        .env("CODEX_HOME", case.home.path())
        .env("HOME", "/nonexistent")
        .env("LANG", "C")
        .current_dir(case.home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("script (util-linux) can be started");
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all("y\n".repeat(60).as_bytes());
    drop(stdin);
    String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
}

/// Whether lint finds nothing at all that a strict start would refuse.
fn is_whole(case: &Case) -> bool {
    let args: Vec<&str> = ["lint", "--json"].into_iter().chain(case.args.iter().map(String::as_str)).collect();
    let report = Call::new(&args).home(case.home.path()).directory(case.home.path()).run().json();
    report["config"]["outcome"] == "accepted" && report["config"]["strict"].is_null()
}

fn install() -> PathBuf {
    if let Some(program) = std::env::var_os("CODEX_TRIAGE_ORACLE") {
        return PathBuf::from(program);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/oracle-install");
    let output = Command::new(script).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), ".ci/oracle-install failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// What a strict start of the real Codex says against the configuration; nothing when it takes it.
fn refused_by_codex(program: &Path, case: &Case) -> Option<String> {
    let scratch = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .args(["exec", "--strict-config", "--skip-git-repo-check"])
        .args(&case.args)
        .env("CODEX_HOME", case.home.path())
        .env("HOME", scratch.path())
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (!said.contains("No prompt provided via stdin.")).then_some(said)
}

/// What became of a case.
enum Judged {
    /// Not whole after all edits.
    Left(String),
    Taken,
    /// What we call whole, Codex refuses.
    Wrong(String),
}

fn judge(program: &Path, case: &Case) -> Judged {
    let said = fix_everything(case);
    let after = || std::fs::read_to_string(case.config()).unwrap_or_default();
    if !is_whole(case) {
        return Judged::Left(format!("{said}\n{}", after()));
    }
    refused_by_codex(program, case).map_or(Judged::Taken, |error| Judged::Wrong(format!("{error}\n{}", after())))
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn codex_takes_what_was_mended() {
    /// How many of the config cases can be mended as a whole.
    const MENDABLE: usize = 50;
    let program = install();
    let own = fix_cases();
    let all: Vec<String> = own.iter().map(|case| case.name.clone()).collect();
    let queue = Mutex::new(own.into_iter().chain(faulty_cases()).collect::<VecDeque<Case>>());
    let judged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let Some(case) = queue.lock().unwrap().pop_front() else { break };
                    let one = judge(&program, &case);
                    judged.lock().unwrap().push((case.name.clone(), one));
                }
            });
        }
    });
    let (mut taken, mut left, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (name, one) in judged.into_inner().unwrap() {
        match one {
            Judged::Taken => taken.push(name),
            Judged::Left(said) if all.contains(&name) => wrong.push(format!("{name}: not mended\n{said}")),
            Judged::Left(_) => left.push(name),
            Judged::Wrong(said) => wrong.push(format!("{name}: {said}")),
        }
    }
    taken.sort();
    left.sort();
    println!("{} mended and taken: {}", taken.len(), taken.join(" "));
    println!("{} not mended as a whole: {}", left.len(), left.join(" "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(taken.len() >= MENDABLE + all.len(), "{} of the cases were mended", taken.len());
}

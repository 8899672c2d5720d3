//! Proof by `strace` that a run only looks.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `command` under `strace` and holds every call that could change something below `home` against it. That the home was looked at
/// at all shows in one of the names in `seen`.
#[allow(clippy::disallowed_methods, reason = "the test itself starts programs")]
pub(crate) fn assert_only_looks(command: &Command, home: &Path, seen: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let mut traced = Command::new("strace");
    traced
        .args(["-f", "-qq", "-y", "-e", "trace=%file,%desc", "-o"])
        .arg(&trace)
        .arg(command.get_program())
        .args(command.get_args());
    traced.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(directory) = command.get_current_dir() {
        traced.current_dir(directory);
    }
    let status = traced.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace can be started");
    assert!(status.code().is_some());
    let text = String::from_utf8_lossy(&std::fs::read(&trace).unwrap()).into_owned();
    let home = home.display().to_string();
    let changes = [
        "O_CREAT",
        "O_WRONLY",
        "O_RDWR",
        "O_TRUNC",
        "flock(",
        "F_SETLK",
        "F_OFD_SETLK",
        "unlink",
        "rename",
        "mkdir",
        "chmod",
        "utime",
        "write(",
        "truncate",
        "link(",
        "fallocate",
        "connect(",
    ];
    let below: Vec<&str> = text.lines().filter(|line| line.contains(&home)).collect();
    let is_seen = |line: &&str| seen.iter().any(|name| line.contains(name));
    assert!(below.iter().any(is_seen), "nothing of the home was seen");
    let reads = |line: &str| line.contains("readlink(") || line.contains("readlinkat(");
    let changing: Vec<&&str> =
        below.iter().filter(|line| !reads(line) && changes.iter().any(|change| line.contains(change))).collect();
    assert!(changing.is_empty(), "{changing:#?}");
}

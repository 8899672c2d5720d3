//! What the whole-program tests share: running the binary on a copied home, and looking at what it left there.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the program gave.
pub(crate) struct Output {
    /// Exit code.
    pub(crate) code: i32,
    /// The report.
    pub(crate) stdout: String,
    /// Everything else.
    pub(crate) stderr: String,
}

impl Output {
    /// The report as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\nstdout: {}\nstderr: {}", self.stdout, self.stderr))
    }

    /// `verdict.cause` of a JSON report.
    pub(crate) fn cause(&self) -> String {
        self.json()["verdict"]["cause"].as_str().unwrap_or_default().to_owned()
    }

    /// `verdict.kind` of a JSON report.
    pub(crate) fn kind(&self) -> String {
        self.json()["verdict"]["kind"].as_str().unwrap_or_default().to_owned()
    }
}

/// A call of the program in a clean environment.
pub(crate) struct Call {
    args: Vec<String>,
    environment: BTreeMap<String, String>,
    directory: PathBuf,
    input: Option<Vec<u8>>,
}

impl Call {
    /// A call with these arguments, in an empty environment but for HOME.
    pub(crate) fn new(args: &[&str]) -> Self {
        Self {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            environment: BTreeMap::from([("HOME".to_owned(), "/nonexistent".to_owned())]),
            directory: std::env::temp_dir(),
            input: None,
        }
    }

    /// Looks at this Codex home.
    pub(crate) fn home(mut self, home: &Path) -> Self {
        self.environment.insert("CODEX_HOME".to_owned(), home.display().to_string());
        self
    }

    /// Sets a variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Runs in this directory.
    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        directory.clone_into(&mut self.directory);
        self
    }

    /// Gives this to stdin.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// The command, not yet started.
    #[allow(clippy::disallowed_methods, reason = "the program under test")]
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codex-triage"));
        command.args(&self.args).env_clear().envs(&self.environment).current_dir(&self.directory);
        command
    }

    /// Runs to the end.
    pub(crate) fn run(self) -> Output {
        let mut command = self.command();
        command
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        if let Some(input) = self.input {
            let mut stdin = child.stdin.take().unwrap();
            std::thread::spawn(move || {
                let _ = stdin.write_all(&input);
            });
        }
        let output = child.wait_with_output().unwrap();
        Output {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A folder below `fixtures/`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Copies a folder with its times into a new temporary one.
pub(crate) fn copied(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    copy(from, to.path());
    to
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Every file and folder below `root`: bytes, length and time of change.
pub(crate) fn snapshot(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut seen = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        seen.insert(folder.clone(), (Vec::new(), std::fs::metadata(&folder).unwrap().modified().unwrap()));
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let metadata = std::fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                folders.push(path);
            } else {
                seen.insert(path.clone(), (std::fs::read(&path).unwrap_or_default(), metadata.modified().unwrap()));
            }
        }
    }
    seen
}

/// A rollout with one failed turn that ended at `at` (RFC 3339), as Codex 0.171.0 writes it.
pub(crate) fn failed_turn(at: &str, provider: &str, model: &str, message: &str, info: &Value) -> String {
    let seconds = chrono::DateTime::parse_from_rfc3339(at).unwrap().timestamp();
    let line =
        |kind: &str, payload: Value| format!("{}\n", serde_json::json!({ "timestamp": at, "type": kind, "payload": payload }));
    let turn = "01a22800-af9d-7071-aa3f-85a7217f9c18";
    line(
        "session_meta",
        serde_json::json!({ "id": "01a22800-af49-7090-8cee-5737ae87d1b7", "timestamp": at, "cwd": "/srv/example/work",
            "originator": "codex_exec", "cli_version": "0.171.0", "source": "exec", "model_provider": provider }),
    ) + &line(
        "event_msg",
        serde_json::json!({ "type": "task_started", "turn_id": turn, "started_at": seconds, "model_context_window": 475_000 }),
    ) + &line("turn_context", serde_json::json!({ "turn_id": turn, "cwd": "/srv/example/work", "model": model }))
        + &line(
            "event_msg",
            serde_json::json!({ "type": "task_complete", "turn_id": turn, "last_agent_message": null, "started_at": seconds,
                "completed_at": seconds, "duration_ms": 401, "error": { "message": message, "codex_error_info": info } }),
        )
}

/// Writes a rollout into `home` at the place that Codex gives it.
pub(crate) fn put_rollout(home: &Path, at: &str, text: &str) {
    let moment = chrono::DateTime::parse_from_rfc3339(at).unwrap();
    let folder = home.join("sessions").join(moment.format("%Y/%m/%d").to_string());
    std::fs::create_dir_all(&folder).unwrap();
    let name = format!("rollout-{}-01a22800-af49-7090-8cee-5737ae87d1b7.jsonl", moment.format("%Y-%m-%dT%H-%M-%S"));
    std::fs::write(folder.join(name), text).unwrap();
}

/// So many minutes ago, RFC 3339.
#[allow(clippy::disallowed_methods, reason = "the program under test takes the real clock")]
pub(crate) fn minutes_ago(minutes: i64) -> String {
    (chrono::Utc::now() - chrono::TimeDelta::minutes(minutes)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

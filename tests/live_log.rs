//! A real Codex writes into its home while ours reads there: the newest rows of its log are seen, and nothing is touched.
//!
//! Ignored unless asked for (`cargo test --test live_log -- --ignored`); it needs the real Codex CLI and `strace`.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(clippy::disallowed_methods, reason = "the test itself starts programs")]
#![cfg(target_os = "linux")]

mod common;
#[path = "common/strace.rs"]
mod strace;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use codex_triage_lab::{Answer, Conduct, Lab, OneOrMany, Scenario};
use common::Call;
use serde_json::{Value, json};

const CANARY: &str = "canary-of-a-key-5c1d";

/// A real `codex app-server`, spoken to over its pipes, until this value is dropped.
struct AppServer {
    child: Child,
    messages: Receiver<Value>,
    asked: u64,
}

impl AppServer {
    fn start(program: &Path, home: &Path, project: &Path) -> Self {
        let mut command = Command::new(program);
        command.arg("app-server").env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", home.parent().unwrap());
        command.env("CODEX_HOME", home).env("LAB_KEY", CANARY).current_dir(project).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (send, messages) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for message in lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut server = Self { child, messages, asked: 0 };
        server.ask("initialize", &json!({ "clientInfo": { "name": "lab", "version": "1" } }));
        server.say(&json!({ "jsonrpc": "2.0", "method": "initialized" }));
        server
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait_for(|message| message["id"] == id && message.get("method").is_none())["result"].clone()
    }

    fn wait_for(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(Duration::from_secs(90)).expect("an answer of the app-server");
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Begins a turn in a new thread; its id.
    fn turn(&mut self, project: &Path) -> String {
        let thread = self.ask("thread/start", &json!({ "cwd": project }))["thread"]["id"].clone();
        let text = json!([{ "type": "text", "text": "hello", "text_elements": [] }]);
        let turn = self.ask("turn/start", &json!({ "threadId": thread, "input": text }));
        turn["turn"]["id"].as_str().unwrap_or_else(|| panic!("{turn}")).to_owned()
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        // The whole group: the launcher would leave its child behind.
        let group = format!("-{}", self.child.id());
        Command::new("kill").args(["-KILL", "--", &group]).status().unwrap();
        self.child.wait().unwrap();
    }
}

fn program(version: &str) -> PathBuf {
    let installer = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/oracle-install");
    let output = Command::new(installer).arg(version).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), ".ci/oracle-install {version} failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

fn read_while_it_writes(version: &str) {
    let headers = [("x-request-id", "req_lab_1"), ("set-cookie", CANARY)];
    let error = json!({ "error": { "type": "usage_limit_reached", "message": "The usage limit has been reached" } });
    let mut refusal = Answer::json(429, error);
    refusal.headers.extend(headers.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))));
    let slow = Answer { conduct: Some(Conduct::Hang), ..Answer::default() };
    let models = Answer::json(200, json!({ "data": [{ "id": "gpt-5.5" }] }));
    let lab = Lab::start(Scenario { post: Some(OneOrMany::Many(vec![refusal, slow])), ..Scenario::models(models) }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (home, project) = (folder.path().join("codex"), folder.path().join("project"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&project).unwrap();
    let config = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"lab\"\n[model_providers.lab]\nname = \"lab\"\nbase_url = \"{}/v1\"\nenv_key = \"LAB_KEY\"\n",
        lab.origin()
    );
    std::fs::write(home.join("config.toml"), config).unwrap();

    let mut server = AppServer::start(&program(version), &home, &project);
    let failed = server.turn(&project);
    server.wait_for(|message| message["method"] == "turn/completed");
    server.turn(&project);

    // Codex writes its log late: half a minute may pass.
    let call = || {
        let call = Call::new(&["--offline", "--json"]).home(&home).directory(&project).variable("LAB_KEY", CANARY);
        call.variable("HOME", &folder.path().display().to_string())
    };
    let begun = Instant::now();
    let failure = loop {
        let output = call().run();
        assert!(!output.stdout.contains(CANARY), "{}", output.stdout);
        let report = output.json();
        let history = &report["facts"]["history"]["value"];
        assert_eq!(history["unread"], json!([]), "{version}");
        let failure = history["failures"].as_array().unwrap().iter().find(|failure| failure["turn"] == *failed).cloned();
        let failure = failure.unwrap_or_else(|| panic!("{version}: {history:#}"));
        if !failure["request"].is_null() && !failure["text"].is_null() {
            break failure;
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "{version}: {failure:#}");
        std::thread::sleep(Duration::from_secs(2));
    };
    assert_eq!(failure["request"]["status"], 429, "{version}");
    assert_eq!(failure["request"]["headers"]["x-request-id"], "req_lab_1", "{version}");
    assert!(failure["text"].as_str().unwrap().contains("hit your usage limit"), "{version}: {failure:#}");
    // The rows were still in the write-ahead log alone.
    let main = std::fs::read(home.join("logs_2.sqlite")).unwrap();
    assert!(!main.windows(9).any(|bytes| bytes == b"req_lab_1"), "{version}: the log was written back; nothing is proved");
    strace::assert_only_looks(&call().command(), &home, &["logs_2.sqlite-wal"]);
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn the_newest_rows_are_seen_while_codex_writes() {
    std::thread::scope(|scope| {
        for version in ["0.171.0", "0.142.5"] {
            scope.spawn(move || read_while_it_writes(version));
        }
    });
}

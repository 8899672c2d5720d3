//! The round trip with the real Codex CLI: a server that fails in a known way, Codex's own record of it, our verdict on that.
//!
//! `CODEX_TRIAGE_ORACLE` names the Codex program (`.ci/oracle-install` prints it). These tests are ignored unless asked for
//! (`cargo test --test oracle -- --ignored`); when asked for, a missing Codex is a failure, never a silent pass.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(clippy::disallowed_methods, reason = "the test itself starts programs and is told by a variable where the oracle is")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use codex_triage_lab::{After, Answer, Lab, Scenario};
use serde_json::{Value, json};

/// Longest that one run of Codex may take, in seconds.
const PATIENCE_S: &str = "60";
const KEY: &str = "sk-oracle-canary-0123456789abcdef";

/// What the verdict has to be.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// This cause.
    Sure(&'static str),
    /// `undetermined`, with this cause among the candidates.
    Open(&'static str),
    /// Either of the two.
    SureOrOpen(&'static str),
}

struct Case {
    /// What the server does.
    scenario: Scenario,
    /// The model that Codex is told to ask for.
    model: &'static str,
    /// What stands behind the server's origin in `base_url`.
    path: &'static str,
    /// What Codex then says: proof that the lab provoked what it meant to.
    says: &'static str,
    /// What we have to make of it, from the disk and from the text.
    expected: Expected,
    /// Why.
    because: &'static str,
}

impl Default for Case {
    fn default() -> Self {
        Self { scenario: Scenario::default(), model: "gpt-6-sol", path: "/v1", says: "", expected: Expected::Sure(""), because: "" }
    }
}

fn error(status: u16, code: &str, kind: &str, message: &str) -> Answer {
    Answer::json(status, json!({"error": {"message": message, "type": kind, "param": null, "code": code}}))
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn overload_by_status_code() {
    round_trip(Case {
        scenario: Scenario::post(error(
            503,
            "server_is_overloaded",
            "service_unavailable_error",
            "Our servers are currently overloaded. Please try again later.",
        )),
        says: "Selected model is at capacity",
        expected: Expected::Open("overload"),
        because: "the sentence is Codex's own; any address but the official one may have written the code for any reason",
        ..Case::default()
    });
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn overload_in_the_stream() {
    let failed = json!({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": {
        "code": "server_is_overloaded", "message": "The server is overloaded."}}});
    let created = json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}});
    round_trip(Case {
        scenario: Scenario::post(Answer::stream(vec![created, failed], After::Close)),
        says: "Selected model is at capacity",
        expected: Expected::Open("overload"),
        because: "as for the status code",
        ..Case::default()
    });
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn usage_limit() {
    round_trip(Case {
        scenario: Scenario::post(Answer::json(
            429,
            json!({"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus",
                "resets_at": 1_796_054_400, "resets_in_seconds": 86_400}}),
        )),
        says: "hit your usage limit",
        expected: Expected::Sure("quota"),
        because: "nothing but a plan's window is told in these words",
        ..Case::default()
    });
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn too_many_requests() {
    round_trip(Case {
        scenario: Scenario::post(error(429, "rate_limit_exceeded", "requests", "Rate limit reached for requests.")),
        says: "exceeded retry limit, last status: 429",
        expected: Expected::SureOrOpen("quota"),
        because: "Codex throws the body away: a rate limit is the likely reason, a relay may have rewritten another one",
        ..Case::default()
    });
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn invalid_key() {
    round_trip(Case {
        scenario: Scenario::post(error(401, "invalid_api_key", "invalid_request_error", "Incorrect API key provided.")),
        says: "401 Unauthorized",
        expected: Expected::Sure("config"),
        because: "401 is about credentials whoever says it",
        ..Case::default()
    });
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn unknown_model() {
    round_trip(Case {
        scenario: Scenario::post(error(
            400,
            "model_not_found",
            "invalid_request_error",
            "The model `gpt-99-nowhere` does not exist or you do not have access to it.",
        )),
        model: "gpt-99-nowhere",
        says: "does not exist",
        expected: Expected::Sure("config"),
        because: "the server names the model as the fault",
        ..Case::default()
    });
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn address_without_v1() {
    round_trip(Case {
        scenario: Scenario { strict_path: Some("/v1/responses".to_owned()), ..Scenario::default() },
        path: "",
        says: "404 Not Found",
        expected: Expected::Sure("config"),
        because: "the URL in the error shows the part that is missing",
        ..Case::default()
    });
}

fn round_trip(case: Case) {
    let lab = Lab::start(case.scenario.clone()).unwrap();
    let world = tempfile::tempdir().unwrap();
    let home = world.path().join("codex");
    let project = world.path().join("project");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&project).unwrap();
    // Retries are cut short for the sake of time; they change the number of requests, not the last message.
    let config = format!(
        "model = \"{}\"\nmodel_provider = \"lab\"\n\n[model_providers.lab]\nname = \"lab\"\nbase_url = \"{}{}\"\nenv_key = \
         \"LAB_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\n",
        case.model,
        lab.origin(),
        case.path
    );
    std::fs::write(home.join("config.toml"), config).unwrap();

    let codex = run_codex(world.path(), &home, &project);
    let said = String::from_utf8_lossy(&codex.stderr).into_owned();
    assert!(said.contains(case.says), "Codex did not say {:?}; exit {:?}; stderr:\n{said}", case.says, codex.status.code());
    assert!(lab.requests().iter().any(|request| request.method == "POST"), "Codex sent no model request");

    let from_disk = triage(world.path(), &home, &project, None);
    judge(&case, &from_disk, "the disk", &said);
    let from_text = triage(world.path(), &home, &project, Some(&said));
    judge(&case, &from_text, "the text", &said);
}

/// Runs `codex exec` to its end, in an environment that holds nothing of the one who tests.
fn run_codex(world: &Path, home: &Path, project: &Path) -> Output {
    let oracle = std::env::var("CODEX_TRIAGE_ORACLE")
        .expect("CODEX_TRIAGE_ORACLE must name the Codex program; .ci/oracle-install installs one and prints its path");
    // `timeout` ends the whole process group; Codex's launcher alone would leave its child behind.
    Command::new("timeout")
        .args(["--kill-after=5", PATIENCE_S, &oracle, "exec", "--skip-git-repo-check", "hi"])
        .current_dir(project)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", world)
        .env("CODEX_HOME", home)
        .env("LAB_KEY", KEY)
        .stdin(Stdio::null())
        .output()
        .expect("timeout (coreutils) can be started")
}

/// Runs codex-triage offline on the home that Codex left, with the error's text if one is given.
fn triage(world: &Path, home: &Path, project: &Path, text: Option<&str>) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codex-triage"));
    command
        .args(["--offline", "--json", "--codex-home"])
        .arg(home)
        .current_dir(project)
        .env_clear()
        .env("HOME", world)
        .env("LAB_KEY", KEY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if text.is_some() {
        command.args(["--error", "-"]);
    }
    let mut child = command.spawn().expect("codex-triage starts");
    let mut stdin = child.stdin.take().expect("a pipe was asked for");
    // A program that does not read its input closes the pipe: no error of this test.
    let _ = stdin.write_all(text.unwrap_or_default().as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("codex-triage ends");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(!report.contains(KEY), "the key stands in the report");
    serde_json::from_str(&report).unwrap_or_else(|error| {
        panic!("no JSON report ({error}); exit {:?}; stderr:\n{}", output.status.code(), String::from_utf8_lossy(&output.stderr))
    })
}

fn judge(case: &Case, report: &Value, evidence: &str, said: &str) {
    let verdict = &report["verdict"];
    let cause = verdict["cause"].as_str().unwrap_or_default();
    let is_open_with = |wanted: &str| {
        let candidates = verdict["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
        cause == "undetermined" && candidates.iter().any(|candidate| candidate["cause"] == wanted)
    };
    let right = match case.expected {
        Expected::Sure(wanted) => cause == wanted,
        Expected::Open(wanted) => is_open_with(wanted),
        Expected::SureOrOpen(wanted) => cause == wanted || is_open_with(wanted),
    };
    assert!(
        right,
        "from {evidence}: expected {:?} ({}), got {}\nCodex said:\n{said}",
        case.expected,
        case.because,
        serde_json::to_string_pretty(verdict).unwrap_or_default()
    );
}

//! The lines of docs/scripting.md, as they stand there, run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]
#![allow(clippy::disallowed_methods, reason = "these tests start a shell with a stand-in for Codex")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

const FULL: &str = "1|Selected model is at capacity. Please try a different model.";

/// The first fenced block of `language` in the page.
fn snippet(language: &str) -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scripting.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("\n```").unwrap().0.to_owned() + "\n"
}

/// Runs the script over `plan`; what it did, and with which models and prompt Codex was called.
fn run(models: &str, waits: &str, plan: &[&str]) -> (Output, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("script"), snippet("bash")).unwrap();
    fs::write(at("plan"), plan.join("\n") + "\n").unwrap();
    let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scripting");
    let path = format!("{}:{}", fake.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .arg(at("script"))
        .args(["--skip-git-repo-check", "say \"ok\""])
        .env("PATH", path)
        .env("MODELS", models)
        .env("WAITS", waits)
        .env("FAKE_PLAN", at("plan"))
        .env("FAKE_CALLS", at("calls"))
        .output()
        .unwrap();
    let calls = fs::read_to_string(at("calls")).unwrap_or_default().lines().map(str::to_owned).collect();
    (output, calls)
}

fn models(calls: &[String]) -> Vec<&str> {
    calls.iter().map(|call| call.split(' ').nth(2).unwrap()).collect()
}

#[test]
fn one_success_is_the_end_and_its_output_is_passed_on() {
    let (output, calls) = run("a b", "0 0 0", &["0|"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n");
    assert_eq!(calls, ["exec -m a --skip-git-repo-check say \"ok\""]);
}

#[test]
fn a_full_model_is_tried_again_and_then_the_spare_is_taken() {
    let (output, calls) = run("a b", "0 0 0", &[FULL, FULL, FULL, FULL, "0|"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(models(&calls), ["a", "a", "a", "a", "b"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n");
}

#[test]
fn when_all_stay_full_it_says_later() {
    let (output, calls) = run("a b", "0 0", &[FULL]);
    assert_eq!(output.status.code(), Some(75));
    assert_eq!(models(&calls), ["a", "a", "a", "b", "b", "b"]);
}

#[test]
fn it_waits_as_long_as_it_says() {
    let begun = std::time::Instant::now();
    let (output, _) = run("a", "1 2", &[FULL, FULL, "0|"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(begun.elapsed().as_secs() >= 3);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a is full: next try in 2 s"));
}

#[test]
fn other_signs_of_a_full_service_count_as_full() {
    for error in [
        "We're currently experiencing high demand, which may cause temporary errors.",
        "Policy-restricted capacity is unavailable. Please try again later.",
        "Flex capacity unavailable.",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "rate limit exceeded: too fast",
        "unexpected status 503 Service Unavailable: Unknown error, url: http://h/v1/responses",
    ] {
        let (output, calls) = run("a", "0", &[&format!("1|{error}"), "0|"]);
        assert_eq!((output.status.code(), calls.len()), (Some(0), 2), "{error}");
    }
}

#[test]
fn what_waiting_cannot_mend_is_not_tried_again() {
    for error in [
        "You’ve hit your usage limit. Try again at 12:53 AM.",
        "Quota exceeded. Check your plan and billing details.",
        "unexpected status 401 Unauthorized: Incorrect API key provided, url: http://h/v1/responses",
        "unexpected status 503 Service Unavailable: 当前分组下对于模型 a 无可用渠道, url: http://h/v1/responses",
        "unexpected status 503 Service Unavailable: insufficient balance, url: http://h/v1/responses",
        "unexpected status 404 Not Found: Not Found, url: http://h/responses",
        "Codex ran out of room in the model's context window.",
    ] {
        let (output, calls) = run("a b", "0 0 0", &[&format!("1|{error}")]);
        assert_eq!((output.status.code(), calls.len()), (Some(1), 1), "{error}");
    }
}

/// Answers `refusals` in turn, then with success; the models that were asked for.
fn serve(listener: TcpListener, refusals: Vec<(u16, &'static str)>) -> Vec<String> {
    let mut models = Vec::new();
    let mut answers: Vec<(u16, &str)> = refusals;
    answers.push((200, "{\"id\": \"done\"}"));
    for (status, body) in answers {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut chunk = [0; 4096];
        while !request.ends_with(b"}") {
            let read = stream.read(&mut chunk).unwrap();
            request.extend_from_slice(&chunk[..read]);
        }
        let text = String::from_utf8_lossy(&request).into_owned();
        models.push(text.split("\"model\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned());
        let length = body.len();
        write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
        if status == 401 {
            break;
        }
    }
    models
}

fn ask_in_python(refusals: Vec<(u16, &'static str)>) -> Option<(String, Vec<String>)> {
    // A machine that only builds the tool need not have Python.
    Command::new("python3").arg("--version").output().ok()?;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || serve(listener, refusals));
    let call = format!(
        "{}\nwaits = []\ntry:\n    print(ask('http://127.0.0.1:{port}/v1', 'k', ['a', 'b'], 'hi', sleep=waits.append)['id'], [int(w) for w in waits])\n\
         except urllib.error.HTTPError as refusal:\n    print('refused', refusal.code)\n",
        snippet("python")
    );
    let output = Command::new("python3").args(["-c", &call]).env("no_proxy", "*").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some((String::from_utf8_lossy(&output.stdout).trim().to_owned(), server.join().unwrap()))
}

#[test]
fn the_api_caller_goes_round_the_models_and_pauses_after_each_round() {
    let full = (503, "{\"error\": {\"code\": \"server_is_overloaded\"}}");
    if let Some((printed, models)) = ask_in_python(vec![full, full, full, (503, ""), full]) {
        assert_eq!(printed, "done [2, 4]");
        assert_eq!(models, ["a", "b", "a", "b", "a", "b"]);
    }
}

#[test]
fn the_api_caller_does_not_repeat_what_waiting_cannot_mend() {
    let wrong_key = (401, "{\"error\": {\"code\": \"invalid_api_key\"}}");
    if let Some((printed, models)) = ask_in_python(vec![wrong_key]) {
        assert_eq!(printed, "refused 401");
        assert_eq!(models, ["a"]);
    }
}

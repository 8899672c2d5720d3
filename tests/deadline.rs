//! A run ends in time, whatever the other side does.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use common::Call;

/// A server that accepts every connection, reads, and never answers.
fn silent_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut stream = stream;
                let mut buffer = [0; 1024];
                while stream.read(&mut buffer).is_ok_and(|count| count > 0) {}
                std::thread::sleep(Duration::from_secs(60));
            });
        }
    });
    port
}

fn home_at(port: u16) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let config = format!(
        "model_provider = \"lab\"\n[model_providers.lab]\nname = \"Lab\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nenv_key = \"LAB_KEY\"\n"
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    home
}

#[test]
fn a_server_that_never_answers_does_not_hold_the_run() {
    let home = home_at(silent_server());
    for timeout in ["1", "2.5"] {
        let begun = Instant::now();
        let output = Call::new(&["--json", "--timeout", timeout]).home(home.path()).variable("LAB_KEY", "lab-key-0123").run();
        let limit = Duration::from_secs_f64(timeout.parse::<f64>().unwrap() + 0.5);
        assert!(begun.elapsed() < limit, "{:?} for --timeout {timeout}", begun.elapsed());
        assert_ne!(output.cause(), "healthy");
        assert!(output.code == 1 || output.code == 3, "{}", output.code);
    }
}

#[test]
fn a_stdin_that_never_ends_does_not_hold_the_run() {
    let home = home_at(1);
    let begun = Instant::now();
    let mut child = Call::new(&["explain", "--json", "--timeout", "1", "-"])
        .home(home.path())
        .command()
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let _held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn an_interrupt_ends_the_run_at_once_with_what_is_known() {
    let home = home_at(silent_server());
    let call = Call::new(&["--json", "--timeout", "30"]).home(home.path()).variable("LAB_KEY", "lab-key-0123");
    let child = call.command().stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let begun = Instant::now();
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_millis(700), "{:?}", begun.elapsed());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["facts"]["run"]["cut_short"], true);
    assert_eq!(report["facts"]["config"]["state"], "known");
    assert_ne!(report["verdict"]["cause"], "healthy");
}

#[allow(clippy::disallowed_methods, reason = "sends the signal that a terminal sends")]
fn interrupt(process: u32) {
    assert!(std::process::Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap().success());
}

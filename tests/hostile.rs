//! Input that was made to do harm: it is reported, never obeyed, and never waited for.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::{Call, copied, fixture};

/// Everything that a terminal would act on or show in another order.
fn drives_a_terminal(text: &str) -> bool {
    text.chars().any(|character| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

#[test]
fn no_input_drives_the_terminal_in_any_format() {
    let evil = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}{ $x }\u{200b}\r\u{8}";
    let home = tempfile::tempdir().unwrap();
    let escaped = r"\u001b[2J\u202e\u009b31m";
    std::fs::write(
        home.path().join("config.toml"),
        format!("model = \"a{escaped}b\"\nmodel_provider = \"p{escaped}\"\n\"k{escaped}\" = 1\n[model_providers.\"p{escaped}\"]\nname = \"x\"\n"),
    )
    .unwrap();
    let text = format!("unexpected status 503 {evil}: {evil} Selected model is at capacity");
    for command in
        [&["lint"][..], &["--offline"], &["explain", "-"], &["explain", &text], &["checks", evil], &["replay", evil], &[evil]]
    {
        for format in [&["--json"][..], &["-v", "--color", "never"], &["--lang", "zh", "--ascii", "--color", "never"]] {
            let args: Vec<&str> = command.iter().chain(format).copied().collect();
            let output = Call::new(&args).home(home.path()).input(text.clone()).run();
            assert!(!drives_a_terminal(&output.stdout), "{args:?}: {:?}", output.stdout);
            assert!(!drives_a_terminal(&output.stderr), "{args:?}: {:?}", output.stderr);
        }
    }
}

#[test]
fn a_replayed_report_that_was_tampered_with_drives_no_terminal() {
    let home = copied(&fixture("homes/chatgpt-ok"));
    let report = Call::new(&["--offline", "--json", "--since", "3650d"]).home(home.path()).run().stdout;
    let report =
        report.replace("gpt-5.5", r"gpt\u001b[2J\u202e\u009b\u0007").replace("at capacity", r"at capacity\u001b]0;x\u0007");
    let path = home.path().join("report.json");
    std::fs::write(&path, report).unwrap();
    for format in [&["--json"][..], &["-v", "--color", "never"]] {
        let args: Vec<&str> = ["replay", path.to_str().unwrap()].iter().chain(format).copied().collect();
        let output = Call::new(&args).run();
        assert!(output.code <= 3 && !drives_a_terminal(&output.stdout), "{:?}", output.stdout);
    }
}

#[test]
fn a_usage_error_repeats_no_value() {
    for args in [
        &["explain", "--bogus", "sk-proj-CANARY1234567890"][..],
        &["--sk-proj-CANARY1234567890"],
        &["sk-proj-CANARY1234567890"],
        &["the error CANARYopaque"],
        &["--since", "CANARYopaque"],
        &["--timeout", "CANARYopaque"],
        &["--lang=CANARYopaque"],
        &["lint", "CANARYopaque=1"],
        &["lint", "-c"],
        &["--confg=api_key=CANARYopaque"],
        &["checks", "sk-proj-CANARY1234567890"],
        &["replay", "/home/canary/sk-proj-CANARY1234567890"],
        &["--error", "/home/canary/x"],
        &["-C", "/home/canary/x"],
    ] {
        let output = Call::new(args).run();
        assert_eq!(output.code, 2, "{args:?}");
        assert!(
            !output.stderr.is_empty() && !(output.stderr.clone() + &output.stdout).to_lowercase().contains("canary"),
            "{args:?}: {}",
            output.stderr
        );
    }
    // What helps stays.
    assert!(Call::new(&["expain", "x"]).run().stderr.contains("explain"));
    assert!(Call::new(&["Selected model is at capacity"]).run().stderr.contains("codex-triage explain"));
}

#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "makes what is attacked with")]
fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_any_file_holds_nothing_up_and_is_not_called_fine() {
    const DAY: &str = "sessions/2026/11/29";
    const ROLLOUT: &str = "sessions/2026/11/29/rollout-2026-11-29T15-51-34-01a22801-28df-7991-aafe-ff660b65db80.jsonl";
    for name in ["config.toml", "auth.json", "thread_history_1.sqlite", "sessions", ROLLOUT, ".env"] {
        let home = copied(&fixture("homes/both"));
        let path = home.path().join(name);
        let _ = std::fs::remove_file(&path);
        if name == ROLLOUT {
            std::fs::create_dir_all(home.path().join(DAY)).unwrap();
        }
        pipe(&path);
        let begun = Instant::now();
        let output = Call::new(&["--offline", "--json", "--timeout", "3"]).home(home.path()).run();
        assert!(begun.elapsed() < Duration::from_millis(3500), "{name}");
        // Codex itself goes on without a `.env` that is no file.
        assert!(name == ".env" || output.cause() != "healthy", "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_in_an_argument_or_a_variable_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    pipe(&fifo);
    let fifo = fifo.to_str().unwrap();
    let home = tempfile::tempdir().unwrap();
    let config = "model_provider = \"m\"\n[model_providers.m]\nname = \"m\"\nbase_url = \"https://127.0.0.1:1/v1\"\n";
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    for source in [fifo, "/dev/zero"] {
        for args in [&["replay", source][..], &["explain", source], &["--offline", "--error", source], &["--json"]] {
            let args: Vec<&str> = args.iter().chain(&["--timeout", "1"]).copied().collect();
            let begun = Instant::now();
            let output = Call::new(&args).home(home.path()).variable("SSL_CERT_FILE", source).run();
            assert!(begun.elapsed() < Duration::from_secs(3), "{args:?} {source}");
            assert_ne!(output.code, 0, "{args:?} {source}");
        }
    }
}

#[test]
fn records_of_which_nothing_can_be_read_are_not_called_fine() {
    let home = copied(&fixture("homes/both"));
    let day = home.path().join("sessions/2026/11/29");
    std::fs::create_dir_all(&day).unwrap();
    let rollout = day.join("rollout-2026-11-29T15-51-34-01a22801-28df-7991-aafe-ff660b65db80.jsonl");
    std::fs::write(&rollout, "garbage\ngarbage\n").unwrap();
    let output = Call::new(&["--offline", "--json"]).home(home.path()).run();
    assert_eq!((output.code, output.cause().as_str()), (3, "undetermined"));
    // A line that is being written this moment is no damage.
    std::fs::write(&rollout, "{\"timestamp\":\"20").unwrap();
    assert_eq!(Call::new(&["--offline", "--json"]).home(home.path()).run().cause(), "healthy");
}

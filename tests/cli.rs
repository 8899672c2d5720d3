//! Commands, formats and exit codes of the whole program, good input and bad.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{Call, failed_turn, fixture, minutes_ago, put_rollout};
use serde_json::json;

const CAPACITY: &str = "Selected model is at capacity. Please try a different model.";

fn home_with(config: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    home
}

#[test]
fn a_capacity_error_on_disk_is_overload_with_what_to_do() {
    let home = home_with("model = \"gpt-6-sol\"\n");
    std::fs::write(home.path().join("auth.json"), r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-FAKE-not-a-key-0000"}"#).unwrap();
    let at = minutes_ago(5);
    put_rollout(home.path(), &at, &failed_turn(&at, "openai", "gpt-6-sol", CAPACITY, &json!("server_overloaded")));
    let output = Call::new(&["--offline", "--json"]).home(home.path()).run();
    assert_eq!((output.code, output.cause().as_str(), output.kind().as_str()), (1, "overload", "overload.model"));
    let report = output.json();
    let fixes = report["fixes"].as_array().unwrap();
    assert!(
        fixes
            .iter()
            .any(|fix| fix["horizon"] == "now" && fix["command"].as_str().is_some_and(|command| command.contains("codex -m")))
    );
    assert!(fixes.iter().all(|fix| !fix["because"].as_array().unwrap().is_empty()));
    assert_eq!(Call::new(&["--offline", "--exit-verdict", "-q"]).home(home.path()).run().code, 10);
}

#[test]
fn the_same_sentence_from_a_relay_is_open_until_the_relay_is_asked() {
    let home = home_with(
        "model_provider = \"relay\"\n[model_providers.relay]\nname = \"R\"\nbase_url = \"https://relay.example/v1\"\nenv_key = \"RELAY_KEY\"\n",
    );
    let output = Call::new(&["explain", "--json", CAPACITY]).home(home.path()).variable("RELAY_KEY", "abcdef123456").run();
    assert_eq!((output.code, output.cause().as_str()), (3, "undetermined"));
    let verdict = &output.json()["verdict"];
    assert_eq!(verdict["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(verdict["settle"]["command"], "codex-triage --allow-cost");
    // Where the key comes from a command that we do not run, the person asks with it.
    let home = home_with(
        "model_provider = \"relay\"\n[model_providers.relay]\nname = \"R\"\nbase_url = \"https://relay.example/v1\"\n[model_providers.relay.auth]\ncommand = \"key-helper\"\n",
    );
    let settle = &Call::new(&["explain", "--json", CAPACITY]).home(home.path()).run().json()["verdict"]["settle"];
    assert!(settle["command"].as_str().unwrap().starts_with("curl "), "{settle}");
}

#[test]
fn explain_takes_an_argument_a_file_and_stdin() {
    let home = home_with("");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("error.txt");
    std::fs::write(&file, CAPACITY).unwrap();
    let argument = Call::new(&["explain", "--json", CAPACITY]).home(home.path()).run();
    let from_file = Call::new(&["explain", "--json", file.to_str().unwrap()]).home(home.path()).run();
    let dash = Call::new(&["explain", "--json", "-"]).home(home.path()).input(CAPACITY).run();
    let piped = Call::new(&["explain", "--json"]).home(home.path()).input(CAPACITY).run();
    let by_flag = Call::new(&["--offline", "--json", "--error", "-"]).home(home.path()).input(CAPACITY).run();
    for output in [argument, from_file, dash, piped, by_flag] {
        assert_eq!((output.code, output.cause().as_str()), (1, "overload"));
    }
}

#[test]
fn a_text_in_which_nothing_is_recognised_is_not_fine() {
    let home = home_with("");
    for text in ["hello", "", "\u{0}\u{1}\u{2}", "ok, all good, thanks"] {
        let output = Call::new(&["explain", "--json", "-"]).home(home.path()).input(text).run();
        assert_eq!((output.code, output.cause().as_str()), (3, "undetermined"), "{text:?}");
        assert!(!output.json()["verdict"]["settle"]["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn lint_says_what_codex_does() {
    let ignoring = home_with("model = \"gpt-6-sol\"\nmodel_fallback = \"gpt-6-luna\"\n");
    let output = Call::new(&["lint", "--json"]).home(ignoring.path()).run();
    assert_eq!((output.code, output.cause().as_str()), (0, "healthy"));
    let config = &output.json()["config"];
    assert_eq!(config["outcome"], "accepted");
    assert_eq!(
        (&config["ignored"][0]["key"], &config["ignored"][0]["line"], &config["ignored"][0]["column"]),
        (&json!("model_fallback"), &json!(2), &json!(1))
    );
    assert_eq!(Call::new(&["lint", "--fail-on", "warning"]).home(ignoring.path()).run().code, 1);

    let broken = home_with("model = gpt-6-sol\n");
    let output = Call::new(&["lint", "--json"]).home(broken.path()).run();
    assert_eq!((output.code, output.cause().as_str(), output.kind().as_str()), (1, "config", "config.rejected"));
    assert_eq!(output.json()["config"]["error"]["line"], 1);
    let shown = Call::new(&["lint"]).home(broken.path()).run().stdout;
    assert!(shown.contains("config.toml:1:9") && shown.contains("model = gpt-6-sol"), "{shown}");
}

#[test]
fn checks_are_listed_in_order_and_each_has_a_page() {
    let list = Call::new(&["checks"]).run().stdout;
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let wanted = [
        "config-keys",
        "config-layers",
        "model-provider",
        "model-settings",
        "provider-settings",
        "base-url",
        "contradictions",
        "dns",
        "reachability",
        "model-request",
        "identity",
        "clock-skew",
        "session-bloat",
        "context-pressure",
        "other-clients",
        "last-errors",
        "error-history",
        "advice-checker",
        "rate-limits",
    ];
    assert_eq!(ids, wanted);
    for id in ids {
        let page = Call::new(&["checks", id]).run();
        assert_eq!(page.code, 0);
        for heading in ["# What it checks", "# Why it matters", "# What it cannot tell", "# Fix", "# Example"] {
            assert!(page.stdout.contains(heading), "{id}: {heading}");
        }
    }
    assert_eq!(Call::new(&["checks", "weather"]).run().code, 2);
}

#[test]
fn wrong_usage_is_exit_2_and_says_what_is_wrong() {
    let home = home_with("");
    for args in [
        &["--error", "/no/such/file"][..],
        &["--no-such-flag"],
        &["replay", "/no/such/report.json"],
        &["--since", "yesterday"],
        &["--timeout", "0"],
        &["--error", "-", "lint"],
        &["-C", "/no/such/folder"],
        &["-o", "/no/such/folder/report.json", "--offline"],
    ] {
        let output = Call::new(args).home(home.path()).run();
        assert_eq!(output.code, 2, "{args:?}: {}", output.stderr);
        assert!(!output.stderr.trim().is_empty() && output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_sentence_in_the_place_of_a_file_is_answered_with_the_way_to_give_it() {
    let home = home_with("");
    let output = Call::new(&["--error", "Selected model is at capacity. Please try a different model."]).home(home.path()).run();
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("codex-triage explain") && output.stderr.contains("--error -"), "{}", output.stderr);
    let missing = Call::new(&["--error", "missing.log"]).home(home.path()).run();
    assert!(missing.code == 2 && missing.stderr.contains("missing.log"), "{}", missing.stderr);
}

#[test]
fn no_command_writes_its_report_into_codexs_own_folder() {
    let elsewhere = tempfile::tempdir().unwrap();
    let home = home_with("model_fallback = \"x\"\n");
    std::fs::create_dir(home.path().join("sessions")).unwrap();
    let inside = ["config.toml", "auth.json", "new.json", "sessions/new.json"].map(|name| home.path().join(name));
    let mut outputs = inside.to_vec();
    #[cfg(unix)]
    {
        let link = elsewhere.path().join("link.json");
        std::os::unix::fs::symlink(home.path().join("not-there-yet.json"), &link).unwrap();
        let real = elsewhere.path().join("managed.toml");
        std::fs::write(&real, "").unwrap();
        std::os::unix::fs::symlink(&real, home.path().join("work.config.toml")).unwrap();
        outputs.extend([link, real]);
    }
    let report = elsewhere.path().join("report.json");
    std::fs::write(&report, Call::new(&["--offline", "--json"]).home(home.path()).run().stdout).unwrap();
    let before = common::snapshot(home.path());
    for output in outputs.iter().map(|output| output.to_str().unwrap()) {
        for command in [
            &["--offline"][..],
            &["lint"],
            &["explain", "at capacity"],
            &["fix", "--dry-run"],
            &["fix", "--yes"],
            &["fix", "--undo"],
            &["checks"],
            &["replay", report.to_str().unwrap()],
        ] {
            let run = Call::new(&[command, &["-o", output]].concat()).home(home.path()).run();
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{command:?} -o {output}: {}", run.stderr);
            assert!(common::snapshot(home.path()) == before, "{command:?} -o {output}");
        }
    }
    let fine = elsewhere.path().join("new.json");
    assert_eq!(Call::new(&["lint", "-o", fine.to_str().unwrap()]).home(home.path()).run().code, 0);
    assert!(fine.is_file());
}

#[test]
fn bad_homes_are_named_never_fine_and_never_a_panic() {
    let missing = std::path::PathBuf::from("/nonexistent/codex");
    let output = Call::new(&["--offline", "--json"]).home(&missing).run();
    assert_ne!(output.code, 0);
    assert_ne!(output.cause(), "healthy");

    let cases: [(&str, &[u8], &str); 4] = [
        ("broken TOML", b"model = \n", "config"),
        ("non-UTF-8", b"model = \"\xff\xfe\"\n", "config"),
        ("an unknown provider", b"model_provider = \"nope\"\n", "config"),
        ("a duplicate key", b"model = \"a\"\nmodel = \"b\"\n", "config"),
    ];
    for (what, config, cause) in cases {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        std::fs::write(home.path().join("auth.json"), r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-FAKE-not-a-key-0000"}"#)
            .unwrap();
        let output = Call::new(&["--offline", "--json"]).home(home.path()).run();
        assert_eq!((output.code, output.cause().as_str()), (1, cause), "{what}");
        assert!(output.stdout.contains("config.toml"), "{what}");
    }

    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("config.toml")).unwrap();
    std::fs::create_dir(folder.path().join("auth.json")).unwrap();
    let output = Call::new(&["--offline", "--json"]).home(folder.path()).run();
    assert_eq!((output.code, output.cause().as_str()), (1, "config"));

    let broken_auth = home_with("model = \"gpt-6-sol\"\n");
    std::fs::write(broken_auth.path().join("auth.json"), "{\"auth_mode\":\"chatgpt\",\"tokens\":{").unwrap();
    let output = Call::new(&["--offline", "--json"]).home(broken_auth.path()).run();
    assert_eq!((output.code, output.cause().as_str(), output.kind().as_str()), (1, "config", "config.credentials"));
    assert!(output.stdout.contains("auth.json"));

    let file = tempfile::tempdir().unwrap();
    let not_a_folder = file.path().join("home");
    std::fs::write(&not_a_folder, "x").unwrap();
    assert_ne!(Call::new(&["--offline", "--json"]).home(&not_a_folder).run().code, 0);
}

#[test]
fn records_that_cannot_be_read_are_named_and_never_fine() {
    for (name, is_database) in [("sessions", false), ("thread_history_1.sqlite", true)] {
        let home = home_with("model = \"gpt-6-sol\"\n");
        std::fs::write(home.path().join("auth.json"), r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-FAKE-not-a-key-0000"}"#)
            .unwrap();
        std::fs::write(home.path().join(name), "neither a folder nor a database").unwrap();
        let output = Call::new(&["--offline", "--json"]).home(home.path()).run();
        let report = output.json();
        let said = report["findings"].to_string();
        assert!(said.contains(name), "{name} ({is_database}): {said}");
        assert_eq!((output.code, output.cause().as_str()), (3, "undetermined"), "{name}");
    }
}

#[test]
fn a_line_of_a_gigabyte_costs_neither_memory_nor_the_records_around_it() {
    let home = home_with("model = \"gpt-6-sol\"\n");
    std::fs::write(home.path().join("auth.json"), r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-FAKE-not-a-key-0000"}"#).unwrap();
    let at = minutes_ago(5);
    let text = failed_turn(&at, "openai", "gpt-6-sol", CAPACITY, &json!("server_overloaded"));
    put_rollout(home.path(), &at, &text);
    let day = home.path().join("sessions");
    let rollout = walk(&day).into_iter().find(|path| path.extension().is_some_and(|extension| extension == "jsonl")).unwrap();
    // A sparse file: a gigabyte of NUL bytes as one line, then the records again.
    use std::io::{Seek, SeekFrom, Write};
    let mut file = std::fs::OpenOptions::new().write(true).open(&rollout).unwrap();
    file.seek(SeekFrom::End(1 << 30)).unwrap();
    file.write_all(format!("\n{text}").as_bytes()).unwrap();
    drop(file);
    let begun = std::time::Instant::now();
    let output = Call::new(&["--offline", "--json", "--timeout", "30"]).home(home.path()).run();
    assert_eq!(output.cause(), "overload", "{}", output.stdout);
    assert!(begun.elapsed().as_secs() < 30);
    // The same as a config file and as an error text.
    let big = tempfile::tempdir().unwrap();
    let path = big.path().join("log.txt");
    let mut file = std::fs::File::create(&path).unwrap();
    file.seek(SeekFrom::Start(1 << 30)).unwrap();
    file.write_all(format!("\nERROR: {CAPACITY}\n").as_bytes()).unwrap();
    drop(file);
    let output = Call::new(&["explain", "--json", "--timeout", "30", path.to_str().unwrap()]).home(home.path()).run();
    assert_eq!(output.cause(), "overload", "{}", output.stderr);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn an_unreadable_file_is_named_when_permissions_hold() {
    let home = home_with("model = \"gpt-6-sol\"\n");
    let config = home.path().join("config.toml");
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser reads everything: then there is nothing to see here.
    if std::fs::read(&config).is_err() {
        let output = Call::new(&["lint", "--json"]).home(home.path()).run();
        assert_eq!((output.code, output.cause().as_str()), (1, "config"));
    }
}

#[test]
fn stdout_holds_only_the_report_and_colour_follows_the_flag() {
    let home = fixture("homes/apikey-errors");
    let plain = Call::new(&["--offline", "--since", "3650d"]).home(&home).run();
    assert!(!plain.stdout.contains('\u{1b}') && plain.stderr.is_empty());
    let coloured = Call::new(&["--offline", "--since", "3650d", "--color", "always"]).home(&home).run();
    assert!(coloured.stdout.contains('\u{1b}'));
    let forced = Call::new(&["--offline", "--since", "3650d"]).home(&home).variable("CLICOLOR_FORCE", "1").run();
    assert!(forced.stdout.contains('\u{1b}'));
    let refused =
        Call::new(&["--offline", "--since", "3650d"]).home(&home).variable("FORCE_COLOR", "1").variable("NO_COLOR", "1").run();
    assert!(!refused.stdout.contains('\u{1b}'));
    let ascii = Call::new(&["--offline", "--since", "3650d", "--ascii", "-v"]).home(&home).run().stdout;
    let beyond: Vec<char> = ascii.chars().filter(|character| "│─╭╰✓✗–·…“”".contains(*character)).collect();
    assert!(beyond.is_empty(), "{beyond:?}");
    let chinese = Call::new(&["--offline", "--since", "3650d"]).home(&home).variable("LANG", "zh_CN.UTF-8").run().stdout;
    assert!(chinese.contains("错误"));
}

#[test]
fn history_looks_at_a_month_and_tells_every_failure() {
    let home = home_with("model = \"gpt-6-sol\"\n");
    let at = minutes_ago(3 * 24 * 60);
    put_rollout(home.path(), &at, &failed_turn(&at, "openai", "gpt-6-sol", CAPACITY, &json!("server_overloaded")));
    let output = Call::new(&["history", "--json"]).home(home.path()).run();
    let report = output.json();
    let history = &report["history"];
    assert_eq!((&history["turns"], &history["failed_turns"], &history["rate"]["failed"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!((&history["by_kind"][0]["kind"], &history["by_kind"][0]["count"]), (&json!("overload.model"), &json!(1)));
    assert_eq!((&history["by_model"][0]["model"], &history["by_model"][0]["failed"]), (&json!("gpt-6-sol"), &json!(1)));
    let cells: Vec<_> = history["by_weekday_hour"].as_array().unwrap().iter().flat_map(|day| day.as_array().unwrap()).collect();
    assert_eq!((cells.len(), cells.iter().filter(|cell| **cell == &json!({ "turns": 1, "failed": 1 })).count()), (168, 1));
    let event = &history["events"][0];
    for (field, value) in
        [("kind", "overload.model"), ("code", "server_overloaded"), ("model", "gpt-6-sol"), ("provider", "openai")]
    {
        assert_eq!(event[field], value);
    }
    assert_eq!(event["text"], CAPACITY);
    // The usual run looks at a day, and tells the sums alone.
    let short = Call::new(&["--offline", "--json"]).home(home.path()).run().json();
    assert_eq!((&short["history"]["failed_turns"], short["history"].get("events")), (&json!(0), None));
    let week = Call::new(&["--offline", "--json", "--since", "7d"]).home(home.path()).run().json();
    assert_eq!((&week["history"]["by_kind"][0]["kind"], week["history"].get("events")), (&json!("overload.model"), None));
    let line = Call::new(&["history", "-q"]).home(home.path()).run().stdout;
    assert!(line.lines().count() == 1 && line.contains("the only turn failed (100 %)"), "{line}");
}

#[test]
fn history_without_records_says_so() {
    let home = home_with("");
    let output = Call::new(&["history"]).home(home.path()).run();
    assert!(output.stdout.contains("no sessions in") && output.stdout.lines().count() < 4, "{}", output.stdout);
    let report = Call::new(&["history", "--json"]).home(home.path()).run().json();
    assert_eq!(report["history"], json!(null));
}

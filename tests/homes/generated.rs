//! Homes written by the tests: formats, damage and traps that no sample home holds.

use std::io::Write;

use codex_triage_checks::facts::installation::Installation;
use proptest::prelude::*;

use super::*;

const SESSION: &str = r#"{"timestamp":"2026-11-29T15:00:00.000Z","type":"session_meta","payload":{"id":"01a22800-0000-7000-8000-000000000001","cwd":"/home/user/project","originator":"codex_exec","cli_version":"VERSION","model_provider":"openai"}}"#;

/// A turn as a release of `version` writes it, `end` standing for the fields of its end.
fn turn(number: u32, end: &str) -> [String; 3] {
    let id = format!("01a22800-0000-7000-8000-{number:012}");
    [
        format!(
            r#"{{"timestamp":"2026-11-29T15:{number:02}:01.000Z","type":"event_msg","payload":{{"type":"task_started","turn_id":"{id}","model_context_window":258400}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2026-11-29T15:{number:02}:02.000Z","type":"turn_context","payload":{{"turn_id":"{id}","model":"gpt-6-sol"}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2026-11-29T15:{number:02}:03.000Z","type":"event_msg","payload":{{"type":"task_complete","turn_id":"{id}",{end}}}}}"#
        ),
    ]
}

const FAILED: &str = r#""last_agent_message":null,"error":{"message":"Selected model is at capacity. Please try a different model.","codex_error_info":"server_overloaded"}"#;
const ANSWERED: &str = r#""last_agent_message":"done""#;
const WORDLESS: &str = r#""last_agent_message":null"#;

fn rollout(version: &str, turns: &[[String; 3]]) -> String {
    let mut lines = vec![SESSION.replace("VERSION", version)];
    lines.extend(turns.iter().flatten().cloned());
    lines.join("\n") + "\n"
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn history(&self) -> History {
        history(self.path(), 1)
    }
}

const ROLLOUT: &str = "sessions/2026/11/29/rollout-2026-11-29T15-00-00-01a22800-0000-7000-8000-000000000001.jsonl";

#[test]
fn old_releases_store_no_error_and_still_tell_a_failure() {
    let home = Home::new();
    let mut lines = rollout("0.142.5", &[turn(1, ANSWERED), turn(2, WORDLESS), turn(3, WORDLESS), turn(4, WORDLESS)]);
    // The third turn got a whole answer from the model, whose tokens were counted; the fourth compacted.
    let word = concat!(
        r#"{"timestamp":"2026-11-29T15:03:02.500Z","type":"event_msg","payload":{"type":"agent_message","message":"x"}}"#,
        "\n",
        r#"{"timestamp":"2026-11-29T15:03:02.600Z","type":"event_msg","payload":{"type":"token_count","info":{}}}"#,
    );
    let compacted = r#"{"timestamp":"2026-11-29T15:04:02.500Z","type":"compacted","payload":{"message":""}}"#;
    for (end, extra) in [("15:03:03", word), ("15:04:03", compacted)] {
        let before = lines.lines().position(|line| line.contains(end)).unwrap();
        let mut all: Vec<&str> = lines.lines().collect();
        all.insert(before, extra);
        lines = all.join("\n") + "\n";
    }
    home.put(ROLLOUT, &lines);
    let history = home.history();
    assert_eq!((history.turns, history.failed_turns), (4, 1));
    assert_eq!((history.failures[0].text.as_deref(), history.failures[0].line), (None, Some(7)));
    let cut_off = lines.replace(r#""payload":{"type":"token_count","info":{}}"#, r#""payload":{"type":"token_count","info":null}"#);
    home.put(ROLLOUT, cut_off);
    assert_eq!(home.history().failed_turns, 2, "a word that was never counted is no whole answer");
    assert_eq!(history.failures[0].codex_version.as_deref(), Some("0.142.5"));
    // A release that stores errors did not fail where it stored none.
    home.put(ROLLOUT, rollout("0.171.0", &[turn(1, WORDLESS)]));
    assert_eq!(home.history().failed_turns, 0);
}

#[test]
fn error_events_of_old_releases_count_and_notices_of_retries_do_not_by_themselves() {
    let home = Home::new();
    let event = |second: u32, kind: &str, message: &str| {
        format!(
            r#"{{"timestamp":"2026-11-29T15:01:{second:02}.500Z","type":"event_msg","payload":{{"type":"{kind}","message":"{message}","codex_error_info":"server_overloaded"}}}}"#
        )
    };
    let [start, context, end] = turn(1, WORDLESS);
    let lines =
        [SESSION.replace("VERSION", "0.80.0"), start, context, event(2, "stream_error", "again"), event(2, "error", "full"), end];
    home.put(ROLLOUT, lines.join("\n"));
    let history = home.history();
    assert_eq!((history.turns, history.failed_turns), (1, 1));
    assert_eq!(history.failures[0].text.as_deref(), Some("full"));
    assert_eq!(history.failures[0].info.as_deref(), Some("server_overloaded"));

    let [start, context, _] = turn(1, WORDLESS);
    home.put(ROLLOUT, [SESSION.to_owned(), start, context, event(9, "stream_error", "again")].join("\n"));
    let history = home.history();
    assert_eq!((history.failed_turns, history.interrupted_turns), (0, 1));
    assert_eq!(history.failures[0].text.as_deref(), Some("again"));
}

#[test]
fn a_quoted_error_is_no_error() {
    let home = Home::new();
    let quoted = turn(7, FAILED)[2].replace('\\', r"\\").replace('"', r#"\""#);
    let lines = [
        SESSION.replace("VERSION", "0.171.0"),
        turn(1, ANSWERED)[0].clone(),
        turn(1, ANSWERED)[1].clone(),
        format!(
            r#"{{"timestamp":"2026-11-29T15:01:02.000Z","type":"response_item","payload":{{"type":"message","text":"{quoted}"}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2026-11-29T15:01:02.000Z","type":"event_msg","payload":{{"type":"user_message","message":"{quoted}"}}}}"#
        ),
        format!(
            r#"{{"payload": {{"message": "{quoted}", "type": "agent_message"}}, "type": "event_msg", "timestamp": "2026-11-29T15:01:02Z"}}"#
        ),
        turn(1, ANSWERED)[2].clone(),
    ];
    home.put(ROLLOUT, lines.join("\n"));
    let history = home.history();
    assert_eq!((history.turns, history.failed_turns, history.broken_records), (1, 0, 0));
}

#[test]
fn another_order_of_keys_and_other_spaces_are_read_as_well() {
    let home = Home::new();
    let loose: String = rollout("0.171.0", &[turn(1, FAILED)])
        .lines()
        .map(|line| {
            serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(line).unwrap()).unwrap().replace('\n', " ")
                + "\r\n"
        })
        .collect();
    home.put(ROLLOUT, loose);
    assert_eq!(home.history().failed_turns, 1);
    assert_eq!(home.history().failures[0].model.as_deref(), Some("gpt-6-sol"));
}

#[test]
fn a_turn_copied_into_a_forked_thread_is_one_turn() {
    let home = Home::new();
    let original = rollout("0.171.0", &[turn(1, FAILED)]);
    home.put(ROLLOUT, &original);
    let fork = SESSION.replace("000000000001", "000000000002").replace("VERSION", "0.171.0");
    home.put("archived_sessions/rollout-2026-11-29T15-30-00-01a22800-0000-7000-8000-000000000002.jsonl", fork + "\n" + &original);
    let history = home.history();
    assert_eq!((history.turns, history.failed_turns), (1, 1));
    assert_eq!(history.failures[0].thread.as_deref(), Some("01a22800-0000-7000-8000-000000000001"));
}

#[test]
fn a_compressed_rollout_is_read_unless_the_plain_one_is_there() {
    let home = Home::new();
    let compressed = zstd::encode_all(rollout("0.171.0", &[turn(1, FAILED)]).as_bytes(), 3).unwrap();
    home.put(&format!("{ROLLOUT}.zst"), &compressed);
    assert_eq!(home.history().failed_turns, 1);
    home.put(ROLLOUT, rollout("0.171.0", &[turn(1, ANSWERED)]));
    assert_eq!((home.history().turns, home.history().failed_turns), (1, 0));
    std::fs::remove_file(home.path().join(ROLLOUT)).unwrap();
    home.put(&format!("{ROLLOUT}.zst"), &compressed[..compressed.len() / 2]);
    assert_eq!(home.history().unread.len(), 1);
}

#[test]
fn a_line_of_hundreds_of_megabytes_costs_no_memory_and_hides_nothing() {
    let home = Home::new();
    let path = home.put(ROLLOUT, rollout("0.171.0", &[turn(1, ANSWERED)]));
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    // A hole in the file reads as zeros and takes no room on the disk.
    let grow = |file: &mut std::fs::File, by: u64| {
        let length = file.metadata().unwrap().len();
        file.set_len(length + by).unwrap();
    };
    grow(&mut file, 200 << 20);
    writeln!(file, "\n{}", turn(2, FAILED).join("\n")).unwrap();
    let history = home.history();
    assert_eq!((history.turns, history.failed_turns, history.broken_records), (2, 1, 1));
    assert!(history.unread.is_empty());
    // Beyond half a gigabyte, the end is what matters, and what was left out is said.
    grow(&mut file, 600 << 20);
    writeln!(file, "\n{}", turn(3, FAILED).join("\n")).unwrap();
    let history = home.history();
    assert_eq!((history.failed_turns, history.unread.len()), (1, 1));
    assert_eq!(history.failures[0].originator.as_deref(), Some("codex_exec"));
    assert_eq!(history.failures[0].line, None);
}

#[test]
fn an_answer_of_megabytes_is_an_answer() {
    let home = Home::new();
    let long = format!(r#""last_agent_message":"{}""#, "x".repeat(5 << 20));
    home.put(ROLLOUT, rollout("0.171.0", &[turn(1, &long), turn(2, FAILED)]));
    let history = home.history();
    assert_eq!((history.turns, history.failed_turns, history.successes.len()), (2, 1, 1));
}

#[test]
fn folders_and_links_in_the_place_of_rollouts_are_passed_over_and_said() {
    let home = Home::new();
    home.put(ROLLOUT, rollout("0.171.0", &[turn(1, FAILED)]));
    let day = home.path().join("sessions/2026/11/29");
    std::fs::create_dir(day.join("rollout-2026-11-29T16-00-00-a-folder.jsonl")).unwrap();
    home.put("sessions/2026/11/29/rollout-2026-11-29T17-00-00-empty.jsonl", "");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(home.path().join("sessions"), day.join("loop")).unwrap();
        std::os::unix::fs::symlink("/nowhere", day.join("rollout-2026-11-29T18-00-00-gone.jsonl")).unwrap();
        let history = home.history();
        assert_eq!((history.failed_turns, history.unread.len()), (1, 3));
    }
    let home = Home::new();
    home.put("sessions", "a file where the folder should be");
    let world = world(home.path(), &[]);
    let observed = history::collect(&world, &Redactor::new(&world), &request(1)).history;
    assert!(matches!(observed.fact, codex_triage_checks::facts::Fact::Failed { .. }));
}

#[test]
fn what_the_time_did_not_allow_is_counted() {
    let home = Home::new();
    home.put(ROLLOUT, rollout("0.171.0", &[turn(1, FAILED)]));
    let world = world(home.path(), &[]);
    let late = HistoryRequest { deadline: Instant::now(), ..request(1) };
    let history = history::collect(&world, &Redactor::new(&world), &late).history;
    assert_eq!(history.value().unwrap().not_reached, 1);
}

#[test]
fn a_turn_that_may_still_run_is_neither_failed_nor_interrupted() {
    let home = Home::new();
    let [start, context, _] = turn(9, FAILED);
    let now_running = [start, context].map(|line| line.replace("15:09:0", "16:09:5")).join("\n");
    home.put(ROLLOUT, format!("{}\n{now_running}\n", SESSION.replace("VERSION", "0.171.0")));
    assert_eq!((home.history().turns, home.history().interrupted_turns), (0, 0));
}

fn database(home: &Home, name: &str, statements: &str) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(home.path().join(name)).unwrap();
    connection.execute_batch(statements).unwrap();
    connection
}

const THREAD_TURNS: &str = "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
    CREATE TABLE thread_turns (thread_id TEXT, turn_id TEXT, status TEXT, error_json TEXT, started_at INTEGER, completed_at INTEGER);
    INSERT INTO thread_turns VALUES ('01a22800-0000-7000-8000-000000000001', '01a22800-0000-7000-8000-000000000009', 'failed',
        '{\"message\":\"full\",\"codexErrorInfo\":{\"httpConnectionFailed\":{\"httpStatusCode\":503}}}', 1795966000, 1795966001);";

#[test]
fn a_failure_whose_rollout_is_gone_is_told_by_the_databases_without_touching_them() {
    let home = Home::new();
    let _open = database(&home, "thread_history_1.sqlite", THREAD_TURNS);
    let _threads = database(
        &home,
        "state_5.sqlite",
        "CREATE TABLE threads (id TEXT, model_provider TEXT, cli_version TEXT, originator TEXT, cwd TEXT, model TEXT);
         INSERT INTO threads VALUES ('01a22800-0000-7000-8000-000000000001', 'relay', '0.171.0', 'codex-tui', '/x', 'gpt-6-sol');",
    );
    let before = state(home.path());
    let history = home.history();
    assert_eq!(before, state(home.path()));
    let failure = &history.failures[0];
    assert_eq!((failure.info.as_deref(), failure.status), (Some("http_connection_failed"), Some(503)));
    assert_eq!((failure.provider.as_deref(), failure.model.as_deref()), (Some("relay"), Some("gpt-6-sol")));
}

#[test]
fn a_database_that_is_none_or_another_is_said_and_stops_nothing() {
    let home = Home::new();
    home.put(ROLLOUT, rollout("0.171.0", &[turn(1, FAILED)]));
    home.put("thread_history_1.sqlite", vec![7u8; 8192]);
    let _other = database(&home, "thread_history_2.sqlite", "CREATE TABLE other (x);");
    let history = home.history();
    assert_eq!((history.failed_turns, history.unread.len()), (1, 2));
}

fn program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

fn installed(platform: Platform, folders: &[&Path], separator: &str) -> Installation {
    let list: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let variable = if platform == Platform::Windows { "Path" } else { "PATH" };
    let environment = [(variable.to_owned(), list.join(separator))].into();
    let world = World::new(environment, "/".into(), None, None, platform, now(), 0);
    installation::collect(&world, &Redactor::new(&world)).value().cloned().unwrap_or_default()
}

#[test]
#[cfg(unix)]
fn versions_are_read_from_packages_and_paths_and_never_asked_for() {
    let home = Home::new();
    let at = |path: &str| home.path().join(path);
    let manifest = r#"{"name":"@openai/codex","version":"0.171.0-linux-x64"}"#;
    // npm: a link to a script of the package.
    home.put("npm/lib/node_modules/@openai/codex/package.json", manifest);
    program(&at("npm/lib/node_modules/@openai/codex/bin/codex.js"), "#!/usr/bin/env node\n");
    std::fs::create_dir_all(at("npm/bin")).unwrap();
    std::os::unix::fs::symlink("../lib/node_modules/@openai/codex/bin/codex.js", at("npm/bin/codex")).unwrap();
    // pnpm: a script that names it. It would leave a mark if it ran.
    let script = format!(
        "#!/bin/sh\ntouch {}\nbasedir=$(dirname \"$(echo \"$0\")\")\nexec node \"$basedir/global/5/node_modules/@openai/codex/bin/codex.js\" \"$@\"\n",
        at("ran").display()
    );
    program(&at("pnpm/codex"), &script);
    home.put("pnpm/global/5/node_modules/@openai/codex/package.json", manifest);
    program(&at("pnpm/global/5/node_modules/@openai/codex/bin/codex.js"), "");
    // cargo, a folder with the version, a lone binary, and a file that is no program.
    program(&at("cargo/bin/codex"), "");
    home.put("cargo/.crates.toml", "[v1]\n\"codex-cli 0.170.2 (git+https://x#1)\" = [\"codex\"]\n");
    program(&at("Cellar/codex/0.169.0/bin/codex"), "");
    // asdf and mise: a shim that names a plugin, and one that names nothing.
    program(&at("asdf/shims/codex"), "#!/usr/bin/env bash\n# asdf-plugin: nodejs 22.1.0\nexec asdf exec \"codex\" \"$@\"\n");
    home.put("asdf/installs/nodejs/22.1.0/lib/node_modules/@openai/codex/package.json", manifest);
    program(&at("mise/shims/codex"), "\x7fELF");
    home.put("mise/installs/npm-openai-codex/0.168.1/bin/x", "");
    program(&at("lone/codex"), "\x7fELF");
    home.put("data/codex", "no program");
    let folders: Vec<PathBuf> =
        ["npm/bin", "pnpm", "cargo/bin", "Cellar/codex/0.169.0/bin", "asdf/shims", "mise/shims", "lone", "data", "npm/bin"]
            .map(at)
            .into();
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let found = installed(Platform::Linux, &folders, ":");
    let versions: Vec<Option<&str>> = found.programs.iter().map(|program| program.version.as_deref()).collect();
    assert_eq!(
        versions,
        [Some("0.171.0"), Some("0.171.0"), Some("0.170.2"), Some("0.169.0"), Some("0.171.0"), Some("0.168.1"), None]
    );
    assert!(found.programs.iter().all(|program| program.version_source.is_some()));
    assert!(!at("ran").exists());
}

#[test]
fn npm_on_windows_has_three_wrappers_and_one_program() {
    let home = Home::new();
    let wrapper = "@ECHO off\r\n\"%_prog%\"  \"%dp0%\\node_modules\\@openai\\codex\\bin\\codex.js\" %*\r\n";
    for name in ["codex", "codex.cmd", "codex.ps1"] {
        home.put(&format!("npm/{name}"), wrapper);
    }
    home.put("npm/node_modules/@openai/codex/package.json", r#"{"name":"@openai/codex","version":"0.171.0"}"#);
    home.put("npm/node_modules/@openai/codex/bin/codex.js", "");
    let found = installed(Platform::Windows, &[&home.path().join("npm"), Path::new("/nowhere")], ";");
    assert_eq!(found.programs.len(), 1);
    assert_eq!(found.version(), Some("0.171.0"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_between_valid_lines_lose_a_valid_line(damage in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 10), tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let home = Home::new();
        let text = rollout("0.171.0", &[turn(1, FAILED), turn(2, ANSWERED), turn(3, FAILED)]);
        let mut bytes = Vec::new();
        for (line, damage) in text.lines().zip(&damage) {
            bytes.extend(line.as_bytes());
            bytes.push(b'\n');
            bytes.extend(damage);
            bytes.push(b'\n');
        }
        bytes.extend(&tail);
        home.put(ROLLOUT, &bytes);
        let history = home.history();
        prop_assert_eq!((history.turns, history.failed_turns, history.successes.len()), (3, 2, 1));
    }

    #[test]
    fn a_cut_or_changed_record_never_panics(cut in 0usize..2000, place in 0usize..2000, byte in any::<u8>()) {
        let home = Home::new();
        let mut bytes = rollout("0.142.5", &[turn(1, FAILED), turn(2, WORDLESS)]).into_bytes();
        let place = place % bytes.len();
        bytes[place] = byte;
        bytes.truncate(cut.max(1));
        home.put(ROLLOUT, &bytes);
        prop_assert!(home.history().turns <= 3);
    }
}

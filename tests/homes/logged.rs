//! What the log database adds to failed turns, on logs that the real Codex wrote (0.142.5 and 0.171.0, app-server), cut down.

use rusqlite::Connection;

use super::*;

/// A home as the real Codex left it; its database is made from the SQL, in `folder` below the home.
fn logged(version: &str, folder: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs").join(version);
    let sessions = "sessions/2026/11/30";
    std::fs::create_dir_all(home.path().join(sessions)).unwrap();
    for file in std::fs::read_dir(from.join(sessions)).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), home.path().join(sessions).join(file.file_name())).unwrap();
    }
    std::fs::create_dir_all(home.path().join(folder)).unwrap();
    let database = Connection::open(home.path().join(folder).join("logs_2.sqlite")).unwrap();
    database.execute_batch("PRAGMA journal_mode=WAL;").unwrap();
    database.execute_batch(&std::fs::read_to_string(from.join("logs.sql")).unwrap()).unwrap();
    home
}

fn look(home: &Path, log_dir: Option<&str>) -> History {
    let at = "2026-11-30T02:20:00Z".parse().unwrap();
    let world = World::new(BTreeMap::new(), "/nowhere".into(), Some(home), None, Platform::Linux, at, 0);
    let request = HistoryRequest { since: at - TimeDelta::days(1), log_dir: log_dir.map(PathBuf::from), ..request(1) };
    history::collect(&world, &Redactor::new(&world), &request).history.value().cloned().expect("a history")
}

fn database(home: &Path) -> Connection {
    Connection::open(home.join("logs_2.sqlite")).unwrap()
}

/// Status, request id, whether the server named a wait, and tries of the failures' last requests, oldest first.
fn requests(history: &History) -> Vec<(Option<u16>, String, bool, u32)> {
    let requests = history.failures.iter().rev().filter_map(|failure| failure.request.as_ref());
    requests
        .map(|request| {
            assert_eq!(request.host.as_deref(), Some("relay.example"));
            let waits = request.headers.contains_key("retry-after");
            (request.status, request.headers["x-request-id"].clone(), waits, request.retries)
        })
        .collect()
}

#[test]
fn a_release_that_stores_no_error_has_it_in_its_log() {
    let home = logged("0.142.5", "");
    let history = look(home.path(), None);
    assert_eq!((history.turns, history.failed_turns), (6, 5));
    let texts: Vec<_> = history.failures.iter().rev().map(|failure| failure.text.as_deref().unwrap_or_default()).collect();
    let begins = [
        "Selected model is at capacity.",
        "You've hit your usage limit.",
        "Selected model",
        "unexpected status 503",
        "We're currently",
    ];
    assert!(texts.iter().zip(begins).all(|(text, begin)| text.starts_with(begin)), "{texts:#?}");
    assert!(history.failures.iter().all(|failure| failure.info.is_none()));
    assert!(history.unread.is_empty(), "{:?}", history.unread);
}

#[test]
fn the_last_request_of_a_failed_turn_is_told() {
    for version in ["0.142.5", "0.171.0"] {
        let home = logged(version, "");
        let history = look(home.path(), None);
        let requests = requests(&history);
        let told: Vec<_> = requests.iter().map(|(status, _, waits, retries)| (*status, *waits, *retries)).collect();
        assert_eq!(told[..3], [(Some(503), false, 4), (Some(429), false, 0), (Some(200), false, 0)], "{version}");
        assert_eq!((told[3].0, told[3].1, told[4].0), (Some(503), true, Some(500)), "{version}");
        assert!(requests.iter().all(|(_, id, _, _)| id.starts_with("req_mock_")), "{version}");
        let limit = &history.failures[3].request.as_ref().unwrap().headers;
        assert_eq!(limit["x-codex-primary-used-percent"], "100", "{version}");
    }
}

#[test]
fn the_quota_beside_a_refusal_is_in_the_log_alone() {
    let home = logged("0.171.0", "");
    let refused = look(home.path(), None);
    let turn = &refused.failures[4].turn;
    let beside: Vec<_> = refused.limits.iter().filter(|limits| limits.turn.as_deref() == turn.as_deref()).collect();
    assert_eq!(beside.len(), 1);
    assert_eq!(beside[0].windows.iter().map(|window| window.used_percent).collect::<Vec<_>>(), [42.5, 71.0]);
    assert!(beside[0].source.ends_with("logs_2.sqlite"));
    let of_limit = refused.limits.iter().filter(|limits| limits.turn.as_deref() == refused.failures[3].turn.as_deref());
    assert_eq!(of_limit.count(), 1, "what the rollout holds is not told twice");
}

#[test]
fn a_log_that_log_dir_moved_is_found() {
    let home = logged("0.171.0", "elsewhere");
    assert_eq!(requests(&look(home.path(), None)).len(), 0);
    assert_eq!(requests(&look(home.path(), Some("elsewhere"))).len(), 5);
}

#[test]
fn a_log_file_tells_the_errors_where_no_database_does() {
    let home = logged("0.142.5", "");
    let database = database(home.path());
    let spans = "SELECT feedback_log_body FROM logs WHERE target = 'codex_core::session::turn' ORDER BY id";
    let lines: Vec<String> = {
        let mut rows = database.prepare(spans).unwrap();
        let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
        // As that release writes them (looked up with `log_dir` set).
        let line = |body: String| {
            format!(
                "2026-11-30T02:07:30.012062Z  INFO {}",
                body.replace(": Turn error: ", ": codex_core::session::turn: Turn error: ")
            )
        };
        rows.map(|body| line(body.unwrap())).collect()
    };
    database.execute_batch("DELETE FROM logs;").unwrap();
    std::fs::create_dir(home.path().join("log")).unwrap();
    let noise = b"\xff\xfe: Turn error: nothing\n: codex_core::session::turn: Turn error: of no time\n";
    let text = [noise.as_slice(), lines.join("\n").as_bytes()].concat();
    std::fs::write(home.path().join("log/codex-tui.log"), text).unwrap();
    let history = look(home.path(), None);
    assert!(history.failures.iter().all(|failure| failure.text.is_some()), "{:#?}", history.failures);
    assert_eq!(history.failures[4].text.as_deref(), Some("Selected model is at capacity. Please try a different model."));
}

#[test]
fn rows_without_a_turn_are_paired_by_thread_and_time() {
    let home = logged("0.142.5", "");
    let database = database(home.path());
    database
        .execute_batch(
            "UPDATE logs SET feedback_log_body = replace(replace(feedback_log_body, 'turn.id=', 'x='), 'turn_id=', 'x=');",
        )
        .unwrap();
    assert_eq!(requests(&look(home.path(), None)).len(), 5);
    database.execute_batch("UPDATE logs SET ts = ts + 90;").unwrap();
    assert_eq!(requests(&look(home.path(), None)).len(), 0);
}

#[test]
fn no_credential_in_the_log_comes_out() {
    let home = logged("0.142.5", "");
    let headers = concat!(
        r#"headers={"set-cookie": "s=canary-cookie-1", "cookie": "canary-cookie-2", "authorization": "Bearer canary-token-3", "#,
        r#""x-codex-turn-state": "canary-state-4", "x-codex-account-id": "canary-account-5", "via": "sk-canary-key-6-0123456789", "#
    );
    let database = database(home.path());
    database.execute("UPDATE logs SET feedback_log_body = replace(feedback_log_body, 'headers={', ?1)", [headers]).unwrap();
    let error = "UPDATE logs SET feedback_log_body = feedback_log_body || ' key sk-canary-key-7-0123456789' WHERE target = 'codex_core::session::turn'";
    database.execute_batch(error).unwrap();
    let history = look(home.path(), None);
    assert_eq!(requests(&history).len(), 5);
    let json = serde_json::to_string(&history).unwrap();
    assert!(!json.contains("canary"), "{json}");
}

#[test]
fn a_log_that_cannot_be_read_is_said_and_costs_nothing_else() {
    let home = logged("0.171.0", "");
    let path = home.path().join("logs_2.sqlite");
    let why = |history: &History| {
        assert_eq!((history.turns, history.failed_turns), (6, 5));
        history.unread.iter().map(|unread| unread.why.clone()).collect::<Vec<_>>()
    };
    let writer = database(home.path());
    writer.execute_batch("BEGIN EXCLUSIVE; DELETE FROM logs;").unwrap();
    let history = look(home.path(), None);
    assert_eq!((why(&history).len(), requests(&history).len()), (0, 5), "a lock stops nobody who copies");
    writer.execute_batch("ROLLBACK; ALTER TABLE logs RENAME COLUMN feedback_log_body TO body;").unwrap();
    assert!(why(&look(home.path(), None))[0].contains("feedback_log_body"));
    writer.execute_batch("ALTER TABLE logs RENAME TO events;").unwrap();
    assert_eq!(why(&look(home.path(), None)), ["unknown schema"]);
    drop(writer);
    std::fs::write(&path, vec![7; 9000]).unwrap();
    assert_eq!(why(&look(home.path(), None)), ["file is not a sound database"]);
}

#[test]
fn a_turn_that_was_ended_from_outside_has_a_request_only_where_one_failed() {
    let home = logged("0.171.0", "");
    let sessions = home.path().join("sessions/2026/11/30");
    for file in std::fs::read_dir(sessions).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("task_complete")).collect();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        // Nobody writes it any more.
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }
    let history = look(home.path(), None);
    assert_eq!(history.interrupted_turns, 6);
    assert_eq!((history.failed_turns, requests(&history).len()), (0, 4));
}

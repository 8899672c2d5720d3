//! `codex-triage sessions`: what it counts, what it shows, and that it leaves everything as it is.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage::i18n::{Language, Texts};
use codex_triage::report::Report;
use codex_triage::report::paint::Paint;
use codex_triage::report::terminal::{self, View};
use codex_triage_checks::facts::history::Unread;
use codex_triage_checks::facts::run::{Run, Scope};
use codex_triage_checks::facts::sessions::{Database, Disk, LargeFile, Month, ProjectSize, SessionStore, Stored, ThreadContext};
use codex_triage_checks::facts::{Facts, Observed};
use common::{Call, failed_turn, minutes_ago, put_rollout, snapshot};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

const MEGABYTE: u64 = 1_000_000;

fn thread(number: u64) -> String {
    format!("01a22800-af49-7090-8cee-{number:012x}")
}

/// A store in which everything is too much.
fn burdened(now: DateTime<Utc>) -> SessionStore {
    let rollout = |number: u64| format!("~/.codex/sessions/2026/11/29/rollout-2026-11-29T10-00-00-{}.jsonl", thread(number));
    let month = |number: u64| Month {
        month: format!("{}-{:02}", 2025 + number / 12, number % 12 + 1),
        files: number * 100,
        bytes: number * 90 * MEGABYTE,
        archived_files: number,
        archived_bytes: number * MEGABYTE,
    };
    let threads = (1..=7).map(|number| ThreadContext {
        thread: thread(number),
        project: Some(format!("<project-{number}>")),
        source: rollout(number),
        started: Some(now - TimeDelta::hours(5)),
        open_since: Some(now - TimeDelta::hours(3)),
        last: now - TimeDelta::minutes(5),
        first_context_tokens: Some(10_000),
        context_tokens: Some(200_000 + number * 8_000),
        context_window: Some(258_400),
        longest_line_bytes: number * MEGABYTE,
        ..ThreadContext::default()
    });
    SessionStore {
        files: 30_000,
        bytes: 27_000 * MEGABYTE,
        months: (0..20).map(month).collect(),
        largest: (1..=10).map(|number| LargeFile { file: rollout(number), bytes: (1_200 - number * 100) * MEGABYTE }).collect(),
        compressed_files: 12,
        empty_files: 1,
        projects: (1..=7)
            .map(|number| ProjectSize {
                project: (number != 3).then(|| format!("<project-{number}>")),
                files: 10,
                bytes: 9 * MEGABYTE,
            })
            .collect(),
        threads: threads.collect(),
        threads_seen: 5_000,
        databases: vec![
            Database { file: "~/.codex/logs_2.sqlite".to_owned(), bytes: 2_400 * MEGABYTE, wal_bytes: 300 * MEGABYTE },
            Database { file: "~/.codex/state_5.sqlite".to_owned(), bytes: 20 * MEGABYTE, wal_bytes: 0 },
        ],
        logs: vec![LargeFile { file: "~/.codex/log/codex-tui.log".to_owned(), bytes: 700 * MEGABYTE }],
        other: vec![Stored { file: format!("~/.codex/{}", "long-name-".repeat(12)), files: 3_000, bytes: 40 * MEGABYTE }],
        disk: Some(Disk { free_bytes: 600 * MEGABYTE, total_bytes: 250_000 * MEGABYTE }),
        writer_locks: vec![thread(1)],
        unread: (0..9).map(|number| Unread { file: format!("~/.codex/sessions/{number}"), why: "denied".to_owned() }).collect(),
        cut_short: true,
    }
}

fn drawn(language: Language, ascii: bool, quiet: bool, verbose: bool) -> String {
    let run = Run { scope: Scope::Sessions, ..Run::default() };
    let texts = Texts::new(language, run.at, 0);
    let facts = Facts { sessions: Observed::known(burdened(run.at), "~/.codex/sessions"), run, ..Facts::default() };
    let paint = Paint { color: false, ascii };
    let view = View { paint, width: 80, quiet, verbose, effective: false, on_screen: false, elapsed: Duration::from_millis(40) };
    terminal::write(&Report::of(facts, Vec::new(), &texts), &texts, view)
}

#[test]
fn the_page_fits_eighty_columns_in_both_languages_and_plain() {
    for language in [Language::En, Language::Zh] {
        for (ascii, verbose) in [(false, false), (true, false), (false, true)] {
            let page = drawn(language, ascii, false, verbose);
            // A command stands on one line, however long, so that it can be copied.
            let is_command = |line: &str| line.contains("codex archive") || line.contains("codex delete");
            let wide = page.lines().find(|line| line.width() > 80 && !is_command(line));
            assert_eq!(wide, None, "{page}");
            assert!(!page.contains("no such message") && !page.contains('\u{1b}'), "{page}");
        }
    }
    let plain = drawn(Language::En, true, false, true);
    assert!(plain.is_ascii(), "{plain}");
}

#[test]
fn the_page_says_what_is_large_what_to_do_and_what_to_leave() {
    let page = drawn(Language::En, false, false, false);
    for wanted in [
        "SESSIONS · 30000 files, 25 GiB",
        "earlier",
        "2026-08",
        "<project-1>",
        "not told",
        "99 %",
        "5000 sessions looked at",
        "286 MiB not written back",
        "codex-tui.log",
        "572 MiB of 233 GiB free",
        &format!("codex archive {}", thread(2)),
        "codex migrate-rollouts",
        "codex delete --force ID",
        "a writer lock",
        "and 4 more",
        "3 checks",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
    assert!(!page.contains(&format!("codex archive {}", thread(1))), "somebody writes in that one\n{page}");
    let quiet = drawn(Language::En, false, true, false);
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
    assert!(drawn(Language::En, false, false, true).contains("2025-01"), "-v shows all months");
}

#[test]
fn the_command_counts_what_is_there_and_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    // What Codex thinks of the configuration is not asked, nor what failed.
    std::fs::write(home.path().join("config.toml"), "log_dir = \"logs\"\nmodel = 7\n").unwrap();
    std::fs::create_dir(home.path().join("logs")).unwrap();
    std::fs::write(home.path().join("logs/logs_2.sqlite"), "x".repeat(77)).unwrap();
    let at = minutes_ago(5);
    let text = failed_turn(&at, "openai", "gpt-6-sol", "Selected model is at capacity.", &json!("server_overloaded"));
    put_rollout(home.path(), &at, &text);
    let before = snapshot(home.path());
    let output = Call::new(&["sessions", "--json"]).home(home.path()).run();
    assert_eq!(output.code, 0, "{}", output.stdout);
    let report = output.json();
    assert_eq!(report["verdict"]["cause"], "healthy");
    let store = &report["facts"]["sessions"]["value"];
    assert_eq!((&store["files"], &store["bytes"]), (&json!(1), &json!(text.len())));
    assert_eq!(store["months"][0]["files"], 1);
    assert_eq!(store["databases"][0]["bytes"], 77);
    let checks: std::collections::BTreeSet<&str> =
        report["findings"].as_array().unwrap().iter().map(|finding| finding["check"].as_str().unwrap()).collect();
    assert!(checks.is_subset(&["session-bloat", "context-pressure", "other-clients"].into()), "{checks:?}");
    assert_eq!(Call::new(&["sessions", "-q"]).home(home.path()).run().stdout.lines().count(), 1);
    assert_eq!(snapshot(home.path()), before);
}

#[test]
fn a_home_that_cannot_be_looked_into_is_not_called_fine() {
    let home = tempfile::tempdir().unwrap();
    let output = Call::new(&["sessions"]).home(&home.path().join("nowhere")).run();
    assert_eq!(output.code, 3, "{}", output.stdout);
    std::fs::write(home.path().join("sessions"), "a file where the folder should be").unwrap();
    assert_eq!(Call::new(&["sessions", "-q"]).home(home.path()).run().code, 3);
    // Nothing at all is nothing to worry about.
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(Call::new(&["sessions"]).home(empty.path()).run().code, 0);
}

#[test]
fn a_record_that_cannot_be_read_is_not_called_fine() {
    let home = tempfile::tempdir().unwrap();
    let at = minutes_ago(5);
    put_rollout(
        home.path(),
        &at,
        &failed_turn(&at, "openai", "gpt-6-sol", "Selected model is at capacity.", &json!("server_overloaded")),
    );
    std::fs::write(home.path().join("thread_history_1.sqlite"), "no database").unwrap();
    let output = Call::new(&["sessions", "-q"]).home(home.path()).run();
    assert_eq!(output.code, 3, "{}", output.stdout);
    assert!(output.stdout.contains("1 not read"), "{}", output.stdout);
}

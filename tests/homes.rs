//! Every sample home, read as a run would read it: what the collectors see, and that they leave no trace.

#![allow(clippy::unwrap_used, reason = "a test says by panicking what it could not do")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage::collect::credentials::{self, AuthRules, CredentialStore, ProviderAuth, Secrets};
use codex_triage::collect::history::{self, HistoryRequest, ThreadsWanted};
use codex_triage::collect::installation;
use codex_triage::collect::sessions::{self, SessionsRequest};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::Facts;
use codex_triage_checks::facts::credentials::{CredentialKind, Credentials, ForcedMismatch};
use codex_triage_checks::facts::history::History;
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::kind::Kind;
use codex_triage_checks::registry;
use codex_triage_checks::verdict::weigh;

#[path = "homes/generated.rs"]
mod generated;
#[path = "homes/logged.rs"]
mod logged;
#[path = "homes/logins.rs"]
mod logins;

const HOMES: [&str; 11] = [
    "account-mismatch",
    "apikey-errors",
    "both",
    "broken-auth",
    "chatgpt-ok",
    "clock-fast",
    "corrupt-sessions",
    "expired",
    "keyring",
    "tui-history",
    "workspace-mismatch",
];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/homes").join(name)
}

fn now() -> DateTime<Utc> {
    "2026-11-29T16:10:00Z".parse().unwrap()
}

fn world(home: &Path, variables: &[(&str, &str)]) -> World {
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    World::new(environment, "/nowhere".into(), Some(home), None, Platform::Linux, now(), 0)
}

fn request(days: i64) -> HistoryRequest {
    HistoryRequest {
        since: now() - TimeDelta::days(days),
        deadline: Instant::now() + Duration::from_secs(60),
        sqlite_home: None,
        log_dir: None,
        all: false,
        every_turn: false,
        threads: ThreadsWanted::Recent,
        cached: false,
    }
}

fn sizes() -> SessionsRequest {
    SessionsRequest { sqlite_home: None, log_dir: None, all: false, deadline: Instant::now() + Duration::from_secs(60) }
}

fn history(home: &Path, days: i64) -> History {
    let world = world(home, &[]);
    history::collect(&world, &Redactor::new(&world), &request(days)).history.value().cloned().expect("a history")
}

fn openai() -> ProviderAuth {
    ProviderAuth { id: "openai".to_owned(), built_in_openai: true, requires_openai_auth: true, ..ProviderAuth::default() }
}

fn rules_of(home: &str) -> AuthRules {
    match home {
        "keyring" => AuthRules { store: CredentialStore::Keyring, ..AuthRules::default() },
        "workspace-mismatch" => {
            AuthRules { forced_workspace: vec!["11111111-1111-4111-8111-111111111111".to_owned()], ..AuthRules::default() }
        }
        _ => AuthRules::default(),
    }
}

fn login(home: &str, variables: &[(&str, &str)], provider: &ProviderAuth) -> (Credentials, Secrets) {
    let world = world(&fixture(home), variables);
    let (credentials, secrets) = credentials::collect(&world, &Redactor::new(&world), provider, &rules_of(home));
    (credentials.value().cloned().expect("credentials"), secrets)
}

fn facts(home: &str) -> Facts {
    let world = world(&fixture(home), &[]);
    let redactor = Redactor::new(&world);
    let mut facts = Facts::default();
    facts.run.at = world.now;
    facts.run.since = world.now - TimeDelta::days(1);
    facts.credentials = credentials::collect(&world, &redactor, &openai(), &rules_of(home)).0;
    facts.history = history::collect(&world, &redactor, &request(1)).history;
    facts.sessions = sessions::collect(&world, &redactor, &sizes());
    facts.installation = installation::collect(&world, &redactor);
    facts
}

fn codes(facts: &Facts) -> Vec<String> {
    registry::run_all(facts).into_iter().map(|finding| finding.code).collect()
}

#[test]
fn nothing_changes_in_any_home() {
    for home in HOMES {
        let before = state(&fixture(home));
        let _ = facts(home);
        assert_eq!(before, state(&fixture(home)), "{home}");
    }
}

/// Names, bytes and times of everything below `folder`.
fn state(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)> {
    let mut state = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let found = std::fs::symlink_metadata(&path).unwrap();
        if found.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let bytes = found.is_file().then(|| std::fs::read(&path).unwrap());
        state.insert(path, (found.modified().unwrap(), bytes));
    }
    state
}

#[test]
fn no_secret_and_no_account_of_any_home_is_in_the_facts() {
    for home in HOMES {
        let json = serde_json::to_string(&facts(home)).unwrap();
        for secret in ["sk-FAKE", "rt_FAKE", "eyJ", "acct-FAKE", "user-FAKE", "fake@example", "FAKE-SIGNATURE", "/home/user"] {
            assert!(!json.contains(secret), "{home}: {secret}");
        }
    }
}

#[test]
fn the_resumed_session_fails_in_its_fifth_turn() {
    let history = history(&fixture("chatgpt-ok"), 1);
    assert_eq!((history.turns, history.failed_turns, history.interrupted_turns), (6, 1, 0));
    let failure = &history.failures[0];
    assert_eq!(failure.info.as_deref(), Some("server_overloaded"));
    assert_eq!(failure.model.as_deref(), Some("gpt-5.5"));
    assert_eq!((failure.context_tokens, failure.context_window), (Some(104_121), Some(258_400)));
    assert_eq!(failure.at.to_rfc3339(), "2026-11-29T16:03:53.176+00:00");
    assert_eq!(failure.project.as_deref(), Some("<project-1>"));
    assert_eq!(history.successes.len(), 1);
    assert_eq!(history.limits[0].windows.iter().map(|window| window.used_percent).collect::<Vec<_>>(), [42.5, 71.0]);
    assert!(codes(&facts("chatgpt-ok")).contains(&"limits.far-below".to_owned()));
}

#[test]
fn six_kinds_of_failure_and_one_turn_that_never_ended() {
    let history = history(&fixture("apikey-errors"), 1);
    assert_eq!((history.turns, history.failed_turns, history.interrupted_turns), (7, 6, 1));
    let told: Vec<_> =
        history.failures.iter().map(|failure| (failure.info.as_deref(), failure.status, failure.interrupted)).collect();
    assert_eq!(
        told,
        [
            (Some("usage_limit_exceeded"), None, false),
            (Some("response_too_many_failed_attempts"), Some(429), false),
            (Some("rate_limit_exceeded"), None, false),
            (Some("usage_limit_exceeded"), None, false),
            (None, None, true),
            (Some("rate_limit_exceeded"), None, false),
            (Some("server_overloaded"), None, false),
        ]
    );
    // What stood before each failure is kept, not only the newest of all.
    assert!(history.limits.iter().any(|limits| limits.windows[0].used_percent >= 100.0));
}

#[test]
fn a_turn_in_the_rollout_and_in_the_database_is_one_turn() {
    let history = history(&fixture("tui-history"), 1);
    assert_eq!((history.turns, history.failed_turns), (1, 1));
    let failure = &history.failures[0];
    assert_eq!((failure.model.as_deref(), failure.provider.as_deref()), (Some("gpt-6-sol"), Some("openai")));
    assert!(failure.line.is_some() && failure.source.ends_with(".jsonl"));
}

#[test]
fn a_broken_record_costs_that_record_alone() {
    let history = history(&fixture("corrupt-sessions"), 60);
    assert_eq!((history.turns, history.failed_turns), (9, 6));
    assert_eq!(history.broken_records, 8);
    let capacity = history.failures.iter().filter(|failure| failure.info.as_deref() == Some("server_overloaded"));
    assert_eq!(capacity.count(), 4);
    assert!(history.unread.is_empty() && history.not_reached == 0);
}

#[test]
fn sizes_are_those_of_the_files() {
    let world = world(&fixture("corrupt-sessions"), &[]);
    let store = sessions::collect(&world, &Redactor::new(&world), &sizes());
    let store = store.value().unwrap();
    assert_eq!((store.files, store.bytes, store.largest[0].bytes), (10, 41_491, 8_816));
    let world = self::world(&fixture("tui-history"), &[]);
    let store = sessions::collect(&world, &Redactor::new(&world), &sizes());
    assert_eq!(store.value().unwrap().databases.len(), 3);
}

#[test]
fn a_home_that_is_not_there_is_said() {
    let named = world(Path::new("/nowhere/at/all"), &[]);
    let redactor = Redactor::new(&named);
    let failed = history::collect(&named, &redactor, &request(1)).history;
    assert!(matches!(failed.fact, codex_triage_checks::facts::Fact::Failed { .. }));
    let usual =
        World::new([("HOME".to_owned(), "/nowhere/at/all".to_owned())].into(), "/".into(), None, None, Platform::Linux, now(), 0);
    assert_eq!(history::collect(&usual, &redactor, &request(1)).history.fact, codex_triage_checks::facts::Fact::Absent);
}

#[test]
fn a_long_session_calls_for_a_new_one() {
    let facts = facts("chatgpt-ok");
    let calls = |without: &[&str]| {
        registry::run_all_but(&facts, without).iter().any(|finding| finding.advice.contains(&"new-session".to_owned()))
    };
    assert!(calls(&["last-errors"]) && !calls(&["last-errors", "context-pressure"]));
}

#[test]
fn identity_and_limits_change_the_verdict_of_a_home() {
    let verdict = |home: &str, without: &[&str]| {
        let facts = facts(home);
        weigh(&facts, &registry::run_all_but(&facts, without)).cause
    };
    for home in ["workspace-mismatch", "broken-auth", "account-mismatch"] {
        assert_eq!(verdict(home, &[]).name(), "config", "{home}");
        assert_ne!(verdict(home, &["identity"]).name(), "config", "{home}");
    }
    let weight = |without: &[&str]| {
        let facts = facts("chatgpt-ok");
        let ledger = weigh(&facts, &registry::run_all_but(&facts, without)).ledger;
        ledger.into_iter().find(|line| line.kind == Kind::QuotaUsageLimit).unwrap().score
    };
    assert!(weight(&[]) < weight(&["rate-limits"]));
}

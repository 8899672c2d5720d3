//! The sample homes, judged as a whole: each has its verdict, and each check earns its place.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage::collect::config::ConfigRequest;
use codex_triage::collect::plan::{self, Plan};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::advice;
use codex_triage_checks::facts::clients::Clients;
use codex_triage_checks::facts::error_text::ErrorText;
use codex_triage_checks::facts::run::{Platform, Run, Scope};
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::registry;
use codex_triage_checks::verdict;
use codex_triage_lab::{Answer, Lab, Scenario};
use common::{copied, fixture};
use serde_json::json;

/// The reference time of the sample homes, a few minutes later.
fn reference() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-29T16:10:00Z").unwrap().to_utc()
}

/// The facts of a home as an offline run sees them at the reference time.
fn facts_of(home: &Path) -> Facts {
    facts_with(home, &[])
}

/// The same with `-c` overrides.
fn facts_with(home: &Path, overrides: &[String]) -> Facts {
    let environment = BTreeMap::from([("CODEX_HOME".to_owned(), home.display().to_string())]);
    let world = World::new(environment, std::env::temp_dir(), None, None, Platform::Linux, reference(), 0);
    let redactor = Arc::new(Redactor::new(&world));
    let run = Run {
        at: reference(),
        utc_offset_s: 0,
        platform: Platform::Linux,
        scope: Scope::Triage,
        offline: true,
        since: reference() - TimeDelta::hours(24),
        cut_short: false,
        codex_version: None,
    };
    let request = ConfigRequest { overrides: overrides.to_vec(), ..ConfigRequest::default() };
    let plan = Plan::new(request, Instant::now() + Duration::from_secs(20));
    plan::collect(plan, run, &Arc::new(world), &redactor).unwrap()
}

/// What a judgement comes to: cause, kind, the ids of the fixes, the codes beside it.
fn judged(facts: &Facts, without: &[&str]) -> (String, Vec<String>, Vec<String>) {
    let findings = registry::run_all_but(facts, without);
    let verdict = verdict::weigh(facts, &findings);
    let fixes = advice::fixes(facts, &findings, &verdict).into_iter().map(|fix| fix.id).collect();
    let name = verdict.kind.map_or(verdict.cause.name(), |kind| kind.name()).to_owned();
    let confidence = verdict.confidence.map(|share| format!("{share:.2}")).unwrap_or_default();
    (format!("{name} {confidence}"), fixes, [verdict.contributing, verdict.also].concat())
}

/// Home, expected cause or kind, why.
const HOMES: [(&str, &str, &str); 11] = [
    ("chatgpt-ok", "overload.model", "the newest turn failed at the official host with quota to spare"),
    ("apikey-errors", "quota.credits", "the newest turn failed on an empty API balance"),
    ("both", "healthy", "nothing failed; that the key beats the login is a warning"),
    ("broken-auth", "config.credentials", "Codex goes on without a login"),
    ("expired", "healthy", "nothing failed; Codex refreshes an ended token by itself"),
    ("keyring", "healthy", "nothing failed; the keyring is not read and listed so"),
    ("workspace-mismatch", "config.credentials", "the next start of Codex deletes this login"),
    ("account-mismatch", "config.credentials", "requests would name an account that this login does not hold"),
    ("clock-fast", "healthy", "nothing failed; the token is about to be refreshed"),
    ("corrupt-sessions", "healthy", "broken records are passed over; the turns of the last day are sound"),
    ("tui-history", "overload.model", "the terminal's turn failed with the capacity code at the official host"),
];

#[test]
fn each_sample_home_has_its_verdict() {
    let mut wrong = Vec::new();
    for (name, expected, why) in HOMES {
        let home = copied(&fixture("homes").join(name));
        let facts = facts_of(home.path());
        let (verdict, ..) = judged(&facts, &[]);
        if verdict.split(' ').next() != Some(expected) {
            wrong.push(format!("{name}: {verdict}, not {expected}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A live run on a sample home whose endpoint is moved to `base_url`.
fn live_facts_of(home: &Path, overrides: &[String], asks: bool) -> Facts {
    let environment = BTreeMap::from([("CODEX_HOME".to_owned(), home.display().to_string())]);
    let world = World::new(environment, std::env::temp_dir(), None, None, Platform::Linux, World::clock(), 0);
    let redactor = Arc::new(Redactor::new(&world));
    let run = Run { at: world.now, since: world.now - TimeDelta::hours(24), offline: false, ..Run::default() };
    let request = ConfigRequest { overrides: overrides.to_vec(), ..ConfigRequest::default() };
    let consent: Option<plan::Tell> = if asks { Some(Box::new(|_| {})) } else { None };
    let plan = Plan { consent, ..Plan::new(request, Instant::now() + Duration::from_secs(5)) };
    plan::collect(plan, run, &Arc::new(world), &redactor).unwrap()
}

/// A sample home, what is changed about it, and the check that sees the change.
struct Proof {
    check: &'static str,
    home: &'static str,
    overrides: Vec<String>,
    /// Asked over the network, and whether with consent to one request to the model.
    live: Option<bool>,
    /// What `.env` of that home holds.
    dot_env: &'static str,
    /// A text that is explained.
    text: Option<&'static str>,
    /// Whether a client hangs beside it.
    hanging: bool,
    /// An old rollout of gigabytes in that home.
    bulk: Option<&'static str>,
}

/// A client that has been silent for minutes in a turn that has not ended.
fn hanging(facts: &Facts) -> Clients {
    let at = facts.run.at - TimeDelta::minutes(5);
    let client = json!({
        "pid": 4711, "parent_pid": 1, "kind": "exec", "parent": "shell", "started_at": at, "same_home": true, "version": null, "project": null,
        "cpu_ms": 400, "activity": "sleeping", "replaced": false, "newest_child": null, "children_known": true,
        "connections": { "established": 0, "connecting": 1, "half_closed": 0, "internal": 0 },
        "threads": [{ "thread": "t", "locked": true, "turn": { "began": at, "heard": at } }],
    });
    Clients { running: vec![serde_json::from_value(client).unwrap()], ..Clients::default() }
}

/// A rollout that was put away.
const ARCHIVED: &str = "archived_sessions/rollout-2026-10-20T09-00-00-01a22800-af49-7090-8cee-aaaaaaaaaaaa.jsonl";

fn proofs(lab: &str, late_lab: &str) -> Vec<Proof> {
    let offline = |check, home, overrides: &[&str]| Proof {
        check,
        home,
        overrides: overrides.iter().map(|text| (*text).to_owned()).collect(),
        live: None,
        dot_env: "",
        text: None,
        hanging: false,
        bulk: None,
    };
    let live = |check, base_url: &str| Proof {
        check,
        home: "keyring",
        overrides: vec![format!("openai_base_url=\"{base_url}\"")],
        live: Some(false),
        dot_env: "",
        text: None,
        hanging: false,
        bulk: None,
    };
    let asking = |check, base_url: &str| Proof { live: Some(true), home: "both", ..live(check, base_url) };
    vec![
        offline("config-keys", "chatgpt-ok", &["model_fallback=\"gpt-6-luna\""]),
        Proof { dot_env: "CODEX_OSS_PORT=1234\n", ..offline("config-layers", "both", &[]) },
        offline("model-provider", "both", &["model=\"gpt-0-nowhere\""]),
        offline("model-settings", "both", &["model_context_window=9000000"]),
        offline("provider-settings", "both", &["model_provider=\"r\"", "model_providers.r={name=\"R\",env_key=\"$R_KEY\"}"]),
        offline("base-url", "both", &["openai_base_url=\"https://api.openai.com/v1/responses\""]),
        offline("contradictions", "apikey-errors", &["model_provider=\"r\"", "model_providers.r={name=\"R\",env_key=\"R_KEY\"}"]),
        live("dns", "http://no-such-host.invalid/v1"),
        live("reachability", &format!("{lab}/v1")),
        asking("model-request", &format!("{late_lab}/v1")),
        offline("identity", "broken-auth", &[]),
        live("clock-skew", &format!("{late_lab}/v1")),
        Proof { bulk: Some(ARCHIVED), ..offline("session-bloat", "chatgpt-ok", &[]) },
        offline("context-pressure", "chatgpt-ok", &[]),
        Proof { hanging: true, ..offline("other-clients", "both", &[]) },
        offline("last-errors", "chatgpt-ok", &[]),
        // From a relay the sentence is open, and that another model answered speaks for one of the candidates.
        offline("error-history", "chatgpt-ok", &["openai_base_url=\"https://relay.example/v1\""]),
        Proof { text: Some("model_fallback"), ..offline("advice-checker", "chatgpt-ok", &[]) },
        // From a relay the sentence is open, and a window that is far from full speaks against one of the candidates.
        offline("rate-limits", "chatgpt-ok", &["openai_base_url=\"https://relay.example/v1\""]),
    ]
}

#[test]
fn each_check_changes_the_verdict_or_the_advice_of_a_sample_home() {
    let blocked =
        Lab::start(Scenario::models(Answer::text(403, "text/html", "<html><title>Just a moment...</title></html>"))).unwrap();
    let date = "Sun, 01 Nov 2026 00:00:00 GMT";
    let late = Lab::start(Scenario::models(Answer::json(200, serde_json::json!({ "data": [] })).header("Date", date))).unwrap();
    let mut idle = Vec::new();
    for proof in proofs(&blocked.origin(), &late.origin()) {
        let home = copied(&fixture("homes").join(proof.home));
        if !proof.dot_env.is_empty() {
            std::fs::write(home.path().join(".env"), proof.dot_env).unwrap();
        }
        if let Some(name) = proof.bulk {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = std::fs::File::create(path).unwrap();
            // Sparse: the size is there, the bytes are not.
            file.set_len(3_100_000_000).unwrap();
            file.set_modified((reference() - TimeDelta::days(40)).into()).unwrap();
        }
        let mut facts = proof
            .live
            .map_or_else(|| facts_with(home.path(), &proof.overrides), |asks| live_facts_of(home.path(), &proof.overrides, asks));
        if let Some(text) = proof.text {
            let given = ErrorText { text: text.to_owned(), ..ErrorText::default() };
            facts.error_text = Observed::known(given, "argument");
            facts.run.scope = Scope::Explain;
        }
        if proof.hanging {
            facts.clients = Observed::known(hanging(&facts), "/proc");
        }
        let (with, without) = (judged(&facts, &[]), judged(&facts, &[proof.check]));
        if with == without {
            idle.push(format!("{}: {with:?}", proof.check));
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
}

#[test]
fn every_check_has_its_proof() {
    let proven: Vec<&str> = proofs("", "").iter().map(|proof| proof.check).collect();
    let checks: Vec<&str> = registry::CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(proven, checks);
}

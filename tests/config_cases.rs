//! The verdict of the real Codex on a collection of configurations is the measure: ours must be equal to it.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use codex_triage::collect::config::{ConfigRequest, collect};
use codex_triage::collect::plan::{self, Plan};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::run::{Platform, Run, Scope};
use codex_triage_checks::finding::Severity;
use codex_triage_checks::registry;
use codex_triage_checks::{ConfigOutcome, Outcome, config_outcome};
use serde_json::Value;

/// Cases whose outcome is equal but whose message cannot be, with the reason.
const MESSAGES_NOT_MATCHED: [(&str, &str); 0] = [];

/// What a case expects, in our terms.
struct Case {
    name: String,
    folder: PathBuf,
    verdict: Value,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config-cases");
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let folder = entry.unwrap().path();
            let verdict = serde_json::from_slice(&std::fs::read(folder.join("verdict.json")).unwrap()).unwrap();
            Case { name: folder.file_name().unwrap().to_str().unwrap().to_owned(), folder, verdict }
        })
        .collect();
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    cases
}

fn copy(from: &Path, to: &Path, project: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap().path();
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &target, project);
        } else if let Ok(text) = std::fs::read_to_string(&entry) {
            std::fs::write(target, text.replace("$PROJECT", project.to_str().unwrap())).unwrap();
        } else {
            std::fs::copy(entry, target).unwrap();
        }
    }
}

/// Builds the machine of a case, and does something on it.
fn on_its_machine<T>(case: &Case, work: impl FnOnce(World, ConfigRequest) -> T) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let (home, project) = (scratch.path().join("home"), scratch.path().join("work"));
    copy(&case.folder, &home, &project);
    let directory = if home.join("project").is_dir() {
        copy(&home.join("project"), &project, &project);
        project
    } else {
        home.clone()
    };
    let environment = [("HOME".to_owned(), scratch.path().join("nobody").display().to_string())].into();
    let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
    let mut world = World::new(environment, directory, Some(&home), None, Platform::Linux, at, 0);
    world.system_config = scratch.path().join("etc");
    let mut request = ConfigRequest::default();
    let args: Vec<&str> = case.verdict["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for pair in args.chunks(2) {
        match pair {
            ["-c", pair] => request.overrides.push((*pair).to_owned()),
            ["--profile", name] => request.profile = Some((*name).to_owned()),
            other => panic!("{}: {other:?}", case.name),
        }
    }
    work(world, request)
}

fn ours(case: &Case) -> ConfigOutcome {
    on_its_machine(case, |world, request| {
        let (config, _) = collect(&world, &Redactor::new(&world), &request);
        config_outcome(config.value().unwrap(), case.verdict["codex_version"].as_str())
    })
}

/// The codes of the warnings and errors of `lint`, without those that tell what Codex itself tells.
fn warned(case: &Case) -> Vec<String> {
    let facts = on_its_machine(case, |world, request| {
        let redactor = Arc::new(Redactor::new(&world));
        let version = case.verdict["codex_version"].as_str().map(str::to_owned);
        let run = Run { scope: Scope::Lint, at: world.now, codex_version: version, ..Run::default() };
        let plan = Plan::new(request, Instant::now() + Duration::from_secs(20));
        plan::collect(plan, run, &Arc::new(world), &redactor).unwrap()
    });
    let findings = registry::run_all(&facts).into_iter();
    let own = findings.filter(|finding| finding.severity >= Severity::Warning && !CODEX_TELLS.contains(&finding.code.as_str()));
    own.map(|finding| finding.code).collect()
}

/// What `config-keys` says after Codex itself.
const CODEX_TELLS: [&str; 5] =
    ["config.unknown-key", "config.newer-key", "config.denied-key", "config.below-header", "config.untrusted-project"];

/// The cases that Codex takes and that have a fault all the same, with what is said of it. Anything else would be a false alarm.
const FAULTS_BEYOND_CODEX: [(&str, &[&str]); 14] = [
    // Words that the model does not offer, or that are written otherwise there.
    ("046-effort-minimal", &["effort.not-offered"]),
    ("055-effort-caps", &["effort.spelling"]),
    // The catalogues here do not have these models, and the official host is asked.
    ("093-base-url-at-root", &["model.not-in-catalogue"]),
    ("175-model-unknown-slug", &["model.not-in-catalogue"]),
    ("237-tab-indent", &["model.not-in-catalogue"]),
    ("147-provider-empty-base-url", &["base-url.not-a-url"]),
    ("149-provider-base-url-chat-completions", &["base-url.endpoint-pasted"]),
    ("150-provider-base-url-responses", &["base-url.endpoint-pasted"]),
    ("153-provider-env-key-is-secret", &["provider.key-in-env-key"]),
    ("171-openai-base-url-noscheme", &["base-url.no-scheme"]),
    ("215-windows-path-swallowed-escape", &["config.mangled-path"]),
    ("243-profile-file-missing", &["config.missing-profile"]),
    ("302-unseen-in-key", &["config.unseen-character"]),
    ("303-unseen-in-both", &["config.unseen-character", "config.unseen-character"]),
];

#[test]
fn what_codex_takes_is_warned_of_only_where_it_has_a_fault() {
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|case| ["accepted", "ignored"].contains(&case.verdict["verdict"].as_str().unwrap())) {
        let known = FAULTS_BEYOND_CODEX.iter().find(|(name, _)| *name == case.name);
        let expected = known.map_or(&[][..], |(_, codes)| *codes);
        let warned = warned(case);
        if warned != expected {
            wrong.push(format!("{}: {warned:?}, not {expected:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

#[test]
fn the_outcome_and_the_ignored_keys_are_those_of_codex() {
    let mut differences = Vec::new();
    for case in cases() {
        let ours = ours(&case);
        let expected = match case.verdict["verdict"].as_str().unwrap() {
            "accepted" | "ignored" | "rejected-strict-only" => Outcome::Accepted,
            _ => Outcome::Rejected,
        };
        let mut theirs: Vec<_> = case.verdict["ignored"]
            .as_array()
            .unwrap()
            .iter()
            .map(|key| (key["key"].as_str().unwrap().to_owned(), number(&key["line"]), number(&key["col"])))
            .collect();
        let mut found: Vec<_> = ours.ignored.iter().map(|key| (key.key.clone(), key.line, key.column)).collect();
        theirs.sort();
        found.sort();
        if ours.outcome != expected || theirs != found {
            differences.push(format!("{}: {ours:?}, Codex: {} {theirs:?}", case.name, case.verdict["verdict"]));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_refusal_is_worded_and_placed_as_codex_does() {
    let mut differences = Vec::new();
    for case in cases().iter().filter(|case| case.verdict["verdict"] == "rejected") {
        if MESSAGES_NOT_MATCHED.iter().any(|(name, _)| *name == case.name) {
            continue;
        }
        let Some(error) = ours(case).error else {
            differences.push(format!("{}: not refused", case.name));
            continue;
        };
        let normal = &case.verdict["normal"];
        if normal["message"].as_str() != Some(&error.message) || normal["key"].as_str() != error.key.as_deref() {
            differences.push(format!("{}: {error:?}, Codex: {normal}", case.name));
        }
        // Where the normal run names no place, the strict one may; it looks at each file by itself.
        let strict = &case.verdict["strict"];
        let place = if normal["line"].is_null() { strict } else { normal };
        let same_fault = place["message"].as_str() == Some(&error.message);
        if same_fault && !place["line"].is_null() && (number(&place["line"]), number(&place["col"])) != (error.line, error.column) {
            differences.push(format!("{}: at {:?}:{:?}, Codex: {place}", case.name, error.line, error.column));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

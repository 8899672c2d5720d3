//! Every row of the advice checker is true: by this program's own judgement, and by the real Codex where that is asked for
//! (`cargo test --test beliefs -- --ignored`).
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use codex_triage::collect::config::pasted;
use codex_triage::i18n::{Language, Texts};
use codex_triage::redact::Redactor;
use codex_triage::report::advice_list;
use codex_triage::world::World;
use codex_triage_checks::facts::config::{Config, Layer};
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::finding::Args;
use codex_triage_checks::knowledge::beliefs::{self, Belief, Fate};
use codex_triage_checks::{Outcome, config_outcome};
use common::Call;

fn layer(setting: &str) -> Layer {
    let home = tempfile::tempdir().unwrap();
    let at = chrono::DateTime::UNIX_EPOCH;
    let world =
        World::new(std::collections::BTreeMap::default(), home.path().into(), Some(home.path()), None, Platform::Linux, at, 0);
    pasted(setting, &Redactor::new(&world)).unwrap_or_else(|| panic!("{setting} is no TOML"))
}

/// What this program says that a release does with a setting: its fate, the ignored keys, the message of its refusal.
fn judged(setting: &str, version: &str) -> (Fate, Vec<String>, String) {
    let config = Config { layers: vec![layer(setting)], ..Config::default() };
    let outcome = config_outcome(&config, Some(version));
    let ignored: Vec<String> = outcome.ignored.iter().map(|key| key.key.clone()).collect();
    match (outcome.outcome, ignored.is_empty()) {
        (Outcome::Rejected, _) => (Fate::Rejected, ignored, outcome.error.unwrap().message),
        (_, true) => (Fate::Accepted, ignored, String::new()),
        (_, false) => (Fate::Ignored, ignored, String::new()),
    }
}

fn settings() -> impl Iterator<Item = (&'static Belief, &'static str)> {
    beliefs::rows().iter().filter_map(|row| Some((row, row.says.as_deref()?.trim_start())))
}

#[test]
fn each_setting_has_the_fate_that_its_row_tells() {
    assert!(settings().count() >= 30);
    for (row, setting) in settings() {
        let (fate, ignored, message) = judged(setting, "0.171.0");
        assert_eq!((Some(fate), &ignored), (row.outcome, &row.ignored), "{}: {message}", row.id);
        if let Some(refusal) = &row.refusal {
            assert!(message.starts_with(refusal), "{}: {message}", row.id);
        }
        for other in &row.releases {
            assert_eq!(judged(setting, &other.version).0, other.outcome, "{} on {}", row.id, other.version);
        }
    }
}

#[test]
fn the_finding_that_lint_makes_of_a_setting_is_the_one_that_tells_what_to_do() {
    for (row, setting) in settings() {
        let Some(code) = &row.found else { continue };
        let findings = advice_list::findings(setting);
        let told = findings.iter().find(|finding| finding.code == *code);
        let told = told.unwrap_or_else(|| panic!("{}: {:?}", row.id, findings.iter().map(|one| &one.code).collect::<Vec<_>>()));
        assert_eq!(told.message_id, row.text, "{}", row.id);
        assert!(row.advice.iter().all(|id| told.advice.contains(id)), "{}: {:?}", row.id, told.advice);
    }
}

#[test]
fn every_row_has_its_words_in_both_languages() {
    for language in [Language::En, Language::Zh] {
        let texts = Texts::new(language, chrono::DateTime::UNIX_EPOCH, 0);
        for row in beliefs::rows() {
            assert!(texts.has(&row.text), "{}: {}", row.id, row.text);
            if row.says.is_none() {
                texts.try_get(&format!("belief-{}-says", row.id), &Args::new()).unwrap();
            }
            let complete =
                row.says.as_deref().is_some_and(|says| advice_list::findings(says).iter().any(|one| one.message_id == row.text));
            if !complete {
                texts.try_get(&row.text, &Args::new()).unwrap_or_else(|problem| panic!("{}: {problem}", row.id));
            }
        }
    }
}

#[test]
fn explain_answers_a_setting_a_name_and_a_sentence() {
    for (text, code, word) in [
        (r#"model_fallback = "gpt-5""#, "belief.does-nothing", "model_fallback"),
        ("model_fallback = gpt-5", "belief.does-nothing", "model_fallback"),
        ("model_fallback", "belief.does-nothing", "model_fallback"),
        ("[model_providers.x]\nname = \"X\"\nwire_api = \"chat\"", "belief.refused", "wire_api"),
        (r#"model = "gpt-6-sol""#, "belief.taken", "0.171.0"),
        ("Upgrade to the Pro plan and it will work", "belief.does-nothing", "Upgrading"),
    ] {
        let output = Call::new(&["explain", "--json", text]).run();
        let report = output.json();
        let findings = report["findings"].as_array().unwrap();
        let told = findings.iter().find(|finding| finding["code"] == code).unwrap_or_else(|| panic!("{text}: {report:#}"));
        assert!(told["message"].as_str().unwrap().contains(word), "{text}: {told}");
        assert_eq!((report["verdict"]["cause"].as_str(), output.code), (Some("healthy"), 0), "{text}");
        assert_eq!(report["verdict"]["message_id"], "verdict-advice", "{text}");
    }
    let error = Call::new(&["explain", "--json", "Selected model is at capacity. Please try a different model."]).run();
    assert!(error.json()["findings"].as_array().unwrap().iter().all(|finding| finding["check"] != "advice-checker"));
}

#[test]
fn a_key_in_pasted_advice_is_hidden() {
    let key = "sk-proj-abcDEF1234567890abcDEF";
    let output = Call::new(&["explain", "--json", &format!("experimental_bearer_token = \"{key}\"")]).run();
    assert!(!output.stdout.contains(key));
}

#[test]
#[ignore = "needs the real Codex CLI"]
#[allow(clippy::disallowed_methods, reason = "the test itself starts programs")]
fn each_setting_has_the_fate_that_its_row_tells_with_the_real_codex() {
    use std::process::{Command, Stdio};
    let program = |version: &str| {
        let output = Command::new(".ci/oracle-install").arg(version).stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), ".ci/oracle-install {version} failed");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let run = |setting: &str, version: &str| {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("config.toml"), setting).unwrap();
        let output = Command::new(program(version))
            .args(["exec", "--strict-config", "--skip-git-repo-check"])
            .current_dir(scratch.path())
            .env("CODEX_HOME", scratch.path())
            .env("HOME", scratch.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let mut wrong = Vec::new();
    for (row, setting) in settings() {
        let said = run(setting, "0.171.0");
        let right = match row.outcome.unwrap() {
            Fate::Rejected => said.contains(row.refusal.as_deref().unwrap()),
            // The usual start tells of ignored keys only when there is something to do.
            Fate::Ignored => row.ignored.iter().all(|key| said.contains(&format!("unknown configuration field `{key}`"))),
            Fate::Accepted => said.contains("No prompt provided"),
        };
        if !right {
            wrong.push(format!("{}: {said}", row.id));
        }
        for other in &row.releases {
            let said = run(setting, &other.version);
            let starts = said.contains("No prompt provided");
            if starts == (other.outcome == Fate::Rejected) {
                wrong.push(format!("{} on {}: {said}", row.id, other.version));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

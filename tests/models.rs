//! Model, effort, tier and window as `lint` sees them: every layer, every release, every list, in whole sentences and at the place.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use codex_triage::i18n::{Language, Texts};
use codex_triage_checks::facts::Facts;
use codex_triage_checks::registry;
use common::Call;
use serde_json::{Value, json};

/// What `lint` finds beyond what is fine, of the two checks of models: message, severity, line.
fn linted(home: &std::path::Path, args: &[&str]) -> Vec<(String, String, Option<u64>)> {
    let report = Call::new(&[&["lint", "--json"], args].concat()).home(home).directory(home).run().json();
    let facts: Facts = serde_json::from_value(report["facts"].clone()).unwrap();
    for language in [Language::En, Language::Zh] {
        let texts = Texts::new(language, facts.run.at, 0);
        for finding in registry::run_all(&facts) {
            texts.try_get(&finding.message_id, &finding.args).unwrap_or_else(|problem| panic!("{}: {problem}", finding.message_id));
        }
    }
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of_models = |finding: &&Value| {
        let code = finding["code"].as_str().unwrap();
        finding["severity"] != "ok" && ["model.", "effort.", "tier.", "window."].iter().any(|area| code.starts_with(area))
    };
    let findings = report["findings"].as_array().unwrap().iter().filter(of_models);
    findings.map(|one| (text(&one["message_id"]), text(&one["severity"]), one["at"]["line"].as_u64())).collect()
}

fn home(files: &[(&str, &str)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(home.path().join(name), text).unwrap();
    }
    home
}

/// Message and line of the only finding.
fn said(config: &str, args: &[&str]) -> (String, Option<u64>) {
    let home = home(&[("config.toml", config)]);
    let [(id, _, line)] = linted(home.path(), args).try_into().unwrap_or_else(|found| panic!("{config}: {found:?}"));
    (id, line)
}

#[test]
fn each_fault_is_told_at_its_line() {
    for (config, release, id, line) in [
        ("model = \"gpt-6.2-sol\"", "0.165.0", "model-needs-newer-codex", 1),
        ("# old\nmodel = \"gpt-5.4\"", "0.171.0", "model-retired-for", 2),
        ("model = \"gpt-5.4\"", "0.153.4", "model-superseded", 1),
        ("model = \"gpt-99\"", "0.171.0", "model-not-in-catalogue", 1),
        ("model = \"GPT-6-Sol\"", "0.171.0", "model-not-in-catalogue-case", 1),
        ("model = \"gpt-6-sol-2026-08-01\"", "0.171.0", "model-by-beginning", 1),
        ("review_model = \"gpt-5.4\"", "0.171.0", "model-retired-for", 1),
        ("model = \"gpt-6-sol\"\nmodel_reasoning_effort = \"minimal\"", "0.171.0", "effort-not-offered", 2),
        ("model = \"gpt-6-sol\"\nmodel_reasoning_effort = \"High\"", "0.171.0", "effort-spelling", 2),
        ("model = \"gpt-6-sol\"\nmodel_reasoning_effort = \"none\"", "0.171.0", "effort-none", 2),
        ("model = \"gpt-6-luna\"\nplan_mode_reasoning_effort = \"ultra\"", "0.171.0", "effort-lowered", 2),
        ("[agents]\ndefault_subagent_reasoning_effort = \"huge\"", "0.171.0", "effort-not-offered", 2),
        ("service_tier = \"turbo\"", "0.171.0", "tier-omitted", 1),
        ("service_tier = \"Fast\"", "0.171.0", "tier-omitted-case", 1),
        ("service_tier = \"flex\"", "0.155.1", "tier-omitted", 1),
        ("model = \"gpt-5.4-mini\"\nservice_tier = \"fast\"", "0.142.5", "tier-omitted-others", 2),
        ("model_context_window = 1000000", "0.171.0", "window-capped", 1),
    ] {
        assert_eq!(said(config, &["--codex-version", release]), (id.to_owned(), Some(line)), "{config} on {release}");
    }
}

#[test]
fn the_layer_that_wins_is_the_one_that_is_judged() {
    let at = &["--codex-version", "0.171.0"];
    let home = home(&[
        ("config.toml", "model = \"gpt-99\"\nmodel_reasoning_effort = \"High\"\n"),
        ("fast.config.toml", "\nmodel = \"gpt-6-luna\"\nmodel_reasoning_effort = \"ultra\"\n"),
    ]);
    let ids = |args: &[&str]| -> Vec<(String, Option<u64>)> {
        linted(home.path(), &[at, args].concat()).into_iter().map(|(id, _, line)| (id, line)).collect()
    };
    assert_eq!(ids(&["-p", "fast"]), [("effort-lowered".to_owned(), Some(3))]);
    assert_eq!(ids(&["-c", "model=gpt-6-sol", "-c", "model_reasoning_effort=high"]), []);
    let by_override = ids(&["-c", "model=gpt-6-sol", "-c", "model_reasoning_effort=minimal"]);
    assert_eq!(by_override, [("effort-not-offered".to_owned(), None)]);
}

#[test]
fn valid_configurations_raise_nothing() {
    for config in [
        "",
        "model = \"gpt-6.2-sol\"\nmodel_reasoning_effort = \"ultra\"\nservice_tier = \"fast\"\nmodel_context_window = 872000",
        "model = \"gpt-6-sol\"\nmodel_reasoning_effort = \"xhigh\"\nservice_tier = \"flex\"\nreview_model = \"gpt-6-luna\"",
        "model = \"gpt-5.5\"\nservice_tier = \"default\"\nplan_mode_reasoning_effort = \"high\"",
        "model = \"qwen3-coder:30b\"\nmodel_provider = \"ollama\"\nmodel_reasoning_effort = \"minimal\"\nmodel_context_window = 1000000",
        "model = \"openai/gpt-oss-20b\"\nmodel_provider = \"lmstudio\"",
    ] {
        let home = home(&[("config.toml", config)]);
        assert_eq!(linted(home.path(), &["--codex-version", "0.171.0"]), [], "{config}");
    }
    // A relay has names and efforts of its own: no warning, whatever they are.
    let relay = "model = \"deepseek-flash\"\nmodel_provider = \"r\"\nmodel_reasoning_effort = \"minimal\"\nservice_tier = \"auto\"\n\
                 [model_providers.r]\nname = \"R\"\nbase_url = \"https://relay.example/v1\"\n";
    let home = home(&[("config.toml", relay)]);
    for (id, severity, _) in linted(home.path(), &["--codex-version", "0.171.0"]) {
        assert_eq!(severity, "note", "{id}");
    }
}

#[test]
fn the_list_that_was_fetched_for_a_login_counts_in_any_home_and_no_word_of_it_but_the_models_comes_out() {
    let model = |slug: &str| {
        json!({ "slug": slug, "visibility": "list", "description": "canary-description", "base_instructions": "canary-prompt",
                "supported_reasoning_levels": [{ "effort": "low", "description": "canary-effort" }], "service_tiers": [] })
    };
    let list = |at: String, version: &str| {
        json!({ "fetched_at": at, "etag": "canary-etag", "client_version": version, "identity": "canary-identity",
                "models": [model("gpt-7-sol"), model("gpt-6-luna")] })
        .to_string()
    };
    let hour_ago = || (codex_triage::world::World::clock() - chrono::TimeDelta::hours(1)).to_rfc3339();
    let login = r#"{"auth_mode": "chatgpt", "tokens": {"id_token": "e30.e30.x", "access_token": "e30.e30.x", "refresh_token": "r", "account_id": "a"}}"#;
    for (at, version, model, id) in [
        (hour_ago(), "0.171.0", "gpt-7-sol", None),
        (hour_ago(), "0.171.0", "gpt-6.2-sol", Some("model-not-for-this-login")),
        (hour_ago(), "0.171.0", "GPT-7-Sol", Some("model-not-for-this-login-case")),
        (hour_ago(), "0.169.0", "gpt-7-sol", Some("model-not-in-catalogue-but-offered")),
        ("2026-01-01T00:00:00Z".to_owned(), "0.171.0", "gpt-7-sol", Some("model-not-in-catalogue-but-offered")),
        ("2026-01-01T00:00:00Z".to_owned(), "0.171.0", "gpt-6.2-sol", None),
    ] {
        let home = home(&[
            ("config.toml", &format!("model = \"{model}\"\n")),
            ("auth.json", login),
            ("models_cache.json", &list(at, version)),
        ]);
        let args = ["--codex-version", "0.171.0"];
        let found: Vec<String> = linted(home.path(), &args).into_iter().map(|(id, ..)| id).collect();
        assert_eq!(found, id.into_iter().map(str::to_owned).collect::<Vec<_>>(), "{model} {version}");
        let output = Call::new(&[&["lint", "--json", "-v"][..], &args].concat()).home(home.path()).run();
        assert!(!output.stdout.contains("canary") && !output.stderr.contains("canary"), "{}", output.stdout);
    }
}

#[test]
fn a_list_that_cannot_be_read_is_said_and_spoils_nothing() {
    let home = home(&[("config.toml", "model = \"gpt-6-sol\"\n"), ("models_cache.json", "{\"models\": \"canary\"")]);
    let report = Call::new(&["lint", "--json", "--codex-version", "0.171.0"]).home(home.path()).run().json();
    assert_eq!(report["facts"]["model_cache"]["state"], "failed");
    assert!(report["skipped"].as_array().unwrap().iter().any(|one| one["fact"] == "model_cache"), "{}", report["skipped"]);
    assert_eq!(report["verdict"]["cause"], "healthy");
    assert!(!report.to_string().contains("canary"));
}

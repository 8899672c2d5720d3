//! Values of a right type that Codex refuses all the same, at its start.

use super::codex::Codex;
use super::tree::Value;
use super::types::Fault;
use crate::facts::config::{Config, LayerName, Scalar};
use crate::knowledge::config_rules::Rule;
use crate::knowledge::providers;

/// Values of a right type that Codex refuses at its start, in the order in which it looks.
pub(super) fn fault<'config>(config: &'config Config, merged: &Value<'config>, codex: Codex) -> Option<Fault<'config>> {
    let fault = |message: String, at: Option<&Value<'config>>| {
        let origin = at.and_then(|value| value.origin);
        Some(Fault { message, key: None, origin, place: origin })
    };
    let get = |name: &str| merged.get(name);
    if let Some((message, at)) = get("tui").and_then(|tui| tui.get("presets")).filter(|_| knows_presets(codex)).and_then(preset) {
        return fault(message, Some(at));
    }
    if get("experimental_thread_store_endpoint").is_some() {
        let message = "`experimental_thread_store_endpoint` is no longer supported; remove it from config.toml".to_owned();
        return fault(message, get("experimental_thread_store_endpoint"));
    }
    if let Some(profile) = get("profile").and_then(Value::text).filter(|_| codex.has(Rule::NoProfileKey)) {
        let message = format!(
            "legacy `profile = \"{profile}\"` config is no longer supported; use `--profile {profile}` with `{profile}.config.toml` instead"
        );
        return fault(message, get("profile"));
    }
    if let Some((message, at)) = get("model_providers").and_then(|providers| super::rules::adapted_late(providers, codex)) {
        return fault(message, Some(at));
    }
    let xaa = merged.at(&["features", "use_xaa"]).filter(|xaa| xaa.is_true());
    if xaa.and_then(|xaa| xaa.origin).is_some_and(|(layer, _)| layer.name == LayerName::Project) && knows_xaa(codex) {
        return fault("`[features].use_xaa = true` must be selected in a non-project config layer".to_owned(), xaa);
    }
    let sandbox = merged.at(&["windows", "sandbox"]);
    let forbidden = merged.at(&["windows", "allow_mxc"]).is_some_and(Value::is_false);
    if forbidden && sandbox.and_then(Value::text) == Some("mxc") {
        return fault("windows.sandbox = \"mxc\" is not allowed when windows.allow_mxc = false".to_owned(), sandbox);
    }
    if let Some((message, at)) = super::permissions::fault(merged, config.platform) {
        return fault(message, at);
    }
    if get("approval_policy").and_then(Value::text) == Some("untrusted") && codex.has(Rule::NoUntrustedPolicy) {
        let message = "approval_policy = \"untrusted\" is no longer supported; remove this setting".to_owned();
        return fault(message, get("approval_policy"));
    }
    if let Some((message, at)) = selected_provider(merged) {
        return fault(message, at);
    }
    if let Some(file) = config.unreadable_files.first() {
        let message = match file.key.as_str() {
            "model_catalog_json" => file.error.clone(),
            key => {
                let what =
                    if key == "model_instructions_file" { "model instructions file" } else { "experimental compact prompt file" };
                match file.error.as_str() {
                    "is empty" => format!("{what} is empty: {}", file.file),
                    error => format!("failed to read {what} {}: {error}", file.file),
                }
            }
        };
        return fault(message, get(&file.key));
    }
    bounds(merged, codex).and_then(|(message, at)| fault(message, at))
}

fn knows_presets(codex: Codex) -> bool {
    codex.keys.key(&["tui", "presets"]).is_some_and(|key| key.status.is_known())
}

/// What is wrong with a preset of the terminal interface.
fn preset<'tree, 'config>(presets: &'tree Value<'config>) -> Option<(String, &'tree Value<'config>)> {
    presets.table()?.iter().find_map(|(slot, preset)| {
        let is_digit = slot.len() == 1 && slot.bytes().all(|byte| byte.is_ascii_digit());
        let is_empty = preset.get("input").and_then(Value::text).is_some_and(|input| input.trim().is_empty());
        let message = match (is_digit, is_empty) {
            (false, _) => format!("tui.presets.{slot}: slot must be a single digit from 0 to 9"),
            (_, true) => format!("tui.presets.{slot}: Preset input cannot be empty."),
            _ => return None,
        };
        Some((message, preset))
    })
}

fn knows_xaa(codex: Codex) -> bool {
    codex.keys.key(&["features", "use_xaa"]).is_some_and(|key| key.status.is_known())
}

fn selected_provider<'tree, 'config>(merged: &'tree Value<'config>) -> Option<(String, Option<&'tree Value<'config>>)> {
    let at = merged.get("model_provider")?;
    let id = at.text()?;
    let defined = merged.at(&["model_providers", id]).is_some();
    if defined || providers::is_built_in(id) {
        return None;
    }
    Some((undefined_provider(id), Some(at)))
}

/// What Codex says of a selected provider that is not defined.
pub(crate) fn undefined_provider(id: &str) -> String {
    match id {
        "ollama-chat" => "`ollama-chat` is no longer supported.\nHow to fix: replace `ollama-chat` with `ollama` in `model_provider`, `oss_provider`, or `--local-provider`.\nMore info: https://github.com/openai/codex/discussions/7782".to_owned(),
        _ => format!("Model provider `{id}` not found"),
    }
}

/// The longest delay that Codex takes, found by halving on 0.171.0.
const LONGEST_DELAY_S: i64 = 9_223_372_036_854_773_400;

fn bounds<'tree, 'config>(merged: &'tree Value<'config>, codex: Codex) -> Option<(String, Option<&'tree Value<'config>>)> {
    let renamed = codex.has(Rule::AgentsRenamed);
    let agents: &[&str] = if renamed { &["max_concurrent_threads_per_session", "max_threads"] } else { &["max_threads"] };
    let none = |name: &&&str| merged.at(&["agents", **name]).and_then(Value::number) == Some(0.0);
    if let Some(name) = agents.iter().find(none) {
        let message = format!("agents.{} must be at least 1", agents[0]);
        return Some((message, merged.at(&["agents", name])));
    }
    let depth = merged.at(&["agents", "max_depth"]);
    if !renamed && depth.and_then(Value::number).is_some_and(|depth| depth < 1.0) {
        return Some(("agents.max_depth must be at least 1".to_owned(), depth));
    }
    let percent = merged.get("model_post_turn_compact_threshold_percent");
    let knows = |name: &str| codex.keys.root().knows(name);
    let is_too_much = percent.and_then(Value::number).is_some_and(|percent| percent > 100.0);
    if is_too_much && knows("model_post_turn_compact_threshold_percent") {
        let message = "model_post_turn_compact_threshold_percent must be between 0 and 100".to_owned();
        return Some((message, percent));
    }
    let secret = merged.at(&["mcp_enterprise_managed_auth", "idp", "client_secret"]);
    if secret.and_then(Value::text) == Some("") && knows("mcp_enterprise_managed_auth") {
        return Some(("enterprise IdP client_secret must not be empty".to_owned(), secret));
    }
    let delay = merged.get("thread_unload_delay_secs");
    let seconds = delay.and_then(|delay| delay.origin).and_then(|(_, entry)| entry.value.as_ref());
    let is_too_long = matches!(seconds, Some(Scalar::Integer(seconds)) if *seconds > LONGEST_DELAY_S);
    if is_too_long && knows("thread_unload_delay_secs") {
        return Some(("thread_unload_delay_secs is too large".to_owned(), delay));
    }
    let budget = merged.at(&["features", "rollout_budget"])?;
    rollout_budget(budget, codex).map(|message| (message, Some(budget)))
}

/// What a budget for a rollout lacks, when it is on.
fn rollout_budget(budget: &Value<'_>, codex: Codex) -> Option<String> {
    let is_on = budget.is_true() || budget.get("enabled").is_some_and(Value::is_true);
    let lacks = |name: &str| budget.get(name).is_none();
    if !is_on {
        return None;
    }
    if codex.has(Rule::RolloutBudgetOrTokens) {
        let needs = lacks("limit_tokens") && lacks("limit_budget");
        return needs.then(|| "features.rollout_budget requires limit_tokens or limit_budget when enabled".to_owned());
    }
    let needed = ["limit_tokens", "reminder_at_remaining_tokens"].into_iter().find(|name| lacks(name))?;
    Some(format!("features.rollout_budget.{needed} is required when rollout_budget is enabled"))
}

/// A legacy profile of the same name as the one asked for with `-p` stops Codex.
pub(super) fn legacy_profile(config: &Config, codex: Codex) -> Option<Fault<'_>> {
    let name = config.profile.as_deref().filter(|_| codex.has(Rule::NoProfileKey))?;
    let layer = config.layers.iter().find(|layer| layer.name == LayerName::User)?;
    let entry = layer.entries.iter().find(|entry| {
        let path: Vec<&str> = entry.path.iter().map(String::as_str).collect();
        let selects = matches!(&entry.value, Some(Scalar::String(value)) if value == name);
        path == ["profiles", name] || (path == ["profile"] && selects)
    })?;
    let file = layer.file.clone().unwrap_or_default();
    let own = format!("{}{name}.config.toml", file.trim_end_matches("config.toml"));
    let message = format!(
        "--profile `{name}` cannot be used while {file} contains legacy `profile = \"{name}\"` or `[profiles.{name}]` config; move those settings into {own} and remove the legacy profile selector/table. See https://developers.openai.com/codex/config-advanced#profiles for more information."
    );
    Some(Fault { message, key: None, origin: Some((layer, entry)), place: Some((layer, entry)) })
}

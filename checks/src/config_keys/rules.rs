//! What Codex refuses although every type is right: rules between keys, and values without a meaning.

use super::tree::{Shape, Value};
use super::types::Fault;
use crate::facts::config::{Config, LayerName, Scalar};
use crate::knowledge::providers;

/// Keys of an MCP server that only a local program may have, in the order in which Codex looks.
const ONLY_STDIO: [&str; 5] = ["args", "env", "env_vars", "cwd", "bearer_token"];
/// Keys of an MCP server that only one reached by URL may have, in the order in which Codex looks.
const ONLY_HTTP: [&str; 9] = [
    "url",
    "bearer_token_env_var",
    "bearer_token",
    "http_headers",
    "env_http_headers",
    "http_headers_helper",
    "auth",
    "oauth",
    "oauth_resource",
];

/// What is wrong with one MCP server.
pub(super) fn server(server: &Value<'_>) -> Option<String> {
    let table = server.table()?;
    let has = |name: &str| table.contains_key(name);
    let (transport, forbidden): (&str, &[&str]) = match (has("command"), has("url")) {
        (true, _) => ("stdio", &ONLY_HTTP),
        (false, true) => ("streamable_http", &ONLY_STDIO),
        (false, false) => return Some("invalid transport".to_owned()),
    };
    if let Some(name) = forbidden.iter().find(|name| has(name)) {
        return Some(format!("{name} is not supported for {transport}"));
    }
    if let Some(message) = table.get("startup_timeout_sec").and_then(|timeout| super::types::seconds(timeout.number())) {
        return Some(message.to_owned());
    }
    if table.get("http_headers_helper").and_then(Value::text) == Some("") {
        return Some("http_headers_helper must not be empty".to_owned());
    }
    let secret = server.at(&["oauth", "client_secret"]).and_then(Value::text);
    (secret == Some("")).then(|| "oauth.client_secret must not be empty".to_owned())
}

/// What is wrong with the providers as a whole, and with which.
pub(super) fn providers<'tree, 'config>(providers: &'tree Value<'config>) -> Option<(String, &'tree Value<'config>)> {
    let table = providers.table()?;
    let reserved: Vec<(&&str, &Value)> = table.iter().filter(|(id, provider)| is_reserved(id, provider)).collect();
    if let Some((_, first)) = reserved.first() {
        let ids = reserved.iter().map(|(id, _)| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        let message = format!(
            "model_providers contains reserved built-in provider IDs: {ids}. Built-in providers cannot be overridden. Rename your custom provider (for example, `openai-custom`)."
        );
        return Some((message, first));
    }
    providers.in_order("model_providers").into_iter().find_map(|(id, provider)| {
        let message = if providers::is_adaptable(id) { adapted(id, provider)? } else { own(id, provider)? };
        Some((message, provider))
    })
}

/// Whether a built-in provider is redefined. An empty table for `openai` changes nothing, and Codex lets it pass.
fn is_reserved(id: &str, provider: &Value<'_>) -> bool {
    providers::is_reserved(id) && (id != "openai" || provider.table().is_some_and(|table| changes(table.iter())))
}

/// Whether one of these keys says something else than Codex would assume.
fn changes<'value, 'config: 'value>(keys: impl Iterator<Item = (&'value &'config str, &'value Value<'config>)>) -> bool {
    let node = crate::knowledge::config::root().below.get("model_providers").and_then(|providers| providers.below.get("*"));
    keys.filter(|(key, _)| node.is_some_and(|node| node.knows(key))).any(|(key, value)| match *key {
        "wire_api" | "model_catalog_url" => false,
        "requires_openai_auth" | "supports_websockets" | "supports_standalone_web_search" => value.is_true(),
        _ => true,
    })
}

/// What is wrong with an adapted built-in provider.
fn adapted(id: &str, provider: &Value<'_>) -> Option<String> {
    let table = provider.table()?;
    let rest = table.iter().filter(|(key, _)| !["base_url", "auth", "http_headers", "aws"].contains(key));
    if changes(rest) {
        return Some(format!(
            "model_providers.{id} only supports changing `base_url`, `auth`, `http_headers`, `aws.profile`, `aws.region`, `aws.credential_export`, and `aws.auth_refresh`; other non-default provider fields are not supported"
        ));
    }
    let command = |path: &[&str]| provider.at(path).and_then(Value::text);
    match (command(&["aws", "auth_refresh", "command"]), command(&["aws", "credential_export", "command"])) {
        (Some(refresh), _) if refresh.trim().is_empty() => {
            Some(format!("model_providers.{id}: provider aws.auth_refresh.command must not be empty"))
        }
        (Some(refresh), _) if refresh != "aws" => {
            Some(format!("model_providers.{id}: provider aws.auth_refresh.command must be `aws`"))
        }
        (_, Some(export)) if export.trim().is_empty() => {
            Some(format!("model_providers.{id}: provider aws.credential_export.command must not be empty"))
        }
        _ => None,
    }
}

/// What is wrong with a provider of one's own.
fn own(id: &str, provider: &Value<'_>) -> Option<String> {
    let table = provider.table()?;
    let has = |name: &str| table.contains_key(name);
    let says = |message: &str| Some(format!("model_providers.{id}: {message}"));
    if has("aws") {
        return says("provider aws is only supported for `amazon-bedrock` or `amazon-bedrock-runtime`");
    }
    if table.get("name").and_then(Value::text).is_none_or(|name| name.trim().is_empty()) {
        return says("provider name must not be empty");
    }
    if let Some(auth) = table.get("auth") {
        if auth.get("command").and_then(Value::text).is_some_and(|command| command.trim().is_empty()) {
            return says("provider auth.command must not be empty");
        }
        let excluded = ["env_key", "experimental_bearer_token", "requires_openai_auth"].into_iter().find(|name| match *name {
            "requires_openai_auth" => table.get(name).is_some_and(Value::is_true),
            _ => has(name),
        });
        if let Some(name) = excluded {
            return says(&format!("provider auth cannot be combined with {name}"));
        }
    }
    if has("gateway_oauth") && !has("base_url") {
        return says("gateway_oauth requires base_url");
    }
    None
}

/// Sandbox profiles that Codex brings along.
const BUILT_IN_PERMISSIONS: [&str; 3] = [":danger-full-access", ":read-only", ":workspace"];

/// Values of a right type that Codex refuses at its start, in the order in which it looks.
pub(super) fn meaning<'config>(config: &'config Config, merged: &Value<'config>) -> Option<Fault<'config>> {
    let fault = |message: String, at: Option<&Value<'config>>| {
        let origin = at.and_then(|value| value.origin);
        Some(Fault { message, key: None, origin, place: origin })
    };
    let get = |name: &str| merged.get(name);
    if get("experimental_thread_store_endpoint").is_some() {
        let message = "`experimental_thread_store_endpoint` is no longer supported; remove it from config.toml".to_owned();
        return fault(message, get("experimental_thread_store_endpoint"));
    }
    if let Some(profile) = get("profile").and_then(Value::text) {
        let message = format!(
            "legacy `profile = \"{profile}\"` config is no longer supported; use `--profile {profile}` with `{profile}.config.toml` instead"
        );
        return fault(message, get("profile"));
    }
    if let Some((message, at)) = permissions(merged) {
        return fault(message, at);
    }
    if get("approval_policy").and_then(Value::text) == Some("untrusted") {
        let message = "approval_policy = \"untrusted\" is no longer supported; remove this setting".to_owned();
        return fault(message, get("approval_policy"));
    }
    if let Some((message, at)) = selected_provider(config, merged) {
        return fault(message, at);
    }
    if let Some(file) = config.unreadable_files.first() {
        let message = match file.key.as_str() {
            "model_catalog_json" => file.error.clone(),
            key => {
                let what = if key == "model_instructions_file" { "model instructions file" } else { "experimental compact prompt file" };
                match file.error.as_str() {
                    "is empty" => format!("{what} is empty: {}", file.file),
                    error => format!("failed to read {what} {}: {error}", file.file),
                }
            }
        };
        return fault(message, get(&file.key));
    }
    bounds(merged).and_then(|(message, at)| fault(message, at))
}

fn selected_provider<'tree, 'config>(
    config: &'config Config,
    merged: &'tree Value<'config>,
) -> Option<(String, Option<&'tree Value<'config>>)> {
    let at = merged.get("model_provider")?;
    let id = at.text()?;
    let defined = merged.at(&["model_providers", id]).is_some();
    // A name that was masked as a secret cannot be compared.
    if defined || providers::is_built_in(id) || id.contains('<') && !config.names_below(&["model_providers"]).is_empty() {
        return None;
    }
    Some((
        match id {
            "ollama-chat" => "`ollama-chat` is no longer supported.\nHow to fix: replace `ollama-chat` with `ollama` in `model_provider`, `oss_provider`, or `--local-provider`.\nMore info: https://github.com/openai/codex/discussions/7782".to_owned(),
            _ => format!("Model provider `{id}` not found"),
        },
        Some(at),
    ))
}

fn permissions<'tree, 'config>(merged: &'tree Value<'config>) -> Option<(String, Option<&'tree Value<'config>>)> {
    let table = merged.get("permissions");
    let defined = table.and_then(Value::table).filter(|profiles| !profiles.is_empty());
    let selected = merged.get("default_permissions");
    let message = match (selected.and_then(Value::text), defined) {
        (None, Some(_)) => {
            let message = "config defines `[permissions]` profiles but does not set `default_permissions`".to_owned();
            return Some((message, table));
        }
        (Some(name), _) if name.starts_with(':') => {
            if BUILT_IN_PERMISSIONS.contains(&name) {
                return None;
            }
            format!("default_permissions refers to unknown built-in profile `{name}`")
        }
        (Some(_), None) => "default_permissions requires a `[permissions]` table".to_owned(),
        (Some(name), Some(profiles)) if !profiles.contains_key(name) => {
            format!("default_permissions refers to undefined profile `{name}`")
        }
        _ => return None,
    };
    Some((message, selected))
}

/// The longest delay that Codex takes, found by halving on 0.171.0.
const LONGEST_DELAY_S: i64 = 9_223_372_036_854_773_400;

fn bounds<'tree, 'config>(merged: &'tree Value<'config>) -> Option<(String, Option<&'tree Value<'config>>)> {
    let agents = ["max_concurrent_threads_per_session", "max_threads"];
    let none = |name: &&&str| merged.at(&["agents", **name]).and_then(Value::number) == Some(0.0);
    if let Some(name) = agents.iter().find(none) {
        let message = "agents.max_concurrent_threads_per_session must be at least 1".to_owned();
        return Some((message, merged.at(&["agents", name])));
    }
    let percent = merged.get("model_post_turn_compact_threshold_percent");
    if percent.and_then(Value::number).is_some_and(|percent| percent > 100.0) {
        let message = "model_post_turn_compact_threshold_percent must be between 0 and 100".to_owned();
        return Some((message, percent));
    }
    let secret = merged.at(&["mcp_enterprise_managed_auth", "idp", "client_secret"]);
    if secret.and_then(Value::text) == Some("") {
        return Some(("enterprise IdP client_secret must not be empty".to_owned(), secret));
    }
    let delay = merged.get("thread_unload_delay_secs");
    let seconds = delay.and_then(|delay| delay.origin).and_then(|(_, entry)| entry.value.as_ref());
    if matches!(seconds, Some(Scalar::Integer(seconds)) if *seconds > LONGEST_DELAY_S) {
        return Some(("thread_unload_delay_secs is too large".to_owned(), delay));
    }
    let budget = merged.at(&["features", "rollout_budget"]);
    let needs_limit = budget.is_some_and(|budget| match &budget.shape {
        Shape::Table(table) => {
            budget.get("enabled").is_some_and(Value::is_true)
                && !table.contains_key("limit_tokens")
                && !table.contains_key("limit_budget")
        }
        _ => budget.is_true(),
    });
    needs_limit.then(|| ("features.rollout_budget requires limit_tokens or limit_budget when enabled".to_owned(), budget))
}

/// A legacy profile of the same name as the one asked for with `-p` stops Codex.
pub(super) fn legacy_profile<'config>(config: &'config Config) -> Option<Fault<'config>> {
    let name = config.profile.as_deref()?;
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

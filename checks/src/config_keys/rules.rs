//! Rules between the keys of one MCP server and of one provider.

use super::codex::Codex;
use super::tree::{Shape, Value};
use crate::knowledge::config_rules::Rule;
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
pub(super) fn server(server: &Value<'_>, codex: Codex) -> Option<String> {
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
    let issuer = server.at(&["oauth", "authorization_server_issuer"]);
    if issuer.is_some() && table.get("auth").and_then(Value::text) != Some("ema_auth") && knows_issuer(codex) {
        return Some("oauth.authorization_server_issuer requires auth = \"ema_auth\"".to_owned());
    }
    if let Some(source) = server.get("env_vars").and_then(unsupported_source) {
        return Some(format!("unsupported env_vars source `{source}`; expected `local` or `remote`"));
    }
    if let Some(id) = table.get("environment_id").and_then(Value::text).filter(|id| *id != "local" && transport == "stdio")
        && codex.has(Rule::RemoteStdioCwd)
        && table.get("cwd").and_then(Value::text).is_none_or(|cwd| !cwd.starts_with('/'))
    {
        return Some(format!("remote stdio MCP servers require an absolute cwd when environment_id is `{id}`"));
    }
    if let Some(message) = table.get("startup_timeout_sec").and_then(|timeout| super::numbers::seconds(timeout.number())) {
        return Some(message.to_owned());
    }
    if table.get("http_headers_helper").and_then(Value::text) == Some("") {
        return Some("http_headers_helper must not be empty".to_owned());
    }
    let secret = server.at(&["oauth", "client_secret"]).and_then(Value::text);
    (secret == Some("")).then(|| "oauth.client_secret must not be empty".to_owned())
}

fn knows_issuer(codex: Codex) -> bool {
    let key = codex.keys.key(&["mcp_servers", "x", "oauth", "authorization_server_issuer"]);
    key.is_some_and(|key| key.status.is_known())
}

/// The first place that a variable comes from and that Codex does not know.
fn unsupported_source<'config>(variables: &Value<'config>) -> Option<&'config str> {
    let Shape::Array(variables) = &variables.shape else { return None };
    let sources = variables.iter().filter_map(|variable| variable.get("source").and_then(Value::text));
    sources.into_iter().find(|source| !["local", "remote"].contains(source))
}

/// What is wrong with the providers as a whole, and with which.
pub(super) fn providers<'tree, 'config>(providers: &'tree Value<'config>, codex: Codex) -> Option<(String, &'tree Value<'config>)> {
    let table = providers.table()?;
    let reserved: Vec<(&&str, &Value)> = table.iter().filter(|(id, provider)| is_reserved(id, provider, codex)).collect();
    if let Some((_, first)) = reserved.first() {
        let ids = reserved.iter().map(|(id, _)| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        let message = format!(
            "model_providers contains reserved built-in provider IDs: {ids}. Built-in providers cannot be overridden. Rename your custom provider (for example, `openai-custom`)."
        );
        return Some((message, first));
    }
    providers.in_order("model_providers").into_iter().find_map(|(id, provider)| {
        let message = if is_adaptable(id, codex) {
            adapted(id, provider, codex).filter(|_| codex.has(Rule::BedrockAtLoad))?
        } else if providers::is_reserved(id) {
            return None;
        } else {
            own(id, provider, codex)?
        };
        Some((message, provider))
    })
}

/// Whether a built-in provider is redefined. An empty table for `openai` changes nothing, and Codex lets it pass.
fn is_reserved(id: &str, provider: &Value<'_>, codex: Codex) -> bool {
    let may_be_empty = id == "openai" && codex.has(Rule::EmptyOpenaiProvider);
    providers::is_reserved(id) && (!may_be_empty || provider.table().is_some_and(|table| changes(table.iter(), codex)))
}

/// Whether one of these keys says something else than Codex would assume.
fn changes<'value, 'config: 'value>(
    keys: impl Iterator<Item = (&'value &'config str, &'value Value<'config>)>,
    codex: Codex,
) -> bool {
    let node = codex.keys.root().below.get("model_providers").and_then(|providers| providers.below.get("*"));
    keys.filter(|(key, _)| node.is_some_and(|node| node.knows(key))).any(|(key, value)| match *key {
        "wire_api" | "model_catalog_url" => false,
        "requires_openai_auth" | "supports_websockets" | "supports_standalone_web_search" => value.is_true(),
        _ => true,
    })
}

fn is_adaptable(id: &str, codex: Codex) -> bool {
    providers::is_adaptable(id) && (id != "amazon-bedrock-runtime" || codex.has(Rule::BedrockRuntime))
}

/// What is wrong with an adapted provider, in releases that look at it after the types.
pub(super) fn adapted_late<'tree, 'config>(
    providers: &'tree Value<'config>,
    codex: Codex,
) -> Option<(String, &'tree Value<'config>)> {
    let adapted = |(id, provider): (&'config str, &'tree Value<'config>)| {
        Some((adapted(id, provider, codex).filter(|_| is_adaptable(id, codex))?, provider))
    };
    providers.in_order("model_providers").into_iter().find_map(adapted).filter(|_| !codex.has(Rule::BedrockAtLoad))
}

/// What may be changed of an adapted provider, in Codex's words.
fn changeable(codex: Codex) -> &'static str {
    if codex.has(Rule::BedrockExport) {
        "`base_url`, `auth`, `http_headers`, `aws.profile`, `aws.region`, `aws.credential_export`, and `aws.auth_refresh`"
    } else if codex.has(Rule::BedrockRefresh) {
        "`base_url`, `auth`, `http_headers`, `aws.profile`, `aws.region`, and `aws.auth_refresh`"
    } else if codex.has(Rule::BedrockAddress) {
        "`base_url`, `auth`, `http_headers`, `aws.profile`, and `aws.region`"
    } else {
        "`aws.profile` and `aws.region`"
    }
}

/// What is wrong with an adapted built-in provider.
fn adapted(id: &str, provider: &Value<'_>, codex: Codex) -> Option<String> {
    let table = provider.table()?;
    let own: &[&str] = if codex.has(Rule::BedrockAddress) { &["base_url", "auth", "http_headers", "aws"] } else { &["aws"] };
    let rest = table.iter().filter(|(key, _)| !own.contains(key));
    if changes(rest, codex) {
        let changeable = changeable(codex);
        return Some(format!(
            "model_providers.{id} only supports changing {changeable}; other non-default provider fields are not supported"
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
fn own(id: &str, provider: &Value<'_>, codex: Codex) -> Option<String> {
    let table = provider.table()?;
    let has = |name: &str| table.contains_key(name);
    let says = |message: &str| Some(format!("model_providers.{id}: {message}"));
    if has("aws") {
        let runtime = if codex.has(Rule::BedrockRuntime) { " or `amazon-bedrock-runtime`" } else { "" };
        return says(&format!("provider aws is only supported for `amazon-bedrock`{runtime}"));
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
    let knows_gateway = codex.keys.key(&["model_providers", id, "gateway_oauth"]).is_some_and(|key| key.status.is_known());
    if has("gateway_oauth") && knows_gateway && !has("base_url") {
        return says("gateway_oauth requires base_url");
    }
    None
}

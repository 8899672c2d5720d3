//! Whose a host is, by its name: `hosts.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::facts::Facts;
use crate::facts::credentials::{CredentialKind, Credentials};
use crate::facts::endpoint::HostKind;

/// One row of `hosts.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The host, or `.example.com` for all hosts below it.
    host: String,
    kind: HostKind,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    host: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../knowledge/hosts.toml")).expect("hosts.toml is checked by a test");
    file.host
});

/// Whose `host` is.
pub fn host_kind(host: &str) -> HostKind {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback()) {
        return HostKind::Loopback;
    }
    let fits = |row: &&Row| match row.host.strip_prefix('.') {
        Some(_) => host.ends_with(&row.host),
        None => host == row.host,
    };
    ROWS.iter().find(fits).map_or(HostKind::Other, |row| row.kind)
}

/// Whose the address of a failed request is, from the last URL with `/responses` in an error text, else from its last URL.
pub fn host_kind_in_text(text: &str) -> Option<HostKind> {
    url_hosts(text).last().map(|host| host_kind(host))
}

/// The hosts of the request URLs in a text (help and billing pages that errors name are not requests).
pub fn url_hosts(text: &str) -> Vec<String> {
    let mut hosts = Vec::new();
    for (start, scheme) in text.match_indices("http") {
        let Some(rest) = text[start + scheme.len()..].trim_start_matches('s').strip_prefix("://") else { continue };
        let url: &str =
            rest.split(|character: char| character.is_whitespace() || ",)\"'`>".contains(character)).next().unwrap_or_default();
        let is_request = ["/responses", "/backend-api/", "/models", "/oauth/"].iter().any(|part| url.contains(part));
        if !is_request {
            continue;
        }
        let authority = url.split(['/', '?']).next().unwrap_or_default();
        let host_and_port = authority.rsplit('@').next().unwrap_or_default();
        let host = match host_and_port.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or_default(),
            None => host_and_port.split(':').next().unwrap_or_default(),
        };
        hosts.push(host.to_ascii_lowercase());
    }
    hosts
}

/// The name of the shell variable that stands for the key in a command to paste.
pub fn key_variable(credentials: &Credentials, _facts: &Facts) -> String {
    match credentials.used() {
        Some(used) if used.kind == CredentialKind::ProviderEnvKey => format!("${}", used.place),
        Some(used) if used.kind == CredentialKind::EnvApiKey => "$CODEX_API_KEY".to_owned(),
        _ => "$KEY".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_only_begins_or_ends_like_an_official_one_is_not_official() {
        assert_eq!(host_kind("api.openai.com"), HostKind::Official);
        assert_eq!(host_kind("API.OpenAI.com."), HostKind::Official);
        assert_eq!(host_kind("api.openai.com.relay.example"), HostKind::Other);
        assert_eq!(host_kind("notopenai.com"), HostKind::Other);
        assert_eq!(host_kind("127.0.0.1"), HostKind::Loopback);
        assert_eq!(host_kind("me.openai.azure.com"), HostKind::Cloud);
    }

    #[test]
    fn help_pages_in_an_error_are_no_request_addresses() {
        let text =
            "Rate limit reached. Visit https://platform.openai.com/account/rate-limits, url: http://127.0.0.1:8080/v1/responses";
        assert_eq!(url_hosts(text), ["127.0.0.1"]);
        assert_eq!(host_kind_in_text("see https://help.openai.com"), None);
    }
}

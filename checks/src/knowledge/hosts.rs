//! Whose a host is, by its name: `hosts.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::facts::credentials::{CredentialKind, Credentials};
use crate::facts::endpoint::HostKind;

/// One row of `hosts.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The host, or `.example.com` for all hosts below it.
    pub host: String,
    /// Whose it is.
    pub kind: HostKind,
    /// The base URLs at which its own pages place the Responses API, the usual one first. Empty: not known here.
    #[serde(default)]
    pub bases: Vec<String>,
    /// The day on which its own pages described chat completions and no Responses API.
    pub chat_only: Option<String>,
    /// Where it comes from.
    pub source: String,
}

#[derive(Deserialize)]
struct File {
    host: Vec<Host>,
}

static ROWS: LazyLock<Vec<Host>> = LazyLock::new(|| {
    let file: File = knowledge!("hosts");
    file.host
});

/// What is known of `host`.
pub fn known(host: &str) -> Option<&'static Host> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    ROWS.iter().find(|row| match row.host.strip_prefix('.') {
        Some(_) => host.ends_with(&row.host),
        None => host == row.host,
    })
}

/// Whose `host` is.
pub fn host_kind(host: &str) -> HostKind {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback()) {
        return HostKind::Loopback;
    }
    known(host).map_or(HostKind::Other, |row| row.kind)
}

/// Whose the address of a failed request is, from the last URL with `/responses` in an error text, else from its last URL.
pub fn host_kind_in_text(text: &str) -> Option<HostKind> {
    let urls = request_urls(text);
    let request = urls.iter().rev().find(|url| url.path.contains("/responses"));
    request.or(urls.last()).map(|url| host_kind(&url.host))
}

/// A URL of a request, as an error text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestUrl {
    /// The host, lower case, without brackets.
    pub host: String,
    /// The path, lower case.
    pub path: String,
}

/// The host in the authority of a URL, an IPv6 address in its brackets: without the user before it and the port behind it.
pub(crate) fn host_in(authority: &str) -> &str {
    let host_and_port = authority.rsplit('@').next().unwrap_or_default();
    // The colons of an address in brackets are its own.
    let end = host_and_port.find(']').map_or_else(|| host_and_port.find(':'), |bracket| Some(bracket + 1));
    &host_and_port[..end.unwrap_or(host_and_port.len())]
}

/// What follows this many characters of a URL tells nothing of where it leads.
const LONGEST_URL: usize = 2048;

/// The URLs of requests in a text (help and billing pages that errors name are not requests).
pub fn request_urls(text: &str) -> Vec<RequestUrl> {
    let text = text.to_ascii_lowercase();
    let mut urls = Vec::new();
    for (start, scheme) in text.match_indices("://") {
        if !["http", "https", "ws", "wss"].iter().any(|known| text[..start].ends_with(known)) {
            continue;
        }
        let rest = &text[start + scheme.len()..];
        let ends = |character: char| character.is_whitespace() || ",)\"'`><;".contains(character);
        let rest = &rest[..rest.char_indices().nth(LONGEST_URL).map_or(rest.len(), |(end, _)| end)];
        let url = rest.split(ends).next().unwrap_or_default().trim_end_matches(['.', ':']);
        if !["/responses", "/backend-api/", "/models", "/oauth/", "/chat/completions"].iter().any(|part| url.contains(part)) {
            continue;
        }
        let (authority, path) = url.split_at(url.find(['/', '?']).unwrap_or(url.len()));
        let host = host_in(authority).trim_start_matches('[').trim_end_matches(']');
        urls.push(RequestUrl { host: host.to_owned(), path: path.to_owned() });
    }
    urls
}

/// The hosts of the request URLs in a text.
pub fn url_hosts(text: &str) -> Vec<String> {
    request_urls(text).into_iter().map(|url| url.host).collect()
}

/// The name of the shell variable that stands for the key in a command to paste.
pub fn key_variable(credentials: &Credentials) -> String {
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
    fn what_is_said_of_a_host_has_a_source_with_a_day_and_addresses_of_that_host() {
        for row in ROWS.iter() {
            let day = |text: &str| text.len() >= 10 && text[text.len() - 10..].starts_with("20");
            assert!(day(&row.source), "{}: {}", row.host, row.source);
            assert!(row.chat_only.as_deref().is_none_or(day), "{}", row.host);
            assert!(row.bases.is_empty() || row.chat_only.is_none(), "{} speaks it or does not", row.host);
            for base in &row.bases {
                let host = base.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap();
                assert!(host == row.host && !base.ends_with('/'), "{base}");
            }
        }
    }

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

    #[test]
    fn a_text_of_one_endless_address_is_read_in_time() {
        let text = "http://a/".repeat(20_000);
        assert!(request_urls(&text).is_empty());
    }
}

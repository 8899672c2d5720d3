//! What can be wrong with a base address, by its letters alone.

use crate::facts::Facts;
use crate::facts::endpoint::{Endpoint, HostKind, Unshown};
use crate::finding::Severity;
use crate::knowledge::hosts;

/// Codex cannot build a request, or asks for a path that no server has.
const SURE: i16 = 30;
/// Some server may forgive it.
const LIKELY: i16 = 25;
/// The host's own pages name another path; pages and paths change.
const BY_ITS_PAGES: i16 = 15;
/// Some relays serve the API at their root.
pub(super) const PERHAPS: i16 = 6;
/// A path of its own says that somebody thought about it.
pub(super) const HARDLY: i16 = 3;

/// One thing that is wrong with the address.
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) weight: i16,
    /// The address as it was probably meant.
    pub(super) meant: Option<String>,
    /// The day of what is known of the host.
    pub(super) day: Option<&'static str>,
    /// Its message, where that is not the one of its code.
    pub(super) message: Option<&'static str>,
}

impl Fault {
    /// One that breaks every request.
    fn of(code: &'static str, weight: i16, meant: Option<String>) -> Self {
        Self { code, severity: Severity::Error, weight, meant, day: None, message: None }
    }

    /// One that breaks nothing.
    fn harmless(code: &'static str, severity: Severity) -> Self {
        Self { severity, ..Self::of(code, 0, None) }
    }

    fn worded(self, message: &'static str) -> Self {
        Self { message: Some(message), ..self }
    }
}

/// The endpoint that Codex would make of the address of a provider that it does not ask. A rough reading: enough for a hint.
pub(crate) fn endpoint(provider: &str, origin: &str, base: &str) -> Endpoint {
    // Another kind of space makes it no address.
    let base_read = base.trim_start_matches(' ');
    let (scheme, rest) = base_read.split_once("://").unwrap_or(("", base));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = hosts::host_in(authority).to_ascii_lowercase();
    let valid = matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(['$', '{', '%', ' ', '<']);
    Endpoint {
        provider: provider.to_owned(),
        built_in: false,
        origin: origin.to_owned(),
        base_url: base.to_owned(),
        unshown: Vec::new(),
        request_url: valid.then(|| format!("{}/responses", base_read.trim_end_matches('/'))),
        host_kind: hosts::host_kind(&host),
        host: valid.then_some(host),
        port: None,
        scheme: Some(scheme.to_owned()).filter(|scheme| !scheme.is_empty()),
        model: None,
        file: None,
        line: None,
        column: None,
    }
}

pub(super) fn faults(endpoint: &Endpoint) -> Vec<Fault> {
    let base = endpoint.base_url.as_str();
    if is_unexpanded(base) {
        return vec![Fault::of("base-url.unexpanded", SURE, None)];
    }
    if endpoint.request_url.is_none() && endpoint.unshown.contains(&Unshown::Kept) {
        return vec![Fault::of("base-url.invisible", SURE, None).worded("base-url-invisible-unusable")];
    }
    let trimmed = base.trim();
    if endpoint.request_url.is_none() && trimmed != base && ["http://", "https://"].iter().any(|scheme| trimmed.starts_with(scheme))
    {
        return vec![Fault::of("base-url.space", SURE, Some(trimmed.to_owned())).worded("base-url-space-unusable")];
    }
    if endpoint.request_url.is_none() {
        return vec![match base.split_once("://") {
            Some((scheme @ ("ws" | "wss"), rest)) => {
                let plain = if scheme == "ws" { "http" } else { "https" };
                Fault::of("base-url.websocket", SURE, Some(format!("{plain}://{rest}")))
            }
            None if !base.trim().is_empty() && (base.contains('.') || base.starts_with("localhost")) => {
                Fault::of("base-url.no-scheme", SURE, Some(with_scheme(base)))
            }
            _ => Fault::of("base-url.not-a-url", SURE, None),
        }];
    }
    let mut faults = unshown(endpoint);
    // A space before the address is cut off; one behind it becomes part of the path.
    if base.starts_with(' ') {
        faults.push(Fault::harmless("base-url.space", Severity::Note).worded("base-url-space-before"));
    }
    if base.trim_start().contains(char::is_whitespace) {
        faults.push(Fault::of("base-url.space", LIKELY, Some(base.split_whitespace().collect())));
    }
    if let Some((address, _)) = base.split_once(['?', '#']) {
        let meant = without_endpoint(address).unwrap_or_else(|| address.to_owned());
        faults.push(Fault::of("base-url.query", LIKELY, Some(meant)));
    }
    let path = path(base);
    if let Some(meant) = without_endpoint(base) {
        faults.push(Fault::of("base-url.endpoint-pasted", SURE, Some(meant)));
    } else if let Some(meant) = with_single_version(base) {
        faults.push(Fault::of("base-url.doubled-v1", LIKELY, Some(meant)));
    } else if faults.iter().all(|fault| fault.weight == 0) {
        faults.extend(other_path(endpoint, base, path));
    }
    faults.extend(chat_only(endpoint));
    faults.extend(plain_http(endpoint, base));
    faults
}

/// What the address holds that its fact does not show.
pub(super) fn unshown(endpoint: &Endpoint) -> Vec<Fault> {
    let fault = |unshown: &Unshown| match unshown {
        Unshown::UserInfo => Fault::harmless("base-url.user-info", Severity::Warning),
        Unshown::Dropped => Fault::harmless("base-url.invisible", Severity::Note).worded("base-url-invisible-dropped"),
        Unshown::Kept => Fault::of("base-url.invisible", LIKELY, None),
    };
    endpoint.unshown.iter().map(fault).collect()
}

/// The address without the path of an endpoint that was pasted with it.
pub(crate) fn without_endpoint(base: &str) -> Option<String> {
    let path = path(base);
    // A gateway may call a path of its own `models`; behind the version it is the list of models.
    let is_list = path.ends_with("/v1/models").then_some("/models");
    let pasted = ["/chat/completions", "/completions", "/responses"].into_iter().find(|endpoint| path.ends_with(endpoint));
    let pasted = pasted.or(is_list)?;
    // From the end of the path: a host may be called like it.
    let (address, rest) = split_query(base);
    let address = address.strip_suffix(pasted)?.trim_end_matches('/');
    Some(format!("{address}{rest}"))
}

/// The address up to the end of its path, without ending slashes, and what follows: a query or a fragment.
fn split_query(base: &str) -> (&str, &str) {
    let base = base.trim_end();
    let (address, rest) = base.split_at(base.find(['?', '#']).unwrap_or(base.len()));
    (address.trim_end().trim_end_matches('/'), rest)
}

/// The address with one version instead of two.
pub(crate) fn with_single_version(base: &str) -> Option<String> {
    path(base).contains("/v1/v1").then(|| base.replacen("/v1/v1", "/v1", 1))
}

/// The address with the usual version.
pub(crate) fn with_version(base: &str) -> String {
    let (address, rest) = split_query(base);
    format!("{address}/v1{rest}")
}

/// The place of the selected address, when it lacks a version and nothing speaks for that being meant.
pub(crate) fn lacks_version_at(facts: &Facts) -> Option<(&str, Option<u32>, Option<u32>)> {
    let endpoint = facts.endpoint.value()?;
    let lacks = faults(endpoint).iter().any(|fault| fault.code == "base-url.lacks-v1" && fault.weight >= PERHAPS);
    lacks.then_some((endpoint.file.as_deref()?, endpoint.line, endpoint.column))
}

/// A path that is not the one of this host, or has no version where most have one.
fn other_path(endpoint: &Endpoint, base: &str, path: &str) -> Option<Fault> {
    // What Azure wants of a path is told by `provider-settings`.
    if endpoint.origin.starts_with("default") || endpoint.host_kind == HostKind::Cloud {
        return None;
    }
    let host = endpoint.host.as_deref().unwrap_or_default();
    if host == "chatgpt.com" {
        return None;
    }
    let known = hosts::known(host);
    if let Some(usual) = known.and_then(|known| known.bases.first()) {
        let written = format!("https://{}{path}", host.trim_end_matches('.'));
        if known.is_some_and(|known| known.bases.contains(&written)) {
            return None;
        }
        let lacks = endpoint.host_kind == HostKind::Official;
        let (code, severity, weight) = if lacks && !path.split('/').any(is_version) {
            ("base-url.lacks-v1", Severity::Error, LIKELY)
        } else {
            ("base-url.other-path", Severity::Warning, BY_ITS_PAGES)
        };
        return Some(Fault { severity, day: known.map(day), ..Fault::of(code, weight, Some(usual.clone())) });
    }
    if path.split('/').any(is_version) || known.is_some_and(|known| known.chat_only.is_some()) {
        return None;
    }
    let (severity, weight) = match (endpoint.host_kind, path.is_empty()) {
        (HostKind::Official, _) => (Severity::Error, LIKELY),
        (_, true) => (Severity::Warning, PERHAPS),
        (_, false) => (Severity::Note, HARDLY),
    };
    if let Some(version) = path.split('/').find(|segment| is_version(&segment.to_ascii_lowercase())) {
        let meant = Some(base.replacen(version, &version.to_ascii_lowercase(), 1));
        return Some(Fault { severity: Severity::Note, ..Fault::of("base-url.capitals", HARDLY, meant) });
    }
    Some(Fault { severity, ..Fault::of("base-url.lacks-v1", weight, Some(with_version(base))) })
}

fn day(host: &'static hosts::Host) -> &'static str {
    host.source.rsplit(", ").next().unwrap_or_default()
}

/// The host's own pages describe no Responses API. It may have learnt it since.
fn chat_only(endpoint: &Endpoint) -> Option<Fault> {
    let day = hosts::known(endpoint.host.as_deref()?)?.chat_only.as_deref()?;
    Some(Fault { day: Some(day), ..Fault::harmless("base-url.chat-only", Severity::Warning) })
}

/// A key sent to a public host without encryption. It breaks nothing, but it gives the key away.
fn plain_http(endpoint: &Endpoint, base: &str) -> Option<Fault> {
    let public = endpoint.host.as_deref().is_some_and(is_public) && endpoint.host_kind != HostKind::Loopback;
    let meant = || Some(base.replacen("http://", "https://", 1));
    (endpoint.scheme.as_deref() == Some("http") && public)
        .then(|| Fault { meant: meant(), ..Fault::harmless("base-url.plain-http", Severity::Warning) })
}

/// `v1`, `v2`, `v1beta`.
pub(crate) fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

/// The path of an address, without query and ending slashes.
pub(crate) fn path(base: &str) -> &str {
    let address = base.split(['?', '#']).next().unwrap_or_default().trim();
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map_or("", |slash| rest[slash..].trim_end_matches('/'))
}

/// `${NAME}`, `$NAME`, `%NAME%`, `{{name}}` or `<name>`: a template that nobody filled in.
fn is_unexpanded(base: &str) -> bool {
    let percent = base.split('%').nth(1).is_some_and(|name| {
        name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') && base.matches('%').count() >= 2
    });
    let dollar = base
        .split_once('$')
        .is_some_and(|(_, rest)| rest.starts_with('{') || rest.starts_with(|character: char| character.is_ascii_uppercase()));
    percent || dollar || base.contains("{{")
}

/// The address with its beginning: set before it, or with the colon and the slashes of a Chinese keyboard put right.
fn with_scheme(base: &str) -> String {
    let plain = base.trim().replace('：', ":").replace('／', "/");
    if plain.starts_with("http://") || plain.starts_with("https://") {
        return plain;
    }
    let scheme = if plain.starts_with("localhost") || plain.starts_with("127.") { "http" } else { "https" };
    format!("{scheme}://{plain}")
}

/// Whether a host is reached over a public network: neither a private address nor a name without a dot.
pub(crate) fn is_public(host: &str) -> bool {
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return !(address.is_private() || address.is_loopback() || address.is_link_local());
    }
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<std::net::Ipv6Addr>() {
        return !(address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local());
    }
    host.contains('.') && ![".local", ".lan", ".internal", ".home.arpa"].iter().any(|ending| host.ends_with(ending))
}

//! Base URL: does the address that Codex builds for its requests make sense?
//!
//! # What it checks
//! The base URL of the selected provider and the request URL that Codex makes of it: ending slashes off, `/responses` on, nothing
//! else. A scheme, a version in the path, a pasted endpoint, a doubled part, a query, a space, a variable that nobody expands.
//!
//! # Why it matters
//! Codex does not check the address when it loads the configuration. What is missing or doubled there comes back as a 404 with a
//! message about something else, or as a stream that ends before it began.
//!
//! # What it cannot tell
//! Whether a relay serves its API below `/v1` or at its root: some do the one, some the other. The live request or the URL in the
//! error decides; the address alone is a hint.
//!
//! # Fix
//! Write the address up to and with its version (`https://relay.example/v1`); put query parameters into `query_params`; write the
//! name out instead of a variable.
//!
//! # Example
//! `base_url = "https://relay.example/v1/chat/completions"` makes Codex ask for `/v1/chat/completions/responses`.

use crate::facts::Facts;
use crate::facts::endpoint::{Endpoint, HostKind};
use crate::finding::{Finding, Place, Severity};
use crate::kind::{Kind, Target};

pub(crate) const ID: &str = "base-url";

/// One fault of the address, whatever its signs.
const GROUP: &str = "base-url";
/// Codex cannot build a request, or asks for a path that no server has.
const SURE: i16 = 30;
/// Some server may forgive it.
const LIKELY: i16 = 25;
/// Some relays serve the API at their root.
const PERHAPS: i16 = 6;
/// A path of its own says that somebody thought about it.
const HARDLY: i16 = 3;

pub(crate) fn codes() -> Vec<String> {
    [
        "base-url.ok",
        "base-url.lacks-v1",
        "base-url.endpoint-pasted",
        "base-url.doubled-v1",
        "base-url.query",
        "base-url.no-scheme",
        "base-url.unexpanded",
        "base-url.space",
        "base-url.plain-http",
        "base-url.not-a-url",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(endpoint) = facts.endpoint.value() else { return vec![Finding::cannot_tell(ID, &facts.endpoint)] };
    let mut findings: Vec<Finding> = faults(endpoint).into_iter().map(|fault| found(&fault, endpoint, facts)).collect();
    if findings.is_empty() {
        let url = endpoint.request_url.clone().unwrap_or_default();
        findings.push(Finding::new(ID, "base-url.ok", Severity::Ok, [("url", url)]).evidence(endpoint.origin.clone()));
    }
    findings
}

/// One thing that is wrong with the address.
struct Fault {
    code: &'static str,
    severity: Severity,
    weight: i16,
    /// The address as it was probably meant.
    meant: Option<String>,
}

fn faults(endpoint: &Endpoint) -> Vec<Fault> {
    let base = endpoint.base_url.as_str();
    let fault = |code, weight, meant: Option<String>| Fault { code, severity: Severity::Error, weight, meant };
    if is_unexpanded(base) {
        return vec![fault("base-url.unexpanded", SURE, None)];
    }
    if endpoint.request_url.is_none() {
        let has_scheme = base.contains("://");
        let is_host = base.contains('.') || base.starts_with("localhost");
        return vec![match (base.trim().is_empty(), has_scheme, is_host) {
            (false, false, true) => fault("base-url.no-scheme", SURE, Some(format!("{}://{base}", scheme_for(base)))),
            _ => fault("base-url.not-a-url", SURE, None),
        }];
    }
    let mut faults = Vec::new();
    // A space before the address is cut off; one behind it becomes part of the path.
    if base.trim_start().contains(char::is_whitespace) {
        faults.push(fault("base-url.space", LIKELY, Some(base.split_whitespace().collect())));
    }
    if let Some((address, _)) = base.split_once(['?', '#']) {
        faults.push(fault("base-url.query", LIKELY, Some(address.to_owned())));
    }
    let path = path(base);
    if let Some(meant) = without_endpoint(base) {
        faults.push(fault("base-url.endpoint-pasted", SURE, Some(meant)));
    } else if let Some(meant) = with_single_version(base) {
        faults.push(fault("base-url.doubled-v1", LIKELY, Some(meant)));
    } else if faults.is_empty() {
        faults.extend(lacks_version(endpoint, base, path));
    }
    faults.extend(plain_http(endpoint, base));
    faults
}

/// The address without the path of an endpoint that was pasted with it.
pub(crate) fn without_endpoint(base: &str) -> Option<String> {
    let path = path(base);
    let pasted = ["/chat/completions", "/completions", "/responses"].into_iter().find(|endpoint| path.ends_with(endpoint))?;
    // From the end of the path: a host may be called like it.
    let address = base.split(['?', '#']).next().unwrap_or_default().trim_end().trim_end_matches('/');
    Some(address.strip_suffix(pasted)?.trim_end_matches('/').to_owned())
}

/// The address with one version instead of two.
pub(crate) fn with_single_version(base: &str) -> Option<String> {
    path(base).contains("/v1/v1").then(|| base.replacen("/v1/v1", "/v1", 1))
}

/// The address with the usual version.
pub(crate) fn with_version(base: &str) -> String {
    format!("{}/v1", base.trim_end().trim_end_matches('/'))
}

/// The place of the selected address, when it lacks a version and nothing speaks for that being meant.
pub(crate) fn lacks_version_at(facts: &Facts) -> Option<(&str, Option<u32>, Option<u32>)> {
    let endpoint = facts.endpoint.value()?;
    let lacks = faults(endpoint).iter().any(|fault| fault.code == "base-url.lacks-v1" && fault.weight >= PERHAPS);
    lacks.then_some((endpoint.file.as_deref()?, endpoint.line, endpoint.column))
}

fn lacks_version(endpoint: &Endpoint, base: &str, path: &str) -> Option<Fault> {
    let chatgpt = endpoint.host.as_deref() == Some("chatgpt.com");
    if endpoint.origin.starts_with("default") || chatgpt || path.split('/').any(is_version) {
        return None;
    }
    let (severity, weight) = match (endpoint.host_kind, path.is_empty()) {
        (HostKind::Official, _) => (Severity::Error, LIKELY),
        (_, true) => (Severity::Warning, PERHAPS),
        (_, false) => (Severity::Warning, HARDLY),
    };
    let meant = Some(with_version(base));
    Some(Fault { code: "base-url.lacks-v1", severity, weight, meant })
}

/// A key sent to a public host without encryption. It breaks nothing, but it gives the key away.
fn plain_http(endpoint: &Endpoint, base: &str) -> Option<Fault> {
    let public = endpoint.host.as_deref().is_some_and(is_public) && endpoint.host_kind != HostKind::Loopback;
    (endpoint.scheme.as_deref() == Some("http") && public).then(|| Fault {
        code: "base-url.plain-http",
        severity: Severity::Warning,
        weight: 0,
        meant: Some(base.replacen("http://", "https://", 1)),
    })
}

/// `v1`, `v2`, `v1beta`.
pub(crate) fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

/// The path of an address, without query and ending slashes.
fn path(base: &str) -> &str {
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

fn scheme_for(base: &str) -> &'static str {
    if base.starts_with("localhost") || base.starts_with("127.") { "http" } else { "https" }
}

/// Whether a host is reached over a public network: neither a private address nor a name without a dot.
fn is_public(host: &str) -> bool {
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return !(address.is_private() || address.is_loopback() || address.is_link_local());
    }
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<std::net::Ipv6Addr>() {
        return !(address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local());
    }
    host.contains('.') && ![".local", ".lan", ".internal", ".home.arpa"].iter().any(|ending| host.ends_with(ending))
}

fn found(fault: &Fault, endpoint: &Endpoint, facts: &Facts) -> Finding {
    let mut finding = Finding::new(ID, fault.code, fault.severity, [("base_url", endpoint.base_url.clone())])
        .arg("key", endpoint.origin.clone())
        .arg("url", endpoint.request_url.clone().unwrap_or_default())
        .group(GROUP)
        .evidence(endpoint.origin.clone());
    if fault.weight > 0 {
        finding = finding.weighs(Target::Kind(Kind::ConfigBaseUrl), fault.weight);
    }
    if let Some(meant) = &fault.meant {
        finding = finding.arg("suggestion", meant.clone());
    }
    let Some(file) = endpoint.file.clone() else { return finding };
    let entry = facts.config.value().and_then(|config| {
        let layer = config.layers.iter().find(|layer| layer.file.as_ref() == Some(&file))?;
        layer.entries.iter().find(|entry| (entry.line, entry.column) == (endpoint.line, endpoint.column))
    });
    finding.at(Place {
        file,
        line: endpoint.line,
        column: endpoint.column,
        length: entry.and_then(|entry| entry.length),
        shown: entry.and_then(|entry| entry.shown.clone()),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::knowledge::hosts::host_kind;

    /// An endpoint as the collector makes it, without its URL parser.
    pub(crate) fn endpoint(base: &str) -> Endpoint {
        let (scheme, rest) = base.split_once("://").unwrap_or(("", base));
        let host = rest.split(['/', ':', '?']).next().unwrap_or_default().to_owned();
        let valid = matches!(scheme, "http" | "https") && !host.contains(['$', '{', ' ']);
        Endpoint {
            provider: "p".to_owned(),
            built_in: false,
            origin: "model_providers.p.base_url".to_owned(),
            base_url: base.to_owned(),
            request_url: valid.then(|| format!("{}/responses", base.trim_end_matches('/'))),
            host_kind: host_kind(&host),
            host: valid.then_some(host),
            port: Some(443),
            scheme: Some(scheme.to_owned()),
            model: None,
            file: None,
            line: None,
            column: None,
        }
    }

    fn of(base: &str) -> Vec<(String, i16)> {
        let facts = Facts { endpoint: Observed::known(endpoint(base), "test"), ..Facts::default() };
        let weight = |finding: &Finding| finding.weights.get("config.base-url").copied().unwrap_or(0);
        run(&facts).iter().map(|finding| (finding.code.trim_start_matches("base-url.").to_owned(), weight(finding))).collect()
    }

    fn one(base: &str) -> (String, i16) {
        let all = of(base);
        assert_eq!(all.len(), 1, "{base}: {all:?}");
        all[0].clone()
    }

    #[test]
    fn addresses_that_work_are_left_in_peace() {
        for base in [
            "https://relay.example/v1",
            "https://relay.example/v1/",
            "https://relay.example/api/v3",
            "http://127.0.0.1:8080/v1",
            "http://10.0.0.5:1234/v1",
            "http://gpu-box:8000/v1",
            "https://chatgpt.com/backend-api/codex",
            "https://x.openai.azure.com/openai/v1",
        ] {
            assert_eq!(one(base).0, "ok", "{base}");
        }
    }

    #[test]
    fn what_surely_breaks_every_request_weighs_as_such() {
        for (base, code) in [
            ("relay.example/v1", "no-scheme"),
            ("localhost:8080/v1", "no-scheme"),
            ("", "not-a-url"),
            ("ws://relay.example/v1", "not-a-url"),
            ("${RELAY_URL}/v1", "unexpanded"),
            ("https://$RELAY/v1", "unexpanded"),
            ("%RELAY_URL%/v1", "unexpanded"),
            ("https://relay.example/v1/responses", "endpoint-pasted"),
            ("https://relay.example/v1/chat/completions/", "endpoint-pasted"),
            ("https://relay.example/v1/v1", "doubled-v1"),
            ("https://relay.example/v1?api-version=1", "query"),
            ("https://relay.example/v1 ", "space"),
            ("https://api.openai.com", "lacks-v1"),
        ] {
            let (found, weight) = one(base);
            assert_eq!(found, code, "{base}");
            assert!(weight >= 25, "{base}: {weight}");
        }
    }

    #[test]
    fn a_relay_without_a_version_is_a_hint_only() {
        assert_eq!(one("https://relay.example"), ("lacks-v1".to_owned(), PERHAPS));
        assert_eq!(one("https://relay.example/openai"), ("lacks-v1".to_owned(), HARDLY));
    }

    #[test]
    fn a_public_host_without_encryption_is_a_warning_without_weight() {
        assert_eq!(of("http://relay.example/v1"), [("plain-http".to_owned(), 0)]);
    }

    #[test]
    fn the_meant_address_is_told() {
        let facts = |base: &str| Facts { endpoint: Observed::known(endpoint(base), "test"), ..Facts::default() };
        let meant = |base: &str| run(&facts(base))[0].args.get("suggestion").cloned();
        assert_eq!(meant("https://r.example/v1/responses"), Some("https://r.example/v1".into()));
        assert_eq!(meant("r.example/v1"), Some("https://r.example/v1".into()));
        assert_eq!(meant("https://r.example/"), Some("https://r.example/v1".into()));
    }

    #[test]
    fn without_an_endpoint_nothing_is_told() {
        let absent = Facts { endpoint: Observed::absent("provider amazon-bedrock"), ..Facts::default() };
        assert_eq!(run(&absent)[0].code, "base-url.absent");
        assert_eq!(run(&Facts::default())[0].code, "base-url.skipped");
    }
}

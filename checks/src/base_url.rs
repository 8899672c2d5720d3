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

pub(crate) mod address;

use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer, Scalar};
use crate::facts::endpoint::Endpoint;
use crate::facts::run::Scope;
use crate::finding::{Finding, Place, Severity};
use crate::kind::{Kind, Target};
use crate::provider_table::selected_id;
use crate::subject::Subject;
use address::Fault;
pub(crate) use address::{lacks_version_at, with_single_version, with_version, without_endpoint};

pub(crate) const ID: &str = "base-url";

/// One fault of the address, whatever its signs.
const GROUP: &str = "base-url";
/// A host that does not speak Codex's protocol, where a request failed: its pages may be behind.
const CHAT_ONLY: i16 = 12;

pub(crate) fn codes() -> Vec<String> {
    [
        "base-url.ok",
        "base-url.lacks-v1",
        "base-url.other-path",
        "base-url.endpoint-pasted",
        "base-url.doubled-v1",
        "base-url.query",
        "base-url.no-scheme",
        "base-url.websocket",
        "base-url.capitals",
        "base-url.unexpanded",
        "base-url.space",
        "base-url.invisible",
        "base-url.user-info",
        "base-url.plain-http",
        "base-url.chat-only",
        "base-url.not-a-url",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let mut findings = match facts.endpoint.value() {
        Some(endpoint) => selected(endpoint, facts),
        None => vec![Finding::cannot_tell(ID, &facts.endpoint)],
    };
    findings.extend(facts.config.value().map(|config| others(config, facts)).unwrap_or_default());
    findings
}

fn selected(endpoint: &Endpoint, facts: &Facts) -> Vec<Finding> {
    let faults = address::faults(endpoint);
    if faults.is_empty() {
        let url = endpoint.request_url.clone().unwrap_or_default();
        let fine = Finding::new(ID, "base-url.ok", Severity::Ok, [("url", url)]).evidence(endpoint.origin.clone());
        return vec![fine];
    }
    let place = endpoint.file.as_ref().and_then(|file| {
        let layer = facts.config.value()?.layers.iter().find(|layer| layer.file.as_ref() == Some(file))?;
        let at = (endpoint.line, endpoint.column);
        Some((layer, layer.entries.iter().find(|entry| (entry.line, entry.column) == at)?))
    });
    let weighed = faults.iter().map(|fault| weighed(found(fault, endpoint, place), fault, facts));
    // A hint that some relays belie is no warning about a file.
    let is_hint =
        |finding: &Finding| facts.run.scope == Scope::Lint && finding.severity == Severity::Warning && accuses_little(finding);
    weighed.map(|finding| if is_hint(&finding) { Finding { severity: Severity::Note, ..finding } } else { finding }).collect()
}

fn accuses_little(finding: &Finding) -> bool {
    finding.code == "base-url.lacks-v1" && finding.weights.values().all(|decibans| *decibans <= address::PERHAPS)
}

/// The addresses of the providers that Codex does not ask now. What is wrong there waits for whoever selects one.
fn others(config: &Config, facts: &Facts) -> Vec<Finding> {
    let selected = selected_id(config);
    let mut findings = Vec::new();
    let addresses = config.names_below(&["model_providers"]).into_iter().filter(|id| *id != selected);
    let mut paths: Vec<Vec<&str>> = addresses.map(|id| vec!["model_providers", id, "base_url"]).collect();
    if selected != "openai" {
        paths.push(vec!["openai_base_url"]);
    }
    for path in paths {
        let Some((layer, entry)) = config.effective(&path) else { continue };
        let Some(Scalar::String(base)) = entry.value.as_ref().filter(|_| facts.endpoint.value().is_some()) else { continue };
        if base.is_empty() {
            continue;
        }
        let endpoint = address::endpoint(path.get(1).unwrap_or(&"openai"), &path.join("."), base);
        let endpoint = Endpoint { unshown: entry.unshown.clone(), ..endpoint };
        // Of an address with a masked part no more is known.
        let faults = if base.contains('<') { address::unshown(&endpoint) } else { address::faults(&endpoint) };
        findings.extend(faults.iter().filter(|fault| fault.severity > Severity::Note).map(|fault| {
            let mut finding = found(fault, &endpoint, Some((layer, entry)));
            finding.severity = Severity::Note;
            let fault = fault.code.trim_start_matches("base-url.");
            finding.message_id("base-url-unselected").arg("fault", fault)
        }));
    }
    findings
}

fn found(fault: &Fault, endpoint: &Endpoint, at: Option<(&Layer, &Entry)>) -> Finding {
    let mut finding = Finding::new(ID, fault.code, fault.severity, [("base_url", endpoint.base_url.trim().to_owned())])
        .arg("key", endpoint.origin.clone())
        .arg("url", endpoint.request_url.clone().unwrap_or_default())
        .arg("host", endpoint.host.clone().unwrap_or_default())
        .evidence(endpoint.origin.clone());
    if let Some(meant) = &fault.meant {
        finding = finding.arg("suggestion", meant.clone());
    }
    if let Some(day) = fault.day {
        finding = finding.arg("day", day);
    }
    if let Some(message) = fault.message {
        finding = finding.message_id(message);
    }
    let known =
        endpoint.file.clone().map(|file| Place { file, line: endpoint.line, column: endpoint.column, length: None, shown: None });
    finding.at_maybe(at.and_then(Place::of_value).or(known))
}

fn weighed(finding: Finding, fault: &Fault, facts: &Facts) -> Finding {
    let finding = finding.group(GROUP);
    match fault.code {
        "base-url.chat-only" if Subject::of(facts).is_some() => finding.weighs(Target::Kind(Kind::ConfigWireApi), CHAT_ONLY),
        _ if fault.weight > 0 => finding.weighs(Target::Kind(Kind::ConfigBaseUrl), fault.weight),
        _ => finding,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::address::{HARDLY, PERHAPS};
    use super::*;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;
    use crate::facts::endpoint::Unshown;

    /// An endpoint as the collector makes it, without its URL parser.
    pub(crate) fn endpoint(base: &str) -> Endpoint {
        Endpoint { port: Some(443), ..address::endpoint("p", "model_providers.p.base_url", base) }
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
            "https://x.openai.azure.com/openai",
            "https://api.deepseek.com",
            "https://api.deepseek.com/v1/",
            "https://OpenRouter.ai/api/v1",
            "https://api.openai.com/v1",
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
            ("ws://relay.example/v1", "websocket"),
            ("${RELAY_URL}/v1", "unexpanded"),
            ("https://$RELAY/v1", "unexpanded"),
            ("%RELAY_URL%/v1", "unexpanded"),
            ("https://relay.example/v1/responses", "endpoint-pasted"),
            ("https://relay.example/v1/chat/completions/", "endpoint-pasted"),
            ("https://relay.example/v1/models", "endpoint-pasted"),
            ("https：//relay.example/v1", "no-scheme"),
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
    fn what_redaction_takes_out_of_an_address_is_told_all_the_same() {
        let told = |base: &str, unshown: &[Unshown]| {
            let endpoint = Endpoint { unshown: unshown.to_vec(), ..endpoint(base) };
            let facts = Facts { endpoint: Observed::known(endpoint, "test"), ..Facts::default() };
            let findings = run(&facts).into_iter();
            findings.map(|finding| (finding.message_id, finding.severity)).collect::<Vec<_>>()
        };
        let one = |id: &str, severity| vec![(id.to_owned(), severity)];
        let fine = "https://relay.example/v1";
        assert_eq!(told(fine, &[Unshown::UserInfo]), one("base-url-user-info", Severity::Warning));
        assert_eq!(told(fine, &[Unshown::Kept]), one("base-url-invisible", Severity::Error));
        assert_eq!(told(fine, &[Unshown::Dropped]), one("base-url-invisible-dropped", Severity::Note));
        assert_eq!(told("", &[Unshown::Kept]), one("base-url-invisible-unusable", Severity::Error));
        assert_eq!(told(" https://relay.example/v1", &[]), one("base-url-space-before", Severity::Note));
        assert_eq!(told("\u{a0}https://relay.example/v1", &[]), one("base-url-space-unusable", Severity::Error));
    }

    #[test]
    fn a_relay_without_a_version_is_a_hint_only() {
        assert_eq!(one("https://relay.example"), ("lacks-v1".to_owned(), PERHAPS));
        assert_eq!(one("https://relay.example/openai"), ("lacks-v1".to_owned(), HARDLY));
    }

    #[test]
    fn lint_notes_a_hint_and_warns_of_a_fault() {
        let severity = |base: &str| {
            let mut facts = Facts { endpoint: Observed::known(endpoint(base), "test"), ..Facts::default() };
            facts.run.scope = Scope::Lint;
            run(&facts)[0].severity
        };
        assert_eq!(severity("https://relay.example"), Severity::Note);
        assert_eq!(severity("https://openrouter.ai"), Severity::Warning);
        assert_eq!(severity("https://api.openai.com"), Severity::Error);
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
        assert_eq!(meant("https：//r.example/v1"), Some("https://r.example/v1".into()));
        assert_eq!(meant("https://r.example/v1/models"), Some("https://r.example/v1".into()));
        assert_eq!(meant("https://r.example/V1"), Some("https://r.example/v1".into()));
    }

    #[test]
    fn without_an_endpoint_nothing_is_told() {
        let absent = Facts { endpoint: Observed::absent("provider amazon-bedrock"), ..Facts::default() };
        assert_eq!(run(&absent)[0].code, "base-url.absent");
        assert_eq!(run(&Facts::default())[0].code, "base-url.skipped");
    }

    #[test]
    fn a_host_whose_pages_are_known_is_held_against_them() {
        assert_eq!(of("https://openrouter.ai/v1"), [("other-path".to_owned(), 15)]);
        assert_eq!(of("https://openrouter.ai"), [("other-path".to_owned(), 15)]);
        assert_eq!(of("https://api.anthropic.com/v1"), [("chat-only".to_owned(), 0)]);
        let facts = Facts { endpoint: Observed::known(endpoint("https://api.anthropic.com/v1"), "test"), ..Facts::default() };
        assert_eq!(run(&facts)[0].args["day"], "2026-11-29".into(), "the day of what is known is told");
    }

    #[test]
    fn the_other_providers_are_read_too_and_only_noted() {
        let config = config(&[
            ("model_provider", "good"),
            ("model_providers.good.base_url", "https://good.example/v1"),
            ("model_providers.bad.base_url", "https://bad.example/v1/chat/completions"),
            ("model_providers.root.base_url", "https://root.example/codex"),
            ("openai_base_url", "https://api.openai.com/v1/v1"),
        ]);
        let facts = Facts {
            config: Observed::known(config, "config.toml"),
            endpoint: Observed::known(endpoint("https://good.example/v1"), "test"),
            ..Facts::default()
        };
        let findings = run(&facts);
        let told: Vec<_> =
            findings.iter().map(|finding| (finding.code.as_str(), finding.severity, finding.weights.len())).collect();
        assert_eq!(
            told,
            [
                ("base-url.ok", Severity::Ok, 0),
                ("base-url.endpoint-pasted", Severity::Note, 0),
                ("base-url.doubled-v1", Severity::Note, 0)
            ]
        );
        assert_eq!(findings[1].args["key"], "model_providers.bad.base_url".into());
        assert_eq!(findings[1].at.as_ref().unwrap().line, Some(3));
    }

    #[test]
    fn the_host_of_an_address_is_without_its_user_its_port_and_cut_at_no_colon_of_its_own() {
        let host = |base: &str| address::endpoint("p", "", base).host.unwrap_or_default();
        assert_eq!(host("http://[::1]:8080/v1"), "[::1]");
        assert_eq!(host("https://me:word@Relay.example:8443/v1"), "relay.example");
        assert_eq!(host("https://relay.example?x=a@b"), "relay.example");
    }
}

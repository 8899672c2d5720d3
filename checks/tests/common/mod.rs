//! What the accuracy tests share: facts from a text and a configuration, classes of the data sets, verdicts.
#![allow(dead_code, reason = "each test program uses its part")]

use codex_triage_checks::facts::endpoint::Endpoint;
use codex_triage_checks::facts::error_text::ErrorText;
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::finding::Finding;
use codex_triage_checks::kind::Cause;
use codex_triage_checks::knowledge::hosts;
use codex_triage_checks::registry;
use codex_triage_checks::verdict::{self, Verdict};
use serde::Deserialize;

/// A public report with its true class.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) input: String,
    pub(crate) config_toml: Option<String>,
    pub(crate) truth: String,
    #[serde(default)]
    pub(crate) plausible: Vec<String>,
    #[serde(default)]
    pub(crate) must_not: Vec<String>,
    #[serde(default)]
    pub(crate) also_right: Vec<String>,
}

/// The public reports, in the order of the file.
pub(crate) fn reports() -> impl Iterator<Item = Report> {
    include_str!("../../../fixtures/reports/reports.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row of the fixture"))
}

/// The address of an unconfigured Codex.
pub(crate) fn official() -> Endpoint {
    endpoint("openai", true, "https://chatgpt.com/backend-api/codex")
}

/// An address on this machine.
pub(crate) fn local_relay() -> Endpoint {
    endpoint("lab", false, "http://127.0.0.1:18080/v1")
}

pub(crate) fn endpoint(provider: &str, built_in: bool, base_url: &str) -> Endpoint {
    let host = base_url.split("://").nth(1).and_then(|rest| rest.split(['/', ':']).next()).unwrap_or_default();
    Endpoint {
        provider: provider.to_owned(),
        built_in,
        origin: "test".to_owned(),
        base_url: base_url.to_owned(),
        unshown: Vec::new(),
        request_url: Some(format!("{base_url}/responses")),
        host: Some(host.to_owned()),
        port: None,
        host_kind: hosts::host_kind(host),
        scheme: base_url.split("://").next().map(str::to_owned),
        model: None,
        file: None,
        line: None,
        column: None,
    }
}

/// The endpoint that a report's config.toml selects.
pub(crate) fn endpoint_of(config: Option<&str>) -> Endpoint {
    let Some(table) = config.and_then(|text| text.parse::<toml::Table>().ok()) else { return official() };
    let selected = table.get("model_provider").and_then(toml::Value::as_str);
    let profile = table.get("profiles").and_then(toml::Value::as_table).and_then(|profiles| profiles.values().next());
    let selected = selected.or_else(|| profile?.get("model_provider")?.as_str());
    let providers = table.get("model_providers").and_then(toml::Value::as_table);
    let selected = selected.or_else(|| providers?.keys().next().map(String::as_str));
    let base = selected.and_then(|id| providers?.get(id)?.get("base_url")?.as_str());
    match (selected, base, table.get("openai_base_url").and_then(toml::Value::as_str)) {
        (Some(id), Some(base), _) => endpoint(id, false, base),
        (_, _, Some(base)) => endpoint("openai", true, base),
        _ => official(),
    }
}

pub(crate) fn facts(text: &str, endpoint: Endpoint) -> Facts {
    let given = ErrorText { text: text.to_owned(), input_bytes: text.len() as u64, setting: None };
    Facts { error_text: Observed::known(given, "text given"), endpoint: Observed::known(endpoint, "test"), ..Facts::default() }
}

/// What the check of this crate alone makes of `facts`.
pub(crate) fn triage(facts: &Facts) -> (Vec<Finding>, Verdict) {
    let check = registry::CHECKS.iter().find(|check| check.id == "last-errors").expect("the check is registered");
    let findings = (check.run)(facts);
    let verdict = verdict::weigh(facts, &findings);
    (findings, verdict)
}

/// The cause that a class of the data sets stands for.
pub(crate) fn cause(class: &str) -> Cause {
    match class {
        "overload" | "server_error" => Cause::Overload,
        "quota" | "rate_limit" => Cause::Quota,
        "config" | "auth" => Cause::Config,
        "network" => Cause::Network,
        "context" | "policy" | "client_bug" => Cause::Other,
        "ok" => Cause::Healthy,
        _ => Cause::Undetermined,
    }
}

pub(crate) fn causes(classes: &[String]) -> Vec<Cause> {
    classes.iter().map(|class| cause(class)).collect()
}

/// One line that shows why a verdict came about.
pub(crate) fn shown(findings: &[Finding], verdict: &Verdict) -> String {
    let codes: Vec<&str> =
        findings.iter().filter(|finding| !finding.weights.is_empty()).map(|finding| finding.code.as_str()).collect();
    format!("{} {:?} {:?} by {codes:?}", verdict.cause.name(), verdict.kind.map(|kind| kind.name()), verdict.posterior)
}

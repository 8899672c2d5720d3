//! Contradictions: do the places that Codex reads say different things?
//!
//! # What it checks
//! Proxy variables in capitals and in small letters with different values; an address in a variable that is not the one that Codex asks;
//! several providers with one address; `openai_base_url` beside another selected provider; a stored API key beside a provider that takes
//! its key from a variable that is not set.
//!
//! # Why it matters
//! Programs that switch between providers change one of config.toml, auth.json and `.env` and leave the others. What is left over looks
//! as if it counted. Two spellings of a proxy send Codex one way and curl another, so that a test with curl proves nothing.
//!
//! # What it cannot tell
//! Which of two values is the one that was meant.
//!
//! # Fix
//! Keep one of them and remove the others; give both spellings of a proxy variable the same value.
//!
//! # Example
//! `HTTPS_PROXY=http://127.0.0.1:7890` and `https_proxy=http://127.0.0.1:1080`: Codex goes through port 7890, curl through 1080.

use std::collections::BTreeMap;

use crate::base_url::address;
use crate::facts::Facts;
use crate::facts::config::Config;
use crate::facts::credentials::CredentialKind;
use crate::facts::environment::{Environment, Variable, VariableOrigin};
use crate::finding::{Finding, Place, Severity};
use crate::provider_table::{ProviderTable, selected_id};

pub(crate) const ID: &str = "contradictions";

pub(crate) fn codes() -> Vec<String> {
    ["none", "proxies", "no-proxy", "address-variable", "same-address", "openai-base-url", "stored-key"]
        .map(|code| format!("contradiction.{code}"))
        .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    if facts.config.value().is_none() && facts.environment.value().is_none() {
        return vec![Finding::cannot_tell(ID, &facts.environment)];
    }
    let mut findings = Vec::new();
    if let Some(environment) = facts.environment.value() {
        findings.extend(proxies(environment));
        findings.extend(address_variable(environment, facts));
    }
    if let Some(config) = facts.config.value() {
        findings.extend(same_address(config));
        findings.extend(openai_base_url(config));
        findings.extend(stored_key(config, facts));
    }
    if findings.is_empty() {
        findings.push(Finding::plain(ID, "contradiction.none", Severity::Ok));
    }
    findings
}

/// The variable as Codex sees it: `.env` beats the process.
fn seen<'a>(environment: &'a Environment, name: &str) -> Option<&'a Variable> {
    let of = |origin| environment.variables.iter().find(|known| known.name == name && known.origin == origin);
    of(VariableOrigin::DotEnv).or_else(|| of(VariableOrigin::Process))
}

/// Both spellings of a variable with different values. Codex takes the one in capitals (measured on 0.171.0, over HTTP and HTTPS);
/// curl takes the other.
fn proxies(environment: &Environment) -> Vec<Finding> {
    ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"]
        .into_iter()
        .filter_map(|capitals| {
            let small = capitals.to_lowercase();
            let (one, other) = (seen(environment, capitals)?.shown.as_deref()?, seen(environment, &small)?.shown.as_deref()?);
            let list = capitals == "NO_PROXY";
            let same = if list { hosts(one) == hosts(other) } else { bare(one) == bare(other) };
            let (code, severity) =
                if list { ("contradiction.no-proxy", Severity::Note) } else { ("contradiction.proxies", Severity::Warning) };
            (!same).then(|| {
                Finding::new(ID, code, severity, [("variable", capitals.to_owned()), ("other", small.clone())])
                    .arg("value", quoted(one))
                    .arg("other_value", quoted(other))
                    .evidence(format!("{capitals}, {small}"))
            })
        })
        .collect()
}

/// A proxy without what makes no difference.
fn bare(proxy: &str) -> &str {
    let proxy = proxy.trim().trim_end_matches('/');
    proxy.strip_prefix("http://").unwrap_or(proxy)
}

fn hosts(list: &str) -> Vec<&str> {
    let mut hosts: Vec<&str> = list.split(',').map(str::trim).filter(|host| !host.is_empty()).collect();
    hosts.sort_unstable();
    hosts
}

fn quoted(value: &str) -> String {
    if value.trim().is_empty() { "\"\"".to_owned() } else { value.to_owned() }
}

/// `OPENAI_BASE_URL` is not read by Codex. Where it names another host than the one that is asked, somebody believes otherwise.
fn address_variable(environment: &Environment, facts: &Facts) -> Option<Finding> {
    let variable = seen(environment, "OPENAI_BASE_URL").filter(|variable| !variable.blank)?;
    let named = address::endpoint("", "", variable.shown.as_deref()?).host?;
    let asked = facts.endpoint.value()?.host.clone()?;
    let source = match variable.origin {
        VariableOrigin::DotEnv => ".env",
        VariableOrigin::Process => "environment",
    };
    (!named.eq_ignore_ascii_case(&asked)).then(|| {
        Finding::new(ID, "contradiction.address-variable", Severity::Note, [("named", named), ("asked", asked)])
            .arg("variable", "OPENAI_BASE_URL")
            .evidence(format!("OPENAI_BASE_URL ({source})"))
    })
}

fn same_address(config: &Config) -> Vec<Finding> {
    let mut by_address: BTreeMap<String, Vec<ProviderTable<'_>>> = BTreeMap::new();
    for table in ProviderTable::all(config) {
        let address = table.text("base_url").map(|base| base.trim().trim_end_matches('/').to_ascii_lowercase());
        if let Some(address) = address.filter(|address| !address.is_empty()) {
            by_address.entry(address).or_default().push(table);
        }
    }
    let shared = by_address.into_iter().filter(|(_, tables)| tables.len() > 1);
    shared
        .map(|(address, tables)| {
            let ids: Vec<&str> = tables.iter().map(|table| table.id).collect();
            let finding = Finding::new(ID, "contradiction.same-address", Severity::Note, [("base_url", address)])
                .arg("providers", ids.join(", "))
                .evidence(ids.iter().map(|id| format!("model_providers.{id}.base_url")).collect::<Vec<_>>().join(", "));
            let places = tables.iter().filter_map(|table| table.place("base_url"));
            finding.at_maybe(places.max_by_key(|place| place.line))
        })
        .collect()
}

fn openai_base_url(config: &Config) -> Option<Finding> {
    let selected = selected_id(config);
    config.text(&["openai_base_url"]).filter(|address| !address.is_empty() && selected != "openai")?;
    let finding = Finding::new(ID, "contradiction.openai-base-url", Severity::Note, [("selected", selected)]);
    Some(finding.at_maybe(config.effective(&["openai_base_url"]).and_then(Place::of)))
}

/// A switcher wrote the key to auth.json, and the provider looks for it elsewhere.
fn stored_key(config: &Config, facts: &Facts) -> Option<Finding> {
    let credentials = facts.credentials.value()?;
    let variable = credentials.missing_variable.as_ref()?;
    let stored = credentials.present.iter().find(|credential| credential.kind == CredentialKind::ApiKey)?;
    let selected = selected_id(config);
    let table = ProviderTable::all(config).into_iter().find(|table| table.selected)?;
    let finding = Finding::new(ID, "contradiction.stored-key", Severity::Warning, [("provider", selected)])
        .arg("variable", variable.as_str())
        .arg("place", stored.place.as_str())
        .evidence(stored.place.clone());
    Some(finding.at_maybe(table.place("env_key")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;
    use crate::facts::credentials::{Credential, Credentials};

    fn facts(entries: &[(&str, &str)], variables: &[(&str, VariableOrigin, &str)]) -> Facts {
        let variable = |(name, origin, value): &(&str, VariableOrigin, &str)| Variable {
            name: (*name).to_owned(),
            origin: *origin,
            blank: value.trim().is_empty(),
            shown: Some((*value).to_owned()),
            differs: false,
        };
        Facts {
            config: Observed::known(config(entries), "config.toml"),
            environment: Observed::known(
                Environment { variables: variables.iter().map(variable).collect(), ..Environment::default() },
                "environment",
            ),
            endpoint: Observed::known(address::endpoint("openai", "default", "https://api.openai.com/v1"), "default"),
            ..Facts::default()
        }
    }

    fn told(facts: &Facts) -> Vec<(String, Severity)> {
        let told = run(facts).into_iter();
        told.map(|finding| (finding.code.trim_start_matches("contradiction.").to_owned(), finding.severity)).collect()
    }

    fn one(code: &str, severity: Severity) -> Vec<(String, Severity)> {
        vec![(code.to_owned(), severity)]
    }

    use VariableOrigin::{DotEnv, Process};

    #[test]
    fn two_spellings_of_a_proxy_must_agree() {
        let proxies =
            |capitals: &str, small: &str| facts(&[], &[("HTTPS_PROXY", Process, capitals), ("https_proxy", Process, small)]);
        assert_eq!(told(&proxies("http://proxy.example:8080", "proxy.example:8080/")), one("none", Severity::Ok));
        assert_eq!(told(&proxies("http://127.0.0.1:7890", "http://127.0.0.1:1080")), one("proxies", Severity::Warning));
        assert_eq!(told(&proxies("", "http://127.0.0.1:1080")), one("proxies", Severity::Warning), "an empty one wins, too");
        let file = [
            ("HTTPS_PROXY", Process, "a.example:1"),
            ("HTTPS_PROXY", DotEnv, "b.example:1"),
            ("https_proxy", Process, "b.example:1"),
        ];
        assert_eq!(told(&facts(&[], &file)), one("none", Severity::Ok), "the file beats the process");
        let list = [("NO_PROXY", Process, "a, b"), ("no_proxy", Process, "b,a")];
        assert_eq!(told(&facts(&[], &list)), one("none", Severity::Ok));
    }

    #[test]
    fn an_address_in_a_variable_that_codex_does_not_read_is_held_against_the_real_one() {
        let variable = |address: &str| facts(&[], &[("OPENAI_BASE_URL", DotEnv, address)]);
        assert_eq!(told(&variable("https://relay.example/v1")), one("address-variable", Severity::Note));
        assert_eq!(told(&variable("https://api.openai.com/v1")), one("none", Severity::Ok));
    }

    #[test]
    fn what_a_switcher_leaves_behind_is_noted_with_its_place() {
        let twice =
            [("model_providers.a.base_url", "https://r.example/v1"), ("model_providers.b.base_url", "https://R.example/v1/")];
        let finding = &run(&facts(&twice, &[]))[0];
        assert_eq!((finding.code.as_str(), finding.at.as_ref().unwrap().line), ("contradiction.same-address", Some(2)));
        let beside = [("model_provider", "a"), ("model_providers.a.name", "A"), ("openai_base_url", "https://r.example/v1")];
        assert_eq!(told(&facts(&beside, &[])), one("openai-base-url", Severity::Note));
        assert_eq!(told(&facts(&[("openai_base_url", "https://r.example/v1")], &[])), one("none", Severity::Ok));
    }

    #[test]
    fn a_stored_key_helps_no_provider_that_wants_a_variable() {
        let mut facts = facts(&[("model_provider", "a"), ("model_providers.a.env_key", "A_KEY")], &[]);
        let stored = Credential { kind: CredentialKind::ApiKey, place: "~/.codex/auth.json".to_owned(), used: false };
        let credentials = |missing: Option<&str>| Credentials {
            present: vec![stored.clone()],
            missing_variable: missing.map(str::to_owned),
            ..Credentials::default()
        };
        facts.credentials = Observed::known(credentials(None), "auth.json");
        assert_eq!(told(&facts), one("none", Severity::Ok));
        facts.credentials = Observed::known(credentials(Some("A_KEY")), "auth.json");
        assert_eq!(told(&facts), one("stored-key", Severity::Warning));
        assert_eq!(run(&facts)[0].at.as_ref().unwrap().line, Some(2));
    }

    #[test]
    fn without_facts_nothing_is_told() {
        assert_eq!(run(&Facts::default())[0].code, "contradictions.skipped");
    }
}

//! Provider and model: whom does Codex ask, is that defined, and does that catalogue know the model?
//!
//! # What it checks
//! The selected provider after all layers are merged, whether it is built in or defined, whose address it has, which defined
//! providers nothing uses, and the model's name against the catalogues bundled with Codex, by release.
//!
//! # Why it matters
//! The capacity sentence is printed for whatever answers with one code. From OpenAI's own host it speaks of OpenAI's capacity;
//! from a relay it only proves that the relay wrote that code. A model that the installed Codex does not know yet is asked for with
//! wrong limits, and the server may refuse it.
//!
//! # What it cannot tell
//! Whether the account may use the model; which models a relay serves; models that the server announced after the release of the
//! installed Codex. A name outside the catalogue may be right all the same.
//!
//! # Fix
//! Select a provider that is defined (ids are case-sensitive), or define it; name a model of the catalogue, or update Codex.
//!
//! # Example
//! `model_provider = "deepseek"` without `[model_providers.deepseek]`: Codex does not start.

use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer};
use crate::facts::endpoint::{Endpoint, HostKind};
use crate::finding::{Finding, Place, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::providers::{self, release};

pub(crate) const ID: &str = "model-provider";

/// Codex does not start with an undefined provider.
const UNDEFINED: i16 = 25;
/// Codex sends nothing when the model's name is empty.
const EMPTY: i16 = 25;
/// A name outside the catalogue is often right (announced by the server, a snapshot, a preview): a hint at most.
const UNLISTED: i16 = 3;
/// A model younger than the installed Codex: the server refuses some of them to old clients.
const TOO_NEW: i16 = 6;
/// All that stops Codex at its start is one fault.
const START: &str = "config-start";

pub(crate) fn codes() -> Vec<String> {
    [
        "provider.selected",
        "provider.undefined",
        "provider.relay",
        "provider.unused",
        "model.empty",
        "model.listed",
        "model.not-in-catalogue",
        "model.retired",
        "model.needs-newer-codex",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(config) = facts.config.value() else { return vec![Finding::cannot_tell(ID, &facts.config)] };
    let mut findings = vec![selected(config, facts)];
    findings.extend(relay(facts));
    findings.extend(unused(config));
    findings.extend(model(config, facts));
    findings
}

/// The id of the provider that Codex selects.
fn selected_id(config: &Config) -> &str {
    config.text(&["model_provider"]).unwrap_or("openai")
}

fn is_defined(config: &Config, id: &str) -> bool {
    providers::is_built_in(id) || config.names_below(&["model_providers"]).contains(&id)
}

fn selected(config: &Config, facts: &Facts) -> Finding {
    let id = selected_id(config);
    if is_defined(config, id) {
        let finding = Finding::new(ID, "provider.selected", Severity::Ok, [("provider", id)]);
        return match facts.endpoint.value().and_then(|endpoint| endpoint.host.as_ref()) {
            Some(host) => finding.arg("host", host.clone()),
            None => finding.message_id("provider-selected-without-host"),
        };
    }
    let finding = Finding::new(ID, "provider.undefined", Severity::Error, [("provider", id)])
        .group(START)
        .weighs(Target::Kind(Kind::ConfigProvider), UNDEFINED);
    let alike = config.names_below(&["model_providers"]).into_iter().find(|known| known.eq_ignore_ascii_case(id));
    let finding = match alike {
        Some(known) => finding.arg("suggestion", known).message_id("provider-undefined-case"),
        None => finding,
    };
    at(finding, config.effective(&["model_provider"]))
}

/// The address is not OpenAI's: what it says about capacity is its own word.
fn relay(facts: &Facts) -> Option<Finding> {
    let endpoint = facts.endpoint.value().filter(|endpoint| endpoint.host_kind == HostKind::Other)?;
    let host = endpoint.host.clone()?;
    let finding = Finding::new(ID, "provider.relay", Severity::Note, [("host", host), ("provider", endpoint.provider.clone())]);
    Some(finding.evidence(endpoint.origin.clone()))
}

fn unused(config: &Config) -> Option<Finding> {
    let selected = selected_id(config);
    let mut names: Vec<&str> = config.names_below(&["model_providers"]);
    // Adapting a built-in provider is no sign that somebody meant to use it.
    names.retain(|id| *id != selected && !providers::is_built_in(id));
    let count = i64::try_from(names.len()).unwrap_or(i64::MAX);
    (count > 0).then(|| {
        Finding::new(ID, "provider.unused", Severity::Note, [("providers", names.join(", "))])
            .arg("count", count)
            .arg("selected", selected)
    })
}

fn model(config: &Config, facts: &Facts) -> Option<Finding> {
    let slug = config.text(&["model"])?;
    let place = config.effective(&["model"]);
    if slug.is_empty() {
        let finding = Finding::plain(ID, "model.empty", Severity::Error).group(START);
        return Some(at(finding.weighs(Target::Kind(Kind::ConfigModel), EMPTY), place));
    }
    let endpoint = facts.endpoint.value()?;
    // Local programs have models of their own, and so have relays: no catalogue speaks of them.
    if matches!(endpoint.host_kind, HostKind::Loopback) || matches!(endpoint.provider.as_str(), "ollama" | "lmstudio") {
        return None;
    }
    let installed = facts.codex_version();
    Some(at(judged(slug, endpoint, installed), place))
}

/// What the catalogues say of the model.
fn judged(slug: &str, endpoint: &Endpoint, installed: Option<&str>) -> Finding {
    let official = endpoint.host_kind == HostKind::Official;
    let finding = |code: &str, severity: Severity, weight: i16| {
        // On another route the name is that route's affair.
        let severity = if official { severity } else { severity.min(Severity::Note) };
        let finding = Finding::new(ID, code, severity, [("model", slug)]);
        if official && weight > 0 { finding.weighs(Target::Kind(Kind::ConfigModel), weight) } else { finding }
    };
    let Some(model) = providers::model(slug) else {
        return finding("model.not-in-catalogue", Severity::Warning, UNLISTED);
    };
    let version = installed.and_then(release);
    let too_old = |since: &&String| version.zip(release(since)).is_some_and(|(version, since)| version < since);
    let still_there = |until: &&String| version.zip(release(until)).is_some_and(|(version, until)| version < until);
    if let Some(since) = model.since.as_ref().filter(too_old) {
        return finding("model.needs-newer-codex", Severity::Warning, TOO_NEW)
            .arg("since", since.clone())
            .arg("installed", installed.unwrap_or_default());
    }
    match model.until.as_ref().filter(|until| !still_there(until)) {
        Some(until) => finding("model.retired", Severity::Warning, UNLISTED).arg("until", until.clone()),
        None => finding("model.listed", Severity::Ok, 0),
    }
}

fn at(finding: Finding, place: Option<(&Layer, &Entry)>) -> Finding {
    match place.and_then(|(layer, entry)| Some((layer.file.clone()?, entry))) {
        Some((file, entry)) => {
            finding.at(Place { file, line: entry.value_line, column: entry.value_column, length: None, shown: entry.shown.clone() })
        }
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;
    use crate::facts::installation::{CodexProgram, Installation};

    fn facts(entries: &[(&str, &str)], host: &str) -> Facts {
        let endpoint = crate::base_url::tests::endpoint(&format!("https://{host}/v1"));
        Facts {
            config: Observed::known(config(entries), "config.toml"),
            endpoint: Observed::known(endpoint, "test"),
            ..Facts::default()
        }
    }

    fn with_codex(mut facts: Facts, version: &str) -> Facts {
        let program = CodexProgram { path: "codex".to_owned(), version: Some(version.to_owned()), version_source: None };
        facts.installation = Observed::known(Installation { programs: vec![program] }, "PATH");
        facts
    }

    fn codes_of(facts: &Facts) -> Vec<String> {
        run(facts).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn the_official_provider_with_a_listed_model_is_fine() {
        assert_eq!(codes_of(&facts(&[("model", "gpt-6-sol")], "api.openai.com")), ["provider.selected", "model.listed"]);
    }

    #[test]
    fn an_undefined_provider_stops_codex_and_a_wrong_capital_is_named() {
        let facts = facts(&[("model_provider", "OpenAI"), ("model_providers.openAI.name", "x")], "api.openai.com");
        let finding = &run(&facts)[0];
        assert_eq!((finding.code.as_str(), finding.message_id.as_str()), ("provider.undefined", "provider-undefined-case"));
        assert!(finding.weights["config.provider"] >= 25);
    }

    #[test]
    fn a_relay_is_told_and_weighs_nothing() {
        let facts = facts(&[("model_provider", "r"), ("model_providers.r.name", "R"), ("model", "gpt-x")], "r.example");
        let findings = run(&facts);
        assert!(findings.iter().any(|finding| finding.code == "provider.relay"));
        assert!(findings.iter().all(|finding| finding.weights.is_empty()), "a relay has models of its own");
    }

    #[test]
    fn a_provider_that_is_defined_and_not_selected_is_worth_a_line() {
        let codes = codes_of(&facts(&[("model_providers.r.name", "R")], "api.openai.com"));
        assert_eq!(codes, ["provider.selected", "provider.unused"]);
    }

    #[test]
    fn the_model_is_judged_by_the_installed_release() {
        let new = facts(&[("model", "gpt-6.2-sol")], "api.openai.com");
        assert!(codes_of(&with_codex(new.clone(), "0.165.0")).contains(&"model.needs-newer-codex".to_owned()));
        assert!(codes_of(&with_codex(new, "0.171.0")).contains(&"model.listed".to_owned()));
        let old = facts(&[("model", "gpt-5.4")], "api.openai.com");
        assert!(codes_of(&with_codex(old.clone(), "0.142.5")).contains(&"model.listed".to_owned()));
        assert!(codes_of(&old).contains(&"model.retired".to_owned()));
        let unknown = facts(&[("model", "gpt-99")], "api.openai.com");
        assert_eq!(run(&unknown)[1].weights["config.model"], UNLISTED);
        assert!(codes_of(&facts(&[("model", "")], "api.openai.com")).contains(&"model.empty".to_owned()));
    }

    #[test]
    fn without_a_configuration_nothing_is_told() {
        assert_eq!(codes_of(&Facts::default()), ["model-provider.skipped"]);
        let failed = Facts { config: Observed::failed("no access", "config.toml"), ..Facts::default() };
        assert_eq!(codes_of(&failed), ["model-provider.cannot-tell"]);
    }
}

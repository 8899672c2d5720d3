//! Settings of the model: does it offer the effort, the tier and the window that are asked for?
//!
//! # What it checks
//! `model_reasoning_effort`, `plan_mode_reasoning_effort`, `agents.default_subagent_reasoning_effort`, `service_tier` and
//! `model_context_window` against what the list that Codex goes by says of the model: the list of this ChatGPT login while it is fresh,
//! else the one bundled with the release that is judged.
//!
//! # Why it matters
//! Codex takes any word here and says little. An effort that the model does not list goes out as it is written, `High` with its capital
//! too, and the server may refuse it; only `ultra` is replaced, by the highest that the model lists. A tier that is not offered is left
//! out of the request. A window beyond the model's own is cut to it. So what somebody believes to be on may never have been.
//!
//! # What it cannot tell
//! What the server accepts beyond the list; what a relay makes of an effort; anything of a local model.
//!
//! # Fix
//! Use a word that the model lists, in small letters, or take the setting out.
//!
//! # Example
//! `model_reasoning_effort = "minimal"` with gpt-6-sol: Codex sends it, and the model offers low, medium, high, xhigh, max and ultra.

use crate::facts::Facts;
use crate::facts::endpoint::HostKind;
use crate::finding::Finding;
use crate::knowledge::providers::release;
use crate::model_lists;

mod effort;
mod tier;
mod window;

pub(crate) const ID: &str = "model-settings";

pub(crate) fn codes() -> Vec<String> {
    [effort::CODES, tier::CODES, window::CODES].concat().into_iter().map(str::to_owned).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(config) = facts.config.value() else { return vec![Finding::cannot_tell(ID, &facts.config)] };
    // A catalogue of one's own replaces the lists; local programs have models of their own.
    let Some(endpoint) = facts.endpoint.value().filter(|_| !model_lists::own_catalogue(facts)) else { return Vec::new() };
    if endpoint.host_kind == HostKind::Loopback || matches!(endpoint.provider.as_str(), "ollama" | "lmstudio") {
        return Vec::new();
    }
    let model = config.text(&["model"]).or_else(|| model_lists::default_model(facts)).filter(|model| !model.is_empty());
    let Some(model) = model else { return Vec::new() };
    let settings = Settings { facts, config, model };
    let mut findings = effort::findings(&settings);
    findings.extend(tier::finding(&settings));
    findings.extend(window::finding(&settings));
    findings
}

/// What is looked at.
struct Settings<'a> {
    facts: &'a Facts,
    config: &'a crate::facts::config::Config,
    /// The model that Codex asks for.
    model: &'a str,
}

impl Settings<'_> {
    /// Whether the release that is judged is `first` or newer; one that is not known is taken for a new one.
    fn is_since(&self, first: &str) -> bool {
        self.facts.codex_version().and_then(release).is_none_or(|version| Some(version) >= release(first))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::base_url::tests::endpoint;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;
    use crate::finding::Severity;
    use crate::knowledge::catalogue;
    use crate::model_lists::tests::{with_codex, with_kept};

    pub(crate) fn facts(entries: &[(&str, &str)], version: &str) -> Facts {
        at_host(entries, version, "https://api.openai.com/v1")
    }

    pub(crate) fn at_host(entries: &[(&str, &str)], version: &str, url: &str) -> Facts {
        let config = Observed::known(config(entries), "config.toml");
        with_codex(Facts { config, endpoint: Observed::known(endpoint(url), "test"), ..Facts::default() }, version)
    }

    /// Message, severity and weight of each finding.
    pub(crate) fn said(facts: &Facts) -> Vec<(String, Severity, Option<i16>)> {
        run(facts).into_iter().map(|one| (one.message_id, one.severity, one.weights.values().next().copied())).collect()
    }

    pub(crate) fn ids(facts: &Facts) -> Vec<String> {
        said(facts).into_iter().map(|(id, ..)| id).collect()
    }

    #[test]
    fn whatever_a_list_offers_is_fine() {
        for version in catalogue::releases() {
            for model in catalogue::list(Some(version)) {
                let window = model.max_context_window.unwrap().to_string();
                let mut fine = vec![("model", model.slug.as_str()), ("model_context_window", &window)];
                for effort in &model.efforts {
                    fine.truncate(2);
                    fine.extend([("model_reasoning_effort", effort.as_str()), ("plan_mode_reasoning_effort", effort)]);
                    assert_eq!(said(&facts(&fine, version)), [], "{fine:?} on {version}");
                }
                for tier in model.tiers.iter().map(String::as_str).chain(["default"]) {
                    fine.truncate(2);
                    fine.push(("service_tier", tier));
                    assert_eq!(said(&facts(&fine, version)), [], "{fine:?} on {version}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_said_of_local_models_and_of_a_catalogue_of_ones_own() {
        let strange = [("model_reasoning_effort", "minimal"), ("service_tier", "turbo"), ("model_context_window", "9000000")];
        let mut own = strange.to_vec();
        own.extend([("model", "house"), ("model_catalog_json", "models.json")]);
        assert_eq!(said(&facts(&own, "0.171.0")), []);
        assert_eq!(said(&at_host(&strange, "0.171.0", "http://127.0.0.1:1234/v1")), []);
        assert_eq!(run(&Facts::default())[0].code, "model-settings.skipped");
    }

    #[test]
    fn the_list_of_this_login_decides_while_it_is_fresh() {
        let mut facts = with_kept(&["gpt-7-sol"]);
        let entries = [("model", "gpt-7-sol"), ("model_reasoning_effort", "medium"), ("model_context_window", "250000")];
        facts.config = Observed::known(config(&entries), "config.toml");
        assert_eq!(ids(&facts), ["effort-not-offered", "window-capped"]);
        facts.config = Observed::known(config(&[("model_reasoning_effort", "high"), ("service_tier", "fast")]), "config.toml");
        assert_eq!(said(&facts), []);
    }
}

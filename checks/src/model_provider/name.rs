//! The model's name against the lists: what Codex knows, what this login was offered, what the server says it serves.

use super::at;
use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer};
use crate::facts::endpoint::HostKind;
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::catalogue;
use crate::knowledge::providers::release;
use crate::model_lists::{self, Basis, Kept};

/// Codex sends nothing when the model's name is empty.
const EMPTY: i16 = 25;
/// A name outside the lists is often right (announced by the server, a snapshot, a preview): a hint at most.
const UNLISTED: i16 = 3;
/// A model younger than the installed Codex, or one that is not offered to this login: the server refuses some of them.
const NOT_OFFERED: i16 = 6;

pub(super) const CODES: &[&str] = &[
    "model.kept-list-old",
    "model.empty",
    "model.listed",
    "model.superseded",
    "model.by-beginning",
    "model.own-catalogue",
    "model.not-in-catalogue",
    "model.not-for-this-login",
    "model.retired",
    "model.needs-newer-codex",
];

pub(super) fn findings(config: &Config, facts: &Facts) -> Vec<Finding> {
    of_models(config, facts).into_iter().chain(kept_but_old(facts)).collect()
}

/// There is a list of this login, and it did not decide.
fn kept_but_old(facts: &Facts) -> Option<Finding> {
    let kept = model_lists::kept(facts).filter(|kept| !kept.fresh && !model_lists::own_catalogue(facts))?;
    let finding = aged(Finding::plain(super::ID, "model.kept-list-old", Severity::Ok), kept);
    Some(finding.arg("fetched_by", kept.list.client_version.as_deref().unwrap_or("?")))
}

fn of_models(config: &Config, facts: &Facts) -> Vec<Finding> {
    let Some(slug) = config.text(&["model"]) else { return review(config, facts).into_iter().collect() };
    let place = config.effective(&["model"]);
    if slug.is_empty() {
        let finding = Finding::plain(super::ID, "model.empty", Severity::Error).group(crate::config_keys::GROUP);
        return vec![at(finding.weighs(Target::Kind(Kind::ConfigModel), EMPTY), place)];
    }
    judged(slug, facts, place).into_iter().chain(review(config, facts)).collect()
}

/// The model of reviews stops no other request: it is told when something is wrong with it, and weighs nothing.
fn review(config: &Config, facts: &Facts) -> Option<Finding> {
    let slug = config.text(&["review_model"]).filter(|slug| !slug.is_empty() && config.text(&["model"]) != Some(slug))?;
    let mut finding = judged(slug, facts, config.effective(&["review_model"]))?;
    finding.weights.clear();
    finding.severity = finding.severity.min(Severity::Note);
    (finding.severity != Severity::Ok).then_some(finding)
}

/// The name and what is known around it.
struct Judged<'a> {
    slug: &'a str,
    facts: &'a Facts,
    version: Option<&'a str>,
    official: bool,
}

/// What the lists say of the model; nothing where no list can speak of it.
fn judged(slug: &str, facts: &Facts, place: Option<(&Layer, &Entry)>) -> Option<Finding> {
    let endpoint = facts.endpoint.value()?;
    // A cloud's names are its deployments' or its own (`provider-settings` speaks of Azure's).
    if endpoint.host_kind == HostKind::Cloud {
        return None;
    }
    // Local programs have models of their own.
    if endpoint.host_kind == HostKind::Loopback || matches!(endpoint.provider.as_str(), "ollama" | "lmstudio") {
        return None;
    }
    let model = Judged { slug, facts, version: facts.codex_version(), official: endpoint.host_kind == HostKind::Official };
    let served = model_lists::live(facts).map(|live| model_lists::is_served(live, slug));
    let finding = match (served, model.official) {
        (Some(true), _) => model.served(),
        // The list of a relay speaks for itself (`reach.model-not-listed`).
        (Some(false), false) => return None,
        _ => model.by_lists(),
    };
    Some(at(finding, place))
}

impl<'a> Judged<'a> {
    fn finding(&self, code: &str, severity: Severity, weight: i16) -> Finding {
        // On another route the name is that route's affair.
        let severity = if self.official { severity } else { severity.min(Severity::Note) };
        let finding = Finding::new(super::ID, code, severity, [("model", self.slug)]);
        let finding = finding.arg("release", self.version.unwrap_or(catalogue::newest()));
        if self.official && weight > 0 { finding.weighs(Target::Kind(Kind::ConfigModel), weight) } else { finding }
    }

    /// The server says that it serves the model. Codex may not know it all the same, and then assumes its limits.
    fn served(&self) -> Finding {
        match self.younger() {
            Some(since) if model_lists::basis(self.facts).is_some() && model_lists::described(self.facts, self.slug).is_none() => {
                self.finding("model.needs-newer-codex", Severity::Note, 0).arg("since", since)
            }
            _ => self.finding("model.listed", Severity::Ok, 0).message_id("model-listed-here"),
        }
    }

    fn by_lists(&self) -> Finding {
        let Some(basis) = model_lists::basis(self.facts) else {
            return self.finding("model.own-catalogue", Severity::Note, 0);
        };
        let entry = model_lists::described(self.facts, self.slug);
        match (entry, basis) {
            (Some(entry), _) if entry.slug == model_lists::behind_vendor(self.slug).unwrap_or(self.slug) => {
                match (&entry.upgrade, entry.listed) {
                    (Some(upgrade), false) => self.finding("model.superseded", Severity::Note, 0).arg("upgrade", upgrade.clone()),
                    _ => self.listed(basis),
                }
            }
            (Some(entry), _) => self.finding("model.by-beginning", Severity::Note, 0).arg("known", entry.slug.clone()),
            (None, basis) => self.unknown(basis),
        }
    }

    fn listed(&self, basis: Basis<'_>) -> Finding {
        let finding = self.finding("model.listed", Severity::Ok, 0);
        match basis {
            Basis::Kept(kept) => aged(finding, kept).message_id("model-listed-for-login"),
            Basis::Bundled => finding,
        }
    }

    /// Codex does not know the model: because it is too old for it, because it has gone, or nobody does.
    fn unknown(&self, basis: Basis<'_>) -> Finding {
        if let Some(since) = self.younger() {
            return self.finding("model.needs-newer-codex", Severity::Warning, NOT_OFFERED).arg("since", since);
        }
        let successor = catalogue::successor(self.slug, self.version);
        let instead = |finding: Finding, id: &str| match successor {
            Some(successor) => finding.arg("upgrade", successor).message_id(id),
            None => finding,
        };
        if let Some(until) = catalogue::gone(self.slug).filter(|_| catalogue::at(self.slug, self.version).is_none()) {
            return instead(self.finding("model.retired", Severity::Warning, UNLISTED).arg("until", until), "model-retired-for");
        }
        if let Basis::Kept(kept) = basis {
            let finding = aged(self.finding("model.not-for-this-login", Severity::Warning, NOT_OFFERED), kept);
            return self.suggested(finding, "model-not-for-this-login-case");
        }
        // A list that is no longer fresh has no say over what is missing, but it may show that the name is right.
        if let Some(kept) =
            model_lists::kept(self.facts).filter(|kept| kept.list.models.iter().any(|known| known.slug == self.slug))
        {
            let finding = self.finding("model.not-in-catalogue", Severity::Note, 0);
            return aged(finding, kept).message_id("model-not-in-catalogue-but-offered");
        }
        self.suggested(self.finding("model.not-in-catalogue", Severity::Warning, UNLISTED), "model-not-in-catalogue-case")
    }

    /// The release that brought the model, when that is younger than the one that is judged.
    fn younger(&self) -> Option<&'static str> {
        let since = catalogue::since(self.slug)?;
        let lacks = catalogue::at(self.slug, self.version).is_none();
        (lacks && self.version.and_then(release) < release(since)).then_some(since)
    }

    /// With the name that is meant, when only its capitals differ or one letter is wrong.
    fn suggested(&self, finding: Finding, id: &str) -> Finding {
        let lower = self.slug.to_ascii_lowercase();
        if let Some(known) = model_lists::described(self.facts, &lower).filter(|known| known.slug == lower) {
            return finding.arg("suggestion", known.slug.clone()).message_id(id);
        }
        let known = catalogue::list(self.version).filter(|known| known.listed).map(|known| known.slug.as_str());
        match known.into_iter().find(|known| is_slip(&lower, known)) {
            Some(known) => finding.arg("suggestion", known).message_id("model-not-in-catalogue-slip"),
            None => finding,
        }
    }
}

/// Whether one slip leads from one name to the other. Another number is another model, perhaps one of tomorrow.
fn is_slip(name: &str, known: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    name.len().abs_diff(known.len()) <= 1 && digits(name) == digits(known) && strsim::damerau_levenshtein(name, known) == 1
}

fn aged(finding: Finding, kept: Kept<'_>) -> Finding {
    finding.arg("age", Arg::DurationMs(kept.age_ms.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_url::tests::endpoint;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;
    use crate::knowledge::models::tests::with_list;
    use crate::model_lists::tests::{with_codex, with_kept};

    fn facts(model: &str, url: &str) -> Facts {
        let config = Observed::known(config(&[("model", model)]), "config.toml");
        Facts { config, endpoint: Observed::known(endpoint(url), "test"), ..Facts::default() }
    }

    fn official(model: &str) -> Facts {
        facts(model, "https://api.openai.com/v1")
    }

    fn said(facts: &Facts) -> Vec<(String, Severity, Option<i16>)> {
        let findings = findings(facts.config.value().unwrap(), facts);
        findings.into_iter().map(|one| (one.message_id, one.severity, one.weights.values().next().copied())).collect()
    }

    fn alone(facts: &Facts) -> (String, Severity, Option<i16>) {
        let [one] = said(facts).into_iter().filter(|(id, ..)| id != "model-kept-list-old").collect::<Vec<_>>().try_into().unwrap();
        one
    }

    fn with_model(mut facts: Facts, model: &str) -> Facts {
        facts.config = Observed::known(config(&[("model", model)]), "config.toml");
        facts
    }

    #[test]
    fn the_name_is_judged_by_the_list_of_the_release() {
        let id = |model: &str, version: &str| alone(&with_codex(official(model), version)).0;
        assert_eq!(id("gpt-6.2-sol", "0.171.0"), "model-listed");
        assert_eq!(id("gpt-6.2-sol", "0.165.0"), "model-needs-newer-codex");
        assert_eq!(id("gpt-6.2-sol", "0.170.0"), "model-listed", "nothing is held against a release that was not looked at");
        assert_eq!(id("gpt-5.4", "0.142.5"), "model-listed");
        assert_eq!(id("gpt-5.4", "0.153.4"), "model-superseded");
        assert_eq!(id("gpt-5.4", "0.171.0"), "model-retired-for");
        assert_eq!(id("gpt-6-sol-2026-08-01", "0.171.0"), "model-by-beginning");
        assert_eq!(id("openai/gpt-6-sol", "0.171.0"), "model-listed");
        assert_eq!(id("GPT-6-Sol", "0.171.0"), "model-not-in-catalogue-case");
        assert_eq!(id("gpt-6-sool", "0.171.0"), "model-not-in-catalogue-slip");
        assert_eq!(id("gpt-7-sol", "0.171.0"), "model-not-in-catalogue", "another number is another model");
        assert_eq!(alone(&official("gpt-99")), ("model-not-in-catalogue".to_owned(), Severity::Warning, Some(UNLISTED)));
    }

    #[test]
    fn every_listed_model_of_every_release_is_fine_there() {
        for version in catalogue::releases() {
            for model in catalogue::list(Some(version)).filter(|model| model.listed) {
                let said = alone(&with_codex(official(&model.slug), version));
                assert_eq!(said, ("model-listed".to_owned(), Severity::Ok, None), "{} on {version}", model.slug);
            }
        }
    }

    #[test]
    fn what_this_login_was_offered_counts_for_more_than_the_bundle() {
        let kept = || with_kept(&["gpt-7-sol", "gpt-6-luna"]);
        assert_eq!(alone(&with_model(kept(), "gpt-7-sol")).0, "model-listed-for-login");
        let missing = alone(&with_model(kept(), "gpt-6.2-sol"));
        assert_eq!(missing, ("model-not-for-this-login".to_owned(), Severity::Warning, Some(NOT_OFFERED)));
        let mut old = with_model(kept(), "gpt-7-sol");
        old.run.at += chrono::TimeDelta::days(30);
        assert_eq!(alone(&old), ("model-not-in-catalogue-but-offered".to_owned(), Severity::Note, None));
        let mut old = with_model(kept(), "gpt-6.2-sol");
        old.run.at += chrono::TimeDelta::days(30);
        assert_eq!(alone(&old).0, "model-listed", "an old list holds nothing against a model");
        assert_eq!(said(&old)[1], ("model-kept-list-old".to_owned(), Severity::Ok, None), "and that is said");
    }

    #[test]
    fn what_the_server_serves_is_no_fault() {
        let served = |model: &str| with_list(with_codex(official(model), "0.165.0"), &[model]);
        assert_eq!(alone(&served("gpt-99")), ("model-listed-here".to_owned(), Severity::Ok, None));
        assert_eq!(alone(&served("gpt-6.2-sol")), ("model-needs-newer-codex".to_owned(), Severity::Note, None));
    }

    #[test]
    fn on_a_relay_a_name_is_that_relays_affair() {
        for model in ["deepseek-chat", "gpt-6.2-sol", "gpt-5.4"] {
            let (_, severity, weight) = alone(&with_codex(facts(model, "https://relay.example/v1"), "0.153.4"));
            assert!(severity <= Severity::Note && weight.is_none(), "{model}");
        }
        let relay = facts("deepseek-chat", "https://relay.example/v1");
        assert_eq!(alone(&with_list(relay.clone(), &["deepseek-chat"])).0, "model-listed-here");
        assert_eq!(said(&with_list(relay, &["qwen3"])), [], "its own list says it, in another check");
        assert_eq!(said(&facts("qwen3:8b", "http://localhost:11434/v1")), []);
    }

    #[test]
    fn at_azure_the_name_is_that_of_a_deployment() {
        assert_eq!(said(&with_codex(facts("gpt-5.4", "https://x.openai.azure.com/openai/v1"), "0.171.0")), []);
    }

    #[test]
    fn the_model_of_reviews_is_looked_at_and_weighs_nothing() {
        let mut facts = official("gpt-6-sol");
        facts.config = Observed::known(config(&[("model", "gpt-6-sol"), ("review_model", "gpt-99")]), "config.toml");
        let [_, review] = said(&facts).try_into().unwrap();
        assert_eq!(review, ("model-not-in-catalogue".to_owned(), Severity::Note, None));
        facts.config = Observed::known(config(&[("review_model", "gpt-5.5")]), "config.toml");
        assert_eq!(said(&facts), []);
    }

    #[test]
    fn a_catalogue_of_ones_own_is_not_contradicted() {
        let mut facts = official("house-model");
        let entries = [("model", "house-model"), ("model_catalog_json", "models.json")];
        facts.config = Observed::known(config(&entries), "config.toml");
        assert_eq!(alone(&facts), ("model-own-catalogue".to_owned(), Severity::Note, None));
    }
}

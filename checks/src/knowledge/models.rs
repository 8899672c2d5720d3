//! The models that Codex knows, `models.toml`: what each is for, and which to take when it is full.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::facts::Facts;
use crate::facts::endpoint::HostKind;
use crate::facts::network::Outcome;

/// What a model is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The best at large and hard work; fills first.
    Strongest,
    /// Quick and roomy; weaker on long chains of steps.
    SiblingSmaller,
    /// Steady everyday work.
    General,
    /// Cheap; cuts corners on long context.
    Economical,
}

/// A clause in both languages of the product.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

/// One model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Its id on the wire.
    pub slug: String,
    /// Its name in the picker.
    pub name: String,
    /// Models of one family tend to fill together.
    pub family: String,
    /// What it is taken for.
    pub role: Role,
    /// Whether the list of the newest known Codex shows it.
    pub listed: bool,
    /// Whether it fills before others.
    pub crowded: bool,
    /// The first Codex release whose own list holds it.
    pub since: String,
    /// Which to take instead, in order.
    pub spares: Vec<String>,
    /// What it is good at.
    pub good: Clause,
    /// What it is bad at.
    pub bad: Clause,
    /// Where that comes from.
    pub source: String,
}

#[derive(Deserialize)]
struct File {
    model: Vec<Model>,
}

static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../knowledge/models.toml")).expect("models.toml is checked by a test");
    file.model
});

/// All models, in the order of the file.
pub fn all() -> &'static [Model] {
    &MODELS
}

/// The model that `name` means. A vendor's prefix (`openai/…`) and a dated or tuned ending (`…-2026-08-01`) are looked through.
pub fn known(name: &str) -> Option<&'static Model> {
    let bare = bare(name);
    let is_it = |model: &&Model| bare == model.slug || bare.strip_prefix(&model.slug).is_some_and(|rest| rest.starts_with('-'));
    MODELS.iter().filter(is_it).max_by_key(|model| model.slug.len())
}

/// The model that Codex asks for where nothing names one: the first of its own list.
pub fn default_for(facts: &Facts) -> Option<&'static str> {
    MODELS.iter().find(|model| model.listed && runs_here(model, facts)).map(|model| model.slug.as_str())
}

fn bare(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The model to take while `model` is full, in the spelling of whoever serves it.
///
/// A live list decides where there is one. Without it only OpenAI's own host is known well enough to name a model: what a relay
/// serves is not guessed.
pub fn spare_for(model: &str, facts: &Facts) -> Option<String> {
    let live = live_list(facts);
    let spare = wished(model).find_map(|wish| match live {
        Some(list) => list.iter().find(|served| bare(served) == wish.slug).cloned(),
        None => (served_by_openai(facts) && runs_here(wish, facts)).then(|| wish.slug.clone()),
    })?;
    (bare(&spare) != bare(model)).then_some(spare)
}

/// Models to wish for instead of `model`: its own spares, then every other listed one.
fn wished(model: &str) -> impl Iterator<Item = &'static Model> {
    let this = known(model);
    let spares = this.map(|this| this.spares.as_slice()).unwrap_or_default();
    let own = spares.iter().filter_map(|slug| MODELS.iter().find(|model| model.slug == *slug));
    // A model that is not known here may be of any strength: a roomy one is no wrong wish for it.
    let rest = MODELS.iter().filter(|other| !other.crowded);
    let this_slug = this.map(|this| this.slug.as_str());
    own.chain(rest).filter(move |other| other.listed && Some(other.slug.as_str()) != this_slug)
}

fn live_list(facts: &Facts) -> Option<&[String]> {
    match &facts.reachability.value()?.outcome {
        Outcome::Answered(answer) if !answer.models.is_empty() => Some(&answer.models),
        _ => None,
    }
}

fn served_by_openai(facts: &Facts) -> bool {
    facts.endpoint.value().is_some_and(|endpoint| endpoint.host_kind == HostKind::Official)
}

/// Whether the installed Codex has `model` in its own list; an unknown version is taken for a new one.
fn runs_here(model: &Model, facts: &Facts) -> bool {
    let installed = facts.codex_version().and_then(release);
    match (installed, release(&model.since)) {
        (Some(installed), Some(since)) => installed >= since,
        _ => true,
    }
}

fn release(version: &str) -> Option<[u32; 3]> {
    let core = version.split(['-', '+']).next()?;
    let mut numbers = core.split('.').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_url::tests::endpoint;
    use crate::facts::Observed;
    use crate::facts::endpoint::Endpoint;
    use crate::facts::installation::{CodexProgram, Installation};
    use crate::facts::network::Reachability;
    use crate::reachability::tests::list;

    fn facts_at(host_kind: HostKind) -> Facts {
        let endpoint = Endpoint { host_kind, ..endpoint("https://host.example/v1") };
        Facts { endpoint: Observed::known(endpoint, "test"), ..Facts::default() }
    }

    fn with_list(mut facts: Facts, models: &[&str]) -> Facts {
        let reachability = Reachability {
            url: "https://host.example/v1/models".to_owned(),
            curl: String::new(),
            authenticated: true,
            withheld: false,
            unusable: false,
            proxy: None,
            elapsed_ms: 1,
            outcome: Outcome::Answered(list(models)),
        };
        facts.reachability = Observed::known(reachability, "test");
        facts
    }

    fn with_codex(mut facts: Facts, version: &str) -> Facts {
        let program = CodexProgram { path: "codex".to_owned(), version: Some(version.to_owned()), version_source: None };
        facts.installation = Observed::known(Installation { programs: vec![program] }, "test");
        facts
    }

    #[test]
    fn spares_are_listed_models_and_the_first_two_do_not_fill_together() {
        for model in all() {
            assert!(!model.source.is_empty() && release(&model.since).is_some(), "{}", model.slug);
            let spares: Vec<&Model> = model
                .spares
                .iter()
                .map(|slug| all().iter().find(|other| other.slug == *slug).unwrap_or_else(|| panic!("{slug} is no model")))
                .collect();
            assert!(spares.iter().all(|spare| spare.listed && spare.slug != model.slug), "{}", model.slug);
            if let [first, second, ..] = spares.as_slice() {
                assert_ne!(first.family, second.family, "{}", model.slug);
                assert!(!(first.crowded && second.crowded), "{}", model.slug);
            } else {
                assert!(!model.listed, "{} has no spare line", model.slug);
            }
        }
    }

    #[test]
    fn on_the_official_host_the_smaller_sibling_is_the_spare() {
        let facts = facts_at(HostKind::Official);
        assert_eq!(spare_for("gpt-6.2-sol", &facts).as_deref(), Some("gpt-6-luna"));
        assert_eq!(spare_for("gpt-6-luna", &facts).as_deref(), Some("gpt-6.1-terra"));
    }

    #[test]
    fn an_old_codex_is_not_sent_to_a_model_that_it_does_not_know() {
        let facts = with_codex(facts_at(HostKind::Official), "0.153.4");
        assert_eq!(spare_for("gpt-6-astra", &facts).as_deref(), Some("gpt-5.6-sol"));
        assert_eq!(spare_for("gpt-5.4", &with_codex(facts, "0.142.5")).as_deref(), Some("gpt-5.5"));
    }

    #[test]
    fn what_a_relay_serves_is_not_guessed() {
        assert_eq!(spare_for("gpt-6-sol", &facts_at(HostKind::Other)), None);
        assert_eq!(spare_for("gpt-6-sol", &facts_at(HostKind::Loopback)), None);
        assert_eq!(spare_for("gpt-6-sol", &Facts::default()), None);
    }

    #[test]
    fn the_live_list_decides_in_its_own_spelling() {
        let relay = with_list(facts_at(HostKind::Other), &["openai/gpt-6-sol", "openai/gpt-6.1-sol", "whisper-1"]);
        assert_eq!(spare_for("openai/gpt-6-sol", &relay).as_deref(), Some("openai/gpt-6.1-sol"));
        let only_itself = with_list(facts_at(HostKind::Other), &["gpt-6-sol", "text-embedding-3"]);
        assert_eq!(spare_for("gpt-6-sol", &only_itself), None);
        let official = with_list(facts_at(HostKind::Official), &["gpt-6-sol", "gpt-5.5"]);
        assert_eq!(spare_for("gpt-6-sol", &official).as_deref(), Some("gpt-5.5"));
    }

    #[test]
    fn a_dated_name_is_the_model_that_it_begins_with() {
        assert_eq!(known("gpt-6.1-sol-2026-08-01").map(|model| model.slug.as_str()), Some("gpt-6.1-sol"));
        assert_eq!(known("gpt-5.4-mini").map(|model| model.slug.as_str()), Some("gpt-5.4-mini"));
        assert!(known("qwen3-coder").is_none());
    }
}

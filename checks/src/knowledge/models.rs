//! What the models of Codex's lists are for, `models.toml`, and which to take when one is full.

use std::sync::LazyLock;

use serde::Deserialize;

use super::catalogue;
use crate::facts::Facts;
use crate::model_lists::{self, bare};

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
    /// Models of one family tend to fill together.
    pub family: String,
    /// What it is taken for.
    pub role: Role,
    /// Whether it fills before others.
    pub crowded: bool,
    /// Which to take instead, in order.
    pub spares: Vec<String>,
    /// What it is good at.
    pub good: Clause,
    /// What it is bad at.
    pub bad: Clause,
}

impl Role {
    /// The message that says what the role is good and bad at.
    pub fn message_id(self) -> &'static str {
        match self {
            Self::Strongest => "model-role-strongest",
            Self::SiblingSmaller => "model-role-sibling-smaller",
            Self::General => "model-role-general",
            Self::Economical => "model-role-economical",
        }
    }
}

impl Model {
    /// Whether the picker of `version` shows it; of the newest known Codex, where the version is not known.
    pub fn is_listed(&self, version: Option<&str>) -> bool {
        catalogue::at(&self.slug, version).is_some_and(|model| model.listed)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
    model: Vec<Model>,
}

static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let file: File = knowledge!("models");
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

/// The model to take while `model` is full, in the spelling of whoever serves it.
///
/// It must be in the list of the Codex that is judged, and in the list of whoever is asked: the live one where there is one, else the
/// one that was fetched for this login. Without either only OpenAI's own host is known well enough to name a model: what a relay
/// serves is not guessed.
pub fn spare_for(model: &str, facts: &Facts) -> Option<String> {
    let live = model_lists::live(facts);
    let kept = model_lists::kept(facts);
    let offered = |wish: &Model| match (live, kept) {
        (Some(live), _) => live.iter().find(|served| bare(served) == wish.slug).cloned(),
        (None, Some(kept)) => {
            let shown = kept.list.models.iter().any(|model| model.listed && model.slug == wish.slug);
            shown.then(|| wish.slug.clone())
        }
        (None, None) => model_lists::official(facts).then(|| wish.slug.clone()),
    };
    let spare = wished(model).filter(|wish| wish.is_listed(facts.codex_version())).find_map(offered)?;
    (bare(&spare) != bare(model)).then_some(spare)
}

/// Models to wish for instead of `model`: its own spares, then every other one that is not crowded.
fn wished(model: &str) -> impl Iterator<Item = &'static Model> {
    let this = known(model);
    let spares = this.map(|this| this.spares.as_slice()).unwrap_or_default();
    let own = spares.iter().filter_map(|slug| MODELS.iter().find(|model| model.slug == *slug));
    // A model that is not known here may be of any strength: a roomy one is no wrong wish for it.
    let rest = MODELS.iter().filter(|other| !other.crowded);
    let this_slug = this.map(|this| this.slug.as_str());
    own.chain(rest).filter(move |other| Some(other.slug.as_str()) != this_slug)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::base_url::tests::endpoint;
    use crate::facts::Observed;
    use crate::facts::endpoint::{Endpoint, HostKind};
    use crate::facts::network::{Outcome, Reachability};
    use crate::model_lists::tests::{with_codex, with_kept};
    use crate::reachability::tests::list;

    fn facts_at(host_kind: HostKind) -> Facts {
        let endpoint = Endpoint { host_kind, ..endpoint("https://host.example/v1") };
        Facts { endpoint: Observed::known(endpoint, "test"), ..Facts::default() }
    }

    /// The facts with a live list that names these models.
    pub(crate) fn with_list(mut facts: Facts, models: &[&str]) -> Facts {
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

    #[test]
    fn every_listed_model_has_its_use_and_spares_that_do_not_fill_together() {
        for row in catalogue::rows() {
            assert!(all().iter().any(|model| model.slug == row.model.slug), "{} has no row", row.model.slug);
        }
        for model in all() {
            assert!(catalogue::rows().iter().any(|row| row.model.slug == model.slug), "{} is in no list", model.slug);
            let spares: Vec<&Model> = model
                .spares
                .iter()
                .map(|slug| all().iter().find(|other| other.slug == *slug).unwrap_or_else(|| panic!("{slug} is no model")))
                .collect();
            assert!(spares.iter().all(|spare| spare.is_listed(None) && spare.slug != model.slug), "{}", model.slug);
            if let [first, second, ..] = spares.as_slice() {
                assert_ne!(first.family, second.family, "{}", model.slug);
                assert!(!(first.crowded && second.crowded), "{}", model.slug);
            } else {
                assert!(!model.is_listed(None), "{} has no spare line", model.slug);
            }
        }
    }

    #[test]
    fn a_spare_is_in_the_list_of_this_login_and_in_the_installed_release() {
        assert_eq!(spare_for("gpt-6.2-sol", &with_kept(&["gpt-6.2-sol", "gpt-6.1-terra"])).as_deref(), Some("gpt-6.1-terra"));
        assert_eq!(spare_for("gpt-6.2-sol", &with_kept(&["gpt-6.2-sol"])), None);
        let relay = with_list(facts_at(HostKind::Other), &["gpt-6.1-terra", "gpt-5.6-luna"]);
        assert_eq!(spare_for("gpt-6.2-sol", &with_codex(relay, "0.160.1")).as_deref(), Some("gpt-5.6-luna"));
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

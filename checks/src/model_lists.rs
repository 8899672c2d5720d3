//! Which list of models counts in a run, and what it says.
//!
//! With a ChatGPT login Codex fetches the list at its start, and what it gets replaces the bundled one (measured on 0.171.0); what it
//! fetched last stands in `models_cache.json`. With an API key it knows the bundled list alone. What a server serves is told by its
//! live list.

use chrono::TimeDelta;

use crate::facts::Facts;
use crate::facts::credentials::CredentialKind;
use crate::facts::endpoint::HostKind;
use crate::facts::model_cache::{ListedModel, ModelCache};
use crate::facts::network::Outcome;
use crate::knowledge::catalogue;

/// A kept list that is older was fetched by a Codex that has not run for a while: what it lacks may have come since.
const FRESH: TimeDelta = TimeDelta::days(7);

/// The kept list, where it is this login's business.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    /// The list.
    pub list: &'a ModelCache,
    /// How old it is in milliseconds, when it tells.
    pub age_ms: Option<i64>,
    /// Whether the release that is judged fetched it within the last week: what it lacks is then lacking.
    pub fresh: bool,
}

/// The list that Codex goes by.
#[derive(Clone, Copy)]
pub(crate) enum Basis<'a> {
    /// The one that was fetched for this login.
    Kept(Kept<'a>),
    /// The one that is bundled with the release that is judged.
    Bundled,
}

/// The models that the address in use says it serves, when it was asked.
pub(crate) fn live(facts: &Facts) -> Option<&[String]> {
    match &facts.reachability.value()?.outcome {
        Outcome::Answered(answer) if !answer.models.is_empty() => Some(&answer.models),
        _ => None,
    }
}

/// Whether the live list names `model`, perhaps below a vendor.
pub(crate) fn is_served(live: &[String], model: &str) -> bool {
    live.iter().any(|served| served.eq_ignore_ascii_case(model) || bare(served).eq_ignore_ascii_case(model))
}

/// The name without a vendor before it (`openai/…`, `models/…`).
pub(crate) fn bare(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The kept list, when requests go to OpenAI with a login for which Codex fetches one.
pub(crate) fn kept(facts: &Facts) -> Option<Kept<'_>> {
    let list = facts.model_cache.value().filter(|list| !list.models.is_empty())?;
    if !(official(facts) && fetches(facts)) {
        return None;
    }
    let age = list.fetched_at.map(|at| facts.run.at - at);
    let same_release = match (facts.codex_version(), list.client_version.as_deref()) {
        (Some(judged), Some(fetched)) => judged == fetched,
        _ => true,
    };
    let fresh = same_release && age.is_some_and(|age| age <= FRESH);
    Some(Kept { list, age_ms: age.map(|age| age.num_milliseconds().max(0)), fresh })
}

/// Whether Codex fetches the list with the credential in use. Where credentials were not looked at, the address tells: only a ChatGPT
/// login leads to that one.
fn fetches(facts: &Facts) -> bool {
    use CredentialKind::{Chatgpt, EnvAccessToken, ProviderCommand};
    let by_credential = facts.credentials.value().and_then(|credentials| credentials.used());
    let by_address = || facts.endpoint.value().is_some_and(|endpoint| endpoint.host.as_deref() == Some("chatgpt.com"));
    by_credential.map_or_else(by_address, |used| matches!(used.kind, Chatgpt | EnvAccessToken | ProviderCommand))
}

/// Whether requests go to OpenAI's own host.
pub(crate) fn official(facts: &Facts) -> bool {
    facts.endpoint.value().is_some_and(|endpoint| endpoint.host_kind == HostKind::Official)
}

/// Whether the configuration gives Codex a list of its own, which nobody read here.
pub(crate) fn own_catalogue(facts: &Facts) -> bool {
    facts.config.value().is_some_and(|config| config.text(&["model_catalog_json"]).is_some())
}

/// The list that Codex goes by; nothing where the configuration gives it another one.
pub(crate) fn basis(facts: &Facts) -> Option<Basis<'_>> {
    let fresh = kept(facts).filter(|kept| kept.fresh);
    (!own_catalogue(facts)).then(|| fresh.map_or(Basis::Bundled, Basis::Kept))
}

/// What the list that Codex goes by says of `name`, found as Codex finds it.
pub(crate) fn described<'a>(facts: &'a Facts, name: &str) -> Option<&'a ListedModel> {
    match basis(facts)? {
        Basis::Kept(kept) => found(|| kept.list.models.iter(), name),
        Basis::Bundled => found(|| catalogue::list(facts.codex_version()), name),
    }
}

/// The model that Codex asks for where nothing names one.
pub fn default_model(facts: &Facts) -> Option<&str> {
    match basis(facts)? {
        Basis::Kept(kept) => kept.list.models.iter().find(|model| model.listed).map(|model| model.slug.as_str()),
        Basis::Bundled => catalogue::first(facts.codex_version()),
    }
}

/// Codex takes the longest name that `name` begins with; if there is none, the same behind one vendor's name. Case counts (measured
/// on 0.171.0).
fn found<'a, I: Iterator<Item = &'a ListedModel>>(list: impl Fn() -> I, name: &str) -> Option<&'a ListedModel> {
    let longest = |name: &str| list().filter(|model| name.starts_with(&model.slug)).max_by_key(|model| model.slug.len());
    longest(name).or_else(|| longest(behind_vendor(name)?))
}

/// What stands behind one vendor's name, where Codex looks too.
pub(crate) fn behind_vendor(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, rest)| rest).filter(|rest| !rest.contains('/'))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::base_url::tests::endpoint;
    use crate::facts::Observed;
    use crate::facts::credentials::{Credential, Credentials};
    use crate::facts::installation::{CodexProgram, Installation};

    /// Facts of a ChatGPT login for which 0.171.0 fetched `slugs` an hour ago.
    pub(crate) fn with_kept(slugs: &[&str]) -> Facts {
        let model = |slug: &&str| ListedModel {
            slug: (*slug).to_owned(),
            listed: true,
            efforts: ["low", "high"].map(str::to_owned).to_vec(),
            tiers: vec!["priority".to_owned()],
            context_window: Some(100_000),
            max_context_window: Some(200_000),
            ..ListedModel::default()
        };
        let mut facts = Facts::default();
        let kept = ModelCache {
            fetched_at: Some(facts.run.at - TimeDelta::hours(1)),
            client_version: Some("0.171.0".to_owned()),
            models: slugs.iter().map(model).collect(),
        };
        let login = Credential { kind: CredentialKind::Chatgpt, place: "auth.json".to_owned(), used: true };
        facts.credentials = Observed::known(Credentials { present: vec![login], ..Credentials::default() }, "test");
        facts.endpoint = Observed::known(endpoint("https://chatgpt.com/backend-api/codex"), "test");
        facts.model_cache = Observed::known(kept, "models_cache.json");
        with_codex(facts, "0.171.0")
    }

    pub(crate) fn with_codex(mut facts: Facts, version: &str) -> Facts {
        let program = CodexProgram { path: "codex".to_owned(), version: Some(version.to_owned()), version_source: None };
        facts.installation = Observed::known(Installation { programs: vec![program] }, "PATH");
        facts
    }

    fn slug<'a>(facts: &'a Facts, name: &str) -> Option<&'a str> {
        described(facts, name).map(|model| model.slug.as_str())
    }

    #[test]
    fn a_name_is_found_as_codex_finds_it() {
        let facts = with_codex(Facts::default(), "0.171.0");
        assert_eq!(slug(&facts, "gpt-6-sol-2026-08-01"), Some("gpt-6-sol"));
        assert_eq!(slug(&facts, "openai/gpt-6-sol"), Some("gpt-6-sol"));
        assert_eq!((slug(&facts, "GPT-6-sol"), slug(&facts, "a/b/gpt-6-sol"), slug(&facts, "gpt-99")), (None, None, None));
        assert_eq!(slug(&with_codex(facts, "0.142.5"), "gpt-5.4-mini"), Some("gpt-5.4-mini"));
    }

    #[test]
    fn a_fresh_list_of_this_login_replaces_the_bundled_one() {
        let facts = with_kept(&["gpt-7-sol", "gpt-6-luna"]);
        assert_eq!((slug(&facts, "gpt-7-sol"), slug(&facts, "gpt-6.2-sol")), (Some("gpt-7-sol"), None));
        assert_eq!(default_model(&facts), Some("gpt-7-sol"));
    }

    #[test]
    fn a_list_that_is_old_of_another_release_or_of_another_login_does_not() {
        let mut old = with_kept(&["gpt-7-sol"]);
        old.run.at += TimeDelta::days(9);
        let mut with_key = with_kept(&["gpt-7-sol"]);
        with_key.credentials = Observed::known(
            Credentials {
                present: vec![Credential { kind: CredentialKind::ApiKey, place: "auth.json".to_owned(), used: true }],
                ..Credentials::default()
            },
            "test",
        );
        for facts in [old, with_codex(with_kept(&["gpt-7-sol"]), "0.169.0"), with_key] {
            assert_eq!(slug(&facts, "gpt-7-sol"), None);
            assert!(slug(&facts, "gpt-6-sol").is_some());
        }
    }
}

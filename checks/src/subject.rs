//! What a run is about: the error that is triaged, or that there is none.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::endpoint::HostKind;
use crate::facts::history::{FailedTurn, Success};
use crate::facts::{Facts, Shared};

/// Where the error comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectSource {
    /// A text that a person gave. Where the newest failed turn on disk holds the same words, what is stored with it is known, too.
    #[default]
    Text,
    /// A session record on disk (rollout or thread history).
    Rollout,
}

/// The error that is triaged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Subject {
    /// Where it comes from.
    pub source: SubjectSource,
    /// When it happened, when known.
    pub at: Option<DateTime<Utc>>,
    /// The model asked, when known.
    pub model: Option<String>,
    /// The provider's id, when known.
    pub provider: Option<String>,
    /// The error's text, redacted; absent when none was stored.
    pub text: Option<String>,
    /// The client's own classification, when stored.
    pub code: Option<String>,
    /// The HTTP status, when stored.
    pub status: Option<u16>,
    /// The Codex version that wrote it, when known.
    pub codex_version: Option<String>,
    /// The client that ran it, when known.
    pub originator: Option<String>,
    /// The project, as a role token, when known.
    pub project: Option<String>,
    /// The thread, when known.
    pub thread: Option<String>,
    /// The turn, when known.
    pub turn: Option<String>,
    /// Whether the turn was ended from outside and no error was stored.
    pub interrupted: bool,
    /// When the same model succeeded again after it, if it did.
    pub recovered_at: Option<DateTime<Utc>>,
}

impl Subject {
    /// The subject of a run: the text that was given, else the newest failed turn since the run's `since`.
    pub fn of(facts: &Facts) -> Option<Self> {
        if let Some(given) = facts.error_text.value() {
            let recorded = Self::turn(facts).filter(|turn| is_quoted(turn, &given.text));
            let known = recorded.map(|turn| Self::of_turn(turn, facts)).unwrap_or_default();
            return Some(Self { source: SubjectSource::Text, text: Some(given.text.clone()), ..known });
        }
        Self::turn(facts).map(|turn| Self::of_turn(turn, facts))
    }

    /// The subject that a failed turn makes.
    pub fn of_turn(turn: &FailedTurn, facts: &Facts) -> Self {
        let newest = || {
            let successes = &facts.history.value()?.successes;
            let again = |success: &&Success| {
                Some(&success.model) == turn.model.as_ref() && success.provider == turn.provider && success.at > turn.at
            };
            successes.iter().filter(again).map(|success| success.at).max()
        };
        let own = |text: &Option<Shared>| text.as_deref().map(str::to_owned);
        Self {
            source: SubjectSource::Rollout,
            at: Some(turn.at),
            model: own(&turn.model),
            provider: own(&turn.provider),
            text: own(&turn.text),
            code: own(&turn.info),
            status: turn.status,
            codex_version: own(&turn.codex_version),
            originator: own(&turn.originator),
            project: own(&turn.project),
            thread: own(&turn.thread),
            turn: own(&turn.turn),
            interrupted: turn.interrupted,
            recovered_at: turn.same_model_after.or_else(newest),
        }
    }

    /// The failed turn on disk that would be the subject.
    pub fn turn(facts: &Facts) -> Option<&FailedTurn> {
        let history = facts.history.value()?;
        let mut recent =
            history.failures.iter().filter(|turn| turn.at >= facts.run.since && turn.at <= facts.run.at + SKEW_ALLOWED);
        let newest = recent.next()?;
        // Who reads an error often presses Esc on the next try: that turn says nothing, the one before it does.
        let told = |turn: &&FailedTurn| !turn.interrupted && turn.text.is_some() && newest.at - turn.at <= IMPATIENCE;
        if newest.interrupted { recent.find(told).or(Some(newest)) } else { Some(newest) }
    }

    /// The failed turn on disk, when it is the one that is triaged.
    pub(crate) fn triaged_turn(facts: &Facts) -> Option<&FailedTurn> {
        Self::of(facts).filter(|subject| subject.source == SubjectSource::Rollout).and_then(|_| Self::turn(facts))
    }

    /// Whether an error is known at all. A turn of which nothing is known rules nothing out.
    pub(crate) fn is_told(&self) -> bool {
        self.text.is_some() || self.code.is_some() || self.status.is_some()
    }

    /// Whether the failed request went to another provider than the one that is selected now.
    pub fn asked_another_provider(&self, facts: &Facts) -> bool {
        let selected = facts.endpoint.value().map(|endpoint| &endpoint.provider);
        self.is_told() && selected.is_some() && self.provider.as_ref().is_some_and(|provider| Some(provider) != selected)
    }

    /// Whether the failed request went to another address than requests go to now.
    pub fn asked_another_address(&self, facts: &Facts) -> bool {
        let host = facts.endpoint.value().and_then(|endpoint| endpoint.host.as_ref());
        let named = self.request_hosts();
        let differs = !named.is_empty() && host.is_some_and(|host| !named.contains(&host.to_lowercase()));
        differs || self.asked_another_provider(facts)
    }

    /// The hosts of the request addresses that the error names, in lower case.
    pub fn request_hosts(&self) -> Vec<String> {
        self.text.as_deref().map(crate::knowledge::hosts::url_hosts).unwrap_or_default()
    }

    /// Whose address the failed request went to, as far as the facts tell: from a URL in the text, else from a person's
    /// word that a relay is on the way, else from the provider that the record names, else from the configuration.
    pub fn route(&self, facts: &Facts) -> Route {
        if let Some(text) = self.text.as_deref() {
            if let Some(kind) = crate::knowledge::hosts::host_kind_in_text(&crate::errors::clean(text)) {
                return Route::from(kind);
            }
            if self.source == SubjectSource::Text && crate::errors::names_a_relay(text) {
                return Route::Relay;
            }
        }
        let endpoint = facts.endpoint.value();
        match (&self.provider, endpoint) {
            (None, Some(endpoint)) => Route::from(endpoint.host_kind),
            (Some(provider), Some(endpoint)) if *provider == endpoint.provider => Route::from(endpoint.host_kind),
            (Some(provider), _) if provider == "openai" => Route::Official,
            (Some(_), _) => Route::Relay,
            (None, None) => Route::Unknown,
        }
    }
}

/// Whether `text` holds the words that are stored with `turn`.
fn is_quoted(turn: &FailedTurn, text: &str) -> bool {
    let folded = |text: &str| crate::errors::clean(text).to_lowercase();
    let stored = turn.text.as_deref().map(folded).unwrap_or_default();
    stored.chars().count() >= SHORTEST_QUOTE && folded(text).contains(&stored)
}

/// Fewer characters of an error may stand in any text.
const SHORTEST_QUOTE: usize = 16;

/// The model of the error, if its provider is the one in use; else the configured one.
pub fn asked_model(facts: &Facts, subject: Option<&Subject>) -> Option<String> {
    let endpoint = facts.endpoint.value();
    let same_provider = |subject: &&Subject| match (&subject.provider, endpoint) {
        (Some(provider), Some(endpoint)) => *provider == endpoint.provider,
        _ => true,
    };
    let of_subject = subject.filter(same_provider).and_then(|subject| subject.model.clone());
    of_subject.or_else(|| endpoint?.model.clone())
}

/// A record may carry a time slightly ahead of the moment at which the run began.
const SKEW_ALLOWED: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

/// So long before an interrupted turn, a failed one is still what the person means.
const IMPATIENCE: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

/// Whose address a request went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// OpenAI's own host.
    Official,
    /// Any other host.
    Relay,
    /// Not known.
    Unknown,
}

impl From<HostKind> for Route {
    fn from(kind: HostKind) -> Self {
        match kind {
            HostKind::Official => Self::Official,
            HostKind::Loopback | HostKind::Cloud | HostKind::Other => Self::Relay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::facts::history::History;

    fn turn(minutes_ago: i64, text: Option<&str>) -> FailedTurn {
        let at = crate::facts::run::Run::default().at - chrono::TimeDelta::minutes(minutes_ago);
        FailedTurn { at, text: text.map(Into::into), interrupted: text.is_none(), ..FailedTurn::default() }
    }

    fn subject(failures: Vec<FailedTurn>) -> Option<String> {
        let facts = Facts { history: Observed::known(History { failures, ..History::default() }, "test"), ..Facts::default() };
        Subject::of(&facts).map(|subject| subject.text.unwrap_or_else(|| "interrupted".to_owned()))
    }

    #[test]
    fn an_impatient_escape_does_not_hide_the_error_before_it() {
        assert_eq!(subject(vec![turn(1, None), turn(3, Some("full"))]).as_deref(), Some("full"));
        assert_eq!(subject(vec![turn(1, None), turn(60, Some("full"))]).as_deref(), Some("interrupted"));
        assert_eq!(subject(vec![turn(1, Some("new")), turn(3, Some("old"))]).as_deref(), Some("new"));
    }

    #[test]
    fn a_given_text_that_the_newest_record_holds_is_known_as_that_turn() {
        let recorded = FailedTurn { model: Some("gpt-6-sol".into()), ..turn(3, Some("The model has no room at all.")) };
        let history = History { failures: vec![recorded], ..History::default() };
        let given = |text: &str| {
            let text = crate::facts::error_text::ErrorText { text: text.to_owned(), input_bytes: 0, setting: None };
            let facts = Facts {
                history: Observed::known(history.clone(), "test"),
                error_text: Observed::known(text, "test"),
                ..Facts::default()
            };
            Subject::of(&facts).unwrap()
        };
        let same = given("ERROR: the model has\n  no room at all.");
        assert_eq!((same.source, same.model.as_deref()), (SubjectSource::Text, Some("gpt-6-sol")));
        assert_eq!(given("ERROR: something else").model, None);
    }

    #[test]
    fn a_request_to_another_provider_or_host_is_told_from_one_of_now() {
        let now = crate::base_url::tests::endpoint("https://relay.example/v1");
        let asked = |provider: Option<&str>, text: Option<&str>| {
            let failed = FailedTurn { provider: provider.map(Into::into), ..turn(1, text) };
            let facts = Facts {
                endpoint: Observed::known(now.clone(), "test"),
                history: Observed::known(History { failures: vec![failed], ..History::default() }, "test"),
                ..Facts::default()
            };
            let subject = Subject::of(&facts).unwrap();
            (subject.asked_another_provider(&facts), subject.asked_another_address(&facts))
        };
        assert_eq!(asked(Some("p"), Some("503, url: https://Relay.example/v1/responses")), (false, false));
        assert_eq!(asked(Some("p"), Some("503, url: https://api.openai.com/v1/responses")), (false, true));
        assert_eq!(asked(Some("openai"), Some("full")), (true, true));
        assert_eq!(asked(None, Some("full")), (false, false));
        assert_eq!(asked(Some("openai"), None), (false, false), "of a killed turn nothing is known");
    }

    #[test]
    fn what_failed_before_since_is_no_subject() {
        assert_eq!(subject(vec![turn(25 * 60, Some("old"))]), None);
    }
}

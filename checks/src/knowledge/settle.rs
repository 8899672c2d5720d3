//! The cheapest observation that splits two open hypotheses.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::facts::credentials::{CredentialKind, Credentials};
use crate::facts::endpoint::HostKind;
use crate::facts::run::Platform;
use crate::kind::Target;
use crate::subject::Subject;
use crate::verdict::Candidate;

/// What would settle an open verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Settle {
    /// The row's id; its message is `settle-<id>`.
    pub id: String,
    /// The message in the report's language; filled in by the reporter.
    pub message: String,
    /// The command that makes the observation, when there is one.
    pub command: Option<String>,
}

/// One row of `settle.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    /// Two kinds or causes in either order; an empty list fits everything.
    between: Vec<String>,
    /// Only when the run was offline (`true`) or was not (`false`).
    offline: Option<bool>,
    /// Only when there is (`true`) or is not (`false`) an error that is triaged.
    subject: Option<bool>,
    /// Only when the turn was (`true`) or was not (`false`) ended from outside.
    interrupted: Option<bool>,
    /// Whether our own request to the model makes this observation. Then the row is passed over once that has been made; and
    /// where our request cannot be sent, the row's command takes its place, or there is none and the row does not fit.
    #[serde(default)]
    own: bool,
    /// For a POSIX shell; left out where it cannot be filled.
    command: Option<String>,
    /// For PowerShell, where it differs.
    powershell: Option<String>,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    settle: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = knowledge!("settle");
    file.settle
});

/// What settles an open verdict between the two best candidates.
pub fn between(facts: &Facts, subject: Option<&Subject>, candidates: &[Candidate]) -> Settle {
    pick(facts, subject, |row| match (candidates.first(), candidates.get(1), row.between.as_slice()) {
        (_, _, []) => true,
        (Some(one), Some(other), [left, right]) => {
            let covers =
                |name: &str, candidate: &Candidate| Target::parse(name).is_some_and(|target| target.covers(candidate.kind));
            (covers(left, one) && covers(right, other)) || (covers(left, other) && covers(right, one))
        }
        _ => false,
    })
}

/// What to do when nothing was weighed at all.
pub fn for_nothing(facts: &Facts, subject: Option<&Subject>) -> Settle {
    pick(facts, subject, |row| row.between.is_empty())
}

fn pick(facts: &Facts, subject: Option<&Subject>, fits: impl Fn(&Row) -> bool) -> Settle {
    let asked = facts.model_request.value().is_some();
    let sendable = sendable(facts);
    let interrupted = subject.is_some_and(|subject| subject.interrupted);
    let is = |wanted: Option<bool>, state: bool| wanted.is_none_or(|wanted| wanted == state);
    let row = ROWS
        .iter()
        .find(|row| {
            fits(row)
                && is(row.offline, facts.run.offline)
                && is(row.subject, subject.is_some())
                && is(row.interrupted, interrupted)
                && (!row.own || (!asked && (sendable || row.command.is_some())))
        })
        .or_else(|| ROWS.last());
    let Some(row) = row else { return Settle { id: "none".to_owned(), message: String::new(), command: None } };
    let windows = facts.run.platform == Platform::Windows;
    let template = row.powershell.as_ref().filter(|_| windows).or(row.command.as_ref());
    let own = (row.own && sendable).then(|| OWN.to_owned());
    Settle {
        id: row.id.clone(),
        message: String::new(),
        command: own.or_else(|| template.and_then(|template| crate::advice::filled(template, facts, subject))),
    }
}

/// The command that sends our own request to the model.
const OWN: &str = "codex-triage --allow-cost";

/// Whether our request to the model could be sent: to an address that Codex uses, with a credential that we may read and send.
fn sendable(facts: &Facts) -> bool {
    let Some(endpoint) = facts.endpoint.value().filter(|endpoint| endpoint.request_url.is_some()) else { return false };
    let credentials = facts.credentials.value();
    let used = credentials.and_then(Credentials::used).map(|used| used.kind);
    let unread = [CredentialKind::ProviderCommand, CredentialKind::Keyring, CredentialKind::Bedrock, CredentialKind::AgentIdentity];
    let stopped =
        credentials.is_some_and(|credentials| credentials.missing_variable.is_some() || credentials.forced_mismatch.is_some());
    let in_the_clear = endpoint.scheme.as_deref() == Some("http") && endpoint.host_kind != HostKind::Loopback;
    let withheld = facts.reachability.value().is_some_and(|reached| reached.withheld);
    !stopped && !used.is_some_and(|used| unread.contains(&used) || in_the_clear) && !withheld
}

/// All command templates, for the tests that try and read them.
pub fn templates() -> Vec<&'static str> {
    let rows = ROWS.iter().flat_map(|row| [&row.command, &row.powershell]).filter_map(Option::as_deref);
    rows.chain([OWN]).collect()
}

/// The ids of all rows, for the test that looks for their messages.
pub fn ids() -> Vec<String> {
    ROWS.iter().map(|row| &row.id).collect::<std::collections::BTreeSet<_>>().into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_url::tests::endpoint;
    use crate::facts::history::{FailedTurn, History};
    use crate::facts::{Observed, run::Run};
    use crate::kind::{Cause, Kind};

    fn candidates(one: Kind, other: Kind) -> [Candidate; 2] {
        [one, other].map(|kind| Candidate { cause: kind.cause(), kind, posterior: 0.5 })
    }

    fn settled(one: &str, other: &str, offline: bool) -> String {
        let [one, other] = [one, other].map(|name| *Kind::ALL.iter().find(|kind| kind.name() == name).unwrap());
        let facts = Facts { run: Run { offline, ..Run::default() }, ..Facts::default() };
        between(&facts, None, &candidates(one, other)).id
    }

    #[test]
    fn every_row_names_real_hypotheses_and_the_last_fits_everything() {
        for row in ROWS.iter() {
            assert!(row.between.iter().all(|name| Target::parse(name).is_some()), "{}", row.id);
            assert!(matches!(row.between.len(), 0 | 2), "{}", row.id);
            assert!(row.source.contains("20"), "{}", row.id);
        }
        let last = ROWS.last().unwrap();
        assert!(last.between.is_empty() && last.offline.is_none() && last.subject.is_none() && last.interrupted.is_none());
    }

    #[test]
    fn any_two_kinds_of_different_causes_have_an_observation_of_their_own() {
        let general = &ROWS.last().unwrap().id;
        for one in Kind::ALL {
            for other in Kind::ALL.iter().filter(|other| other.cause() != one.cause()) {
                for offline in [true, false] {
                    assert_ne!(settled(one.name(), other.name(), offline), *general, "{one} or {other}");
                }
            }
        }
    }

    #[test]
    fn no_row_stands_behind_one_that_always_wins() {
        let mut won = std::collections::BTreeSet::new();
        for one in Kind::ALL {
            for other in Kind::ALL.iter().filter(|other| other.cause() != one.cause()) {
                won.extend([true, false].map(|offline| settled(one.name(), other.name(), offline)));
                won.insert(between(&reachable(), None, &candidates(*one, *other)).id);
            }
        }
        for row in ROWS.iter().filter(|row| !row.between.is_empty()) {
            assert!(won.contains(&row.id), "{} never shows", row.id);
        }
    }

    /// A machine whose relay may be asked.
    fn reachable() -> Facts {
        Facts { endpoint: Observed::known(endpoint("https://relay.example/v1"), "test"), ..Facts::default() }
    }

    fn command(facts: &Facts) -> Option<String> {
        between(facts, None, &candidates(Kind::OverloadRelay, Kind::QuotaCredits)).command
    }

    #[test]
    fn our_own_request_comes_first_and_curl_where_it_cannot_be_sent() {
        assert_eq!(command(&reachable()).as_deref(), Some(OWN));
        let mut facts = reachable();
        let keyring =
            crate::facts::credentials::Credential { kind: CredentialKind::Keyring, place: "Keychain".to_owned(), used: true };
        facts.credentials = Observed::known(Credentials { present: vec![keyring], ..Credentials::default() }, "test");
        assert_ne!(command(&facts).as_deref(), Some(OWN));
    }

    #[test]
    fn a_request_that_was_made_is_not_advised_again() {
        let mut facts = reachable();
        facts.model_request = Observed::known(
            crate::facts::model_request::ModelRequest {
                model: "m".to_owned(),
                url: "u".to_owned(),
                curl: "c".to_owned(),
                authenticated: true,
                proxy: None,
                attempts: Vec::new(),
                usage: None,
                elapsed_ms: 0,
            },
            "test",
        );
        assert_ne!(command(&facts).as_deref(), Some(OWN));
    }

    #[test]
    fn a_relay_is_asked_for_its_own_words() {
        assert_eq!(settled("overload.relay", "quota.credits", true), "relay-words");
        assert_eq!(settled("config.relay", "overload.relay", false), "relay-words");
    }

    #[test]
    fn what_the_network_says_is_looked_at_before_anything_else_is_tried() {
        assert_eq!(settled("network.dns", "config.base-url", true), "look-online");
        assert_ne!(settled("network.dns", "config.base-url", false), "look-online");
    }

    #[test]
    fn an_interrupted_turn_is_repeated_and_an_unknown_text_is_asked_for_whole() {
        let turn = FailedTurn { at: Run::default().at, interrupted: true, ..FailedTurn::default() };
        let history = History { failures: vec![turn], ..History::default() };
        let facts = Facts { history: Observed::known(history, "test"), ..Facts::default() };
        let subject = Subject::of(&facts).unwrap();
        assert_eq!(for_nothing(&facts, Some(&subject)).id, "repeat-with-log");
        let unknown = Subject { interrupted: false, text: Some("?".to_owned()), ..subject };
        assert_eq!(for_nothing(&facts, Some(&unknown)).id, "whole-error");
        assert_eq!(for_nothing(&facts, None).id, "look-online");
    }

    #[test]
    fn every_cause_is_paired_with_every_other() {
        let pairs = Cause::HYPOTHESES.iter().enumerate().flat_map(|(place, one)| {
            Cause::HYPOTHESES[place + 1..].iter().map(move |other| (Target::Cause(*one).name(), Target::Cause(*other).name()))
        });
        for (one, other) in pairs {
            let paired = |row: &Row| row.between.contains(&one) && row.between.contains(&other);
            assert!(ROWS.iter().any(paired), "{one} and {other}");
        }
    }
}

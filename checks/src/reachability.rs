//! Reachability: does the endpoint answer a request that costs nothing, and with what?
//!
//! # What it checks
//! One `GET …/models` to the address that Codex uses, with the credential that Codex would send there, through the proxy that
//! Codex would take: at which stage it stops (name, connection, proxy, TLS, answer), or what the answer is and who wrote it.
//!
//! # Why it matters
//! On current Codex releases a refused connection, a broken TLS handshake and a dead proxy look all the same ("Reconnecting"),
//! and leave no error behind. An answer tells them apart in a second, and shows whether key and address are right.
//!
//! # What it cannot tell
//! Capacity: a list of models says nothing about free room, and a server may fail for the model request alone. Many relays
//! have no model list; their 404 proves nothing. It shows the state of now, not that of an older error.
//!
//! # Fix
//! The finding names the failing stage; the `curl` command in its evidence repeats the request. Set the key in the variable
//! that the command names. Nothing here ever means to switch off certificate checks.
//!
//! # Example
//! ```text
//! reach.proxy-failed  The proxy in HTTPS_PROXY did not connect to api.openai.com.
//!   curl -sS -i --max-time 10 -H "Authorization: Bearer $KEY" 'https://api.openai.com/v1/models'
//! ```

mod answers;
pub(crate) mod stages;
#[cfg(test)]
pub(crate) mod tests;

use crate::facts::credentials::CredentialKind;
use crate::facts::endpoint::HostKind;
use crate::facts::history::Success;
use crate::facts::network::{Outcome, Reachability};
use crate::facts::{Fact, Facts};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::hosts::{host_in, host_kind};
use crate::subject::{Subject, asked_model};

pub(crate) const ID: &str = "reachability";

pub(crate) fn codes() -> Vec<String> {
    let own = ["reach.credential-withheld", "reach.unusable-credential"];
    answers::CODES.iter().chain(stages::CODES).chain(&own).map(|code| (*code).to_owned()).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Fact::Known { value: reached } = &facts.reachability.fact else {
        return vec![Finding::cannot_tell(ID, &facts.reachability)];
    };
    let view = View::new(facts, reached);
    let mut findings = match &reached.outcome {
        Outcome::Answered(answer) => answers::findings(&view, answer),
        Outcome::Broken(error) => vec![stages::finding(&view, error)],
    };
    if reached.withheld {
        findings.push(view.said("reach.credential-withheld", Severity::Note));
    }
    if reached.unusable {
        findings.push(unusable(&view));
    }
    findings
}

/// Codex drops a credential that no header can carry and asks without one.
fn unusable(view: &View<'_>) -> Finding {
    let refused = matches!(&view.reached.outcome, Outcome::Answered(answer) if answer.status == 401);
    let finding = view.said("reach.unusable-credential", if refused { Severity::Error } else { Severity::Warning });
    let finding = finding.group("credentials");
    if refused { finding.weighs(Target::Kind(Kind::ConfigCredentials), 26) } else { finding }
}

/// What all findings of this check look at.
struct View<'a> {
    reached: &'a Reachability,
    host: String,
    host_kind: HostKind,
    /// The model that the subject or the configuration asks for.
    model: Option<String>,
    /// What Codex would do about a refused credential.
    renewal: Renewal,
    /// Whether the path of the address is one of the official API's.
    official_path: bool,
    /// Whether the path of the address names a version of the API.
    versioned: bool,
    /// Whether a turn of this provider succeeded lately.
    has_answered: bool,
    /// Whether there is an error that is triaged. A mere hint weighs only then: without one it would make a healthy machine
    /// look doubtful.
    has_subject: bool,
}

impl<'a> View<'a> {
    fn new(facts: &Facts, reached: &'a Reachability) -> Self {
        let endpoint = facts.endpoint.value();
        let subject = Subject::of(facts);
        let host = endpoint.and_then(|endpoint| endpoint.host.clone()).or_else(|| host_of(&reached.url)).unwrap_or_default();
        let kind = endpoint.map_or_else(|| host_kind(&host), |endpoint| endpoint.host_kind);
        let path = endpoint.map(|endpoint| endpoint.base_url.trim_end_matches('/'));
        Self {
            reached,
            host,
            host_kind: kind,
            model: asked_model(facts, subject.as_ref()),
            renewal: Renewal::of(facts),
            official_path: path.is_none_or(|path| path.ends_with("/v1") || path.ends_with("/backend-api/codex")),
            versioned: path.is_some_and(|path| path.split('/').skip(3).any(crate::base_url::address::is_version)),
            has_answered: facts.history.value().is_some_and(|history| {
                let of_provider = |success: &Success| success.provider.as_deref() == endpoint.map(|endpoint| &*endpoint.provider);
                history.successes.iter().any(of_provider)
            }),
            has_subject: subject.is_some(),
        }
    }

    fn said(&self, code: &str, severity: Severity) -> Finding {
        let elapsed = i64::try_from(self.reached.elapsed_ms).unwrap_or(i64::MAX);
        Finding::new(ID, code, severity, [("host", self.host.as_str()), ("url", self.reached.url.as_str())])
            .arg("elapsed", Arg::DurationMs(elapsed))
            .evidence(self.reached.curl.clone())
    }

    /// A hint: it weighs only where there is an error that it can explain.
    fn hint(&self, finding: Finding, kind: Kind, decibans: i16) -> Finding {
        if self.has_subject { finding.weighs(Target::Kind(kind), decibans) } else { finding }
    }

    fn is_official(&self) -> bool {
        self.host_kind == HostKind::Official
    }
}

/// What Codex does when a credential has ended or is refused. We never renew a token ourselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// It cannot renew it.
    None,
    /// It renews a refused token and asks again.
    WhenRefused,
    /// It renews this token before it asks at all.
    BeforeAsking,
}

impl Renewal {
    /// Codex renews a token that ends within this many seconds before it uses it (measured on 0.171.0).
    const WINDOW_S: i64 = 300;

    pub(crate) fn of(facts: &Facts) -> Self {
        let Some(credentials) = facts.credentials.value() else { return Self::None };
        let is_login = credentials.used().is_some_and(|used| used.kind == CredentialKind::Chatgpt);
        let Some(tokens) = credentials.tokens.as_ref().filter(|tokens| is_login && tokens.refreshable) else { return Self::None };
        let soon = facts.run.at + chrono::TimeDelta::seconds(Self::WINDOW_S);
        if tokens.expires_at.is_some_and(|end| end <= soon) { Self::BeforeAsking } else { Self::WhenRefused }
    }
}

pub(crate) fn host_of(url: &str) -> Option<String> {
    let authority = url.split_once("://")?.1.split(['/', '?']).next()?;
    Some(host_in(authority).trim_start_matches('[').trim_end_matches(']').to_owned())
}

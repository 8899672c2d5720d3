//! Model request: what does the model itself answer to one minimal request, and in whose words?
//!
//! # What it checks
//! The answer to one request of a word, sent with `--allow-cost` only, over the transport that Codex would use: a WebSocket first
//! where Codex does so, else `POST …/responses`. The words of an error decide before its code, its code before its status.
//!
//! # Why it matters
//! Codex keeps a constant sentence for the code `server_is_overloaded` and throws the server's own words away. A relay whose
//! accounts have no quota left, that lacks the model or whose key is dead prints exactly the same. Only a request can read them.
//!
//! # What it cannot tell
//! What was true when an older error happened: a full model answers again minutes later. And what a relay does not say itself.
//! A long conversation may still fail where one word succeeds.
//!
//! # Fix
//! It depends on what the answer says; the verdict names it. The request costs at most a few tokens, nothing when it is refused.
//!
//! # Example
//! ```text
//! $ codex-triage --allow-cost
//! model-request.quota  relay.example says that its quota is used up (status 503): all accounts hit usage limit
//! ```

mod reading;
mod seen;
#[cfg(test)]
mod tests;
mod words;

use crate::errors::is_capacity_text;
use crate::facts::endpoint::HostKind;
use crate::facts::model_request::{ModelOutcome, ModelRequest};
use crate::facts::{Fact, Facts};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Cause, Kind, Target};
use crate::knowledge::hosts::host_kind;
use crate::reachability::{Renewal, host_of};
use crate::subject::{Route, Subject, asked_model};
use reading::Reading;

pub(crate) const ID: &str = "model-request";
const GROUP: &str = "model-request";

pub(crate) fn codes() -> Vec<String> {
    reading::CODES.iter().map(|code| (*code).to_owned()).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Fact::Known { value: request } = &facts.model_request.fact else {
        return vec![Finding::cannot_tell(ID, &facts.model_request)];
    };
    let view = View::new(facts, request);
    if request.answered() {
        return answered(&view, facts);
    }
    let Some(attempt) = request.last() else { return vec![Finding::cannot_tell(ID, &facts.model_request)] };
    let reading = reading::of(&view, attempt);
    let mut findings = vec![finding(&view, &reading)];
    findings.extend(limits_far(&view));
    findings
}

/// What all findings look at.
struct View<'a> {
    request: &'a ModelRequest,
    host: String,
    host_kind: HostKind,
    route: Route,
    renewal: Renewal,
    subject: Option<Subject>,
    /// Whether the error that is triaged is so old, or of another model, that what is true now says less about it.
    elsewhen: bool,
}

/// Capacity, throttling and networks change within this time.
const SAME_TIME: chrono::TimeDelta = chrono::TimeDelta::hours(1);

impl<'a> View<'a> {
    fn new(facts: &Facts, request: &'a ModelRequest) -> Self {
        let endpoint = facts.endpoint.value();
        let host = endpoint.and_then(|endpoint| endpoint.host.clone()).or_else(|| host_of(&request.url)).unwrap_or_default();
        let kind = endpoint.map_or_else(|| host_kind(&host), |endpoint| endpoint.host_kind);
        let subject = Subject::of(facts);
        let old = subject.as_ref().and_then(|subject| subject.at).is_some_and(|at| facts.run.at - at > SAME_TIME);
        let other = subject.as_ref().and_then(|subject| subject.model.as_ref()).is_some_and(|model| *model != request.model);
        Self {
            request,
            host,
            host_kind: kind,
            route: Route::from(kind),
            renewal: Renewal::of(facts),
            elsewhen: old || other,
            subject,
        }
    }

    fn said(&self, code: &str, severity: Severity) -> Finding {
        let elapsed = i64::try_from(self.request.elapsed_ms).unwrap_or(i64::MAX);
        Finding::new(ID, code, severity, [("host", self.host.as_str()), ("model", self.request.model.as_str())])
            .arg("url", self.request.url.as_str())
            .arg("elapsed", Arg::DurationMs(elapsed))
            .evidence(self.request.curl.clone())
    }
}

fn finding(view: &View<'_>, reading: &Reading) -> Finding {
    let finding = view
        .said(reading.code, reading.severity)
        .arg("status", reading.status.clone())
        .arg("error", reading.error.clone())
        .group(reading.group)
        .evidence(seen::seen(view.request));
    reading.weights.iter().fold(finding, |finding, (target, decibans)| {
        let passes = view.elsewhen && *decibans > 0 && is_passing(*target);
        finding.weighs(*target, if passes { *decibans / 2 } else { *decibans })
    })
}

/// What an hour may change by itself.
fn is_passing(target: Target) -> bool {
    match target {
        Target::Kind(kind) => matches!(kind.cause(), Cause::Overload | Cause::Network) || kind == Kind::QuotaRateLimit,
        Target::Cause(cause) => matches!(cause, Cause::Overload | Cause::Network),
    }
}

/// The model answered: configuration, credential, quota and way are good now. What clears by itself may still have been true.
fn answered(view: &View<'_>, facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut good = view
        .said("model-request.answered", Severity::Ok)
        .group(GROUP)
        .evidence(seen::seen(view.request))
        .weighs(Target::Cause(Cause::Network), -6)
        .weighs(Target::Cause(Cause::Overload), -3)
        .weighs(Target::Kind(Kind::QuotaRateLimit), -3)
        .weighs(Target::Kind(Kind::QuotaConcurrency), -3);
    for kind in [Kind::QuotaUsageLimit, Kind::QuotaCredits, Kind::QuotaPlan, Kind::QuotaOrg] {
        good = good.weighs(Target::Kind(kind), -20);
    }
    let same_model = asked_model(facts, view.subject.as_ref()).is_none_or(|model| model == view.request.model);
    for kind in Kind::ALL.iter().filter(|kind| kind.cause() == Cause::Config) {
        let about_model = matches!(kind, Kind::ConfigModel | Kind::ConfigRelay);
        if same_model || !about_model {
            good = good.weighs(Target::Kind(*kind), -20);
        }
    }
    findings.push(good);
    if view.request.authenticated {
        // The free request may be refused where this one is not; then its refusal means nothing.
        let accepted = view.said("model-request.credential-accepted", Severity::Ok).group("credentials");
        findings.push(accepted.weighs(Target::Kind(Kind::ConfigCredentials), -30));
    }
    if view.subject.is_none() {
        // Nor does it matter that the free request is cut or refused on a way that this one goes.
        let open = view.said("model-request.way-open", Severity::Ok).group(crate::dns::GROUP);
        findings.push(open.weighs(Target::Cause(Cause::Network), -30).weighs(Target::Kind(Kind::ConfigBaseUrl), -30));
    }
    if view.subject.as_ref().is_some_and(is_capacity) {
        findings.push(view.said("model-request.answers-again", Severity::Note));
    }
    findings
}

fn is_capacity(subject: &Subject) -> bool {
    subject.code.as_deref() == Some("server_overloaded") || subject.text.as_deref().is_some_and(is_capacity_text)
}

/// The account's windows, as the refusal itself tells them, are far from full.
fn limits_far(view: &View<'_>) -> Option<Finding> {
    let fullest = view.request.attempts.iter().filter_map(|attempt| reading::fullest_window(&attempt.outcome)).max()?;
    (fullest < 90).then(|| {
        view.said("model-request.limits-far", Severity::Note)
            .arg("percent", i64::from(fullest))
            .group("limits-now")
            .weighs(Target::Kind(Kind::QuotaUsageLimit), -8)
    })
}

/// Whether the attempt ended in an answer of any kind.
fn came(outcome: &ModelOutcome) -> bool {
    !matches!(outcome, ModelOutcome::Broken { .. })
}

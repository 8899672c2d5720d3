//! When the request is not sent although it is allowed: Codex would send none either, or not with anything that we may use.

use codex_triage_checks::config_outcome;
use codex_triage_checks::facts::credentials::CredentialKind;
use codex_triage_checks::facts::{Facts, SkipReason};

use crate::collect::reachability::{ProbeRequest, may_carry_credential, proxies};

/// What is known before the request.
pub struct Situation<'a> {
    /// The facts so far.
    pub facts: &'a Facts,
    /// The request, when there is an address for one.
    pub probe: Option<&'a ProbeRequest>,
    /// The URL, when there is one.
    pub url: Option<&'a url::Url>,
}

/// What forbids the request.
pub fn obstacle(situation: &Situation<'_>) -> Option<SkipReason> {
    let (Some(probe), Some(url)) = (situation.probe, situation.url) else { return Some(SkipReason::NeedsAnother) };
    // With a configuration that it refuses, without the variable that it wants, or with a login that it would delete, Codex
    // sends nothing.
    let facts = situation.facts;
    let rejected = facts.config.value().is_none_or(|config| config_outcome(config, facts.codex_version()).is_rejected());
    let credentials = facts.credentials.value();
    let stopped =
        credentials.is_none_or(|credentials| credentials.missing_variable.is_some() || credentials.forced_mismatch.is_some());
    if rejected || stopped {
        return Some(SkipReason::NeedsAnother);
    }
    let used = credentials.and_then(|credentials| credentials.used()).map(|used| used.kind);
    let signed_otherwise = facts.endpoint.value().is_some_and(|endpoint| endpoint.provider.starts_with("amazon-bedrock"));
    match used {
        Some(CredentialKind::ProviderCommand) => return Some(SkipReason::WouldExecute),
        Some(CredentialKind::ProviderHeaders) | None if !signed_otherwise => {}
        _ if probe.bearer.is_none() => return Some(SkipReason::Private),
        _ => {}
    }
    let proxy = proxies::choose(&probe.environment, url);
    (probe.has_credential() && !may_carry_credential(url, proxy.as_ref())).then_some(SkipReason::Unsafe)
}

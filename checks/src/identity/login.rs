//! A ChatGPT login: its age, its account, its plan.

use super::{GROUP, NO_CREDENTIAL, credential_fault, finding, hinting};
use crate::facts::Facts;
use crate::facts::credentials::{CredentialKind, Credentials, Tokens};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};

pub(super) const CODES: &[&str] = &["expired", "refresh-stale", "account-mismatch", "plan"];

/// Codex refreshes a login whose last refresh is older (source of 0.171.0); one that is older still was not used, or could not be refreshed.
const REFRESH_DUE: chrono::TimeDelta = chrono::TimeDelta::days(8);
/// An old token that Codex refreshes by itself: a failed refresh is only logged, and the old one is sent.
const REFRESHABLE: i16 = 4;
const STALE: i16 = 2;
/// Codex takes both ids from one token at login: they differ only in a file that was edited or put together.
const OTHER_ACCOUNT: i16 = 20;
const OTHER_ACCOUNT_QUOTA: i16 = 8;
/// The plan with next to no allowance for Codex.
const FREE_PLAN: &str = "free";
const FREE: i16 = 4;

/// Findings about the login, when it is the one in use.
pub(super) fn findings(facts: &Facts, credentials: &Credentials) -> Vec<Finding> {
    let in_use = credentials.used().is_some_and(|used| used.kind == CredentialKind::Chatgpt);
    let Some(tokens) = credentials.tokens.as_ref().filter(|_| in_use) else { return Vec::new() };
    [expired(facts, tokens), stale(facts, tokens), account(tokens), plan(facts, tokens)].into_iter().flatten().collect()
}

fn expired(facts: &Facts, tokens: &Tokens) -> Option<Finding> {
    let ended = tokens.expires_at.filter(|ended| *ended <= facts.run.at)?;
    let age = Arg::DurationMs((facts.run.at - ended).num_milliseconds());
    let expired = |severity| finding("expired", severity).arg("at", ended).arg("age", age.clone());
    if tokens.refreshable {
        return Some(hinting(expired(Severity::Note), facts, Kind::ConfigCredentials, REFRESHABLE));
    }
    let for_good = expired(Severity::Error).message_id("identity-expired-for-good");
    Some(credential_fault(for_good, NO_CREDENTIAL))
}

fn stale(facts: &Facts, tokens: &Tokens) -> Option<Finding> {
    let last = tokens.last_refresh.filter(|last| facts.run.at - *last > REFRESH_DUE)?;
    let age = Arg::DurationMs((facts.run.at - last).num_milliseconds());
    let stale = finding("refresh-stale", Severity::Note).arg("at", last).arg("age", age);
    Some(hinting(stale, facts, Kind::ConfigCredentials, STALE))
}

fn account(tokens: &Tokens) -> Option<Finding> {
    let (named, claimed) = (tokens.account.as_ref()?, tokens.token_account.as_ref()?);
    (named != claimed).then(|| {
        let other = finding("account-mismatch", Severity::Error).arg("account", named.as_str()).arg("token", claimed.as_str());
        credential_fault(other, OTHER_ACCOUNT).weighs(Target::Kind(Kind::QuotaOrg), OTHER_ACCOUNT_QUOTA)
    })
}

fn plan(facts: &Facts, tokens: &Tokens) -> Option<Finding> {
    let plan = tokens.plan.as_ref()?;
    let free = plan == FREE_PLAN;
    let severity = if free { Severity::Note } else { Severity::Ok };
    let named = finding("plan", severity).group(format!("{GROUP}-plan")).arg("plan", plan.as_str());
    Some(if free { hinting(named, facts, Kind::QuotaPlan, FREE) } else { named })
}

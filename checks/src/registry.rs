//! The checks, in the order in which they run and are shown. A new check is one file and one line here.

use crate::facts::Facts;
use crate::facts::run::Scope;
use crate::finding::Finding;

/// A check: a pure function of facts, with its page.
pub struct Check {
    /// Its stable id.
    pub id: &'static str,
    /// Its source; the module comment at its head is its page.
    pub source: &'static str,
    /// The codes of all findings that it can make, but for those of a missing fact.
    pub codes: fn() -> Vec<String>,
    /// What it says about some facts.
    pub run: fn(&Facts) -> Vec<Finding>,
}

macro_rules! checks {
    ($($module:ident),* $(,)?) => {
        &[$(Check { id: crate::$module::ID, source: include_str!(concat!(stringify!($module), ".rs")), codes: crate::$module::codes, run: crate::$module::run },)*]
    };
}

/// All checks.
pub const CHECKS: &[Check] = checks![
    config_keys,
    config_layers,
    model_provider,
    model_settings,
    provider_settings,
    base_url,
    contradictions,
    dns,
    reachability,
    model_request,
    identity,
    clock_skew,
    session_bloat,
    context_pressure,
    other_clients,
    last_errors,
    error_history,
    advice_checker,
    rate_limits,
];

/// The checks that look at what Codex keeps and at who uses it.
const OF_THE_SESSIONS: [&str; 3] = [crate::session_bloat::ID, crate::context_pressure::ID, crate::other_clients::ID];

impl Check {
    /// The page: the module comment without its comment marks.
    pub fn page(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let mut page: String = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
        page.push('\n');
        page
    }

    /// The first line of the page: what the check asks.
    pub fn question(&self) -> String {
        self.page().lines().next().unwrap_or_default().to_owned()
    }
}

/// Runs all checks but those named in `without` over `facts`: where only the sessions are asked for, those that look at these.
pub fn run_all_but(facts: &Facts, without: &[&str]) -> Vec<Finding> {
    asked(facts.run.scope).filter(|check| !without.contains(&check.id)).flat_map(|check| (check.run)(facts)).collect()
}

/// The checks that answer what was asked.
pub fn asked(scope: Scope) -> impl Iterator<Item = &'static Check> {
    CHECKS.iter().filter(move |check| scope != Scope::Sessions || OF_THE_SESSIONS.contains(&check.id))
}

/// Runs all checks over `facts`; see [`run_all_but`].
pub fn run_all(facts: &Facts) -> Vec<Finding> {
    run_all_but(facts, &[])
}

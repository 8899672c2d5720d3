//! Quota at the time of the failure: was a limit of this account used up, or far from it?
//!
//! # What it checks
//! The snapshots of the quota windows that the server sends beside its answers and that Codex stores: the newest one before the failed turn, from
//! the same provider and for the same model's bucket; without a failed turn, the newest of all. Windows are told by their length, not by their slot.
//!
//! # Why it matters
//! A used-up window ends every request until its reset, whatever the error says. A window far from its limit clears the account, and makes a capacity
//! error what it says it is.
//!
//! # What it cannot tell
//! Anything where no snapshot was stored: API keys and relays send none. What was used since the snapshot: an old one says little, and one whose
//! reset has passed nothing.
//!
//! # Fix
//! Wait for the reset, buy credits, or spread the work. Another model draws on the same window, but for models with a bucket of their own.
//!
//! # Example
//! A weekly window at 100 %, seen two minutes before the error, reset in two days.

mod relevant;

use crate::facts::Facts;
use crate::facts::history::{LimitSnapshot, LimitWindow};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Cause, Kind, Target};
use relevant::{Seen, State};

pub(crate) const ID: &str = "rate-limits";

const GROUP: &str = "limits";
/// Near proof: usage does not fall before the reset.
const REACHED: i16 = 22;
/// From 90 % on, the failed request itself may have used up the rest.
const NEAR: i16 = 4;
/// A window that is far from its limit rules the usage limit out, as long as the snapshot is fresh; later, use may have risen.
const FAR_BELOW: i16 = -20;
const FAR_BELOW_WITHIN_AN_HOUR: i16 = -10;
const FAR_BELOW_OLDER: i16 = -3;
/// And makes overload a little likelier.
const OVERLOAD: i16 = 3;
/// No credits, in an account that has nothing else.
const NO_CREDITS: i16 = 8;

pub(crate) fn codes() -> Vec<String> {
    let codes = ["far-below", "near", "reached", "superseded", "reset-passed", "credits-empty", "reached-type", "none"];
    codes.iter().map(|code| format!("limits.{code}")).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    if facts.history.value().is_none() {
        return vec![Finding::cannot_tell(ID, &facts.history)];
    }
    let seen = relevant::snapshots(facts);
    if seen.is_empty() {
        return vec![Finding::plain(ID, "limits.none", Severity::Note)];
    }
    seen.iter().flat_map(|seen| judge(facts, seen)).collect()
}

fn judge(facts: &Facts, seen: &Seen<'_>) -> Vec<Finding> {
    let snapshot = seen.snapshot;
    let mut findings = Vec::new();
    let states: Vec<(&LimitWindow, State)> = snapshot.windows.iter().map(|window| (window, seen.state(window))).collect();
    let windows_in = |wanted: State| states.iter().filter(move |(_, state)| *state == wanted).map(|(window, _)| *window);
    findings.extend(windows_in(State::Reached).map(|window| reached(facts, seen, window)));
    // It stopped that request, and would not stop the next one.
    let over = |window: &&LimitWindow| window.resets_at.is_some_and(|reset| reset <= facts.run.at);
    if !findings.is_empty() && windows_in(State::Reached).all(|window| over(&window)) && !seen.superseded {
        let last = windows_in(State::Reached).max_by_key(|window| window.resets_at);
        findings.push(finding("reset-passed", Severity::Note, seen, last));
    }
    findings.extend(windows_in(State::Near).map(|window| near(seen, window)));
    if findings.is_empty() {
        let fullest = windows_in(State::Below).max_by(|one, other| one.used_percent.total_cmp(&other.used_percent));
        match (fullest, windows_in(State::Passed).next()) {
            (Some(window), _) => findings.push(far_below(seen, window)),
            (None, Some(window)) => findings.push(finding("reset-passed", Severity::Note, seen, Some(window))),
            (None, None) => {}
        }
    }
    if seen.is_current() {
        findings.extend(reached_type(seen));
        findings.extend(credits(seen));
    }
    findings
}

/// A finding about `window` of a snapshot, with the arguments that all messages share.
fn finding(code: &str, severity: Severity, seen: &Seen<'_>, window: Option<&LimitWindow>) -> Finding {
    let snapshot = seen.snapshot;
    let mut finding = Finding::plain(ID, format!("limits.{code}"), severity)
        .group(GROUP)
        .arg("bucket", bucket(snapshot))
        .arg("seen", snapshot.at)
        .arg("age", Arg::DurationMs(seen.age().num_milliseconds().max(0)))
        .evidence(snapshot.source.clone());
    if let Some(window) = window {
        let length = window.minutes.and_then(|minutes| i64::try_from(minutes).ok()).and_then(|minutes| minutes.checked_mul(60_000));
        finding = finding
            .arg("used", Arg::Number(window.used_percent))
            .arg("window", length.map_or_else(|| Arg::Text("?".to_owned()), Arg::DurationMs));
        finding = match window.resets_at {
            Some(reset) => finding.arg("reset", reset),
            None => {
                let id = format!("{}-open", finding.message_id);
                finding.message_id(&id)
            }
        };
    }
    finding
}

/// The bucket's name for people.
fn bucket(snapshot: &LimitSnapshot) -> String {
    snapshot.name.clone().or_else(|| snapshot.bucket.clone()).unwrap_or_else(|| "codex".to_owned())
}

fn reached(facts: &Facts, seen: &Seen<'_>, window: &LimitWindow) -> Finding {
    if seen.superseded {
        // A later answer shows that the limit does not hold: credits were bought, or it was reset.
        return finding("superseded", Severity::Note, seen, Some(window));
    }
    let blocked_still = window.resets_at.is_none_or(|reset| reset > facts.run.at);
    let severity = if seen.failed && blocked_still { Severity::Error } else { Severity::Warning };
    let reached = finding("reached", severity, seen, Some(window));
    // With credits, Codex goes on beyond the window; only a failure shows that it did not.
    if seen.failed || !has_credits(seen.snapshot) { reached.weighs(Target::Kind(Kind::QuotaUsageLimit), REACHED) } else { reached }
}

fn near(seen: &Seen<'_>, window: &LimitWindow) -> Finding {
    let near = finding("near", Severity::Note, seen, Some(window));
    if seen.failed { near.weighs(Target::Kind(Kind::QuotaUsageLimit), NEAR) } else { near }
}

fn far_below(seen: &Seen<'_>, window: &LimitWindow) -> Finding {
    let below = finding("far-below", Severity::Ok, seen, Some(window));
    let decibans = if seen.same_turn || seen.age().num_minutes() < 10 {
        FAR_BELOW
    } else if seen.age().num_minutes() < 60 {
        FAR_BELOW_WITHIN_AN_HOUR
    } else {
        FAR_BELOW_OLDER
    };
    let below = below.weighs(Target::Kind(Kind::QuotaUsageLimit), decibans);
    if seen.failed { below.weighs(Target::Cause(Cause::Overload), OVERLOAD) } else { below }
}

/// The server's own word that a limit was reached.
fn reached_type(seen: &Seen<'_>) -> Option<Finding> {
    let snapshot = seen.snapshot;
    let kind = match (&snapshot.reached, snapshot.spend_control_reached) {
        (Some(kind), _) => kind.as_str(),
        (None, Some(true)) => "spend_control",
        _ => return None,
    };
    let target = if kind.contains("credits") { Kind::QuotaCredits } else { Kind::QuotaUsageLimit };
    let severity = if seen.failed { Severity::Error } else { Severity::Warning };
    Some(finding("reached-type", severity, seen, None).arg("type", kind).weighs(Target::Kind(target), REACHED))
}

/// Most plans have no credits, and need none while their window lasts.
fn credits(seen: &Seen<'_>) -> Option<Finding> {
    let snapshot = seen.snapshot;
    let empty = snapshot.has_credits == Some(false) && snapshot.unlimited_credits != Some(true);
    let nothing_else = snapshot.windows.is_empty();
    let needed = nothing_else || snapshot.windows.iter().any(|window| seen.state(window) == State::Reached);
    if !empty || !needed {
        return None;
    }
    let severity = if nothing_else { Severity::Warning } else { Severity::Note };
    let credits = finding("credits-empty", severity, seen, None);
    Some(if nothing_else && seen.failed { credits.weighs(Target::Kind(Kind::QuotaCredits), NO_CREDITS) } else { credits })
}

fn has_credits(snapshot: &LimitSnapshot) -> bool {
    snapshot.has_credits == Some(true) || snapshot.unlimited_credits == Some(true)
}

#[cfg(test)]
mod tests;

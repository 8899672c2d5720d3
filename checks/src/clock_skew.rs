//! Clock skew: is this machine's clock far enough off to break tokens or TLS?
//!
//! # What it checks
//! The offset between the local clock and the `Date` header of the endpoint's answer, as an interval; where no answer came, whether the
//! stored login was issued in the future. A header has a
//! resolution of one second, and the true moment lies anywhere within the round trip. Only the part of which the interval
//! leaves no doubt counts.
//!
//! # Why it matters
//! Codex renews a token that ends within 300 s. A clock that is ahead by nearly a token's lifetime makes every token look
//! expired: Codex then renews without end, which looks like a hang. One that is behind sends tokens that the server refuses
//! with 401, and shows reset times that are wrong. An offset of months also breaks TLS, and looks like a dead network.
//!
//! # What it cannot tell
//! Which of the two clocks is wrong. Anything, when no answer carried a `Date`, when it came from a cache, or when it came
//! over plain HTTP from another machine (a captive portal has any clock it likes).
//!
//! # Fix
//! Switch on time synchronisation. A wrong time zone alone breaks nothing but the times you read.
//!
//! # Example
//! ```text
//! clock.off  This computer's clock is 10 min ahead of api.openai.com; tokens may look expired when they are not.
//! ```

use crate::facts::credentials::{CredentialKind, Credentials};
use crate::facts::network::Skew;
use crate::facts::{Fact, Facts};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::subject::Subject;

pub(crate) const ID: &str = "clock-skew";

/// Below this nothing is worth a line: a `Date` header is no more exact.
const NOISE_S: u64 = 5;
/// Up to this nothing breaks; the times that errors name are a little off.
const HARMLESS_S: u64 = 60;
/// Codex's own renewal window (measured on 0.171.0: a token with 299 s left is renewed, one with 3,600 s is not).
const RENEWAL_WINDOW_S: u64 = 300;
/// An offset within the window costs a renewal too many.
const SMALL: i16 = 4;
/// A larger one makes tokens be renewed too early or be refused; Codex mends most of that by itself.
const LARGE: i16 = 18;
/// Ahead by a token's whole life less the window: Codex renews for ever and sends no model request (measured on 0.171.0).
const ENDLESS: i16 = 36;
/// Certificates live for weeks and months; beyond a day an offset begins to break them.
const DAY_S: u64 = 86_400;

pub(crate) fn codes() -> Vec<String> {
    ["clock.in-step", "clock.off", "clock.tokens-look-expired", "clock.token-from-future"].map(str::to_owned).into()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Fact::Known { value: skew } = &facts.clock.fact else {
        return std::iter::once(Finding::cannot_tell(ID, &facts.clock)).chain(token_from_future(facts)).collect();
    };
    let certain = skew.certain_offset_s();
    vec![match certain.unsigned_abs() {
        ..=NOISE_S => in_step(skew),
        offset if offset <= HARMLESS_S => off(skew, "clock.off", Severity::Note),
        _ if !tokens_count(facts) => off(skew, "clock.off", Severity::Warning),
        _ if renews_without_end(facts, certain) => weighed(off(skew, "clock.tokens-look-expired", Severity::Error), ENDLESS),
        offset if offset <= RENEWAL_WINDOW_S => hinting(facts, off(skew, "clock.off", Severity::Warning), SMALL),
        offset if offset < DAY_S => hinting(facts, off(skew, "clock.off", Severity::Error), LARGE),
        _ => weighed(off(skew, "clock.off", Severity::Error), LARGE),
    }]
}

/// Whether Codex signs its requests with something that ends. An API key does not, and does not care about clocks.
fn tokens_count(facts: &Facts) -> bool {
    let used = facts.credentials.value().and_then(Credentials::used);
    used.is_none_or(|credential| {
        use CredentialKind as Kind;
        matches!(
            credential.kind,
            Kind::Chatgpt | Kind::EnvAccessToken | Kind::AgentIdentity | Kind::Keyring | Kind::ProviderCommand
        )
    })
}

/// A stored token that was issued after "now": the local clock is behind by at least that much, whatever the network says.
fn token_from_future(facts: &Facts) -> Option<Finding> {
    let issued = facts.credentials.value()?.tokens.as_ref()?.issued_at?;
    let behind = issued - facts.run.at;
    let offset_s = behind.num_seconds().max(0).unsigned_abs();
    if offset_s <= HARMLESS_S {
        return None;
    }
    let severity = if offset_s <= RENEWAL_WINDOW_S { Severity::Warning } else { Severity::Error };
    let finding = Finding::new(ID, "clock.token-from-future", severity, [("at", Arg::Time(issued))])
        .arg("offset", Arg::DurationMs(behind.num_milliseconds()))
        .group("clock")
        .advises("sync-clock")
        .evidence(facts.credentials.source.clone());
    Some(match offset_s {
        _ if !tokens_count(facts) => finding,
        ..=RENEWAL_WINDOW_S => hinting(facts, finding, SMALL),
        offset if offset < DAY_S => hinting(facts, finding, LARGE),
        // A day and more also lies before the beginning of certificates.
        _ => weighed(finding, ENDLESS),
    })
}

/// Whether a token looks as good as ended in the moment in which it is issued.
fn renews_without_end(facts: &Facts, ahead_s: i64) -> bool {
    let Some(tokens) = facts.credentials.value().and_then(|credentials| credentials.tokens.as_ref()) else { return false };
    let (Some(issued), Some(expires)) = (tokens.issued_at, tokens.expires_at) else { return false };
    let lifetime_s = (expires - issued).num_seconds();
    lifetime_s > 0 && ahead_s >= lifetime_s - RENEWAL_WINDOW_S as i64
}

fn weighed(finding: Finding, decibans: i16) -> Finding {
    finding.weighs(Target::Kind(Kind::ConfigClock), decibans)
}

/// What Codex mends by itself explains an error at most; without one it makes no machine doubtful.
fn hinting(facts: &Facts, finding: Finding, decibans: i16) -> Finding {
    if Subject::of(facts).is_some() { weighed(finding, decibans) } else { finding }
}

fn in_step(skew: &Skew) -> Finding {
    let widest_ms = 1000 * skew.low_s.abs().max(skew.high_s.abs());
    Finding::new(ID, "clock.in-step", Severity::Ok, [("host", skew.host.clone())])
        .arg("within", Arg::DurationMs(widest_ms))
        .evidence(seen(skew))
        .weighs(Target::Kind(Kind::ConfigClock), -12)
}

fn off(skew: &Skew, code: &str, severity: Severity) -> Finding {
    let certain = skew.certain_offset_s();
    let direction = if certain > 0 { "ahead" } else { "behind" };
    let off = Finding::new(ID, code, severity, [("host", skew.host.as_str()), ("direction", direction)])
        .arg("offset", Arg::DurationMs(1000 * certain.abs()))
        .group("clock")
        .evidence(seen(skew));
    if severity >= Severity::Warning { off.advises("sync-clock") } else { off }
}

fn seen(skew: &Skew) -> String {
    format!("Date header of {}: local clock minus server between {} s and {} s", skew.host, skew.low_s, skew.high_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::credentials::{Credential, Tokens};
    use crate::facts::{Observed, SkipReason};

    fn said(low_s: i64, high_s: i64) -> Finding {
        let skew = Skew { host: "api.openai.com".to_owned(), low_s, high_s };
        run(&Facts { clock: Observed::known(skew, "Date"), ..Facts::default() }).remove(0)
    }

    #[test]
    fn without_an_answer_a_login_from_the_future_tells_a_clock_that_is_behind() {
        let with = |ahead: chrono::TimeDelta| {
            let facts = Facts::default();
            let tokens = Tokens { issued_at: Some(facts.run.at + ahead), ..Tokens::default() };
            let login = Credential { kind: CredentialKind::Chatgpt, place: "auth.json".to_owned(), used: true };
            let credentials = Credentials { present: vec![login], tokens: Some(tokens), ..Credentials::default() };
            let facts = Facts { credentials: Observed::known(credentials, "auth.json"), ..facts };
            run(&facts).into_iter().find(|finding| finding.code == "clock.token-from-future")
        };
        assert!(with(chrono::TimeDelta::days(-2)).is_none());
        assert!(with(chrono::TimeDelta::seconds(30)).is_none());
        assert_eq!(with(chrono::TimeDelta::days(300)).unwrap().weights["config.clock"], ENDLESS);
    }

    #[test]
    fn an_offset_inside_the_round_trip_is_no_offset() {
        assert_eq!(said(-3, 9).code, "clock.in-step");
        assert_eq!(said(-40, 2).severity, Severity::Ok);
    }

    #[test]
    fn the_further_off_the_graver() {
        let grave = |low, high| said(low, high).severity;
        assert_eq!(grave(20, 22), Severity::Note);
        assert_eq!(grave(-202, -200), Severity::Warning);
        assert_eq!(grave(301, 303), Severity::Error);
        assert_eq!(said(86_400, 86_402).weights["config.clock"], LARGE);
        assert!(said(301, 303).weights.is_empty(), "Codex mends it, and nothing failed");
    }

    fn with_credential(kind: CredentialKind, low_s: i64) -> Finding {
        let at = |seconds: i64| chrono::DateTime::from_timestamp(1_795_000_000 + seconds, 0);
        let tokens = Tokens { issued_at: at(0), expires_at: at(3600), ..Tokens::default() };
        let present = vec![Credential { kind, place: "auth.json".to_owned(), used: true }];
        let credentials = Credentials { present, tokens: Some(tokens), ..Credentials::default() };
        let skew = Skew { host: "chatgpt.com".to_owned(), low_s, high_s: low_s + 1 };
        let facts = Facts {
            clock: Observed::known(skew, "Date"),
            credentials: Observed::known(credentials, "auth.json"),
            ..Facts::default()
        };
        run(&facts).remove(0)
    }

    #[test]
    fn a_clock_ahead_by_a_tokens_life_makes_codex_renew_without_end() {
        assert_eq!(with_credential(CredentialKind::Chatgpt, 3290).code, "clock.off");
        assert_eq!(with_credential(CredentialKind::Chatgpt, 3300).code, "clock.tokens-look-expired");
        assert_eq!(with_credential(CredentialKind::Chatgpt, -4000).code, "clock.off");
    }

    #[test]
    fn a_key_does_not_care_about_the_clock() {
        let finding = with_credential(CredentialKind::ApiKey, 4000);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.weights.is_empty());
    }

    #[test]
    fn only_the_certain_part_counts() {
        assert_eq!(said(4, 4000).code, "clock.in-step");
        assert_eq!(said(-302, -250).args["offset"], Arg::DurationMs(250_000));
        assert_eq!(said(-302, -250).args["direction"], Arg::Text("behind".to_owned()));
    }

    #[test]
    fn without_a_usable_date_it_says_that_it_does_not_know() {
        let facts = |clock| Facts { clock, ..Facts::default() };
        assert_eq!(run(&facts(Observed::absent("Date header of relay.example")))[0].code, "clock-skew.absent");
        assert_eq!(run(&facts(Observed::skipped(SkipReason::Offline)))[0].code, "clock-skew.skipped");
        assert_eq!(run(&facts(Observed::failed("no answer", "Date")))[0].severity, Severity::Unknown);
    }
}

//! Clock skew: is this machine's clock far enough off to break tokens or TLS?
//!
//! # What it checks
//! The offset between the local clock and the `Date` header of the endpoint's answer, as an interval: a header has a
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

use crate::facts::network::Skew;
use crate::facts::{Fact, Facts};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};

pub(crate) const ID: &str = "clock-skew";

/// Below this nothing is worth a line: a `Date` header is no more exact.
const NOISE_S: u64 = 5;
/// Up to this nothing breaks; the times that errors name are a little off.
const HARMLESS_S: u64 = 60;
/// Codex's own renewal window (measured on 0.171.0: a token with 299 s left is renewed, one with 3,600 s is not).
const RENEWAL_WINDOW_S: u64 = 300;
/// An access token's usual lifetime less the renewal window: from here on a clock that is ahead makes every token look
/// expired. The lifetime is that of the tokens in Codex's own sign-in, ten days at the time of writing; one hour is the
/// shortest that the sign-in service gives out.
const LOOP_S: u64 = 3600 - RENEWAL_WINDOW_S;

pub(crate) fn codes() -> Vec<String> {
    ["clock.in-step", "clock.off"].map(str::to_owned).into()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Fact::Known { value: skew } = &facts.clock.fact else { return vec![Finding::cannot_tell(ID, &facts.clock)] };
    let certain = skew.certain_offset_s();
    vec![match certain.unsigned_abs() {
        ..=NOISE_S => in_step(skew),
        offset if offset <= HARMLESS_S => off(skew, Severity::Note, 0),
        offset if offset <= RENEWAL_WINDOW_S => off(skew, Severity::Warning, 4),
        offset if offset <= LOOP_S => off(skew, Severity::Error, 18),
        _ => off(skew, Severity::Error, 26),
    }]
}

fn in_step(skew: &Skew) -> Finding {
    let widest_ms = 1000 * skew.low_s.abs().max(skew.high_s.abs());
    Finding::new(ID, "clock.in-step", Severity::Ok, [("host", skew.host.clone())])
        .arg("within", Arg::DurationMs(widest_ms))
        .evidence(seen(skew))
        .weighs(Target::Kind(Kind::ConfigClock), -12)
}

fn off(skew: &Skew, severity: Severity, decibans: i16) -> Finding {
    let certain = skew.certain_offset_s();
    let direction = if certain > 0 { "ahead" } else { "behind" };
    let finding = Finding::new(ID, "clock.off", severity, [("host", skew.host.as_str()), ("direction", direction)])
        .arg("offset", Arg::DurationMs(1000 * certain.abs()))
        .group("clock")
        .evidence(seen(skew));
    if decibans == 0 { finding } else { finding.weighs(Target::Kind(Kind::ConfigClock), decibans) }
}

fn seen(skew: &Skew) -> String {
    format!("Date header of {}: local clock minus server between {} s and {} s", skew.host, skew.low_s, skew.high_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Observed, SkipReason};

    fn said(low_s: i64, high_s: i64) -> Finding {
        let skew = Skew { host: "api.openai.com".to_owned(), low_s, high_s };
        run(&Facts { clock: Observed::known(skew, "Date"), ..Facts::default() }).remove(0)
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
        assert_eq!(said(86_400, 86_402).weights["config.clock"], 26);
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

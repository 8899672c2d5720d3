//! The offset of the local clock, from one answer's `Date` header and the two moments around it.
//!
//! A `Date` has a resolution of one second, and the true moment at which it was written lies anywhere between sending and
//! receiving; so the result is an interval. Pure: whoever asked the server brings the moments.

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage_checks::facts::network::Skew;
use codex_triage_checks::facts::{Observed, SkipReason};

/// What one answer tells about the time at the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateEvidence {
    /// The host that answered.
    pub host: String,
    /// Its `Date` header.
    pub date: Option<String>,
    /// Its `Age` header.
    pub age: Option<String>,
    /// Its `X-Cache` and `CF-Cache-Status` headers, joined.
    pub cache: String,
    /// Local time just before the request went out.
    pub sent_at: DateTime<Utc>,
    /// Local time when the head of the answer was there.
    pub received_at: DateTime<Utc>,
    /// Whether the answer surely came from that host: over TLS, or from this machine. Whatever answers plain HTTP on the way
    /// (a captive portal, a proxy) may have any clock.
    pub genuine: bool,
}

/// The offset as a fact.
pub fn collect(evidence: Option<&DateEvidence>) -> Observed<Skew> {
    let Some(evidence) = evidence else { return Observed::skipped(SkipReason::NeedsAnother) };
    let source = format!("Date header of {}", evidence.host);
    match skew(evidence) {
        Some(skew) => Observed::known(skew, source),
        None => Observed::absent(source),
    }
}

/// The interval in which the offset lies, or nothing where the answer is no evidence.
pub fn skew(evidence: &DateEvidence) -> Option<Skew> {
    let from_cache = evidence.cache.to_ascii_uppercase().contains("HIT")
        || evidence.age.as_deref().is_some_and(|age| age.trim().parse() != Ok(0));
    // A clock that was set back between the two readings makes them useless.
    if !evidence.genuine || from_cache || evidence.received_at < evidence.sent_at {
        return None;
    }
    let date = DateTime::parse_from_rfc2822(evidence.date.as_deref()?.trim()).ok()?.with_timezone(&Utc);
    let earliest = evidence.sent_at - (date + TimeDelta::seconds(1));
    let latest = evidence.received_at - date;
    Some(Skew {
        host: evidence.host.clone(),
        low_s: earliest.num_milliseconds().div_euclid(1000),
        high_s: -(-latest.num_milliseconds()).div_euclid(1000),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_795_968_000_000 + milliseconds).unwrap()
    }

    /// An answer that carries the reference moment as its date.
    fn answer(sent_ms: i64, received_ms: i64) -> DateEvidence {
        DateEvidence {
            host: "api.openai.com".to_owned(),
            date: Some(at(0).to_rfc2822().replace("+0000", "GMT")),
            age: None,
            cache: String::new(),
            sent_at: at(sent_ms),
            received_at: at(received_ms),
            genuine: true,
        }
    }

    #[test]
    fn a_clock_that_is_right_gives_an_interval_around_zero() {
        for (sent, received) in [(0, 1), (999, 1000), (-400, 200), (900, 1700)] {
            let skew = skew(&answer(sent, received)).unwrap();
            assert!(skew.low_s <= 0 && skew.high_s >= 0, "{skew:?}");
            assert_eq!(skew.certain_offset_s(), 0);
        }
    }

    #[test]
    fn a_fast_and_a_slow_clock_are_seen_with_their_sign() {
        let fast = skew(&answer(600_000, 600_300)).unwrap();
        assert_eq!((fast.low_s, fast.high_s), (599, 601));
        let slow = skew(&answer(-600_300, -600_000)).unwrap();
        assert_eq!((slow.low_s, slow.high_s), (-602, -600));
        assert_eq!(slow.certain_offset_s(), -600);
    }

    #[test]
    fn a_slow_answer_widens_the_interval_instead_of_inventing_an_offset() {
        assert_eq!(skew(&answer(-30_000, 0)).unwrap().certain_offset_s(), 0);
    }

    #[test]
    fn what_a_cache_or_a_portal_says_is_no_evidence() {
        let plain = answer(0, 1);
        assert_eq!(skew(&DateEvidence { age: Some("17".to_owned()), ..plain.clone() }), None);
        assert_eq!(skew(&DateEvidence { cache: "Hit from cloudfront".to_owned(), ..plain.clone() }), None);
        assert_eq!(skew(&DateEvidence { genuine: false, ..plain.clone() }), None);
        assert_eq!(skew(&DateEvidence { date: None, ..plain.clone() }), None);
        assert_eq!(skew(&DateEvidence { date: Some("soon".to_owned()), ..plain.clone() }), None);
        assert!(skew(&DateEvidence { age: Some("0".to_owned()), cache: "MISS".to_owned(), ..plain }).is_some());
    }

    #[test]
    fn a_clock_set_back_in_between_is_no_evidence() {
        assert_eq!(skew(&answer(5000, 0)), None);
    }
}

//! Moments as they stand in JSON: a year's report has some ten thousand.

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::{Serialize, Serializer};

/// Writes a moment as `chrono` does, which takes many times as long.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
pub(crate) fn serialize<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    match usual(*at) {
        Some((text, length)) => serializer.serialize_str(std::str::from_utf8(&text[..length]).map_err(serde::ser::Error::custom)?),
        None => at.serialize(serializer),
    }
}

/// The same of one that may be absent.
pub(crate) fn maybe<S: Serializer>(at: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serialize(at, serializer),
        None => serializer.serialize_none(),
    }
}

/// `2026-11-29T15:51:34.553Z` or `2026-11-29T15:00:00Z`, and its length: the form of nearly all, in a year of four digits and of whole milliseconds.
fn usual(at: DateTime<Utc>) -> Option<([u8; 24], usize)> {
    let (day, time) = (at.date_naive(), at.time());
    let year = u32::try_from(day.year()).ok().filter(|year| *year <= 9999)?;
    // Beyond a second there are leap seconds.
    let nanoseconds = time.nanosecond();
    if nanoseconds >= 1_000_000_000 || nanoseconds % 1_000_000 != 0 {
        return None;
    }
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut put = |place: usize, digits: usize, mut number: u32| {
        for digit in text[place..place + digits].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    };
    put(0, 4, year);
    put(5, 2, day.month());
    put(8, 2, day.day());
    put(11, 2, time.hour());
    put(14, 2, time.minute());
    put(17, 2, time.second());
    if nanoseconds == 0 {
        text[19] = b'Z';
        return Some((text, 20));
    }
    put(20, 3, nanoseconds / 1_000_000);
    Some((text, 24))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Serialize)]
    struct Ours {
        #[serde(serialize_with = "serialize")]
        at: DateTime<Utc>,
        #[serde(serialize_with = "maybe")]
        also: Option<DateTime<Utc>>,
    }

    #[derive(Serialize)]
    struct Usual {
        at: DateTime<Utc>,
        also: Option<DateTime<Utc>>,
    }

    fn moments() -> impl Strategy<Value = DateTime<Utc>> {
        let of = |seconds, nanoseconds| DateTime::from_timestamp(seconds, nanoseconds).unwrap();
        prop_oneof![
            (0i64..10_000_000_000_000).prop_map(|at_ms| DateTime::from_timestamp_millis(at_ms).unwrap()),
            (0i64..10_000_000_000).prop_map(move |seconds| of(seconds, 0)),
            (-99_999_999_999i64..999_999_999_999, 0u32..1_000_000_000)
                .prop_map(move |(seconds, nanoseconds)| of(seconds, nanoseconds)),
            (-99_999_999_999i64..999_999_999_999, 0u32..2_000)
                .prop_map(move |(minutes, ms)| of(minutes / 60 * 60 + 59, ms * 1_000_000)),
        ]
    }

    proptest! {
        #[test]
        fn a_moment_stands_there_as_chrono_writes_it(at in moments(), also in proptest::option::of(moments())) {
            let text = |value: serde_json::Result<String>| value.unwrap();
            prop_assert_eq!(text(serde_json::to_string(&Ours { at, also })), text(serde_json::to_string(&Usual { at, also })));
        }
    }
}

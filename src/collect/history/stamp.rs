//! Times as Codex writes them, `2026-11-29T15:51:34.553Z`, taken apart only when they are needed.

use chrono::{DateTime, NaiveDate, Utc};

/// The time of a line as it stands there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    bytes: [u8; 40],
    length: u8,
}

impl Default for Stamp {
    fn default() -> Self {
        Self { bytes: [0; 40], length: 0 }
    }
}

impl Stamp {
    /// Takes the time of a line, where it is one.
    pub(super) fn set(&mut self, stamp: &[u8]) {
        if let (Ok(usual), Some(bytes)) = (<&[u8; 24]>::try_from(stamp), self.bytes.first_chunk_mut()) {
            // The same as below, in two instructions: every line has one.
            *bytes = *usual;
            self.length = 24;
        } else if let Some(bytes) = self.bytes.get_mut(..stamp.len()) {
            bytes.copy_from_slice(stamp);
            self.length = u8::try_from(stamp.len()).unwrap_or(0);
        }
    }

    /// Milliseconds since 1970.
    pub(super) fn ms(&self) -> Option<i64> {
        ms(&self.bytes[..usize::from(self.length)])
    }

    pub(super) fn moment(&self) -> Option<DateTime<Utc>> {
        self.ms().and_then(DateTime::from_timestamp_millis)
    }
}

/// Milliseconds since 1970 of an RFC 3339 time.
pub(super) fn ms(text: &[u8]) -> Option<i64> {
    usual(text).or_else(|| {
        let at = DateTime::parse_from_rfc3339(std::str::from_utf8(text).ok()?).ok()?;
        Some(at.timestamp_millis())
    })
}

/// The one form that Codex writes: most of the time of reading a rollout would else be spent on times.
pub(super) fn usual(text: &[u8]) -> Option<i64> {
    const LEAST: [u8; 24] = *b"0000-00-00T00:00:00.000Z";
    const MOST: [u8; 24] = *b"9999-99-99T99:99:99.999Z";
    let text: &[u8; 24] = text.try_into().ok()?;
    // Without a branch, so that many bytes are looked at together.
    if !(0..24).fold(true, |all, at| all & (text[at] >= LEAST[at]) & (text[at] <= MOST[at])) {
        return None;
    }
    let digit = |at: usize| u32::from(text[at] & 15);
    let two = |at: usize| digit(at) * 10 + digit(at + 1);
    let day = NaiveDate::from_ymd_opt((two(0) * 100 + two(2)).cast_signed(), two(5), two(8))?;
    let at = day.and_hms_milli_opt(two(11), two(14), two(17), two(20) * 10 + digit(22))?;
    Some(at.and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use chrono::SecondsFormat;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_quick_way_agrees_with_the_long_one(at_ms in 0i64..4_102_444_800_000) {
            let text = DateTime::from_timestamp_millis(at_ms).unwrap().to_rfc3339_opts(SecondsFormat::Millis, true);
            prop_assert_eq!(usual(text.as_bytes()), Some(at_ms));
            prop_assert_eq!(ms(text.as_bytes()), Some(at_ms));
        }

        #[test]
        fn what_is_no_time_is_none(text in ".{0,30}") {
            let known = DateTime::parse_from_rfc3339(&text).ok().map(|at| at.timestamp_millis());
            prop_assert_eq!(ms(text.as_bytes()), known);
        }
    }

    #[test]
    fn other_forms_are_read_too() {
        assert_eq!(ms(b"2026-11-29T15:51:34Z"), ms(b"2026-11-29T16:51:34+01:00"));
        assert_eq!((ms(b"2026-13-29T15:51:34.553Z"), ms(b"2026-02-30T15:51:34.553Z"), ms(b"")), (None, None, None));
    }
}

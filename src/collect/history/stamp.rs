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
    const FORM: [Form; 3] = [Form::of(b"0000-00-"), Form::of(b"00T00:00"), Form::of(b":00.000Z")];
    let text: &[u8; 24] = text.try_into().ok()?;
    let [date, time, rest] = [0, 1, 2].map(|word| FORM[word].digits(text.as_chunks().0[word]));
    let (date, time, rest) = (date?, time?, rest?);
    let two = |digits: [u8; 8], at: usize| u32::from(digits[at] * 10 + digits[at + 1]);
    let day = NaiveDate::from_ymd_opt((two(date, 0) * 100 + two(date, 2)).cast_signed(), two(date, 5), two(time, 0))?;
    let at = day.and_hms_milli_opt(two(time, 3), two(time, 6), two(rest, 1), two(rest, 4) * 10 + u32::from(rest[6]))?;
    Some(at.and_utc().timestamp_millis())
}

/// Eight bytes of a time: a digit where there is a zero, and else the same byte.
struct Form {
    bytes: u64,
    /// What makes more than 127 with any byte that is more than it may be.
    room: u64,
}

impl Form {
    const fn of(form: &[u8; 8]) -> Self {
        let (mut room, mut at) = ([127; 8], 0);
        while at < 8 {
            room[at] -= if form[at] == b'0' { 9 } else { 0 };
            at += 1;
        }
        Self { bytes: u64::from_le_bytes(*form), room: u64::from_le_bytes(room) }
    }

    /// The digits in `text`, where that has this form. All bytes are looked at together.
    fn digits(&self, text: [u8; 8]) -> Option<[u8; 8]> {
        const TOP: u64 = u64::from_le_bytes([0x80; 8]);
        // A digit becomes its value, and what is as in the form becomes nothing.
        let found = u64::from_le_bytes(text) ^ self.bytes;
        ((found | found.wrapping_add(self.room)) & TOP == 0).then(|| found.to_le_bytes())
    }
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
        fn one_byte_that_is_another_makes_no_other_time_of_it(at_ms in 0i64..4_102_444_800_000, place in 0usize..24, byte: u8) {
            let mut text = DateTime::from_timestamp_millis(at_ms).unwrap().to_rfc3339_opts(SecondsFormat::Millis, true).into_bytes();
            text[place] = byte;
            let known = || DateTime::parse_from_rfc3339(std::str::from_utf8(&text).ok()?).ok().map(|at| at.timestamp_millis());
            prop_assert!(usual(&text).is_none_or(|at| Some(at) == known()));
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

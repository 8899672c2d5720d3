//! What makes a turn one, and the least that is kept of it: a tree may hold a million turns.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::turn::Outcome;
use super::word::Id;

/// What makes two records one turn. Ids are unique by themselves in all releases since 0.50, so that a turn copied into a forked
/// thread is still one; older ones number the turns of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Key(pub(super) u64);

impl Key {
    /// The key of the turn `id` of `thread`.
    pub(super) fn of_id(id: &str, thread: Option<&Id>) -> Self {
        match <&[u8; 36]>::try_from(id.as_bytes()) {
            Ok(uuid) if [8, 13, 18, 23].iter().all(|place| uuid[*place] == b'-') => Self::mixed(uuid),
            _ if id.len() >= 32 => Self::hashed(id),
            _ => Self::hashed((thread, id)),
        }
    }

    /// The key of a turn without an id: its place in a file.
    pub(super) fn of_place(file: &str, line: u64) -> Self {
        Self::hashed((file, line))
    }

    /// Of the text of a UUID, by multiplications: there are two to each turn, and a hash of so many bytes takes longer than to read them.
    fn mixed(id: &[u8; 36]) -> Self {
        // Any numbers without a pattern would do: these are digits of pi.
        const NUMBERS: [u64; 5] =
            [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89, 0x4528_21e6_38d0_1377];
        let word = |at: usize| id[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let folded = |one: u64, other: u64| {
            let product = u128::from(one) * u128::from(other);
            (product as u64) ^ (product >> 64) as u64
        };
        let [one, two, three, four, five] = NUMBERS;
        let begun = folded(word(0) ^ one, word(8) ^ two);
        let more = folded(word(16) ^ three ^ begun, word(24) ^ four);
        Self(folded(word(28) ^ five ^ more, begun.rotate_left(32) ^ one))
    }

    fn hashed(what: impl Hash) -> Self {
        // Of fixed keys: a key kept in the cache must be found again.
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The least of a turn: when it ended, how, and who was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Brief {
    pub(super) key: Key,
    pub(super) timed: Timed,
}

/// The same of a turn that is known to be one. They have the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timed(u64);

/// Bits of [`Timed`]: the time above, then the outcome, the origin, the names.
const NAME_BITS: u32 = 16;
const SECOND_HAND: u64 = 1 << NAME_BITS;
const OUTCOME_SHIFT: u32 = NAME_BITS + 1;
const TIME_SHIFT: u32 = OUTCOME_SHIFT + 3;
/// 2^43 milliseconds since 1970 end in the year 2248.
const LATEST_MS: i64 = (1 << 43) - 1;

impl Timed {
    /// Milliseconds since 1970.
    pub(super) fn at_ms(self) -> i64 {
        (self.0 >> TIME_SHIFT).cast_signed()
    }

    pub(super) fn outcome(self) -> Outcome {
        Outcome::ALL[((self.0 >> OUTCOME_SHIFT) & 7).min(4) as usize]
    }

    /// A place in a list of [`Names`](super::turn::Names).
    pub(super) fn names(self) -> u16 {
        (self.0 & (SECOND_HAND - 1)) as u16
    }
}

impl Brief {
    /// `names` is a place in a list of [`Names`](super::turn::Names); `second_hand` says that another record of the turn knows more: it is a
    /// row of a database, or a copy in a forked thread.
    pub(super) fn new(key: Key, at_ms: i64, outcome: Outcome, second_hand: bool, names: u16) -> Self {
        let time = at_ms.clamp(0, LATEST_MS).unsigned_abs() << TIME_SHIFT;
        let outcome = (outcome as u64) << OUTCOME_SHIFT;
        let second_hand = if second_hand { SECOND_HAND } else { 0 };
        Self { key, timed: Timed(time | outcome | second_hand | u64::from(names)) }
    }

    pub(super) fn at_ms(self) -> i64 {
        self.timed.at_ms()
    }

    pub(super) fn outcome(self) -> Outcome {
        self.timed.outcome()
    }

    pub(super) fn is_second_hand(self) -> bool {
        self.timed.0 & SECOND_HAND != 0
    }

    pub(super) fn names(self) -> u16 {
        self.timed.names()
    }

    pub(super) fn with_names(self, names: u16) -> Self {
        Self { timed: Timed((self.timed.0 & !(SECOND_HAND - 1)) | u64::from(names)), ..self }
    }

    pub(super) fn with_outcome(self, outcome: Outcome) -> Self {
        Self::new(self.key, self.at_ms(), outcome, self.is_second_hand(), self.names())
    }
}

/// A list of briefs as the bytes that they are: there are very many, and their keys have no order in which a shorter form would help.
pub(super) mod packed {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Brief, Key, Timed};

    /// So many bytes has each.
    pub(in super::super) const EACH: usize = 16;

    pub(in super::super) fn bytes(briefs: &[Brief]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(briefs.len() * EACH);
        for brief in briefs {
            bytes.extend_from_slice(&brief.key.0.to_le_bytes());
            bytes.extend_from_slice(&brief.timed.0.to_le_bytes());
        }
        bytes
    }

    /// The briefs in `bytes`, and how many bytes are left over.
    pub(in super::super) fn briefs(bytes: &[u8]) -> (impl Iterator<Item = Brief>, usize) {
        let (each, rest) = bytes.as_chunks::<EACH>();
        let brief = |bytes: &[u8; EACH]| {
            let [key, packed] = [0, EACH / 2].map(|start| {
                let mut half = [0; EACH / 2];
                half.copy_from_slice(&bytes[start..start + EACH / 2]);
                u64::from_le_bytes(half)
            });
            Brief { key: Key(key), timed: Timed(packed) }
        };
        (each.iter().map(brief), rest.len())
    }

    pub(in super::super) fn serialize<S: Serializer>(briefs: &[Brief], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&bytes(briefs))
    }

    pub(in super::super) fn deserialize<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, [Brief]>, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        let (briefs, rest) = briefs(bytes);
        if rest != 0 {
            return Err(serde::de::Error::invalid_length(bytes.len(), &"briefs of 16 bytes"));
        }
        Ok(briefs.collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn uuid(id: u128) -> String {
        let digits = format!("{id:032x}");
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
    }

    #[test]
    fn keys_of_ids_that_nearly_agree_are_as_far_apart_as_any() {
        let base = 0x01a1_a1be_0d02_778f_aee1_1d16_6269_023b_u128;
        let near: Vec<u64> = (0..1 << 16).map(|number| Key::of_id(&uuid(base + (number << 44)), None).0).collect();
        // Of as many random numbers, each quarter of the bits has about 41,000 different values.
        for shift in [0, 16, 32, 48] {
            let different = near.iter().map(|key| key >> shift & 0xffff).collect::<std::collections::HashSet<_>>().len();
            assert!((40_000..43_000).contains(&different), "{different}");
        }
        for bit in 0..128 {
            let changed = Key::of_id(&uuid(base), None).0 ^ Key::of_id(&uuid(base ^ 1 << bit), None).0;
            assert!((12..=52).contains(&changed.count_ones()), "bit {bit}: {changed:064b}");
        }
    }

    proptest! {
        #[test]
        fn uuids_that_differ_have_keys_that_do(one: u128, other: u128) {
            let [one, other] = [one, other].map(|id| Key::of_id(&uuid(id), None));
            prop_assert!(one != other);
        }

        #[test]
        fn the_thread_counts_for_ids_that_are_no_uuids(id in "[0-9]{1,4}", long in "[a-z0-9]{32,40}") {
            let threads = ["a", "b"].map(Id::from);
            let keys = [None, Some(&threads[0]), Some(&threads[1])].map(|thread| Key::of_id(&id, thread));
            prop_assert!(keys[0] != keys[1] && keys[1] != keys[2]);
            prop_assert_eq!(keys[1], Key::hashed((Some(&threads[0]), id.as_str())));
            prop_assert_eq!(Key::of_id(&long, Some(&threads[0])), Key::hashed(long.as_str()));
        }

        #[test]
        fn a_brief_holds_what_was_put_in(key: u64, at_ms in 0..=LATEST_MS, outcome in 0usize..5, row: bool, names: u16, other: u16) {
            let brief = Brief::new(Key(key), at_ms, Outcome::ALL[outcome], row, names);
            prop_assert_eq!((brief.key, brief.at_ms(), brief.is_second_hand(), brief.names()), (Key(key), at_ms, row, names));
            prop_assert_eq!(brief.outcome(), Outcome::ALL[outcome]);
            prop_assert_eq!(brief.with_names(other).names(), other);
            prop_assert_eq!(brief.with_names(other).with_names(names), brief);
            prop_assert_eq!(brief.with_outcome(Outcome::Failed).at_ms(), at_ms);
        }
    }
}

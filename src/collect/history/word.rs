//! Words that many records share, and the ids of threads and turns: a home has some thousands of the one and a million of the other.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word that many records share: to have it once more costs no memory.
pub(super) type Word = Arc<str>;

/// The id of a thread or a turn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Id {
    /// A UUID as Codex writes it, which is every id of the releases since 0.50.
    Uuid([u8; 16]),
    /// Any other.
    Other(Word),
}

/// Where the hyphens of `01a13bb3-9317-780a-95bd-f7de28a076ef` stand, and where the two digits of each byte.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
const DIGITS: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        uuid(text.as_bytes()).map_or_else(|| Self::Other(Arc::from(text)), Self::Uuid)
    }
}

/// The bytes of a UUID in lower case.
fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.try_into().ok()?;
    if HYPHENS.iter().any(|place| text[*place] != b'-') {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; 16];
    for (byte, place) in bytes.iter_mut().zip(DIGITS) {
        *byte = digit(text[place])? << 4 | digit(text[place + 1])?;
    }
    Some(bytes)
}

impl Id {
    /// The id as it was written.
    pub(super) fn text(&self) -> Word {
        let bytes = match self {
            Self::Uuid(bytes) => bytes,
            Self::Other(text) => return Word::clone(text),
        };
        let mut text = [b'-'; 36];
        for (byte, place) in bytes.iter().zip(DIGITS) {
            let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
            (text[place], text[place + 1]) = (digit(byte >> 4), digit(byte & 15));
        }
        std::str::from_utf8(&text).unwrap_or_default().into()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
    }
}

/// What the bytes of a kept id begin with.
const UUID: u8 = 1;
const OTHER: u8 = 0;

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Uuid(bytes) => {
                let mut kept = [UUID; 17];
                kept[1..].copy_from_slice(bytes);
                serializer.serialize_bytes(&kept)
            }
            Self::Other(text) => serializer.serialize_bytes(&[&[OTHER], text.as_bytes()].concat()),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = match <&[u8]>::deserialize(deserializer)? {
            [UUID, bytes @ ..] => bytes.try_into().ok().map(Self::Uuid),
            [OTHER, text @ ..] => std::str::from_utf8(text).ok().map(|text| Self::Other(Arc::from(text))),
            _ => None,
        };
        id.ok_or_else(|| serde::de::Error::custom("no id"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_id_is_told_as_it_was_written(text in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", other in ".{0,40}") {
            let id = Id::from(text.as_str());
            prop_assert!(matches!(id, Id::Uuid(_)));
            prop_assert_eq!(id.to_string(), text);
            prop_assert_eq!(Id::from(other.as_str()).to_string(), other);
        }

        #[test]
        fn ids_have_the_order_of_their_texts(one: [u8; 16], other: [u8; 16]) {
            let (one, other) = (Id::Uuid(one), Id::Uuid(other));
            prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
        }
    }

    #[test]
    fn what_is_no_uuid_of_codex_is_kept_as_it_stands() {
        for other in ["01A13BB3-9317-780a-95bd-f7de28a076ef", "01a13bb3 9317-780a-95bd-f7de28a076ef", "sk-x", "", "1"] {
            assert_eq!(Id::from(other), Id::Other(Arc::from(other)));
        }
    }
}

//! The fields of a JSON object without a look into what they hold: of a record with kilobytes only a few words are wanted, and a tree of
//! rollouts has a million records. What is wanted is then read by serde.
//!
//! Brackets and quotes must fit; whether a number or a word is one shows when it is read.

use std::borrow::Cow;

use serde::Deserialize;

use super::word::Word;

/// A value as it stands there, looked at only when it is asked for: one of another type than expected costs itself alone. JSON `null` is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Raw<'a>(Option<&'a str>);

impl<'a> Raw<'a> {
    fn new(json: &'a str) -> Self {
        Self((json != "null").then_some(json))
    }

    pub(super) fn is_there(self) -> bool {
        self.0.is_some()
    }

    /// The value as JSON.
    pub(super) fn json(self) -> Option<&'a str> {
        self.0
    }

    /// The value, when it has this type.
    pub(super) fn get<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.0?).ok()
    }

    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        let json = self.0?;
        let quoted = json.strip_prefix('"')?.strip_suffix('"')?;
        if quoted.contains('\\') { serde_json::from_str(json).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(quoted)) }
    }

    pub(super) fn owned(self) -> Option<String> {
        self.text().map(Cow::into_owned)
    }

    pub(super) fn word(self) -> Option<Word> {
        self.text().map(Word::from)
    }

    /// Calls `visit` with each field, when it is an object.
    pub(super) fn fields(self, mut visit: impl FnMut(&'a str, Raw<'a>)) -> Option<()> {
        object(self.0?, &mut |key, rest| {
            let (value, rest) = value(rest)?;
            visit(key, value);
            Some(rest)
        })
        .map(|_| ())
    }
}

/// Walks the object at the beginning of `json`: `visit` gets each key and what follows its colon, and returns what follows the value. The
/// result is what follows the object; none where it is no object, or none to its end.
pub(super) fn object<'a>(json: &'a str, visit: &mut dyn FnMut(&'a str, &'a str) -> Option<&'a str>) -> Option<&'a str> {
    let mut rest = spaces(json).strip_prefix('{')?;
    if let Some(after) = spaces(rest).strip_prefix('}') {
        return Some(after);
    }
    loop {
        let start = spaces(rest).strip_prefix('"')?;
        let end = end_of_text(start)?;
        let key = &start[..end];
        rest = visit(key, spaces(spaces(&start[end + 1..]).strip_prefix(':')?))?;
        rest = spaces(rest);
        match rest.as_bytes().first()? {
            b',' => rest = &rest[1..],
            b'}' => return Some(&rest[1..]),
            _ => return None,
        }
    }
}

/// The value at the beginning of `json`, and what follows it.
pub(super) fn value(json: &str) -> Option<(Raw<'_>, &str)> {
    let end = match json.as_bytes().first()? {
        b'"' => end_of_text(&json[1..])? + 2,
        b'{' | b'[' => end_of_brackets(json)?,
        b',' | b'}' | b']' => return None,
        _ => json.bytes().position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')).unwrap_or(json.len()),
    };
    Some((Raw::new(&json[..end]), &json[end..]))
}

/// The place of the quote that ends a text whose first quote is taken off.
fn end_of_text(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += quote_or_backslash(&bytes[at..])?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}

/// So many bytes are looked at eight at a time: most texts end within them, and a search by vectors takes longer to begin.
const SHORT: usize = 64;

fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The lowest byte that is zero has its high bit set in this; what is above it may be wrong.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..at + 8).filter(|_| at < SHORT) {
        let word = u64::from_le_bytes(chunk.try_into().ok()?);
        let hits = zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\')));
        if hits != 0 {
            return Some(at + (hits.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr::memchr2(b'"', b'\\', &bytes[at..]).map(|place| at + place)
}

/// The bytes at which brackets open or close, or a text begins.
const IS_MARK: [bool; 256] = {
    let mut marks = [false; 256];
    let mut at = 0;
    while at < MARKS.len() {
        marks[MARKS[at] as usize] = true;
        at += 1;
    }
    marks
};
const MARKS: &[u8] = b"\"{}[]";

fn end_of_brackets(json: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    loop {
        while !IS_MARK[usize::from(*bytes.get(at)?)] {
            at += 1;
        }
        match bytes[at] {
            b'"' => at += end_of_text(&json[at + 1..])? + 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

pub(super) fn spaces(json: &str) -> &str {
    match json.as_bytes().first() {
        Some(b' ' | b'\t' | b'\r' | b'\n') => json.trim_start_matches([' ', '\t', '\r', '\n']),
        _ => json,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z\"\\\\{}\\[\\],: \n\u{e9}]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let fields = proptest::collection::btree_map("[a-z{}\u{e9}]{0,6}", inner.clone(), 0..6);
            prop_oneof![
                proptest::collection::vec(inner, 0..6).prop_map(Value::from),
                fields.prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn walked(json: &str) -> Option<Vec<(String, Value)>> {
        let mut fields = Vec::new();
        Raw::new(json).fields(|key, value| {
            let read = value.json().map_or(Value::Null, |json| serde_json::from_str(json).unwrap());
            assert_eq!(value.text().as_deref(), read.as_str());
            fields.push((key.to_owned(), read));
        })?;
        Some(fields)
    }

    proptest! {
        #[test]
        fn every_object_has_the_fields_that_serde_finds(json in any_json(), pretty: bool) {
            let text = if pretty { format!("{json:#}") } else { json.to_string() };
            let expected = json.as_object().map(|fields| fields.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(walked(&text), expected);
        }

        #[test]
        fn the_first_mark_is_found_wherever_it_is(bytes in proptest::collection::vec(any::<u8>(), 0..120), at: prop::sample::Index, quote: bool) {
            let mut bytes: Vec<u8> = bytes.into_iter().map(|byte| if matches!(byte, b'"' | b'\\') { b'!' } else { byte }).collect();
            prop_assert_eq!(quote_or_backslash(&bytes), None);
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = if quote { b'"' } else { b'\\' };
                prop_assert_eq!(quote_or_backslash(&bytes), Some(at));
                bytes.push(b'"');
                prop_assert_eq!(quote_or_backslash(&bytes), Some(at));
            }
        }

        #[test]
        fn no_bytes_lead_astray(text in "[{}\\[\\]\",:a\\\\ ]{0,30}") {
            let _ = Raw::new(&text).fields(|_, value| {
                let _ = value.text();
            });
        }
    }

    #[test]
    fn what_is_cut_is_no_object() {
        let whole = r#"{"a":{"b":["c\"",{"d":1}]},"e":"f"}"#;
        assert!(Raw::new(whole).fields(|_, _| {}).is_some());
        for end in 0..whole.len() {
            assert_eq!(Raw::new(&whole[..end]).fields(|_, _| {}), None, "{}", &whole[..end]);
        }
        for other in ["", "[]", "1", "\"a\"", r#"{"a" 1}"#, r#"{a:1}"#, r#"{"a":}"#, r#"{"a":1 "b":2}"#] {
            assert_eq!(Raw::new(other).fields(|_, _| {}), None, "{other}");
        }
    }
}

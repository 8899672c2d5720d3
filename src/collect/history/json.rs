//! The fields of a JSON object without a look into what they hold: of a record with kilobytes only a few words are wanted, and a tree of
//! rollouts has a million records. What is wanted is then read by serde.
//!
//! Brackets and quotes must fit; whether a number or a word is one shows when it is read.

mod block;
mod search;

use std::borrow::Cow;

use serde::Deserialize;

use super::word::Word;
use search::{end_of_brackets, end_of_word, quote_or_backslash};
pub(super) use search::{end_of_number, end_of_text, quote};

/// A value as it stands there, looked at only when it is asked for: one of another type than expected costs itself alone. JSON `null` is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Raw<'a>(Option<&'a str>);

impl<'a> Raw<'a> {
    /// The value that is all of `json`.
    pub(super) fn new(json: &'a str) -> Self {
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

    /// The value, when it is a whole number that is not negative.
    pub(super) fn number(self) -> Option<u64> {
        match self.0?.as_bytes() {
            [b'1'..=b'9', rest @ ..] if rest.len() < 18 && rest.iter().all(u8::is_ascii_digit) => {
                Some(self.0?.bytes().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
            }
            _ => self.get(),
        }
    }

    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        let json = self.0?;
        let quoted = json.strip_prefix('"')?.strip_suffix('"')?;
        if quote_or_backslash(quoted.as_bytes()).is_some() {
            serde_json::from_str(json).ok().map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(quoted))
        }
    }

    pub(super) fn word(self) -> Option<Word> {
        self.text().map(Word::from)
    }

    /// Calls `visit` with each field, when it is an object.
    pub(super) fn fields(self, mut visit: impl FnMut(&'a str, Raw<'a>)) -> Option<()> {
        Walk::of(self.0?).object(|key, walk| {
            visit(key, walk.value()?);
            Some(())
        })
    }
}

/// A way through JSON from one value to the next. Each step is none where nothing fits: that is its end.
pub(super) struct Walk<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn of(json: &'a str) -> Self {
        Self::from(json, 0)
    }

    /// A way that begins within `json`.
    pub(super) fn from(json: &'a str, at: usize) -> Self {
        Self { json, at }
    }

    /// Walks the object that begins here: `visit` gets each key, with the way at its value, and goes behind that value.
    pub(super) fn object(&mut self, visit: impl FnMut(&'a str, &mut Self) -> Option<()>) -> Option<()> {
        self.pass(b'{')?;
        if self.pass(b'}').is_some() { Some(()) } else { self.more_fields(visit) }
    }

    /// The same, within an object: from the next key on.
    pub(super) fn more_fields(&mut self, mut visit: impl FnMut(&'a str, &mut Self) -> Option<()>) -> Option<()> {
        loop {
            self.pass(b'"')?;
            let end = end_of_text(self.json.as_bytes(), self.at)?;
            let key = self.json.get(self.at..end)?;
            self.at = end + 1;
            self.pass(b':')?;
            self.spaces();
            visit(key, self)?;
            if self.pass(b',').is_none() {
                return self.pass(b'}');
            }
        }
    }

    /// The value that begins here.
    pub(super) fn value(&mut self) -> Option<Raw<'a>> {
        self.value_by(Self::skip)
    }

    /// The same, behind which `go` goes.
    pub(super) fn value_by(&mut self, go: impl FnOnce(&mut Self) -> Option<()>) -> Option<Raw<'a>> {
        let start = self.at;
        go(self)?;
        self.json.get(start..self.at).map(Raw::new)
    }

    /// Goes behind the value that begins here.
    pub(super) fn skip(&mut self) -> Option<()> {
        let bytes = self.json.as_bytes();
        self.at = match bytes.get(self.at)? {
            b'"' => end_of_text(bytes, self.at + 1)? + 1,
            b'{' | b'[' => end_of_brackets(bytes, self.at)?,
            b',' | b'}' | b']' => return None,
            _ => end_of_word(bytes, self.at),
        };
        Some(())
    }

    /// Whether an object begins here.
    pub(super) fn is_at_object(&self) -> bool {
        self.json.as_bytes().get(self.at) == Some(&b'{')
    }

    /// Whether nothing follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.spaces();
        self.at == self.json.len()
    }

    /// Goes behind `mark`, if that is next.
    pub(super) fn pass(&mut self, mark: u8) -> Option<()> {
        let bytes = self.json.as_bytes();
        if bytes.get(self.at) != Some(&mark) {
            self.spaces();
            if bytes.get(self.at) != Some(&mark) {
                return None;
            }
        }
        self.at += 1;
        Some(())
    }

    pub(super) fn spaces(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.json.as_bytes().get(self.at) {
            self.at += 1;
        }
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
            "[a-z\"\\\\{}\\[\\],: \n\u{e9}]{50,200}".prop_map(Value::from),
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
        fn a_number_is_what_serde_reads(text in "-?[0-9]{1,21}|[0-9]{1,3}[.e][0-9]|[a-z]{0,4}") {
            prop_assert_eq!(Raw::new(&text).number(), Raw::new(&text).get::<u64>());
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

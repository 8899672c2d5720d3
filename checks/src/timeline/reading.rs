//! What the record of each failure says by itself: its kind, as its words, its code, its status and its route tell it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::errors;
use crate::facts::Facts;
use crate::facts::history::{FailedTurn, History};
use crate::kind::Kind;
use crate::knowledge::signatures;
use crate::subject::Subject;

/// What one error says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reading {
    /// It speaks for a kind.
    Kind(Kind),
    /// It leaves several causes open.
    Undetermined,
    /// Nothing of it was stored.
    Unknown,
}

impl Reading {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.name(),
            Self::Undetermined => "undetermined",
            Self::Unknown => "unknown",
        }
    }

    /// What an error about a turn says.
    fn of(turn: &FailedTurn, facts: &Facts) -> Self {
        if turn.text.is_none() && turn.info.is_none() && turn.status.is_none() {
            return Self::Unknown;
        }
        errors::kind_of(&Subject::of_turn(turn, facts), facts).map_or(Self::Undetermined, Self::Kind)
    }
}

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for Reading {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Reading".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let kinds = Kind::ALL.iter().map(|kind| Self::Kind(*kind));
        let names: Vec<&str> = kinds.chain([Self::Undetermined, Self::Unknown]).map(Self::name).collect();
        json_schema!({
            "description": "What one error says by itself: a kind, `undetermined` where it leaves several causes open, `unknown` where nothing of it was stored.",
            "type": "string",
            "enum": names
        })
    }
}

/// The readings of all failures of a history, in their order.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    sorts: Vec<Sort>,
    /// The place among these of each failure's sort.
    of: Vec<usize>,
}

/// Failures that asked and say the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sort {
    /// What they say.
    pub(super) reading: Reading,
    /// The place in the history of the newest of them.
    pub(super) newest: usize,
    /// That of the oldest.
    pub(super) oldest: usize,
    /// How many they are.
    pub(super) count: u64,
}

/// What a reading depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key<'a, T, V> {
    text: Option<T>,
    code: Option<&'a str>,
    status: Option<u16>,
    provider: Option<&'a str>,
    version: V,
}

impl<'a, T, V> Key<'a, T, V> {
    fn of(turn: &'a FailedTurn, text: Option<T>, version: V) -> Self {
        Self { text, code: turn.info.as_deref(), status: turn.status, provider: turn.provider.as_deref(), version }
    }
}

impl Readings {
    /// Reads all failures of `facts`. The same error is read once, whatever request id or moment stands in it.
    pub fn of(facts: &Facts) -> Self {
        let failures = facts.history.value().map(|history| history.failures.as_slice()).unwrap_or_default();
        let mut same: FxHashMap<_, usize> = FxHashMap::default();
        // Most failures share the very texts of one before, and no text need be looked at.
        let mut shared: FxHashMap<_, usize> = FxHashMap::default();
        let mut alike: FxHashMap<Key<'_, String, usize>, Reading> = FxHashMap::default();
        let mut readings = Self { sorts: Vec::new(), of: Vec::with_capacity(failures.len()) };
        for (place, turn) in failures.iter().enumerate() {
            let (text, version) = (turn.text.as_deref(), turn.codex_version.as_deref());
            let asked = (turn.model.as_deref(), turn.account.as_deref(), turn.interrupted);
            let texts = [&turn.text, &turn.info, &turn.provider, &turn.codex_version, &turn.model, &turn.account];
            let places = texts.map(|text| text.as_ref().map_or(0, |text| Arc::as_ptr(text).addr()));
            let sort_of = || {
                *same.entry((Key::of(turn, text, version), asked)).or_insert_with(|| {
                    let key = Key::of(turn, text.map(without_particulars), signatures::generation(version));
                    let reading = *alike.entry(key).or_insert_with(|| Reading::of(turn, facts));
                    readings.sorts.push(Sort { reading, newest: place, oldest: place, count: 0 });
                    readings.sorts.len() - 1
                })
            };
            let sort = *shared.entry((places, turn.status, turn.interrupted)).or_insert_with(sort_of);
            readings.sorts[sort].oldest = place;
            readings.sorts[sort].count += 1;
            readings.of.push(sort);
        }
        readings
    }

    /// The reading of the failure at `place`.
    pub(super) fn at(&self, place: usize) -> Reading {
        self.of.get(place).map_or(Reading::Unknown, |sort| self.sorts[*sort].reading)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Reading> {
        self.of.iter().map(|sort| self.sorts[*sort].reading)
    }

    /// The place of the sort of the failure at `place`.
    pub(super) fn sort_at(&self, place: usize) -> Option<usize> {
        self.of.get(place).copied()
    }

    /// All sorts; also those of turns that were ended from outside.
    pub(super) fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    /// The sorts of failed turns, each with the newest of its turns.
    pub(super) fn failed<'a>(&self, history: &'a History) -> impl Iterator<Item = (&'a FailedTurn, Sort)> {
        let sorts = self.sorts.iter().filter_map(|sort| Some((history.failures.get(sort.newest)?, *sort)));
        sorts.filter(|(turn, _)| !turn.interrupted)
    }
}

/// From so many characters on, a word with many digits is an id of one request.
const ID: usize = 12;
/// So many digits have a count or an id; a status or an error code has fewer.
const DIGITS: usize = 5;

/// A text without what differs from one failure to the next of the same kind: request ids, counters, moments, waits.
fn without_particulars(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some(length) = particular(&plain, rest) {
            plain.push('#');
            rest = &rest[length..];
        } else {
            let (word, after) = rest.split_at(word(rest));
            plain.push_str(word);
            rest = after;
        }
    }
    plain.push_str(rest);
    plain
}

/// The length of the particular with which `rest` begins, if it begins with one.
fn particular(before: &str, rest: &str) -> Option<usize> {
    let length = word(rest);
    let digits = rest[..length].bytes().filter(u8::is_ascii_digit).count();
    let is_number = digits == length;
    if digits >= DIGITS && (is_number || length >= ID) || is_number && (before.ends_with("Used ") || before.ends_with("Requested "))
    {
        return Some(length);
    }
    let (mark, after) = rest.get(length..length + 1).zip(rest.get(length + 1..))?;
    let following = word(after);
    let more = after[..following].trim_end_matches("ms").trim_end_matches('s');
    let is_time = mark == ":" && length <= 2 && following == 2;
    let is_wait = mark == "." && following > more.len();
    (is_number && !more.is_empty() && more.bytes().all(|byte| byte.is_ascii_digit()) && (is_time || is_wait))
        .then_some(length + 1 + following)
}

/// The length of the word with which `text` begins.
fn word(text: &str) -> usize {
    text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '-').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::timeline::made_up;

    fn readings(failures: Vec<FailedTurn>) -> Vec<&'static str> {
        let history = History { failures, ..History::default() };
        let facts = Facts { history: Observed::known(history, "test"), ..Facts::default() };
        Readings::of(&facts).iter().map(Reading::name).collect()
    }

    #[test]
    fn each_failure_is_read_and_what_was_not_stored_is_unknown() {
        let said = |text: &str| FailedTurn { text: Some(text.into()), ..made_up::failure(1) };
        let silent = FailedTurn { text: None, info: None, ..made_up::failure(1) };
        let limit = FailedTurn { info: Some("usage_limit_exceeded".into()), ..said("You’ve hit your usage limit.") };
        let odd = FailedTurn { info: None, ..said("the machine sings") };
        assert_eq!(
            readings(vec![made_up::failure(1), silent, limit, odd]),
            ["overload.model", "unknown", "quota.usage-limit", "undetermined"]
        );
    }

    #[test]
    fn a_code_that_a_relay_writes_leaves_causes_open() {
        let relay = FailedTurn { provider: Some("relay".into()), ..made_up::failure(1) };
        assert_eq!(readings(vec![relay]), ["undetermined"]);
    }

    #[test]
    fn particulars_are_left_out_and_codes_are_not() {
        for (text, plain) in [
            ("last status: 429 Too Many Requests, request id: req_FAKE000012", "last status: 429 Too Many Requests, request id: #"),
            ("cf-ray: 8f1a2b3c4d5e6f70-SJC, Cloudflare error 1020", "cf-ray: #, Cloudflare error 1020"),
            (
                "TPM: Limit 30000, Used 29876, Requested 412. Try again in 1.898s.",
                "TPM: Limit #, Used #, Requested #. Try again in #.",
            ),
            ("try again at 4:53 PM or in 300ms", "try again at # PM or in 300ms"),
            (
                "url: http://127.0.0.1:8080/v1, gpt-5.4, 0.171.0, os error 111",
                "url: http://127.0.0.1:8080/v1, gpt-5.4, 0.171.0, os error 111",
            ),
            ("01a1ea74-3c07-7380-85e4-3ade8d4fab1f 余额不足", "# 余额不足"),
        ] {
            assert_eq!(without_particulars(text), plain);
        }
    }

    #[test]
    fn without_its_particulars_an_error_says_the_same() {
        let said: serde_json::Value = serde_json::from_str(include_str!("../../../fixtures/scenarios/said.json")).unwrap();
        let mut texts = Vec::new();
        strings(&said, &mut texts);
        let turn = |text: &str| FailedTurn { text: Some(text.into()), info: None, ..made_up::failure(1) };
        let reading = |text: &str| Reading::of(&turn(text), &Facts::default());
        let pairs = texts.iter().map(|text| (*text, without_particulars(text))).filter(|(text, plain)| text != plain);
        let mut seen = 0;
        for (text, plain) in pairs {
            assert_eq!(reading(text), reading(&plain), "{text}\n{plain}");
            seen += 1;
        }
        assert!(seen > 20, "{seen}");
    }

    /// All strings of a JSON value that are errors by their look.
    fn strings<'a>(value: &'a serde_json::Value, found: &mut Vec<&'a str>) {
        match value {
            serde_json::Value::String(text) if text.contains(' ') => found.push(text),
            serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
            serde_json::Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
            _ => {}
        }
    }
}

//! What a check says: one statement with its code, its place, its weights and the advice it calls for.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::facts::config::{Entry, Layer};
use crate::facts::{Fact, Observed, SkipReason};
use crate::kind::Target;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Looked at, and good.
    Ok,
    /// Worth a line.
    Note,
    /// Looked for in vain: this is not "fine".
    Unknown,
    /// A fault that need not stop a request.
    Warning,
    /// A fault that stops requests.
    Error,
}

/// A typed argument of a message.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum Arg {
    /// A text, already redacted.
    Text(String),
    /// The id of a message without arguments, which stands in this one's place.
    Message(String),
    /// A count or another whole number.
    Integer(i64),
    /// A number with a fraction.
    Number(f64),
    /// A moment; shown in local time.
    Time(DateTime<Utc>),
    /// A duration in milliseconds; shown in human units.
    DurationMs(i64),
    /// A size in bytes; shown in human units.
    Bytes(u64),
}

impl Serialize for Arg {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) | Self::Message(text) => serializer.serialize_str(text),
            Self::Integer(number) | Self::DurationMs(number) => serializer.serialize_i64(*number),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Time(moment) => moment.serialize(serializer),
            Self::Bytes(bytes) => serializer.serialize_u64(*bytes),
        }
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u64> for Arg {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Arg {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<DateTime<Utc>> for Arg {
    fn from(moment: DateTime<Utc>) -> Self {
        Self::Time(moment)
    }
}

/// The arguments of a message by name.
pub type Args = BTreeMap<String, Arg>;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The file, redacted.
    pub file: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column in characters.
    pub column: Option<u32>,
    /// Length in characters.
    pub length: Option<u32>,
    /// The line itself, redacted.
    pub shown: Option<String>,
}

impl Place {
    /// The place of a key in its layer; none for an override.
    pub(crate) fn of((layer, entry): (&Layer, &Entry)) -> Option<Self> {
        let file = layer.file.clone()?;
        Some(Self { file, line: entry.line, column: entry.column, length: entry.length, shown: entry.shown.clone() })
    }

    /// The place of its value, where that stands on the line of the key; else that of the key.
    pub(crate) fn of_value((layer, entry): (&Layer, &Entry)) -> Option<Self> {
        let place = Self::of((layer, entry))?;
        let is_beside = entry.value_line == entry.line && entry.value_column.is_some();
        Some(if is_beside { Self { column: entry.value_column, length: None, ..place } } else { place })
    }
}

/// One statement of a check.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// The check that says it.
    pub check: String,
    /// Its stable code, `area.what`.
    pub code: String,
    /// How grave it is.
    pub severity: Severity,
    /// The id of its message in the Fluent files: the code with `-` for `.`.
    pub message_id: String,
    /// The message's arguments.
    pub args: Args,
    /// The message in the report's language; filled in by the reporter.
    pub message: String,
    /// Where.
    pub at: Option<Place>,
    /// Findings of one underlying fault share a group: only the strongest weight per kind counts.
    pub group: Option<String>,
    /// Decibans for kinds (`quota.credits`) or whole causes (`quota.*`).
    pub weights: BTreeMap<String, i16>,
    /// What was seen, by provenance (a file and line, a header, a call).
    pub evidence: Vec<String>,
    /// Ids of the advice it calls for by itself.
    pub advice: Vec<String>,
}

impl Finding {
    /// A finding of `check` with `code`.
    pub fn new<K: Into<String>, V: Into<Arg>, const N: usize>(
        check: &str,
        code: impl Into<String>,
        severity: Severity,
        args: [(K, V); N],
    ) -> Self {
        let code = code.into();
        Self {
            check: check.to_owned(),
            message_id: code.replace('.', "-"),
            code,
            severity,
            args: args.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            message: String::new(),
            at: None,
            group: None,
            weights: BTreeMap::new(),
            evidence: Vec::new(),
            advice: Vec::new(),
        }
    }

    /// A finding without arguments.
    pub fn plain(check: &str, code: impl Into<String>, severity: Severity) -> Self {
        Self::new::<&str, &str, 0>(check, code, severity, [])
    }

    /// The finding for a fact that could not be had, or that was not looked for. Its messages are common to all checks.
    pub fn cannot_tell<T>(check: &str, observed: &Observed<T>) -> Self {
        let (code, severity, reason) = match &observed.fact {
            Fact::Failed { error } => ("cannot-tell", Severity::Unknown, error.clone()),
            Fact::Skipped { why } => ("skipped", Severity::Note, skip_name(*why).to_owned()),
            Fact::Absent | Fact::Known { .. } => ("absent", Severity::Note, observed.source.clone()),
        };
        let mut finding = Self::new(
            check,
            format!("{check}.{code}"),
            severity,
            [("check", check.to_owned()), ("reason", reason), ("source", observed.source.clone())],
        );
        finding.message_id = format!("common-{code}");
        finding
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl Into<Arg>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }

    /// Uses another message than the one of its code.
    #[must_use]
    pub fn message_id(mut self, id: &str) -> Self {
        self.message_id = id.to_owned();
        self
    }

    /// Puts it into a group.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// Adds a weight of evidence in decibans (10 = ten to one).
    #[must_use]
    pub fn weighs(mut self, target: Target, decibans: i16) -> Self {
        self.weights.insert(target.name(), decibans);
        self
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.at = Some(place);
        self
    }

    /// Adds a place, where there is one.
    #[must_use]
    pub fn at_maybe(self, place: Option<Place>) -> Self {
        match place {
            Some(place) => self.at(place),
            None => self,
        }
    }

    /// Adds a provenance.
    #[must_use]
    pub fn evidence(mut self, seen: impl Into<String>) -> Self {
        self.evidence.push(seen.into());
        self
    }

    /// Calls for advice by its id in the catalogue.
    #[must_use]
    pub fn advises(mut self, id: &str) -> Self {
        self.advice.push(id.to_owned());
        self
    }
}

/// The stable name of a reason for skipping.
pub fn skip_name(why: SkipReason) -> &'static str {
    match why {
        SkipReason::Offline => "offline",
        SkipReason::NotPartOfCommand => "not-part-of-command",
        SkipReason::NeedsAnother => "needs-another",
        SkipReason::Private => "private",
        SkipReason::WouldExecute => "would-execute",
        SkipReason::Unsafe => "unsafe",
        SkipReason::NoConsent => "no-consent",
        SkipReason::Unsupported => "unsupported",
        SkipReason::NotReached => "not-reached",
    }
}

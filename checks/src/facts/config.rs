//! The configuration layers that Codex reads, as it merges them, without any secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a layer comes from, in rising precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayerName {
    /// `/etc/codex/config.toml` and its equals.
    System,
    /// `$CODEX_HOME/config.toml`.
    User,
    /// `$CODEX_HOME/NAME.config.toml`, selected by `-p NAME`.
    Profile,
    /// `.codex/config.toml` of a project directory.
    Project,
    /// `-c key=value`.
    Override,
    /// `/etc/codex/managed_config.toml`, which beats even `-c`.
    LegacyManaged,
}

/// What became of reading a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum LayerState {
    /// Read and parsed.
    Parsed,
    /// Not there; Codex goes on with its defaults.
    Missing,
    /// A project layer without trust: Codex skips it.
    Untrusted,
    /// Codex cannot read it, in Codex's words.
    Unreadable {
        /// The message, redacted.
        message: String,
    },
    /// No TOML.
    Syntax {
        /// 1-based line.
        line: u32,
        /// 1-based column in characters.
        column: u32,
        /// The parser's message.
        message: String,
    },
}

/// The kind of a TOML value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A floating point number.
    Float,
    /// A boolean.
    Boolean,
    /// A date or time.
    Datetime,
    /// An array of values.
    Array,
    /// A table in any of its spellings.
    Table,
    /// `[[name]]`.
    ArrayOfTables,
}

/// A scalar that may be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating point number.
    Float(f64),
    /// A string, redacted.
    String(String),
}

/// One key of one layer. Tables have an entry of their own before those of their keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The path of the key, one element per segment, redacted.
    pub path: Vec<String>,
    /// What kind of value it has.
    pub kind: ValueKind,
    /// The value, when it is a scalar and neither secret nor personal. A secret's place is taken by a mask.
    pub value: Option<Scalar>,
    /// 1-based line of the last segment of the key; absent for an override.
    pub line: Option<u32>,
    /// 1-based column of that segment, in characters.
    pub column: Option<u32>,
    /// Length of that segment in characters.
    pub length: Option<u32>,
    /// The line it stands on, redacted, for diagnostics.
    pub shown: Option<String>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// Which.
    pub name: LayerName,
    /// Its file, redacted; absent for overrides.
    pub file: Option<String>,
    /// What became of reading it.
    #[serde(flatten)]
    pub state: LayerState,
    /// Its keys in the order of the file.
    pub entries: Vec<Entry>,
}

/// Why Codex does not start with this configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The message in Codex's words, redacted.
    pub message: String,
    /// The dotted key that it names, if any.
    pub key: Option<String>,
    /// Our position for it: file, redacted.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column in characters.
    pub column: Option<u32>,
}

/// Everything that Codex would read as configuration in this directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    /// CODEX_HOME, redacted.
    pub home: String,
    /// Lowest precedence first.
    pub layers: Vec<Layer>,
}

impl Config {
    /// The entry that wins for `path` after Codex's merge, with its layer. Skips layers that Codex does not read and
    /// keys that a project may not set.
    pub fn effective(&self, path: &[&str]) -> Option<(&Layer, &Entry)> {
        self.layers.iter().rev().find_map(|layer| {
            if layer.name == LayerName::Project
                && path.first().is_some_and(|root| crate::knowledge::config::denied_in_project(root))
            {
                return None;
            }
            layer
                .entries
                .iter()
                .rev()
                .find(|entry| entry.path.iter().map(String::as_str).eq(path.iter().copied()))
                .map(|entry| (layer, entry))
        })
    }

    /// The effective string at `path`, redacted.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        match &self.effective(path)?.1.value {
            Some(Scalar::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The effective boolean at `path`.
    pub fn flag(&self, path: &[&str]) -> Option<bool> {
        match self.effective(path)?.1.value {
            Some(Scalar::Boolean(flag)) => Some(flag),
            _ => None,
        }
    }
}

//! The configuration layers that Codex reads, as it merges them, without any secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::Unshown;
use super::run::Platform;
use crate::knowledge::requirements::Effect;

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
    /// `/etc/codex/requirements.toml`: rules that no other layer can break.
    Requirements,
}

impl LayerName {
    /// Its stable name, as in JSON and in the ids of messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Profile => "profile",
            Self::Project => "project",
            Self::Override => "override",
            Self::LegacyManaged => "legacy-managed",
            Self::Requirements => "requirements",
        }
    }
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
    Untrusted {
        /// How many values it would set; none in a file that is no TOML.
        #[serde(default)]
        values: u64,
    },
    /// There, but larger than this program reads. What Codex makes of it is not known.
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
    },
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
        /// 1-based line and column of the end of the file: where older releases see what is never closed.
        #[serde(default)]
        end: Option<(u32, u32)>,
        /// The line at fault, redacted; what may be a secret is starred out, so that columns stay as far as can be.
        shown: Option<String>,
        /// The path of the key whose line it is, redacted, where it can be told.
        #[serde(default)]
        key: Option<Vec<String>>,
        /// What was typed there, where that is plain.
        #[serde(default)]
        typed: Option<Typed>,
    },
}

/// What was typed, where TOML reads it as something else or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Typed {
    /// A Windows path between double quotes, with single backslashes.
    WindowsPath,
    /// A word without quotes.
    BareWord,
    /// `True` or `FALSE`.
    CapitalBoolean,
    /// A value between typographic quotes.
    CurlyQuotes,
    /// A semicolon at the end of the line.
    Semicolon,
    /// A colon, or nothing, for the equals sign.
    Colon,
    /// `//` for `#`.
    SlashComment,
    /// The same key with the same value, or the same table with the same keys, once more.
    Repeated,
}

/// The kind of a TOML value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// A string.
    #[default]
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

/// A character that nobody sees, where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unseen {
    /// Its number: `U+200B`.
    pub character: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
}

/// A scalar that may be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating point number; one that is not finite is a string: `inf`, `-inf` or `NaN`.
    Float(f64),
    /// A string. With nothing to hide it is exactly that of the file, with what is invisible in it; else redacted.
    String(String),
}

/// One key of one layer. Tables and arrays have an entry of their own before those of their keys and elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The path of the key, one element per segment, redacted. An element of an array has its index as its last segment.
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
    /// 1-based line of the value (of the header, for a table that has one); absent for an override.
    pub value_line: Option<u32>,
    /// 1-based column of the value, in characters.
    pub value_column: Option<u32>,
    /// The line it stands on, redacted, for diagnostics.
    pub shown: Option<String>,
    /// What was typed as its value (of a table: as its name), where TOML reads something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<Typed>,
    /// What an address holds besides the value that may be shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unshown: Vec<Unshown>,
    /// The first character of the key or its string that nobody sees, unless it is a person's own text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<Unseen>,
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

/// A file that the configuration names and that Codex must be able to read at its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedFile {
    /// The dotted key that names it.
    pub key: String,
    /// The file as Codex resolves it, redacted.
    pub file: String,
    /// Why it cannot be read, in Codex's words, redacted.
    pub error: String,
}

/// Everything that Codex would read as configuration in this directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    /// CODEX_HOME, redacted.
    pub home: String,
    /// Why CODEX_HOME cannot be used although it was named, redacted: Codex then does not start at all.
    pub home_error: Option<String>,
    /// The profile that was asked for with `-p`, redacted.
    pub profile: Option<String>,
    /// The operating system family: what counts as an absolute path depends on it.
    pub platform: Platform,
    /// Files named by the configuration that cannot be read.
    pub unreadable_files: Vec<NamedFile>,
    /// Lowest precedence first.
    pub layers: Vec<Layer>,
    /// What the company requires, when there is such a file. Older reports have none.
    #[serde(default)]
    pub requirements: Option<Layer>,
    /// The root keys of the requirements whose values take the place of the layers' in this release of Codex, sorted.
    #[serde(default)]
    pub overriding: Vec<String>,
    /// Whether Codex keeps a copy of settings that it gets from the company's cloud. It is signed and not read here.
    #[serde(default)]
    pub cloud_copy: bool,
}

impl Config {
    /// The entry that wins for `path` after Codex's merge, with its layer. Skips keys that a project may not set and what
    /// a higher layer or a requirement replaced as a whole.
    pub fn effective(&self, path: &[&str]) -> Option<(&Layer, &Entry)> {
        if let Some(required) = self.required(path) {
            return required;
        }
        for layer in self.layers.iter().rev() {
            let denied = path.first().is_some_and(|root| crate::knowledge::config::denied_in_project(root));
            if layer.name == LayerName::Project && denied {
                continue;
            }
            if let Some(entry) = layer.entries.iter().rev().find(|entry| entry.is_at(path)) {
                return Some((layer, entry));
            }
            if layer.replaces_around(path) {
                return None;
            }
        }
        None
    }

    /// What the requirements set in the place of the layers: nothing when they leave `path` alone, an empty answer when they
    /// replaced what is around it.
    fn required(&self, path: &[&str]) -> Option<Option<(&Layer, &Entry)>> {
        let (layer, root) = (self.requirements.as_ref()?, *path.first()?);
        if !self.overriding.iter().any(|key| key == root) {
            return None;
        }
        if let Some(entry) = layer.entries.iter().rev().find(|entry| entry.is_at(path)) {
            // A table is merged but for a provider's, which comes as a whole.
            let merged = entry.kind == ValueKind::Table && !self.requires_whole(path);
            return if merged { None } else { Some(Some((layer, entry))) };
        }
        (self.requires_whole(path) || layer.replaces_around(path)).then_some(None)
    }

    /// Whether `path` lies in a table that the requirements replace as a whole.
    pub fn requires_whole(&self, path: &[&str]) -> bool {
        let each = |root: &str| crate::knowledge::requirements::requirement(root).is_some_and(|row| row.effect == Effect::Each);
        let Some((layer, [root, name])) = self.requirements.as_ref().zip(path.first_chunk::<2>()) else { return false };
        self.overriding.iter().any(|key| key == root) && each(root) && layer.entries.iter().any(|entry| entry.is_at(&[root, name]))
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

    /// The keys right below `path` in all layers that Codex reads, sorted, each once.
    pub fn names_below(&self, path: &[&str]) -> Vec<&str> {
        let root = path.first().copied().unwrap_or_default();
        let denied = crate::knowledge::config::denied_in_project(root);
        let layers = self.layers.iter().filter(|layer| layer.name != LayerName::Project || !denied);
        let layers = layers.filter(|_| !self.requires_whole(path));
        let required = self.requirements.iter().filter(|_| self.overriding.iter().any(|key| key == root));
        let mut names: Vec<&str> = layers
            .chain(required)
            .flat_map(|layer| &layer.entries)
            .filter(|entry| entry.path.len() == path.len() + 1)
            .filter(|entry| entry.path.iter().map(String::as_str).take(path.len()).eq(path.iter().copied()))
            .filter_map(|entry| entry.path.last().map(String::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Entry {
    /// Whether it is the entry of the key at `path`.
    pub fn is_at(&self, path: &[&str]) -> bool {
        // Names differ at their end more often than at their beginning.
        self.path.len() == path.len() && self.path.iter().rev().map(String::as_str).eq(path.iter().rev().copied())
    }
}

impl Layer {
    /// Whether it sets a table around `path` to something that is no table.
    fn replaces_around(&self, path: &[&str]) -> bool {
        let replaces = |entry: &Entry| {
            entry.kind != ValueKind::Table && entry.path.len() < path.len() && entry.is_at(&path[..entry.path.len()])
        };
        self.entries.iter().any(replaces)
    }
}

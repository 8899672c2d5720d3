//! What can be mended in the configuration: which edit, where, and whether it may be made without a question.
//!
//! Only the user's own file and profile files are mended. An edit is safe only if it cannot switch anything on, and loses nothing:
//! what Codex does with it in place differs in nothing but settings that `harmless-settings.toml` lists. What an edit is by itself is
//! judged here; what comes of it in its file, by [`Consequences`].

mod address;
mod consequence;
mod refused;
mod syntax;
mod unknown;

use super::codex::Codex;
use super::outcome::{self, ConfigOutcome, Refusal};
use super::{ignored, strict};
use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer, LayerName, LayerState, Scalar, Typed, ValueKind};
use crate::finding::{Arg, Args};
use crate::knowledge::config::{Key, Standing, Status, Type};
use crate::knowledge::harmless_settings::{is_harmless, is_neutral};

pub use address::AddressRepair;
pub use consequence::Consequences;

/// One thing that can be mended, with all its edits in one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mend {
    /// The code of the finding that it mends.
    pub code: String,
    /// The id of the message that says what it does.
    pub message_id: String,
    /// Arguments of both messages.
    pub args: Args,
    /// The layer.
    pub layer: LayerName,
    /// The layer's file, redacted.
    pub file: String,
    /// The edits, in the order in which they are made.
    pub edits: Vec<Edit>,
    /// Whether it cannot switch anything on.
    pub safe: bool,
    /// The id of the message that says why it is safe, or why not.
    pub reason: String,
    /// What can be done where Codex would refuse the result.
    pub otherwise: Option<Box<Mend>>,
}

/// A change at one place, which is that of a key or of a fault in the syntax.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// What is done there.
    pub change: Change,
}

/// What is done at a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Another name for it, wherever the file writes it.
    Rename {
        /// The new name of the last segment.
        to: String,
    },
    /// It goes, with all below it.
    Remove,
    /// To another table.
    Move {
        /// The path of the table; empty for the root.
        table: Vec<String>,
        /// Its name there.
        name: String,
    },
    /// Another value: this text.
    Text {
        /// The text, not yet quoted.
        to: String,
    },
    /// The value without its quotes: a boolean or a number that was written as a string.
    Unquote,
    /// The value as it was typed, between literal quotes.
    Literal,
    /// The address, put right.
    Address(AddressRepair),
    /// A new key in the table.
    Insert {
        /// Its name.
        name: String,
        /// Its value, a text.
        text: String,
    },
    /// A slip of the keyboard for which the file is no TOML.
    Syntax(Typed),
}

/// All that can be mended in `facts`, in the order of the files and of their lines.
pub fn mends(facts: &Facts) -> Vec<Mend> {
    mends_of(facts, true)
}

/// The same, for a configuration of which it is known what Codex does with it.
pub fn mends_after(facts: &Facts, outcome: &ConfigOutcome) -> Vec<Mend> {
    mends_of(facts, outcome.error.is_some() || outcome.strict.is_some())
}

fn mends_of(facts: &Facts, may_be_refused: bool) -> Vec<Mend> {
    let Some(config) = facts.config.value() else { return Vec::new() };
    let codex = Codex::of(facts.codex_version());
    let mut mends = Vec::new();
    for layer in config.layers.iter().filter(|layer| is_own(layer)) {
        let Some(file) = layer.file.as_deref() else { continue };
        let mender = Mender { codex, config, layer, file };
        match &layer.state {
            LayerState::Syntax { line, column, key, typed: Some(typed), .. } => {
                mends.extend(syntax::mend(&mender, (*line, *column), key.as_deref(), *typed));
            }
            LayerState::Parsed => {
                let ignored = ignored::of_layer(layer, codex);
                mends.extend(ignored.iter().filter_map(|key| unknown::mend(&mender, key.entry)));
                mends.extend(layer.entries.iter().filter_map(|entry| mender.outdated(entry)));
                mends.extend(layer.entries.iter().filter_map(|entry| mender.mangled(entry)));
                mends.extend(address::mends(&mender, facts));
            }
            _ => {}
        }
    }
    // A release that is newer than all known ones may know what looks like a slip.
    if codex.standing == Standing::Newer {
        mends = mends.into_iter().map(|mend| if mend.safe { mend.unsafe_for("fix-unsafe-newer") } else { mend }).collect();
    }
    mends.sort_by_key(|mend| (mend.layer, mend.edits.first().map(|edit| (edit.line, edit.column))));
    // What stops Codex comes last: as long as it is there, nothing else can be seen to have come right.
    for refusal in if may_be_refused { refusals(config, codex) } else { Vec::new() } {
        if let Some((layer, entry)) = refusal.origin
            && let Some(file) = layer.file.as_deref().filter(|_| is_own(layer))
        {
            let mend = refused::mend(&Mender { codex, config, layer, file }, entry, &refusal.rejection.message);
            mends.extend(mend.filter(|mend| !mends.contains(mend)));
        }
    }
    mends
}

/// Whether the layer is the person's own. Nothing else is ever edited.
fn is_own(layer: &Layer) -> bool {
    matches!(layer.name, LayerName::User | LayerName::Profile)
}

/// All that Codex refuses, and what only its strict start does.
fn refusals(config: &Config, codex: Codex) -> Vec<Refusal<'_>> {
    let first = outcome::refusal(config, codex);
    let later = first.as_ref().map(|first| outcome::later(config, codex, first)).unwrap_or_default();
    first.into_iter().chain(later).chain(strict::refusal_before_usual(config, codex)).collect()
}

/// A layer whose faults are looked at.
struct Mender<'config> {
    codex: Codex,
    config: &'config Config,
    layer: &'config Layer,
    file: &'config str,
}

impl Mender<'_> {
    fn mend(&self, code: &str, message: &str, entry: &Entry, change: Change) -> Option<Mend> {
        let edit = Edit { line: entry.line?, column: entry.column?, change };
        Some(self.with_edits(code, message, &entry.path.join("."), vec![edit]))
    }

    /// A mend that is not safe until it is proven to be.
    fn with_edits(&self, code: &str, message: &str, key: &str, edits: Vec<Edit>) -> Mend {
        Mend {
            code: code.to_owned(),
            message_id: message.to_owned(),
            args: [("key".to_owned(), Arg::from(key))].into(),
            layer: self.layer.name,
            file: self.file.to_owned(),
            edits,
            safe: false,
            reason: "fix-unsafe-activates".to_owned(),
            otherwise: None,
        }
    }

    /// The entry of this layer at `path`.
    fn entry(&self, path: &[impl AsRef<str>]) -> Option<&Entry> {
        self.layer
            .entries
            .iter()
            .find(|entry| entry.path.len() == path.len() && entry.path.iter().zip(path).all(|(one, other)| one == other.as_ref()))
    }

    /// Whether all values at and below `path` are harmless once they stand at `target`.
    fn becomes_harmless(&self, path: &[String], target: &[String]) -> bool {
        let below = self.layer.entries.iter().filter(|entry| entry.path.starts_with(path));
        below.filter(|entry| entry.kind != ValueKind::Table).all(|entry| {
            let moved: Vec<&str> = target.iter().chain(&entry.path[path.len()..]).map(String::as_str).collect();
            is_harmless(&moved)
        })
    }

    /// Whether a text at or below `path` is empty: Codex refuses many of those, some only once it works.
    fn holds_nothing(&self, path: &[String]) -> bool {
        let below = self.layer.entries.iter().filter(|entry| entry.path.starts_with(path));
        below.filter_map(text).any(|text| text.trim().is_empty())
    }

    /// The key at `entry` gets the place and the name of `target`; where that is taken, it goes.
    fn relocate(&self, code: &str, entry: &Entry, target: &[String]) -> Option<Mend> {
        let (name, table) = target.split_last()?;
        if let Some(taken) = self.entry(target) {
            if let Some(mend) = self.merge(code, entry, target, taken) {
                return Some(mend);
            }
            let mend = self.mend(code, "fix-remove-double", entry, Change::Remove)?.arg("to", &target.join("."));
            // What says something else, or holds more than a word, may be the only copy of it.
            let is_copy = is_of_no_value(entry) && taken.kind == entry.kind && taken.value == entry.value;
            return Some(if is_copy { mend.safe("fix-safe-without-effect") } else { mend.unsafe_for("fix-unsafe-loses") });
        }
        let same_table = entry.path.split_last().is_some_and(|(_, around)| around == table);
        let (message, change) = if same_table {
            ("fix-rename", Change::Rename { to: name.clone() })
        } else {
            ("fix-move", Change::Move { table: table.to_vec(), name: name.clone() })
        };
        let mend = self.mend(code, message, entry, change)?.arg("to", &target.join("."));
        let mend = Mend { otherwise: self.unclear(code, entry).map(Box::new), ..mend };
        Some(if unit(name) != entry.path.last().and_then(|name| unit(name)) {
            mend.unsafe_for("fix-unsafe-unit")
        } else if self.holds_nothing(&entry.path) {
            mend.unsafe_for("fix-unsafe-empty")
        } else if !same_table && !is_neutral(&entry.path) {
            mend.unsafe_for("fix-unsafe-place")
        } else if self.becomes_harmless(&entry.path, target) {
            mend.safe("fix-safe-harmless")
        } else {
            mend
        })
    }

    /// The keys of the table at `entry` go into the one that stands at `target` already; nothing where they would meet one of theirs.
    fn merge(&self, code: &str, entry: &Entry, target: &[String], taken: &Entry) -> Option<Mend> {
        if entry.kind != ValueKind::Table || taken.kind != ValueKind::Table {
            return None;
        }
        let is_child = |child: &&Entry| child.path.len() == entry.path.len() + 1 && child.path.starts_with(&entry.path);
        let children: Vec<&Entry> = self.layer.entries.iter().filter(is_child).collect();
        let mut edits = Vec::new();
        for child in &children {
            let name = child.path.last()?.clone();
            let place: Vec<&String> = target.iter().chain([&name]).collect();
            if self.entry(&place).is_some() {
                return None;
            }
            edits.push(Edit { line: child.line?, column: child.column?, change: Change::Move { table: target.to_vec(), name } });
        }
        edits.push(Edit { line: entry.line?, column: entry.column?, change: Change::Remove });
        let mend = self.with_edits(code, "fix-merge", &entry.path.join("."), edits).arg("to", &target.join("."));
        let is_safe = self.becomes_harmless(&entry.path, target) && !self.holds_nothing(&entry.path);
        let mend = Mend { otherwise: self.unclear(code, entry).map(Box::new), ..mend };
        (!children.is_empty()).then(|| if is_safe { mend.safe("fix-safe-harmless") } else { mend })
    }

    /// A key without effect of which nobody knows what was meant: it can go, if the person says so.
    fn unclear(&self, code: &str, entry: &Entry) -> Option<Mend> {
        Some(self.mend(code, "fix-remove", entry, Change::Remove)?.unsafe_for("fix-unsafe-unclear"))
    }

    /// A deprecated key whose successor takes the same values.
    fn outdated(&self, entry: &Entry) -> Option<Mend> {
        let key = self.codex.keys.key(&entry.path).filter(|key| key.status == Status::Deprecated)?;
        let target = self.successor(entry, key.instead?)?;
        // Both are in effect, and it is not known which of them counts.
        if self.entry(&target).is_some() {
            return None;
        }
        let mend = Mend { otherwise: None, ..self.relocate("config.deprecated-key", entry, &target)? };
        Some(if mend.safe { mend } else { mend.unsafe_for("fix-unsafe-successor") })
    }

    fn key(&self, path: &[impl AsRef<str>]) -> Option<&'static Key> {
        self.codex.keys.key(path)
    }

    /// The successor of a key, as a path with the person's own names in it: only where it is a key, and takes values of the same
    /// type.
    fn successor(&self, entry: &Entry, instead: &str) -> Option<Vec<String>> {
        if instead.contains([' ', '$', '/']) {
            return None;
        }
        let own = |(index, segment): (usize, &str)| {
            if segment == "*" { entry.path.get(index).cloned() } else { Some(segment.to_owned()) }
        };
        let target: Vec<String> = instead.split('.').enumerate().map(own).collect::<Option<_>>()?;
        let (old, new) = (self.key(&entry.path)?, self.key(&target)?);
        (new.status.is_known() && old.kind == new.kind && new.kind != Type::Any).then_some(target)
    }

    /// A Windows path in double quotes whose backslashes TOML took for something else.
    fn mangled(&self, entry: &Entry) -> Option<Mend> {
        if entry.typed != Some(Typed::WindowsPath) || entry.kind == ValueKind::Table {
            return None;
        }
        let mend = self.mend("config.mangled-path", "fix-literal", entry, Change::Literal)?;
        Some(if is_harmless(&entry.path) { mend.safe("fix-safe-quotes") } else { mend })
    }
}

impl Mend {
    fn safe(mut self, reason: &str) -> Self {
        self.safe = true;
        reason.clone_into(&mut self.reason);
        self
    }

    fn unsafe_for(mut self, reason: &str) -> Self {
        self.safe = false;
        reason.clone_into(&mut self.reason);
        self
    }

    fn arg(mut self, name: &str, value: &str) -> Self {
        self.args.insert(name.to_owned(), Arg::from(value));
        self
    }
}

/// Whether nothing is lost with the value of `entry`, where its key is known to be of no use: one number, boolean or word. A table, an
/// array, a secret, an address and a long text may be the only copy of what somebody needs.
fn is_of_no_value(entry: &Entry) -> bool {
    /// No word of a model, a mode or a plan is longer.
    const WORD: usize = 64;
    match &entry.value {
        Some(Scalar::String(text)) => {
            entry.kind == ValueKind::String && text.len() <= WORD && !text.contains(['<', '\n']) && !text.contains("://")
        }
        value => value.is_some() && matches!(entry.kind, ValueKind::Boolean | ValueKind::Integer | ValueKind::Float),
    }
}

/// The unit that the name of a key ends with: what was meant as seconds must not become milliseconds unasked.
fn unit(name: &str) -> Option<&str> {
    let last = name.rsplit(['_', '-']).next()?;
    ["ms", "sec", "secs", "seconds", "s", "minutes", "hours", "days", "percent", "bytes"].contains(&last).then_some(last)
}

fn text(entry: &Entry) -> Option<&str> {
    match &entry.value {
        Some(Scalar::String(text)) if entry.kind == ValueKind::String => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

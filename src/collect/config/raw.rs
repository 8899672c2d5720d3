//! The merged values as they stand, secrets and all: for the collectors that must send what Codex would send.

use std::collections::BTreeMap;

use codex_triage_checks::facts::config::{Layer, LayerName, Scalar};
use codex_triage_checks::knowledge::config::denied_in_project;
use codex_triage_checks::knowledge::requirements::{Effect, requirement};
use toml_edit::{Datetime, Item, Value};

/// A value that may be a secret: no `Debug`, no `Serialize`.
#[derive(Clone)]
pub(super) enum RawValue {
    Table(RawTable),
    Array(Vec<RawValue>),
    String(String),
    Boolean(bool),
    Other,
}

/// A table of such values.
pub(super) type RawTable = BTreeMap<String, RawValue>;

/// The configuration as Codex merges it. Never printed, never stored: it holds secrets.
#[derive(Clone, Default)]
pub struct RawConfig {
    root: RawTable,
}

impl RawConfig {
    /// Merges tables in their order, without what a project may not set.
    pub(super) fn merged(layers: &[Layer], tables: Vec<RawTable>) -> Self {
        let mut merged = Self::default();
        for (layer, mut table) in layers.iter().zip(tables) {
            if layer.name == LayerName::Project {
                table.retain(|key, _| !denied_in_project(key));
            }
            merge(&mut merged.root, table);
        }
        merged
    }

    /// Lays one more table over it.
    pub(super) fn overlay(&mut self, table: &RawTable) {
        merge(&mut self.root, table.clone());
    }

    /// Puts the required values in the place of the present ones; of a provider that is required nothing else remains.
    pub(super) fn require(&mut self, overriding: &[String], required: RawTable) {
        for (key, value) in required.into_iter().filter(|(key, _)| overriding.contains(key)) {
            let each = requirement(&key).is_some_and(|row| row.effect == Effect::Each);
            if let (true, Some(RawValue::Table(known)), RawValue::Table(table)) = (each, self.root.get_mut(&key), &value) {
                known.retain(|name, _| !table.contains_key(name));
            }
            merge(&mut self.root, RawTable::from([(key, value)]));
        }
    }

    fn at(&self, path: &[&str]) -> Option<&RawValue> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.root.get(*first)?, |value, name| match value {
            RawValue::Table(table) => table.get(*name),
            _ => None,
        })
    }

    /// Whether the key is set to anything.
    pub fn has(&self, path: &[&str]) -> bool {
        self.at(path).is_some()
    }

    /// The string at `path`. It may be a secret: it goes to its purpose, or through the redactor.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        match self.at(path)? {
            RawValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean at `path`.
    pub fn flag(&self, path: &[&str]) -> Option<bool> {
        match self.at(path)? {
            RawValue::Boolean(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The string at `path`, or the strings of the array there.
    pub fn texts(&self, path: &[&str]) -> Vec<&str> {
        match self.at(path) {
            Some(RawValue::String(text)) => vec![text],
            Some(RawValue::Array(elements)) => elements.iter().filter_map(RawValue::text).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether there is an array at `path`.
    pub(super) fn is_array(&self, path: &[&str]) -> bool {
        matches!(self.at(path), Some(RawValue::Array(_)))
    }

    /// The names and strings of the table at `path`, sorted by name.
    pub fn pairs(&self, path: &[&str]) -> Vec<(&str, &str)> {
        match self.at(path) {
            Some(RawValue::Table(table)) => table.iter().filter_map(|(name, value)| Some((name.as_str(), value.text()?))).collect(),
            _ => Vec::new(),
        }
    }

    /// The names in the table at `path`, sorted.
    pub fn names(&self, path: &[&str]) -> Vec<&str> {
        match self.at(path) {
            Some(RawValue::Table(table)) => table.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The id of the provider that Codex selects.
    pub fn provider(&self) -> &str {
        self.text(&["model_provider"]).unwrap_or("openai")
    }

    /// The string `key` of the selected provider.
    pub fn provider_text(&self, key: &str) -> Option<&str> {
        self.text(&["model_providers", self.provider(), key])
    }
}

impl RawValue {
    fn text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// A value of a parsed file.
    pub(super) fn of_item(item: &Item) -> Self {
        match item {
            Item::None => Self::Other,
            Item::Value(value) => Self::of_value(value),
            Item::Table(table) => Self::Table(table_of(table)),
            Item::ArrayOfTables(tables) => Self::Array(tables.iter().map(|table| Self::Table(table_of(table))).collect()),
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::String(text.value().clone()),
            Value::Boolean(flag) => Self::Boolean(*flag.value()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::of_value).collect()),
            Value::InlineTable(table) => {
                Self::Table(table.iter().map(|(key, value)| (key.to_owned(), Self::of_value(value))).collect())
            }
            Value::Datetime(moment) => Self::String(self::moment(moment.value())),
            Value::Integer(_) | Value::Float(_) => Self::Other,
        }
    }
}

/// A moment as Codex prints it: with its seconds, also where they were left out.
pub(super) fn moment(moment: &Datetime) -> String {
    let mut moment = *moment;
    if let Some(time) = &mut moment.time {
        time.second.get_or_insert(0);
    }
    moment.to_string()
}

/// A number; JSON has no infinity, so that one which is not finite is shown as its word.
pub(super) fn float(number: f64) -> Scalar {
    if number.is_finite() { Scalar::Float(number) } else { Scalar::String(number.to_string()) }
}

/// The values of a parsed table.
pub(super) fn table_of(table: &toml_edit::Table) -> RawTable {
    table.iter().map(|(key, item)| (key.to_owned(), RawValue::of_item(item))).collect()
}

/// Puts `value` at a dotted path, through tables; what stands in the way is replaced.
pub(super) fn set(root: &mut RawTable, path: &[String], value: RawValue) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        root.insert(first.clone(), value);
        return;
    }
    let below = root.entry(first.clone()).or_insert_with(|| RawValue::Table(RawTable::new()));
    if !matches!(below, RawValue::Table(_)) {
        *below = RawValue::Table(RawTable::new());
    }
    if let RawValue::Table(table) = below {
        set(table, rest, value);
    }
}

fn merge(under: &mut RawTable, over: RawTable) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(RawValue::Table(known)), RawValue::Table(table)) => merge(known, table),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

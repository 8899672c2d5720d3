//! The entries of the layers as one tree of values, merged as Codex merges them.

use std::collections::BTreeMap;

use crate::facts::config::{Config, Entry, Layer, LayerName, Scalar, ValueKind};
use crate::knowledge::config::denied_in_project;

/// The layer and the entry that set a value.
pub(crate) type Origin<'config> = (&'config Layer, &'config Entry);

/// A value with the entry that set it.
#[derive(Clone, Debug)]
pub(crate) struct Value<'config> {
    /// What set it; none for the root.
    pub(crate) origin: Option<Origin<'config>>,
    /// Its place among the keys of its table: the order of the lowest layer that has it.
    rank: usize,
    /// What it is.
    pub(crate) shape: Shape<'config>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'config> {
    /// A table.
    Table(BTreeMap<&'config str, Value<'config>>),
    /// An array, of tables or of other values.
    Array(Vec<Value<'config>>),
    /// Anything else.
    Scalar,
}

impl<'config> Value<'config> {
    /// One layer as a tree. What a project may not set is left out.
    pub(crate) fn of_layer(layer: &'config Layer) -> Self {
        let is_project = layer.name == LayerName::Project;
        Self::of_entries(layer, |entry| !(is_project && entry.path.first().is_some_and(|key| denied_in_project(key))))
    }

    /// One layer as a tree, with what a project may not set.
    pub(crate) fn of_whole_layer(layer: &'config Layer) -> Self {
        Self::of_entries(layer, |_| true)
    }

    fn of_entries(layer: &'config Layer, wanted: impl Fn(&Entry) -> bool) -> Self {
        let mut root = Self { origin: None, rank: 0, shape: Shape::Table(BTreeMap::new()) };
        for entry in layer.entries.iter().filter(|entry| wanted(entry)) {
            root.insert(layer, entry, &entry.path);
        }
        root
    }

    /// All layers, merged: tables key by key, anything else as a whole.
    pub(crate) fn merged(config: &'config Config) -> Self {
        let mut root = Self { origin: None, rank: 0, shape: Shape::Table(BTreeMap::new()) };
        for layer in &config.layers {
            root.overlay(Self::of_layer(layer));
        }
        super::requirements::apply(&mut root, config);
        root
    }

    /// Lays `over` over the key `name` of a table; when `each`, every entry of it takes the place of the one that it meets.
    pub(crate) fn lay_over(&mut self, name: &'config str, over: Self, each: bool) {
        let Shape::Table(table) = &mut self.shape else { return };
        let rank = table.len();
        let known = table.entry(name).or_insert_with(|| Self { origin: over.origin, rank, shape: Shape::Table(BTreeMap::new()) });
        if let (true, Shape::Table(entries), Shape::Table(known)) = (each, &over.shape, &mut known.shape) {
            known.retain(|name, _| !entries.contains_key(name));
        }
        known.overlay(over);
    }

    fn insert(&mut self, layer: &'config Layer, entry: &'config Entry, path: &'config [String]) {
        let Some((name, rest)) = path.split_first() else { return };
        match &mut self.shape {
            Shape::Table(table) => {
                if rest.is_empty() {
                    let rank = table.len();
                    table.insert(name, Self { rank, ..Self::of_entry(layer, entry) });
                } else if let Some(child) = table.get_mut(name.as_str()) {
                    child.insert(layer, entry, rest);
                }
            }
            Shape::Array(elements) => {
                if rest.is_empty() {
                    elements.push(Self::of_entry(layer, entry));
                } else if let Some(child) = name.parse::<usize>().ok().and_then(|index| elements.get_mut(index)) {
                    child.insert(layer, entry, rest);
                }
            }
            Shape::Scalar => {}
        }
    }

    fn of_entry(layer: &'config Layer, entry: &'config Entry) -> Self {
        let shape = match entry.kind {
            ValueKind::Table => Shape::Table(BTreeMap::new()),
            ValueKind::Array | ValueKind::ArrayOfTables => Shape::Array(Vec::new()),
            _ => Shape::Scalar,
        };
        Self { origin: Some((layer, entry)), rank: 0, shape }
    }

    fn overlay(&mut self, over: Self) {
        match (&mut self.shape, over.shape) {
            (Shape::Table(under), Shape::Table(over)) => {
                let mut over: Vec<_> = over.into_iter().collect();
                over.sort_by_key(|(_, value)| value.rank);
                for (name, value) in over {
                    let rank = under.len();
                    match under.get_mut(name) {
                        Some(known) => known.overlay(value),
                        None => {
                            under.insert(name, Self { rank, ..value });
                        }
                    }
                }
            }
            (_, shape) => *self = Self { origin: over.origin, rank: self.rank, shape },
        }
    }

    /// The value of the key `name`, in a table.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match &self.shape {
            Shape::Table(table) => table.get(name),
            _ => None,
        }
    }

    /// The value at a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    /// The keys and values of a table.
    pub(crate) fn table(&self) -> Option<&BTreeMap<&'config str, Self>> {
        match &self.shape {
            Shape::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The keys and values of a table in the order in which Codex walks them: first what its own defaults hold, then what the
    /// layers added. `at` is the dotted path of the table.
    pub(crate) fn in_order(&self, at: &str) -> Vec<(&'config str, &Self)> {
        let Some(table) = self.table() else { return Vec::new() };
        let defaults: &[&str] = match at {
            "" => &DEFAULTS,
            "history" => &["persistence"],
            _ => &[],
        };
        let mut keys: Vec<_> = table.iter().map(|(name, value)| (*name, value)).collect();
        keys.sort_by_key(|(name, value)| {
            (defaults.iter().position(|default| default == name).unwrap_or(defaults.len()), value.rank)
        });
        keys
    }

    /// The keys and values of a table in the order in which they were written, a table where its own header stands.
    pub(crate) fn in_file_order(&self) -> Vec<(&'config str, &Self)> {
        let mut keys: Vec<_> = self.table().into_iter().flatten().map(|(name, value)| (*name, value)).collect();
        keys.sort_by_key(|(_, value)| value.rank);
        keys
    }

    /// The value as a string. A date counts as one: Codex takes it so.
    pub(crate) fn text(&self) -> Option<&'config str> {
        let (_, entry) = self.origin?;
        match (&entry.kind, &entry.value) {
            (ValueKind::String | ValueKind::Datetime, Some(Scalar::String(text))) => Some(text),
            _ => None,
        }
    }

    /// The value as a number.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.origin?.1.value {
            #[allow(clippy::cast_precision_loss, reason = "compared with small bounds only")]
            Some(Scalar::Integer(number)) => Some(number as f64),
            Some(Scalar::Float(number)) => Some(number),
            Some(Scalar::String(ref word)) if self.origin?.1.kind == ValueKind::Float => word.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is the boolean `false`.
    pub(super) fn is_false(&self) -> bool {
        self.origin.is_some_and(|(_, entry)| entry.value == Some(Scalar::Boolean(false)))
    }

    /// Whether it is the boolean `true`.
    pub(crate) fn is_true(&self) -> bool {
        self.origin.is_some_and(|(_, entry)| entry.value == Some(Scalar::Boolean(true)))
    }

    /// What it is, in the words of Codex's parser.
    pub(crate) fn described(&self) -> String {
        let Some((_, entry)) = self.origin else { return "map".to_owned() };
        match (entry.kind, &entry.value) {
            (ValueKind::Table, _) => "map".to_owned(),
            (ValueKind::Array | ValueKind::ArrayOfTables, _) => "sequence".to_owned(),
            (ValueKind::Boolean, Some(Scalar::Boolean(flag))) => format!("boolean `{flag}`"),
            (ValueKind::Integer, Some(Scalar::Integer(number))) => format!("integer `{number}`"),
            (ValueKind::Float, Some(Scalar::Float(number))) => format!("floating point `{}`", float(*number)),
            (ValueKind::Float, Some(Scalar::String(word))) => format!("floating point `{word}`"),
            (_, Some(Scalar::String(text))) => format!("string {text:?}"),
            _ => "string \"<secret>\"".to_owned(),
        }
    }
}

/// Keys that Codex's own defaults hold, in their order (found by pairs of faults on 0.171.0).
const DEFAULTS: [&str; 14] = [
    "include_permissions_instructions",
    "include_apps_instructions",
    "include_collaboration_mode_instructions",
    "include_environment_context",
    "include_environment_context_time",
    "cli_auth_credentials_store",
    "mcp_oauth_credentials_store",
    "project_doc_max_bytes",
    "project_doc_fallback_filenames",
    "background_terminal_max_timeout",
    "file_opener",
    "hide_agent_reasoning",
    "chatgpt_base_url",
    "history",
];

/// A floating point number with its point, as the parser prints it.
fn float(number: f64) -> String {
    let text = number.to_string();
    if number.is_finite() && !text.contains('.') { format!("{text}.0") } else { text }
}

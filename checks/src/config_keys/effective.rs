//! What is in effect when all layers are merged: each key with its value, the layer that won, and those that lost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::codex::Codex;
use super::requirements;
use super::tree::{Shape, Value};
use crate::facts::config::{Config, Entry, Layer, LayerName, Scalar, ValueKind};
use crate::knowledge::config::{Node, Type, denied_in_project};

/// A value as it may be shown: secrets are masked.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EffectiveValue {
    /// A boolean, a number or a text.
    Scalar(Scalar),
    /// An array.
    Array(Vec<EffectiveValue>),
    /// A table inside an array, or an empty one.
    Table(BTreeMap<String, EffectiveValue>),
    /// A number for which JSON has no word: infinite, or none.
    Unwritten,
}

/// A key that is in effect.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EffectiveKey {
    /// The dotted key. A segment that is no plain name stands in double quotes, as in TOML.
    pub key: String,
    /// Its value. An array is one value: Codex takes it from one layer as a whole.
    pub value: EffectiveValue,
    /// The layer that won.
    pub layer: LayerName,
    /// Its file, redacted; null for an override.
    pub file: Option<String>,
    /// 1-based line of the key; null for an override.
    pub line: Option<u32>,
    /// 1-based column of the key in characters; null for an override.
    pub column: Option<u32>,
    /// The layers that set it too and lost, lowest first.
    pub overrides: Vec<LayerName>,
}

/// All keys in effect. What Codex ignores, and what a project may not set, is not among them.
pub(super) fn keys(config: &Config, codex: Codex) -> Vec<EffectiveKey> {
    let merged = Value::merged(config);
    let mut keys = Vec::new();
    walk(&merged, Some(codex.keys.root()), config, &mut Vec::new(), &mut keys);
    for given in requirements::given_way(config, &merged, codex) {
        give_way(&given, &mut keys);
    }
    keys.sort_by(|one: &EffectiveKey, other| one.key.cmp(&other.key));
    keys
}

/// The value that takes the place of one that a requirement does not allow.
fn give_way(given: &requirements::GivenWay<'_>, keys: &mut Vec<EffectiveKey>) {
    let (Some(name), Some((layer, entry))) = (given.row.of.as_deref(), given.list.origin) else { return };
    let below = format!("{name}.");
    let losers: Vec<LayerName> = given.value.origin.map(|(layer, _)| layer.name).into_iter().chain(lost(keys, name)).collect();
    keys.retain(|key| key.key != name && !key.key.starts_with(&below));
    let value = EffectiveValue::Scalar(Scalar::String(given.instead.clone()));
    keys.push(EffectiveKey { value, overrides: sorted(losers), ..at(name.to_owned(), layer, entry) });
}

fn lost(keys: &[EffectiveKey], name: &str) -> Vec<LayerName> {
    keys.iter().filter(|key| key.key == name).flat_map(|key| key.overrides.clone()).collect()
}

fn at(key: String, layer: &Layer, entry: &Entry) -> EffectiveKey {
    let value = value_of(entry.value.as_ref());
    let (file, line, column) = (layer.file.clone(), entry.line, entry.column);
    EffectiveKey { key, value, layer: layer.name, file, line, column, overrides: Vec::new() }
}

fn walk<'config>(
    value: &Value<'config>,
    node: Option<&Node>,
    config: &Config,
    path: &mut Vec<&'config str>,
    keys: &mut Vec<EffectiveKey>,
) {
    match value.table() {
        Some(table) if path.is_empty() || !table.is_empty() => {
            for (name, below) in table {
                let Some(child) = child(node, name) else { continue };
                path.push(name);
                walk(below, child, config, path, keys);
                path.pop();
            }
        }
        _ => {
            let Some((layer, entry)) = value.origin else { return };
            let overrides = losers(config, path, layer);
            keys.push(EffectiveKey { value: shown(value), overrides, ..at(dotted(path), layer, entry) });
        }
    }
}

/// The node below, if Codex reads the key at all: inside what is not known in detail everything counts.
#[allow(clippy::option_option, reason = "read or not; known in detail or not")]
fn child<'node>(node: Option<&'node Node>, name: &str) -> Option<Option<&'node Node>> {
    let Some(node) = node else { return Some(None) };
    let known = node.child(name).map(|(child, _)| child);
    match known {
        Some(child) if child.key.status.is_known() && !child.key.unlisted => Some(Some(child)),
        _ if node.key.open || !matches!(node.key.kind, Type::Struct(_) | Type::Any) => Some(None),
        _ if matches!(node.key.kind, Type::Any) && node.below.is_empty() => Some(None),
        _ => None,
    }
}

/// The layers whose value at `path` lost against that of `winner`.
fn losers(config: &Config, path: &[&str], winner: &Layer) -> Vec<LayerName> {
    let all = config.layers.iter().filter(|layer| !std::ptr::eq(*layer, winner));
    let denied = path.first().is_some_and(|root| denied_in_project(root));
    let set = |layer: &&Layer| {
        let sets = |entry: &Entry| entry.is_at(path) && entry.kind != ValueKind::Table;
        !(denied && layer.name == LayerName::Project) && layer.entries.iter().any(sets)
    };
    sorted(all.filter(set).map(|layer| layer.name).collect())
}

fn sorted(mut layers: Vec<LayerName>) -> Vec<LayerName> {
    layers.sort_unstable();
    layers.dedup();
    layers
}

fn shown(value: &Value<'_>) -> EffectiveValue {
    match &value.shape {
        Shape::Table(table) => {
            EffectiveValue::Table(table.iter().map(|(name, below)| ((*name).to_owned(), shown(below))).collect())
        }
        Shape::Array(elements) => EffectiveValue::Array(elements.iter().map(shown).collect()),
        Shape::Scalar => value_of(value.origin.and_then(|(_, entry)| entry.value.as_ref())),
    }
}

fn value_of(scalar: Option<&Scalar>) -> EffectiveValue {
    scalar.map_or(EffectiveValue::Unwritten, |scalar| EffectiveValue::Scalar(scalar.clone()))
}

/// The path as TOML writes it.
fn dotted(path: &[&str]) -> String {
    let plain = |name: &str| {
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'))
    };
    let segment = |name: &&str| if plain(name) { (*name).to_owned() } else { quoted(name) };
    path.iter().map(segment).collect::<Vec<_>>().join(".")
}

/// A text in double quotes, as TOML writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl std::fmt::Display for EffectiveValue {
    /// The value as TOML writes it, on one line.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scalar(Scalar::String(text)) => formatter.write_str(&quoted(text)),
            Self::Scalar(Scalar::Boolean(flag)) => write!(formatter, "{flag}"),
            Self::Scalar(Scalar::Integer(number)) => write!(formatter, "{number}"),
            Self::Scalar(Scalar::Float(number)) => write!(formatter, "{number:?}"),
            Self::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(Self::to_string).collect();
                write!(formatter, "[{}]", elements.join(", "))
            }
            Self::Table(table) if table.is_empty() => formatter.write_str("{}"),
            Self::Table(table) => {
                let pairs: Vec<String> = table.iter().map(|(name, value)| format!("{} = {value}", dotted(&[name]))).collect();
                write!(formatter, "{{ {} }}", pairs.join(", "))
            }
            Self::Unwritten => formatter.write_str("inf"),
        }
    }
}

#[cfg(test)]
mod tests;

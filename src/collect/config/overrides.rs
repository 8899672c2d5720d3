//! `-c KEY=VALUE`: a layer without places.

use codex_triage_checks::facts::config::{Entry, Layer, LayerName, LayerState, Scalar, ValueKind};
use toml_edit::{DocumentMut, Value};

use super::address;
use super::raw::{self, RawTable, RawValue, set};
use super::redaction;
use crate::redact::{MASK, Redactor};

/// The overrides as a layer.
pub(super) struct Overrides {
    pub(super) layer: Layer,
    pub(super) table: RawTable,
}

/// Reads the overrides in their order; a later one wins.
pub(super) fn read(overrides: &[String], redactor: &Redactor) -> Overrides {
    let mut table = RawTable::new();
    let mut parsed = Vec::new();
    let mut state = if overrides.is_empty() { LayerState::Missing } else { LayerState::Parsed };
    for text in overrides {
        match parse(text) {
            Ok((path, value)) => {
                set(&mut table, &path, raw_of(&value));
                parsed.push((path, value));
            }
            Err(message) => {
                let message = format!("Error parsing -c overrides: {}", redactor.text(&message));
                state = LayerState::Unreadable { message };
                break;
            }
        }
    }
    // Secrets are learnt first, so that none of them is shown by an entry before its own.
    for (path, value) in &parsed {
        learn(redactor, path, value);
    }
    let mut entries = Vec::new();
    for (path, value) in &parsed {
        let shown: Vec<String> = (0..path.len()).map(|end| redaction::segment(redactor, &path[..end], &path[end])).collect();
        entries.retain(|entry: &Entry| !entry.path.starts_with(&shown));
        for end in 1..path.len() {
            // What is no table gives way to one.
            entries.retain(|entry: &Entry| entry.path != shown[..end] || entry.kind == ValueKind::Table);
            if !entries.iter().any(|entry: &Entry| entry.path == shown[..end]) {
                entries.push(entry(shown[..end].to_vec(), ValueKind::Table, None));
            }
        }
        push(redactor, path, &shown, value, &mut entries);
    }
    let layer = Layer { name: LayerName::Override, file: None, state, entries };
    Overrides { layer, table }
}

/// Key and value as Codex takes them: the key is cut at every dot, the value is TOML if it can be, else a string.
fn parse(text: &str) -> Result<(Vec<String>, Value), String> {
    let Some((key, value)) = text.split_once('=') else {
        // Whatever it is, it is no key: perhaps the value that belongs to one.
        let is_key = text.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.'));
        return Err(format!("Invalid override (missing '='): {}", if is_key { text } else { MASK }));
    };
    let key = key.trim();
    if key.is_empty() {
        return Err(format!("Empty key in override: ={MASK}"));
    }
    let value = value.trim();
    let parsed =
        format!("value = {value}").parse::<DocumentMut>().ok().and_then(|document| document.get("value")?.as_value().cloned());
    let value = parsed.unwrap_or_else(|| Value::from(value.trim_matches(['"', '\''])));
    Ok((key.split('.').map(str::to_owned).collect(), value))
}

fn raw_of(value: &Value) -> RawValue {
    RawValue::of_item(&toml_edit::Item::Value(value.clone()))
}

fn learn(redactor: &Redactor, path: &[String], value: &Value) {
    match value {
        Value::String(text) => {
            if redaction::is_secret(path) {
                redaction::learn(redactor, path, text.value());
            }
            redaction::learn_address(redactor, text.value());
        }
        Value::InlineTable(table) => table.iter().for_each(|(name, value)| learn(redactor, &below(path, name), value)),
        Value::Array(elements) => elements.iter().for_each(|element| learn(redactor, &below(path, "0"), element)),
        _ => {}
    }
}

fn below(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn push(redactor: &Redactor, path: &[String], shown: &[String], value: &Value, entries: &mut Vec<Entry>) {
    let (kind, scalar) = match value {
        Value::String(text) => (ValueKind::String, Some(Scalar::String(redaction::value(redactor, path, text.value())))),
        Value::Integer(number) => (ValueKind::Integer, Some(Scalar::Integer(*number.value()))),
        Value::Float(number) => (ValueKind::Float, Some(raw::float(*number.value()))),
        Value::Boolean(flag) => (ValueKind::Boolean, Some(Scalar::Boolean(*flag.value()))),
        Value::Datetime(moment) => (ValueKind::Datetime, Some(Scalar::String(raw::moment(moment.value())))),
        Value::Array(_) => (ValueKind::Array, None),
        Value::InlineTable(_) => (ValueKind::Table, None),
    };
    let unshown = value.as_str().filter(|_| address::is_address(path)).map(address::unshown).unwrap_or_default();
    entries.push(Entry { unshown, ..entry(shown.to_vec(), kind, scalar) });
    let mut descend = |name: &str, value: &Value| {
        let next = below(path, name);
        let next_shown = below(shown, &redaction::segment(redactor, path, name));
        push(redactor, &next, &next_shown, value, entries);
    };
    match value {
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, element)| descend(&index.to_string(), element));
        }
        Value::InlineTable(table) => table.iter().for_each(|(name, value)| descend(name, value)),
        _ => {}
    }
}

fn entry(path: Vec<String>, kind: ValueKind, value: Option<Scalar>) -> Entry {
    Entry { path, kind, value, ..Entry::default() }
}

//! What `codex exec --strict-config` refuses beyond the usual start: each layer is looked at by itself, and a key that Codex does not
//! know is an error.

use super::codex::Codex;
use super::ignored;
use super::outcome::{self, Refusal, Rejection, Stage};
use super::requirements;
use super::tree::Value;
use super::types;
use crate::facts::config::{Config, Layer, LayerName};

/// How the strict start speaks of a key that it does not know.
pub(super) const UNKNOWN: &str = "unknown configuration field";

/// Why the strict start refuses `config` before it comes to what the usual one refuses too, if it does.
pub(super) fn refusal_before_usual(config: &Config, codex: Codex) -> Option<Refusal<'_>> {
    if config.home_error.is_some() {
        return None;
    }
    let (overrides, files): (Vec<&Layer>, Vec<&Layer>) = config.layers.iter().partition(|layer| layer.name == LayerName::Override);
    // Overrides are read first, with their names; their values are looked at last.
    let of_overrides = overrides
        .iter()
        .find_map(|layer| outcome::unread(layer, codex).or_else(|| unknown(&Value::of_whole_layer(layer), layer, codex)));
    let unread = of_overrides.or_else(|| requirements::unread(config, codex));
    let of_layers = || files.iter().chain(&overrides).find_map(|layer| of_layer(layer, codex));
    unread.or_else(of_layers)
}

fn of_layer(layer: &Layer, codex: Codex) -> Option<Refusal<'_>> {
    if let Some(refusal) = outcome::unread(layer, codex) {
        return Some(refusal);
    }
    let value = Value::of_whole_layer(layer);
    if let Some(fault) = types::all(&value, codex.keys.root(), codex).into_iter().next() {
        // The usual start sees these lists as a whole, this one each value in them.
        let in_list = fault.origin.is_some_and(|(_, entry)| outcome::is_shell_list(&entry.path));
        let place = if in_list && fault.message != types::MIXED_FILTERS { fault.origin } else { fault.place };
        let lost = ["expected struct variant", "expected newtype variant"].iter().any(|end| fault.message.ends_with(end));
        let refusal = outcome::refused_value(types::Fault { place, ..fault });
        return Some(if lost { at_the_beginning(refusal) } else { refusal });
    }
    unknown(&value, layer, codex)
}

/// The first key that Codex does not know.
fn unknown<'config>(value: &Value<'config>, layer: &'config Layer, codex: Codex) -> Option<Refusal<'config>> {
    let mut unknown = ignored::in_value(value, layer, codex);
    // Codex tells of keys right below these two when all others are known.
    unknown.sort_by_key(|ignored| match ignored.entry.path.as_slice() {
        [table, _] if table == "features" => 2,
        [table, _] if table == "tui" => 1,
        _ => 0,
    });
    let unknown = unknown.into_iter().next()?;
    let of = if layer.name == LayerName::Override { " in -c/--config override" } else { "" };
    let rejection = Rejection {
        message: format!("{UNKNOWN} `{}`{of}", unknown.key),
        key: Some(unknown.key),
        file: layer.file.clone(),
        line: unknown.entry.line,
        column: unknown.entry.column,
    };
    let refusal = Refusal { stage: Stage::Value, rejection, origin: Some((layer, unknown.entry)) };
    Some(if unknown.lost { at_the_beginning(refusal) } else { refusal })
}

/// A refusal whose place the strict start does not find: it names the beginning of the file.
fn at_the_beginning(refusal: Refusal<'_>) -> Refusal<'_> {
    let at = refusal.rejection.line.map(|_| 1);
    Refusal { rejection: Rejection { line: at, column: at, ..refusal.rejection }, ..refusal }
}

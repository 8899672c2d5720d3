//! Key bindings of the terminal interface: `ctrl-a`, `leader x`, or a list of them.

use super::codex::Codex;
use super::tree::{Shape, Value};
use super::types::{Fault, Trail};
use crate::knowledge::config_rules::Rule;

/// A binding, or a list of them.
pub(super) fn check<'config>(value: &Value<'config>, trail: &Trail<'config>, faults: &mut Vec<Fault<'config>>, codex: Codex) {
    if codex.has(Rule::KeybindingWords) {
        return explained(value, trail, faults, codex);
    }
    // Older releases say only that something is wrong.
    let mut explained_faults = Vec::new();
    explained(value, trail, &mut explained_faults, codex);
    if !explained_faults.is_empty() {
        faults.push(trail.fault("data did not match any variant of untagged enum KeybindingsSpec".to_owned(), value));
    }
}

fn explained<'config>(value: &Value<'config>, trail: &Trail<'config>, faults: &mut Vec<Fault<'config>>, codex: Codex) {
    let mut refuse = |message: String| faults.push(trail.fault(message, value));
    let one = |text: &str| {
        match text.trim() {
        "" => Some("keybinding cannot be empty. Use values like `ctrl-a` or `shift-enter`.\nSee the Codex keymap documentation for supported actions and examples.".to_owned()),
        binding => binding_fault(binding, codex),
    }
    };
    match (&value.shape, value.text()) {
        (_, Some(text)) => {
            if let Some(message) = one(text) {
                refuse(message);
            }
        }
        (Shape::Array(elements), _) => {
            for element in elements {
                match element.text() {
                    Some(text) => {
                        if let Some(message) = one(text) {
                            faults.push(trail.fault(message, element));
                        }
                    }
                    None => {
                        let message = format!("invalid type: {}, expected a string", element.described());
                        faults.push(trail.fault(message, element));
                    }
                }
            }
        }
        _ => refuse(format!("invalid type: {}, expected a keybinding string or a list of keybinding strings", value.described())),
    }
}

/// Names of keys that a binding may end with, beside printable characters and `f1` to `f24` (each tried on 0.171.0).
const KEY_NAMES: [&str; 22] = [
    "enter",
    "return",
    "tab",
    "backspace",
    "esc",
    "escape",
    "delete",
    "del",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "page-up",
    "page-down",
    "pageup",
    "pagedown",
    "pgup",
    "pgdn",
    "space",
    "minus",
];
/// What may stand before a key, with the key that it means.
const MODIFIERS: [(&str, &str); 8] = [
    ("ctrl", "ctrl"),
    ("control", "ctrl"),
    ("alt", "alt"),
    ("option", "alt"),
    ("shift", "shift"),
    ("super", "super"),
    ("cmd", "super"),
    ("command", "super"),
];

/// What is wrong with a binding: one key, or two after each other, the first of which may be `leader`.
fn binding_fault(binding: &str, codex: Codex) -> Option<String> {
    let strokes: Vec<&str> = binding.split_whitespace().collect();
    if strokes.len() > 2 || (strokes.len() > 1 && !codex.has(Rule::KeybindingChords)) {
        return Some(format!(
            "invalid keybinding `{binding}`: key chords may contain at most 2 strokes (for example `ctrl-x ctrl-s`)."
        ));
    }
    let is_leader = |stroke: &str| stroke.eq_ignore_ascii_case("leader") && codex.has(Rule::KeybindingLeader);
    if strokes.last().is_some_and(|stroke| is_leader(stroke)) {
        return Some(format!("invalid keybinding `{binding}`: `leader` must be followed by one key (for example `leader c`)."));
    }
    strokes.into_iter().filter(|stroke| !is_leader(stroke)).find_map(|stroke| stroke_fault(stroke, codex))
}

/// What is wrong with one key and the modifiers before it, each of which ends with `-`.
fn stroke_fault(stroke: &str, codex: Codex) -> Option<String> {
    if stroke == "-" {
        return Some(format!("invalid keybinding `{stroke}`. Use values like `ctrl-a`, `shift-enter`, or `page-down`."));
    }
    let lower = stroke.to_lowercase();
    let mut rest = lower.as_str();
    let mut seen = Vec::new();
    let known = || MODIFIERS.iter().filter(|(_, key)| *key != "super" || codex.has(Rule::KeybindingSuper));
    while let Some((after, key)) = known().find_map(|(name, key)| Some((rest.strip_prefix(name)?.strip_prefix('-')?, *key))) {
        if seen.contains(&key) {
            return Some(format!("duplicate modifier in keybinding `{stroke}`. Use each modifier at most once."));
        }
        seen.push(key);
        rest = after;
    }
    if rest.is_empty() || rest == "-" || known().any(|(name, _)| *name == rest) {
        return Some(format!("missing key in keybinding `{stroke}`. Add a key name like `a`, `enter`, or `page-down`."));
    }
    let last = if codex.has(Rule::KeybindingTwentyFour) { 24 } else { 12 };
    let function = rest.strip_prefix('f').and_then(|number| number.parse::<u8>().ok());
    let printable = rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_graphic());
    let fits = printable || KEY_NAMES.contains(&rest) || function.is_some_and(|number| (1..=last).contains(&number));
    (!fits).then(|| {
        format!(
            "unknown key `{rest}` in keybinding `{stroke}`. Use a printable character (for example `a`), function keys (`f1`-`f24`), or one of: enter, tab, backspace, esc, delete, arrows, home/end, page-up/page-down, space, minus.\nSee the Codex keymap documentation for supported actions and examples."
        )
    })
}

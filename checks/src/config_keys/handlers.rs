//! Hook handlers: which keys one must have depends on its kind (each tried on 0.171.0).

use super::codex::Codex;
use super::numbers;
use super::tree::{Shape, Value};
use super::types::{Fault, Trail, unknown_variant};
use crate::facts::config::ValueKind;
use crate::knowledge::config_rules::Rule;

const KINDS: [&str; 3] = ["command", "prompt", "agent"];
const KINDS_WITH_TOOL: [&str; 4] = ["command", "mcp_tool", "prompt", "agent"];

/// A key of a handler and what its value must be.
struct Field {
    name: &'static str,
    expected: &'static str,
    required: bool,
}

const fn field(name: &'static str, expected: &'static str, required: bool) -> Field {
    Field { name, expected, required }
}

const COMMAND: [Field; 6] = [
    field("command", "a string", true),
    field("commandWindows", "a string", false),
    field("command_windows", "a string", false),
    field("timeout", "u64", false),
    field("async", "a boolean", false),
    field("statusMessage", "a string", false),
];
const MCP_TOOL: [Field; 5] = [
    field("server", "a string", true),
    field("tool", "a string", true),
    field("input", "a map", false),
    field("timeout", "u64", false),
    field("statusMessage", "a string", false),
];

/// The first fault of a handler.
pub(super) fn check<'config>(handler: &Value<'config>, trail: &Trail<'config>, faults: &mut Vec<Fault<'config>>, codex: Codex) {
    let kinds: &[&str] = if codex.has(Rule::HookMcpTool) { &KINDS_WITH_TOOL } else { &KINDS };
    let message = match handler.get("type").map(Value::text) {
        None => Some("missing field `type`".to_owned()),
        Some(Some("command")) => fault(handler, &COMMAND),
        Some(Some("mcp_tool")) if kinds.contains(&"mcp_tool") => fault(handler, &MCP_TOOL),
        Some(Some(kind)) if kinds.contains(&kind) => None,
        Some(Some(kind)) => Some(unknown_variant(kind, kinds)),
        Some(None) => handler.get("type").map(|kind| format!("invalid type: {}, expected variant identifier", kind.described())),
    };
    faults.extend(message.map(|message| trail.fault(message, handler)));
}

/// What is wrong with an array in the place of a handler: its kind stands first, then the fields of that kind.
pub(super) fn of_fields(fields: &[Value<'_>], codex: Codex) -> Option<String> {
    let kinds: &[&str] = if codex.has(Rule::HookMcpTool) { &KINDS_WITH_TOOL } else { &KINDS };
    let Some(kind) = fields.first() else { return Some("missing field `type`".to_owned()) };
    match kind.text() {
        None => Some(format!("invalid type: {}, expected variant identifier", kind.described())),
        Some(name) if !kinds.contains(&name) => Some(unknown_variant(name, kinds)),
        Some("command") if fields.len() == 1 => {
            Some("invalid length 0, expected struct variant HookHandlerConfig::Command with 6 elements".to_owned())
        }
        Some(_) => None,
    }
}

fn fault(handler: &Value<'_>, fields: &[Field]) -> Option<String> {
    let wrong = |field: &Field| {
        let value = handler.get(field.name)?;
        let kind = value.origin.map(|(_, entry)| entry.kind);
        let fits = match field.expected {
            "a string" => value.text().is_some() || kind == Some(ValueKind::String),
            "a boolean" => kind == Some(ValueKind::Boolean),
            "a map" => matches!(value.shape, Shape::Table(_)),
            name => return numbers::integer(value, name),
        };
        (!fits).then(|| format!("invalid type: {}, expected {}", value.described(), field.expected))
    };
    fields.iter().find_map(wrong).or_else(|| {
        let missing = fields.iter().find(|field| field.required && handler.get(field.name).is_none())?;
        Some(format!("missing field `{}`", missing.name))
    })
}

//! Whether the values have the types that Codex wants, in the order and with the words of Codex itself.

use super::codex::Codex;
use super::tree::{Origin, Shape, Value};
use super::{bindings, handlers, numbers};
use crate::facts::config::ValueKind;
use crate::knowledge::config::{Node, Sequence, Type};

/// Why Codex refuses a value.
#[derive(Clone, Debug)]
pub(super) struct Fault<'config> {
    /// Codex's message.
    pub(super) message: String,
    /// The dotted key that Codex names.
    pub(super) key: Option<String>,
    /// The entry at fault.
    pub(super) origin: Option<Origin<'config>>,
    /// The entry whose place Codex names: often the same, else a table around it.
    pub(super) place: Option<Origin<'config>>,
}

impl Fault<'_> {
    /// The fault in the words that it has where Codex reads one file instead of the merged values.
    pub(super) fn in_words_of_a_file(self) -> Self {
        let message = self.message.replace("invalid type: unit variant, expected string only", "wanted string or table");
        Self { message, ..self }
    }
}

/// Where the walk is: the path as Codex prints it.
#[derive(Clone, Default)]
pub(super) struct Trail<'config> {
    segments: Vec<(String, Option<Origin<'config>>)>,
    /// From here on the path is printed no further.
    cut: Option<usize>,
    /// From here on the place is that of the last printed segment.
    place_lost: bool,
}

impl<'config> Trail<'config> {
    /// The trail one key further.
    pub(super) fn below(&self, name: &str, node: &Node, value: &Value<'config>) -> Self {
        let mut next = self.clone();
        next.segments.push((name.to_owned(), value.origin));
        if next.cut.is_none() && node.key.reported_at.is_some() {
            next.cut = node.key.reported_at;
            next.place_lost = !node.key.place_kept;
        }
        next
    }

    /// The dotted key that Codex prints here.
    pub(super) fn key(&self) -> String {
        self.printed().iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(".")
    }

    fn printed(&self) -> &[(String, Option<Origin<'config>>)] {
        &self.segments[..self.cut.unwrap_or(usize::MAX).min(self.segments.len())]
    }

    /// The trail without its last key: the names of variants and the numbers of elements are not printed.
    fn without_last(&self) -> Self {
        let mut shorter = self.clone();
        shorter.segments.pop();
        shorter
    }

    /// A fault of `value`, here.
    pub(super) fn fault(&self, message: String, value: &Value<'config>) -> Fault<'config> {
        let around = self.printed().last().and_then(|(_, origin)| *origin);
        let place = if self.place_lost { around } else { value.origin };
        Fault { message, key: Some(self.key()), origin: value.origin, place }
    }
}

/// All faults of the values of one file, in the order of their keys.
pub(super) fn all<'config>(value: &Value<'config>, node: &Node, codex: Codex) -> Vec<Fault<'config>> {
    walk(value, node, codex, false)
}

/// All faults of the merged values, in the order of their keys.
pub(super) fn merged<'config>(value: &Value<'config>, codex: Codex) -> Vec<Fault<'config>> {
    walk(value, codex.keys.root(), codex, true)
}

fn walk<'config>(value: &Value<'config>, node: &Node, codex: Codex, merged: bool) -> Vec<Fault<'config>> {
    let mut walk = Walk { codex, merged, faults: Vec::new() };
    check(value, node, &node.key.kind, &Trail::default(), &mut walk);
    walk.faults
}

/// The walk over the values.
struct Walk<'config> {
    codex: Codex,
    /// Whether the values are those of all layers.
    merged: bool,
    faults: Vec<Fault<'config>>,
}

fn check<'config>(value: &Value<'config>, node: &Node, kind: &Type, trail: &Trail<'config>, walk: &mut Walk<'config>) {
    let mut refuse = |message: String| walk.faults.push(trail.fault(message, value));
    let wrong = |expected: &str| format!("invalid type: {}, expected {expected}", value.described());
    let scalar = value.origin.map(|(_, entry)| entry.kind);
    let is_text = matches!(scalar, Some(ValueKind::String | ValueKind::Datetime));
    match kind {
        Type::Any => {}
        Type::Boolean if scalar != Some(ValueKind::Boolean) => refuse(wrong("a boolean")),
        Type::Boolean => {}
        Type::String if !is_text => refuse(wrong("a string")),
        Type::Path if !is_text => refuse(wrong("path string")),
        Type::String | Type::Path => {}
        Type::Effort => match value.text() {
            Some("") => refuse("reasoning_effort must not be empty".to_owned()),
            _ if !is_text => refuse(wrong("a string")),
            _ => {}
        },
        Type::WireApi => match value.text() {
            _ if !is_text => refuse(wrong("a string")),
            Some("chat") => refuse(WIRE_API_CHAT.to_owned()),
            Some("responses") | None => {}
            Some(other) => refuse(format!("unknown variant `{other}`, expected `responses`")),
        },
        Type::Integer(name) => {
            if let Some(message) = numbers::integer(value, name) {
                refuse(message);
            }
        }
        Type::Float if !matches!(scalar, Some(ValueKind::Integer | ValueKind::Float)) => refuse(wrong("f64")),
        Type::Float => {}
        Type::Seconds | Type::Positive => {
            if let Some(message) = numbers::measure(value, kind) {
                refuse(message);
            }
        }
        Type::Enum(words) | Type::Variants(words) => choice(value, node, kind, words, trail, walk),
        Type::EnumMap(words) => match (&value.shape, value.text()) {
            (Shape::Table(table), _) if table.len() == 1 => {
                let word = table.keys().next().copied().unwrap_or_default();
                let known = words.contains(&word);
                if let (Some(variant), Some(contents)) = (node.below.get(word).filter(|_| known), table.get(word)) {
                    return check(contents, variant, &variant.key.kind, &trail.below(word, variant, contents).without_last(), walk);
                }
                refuse(if known { "invalid type: map, expected unit".to_owned() } else { unknown_variant(word, words) });
            }
            (Shape::Table(_), _) => refuse("invalid value: map, expected map with a single key".to_owned()),
            (_, Some(word)) if !words.contains(&word) => refuse(unknown_variant(word, words)),
            (_, Some(word)) if node.below.contains_key(word) => {
                refuse("invalid type: unit variant, expected newtype variant".to_owned());
            }
            (_, None) if !is_text => refuse(wrong("string or map")),
            _ => {}
        },
        Type::Tag(words) => match value.text() {
            Some(word) if !words.contains(&word) => refuse(unknown_variant(word, words)),
            None if !is_text => refuse(wrong("variant identifier")),
            _ => {}
        },
        Type::Array(_) => array(value, node, kind, trail, walk),
        Type::Map(inner) => map(value, node, inner, trail, walk),
        Type::Struct(name) => table(value, node, name, trail, walk),
        Type::Tagged(name) => match &value.shape {
            Shape::Scalar => refuse(wrong(&format!("internally tagged enum {name}"))),
            Shape::Array(fields) if *name == "HookHandlerConfig" => {
                walk.faults.extend(handlers::of_fields(fields, walk.codex).map(|message| trail.fault(message, value)));
            }
            Shape::Array(_) => refuse("missing field `type`".to_owned()),
            Shape::Table(_) if *name == "HookHandlerConfig" => handlers::check(value, trail, &mut walk.faults, walk.codex),
            Shape::Table(_) => table(value, node, name, trail, walk),
        },
        Type::Feature if !is_feature(value, node, walk.codex) => {
            refuse("data did not match any variant of untagged enum FeatureToml".to_owned());
        }
        Type::Feature => {}
        Type::GatewayCredential if !is_gateway_credential(value) => refuse(GATEWAY_CREDENTIAL.to_owned()),
        Type::GatewayCredential => {}
        Type::Keys => bindings::check(value, trail, &mut walk.faults, walk.codex),
        Type::Untagged(name, kinds) if !kinds.iter().any(|kind| is_of(value, kind)) || !known_keys_fit(value, node, walk.codex) => {
            refuse(format!("data did not match any variant of untagged enum {name}"));
        }
        Type::Untagged(..) => {}
        Type::EnvironmentVariable => {
            let named = value.get("name").is_some_and(|name| name.text().is_some());
            if !is_text && !named {
                refuse("data did not match any variant of untagged enum McpServerEnvVar".to_owned());
            }
        }
    }
}

/// What Codex says about a credential for a gateway that is neither of the two kinds.
const GATEWAY_CREDENTIAL: &str =
    "choose one gateway credential source: credential_export or OAuth settings (authorization_url, token_url, and client_id)";

/// What Codex says about two ways to choose variables in one table.
pub(super) const MIXED_FILTERS: &str = "cannot mix `filters` with legacy `exclude` or `include_only`";

/// What Codex says about the protocol that it dropped.
const WIRE_API_CHAT: &str = "`wire_api = \"chat\"` is no longer supported.\nHow to fix: set `wire_api = \"responses\"` in your provider config.\nMore info: https://github.com/openai/codex/discussions/7782";

pub(super) fn unknown_variant(word: &str, words: &[&str]) -> String {
    let expected = match words {
        [] => "there are no variants".to_owned(),
        [one] => format!("expected `{one}`"),
        [one, other] => format!("expected `{one}` or `{other}`"),
        many => format!("expected one of {}", many.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")),
    };
    format!("unknown variant `{word}`, {expected}")
}

/// One of some words; in some places a table with the word as its only key, with or without contents.
fn choice<'config>(
    value: &Value<'config>,
    node: &Node,
    kind: &Type,
    words: &[&str],
    trail: &Trail<'config>,
    walk: &mut Walk<'config>,
) {
    let mut refuse = |message: String| walk.faults.push(trail.fault(message, value));
    let with_contents = |word: &str| node.below.contains_key(word) && matches!(kind, Type::Variants(_));
    let is_string = value.origin.is_some_and(|(_, entry)| entry.kind == ValueKind::String);
    match (&value.shape, value.text().filter(|_| is_string)) {
        (_, Some(word)) if !words.contains(&word) => refuse(unknown_variant(word, words)),
        (_, Some("granular")) if with_contents("granular") => {
            refuse("invalid type: unit variant, expected newtype variant".to_owned());
        }
        (_, Some(word)) if with_contents(word) => refuse("invalid type: unit variant, expected struct variant".to_owned()),
        (_, Some(_)) => {}
        (Shape::Table(table), _) => match (table.len(), table.iter().next()) {
            (0, _) | (_, None) => refuse("wanted exactly 1 element, found 0 elements".to_owned()),
            (1, Some((word, _))) if !words.contains(word) => refuse(unknown_variant(word, words)),
            (1, Some((word, contents))) => match (node.below.get(*word).filter(|_| with_contents(word)), &contents.shape) {
                // The name of the variant is no part of the path that Codex prints.
                (Some(variant), _) => {
                    let trail = trail.below(word, variant, contents).without_last();
                    check(contents, variant, &variant.key.kind, &trail, walk);
                }
                (None, Shape::Table(_)) => {}
                (None, _) => {
                    let described = contents.described();
                    let found = described.split(' ').next().unwrap_or_default().to_owned();
                    let fault = trail.fault(format!("expected table, found {found}"), value);
                    walk.faults.push(Fault { place: contents.origin, ..fault });
                }
            },
            _ => refuse("wanted exactly 1 element, more than 1 element".to_owned()),
        },
        // A word that was masked is still a word.
        _ if is_string => {}
        _ => refuse("invalid type: unit variant, expected string only".to_owned()),
    }
}

fn array<'config>(value: &Value<'config>, node: &Node, kind: &Type, trail: &Trail<'config>, walk: &mut Walk<'config>) {
    let (Shape::Array(elements), Type::Array(inner)) = (&value.shape, kind) else {
        let message = format!("invalid type: {}, expected a sequence", value.described());
        walk.faults.push(trail.fault(message, value));
        return;
    };
    for element in elements {
        // Faults of an element are reported at its array.
        match node.below.get("[]") {
            Some(below) => check(element, below, &below.key.kind, &trail.below("", below, element).without_last(), walk),
            None => check(element, node, inner, trail, walk),
        }
    }
}

fn map<'config>(value: &Value<'config>, node: &Node, inner: &Type, trail: &Trail<'config>, walk: &mut Walk<'config>) {
    let Shape::Table(_) = &value.shape else {
        let message = format!("invalid type: {}, expected a map", value.described());
        walk.faults.push(trail.fault(message, value));
        return;
    };
    let key = trail.key();
    for (name, below) in value.in_order(&key) {
        match node.child(name) {
            Some((child, _)) => check(below, child, &child.key.kind, &trail.below(name, child, below), walk),
            None => check(below, node, inner, &trail.below(name, node, below), walk),
        }
        if key == "mcp_servers" {
            let message = super::rules::server(below, walk.codex);
            walk.faults.extend(message.map(|message| trail.below(name, node, below).fault(message, below)));
        }
    }
    if key == "model_providers"
        && let Some((message, at)) = super::rules::providers(value, walk.codex)
    {
        walk.faults.push(Fault { origin: at.origin, ..trail.fault(message, value) });
    }
}

/// An array in the place of a table: Codex takes its elements for the fields in their order, and stops at the first fault.
fn fields<'config>(
    elements: &[Value<'config>],
    value: &Value<'config>,
    node: &Node,
    name: &str,
    trail: &Trail<'config>,
    walk: &mut Walk<'config>,
) {
    let fields: Vec<(&str, &Node)> = node.fields().collect();
    let (before, mut filled) = (walk.faults.len(), 0);
    let nothing = Node::default();
    for (element, (_, child)) in elements.iter().zip(&fields) {
        check(element, child, &child.key.kind, &trail.below("", &nothing, element).without_last(), walk);
        if walk.faults.len() > before {
            walk.faults.truncate(before + 1);
            return;
        }
        filled += 1;
    }
    let is_filled = |key: &str| fields[..filled].iter().any(|(name, _)| *name == key);
    if name == "ShellEnvironmentPolicyTomlRaw" && is_filled("filters") && is_filled("exclude") {
        return walk.faults.push(trail.fault(MIXED_FILTERS.to_owned(), value));
    }
    let unit = |count: usize| if count == 1 { "element" } else { "elements" };
    let (count, all) = (elements.len(), fields.len());
    let missing = (filled..all).find(|index| node.key.sequence == Sequence::TooShort && !node.key.may_end_before(fields[*index].0));
    let message = match missing {
        // What is kept aside first, for an unknown key may stand in it, is counted as a whole.
        None if count > all && node.key.open => format!("invalid length {count}, expected {all} {} in sequence", unit(all)),
        None if count > all => format!("invalid length {count}, expected fewer elements in array"),
        Some(index) => {
            format!("invalid length {index}, expected struct {} with {all} {}", name.replace('~', " "), unit(all))
        }
        None => return,
    };
    walk.faults.push(trail.fault(message, value));
}

fn table<'config>(value: &Value<'config>, node: &Node, name: &str, trail: &Trail<'config>, walk: &mut Walk<'config>) {
    let mut refuse = |message: String| walk.faults.push(trail.fault(message, value));
    let table = match (&value.shape, node.key.sequence) {
        (Shape::Table(table), _) => table,
        (Shape::Array(elements), Sequence::Accepted | Sequence::TooShort) => {
            return fields(elements, value, node, name, trail, walk);
        }
        _ => return refuse(format!("invalid type: {}, expected struct {}", value.described(), name.replace('~', " "))),
    };
    let before = walk.faults.len();
    let tag = table.get("type").and_then(Value::text);
    let mut seen = Vec::new();
    for (key, below) in value.in_order(&trail.key()) {
        // A key that was removed is as good as unknown: its value counts only where that of any name does.
        let known = node.below.get(key).filter(|child| child.key.status.is_known());
        let field = known.and_then(|child| child.key.alias_of).unwrap_or(key);
        let renamed = known.is_some_and(|child| child.key.renamed);
        let twice = seen.iter().any(|(other, other_renamed)| *other == field && !(walk.merged && (renamed || *other_renamed)));
        if twice {
            walk.faults.push(trail.fault(format!("duplicate field `{field}`"), value));
        }
        seen.push((field, renamed));
        let shown = if walk.merged && renamed { field } else { key };
        match known.or_else(|| node.below.get("*")) {
            // Read only where the tag asks for it.
            Some(child) if child.key.required_for.is_some() && child.key.required_for != tag => {}
            Some(child) => check(below, child, &child.key.kind, &trail.below(shown, child, below), walk),
            None if node.key.closed => {
                let order = node.key.order.clone().unwrap_or_else(|| node.below.keys().copied().collect());
                let known: Vec<&str> = order.into_iter().filter(|name| node.knows(name)).collect();
                let message = unknown_variant(key, &known).replacen("variant", "field", 1);
                walk.faults.push(trail.fault(message, below));
            }
            None => {}
        }
    }
    if name == "ShellEnvironmentPolicyTomlRaw"
        && let Some(filters) = table.get("filters")
        && ["exclude", "include_only"].iter().any(|legacy| table.contains_key(legacy))
    {
        let fault = trail.fault(MIXED_FILTERS.to_owned(), value);
        walk.faults.push(Fault { origin: filters.origin, ..fault });
    }
    let declared = |key: &str| node.key.order.as_ref().and_then(|order| order.iter().position(|name| *name == key));
    let missing = node.below.iter().filter(|(key, below)| {
        let is_required = below.key.required || (below.key.required_for.is_some() && below.key.required_for == tag);
        is_required && below.key.status.is_known() && !table.contains_key(*key)
    });
    if let Some((key, _)) = missing.min_by_key(|(key, _)| declared(key).unwrap_or(usize::MAX)) {
        walk.faults.push(trail.fault(format!("missing field `{key}`"), value));
    }
    if name == "NetworkMitmTomlUnchecked" && walk.faults.len() == before {
        walk.faults.extend(super::permissions::mitm(value).map(|message| trail.fault(message, value)));
    }
}

/// Whether the keys of a table that have rows of their own fit them.
fn known_keys_fit(value: &Value<'_>, node: &Node, codex: Codex) -> bool {
    let Some(table) = value.table() else { return true };
    table.iter().all(|(name, below)| node.below.get(name).is_none_or(|child| all(below, child, codex).is_empty()))
}

fn is_feature(value: &Value<'_>, node: &Node, codex: Codex) -> bool {
    match &value.shape {
        Shape::Table(table) => table.iter().all(|(name, below)| {
            node.below.get(name).is_some_and(|child| child.key.status.is_known() && all(below, child, codex).is_empty())
        }),
        _ => is_of(value, "bool"),
    }
}

/// Whether a table is one of the two credentials for a gateway, and nothing of the other (tried on 0.171.0).
fn is_gateway_credential(value: &Value<'_>) -> bool {
    const REQUIRED: [&str; 3] = ["authorization_url", "token_url", "client_id"];
    const OPTIONAL: [&str; 4] = ["resource", "scopes", "redirect_port", "delivery"];
    let Some(table) = value.table() else { return false };
    if let Some(export) = table.get("credential_export") {
        return table.len() == 1 && export.get("command").is_some_and(|command| is_of(command, "string"));
    }
    table.keys().all(|name| REQUIRED.contains(name) || OPTIONAL.contains(name))
        && REQUIRED.iter().all(|name| table.get(name).is_some_and(|value| is_of(value, "string")))
}

fn is_of(value: &Value<'_>, kind: &str) -> bool {
    let scalar = value.origin.map(|(_, entry)| entry.kind);
    match kind {
        "bool" => scalar == Some(ValueKind::Boolean),
        "nz-u16" => numbers::integer(value, kind).is_none(),
        "nz-u16s" => matches!(&value.shape, Shape::Array(elements) if elements.iter().all(|element| is_of(element, "nz-u16"))),
        "string" => matches!(scalar, Some(ValueKind::String | ValueKind::Datetime)),
        "table" => matches!(value.shape, Shape::Table(_)),
        "access" => value.text().is_some_and(|word| ["deny", "none", "read", "write"].contains(&word)),
        "accesses" => value.table().is_some_and(|paths| paths.values().all(|access| is_of(access, "access"))),
        "strings" => {
            matches!(&value.shape, Shape::Array(elements) if elements.iter().all(|element| is_of(element, "string")))
        }
        _ => false,
    }
}

//! Keys that Codex does not know, and keys that a project may not set. Each layer is looked at by itself.

use super::codex::Codex;
use super::tree::{Shape, Value};
use crate::facts::config::{Entry, Layer, LayerName};
use crate::knowledge::config::{Node, Type, denied_in_project};

/// A key without effect.
#[derive(Clone, Debug)]
pub(crate) struct Ignored<'config> {
    /// The layer it stands in.
    pub(crate) layer: &'config Layer,
    /// Its entry.
    pub(crate) entry: &'config Entry,
    /// The dotted key as Codex prints it.
    pub(crate) key: String,
    /// Whether that key is not the one of the file, so that a strict start does not find its place.
    pub(crate) lost: bool,
}

/// The keys of `layer` that Codex does not know: of an unknown table only the table, at the first place where it is named.
pub(crate) fn of_layer(layer: &Layer, codex: Codex) -> Vec<Ignored<'_>> {
    let value = Value::of_layer(layer);
    in_order_of_lines(in_value(&value, layer, codex))
}

fn in_order_of_lines(mut found: Vec<Ignored<'_>>) -> Vec<Ignored<'_>> {
    found.sort_by_key(|ignored| (ignored.entry.line, ignored.entry.column));
    found
}

/// The same in a tree of the layer's values, table by table.
pub(crate) fn in_value<'config>(value: &Value<'config>, layer: &'config Layer, codex: Codex) -> Vec<Ignored<'config>> {
    let mut found = Vec::new();
    walk(value, codex.keys.root(), layer, &mut Trail::default(), &mut found);
    found
}

/// The keys of `value` that `node` does not know.
pub(crate) fn below<'config>(value: &Value<'config>, layer: &'config Layer, node: &Node) -> Vec<Ignored<'config>> {
    let mut found = Vec::new();
    walk(value, node, layer, &mut Trail::default(), &mut found);
    in_order_of_lines(found)
}

/// The root keys of a project's file that Codex drops.
pub(crate) fn denied(layer: &Layer) -> Vec<Ignored<'_>> {
    if layer.name != LayerName::Project {
        return Vec::new();
    }
    let is_denied = |entry: &&Entry| entry.path.len() == 1 && denied_in_project(&entry.path[0]);
    layer.entries.iter().filter(is_denied).map(|entry| Ignored { layer, entry, key: entry.path[0].clone(), lost: false }).collect()
}

/// Where the walk is, as Codex prints it.
#[derive(Default)]
struct Trail {
    names: Vec<String>,
    /// Around how many variants whose name is not printed.
    hidden: usize,
}

fn walk<'config>(value: &Value<'config>, node: &Node, layer: &'config Layer, trail: &mut Trail, found: &mut Vec<Ignored<'config>>) {
    match &value.shape {
        Shape::Table(_) => {
            for (name, below) in value.in_file_order() {
                trail.names.push(name.to_owned());
                let child = node.child(name).filter(|(child, _)| child.key.status.is_known() && !child.key.unlisted);
                match (child, below.origin) {
                    (Some((child, _)), _) => below_known(below, child, layer, trail, found),
                    (None, Some((_, entry))) if reports_unknown(node) => {
                        found.push(Ignored { layer, entry, key: trail.names.join("."), lost: trail.hidden > 0 });
                    }
                    _ => {}
                }
                trail.names.pop();
            }
        }
        Shape::Array(elements) => {
            let Some(element) = node.below.get("[]") else { return };
            for (index, below) in elements.iter().enumerate() {
                trail.names.push(index.to_string());
                walk(below, element, layer, trail, found);
                trail.names.pop();
            }
        }
        Shape::Scalar => {}
    }
}

fn below_known<'config>(
    value: &Value<'config>,
    node: &Node,
    layer: &'config Layer,
    trail: &mut Trail,
    found: &mut Vec<Ignored<'config>>,
) {
    match &node.key.shown {
        // The name of a variant is no part of the path that Codex prints.
        Some(_) => {
            let name = trail.names.pop();
            trail.hidden += 1;
            walk(value, node, layer, trail, found);
            trail.hidden -= 1;
            trail.names.extend(name);
        }
        None => walk(value, node, layer, trail, found),
    }
}

/// Whether Codex tells of unknown keys here: only where a table has keys of its own and is not read in a roundabout way.
fn reports_unknown(node: &Node) -> bool {
    !node.key.open
        && match node.key.kind {
            Type::Struct(_) => true,
            // Tables without a row of their own.
            Type::Any => !node.below.is_empty(),
            _ => false,
        }
}

//! Relative paths in a file with a fault of its own.
//!
//! Codex makes the paths of a file absolute when it loads the file, and leaves them as they are where some value in it has a wrong
//! type. A higher layer may cover that value, so that the merged configuration is sound; a relative path that was left then stops
//! Codex all the same, with the file's own fault as the reason (measured on 0.160.1 and 0.171.0).

use super::codex::Codex;
use super::tree::{Shape, Value};
use super::types::{self, Fault};
use crate::facts::config::{Config, Layer, LayerName};
use crate::knowledge::config::{Node, Type};

/// The fault, if a path was left relative.
pub(super) fn fault<'config>(config: &'config Config, merged: &Value<'config>, codex: Codex) -> Option<Fault<'config>> {
    // The merged values are sound, and so is a layer that is alone.
    if config.layers.iter().filter(|layer| !layer.entries.is_empty()).count() < 2 {
        return None;
    }
    let root = codex.keys.root();
    let broken = |layer: &'config Layer| types::all(&Value::of_layer(layer), root, codex).into_iter().next();
    let files = config.layers.iter().filter(|layer| layer.name != LayerName::Override);
    let faulty: Vec<(&Layer, Fault<'_>)> = files.filter_map(|layer| Some((layer, broken(layer)?))).collect();
    if faulty.is_empty() {
        return None;
    }
    let is_left = |value: &Value<'_>| {
        let of = value.origin.map(|(layer, _)| layer);
        value.text().is_some_and(|path| !is_absolute(path))
            && of.is_some_and(|of| faulty.iter().any(|(layer, _)| std::ptr::eq(*layer, of)))
    };
    let key = left(merged, root, "", &is_left)?;
    let fault = faulty.into_iter().next()?.1.in_words_of_a_file();
    let message = format!("{}\n\nCaused by:\n    AbsolutePathBuf deserialized without a base path\n    in `{key}`", fault.message);
    Some(Fault { message, key: None, ..fault })
}

/// The first path below `value` that was left relative.
fn left(value: &Value<'_>, node: &Node, at: &str, is_left: &impl Fn(&Value<'_>) -> bool) -> Option<String> {
    value.in_order(at).into_iter().find_map(|(name, below)| {
        let (child, _) = node.child(name).filter(|(child, _)| child.key.status.is_known())?;
        let key = if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        match (&child.key.kind, &below.shape) {
            (Type::Path, _) if is_left(below) => Some(key),
            (Type::Array(inner), Shape::Array(elements)) if **inner == Type::Path => elements.iter().any(is_left).then_some(key),
            _ => left(below, child, &key, is_left),
        }
    })
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~', '<']) || path.as_bytes().get(1) == Some(&b':')
}

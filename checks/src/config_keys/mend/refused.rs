//! What Codex refuses to start with.

use super::{Change, Edit, Mend, Mender, is_harmless, text};
use crate::facts::config::{Entry, ValueKind};
use crate::knowledge::config::{Node, Status, Type};
use crate::knowledge::providers;

const CODE: &str = "config.rejected";

/// What can be done about `entry`, which Codex refuses with `message`.
pub(super) fn mend(mender: &Mender<'_>, entry: &Entry, message: &str) -> Option<Mend> {
    let path: Vec<&str> = entry.path.iter().map(String::as_str).collect();
    match path[..] {
        ["model_providers", id] if providers::is_reserved(id) => reserved(mender, entry, id),
        ["model_providers", id] if message.ends_with("provider name must not be empty") => nameless(mender, entry, id),
        ["model_providers", _, "wire_api"] => protocol(mender, entry),
        ["model_provider"] => selection(mender, entry),
        ["approval_policy"] if text(entry) == Some("untrusted") => {
            let mend = mender.mend(CODE, "fix-remove-value", entry, Change::Remove)?.arg("value", "untrusted");
            Some(mend.unsafe_for("fix-unsafe-default"))
        }
        _ if is_rejected(mender, &path) => {
            Some(mender.mend(CODE, "fix-remove-refused", entry, Change::Remove)?.unsafe_for("fix-unsafe-default"))
        }
        _ => value(mender, entry),
    }
}

/// A key that is read only to be refused. One with a successor of another kind needs a person.
fn is_rejected(mender: &Mender<'_>, path: &[&str]) -> bool {
    let is_key = |instead: &str| mender.key(&instead.split('.').collect::<Vec<_>>()).is_some();
    mender.key(path).is_some_and(|key| key.status == Status::Rejected && !key.instead.is_some_and(is_key))
}

/// A built-in id: the provider gets one of its own, and so does what selects it.
fn reserved(mender: &Mender<'_>, entry: &Entry, id: &str) -> Option<Mend> {
    let taken = |name: &str| mender.config.names_below(&["model_providers"]).contains(&name);
    let first = format!("{id}-custom");
    let free =
        std::iter::once(first.clone()).chain((2..100).map(|number| format!("{first}-{number}"))).find(|name| !taken(name))?;
    let mut edits = vec![Edit { line: entry.line?, column: entry.column?, change: Change::Rename { to: free.clone() } }];
    let selects = |entry: &&Entry| entry.path == ["model_provider"] && text(entry) == Some(id);
    for selection in mender.layer.entries.iter().filter(selects) {
        edits.push(Edit { line: selection.line?, column: selection.column?, change: Change::Text { to: free.clone() } });
    }
    let mend = mender.with_edits(CODE, "fix-provider-id", &entry.path.join("."), edits).arg("to", &free);
    Some(mend.unsafe_for("fix-unsafe-endpoint"))
}

fn nameless(mender: &Mender<'_>, entry: &Entry, id: &str) -> Option<Mend> {
    // A masked id would be a bad name.
    if id.contains('<') {
        return None;
    }
    let name = mender.entry(&["model_providers", id, "name"]);
    let mend = match name {
        Some(name) => mender.mend(CODE, "fix-name", name, Change::Text { to: id.to_owned() })?,
        None => mender.mend(CODE, "fix-name", entry, Change::Insert { name: "name".to_owned(), text: id.to_owned() })?,
    };
    Some(mend.arg("to", id).unsafe_for("fix-unsafe-endpoint"))
}

/// A protocol that Codex no longer speaks, or `responses` in another spelling.
fn protocol(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    let word = text(entry)?;
    let known = word == "chat" || word.eq_ignore_ascii_case("responses");
    let mend = mender.mend(CODE, "fix-remove-value", entry, Change::Remove)?.arg("value", word);
    known.then(|| mend.unsafe_for("fix-unsafe-endpoint"))
}

/// A selected provider that is not defined, but for its spelling; or one that was renamed.
fn selection(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    if entry.kind == ValueKind::Table {
        let mend = mender.mend(CODE, "fix-rename", entry, Change::Rename { to: "model_providers".to_owned() })?;
        return Some(mend.arg("to", "model_providers").unsafe_for("fix-unsafe-endpoint"));
    }
    let id = text(entry)?;
    let defined = mender.config.names_below(&["model_providers"]);
    let alike = |name: &&str| name.eq_ignore_ascii_case(id) || name.replace('-', "_") == id.replace('-', "_");
    let to = if id == "ollama-chat" {
        "ollama"
    } else {
        let mut alike = defined.into_iter().chain(["openai"]).filter(alike);
        alike.next().filter(|_| alike.next().is_none())?
    };
    let mend = mender.mend(CODE, "fix-value", entry, Change::Text { to: to.to_owned() })?.arg("value", id).arg("to", to);
    Some(mend.unsafe_for("fix-unsafe-endpoint"))
}

/// A value that has the right form but for its quotes or its spelling.
fn value(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    let node = node(mender, &entry.path)?;
    let word = text(entry)?;
    let mend = match &node.key.kind {
        Type::Boolean if ["true", "false"].contains(&word) => mender.mend(CODE, "fix-unquote", entry, Change::Unquote)?,
        Type::Integer(_) if is_number(word) => mender.mend(CODE, "fix-unquote", entry, Change::Unquote)?,
        Type::Enum(words) | Type::EnumMap(words) | Type::Variants(words) => {
            let like = |one: &str| one.to_lowercase().replace(['_', ' '], "-");
            let mut alike = words.iter().filter(|known| like(known) == like(word) && !node.below.contains_key(**known));
            let to = alike.next().filter(|_| alike.next().is_none())?;
            mender.mend(CODE, "fix-value", entry, Change::Text { to: (*to).to_owned() })?.arg("to", to)
        }
        _ => return None,
    };
    let mend = mend.arg("value", word);
    Some(if is_harmless(&entry.path) { mend.safe("fix-safe-harmless") } else { mend })
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.len() < 18 && word.bytes().all(|byte| byte.is_ascii_digit()) && (word == "0" || !word.starts_with('0'))
}

fn node(mender: &Mender<'_>, path: &[String]) -> Option<&'static Node> {
    path.iter().try_fold(mender.codex.keys.root(), |node, segment| node.child(segment).map(|(child, _)| child))
}

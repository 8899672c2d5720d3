//! Keys that Codex does not know: another name, another place, or away with them.

use super::super::suggest::{self, Meant};
use super::{Change, Edit, Mend, Mender, is_harmless, is_of_no_value};
use crate::facts::config::{Entry, ValueKind};
use crate::knowledge::config::Status;
use crate::knowledge::foreign_keys::{ForeignKey, ForeignMend};
use crate::knowledge::providers;

const CODE: &str = "config.unknown-key";
/// A name of fewer letters is too short to be sure what was meant.
const SHORT: usize = 5;

/// What can be done with the key at `entry`.
pub(super) fn mend(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    let (_, around) = entry.path.split_last()?;
    // A key of a later release waits for that release.
    if mender.key(&entry.path).is_some_and(|key| key.status == Status::Newer) {
        return None;
    }
    meant(mender, entry, around).or_else(|| mender.unclear(CODE, entry))
}

fn meant(mender: &Mender<'_>, entry: &Entry, around: &[String]) -> Option<Mend> {
    match suggest::meant(entry, mender.codex.keys) {
        Meant::Spelling(target) => {
            let name = target.rsplit('.').next()?.to_owned();
            let target: Vec<String> = around.iter().cloned().chain([name]).collect();
            let mend = mender.relocate(CODE, entry, &target)?;
            // A short word at the root may as well be a setting of something else.
            let guessed = around.is_empty()
                && entry.path[0].len() < SHORT
                && !entry.path[0].eq_ignore_ascii_case(&target[0])
                && matches!(mend.edits[0].change, Change::Rename { .. });
            let guessed = guessed || (mend.safe && suggest::is_tie(&entry.path, mender.codex.keys));
            Some(if guessed { mend.unsafe_for("fix-unsafe-guess") } else { mend })
        }
        Meant::Elsewhere(target) => {
            let target: Vec<String> = target.split('.').map(str::to_owned).collect();
            mender.relocate(CODE, entry, &target)
        }
        Meant::Removed(instead) => match instead.and_then(|instead| mender.successor(entry, instead)) {
            Some(target) => {
                let mend = mender.relocate(CODE, entry, &target)?;
                Some(Mend { otherwise: removed(mender, entry).map(Box::new), ..mend })
            }
            None => removed(mender, entry),
        },
        Meant::Foreign(row) => foreign(mender, entry, row),
        Meant::Otherwise(_) | Meant::Nothing => None,
    }
}

fn removed(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    let mend = mender.mend(CODE, "fix-remove", entry, Change::Remove)?;
    Some(if is_of_no_value(entry) { mend.safe("fix-safe-without-effect") } else { mend.unsafe_for("fix-unsafe-loses") })
}

/// Whether Codex knows the key `target` and takes the value there.
fn fits(mender: &Mender<'_>, entry: &Entry, target: &[String]) -> bool {
    mender.key(target).is_some_and(|key| key.status.is_known() && suggest::takes(key, entry))
}

fn foreign(mender: &Mender<'_>, entry: &Entry, row: &ForeignKey) -> Option<Mend> {
    match row.mend? {
        ForeignMend::Remove => removed(mender, entry),
        ForeignMend::Secret => {
            let mend = mender.mend(CODE, "fix-remove", entry, Change::Remove)?;
            Some(mend.unsafe_for("fix-unsafe-only-copy"))
        }
        ForeignMend::Rename => {
            let (_, around) = entry.path.split_last()?;
            let target: Vec<String> = around.iter().cloned().chain([row.to.clone()?]).collect();
            let knows = fits(mender, entry, &target);
            knows.then(|| mender.relocate(CODE, entry, &target)).flatten()
        }
        ForeignMend::Unfold => unfold(mender, entry),
        ForeignMend::Provider => provider_key(mender, entry),
    }
}

/// A table that Codex does not have, whose keys are those of the root.
fn unfold(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    if entry.kind != ValueKind::Table {
        return None;
    }
    let children: Vec<&Entry> =
        mender.layer.entries.iter().filter(|child| child.path.len() == 2 && child.path[0] == entry.path[0]).collect();
    let known = |child: &&Entry| {
        mender.codex.keys.root().below.contains_key(child.path[1].as_str()) && fits(mender, child, &child.path[1..])
    };
    if children.is_empty() || !children.iter().all(known) {
        return None;
    }
    let mut unsafe_for = None;
    let mut edits = Vec::new();
    for child in children {
        let target = &child.path[1..];
        let change = if let Some(taken) = mender.entry(target) {
            if !is_of_no_value(child) || taken.kind != child.kind || taken.value != child.value {
                unsafe_for = Some("fix-unsafe-loses");
            }
            Change::Remove
        } else {
            if mender.holds_nothing(&child.path) {
                unsafe_for = Some("fix-unsafe-empty");
            } else if !mender.becomes_harmless(&child.path, target) {
                unsafe_for = Some("fix-unsafe-activates");
            }
            Change::Move { table: Vec::new(), name: child.path[1].clone() }
        };
        edits.push(Edit { line: child.line?, column: child.column?, change });
    }
    edits.push(Edit { line: entry.line?, column: entry.column?, change: Change::Remove });
    let mend = mender.with_edits(CODE, "fix-unfold", &entry.path.join("."), edits);
    Some(unsafe_for.map_or_else(|| mend.clone().safe("fix-safe-harmless"), |reason| mend.clone().unsafe_for(reason)))
}

/// A key of a provider that stands at the root: it goes into the table of the selected one, when this file has that.
fn provider_key(mender: &Mender<'_>, entry: &Entry) -> Option<Mend> {
    if entry.path.len() != 1 {
        return None;
    }
    let name = &entry.path[0];
    let selected = mender.config.text(&["model_provider"]).filter(|id| !providers::is_built_in(id));
    let table = selected.and_then(|id| mender.entry(&["model_providers", id]));
    match table {
        Some(table) => {
            let target: Vec<String> = table.path.iter().cloned().chain([name.clone()]).collect();
            fits(mender, entry, &target).then(|| mender.relocate(CODE, entry, &target)).flatten()
        }
        // Of a built-in provider such numbers cannot be set: there is no place for them.
        None if is_harmless(&["model_providers", "*", name]) => removed(mender, entry),
        None => None,
    }
}

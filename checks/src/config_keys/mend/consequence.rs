//! What comes of mends in their files: the configuration before and after them, compared as Codex sees both.

use std::collections::BTreeSet;

use super::super::outcome::{self, ConfigOutcome, Stage};
use super::{Change, Codex, LayerName, Mend};
use crate::facts::Facts;
use crate::facts::config::Typed;
use crate::finding::Arg;
use crate::knowledge::harmless_settings::{is_guarded, is_harmless};

/// What Codex does with a configuration, as far as mends can change it.
#[derive(Clone, Debug, Default)]
pub struct Consequences {
    outcome: Option<ConfigOutcome>,
    /// Every refusal that can be seen: the key at fault and the message.
    refusals: BTreeSet<(String, String)>,
    /// Whether a file is no TOML, so that what is behind it cannot be seen.
    is_hidden: bool,
    /// Files that are named and cannot be read, with the error.
    unreadable: Vec<(String, String)>,
}

impl Consequences {
    /// Those of the configuration in `facts`.
    pub fn of(facts: &Facts) -> Self {
        let Some(config) = facts.config.value() else { return Self::default() };
        let version = facts.codex_version();
        let every = outcome::every(config, Codex::of(version));
        let key = |refusal: &outcome::Refusal<'_>| refusal.origin.map(|(_, entry)| entry.path.join(".")).unwrap_or_default();
        Self {
            outcome: Some(outcome::config_outcome(config, version)),
            refusals: every.iter().map(|refusal| (key(refusal), refusal.rejection.message.clone())).collect(),
            is_hidden: every.iter().any(|refusal| refusal.stage != Stage::Value),
            unreadable: config.unreadable_files.iter().map(|file| (file.file.clone(), file.error.clone())).collect(),
        }
    }

    /// Why Codex would do worse so than as it does in `before`, or no better with what `mends` are for.
    pub fn worse(&self, before: &Self, mends: &[&Mend]) -> Option<String> {
        // A file that is named and cannot be read stops Codex, though perhaps only once something else is mended.
        if let Some((file, error)) = self.unreadable.iter().find(|file| !before.unreadable.contains(file)) {
            return Some(format!("{file}: {error}"));
        }
        let (old, new) = (before.outcome.as_ref()?, self.outcome.as_ref()?);
        let says = || new.error.as_ref().map(|error| first_line(&error.message)).unwrap_or_default();
        if new.is_rejected() && !old.is_rejected() {
            return Some(says());
        }
        // Behind a file that was no TOML other faults come to light; they were there before.
        if !before.is_hidden && self.refusals.len() > before.refusals.len() {
            let new = self.refusals.iter().find(|refusal| !before.refusals.contains(refusal));
            return Some(new.map(|(_, message)| first_line(message)).unwrap_or_else(says));
        }
        mends.iter().find_map(|mend| match mend.code.as_str() {
            "config.syntax" if new.is_rejected() && old.error == new.error => Some(says()),
            "config.rejected" => {
                let stays = self.refusals.iter().find(|refusal| refusal.0 == key(mend) && before.refusals.contains(refusal));
                stays.map(|(_, message)| first_line(message))
            }
            "config.unknown-key" => {
                let is_it = |ignored: &&outcome::IgnoredKey| ignored.layer == mend.layer && ignored.key == key(mend);
                let still = new.ignored.iter().find(is_it).filter(|_| new.ignored.len() >= old.ignored.len() + mends.len());
                still.map(|ignored| ignored.key.clone())
            }
            _ => None,
        })
    }

    /// Why `mends` may not be made unasked, though each looks safe by itself: the id of the reason, with the keys it is about.
    ///
    /// What differs between the keys in effect before and after must all be harmless. As long as Codex refuses a configuration,
    /// nothing is in effect, so whatever makes it take a file answers for all that stands in it.
    pub fn loud(&self, before: &Self, mends: &[&Mend]) -> Option<(&'static str, String)> {
        let (old, new) = (before.outcome.as_ref()?, self.outcome.as_ref()?);
        if !before.is_hidden && !self.refusals.is_subset(&before.refusals) {
            return Some(("fix-unsafe-refused", String::new()));
        }
        // What was typed as a path and stands between other quotes says what it said.
        let is_requoted = |name: &str, path: &[&str]| {
            let quotes = |change: &Change| matches!(change, Change::Literal | Change::Syntax(Typed::WindowsPath));
            let requotes = |mend: &&Mend| mend.edits.iter().all(|edit| quotes(&edit.change)) && key(mend) == name;
            !is_guarded(path) && mends.iter().any(requotes)
        };
        let pairs = |outcome: &ConfigOutcome| {
            let own = |layer| matches!(layer, LayerName::User | LayerName::Profile | LayerName::Project);
            let keys = outcome.effective.iter().filter(|key| own(key.layer));
            keys.map(|key| (key.key.clone(), format!("{:?}", key.value))).collect::<BTreeSet<_>>()
        };
        let (old_keys, new_keys) = (pairs(old), pairs(new));
        let keys: BTreeSet<&str> = old_keys
            .symmetric_difference(&new_keys)
            .map(|(name, _)| name.as_str())
            .filter(|name| {
                let path: Vec<&str> = name.split('.').collect();
                !(is_harmless(&path) || old.is_rejected() && is_requoted(name, &path))
            })
            .collect();
        if keys.is_empty() {
            return None;
        }
        let reason = if old.is_rejected() { "fix-unsafe-wakes" } else { "fix-unsafe-activates" };
        Some((reason, shortened(&keys)))
    }
}

/// The first few names.
fn shortened(keys: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 4;
    let more = if keys.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", keys.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", "))
}

fn key(mend: &Mend) -> &str {
    match mend.args.get("key") {
        Some(Arg::Text(key)) => key,
        _ => "",
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

//! The Codex that judges: the keys and the rules of one release.

use crate::knowledge::config::{self, Keys, Standing};
use crate::knowledge::config_rules::{self, Rule};
use crate::knowledge::providers::{Release, release};

/// One release of Codex, as far as its configuration goes.
#[derive(Clone, Copy)]
pub(crate) struct Codex {
    /// Its keys.
    pub(crate) keys: &'static Keys,
    /// How it stands to the releases that are known.
    pub(crate) standing: Standing,
    release: Release,
}

impl Codex {
    /// The release `version`; the newest known one where none is named.
    pub(crate) fn of(version: Option<&str>) -> Self {
        let (keys, standing) = Keys::of(version);
        let newest = || release(config::codex_version()).unwrap_or_default();
        Self { keys, standing, release: version.and_then(release).unwrap_or_else(newest) }
    }

    /// The release by whose keys is judged: the nearest one that is known.
    pub(crate) fn judged_as(&self) -> String {
        match self.standing {
            Standing::Known => {
                let [major, minor, patch] = self.release;
                format!("{major}.{minor}.{patch}")
            }
            Standing::Older => config::oldest_version().to_owned(),
            Standing::Newer | Standing::Unnamed => config::codex_version().to_owned(),
        }
    }

    /// The release itself.
    pub(crate) fn release(&self) -> Release {
        self.release
    }

    /// Whether this release has the rule.
    pub(crate) fn has(&self, rule: Rule) -> bool {
        config_rules::holds(rule, self.release)
    }
}

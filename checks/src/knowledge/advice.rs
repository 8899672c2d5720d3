//! The advice catalogue, `advice.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::advice::Horizon;
use crate::facts::run::Platform;
use crate::knowledge::snippets;

/// One row of the catalogue. Its text is the message `advice-<id>`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its stable id.
    pub id: String,
    /// The kinds or causes it is for. Empty: only where a finding calls for it by id.
    #[serde(rename = "for", default)]
    pub targets: Vec<String>,
    /// Finding codes of which one must be there; `*` stands for anything. Empty: any finding that speaks for the verdict.
    #[serde(default)]
    pub when: Vec<String>,
    /// Finding codes that forbid it (same notation).
    #[serde(default)]
    pub unless: Vec<String>,
    /// Values that must be known, or the row is left out. Only these may stand in its text.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Values that must not be known: another row says it better then. A finding that calls for the row by id overrides this.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Whether it puts a belief right ("this does not help") instead of naming a step.
    #[serde(default)]
    pub correction: bool,
    /// When it helps.
    pub horizon: Horizon,
    /// The place among rows of its horizon, small first.
    pub order: u16,
    /// The command to paste into a POSIX shell; `{name}` is filled from the facts, and the command is left out where it cannot be.
    command: Option<String>,
    /// The same for PowerShell, where it differs.
    powershell: Option<String>,
    /// The same for macOS, where it differs.
    macos: Option<String>,
    /// A line to put into config.toml.
    edit: Option<String>,
    /// The snippet that stands in place of such a line.
    snippet: Option<String>,
    /// Whether following it can switch nothing on and lose nothing.
    #[serde(default)]
    pub safe: bool,
    /// The customs of practitioners that it carries, by their slugs in `PRACTICE`.
    #[serde(default)]
    pub practice: Vec<String>,
    /// For the maintainers: when not to give it.
    pub never: String,
    /// Where it comes from.
    pub source: String,
}

impl Row {
    /// The command's template for `platform`.
    pub fn template(&self, platform: Platform) -> Option<&str> {
        let own = match platform {
            Platform::Windows => &self.powershell,
            Platform::Macos => &self.macos,
            Platform::Linux | Platform::Wsl => &None,
        };
        own.as_deref().or(self.command.as_deref())
    }

    /// Lines for config.toml or for a profile's file.
    pub fn edit(&self) -> Option<&str> {
        let snippet = || self.snippet.as_deref().and_then(snippets::snippet).map(|snippet| snippet.config.as_str());
        self.edit.as_deref().or_else(snippet)
    }

    /// The command's templates for all platforms.
    pub fn templates(&self) -> impl Iterator<Item = &str> {
        [&self.command, &self.powershell, &self.macos].into_iter().filter_map(Option::as_deref)
    }
}

#[derive(Deserialize)]
struct File {
    advice: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = knowledge!("advice");
    file.advice
});

/// The catalogue, in the order of the file.
pub fn rows() -> &'static [Row] {
    &ROWS
}

/// The row with this id.
pub fn row(id: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::VALUES;
    use crate::kind::Target;
    use std::collections::BTreeSet;

    /// What practitioners do about capacity errors, as far as it is worth passing on or must be put right.
    const PRACTICE: [&str; 26] = [
        "switch-model",
        "wait",
        "api-back-off",
        "ci-back-off",
        "new-session-archive",
        "restart-client",
        "kill-by-name",
        "session-hygiene",
        "quiet-hours",
        "model-roles",
        "fallback-keys",
        "minimal-openai-table",
        "spare-line-by-base-url",
        "verbose-flag",
        "verify-after-change",
        "health-check",
        "organisation-member",
        "organisation-settings",
        "after-recovery",
        "team-page",
        "own-models",
        "dedicated-pool",
        "belief-upgrade",
        "belief-restart",
        "belief-edit-is-enough",
        "belief-switch-loses-conversation",
    ];

    /// What findings of other checks call for by id.
    const CALLED: [&str; 21] = [
        "fix-config-line",
        "no-model-fallback",
        "no-larger-window",
        "new-session",
        "smaller-context",
        "sync-clock",
        "sign-in-again",
        "set-variable",
        "which-credential-counts",
        "fix-base-url",
        "check-proxy",
        "trust-company-root",
        "start-local-server",
        "archive-large-session",
        "free-disk",
        "delete-archived",
        "migrate-rollouts",
        "move-logs-aside",
        "empty-write-ahead-log",
        "bound-prompt-history",
        "leave-session-databases",
    ];

    #[test]
    fn every_custom_of_practitioners_has_its_row_and_no_row_names_an_unknown_one() {
        let carried: BTreeSet<&str> = rows().iter().flat_map(|row| row.practice.iter().map(String::as_str)).collect();
        assert_eq!(carried, BTreeSet::from(PRACTICE));
    }

    #[test]
    fn what_other_checks_call_for_is_there() {
        for id in CALLED {
            assert!(row(id).is_some(), "{id}");
        }
    }

    #[test]
    fn a_row_is_whole() {
        let mut seen = BTreeSet::new();
        for row in rows() {
            assert!(seen.insert(&row.id), "{} stands twice", row.id);
            for target in &row.targets {
                assert!(Target::parse(target).is_some(), "{}: {target} is no hypothesis", row.id);
            }
            assert!(!row.targets.is_empty() || CALLED.contains(&row.id.as_str()), "nothing leads to {}", row.id);
            assert!(!row.never.is_empty() && row.source.contains("20"), "{} says neither when not nor whence", row.id);
            for name in row.needs.iter().chain(&row.lacks) {
                assert!(VALUES.contains(&name.as_str()), "{}: {name} is no value", row.id);
            }
            assert!(row.snippet.as_deref().is_none_or(|id| row.edit.is_none() && snippets::snippet(id).is_some()), "{}", row.id);
            assert!(!row.correction || row.horizon == Horizon::Now, "{}: a correction stands under now", row.id);
        }
    }

    #[test]
    fn an_address_in_a_command_is_quoted() {
        for template in rows().iter().flat_map(Row::templates) {
            for name in ["{url}", "{models_url}"] {
                let places = template.matches(name).count();
                let quoted = template.matches(&format!("'{name}'")).count() + template.matches(&format!("\"{name}")).count();
                assert_eq!(places, quoted, "{template}");
            }
        }
    }
}

//! The run itself: its moment, its machine, its scope.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operating system family, as a value: rules for paths and shells are functions of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Linux.
    #[default]
    Linux,
    /// Linux inside the Windows Subsystem for Linux.
    Wsl,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

/// What the run was asked to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Everything for this machine and directory.
    #[default]
    Triage,
    /// An error text, with the configuration of this home.
    Explain,
    /// The configuration alone.
    Lint,
    /// What Codex wrote down of all turns in a time.
    History,
    /// What Codex keeps on disk, and the contexts of its sessions.
    Sessions,
}

/// The moment, machine and scope of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// When the run began. The only clock that a check sees.
    pub at: DateTime<Utc>,
    /// Offset of local time from UTC in seconds, east positive, at that moment.
    pub utc_offset_s: i32,
    /// The operating system family.
    pub platform: Platform,
    /// What was asked for.
    pub scope: Scope,
    /// Whether `--offline` was given.
    pub offline: bool,
    /// Failures before this moment are no subject of the run (`--since`).
    pub since: DateTime<Utc>,
    /// Whether the run was ended by Ctrl-C or by its deadline before all collectors were done.
    pub cut_short: bool,
    /// The release of Codex that the answer is for, when one was asked for with `--codex-version`. Older reports have none.
    #[serde(default)]
    pub codex_version: Option<String>,
}

impl Default for Run {
    fn default() -> Self {
        let at = DateTime::from_timestamp(1_795_968_000, 0).unwrap_or_default();
        Self {
            at,
            utc_offset_s: 0,
            platform: Platform::default(),
            scope: Scope::default(),
            offline: true,
            since: at - chrono::TimeDelta::hours(24),
            cut_short: false,
            codex_version: None,
        }
    }
}

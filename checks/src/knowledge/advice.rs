//! The advice catalogue, `advice.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::advice::Horizon;

/// One row of the catalogue. Its text is the message `advice-<id>`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its stable id.
    pub id: String,
    /// The kinds or causes it is for. Empty: only where a finding calls for it by id.
    #[serde(rename = "for", default)]
    pub targets: Vec<String>,
    /// Finding codes of which one must be there; a trailing `*` stands for any ending. Empty: any finding that speaks for the verdict.
    #[serde(default)]
    pub when: Vec<String>,
    /// Finding codes that forbid it (same notation).
    #[serde(default)]
    pub unless: Vec<String>,
    /// When it helps.
    pub horizon: Horizon,
    /// The place among rows of its horizon, small first.
    pub order: u16,
    /// The command to paste into a POSIX shell; `{name}` is filled from the facts, and the command is left out where it cannot be.
    pub command: Option<String>,
    /// The same for PowerShell, where it differs.
    pub powershell: Option<String>,
    /// A line to put into config.toml.
    pub edit: Option<String>,
    /// Whether following it can switch nothing on and lose nothing.
    #[serde(default)]
    pub safe: bool,
    /// For the maintainers: when not to give it.
    pub never: String,
    /// Where it comes from.
    pub source: String,
}

#[derive(Deserialize)]
struct File {
    advice: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../knowledge/advice.toml")).expect("advice.toml is checked by a test");
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

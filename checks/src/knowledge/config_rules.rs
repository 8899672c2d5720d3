//! Rules of Codex's start that came or went with a release: `config-rules.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::providers::{Release, release};

/// A rule that not every release has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rule {
    /// `approval_policy = "untrusted"` is refused.
    NoUntrustedPolicy,
    /// `profile` at the root is refused.
    NoProfileKey,
    /// What is never closed is reported at the end of the file.
    UnclosedAtEnd,
}

/// One row of `config-rules.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    rule: Rule,
    /// The first release that has it.
    since: Option<String>,
    /// The first release that has it no more.
    gone: Option<String>,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    rule: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File =
        toml::from_str(include_str!("../../knowledge/config-rules.toml")).expect("config-rules.toml is checked by a test");
    file.rule
});

/// Whether Codex had the rule in the release `at`.
pub(crate) fn holds(rule: Rule, at: Release) -> bool {
    let row = ROWS.iter().find(|row| row.rule == rule);
    let bound = |version: Option<&String>| version.and_then(|version| release(version));
    row.is_none_or(|row| {
        bound(row.since.as_ref()).is_none_or(|since| since <= at) && bound(row.gone.as_ref()).is_none_or(|gone| at < gone)
    })
}

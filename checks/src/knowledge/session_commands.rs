//! Codex's own commands for its sessions: `session-commands.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::providers::release;

/// One command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// How it is called; `ID` stands for a session.
    pub usage: String,
    since: String,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    command: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = knowledge!("session-commands");
    file.command
});

/// The commands of the release `version`; one that is not known is taken for a current one.
pub fn of(version: Option<&str>) -> impl Iterator<Item = &'static Row> {
    let version = version.and_then(release);
    ROWS.iter().filter(move |row| version.is_none_or(|version| release(&row.since).is_some_and(|since| version >= since)))
}

/// Whether the release `version` has the command `name`.
pub fn has(version: Option<&str>, name: &str) -> bool {
    of(version).any(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_there_from_its_release_on() {
        for row in ROWS.iter() {
            assert!(release(&row.since).is_some() && row.source.contains("20"), "{}", row.name);
            assert!(row.usage.starts_with(&format!("codex {}", row.name)));
        }
        assert!(has(Some("0.136.0"), "archive") && !has(Some("0.135.0"), "archive"));
        assert!(has(Some("0.171.0"), "migrate-rollouts") && !has(Some("0.147.0"), "migrate-rollouts"));
        assert!(has(None, "delete") && !has(None, "compact"));
    }
}

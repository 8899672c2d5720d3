//! What guides advise and what Codex does with it: `beliefs.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// What Codex does with a setting at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It takes it, which does not mean that it has the effect that was meant.
    Accepted,
    /// It starts without it.
    Ignored,
    /// It does not start.
    Rejected,
}

/// A release that does something else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// The release.
    pub version: String,
    /// What it does.
    pub outcome: Fate,
}

/// One row: a setting or a step that is in circulation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    /// Its stable id.
    pub id: String,
    /// The setting as guides show it; absent for a step.
    pub says: Option<String>,
    /// What the newest known Codex does with it.
    pub outcome: Option<Fate>,
    /// The keys that it ignores, dotted.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// How the message of its refusal begins.
    pub refusal: Option<String>,
    /// The key that the refusal names, where its message alone does not tell.
    pub key: Option<String>,
    /// The id of the message that says what Codex does and what to do instead.
    pub text: String,
    /// The code of the finding that is made of the setting.
    pub found: Option<String>,
    /// Rows of the advice catalogue that the refusal calls for.
    #[serde(default)]
    pub advice: Vec<String>,
    /// Lists of words of which one must be there in full for a step to be meant.
    #[serde(default)]
    pub words: Vec<Vec<String>>,
    /// Releases that do something else.
    #[serde(default)]
    pub releases: Vec<Other>,
    /// Where it comes from.
    pub source: String,
}

#[derive(Deserialize)]
struct File {
    belief: Vec<Belief>,
}

static ROWS: LazyLock<Vec<Belief>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../knowledge/beliefs.toml")).expect("beliefs.toml is checked by a test");
    file.belief
});

/// All rows, in the order of the file.
pub fn rows() -> &'static [Belief] {
    &ROWS
}

/// The row that explains a refusal, by Codex's message and the key that it names, which says it better than Codex's own words.
pub(crate) fn of_refusal(message: &str, key: Option<&str>) -> Option<&'static Belief> {
    ROWS.iter().find(|row| {
        // The name in the sample stands for any.
        let begins =
            row.refusal.as_deref().is_some_and(|start| message.starts_with(start.split("\"work\"").next().unwrap_or(start)));
        begins && row.text.starts_with("belief-") && row.key.as_deref().is_none_or(|known| Some(known) == key)
    })
}

/// The steps that `text` speaks of.
pub(crate) fn steps_in(text: &str) -> Vec<&'static Belief> {
    let text = text.to_lowercase();
    let meant = |row: &&Belief| row.words.iter().any(|all| all.iter().all(|word| text.contains(word.as_str())));
    ROWS.iter().filter(meant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::advice;

    #[test]
    fn a_row_is_a_setting_with_its_fate_or_a_step_with_its_words() {
        let mut ids = std::collections::BTreeSet::new();
        for row in rows() {
            assert!(ids.insert(&row.id), "{} stands twice", row.id);
            assert_eq!(row.says.is_some(), row.outcome.is_some(), "{}", row.id);
            assert_eq!(row.says.is_none(), !row.words.is_empty(), "{}", row.id);
            assert_eq!(row.outcome == Some(Fate::Ignored), !row.ignored.is_empty(), "{}", row.id);
            assert_eq!(row.outcome == Some(Fate::Rejected), row.refusal.is_some(), "{}", row.id);
            assert!(row.source.ends_with("2026-11-29"), "{}: when?", row.id);
            assert!(row.words.iter().flatten().all(|word| *word == word.to_lowercase()), "{}", row.id);
            assert!(row.advice.iter().all(|id| advice::row(id).is_some()), "{}", row.id);
            let own = row.text.starts_with("belief-");
            assert!(!own || row.text == format!("belief-{}", row.id), "{} has the words of another", row.id);
        }
    }
}

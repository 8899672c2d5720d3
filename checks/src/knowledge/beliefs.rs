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

/// Whether a step does what is hoped of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worth {
    /// It does not.
    #[default]
    Vain,
    /// It does against something, and against a full model it does not.
    Depends,
    /// It does.
    Helps,
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
    /// How a text begins that means the step, where its words stand in errors too.
    #[serde(default)]
    pub opens: Vec<String>,
    /// Whether the step does what is hoped of it.
    #[serde(default)]
    pub worth: Worth,
    /// Releases that do something else.
    #[serde(default)]
    pub releases: Vec<Other>,
    /// Where it comes from.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What people say before they come to the step.
    fillers: Vec<String>,
    belief: Vec<Belief>,
}

static FILE: LazyLock<File> = LazyLock::new(|| knowledge!("beliefs"));

/// All rows, in the order of the file.
pub fn rows() -> &'static [Belief] {
    &FILE.belief
}

/// The row that explains a refusal, by Codex's message and the key that it names, which says it better than Codex's own words.
pub(crate) fn of_refusal(message: &str, key: Option<&str>) -> Option<&'static Belief> {
    rows().iter().find(|row| {
        // The name in the sample stands for any.
        let begins =
            row.refusal.as_deref().is_some_and(|start| message.starts_with(start.split("\"work\"").next().unwrap_or(start)));
        begins && row.text.starts_with("belief-") && row.key.as_deref().is_none_or(|known| Some(known) == key)
    })
}

/// The steps that `text` speaks of.
pub(crate) fn steps_in(text: &str) -> Vec<&'static Belief> {
    let text = text.to_lowercase();
    let opening = opening(&text);
    let named = |row: &Belief| row.words.iter().any(|all| all.iter().all(|word| has_word(&text, word)));
    let opened = |row: &Belief| row.opens.iter().any(|start| opening.is_some_and(|opening| begins(opening, start)));
    rows().iter().filter(|row| named(row) || opened(row)).collect()
}

/// A text of one short line, from where it comes to the point.
fn opening(text: &str) -> Option<&str> {
    const LONGEST_STEP: usize = 120;
    let marks: &[char] =
        &['-', '*', '•', '>', '$', '`', '"', '\'', '“', ' ', '.', ')', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    let mut text = text.trim();
    if text.contains('\n') || text.chars().count() > LONGEST_STEP {
        return None;
    }
    // A step of a list may begin with its number; an option begins with its dashes.
    if !text.starts_with("--") {
        text = text.trim_start_matches(marks);
    }
    while let Some(rest) = FILE.fillers.iter().find_map(|filler| text.strip_prefix(filler.as_str())) {
        text = rest.trim_start();
    }
    Some(text)
}

/// Whether `text` begins with the words of `start`.
fn begins(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| is_end_of_word(start, rest))
}

/// Whether `word` stands in `text` as a word: not within another, and a short one not at the beginning of another.
fn has_word(text: &str, word: &str) -> bool {
    const SHORT: usize = 4;
    text.match_indices(word).any(|(at, _)| {
        let inside = |character: char| character.is_ascii_alphanumeric();
        let begins = !word.starts_with(inside) || !text[..at].ends_with(inside);
        begins && (word.len() > SHORT || is_end_of_word(word, &text[at + word.len()..]))
    })
}

/// Whether `rest`, which follows `word`, begins no more of the same word.
fn is_end_of_word(word: &str, rest: &str) -> bool {
    let inside = |character: char| character.is_ascii_alphanumeric();
    !word.ends_with(inside) || !rest.starts_with(inside)
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
            assert_eq!(row.says.is_none(), !(row.words.is_empty() && row.opens.is_empty()), "{}", row.id);
            assert!(row.says.is_none() || row.worth == Worth::Vain, "{} is a setting", row.id);
            assert_eq!(row.outcome == Some(Fate::Ignored), !row.ignored.is_empty(), "{}", row.id);
            assert_eq!(row.outcome == Some(Fate::Rejected), row.refusal.is_some(), "{}", row.id);
            assert!(row.source.contains(", 2026-11-"), "{}: when?", row.id);
            assert!(row.words.iter().flatten().chain(&row.opens).all(|word| *word == word.to_lowercase()), "{}", row.id);
            assert!(row.advice.iter().all(|id| advice::row(id).is_some()), "{}", row.id);
            let own = row.text.starts_with("belief-");
            assert!(!own || row.text == format!("belief-{}", row.id), "{} has the words of another", row.id);
        }
    }

    #[test]
    fn a_step_is_known_by_its_words_or_its_beginning_and_not_by_parts_of_words() {
        let steps = |text: &str| steps_in(text).into_iter().map(|row| row.id.as_str()).collect::<Vec<_>>();
        for text in ["use a VPN", "Just use a vpn.", "- try a VPN", "1. Use a VPN", "Should I use a VPN?", "`use a vpn`"] {
            assert_eq!(steps(text), ["vpn"], "{text}");
        }
        assert_eq!(steps("upgrade, then the problem is gone"), [""; 0], "`pro` is no part of `problem`");
        assert_eq!(steps("Your session has ended. Please sign in again."), [""; 0], "an error may ask for it");
        assert_eq!(steps("sign in again"), ["sign-in-again"]);
        assert_eq!(steps("upgrade to pro"), ["upgrade"]);
        assert_eq!(steps("Traceback:\nretry later"), [""; 0]);
    }
}

//! Symptom → what to do first → note, `quick-reference.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// One row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its stable id.
    pub id: String,
    /// The message of Codex by which it is known; absent where the symptom is a pattern, told by `quick-<id>`.
    pub message: Option<String>,
    /// Rows of the advice catalogue, the first step first. None of them needs a value.
    pub first: Vec<String>,
    /// Where it comes from.
    pub source: String,
}

#[derive(Deserialize)]
struct File {
    row: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = knowledge!("quick-reference");
    file.row
});

/// The headings and words around the rows.
pub const WORDS: [&str; 18] = [
    "title", "intro", "symptom", "first", "note", "messages", "patterns", "in-vain", "models", "model", "good", "bad", "spares",
    "overload", "quota", "config", "network", "other",
];

/// All rows, in the order of the file.
pub fn rows() -> &'static [Row] {
    &ROWS
}

/// The ids of all messages that the page needs beside those of the advice.
pub fn message_ids() -> Vec<String> {
    let words = WORDS.iter().map(|word| format!("quick-ui-{word}"));
    let notes = ROWS.iter().map(|row| format!("quick-{}-note", row.id));
    let symptoms = ROWS.iter().filter(|row| row.message.is_none()).map(|row| format!("quick-{}", row.id));
    words.chain(notes).chain(symptoms).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::advice;

    #[test]
    fn a_row_leads_to_steps_that_can_be_told_without_knowing_the_machine() {
        for row in rows() {
            assert!(!row.first.is_empty() && row.source.contains("20"), "{}", row.id);
            for id in &row.first {
                let step = advice::row(id).unwrap_or_else(|| panic!("{}: {id} is no advice", row.id));
                assert!(step.needs.is_empty() && !step.correction, "{}: {id}", row.id);
            }
        }
    }
}

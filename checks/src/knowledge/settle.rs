//! The cheapest observation that splits two open hypotheses.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::kind::Target;
use crate::subject::Subject;
use crate::verdict::Candidate;

/// What would settle an open verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Settle {
    /// The row's id; its message is `settle-<id>`.
    pub id: String,
    /// The message in the report's language; filled in by the reporter.
    pub message: String,
    /// The command that makes the observation, when there is one.
    pub command: Option<String>,
}

/// One row of `settle.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    /// Two kinds or causes in either order; an empty list fits everything.
    between: Vec<String>,
    /// Only when the run was offline (`true`) or was not (`false`).
    offline: Option<bool>,
    /// Only when the error's text is (`true`) or is not (`false`) known.
    text: Option<bool>,
    command: Option<String>,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    settle: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../knowledge/settle.toml")).expect("settle.toml is checked by a test");
    file.settle
});

/// What settles an open verdict between the two best candidates.
pub fn between(facts: &Facts, subject: Option<&Subject>, candidates: &[Candidate]) -> Settle {
    pick(facts, subject, |row| match (candidates.first(), candidates.get(1), row.between.as_slice()) {
        (_, _, []) => true,
        (Some(one), Some(other), [left, right]) => {
            let covers =
                |name: &str, candidate: &Candidate| Target::parse(name).is_some_and(|target| target.covers(candidate.kind));
            (covers(left, one) && covers(right, other)) || (covers(left, other) && covers(right, one))
        }
        _ => false,
    })
}

/// What to do when nothing was weighed at all.
pub fn for_nothing(facts: &Facts, subject: Option<&Subject>) -> Settle {
    pick(facts, subject, |row| row.between.is_empty())
}

fn pick(facts: &Facts, subject: Option<&Subject>, fits: impl Fn(&Row) -> bool) -> Settle {
    let has_text = subject.is_some_and(|subject| subject.text.is_some());
    let row = ROWS
        .iter()
        .find(|row| {
            fits(row)
                && row.offline.is_none_or(|wanted| wanted == facts.run.offline)
                && row.text.is_none_or(|wanted| wanted == has_text)
        })
        .or_else(|| ROWS.last());
    let Some(row) = row else { return Settle { id: "none".to_owned(), message: String::new(), command: None } };
    Settle {
        id: row.id.clone(),
        message: String::new(),
        command: row.command.as_deref().and_then(|command| crate::advice::filled(command, facts, subject)),
    }
}

/// The ids of all rows, for the test that looks for their messages.
pub fn ids() -> Vec<String> {
    ROWS.iter().map(|row| row.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_real_hypotheses_and_the_last_fits_everything() {
        for row in ROWS.iter() {
            assert!(row.between.iter().all(|name| Target::parse(name).is_some()), "{}", row.id);
            assert!(matches!(row.between.len(), 0 | 2), "{}", row.id);
            assert!(!row.source.is_empty());
        }
        let last = ROWS.last().unwrap();
        assert!(last.between.is_empty() && last.offline.is_none() && last.text.is_none());
    }
}

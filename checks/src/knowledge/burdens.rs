//! From which size on what Codex keeps is a burden: `burdens.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::finding::Severity;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Bytes of one rollout.
    Rollout,
    /// Bytes of one line of a rollout.
    RolloutLine,
    /// How many rollouts there are.
    Rollouts,
    /// The bytes of all of them.
    RolloutsBytes,
    /// Bytes of a database, its write-ahead log included.
    Database,
    /// Bytes of the database of the logs, its write-ahead log included.
    LogDatabase,
    /// Bytes of a write-ahead log.
    WriteAheadLog,
    /// Bytes of all log files.
    LogFiles,
    /// Bytes of the list of past prompts.
    PromptHistory,
    /// Free bytes on the disk.
    FreeDisk,
    /// How full a context is, in percent of its window.
    ContextPercent,
    /// Tokens in a context.
    ContextTokens,
    /// How long a session has been worked in without a pause, in minutes.
    OpenMinutes,
}

impl Measure {
    /// How grave `value` is; nothing when it is ordinary.
    pub fn weigh(self, value: u64) -> Option<Severity> {
        let row = row(self)?;
        let beyond = |limit: Option<u64>| limit.is_some_and(|limit| if row.least { value < limit } else { value >= limit });
        [(row.error, Severity::Error), (row.warning, Severity::Warning), (row.note, Severity::Note)]
            .into_iter()
            .find_map(|(limit, severity)| beyond(limit).then_some(severity))
    }
}

/// One row of `burdens.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    measure: Measure,
    #[serde(default)]
    least: bool,
    note: Option<u64>,
    warning: Option<u64>,
    error: Option<u64>,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    burden: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = knowledge!("burdens");
    file.burden
});

fn row(measure: Measure) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.measure == measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_one_row_with_ordered_limits_and_a_dated_source() {
        use Measure::{
            ContextPercent, ContextTokens, Database, FreeDisk, LogDatabase, LogFiles, OpenMinutes, PromptHistory, Rollout,
            RolloutLine, Rollouts, RolloutsBytes, WriteAheadLog,
        };
        let all = [
            Rollout,
            RolloutLine,
            Rollouts,
            RolloutsBytes,
            Database,
            LogDatabase,
            WriteAheadLog,
            LogFiles,
            PromptHistory,
            FreeDisk,
            ContextPercent,
            ContextTokens,
            OpenMinutes,
        ];
        assert_eq!(ROWS.len(), all.len());
        for measure in all {
            let row = row(measure).unwrap_or_else(|| panic!("{measure:?}"));
            let limits: Vec<u64> = [row.note, row.warning, row.error].into_iter().flatten().collect();
            assert!(!limits.is_empty() && row.source.contains("20"), "{measure:?}");
            assert!(limits.windows(2).all(|pair| (pair[0] < pair[1]) != row.least), "{measure:?}");
        }
    }

    #[test]
    fn a_burden_begins_at_its_limit_and_room_ends_below_it() {
        assert_eq!(Measure::Rollout.weigh(99_999_999), None);
        assert_eq!(Measure::Rollout.weigh(100_000_000), Some(Severity::Warning));
        assert_eq!(Measure::Rollout.weigh(u64::MAX), Some(Severity::Error));
        assert_eq!(Measure::FreeDisk.weigh(5_368_709_120), None);
        assert_eq!(Measure::FreeDisk.weigh(5_368_709_119), Some(Severity::Warning));
        assert_eq!(Measure::FreeDisk.weigh(0), Some(Severity::Error));
    }
}

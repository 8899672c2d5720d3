//! What `fix` did and did not, as a part of the report.

use codex_triage_checks::finding::Args;
use schemars::JsonSchema;
use serde::Serialize;

/// One mend, done or not.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShownMend {
    /// The code of the finding that it mends.
    pub code: String,
    /// The id of its message.
    pub message_id: String,
    /// The message's arguments.
    pub args: Args,
    /// What it does, in the report's language.
    pub message: String,
    /// The file, redacted.
    pub file: String,
    /// 1-based line in the file as it was before the first mend.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// Whether it cannot switch anything on.
    pub safe: bool,
    /// Why it is safe, or why not.
    pub reason: String,
    /// The change in the manner of `diff -u`, redacted.
    pub diff: Vec<String>,
    /// Why it could not be done, where that is so.
    pub obstacle: Option<String>,
}

/// What `fix` did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Mended {
    /// Whether files were written.
    pub written: bool,
    /// What was mended.
    pub applied: Vec<ShownMend>,
    /// What can be mended, but was not; with `--dry-run` everything.
    pub left: Vec<ShownMend>,
    /// Copies of the files as they were, redacted.
    pub backups: Vec<String>,
    /// Files that were left as they are, each with the reason.
    pub troubles: Vec<String>,
}

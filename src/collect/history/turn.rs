//! Turns and quota snapshots as the disk tells them, before redaction.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::history::LimitWindow;

/// What the first record of a rollout says of all its turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Header {
    pub(super) thread: Option<String>,
    pub(super) provider: Option<String>,
    pub(super) originator: Option<String>,
    pub(super) version: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) source: PathBuf,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It goes on, as far as one can see.
    Running,
    /// It ended without an answer and without an error (compaction, a shell command of the user).
    Nothing,
    /// The model answered.
    Success,
    /// Ended from outside: aborted, killed, or the file ends in the middle.
    Interrupted,
    /// An error ended it.
    Failed,
}

/// An error's text and classification.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fault {
    pub(super) text: Option<String>,
    pub(super) info: Option<String>,
    pub(super) status: Option<u16>,
}

/// One turn.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) header: Arc<Header>,
    pub(super) id: Option<String>,
    pub(super) at: DateTime<Utc>,
    pub(super) outcome: Outcome,
    pub(super) model: Option<Arc<str>>,
    pub(super) fault: Option<Box<Fault>>,
    pub(super) context_tokens: Option<u64>,
    pub(super) context_window: Option<u64>,
    pub(super) line: Option<u64>,
    /// Whether it comes from a database, which knows less of it than a rollout.
    pub(super) row: bool,
}

/// One quota snapshot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    pub(super) header: Arc<Header>,
    pub(super) at: DateTime<Utc>,
    pub(super) turn: Option<String>,
    pub(super) model: Option<Arc<str>>,
    pub(super) bucket: Option<String>,
    pub(super) name: Option<String>,
    pub(super) windows: Vec<LimitWindow>,
    pub(super) has_credits: Option<bool>,
    pub(super) unlimited_credits: Option<bool>,
    pub(super) plan: Option<String>,
    pub(super) reached: Option<String>,
    pub(super) spend_control_reached: Option<bool>,
}

//! Turns and quota snapshots as the disk tells them, before redaction.
//!
//! A tree may hold a million turns. Of each there is a [`Brief`] of 16 bytes; only of those that did not simply succeed there is a [`Turn`].

use std::sync::Arc;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::history::{FailedRequest, LimitWindow};
use codex_triage_checks::facts::sessions::ThreadContext;
use serde::{Deserialize, Serialize};

use super::brief::{Brief, Key};
use super::word::{Id, Word};
use crate::collect::sessions::listing::Place;

/// What the first record of a rollout says of all its turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Header {
    pub(super) thread: Option<Id>,
    pub(super) originator: Option<Word>,
    pub(super) version: Option<Word>,
    pub(super) directory: Option<Word>,
}

/// Who was asked, on whose account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Names {
    pub(super) model: Option<Word>,
    pub(super) provider: Option<Word>,
    pub(super) account: Option<Word>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Outcome {
    /// It goes on, as far as one can see.
    Running,
    /// It ended without an answer and without an error (compaction, a shell command of the user).
    #[default]
    Nothing,
    /// The model answered.
    Success,
    /// Ended from outside: aborted, killed, or the file ends in the middle.
    Interrupted,
    /// An error ended it.
    Failed,
}

impl Outcome {
    pub(super) const ALL: [Self; 5] = [Self::Running, Self::Nothing, Self::Success, Self::Interrupted, Self::Failed];

    /// Whether it failed or was ended from outside.
    pub(super) fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Interrupted)
    }
}

/// An error's text and classification.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fault {
    pub(super) text: Option<Word>,
    pub(super) info: Option<Word>,
    pub(super) status: Option<u16>,
}

/// How Codex begins the error of a compaction that failed, whatever the server said. It is in the releases 0.142.5 to 0.171.0.
const COMPACTION_FAILED: &str = "Error running remote compact task";

impl Fault {
    /// Whether it ended a compaction of the context.
    pub(super) fn is_of_compaction(&self) -> bool {
        self.text.as_deref().is_some_and(|text| text.starts_with(COMPACTION_FAILED))
    }
}

/// What is kept of a turn beside its brief. In the cache its fault stands apart, as numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Turn {
    pub(super) key: Key,
    pub(super) id: Option<Id>,
    /// Milliseconds since 1970.
    pub(super) at_ms: i64,
    pub(super) began_ms: Option<i64>,
    pub(super) outcome: Outcome,
    /// A place in the list of [`Names`].
    pub(super) names: u16,
    #[serde(skip)]
    pub(super) fault: Option<Fault>,
    pub(super) context_tokens: Option<u64>,
    pub(super) context_window: Option<u64>,
    pub(super) number: Option<u32>,
    pub(super) tool_results: u32,
    pub(super) compacting: bool,
    pub(super) line: Option<u64>,
    /// Whether it comes from a database, which knows less of it than a rollout.
    pub(super) row: bool,
}

/// One window of a quota snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Window {
    pub(super) minutes: Option<u64>,
    pub(super) used_percent: f64,
    /// Seconds since 1970.
    pub(super) resets_at_s: Option<i64>,
}

impl Window {
    pub(super) fn told(self) -> LimitWindow {
        let resets_at = self.resets_at_s.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        LimitWindow { minutes: self.minutes, used_percent: self.used_percent, resets_at }
    }
}

/// One quota snapshot. In the cache its words stand apart, as numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Snapshot {
    /// Milliseconds since 1970.
    pub(super) at_ms: i64,
    pub(super) turn: Option<Id>,
    /// A place in the list of [`Names`].
    pub(super) names: u16,
    #[serde(skip)]
    pub(super) bucket: Option<Word>,
    #[serde(skip)]
    pub(super) name: Option<Word>,
    pub(super) windows: Vec<Window>,
    pub(super) has_credits: Option<bool>,
    pub(super) unlimited_credits: Option<bool>,
    #[serde(skip)]
    pub(super) plan: Option<Word>,
    #[serde(skip)]
    pub(super) reached: Option<Word>,
    pub(super) spend_control_reached: Option<bool>,
}

/// How a thread's context grew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Context {
    pub(super) started_ms: Option<i64>,
    pub(super) last_ms: Option<i64>,
    /// When the newest run of turns without a long pause began.
    pub(super) run_began_ms: Option<i64>,
    /// Tokens in the context at the beginning of that run.
    pub(super) run_first_tokens: Option<u64>,
    pub(super) turns: u32,
    pub(super) tokens: Option<u64>,
    pub(super) peak_tokens: Option<u64>,
    pub(super) window: Option<u64>,
    pub(super) compactions: u32,
    pub(super) failed_compactions: u32,
    #[serde(skip)]
    pub(super) last_failed_compaction: Option<(i64, Fault)>,
    pub(super) longest_line: u64,
    /// A place in the list of [`Names`].
    pub(super) names: u16,
}

impl Context {
    /// A turn begins: after a long pause, or as the first one, with it a run of them.
    pub(super) fn begins(&mut self, at_ms: i64) {
        let paused = self.last_ms.is_none_or(|last| at_ms - last > ThreadContext::PAUSE.num_milliseconds());
        if paused {
            self.run_began_ms = Some(at_ms);
            self.run_first_tokens = None;
        }
        self.started_ms = self.started_ms.or(Some(at_ms));
        self.last_ms = self.last_ms.max(Some(at_ms));
    }

    /// Takes the tokens of the newest answer.
    pub(super) fn grew_to(&mut self, tokens: Option<u64>) {
        self.run_first_tokens = self.run_first_tokens.or(tokens);
        self.peak_tokens = self.peak_tokens.max(tokens);
        self.tokens = tokens.or(self.tokens);
    }
}

/// What one rollout holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rollout {
    pub(super) header: Header,
    pub(super) names: Vec<Names>,
    pub(super) briefs: Vec<Brief>,
    /// Those that did not simply succeed.
    pub(super) turns: Vec<Turn>,
    pub(super) snapshots: Vec<Snapshot>,
    pub(super) context: Context,
    pub(super) broken_records: u64,
}

/// A turn with what its file says of all its turns.
#[derive(Clone, Debug)]
pub(super) struct Detailed {
    /// In a place of its own: many of them are sorted and moved.
    pub(super) turn: Box<Turn>,
    pub(super) header: Arc<Header>,
    pub(super) source: Arc<Place>,
    /// What the log keeps of its last request, redacted.
    pub(super) request: Option<Box<FailedRequest>>,
}

/// Milliseconds since 1970 as a moment.
pub(super) fn moment(at_ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at_ms).unwrap_or_default()
}

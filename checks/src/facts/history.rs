//! What Codex wrote down: failed turns, successes, quota snapshots.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Shared, moment};

/// One failed or interrupted turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailedTurn {
    /// When it ended (for an interrupted one: when it was last heard of).
    pub at: DateTime<Utc>,
    /// Its thread.
    pub thread: Option<Shared>,
    /// Its turn id.
    pub turn: Option<Shared>,
    /// The model asked.
    pub model: Option<Shared>,
    /// The provider's id.
    pub provider: Option<Shared>,
    /// The client that ran it (`codex_exec`, `codex-tui`, …).
    pub originator: Option<Shared>,
    /// The Codex version that wrote it.
    pub codex_version: Option<Shared>,
    /// The project directory, as a role token.
    pub project: Option<Shared>,
    /// The final message, redacted; absent when Codex stored none.
    pub text: Option<Shared>,
    /// `codex_error_info` in snake case (`server_overloaded`, `http_connection_failed`, …).
    pub info: Option<Shared>,
    /// The HTTP status stored with it.
    pub status: Option<u16>,
    /// Whether the turn was ended from outside (no error was stored).
    pub interrupted: bool,
    /// Tokens in the context when the turn began, and the model's window, when known.
    pub context_tokens: Option<u64>,
    /// The model's context window in tokens.
    pub context_window: Option<u64>,
    /// The file it was read from, redacted.
    pub source: Shared,
    /// 1-based line in that file, when it is one of lines.
    pub line: Option<u64>,
    /// The account that the thread belongs to, as a role token.
    #[serde(default)]
    pub account: Option<Shared>,
    /// When it began.
    #[serde(default)]
    pub began: Option<DateTime<Utc>>,
    /// Its place among the turns of its thread, from 1.
    #[serde(default)]
    pub number: Option<u32>,
    /// Results of tools that it had before it ended.
    #[serde(default)]
    pub tool_results: u32,
    /// Whether what failed was the compaction of the context.
    #[serde(default)]
    pub compacting: bool,
    /// When the same model of the same provider last succeeded before it, among what was read.
    #[serde(default)]
    pub same_model_before: Option<DateTime<Utc>>,
    /// When the same model of the same provider first succeeded after it.
    #[serde(default)]
    pub same_model_after: Option<DateTime<Utc>>,
    /// Other models that succeeded within [`History::NEARBY`] of it: of each its success nearest in time, nearest first.
    #[serde(default)]
    pub others_nearby: Vec<Success>,
    /// What the log keeps of its last request.
    #[serde(default)]
    pub request: Option<Box<FailedRequest>>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The model answered.
    Succeeded,
    /// An error ended it.
    Failed,
    /// Ended from outside.
    Interrupted,
    /// Without an answer and without an error.
    Other,
    /// It may still run.
    Running,
}

/// What the log database keeps of a failed request to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedRequest {
    /// When its answer came.
    pub at: DateTime<Utc>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The host that was asked.
    pub host: Option<String>,
    /// The response headers that tell something (`x-request-id`, `cf-ray`, `retry-after`, `x-codex-…`), redacted.
    pub headers: BTreeMap<String, String>,
    /// How often Codex had asked again before.
    pub retries: u32,
}

/// How the turns of one hour ended, of one model, provider and account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// The beginning of the hour, as the clock on the wall has hours.
    #[serde(serialize_with = "moment::serialize")]
    pub hour: DateTime<Utc>,
    /// Offset of local time from UTC in seconds at that hour, east positive.
    pub utc_offset_s: i32,
    /// The model, when known.
    pub model: Option<Shared>,
    /// The provider's id, when known.
    pub provider: Option<Shared>,
    /// The account, as a role token, when known.
    pub account: Option<Shared>,
    /// Turns that ended with an answer.
    pub succeeded: u64,
    /// Turns that ended with an error.
    pub failed: u64,
    /// Turns that were ended from outside.
    pub interrupted: u64,
    /// Turns that ended with neither (a shell command, a compaction).
    pub other: u64,
}

/// The newest turn of a model that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Success {
    /// The model.
    pub model: Shared,
    /// The provider's id.
    pub provider: Option<Shared>,
    /// When the turn ended.
    #[serde(serialize_with = "moment::serialize")]
    pub at: DateTime<Utc>,
}

/// One quota window of a snapshot. A window is known by its duration, not by the slot it came in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitWindow {
    /// Length in minutes.
    pub minutes: Option<u64>,
    /// Used share in percent.
    pub used_percent: f64,
    /// When it starts anew.
    pub resets_at: Option<DateTime<Utc>>,
}

/// A quota snapshot that a server sent beside an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitSnapshot {
    /// When it was stored.
    pub at: DateTime<Utc>,
    /// Which bucket (`codex`, …); several exist.
    pub bucket: Option<String>,
    /// The bucket's name for people; a bucket for one model carries that model's name.
    pub name: Option<String>,
    /// Its windows, the shortest first.
    pub windows: Vec<LimitWindow>,
    /// Whether credits remain, when told.
    pub has_credits: Option<bool>,
    /// Whether credits are unlimited, when told.
    pub unlimited_credits: Option<bool>,
    /// The plan named in it.
    pub plan: Option<String>,
    /// Which limit the server says was reached.
    pub reached: Option<String>,
    /// Whether a spend control was reached.
    pub spend_control_reached: Option<bool>,
    /// The turn beside which it stands.
    pub turn: Option<String>,
    /// The provider of that turn.
    pub provider: Option<String>,
    /// The model of that turn.
    pub model: Option<String>,
    /// The file it was read from, redacted.
    pub source: String,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unread {
    /// The file, redacted.
    pub file: String,
    /// Why.
    pub why: String,
}

/// What the disk tells of the time since `since`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// Turns seen.
    pub turns: u64,
    /// Failed ones among them.
    pub failed_turns: u64,
    /// Interrupted ones.
    pub interrupted_turns: u64,
    /// Turns, ended ones or not, whose time is still to come: the clock was ahead when they were written.
    #[serde(default)]
    pub ahead: u64,
    /// When the newest turn that has not ended was last heard of, if one may be running right now.
    #[serde(default)]
    pub running: Option<DateTime<Utc>>,
    /// Failed and interrupted turns, newest first; at most [`History::KEPT`], unless all were asked for (`history`).
    pub failures: Vec<FailedTurn>,
    /// The newest success of each model and provider, newest first.
    pub successes: Vec<Success>,
    /// Newest first: the newest snapshot of each bucket and provider; beside these, for the newest failed turns, those that
    /// were the newest when the turn ended.
    pub limits: Vec<LimitSnapshot>,
    /// Broken records that were passed over.
    pub broken_records: u64,
    /// Files that could not be read, or not wholly.
    pub unread: Vec<Unread>,
    /// Files left unread because the time was up.
    pub not_reached: u64,
    /// All turns that ended, counted; by hour, then model, provider, account.
    #[serde(default)]
    pub tallies: Vec<Tally>,
    /// Session files whose turns are counted.
    #[serde(default)]
    pub files: u64,
    /// Their bytes.
    #[serde(default)]
    pub bytes: u64,
}

impl History {
    /// How many failures are kept, unless all are asked for.
    pub const KEPT: usize = 200;
    /// So near in time two turns met the same state of the servers.
    pub const NEARBY: TimeDelta = TimeDelta::minutes(15);
}

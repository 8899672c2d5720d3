//! What a `world.toml` may say: a whole machine, its network and the answer that is true of it.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage_checks::facts::network::{BodyShape, Fault, Stage};
use codex_triage_checks::facts::run::Platform;
use codex_triage_lab::Scenario;
use serde::Deserialize;

/// A machine.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    /// What this machine is, in two sentences.
    pub(crate) about: String,
    /// Whether it has two faults, or evidence that leads astray.
    #[serde(default)]
    pub(crate) misleading: bool,
    /// How it leads astray; goes with `misleading`.
    pub(crate) misled_by: Option<String>,
    #[serde(default)]
    pub(crate) platform: Platform,
    /// The moment of the run; a live run takes the real one.
    #[serde(default = "usual_moment")]
    pub(crate) moment: DateTime<Utc>,
    /// Local time minus UTC.
    #[serde(default)]
    pub(crate) utc_offset_s: i32,
    /// Variables; `{home}` stands for the user's home.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// Version of the Codex on PATH, as its npm package tells it.
    pub(crate) installed: Option<String>,
    /// config.toml; `{home}` and `{project}` are filled in.
    pub(crate) config: Option<String>,
    /// auth.json as it is.
    pub(crate) auth_json: Option<String>,
    /// auth.json of a ChatGPT login.
    pub(crate) login: Option<Login>,
    /// The key in auth.json, alone or beside the login.
    pub(crate) api_key: Option<String>,
    /// `.codex/config.toml` of the project, which is a git repository.
    pub(crate) project_config: Option<String>,
    #[serde(default)]
    pub(crate) session: Vec<Session>,
    /// Files in the Codex home that are there but not read: name and size in megabytes.
    #[serde(default)]
    pub(crate) bulk_mb: BTreeMap<String, u64>,
    /// Megabytes left on the disk, of 250,000.
    #[serde(default = "usual_room")]
    pub(crate) free_disk_mb: u64,
    /// The error text that the person gives.
    pub(crate) error_text: Option<String>,
    /// What the network answers; without it the run is offline.
    pub(crate) network: Option<Network>,
    pub(crate) expected: Expected,
    /// The same against real servers.
    pub(crate) live: Option<Live>,
}

fn usual_room() -> u64 {
    60_000
}

fn usual_moment() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-29T16:10:00Z").unwrap().to_utc()
}

/// A ChatGPT login as auth.json stores it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Login {
    pub(crate) plan: String,
    /// The account that requests name.
    pub(crate) account: String,
    /// The account of the identity token, when it is another.
    pub(crate) token_account: Option<String>,
    /// When the access token was issued and ends, from now: `-2d`, `8d`.
    pub(crate) issued: Span,
    pub(crate) ends: Span,
    pub(crate) refreshed: Span,
    pub(crate) refreshable: bool,
    /// `auth_mode`, left out by old releases.
    pub(crate) mode: Option<String>,
}

impl Default for Login {
    fn default() -> Self {
        Self {
            plan: "plus".to_owned(),
            account: "acct-one".to_owned(),
            token_account: None,
            issued: Span(TimeDelta::days(-2)),
            ends: Span(TimeDelta::days(8)),
            refreshed: Span(TimeDelta::days(-2)),
            refreshable: true,
            mode: Some("chatgpt".to_owned()),
        }
    }
}

/// One thread.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Session {
    /// The release that wrote it: `0.171.0`, or `0.142.5`, which stores no errors.
    pub(crate) codex: String,
    pub(crate) originator: String,
    pub(crate) provider: String,
    pub(crate) model: String,
    /// Where it is kept: its rollout, or only the database of turns.
    pub(crate) kept: Kept,
    pub(crate) turn: Vec<Turn>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            codex: "0.171.0".to_owned(),
            originator: "codex_exec".to_owned(),
            provider: "openai".to_owned(),
            model: "gpt-6-sol".to_owned(),
            kept: Kept::Rollout,
            turn: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kept {
    Rollout,
    Database,
}

/// One turn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Turn {
    /// When it ended, before now: `5m`, `3h`.
    pub(crate) ago: Span,
    /// The session's model when left out.
    pub(crate) model: Option<String>,
    pub(crate) outcome: Outcome,
    pub(crate) error: Option<String>,
    /// `codex_error_info`.
    pub(crate) info: Option<serde_json::Value>,
    /// Tokens of the last request.
    pub(crate) tokens: Option<u64>,
    #[serde(default = "usual_window")]
    pub(crate) window: u64,
    pub(crate) limits: Option<Limits>,
}

fn usual_window() -> u64 {
    258_400
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Answered,
    Failed,
    /// Ended by Esc: `turn_aborted`.
    Interrupted,
    /// The process was killed: the record just stops.
    Killed,
}

/// The quota snapshot beside a turn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    /// Used percent of the windows and when they start anew.
    pub(crate) five_hours: Option<Window>,
    pub(crate) week: Option<Window>,
    #[serde(default = "usual_bucket")]
    pub(crate) bucket: String,
    pub(crate) name: Option<String>,
    #[serde(default = "usual_plan")]
    pub(crate) plan: String,
    pub(crate) credits: Option<bool>,
    pub(crate) reached: Option<String>,
}

fn usual_bucket() -> String {
    "codex".to_owned()
}

fn usual_plan() -> String {
    "plus".to_owned()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Window {
    pub(crate) used: f64,
    /// From now; negative when it has passed.
    pub(crate) resets: Span,
}

/// A time from now: `90s`, `5m`, `3h`, `-2d`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span(pub(crate) TimeDelta);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (number, unit) = text.split_at(text.len().saturating_sub(1));
        let number: i64 = number.parse().map_err(serde::de::Error::custom)?;
        Ok(Self(match unit {
            "s" => TimeDelta::seconds(number),
            "m" => TimeDelta::minutes(number),
            "h" => TimeDelta::hours(number),
            "d" => TimeDelta::days(number),
            _ => return Err(serde::de::Error::custom(format!("`{text}` has no unit"))),
        }))
    }
}

/// What the network answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Network {
    /// The operating system's lookup, and our own when it differs.
    #[serde(default = "usual_lookup")]
    pub(crate) system: Name,
    pub(crate) resolver: Option<Name>,
    /// The answer to the free request …
    pub(crate) answer: Option<Reply>,
    /// … or why none came.
    pub(crate) broken: Option<Broken>,
    /// How far the local clock is ahead of the server's: least and most, in seconds.
    #[serde(default = "usual_clock")]
    pub(crate) clock_ahead_s: [i64; 2],
}

fn usual_lookup() -> Name {
    Name::Addresses(vec!["104.18.6.192".parse().unwrap()])
}

fn usual_clock() -> [i64; 2] {
    [-1, 1]
}

/// A lookup: addresses, or `no-such-name`, `timeout`, or a response code.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Name {
    Addresses(Vec<std::net::IpAddr>),
    Word(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) shape: BodyShape,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) code: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) message: Option<String>,
    #[serde(default)]
    pub(crate) models: Vec<String>,
    pub(crate) redirect: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Broken {
    pub(crate) stage: Stage,
    pub(crate) fault: Fault,
    #[serde(default)]
    pub(crate) timed_out: bool,
    pub(crate) error: String,
}

/// The answer that is true and knowable from this evidence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    pub(crate) cause: String,
    pub(crate) kind: Option<String>,
    pub(crate) exit: u8,
    /// Why this is the right answer.
    pub(crate) why: String,
    /// Advice that must appear, and that must not.
    #[serde(default)]
    pub(crate) advice: Vec<String>,
    #[serde(default)]
    pub(crate) no_advice: Vec<String>,
    /// What may stand in no command to paste (an address of another provider).
    #[serde(default)]
    pub(crate) no_command_with: Vec<String>,
    /// Codes beside the cause.
    #[serde(default)]
    pub(crate) contributing: Vec<String>,
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// For `undetermined`: the two causes that are open, and what settles it.
    #[serde(default)]
    pub(crate) candidates: Vec<String>,
    pub(crate) settle: Option<String>,
}

/// What real servers answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Live {
    /// The key that `-c` sets to the lab's address: `openai_base_url`, `model_providers.relay.base_url`.
    pub(crate) key: String,
    /// The address for which the lab stands, wherever the script names it (an error carries the address of its request).
    pub(crate) stands_for: Option<String>,
    /// What stands behind the lab's origin.
    #[serde(default = "usual_path")]
    pub(crate) path: String,
    /// The lab's answers; without them nothing listens at the address.
    pub(crate) serves: Option<Scenario>,
    /// A second lab that plays the proxy; its address becomes this variable.
    pub(crate) proxy: Option<LiveProxy>,
    /// How many seconds the server's clock is behind this machine's.
    pub(crate) date_behind_s: Option<i64>,
}

fn usual_path() -> String {
    "/v1".to_owned()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveProxy {
    pub(crate) variable: String,
    /// Without it nothing listens there.
    pub(crate) serves: Option<Scenario>,
}

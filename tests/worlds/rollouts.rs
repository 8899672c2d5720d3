//! Threads as Codex writes them: rollout lines of 0.171.0 and 0.142.5, or rows of the turn database.

use std::fmt::Write as _;
use std::path::Path;

use chrono::{DateTime, FixedOffset, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use super::script::{Kept, Limits, Outcome, Script, Session, Turn, Window};

/// How long a made-up turn took.
const TURN: TimeDelta = TimeDelta::seconds(3);

/// Writes all sessions of a script into `home`.
pub(crate) fn write(script: &Script, home: &Path, project: &Path, now: DateTime<Utc>) {
    let mut rows = Vec::new();
    for (number, session) in script.session.iter().enumerate() {
        let writer = Writer { session, number, project, now };
        match session.kept {
            Kept::Rollout => writer.rollout(home, script.utc_offset_s),
            Kept::Database => rows.push(writer),
        }
    }
    if !rows.is_empty() {
        database(home, &rows);
    }
}

struct Writer<'a> {
    session: &'a Session,
    number: usize,
    project: &'a Path,
    now: DateTime<Utc>,
}

impl Writer<'_> {
    fn thread(&self) -> String {
        format!("01a22800-af49-7090-8cee-{:012x}", self.number)
    }

    fn turn_id(&self, number: usize) -> String {
        format!("01a22800-af9d-7071-{:04x}-{:012x}", 0x8000 + self.number, number)
    }

    fn rollout(&self, home: &Path, utc_offset_s: i32) {
        let turns = &self.session.turn;
        let begun = self.now - turns.iter().map(|turn| turn.ago.0).max().expect("a session has turns") - TURN;
        let ended = self.now - turns.iter().map(|turn| turn.ago.0).min().expect("a session has turns");
        let local = begun.with_timezone(&FixedOffset::east_opt(utc_offset_s).unwrap());
        let folder = home.join("sessions").join(local.format("%Y/%m/%d").to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("rollout-{}-{}.jsonl", local.format("%Y-%m-%dT%H-%M-%S"), self.thread()));
        let mut lines = Lines { text: String::new(), ordinal: self.session.codex.starts_with("0.171").then_some(0) };
        lines.push(begun, "session_meta", &self.meta(begun));
        for (number, turn) in turns.iter().enumerate() {
            self.turn(&mut lines, number, turn);
        }
        std::fs::write(&path, lines.text).unwrap();
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(ended.into()).unwrap();
    }

    fn meta(&self, begun: DateTime<Utc>) -> Value {
        json!({ "id": self.thread(), "timestamp": stamp(begun), "cwd": self.project, "originator": self.session.originator,
            "cli_version": self.session.codex, "source": "exec", "model_provider": self.session.provider })
    }

    fn turn(&self, lines: &mut Lines, number: usize, turn: &Turn) {
        let (id, ended) = (self.turn_id(number), self.now - turn.ago.0);
        let begun = ended - TURN;
        let model = turn.model.as_ref().unwrap_or(&self.session.model);
        let started =
            json!({ "type": "task_started", "turn_id": id, "started_at": begun.timestamp(), "model_context_window": turn.window });
        lines.push(begun, "event_msg", &started);
        lines.push(begun, "turn_context", &json!({ "turn_id": id, "cwd": self.project, "model": model, "effort": "medium" }));
        let answered = turn.outcome == Outcome::Answered;
        if answered {
            lines.push(ended, "event_msg", &json!({ "type": "agent_message", "message": "done" }));
        }
        if turn.tokens.is_some() || turn.limits.is_some() {
            lines.push(ended, "event_msg", &token_count(turn, self.now));
        }
        let message = if answered { json!("done") } else { Value::Null };
        let mut complete = json!({ "type": "task_complete", "turn_id": id, "last_agent_message": message, "started_at": begun.timestamp(),
            "completed_at": ended.timestamp(), "duration_ms": TURN.num_milliseconds() });
        match turn.outcome {
            Outcome::Answered => lines.push(ended, "event_msg", &complete),
            Outcome::Failed => {
                // Releases up to 0.144 store that the turn ended, and not why.
                if lines.ordinal.is_some() {
                    complete["error"] = json!({ "message": turn.error, "codex_error_info": turn.info });
                }
                lines.push(ended, "event_msg", &complete);
            }
            Outcome::Interrupted => {
                lines.push(ended, "event_msg", &json!({ "type": "turn_aborted", "turn_id": id, "reason": "interrupted" }));
            }
            Outcome::Killed => {}
        }
    }
}

/// The lines of a rollout; only 0.171.0 numbers them.
struct Lines {
    text: String,
    ordinal: Option<u64>,
}

impl Lines {
    fn push(&mut self, at: DateTime<Utc>, kind: &str, payload: &Value) {
        // Written by hand, because the order of the fields is that of Codex.
        let _ = write!(self.text, "{{\"timestamp\":\"{}\",", stamp(at));
        if let Some(ordinal) = &mut self.ordinal {
            let _ = write!(self.text, "\"ordinal\":{ordinal},");
            *ordinal += 1;
        }
        let _ = writeln!(self.text, "\"type\":\"{kind}\",\"payload\":{}}}", type_first(payload));
    }
}

/// The payload with its `type` before everything else.
fn type_first(payload: &Value) -> String {
    let mut rest = payload.clone();
    match rest.as_object_mut().and_then(|fields| fields.remove("type")) {
        Some(kind) => format!("{{\"type\":{kind},{}", &rest.to_string()[1..]),
        None => payload.to_string(),
    }
}

fn token_count(turn: &Turn, now: DateTime<Utc>) -> Value {
    let usage = turn.tokens.map(|tokens| json!({ "input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": 20, "reasoning_output_tokens": 0, "total_tokens": tokens + 20 }));
    let info =
        usage.map(|usage| json!({ "total_token_usage": usage, "last_token_usage": usage, "model_context_window": turn.window }));
    json!({ "type": "token_count", "info": info, "rate_limits": turn.limits.as_ref().map(|limits| rate_limits(limits, now)) })
}

fn rate_limits(limits: &Limits, now: DateTime<Utc>) -> Value {
    let window = |window: &Window, minutes: u32| json!({ "used_percent": window.used, "window_minutes": minutes, "resets_at": (now + window.resets.0).timestamp() });
    json!({ "limit_id": limits.bucket, "limit_name": limits.name, "plan_type": limits.plan, "rate_limit_reached_type": limits.reached,
        "primary": limits.five_hours.as_ref().map(|seen| window(seen, 300)),
        "secondary": limits.week.as_ref().map(|seen| window(seen, 10_080)),
        "credits": limits.credits.map(|has| json!({ "has_credits": has, "unlimited": false, "balance": "0" })) })
}

fn stamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Turns of which only the databases know.
fn database(home: &Path, writers: &[Writer<'_>]) {
    let turns = rusqlite::Connection::open(home.join("thread_history_1.sqlite")).unwrap();
    turns
        .execute_batch(
            "CREATE TABLE thread_turns (thread_id TEXT, turn_id TEXT, status TEXT, error_json TEXT, started_at INTEGER, completed_at INTEGER);",
        )
        .unwrap();
    let threads = rusqlite::Connection::open(home.join("state_5.sqlite")).unwrap();
    threads
        .execute_batch(
            "CREATE TABLE threads (id TEXT, model_provider TEXT, cli_version TEXT, originator TEXT, cwd TEXT, model TEXT);",
        )
        .unwrap();
    for writer in writers {
        let session = writer.session;
        let thread = (writer.thread(), &session.provider, &session.codex, &session.originator, "/srv/work", &session.model);
        threads.execute("INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5, ?6)", thread).unwrap();
        for (number, turn) in session.turn.iter().enumerate() {
            let ended = writer.now - turn.ago.0;
            let status = match turn.outcome {
                Outcome::Answered => "completed",
                Outcome::Failed => "failed",
                Outcome::Interrupted | Outcome::Killed => "interrupted",
            };
            let error = (turn.outcome == Outcome::Failed)
                .then(|| json!({ "message": turn.error, "codexErrorInfo": turn.info, "additionalDetails": null }).to_string());
            let row = (writer.thread(), writer.turn_id(number), status, error, (ended - TURN).timestamp(), ended.timestamp());
            turns.execute("INSERT INTO thread_turns VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).unwrap();
        }
    }
}

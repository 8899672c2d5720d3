//! A tree of rollouts as Codex 0.171 writes them, with every failed turn known.
//!
//! The sizes have a long tail, the failures gather in the afternoon, prompts and tools quote the errors, and some files are damaged.
//! The same arguments give the same bytes.

use std::fs::{File, FileTimes};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat};
use serde::Serialize;
use serde_json::{Value, json};

/// What to plant.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    /// Rollouts.
    pub files: u64,
    /// Their bytes, about.
    pub bytes: u64,
    /// Another seed, another tree.
    pub seed: u64,
    /// The days before `now` in which they were begun.
    pub days: u64,
    /// Seconds since 1970 of the newest possible beginning.
    pub now: u64,
}

/// A failed turn that was planted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Planted {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// Its thread.
    pub thread: String,
    /// Its id.
    pub turn: String,
    /// The model asked.
    pub model: String,
    /// The error's text.
    pub text: String,
    /// The error's code, in snake case.
    pub code: String,
}

/// All that was planted.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Truth {
    /// Rollouts, empty ones included.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Turns that ended.
    pub turns: u64,
    /// Those that failed, in the order of the files.
    pub failed: Vec<Planted>,
    /// Damaged lines.
    pub broken: u64,
}

const MODELS: [&str; 5] = ["gpt-5.4", "gpt-5.5", "gpt-6-sol", "gpt-6-luna", "gpt-5.4-mini"];
const CLIENTS: [&str; 4] = ["codex_exec", "codex-tui", "codex_vscode", "Codex Desktop"];
const SENTENCE: &str = "Selected model is at capacity. Please try a different model.";
const DAY_S: u64 = 86_400;
/// The hours of the day, UTC, in which servers are full.
const BUSY: std::ops::Range<u64> = 13..20;
const WORDS: [&str; 12] =
    ["read", "the", "file", "and", "test", "every", "branch", "of", "this", "patch", "again", "\\\"type\\\":\\\"task_complete\\\""];

/// Plants `tree` below `home`.
///
/// # Errors
/// When a file cannot be written.
pub fn plant(home: &Path, tree: &Tree) -> io::Result<Truth> {
    let mut random = fastrand::Rng::with_seed(tree.seed);
    let shares: Vec<f64> = (0..tree.files).map(|_| (1.0 - random.f64()).powf(-0.8)).collect();
    let whole: f64 = shares.iter().sum();
    let mut truth = Truth::default();
    for share in shares {
        let size = ((tree.bytes as f64 * share / whole) as u64).max(1_500);
        rollout(home, tree, size, &mut random, &mut truth)?;
    }
    Ok(truth)
}

fn rollout(home: &Path, tree: &Tree, size: u64, random: &mut fastrand::Rng, truth: &mut Truth) -> io::Result<()> {
    let mut start_s = tree.now - random.u64(0..tree.days * DAY_S);
    if random.bool() {
        start_s = start_s / DAY_S * DAY_S + random.u64(BUSY) * 3_600 + random.u64(0..3_600);
    }
    let mut at_ms = start_s.min(tree.now) * 1_000 + random.u64(0..1_000);
    let thread = id(at_ms, random);
    let began = at(at_ms);
    let folder = if random.u8(0..20) == 0 {
        home.join("archived_sessions")
    } else {
        home.join("sessions").join(began[..10].replace('-', "/"))
    };
    std::fs::create_dir_all(&folder)?;
    let named = |thread: &str| format!("rollout-{}-{thread}.jsonl", began[..19].replace(':', "-"));
    let mut lines = Lines::default();
    let model = MODELS[random.usize(..MODELS.len())];
    lines.put(
        at_ms,
        "session_meta",
        &json!({"id": thread, "timestamp": began, "cwd": format!("/srv/work/{}", random.u8(0..7)),
        "originator": CLIENTS[random.usize(..CLIENTS.len())], "cli_version": "0.171.0", "source": "cli", "model_provider": "openai",
        "base_instructions": {"text": "You are a coding agent."}, "history_mode": "paginated"}),
    );
    while (lines.bytes.len() as u64) < size {
        turn(&mut lines, &mut at_ms, &thread, model, size, random, truth);
    }
    if random.u8(0..50) == 0 {
        truth.broken += 1;
        let damage: &[u8] = match random.u8(0..4) {
            0 => b"]]no JSON{{ at capacity?\n",
            1 => b"{\"timestamp\":\"2026-11-29T15:51:34.553Z\",\"type\":\"response_item\",\"payload\":{\"text\":\"\xff\xfe\"}}\n",
            2 => &[0; 513],
            _ => b"{\"timestamp\":\"2026-11-29T15:51:34.553Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"task_comp",
        };
        lines.bytes.extend_from_slice(damage);
    }
    write(&folder.join(named(&thread)), &lines.bytes, at_ms)?;
    truth.files += 1;
    truth.bytes += lines.bytes.len() as u64;
    if random.u8(0..=255) == 0 {
        write(&folder.join(named(&id(at_ms, random))), b"", at_ms)?;
        truth.files += 1;
    }
    Ok(())
}

fn turn(lines: &mut Lines, at_ms: &mut u64, thread: &str, model: &str, size: u64, random: &mut fastrand::Rng, truth: &mut Truth) {
    let turn = id(*at_ms, random);
    truth.turns += 1;
    lines.put(
        *at_ms,
        "event_msg",
        &json!({"type": "task_started", "turn_id": turn, "started_at": *at_ms / 1_000, "model_context_window": 258_400}),
    );
    lines.put(
        *at_ms,
        "turn_context",
        &json!({"turn_id": turn, "cwd": "/srv/work", "approval_policy": "on-request", "model": model, "effort": "high"}),
    );
    let asked = if random.u8(0..30) == 0 { format!("What does this mean: {SENTENCE}") } else { words(random, 200) };
    lines.put(
        *at_ms,
        "response_item",
        &json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": asked}]}),
    );
    for _ in 0..random.u8(1..5) {
        *at_ms += random.u64(500..20_000);
        let left = size.saturating_sub(lines.bytes.len() as u64).max(200);
        let length = ((1.0 - random.f64()).powf(-0.9) * 900.0) as u64;
        lines.tool_output(*at_ms, &words(random, length.min(left) as usize));
    }
    let busy = BUSY.contains(&(*at_ms / 3_600_000 % 24));
    let error = (random.u8(0..100) < if busy { 20 } else { 3 }).then(|| error(random));
    *at_ms += random.u64(100..3_000);
    let tokens = random.u64(8_000..240_000);
    let window = |minutes: u64, random: &mut fastrand::Rng| json!({"used_percent": f64::from(random.u8(0..=100)), "window_minutes": minutes, "resets_at": *at_ms / 1_000 + minutes * 30});
    let info = if error.is_some() {
        Value::Null
    } else {
        json!({"last_token_usage": {"input_tokens": tokens, "total_tokens": tokens + 300}, "model_context_window": 258_400})
    };
    let limits = json!({"limit_id": "codex", "limit_name": null, "primary": window(300, random), "secondary": window(10_080, random),
        "credits": null, "plan_type": "plus", "rate_limit_reached_type": null});
    lines.put(*at_ms, "event_msg", &json!({"type": "token_count", "info": info, "rate_limits": limits}));
    let mut done = json!({"type": "task_complete", "turn_id": turn, "last_agent_message": null, "completed_at": *at_ms / 1_000});
    match error {
        Some((text, code, stored)) => {
            done["error"] = json!({"message": text, "codex_error_info": stored});
            let (thread, model, code) = (thread.to_owned(), model.to_owned(), code.to_owned());
            truth.failed.push(Planted { at_ms: *at_ms, thread, turn, model, text, code });
        }
        None => done["last_agent_message"] = "Done.".into(),
    }
    lines.put(*at_ms, "event_msg", &done);
    *at_ms += random.u64(5_000..900_000);
}

/// An error as Codex stores it: text, code, and what stands as code.
fn error(random: &mut fastrand::Rng) -> (String, &'static str, Value) {
    match random.u8(0..10) {
        0..6 => (SENTENCE.to_owned(), "server_overloaded", "server_overloaded".into()),
        6 => {
            let text = "rate limit exceeded: Rate limit reached for gpt-5.4 on tokens per min (TPM). Please try again in 1.054s.";
            (text.to_owned(), "rate_limit_exceeded", "rate_limit_exceeded".into())
        }
        7 => (
            "You\u{2019}ve hit your usage limit. Try again at 4:53 PM.".to_owned(),
            "usage_limit_exceeded",
            "usage_limit_exceeded".into(),
        ),
        8 => {
            let request: u64 = random.u64(..);
            let text = format!("exceeded retry limit, last status: 429 Too Many Requests, request id: req_{request:016x}");
            (text, "response_too_many_failed_attempts", json!({"response_too_many_failed_attempts": {"http_status_code": 429}}))
        }
        _ => {
            let text = "stream disconnected before completion: stream closed before response.completed";
            (text.to_owned(), "response_stream_disconnected", json!({"response_stream_disconnected": {"http_status_code": null}}))
        }
    }
}

#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    ordinal: u64,
}

impl Lines {
    fn begin(&mut self, at_ms: u64, kind: &str) {
        let start = format!(r#"{{"timestamp":"{}","ordinal":{},"type":"{kind}","payload":"#, at(at_ms), self.ordinal);
        self.ordinal += 1;
        self.bytes.extend_from_slice(start.as_bytes());
    }

    /// The `type` of a payload stands first, as Codex writes it.
    fn put(&mut self, at_ms: u64, kind: &str, payload: &Value) {
        self.begin(at_ms, kind);
        let mut fields = payload.as_object().cloned().unwrap_or_default();
        let first = fields.remove("type").map(|kind| format!("\"type\":{kind},")).unwrap_or_default();
        let rest = Value::Object(fields).to_string();
        self.bytes.extend_from_slice(format!("{{{first}{}}}\n", &rest[1..]).as_bytes());
    }

    fn tool_output(&mut self, at_ms: u64, output: &str) {
        self.begin(at_ms, "response_item");
        let payload = format!("{{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"{output}\"}}}}\n");
        self.bytes.extend_from_slice(payload.as_bytes());
    }
}

fn words(random: &mut fastrand::Rng, length: usize) -> String {
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        text.push_str(WORDS[random.usize(..WORDS.len())]);
        text.push(' ');
    }
    text
}

/// An id of version 7.
fn id(at_ms: u64, random: &mut fastrand::Rng) -> String {
    let (low, high) = (random.u16(..) & 0xfff, random.u64(..) >> 4);
    let tail = format!("{high:015x}");
    format!("{:08x}-{:04x}-7{low:03x}-8{}-{}", at_ms >> 16, at_ms & 0xffff, &tail[..3], &tail[3..])
}

/// `2026-11-29T15:51:34.553Z`
fn at(at_ms: u64) -> String {
    let moment = DateTime::from_timestamp_millis(at_ms.cast_signed()).unwrap_or_default();
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn write(path: &Path, bytes: &[u8], at_ms: u64) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_millis(at_ms)))
}

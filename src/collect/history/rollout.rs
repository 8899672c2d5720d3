//! One rollout file, line by line: which turns it holds and how they ended.

mod events;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::lines::Line;
use super::record::{self, Interest};
use super::turn::{Fault, Header, Outcome, Snapshot, Turn};

/// Texts longer than this are cut: no error needs more.
const LONGEST_TEXT: usize = 16 * 1024;

/// What a rollout holds.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    pub(super) turns: Vec<Turn>,
    pub(super) snapshots: Vec<Snapshot>,
    pub(super) broken_records: u64,
}

/// Reads lines in their order.
pub(super) struct Reader {
    header: Arc<Header>,
    named: bool,
    models: HashMap<String, Arc<str>>,
    model: Option<Arc<str>>,
    open: Option<Open>,
    context_tokens: Option<u64>,
    context_window: Option<u64>,
    heard: Stamp,
    /// Set once lines were left out: then their numbers are unknown.
    gap: bool,
    /// Whether the last line has no end and is no record.
    half_line: bool,
    first_after_gap: Option<DateTime<Utc>>,
    found: Rollout,
}

/// The time of a line as it stands there; taken apart only when it is needed.
#[derive(Default)]
struct Stamp(Vec<u8>);

impl Stamp {
    fn of(&mut self, line: &[u8]) {
        if let Some(stamp) = record::stamp(line) {
            self.0.clear();
            self.0.extend_from_slice(stamp);
        }
    }

    fn moment(&self) -> Option<DateTime<Utc>> {
        let text = std::str::from_utf8(&self.0).ok()?;
        DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
    }
}

/// A turn that began and has not ended.
struct Open {
    id: Option<String>,
    answered: bool,
    /// Its tokens were counted, which happens at the end of an answer.
    counted: bool,
    compacted: bool,
    asked: bool,
    fault: Option<(Fault, bool)>,
    line: u64,
    began: Option<DateTime<Utc>>,
}

impl Reader {
    pub(super) fn new(source: &Path) -> Self {
        Self {
            header: Arc::new(Header { source: source.to_path_buf(), ..Header::default() }),
            named: false,
            models: HashMap::new(),
            model: None,
            open: None,
            context_tokens: None,
            context_window: None,
            heard: Stamp::default(),
            gap: false,
            half_line: false,
            first_after_gap: None,
            found: Rollout::default(),
        }
    }

    /// Says that lines were left out before the next one.
    pub(super) fn leave_gap(&mut self) {
        self.gap = true;
    }

    /// The time of the first line after the gap.
    pub(super) fn first_after_gap(&self) -> Option<DateTime<Utc>> {
        self.first_after_gap
    }

    /// Takes the next line.
    pub(super) fn take(&mut self, line: &Line<'_>) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        self.judge(line);
        self.heard.of(line.bytes);
        if self.gap && self.first_after_gap.is_none() {
            self.first_after_gap = self.heard.moment();
        }
    }

    fn judge(&mut self, line: &Line<'_>) {
        match record::interest(line.bytes) {
            _ if !line.whole => self.take_head(line),
            Interest::Parse | Interest::Unfamiliar => match serde_json::from_slice::<Value>(line.bytes) {
                Ok(Value::Object(record)) => self.record(&Value::Object(record), line.number),
                _ => self.broken(line),
            },
            interest => {
                if !record::looks_whole(line.bytes) {
                    self.broken(line);
                }
                self.mark(interest);
            }
        }
    }

    /// A last line without its end may be in the middle of being written: that shows at the end.
    fn broken(&mut self, line: &Line<'_>) {
        if line.ended {
            self.found.broken_records += 1;
        } else {
            self.half_line = true;
        }
    }

    fn mark(&mut self, interest: Interest) {
        if let Some(open) = &mut self.open {
            open.answered |= interest == Interest::Answer;
            open.compacted |= interest == Interest::Compaction;
        }
    }

    /// A line too long to be parsed: what its beginning tells. Of those that matter, only an answer and the instructions of a session can be that long.
    fn take_head(&mut self, line: &Line<'_>) {
        let interest = record::interest(line.bytes);
        self.mark(interest);
        if !matches!(interest, Interest::Parse | Interest::Unfamiliar) {
            return;
        }
        self.found.broken_records += 1;
        if interest == Interest::Unfamiliar {
            return;
        }
        let field = |name: &str| record::field(line.bytes, name).map(Value::from);
        let mut payload = serde_json::Map::new();
        for name in ["type", "turn_id", "id", "cwd", "originator", "cli_version", "model_provider", "model", "last_agent_message"] {
            payload.extend(field(name).map(|value| (name.to_owned(), value)));
        }
        let is_event = memchr::memmem::find(line.bytes, b"\"type\":\"event_msg\"").is_some_and(|place| place < 200);
        let kind = if is_event { "event_msg".into() } else { field("type").unwrap_or_default() };
        if is_event {
            let event = ["task_complete", "turn_complete"]
                .into_iter()
                .find(|event| memchr::memmem::find(line.bytes, format!("\"payload\":{{\"type\":\"{event}\"").as_bytes()).is_some());
            // An answer of megabytes is an answer, whatever it says.
            let answered = memchr::memmem::find(line.bytes, b"\"last_agent_message\":\"").is_some();
            payload.insert("type".to_owned(), event.unwrap_or_default().into());
            payload.insert("last_agent_message".to_owned(), if answered { "".into() } else { Value::Null });
        }
        let record = serde_json::json!({"timestamp": field("timestamp"), "type": kind, "payload": payload});
        self.record(&record, line.number);
    }

    fn record(&mut self, record: &Value, line: u64) {
        let at = text(record, "timestamp").and_then(|at| DateTime::parse_from_rfc3339(at).ok()).map(|at| at.to_utc());
        let payload = record.get("payload").unwrap_or(&Value::Null);
        match text(record, "type") {
            Some("session_meta") => self.session(payload),
            Some("turn_context") => self.context(payload),
            Some("compacted") => self.mark(Interest::Compaction),
            Some("event_msg") => self.event(payload, at, line),
            _ => {}
        }
    }

    /// What the file held. `being_written` says whether a turn without an end may go on right now.
    pub(super) fn finish(mut self, being_written: impl Fn(Option<DateTime<Utc>>) -> bool) -> Rollout {
        let running = being_written(self.heard.moment());
        let before = self.found.turns.len();
        self.abandon();
        self.found.broken_records += u64::from(self.half_line && !running);
        if running {
            for turn in &mut self.found.turns[before..] {
                if turn.outcome == Outcome::Interrupted {
                    turn.outcome = Outcome::Running;
                }
            }
        }
        self.found
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// `text` without what is beyond any error's length.
pub(super) fn cut(text: &str) -> String {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

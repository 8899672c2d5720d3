//! One rollout file, line by line: which turns it holds and how they ended.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::limits;
use super::lines::Line;
use super::record::{self, Interest};
use super::turn::{Fault, Header, Outcome, Snapshot, Turn};

/// The first release that stores a failed turn's error is one of 0.145 to 0.150; all before 0.145 store none. A turn of a newer one that ends
/// without an answer and without an error did not fail.
const STORES_ERRORS_SINCE: (u64, u64) = (0, 150);
/// A stored end that differs more than this from the line's own time means that the line was copied (a forked thread).
const COPIED_S: i64 = 60;
/// More quota buckets than any turn has.
const BUCKETS: usize = 16;
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
    last_heard: Option<DateTime<Utc>>,
    found: Rollout,
}

/// A turn that began and has not ended.
struct Open {
    id: Option<String>,
    answered: bool,
    compacted: bool,
    asked: bool,
    fault: Option<(Fault, bool)>,
    line: u64,
    last_heard: Option<DateTime<Utc>>,
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
            last_heard: None,
            found: Rollout::default(),
        }
    }

    /// Takes the next line.
    pub(super) fn take(&mut self, line: &Line<'_>) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        match record::interest(line.bytes) {
            _ if !line.whole => self.take_head(line),
            Interest::Parse | Interest::Unfamiliar => match serde_json::from_slice::<Value>(line.bytes) {
                Ok(Value::Object(record)) => self.record(&Value::Object(record), line.number),
                _ => self.found.broken_records += 1,
            },
            interest => {
                if !record::looks_whole(line.bytes) {
                    self.found.broken_records += 1;
                }
                self.mark(interest);
            }
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
        if interest != Interest::Parse {
            return;
        }
        self.found.broken_records += 1;
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
        if at.is_some() {
            self.last_heard = at;
            if let Some(open) = &mut self.open {
                open.last_heard = at;
            }
        }
        let payload = record.get("payload").unwrap_or(&Value::Null);
        match text(record, "type") {
            Some("session_meta") => self.session(payload),
            Some("turn_context") => self.context(payload),
            Some("compacted") => self.mark(Interest::Compaction),
            Some("event_msg") => self.event(payload, at, line),
            _ => {}
        }
    }

    /// The first session record names the thread; later ones in a forked thread are those of its ancestors.
    fn session(&mut self, payload: &Value) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        let header = Arc::make_mut(&mut self.header);
        let own = |name: &str| text(payload, name).map(str::to_owned);
        header.thread = own("id");
        header.provider = own("model_provider");
        header.originator = own("originator");
        header.version = own("cli_version");
        header.directory = own("cwd");
    }

    fn context(&mut self, payload: &Value) {
        if let Some(open) = &mut self.open {
            open.asked = true;
        }
        let Some(model) = text(payload, "model") else { return };
        let model = self.shared(model);
        if let Some(turn) = text(payload, "turn_id") {
            self.models.insert(turn.to_owned(), Arc::clone(&model));
        }
        self.model = Some(model);
    }

    fn shared(&self, name: &str) -> Arc<str> {
        match &self.model {
            Some(model) if **model == *name => Arc::clone(model),
            _ => Arc::from(name),
        }
    }

    fn event(&mut self, payload: &Value, at: Option<DateTime<Utc>>, line: u64) {
        match text(payload, "type").unwrap_or_default() {
            "task_started" | "turn_started" => self.started(payload, at, line),
            "task_complete" | "turn_complete" => self.completed(payload, at, line),
            "turn_aborted" => self.aborted(payload, at, line),
            "token_count" => self.counted(payload, at),
            "thread_settings_applied" => self.settings(payload),
            "agent_message" => self.mark(Interest::Answer),
            "error" => self.fault(payload, at, line, true),
            "stream_error" => self.fault(payload, at, line, false),
            _ => {}
        }
    }

    fn started(&mut self, payload: &Value, at: Option<DateTime<Utc>>, line: u64) {
        self.abandon();
        if let Some(window) = payload.get("model_context_window").and_then(Value::as_u64) {
            self.context_window = Some(window);
        }
        let id = text(payload, "turn_id").map(str::to_owned);
        let last_heard = at.or_else(|| moment(payload, "started_at"));
        self.open = Some(Open { id, answered: false, compacted: false, asked: false, fault: None, line, last_heard });
    }

    fn completed(&mut self, payload: &Value, at: Option<DateTime<Utc>>, line: u64) {
        let id = text(payload, "turn_id").map(str::to_owned);
        let open = self.take_open(id.as_deref());
        let stored = payload.get("error").filter(|error| !error.is_null()).map(fault_of);
        let answer = payload.get("last_agent_message").is_some_and(|answer| !answer.is_null());
        let legacy = open.as_ref().and_then(|open| open.fault.clone()).filter(|(_, last)| *last).map(|(fault, _)| fault);
        let (outcome, fault) = match (stored.or(legacy), answer) {
            (Some(fault), _) => (Outcome::Failed, Some(fault)),
            (None, true) => (Outcome::Success, None),
            (None, false) if self.failed_without_word(open.as_ref()) => (Outcome::Failed, None),
            (None, false) => (Outcome::Nothing, None),
        };
        self.end(id, at, moment(payload, "completed_at"), outcome, fault, line);
    }

    /// Releases that store no error leave a failed turn that asked the model and got no word from it.
    fn failed_without_word(&self, open: Option<&Open>) -> bool {
        let old = self.header.version.as_deref().and_then(major_minor).is_some_and(|version| version < STORES_ERRORS_SINCE);
        old && open.is_some_and(|open| open.asked && !open.answered && !open.compacted)
    }

    fn aborted(&mut self, payload: &Value, at: Option<DateTime<Utc>>, line: u64) {
        let id = text(payload, "turn_id").map(str::to_owned);
        let notice = self.take_open(id.as_deref()).and_then(|open| open.fault).map(|(fault, _)| fault);
        // A review that ends is no fault.
        let outcome = if text(payload, "reason") == Some("review_ended") { Outcome::Nothing } else { Outcome::Interrupted };
        self.end(id, at, moment(payload, "completed_at"), outcome, notice, line);
    }

    /// `error` and `stream_error` of old releases: the first is final, the second a notice of a retry.
    fn fault(&mut self, payload: &Value, at: Option<DateTime<Utc>>, line: u64, last: bool) {
        let fault = fault_of(payload);
        match &mut self.open {
            Some(open) => {
                if last || !matches!(open.fault, Some((_, true))) {
                    open.fault = Some((fault, last));
                    open.line = line;
                }
            }
            // Releases that do not record the beginning of a turn.
            None if last => self.end(None, at, None, Outcome::Failed, Some(fault), line),
            None => {}
        }
    }

    fn counted(&mut self, payload: &Value, at: Option<DateTime<Utc>>) {
        if let Some(info) = payload.get("info").filter(|info| info.is_object()) {
            let last = info.get("last_token_usage");
            let tokens = |name: &str| last?.get(name)?.as_u64();
            self.context_tokens = tokens("total_tokens").or_else(|| tokens("input_tokens")).or(self.context_tokens);
            self.context_window = info.get("model_context_window").and_then(Value::as_u64).or(self.context_window);
        }
        let (Some(at), Some(limits)) = (at, payload.get("rate_limits")) else { return };
        let Some(mut snapshot) = limits::snapshot(&self.header, at, limits) else { return };
        snapshot.turn = self.open.as_ref().and_then(|open| open.id.clone());
        snapshot.model = self.model_of(snapshot.turn.as_deref());
        // Every answer of a turn carries one; the last of each bucket tells all.
        let latest = self.found.snapshots.iter_mut().rev().take(BUCKETS);
        let same = |known: &&mut Snapshot| known.turn == snapshot.turn && known.bucket == snapshot.bucket;
        match latest.filter(|_| snapshot.turn.is_some()).find(same) {
            Some(known) => *known = snapshot,
            None => self.found.snapshots.push(snapshot),
        }
    }

    fn settings(&mut self, payload: &Value) {
        let another =
            text(payload, "thread_id").is_some_and(|thread| self.header.thread.as_deref().is_some_and(|own| own != thread));
        let Some(settings) = payload.get("thread_settings").filter(|_| !another) else { return };
        if let Some(provider) = text(settings, "model_provider_id")
            && self.header.provider.as_deref() != Some(provider)
        {
            // A resumed thread may go on with another provider than it began with.
            Arc::make_mut(&mut self.header).provider = Some(provider.to_owned());
        }
        if let Some(model) = text(settings, "model") {
            self.model = Some(self.shared(model));
        }
    }

    fn model_of(&self, turn: Option<&str>) -> Option<Arc<str>> {
        turn.and_then(|turn| self.models.get(turn)).or(self.model.as_ref()).cloned()
    }

    fn take_open(&mut self, id: Option<&str>) -> Option<Open> {
        let same = |open: &Open| id.is_none() || open.id.is_none() || open.id.as_deref() == id;
        if self.open.as_ref().is_some_and(same) {
            return self.open.take();
        }
        None
    }

    fn end(
        &mut self,
        id: Option<String>,
        at: Option<DateTime<Utc>>,
        stored: Option<DateTime<Utc>>,
        outcome: Outcome,
        fault: Option<Fault>,
        line: u64,
    ) {
        let at = match (at, stored) {
            (Some(at), Some(stored)) if (at - stored).num_seconds().abs() > COPIED_S => stored,
            (Some(at), _) => at,
            (None, Some(stored)) => stored,
            (None, None) => match self.last_heard {
                Some(at) => at,
                None => return,
            },
        };
        self.found.turns.push(Turn {
            header: Arc::clone(&self.header),
            model: self.model_of(id.as_deref()),
            id,
            at,
            outcome,
            fault: fault.map(Box::new),
            context_tokens: self.context_tokens,
            context_window: self.context_window,
            line: Some(line),
        });
    }

    /// A turn that never ended, because the next one began or the file ends.
    fn abandon(&mut self) {
        let Some(open) = self.open.take() else { return };
        let (fault, last) = open.fault.map_or((None, false), |(fault, last)| (Some(fault), last));
        let outcome = if last { Outcome::Failed } else { Outcome::Interrupted };
        self.end(open.id, open.last_heard, None, outcome, fault, open.line);
    }

    /// What the file held. `being_written` says whether a turn without an end may go on right now.
    pub(super) fn finish(mut self, being_written: impl Fn(Option<DateTime<Utc>>) -> bool) -> Rollout {
        let running = being_written(self.last_heard);
        let before = self.found.turns.len();
        self.abandon();
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

fn moment(payload: &Value, name: &str) -> Option<DateTime<Utc>> {
    payload.get(name).and_then(Value::as_i64).and_then(|seconds| DateTime::from_timestamp(seconds, 0))
}

/// The fault in `error` of a turn's end, or in an `error` event.
fn fault_of(error: &Value) -> Fault {
    let message = error.as_str().or_else(|| text(error, "message"));
    let (info, status) = record::error_info(error.get("codex_error_info").or_else(|| error.get("codexErrorInfo")));
    Fault { text: message.map(cut), info, status }
}

/// `text` without what is beyond any error's length.
pub(super) fn cut(text: &str) -> String {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn major_minor(version: &str) -> Option<(u64, u64)> {
    let mut parts = version.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

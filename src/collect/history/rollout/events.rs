//! What each kind of record means for the turns of a thread.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Open, Reader, cut, text};
use crate::collect::history::limits;
use crate::collect::history::record::{self, Interest};
use crate::collect::history::turn::{Fault, Outcome, Snapshot, Turn};

/// The first release that stores a failed turn's error is one of 0.145 to 0.150; all before 0.145 store none. A turn of a newer one that ends
/// without an answer and without an error did not fail.
const STORES_ERRORS_SINCE: (u64, u64) = (0, 150);
/// A stored end that differs more than this from the line's own time means that the line was copied (a forked thread).
const COPIED_S: i64 = 60;
/// More quota buckets than any turn has.
const BUCKETS: usize = 16;

impl Reader {
    /// The first session record names the thread; later ones in a forked thread are those of its ancestors.
    pub(super) fn session(&mut self, payload: &Value) {
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

    pub(super) fn context(&mut self, payload: &Value) {
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

    pub(super) fn event(&mut self, payload: &Value, at: Option<DateTime<Utc>>, line: u64) {
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
        let began = at.or_else(|| moment(payload, "started_at"));
        self.open = Some(Open { id, answered: false, counted: false, compacted: false, asked: false, fault: None, line, began });
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

    /// Releases that store no error leave a failed turn that asked the model and got no word from it, or got some and never a
    /// whole answer: then its tokens were not counted.
    fn failed_without_word(&self, open: Option<&Open>) -> bool {
        let old = self.header.version.as_deref().and_then(major_minor).is_some_and(|version| version < STORES_ERRORS_SINCE);
        old && open.is_some_and(|open| open.asked && !(open.answered && open.counted) && !open.compacted)
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
            Some(Open { fault: Some((_, true)), .. }) if !last => {}
            Some(open) => {
                open.fault = Some((fault, last));
                open.line = line;
            }
            // Releases that do not record the beginning of a turn.
            None if last => self.end(None, at, None, Outcome::Failed, Some(fault), line),
            None => {}
        }
    }

    fn counted(&mut self, payload: &Value, at: Option<DateTime<Utc>>) {
        if let Some(info) = payload.get("info").filter(|info| info.is_object()) {
            if let Some(open) = &mut self.open {
                open.counted = true;
            }
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
            (None, None) => match self.heard.moment() {
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
            line: (!self.gap).then_some(line),
            row: false,
        });
    }

    /// A turn that never ended, because the next one began or the file ends.
    pub(super) fn abandon(&mut self) {
        let Some(open) = self.open.take() else { return };
        let (fault, last) = open.fault.map_or((None, false), |(fault, last)| (Some(fault), last));
        let outcome = if last { Outcome::Failed } else { Outcome::Interrupted };
        let last_heard = self.heard.moment().max(open.began);
        self.end(open.id, last_heard, None, outcome, fault, open.line);
    }
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

fn major_minor(version: &str) -> Option<(u64, u64)> {
    let mut parts = version.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

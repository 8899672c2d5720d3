//! What each kind of record means for the turns of a thread.

use super::{Open, Reader};
use crate::collect::history::brief::{Brief, Key};
use crate::collect::history::fault;
use crate::collect::history::json::Raw;
use crate::collect::history::record::{Counted, Ended, Failure, Interest, Record, Session, Settings, Started, TurnContext};
use crate::collect::history::turn::{Fault, Names, Outcome, Turn};
use crate::collect::history::word::{Id, Word};

/// The first release that stores a failed turn's error is one of 0.145 to 0.150; all before 0.145 store none. A turn of a newer one that ends
/// without an answer and without an error did not fail.
const STORES_ERRORS_SINCE: (u64, u64) = (0, 150);
/// A stored end that differs more than this from the line's own time means that the line was copied (a forked thread).
const COPIED_MS: i64 = 60_000;

impl Reader {
    /// Takes a record, of the time `at`.
    pub(super) fn record(&mut self, record: &Record<'_>, at: Option<i64>, line: u64) {
        match record {
            Record::Session(session) => self.session(session),
            Record::Context(context) => self.context(context),
            Record::Compacted => self.mark(Interest::Compaction),
            Record::Started(started) => self.started(started, at, line),
            Record::Answered => self.mark(Interest::Answer),
            Record::Counted(counted) => self.counted(counted, at),
            Record::Completed(ended) => self.completed(ended, at, line),
            Record::Aborted(ended) => self.aborted(ended, at, line),
            Record::Settings(settings) => self.settings(settings),
            Record::Failed(failure) => self.fault(failure, at, line, true),
            Record::Retried(failure) => self.fault(failure, at, line, false),
            Record::Other => {}
        }
    }

    /// The first session record names the thread; later ones in a forked thread are those of its ancestors.
    fn session(&mut self, session: &Session<'_>) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        let header = &mut self.found.header;
        let thread = session.id.text();
        self.thread_time = thread.as_deref().and_then(time);
        header.thread = thread.map(|id| Id::from(&*id));
        header.originator = session.originator.word();
        header.version = session.cli_version.word();
        header.directory = session.cwd.word();
        self.names.provider = session.model_provider.word();
        self.names.account = session.creator_account_id.word();
        self.place_of_names = None;
    }

    fn context(&mut self, context: &TurnContext<'_>) {
        if let Some(open) = &mut self.open {
            open.asked = true;
        }
        let Some(model) = context.model.text() else { return };
        self.set_model(&model);
        if let Some(turn) = context.turn_id.text() {
            let place = self.place_of_names();
            self.told.rotate_right(1);
            self.told[0] = Some((self.key_of(&turn), place));
        }
    }

    fn set_model(&mut self, model: &str) {
        if self.names.model.as_deref() != Some(model) {
            self.names.model = Some(Word::from(model));
            self.place_of_names = None;
        }
    }

    fn started(&mut self, started: &Started<'_>, at: Option<i64>, line: u64) {
        self.abandon();
        if let Some(window) = started.model_context_window.number() {
            self.context_window = Some(window);
        }
        let began = at.or_else(|| seconds(started.started_at));
        if let Some(began) = began {
            self.found.context.begins(began);
        }
        let id = started.turn_id.text().map(|id| {
            let mut kept = std::mem::take(&mut self.spare);
            kept.clear();
            kept.push_str(&id);
            kept
        });
        let key = id.as_deref().map(|id| self.key_of(id));
        self.open = Some(Open { id, key, line, began, ..Open::default() });
    }

    fn completed(&mut self, ended: &Ended<'_>, at: Option<i64>, line: u64) {
        let id = ended.turn_id.text();
        let open = self.take_open(id.as_deref());
        let stored = ended.error.is_there().then(|| fault::of_error(ended.error));
        let answer = ended.last_agent_message.is_there();
        let legacy = open.as_ref().and_then(|open| open.fault.clone()).filter(|(_, last)| *last).map(|(fault, _)| fault);
        let (outcome, fault) = match (stored.or(legacy), answer) {
            (Some(fault), _) => (Outcome::Failed, Some(fault)),
            (None, true) => (Outcome::Success, None),
            (None, false) if self.failed_without_word(open.as_ref()) => (Outcome::Failed, None),
            (None, false) => (Outcome::Nothing, None),
        };
        let open = self.named(open.unwrap_or_default(), id.as_deref(), line);
        self.end(open, at, seconds(ended.completed_at), outcome, fault);
    }

    /// Releases that store no error leave a failed turn that asked the model and got no word from it, or got some and never a
    /// whole answer: then its tokens were not counted.
    fn failed_without_word(&self, open: Option<&Open>) -> bool {
        let old = self.found.header.version.as_deref().and_then(major_minor).is_some_and(|version| version < STORES_ERRORS_SINCE);
        old && open.is_some_and(|open| open.asked && !(open.answered && open.counted) && !open.compacted)
    }

    fn aborted(&mut self, ended: &Ended<'_>, at: Option<i64>, line: u64) {
        let id = ended.turn_id.text();
        let open = self.take_open(id.as_deref()).unwrap_or_default();
        let notice = open.fault.clone().map(|(fault, _)| fault);
        // A review that ends is no fault.
        let reviewed = ended.reason.text().as_deref() == Some("review_ended");
        let outcome = if reviewed { Outcome::Nothing } else { Outcome::Interrupted };
        let open = self.named(open, id.as_deref(), line);
        self.end(open, at, seconds(ended.completed_at), outcome, notice);
    }

    /// `error` and `stream_error` of old releases: the first is final, the second a notice of a retry.
    fn fault(&mut self, failure: &Failure<'_>, at: Option<i64>, line: u64, last: bool) {
        let fault = fault::of_parts(failure.message, failure.codex_error_info);
        match &mut self.open {
            Some(Open { fault: Some((_, true)), .. }) if !last => {}
            Some(open) => {
                open.fault = Some((fault, last));
                open.line = line;
            }
            // Releases that do not record the beginning of a turn.
            None if last => self.end(Open { line, ..Open::default() }, at, None, Outcome::Failed, Some(fault)),
            None => {}
        }
    }

    fn counted(&mut self, counted: &Counted<'_>, at: Option<i64>) {
        if counted.info.is_there() {
            let tokens = counted.tokens();
            if let Some(open) = &mut self.open {
                open.counted = true;
            }
            self.context_tokens = tokens.or(self.context_tokens);
            self.context_window = counted.model_context_window.number().or(self.context_window);
            self.found.context.grew_to(tokens);
        }
        let (Some(at), Some(limits)) = (at, counted.rate_limits.json()) else { return };
        let told = self.told_names(self.open.as_ref().and_then(|open| open.key));
        let names = told.unwrap_or_else(|| self.place_of_names());
        let turn = self.open.as_ref().and_then(|open| open.id.as_deref());
        self.limits.take(limits, at, turn, names, &mut self.found.snapshots);
    }

    fn settings(&mut self, settings: &Settings<'_>) {
        let own = self.found.header.thread.as_ref();
        let another = settings.thread_id.text().is_some_and(|thread| own.is_some_and(|own| *own != Id::from(&*thread)));
        if another {
            return;
        }
        let (mut model, mut provider) = (Raw::default(), Raw::default());
        settings.thread_settings.fields(|key, value| match key {
            "model" => model = value,
            "model_provider_id" => provider = value,
            _ => {}
        });
        // A resumed thread may go on with another provider than it began with.
        if let Some(provider) = provider.word() {
            self.names.provider = Some(provider);
            self.place_of_names = None;
        }
        if let Some(model) = model.text() {
            self.set_model(&model);
        }
    }

    fn key_of(&self, turn: &str) -> Key {
        Key::of_id(turn, self.found.header.thread.as_ref())
    }

    /// `open` with the id and the line of its end.
    fn named(&self, open: Open, id: Option<&str>, line: u64) -> Open {
        if open.id.as_deref() == id {
            return Open { line, ..open };
        }
        Open { id: id.map(str::to_owned), key: id.map(|id| self.key_of(id)), line, ..open }
    }

    fn take_open(&mut self, id: Option<&str>) -> Option<Open> {
        let same = |open: &Open| id.is_none() || open.id.is_none() || open.id.as_deref() == id;
        if self.open.as_ref().is_some_and(same) {
            return self.open.take();
        }
        None
    }

    fn end(&mut self, open: Open, at: Option<i64>, stored: Option<i64>, outcome: Outcome, fault: Option<Fault>) {
        let at_ms = match (at, stored) {
            (Some(at), Some(stored)) if (at - stored).abs() > COPIED_MS => stored,
            (Some(at), _) => at,
            (None, Some(stored)) => stored,
            (None, None) => match self.heard.ms() {
                Some(at) => at,
                None => return,
            },
        };
        let key = open.key.unwrap_or_else(|| Key::of_place(&self.place, open.line));
        let names = self.names_of(open.key);
        let context = &mut self.found.context;
        context.turns += 1;
        context.names = names;
        if open.began.is_none() {
            context.begins(at_ms);
        }
        context.last_ms = context.last_ms.max(Some(at_ms));
        let compacting = fault.as_ref().is_some_and(Fault::is_of_compaction);
        if compacting {
            context.failed_compactions += 1;
            context.last_failed_compaction = fault.clone().map(|fault| (at_ms, fault));
        }
        context.window = self.context_window.or(context.window);
        let number = context.turns;
        // A turn that is older than the thread in whose file it stands was copied: the thread is a fork.
        let copied = open.id.as_deref().and_then(time).zip(self.thread_time).is_some_and(|(turn, thread)| turn < thread);
        self.found.briefs.push(Brief::new(key, at_ms, outcome, copied, names));
        self.limits.turn_ended(open.id.as_deref(), outcome == Outcome::Failed, &mut self.found.snapshots);
        if !matches!(outcome, Outcome::Success | Outcome::Nothing) || self.every_turn {
            self.found.turns.push(Turn {
                key,
                id: open.id.as_deref().map(Id::from),
                at_ms,
                began_ms: open.began,
                outcome,
                names,
                fault,
                context_tokens: self.context_tokens,
                context_window: self.context_window,
                number: (!self.gap).then_some(number),
                tool_results: open.tool_results,
                compacting,
                line: (!self.gap).then_some(open.line),
                row: false,
            });
        }
        self.spare = open.id.unwrap_or_default();
    }

    /// The names of a turn: the model that its context named, else the one of now.
    fn names_of(&mut self, turn: Option<Key>) -> u16 {
        let named = self.told_names(turn);
        match named.and_then(|place| self.found.names.get(usize::from(place))) {
            // The provider may have been told after the context.
            Some(names) if names.provider != self.names.provider => {
                let of_turn = Names { model: names.model.clone(), ..self.names.clone() };
                let now = std::mem::replace(&mut self.names, of_turn);
                self.place_of_names = None;
                let place = self.place_of_names();
                self.names = now;
                self.place_of_names = None;
                place
            }
            Some(_) => named.unwrap_or_default(),
            None => self.place_of_names(),
        }
    }

    /// A turn that never ended, because the next one began or the file ends.
    pub(super) fn abandon(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let (fault, last) = open.fault.take().map_or((None, false), |(fault, last)| (Some(fault), last));
        let outcome = if last { Outcome::Failed } else { Outcome::Interrupted };
        let last_heard = self.heard.ms().max(open.began);
        self.end(open, last_heard, None, outcome, fault);
    }
}

/// Seconds since 1970 as milliseconds.
fn seconds(value: Raw<'_>) -> Option<i64> {
    let seconds = value.number().and_then(|seconds| i64::try_from(seconds).ok()).or_else(|| value.get())?;
    seconds.checked_mul(1000)
}

/// The time with which an id of version 7 begins. As texts they have its order.
fn time(id: &str) -> Option<[u8; 13]> {
    let id = id.as_bytes();
    if id.len() == 36 && id[14] == b'7' { id.first_chunk().copied() } else { None }
}

fn major_minor(version: &str) -> Option<(u64, u64)> {
    let mut parts = version.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

//! What was read as a fact: counted by hour, each failure with what stood near it in time, and everything redacted.

use std::sync::Arc;

use codex_triage_checks::facts::Shared;
use codex_triage_checks::facts::history::{Ended, FailedTurn, History, LimitSnapshot};
use rustc_hash::{FxHashMap, FxHashSet};

use super::merge::Merged;
use super::names::NameList;
use super::snapshots::FAILURES_WITH_LIMITS;
use super::successes::{Looking, Successes};
use super::tallies::{by_hour, tallies};
use super::threads::ThreadsTold;
use super::turn::{Detailed, Header, Outcome, Snapshot, moment};
use super::word::{Id, Word};
use crate::at_once::both;
use crate::collect::sessions::listing::{self, Place};
use crate::redact::Redactor;
use crate::world::World;

/// A clock that is set right now and then may be so much ahead.
const AHEAD_MS: i64 = 60_000;

/// The fact that `merged` is, with the newest failures, `kept` of them; and what it tells of threads.
pub(super) fn history(merged: Merged, kept: usize, world: &World, redactor: &Redactor) -> (History, ThreadsTold, OtherTurns) {
    let mut words = Words::new(redactor, &merged.names);
    let count = |outcome| merged.turns.iter().filter(|turn| turn.outcome() == outcome).count() as u64;
    let running = merged.turns.iter().rfind(|turn| turn.outcome() == Outcome::Running).map(|turn| moment(turn.at_ms()));
    let latest_ms = world.now.timestamp_millis() + AHEAD_MS;
    let (hours, successes) =
        both(|| by_hour(&merged.turns, merged.names.len(), world), || Successes::of(&merged.turns, &mut words));
    let newest: Vec<&Detailed> = merged.details.iter().take(FAILURES_WITH_LIMITS).collect();
    let limits = merged.snapshots.that_matter(&newest, &merged.names);
    let ended = merged.turns.len() as u64 - count(Outcome::Running);
    let [failed, interrupted] = [Outcome::Failed, Outcome::Interrupted].map(count);
    let ahead = (merged.turns.len() - merged.turns.partition_point(|turn| turn.at_ms() <= latest_ms)) as u64;
    let tallies = tallies(hours, &mut words);
    drop(merged.turns);
    let failures = words.failures(&merged.details[..kept], &successes);
    drop(merged.details);
    let history = History {
        turns: ended,
        failed_turns: failed,
        interrupted_turns: interrupted,
        ahead,
        running,
        failures,
        successes: successes.newest(),
        limits: limits.iter().map(|kept| words.limits(&kept.0, &kept.1)).collect(),
        tallies,
        broken_records: merged.broken_records,
        files: merged.files,
        bytes: merged.bytes,
        ..History::default()
    };
    let threads = merged.threads.told(&mut words, redactor);
    (history, threads, OtherTurns::new(merged.others, merged.names))
}

/// The turns that neither failed nor were ended from outside, newest first. Each becomes a fact when it is asked for: there may be many.
pub struct OtherTurns {
    turns: Vec<Detailed>,
    names: NameList,
}

impl std::fmt::Debug for OtherTurns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // They hold what is not redacted yet.
        formatter.debug_struct("OtherTurns").field("turns", &self.turns.len()).finish_non_exhaustive()
    }
}

impl OtherTurns {
    pub(super) fn new(turns: Vec<Detailed>, names: NameList) -> Self {
        Self { turns, names }
    }

    /// Each turn as a fact, redacted, with how it ended; oldest first.
    pub fn told<'a>(&'a self, redactor: &'a Redactor) -> impl Iterator<Item = (Ended, FailedTurn)> + 'a {
        let mut words = Words::new(redactor, &self.names);
        let nothing = Successes::default();
        self.turns.iter().rev().map(move |detailed| {
            let ended = match detailed.turn.outcome {
                Outcome::Success => Ended::Succeeded,
                Outcome::Running => Ended::Running,
                _ => Ended::Other,
            };
            (ended, words.failure(detailed, &mut nothing.looking()))
        })
    }
}

/// The same text in a place of its own.
pub(super) fn apart(text: &Shared) -> Shared {
    Shared::from(&**text)
}

/// So many failures are worth a second thread.
const MANY: usize = 1000;

/// Redaction of short texts that come again and again.
pub(super) struct Words<'a> {
    redactor: &'a Redactor,
    pub(super) names: &'a NameList,
    shown: FxHashMap<Word, Shared>,
    projects: FxHashMap<Word, Shared>,
    /// What is told of all turns of one file, by the place of its header in memory, which is kept for as long.
    files: FxHashMap<usize, (Arc<Header>, OfFile)>,
    /// Who was asked, by place in the list of names.
    asked: Vec<Option<AskedOne>>,
}

/// Who was asked, as it is told.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AskedOne {
    pub(super) model: Option<Shared>,
    pub(super) provider: Option<Shared>,
    pub(super) account: Option<Shared>,
}

impl AskedOne {
    fn apart(&self) -> Self {
        let [model, provider, account] = [&self.model, &self.provider, &self.account].map(|text| text.as_ref().map(apart));
        Self { model, provider, account }
    }
}

/// What is told of all turns of one file.
#[derive(Clone)]
struct OfFile {
    thread: Option<Shared>,
    originator: Option<Shared>,
    version: Option<Shared>,
    project: Option<Shared>,
    source: Shared,
}

impl<'a> Words<'a> {
    pub(super) fn new(redactor: &'a Redactor, names: &'a NameList) -> Self {
        Self {
            redactor,
            names,
            shown: FxHashMap::default(),
            projects: FxHashMap::default(),
            files: FxHashMap::default(),
            asked: vec![None; names.len()],
        }
    }

    /// The same for another thread, with texts of its own: what two threads count references to is handed to and fro between them, which
    /// takes longer than all else.
    fn apart(&self) -> Self {
        let all = |of: &FxHashMap<Word, Shared>| of.iter().map(|(word, shown)| (Word::clone(word), apart(shown))).collect();
        let (shown, projects) = (all(&self.shown), all(&self.projects));
        let asked = self.asked.iter().map(|asked| asked.as_ref().map(AskedOne::apart)).collect();
        Self { redactor: self.redactor, names: self.names, shown, projects, files: FxHashMap::default(), asked }
    }

    pub(super) fn word(&mut self, word: &str) -> Shared {
        if let Some(shown) = self.shown.get(word) {
            return Shared::clone(shown);
        }
        let shown = Shared::from(self.redactor.text(word));
        self.shown.insert(word.into(), Shared::clone(&shown));
        shown
    }

    pub(super) fn maybe(&mut self, word: Option<&str>) -> Option<Shared> {
        word.map(|word| self.word(word))
    }

    /// The same, for what stands in few places.
    pub(super) fn owned(&mut self, word: Option<&str>) -> Option<String> {
        word.map(|word| self.word(word).to_string())
    }

    /// An id: thousands, each another, and each harmless by its shape.
    pub(super) fn id(&mut self, id: &Id) -> Shared {
        match id {
            Id::Uuid(_) => id.text(),
            Id::Other(text) => self.word(text),
        }
    }

    fn account(&self, id: Option<&str>) -> Option<Shared> {
        id.filter(|id| !id.is_empty()).map(|id| self.redactor.account(id).into())
    }

    /// What the file of a turn tells.
    fn of_file(&mut self, detailed: &Detailed) -> OfFile {
        let Detailed { header, source, .. } = detailed;
        let place = Arc::as_ptr(header).addr();
        if let Some((_, known)) = self.files.get(&place) {
            return known.clone();
        }
        let told = OfFile {
            thread: header.thread.as_ref().map(|id| self.id(id)),
            originator: self.maybe(header.originator.as_deref()),
            version: self.maybe(header.version.as_deref()),
            project: header.directory.as_ref().map(|directory| self.project(directory)),
            source: self.source(source),
        };
        self.files.insert(place, (Arc::clone(header), told.clone()));
        told
    }

    fn project(&mut self, directory: &Word) -> Shared {
        let known = self.projects.entry(Word::clone(directory));
        Shared::clone(known.or_insert_with(|| self.redactor.project(directory).into()))
    }

    fn source(&mut self, source: &Place) -> Shared {
        // The folders are few; the names of rollouts are shown as they are.
        let Some((folder, name)) = self.folder_and_name(source) else {
            return listing::shown(self.redactor, &source.path()).into();
        };
        [&*folder, std::path::MAIN_SEPARATOR_STR, name].concat().into()
    }

    /// The folder of a file as it is shown, where the name can be shown as it is.
    fn folder_and_name<'p>(&mut self, source: &'p Place) -> Option<(Shared, &'p str)> {
        let (folder, name) = (source.folder().to_str()?, source.harmless_name()?);
        Some((self.word(folder), name))
    }

    /// Who was asked, by place in the list of names.
    fn asked(&mut self, place: u16) -> AskedOne {
        self.ask(place);
        self.asked_before(place.into())
    }

    /// The same, where it has been asked for before; nobody else.
    pub(super) fn asked_before(&self, place: usize) -> AskedOne {
        self.asked.get(place).cloned().flatten().unwrap_or_default()
    }

    /// Meets who was asked.
    pub(super) fn ask(&mut self, place: u16) {
        if self.asked.get(usize::from(place)).is_some_and(Option::is_none) {
            let names = self.names.get(place);
            let told = AskedOne {
                model: self.maybe(names.model.as_deref()),
                provider: self.maybe(names.provider.as_deref()),
                account: self.account(names.account.as_deref()),
            };
            self.asked[usize::from(place)] = Some(told);
        }
    }

    /// Each of the failures as a fact.
    fn failures(&mut self, details: &[Detailed], successes: &Successes) -> Vec<FailedTurn> {
        if details.len() < MANY {
            let mut looking = successes.looking();
            return details.iter().map(|detailed| self.failure(detailed, &mut looking)).collect();
        }
        // What is numbered as it comes is met in the order of the failures, before two threads go on.
        let mut met = (FxHashSet::default(), FxHashSet::default());
        details.iter().for_each(|detailed| self.learn(detailed, &mut met));
        let (first, second) = details.split_at(details.len() / 2);
        let mut others = self.apart();
        let told = |words: &mut Self, details: &[Detailed], failures: &mut Vec<FailedTurn>| {
            let mut looking = successes.looking();
            failures.extend(details.iter().map(|detailed| words.failure(detailed, &mut looking)));
        };
        let (mut failures, mut rest) = (Vec::with_capacity(details.len()), Vec::with_capacity(second.len()));
        both(|| told(&mut others, second, &mut rest), || told(self, first, &mut failures));
        failures.append(&mut rest);
        failures
    }

    /// Meets the words of a failure, unless its header and its words, by their places in memory, have been `met`.
    fn learn(&mut self, detailed: &Detailed, (headers, words): &mut (FxHashSet<usize>, FxHashSet<usize>)) {
        let header = &detailed.header;
        if headers.insert(Arc::as_ptr(header).addr()) {
            self.other_id(header.thread.as_ref());
            self.maybe(header.originator.as_deref());
            self.maybe(header.version.as_deref());
            header.directory.as_ref().map(|directory| self.project(directory));
            if self.folder_and_name(&detailed.source).is_none() {
                self.source(&detailed.source);
            }
        }
        self.ask(detailed.turn.names);
        self.other_id(detailed.turn.id.as_ref());
        let fault = detailed.turn.fault.as_ref();
        for word in fault.map(|fault| [&fault.text, &fault.info]).into_iter().flatten().flatten() {
            if words.insert(Arc::as_ptr(word).addr()) {
                self.word(word);
            }
        }
    }

    fn other_id(&mut self, id: Option<&Id>) {
        if let Some(id @ Id::Other(_)) = id {
            self.id(id);
        }
    }

    fn failure(&mut self, detailed: &Detailed, looking: &mut Looking<'_>) -> FailedTurn {
        let Detailed { turn, request, .. } = detailed;
        let OfFile { thread, originator, version, project, source } = self.of_file(detailed);
        let AskedOne { model, provider, account } = self.asked(turn.names);
        let fault = turn.fault.as_ref();
        let asked = looking.successes.place(turn.names);
        let (before, after) = asked.map_or((None, None), |asked| looking.around(asked, turn.at_ms));
        FailedTurn {
            at: moment(turn.at_ms),
            thread,
            turn: turn.id.as_ref().map(|id| self.id(id)),
            model,
            provider,
            originator,
            codex_version: version,
            project,
            text: self.maybe(fault.and_then(|fault| fault.text.as_deref())),
            info: self.maybe(fault.and_then(|fault| fault.info.as_deref())),
            status: fault.and_then(|fault| fault.status),
            interrupted: turn.outcome == Outcome::Interrupted,
            context_tokens: turn.context_tokens,
            context_window: turn.context_window,
            source,
            line: turn.line,
            account,
            began: turn.began_ms.map(moment),
            number: turn.number,
            tool_results: turn.tool_results,
            compacting: turn.compacting,
            same_model_before: before.map(moment),
            same_model_after: after.map(moment),
            others_nearby: looking.others(asked, turn.at_ms),
            request: request.clone(),
        }
    }

    fn limits(&mut self, snapshot: &Snapshot, source: &Arc<Place>) -> LimitSnapshot {
        let names = self.names.get(snapshot.names);
        LimitSnapshot {
            at: moment(snapshot.at_ms),
            bucket: self.owned(snapshot.bucket.as_deref()),
            name: self.owned(snapshot.name.as_deref()),
            windows: snapshot.windows.iter().map(|window| window.told()).collect(),
            has_credits: snapshot.has_credits,
            unlimited_credits: snapshot.unlimited_credits,
            plan: self.owned(snapshot.plan.as_deref()),
            reached: self.owned(snapshot.reached.as_deref()),
            spend_control_reached: snapshot.spend_control_reached,
            turn: snapshot.turn.as_ref().map(|id| self.id(id).to_string()),
            provider: self.owned(names.provider.as_deref()),
            model: self.owned(names.model.as_deref()),
            source: self.source(source).to_string(),
        }
    }
}

//! One history from many sources: the same turn counts once, the fuller record of it wins.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::history::{FailedTurn, History, LimitSnapshot, Success};

use super::rollout::Rollout;
use super::thread_history;
use super::turn::{Header, Outcome, Snapshot, Turn};
use crate::collect::sessions::listing;
use crate::redact::Redactor;

/// For so many of the newest failed turns the quota snapshots of their time are kept.
const FAILURES_WITH_LIMITS: usize = 10;

/// From so many snapshots on, those that no longer matter are dropped.
const SNAPSHOTS: usize = 4096;

/// Collects turns and snapshots from all sources.
pub(super) struct Merge {
    since: DateTime<Utc>,
    turns: HashMap<Key, Turn>,
    snapshots: Vec<Snapshot>,
    broken_records: u64,
    unnamed: u64,
}

/// What makes two records one turn. Ids are unique by themselves in all releases since 0.50, so that a turn copied into a forked thread is still
/// one; older ones number the turns of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Turn(String),
    OfThread(Option<String>, String),
    Unnamed(u64),
}

impl Merge {
    pub(super) fn new(since: DateTime<Utc>) -> Self {
        Self { since, turns: HashMap::new(), snapshots: Vec::new(), broken_records: 0, unnamed: 0 }
    }

    pub(super) fn rollout(&mut self, rollout: Rollout) {
        self.broken_records += rollout.broken_records;
        self.snapshots.extend(rollout.snapshots);
        let since = self.since;
        for turn in rollout.turns.into_iter().filter(|turn| turn.at >= since) {
            self.add(turn);
        }
        if self.snapshots.len() > SNAPSHOTS {
            self.prune();
        }
    }

    /// Drops the snapshots that no longer matter, so that a month of work needs no more memory than a day.
    fn prune(&mut self) {
        let mut snapshots = std::mem::take(&mut self.snapshots);
        let failed = self.failed();
        sort(&mut snapshots);
        let mut places: BTreeSet<usize> = kept(&snapshots, &failed);
        places.extend(0..SNAPSHOTS / 4);
        let mut place = 0;
        snapshots.retain(|_| {
            place += 1;
            places.contains(&(place - 1))
        });
        self.snapshots = snapshots;
    }

    /// Failed and interrupted turns, newest first.
    fn failed(&self) -> Vec<&Turn> {
        let mut failed: Vec<&Turn> =
            self.turns.values().filter(|turn| matches!(turn.outcome, Outcome::Failed | Outcome::Interrupted)).collect();
        // Rows of the database know only the second; ids begin with the time.
        failed.sort_by(|one, other| (other.at, order(other)).cmp(&(one.at, order(one))));
        failed
    }

    fn key(&mut self, turn: &Turn) -> Key {
        match &turn.id {
            Some(id) if id.len() >= 32 => Key::Turn(id.clone()),
            Some(id) => Key::OfThread(turn.header.thread.clone(), id.clone()),
            None => {
                self.unnamed += 1;
                Key::Unnamed(self.unnamed)
            }
        }
    }

    fn add(&mut self, turn: Turn) {
        let key = self.key(&turn);
        match self.turns.get_mut(&key) {
            None => {
                self.turns.insert(key, turn);
            }
            Some(known) => join(known, turn),
        }
    }

    /// Adds rows of the thread history; those of threads whose rollout is gone are completed from the list of threads.
    pub(super) fn rows(&mut self, rows: Vec<Turn>, homes: &[PathBuf]) {
        let (known, mut lone): (Vec<Turn>, Vec<Turn>) = rows.into_iter().partition(|turn| {
            let by_id = turn.id.clone().map(Key::Turn);
            by_id.is_some_and(|key| self.turns.contains_key(&key))
        });
        let mut failed: Vec<&mut Turn> =
            lone.iter_mut().filter(|turn| turn.outcome == Outcome::Failed || turn.outcome == Outcome::Interrupted).collect();
        failed.sort_by_key(|turn| std::cmp::Reverse(turn.at));
        failed.truncate(History::KEPT);
        thread_history::complete(&mut failed, homes);
        for turn in known.into_iter().chain(lone) {
            self.add(turn);
        }
    }

    pub(super) fn history(mut self, redactor: &Redactor) -> History {
        let mut words = Words { redactor, shown: BTreeMap::new() };
        sort(&mut self.snapshots);
        let failed = self.failed();
        let count = |outcome| failed.iter().filter(|turn| turn.outcome == outcome).count() as u64;
        History {
            turns: self.turns.values().filter(|turn| turn.outcome != Outcome::Running).count() as u64,
            failed_turns: count(Outcome::Failed),
            interrupted_turns: count(Outcome::Interrupted),
            running: self.turns.values().filter(|turn| turn.outcome == Outcome::Running).map(|turn| turn.at).max(),
            failures: failed.iter().take(History::KEPT).map(|turn| words.failure(turn)).collect(),
            successes: successes(&self.turns, &mut words),
            limits: kept(&self.snapshots, &failed).into_iter().map(|place| words.limits(&self.snapshots[place])).collect(),
            broken_records: self.broken_records,
            ..History::default()
        }
    }
}

fn order(turn: &Turn) -> (&Option<String>, &PathBuf, Option<u64>) {
    (&turn.id, &turn.header.source, turn.line)
}

/// Puts two records of one turn together. The stronger outcome wins; the record of the older thread is the original.
fn join(known: &mut Turn, mut other: Turn) {
    if known.row != other.row {
        if known.row {
            std::mem::swap(known, &mut other);
        }
        known.model = known.model.take().or(other.model);
    } else if other.header.thread < known.header.thread {
        std::mem::swap(known, &mut other);
    }
    // A row says "completed" of turns without an answer, too.
    let better = other.outcome > known.outcome && !(known.outcome == Outcome::Nothing && other.outcome == Outcome::Success);
    if better {
        known.outcome = other.outcome;
    }
    match (&mut known.fault, other.fault) {
        (None, fault) => known.fault = fault,
        (Some(known), Some(other)) => {
            known.text = known.text.take().or(other.text);
            known.info = known.info.take().or(other.info);
            known.status = known.status.or(other.status);
        }
        (Some(_), None) => {}
    }
}

fn successes(turns: &HashMap<Key, Turn>, words: &mut Words<'_>) -> Vec<Success> {
    let mut newest: BTreeMap<(Arc<str>, Option<String>), DateTime<Utc>> = BTreeMap::new();
    for turn in turns.values().filter(|turn| turn.outcome == Outcome::Success) {
        let Some(model) = &turn.model else { continue };
        let at = newest.entry((Arc::clone(model), turn.header.provider.clone())).or_insert(turn.at);
        *at = turn.at.max(*at);
    }
    let mut successes: Vec<Success> = newest
        .into_iter()
        .map(|((model, provider), at)| Success { model: words.word(&model), provider: words.maybe(provider.as_deref()), at })
        .collect();
    successes.sort_by_key(|success| std::cmp::Reverse(success.at));
    successes
}

/// Newest first.
fn sort(snapshots: &mut [Snapshot]) {
    snapshots.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.bucket.cmp(&other.bucket)));
}

/// The places of the newest of each bucket and provider, and for the newest failures of what was the newest then, in sorted `snapshots`.
fn kept(snapshots: &[Snapshot], failed: &[&Turn]) -> BTreeSet<usize> {
    let mut places: BTreeSet<usize> = newest(snapshots, |_| true).into_iter().collect();
    for turn in failed.iter().take(FAILURES_WITH_LIMITS) {
        let before = |snapshot: &Snapshot| snapshot.at <= turn.at && snapshot.header.provider == turn.header.provider;
        places.extend(newest(snapshots, before));
    }
    places
}

/// The place of the newest snapshot of each bucket and provider among those `wanted`.
fn newest(snapshots: &[Snapshot], wanted: impl Fn(&Snapshot) -> bool) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    let is_first =
        |snapshot: &Snapshot| wanted(snapshot) && seen.insert((snapshot.bucket.clone(), snapshot.header.provider.clone()));
    snapshots.iter().map(is_first).enumerate().filter(|(_, first)| *first).map(|(place, _)| place).collect()
}

/// Redaction of short texts that come again and again.
struct Words<'a> {
    redactor: &'a Redactor,
    shown: BTreeMap<String, String>,
}

impl Words<'_> {
    fn word(&mut self, word: &str) -> String {
        if let Some(shown) = self.shown.get(word) {
            return shown.clone();
        }
        let shown = self.redactor.text(word);
        self.shown.insert(word.to_owned(), shown.clone());
        shown
    }

    fn maybe(&mut self, word: Option<&str>) -> Option<String> {
        word.map(|word| self.word(word))
    }

    fn source(&mut self, header: &Header) -> String {
        let path = header.source.display().to_string();
        if let Some(shown) = self.shown.get(&path) {
            return shown.clone();
        }
        let shown = listing::shown(self.redactor, &header.source);
        self.shown.insert(path, shown.clone());
        shown
    }

    fn failure(&mut self, turn: &Turn) -> FailedTurn {
        let header = &turn.header;
        let fault = turn.fault.as_deref();
        FailedTurn {
            at: turn.at,
            thread: self.maybe(header.thread.as_deref()),
            turn: self.maybe(turn.id.as_deref()),
            model: self.maybe(turn.model.as_deref()),
            provider: self.maybe(header.provider.as_deref()),
            originator: self.maybe(header.originator.as_deref()),
            codex_version: self.maybe(header.version.as_deref()),
            project: header.directory.as_deref().map(|directory| self.redactor.project(directory)),
            text: fault.and_then(|fault| fault.text.as_deref()).map(|text| self.redactor.text(text)),
            info: self.maybe(fault.and_then(|fault| fault.info.as_deref())),
            status: fault.and_then(|fault| fault.status),
            interrupted: turn.outcome == Outcome::Interrupted,
            context_tokens: turn.context_tokens,
            context_window: turn.context_window,
            source: self.source(header),
            line: turn.line,
            ..FailedTurn::default()
        }
    }

    fn limits(&mut self, snapshot: &Snapshot) -> LimitSnapshot {
        LimitSnapshot {
            at: snapshot.at,
            bucket: self.maybe(snapshot.bucket.as_deref()),
            name: self.maybe(snapshot.name.as_deref()),
            windows: snapshot.windows.clone(),
            has_credits: snapshot.has_credits,
            unlimited_credits: snapshot.unlimited_credits,
            plan: self.maybe(snapshot.plan.as_deref()),
            reached: self.maybe(snapshot.reached.as_deref()),
            spend_control_reached: snapshot.spend_control_reached,
            turn: self.maybe(snapshot.turn.as_deref()),
            provider: self.maybe(snapshot.header.provider.as_deref()),
            model: self.maybe(snapshot.model.as_deref()),
            source: self.source(&snapshot.header),
        }
    }
}

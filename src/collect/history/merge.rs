//! One history from many sources: the same turn counts once, the fuller record of it wins.

mod details;
mod same_turn;
mod sum;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::brief::{Brief, Key, Timed};
use super::names::NameList;
use super::snapshots::{FAILURES_WITH_LIMITS, Snapshots, are_newest};
use super::thread_history::{self, Row};
use super::threads::Threads;
use super::turn::{Detailed, Header, Outcome, Rollout};
use super::word::{Id, Word};
use super::{HistoryRequest, ThreadsWanted};
use crate::at_once::both;
use crate::collect::sessions::listing::{Place, RolloutFile};
use details::Details;
use same_turn::{once, order};

/// So many failed and interrupted turns are kept with all that is known of them; older ones are only counted. It bounds the memory of
/// a run over years of work.
const MOST_DETAILS: usize = 10_000;
/// And so many turns of all kinds, where each of them is asked for.
const MOST_TURNS: usize = 500_000;

/// Collects turns and snapshots from all sources.
pub(super) struct Merge {
    since_ms: i64,
    most: usize,
    every_turn: bool,
    with_threads: bool,
    pub(super) names: NameList,
    briefs: Vec<Brief>,
    details: Details,
    /// The words of errors, each once.
    words: FxHashSet<Word>,
    snapshots: Snapshots,
    /// When the newest failures were, newest first; no more than there are snapshots told of.
    newest: Vec<(i64, Key)>,
    threads: Threads,
    broken_records: u64,
    files: u64,
    bytes: u64,
}

/// What all sources together tell.
pub(super) struct Merged {
    pub(super) names: NameList,
    /// Each turn once, oldest first.
    pub(super) turns: Vec<Timed>,
    /// Failed and interrupted turns, newest first.
    pub(super) details: Vec<Detailed>,
    /// Other turns of which more is kept, newest first.
    pub(super) others: Vec<Detailed>,
    pub(super) snapshots: Snapshots,
    pub(super) threads: Threads,
    pub(super) broken_records: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Merge {
    pub(super) fn new(request: &HistoryRequest) -> Self {
        Self {
            since_ms: request.since.timestamp_millis(),
            most: if request.every_turn { MOST_TURNS } else { MOST_DETAILS },
            every_turn: request.every_turn,
            with_threads: request.threads != ThreadsWanted::None,
            ..Self::nothing()
        }
    }

    fn nothing() -> Self {
        Self {
            since_ms: i64::MIN,
            most: MOST_DETAILS,
            every_turn: false,
            with_threads: false,
            names: NameList::default(),
            briefs: Vec::new(),
            details: Details::default(),
            words: FxHashSet::default(),
            snapshots: Snapshots::default(),
            newest: Vec::new(),
            threads: Threads::default(),
            broken_records: 0,
            files: 0,
            bytes: 0,
        }
    }

    /// An empty one of the same wishes, for another thread.
    pub(super) fn another(&self) -> Self {
        let Self { since_ms, most, every_turn, with_threads, .. } = *self;
        Self { since_ms, most, every_turn, with_threads, ..Self::nothing() }
    }

    /// Sorts the briefs while other threads sort theirs: the last sort then finds runs in order.
    pub(super) fn sort_briefs(&mut self) {
        self.briefs.sort_by_key(|brief| brief.key);
    }

    /// Drops the snapshots that cannot matter.
    fn prune(&mut self) {
        self.snapshots.prune(self.limits_matter_since(), &self.names);
    }

    /// Adds what another thread collected.
    pub(super) fn absorb(&mut self, mut other: Self) {
        if other.briefs.len() > self.briefs.len() {
            // The larger one stays where it is.
            std::mem::swap(self, &mut other);
        }
        let places: Vec<u16> = other.names.all().map(|names| self.names.place(names)).collect();
        let place = |of_other: u16| places.get(usize::from(of_other)).copied().unwrap_or(NameList::UNKNOWN);
        self.briefs.reserve_exact(other.briefs.len());
        self.briefs.extend(other.briefs.into_iter().map(|brief| brief.with_names(place(brief.names()))));
        for mut detailed in other.details.into_all() {
            detailed.turn.names = place(detailed.turn.names);
            self.details.add(detailed, self.most);
        }
        self.snapshots.absorb(other.snapshots, place);
        for (at_ms, key) in other.newest {
            self.note_failure(key, at_ms);
        }
        self.threads.absorb(other.threads);
        self.broken_records += other.broken_records;
        self.files += other.files;
        self.bytes += other.bytes;
    }

    /// Adds what one file holds.
    pub(super) fn rollout(&mut self, file: &RolloutFile, rollout: Rollout) {
        self.broken_records += rollout.broken_records;
        self.files += 1;
        self.bytes += file.bytes;
        if self.with_threads {
            self.threads.add(file, &rollout);
        }
        let places: Vec<u16> = rollout.names.iter().map(|names| self.names.place(names)).collect();
        let place = |of_file: u16| places.get(usize::from(of_file)).copied().unwrap_or(NameList::UNKNOWN);
        // Of a copy in a forked thread the time may be that of the fork.
        let at_first_hand = |brief: &&Brief| brief.outcome().is_failure() && !brief.is_second_hand();
        rollout.briefs.iter().filter(at_first_hand).for_each(|brief| self.note_failure(brief.key, brief.at_ms()));
        self.briefs.extend(rollout.briefs.iter().map(|brief| brief.with_names(place(brief.names()))));
        if rollout.turns.is_empty() && rollout.snapshots.is_empty() {
            return;
        }
        let (header, source): (Arc<Header>, Arc<Place>) = (Arc::new(rollout.header), Arc::clone(&file.place));
        // Where each turn is asked for, they are many; else what is there serves looks at any time.
        let from_ms = if self.every_turn { self.since_ms } else { i64::MIN };
        for mut turn in rollout.turns.into_iter().filter(|turn| turn.at_ms >= from_ms) {
            turn.names = place(turn.names);
            if let Some(fault) = &mut turn.fault {
                [&mut fault.text, &mut fault.info].into_iter().flatten().for_each(|word| share(&mut self.words, word));
            }
            let (header, source) = (Arc::clone(&header), Arc::clone(&source));
            self.details.add(Detailed { turn: Box::new(turn), header, source, request: None }, self.most);
        }
        let all_matter = rollout.snapshots.iter().any(|snapshot| snapshot.at_ms >= self.limits_matter_since());
        let matters = if all_matter { Vec::new() } else { are_newest(&rollout.snapshots, &rollout.names) };
        for (number, mut snapshot) in rollout.snapshots.into_iter().enumerate() {
            if all_matter || matters[number] {
                snapshot.names = place(snapshot.names);
                self.snapshots.add(snapshot, &source);
            }
        }
        if self.snapshots.are_many() {
            self.prune();
        }
    }

    /// Adds a row of the thread history.
    pub(super) fn row(&mut self, row: Row) {
        let Row { turn, thread, database } = row;
        self.briefs.push(Brief::new(turn.key, turn.at_ms, turn.outcome, true, NameList::UNKNOWN));
        if turn.outcome != Outcome::Success {
            let header = Arc::new(Header { thread, ..Header::default() });
            self.details.add(Detailed { turn: Box::new(turn), header, source: database, request: None }, self.most);
        }
    }

    /// No failure that snapshots are told of is older than this (milliseconds). Of a file whose snapshots all are, only the newest of each
    /// bucket and provider matter: for each of these failures they are the newest that the file has.
    pub(super) fn limits_matter_since(&self) -> i64 {
        self.newest.get(FAILURES_WITH_LIMITS - 1).map_or(i64::MIN, |(at_ms, _)| *at_ms)
    }

    /// Takes notice of a failure that may be one of the newest. Of two records of one the older counts.
    fn note_failure(&mut self, key: Key, mut at_ms: i64) {
        if let Some(known) = self.newest.iter().position(|(_, other)| *other == key) {
            at_ms = at_ms.min(self.newest.remove(known).0);
        }
        let place = self.newest.partition_point(|(newer, _)| *newer > at_ms);
        if place < FAILURES_WITH_LIMITS {
            self.newest.truncate(FAILURES_WITH_LIMITS - 1);
            self.newest.insert(place, (at_ms, key));
        }
    }

    /// All of it, each turn once. Threads whose rollout is gone are completed from the list of threads in `homes`.
    pub(super) fn merged(mut self, homes: &[PathBuf]) -> Merged {
        // Whatever was dropped on the way and whatever was not: what the logs add to must be the same.
        self.prune();
        let mut briefs = once(std::mem::take(&mut self.briefs));
        briefs.retain(|brief| brief.at_ms() >= self.since_ms);
        let with_details = |brief: &&Brief| self.every_turn || brief.outcome().is_failure();
        let wanted: Vec<Brief> = briefs.iter().filter(with_details).copied().collect();
        // In the memory of the briefs, which may be a million.
        let mut turns: Vec<Timed> = briefs.into_iter().map(|brief| brief.timed).collect();
        let ((), (details, others)) = both(|| turns.sort_unstable(), || self.in_detail(&wanted, homes));
        Merged {
            names: self.names,
            turns,
            details,
            others,
            snapshots: self.snapshots,
            threads: self.threads,
            broken_records: self.broken_records,
            files: self.files,
            bytes: self.bytes,
        }
    }

    /// What is kept of the turns of `briefs`, the failed ones and the others, newest first.
    fn in_detail(&mut self, briefs: &[Brief], homes: &[PathBuf]) -> (Vec<Detailed>, Vec<Detailed>) {
        let (mut details, mut others) = (Vec::new(), Vec::new());
        for (mut detailed, brief) in std::mem::take(&mut self.details).of_turns(briefs.iter()) {
            detailed.turn.outcome = brief.outcome();
            if detailed.turn.names == NameList::UNKNOWN {
                detailed.turn.names = brief.names();
            }
            if brief.outcome().is_failure() { details.push(detailed) } else { others.push(detailed) }
        }
        self.complete(&mut details, homes);
        details.sort_by(|one, other| order(other).cmp(&order(one)));
        details.truncate(self.most);
        others.sort_by(|one, other| order(other).cmp(&order(one)));
        (details, others)
    }

    fn complete(&mut self, details: &mut [Detailed], homes: &[PathBuf]) {
        let lone = |detailed: &Detailed| detailed.turn.row;
        let threads: BTreeSet<Id> =
            details.iter().filter(|detailed| lone(detailed)).filter_map(|detailed| detailed.header.thread.clone()).collect();
        let known = thread_history::threads(&threads, homes);
        for detailed in details.iter_mut().filter(|detailed| lone(detailed)) {
            let Some((header, names)) = detailed.header.thread.as_ref().and_then(|thread| known.get(thread)) else { continue };
            detailed.header = Arc::new(header.clone());
            if detailed.turn.names == NameList::UNKNOWN {
                detailed.turn.names = self.names.place(names);
            }
        }
    }
}

/// Puts the one of `words` that says the same in the place of `word`.
fn share(words: &mut FxHashSet<Word>, word: &mut Word) {
    match words.get(word) {
        Some(known) => *word = Word::clone(known),
        None => drop(words.insert(Word::clone(word))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collect::history::turn::{Names, Snapshot, Turn};

    /// A turn and the snapshot beside it: its number, its moment, whether it failed, its provider, the bucket.
    type Planted = (u64, i64, bool, u8, u8);

    fn rollout(planted: &[Planted], thread: usize) -> Rollout {
        let names = |provider: u8| Names { provider: Some(format!("p{provider}").into()), ..Names::default() };
        let mut rollout = Rollout { names: vec![names(0), names(1)], ..Rollout::default() };
        rollout.header.thread = Some(Id::from(thread.to_string().as_str()));
        for (number, at_ms, failed, provider, bucket) in planted.iter().copied() {
            let (key, outcome) = (Key(number), if failed { Outcome::Failed } else { Outcome::Success });
            rollout.briefs.push(Brief::new(key, at_ms, outcome, false, provider.into()));
            if failed {
                rollout.turns.push(Turn { key, at_ms, outcome, names: provider.into(), ..Turn::default() });
            }
            rollout.snapshots.push(Snapshot {
                at_ms,
                turn: None,
                names: provider.into(),
                bucket: Some(format!("b{bucket}").into()),
                name: None,
                windows: Vec::new(),
                has_credits: Some(true),
                unlimited_credits: None,
                plan: None,
                reached: None,
                spend_control_reached: None,
            });
        }
        rollout
    }

    fn files() -> impl Strategy<Value = Vec<Vec<Planted>>> {
        // One number is one turn, wherever it stands.
        let planted = (0u8..60, any::<bool>()).prop_map(|(number, failed)| {
            let (provider, bucket) = (number % 2, number / 2 % 2);
            (u64::from(number) * 2 + u64::from(failed), i64::from(number) * 977 % 613, failed, provider, bucket)
        });
        proptest::collection::vec(proptest::collection::vec(planted, 0..12), 0..12)
    }

    fn file() -> RolloutFile {
        RolloutFile::new(&Arc::from(std::path::Path::new("")), "a".into(), 1, false)
    }

    fn merged(files: &[Vec<Planted>]) -> Merge {
        let mut merge = Merge::nothing();
        files.iter().enumerate().for_each(|(thread, planted)| merge.rollout(&file(), rollout(planted, thread)));
        merge
    }

    /// The snapshots that matter to what was merged.
    fn limits(snapshots: Snapshots, merge: Merge) -> Vec<String> {
        let Merged { names, details, .. } = merge.merged(&[]);
        let newest: Vec<&Detailed> = details.iter().take(FAILURES_WITH_LIMITS).collect();
        let told =
            |snapshot: &Snapshot| format!("{} {:?} {:?}", snapshot.at_ms, names.get(snapshot.names).provider, snapshot.bucket);
        let mut limits: Vec<String> = snapshots.that_matter(&newest, &names).iter().map(|kept| told(&kept.0)).collect();
        // Here all stand in one file, where the order in one moment is that of the lines.
        limits.sort_unstable();
        limits
    }

    #[test]
    fn copies_in_a_forked_thread_do_not_push_out_what_is_older() {
        let mut merge = Merge::nothing();
        let of_original: Vec<Planted> = (0..12).map(|number| (number, 100 + i64::try_from(number).unwrap(), true, 0, 0)).collect();
        let mut fork = rollout(&of_original, 2);
        fork.briefs = (0..12).map(|number| Brief::new(Key(number), 9_000, Outcome::Failed, true, 0)).collect();
        merge.rollout(&file(), fork);
        assert_eq!(merge.limits_matter_since(), i64::MIN);
        merge.rollout(&file(), rollout(&of_original, 1));
        assert_eq!(merge.limits_matter_since(), 102, "the tenth from the end");
    }

    proptest! {
        #[test]
        fn what_several_threads_merge_is_what_one_does(files in files(), split: prop::sample::Index) {
            let (some, others) = files.split_at(split.index(files.len() + 1));
            let several = || {
                let (mut together, mut other) = (merged(some), merged(others));
                together.sort_briefs();
                other.sort_briefs();
                together.absorb(other);
                together
            };
            let told = |merge: Merge| {
                let Merged { turns, details, files, .. } = merge.merged(&[]);
                let turns: Vec<_> = turns.iter().map(|turn| (turn.at_ms(), turn.outcome())).collect();
                // Of turns in one moment the order is that of their threads, which differ here.
                let mut details: Vec<_> = details.iter().map(|detailed| (detailed.turn.key, detailed.turn.at_ms)).collect();
                details.sort_unstable();
                (turns, details, files)
            };
            prop_assert_eq!(told(merged(&files)), told(several()));
            let of_time = |mut merge: Merge| limits(std::mem::take(&mut merge.snapshots), merge);
            prop_assert_eq!(of_time(merged(&files)), of_time(several()));
        }

        #[test]
        fn the_snapshots_that_matter_are_those_of_all(files in files()) {
            let (mut trimmed, mut all) = (merged(&files), Snapshots::default());
            for (thread, planted) in files.iter().enumerate() {
                let Rollout { names, snapshots, .. } = rollout(planted, thread);
                for mut snapshot in snapshots {
                    snapshot.names = trimmed.names.place(&names[usize::from(snapshot.names)]);
                    all.add(snapshot, &file().place);
                }
            }
            let kept = std::mem::take(&mut trimmed.snapshots);
            prop_assert_eq!(limits(kept, trimmed), limits(all, merged(&files)));
        }
    }
}

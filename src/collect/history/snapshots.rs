//! Quota snapshots of all files: few of them matter, and only these are kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::names::NameList;
use super::turn::{Detailed, Names, Snapshot};
use crate::collect::sessions::listing::Place;

/// For so many of the newest failed turns the quota snapshots of their time are kept.
pub(super) const FAILURES_WITH_LIMITS: usize = 10;

/// From so many snapshots on, those that cannot matter are dropped.
const MANY: usize = 4096;

/// Which of the snapshots of one file are the newest of their bucket and provider. `names` are those of the file.
pub(super) fn are_newest(snapshots: &[Snapshot], names: &[Names]) -> Vec<bool> {
    let provider = |snapshot: &Snapshot| names.get(usize::from(snapshot.names)).and_then(|names| names.provider.as_deref());
    let kind = |place: usize| (snapshots[place].bucket.as_deref(), provider(&snapshots[place]));
    let mut newest: Vec<usize> = Vec::new();
    for place in 0..snapshots.len() {
        match newest.iter_mut().find(|known| kind(**known) == kind(place)) {
            Some(known) if snapshots[*known].at_ms > snapshots[place].at_ms => {}
            Some(known) => *known = place,
            None => newest.push(place),
        }
    }
    (0..snapshots.len()).map(|place| newest.contains(&place)).collect()
}

/// Of which bucket and provider each of some snapshots is, as a number: these are few.
struct Kinds {
    numbers: Vec<usize>,
    count: usize,
}

impl Kinds {
    /// The kinds of snapshots, each given with its provider.
    fn of<'a>(snapshots: impl Iterator<Item = (&'a Snapshot, Option<&'a str>)>) -> Self {
        let mut known = Vec::new();
        let number = |(snapshot, provider): (&'a Snapshot, Option<&'a str>)| {
            let kind = (snapshot.bucket.as_deref(), provider);
            known.iter().position(|other| *other == kind).unwrap_or_else(|| {
                known.push(kind);
                known.len() - 1
            })
        };
        let numbers = snapshots.map(number).collect();
        Self { numbers, count: known.len() }
    }

    /// Of each kind the first one among `places`.
    fn firsts(&self, places: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let mut seen = vec![false; self.count];
        places.filter(move |place| !std::mem::replace(&mut seen[self.numbers[*place]], true))
    }
}

/// Snapshots with the files they stand in.
pub(super) struct Snapshots {
    list: Vec<Kept>,
    /// From so many on it is worth a look which matter.
    many: usize,
}

impl Default for Snapshots {
    fn default() -> Self {
        Self { list: Vec::new(), many: MANY }
    }
}

/// A snapshot and the file it stands in; in a place of its own, because many are sorted.
type Kept = Box<(Snapshot, Arc<Place>)>;

impl Snapshots {
    pub(super) fn add(&mut self, snapshot: Snapshot, source: &Arc<Place>) {
        self.list.push(Box::new((snapshot, Arc::clone(source))));
    }

    /// All of them, each with the file it stands in.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Snapshot, &Arc<Place>)> {
        self.list.iter().map(|kept| (&kept.0, &kept.1))
    }

    /// Adds those of another list, whose names have other places.
    pub(super) fn absorb(&mut self, other: Self, place: impl Fn(u16) -> u16) {
        self.list.extend(other.list.into_iter().map(|mut kept| {
            kept.0.names = place(kept.0.names);
            kept
        }));
    }

    /// Adds one unless there is one of the same turn and bucket.
    pub(super) fn add_missing(&mut self, snapshot: Snapshot, source: &Arc<Place>) {
        let is_same = |known: &Snapshot| known.turn == snapshot.turn && known.bucket == snapshot.bucket;
        if !self.list.iter().any(|kept| is_same(&kept.0)) {
            self.add(snapshot, source);
        }
    }

    pub(super) fn are_many(&self) -> bool {
        self.list.len() > self.many
    }

    /// Drops those that cannot matter where no failure that counts is older than `since_ms`: of each bucket and provider the newest one
    /// before that is the newest for each of the failures.
    pub(super) fn prune(&mut self, since_ms: i64, names: &NameList) {
        self.sort();
        let older = self.list.partition_point(|kept| kept.0.at_ms >= since_ms);
        let newest: BTreeSet<usize> = self.kinds(names).firsts(older..self.list.len()).collect();
        self.retain(|place| place < older || newest.contains(&place));
        // Without failures all of them might matter: then the next look for what does is put off, that it may not take too long.
        self.many = MANY.max(2 * self.list.len());
    }

    /// Newest first: the newest of each bucket and provider, and for the newest failures what was the newest then.
    pub(super) fn that_matter(mut self, failed: &[&Detailed], names: &NameList) -> Vec<Kept> {
        self.sort();
        let places = self.kept(failed, names);
        self.retain(|place| places.contains(&place));
        self.list
    }

    fn retain(&mut self, wanted: impl Fn(usize) -> bool) {
        let mut places = 0..;
        self.list.retain(|_| places.next().is_some_and(&wanted));
    }

    fn kinds(&self, names: &NameList) -> Kinds {
        Kinds::of(self.list.iter().map(|kept| (&kept.0, names.get(kept.0.names).provider.as_deref())))
    }

    fn sort(&mut self) {
        self.list.sort_by(|one, other| {
            let ((one, in_one), (other, in_other)) = (&**one, &**other);
            other
                .at_ms
                .cmp(&one.at_ms)
                .then_with(|| one.bucket.cmp(&other.bucket))
                .then_with(|| in_one.cmp(in_other))
                .then_with(|| one.turn.cmp(&other.turn))
        });
    }

    /// The places of those that matter. They are sorted.
    fn kept(&self, failed: &[&Detailed], names: &NameList) -> BTreeSet<usize> {
        let (kinds, length) = (self.kinds(names), self.list.len());
        let provider = |place: u16| names.get(place).provider.as_deref();
        let mut places: BTreeSet<usize> = kinds.firsts(0..length).collect();
        for detailed in failed.iter().take(FAILURES_WITH_LIMITS) {
            let then = self.list.partition_point(|kept| kept.0.at_ms > detailed.turn.at_ms);
            let of_provider = |place: &usize| provider(self.list[*place].0.names) == provider(detailed.turn.names);
            places.extend(kinds.firsts(then..length).filter(of_provider));
        }
        places
    }
}

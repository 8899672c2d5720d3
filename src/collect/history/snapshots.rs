//! Quota snapshots of all files: few of them matter, and only these are kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::names::NameList;
use super::turn::{Detailed, Names, Snapshot};
use super::word::Word;
use crate::collect::sessions::listing::Place;

/// For so many of the newest failed turns the quota snapshots of their time are kept.
pub(super) const FAILURES_WITH_LIMITS: usize = 10;

/// From so many snapshots on, those that cannot matter are dropped.
const MANY: usize = 4096;

/// Which of the snapshots of one file are the newest of their bucket and provider. `names` are those of the file.
pub(super) fn are_newest(snapshots: &[Snapshot], names: &[Names]) -> Vec<bool> {
    let provider = |snapshot: &Snapshot| names.get(usize::from(snapshot.names)).and_then(|names| names.provider.as_deref());
    let are_alike = |one: &Snapshot, other: &Snapshot| one.bucket == other.bucket && provider(one) == provider(other);
    let mut newest: Vec<usize> = Vec::new();
    for (place, snapshot) in snapshots.iter().enumerate() {
        match newest.iter_mut().find(|known| are_alike(&snapshots[**known], snapshot)) {
            Some(known) if snapshots[*known].at_ms <= snapshot.at_ms => *known = place,
            Some(_) => {}
            None => newest.push(place),
        }
    }
    (0..snapshots.len()).map(|place| newest.contains(&place)).collect()
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
        let mut seen: Vec<(Option<Word>, Option<&str>)> = Vec::new();
        self.list.retain(|kept| {
            let of = (kept.0.bucket.clone(), names.get(kept.0.names).provider.as_deref());
            if kept.0.at_ms >= since_ms {
                return true;
            }
            let is_newest = !seen.contains(&of);
            if is_newest {
                seen.push(of);
            }
            is_newest
        });
        // Without failures all of them might matter: then the next look for what does is put off, that it may not take too long.
        self.many = MANY.max(2 * self.list.len());
    }

    /// Newest first: the newest of each bucket and provider, and for the newest failures what was the newest then.
    pub(super) fn that_matter(mut self, failed: &[&Detailed], names: &NameList) -> Vec<Kept> {
        self.sort();
        let places = self.kept(failed, names);
        let with_places = self.list.into_iter().enumerate();
        with_places.filter(|(place, _)| places.contains(place)).map(|(_, kept)| kept).collect()
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
        let mut known: Vec<Of<'_>> = Vec::new();
        let mut kinds = Vec::with_capacity(self.list.len());
        for kept in &self.list {
            let of = Of { bucket: kept.0.bucket.as_deref(), provider: names.get(kept.0.names).provider.as_deref() };
            let place = known.iter().position(|other| *other == of);
            kinds.push(place.unwrap_or(known.len()));
            if place.is_none() {
                known.push(of);
            }
        }
        let newest_from = |start: usize| {
            let mut seen = vec![false; known.len()];
            let (kinds, places) = (&kinds, start..self.list.len());
            places.filter(move |place| !std::mem::replace(&mut seen[kinds[*place]], true))
        };
        let mut places: BTreeSet<usize> = newest_from(0).collect();
        for detailed in failed.iter().take(FAILURES_WITH_LIMITS) {
            let of = names.get(detailed.turn.names).provider.as_deref();
            let then = self.list.partition_point(|kept| kept.0.at_ms > detailed.turn.at_ms);
            places.extend(newest_from(then).filter(|place| known[kinds[*place]].provider == of));
        }
        places
    }
}

/// Of what a snapshot tells.
#[derive(PartialEq)]
struct Of<'a> {
    bucket: Option<&'a str>,
    provider: Option<&'a str>,
}

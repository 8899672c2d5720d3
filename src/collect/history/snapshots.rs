//! Quota snapshots of all files: few of them matter, and only these are kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::names::NameList;
use super::turn::{Detailed, Names, Snapshot};
use crate::collect::sessions::listing::Place;

/// For so many of the newest failed turns the quota snapshots of their time are kept.
pub(super) const FAILURES_WITH_LIMITS: usize = 10;

/// From so many snapshots on, those that no longer matter are dropped.
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
#[derive(Default)]
pub(super) struct Snapshots(Vec<Kept>);

/// A snapshot and the file it stands in; in a place of its own, because many are sorted.
type Kept = Box<(Snapshot, Arc<Place>)>;

impl Snapshots {
    pub(super) fn add(&mut self, snapshot: Snapshot, source: &Arc<Place>) {
        self.0.push(Box::new((snapshot, Arc::clone(source))));
    }

    /// Adds those of another list, whose names have other places.
    pub(super) fn absorb(&mut self, other: Self, place: impl Fn(u16) -> u16) {
        self.0.extend(other.0.into_iter().map(|mut kept| {
            kept.0.names = place(kept.0.names);
            kept
        }));
    }

    /// Adds one unless there is one of the same turn and bucket.
    pub(super) fn add_missing(&mut self, snapshot: Snapshot, source: &Arc<Place>) {
        let is_same = |known: &Snapshot| known.turn == snapshot.turn && known.bucket == snapshot.bucket;
        if !self.0.iter().any(|kept| is_same(&kept.0)) {
            self.add(snapshot, source);
        }
    }

    pub(super) fn are_many(&self) -> bool {
        self.0.len() > MANY
    }

    /// Drops those that no longer matter beside the newest quarter. `failed` is newest first.
    pub(super) fn prune(&mut self, failed: &[&Detailed], names: &NameList) {
        self.sort();
        let mut places = self.kept(failed, names);
        places.extend(0..MANY / 4);
        let mut place = 0;
        self.0.retain(|_| {
            place += 1;
            places.contains(&(place - 1))
        });
    }

    /// Newest first: the newest of each bucket and provider, and for the newest failures what was the newest then.
    pub(super) fn that_matter(mut self, failed: &[&Detailed], names: &NameList) -> Vec<Kept> {
        self.sort();
        let places = self.kept(failed, names);
        let with_places = self.0.into_iter().enumerate();
        with_places.filter(|(place, _)| places.contains(place)).map(|(_, kept)| kept).collect()
    }

    fn sort(&mut self) {
        self.0.sort_by(|one, other| {
            let ((one, in_one), (other, in_other)) = (&**one, &**other);
            other.at_ms.cmp(&one.at_ms).then_with(|| one.bucket.cmp(&other.bucket)).then_with(|| in_one.cmp(in_other))
        });
    }

    /// The places of those that matter. They are sorted.
    fn kept(&self, failed: &[&Detailed], names: &NameList) -> BTreeSet<usize> {
        let mut known: Vec<Of<'_>> = Vec::new();
        let mut kinds = Vec::with_capacity(self.0.len());
        for kept in &self.0 {
            let of = Of { bucket: kept.0.bucket.as_deref(), provider: names.get(kept.0.names).provider.as_deref() };
            let place = known.iter().position(|other| *other == of);
            kinds.push(place.unwrap_or(known.len()));
            if place.is_none() {
                known.push(of);
            }
        }
        let newest_from = |start: usize| {
            let mut seen = vec![false; known.len()];
            let (kinds, places) = (&kinds, start..self.0.len());
            places.filter(move |place| !std::mem::replace(&mut seen[kinds[*place]], true))
        };
        let mut places: BTreeSet<usize> = newest_from(0).collect();
        for detailed in failed.iter().take(FAILURES_WITH_LIMITS) {
            let of = names.get(detailed.turn.names).provider.as_deref();
            let then = self.0.partition_point(|kept| kept.0.at_ms > detailed.turn.at_ms);
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

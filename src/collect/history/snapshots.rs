//! Quota snapshots of all files: few of them matter, and only these are kept.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::names::NameList;
use super::turn::{Detailed, Snapshot};

/// For so many of the newest failed turns the quota snapshots of their time are kept.
const FAILURES_WITH_LIMITS: usize = 10;

/// From so many snapshots on, those that no longer matter are dropped.
const MANY: usize = 4096;

/// Snapshots with the files they stand in.
#[derive(Default)]
pub(super) struct Snapshots(Vec<(Snapshot, Arc<Path>)>);

impl Snapshots {
    pub(super) fn add(&mut self, snapshot: Snapshot, source: &Arc<Path>) {
        self.0.push((snapshot, Arc::clone(source)));
    }

    /// Adds one unless there is one of the same turn and bucket.
    pub(super) fn add_missing(&mut self, snapshot: Snapshot, source: &Arc<Path>) {
        let is_same = |known: &Snapshot| known.turn == snapshot.turn && known.bucket == snapshot.bucket;
        if !self.0.iter().any(|(known, _)| is_same(known)) {
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
    pub(super) fn that_matter(mut self, failed: &[&Detailed], names: &NameList) -> Vec<(Snapshot, Arc<Path>)> {
        self.sort();
        let places = self.kept(failed, names);
        let with_places = self.0.into_iter().enumerate();
        with_places.filter(|(place, _)| places.contains(place)).map(|(_, kept)| kept).collect()
    }

    fn sort(&mut self) {
        self.0.sort_by(|(one, in_one), (other, in_other)| {
            other.at_ms.cmp(&one.at_ms).then_with(|| one.bucket.cmp(&other.bucket)).then_with(|| in_one.cmp(in_other))
        });
    }

    fn kept(&self, failed: &[&Detailed], names: &NameList) -> BTreeSet<usize> {
        let provider = |place: u16| names.get(place).provider.as_deref();
        let mut places: BTreeSet<usize> = self.newest(names, |_| true).into_iter().collect();
        for detailed in failed.iter().take(FAILURES_WITH_LIMITS) {
            let (at_ms, of) = (detailed.turn.at_ms, provider(detailed.turn.names));
            let before = |snapshot: &Snapshot| snapshot.at_ms <= at_ms && provider(snapshot.names) == of;
            places.extend(self.newest(names, before));
        }
        places
    }

    /// The place of the newest of each bucket and provider among those `wanted`.
    fn newest(&self, names: &NameList, wanted: impl Fn(&Snapshot) -> bool) -> Vec<usize> {
        let mut seen: Vec<(Option<&str>, Option<&str>)> = Vec::new();
        let mut places = Vec::new();
        for (place, (snapshot, _)) in self.0.iter().enumerate() {
            let of = (snapshot.bucket.as_deref(), names.get(snapshot.names).provider.as_deref());
            if !seen.contains(&of) && wanted(snapshot) {
                seen.push(of);
                places.push(place);
            }
        }
        places
    }
}

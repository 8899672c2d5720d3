//! All that the rollouts of a home told together, in the form in which it is kept for another run.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Merge;
use super::details::Details;
use crate::collect::history::brief::{Brief, Key};
use crate::collect::history::cache::block::add_bytes_of;
use crate::collect::history::cache::record::{Number, NumberedFault, NumberedSnapshots, Numbers, WordList};
use crate::collect::history::turn::{Detailed, Header, Turn};
use crate::collect::history::word::{Id, Word};
use crate::collect::sessions::listing::{Place, RolloutFile};

/// The sum of years is about so long.
const LENGTH: usize = 1 << 20;

/// All but the briefs, which are many and stand apart; of turns that stand elsewhere when it is written, and are its own when it is read.
#[derive(Serialize, Deserialize)]
struct Sum<'a, T> {
    #[serde(borrow)]
    words: Vec<&'a str>,
    /// Model, provider, account, by place in the list of names.
    names: Vec<[Number; 3]>,
    /// Thread, and originator, version, directory.
    headers: Vec<(Option<Id>, [Number; 3])>,
    details: Vec<KeptTurn<T>>,
    snapshots: NumberedSnapshots<'a>,
    /// The files of the snapshots, by place in the list of files.
    snapshot_files: Vec<u32>,
    newest: Vec<(i64, Key)>,
    broken_records: u64,
    files: u64,
    bytes: u64,
}

/// A turn, its fault, its header by number, its file by place in the list of files.
#[derive(Serialize, Deserialize)]
struct KeptTurn<T>(T, Option<NumberedFault>, u32, u32);

impl Merge {
    /// Gets ready to be kept.
    pub(in super::super) fn settle(&mut self) {
        self.sort_briefs();
        self.prune();
    }

    pub(in super::super) fn briefs(&self) -> &[Brief] {
        &self.briefs
    }

    /// The bytes of all else that `files` told. None where what is there did not come from these files alone. `nameless` says how a folder is
    /// kept.
    pub(in super::super) fn sum(&self, files: &[&RolloutFile], nameless: impl Fn(&Word) -> Word) -> Option<Vec<u8>> {
        let mut numbers = Numbers::default();
        let places: FxHashMap<*const Place, u32> = files.iter().map(|file| Arc::as_ptr(&file.place)).zip(0..).collect();
        let file = |source: &Arc<Place>| places.get(&Arc::as_ptr(source)).copied();
        let (mut headers, mut known) = (Vec::new(), FxHashMap::default());
        // In the order in which they are told, so that they are near each other when they are.
        let mut in_order: Vec<&Detailed> = self.details.all().iter().collect();
        in_order.sort_by_cached_key(|detailed| std::cmp::Reverse(detailed.turn.at_ms));
        let mut details = Vec::with_capacity(in_order.len());
        for Detailed { turn, header, source, .. } in in_order {
            let header = *known.entry(Arc::as_ptr(header)).or_insert_with(|| {
                let directory = header.directory.as_ref().map(&nameless);
                let words = [header.originator.as_ref(), header.version.as_ref(), directory.as_ref()];
                headers.push((header.thread.clone(), words.map(|word| numbers.number(word))));
                headers.len() - 1
            });
            let fault = turn.fault.as_ref().map(|fault| numbers.fault(fault));
            details.push(KeptTurn(turn, fault, u32::try_from(header).ok()?, file(source)?));
        }
        let (mut snapshots, mut snapshot_files) = (NumberedSnapshots::default(), Vec::new());
        for (snapshot, source) in self.snapshots.all() {
            snapshots.add(snapshot, &mut numbers);
            snapshot_files.push(file(source)?);
        }
        let names = self.names.all().map(|names| numbers.names(names)).collect();
        let sum = Sum {
            names,
            headers,
            details,
            snapshots,
            snapshot_files,
            newest: self.newest.clone(),
            broken_records: self.broken_records,
            files: self.files,
            bytes: self.bytes,
            words: numbers.words().iter().map(|(word, _)| &**word).collect(),
        };
        let mut bytes = Vec::with_capacity(LENGTH);
        add_bytes_of(&sum, &mut bytes).ok().map(|()| bytes)
    }

    /// Takes up what was kept of `files` where there is nothing yet; none, and then nothing of it, where it does not fit. `directory` gives a
    /// folder back its name.
    pub(in super::super) fn take_sum(
        &mut self,
        sum: &[u8],
        briefs: Vec<Brief>,
        files: &[&RolloutFile],
        directory: impl Fn(&Word) -> Word,
    ) -> Option<()> {
        let taken = self.another().with_sum(postcard::from_bytes(sum).ok()?, files, directory)?;
        let are_named = briefs.iter().all(|brief| usize::from(brief.names()) < taken.names.len());
        are_named.then(|| *self = Self { briefs, ..taken })
    }

    fn with_sum(mut self, sum: Sum<'_, Box<Turn>>, files: &[&RolloutFile], directory: impl Fn(&Word) -> Word) -> Option<Self> {
        let words = WordList::of(&sum.words);
        let source = |place: u32| files.get(place as usize).map(|file| &file.place);
        for (place, names) in sum.names.into_iter().enumerate() {
            // Each has its place, and stands there once.
            if usize::from(self.names.place(&words.names(names)?)) != place {
                return None;
            }
        }
        let mut directories: FxHashMap<Number, Option<Word>> = FxHashMap::default();
        let mut header = |(thread, [originator, version, folder]): (Option<Id>, [Number; 3])| {
            let known = match directories.get(&folder) {
                Some(known) => known.clone(),
                None => {
                    let named = words.get(folder)?.as_ref().map(&directory);
                    directories.insert(folder, named.clone());
                    named
                }
            };
            Some(Arc::new(Header { thread, originator: words.get(originator)?, version: words.get(version)?, directory: known }))
        };
        let headers: Vec<Arc<Header>> = sum.headers.into_iter().map(&mut header).collect::<Option<_>>()?;
        let mut details = Vec::with_capacity(sum.details.len());
        for KeptTurn(mut turn, fault, header, file) in sum.details {
            turn.fault = fault.map(|fault| words.fault(fault)).map_or(Some(None), |fault| fault.map(Some))?;
            let (header, source) = (Arc::clone(headers.get(header as usize)?), Arc::clone(source(file)?));
            details.push(Detailed { turn, header, source, request: None });
        }
        self.details = Details::of(details);
        for (snapshot, file) in sum.snapshots.told(&words)?.into_iter().zip(sum.snapshot_files) {
            self.snapshots.add(snapshot, source(file)?);
        }
        self.newest = sum.newest;
        (self.broken_records, self.files, self.bytes) = (sum.broken_records, sum.files, sum.bytes);
        Some(self)
    }
}

//! What rollouts held when they were last read, kept outside of CODEX_HOME, so that only what changed since is read again.
//!
//! One file for each home, and one for what all its rollouts told together, each written anew and put in place at once; another run that
//! writes it at the same moment does no harm. A block that is damaged or of another version of this program does not count, nor a record of
//! a file that is another one now. What holds a secret, or an error that names somebody, is not kept: such a rollout is read each time.

pub(super) mod block;
mod place;
pub(super) mod record;
mod sum;
mod writer;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::merge::Merge;
use super::word::Word;
use crate::at_once::{each_with, workers};
use crate::collect::sessions::listing::RolloutFile;
use crate::redact::Redactor;
use crate::world::World;
use block::{Block, Blocks, Of};
use record::{KeptRollout, WordList};
pub(super) use writer::{Batch, Writer};

/// More threads than this do not make it faster.
const MOST_THREADS: usize = 4;
/// So few files are not worth a second thread.
const FEW: usize = 100;

/// The places of files in their list, by folder and name.
type Places<'a> = FxHashMap<(&'a str, &'a str), u32>;

/// The cache of one home.
pub(super) struct Cache {
    folder: PathBuf,
    /// How the names of its files begin.
    name: String,
    home: String,
    /// The user's own folder, which is kept as `~`: it has a name.
    user_home: Option<String>,
    /// The moment of the run.
    now: SystemTime,
}

/// What a cache knows of the files in a list.
#[derive(Default)]
pub(super) struct Known {
    /// Whether what is kept of a file still holds, by its place in the list.
    valid: Vec<bool>,
    /// Whether anything in the cache does not.
    stale: bool,
    blocks: Option<Blocks>,
}

impl Known {
    pub(super) fn holds(&self, place: usize) -> bool {
        self.valid.get(place).copied().unwrap_or(false)
    }
}

impl Cache {
    /// The cache for the home of this world; none where there is no place for it, or where that lies in CODEX_HOME.
    pub(super) fn of(world: &World) -> Option<Self> {
        let home = world.codex_home.canonicalize().ok()?;
        let folder = place::folder(world)?;
        let mut hasher = DefaultHasher::new();
        home.hash(&mut hasher);
        let user_home = world.home.as_ref().and_then(|home| home.to_str()).filter(|home| home.len() > 1).map(str::to_owned);
        // Where Codex keeps things nothing is written; a folder that is not there yet cannot be looked up.
        let existing = folder.ancestors().find_map(|folder| folder.canonicalize().ok())?;
        if existing.starts_with(&home) {
            return None;
        }
        let name = format!("history-{:016x}", hasher.finish());
        Some(Self { folder, name, home: world.codex_home.to_str()?.to_owned(), user_home, now: world.now.into() })
    }

    fn file(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn of_file<'a>(&self, file: &'a RolloutFile) -> Option<Of<'a>> {
        let folder = file.place.folder().to_str()?.strip_prefix(&self.home)?;
        let name = Some(file.name()).filter(|name| !name.is_empty())?;
        Some(Of { folder, name, identity: file.identity? })
    }

    /// Merges each rollout in the cache whose file is one of the `wanted` and has not changed.
    pub(super) fn load(&self, files: &[&RolloutFile], wanted: &[bool], merge: &mut Merge) -> Known {
        let Some(blocks) = Blocks::open(&self.file()) else {
            return Known { valid: vec![false; files.len()], stale: true, blocks: None };
        };
        let load = Load {
            cache: self,
            files,
            wanted,
            places: self.places(files),
            valid: files.iter().map(|_| AtomicBool::new(false)).collect(),
            blocks: Mutex::new(blocks),
        };
        let count = if files.len() < FEW { 1 } else { workers(MOST_THREADS) };
        let loaded = each_with(
            count,
            || (merge.another(), false),
            |(merge, stale)| {
                *stale = load.work(merge);
                merge.sort_briefs();
            },
        );
        let mut known = Known { valid: load.valid.into_iter().map(AtomicBool::into_inner).collect(), ..Known::default() };
        for (other, stale) in loaded {
            merge.absorb(other);
            known.stale |= stale;
        }
        known.blocks = load.blocks.into_inner().ok();
        known
    }

    /// A folder as it is kept.
    fn nameless(&self, directory: &Word) -> Word {
        let below = self.user_home.as_deref().and_then(|home| directory.strip_prefix(home));
        match below.filter(|below| below.is_empty() || below.starts_with(['/', '\\'])) {
            Some(below) => format!("~{below}").into(),
            None => Word::clone(directory),
        }
    }

    /// A folder that was kept, as it is.
    fn at_home(&self, kept: &Word) -> Word {
        match (kept.strip_prefix('~'), &self.user_home) {
            (Some(below), Some(home)) => format!("{home}{below}").into(),
            _ => Word::clone(kept),
        }
    }

    fn places<'a>(&self, files: &[&'a RolloutFile]) -> Places<'a> {
        let named = |(file, place): (&&'a RolloutFile, u32)| self.of_file(file).map(|of| ((of.folder, of.name), place));
        files.iter().zip(0..).filter_map(named).collect()
    }

    /// A cache to be written anew, with what still holds of the old one.
    pub(super) fn writer<'a>(&'a self, redactor: &'a Redactor, known: Known, files: &'a [&'a RolloutFile]) -> Writer<'a> {
        Writer::new(self, redactor, known, files)
    }
}

/// The place of the file that a record is of, unless it is another one now.
fn same(places: &Places<'_>, files: &[&RolloutFile], of: &Of<'_>) -> Option<usize> {
    let place = *places.get(&(of.folder, of.name))? as usize;
    (files[place].identity == Some(of.identity)).then_some(place)
}

/// The loading of a cache, on which several threads work.
struct Load<'a> {
    cache: &'a Cache,
    files: &'a [&'a RolloutFile],
    wanted: &'a [bool],
    places: Places<'a>,
    /// Of which files what is kept holds.
    valid: Vec<AtomicBool>,
    blocks: Mutex<Blocks>,
}

impl Load<'_> {
    /// Takes up one block after the other; says whether any of it is damaged, or of no file that is there.
    fn work(&self, merge: &mut Merge) -> bool {
        let (mut bytes, mut stale) = (Vec::new(), false);
        let mut directories: FxHashMap<Word, Word> = FxHashMap::default();
        loop {
            let read = self.blocks.lock().unwrap_or_else(PoisonError::into_inner).next(&mut bytes);
            match read {
                Ok(true) => {}
                Ok(false) => return stale,
                Err(_) => return true,
            }
            let Some(block) = Block::of(&bytes) else {
                stale = true;
                continue;
            };
            let words = WordList::of(&block.words);
            for (of, record) in &block.records {
                let taken = self.place(of).is_some_and(|place| {
                    let directory =
                        |kept: &Word| Word::clone(directories.entry(Word::clone(kept)).or_insert_with(|| self.cache.at_home(kept)));
                    if self.wanted[place] {
                        let Some(rollout) = KeptRollout::rollout(record, &words, merge.limits_matter_since(), directory) else {
                            self.valid[place].store(false, Ordering::Relaxed);
                            return false;
                        };
                        merge.rollout(self.files[place], rollout);
                    }
                    true
                });
                stale |= !taken;
            }
        }
    }

    /// The place of the file of a record, unless that is another one now, or has one already.
    fn place(&self, of: &Of<'_>) -> Option<usize> {
        let place = same(&self.places, self.files, of)?;
        (!self.valid[place].swap(true, Ordering::Relaxed)).then_some(place)
    }
}

//! Writing a cache: what was read anew, and what still holds of the old one.

use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use serde_bytes::Bytes;
use tempfile::NamedTempFile;

use super::block::{self, Block, Of};
use super::record::{KeptRollout, Numbers, WordList};
use super::{Cache, Known, place};
use crate::collect::history::turn::Rollout;
use crate::collect::history::word::{Id, Word};
use crate::collect::sessions::listing::{self, RolloutFile};
use crate::redact::{Redactor, SECRET_RULES};

/// So many rollouts make a block.
const FULL: usize = 64;

/// What else must not be in the words of an error that is kept. Of a file's own place and of the account it belongs to, the cache holds no
/// more than its name and its first line, for the same user's eyes.
const IN_WORDS: [&str; 9] = ["secret", "url-query", "url-user", "account", "email", "home", "host", "project", "user"];

/// A cache that is being written. Where it cannot be, the next run takes its time, and this one goes on without.
pub(in super::super) struct Writer<'a> {
    cache: &'a Cache,
    redactor: &'a Redactor,
    files: &'a [&'a RolloutFile],
    state: Mutex<State>,
}

struct State {
    known: Known,
    /// Nothing is begun before there is something to write.
    file: Option<BufWriter<NamedTempFile>>,
    failed: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(cache: &'a Cache, redactor: &'a Redactor, known: Known, files: &'a [&'a RolloutFile]) -> Self {
        Self { cache, redactor, files, state: Mutex::new(State { known, file: None, failed: false }) }
    }

    /// A batch that is written with this.
    pub(in super::super) fn batch(&self) -> Batch<'_> {
        Batch {
            writer: self,
            numbers: Numbers::default(),
            count: 0,
            records: Vec::new(),
            record: Vec::new(),
            block: Vec::new(),
            rules: FxHashMap::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, block: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        if state.failed {
            return Ok(());
        }
        self.begin(&mut state)?;
        state.file.as_mut().map_or(Ok(()), |file| block::write(file, block))
    }

    /// Puts the new file in place; not at all when nothing in it would be another.
    pub(in super::super) fn finish(self) {
        let mut state = self.state();
        if state.known.stale && !state.failed {
            state.failed = self.begin(&mut state).is_err();
        }
        let file = state.file.take().filter(|_| !state.failed);
        if let Some(Ok(file)) = file.map(BufWriter::into_inner) {
            let _ = file.persist(self.cache.file());
        }
    }

    /// Makes the new file, with what still holds of the old one. Its full blocks stay as they are, of others new ones are made.
    fn begin(&self, state: &mut State) -> io::Result<()> {
        if state.file.is_some() {
            return Ok(());
        }
        let mut file = BufWriter::new(place::unfinished(&self.cache.folder, self.cache.now)?);
        block::begin(&mut file)?;
        let Known { blocks, valid, .. } = &mut state.known;
        if let Some(blocks) = blocks
            && blocks.rewind()?
        {
            let places = self.cache.places(self.files);
            let mut copied = vec![false; self.files.len()];
            let (mut bytes, mut rest) = (Vec::new(), self.batch());
            while blocks.next(&mut bytes).unwrap_or(false) {
                let Some(block) = Block::of(&bytes) else { continue };
                let mut holds = |of: &Of<'_>| {
                    super::same(&places, self.files, of)
                        .is_some_and(|place| valid[place] && !std::mem::replace(&mut copied[place], true))
                };
                let held: Vec<bool> = block.records.iter().map(|(of, _)| holds(of)).collect();
                if block.records.len() >= FULL && held.iter().all(|held| *held) {
                    block::write(&mut file, &bytes)?;
                    continue;
                }
                let words = WordList::of(&block.words);
                for ((of, record), _) in block.records.iter().zip(held).filter(|(_, held)| *held) {
                    // The folder stands there as it is kept.
                    if let Some(rollout) = KeptRollout::rollout(record, &words, i64::MIN, Word::clone) {
                        rest.put(of, &rollout, rollout.header.directory.as_ref());
                        rest.blocks(|block| block::write(&mut file, block), FULL)?;
                    }
                }
            }
            rest.blocks(|block| block::write(&mut file, block), 1)?;
        }
        state.file = Some(file);
        Ok(())
    }
}

/// Rollouts that become one block after the other; each thread has its own.
pub(in super::super) struct Batch<'a> {
    writer: &'a Writer<'a>,
    numbers: Numbers,
    /// How many records there are.
    count: usize,
    /// Of which state of which file each is, and what that holds; one behind the other.
    records: Vec<u8>,
    /// Memory for the next one, and for a block.
    record: Vec<u8>,
    block: Vec<u8>,
    /// Texts that were looked at, and what of them would be hidden in a report.
    rules: FxHashMap<Word, Vec<&'static str>>,
}

impl Batch<'_> {
    /// Adds what `file` holds, unless it has something to hide; says whether it did.
    pub(in super::super) fn add(&mut self, file: &RolloutFile, rollout: &Rollout) -> bool {
        let cache = self.writer.cache;
        let Some(of) = cache.of_file(file).filter(|of| !self.has_odd_names(of, rollout)) else { return false };
        let directory = rollout.header.directory.as_ref().map(|directory| cache.nameless(directory));
        let (count, records, words) = (self.count, self.records.len(), self.numbers.count());
        let is_put = self.put(&of, rollout, directory.as_ref());
        let is_kept = is_put && !self.hides_something(words);
        if !is_kept {
            self.count = count;
            self.records.truncate(records);
            self.numbers.truncate(words);
        }
        self.write(FULL);
        is_kept
    }

    /// Writes what there is.
    pub(in super::super) fn finish(mut self) {
        self.write(1);
    }

    fn write(&mut self, least: usize) {
        let writer = self.writer;
        let written = self.blocks(|block| writer.write(block), least);
        if written.is_err() {
            writer.state().failed = true;
        }
    }

    /// Adds a record; says whether it could be made.
    fn put(&mut self, of: &Of<'_>, rollout: &Rollout, directory: Option<&Word>) -> bool {
        let Self { numbers, records, record, .. } = self;
        record.clear();
        let before = records.len();
        let is_put = KeptRollout::of(rollout, directory, numbers)
            .and_then(|kept| block::add_bytes_of(&kept, record))
            .and_then(|()| block::add_bytes_of(&(of, Bytes::new(record)), records));
        match is_put {
            Ok(()) => self.count += 1,
            Err(_) => self.records.truncate(before),
        }
        is_put.is_ok()
    }

    /// Makes a block of the records, if they are so many, and begins anew.
    fn blocks(&mut self, write: impl FnOnce(&[u8]) -> io::Result<()>, least: usize) -> io::Result<()> {
        if self.count < least {
            return Ok(());
        }
        let words = self.numbers.words().iter().map(|(word, _)| &**word);
        let sealed = block::seal(words, self.count, &self.records, &mut self.block);
        self.numbers.clear();
        self.records.clear();
        self.count = 0;
        sealed.and_then(|()| write(&self.block))
    }

    /// Whether an id or a name of a file is none that Codex gives, and holds a secret.
    fn has_odd_names(&mut self, of: &Of<'_>, rollout: &Rollout) -> bool {
        let of_turns = rollout.turns.iter().map(|turn| &turn.id).chain(rollout.snapshots.iter().map(|snapshot| &snapshot.turn));
        let odd = |id: &Id| match id {
            Id::Uuid(_) => None,
            Id::Other(text) => Some(Word::clone(text)),
        };
        let odd_ids: Vec<Word> = of_turns.chain([&rollout.header.thread]).flatten().filter_map(odd).collect();
        let odd_path: Vec<Word> = match listing::harmless_name(Path::new(of.name)) {
            Some(_) => Vec::new(),
            None => vec![of.folder.into(), of.name.into()],
        };
        odd_ids.iter().chain(&odd_path).any(|text| self.holds(text, &SECRET_RULES))
    }

    /// Whether any word from the one at `first` on must not be kept: secrets nowhere, and who somebody is not in the words of an error.
    fn hides_something(&mut self, first: usize) -> bool {
        let words = self.numbers.words()[first..].to_vec();
        words.iter().any(|(word, of_error)| self.holds(word, if *of_error { &IN_WORDS } else { &SECRET_RULES }))
    }

    /// Whether something in `text` falls under one of the `rules`.
    fn holds(&mut self, text: &Word, rules: &[&str]) -> bool {
        if !self.rules.contains_key(text) {
            self.rules.insert(Word::clone(text), self.writer.redactor.rules_for(text));
        }
        self.rules[text].iter().any(|rule| rules.contains(rule))
    }
}

//! What rollouts held when they were last read, kept outside of CODEX_HOME, so that only what changed since is read again.
//!
//! One file for each home, written anew and put in place at once; another run that writes it at the same moment does no harm. A record that
//! is damaged, of another version of this program, or of a file that is another one now, does not count. What holds a secret,
//! or an error that names somebody, is not kept: such a rollout is read each time.

mod place;
mod record;

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Seek, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::turn::Rollout;
use super::word::{Id, Word};
use crate::collect::sessions::listing::{self, Identity, RolloutFile};
use crate::redact::{Redactor, SECRET_RULES};
use crate::world::World;
use record::{Numbers, Record};

/// The beginning of a cache file. Another number for another content, so that what an older version wrote is not misread.
const MAGIC: &[u8] = b"codex-triage history 3\n";
/// So many files are worth a second thread.
const MANY_FILES: usize = 256;
/// So many rollouts are handed over at once, and so many times before they are taken.
const BATCH: usize = 32;
const AHEAD: usize = 8;
/// No record of one rollout is longer: a length beyond it is damage.
const LONGEST_RECORD: u32 = 256 * 1024 * 1024;

/// What else must not be in the words of an error that is kept. Of a file's own place and of the account it belongs to, the cache holds no
/// more than its name and its first line, for the same user's eyes.
const IN_WORDS: [&str; 9] = ["secret", "url-query", "url-user", "account", "email", "home", "host", "project", "user"];

/// Whose rollout a record is, and of which state of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Of<'a> {
    /// Its folder below CODEX_HOME.
    folder: &'a str,
    name: &'a str,
    identity: Identity,
}

/// The places of files in their list, by folder and name, with the states that they are in.
type Places<'a> = FxHashMap<(&'a str, &'a str), (usize, Identity)>;

/// The cache of one home.
pub(super) struct Cache {
    file: PathBuf,
    home: String,
    /// The user's own folder, which is kept as `~`: it has a name.
    user_home: Option<String>,
}

/// What a cache knows of the files in a list.
#[derive(Default)]
pub(super) struct Known {
    /// Whether what is kept of a file still holds, by its place in the list.
    valid: Vec<bool>,
    /// Whether anything in the cache does not.
    stale: bool,
    records: Option<Records>,
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
        let file = folder.join(format!("history-{:016x}", hasher.finish()));
        Some(Self { file, home: world.codex_home.to_str()?.to_owned(), user_home })
    }

    fn of_file<'a>(&self, file: &'a RolloutFile) -> Option<Of<'a>> {
        let folder = file.folder().to_str()?.strip_prefix(&self.home)?;
        let name = Some(file.name()).filter(|name| !name.is_empty())?;
        Some(Of { folder, name, identity: file.identity? })
    }

    /// Hands each rollout in the cache whose file is one of the `wanted` and has not changed to `take`.
    pub(super) fn load(&self, files: &[RolloutFile], wanted: &[bool], mut take: impl FnMut(usize, Rollout)) -> Known {
        let mut known = Known { valid: vec![false; files.len()], stale: true, records: Records::open(&self.file) };
        let (Some(records), valid) = (&mut known.records, &mut known.valid) else { return known };
        if files.len() < MANY_FILES {
            known.stale = self.read(records, files, wanted, valid, |(place, rollout)| take(place, rollout));
            return known;
        }
        // Records are decoded on a thread of their own while those before are taken.
        let (sender, receiver) = std::sync::mpsc::sync_channel(AHEAD);
        let decode = move || {
            let mut batch = Vec::with_capacity(BATCH);
            let send = |batch: &mut Vec<_>| drop(sender.send(std::mem::replace(batch, Vec::with_capacity(BATCH))));
            let stale = self.read(records, files, wanted, valid, |rollout| {
                batch.push(rollout);
                if batch.len() == BATCH {
                    send(&mut batch);
                }
            });
            send(&mut batch);
            stale
        };
        let stale = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("cache".to_owned()).spawn_scoped(scope, decode).ok()?;
            receiver.into_iter().flatten().for_each(|(place, rollout)| take(place, rollout));
            Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        // Without a thread to spare nothing of it is known, and all is read.
        known.stale = stale.unwrap_or(true);
        known
    }

    /// Gives out the rollouts of `records` that are `wanted` and marks those that are `valid`; says whether anything else is there.
    fn read(
        &self,
        records: &mut Records,
        files: &[RolloutFile],
        wanted: &[bool],
        valid: &mut [bool],
        mut give: impl FnMut((usize, Rollout)),
    ) -> bool {
        let mut stale = false;
        let places = self.places(files);
        let mut directories: FxHashMap<Word, Word> = FxHashMap::default();
        let mut directory = |kept: &Word| Word::clone(directories.entry(Word::clone(kept)).or_insert_with(|| self.at_home(kept)));
        while let Some(record) = records.next() {
            let Some((place, rollout)) = record.of(&places).filter(|(place, _)| !valid[*place]) else {
                stale |= !record.body.is_empty();
                continue;
            };
            if wanted[place] {
                let Some(rollout) = record.rollout(rollout, &mut directory) else {
                    stale = true;
                    continue;
                };
                give((place, rollout));
            }
            valid[place] = true;
        }
        stale || records.is_damaged
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

    fn places<'a>(&self, files: &'a [RolloutFile]) -> Places<'a> {
        let of_file = |(place, file)| self.of_file(file).map(|of| ((of.folder, of.name), (place, of.identity)));
        files.iter().enumerate().filter_map(of_file).collect()
    }

    /// A cache to be written anew, with what still holds of the old one.
    pub(super) fn writer<'a>(&'a self, redactor: &'a Redactor, known: Known, files: &'a [RolloutFile]) -> Writer<'a> {
        Writer {
            cache: self,
            redactor,
            known,
            files,
            rules: FxHashMap::default(),
            numbers: Numbers::default(),
            file: None,
            failed: false,
        }
    }
}

/// A cache that is being written. Where it cannot be, the next run takes its time, and this one goes on without.
pub(super) struct Writer<'a> {
    cache: &'a Cache,
    redactor: &'a Redactor,
    known: Known,
    files: &'a [RolloutFile],
    /// Texts that were looked at, and what of them would be hidden in a report.
    rules: FxHashMap<Word, Vec<&'static str>>,
    numbers: Numbers,
    /// Nothing is begun before there is something to write.
    file: Option<BufWriter<NamedTempFile>>,
    failed: bool,
}

impl Writer<'_> {
    /// Adds what `file` holds, unless it has something to hide.
    pub(super) fn add(&mut self, file: &RolloutFile, rollout: &Rollout) {
        let Some(of) = self.cache.of_file(file) else { return };
        if self.failed || self.hides_something(&of, rollout) {
            return;
        }
        self.failed = self.put(&of, rollout).is_err();
    }

    /// Puts the new file in place; not at all when nothing in it would be another.
    pub(super) fn finish(mut self) {
        if self.known.stale && !self.failed {
            self.failed = self.begin().is_err();
        }
        if let Some(Ok(file)) = self.file.filter(|_| !self.failed).map(BufWriter::into_inner) {
            let _ = file.persist(&self.cache.file);
        }
    }

    fn put(&mut self, of: &Of<'_>, rollout: &Rollout) -> io::Result<()> {
        self.begin()?;
        let directory = rollout.header.directory.as_ref().map(|directory| self.cache.nameless(directory));
        let record = Record::of(rollout, directory.as_ref(), &mut self.numbers);
        let body = postcard::to_extend(of, Vec::new()).and_then(|start| postcard::to_extend(&record, start));
        let words = self.numbers.new_ones();
        let words: Vec<&str> = words.iter().map(|word| &**word).collect();
        let Some(file) = &mut self.file else { return Ok(()) };
        write(file, &words, &body.map_err(io::Error::other)?)
    }

    /// Makes the new file, with what still holds of the old one; all of its words, for their numbers.
    fn begin(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            return Ok(());
        }
        let folder = self.cache.file.parent().ok_or(io::ErrorKind::NotFound)?;
        place::make(folder)?;
        let mut file = BufWriter::new(tempfile::Builder::new().prefix(".history-").tempfile_in(folder)?);
        file.write_all(MAGIC)?;
        if let Some(records) = &mut self.known.records {
            records.rewind()?;
            let places = self.cache.places(self.files);
            let mut copied = vec![false; self.files.len()];
            while let Some(record) = records.next() {
                let holds = |place: usize| self.known.valid[place] && !std::mem::replace(&mut copied[place], true);
                let lasts = record.of(&places).map(|(place, _)| place).is_some_and(holds);
                if lasts || !record.new_words.is_empty() {
                    write(&mut file, &record.new_words, if lasts { record.body } else { &[] })?;
                }
            }
            self.numbers = Numbers::after(&records.words);
        }
        self.file = Some(file);
        Ok(())
    }

    /// Whether anything in a rollout, or its place, must not be kept: secrets nowhere, and who somebody is not in the words of an error.
    fn hides_something(&mut self, of: &Of<'_>, rollout: &Rollout) -> bool {
        let header = &rollout.header;
        let of_header = [&header.originator, &header.version, &header.directory];
        let of_names = rollout.names.iter().flat_map(|names| [&names.model, &names.provider, &names.account]);
        let of_snapshots =
            rollout.snapshots.iter().flat_map(|snapshot| [&snapshot.bucket, &snapshot.name, &snapshot.plan, &snapshot.reached]);
        let texts = of_header.into_iter().chain(of_names).chain(of_snapshots).flatten();
        let of_turns = rollout.turns.iter().map(|turn| &turn.id).chain(rollout.snapshots.iter().map(|snapshot| &snapshot.turn));
        let odd = |id: &Id| match id {
            Id::Uuid(_) => None,
            Id::Other(text) => Some(Word::clone(text)),
        };
        let odd_ids: Vec<Word> = of_turns.chain([&header.thread]).flatten().filter_map(odd).collect();
        let odd_path: Vec<Word> = match listing::harmless_name(Path::new(of.name)) {
            Some(_) => Vec::new(),
            None => vec![of.folder.into(), of.name.into()],
        };
        let faults = rollout.turns.iter().filter_map(|turn| turn.fault.as_ref());
        let mut words = faults.flat_map(|fault| [&fault.text, &fault.info]).flatten();
        texts.chain(&odd_ids).chain(&odd_path).any(|text| self.holds(text, &SECRET_RULES))
            || words.any(|text| self.holds(text, &IN_WORDS))
    }

    /// Whether something in `text` falls under one of the `rules`.
    fn holds(&mut self, text: &Word, rules: &[&str]) -> bool {
        if !self.rules.contains_key(text) {
            self.rules.insert(Word::clone(text), self.redactor.rules_for(text));
        }
        self.rules[text].iter().any(|rule| rules.contains(rule))
    }
}

/// Writes one record: the words that no earlier one has, and what they are for.
fn write(file: &mut impl Write, words: &[&str], body: &[u8]) -> io::Result<()> {
    let start = postcard::to_extend(words, Vec::new()).map_err(io::Error::other)?;
    let length = start.len() + body.len();
    let Some(length) = u32::try_from(length).ok().filter(|length| *length <= LONGEST_RECORD) else {
        return Err(io::ErrorKind::FileTooLarge.into());
    };
    let mut sum = crc32fast::Hasher::new();
    sum.update(&start);
    sum.update(body);
    file.write_all(&length.to_le_bytes())?;
    file.write_all(&sum.finalize().to_le_bytes())?;
    file.write_all(&start)?;
    file.write_all(body)
}

/// The records of a cache file, until the first that is damaged: where the next one begins is not known.
struct Records {
    reader: BufReader<File>,
    record: Vec<u8>,
    /// All words so far, by number.
    words: Vec<Word>,
    at_end: bool,
    is_damaged: bool,
}

/// One record of a cache file.
struct Read<'a> {
    new_words: Vec<&'a str>,
    /// Nothing, where the record is there for its words.
    body: &'a [u8],
    words: &'a [Word],
}

impl<'a> Read<'a> {
    /// The place of the file that it is of, unless that is another one now; and the rest.
    fn of(&self, places: &Places<'_>) -> Option<(usize, &'a [u8])> {
        let (of, rollout) = postcard::take_from_bytes::<Of<'_>>(self.body).ok()?;
        let (place, identity) = places.get(&(of.folder, of.name))?;
        (*identity == of.identity).then_some((*place, rollout))
    }

    fn rollout(&self, rest: &[u8], directory: impl FnMut(&Word) -> Word) -> Option<Rollout> {
        postcard::from_bytes::<Record<'_>>(rest).ok()?.rollout(self.words, directory)
    }
}

impl Records {
    fn open(path: &Path) -> Option<Self> {
        // Opening a pipe would wait for whoever writes into it.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let reader = BufReader::with_capacity(256 * 1024, File::open(path).ok()?);
        let mut records = Self { reader, record: Vec::new(), words: Vec::new(), at_end: false, is_damaged: false };
        records.begins().ok()?.then_some(records)
    }

    fn begins(&mut self) -> io::Result<bool> {
        let mut magic = [0; MAGIC.len()];
        self.reader.read_exact(&mut magic)?;
        Ok(magic == MAGIC)
    }

    /// Goes back to the first record of the same file, whatever stands at its place meanwhile.
    fn rewind(&mut self) -> io::Result<()> {
        self.reader.rewind()?;
        self.words.clear();
        self.at_end = !self.begins()?;
        Ok(())
    }

    fn next(&mut self) -> Option<Read<'_>> {
        let read = if self.at_end { Ok(false) } else { self.read() };
        self.at_end = !matches!(read, Ok(true));
        self.is_damaged |= read.is_err();
        if self.at_end {
            return None;
        }
        let parts = postcard::take_from_bytes::<Vec<&str>>(&self.record).ok();
        let Some((new_words, body)) = parts else {
            (self.at_end, self.is_damaged) = (true, true);
            return None;
        };
        self.words.extend(new_words.iter().map(|word| Word::from(*word)));
        Some(Read { new_words, body, words: &self.words })
    }

    /// Reads the next record; false at the end.
    fn read(&mut self) -> io::Result<bool> {
        if self.reader.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let [mut length, mut sum] = [[0; 4]; 2];
        self.reader.read_exact(&mut length)?;
        self.reader.read_exact(&mut sum)?;
        let length = u32::from_le_bytes(length);
        self.record.clear();
        let taken = (&mut self.reader).take(u64::from(length.min(LONGEST_RECORD))).read_to_end(&mut self.record)?;
        let whole = taken == length as usize && crc32fast::hash(&self.record) == u32::from_le_bytes(sum);
        if whole { Ok(true) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

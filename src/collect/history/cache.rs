//! What rollouts held when they were last read, kept outside of CODEX_HOME, so that only what changed since is read again.
//!
//! One file for each home, written anew and put in place at once; another run that writes it at the same moment does no harm. A record that
//! is damaged, of another version of this program, or of a file that is another one now, does not count. What holds a secret,
//! or an error that names somebody, is not kept: such a rollout is read each time.

mod place;

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::turn::Rollout;
use crate::collect::sessions::listing::{self, Identity, RolloutFile};
use crate::redact::{Redactor, SECRET_RULES};
use crate::world::World;

/// The beginning of a cache file. Another number for another content, so that what an older version wrote is not misread.
const MAGIC: &[u8] = b"codex-triage history 2\n";
/// No record of one rollout is longer: a length beyond it is damage.
const LONGEST_RECORD: u32 = 256 * 1024 * 1024;
/// A file changed within this time before the run may change again without another time stamp.
const UNSETTLED: TimeDelta = TimeDelta::seconds(60);

/// What else must not be in the words of an error that is kept. Of a file's own place and of the account it belongs to, the cache holds no
/// more than its name and its first line, for the same user's eyes.
const IN_WORDS: [&str; 9] = ["secret", "url-query", "url-user", "account", "email", "home", "host", "project", "user"];

/// Whose rollout a record is, and of which state of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Of<'a> {
    /// Below CODEX_HOME.
    path: &'a str,
    identity: Identity,
}

/// The cache of one home.
pub(super) struct Cache {
    file: PathBuf,
    home: PathBuf,
    /// The user's own folder, which is kept as `~`: it has a name.
    user_home: Option<String>,
}

/// The files that a cache knows, by place in the list of files.
#[derive(Default)]
pub(super) struct Known {
    /// Whether what is kept of a file still holds.
    valid: Vec<bool>,
    /// Whether anything in the cache does not.
    stale: bool,
}

impl Known {
    pub(super) fn holds(&self, place: usize) -> bool {
        self.valid.get(place).copied().unwrap_or(false)
    }

    pub(super) fn is_stale(&self) -> bool {
        self.stale
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
        Some(Self { file: folder.join(format!("history-{:016x}", hasher.finish())), home: world.codex_home.clone(), user_home })
    }

    fn of_file<'a>(&self, file: &'a RolloutFile) -> Option<Of<'a>> {
        let path = file.path.strip_prefix(&self.home).ok()?.to_str()?;
        Some(Of { path, identity: file.identity? })
    }

    /// Hands each rollout in the cache whose file is one of the `wanted` and has not changed to `take`.
    pub(super) fn load(&self, files: &[RolloutFile], wanted: &[bool], mut take: impl FnMut(usize, Rollout)) -> Known {
        let mut known = Known { valid: vec![false; files.len()], stale: false };
        let Some(records) = Records::open(&self.file) else { return Known { stale: true, ..known } };
        let places = self.places(files);
        for record in records {
            let (place, rollout) = match record.as_deref().and_then(|record| self.valid(record, &places)) {
                Some((place, rollout)) if !known.valid[place] => (place, rollout),
                _ => {
                    known.stale = true;
                    continue;
                }
            };
            if !wanted[place] {
                known.valid[place] = true;
            } else if let Ok(mut rollout) = postcard::from_bytes::<Rollout>(rollout) {
                known.valid[place] = true;
                rollout.header.directory = rollout.header.directory.map(|directory| self.at_home(directory));
                take(place, rollout);
            } else {
                known.stale = true;
            }
        }
        known
    }

    /// A folder as it is kept.
    fn nameless(&self, directory: &str) -> String {
        let below = self.user_home.as_deref().and_then(|home| directory.strip_prefix(home));
        match below.filter(|below| below.is_empty() || below.starts_with(['/', '\\'])) {
            Some(below) => format!("~{below}"),
            None => directory.to_owned(),
        }
    }

    /// A folder that was kept, as it is.
    fn at_home(&self, kept: String) -> String {
        match (kept.strip_prefix('~'), &self.user_home) {
            (Some(below), Some(home)) => format!("{home}{below}"),
            _ => kept,
        }
    }

    fn places<'a>(&self, files: &'a [RolloutFile]) -> HashMap<&'a str, (usize, Identity)> {
        let of_file = |(place, file)| self.of_file(file).map(|of| (of.path, (place, of.identity)));
        files.iter().enumerate().filter_map(of_file).collect()
    }

    /// The place of the file that a record is of, unless it is another one now; and the rest of the record.
    fn valid<'a>(&self, record: &'a [u8], places: &HashMap<&str, (usize, Identity)>) -> Option<(usize, &'a [u8])> {
        let (of, rollout) = postcard::take_from_bytes::<Of<'_>>(record).ok()?;
        let (place, identity) = places.get(of.path)?;
        (*identity == of.identity).then_some((*place, rollout))
    }

    /// Begins to write the cache anew. Where nothing can be written, the run goes on without.
    pub(super) fn writer<'a>(&self, redactor: &'a Redactor, now: DateTime<Utc>) -> Option<Writer<'a>> {
        let folder = self.file.parent()?;
        place::make(folder).ok()?;
        let file = tempfile::Builder::new().prefix(".history-").tempfile_in(folder).ok()?;
        let mut writer = Writer { file: BufWriter::new(file), redactor, now, rules: HashMap::new(), written: false };
        writer.file.write_all(MAGIC).ok()?;
        Some(writer)
    }

    /// Puts the new file in place, with what still holds of the old one; not at all when nothing would be another.
    pub(super) fn finish(&self, mut writer: Writer<'_>, known: &Known, files: &[RolloutFile]) -> std::io::Result<()> {
        if !known.stale && !writer.written {
            return Ok(());
        }
        let places = self.places(files);
        let mut copied = vec![false; files.len()];
        for record in Records::open(&self.file).into_iter().flatten().flatten() {
            let Some((place, _)) = self.valid(&record, &places) else { continue };
            if known.holds(place) && !std::mem::replace(&mut copied[place], true) {
                writer.record(&record)?;
            }
        }
        let file = writer.file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.persist(&self.file).map(|_| ()).map_err(|error| error.error)
    }

    /// Adds what `file` holds, unless it may change again unseen, or has something to hide.
    pub(super) fn add(&self, writer: &mut Writer<'_>, file: &RolloutFile, rollout: &mut Rollout) -> std::io::Result<()> {
        let modified = file.modified.map(DateTime::<Utc>::from);
        let Some(of) = self.of_file(file) else { return Ok(()) };
        if modified.is_none_or(|modified| modified > writer.now - UNSETTLED) || writer.hides_something(&of, rollout) {
            return Ok(());
        }
        let directory = rollout.header.directory.clone();
        rollout.header.directory = directory.as_deref().map(|directory| self.nameless(directory));
        let record = postcard::to_extend(&of, Vec::new()).and_then(|start| postcard::to_extend(rollout, start));
        rollout.header.directory = directory;
        writer.written = true;
        writer.record(&record.map_err(std::io::Error::other)?)
    }
}

/// A cache that is being written.
pub(super) struct Writer<'a> {
    file: BufWriter<NamedTempFile>,
    redactor: &'a Redactor,
    now: DateTime<Utc>,
    /// Texts that were looked at, and what of them would be hidden in a report.
    rules: HashMap<String, Vec<&'static str>>,
    written: bool,
}

impl Writer<'_> {
    fn record(&mut self, record: &[u8]) -> std::io::Result<()> {
        let Some(length) = u32::try_from(record.len()).ok().filter(|length| *length <= LONGEST_RECORD) else { return Ok(()) };
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&crc32fast::hash(record).to_le_bytes())?;
        self.file.write_all(record)
    }

    /// Whether anything in a rollout, or its place, must not be kept: secrets nowhere, and who somebody is not in the words of an error.
    fn hides_something(&mut self, of: &Of<'_>, rollout: &Rollout) -> bool {
        let header = &rollout.header;
        let of_header = [&header.originator, &header.version, &header.directory, &header.thread];
        let of_names = rollout.names.iter().flat_map(|names| [&names.model, &names.provider, &names.account]);
        let of_snapshots =
            rollout.snapshots.iter().flat_map(|snapshot| [&snapshot.bucket, &snapshot.name, &snapshot.plan, &snapshot.reached]);
        let ids = rollout.turns.iter().map(|turn| &turn.id);
        let texts = of_header.into_iter().chain(of_names).chain(of_snapshots).chain(ids).flatten().map(String::as_str);
        let odd_path = Some(of.path).filter(|path| listing::harmless_name(Path::new(path)).is_none());
        let faults = rollout.turns.iter().filter_map(|turn| turn.fault.as_ref());
        let mut words = faults.flat_map(|fault| [&fault.text, &fault.info]).flatten();
        texts.chain(odd_path).any(|text| self.holds(text, &SECRET_RULES)) || words.any(|text| self.holds(text, &IN_WORDS))
    }

    /// Whether something in `text` falls under one of the `rules`.
    fn holds(&mut self, text: &str, rules: &[&str]) -> bool {
        if super::told::is_uuid(text) {
            return false;
        }
        if !self.rules.contains_key(text) {
            self.rules.insert(text.to_owned(), self.redactor.rules_for(text));
        }
        self.rules[text].iter().any(|rule| rules.contains(rule))
    }
}

/// The records of a cache file; a damaged one is none, and so is all that comes after a length that cannot be.
struct Records(Option<BufReader<File>>);

impl Records {
    fn open(path: &Path) -> Option<Self> {
        // Opening a pipe would wait for whoever writes into it.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut reader = BufReader::with_capacity(256 * 1024, File::open(path).ok()?);
        let mut magic = [0; MAGIC.len()];
        reader.read_exact(&mut magic).ok()?;
        (magic == MAGIC).then_some(Self(Some(reader)))
    }

    fn read(&mut self) -> Option<Option<Vec<u8>>> {
        let reader = self.0.as_mut()?;
        let mut length = [0; 4];
        match reader.read(&mut length[..1]) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(_) => return Some(None),
        }
        let mut sum = [0; 4];
        let begun = reader.read_exact(&mut length[1..]).and_then(|()| reader.read_exact(&mut sum));
        let length = u32::from_le_bytes(length);
        if begun.is_err() || length > LONGEST_RECORD {
            return Some(None);
        }
        let mut record = Vec::new();
        let read = reader.take(u64::from(length)).read_to_end(&mut record);
        let whole = read.is_ok() && record.len() == length as usize && crc32fast::hash(&record) == u32::from_le_bytes(sum);
        Some(whole.then_some(record))
    }
}

impl Iterator for Records {
    type Item = Option<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.read();
        if !matches!(record, Some(Some(_))) {
            // After damage, where the next record begins is not known.
            self.0 = None;
        }
        record
    }
}

//! The rollout files of a home, by a walk that no link can lead astray.

use std::ffi::{OsStr, OsString};
use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::Observed;
use serde::{Deserialize, Serialize};

use crate::at_once::{each_with, threads};
use crate::redact::Redactor;
use crate::world::World;

/// `sessions/YYYY/MM/DD` is three levels deep; a little more does no harm, and no layout needs this much.
const DEEPEST: usize = 6;

/// The form of the names that Codex gives; each `0` stands for a digit, each `x` for one of an id.
const NAME: &[u8] = b"rollout-0000-00-00T00-00-00-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.jsonl";

/// Where a file is. Many share a folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    folder: Arc<Path>,
    name: Box<OsStr>,
}

impl Place {
    /// The place of the file at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
        Self { folder: folder.into(), name: name.into() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&*self.name)
    }

    /// The name, where it is that of a rollout as Codex gives it.
    pub(crate) fn harmless_name(&self) -> Option<&str> {
        self.name.to_str().filter(|name| is_usual(name.as_bytes()))
    }
}

/// One rollout file. A home may have many thousands of them.
#[derive(Clone, Debug)]
pub(crate) struct RolloutFile {
    pub(crate) place: Arc<Place>,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) identity: Option<Identity>,
    pub(crate) compressed: bool,
    pub(crate) archived: bool,
}

/// What tells one state of a file from another. A file that was replaced has another number, and one that was changed another time of
/// change, even where somebody put its time of modification back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    bytes: u64,
    modified_ns: i64,
    changed_ns: i64,
    number: u64,
}

impl Identity {
    fn of(found: &Metadata) -> Option<Self> {
        let modified = found.modified().ok()?;
        let modified_ns = match modified.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok()?,
            Err(before) => -i64::try_from(before.duration().as_nanos()).ok()?,
        };
        #[cfg(unix)]
        let (changed_ns, number) = {
            use std::os::unix::fs::MetadataExt;
            (found.ctime().checked_mul(1_000_000_000)?.checked_add(found.ctime_nsec())?, found.ino())
        };
        #[cfg(not(unix))]
        let (changed_ns, number) = (0, 0);
        Some(Self { bytes: found.len(), modified_ns, changed_ns, number })
    }
}

impl RolloutFile {
    pub(crate) fn new(folder: &Arc<Path>, name: OsString, bytes: u64, compressed: bool) -> Self {
        let place = Arc::new(Place { folder: Arc::clone(folder), name: name.into_boxed_os_str() });
        Self { place, bytes, modified: None, identity: None, compressed, archived: false }
    }

    /// Whether it was last changed so long before `now` that another change will show as another time.
    pub(crate) fn is_settled(&self, now: DateTime<Utc>) -> bool {
        /// Some file systems tell the time of modification no better than to seconds, and clocks of file servers differ.
        const MODIFIED_NS: i64 = 60_000_000_000;
        /// The time of change is set by the system alone, by the same clock.
        const CHANGED_NS: i64 = 2_000_000_000;
        let (Some(identity), Some(now_ns)) = (self.identity, now.timestamp_nanos_opt()) else { return false };
        now_ns.saturating_sub(identity.modified_ns) >= MODIFIED_NS
            || cfg!(unix) && now_ns.saturating_sub(identity.changed_ns) >= CHANGED_NS
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// The path that the plain and the compressed form of one rollout share.
    pub(crate) fn plain_path(&self) -> PathBuf {
        if self.compressed { self.path().with_extension("") } else { self.path() }
    }

    /// Its name; nothing where that is no text.
    pub(crate) fn name(&self) -> &str {
        self.place.name.to_str().unwrap_or_default()
    }
}

/// All rollouts of a home, plain and compressed, and what a walk met besides.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<RolloutFile>,
    /// Folders and links that were passed over, and why.
    pub(crate) unread: Vec<(PathBuf, String)>,
    /// Whether a session folder is there at all.
    pub(crate) found_root: bool,
    /// Whether a session folder itself could not be listed.
    pub(crate) root_failed: bool,
    /// Whether the time was up before the walk ended.
    pub(crate) cut_short: bool,
}

/// A CODEX_HOME that cannot be looked into.
#[derive(Debug)]
pub(crate) enum HomeFailure {
    /// The default place, and nothing is there: Codex has never run.
    Absent(PathBuf),
    /// A named place that is not there, or is no folder.
    Failed(PathBuf, String),
}

impl HomeFailure {
    pub(crate) fn observed<T>(self, redactor: &Redactor) -> Observed<T> {
        match self {
            Self::Absent(home) => Observed::absent(redactor.path(&home)),
            Self::Failed(home, why) => Observed::failed(redactor.text(&why), redactor.path(&home)),
        }
    }
}

/// Whether CODEX_HOME can be looked into.
pub(crate) fn home(world: &World) -> Result<(), HomeFailure> {
    let home = world.codex_home.clone();
    match std::fs::metadata(&home) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(HomeFailure::Failed(home, "not a folder".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !world.codex_home_named => Err(HomeFailure::Absent(home)),
        Err(error) => Err(HomeFailure::Failed(home, error.to_string())),
    }
}

/// The listing of one run: made once, whoever asks first.
#[derive(Debug)]
pub(crate) struct OnceListed {
    home: PathBuf,
    deadline: Instant,
    listing: OnceLock<Listing>,
}

impl OnceListed {
    pub(crate) fn new(home: &Path, deadline: Instant) -> Self {
        Self { home: home.to_path_buf(), deadline, listing: OnceLock::new() }
    }

    /// The listing; whoever asks while another thread makes it waits for it.
    pub(crate) fn get(&self) -> &Listing {
        self.listing.get_or_init(|| Listing::of(&self.home, self.deadline))
    }
}

/// So many folders are worth a second thread.
const MANY_FOLDERS: usize = 8;
/// More threads than this do not make a listing faster.
const MOST_THREADS: usize = 4;

impl Listing {
    /// Walks `sessions` and `archived_sessions` of `home` until the deadline.
    pub(crate) fn of(home: &Path, deadline: Instant) -> Self {
        let mut listing = Self::default();
        for (root, archived) in [("sessions", false), ("archived_sessions", true)] {
            let root = home.join(root);
            match std::fs::metadata(&root) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => listing.fail_root(root, error.to_string()),
                Ok(found) if !found.is_dir() => listing.fail_root(root, "not a folder".to_owned()),
                Ok(_) => {
                    listing.found_root = true;
                    let before = listing.files.len();
                    listing.below(root, deadline);
                    listing.files[before..].iter_mut().for_each(|file| file.archived = archived);
                }
            }
        }
        listing
    }

    fn fail_root(&mut self, root: PathBuf, why: String) {
        self.found_root = true;
        self.root_failed = true;
        self.unread.push((root, why));
    }

    /// Level by level: the folders of one level are independent of each other.
    fn below(&mut self, root: PathBuf, deadline: Instant) {
        let mut level = vec![root];
        for depth in 0.. {
            if level.is_empty() {
                return;
            }
            let shared = Mutex::new((&mut *self, Vec::new()));
            let next = AtomicUsize::new(0);
            let work = |(): &mut ()| {
                while let Some(folder) = level.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let looked = Looked::into(folder, depth, deadline);
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let (listing, deeper) = &mut *shared;
                    listing.files.extend(looked.files);
                    listing.unread.extend(looked.unread);
                    listing.root_failed |= looked.failed && depth == 0;
                    listing.cut_short |= looked.cut_short;
                    deeper.extend(looked.folders);
                }
            };
            each_with(if level.len() < MANY_FOLDERS { 1 } else { threads(MOST_THREADS) }, || (), work);
            level = shared.into_inner().unwrap_or_else(PoisonError::into_inner).1;
        }
    }
}

/// What is right in one folder.
#[derive(Default)]
struct Looked {
    files: Vec<RolloutFile>,
    folders: Vec<PathBuf>,
    unread: Vec<(PathBuf, String)>,
    /// Whether the folder itself could not be listed.
    failed: bool,
    cut_short: bool,
}

impl Looked {
    fn into(folder: &Path, depth: usize, deadline: Instant) -> Self {
        let mut looked = Self::default();
        let shared: Arc<Path> = Arc::from(folder);
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                looked.failed = true;
                looked.unread.push((folder.to_path_buf(), error.to_string()));
                return looked;
            }
        };
        for entry in entries {
            if Instant::now() >= deadline {
                looked.cut_short = true;
                break;
            }
            match entry {
                Ok(entry) => looked.entry(&entry, &shared, depth),
                Err(error) => looked.unread.push((folder.to_path_buf(), error.to_string())),
            }
        }
        looked
    }

    fn entry(&mut self, entry: &DirEntry, folder: &Arc<Path>, depth: usize) {
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => {
                self.unread.push((folder.to_path_buf(), error.to_string()));
                return;
            }
        };
        let name = entry.file_name();
        let form = rollout_form(name.as_encoded_bytes());
        let mut pass_over = |why: &str| self.unread.push((entry.path(), why.to_owned()));
        if form.is_some() && !kind.is_file() && !kind.is_symlink() {
            // A pipe or a folder in the place of a record: what belongs there was not seen.
            pass_over("not a file");
        } else if kind.is_dir() && depth < DEEPEST {
            self.folders.push(entry.path());
        } else if kind.is_dir() {
            pass_over("too deep for a session folder");
        } else if kind.is_symlink() {
            // A link may lead in a circle or out of the home; Codex makes none.
            pass_over("a symbolic link, not followed");
        } else if kind.is_file()
            && let Some(compressed) = form
        {
            match entry.metadata() {
                Ok(found) => self.files.push(RolloutFile {
                    modified: found.modified().ok(),
                    identity: Identity::of(&found),
                    ..RolloutFile::new(folder, name, found.len(), compressed)
                }),
                Err(error) => pass_over(&error.to_string()),
            }
        }
    }
}

/// Whether a name is that of a rollout, and then whether of a compressed one.
fn rollout_form(name: &[u8]) -> Option<bool> {
    let form = [(&b".jsonl"[..], false), (b".jsonl.zst", true)].into_iter().find(|(ending, _)| name.ends_with(ending));
    form.filter(|_| name.starts_with(b"rollout-")).map(|(_, compressed)| compressed)
}

/// What is right in `folder` under names that are `wanted`, sorted; whether these are files shows when they are opened.
pub(crate) fn named(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.flatten().filter(|entry| wanted(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// A path for people. The name of a rollout looks like a secret and is none, so it stays where it is exactly what Codex writes.
pub(crate) fn shown(redactor: &Redactor, path: &Path) -> String {
    match (harmless_name(path), path.parent()) {
        (Some(name), Some(folder)) => format!("{}{}{name}", redactor.path(folder), std::path::MAIN_SEPARATOR),
        _ => redactor.path(path),
    }
}

/// The name of a rollout as Codex gives it.
pub(crate) fn harmless_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str()).filter(|name| is_usual(name.as_bytes()))
}

fn is_usual(name: &[u8]) -> bool {
    let plain = name.strip_suffix(b".zst").unwrap_or(name);
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b'x' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        other => byte == other,
    };
    plain.len() == NAME.len() && plain.iter().zip(NAME).all(fits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_that_may_change_again_unseen_is_not_settled() {
        let now = DateTime::from_timestamp(1_795_953_600, 0).unwrap();
        let ago = |seconds: i64| now.timestamp_nanos_opt().unwrap() - seconds * 1_000_000_000;
        let is_settled = |modified_s: i64, changed_s: i64| {
            let identity = Identity { bytes: 1, modified_ns: ago(modified_s), changed_ns: ago(changed_s), number: 1 };
            let file = RolloutFile::new(&Arc::from(Path::new("")), "a".into(), 1, false);
            RolloutFile { identity: Some(identity), ..file }.is_settled(now)
        };
        assert!(is_settled(61, 0) && !is_settled(59, 1) && !is_settled(-86_400, 0));
        // A time of modification in the future says nothing, the time of change does where there is one.
        assert_eq!((is_settled(-86_400, 3), is_settled(1, 3)), (cfg!(unix), cfg!(unix)));
    }

    proptest! {
        #[test]
        fn the_usual_names_are_those_that_codex_gives(
            name in "rollout-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.jsonl(\\.zst)?",
            place: prop::sample::Index,
        ) {
            prop_assert!(is_usual(name.as_bytes()));
            let mut other = name.into_bytes();
            let place = place.index(other.len());
            other[place] = b'~';
            prop_assert!(!is_usual(&other));
            other.remove(place);
            prop_assert!(!is_usual(&other));
        }
    }
}

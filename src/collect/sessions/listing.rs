//! The rollout files of a home, by a walk that no link can lead astray.

mod file;

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use codex_triage_checks::facts::Observed;

use crate::at_once::{each_with, workers};
use crate::redact::Redactor;
use crate::world::World;

use file::rollout_form;
pub(crate) use file::{Identity, Place, RolloutFile, harmless_name};

/// `sessions/YYYY/MM/DD` is three levels deep; a little more does no harm, and no layout needs this much.
const DEEPEST: usize = 6;

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
            each_with(if level.len() < MANY_FOLDERS { 1 } else { workers(MOST_THREADS) }, || (), work);
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

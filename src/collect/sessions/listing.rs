//! The rollout files of a home, by a walk that no link can lead astray.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use codex_triage_checks::facts::Observed;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::redact::Redactor;
use crate::world::World;

/// `sessions/YYYY/MM/DD` is three levels deep; a little more does no harm, and no layout needs this much.
const DEEPEST: usize = 6;

static ROLLOUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl(?:\.zst)?$")
        .expect("a constant pattern")
});

/// One rollout file.
#[derive(Clone, Debug)]
pub(crate) struct RolloutFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) identity: Option<Identity>,
    pub(crate) compressed: bool,
}

/// What tells one state of a file from another. A file that was replaced has another number, and one that was changed another time of
/// change, even where somebody put its time of modification back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    bytes: u64,
    modified_ns: i128,
    changed_ns: i128,
    number: u64,
}

impl Identity {
    fn of(found: &Metadata) -> Option<Self> {
        let modified = found.modified().ok()?;
        let modified_ns = match modified.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_nanos()).ok()?,
            Err(before) => -i128::try_from(before.duration().as_nanos()).ok()?,
        };
        #[cfg(unix)]
        let (changed_ns, number) = {
            use std::os::unix::fs::MetadataExt;
            (i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec()), found.ino())
        };
        #[cfg(not(unix))]
        let (changed_ns, number) = (0, 0);
        Some(Self { bytes: found.len(), modified_ns, changed_ns, number })
    }
}

impl RolloutFile {
    /// The path that the plain and the compressed form of one rollout share.
    pub(crate) fn plain_path(&self) -> PathBuf {
        if self.compressed { self.path.with_extension("") } else { self.path.clone() }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// All rollouts of a home, and what a walk met besides.
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

/// What a walk met besides rollouts.
#[derive(Debug, Default)]
pub(crate) struct Walk {
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

/// All rollouts below `sessions` and `archived_sessions` of `home`, plain and compressed.
pub(crate) fn rollouts(home: &Path, deadline: Instant) -> Listing {
    let mut files = Vec::new();
    let Walk { unread, found_root, root_failed, cut_short } = each_rollout(home, deadline, &mut |file, _| files.push(file));
    Listing { files, unread, found_root, root_failed, cut_short }
}

/// Shows `take` each of these rollouts, and whether it is an archived one.
pub(crate) fn each_rollout(home: &Path, deadline: Instant, take: &mut dyn FnMut(RolloutFile, bool)) -> Walk {
    let mut walk = Walk::default();
    for (root, archived) in [("sessions", false), ("archived_sessions", true)] {
        let root = home.join(root);
        match std::fs::metadata(&root) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => walk.fail_root(root, error.to_string()),
            Ok(found) if !found.is_dir() => walk.fail_root(root, "not a folder".to_owned()),
            Ok(_) => {
                walk.found_root = true;
                walk.folder(&root, 0, deadline, &mut |file| take(file, archived));
            }
        }
    }
    walk
}

impl Walk {
    fn fail_root(&mut self, root: PathBuf, why: String) {
        self.found_root = true;
        self.root_failed = true;
        self.unread.push((root, why));
    }

    fn folder(&mut self, folder: &Path, depth: usize, deadline: Instant, take: &mut dyn FnMut(RolloutFile)) {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.root_failed |= depth == 0;
                self.unread.push((folder.to_path_buf(), error.to_string()));
                return;
            }
        };
        for entry in entries {
            if Instant::now() >= deadline {
                self.cut_short = true;
                return;
            }
            let (entry, kind) = match entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind))) {
                Ok(known) => known,
                Err(error) => {
                    self.unread.push((folder.to_path_buf(), error.to_string()));
                    continue;
                }
            };
            let path = entry.path();
            let form = rollout_form(&entry.file_name().to_string_lossy());
            if form.is_some() && !kind.is_file() && !kind.is_symlink() {
                // A pipe or a folder in the place of a record: what belongs there was not seen.
                self.unread.push((path, "not a file".to_owned()));
            } else if kind.is_dir() {
                if depth < DEEPEST {
                    self.folder(&path, depth + 1, deadline, take);
                } else {
                    self.unread.push((path, "too deep for a session folder".to_owned()));
                }
            } else if kind.is_symlink() {
                // A link may lead in a circle or out of the home; Codex makes none.
                self.unread.push((path, "a symbolic link, not followed".to_owned()));
            } else if kind.is_file()
                && let Some(compressed) = form
            {
                match entry.metadata() {
                    Ok(found) => {
                        let (modified, identity) = (found.modified().ok(), Identity::of(&found));
                        take(RolloutFile { path, bytes: found.len(), modified, identity, compressed });
                    }
                    Err(error) => self.unread.push((path, error.to_string())),
                }
            }
        }
    }
}

/// Whether a name is that of a rollout, and then whether of a compressed one.
fn rollout_form(name: &str) -> Option<bool> {
    if !name.starts_with("rollout-") {
        return None;
    }
    match name.strip_suffix(".jsonl.zst") {
        Some(_) => Some(true),
        None => name.ends_with(".jsonl").then_some(false),
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

/// The name of a rollout as Codex gives it.
pub(crate) fn harmless_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str()).filter(|name| ROLLOUT.is_match(name))
}

//! What takes space in CODEX_HOME beside rollouts and databases, and how much room the disk has left.

use std::path::{Path, PathBuf};
use std::time::Instant;

use codex_triage_checks::facts::sessions::{Disk, LargeFile, SessionStore, Stored, is_thread_id};

use super::listing;
use crate::redact::Redactor;

/// What is counted elsewhere.
const COUNTED: [&str; 3] = ["sessions", "archived_sessions", "log"];
/// Folders below this depth are not looked into; nothing that Codex makes is so deep.
const DEEPEST: usize = 16;

/// The room on the file system of `home`.
pub(super) fn disk(home: &Path, passed_over: &mut Vec<(PathBuf, String)>) -> Option<Disk> {
    let told = fs4::available_space(home).and_then(|free_bytes| Ok(Disk { free_bytes, total_bytes: fs4::total_space(home)? }));
    told.map_err(|error| passed_over.push((home.to_path_buf(), format!("its free space: {error}")))).ok()
}

/// The threads with a writer lock, by id; what else somebody put there is not told.
pub(super) fn writer_locks(home: &Path) -> Vec<String> {
    let locks = listing::named(&home.join("thread-writer-locks"), |name| name.ends_with(".lock") && !name.starts_with('.'));
    locks.iter().filter_map(|lock| Some(lock.file_stem()?.to_str()?.to_owned())).filter(|thread| is_thread_id(thread)).collect()
}

/// The log files right in `folders`, largest first.
pub(super) fn logs(folders: &[PathBuf], redactor: &Redactor) -> Vec<LargeFile> {
    let named = folders.iter().flat_map(|folder| listing::named(folder, |name| name.contains(".log")));
    let mut files: Vec<LargeFile> = named
        .filter_map(|path| {
            let found = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
            Some(LargeFile { file: redactor.path(&path), bytes: found.len() })
        })
        .collect();
    files.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.file.cmp(&other.file)));
    files.truncate(SessionStore::LARGEST);
    files
}

/// What else lies in CODEX_HOME.
pub(super) struct Others {
    entries: Vec<(PathBuf, Sum)>,
    pub(super) cut_short: bool,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    files: u64,
    bytes: u64,
}

/// The files and folders right in `home`, each with the size of all that is in it; databases and what is counted elsewhere left out.
pub(super) fn other(home: &Path, deadline: Instant, passed_over: &mut Vec<(PathBuf, String)>) -> Others {
    let mut others = Others { entries: Vec::new(), cut_short: false };
    let elsewhere = |name: &str| COUNTED.contains(&name) || name.contains(".sqlite");
    for path in listing::named(home, |name| !elsewhere(name)) {
        let mut sum = Sum::default();
        others.cut_short |= !add(&path, 0, deadline, &mut sum, passed_over);
        others.entries.push((path, sum));
    }
    others.entries.retain(|(_, sum)| sum.bytes > 0);
    others.entries.sort_by(|one, other| other.1.bytes.cmp(&one.1.bytes).then_with(|| one.0.cmp(&other.0)));
    others.entries.truncate(SessionStore::LARGEST);
    others
}

impl Others {
    pub(super) fn shown(&self, redactor: &Redactor) -> Vec<Stored> {
        let shown = |(path, sum): &(PathBuf, Sum)| Stored { file: redactor.path(path), files: sum.files, bytes: sum.bytes };
        self.entries.iter().map(shown).collect()
    }
}

/// Adds a file, or a folder with all that is in it; false when the time was up. A link counts as what it is, so that none leads in a
/// circle. What vanishes meanwhile was no matter of size.
fn add(path: &Path, depth: usize, deadline: Instant, sum: &mut Sum, passed_over: &mut Vec<(PathBuf, String)>) -> bool {
    if Instant::now() >= deadline {
        return false;
    }
    let vanished = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if vanished(&error) => return true,
        Err(error) => {
            passed_over.push((path.to_path_buf(), error.to_string()));
            return true;
        }
    };
    if !found.is_dir() {
        sum.files += 1;
        sum.bytes += found.len();
        return true;
    }
    if depth >= DEEPEST {
        passed_over.push((path.to_path_buf(), "too deep to be counted".to_owned()));
        return true;
    }
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().all(|entry| add(&entry.path(), depth + 1, deadline, sum, passed_over)),
        Err(error) if vanished(&error) => true,
        Err(error) => {
            passed_over.push((path.to_path_buf(), error.to_string()));
            true
        }
    }
}

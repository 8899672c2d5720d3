//! A private copy of a SQLite database, so that reading it leaves no trace where it lies: no lock, no checkpoint, no `-wal`, no `-shm`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags};

/// Database and write-ahead log together are copied up to this size.
const LARGEST_COPY: u64 = 256 * 1024 * 1024;
/// A checkpoint in the middle of copying is seen by the files' stamps; then once more.
const ATTEMPTS: usize = 3;

/// An open private copy, or the main file itself as if it never changed.
pub(super) struct Snapshot {
    pub(super) connection: Connection,
    /// Whether the write-ahead log was left out, so that the newest rows may be missing.
    pub(super) without_log: bool,
    // Dropped after the connection: the copy's folder.
    _folder: Option<Folder>,
}

/// Folders that hold a copy at this moment.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary folder that [`sweep`] knows of.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new() -> std::io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("codex-triage-").tempdir()?;
        folders().push(folder.path().to_path_buf());
        Ok(Self(folder))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        folders().retain(|folder| folder != self.0.path());
    }
}

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the copies of readers that were left behind at the deadline: the process ends without them, and what they copied is
/// somebody's history.
pub(crate) fn sweep() {
    for folder in folders().drain(..) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Opens `database` without a trace in any of `homes`. The error says what did not work.
pub(super) fn open(database: &Path, homes: &[PathBuf]) -> Result<Snapshot, String> {
    if std::fs::metadata(database).is_ok_and(|found| !found.is_file()) {
        return Err("not a file".to_owned());
    }
    let log = log_of(database);
    let size = length(database).ok_or("gone or unreadable")? + length(&log).unwrap_or(0);
    if size > LARGEST_COPY {
        return immutable(database, length(&log).is_some_and(|bytes| bytes > 0));
    }
    if temporary_is_within(homes) {
        return immutable(database, length(&log).is_some_and(|bytes| bytes > 0));
    }
    match copied(database, &log) {
        Ok(snapshot) => Ok(snapshot),
        // No room for a copy, or no folder for temporary files outside of the home.
        Err(Copying::NoPlace) => immutable(database, length(&log).is_some_and(|bytes| bytes > 0)),
        Err(Copying::Failed(why)) => Err(why),
    }
}

/// Whether the temporary folder lies inside of a home: there a copy would be a trace.
pub(super) fn temporary_is_within(homes: &[PathBuf]) -> bool {
    let temporary = std::env::temp_dir();
    homes.iter().any(|home| lies_within(&temporary, home))
}

enum Copying {
    NoPlace,
    Failed(String),
}

fn copied(database: &Path, log: &Path) -> Result<Snapshot, Copying> {
    let folder = Folder::new().map_err(|_| Copying::NoPlace)?;
    let copy = folder.0.path().join("copy.sqlite");
    let copy_log = log_of(&copy);
    for attempt in 1..=ATTEMPTS {
        let before = (stamp(database), stamp(log));
        let _ = std::fs::remove_file(&copy_log);
        contents(database, &copy)?;
        if before.1.is_some() {
            match contents(log, &copy_log) {
                Err(Copying::Failed(_)) if attempt < ATTEMPTS => continue,
                outcome => outcome?,
            }
        }
        if before == (stamp(database), stamp(log)) {
            break;
        }
    }
    let connection = Connection::open_with_flags(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| Copying::Failed(error.to_string()))?;
    Ok(Snapshot { connection, without_log: false, _folder: Some(folder) })
}

/// Copies bytes only: the copy gets rights of its own, so that a read-only original does not make it unusable.
fn contents(from: &Path, to: &Path) -> Result<(), Copying> {
    // Opening a pipe would wait for whoever writes into it.
    if std::fs::metadata(from).is_ok_and(|found| !found.is_file()) {
        return Err(Copying::Failed("not a file".to_owned()));
    }
    let mut source = std::fs::File::open(from).map_err(|error| Copying::Failed(error.to_string()))?;
    let mut target = std::fs::File::create(to).map_err(|_| Copying::NoPlace)?;
    std::io::copy(&mut source, &mut target).map(|_| ()).map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Copying::NoPlace,
        _ => Copying::Failed(error.to_string()),
    })
}

fn immutable(database: &Path, without_log: bool) -> Result<Snapshot, String> {
    let uri = format!("file:{}?immutable=1&mode=ro", escaped(&database.to_string_lossy()));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags).map_err(|error| error.to_string())?;
    Ok(Snapshot { connection, without_log, _folder: None })
}

/// A path as the path of a `file:` URI (`C:\x` becomes `/C:/x`).
fn escaped(path: &str) -> String {
    let path = path.replace('\\', "/");
    let rooted = if path.get(1..2) == Some(":") { format!("/{path}") } else { path };
    rooted.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut name = database.to_path_buf().into_os_string();
    name.push("-wal");
    name.into()
}

fn length(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|found| found.len())
}

pub(super) fn stamp(path: &Path) -> Option<(u64, Option<std::time::SystemTime>)> {
    std::fs::metadata(path).ok().map(|found| (found.len(), found.modified().ok()))
}

fn lies_within(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        (Err(_), _) => true,
        (_, Err(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_as_a_uri() {
        assert_eq!(escaped("/home/a b/50%?#.sqlite"), "/home/a b/50%25%3f%23.sqlite");
        assert_eq!(escaped(r"C:\Users\x\.codex\a.sqlite"), "/C:/Users/x/.codex/a.sqlite");
    }

    #[test]
    fn rows_in_a_log_that_was_never_written_back_are_read_and_nothing_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.sqlite");
        let writer = Connection::open(&path).unwrap();
        writer
            .execute_batch("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(x); INSERT INTO t VALUES (7);")
            .unwrap();
        let before = (stamp(&path), stamp(&log_of(&path)), std::fs::read(&path).unwrap());
        let snapshot = open(&path, &[folder.path().to_path_buf()]).unwrap();
        assert_eq!(snapshot.connection.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0)), Ok(7));
        drop(snapshot);
        assert_eq!(before, (stamp(&path), stamp(&log_of(&path)), std::fs::read(&path).unwrap()));

        let main_alone = immutable(&path, true).unwrap();
        assert!(main_alone.connection.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0)).is_err());
    }
}

#[cfg(test)]
mod sweeping {
    use super::*;

    #[test]
    fn a_copy_that_a_late_reader_holds_is_removed() {
        let folder = Folder::new().unwrap();
        let path = folder.0.path().to_path_buf();
        sweep();
        assert!(!path.exists());
        drop(folder);
    }
}

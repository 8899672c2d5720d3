//! The files of `fix`: read whole, replaced as a whole, with a copy of what they were beside them.
//!
//! This is the only place of the program that writes in CODEX_HOME.

use std::fs::{self, File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::redact::Redactor;
use crate::world::World;

/// A file that may be mended.
pub(super) struct Target {
    /// The file as the layer names it.
    pub(super) path: PathBuf,
    /// The file itself, behind all links.
    real: PathBuf,
    /// Its content when it was read.
    pub(super) bytes: Vec<u8>,
}

/// Why a file is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It belongs to a project.
    Project,
    /// It belongs to the system.
    System,
    /// It may not be written.
    ReadOnly,
    /// It has another name, by a hard link.
    Linked,
    /// It changed since it was read.
    Changed,
}

impl Refused {
    /// The id of the message.
    pub(super) fn message_id(self) -> &'static str {
        match self {
            Self::Project => "fix-file-project",
            Self::System => "fix-file-system",
            Self::ReadOnly => "fix-file-read-only",
            Self::Linked => "fix-file-linked",
            Self::Changed => "fix-file-changed",
        }
    }
}

/// What went wrong with a file.
#[derive(Debug)]
pub(super) enum Trouble {
    /// A rule of ours.
    Refused(Refused),
    /// The system said so.
    Failed(std::io::Error),
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error)
    }
}

/// A larger file is none that a person wrote.
const LARGEST: u64 = 32 << 20;

impl Target {
    /// Reads `path`, following links; nothing when there is no such regular file.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let real = path.canonicalize().ok()?;
        let metadata = fs::metadata(&real).ok()?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return None;
        }
        Some(Self { path: path.to_path_buf(), bytes: fs::read(&real).ok()?, real })
    }

    /// Whether `path` leads to this file.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| path == self.real)
    }

    /// Whether the file may be written at all.
    ///
    /// # Errors
    /// Why not: a link may lead to a file that is not the person's own.
    pub(super) fn allowed(&self, world: &World) -> Result<(), Refused> {
        if self.real.starts_with(real(&world.system_config)) {
            return Err(Refused::System);
        }
        let here = real(&world.directory);
        let home = real(&world.codex_home);
        let of_project = |directory: &Path| {
            let folder = directory.join(".codex");
            real(&folder) != home && real(&folder.join("config.toml")) == self.real
        };
        // A link may also lead to the file of a project that is not the one we are in.
        let folder = self.real.parent().unwrap_or(Path::new("."));
        let of_any = folder.file_name().is_some_and(|name| name == ".codex") && folder != home;
        if of_any || here.ancestors().any(of_project) {
            return Err(Refused::Project);
        }
        // A new file in the place of one that we may not write would be ours, and no longer that of its owner.
        let read_only = fs::metadata(&self.real).is_ok_and(|metadata| metadata.permissions().readonly());
        if read_only || fs::OpenOptions::new().write(true).open(&self.real).is_err() {
            return Err(Refused::ReadOnly);
        }
        if has_other_names(&self.real) {
            return Err(Refused::Linked);
        }
        Ok(())
    }

    /// Replaces the content by `new`, after a copy of the old one was put beside its name. Returns the copy's path.
    ///
    /// # Errors
    /// When the file is not as it was read, or the system refuses; the file is then as it was.
    pub(super) fn replace(&self, new: &[u8], now: DateTime<Utc>) -> Result<PathBuf, Trouble> {
        let metadata = fs::metadata(&self.real)?;
        // Beside the name in CODEX_HOME: behind a link may be a folder that is published.
        let backup = put_new(&self.bytes, &metadata, |later| backup_path(&self.path, now + later, new))?;
        let unchanged = || match fs::read(&self.real) {
            Ok(bytes) if bytes == self.bytes => Ok(()),
            _ => Err(Trouble::Refused(Refused::Changed)),
        };
        if let Err(trouble) = put(new, &self.real, &metadata, unchanged) {
            let _ = fs::remove_file(&backup);
            return Err(trouble);
        }
        Ok(backup)
    }

    /// The copies that `fix` left beside the file, the newest first.
    pub(super) fn backups(&self) -> Vec<Backup> {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str())) else {
            return Vec::new();
        };
        let prefix = format!("{name}{MARK}");
        let of_entry = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let (stamp, print) = name.strip_prefix(&prefix)?.strip_suffix(".bak")?.rsplit_once('-')?;
            Some(Backup { path: entry.path(), stamp: stamp.to_owned(), edited: print.to_owned() })
        };
        let mut backups: Vec<Backup> = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(of_entry).collect();
        backups.sort_by(|one, other| other.stamp.cmp(&one.stamp));
        backups
    }

    /// Puts back what `backup` holds, and takes the copy away.
    ///
    /// # Errors
    /// When the file is not as `fix` left it, or the system refuses; both files are then as they were.
    pub(super) fn restore(&self, backup: &Backup) -> Result<(), Trouble> {
        if !self.is_as_left(backup) {
            return Err(Trouble::Refused(Refused::Changed));
        }
        let metadata = fs::metadata(&self.real)?;
        let old = fs::read(&backup.path)?;
        let unchanged = || match fs::read(&self.real) {
            Ok(bytes) if bytes == self.bytes => Ok(()),
            _ => Err(Trouble::Refused(Refused::Changed)),
        };
        put(&old, &self.real, &metadata, unchanged)?;
        fs::remove_file(&backup.path)?;
        Ok(())
    }

    /// Whether the file is as the edit behind `backup` left it.
    pub(super) fn is_as_left(&self, backup: &Backup) -> bool {
        print_of(&self.bytes) == backup.edited
    }
}

/// A file of ours as it may be shown: the end of its name is no secret, though it looks like one.
pub(super) fn shown_copy(copy: &Path, redactor: &Redactor) -> String {
    let name = copy.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (own, rest) = name.split_at(name.rfind(MARK).unwrap_or(name.len()));
    format!("{}{rest}", redactor.path(&copy.with_file_name(own)))
}

/// A copy of a file as it was before an edit.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    /// When the edit was made.
    pub(super) stamp: String,
    /// The print of what the edit made of the file.
    edited: String,
}

const MARK: &str = ".codex-triage-";

fn backup_path(file: &Path, now: DateTime<Utc>, edited: &[u8]) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stamp = now.format("%Y%m%dT%H%M%S%3fZ");
    file.with_file_name(format!("{name}{MARK}{stamp}-{}.bak", print_of(edited)))
}

/// A print by which a content is known again (FNV-1a, 64 bits): against accidents, not against anybody.
fn print_of(bytes: &[u8]) -> String {
    let print =
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |print, byte| (print ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{print:016x}")
}

/// Writes `bytes` to a new file with the first free of the names that `name` gives for a later and later moment: another run of ours may
/// make the same copy at the same time, and neither may take away that of the other.
fn put_new(bytes: &[u8], like: &Metadata, name: impl Fn(chrono::TimeDelta) -> PathBuf) -> Result<PathBuf, Trouble> {
    /// So many runs do not end at once.
    const TRIES: i64 = 100;
    for milliseconds in 0..TRIES {
        let path = name(chrono::TimeDelta::milliseconds(milliseconds));
        let draft = drafted(bytes, &path, like)?;
        match draft.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.error.into()),
        }
    }
    Err(Trouble::Failed(std::io::ErrorKind::AlreadyExists.into()))
}

/// A new file with `bytes` in the folder of `path`, without a name of its own yet.
fn drafted(bytes: &[u8], path: &Path, like: &Metadata) -> Result<tempfile::NamedTempFile, Trouble> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut draft = tempfile::Builder::new().prefix(".codex-triage-").suffix(".tmp").tempfile_in(folder)?;
    draft.write_all(bytes)?;
    keep_owner(draft.path(), like);
    fs::set_permissions(draft.path(), like.permissions())?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// Writes `bytes` to a new file beside `path` and gives it that name at last, if `still` holds then. Mode and owner are those of
/// `like`, as far as the system lets us.
fn put(bytes: &[u8], path: &Path, like: &Metadata, still: impl FnOnce() -> Result<(), Trouble>) -> Result<(), Trouble> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let draft = drafted(bytes, path, like)?;
    still()?;
    draft.persist(path).map_err(|error| error.error)?;
    // The name is safe on disk only with its folder; not every system lets a folder be opened.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(unix)]
fn keep_owner(path: &Path, like: &Metadata) {
    use std::os::unix::fs::MetadataExt;
    let own = fs::metadata(path).map(|own| (own.uid(), own.gid()));
    if own.is_ok_and(|own| own != (like.uid(), like.gid())) {
        let _ = std::os::unix::fs::chown(path, Some(like.uid()), Some(like.gid()));
    }
}

#[cfg(unix)]
fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn has_other_names(_: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Metadata) {}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "a = 1\n").unwrap();
        (folder, path)
    }

    fn moment(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_968_000 + seconds, 0).unwrap()
    }

    #[test]
    fn edits_are_undone_one_by_one() {
        let (folder, path) = scratch();
        Target::read(&path).unwrap().replace(b"a = 2\n", moment(0)).unwrap();
        Target::read(&path).unwrap().replace(b"a = 3\n", moment(1)).unwrap();
        for wanted in ["a = 2\n", "a = 1\n"] {
            let target = Target::read(&path).unwrap();
            target.restore(&target.backups()[0]).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), wanted);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let (folder, path) = scratch();
        let target = Target::read(&path).unwrap();
        fs::write(&path, "a = 9\n").unwrap();
        assert!(matches!(target.replace(b"a = 2\n", moment(0)), Err(Trouble::Refused(Refused::Changed))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a = 9\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no copy, no draft");
    }

    #[test]
    fn two_runs_at_once_do_not_take_each_other_s_copy() {
        let (_folder, path) = scratch();
        let (one, other) = (Target::read(&path).unwrap(), Target::read(&path).unwrap());
        let kept = one.replace(b"a = 2\n", moment(0)).unwrap();
        assert!(other.replace(b"a = 2\n", moment(0)).is_err());
        assert_eq!(fs::read_to_string(kept).unwrap(), "a = 1\n");
    }
}

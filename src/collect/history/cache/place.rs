//! Where this program keeps what it would else have to find out again.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use codex_triage_checks::facts::run::Platform;
use tempfile::NamedTempFile;

use crate::world::World;

/// The folder of this program's own caches, by the platform's custom. Only absolute paths count, as the XDG specification demands.
pub(super) fn folder(world: &World) -> Option<PathBuf> {
    let named = |name: &str| world.variable(name).map(PathBuf::from);
    let below_home = |folder: &str| world.home.as_ref().map(|home| home.join(folder));
    let caches = match world.platform {
        Platform::Windows => named("LOCALAPPDATA").or_else(|| below_home(r"AppData\Local")),
        Platform::Macos => below_home("Library/Caches"),
        Platform::Linux | Platform::Wsl => {
            named("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()).or_else(|| below_home(".cache"))
        }
    };
    Some(caches?.join("codex-triage"))
}

/// How the name of a file begins that is still being written.
const UNFINISHED: &str = ".history-";

/// A new file that is to take the place of one in `folder`, which is made where it is not there.
pub(super) fn unfinished(folder: &Path, now: SystemTime) -> std::io::Result<NamedTempFile> {
    make(folder)?;
    clear(folder, UNFINISHED, now);
    tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)
}

/// Makes the folder, for this user alone.
fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Removes the files of `folder` whose names begin so and that nobody has written to for an hour: a run that was killed leaves its own behind.
fn clear(folder: &Path, prefix: &str, now: SystemTime) {
    const LEFT: Duration = Duration::from_secs(3600);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_left = || Some(now.duration_since(entry.metadata().ok()?.modified().ok()?).ok()? > LEFT);
        if entry.file_name().to_string_lossy().starts_with(prefix) && is_left() == Some(true) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(platform: Platform, variables: &[(&str, &str)]) -> Option<PathBuf> {
        let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let now = chrono::DateTime::default();
        folder(&World::new(environment, "/here".into(), None, None, platform, now, 0))
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let now = std::fs::metadata(folder.path()).unwrap().modified().unwrap();
        let old = now - Duration::from_secs(7200);
        for (name, is_old) in [(".history-left", true), (".history-now", false), ("history-1", true)] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        }
        clear(folder.path(), ".history-", now);
        let there = |name: &str| folder.path().join(name).exists();
        assert_eq!([".history-left", ".history-now", "history-1"].map(there), [false, true, true]);
    }

    #[test]
    fn each_platform_has_its_own_place() {
        let home = ("HOME", "/home/x");
        assert_eq!(place(Platform::Linux, &[home]), Some("/home/x/.cache/codex-triage".into()));
        assert_eq!(place(Platform::Linux, &[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/codex-triage".into()));
        assert_eq!(place(Platform::Linux, &[home, ("XDG_CACHE_HOME", "c")]), Some("/home/x/.cache/codex-triage".into()));
        assert_eq!(place(Platform::Macos, &[home]), Some("/home/x/Library/Caches/codex-triage".into()));
        assert_eq!(place(Platform::Windows, &[("LOCALAPPDATA", "/l")]), Some("/l/codex-triage".into()));
        assert_eq!(place(Platform::Linux, &[]), None);
    }
}

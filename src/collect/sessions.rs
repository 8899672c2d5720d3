//! Sizes of what Codex keeps: rollouts, SQLite databases, logs and the rest of CODEX_HOME. Reads names and sizes, never a file's content, and
//! writes nothing.

pub(crate) mod listing;
mod others;
mod tally;

use std::path::{Path, PathBuf};
use std::time::Instant;

use codex_triage_checks::facts::history::Unread;
use codex_triage_checks::facts::sessions::{Database, SessionStore};
use codex_triage_checks::facts::{Fact, Observed};

use crate::collect::history::ThreadsTold;
use crate::redact::Redactor;
use crate::world::World;
use listing::OnceListed;
use tally::Tally;

/// What to look at.
#[derive(Clone, Debug)]
pub struct SessionsRequest {
    /// The folder of the databases, when the configuration names one (`sqlite_home`).
    pub sqlite_home: Option<PathBuf>,
    /// The folder of the logs, when the configuration names one (`log_dir`).
    pub log_dir: Option<PathBuf>,
    /// Whether to look at everything else in CODEX_HOME, too.
    pub all: bool,
    /// When to stop counting.
    pub deadline: Instant,
}

/// Sums up the session folders, databases and logs of CODEX_HOME, and of the places that the configuration names, until the deadline.
///
/// Absent when there is no session folder and no database; failed when CODEX_HOME or a session folder cannot be listed at all.
pub fn collect(world: &World, redactor: &Redactor, request: &SessionsRequest) -> Observed<SessionStore> {
    collect_of(&OnceListed::new(&world.codex_home, request.deadline), world, redactor, request)
}

/// The same, of a home that is listed for others, too.
pub(crate) fn collect_of(
    listed: &OnceListed,
    world: &World,
    redactor: &Redactor,
    request: &SessionsRequest,
) -> Observed<SessionStore> {
    let source = redactor.path(&world.codex_home.join("sessions"));
    if let Err(failure) = listing::home(world) {
        return failure.observed(redactor);
    }
    let mut tally = Tally::new(world.utc_offset_s);
    let listing = listed.get();
    listing.files.iter().for_each(|file| tally.add(file));
    let homes = with_logs(database_homes(world, request.sqlite_home.as_deref()), world, request.log_dir.as_deref());
    let databases = databases(&homes, redactor);
    if !listing.found_root && databases.is_empty() && listing.unread.is_empty() {
        return Observed::absent(source);
    }
    if tally.is_empty() && listing.root_failed {
        let why = listing.unread.first().map_or_else(String::new, |(_, why)| why.clone());
        return Observed::failed(redactor.text(&why), source);
    }
    let mut passed_over = listing.unread.clone();
    let mut store = SessionStore { databases, cut_short: listing.cut_short, ..tally.store(redactor) };
    store.disk = others::disk(&world.codex_home, &mut passed_over);
    store.writer_locks = others::writer_locks(&world.codex_home);
    store.logs = others::logs(&log_folders(world, request.log_dir.as_deref()), redactor);
    if request.all {
        let other = others::other(&world.codex_home, request.deadline, &mut passed_over);
        store.cut_short |= other.cut_short;
        store.other = other.shown(redactor);
    }
    passed_over.sort();
    store.unread = passed_over.iter().map(|(path, why)| unread(redactor, path, why)).collect();
    Observed::known(store, source)
}

/// Adds what the records tell of threads, and what of them could not be read, to what the listing told of files.
pub(crate) fn add_threads(store: &mut Observed<SessionStore>, told: ThreadsTold, unread: Vec<Unread>) {
    if let Fact::Known { value } = &mut store.fact {
        let known = value.unread.len();
        value.unread.extend(unread);
        if value.unread.len() > known {
            value.unread.sort_by(|one, other| (&one.file, &one.why).cmp(&(&other.file, &other.why)));
            value.unread.dedup();
        }
        value.threads = told.threads;
        value.threads_seen = told.seen;
        value.projects = told.projects;
    }
}

/// An entry of the list of what could not be read.
pub(crate) fn unread(redactor: &Redactor, path: &Path, why: &str) -> Unread {
    Unread { file: listing::shown(redactor, path), why: redactor.text(why) }
}

/// Where Codex may keep its databases: the place that the configuration or the variable names, and CODEX_HOME, where they were before.
pub(crate) fn database_homes(world: &World, sqlite_home: Option<&Path>) -> Vec<PathBuf> {
    let named = sqlite_home.map(Path::to_path_buf).or_else(|| world.variable("CODEX_SQLITE_HOME").map(PathBuf::from));
    let mut homes: Vec<PathBuf> = named.into_iter().map(|path| world.codex_home.join(path)).collect();
    if !homes.contains(&world.codex_home) {
        homes.push(world.codex_home.clone());
    }
    homes
}

/// The same and where the database of the logs may be: `log_dir` moves that one, even where `sqlite_home` moves the others (measured on
/// 0.171.0).
pub(crate) fn with_logs(mut homes: Vec<PathBuf>, world: &World, log_dir: Option<&Path>) -> Vec<PathBuf> {
    let named = log_dir.map(|path| world.codex_home.join(path));
    homes.extend(named.filter(|folder| !homes.contains(folder)));
    homes
}

/// Where log files may be: the folder that the configuration names, and that of a home without such a setting.
pub(crate) fn log_folders(world: &World, log_dir: Option<&Path>) -> Vec<PathBuf> {
    let usual = world.codex_home.join("log");
    let mut folders: Vec<PathBuf> = log_dir.into_iter().map(|path| world.codex_home.join(path)).collect();
    if !folders.contains(&usual) {
        folders.push(usual);
    }
    folders
}

fn databases(homes: &[PathBuf], redactor: &Redactor) -> Vec<Database> {
    let mut found = Vec::new();
    for home in homes {
        for path in listing::named(home, |name| name.ends_with(".sqlite")) {
            let Some(main) = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file) else { continue };
            let mut wal = path.clone().into_os_string();
            wal.push("-wal");
            let wal_bytes = std::fs::metadata(wal).map_or(0, |wal| wal.len());
            found.push(Database { file: redactor.path(&path), bytes: main.len() + wal_bytes, wal_bytes });
        }
    }
    found.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.file.cmp(&other.file)));
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use codex_triage_checks::facts::run::Platform;
    use codex_triage_checks::facts::sessions::thread_of;

    use super::*;

    /// The name of a rollout of a month.
    pub(crate) fn rollout_name(year: i32, month: u32, number: usize, compressed: bool) -> String {
        let ending = if compressed { ".zst" } else { "" };
        format!("rollout-{year}-{month:02}-07T08-09-10-01a22800-af49-7090-8cee-{number:012x}.jsonl{ending}")
    }

    pub(crate) fn any_redactor() -> Redactor {
        Redactor::new(&world(Path::new("/home/someone/.codex")))
    }

    fn world(home: &Path) -> World {
        let now = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        World::new(BTreeMap::new(), home.into(), Some(home), None, Platform::Linux, now, 0)
    }

    fn put(home: &Path, name: &str, bytes: usize) {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, vec![b'x'; bytes]).unwrap();
    }

    fn look(home: &Path, log_dir: Option<&Path>) -> SessionStore {
        let (world, log_dir) = (world(home), log_dir.map(Path::to_path_buf));
        let deadline = Instant::now() + Duration::from_secs(60);
        let request = SessionsRequest { sqlite_home: None, log_dir, all: true, deadline };
        collect(&world, &Redactor::new(&world), &request).value().cloned().expect("a home")
    }

    #[test]
    fn everything_in_a_home_is_counted_once_and_in_its_place() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let logs = tempfile::tempdir().unwrap();
        put(home, &format!("sessions/2026/11/29/{}", rollout_name(2026, 11, 1, false)), 40);
        put(home, &format!("sessions/2026/11/29/{}", rollout_name(2026, 11, 2, true)), 0);
        put(home, &format!("archived_sessions/{}", rollout_name(2026, 10, 3, false)), 50);
        put(home, "sessions/2026/11/29/notes.txt", 7);
        put(home, "state_5.sqlite", 10);
        put(home, "state_5.sqlite-wal", 20);
        put(home, "history.jsonl", 300);
        put(home, "skills/one/SKILL.md", 5);
        put(home, "skills/two", 6);
        put(home, "thread-writer-locks/.coordination.lock", 0);
        put(home, "thread-writer-locks/01a22800-af49-7090-8cee-000000000001.lock", 0);
        put(home, "thread-writer-locks/somebody.lock", 0);
        put(home, "log/codex-tui.log", 60);
        put(logs.path(), "logs_2.sqlite", 70);
        put(logs.path(), "codex-login.log", 80);
        let store = look(home, Some(logs.path()));
        assert_eq!((store.files, store.bytes, store.compressed_files, store.empty_files), (3, 90, 1, 1));
        let months: Vec<_> = store.months.iter().map(|month| (&month.month[..], month.files, month.archived_bytes)).collect();
        assert_eq!(months, [("2026-10", 1, 50), ("2026-11", 2, 0)]);
        let largest: Vec<_> = store.largest.iter().map(|file| (thread_of(&file.file).unwrap(), file.bytes)).collect();
        assert_eq!(largest[0], ("01a22800-af49-7090-8cee-000000000003", 50));
        let databases: Vec<_> = store.databases.iter().map(|database| (database.bytes, database.wal_bytes)).collect();
        assert_eq!(databases, [(70, 0), (30, 20)], "log_dir holds the database of the logs");
        assert_eq!(store.logs.iter().map(|log| log.bytes).collect::<Vec<_>>(), [80, 60]);
        let other: Vec<_> = store.other.iter().map(|other| (other.files, other.bytes)).collect();
        assert_eq!(other, [(1, 300), (2, 11)]);
        assert_eq!(store.writer_locks, ["01a22800-af49-7090-8cee-000000000001"]);
        assert!(store.disk.is_some_and(|disk| disk.free_bytes <= disk.total_bytes));
        assert!(store.unread.is_empty() && !store.cut_short);
    }

    #[cfg(unix)]
    #[test]
    fn what_leads_in_a_circle_or_cannot_be_listed_is_said_and_stops_nothing() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        put(home, &format!("sessions/2026/11/29/{}", rollout_name(2026, 11, 1, false)), 40);
        symlink(home.join("sessions"), home.join("sessions/2026/loop")).unwrap();
        put(home, "skills/one", 5);
        symlink(home, home.join("skills/home")).unwrap();
        put(home, "sessions/2026/12/01/x", 1);
        let closed = home.join("sessions/2026/12");
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
        let refused = std::fs::read_dir(&closed).is_err();
        let store = look(home, None);
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!((store.files, store.bytes), (1, 40));
        // The superuser is refused nothing.
        assert_eq!(store.unread.len(), 1 + usize::from(refused), "{:?}", store.unread);
        assert_eq!(store.other.iter().map(|other| other.files).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn when_the_time_is_up_the_sums_are_called_lower_bounds() {
        let home = tempfile::tempdir().unwrap();
        put(home.path(), &format!("sessions/2026/11/29/{}", rollout_name(2026, 11, 1, false)), 40);
        let world = world(home.path());
        let request = SessionsRequest { sqlite_home: None, log_dir: None, all: true, deadline: Instant::now() };
        let store = collect(&world, &Redactor::new(&world), &request);
        assert!(store.value().is_some_and(|store| store.cut_short));
    }
}

//! Sizes of what Codex keeps: rollouts and SQLite databases. Reads names and sizes, never a file's content, and writes nothing.

pub(crate) mod listing;

use std::path::{Path, PathBuf};
use std::time::Instant;

use codex_triage_checks::facts::history::Unread;
use codex_triage_checks::facts::sessions::{Database, LargeFile, SessionStore};
use codex_triage_checks::facts::{Fact, Observed};

use crate::collect::history::ThreadsTold;
use crate::redact::Redactor;
use crate::world::World;

/// Sums up the session folders and databases of CODEX_HOME (and of `sqlite_home`, where the configuration names one) until `deadline`.
///
/// Absent when there is no session folder and no database; failed when CODEX_HOME or a session folder cannot be listed at all.
pub fn collect(world: &World, redactor: &Redactor, sqlite_home: Option<&Path>, deadline: Instant) -> Observed<SessionStore> {
    let source = redactor.path(&world.codex_home.join("sessions"));
    if let Err(failure) = listing::home(world) {
        return failure.observed(redactor);
    }
    let listing = listing::rollouts(&world.codex_home, deadline);
    let databases = databases(&database_homes(world, sqlite_home), redactor);
    if !listing.found_root && databases.is_empty() && listing.unread.is_empty() {
        return Observed::absent(source);
    }
    if listing.files.is_empty() && listing.root_failed {
        let why = listing.unread.first().map_or_else(String::new, |(_, why)| why.clone());
        return Observed::failed(redactor.text(&why), source);
    }
    let mut largest: Vec<_> = listing.files.iter().collect();
    largest.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.path.cmp(&other.path)));
    largest.truncate(SessionStore::LARGEST);
    let store = SessionStore {
        files: listing.files.len() as u64,
        bytes: listing.files.iter().map(|file| file.bytes).sum(),
        largest: largest.iter().map(|file| LargeFile { file: listing::shown(redactor, &file.path), bytes: file.bytes }).collect(),
        databases,
        cut_short: listing.cut_short,
        unread: listing.unread.iter().map(|(path, why)| unread(redactor, path, why)).collect(),
        ..SessionStore::default()
    };
    Observed::known(store, source)
}

/// Adds what the records tell of threads to what the listing told of files.
pub(crate) fn add_threads(store: &mut Observed<SessionStore>, told: ThreadsTold) {
    if let Fact::Known { value } = &mut store.fact {
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

//! Turns in `thread_history_*.sqlite`, which releases since 0.150 keep beside the rollouts.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use rusqlite::types::ValueRef;

use super::brief::Key;
use super::fault;
use super::snapshot;
use super::turn::{Header, Names, Outcome, Turn};
use super::word::{Id, Word};
use crate::collect::sessions::listing::{self, Place};

const TURNS: &str = "SELECT thread_id, turn_id, status, error_json, started_at, completed_at FROM thread_turns";
const THREADS: &str = "SELECT id, model_provider, cli_version, originator, cwd, model FROM threads WHERE id = ?1";

/// A turn as a database tells it.
pub(super) struct Row {
    pub(super) turn: Turn,
    pub(super) thread: Option<Id>,
    pub(super) database: Arc<Place>,
}

/// What the databases told besides turns.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) unread: Vec<(PathBuf, String)>,
    pub(super) broken_records: u64,
    pub(super) found: bool,
}

/// Hands each turn of the thread histories of `homes` that ended at or after `since` to `take`.
pub(super) fn turns(homes: &[PathBuf], since: DateTime<Utc>, deadline: Instant, mut take: impl FnMut(Row)) -> Rows {
    let mut rows = Rows::default();
    for home in homes {
        for database in listing::named(home, |name| name.starts_with("thread_history_") && name.ends_with(".sqlite")) {
            rows.found = true;
            if let Err(why) = read(&database, homes, since, deadline, &mut rows, &mut take) {
                rows.unread.push((database, why));
            }
        }
        for log in listing::named(home, |name| name.starts_with("thread_history_") && name.ends_with(".sqlite-wal")) {
            if !log.with_extension("sqlite").exists() {
                rows.found = true;
                rows.unread.push((log, "not read: the database file that it belongs to is missing".to_owned()));
            }
        }
    }
    rows
}

fn read(
    database: &Path,
    homes: &[PathBuf],
    since: DateTime<Utc>,
    deadline: Instant,
    rows: &mut Rows,
    take: &mut dyn FnMut(Row),
) -> Result<(), String> {
    if Instant::now() >= deadline {
        return Err("not read: the time was up".to_owned());
    }
    let snapshot = snapshot::open(database, homes)?;
    if snapshot.without_log {
        rows.unread.push((database.to_path_buf(), "too large to copy: its newest rows may be missing".to_owned()));
    }
    let (since_ms, source) = (since.timestamp_millis(), Arc::new(Place::of(database)));
    let mut statement = snapshot.connection.prepare(TURNS).map_err(|error| error.to_string())?;
    let mut found = statement.query([]).map_err(|error| error.to_string())?;
    while let Some(row) = found.next().map_err(|error| error.to_string())? {
        if Instant::now() >= deadline {
            return Err("not read to its end: the time was up".to_owned());
        }
        match turn(row) {
            Some((turn, thread)) if turn.at_ms >= since_ms => take(Row { turn, thread, database: Arc::clone(&source) }),
            Some(_) => {}
            None => rows.broken_records += 1,
        }
    }
    Ok(())
}

fn turn(row: &rusqlite::Row<'_>) -> Option<(Turn, Option<Id>)> {
    let at_ms = milliseconds(row, 5).or_else(|| milliseconds(row, 4))?;
    let outcome = match text(row, 2)?.as_str() {
        "failed" => Outcome::Failed,
        "interrupted" => Outcome::Interrupted,
        "completed" => Outcome::Success,
        _ => Outcome::Running,
    };
    let (id, thread) = (text(row, 1), text(row, 0).as_deref().map(Id::from));
    let turn = Turn {
        key: id.as_deref().map_or_else(|| Key::of_place("row", at_ms.unsigned_abs()), |id| Key::of_id(id, thread.as_ref())),
        id: id.as_deref().map(Id::from),
        at_ms,
        began_ms: milliseconds(row, 4),
        outcome,
        fault: text(row, 3).and_then(|json| fault::of_json(&json)),
        row: true,
        ..Turn::default()
    };
    Some((turn, thread))
}

/// Seconds since 1970, or milliseconds where a release should store these.
fn milliseconds(row: &rusqlite::Row<'_>, column: usize) -> Option<i64> {
    let ValueRef::Integer(number) = row.get_ref(column).ok()? else { return None };
    let ms = if number > 100_000_000_000 { number } else { number.checked_mul(1000)? };
    DateTime::from_timestamp_millis(ms).map(|at| at.timestamp_millis())
}

fn text(row: &rusqlite::Row<'_>, column: usize) -> Option<String> {
    row.get_ref(column).ok()?.as_str().ok().map(str::to_owned)
}

/// What `state_*.sqlite` says of `threads`, whose rollouts are gone: version, client and directory, and the names of who was asked.
pub(super) fn threads(threads: &BTreeSet<Id>, homes: &[PathBuf]) -> HashMap<Id, (Header, Names)> {
    let mut known: HashMap<Id, (Header, Names)> = HashMap::new();
    if threads.is_empty() {
        return known;
    }
    for home in homes {
        for database in listing::named(home, |name| name.starts_with("state_") && name.ends_with(".sqlite")) {
            let Ok(snapshot) = snapshot::open(&database, homes) else { continue };
            let Ok(mut statement) = snapshot.connection.prepare(THREADS) else { continue };
            for thread in threads {
                if known.contains_key(thread) {
                    continue;
                }
                let filled = |row: &rusqlite::Row<'_>, column| text(row, column).filter(|text| !text.is_empty()).map(Word::from);
                let found = statement.query_row([thread.to_string()], |row| {
                    let header = Header {
                        thread: Some(thread.clone()),
                        version: filled(row, 2),
                        originator: filled(row, 3),
                        directory: filled(row, 4),
                    };
                    Ok((header, Names { model: filled(row, 5), provider: filled(row, 1), account: None }))
                });
                known.extend(found.ok().map(|found| (thread.clone(), found)));
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_its_database_is_said() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("thread_history_1.sqlite-wal"), b"rows").unwrap();
        let deadline = Instant::now() + std::time::Duration::from_secs(60);
        let rows = turns(&[home.path().to_path_buf()], DateTime::<Utc>::MIN_UTC, deadline, |_| panic!("there is no row"));
        assert!(rows.found && rows.unread.len() == 1, "{rows:?}");
    }
}

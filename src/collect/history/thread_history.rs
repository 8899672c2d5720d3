//! Turns in `thread_history_*.sqlite`, which releases since 0.150 keep beside the rollouts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde_json::Value;

use super::record;
use super::rollout::cut;
use super::snapshot;
use super::turn::{Fault, Header, Outcome, Turn};
use crate::collect::sessions::listing;

const TURNS: &str = "SELECT thread_id, turn_id, status, error_json, started_at, completed_at FROM thread_turns";
const THREADS: &str = "SELECT id, model_provider, cli_version, originator, cwd, model FROM threads WHERE id = ?1";

/// What the databases told.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) turns: Vec<Turn>,
    pub(super) unread: Vec<(PathBuf, String)>,
    pub(super) broken_records: u64,
    pub(super) found: bool,
}

/// All turns in the thread histories of `homes` that ended at or after `since`.
pub(super) fn turns(homes: &[PathBuf], since: DateTime<Utc>, deadline: Instant) -> Rows {
    let mut rows = Rows::default();
    for home in homes {
        for database in listing::named(home, |name| name.starts_with("thread_history_") && name.ends_with(".sqlite")) {
            rows.found = true;
            if let Err(why) = read(&database, homes, since, deadline, &mut rows) {
                rows.unread.push((database, why));
            }
        }
    }
    rows
}

fn read(database: &Path, homes: &[PathBuf], since: DateTime<Utc>, deadline: Instant, rows: &mut Rows) -> Result<(), String> {
    if Instant::now() >= deadline {
        return Err("not read: the time was up".to_owned());
    }
    let snapshot = snapshot::open(database, homes)?;
    if snapshot.without_log {
        rows.unread.push((database.to_path_buf(), "too large to copy: its newest rows may be missing".to_owned()));
    }
    let mut statement = snapshot.connection.prepare(TURNS).map_err(|error| error.to_string())?;
    let mut found = statement.query([]).map_err(|error| error.to_string())?;
    while let Some(row) = found.next().map_err(|error| error.to_string())? {
        if Instant::now() >= deadline {
            return Err("not read to its end: the time was up".to_owned());
        }
        match turn(row, database) {
            Some(turn) if turn.at >= since => rows.turns.push(turn),
            Some(_) => {}
            None => rows.broken_records += 1,
        }
    }
    Ok(())
}

fn turn(row: &Row<'_>, database: &Path) -> Option<Turn> {
    let at = moment(row, 5).or_else(|| moment(row, 4))?;
    let error = text(row, 3).and_then(|json| serde_json::from_str::<Value>(&json).ok()).filter(|error| !error.is_null());
    let outcome = match text(row, 2)?.as_str() {
        "failed" => Outcome::Failed,
        "interrupted" => Outcome::Interrupted,
        "completed" => Outcome::Success,
        _ => Outcome::Running,
    };
    let fault = error.map(|error| {
        let (info, status) = record::error_info(error.get("codexErrorInfo").or_else(|| error.get("codex_error_info")));
        let message = error.get("message").and_then(Value::as_str);
        Box::new(Fault { text: message.map(cut), info, status })
    });
    let header = Header { thread: text(row, 0), source: database.to_path_buf(), ..Header::default() };
    Some(Turn {
        header: Arc::new(header),
        id: text(row, 1),
        at,
        outcome,
        model: None,
        fault,
        context_tokens: None,
        context_window: None,
        line: None,
        row: true,
    })
}

/// Seconds since 1970, or milliseconds where a release should store these.
fn moment(row: &Row<'_>, column: usize) -> Option<DateTime<Utc>> {
    let ValueRef::Integer(number) = row.get_ref(column).ok()? else { return None };
    if number > 100_000_000_000 { DateTime::from_timestamp_millis(number) } else { DateTime::from_timestamp(number, 0) }
}

fn text(row: &Row<'_>, column: usize) -> Option<String> {
    row.get_ref(column).ok()?.as_str().ok().map(str::to_owned)
}

/// What `state_*.sqlite` says of threads whose rollout is gone: provider, version, client, directory, model.
pub(super) fn complete(turns: &mut [&mut Turn], homes: &[PathBuf]) {
    if turns.is_empty() {
        return;
    }
    let mut known: HashMap<String, (Header, Option<Arc<str>>)> = HashMap::new();
    for home in homes {
        for database in listing::named(home, |name| name.starts_with("state_") && name.ends_with(".sqlite")) {
            let Ok(snapshot) = snapshot::open(&database, homes) else { continue };
            let Ok(mut statement) = snapshot.connection.prepare(THREADS) else { continue };
            for turn in turns.iter() {
                let Some(thread) = turn.header.thread.clone().filter(|thread| !known.contains_key(thread)) else { continue };
                let filled = |row: &Row<'_>, column| text(row, column).filter(|text| !text.is_empty());
                let header = statement.query_row([&thread], |row| {
                    let header = Header {
                        thread: Some(thread.clone()),
                        provider: filled(row, 1),
                        version: filled(row, 2),
                        originator: filled(row, 3),
                        directory: filled(row, 4),
                        source: turn.header.source.clone(),
                    };
                    Ok((header, filled(row, 5).map(Arc::from)))
                });
                known.extend(header.ok().map(|header| (thread, header)));
            }
        }
    }
    for turn in turns {
        if let Some((header, model)) = turn.header.thread.as_ref().and_then(|thread| known.get(thread)) {
            turn.header = Arc::new(header.clone());
            turn.model = turn.model.take().or_else(|| model.clone());
        }
    }
}

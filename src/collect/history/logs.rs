//! What the logs, `logs_*.sqlite` before all, keep of failed turns: the answer to the last request, and the error's text, which releases up to 0.144 store
//! nowhere else. `codex exec` writes no log.

mod body;
mod headers;
mod limits;
mod plain;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use chrono::DateTime;
use codex_triage_checks::facts::history::FailedRequest;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::part::{Fetched, Missing, Part};
use super::turn::{Detailed, Fault, Outcome, Snapshot, moment};
use super::word::Id;
use crate::collect::sessions::listing::{self, Place};
use crate::redact::Redactor;
use body::{Body, TARGETS, Told};

/// Rows are written late, by several processes, and turns are told to the second: ids are in the order of time no better than this.
const SLACK_MS: i64 = 120_000;
/// So far apart the times of a turn and of its rows may be.
const SECOND_MS: i64 = 2_000;
/// The last request of a turn stands near its end; what a turn of hours did before does not matter.
const ENDING_MS: i64 = 600_000;
/// At most so much of a log is read in a usual run: about 10,000 rows.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// And where all failures are wanted.
const MOST_BYTES_FOR_ALL: u64 = 256 * 1024 * 1024;
/// A log is read again when it was written back into its database meanwhile.
const ATTEMPTS: usize = 3;

/// What the logs told besides what failures are completed with.
#[derive(Default)]
pub(super) struct Logged {
    /// What could not be read, with its reason.
    pub(super) unread: Vec<(PathBuf, String)>,
    /// Quota snapshots beside the failures, each with the log it comes from.
    pub(super) snapshots: Vec<(Snapshot, Arc<Place>)>,
}

/// Where logs may be.
pub(super) struct Places {
    /// Folders of databases.
    pub(super) databases: Vec<PathBuf>,
    /// Folders of log files.
    pub(super) files: Vec<PathBuf>,
}

/// How long to read.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    deadline: Instant,
    most_bytes: u64,
}

impl Patience {
    /// Until the deadline, and of each database a part that costs no more than a moment, unless `all` of it is wanted.
    pub(super) fn until(deadline: Instant, all: bool) -> Self {
        Self { deadline, most_bytes: if all { MOST_BYTES_FOR_ALL } else { MOST_BYTES } }
    }

    fn is_over(self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// Completes `failures`, the newest first, from the logs in `places`.
pub(super) fn complete(failures: &mut [Detailed], places: &Places, patience: Patience, redactor: &Redactor) -> Logged {
    let mut logged = Logged::default();
    if failures.is_empty() {
        return logged;
    }
    let mut add = |failures: &mut [Detailed], path: PathBuf, read: &dyn Fn(&Path, &mut Traces) -> Result<(), String>| {
        let mut traces = Traces::of(failures);
        let end = read(&path, &mut traces);
        let source = Arc::new(Place::of(&path));
        for (place, trace) in traces.found() {
            let failure = &mut failures[place];
            trace.put(failure, redactor);
            let snapshot = failure.request.as_ref().and_then(|request| limits::snapshot(request, &failure.turn));
            logged.snapshots.extend(snapshot.map(|snapshot| (snapshot, Arc::clone(&source))));
        }
        logged.unread.extend(end.err().map(|why| (path, why)));
    };
    for folder in &places.databases {
        for database in listing::named(folder, |name| name.starts_with("logs_") && name.ends_with(".sqlite")) {
            add(failures, database, &|path, traces| self::read(path, &places.databases, patience, traces));
        }
    }
    for folder in &places.files {
        for file in listing::named(folder, |name| name.starts_with("codex-tui") && name.ends_with(".log")) {
            if failures.iter().any(is_without_text) {
                add(failures, file, &|path, traces| plain::read(path, patience, traces));
            }
        }
    }
    logged
}

/// Whether a turn failed, and nothing so far tells why.
fn is_without_text(failure: &Detailed) -> bool {
    let turn = &failure.turn;
    turn.outcome == Outcome::Failed && turn.fault.as_ref().is_none_or(|fault| fault.text.is_none())
}

/// Reads the rows of the times of failures, newest first.
fn read(database: &Path, folders: &[PathBuf], patience: Patience, traces: &mut Traces) -> Result<(), String> {
    for attempt in 1..=ATTEMPTS {
        traces.clear();
        let (end, is_steady) = match Part::open(database, "logs", folders) {
            Ok(mut part) => (rows(&mut part, patience, traces), part.is_steady()),
            Err(Missing::Table) => return Err("unknown schema".to_owned()),
            Err(Missing::Failed(why)) => (Err(why), true),
        };
        if end.is_ok() && is_steady || attempt == ATTEMPTS || patience.is_over() {
            return end;
        }
    }
    Ok(())
}

const TIME: &str = "SELECT ts FROM logs NOT INDEXED WHERE id = ?1";
const ROWS: &str = "SELECT target, ts, ts_nanos, feedback_log_body, thread_id FROM logs NOT INDEXED WHERE id BETWEEN ?1 AND ?2 AND target IN (?3, ?4, ?5, ?6)";

fn rows(part: &mut Part, patience: Patience, traces: &mut Traces) -> Result<(), String> {
    for (from_ms, to_ms) in traces.times() {
        if patience.is_over() {
            return Err("not read to its beginning: the time was up".to_owned());
        }
        let first = first_since(part, from_ms)?;
        let last = first_since(part, to_ms)?.saturating_sub(1);
        let fetched = part.fetch(first, last, patience.most_bytes).map_err(why)?;
        let from = if let Fetched::From(row) = fetched { row } else { first };
        take(&part.connection, from, last, traces).map_err(|error| error.to_string())?;
        if fetched != Fetched::All {
            return Err("too large: only its newest rows were read".to_owned());
        }
    }
    Ok(())
}

/// The id of the first row since a moment; past all ids, where there is none.
fn first_since(part: &mut Part, since_ms: i64) -> Result<i64, String> {
    let before = |connection: &Connection, id: i64| {
        let seconds: i64 = connection.prepare(TIME)?.query_row([id], |row| row.get(0))?;
        Ok(seconds < since_ms.div_euclid(1000))
    };
    part.first_not(before).map(|row| row.unwrap_or(i64::MAX)).map_err(why)
}

fn why(missing: Missing) -> String {
    match missing {
        Missing::Table => "unknown schema".to_owned(),
        Missing::Failed(why) => why,
    }
}

fn take(connection: &Connection, first: i64, last: i64, traces: &mut Traces) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(ROWS)?;
    let [turn, client, old_client, retry] = TARGETS;
    let mut found = statement.query(rusqlite::params![first, last, turn, client, old_client, retry])?;
    while let Some(row) = found.next()? {
        let text = |column| row.get_ref(column).ok().and_then(|value| value.as_str().ok());
        let number = |column| match row.get_ref(column) {
            Ok(ValueRef::Integer(number)) => Some(number),
            _ => None,
        };
        let (Some(target), Some(body), Some(seconds)) = (text(0), text(3), number(1)) else { continue };
        let at_ms = seconds.saturating_mul(1000).saturating_add(number(2).unwrap_or(0) / 1_000_000);
        if let Some(body) = Body::read(target, body) {
            traces.take(&body, text(4), at_ms);
        }
    }
    Ok(())
}

/// The failures, and what the rows so far tell of each.
struct Traces {
    by_turn: HashMap<Id, usize>,
    /// Thread, beginning and end of each.
    spans: Vec<(Option<Id>, i64, i64)>,
    told: Vec<Trace>,
}

/// What the log tells of one failed turn.
#[derive(Clone, Debug, Default)]
struct Trace {
    error: Option<String>,
    request: Option<Request>,
    /// Whether the last request came to nothing.
    failed: bool,
    is_interrupted: bool,
}

/// A request as it was written down.
#[derive(Clone, Debug)]
struct Request {
    at_ms: i64,
    status: Option<u16>,
    url: String,
    headers: String,
    retries: u32,
}

impl Traces {
    fn of(failures: &[Detailed]) -> Self {
        let by_turn = failures.iter().enumerate().filter_map(|(place, failure)| Some((failure.turn.id.clone()?, place))).collect();
        let span = |failure: &Detailed| {
            let end = failure.turn.at_ms;
            (failure.header.thread.clone(), failure.turn.began_ms.unwrap_or(end).min(end), end)
        };
        let trace = |failure: &Detailed| Trace { is_interrupted: failure.turn.outcome == Outcome::Interrupted, ..Trace::default() };
        Self { by_turn, spans: failures.iter().map(span).collect(), told: failures.iter().map(trace).collect() }
    }

    fn clear(&mut self) {
        for trace in &mut self.told {
            *trace = Trace { is_interrupted: trace.is_interrupted, ..Trace::default() };
        }
    }

    /// The times to look at, newest first; none overlaps another.
    fn times(&self) -> Vec<(i64, i64)> {
        let mut times: Vec<(i64, i64)> =
            self.spans.iter().map(|(_, from, to)| (*from.max(&(to - ENDING_MS)) - SLACK_MS, to + SLACK_MS)).collect();
        times.sort_unstable_by_key(|(_, to)| std::cmp::Reverse(*to));
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (from, to) in times {
            match merged.last_mut() {
                Some((begun, _)) if to >= *begun => *begun = from.min(*begun),
                _ => merged.push((from, to)),
            }
        }
        merged
    }

    fn take(&mut self, body: &Body<'_>, thread: Option<&str>, at_ms: i64) {
        let of_thread = || {
            let thread = Id::from(thread?);
            let lies_in = |(of, from, to): &(Option<Id>, i64, i64)| {
                of.as_ref() == Some(&thread) && (from - SECOND_MS..=to + SECOND_MS).contains(&at_ms)
            };
            self.spans.iter().position(lies_in)
        };
        let place = match body.turn {
            Some(turn) => self.by_turn.get(&Id::from(turn)).copied(),
            None => of_thread(),
        };
        if let Some(place) = place {
            self.told[place].take(&body.told, at_ms);
        }
    }

    fn found(self) -> impl Iterator<Item = (usize, Trace)> {
        self.told.into_iter().enumerate().filter(|(_, trace)| trace.error.is_some() || trace.request.is_some())
    }
}

impl Trace {
    fn take(&mut self, told: &Told<'_>, at_ms: i64) {
        let (status, url, headers) = match told {
            Told::Error(text) => return self.error = Some((*text).to_owned()),
            Told::Again => return self.failed = true,
            Told::Answer { url, status, headers } => (Some(*status), *url, *headers),
            Told::Silence { url } => (None, *url, ""),
        };
        let before = self.request.as_ref().filter(|_| self.failed).map_or(0, |request| request.retries + 1);
        self.failed = status.is_none_or(|status| status >= 400);
        self.request = Some(Request { at_ms, status, url: url.to_owned(), headers: headers.to_owned(), retries: before });
    }

    fn put(self, failure: &mut Detailed, redactor: &Redactor) {
        if let Some(text) = self.error {
            let fault = failure.turn.fault.get_or_insert_with(Fault::default);
            if fault.text.is_none() {
                fault.text = Some(super::fault::cut(&text).into());
            }
        }
        // A turn may be ended from outside in the middle of an answer: then nothing failed.
        let failed = self.failed || !self.is_interrupted;
        if let Some(request) = self.request.filter(|_| failed) {
            failure.request = Some(Box::new(request.told(redactor)));
        }
    }
}

impl Request {
    fn told(&self, redactor: &Redactor) -> FailedRequest {
        let host = url::Url::parse(&self.url).ok().and_then(|url| url.host_str().map(|host| redactor.text(host)));
        FailedRequest {
            at: DateTime::from_timestamp_millis(self.at_ms).unwrap_or_else(|| moment(0)),
            status: self.status,
            host,
            headers: headers::telling(&self.headers, redactor),
            retries: self.retries,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ends_of_turns_are_looked_at_newest_first_and_each_time_once() {
        const MINUTE: i64 = 60_000;
        let span = |from: i64, to: i64| (None, from * MINUTE, to * MINUTE);
        let spans = vec![span(500, 501), span(0, 300), span(502, 510), span(301, 302)];
        let traces = Traces { by_turn: HashMap::new(), spans, told: Vec::new() };
        let times: Vec<_> = traces.times().iter().map(|(from, to)| (from / MINUTE, to / MINUTE)).collect();
        assert_eq!(times, [(498, 512), (288, 304)]);
    }

    #[test]
    fn tries_are_counted_from_the_last_answer_that_was_none() {
        let mut trace = Trace::default();
        let url = "https://a.test/v1/responses";
        let answer = |status| Told::Answer { url, status, headers: "" };
        let mut retries = |told: &[Told<'_>]| {
            told.iter().for_each(|told| trace.take(told, 0));
            trace.request.as_ref().map(|request| request.retries)
        };
        assert_eq!(retries(&[answer(503), Told::Silence { url }, answer(503)]), Some(2));
        assert_eq!(retries(&[answer(200)]), Some(3));
        assert_eq!(retries(&[answer(200)]), Some(0), "a request of its own");
        assert_eq!(retries(&[Told::Again, answer(200)]), Some(1), "a stream that broke off");
    }
}

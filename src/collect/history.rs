//! What Codex wrote down since a moment: failed and interrupted turns, successes, quota snapshots.
//!
//! Sources are the rollouts and the thread-history database. The text of an error counts only in the records that Codex itself writes for it,
//! never where a prompt or a tool quotes it. Nothing in CODEX_HOME is written, locked or kept open; a broken record costs that record alone;
//! memory does not grow with the size of a file.

mod limits;
mod lines;
mod merge;
mod record;
mod rollout;
mod snapshot;
mod thread_history;
mod turn;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::history::History;

use crate::collect::sessions::{database_homes, listing, unread};
use crate::redact::Redactor;
use crate::world::World;
use listing::RolloutFile;
use merge::Merge;
use rollout::{Reader, Rollout};
pub(crate) use snapshot::sweep;

/// A plain rollout beyond this is read only at its beginning (whose thread it is) and its end (the newest turns).
const LARGEST_WHOLE: u64 = 512 * 1024 * 1024;
/// How much of such a file's end is read.
const ENDING: u64 = 256 * 1024 * 1024;
/// A file that was written to within this time may belong to a turn that still runs.
const STILL_WRITING: TimeDelta = TimeDelta::seconds(60);

/// What to look for.
#[derive(Clone, Debug)]
pub struct HistoryRequest {
    /// Turns that ended before it are of no interest.
    pub since: DateTime<Utc>,
    /// When to stop reading.
    pub deadline: Instant,
    /// The folder of the databases, when the configuration names one (`sqlite_home`).
    pub sqlite_home: Option<PathBuf>,
}

/// Reads the history of CODEX_HOME, newest files first, until the deadline.
///
/// Absent when Codex has written nothing; failed when nothing of what it wrote could be read.
pub fn collect(world: &World, redactor: &Redactor, request: &HistoryRequest) -> Observed<History> {
    let source = redactor.path(&world.codex_home);
    if let Err(failure) = listing::home(world) {
        return failure.observed(redactor);
    }
    let homes = database_homes(world, request.sqlite_home.as_deref());
    let rows = thread_history::turns(&homes, request.since, request.deadline);
    let listing = listing::rollouts(&world.codex_home, request.deadline);
    if !rows.found && !listing.found_root {
        return Observed::absent(source);
    }
    if listing.root_failed && listing.files.is_empty() && rows.turns.is_empty() {
        let why = listing.unread.first().map_or_else(String::new, |(_, why)| why.clone());
        return Observed::failed(redactor.text(&why), redactor.path(&world.codex_home.join("sessions")));
    }

    let mut merge = Merge::new(request.since);
    let mut passed_over = listing.unread;
    let mut not_reached = u64::from(listing.cut_short);
    for file in wanted(listing.files, request.since, world.utc_offset_s) {
        if Instant::now() >= request.deadline {
            not_reached += 1;
            continue;
        }
        match read(&file, world.now, request) {
            Ok((rollout, remark)) => {
                merge.rollout(rollout);
                passed_over.extend(remark.map(|remark| (file.path, remark)));
            }
            Err(error) => passed_over.push((file.path, error.to_string())),
        }
    }
    merge.rows(rows.turns, &homes);
    let mut history = merge.history(redactor);
    history.broken_records += rows.broken_records;
    history.not_reached = not_reached;
    passed_over.extend(rows.unread);
    passed_over.sort();
    history.unread = passed_over.iter().map(|(path, why)| unread(redactor, path, why)).collect();
    Observed::known(history, source)
}

/// The files that can hold turns since `since`, newest first; the newest one in any case, for the quota that it tells of.
fn wanted(mut files: Vec<RolloutFile>, since: DateTime<Utc>, utc_offset_s: i32) -> Vec<RolloutFile> {
    let plain: std::collections::HashSet<PathBuf> =
        files.iter().filter(|file| !file.compressed).map(|file| file.path.clone()).collect();
    files.retain(|file| !file.compressed || !plain.contains(&file.plain_path()));
    // A resumed thread's file is old by its name and new by its time; one from a backup may be the other way round.
    let newest = |file: &RolloutFile| file.modified.map(DateTime::<Utc>::from).max(named_moment(file.name(), utc_offset_s));
    files.sort_by_cached_key(|file| std::cmp::Reverse((file.modified, file.name().to_owned())));
    let first = files.first().map(|file| file.path.clone());
    files.retain(|file| newest(file).is_none_or(|at| at >= since) || Some(&file.path) == first.as_ref());
    files
}

/// The moment in `rollout-2026-11-29T15-51-34-<id>.jsonl`, which is local time.
fn named_moment(name: &str, utc_offset_s: i32) -> Option<DateTime<Utc>> {
    let stamp = name.strip_prefix("rollout-")?.get(..19)?;
    let local = NaiveDateTime::parse_from_str(stamp, "%Y-%m-%dT%H-%M-%S").ok()?;
    local.checked_sub_signed(TimeDelta::seconds(i64::from(utc_offset_s))).map(|moment| moment.and_utc())
}

/// Reads one file; the remark says what of it was not read.
fn read(file: &RolloutFile, now: DateTime<Utc>, request: &HistoryRequest) -> std::io::Result<(Rollout, Option<String>)> {
    let mut reader = Reader::new(&file.path);
    let handle = File::open(&file.path)?;
    let length = handle.metadata()?.len();
    let mut remark;
    if file.compressed {
        let mut source = zstd::stream::read::Decoder::new(handle)?;
        remark = take(&mut source, request.deadline, &mut reader);
    } else if length > LARGEST_WHOLE {
        // The first line says whose session it is; then on to the newest turns.
        lines::each_line(&mut (&handle).take(lines::LONGEST as u64), request.deadline, |line| {
            if line.number == 1 {
                reader.take(&line);
            }
        });
        let mut rest = BufReader::with_capacity(256 * 1024, &handle);
        rest.seek(SeekFrom::Start(length - ENDING))?;
        rest.skip_until(b'\n')?;
        reader.leave_gap();
        remark = take(&mut rest, request.deadline, &mut reader);
        if remark.is_none() && reader.first_after_gap().is_none_or(|first| first > request.since) {
            remark = Some(format!("only its last {} MiB were read", ENDING / (1024 * 1024)));
        }
    } else {
        remark = take(&mut &handle, request.deadline, &mut reader);
    }
    let rollout = reader.finish(|last_heard| is_being_written(file.modified, last_heard, now));
    Ok((rollout, remark))
}

fn take(source: &mut dyn Read, deadline: Instant, reader: &mut Reader) -> Option<String> {
    match lines::each_line(source, deadline, |line| reader.take(&line)) {
        lines::End::Whole => None,
        lines::End::OutOfTime => Some("not read to its end: the time was up".to_owned()),
        lines::End::Failed(error) => Some(format!("not read to its end: {error}")),
    }
}

/// Whether the file or its last record is of just now. A time in the future says nothing.
fn is_being_written(modified: Option<SystemTime>, last_heard: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    let is_recent = |at: DateTime<Utc>| at >= now - STILL_WRITING && at <= now + STILL_WRITING;
    modified.map(DateTime::<Utc>::from).into_iter().chain(last_heard).any(is_recent)
}

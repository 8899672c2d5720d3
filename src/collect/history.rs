//! What Codex wrote down since a moment: failed and interrupted turns, successes, quota snapshots.
//!
//! Sources are the rollouts and the thread-history database. The text of an error counts only in the records that Codex itself writes for it,
//! never where a prompt or a tool quotes it. Nothing in CODEX_HOME is written, locked or kept open; a broken record costs that record alone;
//! memory does not grow with the size of a file.

mod fault;
mod lines;
mod merge;
mod names;
mod record;
mod rollout;
mod scan;
mod snapshot;
mod snapshots;
mod stamp;
mod thread_history;
mod told;
mod turn;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::history::History;

use crate::collect::sessions::{database_homes, listing, unread};
use crate::redact::Redactor;
use crate::world::World;
use listing::RolloutFile;
use merge::Merge;
use scan::{Scan, Taken};
pub(crate) use snapshot::sweep;

/// Of the quota snapshots in this time before the run every turn's last one is kept; of older ones those that may matter.
const RECENT: TimeDelta = TimeDelta::hours(24);

/// What to look for.
#[derive(Clone, Debug)]
pub struct HistoryRequest {
    /// Turns that ended before it are of no interest.
    pub since: DateTime<Utc>,
    /// When to stop reading.
    pub deadline: Instant,
    /// The folder of the databases, when the configuration names one (`sqlite_home`).
    pub sqlite_home: Option<PathBuf>,
    /// Whether all failures are wanted, and every file whole.
    pub all: bool,
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
    let listing = listing::rollouts(&world.codex_home, request.deadline);
    let mut merge = Merge::new(request.since);
    let mut passed_over = listing.unread;
    let root_failed = listing.root_failed && listing.files.is_empty();
    let scan = Scan {
        deadline: request.deadline,
        now: world.now,
        since: request.since,
        recent: request.since.max(world.now - RECENT),
        whole: request.all,
    };
    let wanted = wanted(listing.files, request.since, world.utc_offset_s);
    let mut not_reached = u64::from(listing.cut_short);
    not_reached += scan.each(&wanted, |Taken { place, read }| {
        let file: &RolloutFile = &wanted[place];
        match read {
            Ok((rollout, remark)) => {
                merge.rollout(&file.path, file.bytes, rollout);
                passed_over.extend(remark.map(|remark| (file.path.clone(), remark)));
            }
            Err(error) => passed_over.push((file.path.clone(), error.to_string())),
        }
    });
    let mut rows_seen = false;
    let rows = thread_history::turns(&homes, request.since, request.deadline, |turn, thread, database| {
        rows_seen = true;
        merge.row(turn, thread, database);
    });
    if !rows.found && !listing.found_root {
        return Observed::absent(source);
    }
    if root_failed && !rows_seen {
        let why = passed_over.first().map_or_else(String::new, |(_, why)| why.clone());
        return Observed::failed(redactor.text(&why), redactor.path(&world.codex_home.join("sessions")));
    }
    let mut history = told::history(merge.merged(&homes), request.all, world, redactor);
    history.broken_records += rows.broken_records;
    history.not_reached = not_reached;
    passed_over.extend(rows.unread);
    passed_over.sort();
    history.unread = passed_over.iter().map(|(path, why)| unread(redactor, path, why)).collect();
    Observed::known(history, source)
}

/// The files that can hold turns since `since`, newest first; the newest one in any case, for the quota that it tells of.
fn wanted(mut files: Vec<RolloutFile>, since: DateTime<Utc>, utc_offset_s: i32) -> Vec<RolloutFile> {
    let plain: HashSet<PathBuf> = files.iter().filter(|file| !file.compressed).map(|file| file.path.clone()).collect();
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

//! What Codex wrote down since a moment: failed and interrupted turns, successes, quota snapshots.
//!
//! Sources are the rollouts and the thread-history database. The text of an error counts only in the records that Codex itself writes for it,
//! never where a prompt or a tool quotes it. Nothing in CODEX_HOME is written, locked or kept open; a broken record costs that record alone;
//! memory does not grow with the size of a file.

mod brief;
mod cache;
mod fault;
mod json;
mod lines;
mod logs;
mod merge;
mod names;
mod open_turn;
mod part;
mod record;
mod rollout;
mod scan;
mod snapshot;
mod snapshots;
mod stamp;
mod successes;
mod tallies;
mod thread_history;
mod threads;
mod told;
mod turn;
mod word;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::history::History;

use crate::collect::sessions::{database_homes, listing, log_folders, unread, with_logs};
use crate::redact::Redactor;
use crate::world::World;
use cache::{Batch, Cache, Writer};
use listing::{Listing, OnceListed, RolloutFile};
use merge::Merge;
pub(crate) use open_turn::open_turn;
use scan::{ReadFile, Scan, Taken};
pub(crate) use snapshot::sweep;
pub use threads::ThreadsTold;
pub use told::OtherTurns;

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
    /// The folder of the logs, when the configuration names one (`log_dir`).
    pub log_dir: Option<PathBuf>,
    /// Whether all failures are wanted, and every file whole.
    pub all: bool,
    /// Whether each turn is wanted, also those that succeeded; then what earlier runs kept is of no use.
    pub every_turn: bool,
    /// Of which threads it is to be told.
    pub threads: ThreadsWanted,
    /// Whether what was read in an earlier run may be used, and what is read may be kept for a later one.
    pub cached: bool,
}

/// Of which threads it is told how full they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadsWanted {
    /// Of none.
    None,
    /// Of those with a turn since `since`.
    Recent,
    /// Of all.
    All,
}

/// What the session records tell.
#[derive(Debug)]
pub struct Records {
    /// Of turns. Absent when Codex has written nothing; failed when nothing of what it wrote could be read.
    pub history: Observed<History>,
    /// Of threads: all of the files that were read.
    pub threads: ThreadsTold,
    /// The turns that succeeded, where each turn was asked for.
    pub others: Option<OtherTurns>,
}

impl From<Observed<History>> for Records {
    fn from(history: Observed<History>) -> Self {
        Self { history, threads: ThreadsTold::default(), others: None }
    }
}

/// Reads the history of CODEX_HOME, newest files first, until the deadline.
pub fn collect(world: &World, redactor: &Redactor, request: &HistoryRequest) -> Records {
    collect_of(Arc::new(OnceListed::new(&world.codex_home, request.deadline)), world, redactor, request)
}

/// The same, of a home that is listed for others, too. Where nobody else needs the listing, its memory is given back on the way.
pub(crate) fn collect_of(listed: Arc<OnceListed>, world: &World, redactor: &Redactor, request: &HistoryRequest) -> Records {
    let source = redactor.path(&world.codex_home);
    if let Err(failure) = listing::home(world) {
        return failure.observed(redactor).into();
    }
    let homes = database_homes(world, request.sqlite_home.as_deref());
    let listing = listed.get();
    let mut merge = Merge::new(request);
    let mut passed_over = listing.unread.clone();
    let (found_root, root_failed) = (listing.found_root, listing.root_failed && listing.files.is_empty());
    let mut not_reached = u64::from(listing.cut_short);
    not_reached += rollouts(listing, world, redactor, request, &mut merge, &mut passed_over);
    drop(listed);
    let mut rows_seen = false;
    let rows = thread_history::turns(&homes, request.since, request.deadline, |row| {
        rows_seen = true;
        merge.row(row);
    });
    if !rows.found && !found_root {
        return Observed::absent(source).into();
    }
    if root_failed && !rows_seen {
        let why = passed_over.first().map_or_else(String::new, |(_, why)| why.clone());
        return Observed::failed(redactor.text(&why), redactor.path(&world.codex_home.join("sessions"))).into();
    }
    let mut merged = merge.merged(&homes);
    let kept = if request.all { merged.details.len() } else { merged.details.len().min(History::KEPT) };
    let log_dir = request.log_dir.as_deref();
    let places = logs::Places { databases: with_logs(homes, world, log_dir), files: log_folders(world, log_dir) };
    let patience = logs::Patience::until(request.deadline, request.all);
    let logged = logs::complete(&mut merged.details[..kept], &places, patience, redactor);
    passed_over.extend(logged.unread);
    logged.snapshots.into_iter().for_each(|(snapshot, source)| merged.snapshots.add_missing(snapshot, &source));
    let (mut history, threads, others) = told::history(merged, kept, world, redactor);
    history.broken_records += rows.broken_records;
    history.not_reached = not_reached;
    passed_over.extend(rows.unread);
    passed_over.sort();
    history.unread = passed_over.iter().map(|(path, why)| unread(redactor, path, why)).collect();
    Records { history: Observed::known(history, source), threads, others: request.every_turn.then_some(others) }
}

/// What one thread collects.
struct Part<'a> {
    merge: Merge,
    passed_over: Vec<(PathBuf, String)>,
    batch: Option<Batch<'a>>,
    /// Whether all that was read is kept for later runs.
    all_kept: bool,
}

/// Reads the listed rollouts that can hold something wanted, or takes what the cache kept of them; says how many were not reached.
fn rollouts(
    listing: &Listing,
    world: &World,
    redactor: &Redactor,
    request: &HistoryRequest,
    merge: &mut Merge,
    passed_over: &mut Vec<(PathBuf, String)>,
) -> u64 {
    let files = without_doubles(&listing.files);
    let mut is_wanted = wanted(&files, request.since, world.utc_offset_s);
    if request.threads == ThreadsWanted::All {
        is_wanted.fill(true);
    }
    let cache = (request.cached && !request.every_turn).then(|| Cache::of(world)).flatten();
    let wanted_files: Vec<&RolloutFile> =
        files.iter().zip(&is_wanted).filter(|(_, is_wanted)| **is_wanted).map(|(file, _)| *file).collect();
    // What each thread is like is not part of the sum.
    if request.threads == ThreadsWanted::None && cache.as_ref().and_then(|cache| cache.take_sum(&wanted_files, merge)).is_some() {
        return 0;
    }
    let known = cache.as_ref().map(|cache| cache.load(&files, &is_wanted, merge)).unwrap_or_default();
    let unread_files: Vec<&RolloutFile> =
        (0..files.len()).filter(|place| is_wanted[*place] && !known.holds(*place)).map(|place| files[place]).collect();
    // Of a home that was not listed to its end, less would be kept than there is.
    let writer = cache.as_ref().filter(|_| !listing.cut_short).map(|cache| cache.writer(redactor, known, &files));
    let scan = Scan {
        deadline: request.deadline,
        now: world.now,
        since: request.since,
        // Whatever time is asked for: what is kept serves a run that asks for another.
        recent: world.now - RECENT,
        whole: request.all,
        every_turn: request.every_turn,
    };
    let part =
        || Part { merge: merge.another(), passed_over: Vec::new(), batch: writer.as_ref().map(Writer::batch), all_kept: true };
    let take = |part: &mut Part<'_>, Taken { place, read }| {
        let file = unread_files[place];
        match read {
            Ok(ReadFile { rollout, remark, is_whole, may_go_on }) => {
                // What it held at another moment, or a part of it, is no use to a later run.
                let lasts = is_whole && !may_go_on && file.is_settled(world.now);
                part.all_kept &= lasts && part.batch.as_mut().is_some_and(|batch| batch.add(file, &rollout));
                part.merge.rollout(file, rollout);
                part.passed_over.extend(remark.map(|remark| (file.path(), remark)));
            }
            Err(error) => {
                part.all_kept = false;
                part.passed_over.push((file.path(), error.to_string()));
            }
        }
    };
    let end = |part: &mut Part<'_>| {
        part.batch.take().into_iter().for_each(Batch::finish);
        part.merge.sort_briefs();
    };
    let (parts, not_reached) = scan.each(&unread_files, part, take, end);
    let all_kept = not_reached == 0 && parts.iter().all(|part| part.all_kept);
    for part in parts {
        merge.absorb(part.merge);
        passed_over.extend(part.passed_over);
    }
    if let Some(writer) = writer {
        writer.finish();
    }
    // Of a look that asks for less, or for more, there is no sum: it would take the place of one that is used.
    if let Some(cache) = cache.filter(|_| request.threads == ThreadsWanted::None) {
        if all_kept && !listing.cut_short { cache.keep_sum(&wanted_files, merge) } else { cache.drop_sum() }
    }
    not_reached
}

/// Each rollout once, newest first: the plain file rather than the compressed one, unless the plain one is empty.
fn without_doubles(files: &[RolloutFile]) -> Vec<&RolloutFile> {
    let mut files: Vec<&RolloutFile> = files.iter().collect();
    files.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| other.name().cmp(one.name())));
    if files.iter().all(|file| !file.compressed) {
        return files;
    }
    let paths = |fits: &dyn Fn(&RolloutFile) -> bool| -> HashSet<PathBuf> {
        files.iter().filter(|file| fits(file)).map(|file| file.plain_path()).collect()
    };
    let compressed = paths(&|file| file.compressed);
    let written = paths(&|file| !file.compressed && file.bytes > 0);
    files.retain(|file| {
        let plain = file.plain_path();
        if file.compressed { !written.contains(&plain) } else { file.bytes > 0 || !compressed.contains(&plain) }
    });
    files
}

/// Which of the files, newest first, can hold turns since `since`; the newest one in any case, for the quota that it tells of.
fn wanted(files: &[&RolloutFile], since: DateTime<Utc>, utc_offset_s: i32) -> Vec<bool> {
    // A resumed thread's file is old by its name and new by its time; one from a backup may be the other way round.
    let is_recent = |file: &RolloutFile| {
        let modified = file.modified.map(DateTime::<Utc>::from);
        let is_recent = |at: DateTime<Utc>| at >= since;
        modified.is_some_and(is_recent) || modified.max(named_moment(file.name(), utc_offset_s)).is_none_or(is_recent)
    };
    files.iter().enumerate().map(|(place, file)| place == 0 || is_recent(file)).collect()
}

/// The moment in `rollout-2026-11-29T15-51-34-<id>.jsonl`, which is local time.
fn named_moment(name: &str, utc_offset_s: i32) -> Option<DateTime<Utc>> {
    let stamp = name.strip_prefix("rollout-")?.get(..19)?;
    let local = NaiveDateTime::parse_from_str(stamp, "%Y-%m-%dT%H-%M-%S").ok()?;
    local.checked_sub_signed(TimeDelta::seconds(i64::from(utc_offset_s))).map(|moment| moment.and_utc())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn of_a_plain_and_a_compressed_file_the_one_that_holds_something_is_read() {
        let folder = Arc::from(Path::new(""));
        let file = |name: &str, bytes| RolloutFile::new(&folder, name.into(), bytes, name.ends_with(".zst"));
        let kept = |plain_bytes| {
            let files = [file("a.jsonl", plain_bytes), file("a.jsonl.zst", 9), file("b.jsonl", 0)];
            let mut paths: Vec<PathBuf> = without_doubles(&files).iter().map(|file| file.path()).collect();
            paths.sort();
            paths
        };
        assert_eq!(kept(7), [PathBuf::from("a.jsonl"), PathBuf::from("b.jsonl")]);
        assert_eq!(kept(0), [PathBuf::from("a.jsonl.zst"), PathBuf::from("b.jsonl")]);
    }
}

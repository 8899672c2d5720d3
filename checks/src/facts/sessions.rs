//! What Codex keeps on disk: how much, where, and how full the contexts of its threads are.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::de::{Deserializer, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize};

use super::history::Unread;

/// A file and its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LargeFile {
    /// Its path, redacted.
    pub file: String,
    /// Bytes.
    pub bytes: u64,
}

impl LargeFile {
    /// Whether it is an archived rollout.
    pub fn is_archived(&self) -> bool {
        self.file.split(['/', '\\']).any(|part| part == "archived_sessions")
    }
}

/// A SQLite database of Codex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Database {
    /// Its path, redacted.
    pub file: String,
    /// Bytes, its `-wal` file included.
    pub bytes: u64,
    /// Bytes of its `-wal` file alone.
    pub wal_bytes: u64,
}

impl Database {
    /// Whether it holds only logs, which Codex can do without.
    pub fn is_of_logs(&self) -> bool {
        self.file.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("logs_"))
    }
}

/// The rollouts that were begun in one month.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Month {
    /// `2026-11`, in local time, as the file names have it.
    pub month: String,
    /// Rollouts, archived ones included.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Archived ones among them.
    pub archived_files: u64,
    /// The bytes of those.
    pub archived_bytes: u64,
}

/// The rollouts of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectSize {
    /// The project directory, as a role token; absent where the record does not tell it.
    pub project: Option<String>,
    /// Rollouts, archived ones included.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Something else that takes space in CODEX_HOME: a file, or a folder with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stored {
    /// Its path, redacted.
    pub file: String,
    /// Files in it; one for a file.
    pub files: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The file system on which CODEX_HOME lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disk {
    /// Bytes that this user may still write.
    pub free_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
}

/// A compaction of a context that did not come to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedCompaction {
    /// When.
    pub at: DateTime<Utc>,
    /// `codex_error_info` in snake case (`server_overloaded`, …), when stored.
    pub info: Option<String>,
    /// The error's text, redacted.
    pub text: Option<String>,
}

/// One thread: how large it has grown, and how full its context is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadContext {
    /// Its id.
    pub thread: String,
    /// The project directory, as a role token, when known.
    pub project: Option<String>,
    /// The model that was asked last, when known.
    pub model: Option<String>,
    /// Its rollout, as a path for people.
    pub source: String,
    /// Bytes of the rollout.
    pub bytes: u64,
    /// Whether it is archived.
    pub archived: bool,
    /// When the thread was begun, when known.
    pub started: Option<DateTime<Utc>>,
    /// When something was last written to it.
    pub last: DateTime<Utc>,
    /// The beginning of the run of turns that `last` belongs to: since then no pause was longer than [`ThreadContext::PAUSE`].
    pub open_since: Option<DateTime<Utc>>,
    /// Turns seen.
    pub turns: u64,
    /// Tokens in the newest context.
    pub context_tokens: Option<u64>,
    /// Tokens that the model's context can hold.
    pub context_window: Option<u64>,
    /// Tokens in the context at `open_since`: what the run began with.
    pub first_context_tokens: Option<u64>,
    /// The fullest that the context ever was.
    pub peak_context_tokens: Option<u64>,
    /// Compactions that came to their end.
    pub compactions: u64,
    /// Turns that failed while compacting.
    pub failed_compactions: u64,
    /// The newest of those.
    pub last_failed_compaction: Option<FailedCompaction>,
    /// Bytes of the longest line of the rollout; zero when unknown.
    pub longest_line_bytes: u64,
}

impl ThreadContext {
    /// A longer pause between two turns ends a run of them.
    pub const PAUSE: TimeDelta = TimeDelta::hours(1);

    /// The share of the window that the newest context takes.
    pub fn fullness(&self) -> Option<f64> {
        let window = self.context_window.filter(|window| *window > 0)?;
        Some(self.context_tokens? as f64 / window as f64)
    }

    /// How long its newest run of turns has lasted.
    pub fn open_for(&self) -> Option<TimeDelta> {
        self.open_since.map(|since| self.last - since)
    }
}

/// What the session store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStore {
    /// Rollout files, archived ones included.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The largest rollouts, largest first; at most [`SessionStore::LARGEST`].
    #[serde(default, deserialize_with = "one_or_many")]
    pub largest: Vec<LargeFile>,
    /// SQLite databases with their `-wal` files, largest first.
    pub databases: Vec<Database>,
    /// Files left uncounted because the time was up: then the sums are lower bounds.
    pub cut_short: bool,
    /// Folders that could not be listed, links that were not followed, and whatever else was passed over.
    pub unread: Vec<Unread>,
    /// All rollouts by the month in which they were begun, oldest first. The sums of the months are the totals.
    #[serde(default)]
    pub months: Vec<Month>,
    /// Compressed rollouts.
    #[serde(default)]
    pub compressed_files: u64,
    /// Rollouts without a byte in them.
    #[serde(default)]
    pub empty_files: u64,
    /// All rollouts by project, largest first; empty where no record was opened.
    #[serde(default)]
    pub projects: Vec<ProjectSize>,
    /// The threads that matter of those looked at, as [`SessionStore::of_interest`] chooses them; at most [`SessionStore::THREADS`].
    #[serde(default)]
    pub threads: Vec<ThreadContext>,
    /// Threads that were looked at.
    #[serde(default)]
    pub threads_seen: u64,
    /// Log files, largest first; at most [`SessionStore::LARGEST`].
    #[serde(default)]
    pub logs: Vec<LargeFile>,
    /// What else takes space in CODEX_HOME, largest first; at most [`SessionStore::LARGEST`].
    #[serde(default)]
    pub other: Vec<Stored>,
    /// The file system of CODEX_HOME; absent when it did not tell.
    #[serde(default)]
    pub disk: Option<Disk>,
    /// Threads with a writer lock in CODEX_HOME, by id. Whether somebody still holds one is not told here.
    #[serde(default)]
    pub writer_locks: Vec<String>,
}

impl SessionStore {
    /// How many files of one kind are kept by name.
    pub const LARGEST: usize = 10;
    /// How many threads are kept.
    pub const THREADS: usize = 200;

    /// How many of them each reason to keep one has room for.
    pub const THREADS_OF_A_REASON: usize = Self::THREADS / 4;

    /// Of `threads` those that matter, each once, by thread id: the newest and the largest; and of those that are not archived the fullest and the
    /// longest. To choose from what was chosen and more threads is the same as to choose from all.
    pub fn of_interest(threads: Vec<ThreadContext>) -> Vec<ThreadContext> {
        if threads.len() <= Self::THREADS {
            return sorted(threads);
        }
        let mut kept = vec![false; threads.len()];
        let mut order: Vec<usize> = (0..threads.len()).collect();
        let mut keep = |key: &dyn Fn(&ThreadContext) -> i64| {
            order.sort_by_key(|index| (std::cmp::Reverse(key(&threads[*index])), &threads[*index].thread, &threads[*index].source));
            order.iter().take(Self::THREADS_OF_A_REASON).for_each(|index| kept[*index] = true);
        };
        let in_use = |thread: &ThreadContext, value: Option<i64>| value.filter(|_| !thread.archived).unwrap_or(-1);
        keep(&|thread| thread.last.timestamp_millis());
        keep(&|thread| i64::try_from(thread.bytes).unwrap_or(i64::MAX));
        keep(&|thread| in_use(thread, thread.fullness().map(|share| (share * 10_000.0) as i64)));
        keep(&|thread| in_use(thread, thread.open_for().map(|open| open.num_seconds())));
        sorted(threads.into_iter().zip(kept).filter_map(|(thread, kept)| kept.then_some(thread)).collect())
    }

    /// Whether something that is there was not looked at, or not wholly.
    pub fn has_gaps(&self) -> bool {
        self.cut_short || self.gaps().next().is_some()
    }

    /// What was not read, but for logs: of these the size alone matters, and it is known.
    pub fn gaps(&self) -> impl Iterator<Item = &Unread> {
        let databases = self.databases.iter().filter(|database| database.is_of_logs()).map(|database| &database.file);
        let logs: Vec<&String> = databases.chain(self.logs.iter().map(|log| &log.file)).collect();
        self.unread.iter().filter(move |unread| !logs.contains(&&unread.file))
    }

    /// Whether `chosen` of [`SessionStore::threads`] are all that there are of their kind, where the kind is one of the reasons to keep a thread:
    /// a reason that had room to spare has left none out.
    pub fn are_all(&self, chosen: usize) -> bool {
        self.threads.len() as u64 >= self.threads_seen || chosen < Self::THREADS_OF_A_REASON
    }
}

/// Whether a text is the id of a thread.
pub fn is_thread_id(text: &str) -> bool {
    let shape = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |(part, length): (&&str, usize)| part.len() == length && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    parts.len() == shape.len() && parts.iter().zip(shape).all(fits)
}

/// The thread of a rollout, by the id at the end of its name.
pub fn thread_of(file: &str) -> Option<&str> {
    let name = file.rsplit(['/', '\\']).next()?;
    let stem = name.strip_suffix(".zst").unwrap_or(name).strip_suffix(".jsonl")?;
    stem.get(stem.len().checked_sub(36)?..).filter(|id| is_thread_id(id))
}

fn sorted(mut threads: Vec<ThreadContext>) -> Vec<ThreadContext> {
    threads.sort_by(|one, other| (&one.thread, &one.source).cmp(&(&other.thread, &other.source)));
    threads
}

/// Reports made before there were several hold one largest file, or null.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LargeFile>, D::Error> {
    struct OneOrMany;

    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<LargeFile>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a list of files, one file, or null")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            LargeFile::deserialize(MapAccessDeserializer::new(map)).map(|file| vec![file])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut files = Vec::new();
            while let Some(file) = sequence.next_element()? {
                files.push(file);
            }
            Ok(files)
        }
    }

    deserializer.deserialize_any(OneOrMany)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_threads_the_newest_the_largest_the_fullest_and_the_longest_are_kept() {
        let thread = |number: u64| ThreadContext { thread: format!("{number:04}"), bytes: 10, ..ThreadContext::default() };
        let few: Vec<_> = (0..3).rev().map(thread).collect();
        assert_eq!(
            SessionStore::of_interest(few).iter().map(|thread| &thread.thread[..]).collect::<Vec<_>>(),
            ["0000", "0001", "0002"]
        );

        let mut threads: Vec<_> = (0..1_000).map(thread).collect();
        threads[990].bytes = 11;
        threads[991].context_tokens = Some(9);
        threads[991].context_window = Some(10);
        threads[992].open_since = Some(threads[992].last - TimeDelta::hours(3));
        threads[993].last += TimeDelta::hours(1);
        for archived in &mut threads[800..900] {
            (archived.archived, archived.context_tokens, archived.context_window) = (true, Some(10), Some(10));
        }
        let kept = SessionStore::of_interest(threads.clone());
        let (first, second) = threads.split_at(600);
        let in_two_steps = [SessionStore::of_interest(first.to_vec()), second.to_vec()].concat();
        assert_eq!(SessionStore::of_interest(in_two_steps), kept);
        assert!(kept.len() <= SessionStore::THREADS);
        for number in 990..=993 {
            assert!(kept.iter().any(|thread| thread.thread == format!("{number:04}")), "{number}");
        }
    }

    #[test]
    fn an_older_report_with_one_largest_file_can_be_read() {
        let read = |largest: &str| {
            let json = format!(r#"{{"files":1,"bytes":2,"largest":{largest},"databases":[],"cut_short":false,"unread":[]}}"#);
            serde_json::from_str::<SessionStore>(&json).map(|store| store.largest.len())
        };
        assert_eq!(read("null").unwrap(), 0);
        assert_eq!(read(r#"{"file":"a","bytes":2}"#).unwrap(), 1);
        assert_eq!(read(r#"[{"file":"a","bytes":2},{"file":"b","bytes":1}]"#).unwrap(), 2);
        assert!(read("7").is_err());
    }
}

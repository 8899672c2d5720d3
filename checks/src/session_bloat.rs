//! Session bloat: has what Codex keeps grown so large that it slows the start, breaks a resume, or fills the context?
//!
//! # What it checks
//! Number and size of the rollouts, the largest of them, the databases with their write-ahead logs, and how full the context of the failed turn was.
//!
//! # Why it matters
//! A rollout of hundreds of megabytes takes minutes and gigabytes of memory to resume; a log database of gigabytes blocks the start. A session
//! near its context limit sends the largest requests there are, has to compact, and the compaction fails with the same capacity error; a new
//! session avoids it.
//!
//! # What it cannot tell
//! Whether a large session is needed. Size alone causes no capacity error, so it never decides the verdict.
//!
//! # Fix
//! Go on in a new session with the conclusions only. Archive old sessions with `codex archive`; move a bloated log database aside while no Codex runs.
//!
//! # Example
//! A failed turn with 240,000 of 258,400 tokens in its context.

use crate::facts::Facts;
use crate::facts::history::FailedTurn;
use crate::facts::sessions::{Database, LargeFile, SessionStore};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::subject::{Subject, SubjectSource};

pub(crate) const ID: &str = "session-bloat";

const MEGABYTE: u64 = 1_000_000;
/// Resuming takes noticeable time (public reports: 335 MB, 415 MB).
const LARGE_ROLLOUT: u64 = 100 * MEGABYTE;
/// Resuming may run out of memory (public reports: 10 to 75 GB).
const HUGE_ROLLOUT: u64 = 1_000 * MEGABYTE;
/// The first start after an update scans all files: 22 s for 5,000 (measured on 0.171.0).
const MANY_FILES: u64 = 5_000;
const MANY_BYTES: u64 = 5_000 * MEGABYTE;
/// Starts were slow from about 400 MB on (public reports).
const LARGE_DATABASE: u64 = 500 * MEGABYTE;
/// SQLite empties its log at a few megabytes; one of this size is not being emptied.
const LARGE_LOG: u64 = 256 * MEGABYTE;
/// From here on a session is about to compact.
const NEARLY_FULL: f64 = 0.8;
/// From here on a request is among the largest there are, and each turn sends all of it again.
const LARGE_CONTEXT: u64 = 100_000;
/// A hint: a full context says so in the error's own words.
const CONTEXT_HINT: i16 = 4;
/// The failed turn's own rollout is huge.
const OWN_ROLLOUT_HINT: i16 = 2;

pub(crate) fn codes() -> Vec<String> {
    let codes = [
        "sessions.fine",
        "sessions.large-rollout",
        "sessions.huge-rollout",
        "sessions.many",
        "sessions.large-database",
        "sessions.uncounted",
        "context.nearly-full",
        "context.large",
    ];
    codes.map(str::to_owned).to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let turn = subject_turn(facts);
    let mut findings: Vec<Finding> = turn.and_then(context).into_iter().collect();
    let Some(store) = facts.sessions.value() else {
        findings.push(Finding::cannot_tell(ID, &facts.sessions));
        return findings;
    };
    let mut bloat: Vec<Finding> = store.largest.first().and_then(|largest| rollout(largest, turn)).into_iter().collect();
    bloat.extend(many(store));
    bloat.extend(store.databases.iter().filter_map(database));
    if bloat.is_empty() {
        let fine = Finding::plain(ID, "sessions.fine", Severity::Ok);
        bloat.push(fine.arg("files", store.files).arg("bytes", Arg::Bytes(store.bytes)));
    }
    if store.cut_short || !store.unread.is_empty() {
        let uncounted = Finding::plain(ID, "sessions.uncounted", Severity::Note).arg("count", store.unread.len() as u64);
        bloat.push(
            store.unread.iter().fold(uncounted, |finding, unread| finding.evidence(format!("{}: {}", unread.file, unread.why))),
        );
    }
    findings.extend(bloat);
    findings
}

/// The failed turn on disk, when it is the one that is triaged.
fn subject_turn(facts: &Facts) -> Option<&FailedTurn> {
    Subject::of(facts).filter(|subject| subject.source == SubjectSource::Rollout).and_then(|_| Subject::turn(facts))
}

fn context(turn: &FailedTurn) -> Option<Finding> {
    let tokens = turn.context_tokens?;
    let window = turn.context_window.filter(|window| *window > 0);
    let share = window.map(|window| tokens as f64 / window as f64);
    let finding = |code, severity| {
        let finding = Finding::plain(ID, code, severity).group("context").arg("tokens", tokens).evidence(turn.source.clone());
        finding.advises("new-session")
    };
    match (window, share) {
        (Some(window), Some(share)) if share >= NEARLY_FULL => Some(
            finding("context.nearly-full", Severity::Warning)
                .arg("window", window)
                .arg("percent", (share * 100.0).round() as i64)
                .weighs(Target::Kind(Kind::OtherContext), CONTEXT_HINT)
                .advises("smaller-context"),
        ),
        // It is no fault: the way out of a full model is shorter with less to carry.
        _ => (tokens >= LARGE_CONTEXT).then(|| finding("context.large", Severity::Note)),
    }
}

fn rollout(largest: &LargeFile, turn: Option<&FailedTurn>) -> Option<Finding> {
    if largest.bytes < LARGE_ROLLOUT {
        return None;
    }
    let code = if largest.bytes < HUGE_ROLLOUT { "sessions.large-rollout" } else { "sessions.huge-rollout" };
    let finding = Finding::plain(ID, code, Severity::Warning)
        .arg("file", largest.file.as_str())
        .arg("bytes", Arg::Bytes(largest.bytes))
        .evidence(largest.file.clone())
        .advises("archive-large-session");
    // Another session's size has nothing to do with this failure.
    let own = turn.is_some_and(|turn| turn.source == largest.file);
    Some(if own {
        finding.group("context").weighs(Target::Kind(Kind::OtherContext), OWN_ROLLOUT_HINT).advises("new-session")
    } else {
        finding
    })
}

fn many(store: &SessionStore) -> Option<Finding> {
    (store.files > MANY_FILES || store.bytes > MANY_BYTES).then(|| {
        Finding::plain(ID, "sessions.many", Severity::Warning).arg("files", store.files).arg("bytes", Arg::Bytes(store.bytes))
    })
}

fn database(database: &Database) -> Option<Finding> {
    (database.bytes > LARGE_DATABASE || database.wal_bytes > LARGE_LOG).then(|| {
        let large = Finding::plain(ID, "sessions.large-database", Severity::Warning)
            .arg("file", database.file.as_str())
            .arg("bytes", Arg::Bytes(database.bytes))
            .arg("log", Arg::Bytes(database.wal_bytes))
            .evidence(database.file.clone());
        // Only the log database may be moved aside; the others hold the sessions.
        let of_logs = database.file.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("logs_"));
        if of_logs { large.advises("free-disk") } else { large }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::facts::history::History;
    use crate::kind::Cause;
    use crate::verdict::weigh;

    fn facts(store: SessionStore) -> Facts {
        Facts { sessions: Observed::known(store, "~/.codex/sessions"), ..Facts::default() }
    }

    fn rollout_of(bytes: u64) -> SessionStore {
        let largest = vec![LargeFile { file: "a.jsonl".to_owned(), bytes }];
        SessionStore { files: 1, bytes, largest, ..SessionStore::default() }
    }

    fn failed(facts: &mut Facts, tokens: u64) {
        let failure = FailedTurn {
            at: facts.run.at,
            context_tokens: Some(tokens),
            context_window: Some(258_400),
            source: "a.jsonl".to_owned(),
            ..FailedTurn::default()
        };
        facts.history = Observed::known(History { failures: vec![failure], ..History::default() }, "sessions");
    }

    fn codes_of(facts: &Facts) -> Vec<String> {
        run(facts).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn small_sessions_are_fine_and_large_ones_are_named_without_a_verdict() {
        assert_eq!(codes_of(&facts(rollout_of(40_000))), ["sessions.fine"]);
        let large = facts(rollout_of(335 * MEGABYTE));
        assert_eq!(codes_of(&large), ["sessions.large-rollout"]);
        assert_eq!(weigh(&large, &run(&large)).cause, Cause::Healthy);
        assert_eq!(codes_of(&facts(rollout_of(19_000 * MEGABYTE)))[0], "sessions.huge-rollout");
        let many = SessionStore { files: 5_001, bytes: 10, ..SessionStore::default() };
        assert_eq!(codes_of(&facts(many)), ["sessions.many"]);
    }

    #[test]
    fn a_log_that_is_not_emptied_is_named_even_beside_a_small_database() {
        let databases = vec![Database { file: "logs_2.sqlite".to_owned(), bytes: 300 * MEGABYTE, wal_bytes: 299 * MEGABYTE }];
        assert_eq!(codes_of(&facts(SessionStore { databases, ..SessionStore::default() })), ["sessions.large-database"]);
    }

    #[test]
    fn a_nearly_full_context_calls_for_a_new_session() {
        let mut facts = facts(rollout_of(40_000));
        failed(&mut facts, 20_000);
        assert_eq!(codes_of(&facts), ["sessions.fine"]);
        failed(&mut facts, 104_121);
        assert_eq!(codes_of(&facts), ["context.large", "sessions.fine"]);
        assert!(run(&facts)[0].weights.is_empty());
        failed(&mut facts, 240_000);
        let findings = run(&facts);
        assert_eq!(findings[0].code, "context.nearly-full");
        assert_eq!(findings[0].advice, ["new-session", "smaller-context"]);
    }

    #[test]
    fn a_folder_that_could_not_be_listed_is_said_and_a_failed_look_is_not_fine() {
        let unread = vec![crate::facts::history::Unread { file: "sessions/2026".to_owned(), why: "denied".to_owned() }];
        let partly = facts(SessionStore { unread, ..SessionStore::default() });
        assert_eq!(codes_of(&partly), ["sessions.fine", "sessions.uncounted"]);
        let failed = Facts { sessions: Observed::failed("not a folder", "sessions"), ..Facts::default() };
        assert_eq!(codes_of(&failed), ["session-bloat.cannot-tell"]);
    }
}

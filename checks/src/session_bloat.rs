//! Session bloat: has what Codex keeps grown so large that it slows the start, breaks a resume, or fills the disk?
//!
//! # What it checks
//! Number and size of the rollouts, the largest of them, their longest lines, the databases with their write-ahead logs, log files, the history of
//! prompts, and the room that is left on the disk.
//!
//! # Why it matters
//! A rollout of hundreds of megabytes takes minutes and gigabytes of memory to resume; a log database of gigabytes blocks the start; a full disk
//! stops Codex from writing what it does.
//!
//! # What it cannot tell
//! Whether a large session is needed. Size alone causes no capacity error, so it never decides the verdict. How long a line is shows only in the
//! sessions that were opened (`codex-triage sessions`).
//!
//! # Fix
//! Archive old sessions with `codex archive`, which keeps them and frees nothing; delete an archived one with `codex delete --force`, which is for
//! good. Move a bloated log database aside while no Codex runs. Leave the other databases alone: they hold the sessions.
//!
//! # Example
//! A rollout of 3.1 GB, beside a log database of 2.4 GB.

use crate::facts::Facts;
use crate::facts::history::Unread;
use crate::facts::sessions::{Database, LargeFile, SessionStore};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::burdens::Measure;
use crate::subject::Subject;

pub(crate) const ID: &str = "session-bloat";

/// The failed turn's own rollout is huge.
const OWN_ROLLOUT_HINT: i16 = 2;

pub(crate) fn codes() -> Vec<String> {
    let codes = [
        "sessions.fine",
        "sessions.large-rollout",
        "sessions.huge-rollout",
        "sessions.huge-archived-rollout",
        "sessions.long-line",
        "sessions.many",
        "sessions.large-database",
        "sessions.large-log-database",
        "sessions.write-ahead-log",
        "sessions.large-log-files",
        "sessions.large-prompt-history",
        "sessions.low-disk",
        "sessions.full-disk",
        "sessions.uncounted",
    ];
    codes.map(str::to_owned).to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(store) = facts.sessions.value() else {
        return vec![Finding::cannot_tell(ID, &facts.sessions)];
    };
    let mut findings: Vec<Finding> = rollouts(store, facts);
    findings.extend(long_line(store));
    findings.extend(many(store));
    findings.extend(store.databases.iter().flat_map(database));
    findings.extend(log_files(store));
    findings.extend(prompt_history(store));
    findings.extend(disk(store));
    if store.has_gaps() {
        // What would be too large may lie where nobody looked.
        let severity = if findings.is_empty() { Severity::Unknown } else { Severity::Note };
        findings.push(gap(ID, "sessions.uncounted", severity, store));
    } else if findings.is_empty() {
        let fine = Finding::plain(ID, "sessions.fine", Severity::Ok);
        findings.push(fine.arg("files", store.files).arg("bytes", Arg::Bytes(store.bytes)));
    }
    findings
}

/// What of `store` was not looked at, and why, as a finding of a check that needs it.
pub(crate) fn gap(check: &str, code: &str, severity: Severity, store: &SessionStore) -> Finding {
    let told = |unread: &Unread| format!("{}: {}", unread.file, unread.why);
    let gaps: Vec<&Unread> = store.gaps().collect();
    let reason = match (store.cut_short, gaps.is_empty()) {
        (true, true) => "time",
        (true, false) => "both",
        (false, _) => "unread",
    };
    let first = gaps.first().map_or_else(|| "none".to_owned(), |gap| told(gap));
    let finding = Finding::plain(check, code, severity).arg("reason", reason).arg("count", gaps.len() as u64).arg("first", first);
    gaps.into_iter().fold(finding, |finding, gap| finding.evidence(told(gap)))
}

/// Rollouts that are too large, one finding for those of one kind. Archived ones are not resumed, and lie there all the same.
fn rollouts(store: &SessionStore, facts: &Facts) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for rollout in &store.largest {
        let Some(severity) = Measure::Rollout.weigh(rollout.bytes) else { continue };
        let code = match severity {
            Severity::Error if rollout.is_archived() => "sessions.huge-archived-rollout",
            Severity::Error => "sessions.huge-rollout",
            _ => "sessions.large-rollout",
        };
        if let Some(known) = findings.iter_mut().find(|finding| finding.code == code) {
            known.evidence.push(rollout.file.clone());
            continue;
        }
        let severity = if rollout.is_archived() { Severity::Warning } else { severity };
        findings.push(too_large(code, severity, rollout));
    }
    // Another session's size has nothing to do with this failure.
    let own = Subject::triaged_turn(facts).map(|turn| &turn.source);
    for finding in &mut findings {
        if own.is_some_and(|own| finding.evidence.iter().any(|evidence| **evidence == **own)) {
            let weighed = finding.clone().group("context").weighs(Target::Kind(Kind::OtherContext), OWN_ROLLOUT_HINT);
            *finding = weighed.advises("new-session");
        }
    }
    findings
}

fn too_large(code: &str, severity: Severity, rollout: &LargeFile) -> Finding {
    let finding = Finding::plain(ID, code, severity)
        .arg("file", rollout.file.as_str())
        .arg("bytes", Arg::Bytes(rollout.bytes))
        .evidence(rollout.file.clone());
    finding.advises(if rollout.is_archived() { "delete-archived" } else { "archive-large-session" })
}

/// A line so long that whatever reads it line by line holds it in memory as a whole.
fn long_line(store: &SessionStore) -> Option<Finding> {
    let thread = store.threads.iter().max_by_key(|thread| thread.longest_line_bytes)?;
    let severity = Measure::RolloutLine.weigh(thread.longest_line_bytes)?;
    let finding = Finding::plain(ID, "sessions.long-line", severity).arg("bytes", Arg::Bytes(thread.longest_line_bytes));
    Some(finding.arg("file", thread.source.as_str()).evidence(thread.source.clone()))
}

fn many(store: &SessionStore) -> Option<Finding> {
    let severity = Measure::Rollouts.weigh(store.files).or(Measure::RolloutsBytes.weigh(store.bytes))?;
    let finding = Finding::plain(ID, "sessions.many", severity).arg("files", store.files).arg("bytes", Arg::Bytes(store.bytes));
    Some(finding.advises("migrate-rollouts"))
}

fn database(database: &Database) -> Vec<Finding> {
    // Only the log database may be moved aside; the others hold the sessions.
    let (measure, code, advice) = if database.is_of_logs() {
        (Measure::LogDatabase, "sessions.large-log-database", "move-logs-aside")
    } else {
        (Measure::Database, "sessions.large-database", "leave-session-databases")
    };
    let finding = |code: &str, severity, bytes| {
        let finding = Finding::plain(ID, code, severity).arg("file", database.file.as_str()).arg("bytes", Arg::Bytes(bytes));
        finding.evidence(database.file.clone())
    };
    let large = measure.weigh(database.bytes).map(|severity| finding(code, severity, database.bytes).advises(advice));
    let log = Measure::WriteAheadLog
        .weigh(database.wal_bytes)
        .map(|severity| finding("sessions.write-ahead-log", severity, database.wal_bytes).advises("empty-write-ahead-log"));
    large.into_iter().chain(log).collect()
}

fn log_files(store: &SessionStore) -> Option<Finding> {
    let bytes = store.logs.iter().map(|log| log.bytes).sum();
    let severity = Measure::LogFiles.weigh(bytes)?;
    let largest = store.logs.first()?;
    let finding = Finding::plain(ID, "sessions.large-log-files", severity).arg("bytes", Arg::Bytes(bytes));
    Some(finding.arg("file", largest.file.as_str()).evidence(largest.file.clone()))
}

fn prompt_history(store: &SessionStore) -> Option<Finding> {
    let history = store.other.iter().find(|other| other.file.rsplit(['/', '\\']).next() == Some("history.jsonl"))?;
    let severity = Measure::PromptHistory.weigh(history.bytes)?;
    let finding = Finding::plain(ID, "sessions.large-prompt-history", severity).arg("bytes", Arg::Bytes(history.bytes));
    Some(finding.arg("file", history.file.as_str()).evidence(history.file.clone()).advises("bound-prompt-history"))
}

fn disk(store: &SessionStore) -> Option<Finding> {
    let disk = store.disk?;
    let severity = Measure::FreeDisk.weigh(disk.free_bytes)?;
    let code = if severity == Severity::Error { "sessions.full-disk" } else { "sessions.low-disk" };
    let finding = Finding::plain(ID, code, severity).arg("free", Arg::Bytes(disk.free_bytes));
    Some(finding.arg("total", Arg::Bytes(disk.total_bytes)).advises("free-disk").advises("delete-archived"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::facts::history::{FailedTurn, History};
    use crate::facts::sessions::{Disk, Stored, ThreadContext};
    use crate::kind::Cause;
    use crate::verdict::weigh;

    const MEGABYTE: u64 = 1_000_000;

    fn facts(store: SessionStore) -> Facts {
        Facts { sessions: Observed::known(store, "~/.codex/sessions"), ..Facts::default() }
    }

    fn rollouts_of(sizes: &[(&str, u64)]) -> SessionStore {
        let largest = sizes.iter().map(|(file, megabytes)| LargeFile { file: (*file).to_owned(), bytes: megabytes * MEGABYTE });
        SessionStore { files: sizes.len() as u64, largest: largest.collect(), ..SessionStore::default() }
    }

    fn codes_of(store: SessionStore) -> Vec<String> {
        run(&facts(store)).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn small_sessions_are_fine_and_large_ones_are_named_without_a_verdict() {
        assert_eq!(codes_of(rollouts_of(&[("a.jsonl", 1)])), ["sessions.fine"]);
        let large = facts(rollouts_of(&[("a.jsonl", 335)]));
        let findings = run(&large);
        assert_eq!(findings[0].code, "sessions.large-rollout");
        assert_eq!(weigh(&large, &findings).cause, Cause::Healthy);
        assert_eq!(codes_of(SessionStore { files: 5_001, bytes: 10, ..SessionStore::default() }), ["sessions.many"]);
        assert_eq!(codes_of(SessionStore { files: 7, bytes: 6_300 * MEGABYTE, ..SessionStore::default() }), ["sessions.many"]);
    }

    #[test]
    fn an_archived_rollout_is_resumed_by_nobody() {
        let archived = "~/.codex/archived_sessions/b.jsonl";
        let findings = run(&facts(rollouts_of(&[(archived, 19_000), ("a.jsonl", 2_000), ("c.jsonl", 1_500), ("d.jsonl", 200)])));
        let told: Vec<_> = findings.iter().map(|finding| (&finding.code[..], finding.severity, finding.evidence.len())).collect();
        assert_eq!(
            told,
            [
                ("sessions.huge-archived-rollout", Severity::Warning, 1),
                ("sessions.huge-rollout", Severity::Error, 2),
                ("sessions.large-rollout", Severity::Warning, 1)
            ]
        );
        assert_eq!(findings[0].advice, ["delete-archived"]);
        assert_eq!(findings[1].advice, ["archive-large-session"]);
    }

    #[test]
    fn only_the_failed_turns_own_rollout_speaks_for_a_full_context() {
        let mut facts = facts(rollouts_of(&[("a.jsonl", 900)]));
        let fail = |facts: &mut Facts, source: &str| {
            let failure = FailedTurn { at: facts.run.at, source: source.into(), ..FailedTurn::default() };
            facts.history = Observed::known(History { failures: vec![failure], ..History::default() }, "sessions");
        };
        fail(&mut facts, "b.jsonl");
        assert!(run(&facts)[0].weights.is_empty());
        fail(&mut facts, "a.jsonl");
        assert!(!run(&facts)[0].weights.is_empty());
    }

    #[test]
    fn a_log_that_is_not_emptied_is_named_even_beside_a_small_database() {
        let database = |file: &str, bytes, wal_bytes| Database {
            file: file.to_owned(),
            bytes: bytes * MEGABYTE,
            wal_bytes: wal_bytes * MEGABYTE,
        };
        let of = |database| codes_of(SessionStore { databases: vec![database], ..SessionStore::default() });
        assert_eq!(of(database("~/.codex/logs_2.sqlite", 300, 299)), ["sessions.write-ahead-log"]);
        assert_eq!(of(database("~/.codex/logs_2.sqlite", 2_400, 0)), ["sessions.large-log-database"]);
        assert_eq!(of(database("~/.codex/state_5.sqlite", 900, 300)), ["sessions.large-database", "sessions.write-ahead-log"]);
        let state = SessionStore { databases: vec![database("~/.codex/state_5.sqlite", 900, 0)], ..SessionStore::default() };
        assert_eq!(run(&facts(state))[0].advice, ["leave-session-databases"]);
    }

    #[test]
    fn lines_logs_prompts_and_the_disk_have_limits_of_their_own() {
        let thread = ThreadContext { longest_line_bytes: 5 * MEGABYTE, source: "a.jsonl".to_owned(), ..ThreadContext::default() };
        assert_eq!(codes_of(SessionStore { threads: vec![thread], ..SessionStore::default() }), ["sessions.long-line"]);
        let logs = vec![LargeFile { file: "codex-tui.log".to_owned(), bytes: 700 * MEGABYTE }];
        assert_eq!(codes_of(SessionStore { logs, ..SessionStore::default() }), ["sessions.large-log-files"]);
        let other = vec![Stored { file: "~/.codex/history.jsonl".to_owned(), files: 1, bytes: 200 * MEGABYTE }];
        assert_eq!(codes_of(SessionStore { other, ..SessionStore::default() }), ["sessions.large-prompt-history"]);
        let free = |megabytes| {
            let disk = Some(Disk { free_bytes: megabytes * MEGABYTE, total_bytes: 250_000 * MEGABYTE });
            codes_of(SessionStore { disk, ..SessionStore::default() })
        };
        assert_eq!(
            (free(6_000), free(4_000), free(100)),
            (vec!["sessions.fine".to_owned()], vec!["sessions.low-disk".to_owned()], vec!["sessions.full-disk".to_owned()])
        );
    }

    #[test]
    fn a_folder_that_could_not_be_listed_is_said_and_a_failed_look_is_not_fine() {
        let unread = vec![Unread { file: "sessions/2026".to_owned(), why: "denied".to_owned() }];
        let told = |store: SessionStore| -> Vec<(String, Severity)> {
            run(&facts(store)).into_iter().map(|finding| (finding.code, finding.severity)).collect()
        };
        let uncounted = |severity| ("sessions.uncounted".to_owned(), severity);
        let of_one = SessionStore { unread, ..rollouts_of(&[("a.jsonl", 1)]) };
        assert_eq!(told(of_one.clone()), [uncounted(Severity::Unknown)]);
        let cut_short = SessionStore { cut_short: true, ..SessionStore::default() };
        assert_eq!(told(cut_short), [uncounted(Severity::Unknown)]);
        let large = SessionStore { largest: rollouts_of(&[("a.jsonl", 335)]).largest, ..of_one.clone() };
        assert_eq!(told(large)[1], uncounted(Severity::Note));
        assert_eq!(weigh(&facts(of_one.clone()), &run(&facts(of_one))).cause, Cause::Undetermined);
        let log = Database { file: "logs/logs_2.sqlite".to_owned(), bytes: 7, wal_bytes: 0 };
        let unread = vec![Unread { file: log.file.clone(), why: "file is not a database".to_owned() }];
        assert_eq!(codes_of(SessionStore { unread, databases: vec![log], ..SessionStore::default() }), ["sessions.fine"]);
        let failed = Facts { sessions: Observed::failed("not a folder", "sessions"), ..Facts::default() };
        assert_eq!(run(&failed)[0].code, "session-bloat.cannot-tell");
    }
}

//! Context pressure: are sessions so long that their next request is among the largest there are, or has to compact first?
//!
//! # What it checks
//! How full the context of the failed turn was; which other sessions used in the time looked at are near their window; which have been worked in for
//! over an hour without a pause while their context grew; and which could not compact.
//!
//! # Why it matters
//! Each turn sends the whole context again. A session near its window has to compact, which is one more large request to the same model: when the
//! model is full, the compaction fails with the capacity error, and the session is stuck where a new one would start with a small request.
//!
//! # What it cannot tell
//! Whether a smaller request would have been served: the server's words are the same for all. So a compaction that met a full model stays
//! overload, and only a context that is nearly full speaks a little for the context. Other sessions than the failed one are looked at by
//! `codex-triage sessions`.
//!
//! # Fix
//! Go on in a new session with the conclusions only. One task, one session; a new one after an hour; line ranges instead of whole files.
//!
//! # Example
//! A failed turn with 240,000 of 258,400 tokens in its context.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::facts::Facts;
use crate::facts::history::FailedTurn;
use crate::facts::run::Scope;
use crate::facts::sessions::{SessionStore, ThreadContext};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::burdens::Measure;
use crate::session_bloat::gap;
use crate::subject::Subject;

pub(crate) const ID: &str = "context-pressure";

/// A hint: a full context says so in the error's own words.
const CONTEXT_HINT: i16 = 4;
/// What Codex puts before the error of a compaction (measured on 0.171.0, and in public issue threads).
const COMPACTION_WORDS: &str = "Error running remote compact task";
/// The end of these words. The standard library finds so short a text many times as fast as all of them, and mostly it is not there.
const END_OF_THESE_WORDS: &str = "remote compact task";
/// What Codex stores for its capacity error.
const CAPACITY: &str = "server_overloaded";

pub(crate) fn codes() -> Vec<String> {
    let codes = [
        "context.fine",
        "context.not-told",
        "context.nearly-full",
        "context.large",
        "context.sessions-nearly-full",
        "context.long-sessions",
        "context.compaction-met-full-model",
        "context.compaction-failed",
        "context.unread",
    ];
    codes.map(str::to_owned).to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let turn = Subject::triaged_turn(facts);
    let mut findings: Vec<Finding> = turn.and_then(failed_turn).into_iter().collect();
    findings.extend(compactions(facts));
    let Some(store) = facts.sessions.value() else {
        findings.push(Finding::cannot_tell(ID, &facts.sessions));
        return findings;
    };
    let own = turn.and_then(|turn| turn.thread.as_deref());
    let used: Vec<&ThreadContext> = used(store, facts).filter(|thread| Some(thread.thread.as_str()) != own).collect();
    let all = are_all(store, facts);
    findings.extend(nearly_full(&used, all));
    findings.extend(long(&used, all));
    // Whether threads were asked for at all shows only where some were seen, or where a run is about them.
    if store.has_gaps() && (store.threads_seen > 0 || facts.run.scope == Scope::Sessions) {
        let severity = if findings.is_empty() { Severity::Unknown } else { Severity::Note };
        findings.push(gap(ID, "context.unread", severity, store));
    } else if findings.is_empty() && store.threads_seen > 0 {
        let silent = used.iter().filter(|thread| thread.fullness().is_none()).count() as u64;
        let left_out = if all { 0 } else { store.threads_seen - store.threads.len() as u64 };
        let (code, severity) =
            if silent + left_out > 0 { ("context.not-told", Severity::Note) } else { ("context.fine", Severity::Ok) };
        findings.push(Finding::plain(ID, code, severity).arg("count", silent + left_out).arg("seen", store.threads_seen));
    }
    findings
}

/// The threads that were used in the time looked at, and can be used on.
fn used<'a>(store: &'a SessionStore, facts: &'a Facts) -> impl Iterator<Item = &'a ThreadContext> {
    store.threads.iter().filter(|thread| !thread.archived && thread.last >= facts.run.since)
}

/// Whether the store names every thread that was used in the time looked at, or at least every one that is nearly full.
fn are_all(store: &SessionStore, facts: &Facts) -> bool {
    let count = |fits: &dyn Fn(&ThreadContext) -> bool| store.threads.iter().filter(|thread| fits(thread)).count();
    let full =
        |thread: &ThreadContext| thread.fullness().is_some_and(|share| Measure::ContextPercent.weigh(percent(share)).is_some());
    store.are_all(count(&|thread| thread.last >= facts.run.since))
        || store.are_all(count(&|thread| !thread.archived && full(thread)))
}

/// `least` where there may be more than are named.
fn bound(all: bool) -> &'static str {
    if all { "exact" } else { "least" }
}

fn percent(share: f64) -> u64 {
    // `as` saturates, and no context is so full.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a window")]
    let percent = (share * 100.0).round() as u64;
    percent
}

fn failed_turn(turn: &FailedTurn) -> Option<Finding> {
    let tokens = turn.context_tokens?;
    let window = turn.context_window.filter(|window| *window > 0);
    let full = window.map(|window| (window, percent(tokens as f64 / window as f64)));
    let finding = |code, severity| {
        let finding = Finding::plain(ID, code, severity).group("context").arg("tokens", tokens).evidence(&*turn.source);
        finding.advises("new-session")
    };
    if let Some((window, percent)) = full
        && let Some(severity) = Measure::ContextPercent.weigh(percent)
    {
        let nearly = finding("context.nearly-full", severity).arg("window", window).arg("percent", percent);
        return Some(nearly.weighs(Target::Kind(Kind::OtherContext), CONTEXT_HINT).advises("smaller-context"));
    }
    // It is no fault: the way out of a full model is shorter with less to carry.
    Measure::ContextTokens.weigh(tokens).map(|severity| finding("context.large", severity))
}

fn nearly_full(used: &[&ThreadContext], all: bool) -> Option<Finding> {
    let share = |thread: &ThreadContext| thread.fullness().map(percent);
    let severity = |thread: &ThreadContext| share(thread).and_then(|percent| Measure::ContextPercent.weigh(percent));
    let mut full: Vec<_> = used.iter().filter_map(|thread| Some((share(thread)?, severity(thread)?, thread))).collect();
    full.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.2.thread.cmp(&other.2.thread)));
    let (percent, severity, fullest) = full.first()?;
    let finding = Finding::plain(ID, "context.sessions-nearly-full", *severity)
        .arg("bound", bound(all))
        .arg("count", full.len() as u64)
        .arg("thread", fullest.thread.as_str())
        .arg("percent", *percent)
        .advises("new-session")
        .advises("smaller-context");
    Some(full.iter().fold(finding, |finding, (.., thread)| finding.evidence(thread.source.clone())))
}

fn long(used: &[&ThreadContext], all: bool) -> Option<Finding> {
    let minutes = |thread: &ThreadContext| thread.open_for().and_then(|open| u64::try_from(open.num_minutes()).ok());
    let severity = |thread: &ThreadContext| minutes(thread).and_then(|minutes| Measure::OpenMinutes.weigh(minutes));
    let grew = |thread: &ThreadContext| thread.context_tokens > thread.first_context_tokens.or(thread.context_tokens);
    let mut long: Vec<_> =
        used.iter().filter(|thread| grew(thread)).filter_map(|thread| Some((severity(thread)?, thread))).collect();
    long.sort_by(|one, other| other.1.open_for().cmp(&one.1.open_for()).then_with(|| one.1.thread.cmp(&other.1.thread)));
    let (severity, longest) = long.first()?;
    let finding = Finding::plain(ID, "context.long-sessions", *severity)
        .arg("bound", bound(all))
        .arg("count", long.len() as u64)
        .arg("thread", longest.thread.as_str())
        .arg("open", Arg::DurationMs(longest.open_for()?.num_milliseconds()))
        .arg("from", longest.first_context_tokens?)
        .arg("to", longest.context_tokens?)
        .advises("smaller-context");
    Some(long.iter().fold(finding, |finding, (_, thread)| finding.evidence(thread.source.clone())))
}

/// A compaction that failed.
struct Compaction<'a> {
    at_capacity: bool,
    source: &'a str,
}

/// Compactions that failed in the time looked at: one finding for those that met a full model, one for the others. They weigh nothing: the
/// error itself says what it is.
fn compactions(facts: &Facts) -> Vec<Finding> {
    // By thread and moment: a failure may stand in both facts.
    let mut failed: BTreeMap<(Option<&str>, DateTime<Utc>), Compaction<'_>> = BTreeMap::new();
    for turn in facts.history.value().into_iter().flat_map(|history| &history.failures) {
        let told = |text: &str| text.contains(END_OF_THESE_WORDS) && text.contains(COMPACTION_WORDS);
        if turn.compacting && !turn.interrupted || turn.text.as_deref().is_some_and(told) {
            let at_capacity = turn.info.as_deref() == Some(CAPACITY);
            failed.insert((turn.thread.as_deref(), turn.at), Compaction { at_capacity, source: &turn.source });
        }
    }
    for thread in facts.sessions.value().into_iter().flat_map(|store| &store.threads) {
        if let Some(failure) = &thread.last_failed_compaction {
            let at_capacity = failure.info.as_deref() == Some(CAPACITY);
            failed.insert((Some(&thread.thread), failure.at), Compaction { at_capacity, source: &thread.source });
        }
    }
    failed.retain(|(_, at), _| *at >= facts.run.since);
    let finding = |code: &str, wanted: bool| {
        let of_this_kind: Vec<_> = failed.iter().filter(|(_, failure)| failure.at_capacity == wanted).collect();
        let newest = of_this_kind.iter().map(|((_, at), _)| *at).max()?;
        let finding = Finding::plain(ID, code, Severity::Warning).arg("count", of_this_kind.len() as u64).arg("at", newest);
        let sources: std::collections::BTreeSet<&str> = of_this_kind.iter().map(|(_, failure)| failure.source).collect();
        let finding = sources.into_iter().fold(finding, |finding, source| finding.evidence(source));
        Some(finding.advises("new-session").advises("smaller-context"))
    };
    let met_full_model = finding("context.compaction-met-full-model", true);
    met_full_model.into_iter().chain(finding("context.compaction-failed", false)).collect()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::facts::Observed;
    use crate::facts::history::History;
    use crate::facts::sessions::FailedCompaction;
    use crate::kind::Cause;
    use crate::verdict::weigh;

    fn store(threads: Vec<ThreadContext>) -> Facts {
        let store = SessionStore { threads_seen: threads.len() as u64, threads, ..SessionStore::default() };
        Facts { sessions: Observed::known(store, "~/.codex/sessions"), ..Facts::default() }
    }

    fn thread(number: u64, tokens: u64) -> ThreadContext {
        ThreadContext {
            thread: format!("thread-{number}"),
            source: format!("{number}.jsonl"),
            last: Facts::default().run.at - TimeDelta::minutes(5),
            context_tokens: Some(tokens),
            context_window: Some(258_400),
            ..ThreadContext::default()
        }
    }

    fn fail(facts: &mut Facts, turn: FailedTurn) {
        let failures = vec![FailedTurn { at: facts.run.at, source: "1.jsonl".into(), ..turn }];
        facts.history = Observed::known(History { failures, ..History::default() }, "sessions");
    }

    fn codes_of(facts: &Facts) -> Vec<String> {
        run(facts).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_nearly_full_context_of_the_failed_turn_calls_for_a_new_session() {
        let mut facts = store(Vec::new());
        let tokens = |tokens| FailedTurn { context_tokens: Some(tokens), context_window: Some(258_400), ..FailedTurn::default() };
        fail(&mut facts, tokens(20_000));
        assert!(codes_of(&facts).is_empty());
        fail(&mut facts, tokens(104_121));
        assert_eq!(codes_of(&facts), ["context.large"]);
        assert!(run(&facts)[0].weights.is_empty());
        fail(&mut facts, tokens(240_000));
        let findings = run(&facts);
        assert_eq!(findings[0].code, "context.nearly-full");
        assert_eq!(findings[0].advice, ["new-session", "smaller-context"]);
    }

    #[test]
    fn other_sessions_near_their_window_are_named_and_old_or_archived_ones_are_not() {
        assert_eq!(codes_of(&store(vec![thread(1, 20_000)])), ["context.fine"]);
        let old = ThreadContext { last: Facts::default().run.since - TimeDelta::hours(1), ..thread(2, 250_000) };
        let archived = ThreadContext { archived: true, ..thread(3, 250_000) };
        assert_eq!(codes_of(&store(vec![old, archived])), ["context.fine"]);
        let full = store(vec![thread(4, 220_000), thread(5, 250_000)]);
        let findings = run(&full);
        assert_eq!(findings[0].code, "context.sessions-nearly-full");
        assert_eq!((&findings[0].args["thread"], findings[0].evidence.len()), (&Arg::from("thread-5"), 2));
        assert_eq!(weigh(&full, &findings).cause, Cause::Healthy);
    }

    #[test]
    fn where_not_all_threads_are_named_nothing_is_called_fine_and_a_count_is_a_lower_bound() {
        let part = SessionStore::THREADS_OF_A_REASON as u64;
        let mut facts = store((0..part).map(|number| thread(number, 250_000)).collect());
        if let crate::facts::Fact::Known { value } = &mut facts.sessions.fact {
            value.threads_seen = 5_000;
        }
        assert_eq!(run(&facts)[0].args["bound"], Arg::from("least"));
        if let crate::facts::Fact::Known { value } = &mut facts.sessions.fact {
            value.threads.iter_mut().for_each(|thread| thread.context_tokens = Some(10));
        }
        // None of them is nearly full, so the fullest of all is not.
        assert_eq!(codes_of(&facts), ["context.fine"]);
        if let crate::facts::Fact::Known { value } = &mut facts.sessions.fact {
            let old = facts.run.since - TimeDelta::days(9);
            value.threads.extend((100..100 + part).map(|number| ThreadContext { last: old, ..thread(number, 250_000) }));
        }
        assert_eq!(codes_of(&facts), ["context.not-told"], "older ones may have pushed out a nearly full one");
    }

    #[test]
    fn the_failed_session_is_not_named_a_second_time() {
        let mut facts = store(vec![thread(1, 250_000)]);
        let (tokens, window) = (Some(250_000), Some(258_400));
        let thread = Some("thread-1".into());
        fail(&mut facts, FailedTurn { thread, context_tokens: tokens, context_window: window, ..FailedTurn::default() });
        assert_eq!(codes_of(&facts), ["context.nearly-full"]);
    }

    #[test]
    fn where_sessions_were_not_read_nothing_is_called_fine() {
        let told = |facts: &Facts| run(facts).into_iter().map(|found| (found.code, found.severity)).collect::<Vec<_>>();
        let unread = |severity| ("context.unread".to_owned(), severity);
        let gap = vec![crate::facts::history::Unread { file: "b.jsonl".to_owned(), why: "not a file".to_owned() }];
        let with = |threads: Vec<ThreadContext>| {
            let store =
                SessionStore { threads_seen: threads.len() as u64, threads, unread: gap.clone(), ..SessionStore::default() };
            Facts { sessions: Observed::known(store, "~/.codex/sessions"), ..Facts::default() }
        };
        assert_eq!(told(&with(vec![thread(1, 20_000)])), [unread(Severity::Unknown)]);
        assert_eq!(told(&with(vec![thread(1, 250_000)]))[1], unread(Severity::Note));
        assert_eq!(told(&with(Vec::new())), [], "a run that does not ask for threads");
        let mut asked = with(Vec::new());
        asked.run.scope = Scope::Sessions;
        assert_eq!(told(&asked), [unread(Severity::Unknown)]);
    }

    #[test]
    fn a_session_that_does_not_tell_its_context_is_not_called_fine() {
        let silent = ThreadContext { context_tokens: None, ..thread(1, 0) };
        assert_eq!(codes_of(&store(vec![silent, thread(2, 10)])), ["context.not-told"]);
        assert!(codes_of(&store(Vec::new())).is_empty(), "nothing was looked at");
    }

    #[test]
    fn an_hour_in_one_session_counts_only_while_its_context_grows() {
        let open = |minutes, first| ThreadContext {
            open_since: Some(thread(1, 0).last - TimeDelta::minutes(minutes)),
            first_context_tokens: Some(first),
            ..thread(1, 90_000)
        };
        assert_eq!(codes_of(&store(vec![open(59, 10_000)])), ["context.fine"]);
        assert_eq!(codes_of(&store(vec![open(90, 90_000)])), ["context.fine"]);
        assert_eq!(codes_of(&store(vec![open(90, 10_000)])), ["context.long-sessions"]);
    }

    #[test]
    fn a_compaction_that_met_a_full_model_is_told_apart_once_and_accuses_nothing_else() {
        let mut facts = store(Vec::new());
        let words = "Error running remote compact task: Selected model is at capacity. Please try a different model.";
        let (thread, info) = (Some("thread-1".into()), Some(CAPACITY.into()));
        fail(&mut facts, FailedTurn { thread, info, text: Some(words.into()), ..FailedTurn::default() });
        let findings = run(&facts);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].code, "context.compaction-met-full-model");
        assert!(findings[0].weights.is_empty() && findings[0].advice.contains(&"new-session".to_owned()));

        let at = facts.run.at;
        let of = |info: &str, at| ThreadContext {
            last_failed_compaction: Some(FailedCompaction { at, info: Some(info.to_owned()), text: None }),
            ..self::thread(1, 10)
        };
        facts.sessions = store(vec![of(CAPACITY, at)]).sessions;
        assert_eq!(run(&facts)[0].args["count"], Arg::Integer(1), "the same failure, seen twice");
        assert_eq!(codes_of(&store(vec![of("context_window_exceeded", at)])), ["context.compaction-failed"]);
        assert_eq!(codes_of(&store(vec![of(CAPACITY, at - TimeDelta::days(3))])), ["context.fine"]);
    }
}

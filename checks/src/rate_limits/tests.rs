use chrono::{DateTime, TimeDelta, Utc};

use super::*;
use crate::facts::Observed;
use crate::facts::history::{FailedTurn, History, Success};
use crate::verdict::weigh;

fn now() -> DateTime<Utc> {
    Facts::default().run.at
}

fn window(minutes: u64, used_percent: f64, resets_in: TimeDelta) -> LimitWindow {
    LimitWindow { minutes: Some(minutes), used_percent, resets_at: Some(now() + resets_in) }
}

fn snapshot(age: TimeDelta, windows: Vec<LimitWindow>) -> LimitSnapshot {
    LimitSnapshot {
        at: now() - age,
        bucket: Some("codex".to_owned()),
        windows,
        provider: Some("openai".to_owned()),
        turn: Some("turn".to_owned()),
        ..LimitSnapshot::default()
    }
}

fn facts(limits: Vec<LimitSnapshot>, failed: bool) -> Facts {
    let failure = FailedTurn {
        at: now(),
        turn: Some("turn".into()),
        model: Some("gpt-6-sol".into()),
        provider: Some("openai".into()),
        ..FailedTurn::default()
    };
    let failures = if failed { vec![failure] } else { Vec::new() };
    Facts { history: Observed::known(History { failures, limits, ..History::default() }, "sessions"), ..Facts::default() }
}

fn codes_of(facts: &Facts) -> Vec<String> {
    run(facts).into_iter().map(|finding| finding.code).collect()
}

fn cause(facts: &Facts) -> Cause {
    weigh(facts, &run(facts)).cause
}

#[test]
fn a_window_at_its_limit_with_its_reset_ahead_is_quota() {
    let windows = vec![window(300, 20.0, TimeDelta::hours(2)), window(10_080, 100.0, TimeDelta::days(2))];
    let reached = facts(vec![snapshot(TimeDelta::minutes(2), windows)], true);
    assert_eq!(codes_of(&reached), ["limits.reached"]);
    assert_eq!(weigh(&reached, &run(&reached)).kind, Some(Kind::QuotaUsageLimit));
    assert_eq!(run(&reached)[0].args.get("window"), Some(&Arg::DurationMs(10_080 * 60_000)));
}

#[test]
fn a_window_that_stopped_a_turn_and_has_started_anew_is_both() {
    let seen = TimeDelta::hours(6);
    let windows = vec![window(300, 100.0, -TimeDelta::hours(2)), window(10_080, 40.0, TimeDelta::days(2))];
    let mut over = facts(vec![snapshot(seen, windows)], true);
    if let crate::facts::Fact::Known { value } = &mut over.history.fact {
        value.failures[0].at = now() - seen;
    }
    assert_eq!(codes_of(&over), ["limits.reached", "limits.reset-passed"]);
}

#[test]
fn a_window_far_below_its_limit_rules_quota_out() {
    let below = facts(vec![snapshot(TimeDelta::zero(), vec![window(300, 42.5, TimeDelta::hours(1))])], true);
    let findings = run(&below);
    assert_eq!(findings[0].code, "limits.far-below");
    assert_eq!(findings[0].weights.get("quota.usage-limit"), Some(&FAR_BELOW));
    let quiet = facts(vec![snapshot(TimeDelta::zero(), vec![window(300, 42.5, TimeDelta::hours(1))])], false);
    assert_eq!(cause(&quiet), Cause::Healthy);
}

#[test]
fn what_the_window_said_before_its_reset_says_nothing_after() {
    let old = facts(vec![snapshot(TimeDelta::hours(4), vec![window(300, 100.0, TimeDelta::minutes(-5))])], true);
    assert_eq!(codes_of(&old), ["limits.reset-passed"]);
    assert_eq!(cause(&facts(old.history.value().unwrap().limits.clone(), false)), Cause::Healthy);
}

#[test]
fn an_older_snapshot_clears_less_than_a_fresh_one() {
    let weight = |age| {
        let mut old = snapshot(age, vec![window(10_080, 10.0, TimeDelta::days(3))]);
        old.turn = None;
        run(&facts(vec![old], true))[0].weights["quota.usage-limit"]
    };
    assert_eq!([5, 30, 300].map(|minutes| weight(TimeDelta::minutes(minutes))), [-20, -10, -3]);
}

#[test]
fn the_snapshot_of_the_failure_counts_and_not_one_after_it() {
    let at_failure = snapshot(TimeDelta::seconds(1), vec![window(300, 100.0, TimeDelta::hours(1))]);
    let mut later = snapshot(TimeDelta::hours(-2), vec![window(300, 1.0, TimeDelta::hours(6))]);
    later.turn = Some("another".to_owned());
    assert_eq!(codes_of(&facts(vec![later, at_failure], true)), ["limits.reached"]);
}

#[test]
fn a_limit_that_was_reached_before_anything_failed_is_the_verdict_only_while_it_lasts() {
    let windows = |reset| vec![window(10_080, 100.0, reset)];
    let lasting = facts(vec![snapshot(TimeDelta::hours(30), windows(TimeDelta::days(2)))], false);
    assert_eq!(cause(&lasting), Cause::Quota);
    assert_eq!(run(&lasting)[0].severity, Severity::Warning);
    let over = facts(vec![snapshot(TimeDelta::hours(30), windows(TimeDelta::hours(-2)))], false);
    assert_eq!(cause(&over), Cause::Healthy);
    // With credits, Codex goes on.
    let mut paid = snapshot(TimeDelta::hours(1), windows(TimeDelta::days(2)));
    paid.has_credits = Some(true);
    assert_eq!(cause(&facts(vec![paid], false)), Cause::Healthy);
}

#[test]
fn an_answer_after_the_limit_shows_that_it_does_not_hold() {
    let mut facts = facts(vec![snapshot(TimeDelta::hours(3), vec![window(10_080, 100.0, TimeDelta::days(2))])], false);
    let success = |at| Success { model: "gpt-6-sol".into(), provider: Some("openai".into()), at };
    let mut history = facts.history.value().cloned().unwrap();
    // The answer that used up the rest ends a moment after its snapshot.
    history.successes = vec![success(now() - TimeDelta::hours(3) + TimeDelta::seconds(1))];
    facts.history = Observed::known(history.clone(), "sessions");
    assert_eq!(cause(&facts), Cause::Quota);
    history.successes = vec![success(now() - TimeDelta::hours(1))];
    facts.history = Observed::known(history, "sessions");
    assert_eq!(codes_of(&facts), ["limits.superseded"]);
    assert_eq!(cause(&facts), Cause::Healthy);
}

#[test]
fn another_provider_or_another_models_bucket_says_nothing() {
    let full = || vec![window(300, 100.0, TimeDelta::hours(1))];
    let relay = LimitSnapshot { provider: Some("relay".to_owned()), turn: None, ..snapshot(TimeDelta::zero(), full()) };
    assert_eq!(codes_of(&facts(vec![relay], true)), ["limits.none"]);
    let spark = LimitSnapshot {
        bucket: Some("codex_bengalfox".to_owned()),
        name: Some("GPT-5.3-Codex-Spark".to_owned()),
        ..snapshot(TimeDelta::zero(), full())
    };
    let common = snapshot(TimeDelta::zero(), vec![window(300, 5.0, TimeDelta::hours(1))]);
    assert_eq!(codes_of(&facts(vec![spark, common], true)), ["limits.far-below"]);
}

#[test]
fn the_servers_own_word_decides_between_credits_and_window() {
    let word = |word: &str| LimitSnapshot { reached: Some(word.to_owned()), ..snapshot(TimeDelta::zero(), Vec::new()) };
    let credits = facts(vec![word("workspace_member_credits_depleted")], true);
    assert_eq!(codes_of(&credits), ["limits.reached-type"]);
    assert_eq!(weigh(&credits, &run(&credits)).kind, Some(Kind::QuotaCredits));
    let window = facts(vec![word("workspace_owner_usage_limit_reached")], true);
    assert_eq!(weigh(&window, &run(&window)).kind, Some(Kind::QuotaUsageLimit));
}

#[test]
fn empty_credits_matter_only_where_there_is_nothing_else() {
    let without = |windows| LimitSnapshot { has_credits: Some(false), ..snapshot(TimeDelta::zero(), windows) };
    assert_eq!(codes_of(&facts(vec![without(Vec::new())], true)), ["limits.credits-empty"]);
    let below = without(vec![window(300, 5.0, TimeDelta::hours(1))]);
    assert_eq!(codes_of(&facts(vec![below], true)), ["limits.far-below"]);
}

#[test]
fn no_snapshot_is_said_and_an_unread_history_is_not_fine() {
    assert_eq!(codes_of(&facts(Vec::new(), true)), ["limits.none"]);
    let failed = Facts { history: Observed::failed("not a folder", "sessions"), ..Facts::default() };
    assert_eq!(codes_of(&failed), ["rate-limits.cannot-tell"]);
}

#[test]
fn a_window_without_a_reset_time_has_a_message_of_its_own() {
    let open = LimitWindow { minutes: Some(300), used_percent: 100.0, resets_at: None };
    assert_eq!(run(&facts(vec![snapshot(TimeDelta::zero(), vec![open])], true))[0].message_id, "limits-reached-open");
}

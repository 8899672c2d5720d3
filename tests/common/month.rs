//! A made-up month of work: mornings are quiet, afternoons crowded, one model is new, and a small one is seldom full.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc, Weekday};
use codex_triage_checks::facts::history::{FailedTurn, History, Success, Tally};
use codex_triage_checks::facts::run::{Run, Scope};
use codex_triage_checks::facts::{Facts, Observed};

const DAYS: i64 = 30;
const OFFSET_S: i32 = 8 * 3600;
const NEW: &str = "gpt-6.2-sol";
const SMALL: &str = "gpt-6-luna";
const USUAL: &str = "gpt-6.1-sol";
const PROVIDER: &str = "openai";

/// One turn.
struct Turn {
    at: DateTime<Utc>,
    model: &'static str,
    failed: bool,
}

/// The facts of the month, with so many turns in each hour of a working day.
pub(crate) fn facts(per_hour: u32) -> Facts {
    let now = DateTime::from_timestamp(1_795_968_000, 0).unwrap();
    let since = now - TimeDelta::days(DAYS);
    let turns = turns(since, now, per_hour);
    let mut answered: BTreeMap<&str, Vec<DateTime<Utc>>> = BTreeMap::new();
    let mut tallies: BTreeMap<(DateTime<Utc>, &str), (u64, u64)> = BTreeMap::new();
    for turn in &turns {
        let hour = turn.at - TimeDelta::seconds(i64::from(turn.at.minute() * 60 + turn.at.second()));
        let (succeeded, failed) = tallies.entry((hour, turn.model)).or_default();
        if turn.failed {
            *failed += 1;
        } else {
            *succeeded += 1;
            answered.entry(turn.model).or_default().push(turn.at);
        }
    }
    let failures: Vec<FailedTurn> = turns
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, turn)| turn.failed)
        .map(|(number, turn)| failure(number, turn, &answered))
        .collect();
    let history = History {
        turns: turns.len() as u64 + 9,
        failed_turns: failures.len() as u64,
        interrupted_turns: 6,
        failures,
        tallies: tallies
            .into_iter()
            .map(|((hour, model), (succeeded, failed))| Tally {
                hour,
                utc_offset_s: OFFSET_S,
                model: Some(model.into()),
                provider: Some(PROVIDER.into()),
                account: Some("<account-1>".into()),
                succeeded,
                failed,
                interrupted: 0,
                other: 0,
            })
            .collect(),
        ..History::default()
    };
    let run = Run { at: now, since, utc_offset_s: OFFSET_S, scope: Scope::History, ..Run::default() };
    Facts { run, history: Observed::known(history, "~/.codex"), ..Facts::default() }
}

fn turns(since: DateTime<Utc>, now: DateTime<Utc>, per_hour: u32) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut chance = Chance(7);
    let mut hour = since;
    while hour < now {
        let local = hour.naive_utc() + TimeDelta::seconds(i64::from(OFFSET_S));
        let weekend = matches!(local.weekday(), Weekday::Sat | Weekday::Sun);
        let count = match (local.hour(), weekend) {
            (0..=7, _) => 0,
            (_, true) => 1,
            (9..=18, false) => per_hour,
            (_, false) => per_hour / 2,
        };
        for number in 0..count {
            let at = hour + TimeDelta::seconds(i64::from(number * 3590 / count) + 5);
            let model = match chance.next() % 10 {
                0..5 => USUAL,
                5..8 => SMALL,
                _ if at > since + TimeDelta::days(14) => NEW,
                _ => USUAL,
            };
            let crowded = (14..17).contains(&local.hour()) && !weekend;
            let refused = match (model, crowded) {
                (SMALL, _) => 1,
                (NEW, true) if at < since + TimeDelta::days(17) => 60,
                (NEW, _) if at < since + TimeDelta::days(17) => 25,
                (_, true) => 20,
                _ if local.hour() < 11 => 0,
                _ => 3,
            };
            turns.push(Turn { at, model, failed: chance.next() % 100 < refused });
        }
        hour += TimeDelta::hours(1);
    }
    turns
}

fn failure(number: usize, turn: &Turn, answered: &BTreeMap<&'static str, Vec<DateTime<Utc>>>) -> FailedTurn {
    let around = |model: &str| {
        let times = answered.get(model).map(Vec::as_slice).unwrap_or_default();
        let after = times.partition_point(|at| *at < turn.at);
        (after.checked_sub(1).map(|before| times[before]), times.get(after).copied())
    };
    let nearest = |model: &str| {
        let (before, after) = around(model);
        let nearest = before.into_iter().chain(after).min_by_key(|at| (*at - turn.at).abs())?;
        ((nearest - turn.at).abs() <= History::NEARBY).then(|| Success {
            model: model.into(),
            provider: Some(PROVIDER.into()),
            at: nearest,
        })
    };
    let (before, after) = around(turn.model);
    let mut others_nearby: Vec<Success> =
        answered.keys().filter(|model| **model != turn.model).filter_map(|model| nearest(model)).collect();
    others_nearby.sort_by_key(|success| (success.at - turn.at).abs());
    let (info, text) = match number % 10 {
        0 => (
            "response_too_many_failed_attempts",
            format!("exceeded retry limit, last status: 429 Too Many Requests, request id: {number:032x}"),
        ),
        _ => ("server_overloaded", "Selected model is at capacity. Please try a different model.".to_owned()),
    };
    FailedTurn {
        at: turn.at,
        thread: Some(format!("01a1ea74-3c07-7380-85e4-{:012x}", number / 12).into()),
        turn: Some(format!("01a1ea7d-7734-7f0c-88cf-{number:012x}").into()),
        model: Some(turn.model.into()),
        provider: Some(PROVIDER.into()),
        originator: Some("codex-tui".into()),
        codex_version: Some("0.171.0".into()),
        project: Some("<project-1>".into()),
        text: Some(text.into()),
        info: Some(info.into()),
        status: (info != "server_overloaded").then_some(429),
        source: "~/.codex/sessions/2026/11/17/rollout-2026-11-17T17-00-48-01a1ea74-3c07-7380-85e4-3ade8d4fab1f.jsonl".into(),
        line: Some(number as u64),
        account: Some("<account-1>".into()),
        same_model_before: before,
        same_model_after: after,
        others_nearby,
        ..FailedTurn::default()
    }
}

/// The same numbers on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

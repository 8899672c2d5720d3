//! Whole machines, each understandable from its one `fixtures/worlds/<name>/world.toml`, against the answer that is true of it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;
#[path = "worlds/live.rs"]
mod live;
#[path = "worlds/machine.rs"]
mod machine;
#[path = "worlds/rollouts.rs"]
mod rollouts;
#[path = "worlds/script.rs"]
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Parser as _;
use codex_triage::cli::{Cli, Global};
use codex_triage::exit;
use codex_triage::i18n::{Language, Texts};
use codex_triage::report::Report;
use codex_triage_checks::kind::Cause;
use codex_triage_checks::verdict::LedgerLine;
use common::fixture;
use machine::Machine;
use script::{Expected, Script};
use serde_json::Value;

/// All worlds, by name.
fn worlds() -> Vec<(String, PathBuf, Script)> {
    let mut worlds: Vec<_> = std::fs::read_dir(fixture("worlds"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(folder.join("world.toml")).unwrap();
            let script = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, folder, script)
        })
        .collect();
    worlds.sort_by(|one, other| one.0.cmp(&other.0));
    worlds
}

/// Where a report differs from what is expected of it, in a few words each. Reads the report as JSON, as any reader would.
fn differences(report: &Value, code: i32, expected: &Expected) -> Vec<String> {
    let verdict = &report["verdict"];
    let mut wrong = Vec::new();
    let mut same = |what: &str, found: &str, wanted: &str| {
        if found != wanted {
            wrong.push(format!("{what} {found}, not {wanted}"));
        }
    };
    same("cause", verdict["cause"].as_str().unwrap_or("-"), &expected.cause);
    if let Some(kind) = &expected.kind {
        same("kind", verdict["kind"].as_str().unwrap_or("-"), kind);
    }
    same("exit", &code.to_string(), &expected.exit.to_string());
    if let Some(settle) = &expected.settle {
        same("settle", verdict["settle"]["id"].as_str().unwrap_or("-"), settle);
    }
    let candidates: BTreeSet<&str> = texts(&verdict["candidates"], Some("cause"));
    let wanted: BTreeSet<&str> = expected.candidates.iter().map(String::as_str).collect();
    if candidates != wanted {
        wrong.push(format!("candidates {candidates:?}, not {wanted:?}"));
    }
    let fixes = texts(&report["fixes"], Some("id"));
    for (what, there, wanted) in [
        ("advice", &fixes, &expected.advice),
        ("contributing", &texts(&verdict["contributing"], None), &expected.contributing),
        ("also", &texts(&verdict["also"], None), &expected.also),
    ] {
        let missing: Vec<&String> = wanted.iter().filter(|one| !there.contains(one.as_str())).collect();
        if !missing.is_empty() {
            wrong.push(format!("{what} lacks {missing:?}, has {there:?}"));
        }
    }
    let mut commands = texts(&report["fixes"], Some("command"));
    commands.extend(verdict["settle"]["command"].as_str());
    for unwanted in &expected.no_command_with {
        wrong
            .extend(commands.iter().find(|command| command.contains(unwanted.as_str())).map(|one| format!("tells to paste {one}")));
    }
    let unwanted: Vec<&String> = expected.no_advice.iter().filter(|one| fixes.contains(one.as_str())).collect();
    if !unwanted.is_empty() {
        wrong.push(format!("advice has {unwanted:?}"));
    }
    wrong
}

/// The strings of a list, or of one field of its entries.
fn texts<'a>(list: &'a Value, field: Option<&str>) -> BTreeSet<&'a str> {
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    entries.iter().filter_map(|entry| field.map_or(entry, |field| &entry[field]).as_str()).collect()
}

/// The best lines of the sum, for whoever has to find out why a world fails.
fn sums(ledger: &[LedgerLine]) -> String {
    let line = |line: &LedgerLine| {
        let terms: Vec<String> =
            line.terms.iter().filter(|term| term.counted).map(|term| format!("{} {:+}", term.code, term.decibans)).collect();
        format!("    {} {} = {:+} {}", line.kind, line.score, line.prior, terms.join(" "))
    };
    ledger.iter().take(4).map(line).collect::<Vec<_>>().join("\n")
}

/// What differs from its expectation, with the sum; nothing when a world is judged rightly.
fn judged(name: &str, folder: &Path, script: &Script, global: &Global) -> Option<String> {
    let machine = Machine::build(script, folder, script.moment);
    let (facts, redactions) = machine.facts();
    let report = Report::of(facts, redactions, &Texts::new(Language::En, script.moment, script.utc_offset_s));
    let code = exit::code(&report, global);
    let differences = differences(&serde_json::to_value(&report).unwrap(), code.into(), &script.expected);
    let why = &script.expected.why;
    (!differences.is_empty())
        .then(|| format!("{name}: {}\n    because {why}\n{}", differences.join("; "), sums(&report.verdict.ledger)))
}

/// One after the other: one test measures time, and the other starts servers and programs.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn each_world_has_the_answer_that_is_true_of_it() {
    let _alone = ALONE.lock();
    let global = Cli::parse_from(["codex-triage"]).global;
    let worlds = worlds();
    let (begun, computed) = (Instant::now(), computing_time());
    let wrong: Vec<String> = worlds.iter().filter_map(|(name, folder, script)| judged(name, folder, script, &global)).collect();
    let waited = begun.elapsed();
    assert!(wrong.is_empty(), "{} of {} worlds are wrong:\n{}", wrong.len(), worlds.len(), wrong.join("\n"));
    // A machine that is busy with something else says nothing of our speed.
    let took = computed.zip(computing_time()).map_or(waited, |(before, after)| after - before);
    assert!(took < LIMIT && waited < 6 * LIMIT, "{} worlds took {took:?} of computing in {waited:?}", worlds.len());
}

/// For all worlds without a server, in a debug build.
const LIMIT: Duration = Duration::from_secs(5);

/// The processor time of this process so far, where the system tells it in ticks of 10 ms (Linux).
fn computing_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = stat.rsplit(") ").next()?;
    let ticks = after_name.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    Some(Duration::from_millis(10 * ticks))
}

#[test]
fn every_cause_has_its_worlds_and_many_of_them_mislead() {
    let worlds = worlds();
    assert!(worlds.len() >= 44, "{}", worlds.len());
    let mut by_cause: BTreeMap<&str, usize> = BTreeMap::new();
    for (.., script) in &worlds {
        *by_cause.entry(&script.expected.cause).or_default() += 1;
    }
    let outcomes = Cause::HYPOTHESES.into_iter().chain([Cause::Healthy, Cause::Undetermined]);
    for cause in outcomes {
        let count = by_cause.get(cause.name()).copied().unwrap_or(0);
        assert!(count >= 5, "{}: {count} worlds", cause.name());
    }
    let misleading = worlds.iter().filter(|(.., script)| script.misleading).count();
    assert!(misleading >= 20, "{misleading}");
    let live = worlds.iter().filter(|(.., script)| script.live.is_some()).count();
    assert!(live >= 15 && live * 3 >= worlds.len(), "{live} of {} are live too", worlds.len());
    for (name, _, script) in &worlds {
        assert!(script.about.len() > 40 && script.expected.why.len() > 20, "{name} explains nothing");
        assert_eq!(script.misleading, script.misled_by.is_some(), "{name}: `misleading` goes with `misled_by`");
        let open = script.expected.cause == "undetermined";
        assert_eq!(open, script.expected.settle.is_some(), "{name}: what is open has a `settle`, and nothing else has");
    }
}

#[test]
fn the_same_answer_comes_from_real_servers() {
    let _alone = ALONE.lock();
    let wrong: Vec<String> = worlds().iter().filter_map(|(name, folder, script)| live::compare(name, folder, script)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

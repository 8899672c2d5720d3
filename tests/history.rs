//! The report of `history`, on a made-up month.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

#[path = "common/month.rs"]
mod month;

use std::time::Duration;

use codex_triage::i18n::{Language, Texts};
use codex_triage::replay;
use codex_triage::report::paint::Paint;
use codex_triage::report::{Report, json, terminal};
use codex_triage_checks::facts::Facts;
use codex_triage_checks::facts::history::{FailedTurn, History, Tally, Unread};
use unicode_width::UnicodeWidthStr;

fn texts(facts: &Facts, language: Language) -> Texts {
    Texts::new(language, facts.run.at, facts.run.utc_offset_s)
}

fn page(facts: &Facts, language: Language, width: usize, paint: Paint) -> String {
    shown(facts, language, width, paint, false)
}

fn shown(facts: &Facts, language: Language, width: usize, paint: Paint, quiet: bool) -> String {
    let texts = texts(facts, language);
    let report = Report::of(facts.clone(), Vec::new(), &texts);
    let elapsed = Duration::from_millis(90);
    terminal::write(
        &report,
        &texts,
        terminal::View { paint, width, on_screen: true, quiet, verbose: false, effective: false, elapsed },
    )
}

const PLAIN: Paint = Paint { color: false, ascii: false };

#[test]
fn the_page_fits_every_width_and_one_screen() {
    let facts = month::facts(6);
    for language in [Language::En, Language::Zh] {
        for width in [100, 80, 66, 60, 50, 40] {
            let page = page(&facts, language, width, PLAIN);
            for line in page.lines() {
                assert!(line.width() <= width, "{width}: {line}");
                let torn = line.ends_with("-11-") || line.ends_with("2026-") || line.trim_start().starts_with('%');
                assert!(!torn, "a date or a share is torn at {width}: {line}");
            }
            assert!(width < 80 || page.lines().count() <= 45, "{} lines at {width}:\n{page}", page.lines().count());
        }
    }
}

#[test]
fn shapes_tell_what_colours_tell() {
    let facts = month::facts(6);
    let coloured = page(&facts, Language::En, 80, Paint { color: true, ascii: false });
    let stripped = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&coloured, "").into_owned();
    assert_eq!(stripped, page(&facts, Language::En, 80, PLAIN));
    let ascii = page(&facts, Language::En, 80, Paint { color: false, ascii: true });
    assert!(ascii.is_ascii(), "{ascii}");
    assert!(ascii.contains("**") && ascii.contains(".."), "{ascii}");
}

#[test]
fn the_month_is_told_as_it_was_made() {
    let page = page(&month::facts(6), Language::En, 100, PLAIN);
    for wanted in [
        "Crowded from 14:00 to 17:00",
        "Quiet from 08:00 to",
        "another one answered within 15 minutes",
        "gpt-6.2-sol, used since",
        "hours of the day have too few turns to say",
        "comes and goes",
    ] {
        assert!(page.contains(wanted), "{wanted}:\n{page}");
    }
}

#[test]
fn every_failure_stands_once_and_a_replay_is_byte_equal() {
    let mut facts = month::facts(40);
    let history = facts.history.value().unwrap();
    let (failed, tallied) = (history.failed_turns, history.tallies.iter().map(|tally| tally.failed).sum::<u64>());
    assert!(failed > 2 * History::KEPT as u64 && failed == tallied);
    if let codex_triage_checks::facts::Fact::Known { value } = &mut facts.history.fact {
        // Two of the same moment, of which one was ended from outside.
        let turn = Some("01a1ea7d-7734-7f0c-88cf-ffffffffffff".into());
        let escaped = FailedTurn { turn, interrupted: true, text: None, info: None, status: None, ..value.failures[3].clone() };
        value.failures.insert(3, escaped);
    }
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.json"), folder.path().join("second.json"));
    let words = texts(&facts, Language::En);
    json::write(&Report::of(facts, Vec::new(), &words), Some(&first)).unwrap();
    let saved = replay::read(&first, Duration::from_secs(60)).unwrap();
    let words = texts(&saved.facts, saved.language);
    json::write(&Report::of(saved.facts, saved.redactions, &words), Some(&second)).unwrap();
    let text = std::fs::read_to_string(&first).unwrap();
    assert!(text == std::fs::read_to_string(&second).unwrap(), "a replay differs");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = report["history"]["events"].as_array().unwrap();
    assert_eq!((events.len() as u64, report["history"]["interruptions"].as_array().unwrap().len()), (failed, 1));
    assert_eq!(report["facts"]["history"]["value"]["failures"].as_array().unwrap().len(), History::KEPT);
    let last = events.last().unwrap()["turn"].as_str().unwrap();
    assert_eq!(text.matches(last).count(), 1, "an old failure stands in one place");
    let by_kind = report["history"]["by_kind"].as_array().unwrap();
    assert_eq!(by_kind.iter().map(|kind| kind["count"].as_u64().unwrap()).sum::<u64>(), failed);
}

/// The facts of the month with another history.
fn with_history(change: impl FnOnce(&mut History)) -> Facts {
    let mut facts = month::facts(6);
    if let codex_triage_checks::facts::Fact::Known { value } = &mut facts.history.fact {
        change(value);
    }
    facts
}

#[test]
fn what_ended_with_neither_answer_nor_error_is_not_told_as_answered() {
    let facts = with_history(|history| {
        let tally = Tally { succeeded: 0, failed: 0, interrupted: 2, other: 1, ..history.tallies[0].clone() };
        *history = History { turns: 3, interrupted_turns: 2, tallies: vec![tally], ..History::default() };
    });
    for quiet in [false, true] {
        let page = shown(&facts, Language::En, 100, PLAIN, quiet);
        assert!(page.contains("3 turns, none was answered and none failed"), "{page}");
        assert!(quiet || page.contains("0 were answered, 2 were ended from outside, one came to neither"), "{page}");
        let page = shown(&facts, Language::Zh, 100, PLAIN, quiet);
        assert!(page.contains("3 轮请求，既没有得到回答的，也没有失败的"), "{page}");
    }
}

#[test]
fn where_only_the_newest_failures_are_kept_the_page_and_the_report_say_so() {
    let facts = with_history(|history| history.failures.truncate(30));
    let page = page(&facts, Language::En, 100, PLAIN);
    for wanted in ["of the newest 30 failures", "at least", "--json has the newest 30 events"] {
        assert!(page.contains(wanted), "{wanted}:\n{page}");
    }
    let oldest = facts.history.value().unwrap().failures[29].at;
    let report = Report::of(facts.clone(), Vec::new(), &texts(&facts, Language::En));
    assert_eq!(report.history.unwrap().events_since, Some(oldest));
}

#[test]
fn a_name_with_a_line_break_stays_on_its_line() {
    let facts = with_history(|history| {
        let evil = || Some("gpt\n  HISTORY\u{1b}[2J".into());
        history.tallies.iter_mut().for_each(|tally| tally.model = evil());
        history.failures.iter_mut().for_each(|turn| turn.model = evil());
    });
    let page = page(&facts, Language::En, 100, PLAIN);
    assert!(!page.lines().any(|line| line.starts_with("  HISTORY\\u")), "{page}");
    assert!(page.contains("gpt\\u{a}"), "{page}");
}

#[test]
fn what_was_not_read_is_told_by_the_quiet_line_too() {
    let unread = Unread { file: "a.jsonl".to_owned(), why: "permission denied".to_owned() };
    let facts = with_history(|history| (history.unread, history.not_reached) = (vec![unread], 2));
    let page = shown(&facts, Language::En, 100, PLAIN, true);
    assert!(page.contains(", 3 files not read"), "{page}");
}

#[test]
fn one_is_told_as_one() {
    let facts = with_history(|history| {
        let tally = Tally { succeeded: 1, failed: 0, interrupted: 1, other: 0, ..history.tallies[0].clone() };
        *history = History { turns: 2, interrupted_turns: 1, tallies: vec![tally], ..History::default() };
    });
    let page = page(&facts, Language::En, 100, PLAIN);
    assert!(page.contains("the only turn did not fail"), "{page}");
    assert!(page.contains("One was answered, one was ended from outside."), "{page}");
}

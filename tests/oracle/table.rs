//! The numbers, and what they must at least be.
#![allow(clippy::disallowed_macros, clippy::print_stdout, reason = "the numbers are what this test is for")]

use std::time::Duration;

use codex_triage_lab::{Mode, Truth};

use crate::ALLOW_COST_EXISTS;
use crate::judge::{Answer, Grade, Judged};

fn of<'a>(judged: &'a [Judged], version: &'a str, mode: Mode) -> impl Iterator<Item = (&'a Judged, &'a Answer)> {
    let of_version = judged.iter().filter(move |one| one.version == version);
    of_version.flat_map(move |one| one.answers.iter().filter(move |answer| answer.mode == mode).map(move |answer| (one, answer)))
}

fn count(judged: &[Judged], version: &str, mode: Mode, grade: Grade) -> usize {
    of(judged, version, mode).filter(|(_, answer)| answer.grade == grade).count()
}

/// Prints counts, then every answer that is wrong or not what the scenario file expects.
pub(crate) fn print(judged: &[Judged], versions: &[&str], took: Duration) {
    println!("\n{:<8} {:<5} {:>6} {:>13} {:>6} {:>9}", "Codex", "from", "right", "undetermined", "wrong", "% right");
    for version in versions {
        for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Cost || ALLOW_COST_EXISTS) {
            let [right, undetermined, wrong] =
                [Grade::Right, Grade::Undetermined, Grade::Wrong].map(|grade| count(judged, version, mode, grade));
            let share = percent(right, right + undetermined + wrong);
            println!("{version:<8} {:<5} {right:>6} {undetermined:>13} {wrong:>6} {share:>9.1}", mode.name());
        }
    }
    for one in judged {
        for answer in &one.answers {
            let surprise = match answer.grade {
                Grade::Wrong => "WRONG",
                _ if answer.cause == answer.expected || answer.grade == Grade::Right && answer.expected != "undetermined" => {
                    continue;
                }
                Grade::Undetermined => "short",
                Grade::Right => "beyond",
            };
            println!(
                "{surprise} {}@{} {}: {} (true: {:?}, expected: {}) {}\n      said: {:.200}",
                one.id,
                one.version,
                answer.mode.name(),
                answer.cause,
                one.truth,
                answer.expected,
                answer.details,
                one.said
            );
        }
        if one.truth == Truth::Ok && one.exit == 0 {
            for answer in one.answers.iter().filter(|answer| answer.mode != Mode::Text) {
                if answer.cause != "healthy" || one.all_good && !answer.warnings.is_empty() {
                    println!(
                        "NOT HEALTHY {}@{} {}: {} warnings {:?} {}",
                        one.id,
                        one.version,
                        answer.mode.name(),
                        answer.cause,
                        answer.warnings,
                        answer.details
                    );
                }
            }
        }
    }
    let sum = |part: fn(&Judged) -> Duration| judged.iter().map(part).sum::<Duration>().as_secs();
    println!(
        "{} runs of Codex in {} s (Codex {} s, codex-triage {} s, side by side)",
        judged.len(),
        took.as_secs(),
        sum(|one| one.codex_took),
        sum(|one| one.triage_took)
    );
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Least share of right answers, in percent.
fn floor(version: &str, mode: Mode) -> f64 {
    match (mode, version) {
        (Mode::Cost, _) => 97.0,
        (Mode::Live, "0.171.0") => 70.0,
        (Mode::Live, "0.142.5") => 60.0,
        _ => 0.0,
    }
}

/// No wrong answer at all, a way out of every open one, enough right ones, nothing to say where all is well.
pub(crate) fn assert_good_enough(judged: &[Judged], versions: &[&str]) {
    let mut problems = Vec::new();
    for version in versions {
        for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Cost || ALLOW_COST_EXISTS) {
            for (one, answer) in of(judged, version, mode).filter(|(_, answer)| answer.grade == Grade::Wrong) {
                problems.push(format!("{}@{version} from {}: {} instead of {:?}", one.id, mode.name(), answer.cause, one.truth));
            }
            for (one, _) in of(judged, version, mode).filter(|(_, answer)| answer.grade == Grade::Undetermined && !answer.settles) {
                problems.push(format!("{}@{version} from {}: undetermined, and nothing said to settle it", one.id, mode.name()));
            }
            let (right, all) = (count(judged, version, mode, Grade::Right), of(judged, version, mode).count());
            // A few scenarios, picked by hand, say nothing about a share.
            if all >= 30 && percent(right, all) < floor(version, mode) {
                problems.push(format!(
                    "{version} from {}: {:.1} % right, wanted {}",
                    mode.name(),
                    percent(right, all),
                    floor(version, mode)
                ));
            }
        }
    }
    for one in judged.iter().filter(|one| one.truth == Truth::Ok && one.exit == 0) {
        for answer in one.answers.iter().filter(|answer| answer.mode != Mode::Text) {
            if one.all_good && (answer.cause != "healthy" || !answer.warnings.is_empty()) {
                problems.push(format!("{}@{} from {}: not healthy, or with warnings", one.id, one.version, answer.mode.name()));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

//! Accuracy on public reports: what people pasted, with the class that turned out to be true.

mod common;

use std::collections::BTreeMap;

use codex_triage_checks::kind::Cause;

use common::{cause, causes, endpoint_of, facts, reports, shown, triage};

/// Below this share of right answers on clear reports the test fails.
const RIGHT_AT_LEAST: f64 = 0.97;

#[test]
#[allow(clippy::disallowed_macros, clippy::print_stdout, reason = "the numbers are what this test is for")]
fn accuracy_on_reports_does_not_fall() {
    let (mut clear, mut right, mut bad) = (0, 0, Vec::new());
    let mut confusion: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for report in reports() {
        let facts = facts(&report.input, endpoint_of(report.config_toml.as_deref()));
        let (findings, verdict) = triage(&facts);
        let mut allowed = causes(&report.also_right);
        allowed.extend(causes(&report.plausible));
        let is_clear = report.truth != "ambiguous";
        if is_clear {
            allowed.push(cause(&report.truth));
            clear += 1;
            *confusion.entry((cause(&report.truth).name(), verdict.cause.name())).or_default() += 1;
        }
        let forbidden: Vec<Cause> = causes(&report.must_not).into_iter().filter(|cause| !allowed.contains(cause)).collect();
        let fits = allowed.contains(&verdict.cause);
        if forbidden.contains(&verdict.cause) {
            bad.push(format!("{} must not be: {}", report.id, shown(&findings, &verdict)));
        } else if !is_clear && !fits && verdict.cause != Cause::Undetermined {
            bad.push(format!("{} is implausible: {}", report.id, shown(&findings, &verdict)));
        }
        if is_clear && fits {
            right += 1;
        } else if is_clear || !fits && verdict.cause != Cause::Undetermined {
            println!("{} is {}: {}\n    {:?}", report.id, report.truth, shown(&findings, &verdict), report.input);
        }
    }
    println!("right on clear reports: {right} of {clear}");
    for ((truth, answer), count) in &confusion {
        println!("  {truth:>10} -> {answer:<13} {count}");
    }
    println!("{}", bad.join("\n"));
    assert!(bad.is_empty());
    assert!(f64::from(right) / f64::from(clear) >= RIGHT_AT_LEAST);
}

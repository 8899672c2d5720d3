//! From verdict and findings to the fix table. A row appears only if a finding calls for it: by id, or by speaking for the verdict.
//!
//! The table is for somebody in a hurry: what mends the verdict comes first, what another fault calls for comes after it and not
//! before `soon`, and no horizon holds more than [`STEPS`] steps.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::finding::{Args, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::advice::{self, Row};
use crate::verdict::{Verdict, weight_on};

mod values;

pub use values::{NAMES as VALUES, Values, filled};

/// When a piece of advice helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Horizon {
    /// In the next minutes.
    Now,
    /// This week.
    Soon,
    /// For good.
    Lasting,
}

/// One row of the fix table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fix {
    /// The row's id in the catalogue.
    pub id: String,
    /// When it helps.
    pub horizon: Horizon,
    /// The id of its message.
    pub message_id: String,
    /// The message's arguments.
    pub args: Args,
    /// The text in the report's language; filled in by the reporter.
    pub title: String,
    /// Whether it puts a belief right ("this does not help") instead of naming a step.
    pub correction: bool,
    /// A command to paste.
    pub command: Option<String>,
    /// A line for config.toml.
    pub edit: Option<String>,
    /// Whether following it can switch nothing on and lose nothing.
    pub safe: bool,
    /// Codes of the findings that it follows from.
    pub because: Vec<String>,
}

/// How many steps a horizon may hold.
pub const STEPS: usize = 3;
/// How many beliefs are put right at most.
pub const CORRECTIONS: usize = 2;
/// Above this many rows, a later horizon gives up its last step.
const ROWS: usize = 9;

/// From this weight on, a fault stops every request of Codex.
const CERTAIN: i16 = 25;

/// How a row came into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// It mends what the verdict names.
    Verdict,
    /// It mends a fault beside the verdict that stops the next request all the same.
    Next,
    /// A finding beside the verdict calls for it.
    Beside,
}

/// The fix table for a verdict: by horizon, steps before corrections, then by the catalogue's order.
pub fn fixes(facts: &Facts, findings: &[Finding], verdict: &Verdict) -> Vec<Fix> {
    let values = Values::of(facts, verdict.subject.as_ref());
    let rows = table(findings, verdict, &values);
    rows.into_iter().map(|(horizon, row, because)| fix(row, horizon, because, facts, findings, &values)).collect()
}

/// The rows that are shown, in order, with their horizon and the findings that they follow from.
fn table(findings: &[Finding], verdict: &Verdict, values: &Values) -> Vec<(Horizon, &'static Row, Vec<String>)> {
    let mut rows: Vec<_> = advice::rows()
        .iter()
        .filter_map(|row| {
            let (call, because) = call(row, findings, verdict, values)?;
            // Among corrections, one that a finding calls for by name comes first.
            let later = match call {
                Call::Next => 0,
                Call::Verdict => 1 + u8::from(row.correction),
                Call::Beside => 2 - u8::from(row.correction),
            };
            Some(((horizon(row, call), row.correction, later, row.order), row, because))
        })
        .collect();
    rows.sort_by(|(one, one_row, _), (other, other_row, _)| (one, &one_row.id).cmp(&(other, &other_row.id)));
    let mut held: BTreeMap<(Horizon, bool), usize> = BTreeMap::new();
    rows.retain(|((horizon, correction, ..), ..)| {
        let held = held.entry((*horizon, *correction)).or_default();
        *held += 1;
        *held <= if *correction { CORRECTIONS } else { STEPS }
    });
    let mut table: Vec<_> = rows.into_iter().map(|((horizon, ..), row, because)| (horizon, row, because)).collect();
    for late in [Horizon::Lasting, Horizon::Soon] {
        let places: Vec<usize> = (0..table.len()).filter(|place| table[*place].0 == late).collect();
        if let (true, STEPS, Some(last)) = (table.len() > ROWS, places.len(), places.last()) {
            table.remove(*last);
        }
    }
    table
}

/// A fault that did not stop the request can wait; a belief is put right at once.
fn horizon(row: &Row, call: Call) -> Horizon {
    match call {
        Call::Beside | Call::Next if !row.correction => row.horizon.max(Horizon::Soon),
        Call::Verdict | Call::Beside | Call::Next => row.horizon,
    }
}

/// How `row` comes into the table and by which findings, or nothing.
fn call(row: &Row, findings: &[Finding], verdict: &Verdict, values: &Values) -> Option<(Call, Vec<String>)> {
    if findings.iter().any(|finding| row.unless.iter().any(|pattern| fits(pattern, &finding.code))) {
        return None;
    }
    let by_id: BTreeSet<&String> =
        findings.iter().filter(|finding| finding.advice.contains(&row.id)).map(|finding| &finding.code).collect();
    let decided = verdict.kind.is_some() || !verdict.candidates.is_empty();
    let called = |code: &String| !decided || verdict.because.contains(code);
    if !by_id.is_empty() && row.needs.iter().all(|name| values.has(name)) {
        let of_verdict = is_for(row, verdict) || by_id.iter().any(|code| called(code));
        let of_next = || next_faults(findings, verdict).any(|fault| by_id.contains(&fault.code));
        let call = match of_verdict {
            true => Call::Verdict,
            false if of_next() => Call::Next,
            false => Call::Beside,
        };
        return Some((call, by_id.into_iter().cloned().collect()));
    }
    if !is_known(row, values) {
        return None;
    }
    if !is_for(row, verdict) {
        let next: Vec<String> =
            next_faults(findings, verdict).filter(|fault| mends(row, fault, values)).map(|fault| fault.code.clone()).collect();
        return (!next.is_empty()).then_some((Call::Next, next));
    }
    let because: Vec<String> = if row.when.is_empty() {
        verdict.because.clone()
    } else {
        let wanted = |code: &&String| row.when.iter().any(|pattern| fits(pattern, code));
        let codes: BTreeSet<&String> = findings.iter().map(|finding| &finding.code).filter(wanted).collect();
        codes.into_iter().cloned().collect()
    };
    (!because.is_empty()).then_some((Call::Verdict, because))
}

fn is_known(row: &Row, values: &Values) -> bool {
    row.needs.iter().all(|name| values.has(name)) && !row.lacks.iter().any(|name| values.has(name))
}

/// Faults beside the verdict that are certain to stop the next request.
fn next_faults<'a>(findings: &'a [Finding], verdict: &'a Verdict) -> impl Iterator<Item = &'a Finding> {
    let beside = |code: &String| verdict.contributing.contains(code) || verdict.also.contains(code);
    let certain = |finding: &Finding| finding.severity == Severity::Error && certain_kind(finding).is_some();
    findings.iter().filter(move |finding| verdict.kind.is_some() && beside(&finding.code) && certain(finding))
}

/// The kind of a fault that stops every request.
fn certain_kind(fault: &Finding) -> Option<Kind> {
    let strongest = Kind::ALL.iter().max_by_key(|kind| (weight_on(fault, **kind), std::cmp::Reverse(**kind)));
    strongest.copied().filter(|kind| weight_on(fault, *kind) >= CERTAIN)
}

/// Whether `row` is the first thing to do against `fault` alone.
fn mends(row: &Row, fault: &Finding, values: &Values) -> bool {
    let Some(kind) = certain_kind(fault) else { return false };
    let fits = |row: &&Row| {
        !row.correction && row.when.is_empty() && row.targets.iter().any(|name| name == kind.name()) && is_known(row, values)
    };
    let first = advice::rows().iter().filter(fits).min_by_key(|row| (row.horizon, row.order));
    first.is_some_and(|first| first.id == row.id)
}

/// Whether the row is for the verdict's kind. Where two causes are open, only what fits both is harmless to advise.
fn is_for(row: &Row, verdict: &Verdict) -> bool {
    let open: Vec<Kind> = match verdict.kind {
        Some(kind) => vec![kind],
        None => verdict.candidates.iter().map(|candidate| candidate.kind).collect(),
    };
    let meant = |kind: &Kind| row.targets.iter().filter_map(|name| Target::parse(name)).any(|target| target.covers(*kind));
    !open.is_empty() && open.iter().all(meant)
}

/// Whether `code` fits `pattern`, in which `*` stands for anything.
pub fn fits(pattern: &str, code: &str) -> bool {
    let Some((beginning, mut pattern)) = pattern.split_once('*') else { return pattern == code };
    let Some(mut code) = code.strip_prefix(beginning) else { return false };
    while let Some((part, after)) = pattern.split_once('*') {
        let Some(place) = code.find(part) else { return false };
        code = &code[place + part.len()..];
        pattern = after;
    }
    code.ends_with(pattern)
}

fn fix(row: &Row, horizon: Horizon, because: Vec<String>, facts: &Facts, findings: &[Finding], values: &Values) -> Fix {
    let mut args: Args = values.args();
    // What the findings behind it say (a key, a file) may stand in its text, but not in the place of what the row was chosen for.
    for finding in findings.iter().filter(|finding| because.contains(&finding.code)) {
        let free = finding.args.iter().filter(|(name, _)| !row.needs.contains(name));
        args.extend(free.map(|(name, value)| (name.clone(), value.clone())));
    }
    Fix {
        id: row.id.clone(),
        horizon,
        message_id: format!("advice-{}", row.id),
        args,
        title: String::new(),
        correction: row.correction,
        command: row.template(facts.run.platform).and_then(|template| values.fill(template)),
        edit: row.edit().map(str::to_owned),
        safe: row.safe,
        because,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::weigh;
    use proptest::prelude::*;

    fn finding(code: &str, kind: Option<Kind>, advice: &[&str]) -> Finding {
        let mut finding = Finding::plain("test", code, Severity::Error);
        if let Some(kind) = kind {
            finding = finding.weighs(Target::Kind(kind), 40);
        }
        advice.iter().fold(finding, |finding, id| finding.advises(id))
    }

    fn ids(facts: &Facts, findings: &[Finding]) -> Vec<(Horizon, String)> {
        let verdict = weigh(facts, findings);
        fixes(facts, findings, &verdict).into_iter().map(|fix| (fix.horizon, fix.id)).collect()
    }

    fn shown(findings: &[Finding], values: &Values) -> Vec<&'static str> {
        let verdict = weigh(&Facts::default(), findings);
        table(findings, &verdict, values).into_iter().map(|(_, row, _)| row.id.as_str()).collect()
    }

    /// A code that fits `pattern`.
    fn code_of(pattern: &str) -> String {
        pattern.replace('*', "x")
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("limits.reached", "limits.reached"));
        assert!(!fits("limits.reached", "limits.reached-soon"));
        assert!(fits("errors.*", "errors.server-overloaded"));
        assert!(fits("*reserved*", "provider.reserved-id"));
        assert!(fits("errors.*organi*", "errors.other-organisation"));
        assert!(!fits("errors.*organi*", "identity.organisation"));
        assert!(!fits("a*b*b", "ab"));
    }

    #[test]
    fn nothing_wrong_needs_no_advice() {
        assert!(ids(&Facts::default(), &[]).is_empty());
        assert!(ids(&Facts::default(), &[Finding::plain("test", "dns.ok", Severity::Ok)]).is_empty());
    }

    #[test]
    fn overload_gets_switch_wait_and_a_smaller_session_now_and_what_does_not_help() {
        let findings = [finding("errors.server-overloaded", Some(Kind::OverloadModel), &[])];
        let ids = ids(&Facts::default(), &findings);
        let of = |horizon: Horizon| -> Vec<&str> {
            ids.iter().filter(|(other, _)| *other == horizon).map(|(_, id)| id.as_str()).collect()
        };
        assert_eq!(of(Horizon::Now), ["switch-model-listed", "wait", "new-session", "no-upgrade", "no-reinstall"]);
        assert_eq!(of(Horizon::Soon), ["spare-in-script", "quiet-hours"]);
        assert_eq!(of(Horizon::Lasting), ["spare-provider", "own-pool"]);
    }

    #[test]
    fn a_reached_limit_forbids_to_say_that_upgrading_is_in_vain() {
        let findings = [finding("errors.server-overloaded", Some(Kind::OverloadModel), &[]), finding("limits.reached", None, &[])];
        assert!(ids(&Facts::default(), &findings).iter().all(|(_, id)| id != "no-upgrade"));
    }

    #[test]
    fn a_fault_beside_the_verdict_can_wait_but_a_belief_is_put_right_at_once() {
        let findings = [
            finding("errors.server-overloaded", Some(Kind::OverloadModel), &[]),
            finding("config.unknown-key", None, &["no-model-fallback"]),
            finding("clock.off", None, &["sync-clock"]),
        ];
        let ids = ids(&Facts::default(), &findings);
        assert!(ids.contains(&(Horizon::Now, "no-model-fallback".to_owned())));
        assert!(!ids.contains(&(Horizon::Now, "sync-clock".to_owned())));
        let alone = [finding("clock.off", None, &["sync-clock"])];
        assert_eq!(self::ids(&Facts::default(), &alone), [(Horizon::Now, "sync-clock".to_owned())]);
    }

    #[test]
    fn while_two_causes_are_open_only_what_fits_both_is_advised() {
        let kinds = [Kind::OverloadModel, Kind::QuotaUsageLimit];
        let findings = kinds.map(|kind| finding(&format!("test.{kind}"), Some(kind), &[]));
        let verdict = weigh(&Facts::default(), &findings);
        assert_eq!(verdict.kind, None);
        for fix in fixes(&Facts::default(), &findings, &verdict) {
            let row = advice::row(&fix.id).unwrap();
            for kind in kinds {
                assert!(row.targets.iter().any(|target| Target::parse(target).unwrap().covers(kind)), "{}", fix.id);
            }
        }
    }

    #[test]
    fn every_row_shows_where_its_condition_holds() {
        for row in advice::rows() {
            let code = row.when.first().map_or_else(|| "test.x".to_owned(), |pattern| code_of(pattern));
            let values = Values::of_names(&row.needs);
            let kinds: Vec<Kind> = Kind::ALL
                .iter()
                .copied()
                .filter(|kind| row.targets.iter().any(|t| Target::parse(t).unwrap().covers(*kind)))
                .collect();
            let by_kind = kinds.iter().any(|kind| shown(&[finding(&code, Some(*kind), &[])], &values).contains(&row.id.as_str()));
            let by_id = shown(&[finding("test.x", None, &[&row.id])], &values).contains(&row.id.as_str());
            assert!(by_kind || kinds.is_empty(), "{} is always pushed out", row.id);
            assert!(by_id, "{} cannot be called for", row.id);
        }
    }

    #[test]
    fn every_kind_has_something_to_do_now() {
        for kind in Kind::ALL {
            let findings = [finding("test.x", Some(*kind), &[])];
            let verdict = weigh(&Facts::default(), &findings);
            let now = fixes(&Facts::default(), &findings, &verdict)
                .into_iter()
                .filter(|fix| fix.horizon == Horizon::Now && !fix.correction);
            assert!(now.count() >= 1, "{kind}");
        }
    }

    fn any_finding() -> impl Strategy<Value = Finding> {
        let patterns: Vec<String> = advice::rows().iter().flat_map(|row| row.when.iter().chain(&row.unless)).cloned().collect();
        let code = prop_oneof![prop::sample::select(patterns).prop_map(|pattern| code_of(&pattern)), "[a-z]{2,6}\\.[a-z]{2,6}"];
        let ids: Vec<&str> = advice::rows().iter().map(|row| row.id.as_str()).chain(["no-such-row"]).collect();
        let called = prop::collection::vec(prop::sample::select(ids), 0..3);
        let weights = prop::collection::vec((prop::sample::select(Kind::ALL.to_vec()), -30i16..45), 0..3);
        (code, called, weights).prop_map(|(code, called, weights)| {
            let finding = finding(&code, None, &called);
            weights.into_iter().fold(finding, |finding, (kind, decibans)| finding.weighs(Target::Kind(kind), decibans))
        })
    }

    proptest! {
        #[test]
        fn every_row_follows_from_a_finding_and_the_table_stays_short(
            findings in prop::collection::vec(any_finding(), 0..8),
            known in prop::sample::subsequence(VALUES.to_vec(), 0..VALUES.len()),
        ) {
            let verdict = weigh(&Facts::default(), &findings);
            let names: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
            let rows = table(&findings, &verdict, &Values::of_names(&names));
            for (_, row, because) in &rows {
                prop_assert!(!because.is_empty(), "{} follows from nothing", row.id);
                prop_assert!(because.iter().all(|code| findings.iter().any(|finding| finding.code == *code)), "{}", row.id);
                prop_assert!(row.needs.iter().all(|name| names.contains(name)), "{}", row.id);
            }
            for horizon in [Horizon::Now, Horizon::Soon, Horizon::Lasting] {
                let steps = rows.iter().filter(|(other, row, _)| *other == horizon && !row.correction).count();
                prop_assert!(steps <= STEPS);
            }
            prop_assert!(rows.iter().filter(|(_, row, _)| row.correction).count() <= CORRECTIONS);
            prop_assert!(rows.len() <= ROWS);
        }
    }

    /// Not a test of anything: shows the table of each kind to whoever edits the catalogue.
    #[test]
    #[ignore = "for the eye"]
    #[allow(clippy::disallowed_macros, clippy::print_stdout, reason = "for the eye")]
    fn the_tables() {
        let all: Vec<String> = VALUES.iter().map(|name| (*name).to_owned()).collect();
        for kind in Kind::ALL {
            let findings = [finding("test.x", Some(*kind), &[])];
            println!("{kind}\n  {:?}\n  {:?}", shown(&findings, &Values::of_names(&[])), shown(&findings, &Values::of_names(&all)));
        }
    }
}

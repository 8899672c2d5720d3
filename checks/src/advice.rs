//! From verdict and findings to the fix table. A row appears only if a finding calls for it: by id, or by speaking for the verdict.
//!
//! The table is for somebody in a hurry: what mends the verdict comes first, what another fault calls for comes after it and not
//! before `soon`, and no horizon holds more than [`STEPS`] steps.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::finding::{Args, Finding};
use crate::kind::{Kind, Target};
use crate::knowledge::advice::{self, Row};
use crate::verdict::Verdict;

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

/// How a row came into the table; the first is shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Call {
    /// It mends what the verdict names.
    Verdict,
    /// A finding beside the verdict calls for it.
    Beside,
}

/// The fix table for a verdict: by horizon, steps before corrections, then by the catalogue's order.
pub fn fixes(facts: &Facts, findings: &[Finding], verdict: &Verdict) -> Vec<Fix> {
    let values = Values::of(facts, verdict.subject.as_ref());
    let mut rows: Vec<_> = advice::rows()
        .iter()
        .filter_map(|row| {
            let (call, because) = call(row, findings, verdict, &values)?;
            Some(((horizon(row, call), row.correction, call, row.order), row, because))
        })
        .collect();
    rows.sort_by(|(one, one_row, _), (other, other_row, _)| (one, &one_row.id).cmp(&(other, &other_row.id)));
    let mut held: BTreeMap<(Horizon, bool), usize> = BTreeMap::new();
    rows.retain(|((horizon, correction, ..), ..)| {
        let held = held.entry((*horizon, *correction)).or_default();
        *held += 1;
        *held <= if *correction { CORRECTIONS } else { STEPS }
    });
    rows.into_iter().map(|((horizon, ..), row, because)| fix(row, horizon, because, facts, findings, &values)).collect()
}

/// A fault that did not stop the request can wait; a belief is put right at once.
fn horizon(row: &Row, call: Call) -> Horizon {
    match call {
        Call::Beside if !row.correction => row.horizon.max(Horizon::Soon),
        Call::Verdict | Call::Beside => row.horizon,
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
        let call = if by_id.iter().any(|code| called(code)) { Call::Verdict } else { Call::Beside };
        return Some((call, by_id.into_iter().cloned().collect()));
    }
    let known = row.needs.iter().all(|name| values.has(name)) && !row.lacks.iter().any(|name| values.has(name));
    if !known || !is_for(row, verdict) {
        return None;
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
        edit: row.edit.clone(),
        safe: row.safe,
        because,
    }
}

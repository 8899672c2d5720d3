//! From verdict and findings to the fix table. A row appears only if a finding calls for it: by id, or by speaking for the verdict.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::facts::run::Platform;
use crate::finding::{Arg, Args, Finding};
use crate::kind::{Kind, Target};
use crate::knowledge::advice::{self, Row};
use crate::knowledge::models;
use crate::subject::Subject;
use crate::verdict::Verdict;

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
    /// A command to paste.
    pub command: Option<String>,
    /// A line for config.toml.
    pub edit: Option<String>,
    /// Whether following it can switch nothing on and lose nothing.
    pub safe: bool,
    /// Codes of the findings that it follows from.
    pub because: Vec<String>,
}

/// The fix table for a verdict: by horizon, then by the catalogue's order.
pub fn fixes(facts: &Facts, findings: &[Finding], verdict: &Verdict) -> Vec<Fix> {
    let mut fixes: Vec<(u16, Fix)> = advice::rows()
        .iter()
        .filter_map(|row| {
            let because = because(row, findings, verdict);
            (!because.is_empty()).then(|| (row.order, fix(row, because, facts, findings, verdict)))
        })
        .collect();
    fixes.sort_by(|(one_order, one), (other_order, other)| {
        (one.horizon, one_order, &one.id).cmp(&(other.horizon, other_order, &other.id))
    });
    fixes.into_iter().map(|(_, fix)| fix).collect()
}

fn because(row: &Row, findings: &[Finding], verdict: &Verdict) -> Vec<String> {
    if findings.iter().any(|finding| row.unless.iter().any(|pattern| fits(pattern, &finding.code))) {
        return Vec::new();
    }
    let called: Vec<String> =
        findings.iter().filter(|finding| finding.advice.contains(&row.id)).map(|finding| finding.code.clone()).collect();
    if !called.is_empty() {
        return called;
    }
    let open: Vec<Kind> = match verdict.kind {
        Some(kind) => vec![kind],
        None => verdict.candidates.iter().map(|candidate| candidate.kind).collect(),
    };
    let meant = |kind: &Kind| row.targets.iter().filter_map(|name| Target::parse(name)).any(|target| target.covers(*kind));
    // Where two causes are open, only what fits both is harmless to advise.
    if open.is_empty() || !open.iter().all(meant) {
        return Vec::new();
    }
    let wanted = |code: &String| row.when.is_empty() || row.when.iter().any(|pattern| fits(pattern, code));
    if row.when.is_empty() {
        return verdict.because.clone();
    }
    let codes: std::collections::BTreeSet<String> =
        findings.iter().map(|finding| finding.code.clone()).filter(|code| wanted(code)).collect();
    codes.into_iter().collect()
}

/// Whether `code` fits `pattern`, in which a trailing `*` stands for any ending.
pub fn fits(pattern: &str, code: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => code.starts_with(beginning),
        None => pattern == code,
    }
}

fn fix(row: &Row, because: Vec<String>, facts: &Facts, findings: &[Finding], verdict: &Verdict) -> Fix {
    let subject = verdict.subject.as_ref();
    let windows = facts.run.platform == Platform::Windows;
    let template = row.powershell.as_ref().filter(|_| windows).or(row.command.as_ref());
    let mut args: Args = values(facts, subject).into_iter().map(|(name, value)| (name.to_owned(), Arg::Text(value))).collect();
    // What the findings behind it say (a reset time, a key, a file) may stand in its text.
    for finding in findings.iter().filter(|finding| because.contains(&finding.code)) {
        for (name, value) in &finding.args {
            args.insert(name.clone(), value.clone());
        }
    }
    Fix {
        id: row.id.clone(),
        horizon: row.horizon,
        message_id: format!("advice-{}", row.id),
        args,
        title: String::new(),
        command: template.and_then(|template| filled(template, facts, subject)),
        edit: row.edit.clone(),
        safe: row.safe,
        because,
    }
}

/// What may stand in a command or an advice text.
fn values(facts: &Facts, subject: Option<&Subject>) -> BTreeMap<&'static str, String> {
    let mut values = BTreeMap::new();
    let endpoint = facts.endpoint.value();
    let model = subject.and_then(|subject| subject.model.clone()).or_else(|| endpoint.and_then(|endpoint| endpoint.model.clone()));
    if let Some(model) = model {
        if let Some(spare) = models::spare_for(&model, facts) {
            values.insert("spare", spare);
        }
        values.insert("model", model);
    }
    if let Some(endpoint) = endpoint {
        values.insert("provider", endpoint.provider.clone());
        if let Some(url) = &endpoint.request_url {
            values.insert("url", url.clone());
        }
        if let Some(host) = &endpoint.host {
            values.insert("host", host.clone());
        }
    }
    if let Some(config) = facts.config.value() {
        values.insert("home", config.home.clone());
    }
    if let Some(credentials) = facts.credentials.value() {
        values.insert("key", crate::knowledge::hosts::key_variable(credentials, facts));
        if let Some(variable) = &credentials.missing_variable {
            values.insert("variable", variable.clone());
        }
    }
    if let Some(thread) = subject.and_then(|subject| subject.thread.clone()) {
        values.insert("thread", thread);
    }
    values
}

/// `template` with every `{name}` filled, or nothing where one cannot be. `{{` stands for a brace.
pub fn filled(template: &str, facts: &Facts, subject: Option<&Subject>) -> Option<String> {
    let values = values(facts, subject);
    let mut text = String::new();
    let mut rest = template;
    while let Some(brace) = rest.find('{') {
        text.push_str(&rest[..brace]);
        rest = &rest[brace + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            text.push('{');
            rest = after;
            continue;
        }
        let end = rest.find('}')?;
        text.push_str(values.get(&rest[..end])?);
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    Some(text.replace("}}", "}"))
}

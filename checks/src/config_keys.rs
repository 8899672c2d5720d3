//! Configuration: does Codex start with these files, and which keys in them have no effect?
//!
//! # What it checks
//! All layers that Codex reads in this directory (system, user, profile, trusted project, `-c`, managed), against the keys of the
//! installed release (from 0.131.0 on), their types and their rules. It says what Codex itself does at its start: take the
//! configuration, take it without some keys, or refuse it; and where: line and column in characters, as Codex counts them. Beside it
//! stands what a start with `--strict-config` would say.
//!
//! # Why it matters
//! Codex ignores what it does not know and goes on. A setting that was meant to help (a fallback model, a retry, a base URL in the
//! wrong table) then does nothing, and the warning names only three such keys. A refused file stops every request before it is sent.
//!
//! # What it cannot tell
//! What a release newer than the newest known one makes of the file: it is judged by the newest keys, and a note says so. What is inside
//! `permissions`, hook handlers and some feature tables is looked at no further than their outer form. Settings that a company's cloud or
//! device management adds are not seen.
//!
//! # Fix
//! Correct or remove the line. A key that Codex ignores is harmless by itself: it never is the cause of a failed request.
//!
//! # Example
//! `~/.codex/config.toml:3:1: model_fallback has no effect`: Codex has no such key. To go on with another model, name it on the
//! command line, or let a script do so.

mod below_header;
mod bindings;
pub(crate) mod codex;
pub(crate) mod effective;
mod handlers;
pub(crate) mod ignored;
mod mangled;
mod meaning;
pub mod mend;
mod numbers;
pub(crate) mod outcome;
mod paths;
mod permissions;
pub(crate) mod requirements;
mod rules;
mod strict;
pub(crate) mod suggest;
pub(crate) mod tree;
mod types;
mod unseen;

use codex::Codex;
use ignored::Ignored;
pub(crate) use meaning::undefined_provider;
use outcome::{Refusal, Stage};
use suggest::Meant;

use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer, LayerName, LayerState, ValueKind};
use crate::finding::{Finding, Place, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::beliefs;
use crate::knowledge::config::{Standing, Status, denied_in_project};
use crate::knowledge::config_rules::Rule;
use crate::knowledge::foreign_keys::foreign;
use crate::knowledge::refusal_words::plain;

pub(crate) const ID: &str = "config-keys";

/// A file that Codex refuses stops every request: as good as proof, when the error is live.
pub(crate) const REFUSED: i16 = 40;
/// More than this many findings of one kind help nobody.
const SHOWN: usize = 50;
/// All refusals are one fault: Codex reports the first only.
pub(crate) const GROUP: &str = "config-start";
pub(crate) const FIX_LINE: &str = "fix-config-line";

pub(crate) fn codes() -> Vec<String> {
    [
        "config.accepted",
        "config.unknown-key",
        "config.below-header",
        "config.mangled-path",
        "config.unseen-character",
        "config.more-unknown-keys",
        "config.denied-key",
        "config.deprecated-key",
        "config.newer-key",
        "config.newer-codex",
        "config.older-codex",
        "config.syntax",
        "config.unreadable",
        "config.rejected",
        "config.masked",
        "config.untrusted-project",
        "config.missing-profile",
        "config.no-home",
        "config.not-read",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(config) = facts.config.value() else { return vec![Finding::cannot_tell(ID, &facts.config)] };
    let codex = Codex::of(facts.codex_version());
    let mut findings = Vec::new();
    let too_large = config.layers.iter().chain(&config.requirements).filter_map(too_large);
    match outcome::refusal(config, codex) {
        Some(first) => {
            let later = outcome::later(config, codex, &first);
            findings.extend(Some(&first).filter(|first| !is_of_provider(first)).map(|first| refused(first, config, codex)));
            let later = later.iter().filter(|later| !is_of_provider(later)).take(SHOWN);
            findings.extend(later.map(|later| next(refused(later, config, codex))));
        }
        None => {
            findings.extend(too_large);
            findings.extend(missing_profile(config, codex));
            if findings.iter().all(|finding| finding.severity != Severity::Unknown) {
                findings.push(Finding::new(ID, "config.accepted", Severity::Ok, [("version", codex.judged_as())]));
                findings.extend(masked(config, codex));
            }
        }
    }
    findings.extend(standing(codex, facts));
    let refused: Vec<Place> =
        findings.iter().filter(|one| one.severity == Severity::Error).filter_map(|one| one.at.clone()).collect();
    // What Codex refuses it does not also ignore.
    let is_told = |finding: &Finding| {
        let here = finding.at.as_ref();
        here.is_some_and(|here| refused.iter().any(|place| (&place.file, place.line) == (&here.file, here.line)))
    };
    findings.extend(without_effect(config, codex).into_iter().filter(|finding| !is_told(finding)));
    findings.extend(config.layers.iter().flat_map(mangled::findings).take(SHOWN));
    findings.extend(config.layers.iter().flat_map(unseen::findings).take(SHOWN));
    findings.extend(config.layers.iter().filter_map(untrusted));
    findings.extend(config.layers.iter().flat_map(|layer| deprecated(layer, codex)));
    findings
}

fn refused(refusal: &Refusal<'_>, config: &Config, codex: Codex) -> Finding {
    let code = match refusal.stage {
        Stage::Home => "config.no-home",
        Stage::Read => "config.unreadable",
        Stage::Syntax => "config.syntax",
        Stage::Value => "config.rejected",
    };
    let rejection = &refusal.rejection;
    let file = rejection.file.clone().unwrap_or_else(|| config.home.clone());
    let first_line = rejection.message.lines().next().unwrap_or_default();
    let mut finding = Finding::new(ID, code, Severity::Error, [("error", first_line.to_owned()), ("file", file.clone())])
        .group(GROUP)
        .weighs(Target::Kind(Kind::ConfigRejected), REFUSED)
        .evidence(rejection.message.clone())
        .advises(FIX_LINE);
    if let Some(key) = refusal.origin.map(|(_, entry)| entry.path.join(".")).or_else(|| rejection.key.clone()) {
        finding = finding.arg("key", key);
    }
    finding = finding.at_maybe(place(refusal, config));
    if refusal.stage == Stage::Value {
        // A finding about an override has no file: its message must not name one.
        finding = finding.message_id(match (&rejection.file, &refusal.origin) {
            (Some(_), _) => "config-rejected",
            (None, Some(_)) => "config-rejected-override-key",
            (None, None) => "config-rejected-override",
        });
    }
    let is_override = refusal.origin.is_some_and(|(layer, _)| layer.name == LayerName::Override);
    if let Some((id, named)) =
        plain(first_line).filter(|_| !is_override && (finding.args.contains_key("key") || needs_no_key(refusal)))
    {
        finding = named.into_iter().fold(finding.message_id(&id).arg("next", "no"), |finding, (name, value)| {
            let value = if name == "words" { taken_words(&value, refusal, codex) } else { value };
            finding.arg(name, value)
        });
    }
    // What is known of a refused guide says more than Codex's own words, which stay as the evidence.
    let named = rejection.key.as_deref();
    if let Some(row) = beliefs::of_refusal(&rejection.message, named).filter(|_| refusal.stage == Stage::Value) {
        let local = row.text == "belief-openai-table" && !rejection.message.contains("`openai`");
        let text = if local { "config-rejected-local-table" } else { row.text.as_str() };
        finding = row.advice.iter().filter(|_| !local).fold(finding.message_id(text), |finding, id| finding.advises(id));
    }
    if refusal.stage == Stage::Syntax && mangled::is_backslash(first_line) {
        finding = finding.message_id("config-syntax-backslash");
    }
    if let Some(header) = refusal.origin.and_then(|(layer, entry)| below_header::of_refused(layer, entry, codex)) {
        let line = i64::from(header.value_line.unwrap_or(0));
        finding = finding.arg("header", format!("[{}]", header.path.join("."))).arg("line", line);
        finding = finding.message_id("config-rejected-below-header");
    }
    finding
}

/// Whether Codex refuses the selection of a provider that is not defined. `model-provider` tells of that: one fault is one finding.
fn is_of_provider(refusal: &Refusal<'_>) -> bool {
    let is_name = |entry: &Entry| entry.path == ["model_provider"] && entry.kind == ValueKind::String;
    refusal.stage == Stage::Value && refusal.origin.is_some_and(|(_, entry)| is_name(entry))
}

/// The words, as Codex lists them, that it takes: it names those too that it refuses later, or takes as a table only.
fn taken_words(listed: &str, refusal: &Refusal<'_>, codex: Codex) -> String {
    let path = refusal.origin.map(|(_, entry)| entry.path.as_slice()).unwrap_or_default();
    let node = path.iter().try_fold(codex.keys.root(), |node, name| node.child(name).map(|(child, _)| child));
    let refused = path.last().is_some_and(|name| name == "approval_policy") && codex.has(Rule::NoUntrustedPolicy);
    let is_taken = |word: &&str| {
        let is_table = node.is_some_and(|node| node.below.contains_key(*word));
        let is_refused = refused && *word == "untrusted";
        !is_table && !is_refused
    };
    let words = listed.split('`').skip(1).step_by(2).filter(is_taken);
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Whether the sentence about the refusal speaks of a line or a file rather than of a key.
fn needs_no_key(refusal: &Refusal<'_>) -> bool {
    matches!(refusal.stage, Stage::Syntax | Stage::Read)
}

/// The finding about a fault that Codex comes to when those before it are mended.
fn next(finding: Finding) -> Finding {
    if finding.args.contains_key("next") && finding.message_id.starts_with("config-refused-") {
        return finding.arg("next", "yes");
    }
    let id = if finding.at.is_some() { "config-rejected-next" } else { "config-rejected-next-override" };
    finding.message_id(id)
}

/// A value that a strict start refuses, and that the usual one does not see because a higher layer covers it or because a project may
/// not set it. Keys that Codex does not know have findings of their own.
fn masked(config: &Config, codex: Codex) -> Option<Finding> {
    let refusal = strict::refusal_before_usual(config, codex);
    let refusal = refusal.filter(|refusal| !refusal.rejection.message.starts_with(strict::UNKNOWN))?;
    let error = refusal.rejection.message.lines().next().unwrap_or_default().to_owned();
    let is_denied = |layer: &Layer, entry: &Entry| layer.name == LayerName::Project && denied_in_project(&entry.path[0]);
    let finding = Finding::new(ID, "config.masked", Severity::Note, [("error", error)]);
    let finding = match refusal.origin {
        Some((layer, entry)) if is_denied(layer, entry) => finding.message_id("config-masked-denied"),
        _ => finding,
    };
    Some(finding.at_maybe(place(&refusal, config)))
}

/// Where a person has to look: at the entry at fault, while Codex sometimes names a table around it.
fn place(refusal: &Refusal<'_>, config: &Config) -> Option<Place> {
    if let Some(origin) = refusal.origin {
        return Place::of_value(origin);
    }
    let rejection = &refusal.rejection;
    let shown = config.layers.iter().chain(&config.requirements).find_map(|layer| match &layer.state {
        LayerState::Syntax { shown, .. } if layer.file == rejection.file => shown.clone(),
        _ => None,
    });
    let (line, column) = (rejection.line, rejection.column);
    Some(Place { file: rejection.file.clone()?, line, column, length: None, shown })
}

fn too_large(layer: &Layer) -> Option<Finding> {
    let LayerState::TooLarge { bytes } = layer.state else { return None };
    let file = layer.file.clone().unwrap_or_default();
    let finding = Finding::new(ID, "config.not-read", Severity::Unknown, [("file", file)]);
    Some(finding.arg("size", crate::finding::Arg::Bytes(bytes)))
}

/// Keys that Codex does not know, and keys that a project may not set. They weigh nothing: no request fails for them.
fn without_effect(config: &Config, codex: Codex) -> Vec<Finding> {
    let all: Vec<Ignored<'_>> = config.layers.iter().flat_map(|layer| ignored::of_layer(layer, codex)).collect();
    // Keys that stand below the wrong header are told by it; each for itself is then a detail.
    let mut findings: Vec<Finding> = below_header::findings(&config.layers, &all, codex);
    findings.extend(all.iter().take(SHOWN).map(|ignored| {
        let finding = unknown(ignored, codex);
        if below_header::covers(ignored, codex) { Finding { severity: Severity::Note, ..finding } } else { finding }
    }));
    if all.len() > SHOWN {
        let more = u64::try_from(all.len() - SHOWN).unwrap_or(u64::MAX);
        findings.push(Finding::new(ID, "config.more-unknown-keys", Severity::Warning, [("count", more)]));
    }
    let denied = config.layers.iter().flat_map(ignored::denied).take(SHOWN);
    findings.extend(denied.map(|key| at(finding_of_key(&key, "config.denied-key", Severity::Warning), key.layer, key.entry)));
    findings
}

/// What is known of a key by its name alone, wherever it may stand; nothing where the name means nothing to anybody.
pub(crate) fn named(name: &str, codex: Codex) -> Option<Finding> {
    /// Tables of named tables whose keys people speak of without them.
    const TABLES: [&str; 2] = ["model_providers", "mcp_servers"];
    let path: Vec<String> = name.split('.').map(str::to_owned).collect();
    let told = |code, severity| Finding::new(ID, code, severity, [("key", name)]);
    let unknown = || told("config.unknown-key", Severity::Warning);
    if let Some(key) = codex.keys.key(&path).filter(|key| key.status.is_known() && !key.unlisted) {
        let known = told("config.accepted", Severity::Ok).arg("version", codex.judged_as());
        return Some(match key.status {
            Status::Rejected if name == "profile" => {
                told("config.rejected", Severity::Warning).message_id("belief-profile-selector")
            }
            Status::Rejected => told("config.rejected", Severity::Warning).message_id("belief-key-refused"),
            Status::Deprecated => told("config.deprecated-key", Severity::Note).message_id("belief-noted"),
            _ => known.message_id("belief-key-known"),
        });
    }
    // A word of speech is like many a key.
    let is_written_as_key = name.contains(['_', '-', '.']) || name.contains(char::is_uppercase);
    let below = || {
        let of = |table: &&&str| codex.keys.key(&[**table, "x", name]).is_some_and(|key| key.status == Status::Current);
        let table = TABLES.iter().find(of).filter(|_| is_written_as_key)?;
        let known = told("config.accepted", Severity::Ok).message_id("belief-key-below");
        Some(known.arg("table", format!("[{table}.NAME]")))
    };
    match suggest::meant_by_name(&path, codex.keys) {
        Meant::Foreign(_) | Meant::Nothing if foreign(name).is_none_or(|row| row.hint.starts_with("mcp-")) => below(),
        meant @ (Meant::Foreign(_) | Meant::Removed(_)) => Some(worded(unknown(), meant, &path, codex)),
        meant @ (Meant::Spelling(_) | Meant::Elsewhere(_)) if is_written_as_key => {
            Some(below().unwrap_or_else(|| worded(unknown(), meant, &path, codex)))
        }
        _ => None,
    }
}

fn unknown(ignored: &Ignored<'_>, codex: Codex) -> Finding {
    if let Some(key) = codex.keys.key(&ignored.entry.path).filter(|key| key.status == Status::Newer) {
        let finding = at(finding_of_key(ignored, "config.newer-key", Severity::Warning), ignored.layer, ignored.entry);
        return finding.arg("since", key.since.unwrap_or_default()).arg("installed", codex.judged_as());
    }
    let finding = at(finding_of_key(ignored, "config.unknown-key", Severity::Warning), ignored.layer, ignored.entry);
    worded(finding, suggest::meant(ignored.entry, codex.keys), &ignored.entry.path, codex)
}

/// The finding about the key at `path`, with what may be meant by it.
fn worded(finding: Finding, meant: Meant, path: &[String], codex: Codex) -> Finding {
    match meant {
        Meant::Spelling(key) => finding.arg("suggestion", key).message_id("config-unknown-key-spelling"),
        Meant::Otherwise(key) => finding.arg("suggestion", key).message_id("config-unknown-key-spelling-otherwise"),
        Meant::Elsewhere(key) => finding.arg("suggestion", key).message_id("config-unknown-key-elsewhere"),
        Meant::Removed(Some(instead)) => {
            let kind = |path: &[String]| codex.keys.key(path).map(|key| &key.kind);
            let successor: Vec<String> = instead.split('.').map(str::to_owned).collect();
            let same = kind(&successor).is_some_and(|successor| kind(path) == Some(successor));
            let id = if same { "config-unknown-key-replaced" } else { "config-unknown-key-replaced-otherwise" };
            finding.arg("suggestion", instead).message_id(id)
        }
        Meant::Removed(None) => finding.message_id("config-unknown-key-removed"),
        Meant::Foreign(row) => {
            let finding = finding.message_id(&format!("config-foreign-{}", row.hint));
            match &row.advice {
                Some(advice) => finding.advises(advice),
                None => finding,
            }
        }
        Meant::Nothing => finding,
    }
}

fn finding_of_key(ignored: &Ignored<'_>, code: &str, severity: Severity) -> Finding {
    let layer = ignored.layer.name.name().to_owned();
    Finding::new(ID, code, severity, [("key", ignored.key.clone()), ("layer", layer)])
}

/// A release that the keys were not read from is judged by the nearest one that they were: that is said.
fn standing(codex: Codex, facts: &Facts) -> Option<Finding> {
    let code = match codex.standing {
        Standing::Newer => "config.newer-codex",
        Standing::Older => "config.older-codex",
        Standing::Known | Standing::Unnamed => return None,
    };
    let asked = facts.codex_version().unwrap_or_default();
    Some(Finding::new(ID, code, Severity::Note, [("version", asked)]).arg("known", codex.judged_as()))
}

/// Keys that Codex still takes, and that it will not take for ever.
fn deprecated(layer: &Layer, codex: Codex) -> Vec<Finding> {
    let deprecated = layer.entries.iter().filter_map(|entry| {
        let key = codex.keys.key(&entry.path).filter(|key| key.status == Status::Deprecated)?;
        let finding = Finding::new(ID, "config.deprecated-key", Severity::Note, [("key", entry.path.join("."))]);
        let finding = match key.instead {
            Some(instead) => finding.arg("suggestion", instead).message_id("config-deprecated-key-replaced"),
            None => finding,
        };
        // A legacy profile is taken and does nothing: one line for all of it.
        let finding = match (entry.path[0].as_str(), entry.path.len()) {
            ("profiles", 1) if codex.has(Rule::NoProfileKey) => finding.message_id("belief-profile-table"),
            ("profiles", 2..) if codex.has(Rule::NoProfileKey) => return None,
            _ => finding,
        };
        Some(at(finding, layer, entry))
    });
    deprecated.take(SHOWN).collect()
}

/// A profile that was asked for and that has no file: Codex starts as if it had not been.
fn missing_profile(config: &Config, codex: Codex) -> Option<Finding> {
    let name = config.profile.as_deref().filter(|_| codex.has(Rule::NoProfileKey))?;
    let is_there = config.layers.iter().any(|layer| layer.name == LayerName::Profile);
    let finding = Finding::new(ID, "config.missing-profile", Severity::Warning, [("profile", name)]);
    (!is_there).then(|| finding.arg("home", config.home.clone()))
}

fn untrusted(layer: &Layer) -> Option<Finding> {
    let LayerState::Untrusted { values } = layer.state else { return None };
    let file = layer.file.clone()?;
    let severity = if values > 0 { Severity::Warning } else { Severity::Note };
    Some(Finding::new(ID, "config.untrusted-project", severity, [("file", file)]))
}

pub(crate) fn at(finding: Finding, layer: &Layer, entry: &Entry) -> Finding {
    finding.at_maybe(Place::of((layer, entry)))
}

#[cfg(test)]
pub(crate) mod tests;

//! What Codex does with a configuration at its start: take it, take it without some keys, or refuse it.

use schemars::JsonSchema;
use serde::Serialize;

use super::codex::Codex;
use super::effective::{self, EffectiveKey};
use super::ignored::{self, Ignored};
use super::meaning;
use super::paths;
use super::requirements;
use super::strict;
use super::tree::Value;
use super::types::{self, Fault};
use crate::facts::config::{Config, Entry, Layer, LayerName, LayerState, ValueKind};
use crate::knowledge::config_rules::Rule;

/// Taken, refused, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Codex starts, perhaps without some keys.
    Accepted,
    /// Codex does not start.
    Rejected,
    /// A layer could not be read as Codex reads it.
    Unknown,
}

/// A key without effect and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IgnoredKey {
    /// The layer.
    pub layer: LayerName,
    /// The dotted key as Codex prints it.
    pub key: String,
    /// 1-based line; null for an override.
    pub line: Option<u32>,
    /// 1-based column in characters; null for an override.
    pub column: Option<u32>,
}

impl IgnoredKey {
    fn of(ignored: Ignored<'_>) -> Self {
        Self { layer: ignored.layer.name, key: ignored.key, line: ignored.entry.line, column: ignored.entry.column }
    }
}

/// Why Codex does not start with this configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rejection {
    /// The message in Codex's words, redacted.
    pub message: String,
    /// The dotted key that it names, if any.
    pub key: Option<String>,
    /// The file, redacted.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column in characters.
    pub column: Option<u32>,
}

/// What Codex does with a configuration at its start.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConfigOutcome {
    /// Taken or refused.
    pub outcome: Outcome,
    /// Keys that Codex does not know, by layer and place. Empty when it refuses the whole: it does not get as far.
    pub ignored: Vec<IgnoredKey>,
    /// Keys that a project may not set.
    pub denied: Vec<IgnoredKey>,
    /// Why it is refused.
    pub error: Option<Rejection>,
    /// Why a start with `--strict-config` refuses it; null where that takes it too.
    pub strict: Option<Rejection>,
    /// Every key that is in effect, with what set it; sorted by key. Empty when the whole is refused.
    pub effective: Vec<EffectiveKey>,
}

impl ConfigOutcome {
    /// Whether Codex does not start.
    pub fn is_rejected(&self) -> bool {
        self.outcome == Outcome::Rejected
    }
}

/// What the release `version` of Codex does with `config` at its start; the newest known one where none is named.
pub fn config_outcome(config: &Config, version: Option<&str>) -> ConfigOutcome {
    let codex = Codex::of(version);
    let usual = refusal(config, codex).map(|refusal| refusal.rejection);
    let strict = strict::refusal_before_usual(config, codex).map(|refusal| refusal.rejection).or_else(|| usual.clone());
    if usual.is_some() {
        let (outcome, ignored, denied) = (Outcome::Rejected, Vec::new(), Vec::new());
        return ConfigOutcome { outcome, ignored, denied, error: usual, strict, effective: Vec::new() };
    }
    let unread = config.layers.iter().chain(&config.requirements).any(|layer| matches!(layer.state, LayerState::TooLarge { .. }));
    let ignored = config.layers.iter().flat_map(|layer| ignored::of_layer(layer, codex));
    let ignored = ignored.chain(requirements::unknown(config, codex));
    ConfigOutcome {
        outcome: if unread { Outcome::Unknown } else { Outcome::Accepted },
        ignored: ignored.map(IgnoredKey::of).collect(),
        denied: config.layers.iter().flat_map(ignored::denied).map(IgnoredKey::of).collect(),
        error: None,
        strict,
        effective: effective::keys(config, codex),
    }
}

/// The stage at which Codex refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// CODEX_HOME itself.
    Home,
    /// A file cannot be read.
    Read,
    /// No TOML.
    Syntax,
    /// A type, a rule or a value.
    Value,
}

/// A refusal, with the entry at fault when there is one.
pub(super) struct Refusal<'config> {
    pub(super) stage: Stage,
    pub(super) rejection: Rejection,
    pub(super) origin: Option<(&'config Layer, &'config Entry)>,
}

/// Why Codex refuses `config`, if it does; in the order in which Codex looks.
pub(super) fn refusal(config: &Config, codex: Codex) -> Option<Refusal<'_>> {
    if let Some(error) = &config.home_error {
        let rejection = Rejection { message: error.clone(), key: None, file: None, line: None, column: None };
        return Some(Refusal { stage: Stage::Home, rejection, origin: None });
    }
    let (overrides, files): (Vec<&Layer>, Vec<&Layer>) = config.layers.iter().partition(|layer| layer.name == LayerName::Override);
    // A legacy profile in the user's file is noticed before the profile's own file is read.
    let legacy = meaning::legacy_profile(config, codex);
    // What manages this machine is read before its own files: first the old way of it, then the requirements.
    let (managed, files): (Vec<&Layer>, Vec<&Layer>) = files.into_iter().partition(|layer| layer.name == LayerName::LegacyManaged);
    let before =
        overrides.into_iter().chain(managed).find_map(|layer| unread(layer, codex)).or_else(|| requirements::unread(config, codex));
    let read = before.or_else(|| {
        files.into_iter().find_map(|layer| {
            let overtaken = layer.name == LayerName::Profile && legacy.is_some();
            if overtaken { None } else { unread(layer, codex) }
        })
    });
    read.or_else(|| legacy.map(refused_value))
        .or_else(|| requirements::impossible(config, codex))
        .or_else(|| values(config, codex).map(refused_value))
}

pub(super) fn unread(layer: &Layer, codex: Codex) -> Option<Refusal<'_>> {
    let (stage, message, line, column) = match &layer.state {
        LayerState::Unreadable { message } => (Stage::Read, message.clone(), None, None),
        LayerState::Syntax { line, column, message, end, .. } => {
            let at_end = codex.has(Rule::UnclosedAtEnd) && UNCLOSED.iter().any(|start| message.starts_with(start));
            let (line, column) = end.filter(|_| at_end).unwrap_or((*line, *column));
            (Stage::Syntax, message.clone(), Some(line), Some(column))
        }
        _ => return None,
    };
    let rejection = Rejection { message, key: None, file: layer.file.clone(), line, column };
    Some(Refusal { stage, rejection, origin: None })
}

pub(super) fn refused_value<'config>(fault: Fault<'config>) -> Refusal<'config> {
    let place = fault.place.filter(|(layer, _)| layer.name != LayerName::Override);
    let rejection = Rejection {
        message: fault.message,
        key: fault.key,
        file: place.and_then(|(layer, _)| layer.file.clone()),
        line: place.and_then(|(_, entry)| entry.value_line),
        column: place.and_then(|(_, entry)| entry.value_column),
    };
    Refusal { stage: Stage::Value, rejection, origin: fault.origin }
}

/// Messages of the parser about what is never closed.
const UNCLOSED: [&str; 2] = ["unclosed array", "unclosed inline table"];

/// Keys that Codex reads before it looks at the whole. With a fault in one of them it reports the first fault of the file instead.
const READ_FIRST: [&str; 2] = ["project_root_markers", "projects"];
/// Keys that later releases read first too.
const SHELL_POLICY: [&str; 3] =
    ["shell_environment_policy.exclude", "shell_environment_policy.filters", "shell_environment_policy.include_only"];

/// What Codex would refuse after `first` is mended: it names one fault at a time.
pub(super) fn later<'config>(config: &'config Config, codex: Codex, first: &Refusal<'_>) -> Vec<Refusal<'config>> {
    if first.stage != Stage::Value {
        return Vec::new();
    }
    let merged = Value::merged(config);
    let faults = types::merged(&merged, codex).into_iter().chain(meaning::fault(config, &merged, codex));
    beside(first, faults.filter(|fault| fault.origin.is_some()))
}

/// Every refusal that can be seen, also those that stand behind the first one.
pub(super) fn every(config: &Config, codex: Codex) -> Vec<Refusal<'_>> {
    let Some(first) = refusal(config, codex) else { return Vec::new() };
    let merged = Value::merged(config);
    let faults = types::merged(&merged, codex).into_iter().chain(meaning::fault(config, &merged, codex));
    let rest = beside(&first, faults.chain(paths::fault(config, &merged, codex)));
    [first].into_iter().chain(rest).collect()
}

/// The refusals for `faults`, each once, without `first`.
fn beside<'config>(first: &Refusal<'_>, faults: impl Iterator<Item = Fault<'config>>) -> Vec<Refusal<'config>> {
    let mut others: Vec<Refusal<'config>> = Vec::new();
    for fault in faults {
        let is_it = |known: &Refusal<'_>| match (known.origin, fault.origin) {
            (Some((_, one)), Some((_, other))) => std::ptr::eq(one, other),
            _ => known.rejection.message == fault.message,
        };
        if !is_it(first) && !others.iter().any(is_it) {
            others.push(refused_value(fault));
        }
    }
    others
}

fn values(config: &Config, codex: Codex) -> Option<Fault<'_>> {
    let merged = Value::merged(config);
    let mut faults = types::merged(&merged, codex);
    let in_file =
        |fault: &Fault<'_>| fault.place.is_some_and(|(layer, _)| !matches!(layer.name, LayerName::Override | LayerName::Project));
    // Looked at when the file is read, before any type.
    let is_override = |fault: &Fault<'_>| fault.place.is_some_and(|(layer, _)| layer.name == LayerName::Override);
    // An array in the place of the table is no policy yet.
    let in_place_of_table = |fault: &Fault<'_>| fault.origin.is_some_and(|(_, entry)| entry.kind == ValueKind::Array);
    if let Some(mixed) =
        faults.iter().find(|fault| !is_override(fault) && !in_place_of_table(fault) && fault.message == types::MIXED_FILTERS)
    {
        return Some(Fault { key: None, ..mixed.clone() });
    }
    let is_shell = |fault: &Fault<'_>| fault.origin.is_some_and(|(_, entry)| is_shell_list(&entry.path));
    if codex.has(Rule::ShellPolicyReadFirst)
        && let Some(shell) = faults.iter().find(|fault| !is_override(fault) && is_shell(fault))
    {
        return Some(Fault { key: None, ..shell.clone() });
    }
    let is_early = |fault: &Fault<'_>| {
        let key = fault.origin.map(|(_, entry)| entry.path.join(".")).unwrap_or_default();
        READ_FIRST.iter().any(|early| key.strip_prefix(early).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    // An array with an element too many is taken by that first look.
    let is_too_long = |fault: &Fault<'_>| fault.message.ends_with("expected fewer elements in array");
    if faults.iter().any(|fault| in_file(fault) && is_early(fault) && !is_too_long(fault)) {
        faults.retain(in_file);
        faults.sort_by_key(|fault| fault.place.map(|(layer, entry)| (layer.name, entry.value_line, entry.value_column)));
        // Read from the file instead of the merged values, the same fault has other words, and no key.
        return faults.into_iter().next().map(|fault| Fault { key: None, ..fault.in_words_of_a_file() });
    }
    let fault = faults.into_iter().next().map(|fault| of_override(fault, codex));
    fault.or_else(|| paths::fault(config, &merged, codex)).or_else(|| meaning::fault(config, &merged, codex))
}

/// Whether a key is one of the lists of `shell_environment_policy`, or in one.
pub(super) fn is_shell_list(path: &[String]) -> bool {
    let path = path.join(".");
    SHELL_POLICY.iter().any(|list| path.strip_prefix(list).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// A fault in the policy for the environment of programs has other words when `-c` set it.
fn of_override(fault: Fault<'_>, codex: Codex) -> Fault<'_> {
    let set_by_override = fault.origin.is_some_and(|(layer, _)| layer.name == LayerName::Override);
    let in_list = fault.origin.is_some_and(|(_, entry)| is_shell_list(&entry.path));
    if set_by_override && in_list && codex.has(Rule::ShellPolicyReadFirst) {
        let message = format!("invalid shell environment policy in session-flags: {}", fault.message);
        return Fault { message, ..fault };
    }
    fault
}

//! Layers: who else has a say in this configuration, and what of yours gives way to it?
//!
//! # What it checks
//! The company's `requirements.toml` (rules that no other layer can break) and its older form, `managed_config.toml` (which beats even
//! `-c`), against what the other layers say: which of their values do not count, and what Codex takes instead. Keys of the requirements
//! that Codex does not know. Variables in `$CODEX_HOME/.env`, which beat those of the shell.
//!
//! # Why it matters
//! A setting that was changed and does nothing costs an hour. Where a company requires a provider, requests go to its address, whatever
//! the own file says; and a capacity error from there is the word of that address.
//!
//! # What it cannot tell
//! What a company sets by the device management of macOS or from its cloud: neither is read here. Of requirements that limit
//! programs, networks and MCP servers only the form is looked at.
//!
//! # Fix
//! Ask whoever manages this machine; nothing in your own files can change it. Remove the line that does not count.
//!
//! # Example
//! `model_provider = "relay"` in your file and `model_provider = "corp"` in `/etc/codex/requirements.toml`: requests go to `corp`.

use crate::config_keys::at;
use crate::config_keys::codex::Codex;
use crate::config_keys::requirements::{given_way, unknown};
use crate::config_keys::tree::Value;
use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer, LayerName, ValueKind};
use crate::facts::environment::VariableOrigin;
use crate::finding::{Finding, Severity};
use crate::knowledge::config::denied_in_project;

pub(crate) const ID: &str = "config-layers";

/// More than this many findings of one kind help nobody.
const SHOWN: usize = 20;

pub(crate) fn codes() -> Vec<String> {
    [
        "config.requirements",
        "config.requirement-overrides",
        "config.requirement-disallows",
        "config.requirement-unknown-key",
        "config.managed-overrides",
        "config.dot-env-beats-shell",
        "config.dot-env-left-out",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(config) = facts.config.value() else { return vec![Finding::cannot_tell(ID, &facts.config)] };
    let codex = Codex::of(facts.codex_version());
    let mut findings = Vec::new();
    if let Some(layer) = &config.requirements {
        let file = layer.file.clone().unwrap_or_default();
        findings.push(Finding::new(ID, "config.requirements", Severity::Note, [("file", file)]));
        findings.extend(overridden(config, layer).into_iter().take(SHOWN));
        let merged = Value::merged(config);
        findings.extend(given_way(config, &merged, codex).iter().filter_map(disallowed));
        findings.extend(unknown(config, codex).iter().take(SHOWN).map(|key| {
            let finding = Finding::new(ID, "config.requirement-unknown-key", Severity::Warning, [("key", key.key.clone())]);
            at(finding, key.layer, key.entry)
        }));
    }
    findings.extend(managed(config).into_iter().take(SHOWN));
    findings.extend(dot_env(facts).into_iter().take(SHOWN));
    findings
}

/// Values of the layers that the requirements replace by others.
fn overridden<'config>(config: &'config Config, requirements: &'config Layer) -> Vec<Finding> {
    let lost = config.layers.iter().flat_map(|layer| layer.entries.iter().map(move |entry| (layer, entry)));
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: Vec<Vec<&str>> = Vec::new();
    for (layer, entry) in lost {
        let path: Vec<&str> = entry.path.iter().map(String::as_str).collect();
        let denied = layer.name == LayerName::Project && denied_in_project(path[0]);
        if denied || told.iter().any(|known| path.starts_with(known)) {
            continue;
        }
        // Of a provider that is required as a whole one line tells all.
        let whole = path.len() == 2 && config.requires_whole(&path);
        let by = requirements.entries.iter().find(|required| required.is_at(&path));
        let counts = config.overriding.iter().any(|key| key == path[0]);
        let differs = by.is_some_and(|by| entry.kind != ValueKind::Table && by.value != entry.value);
        let same_inside = whole && same_tables(layer, requirements, &path);
        if counts && (whole || differs) && !same_inside {
            let finding = Finding::new(ID, "config.requirement-overrides", Severity::Warning, [("key", entry.path.join("."))])
                .arg("layer", layer.name.name().to_owned())
                .arg("file", place_of(requirements, by));
            findings.push(at(finding, layer, entry));
        }
        if whole {
            told.push(path);
        }
    }
    findings
}

/// Whether both layers say the same below `path`.
fn same_tables(one: &Layer, other: &Layer, path: &[&str]) -> bool {
    let values = |layer: &Layer| {
        let inside = layer.entries.iter().filter(|entry| entry.path.len() > path.len());
        let inside = inside.filter(|entry| entry.path.iter().map(String::as_str).take(path.len()).eq(path.iter().copied()));
        let mut values: Vec<_> = inside.map(|entry| (entry.path.clone(), format!("{:?}", entry.value))).collect();
        values.sort();
        values
    };
    values(one) == values(other)
}

fn disallowed(given: &crate::config_keys::requirements::GivenWay<'_>) -> Option<Finding> {
    let (layer, entry) = given.value.origin?;
    let list = given.list.origin;
    let finding = Finding::new(ID, "config.requirement-disallows", Severity::Warning, [("key", given.row.of.clone()?)])
        .arg("instead", given.instead.clone())
        .arg("layer", layer.name.name().to_owned())
        .arg("file", list.map(|(layer, entry)| place_of(layer, Some(entry))).unwrap_or_default());
    // Without a sandbox and with nobody to ask, a run without a person does not begin at all (measured on 0.171.0 and 0.142.5).
    let unattended = given.value.text() == Some("danger-full-access");
    let finding = if unattended { finding.message_id("config-requirement-disallows-unattended") } else { finding };
    Some(at(finding, layer, entry))
}

/// A place as one word: file, line, column.
fn place_of(layer: &Layer, entry: Option<&Entry>) -> String {
    let file = layer.file.clone().unwrap_or_default();
    match entry.and_then(|entry| entry.line.zip(entry.column)) {
        Some((line, column)) => format!("{file}:{line}:{column}"),
        None => file,
    }
}

/// Values that the older form of company rules replaces, `-c` included.
fn managed(config: &Config) -> Vec<Finding> {
    let Some(managed) = config.layers.iter().find(|layer| layer.name == LayerName::LegacyManaged) else { return Vec::new() };
    let scalars = managed.entries.iter().filter(|entry| entry.kind != ValueKind::Table && entry.value.is_some());
    scalars
        .filter_map(|by| {
            let path: Vec<&str> = by.path.iter().map(String::as_str).collect();
            let below = config.layers.iter().rev().filter(|layer| layer.name != LayerName::LegacyManaged);
            let mut below = below.filter(|layer| layer.name != LayerName::Project || !denied_in_project(path[0]));
            let (layer, entry) =
                below.find_map(|layer| Some((layer, layer.entries.iter().rev().find(|entry| entry.is_at(&path))?)))?;
            let finding = Finding::new(ID, "config.managed-overrides", Severity::Warning, [("key", by.path.join("."))])
                .arg("layer", layer.name.name().to_owned())
                .arg("file", place_of(managed, Some(by)));
            (entry.value != by.value).then(|| at(finding, layer, entry))
        })
        .collect()
}

/// Variables in `.env` that beat those of the shell, and those that Codex does not take from there.
fn dot_env(facts: &Facts) -> Vec<Finding> {
    let Some(environment) = facts.environment.value() else { return Vec::new() };
    let of = |origin| environment.variables.iter().filter(move |variable| variable.origin == origin);
    let told = |code: &str, severity: Severity, name: &str| Finding::new(ID, code, severity, [("variable", name.to_owned())]);
    let beats = of(VariableOrigin::DotEnv)
        .filter(|variable| of(VariableOrigin::Process).any(|other| other.name == variable.name && other.differs))
        .map(|variable| told("config.dot-env-beats-shell", Severity::Note, &variable.name));
    // Where credentials were looked at, their check tells of those that would be one.
    let credentials = facts.credentials.value().map_or(&[][..], |credentials| &credentials.ignored_variables);
    let elsewhere = |name: &str| credentials.iter().any(|known| known.split(' ').next() == Some(name));
    let left_out = environment.left_out.iter().filter(|name| !elsewhere(name));
    beats.chain(left_out.map(|name| told("config.dot-env-left-out", Severity::Warning, name))).collect()
}

#[cfg(test)]
mod tests;

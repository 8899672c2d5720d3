//! The requirements of a company: what in them stops Codex, what it ignores, and what they make of the layers below.

use super::codex::Codex;
use super::ignored::{self, Ignored};
use super::outcome::{self, Refusal};
use super::tree::{Shape, Value};
use super::types::{self, Fault};
use crate::facts::config::{Config, Layer};
use crate::knowledge::requirements::{self, Effect, Requirement};

/// How Codex names a provider rule that is broken: without the key.
const PROVIDER_RULE: &str = "model_providers";

/// A requirement that cannot be read, or has a wrong type: noticed before the files of the configuration are read.
pub(super) fn unread(config: &Config, codex: Codex) -> Option<Refusal<'_>> {
    let layer = config.requirements.as_ref()?;
    outcome::unread(layer, codex).or_else(|| {
        let fault = faults(layer, codex).into_iter().find(|fault| !is_provider_rule(fault))?;
        let file = layer.file.clone().unwrap_or_default();
        // Providers are read when all requirements have been put together.
        let of_provider = fault.key.as_deref().is_some_and(|key| key.starts_with("model_providers"));
        let read = if of_provider { "merged requirements".to_owned() } else { format!("requirements layer {file}") };
        Some(outcome::refused_value(Fault { message: format!("failed to parse {read}: {}", fault.message), ..fault }))
    })
}

/// A requirement that contradicts itself: noticed before the values of the configuration are looked at.
pub(super) fn impossible(config: &Config, codex: Codex) -> Option<Refusal<'_>> {
    let layer = config.requirements.as_ref()?;
    let value = Value::of_layer(layer);
    let lists = requirements::all().iter().filter(|row| row.effect == Effect::Allows && row.is_known_at(codex.release()));
    let message = lists.into_iter().find_map(|row| {
        let list = value.get(&row.name)?;
        Some((unusable(row, list, layer.file.as_deref().unwrap_or_default())?, list.origin))
    });
    if let Some((message, origin)) = message {
        return Some(outcome::refused_value(Fault { message, key: None, origin, place: origin }));
    }
    let rule = faults(layer, codex).into_iter().find(is_provider_rule)?;
    Some(outcome::refused_value(Fault { key: None, ..rule }))
}

fn unusable(row: &Requirement, list: &Value<'_>, file: &str) -> Option<String> {
    let words = words(list);
    if row.filled && words.is_empty() {
        return Some(format!("field `{}` cannot be empty", row.name));
    }
    let needs = row.needs.as_deref().filter(|needs| !words.contains(needs))?;
    let named: Vec<String> = words.iter().map(|word| camel_case(word)).collect();
    Some(format!(
        "invalid value for `{}`: `[{}]` is not in the allowed set must include '{needs}' to allow any PermissionProfile (set by {file})",
        row.name,
        named.join(", ")
    ))
}

/// `workspace-write` as Codex names the variant.
fn camel_case(word: &str) -> String {
    let capital = |part: &str| part.chars().take(1).flat_map(char::to_uppercase).chain(part.chars().skip(1)).collect::<String>();
    word.split('-').map(capital).collect()
}

fn faults(layer: &Layer, codex: Codex) -> Vec<Fault<'_>> {
    types::all(&Value::of_layer(layer), &requirements::tree(codex.release()), codex)
}

fn is_provider_rule(fault: &Fault<'_>) -> bool {
    fault.key.as_deref() == Some(PROVIDER_RULE) && fault.message.starts_with(PROVIDER_RULE)
}

/// The requirements that Codex does not know.
pub(crate) fn unknown(config: &Config, codex: Codex) -> Vec<Ignored<'_>> {
    let Some(layer) = &config.requirements else { return Vec::new() };
    ignored::below(&Value::of_layer(layer), layer, &requirements::tree(codex.release()))
}

/// Puts the values that the requirements set into the merged values of the layers.
pub(super) fn apply<'config>(merged: &mut Value<'config>, config: &'config Config) {
    let Some(layer) = &config.requirements else { return };
    let required = Value::of_layer(layer);
    for row in requirements::all().iter().filter(|row| config.overriding.contains(&row.name)) {
        let Some(value) = required.get(&row.name) else { continue };
        let kind = |value: &Value<'_>| value.origin.map(|(_, entry)| entry.kind);
        // A wrong type below is noticed although its value does not count (measured on 0.171.0).
        if merged.get(&row.name).is_none_or(|known| kind(known) == kind(value)) {
            merged.lay_over(&row.name, value.clone(), row.effect == Effect::Each);
        }
    }
}

/// The words of a list of allowed values.
pub(crate) fn words<'config>(list: &Value<'config>) -> Vec<&'config str> {
    match &list.shape {
        Shape::Array(elements) => elements.iter().filter_map(word).collect(),
        _ => Vec::new(),
    }
}

/// A word, or the only key of a table.
fn word<'config>(value: &Value<'config>) -> Option<&'config str> {
    value.text().or_else(|| value.table().filter(|table| table.len() == 1)?.keys().next().copied())
}

/// A value that a requirement does not allow, and what takes its place.
pub(crate) struct GivenWay<'config> {
    /// The requirement.
    pub(crate) row: &'static Requirement,
    /// Where its list stands.
    pub(crate) list: Value<'config>,
    /// The value that is not allowed.
    pub(crate) value: Value<'config>,
    /// The value that Codex takes instead.
    pub(crate) instead: String,
}

/// The values that requirements do not allow.
pub(crate) fn given_way<'config>(config: &'config Config, merged: &Value<'config>, codex: Codex) -> Vec<GivenWay<'config>> {
    let Some(layer) = &config.requirements else { return Vec::new() };
    let required = Value::of_layer(layer);
    let limits = requirements::all().iter().filter(|row| row.effect == Effect::Allows && row.is_known_at(codex.release()));
    limits.filter_map(|row| limited(row, &required, merged)).collect()
}

fn limited<'config>(row: &'static Requirement, required: &Value<'config>, merged: &Value<'config>) -> Option<GivenWay<'config>> {
    let list = required.get(&row.name)?;
    let value = merged.get(row.of.as_deref()?)?;
    let word = word(value)?;
    let mut allowed = words(list);
    allowed.extend(row.always.as_deref());
    if allowed.iter().any(|known| is_same(known, word)) {
        return None;
    }
    let instead = row.instead.iter().find_map(|word| match word.as_str() {
        "first" => allowed.first().map(|word| (*word).to_owned()),
        word => allowed.contains(&word).then(|| word.to_owned()),
    })?;
    Some(GivenWay { row, list: list.clone(), value: value.clone(), instead })
}

/// Two names for the same reviewer, and a policy that Codex reads as its successor (measured on 0.171.0).
fn is_same(allowed: &str, word: &str) -> bool {
    let name = |word: &str| match word {
        "guardian_subagent" => "auto_review".to_owned(),
        "on-failure" => "on-request".to_owned(),
        word => word.to_owned(),
    };
    name(allowed) == name(word)
}

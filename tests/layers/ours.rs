//! Our answer to a case, held against that of Codex.

use std::collections::BTreeMap;

use codex_triage::collect::config::{ConfigRequest, collect};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::config::{Config, LayerName, LayerState};
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::{ConfigOutcome, EffectiveValue, config_outcome};

use crate::case::{Case, Tree};
use crate::said::Said;

/// The app server of this release does not tell of keys that it ignores.
const SILENT: &str = "0.142.5";

/// How Codex calls a layer.
fn kind(layer: LayerName) -> &'static str {
    match layer {
        LayerName::System => "system",
        LayerName::User | LayerName::Profile => "user",
        LayerName::Project => "project",
        LayerName::Override => "sessionFlags",
        LayerName::LegacyManaged => "legacyManagedConfigTomlFromFile",
        LayerName::Requirements => "requirements",
    }
}

pub(crate) fn differences(case: &Case, release: &str, said: &Said) -> Vec<String> {
    let tree = Tree::of(case);
    let (config, outcome) = ours(case, &tree, release);
    let mut differences = Vec::new();
    let mut differs = |what: &str, ours: String, theirs: String| {
        if ours != theirs {
            differences.push(format!("{}@{release}: {what}: {ours}, Codex: {theirs}", case.name));
        }
    };
    let refused = outcome.error.as_ref().map(|error| tree.named(error.message.lines().next().unwrap_or_default()));
    // Codex prints the place before the words of a syntax error, or says that it is one.
    let same = match (&refused, &said.refused) {
        (Some(ours), Some(theirs)) => {
            theirs.contains(words(ours)) || theirs.contains("TOML parse error") || roles_aside(ours, theirs)
        }
        (None, None) => true,
        _ => false,
    };
    if !same {
        differs("refusal", format!("{refused:?}"), format!("{:?}", said.refused));
    }
    // The app server takes no profile, and does not answer for everything.
    if said.refused.is_some() || refused.is_some() || said.layers.is_empty() {
        return differences;
    }
    let trusted = |untrusted: bool| untrusted.to_string();
    let projects: Vec<String> = config
        .layers
        .iter()
        .filter(|layer| layer.name == LayerName::Project)
        .map(|layer| trusted(!matches!(layer.state, LayerState::Untrusted { .. })))
        .collect();
    let with_file = |file: &str| tree.path(file.trim_start_matches("$ROOT/")).join("config.toml").exists();
    let theirs: Vec<String> = said
        .layers
        .iter()
        .filter(|(kind, file, _)| kind == "project" && with_file(file))
        .map(|(_, _, used)| trusted(*used))
        .collect();
    differs("project layers", projects.join(" "), theirs.join(" "));
    let required = |key: &str| outcome.effective.iter().any(|of| of.key == key && of.layer == LayerName::Requirements);
    // Codex names no origin of a value that a requirement replaced in part, nor of an empty one.
    let listed = |value: &EffectiveValue| !matches!(value, EffectiveValue::Array(elements) if elements.is_empty());
    let ours: BTreeMap<String, &str> = outcome
        .effective
        .iter()
        .filter(|key| key.layer != LayerName::Requirements && listed(&key.value))
        .map(|key| (plain(&key.key), kind(key.layer)))
        .collect();
    let theirs: BTreeMap<String, &str> = said
        .origins
        .iter()
        .filter(|(key, _)| counts(key, &outcome) && !required(key))
        .filter(|(key, _)| key.rsplit('.').next().and_then(|last| last.parse::<usize>().ok()).is_none_or(|index| index == 0))
        .map(|(key, layer)| (plain(&whole(key, &ours)), layer.as_str()))
        .collect();
    differs("origins", format!("{ours:?}"), format!("{theirs:?}"));
    for (name, value) in &said.used {
        let used = outcome.effective.iter().find(|key| key.key == *name).map(|key| match &key.value {
            EffectiveValue::Scalar(_) => key.value.to_string().trim_matches('"').to_owned(),
            other => other.to_string(),
        });
        // What nobody sets is a default of Codex, and that is not ours to know.
        if let Some(used) = used {
            differs(name, used, value.clone());
        }
    }
    let mut ignored: Vec<String> = outcome.ignored.iter().map(|key| key.key.clone()).collect();
    ignored.sort();
    // The app server knows nothing of `tui`, and Codex names three.
    ignored.retain(|key| !key.starts_with("tui."));
    ignored.truncate(3);
    if release != SILENT {
        differs("ignored", ignored.join(" "), said.ignored.join(" "));
    }
    differences
}

/// A message without the word that Codex prints before all of them, and as far as it hides nothing.
fn words(message: &str) -> &str {
    message.strip_prefix("Error ").unwrap_or(message).trim().split("=<secret>").next().unwrap_or_default()
}

/// Whether two messages are equal but for places in the file system, which ours shows as roles.
fn roles_aside(ours: &str, theirs: &str) -> bool {
    let plain = |text: &str| -> String {
        text.split(' ').map(|word| if word.contains('/') { "…" } else { word }).collect::<Vec<_>>().join(" ")
    };
    plain(theirs).ends_with(&plain(ours))
}

fn ours(case: &Case, tree: &Tree, release: &str) -> (Config, ConfigOutcome) {
    let environment = [("HOME".to_owned(), tree.path("nobody").display().to_string())].into();
    let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
    let mut world = World::new(environment, tree.directory(), Some(&tree.path("home")), None, Platform::Linux, at, 0);
    world.system_config = tree.path("etc");
    let mut request = ConfigRequest { codex_version: Some(release.to_owned()), ..ConfigRequest::default() };
    for pair in tree.args(case).chunks(2) {
        match pair[0].as_str() {
            "-c" => request.overrides.push(pair[1].clone()),
            "-p" => request.profile = Some(pair[1].clone()),
            other => panic!("{}: {other}", case.name),
        }
    }
    let (config, _) = collect(&world, &Redactor::new(&world), &request);
    let config = config.value().unwrap().clone();
    let outcome = config_outcome(&config, Some(release));
    (config, outcome)
}

/// A key without quotes; the name of a project is a role with us.
fn plain(key: &str) -> String {
    if key.starts_with("projects.") { "projects".to_owned() } else { key.replace('"', "") }
}

/// The key itself, or the array that it is an element of. Of elements the first tells: Codex names a layer for each place that any of
/// them has.
fn whole(key: &str, ours: &BTreeMap<String, &str>) -> String {
    let array = key.rsplit_once('.').filter(|(_, last)| last.parse::<usize>().is_ok()).map(|(array, _)| array);
    array.filter(|array| ours.contains_key(*array)).unwrap_or(key).to_owned()
}

/// Whether Codex reads the key: its list of origins names ignored keys too.
fn counts(key: &str, outcome: &ConfigOutcome) -> bool {
    let below = |ignored: &str| key == ignored || key.starts_with(&format!("{ignored}."));
    !outcome.ignored.iter().any(|ignored| ignored.layer != LayerName::Requirements && below(&ignored.key))
}

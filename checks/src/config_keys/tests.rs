use super::outcome::config_outcome;
use super::*;
use crate::facts::Observed;
use crate::facts::config::{Scalar, ValueKind};
use crate::facts::installation::{CodexProgram, Installation};

/// A user layer with string values at dotted paths, each on a line of its own.
pub(crate) fn config(values: &[(&str, &str)]) -> Config {
    layers(&[(LayerName::User, values)])
}

/// The same for several layers; `[a, b]` is an array of strings.
pub(crate) fn layers(layers: &[(LayerName, &[(&str, &str)])]) -> Config {
    let layers = layers.iter().map(|(name, values)| layer(*name, values)).collect();
    Config { home: "~/.codex".to_owned(), layers, ..Config::default() }
}

fn layer(name: LayerName, values: &[(&str, &str)]) -> Layer {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, (path, value)) in values.iter().enumerate() {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let line = Some(u32::try_from(index).unwrap() + 1);
        let entry = |path: &[String], kind, value| Entry {
            path: path.to_vec(),
            kind,
            value,
            line,
            column: Some(1),
            length: Some(5),
            value_line: line,
            value_column: Some(9),
            ..Entry::default()
        };
        for end in 1..path.len() {
            if !entries.iter().any(|known| known.path == path[..end]) {
                entries.push(entry(&path[..end], ValueKind::Table, None));
            }
        }
        if let Some(words) = value.strip_prefix('[').and_then(|words| words.strip_suffix(']')) {
            entries.push(entry(&path, ValueKind::Array, None));
            for (index, word) in words.split(", ").filter(|word| !word.is_empty()).enumerate() {
                let path: Vec<String> = path.iter().cloned().chain([index.to_string()]).collect();
                entries.push(entry(&path, ValueKind::String, Some(Scalar::String(word.to_owned()))));
            }
            continue;
        }
        let (kind, value) = match (value.parse::<bool>(), value.parse::<i64>()) {
            (Ok(flag), _) => (ValueKind::Boolean, Scalar::Boolean(flag)),
            (_, Ok(number)) => (ValueKind::Integer, Scalar::Integer(number)),
            _ => (ValueKind::String, Scalar::String((*value).to_owned())),
        };
        entries.push(entry(&path, kind, Some(value)));
    }
    Layer { name, file: Some(format!("{name:?}.toml")), state: LayerState::Parsed, entries }
}

fn facts(config: Config) -> Facts {
    Facts { config: Observed::known(config, "~/.codex/config.toml"), ..Facts::default() }
}

fn codes_of(facts: &Facts) -> Vec<String> {
    run(facts).into_iter().map(|finding| finding.code).collect()
}

#[test]
fn a_plain_configuration_is_accepted() {
    let facts = facts(config(&[("model", "gpt-6-sol"), ("tui.theme", "dark"), ("model_providers.relay.name", "Relay")]));
    assert_eq!(codes_of(&facts), ["config.accepted"]);
}

#[test]
fn a_key_that_codex_ignores_is_a_warning_without_weight_and_calls_for_advice() {
    let findings = run(&facts(config(&[("model", "gpt-6-sol"), ("model_fallback", "gpt-6-luna")])));
    let unknown = &findings[1];
    assert_eq!((unknown.code.as_str(), unknown.severity), ("config.unknown-key", Severity::Warning));
    assert_eq!(unknown.at.as_ref().unwrap().line, Some(2));
    assert!(unknown.weights.is_empty());
    assert_eq!(unknown.advice, ["no-model-fallback"]);
}

#[test]
fn a_wrong_type_stops_codex_whatever_else_is_right() {
    let findings = run(&facts(config(&[("model", "5"), ("foo", "1")])));
    assert_eq!(findings[0].code, "config.rejected");
    assert!(findings[0].weights["config.rejected"] >= 25);
    assert_eq!(findings[0].advice, ["fix-config-line"]);
    let outcome = config_outcome(&config(&[("model", "5"), ("foo", "1")]), None);
    assert_eq!((outcome.outcome, outcome.ignored.len()), (outcome::Outcome::Rejected, 0), "Codex does not get as far");
}

#[test]
fn a_higher_layer_masks_a_wrong_type_below() {
    let masked = layers(&[(LayerName::User, &[("model", "5")]), (LayerName::Override, &[("model", "gpt-6-sol")])]);
    assert_eq!(codes_of(&facts(masked)), ["config.accepted", "config.masked"]);
}

#[test]
fn a_project_may_not_name_an_endpoint() {
    let project = layers(&[(LayerName::User, &[]), (LayerName::Project, &[("openai_base_url", "5"), ("nope", "x")])]);
    let outcome = config_outcome(&project, None);
    assert_eq!(outcome.denied.iter().map(|key| key.key.as_str()).collect::<Vec<_>>(), ["openai_base_url"]);
    assert_eq!(outcome.ignored.iter().map(|key| key.key.as_str()).collect::<Vec<_>>(), ["nope"]);
    assert_eq!(codes_of(&facts(project)), ["config.accepted", "config.masked", "config.unknown-key", "config.denied-key"]);
}

#[test]
fn what_codex_cannot_read_or_parse_stops_it() {
    let state = |state| {
        let mut config = config(&[]);
        config.layers[0].state = state;
        codes_of(&facts(config))
    };
    let message = "Failed to read config file".to_owned();
    assert_eq!(state(LayerState::Unreadable { message: message.clone() }), ["config.unreadable"]);
    let syntax = LayerState::Syntax { line: 1, column: 2, message, end: None, shown: None, key: None, typed: None };
    assert_eq!(state(syntax), ["config.syntax"]);
    assert_eq!(state(LayerState::TooLarge { bytes: 1 << 30 }), ["config.not-read"], "not read is not fine");
    assert_eq!(state(LayerState::Missing), ["config.accepted"]);
    assert_eq!(state(LayerState::Untrusted { values: 1 }), ["config.accepted", "config.untrusted-project"]);
}

#[test]
fn a_profile_without_a_file_is_told_where_codex_says_nothing() {
    let of = |version: Option<&str>, name: LayerName| {
        let mut config = Config { profile: Some("work".to_owned()), ..config(&[("model", "m")]) };
        config.layers[0].name = name;
        let mut facts = facts(config);
        facts.run.codex_version = version.map(str::to_owned);
        codes_of(&facts)
    };
    assert_eq!(of(None, LayerName::User), ["config.missing-profile", "config.accepted"]);
    assert_eq!(of(Some("0.134.0"), LayerName::User)[0], "config.missing-profile");
    assert_eq!(of(None, LayerName::Profile), ["config.accepted"]);
    assert!(!of(Some("0.133.0"), LayerName::User).contains(&"config.missing-profile".to_owned()), "a table of the file is meant");
}

#[test]
fn a_refusal_is_told_in_plain_words_with_the_words_that_codex_takes() {
    let told = |entries: &[(&str, &str)]| run(&facts(config(entries))).remove(0);
    let policy = told(&[("approval_policy", "sometimes")]);
    assert_eq!((policy.message_id.as_str(), &policy.args["next"]), ("config-refused-word", &"no".into()));
    assert_eq!(policy.args["words"], "`on-failure`, `on-request`, `never`".into(), "one word is refused later, one is a table");
    assert!(policy.evidence[0].starts_with("unknown variant"));
    assert_eq!(told(&[("model_context_window", "large")]).message_id, "config-refused-number");
}

#[test]
fn a_project_that_is_left_out_is_a_warning_where_it_would_set_something() {
    let severity = |values| {
        let mut config = config(&[]);
        config.layers[0].state = LayerState::Untrusted { values };
        run(&facts(config)).into_iter().find(|finding| finding.code == "config.untrusted-project").unwrap().severity
    };
    assert_eq!((severity(0), severity(2)), (Severity::Note, Severity::Warning));
}

#[test]
fn a_named_home_that_is_missing_stops_codex() {
    let config = Config { home_error: Some("CODEX_HOME points to …".to_owned()), ..config(&[]) };
    assert_eq!(codes_of(&facts(config)), ["config.no-home"]);
}

#[test]
fn a_key_younger_than_the_installed_codex_is_told() {
    let mut facts = facts(config(&[("daybreak", "true"), ("experimental_use_unified_exec_tool", "true")]));
    let program = CodexProgram { path: "codex".to_owned(), version: Some("0.142.5".to_owned()), version_source: None };
    facts.installation = Observed::known(Installation { programs: vec![program] }, "PATH");
    assert_eq!(codes_of(&facts), ["config.accepted", "config.newer-key", "config.deprecated-key"]);
}

#[test]
fn without_a_configuration_nothing_is_told() {
    assert_eq!(codes_of(&Facts::default()), ["config-keys.skipped"]);
    let failed = Facts { config: Observed::failed("no access", "config.toml"), ..Facts::default() };
    assert_eq!(codes_of(&failed), ["config-keys.cannot-tell"]);
}

#[test]
fn every_refusal_is_told_in_the_order_in_which_codex_comes_to_it() {
    let findings = run(&facts(config(&[("model", "5"), ("review_model", "6"), ("approval_policy", "untrusted")])));
    let told: Vec<_> = findings.iter().map(|finding| (finding.message_id.as_str(), finding.at.as_ref().unwrap().line)).collect();
    assert_eq!(told, [("config-refused-text", Some(1)), ("config-refused-text", Some(2)), ("config-rejected-next", Some(3))]);
}

#[test]
fn a_release_has_its_own_keys_and_rules() {
    let outcome = |version, values: &[(&str, &str)]| {
        let outcome = config_outcome(&config(values), Some(version));
        (outcome.is_rejected(), outcome.ignored.len())
    };
    assert_eq!(outcome("0.171.0", &[("approval_policy", "untrusted")]), (true, 0));
    assert_eq!(outcome("0.142.5", &[("approval_policy", "untrusted")]), (false, 0));
    assert_eq!(outcome("0.142.5", &[("daybreak", "true")]), (false, 1));
    assert_eq!(outcome("0.171.0", &[("daybreak", "true")]), (false, 0));
}

#[test]
fn a_strict_start_refuses_what_a_higher_layer_covers_and_what_is_unknown() {
    let covered = layers(&[(LayerName::User, &[("model", "5")]), (LayerName::Override, &[("model", "gpt-6-sol")])]);
    let strict = config_outcome(&covered, None).strict.unwrap();
    assert_eq!((strict.key.as_deref(), strict.line), (Some("model"), Some(1)));
    let unknown = config_outcome(&config(&[("nope", "x")]), None);
    assert_eq!(unknown.strict.unwrap().message, "unknown configuration field `nope`");
    assert_eq!(config_outcome(&config(&[("model", "x")]), None).strict, None);
}

#[test]
fn a_newer_codex_is_judged_by_the_newest_keys_and_that_is_told() {
    let mut facts = facts(config(&[("model", "gpt-6-sol")]));
    facts.run.codex_version = Some("0.999.0".to_owned());
    assert_eq!(codes_of(&facts), ["config.accepted", "config.newer-codex"]);
    facts.run.codex_version = Some("0.98.0".to_owned());
    assert_eq!(codes_of(&facts), ["config.accepted", "config.older-codex"]);
}

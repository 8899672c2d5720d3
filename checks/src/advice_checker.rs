//! Advice checker: does the setting or the step that somebody advises do what it promises?
//!
//! # What it checks
//! A text that was given and in which no error is recognised: as lines of config.toml (what Codex does with each of them), as the name of a
//! key, or as a sentence that speaks of a known step.
//!
//! # Why it matters
//! Much of what circulates about capacity errors does nothing: keys that Codex never had, values that it refuses, steps that help against
//! something else. Codex ignores such a key, and whoever set it believes that it is on.
//!
//! # What it cannot tell
//! Whether a step that is not in its list helps; what a sentence says between the lines.
//!
//! # Fix
//! What the finding names instead. The whole list is in `docs/advice-checker.md`; its data is `checks/knowledge/beliefs.toml`.
//!
//! # Example
//! `codex-triage explain 'model_fallback = "gpt-6-luna"'`: Codex has no such key.

use crate::config_keys;
use crate::errors;
use crate::facts::config::{Config, Layer, ValueKind};
use crate::facts::{Facts, Observed};
use crate::finding::{Finding, Severity};
use crate::knowledge::beliefs::{self, Belief, Worth};
use crate::subject::Subject;

pub(crate) const ID: &str = "advice-checker";

/// A longer text is a report, not a piece of advice.
const LONGEST_ADVICE: usize = 400;

pub(crate) fn codes() -> Vec<String> {
    ["belief.refused", "belief.does-nothing", "belief.depends", "belief.helps", "belief.noted", "belief.taken"]
        .map(str::to_owned)
        .to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(given) = facts.error_text.value() else { return Vec::new() };
    if let Some(setting) = given.setting.as_ref().and_then(|layer| of_setting(layer, facts)) {
        return setting;
    }
    let is_error = Subject::of(facts).is_some_and(|subject| !errors::recognise(&subject, subject.route(facts)).is_empty());
    if is_error || given.text.chars().count() > LONGEST_ADVICE {
        return Vec::new();
    }
    let steps = beliefs::steps_in(&given.text);
    if steps.is_empty() { of_names(&given.text, facts) } else { steps.into_iter().map(of_step).collect() }
}

fn of_step(row: &Belief) -> Finding {
    let (code, severity) = match row.worth {
        Worth::Vain => ("belief.does-nothing", Severity::Warning),
        Worth::Depends => ("belief.depends", Severity::Note),
        Worth::Helps => ("belief.helps", Severity::Note),
    };
    Finding::plain(ID, code, severity).message_id(&row.text).evidence(row.source.clone())
}

/// What Codex does with lines of a configuration; nothing where none of their keys has to do with Codex.
fn of_setting(layer: &Layer, facts: &Facts) -> Option<Vec<Finding>> {
    let config = Config { layers: vec![layer.clone()], ..Config::default() };
    let alone =
        Facts { config: Observed::known(config, facts.error_text.source.clone()), run: facts.run.clone(), ..Facts::default() };
    let codex = config_keys::codex::Codex::of(facts.codex_version());
    let findings = config_keys::run(&alone);
    let is_known = |finding: &Finding| finding.severity > Severity::Ok && finding.message_id != "config-unknown-key";
    let has_key = layer.entries.iter().any(|entry| codex.keys.root().knows(&entry.path[0]));
    if !has_key && !findings.iter().any(is_known) {
        return None;
    }
    if findings.is_empty() {
        // The provider that the line selects stands elsewhere.
        let taken = Finding::new(ID, "belief.taken", Severity::Ok, [("version", codex.judged_as())]);
        return Some(vec![taken.message_id("belief-taken-with-provider")]);
    }
    // That the rest is taken is no answer about a line that is not.
    let speaks = findings.iter().any(|finding| finding.severity > Severity::Ok);
    if !speaks && layer.entries.iter().all(|entry| entry.kind == ValueKind::Table) {
        // Only headers: what is said of their tables says more.
        return None;
    }
    Some(findings.into_iter().filter(|finding| !speaks || finding.severity > Severity::Ok).map(told).collect())
}

/// A finding about a configuration as one about advice: it weighs nothing, for nothing has failed.
fn told(finding: Finding) -> Finding {
    let code = match (finding.code.as_str(), finding.severity) {
        ("config.rejected" | "config.syntax", _) => "belief.refused",
        (_, Severity::Ok) => "belief.taken",
        (_, Severity::Warning) => "belief.does-nothing",
        _ => "belief.noted",
    };
    let message_id = match finding.message_id.as_str() {
        "config-rejected" | "config-rejected-override" => "belief-refused".to_owned(),
        "config-unknown-key" => "belief-does-nothing".to_owned(),
        "config-deprecated-key" => "belief-noted".to_owned(),
        "config-accepted" => "belief-taken".to_owned(),
        id => id.to_owned(),
    };
    let severity = finding.severity.min(Severity::Warning);
    Finding {
        check: ID.to_owned(),
        code: code.to_owned(),
        severity,
        message_id,
        group: None,
        weights: std::collections::BTreeMap::new(),
        advice: Vec::new(),
        ..finding
    }
}

/// The names of keys in a text: a word alone, or words that are written as keys.
fn of_names(text: &str, facts: &Facts) -> Vec<Finding> {
    let codex = config_keys::codex::Codex::of(facts.codex_version());
    let trimmed = |word: &str| word.trim_matches(|mark: char| !mark.is_alphanumeric() && mark != '-').to_owned();
    let words: Vec<String> = text.split_whitespace().map(trimmed).collect();
    let is_option = |word: &&String| word.starts_with('-');
    let is_key = |word: &&String| words.len() == 1 || word.contains('_');
    let mut names: Vec<&String> = words.iter().filter(|word| !is_option(word) && is_key(word)).collect();
    names.dedup();
    names.into_iter().filter_map(|name| config_keys::named(name, codex)).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::error_text::ErrorText;
    use crate::kind::Cause;
    use crate::verdict::weigh;

    fn facts(text: &str, setting: &[(&str, &str)]) -> Facts {
        let layer = config_keys::tests::config(setting).layers.remove(0);
        let given = ErrorText { text: text.to_owned(), input_bytes: 0, setting: Some(layer).filter(|_| !setting.is_empty()) };
        let mut facts = Facts { error_text: Observed::known(given, "argument"), ..Facts::default() };
        facts.run.scope = crate::facts::run::Scope::Explain;
        facts
    }

    fn told(facts: &Facts) -> Vec<(String, String)> {
        run(facts).into_iter().map(|finding| (finding.code, finding.message_id)).collect()
    }

    #[test]
    fn a_pasted_setting_is_judged_as_codex_would() {
        let ignored = facts("", &[("model_fallback", "gpt-5")]);
        assert_eq!(told(&ignored), [("belief.does-nothing".to_owned(), "config-foreign-capacity".to_owned())]);
        assert_eq!(weigh(&ignored, &run(&ignored)).cause, Cause::Healthy, "nothing has failed");
        assert_eq!(told(&facts("", &[("approval_policy", "untrusted")]))[0].1, "belief-approval-untrusted");
        assert_eq!(told(&facts("", &[("model_provider", "relay")]))[0].1, "belief-taken-with-provider");
        assert_eq!(told(&facts("", &[("model", "gpt-6-sol")])), [("belief.taken".to_owned(), "belief-taken".to_owned())]);
    }

    #[test]
    fn what_has_nothing_to_do_with_codex_is_no_advice() {
        assert!(told(&facts("", &[("status", "503"), ("error", "at capacity")])).is_empty());
        assert!(told(&facts("good morning", &[])).is_empty());
    }

    #[test]
    fn a_name_and_a_sentence_are_known_too() {
        assert_eq!(told(&facts("model_fallback", &[]))[0].1, "config-foreign-capacity");
        assert_eq!(told(&facts("Just reinstall it and upgrade to the Pro plan", &[])).len(), 2);
        assert_eq!(told(&facts("升级套餐就好了", &[]))[0].1, "advice-no-upgrade");
        for (text, code, message) in [
            ("approval-policy", "belief.does-nothing", "config-unknown-key-spelling"),
            ("set `model_fallback` in config.toml", "belief.does-nothing", "config-foreign-capacity"),
            ("network_access", "belief.does-nothing", "config-unknown-key-replaced-otherwise"),
            ("profile", "belief.refused", "belief-profile-selector"),
            ("sandbox_mode", "belief.taken", "belief-key-known"),
            ("supports_websockets", "belief.taken", "belief-key-below"),
            ("request_max_retries", "belief.does-nothing", "config-foreign-provider-key"),
            ("switch to gpt-6-luna", "belief.helps", "belief-switch-model"),
            ("rm ~/.codex/auth.json", "belief.depends", "belief-remove-login"),
            ("codex --verbose", "belief.does-nothing", "belief-verbose"),
        ] {
            assert_eq!(told(&facts(text, &[]))[0], (code.to_owned(), message.to_owned()), "{text}");
        }
        assert!(told(&facts("my_own_word and another_one", &[])).is_empty());
    }

    #[test]
    fn a_header_alone_is_a_piece_of_advice_about_its_table() {
        let mut layer = config_keys::tests::config(&[("model_providers.openai", "")]).layers.remove(0);
        layer.entries.iter_mut().for_each(|entry| entry.kind = ValueKind::Table);
        let given = ErrorText { text: "[model_providers.openai]".to_owned(), input_bytes: 0, setting: Some(layer) };
        let facts = Facts { error_text: Observed::known(given, "argument"), ..Facts::default() };
        assert_eq!(told(&facts), [("belief.does-nothing".to_owned(), "belief-openai-header".to_owned())]);
    }

    #[test]
    fn an_error_is_no_advice_whatever_words_it_uses() {
        let error = facts("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus", &[]);
        assert!(run(&error).is_empty());
        assert!(run(&Facts::default()).is_empty());
    }
}

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
use crate::facts::config::{Config, Layer};
use crate::facts::{Facts, Observed};
use crate::finding::{Finding, Severity};
use crate::knowledge::beliefs;
use crate::knowledge::foreign_keys::foreign;
use crate::subject::Subject;

pub(crate) const ID: &str = "advice-checker";

/// A longer text is a report, not a piece of advice.
const LONGEST_ADVICE: usize = 400;

pub(crate) fn codes() -> Vec<String> {
    ["belief.refused", "belief.does-nothing", "belief.noted", "belief.taken"].map(str::to_owned).to_vec()
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
    if let Some(key) = of_key(given.text.trim().trim_matches('`')) {
        return vec![key];
    }
    let steps = beliefs::steps_in(&given.text).into_iter();
    steps
        .map(|row| Finding::plain(ID, "belief.does-nothing", Severity::Warning).message_id(&row.text).evidence(row.source.clone()))
        .collect()
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

/// The name of a key of the folklore, alone.
fn of_key(name: &str) -> Option<Finding> {
    let row = foreign(name)?;
    let finding = Finding::new(ID, "belief.does-nothing", Severity::Warning, [("key", row.key.as_str())]);
    Some(finding.message_id(&format!("config-foreign-{}", row.hint)).evidence(row.source.clone()))
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
    }

    #[test]
    fn an_error_is_no_advice_whatever_words_it_uses() {
        let error = facts("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus", &[]);
        assert!(run(&error).is_empty());
        assert!(run(&Facts::default()).is_empty());
    }
}

//! Reasoning efforts. Measured with `codex exec` against a local server, by the body of its requests.

use super::{ID, Settings};
use crate::finding::{Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::catalogue;
use crate::model_lists;
use crate::model_provider::at;

/// The server refuses some efforts that a model does not list.
const NOT_OFFERED: i16 = 6;

/// Before this release any other word is a type error, told by another check.
const OPEN: &str = "0.138.0";
const CLOSED: [&str; 6] = ["none", "minimal", "low", "medium", "high", "xhigh"];
/// From here on `ultra` is sent as `max` by a model that does not list it …
const ULTRA_AS_MAX: &str = "0.142.4";
/// … and from here on as the highest that the model lists.
const ULTRA_AS_HIGHEST: &str = "0.151.0";

pub(super) const CODES: &[&str] = &["effort.not-offered", "effort.spelling", "effort.lowered", "effort.none"];

/// The keys, each with the key of the model that it goes with, and whether it goes with every request.
const KEYS: [(&[&str], &[&str], bool); 3] = [
    (&["model_reasoning_effort"], &["model"], true),
    (&["plan_mode_reasoning_effort"], &["model"], false),
    (&["agents", "default_subagent_reasoning_effort"], &["agents", "default_subagent_model"], false),
];

pub(super) fn findings(settings: &Settings<'_>) -> Vec<Finding> {
    KEYS.iter().filter_map(|(key, model, always)| finding(settings, key, model, *always)).collect()
}

fn finding(settings: &Settings<'_>, key: &[&str], model: &[&str], always: bool) -> Option<Finding> {
    let effort = settings.config.text(key).filter(|effort| !effort.is_empty())?;
    let model = settings.config.text(model).filter(|model| !model.is_empty()).unwrap_or(settings.model);
    let known = model_lists::described(settings.facts, model);
    let offered: Vec<&str> = known.map(|known| known.efforts.iter().map(String::as_str).collect()).unwrap_or_default();
    if offered.contains(&effort) || !settings.is_since(OPEN) && !CLOSED.contains(&effort) {
        return None;
    }
    let lower = effort.to_lowercase();
    let said = |code: &str, severity: Severity| {
        let finding = Finding::new(ID, code, severity, [("model", model), ("effort", effort), ("key", &key.join("."))]);
        at(finding.arg("offered", offered.join(", ")), settings.config.effective(key))
    };
    // What another route makes of an effort is that route's affair.
    let official = model_lists::official(settings.facts);
    let fault = |code: &str| match official {
        true if always => said(code, Severity::Warning).weighs(Target::Kind(Kind::ConfigModel), NOT_OFFERED),
        true => said(code, Severity::Warning),
        false => said(code, Severity::Note),
    };
    let is_word = |word: &str| catalogue::rows().iter().any(|row| row.model.efforts.iter().any(|effort| effort == word));
    if lower != *effort && (offered.contains(&lower.as_str()) || is_word(&lower)) {
        return Some(fault("effort.spelling").arg("suggestion", lower));
    }
    // A model that Codex does not know may offer anything.
    known?;
    if effort == "ultra" && settings.is_since(ULTRA_AS_MAX) {
        let sent = if settings.is_since(ULTRA_AS_HIGHEST) { offered.last().copied().unwrap_or("max") } else { "max" };
        return Some(match offered.contains(&sent) {
            true => said("effort.lowered", Severity::Note).arg("sent", sent),
            false => fault("effort.not-offered"),
        });
    }
    // OpenAI's API knows it for newer models, though no list of Codex shows it.
    Some(if effort == "none" { said("effort.none", Severity::Note) } else { fault("effort.not-offered") })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at_host, ids, said};
    use super::*;

    fn facts(model: &str, effort: &str, version: &str) -> crate::facts::Facts {
        super::super::tests::facts(&[("model", model), ("model_reasoning_effort", effort)], version)
    }

    #[test]
    fn an_effort_that_the_model_does_not_list_is_sent_as_it_is() {
        let not_offered = ("effort-not-offered".to_owned(), Severity::Warning, Some(NOT_OFFERED));
        for effort in ["minimal", "superhigh", "auto"] {
            assert_eq!(said(&facts("gpt-6-sol", effort, "0.171.0")), std::slice::from_ref(&not_offered), "{effort}");
        }
        assert_eq!(said(&facts("gpt-5.5", "max", "0.171.0")), [not_offered]);
        assert_eq!(ids(&facts("gpt-6-sol", "none", "0.171.0")), ["effort-none"]);
    }

    #[test]
    fn a_capital_is_a_misspelling_whatever_the_model() {
        for model in ["gpt-6-sol", "gpt-99"] {
            assert_eq!(ids(&facts(model, "High", "0.171.0")), ["effort-spelling"], "{model}");
        }
        assert_eq!(ids(&facts("gpt-99", "superhigh", "0.171.0")), Vec::<String>::new(), "nothing is known of it");
    }

    #[test]
    fn ultra_becomes_what_the_model_has() {
        let sent = |model: &str, version: &str| {
            let finding = super::super::run(&facts(model, "ultra", version)).remove(0);
            (finding.code, finding.args.get("sent").map(|sent| format!("{sent:?}")))
        };
        assert_eq!(sent("gpt-6-luna", "0.171.0"), ("effort.lowered".to_owned(), Some("Text(\"max\")".to_owned())));
        assert_eq!(sent("gpt-5.5", "0.171.0"), ("effort.lowered".to_owned(), Some("Text(\"xhigh\")".to_owned())));
        assert_eq!(sent("gpt-5.5", "0.146.1"), ("effort.not-offered".to_owned(), None), "sent as max, which it lacks");
        assert_eq!(sent("gpt-5.5", "0.140.0"), ("effort.not-offered".to_owned(), None));
        assert_eq!(said(&facts("gpt-6-sol", "ultra", "0.171.0")), []);
    }

    #[test]
    fn a_release_that_refuses_the_word_is_left_to_the_check_of_keys() {
        assert_eq!(said(&facts("gpt-5.5", "High", "0.137.0")), []);
        assert_eq!(ids(&facts("gpt-5.5", "minimal", "0.137.0")), ["effort-not-offered"]);
    }

    #[test]
    fn on_a_relay_it_is_a_note_and_other_keys_weigh_nothing() {
        let entries = [("model", "gpt-6-sol"), ("model_reasoning_effort", "minimal")];
        let relay = at_host(&entries, "0.171.0", "https://relay.example/v1");
        assert_eq!(said(&relay), [("effort-not-offered".to_owned(), Severity::Note, None)]);
        let entries = [("agents.default_subagent_reasoning_effort", "max"), ("agents.default_subagent_model", "gpt-5.5")];
        let facts = super::super::tests::facts(&entries, "0.171.0");
        assert_eq!(said(&facts), [("effort-not-offered".to_owned(), Severity::Warning, None)]);
    }
}

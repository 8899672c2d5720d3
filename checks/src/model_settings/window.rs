//! The context window. Codex cuts a larger one to the model's largest without a word (measured on 0.131.0 to 0.171.0, by the window
//! that it writes into its records).

use super::{ID, Settings};
use crate::facts::config::Scalar;
use crate::finding::{Finding, Severity};
use crate::model_lists;
use crate::model_provider::at;

/// What Codex assumes of a model that it does not know, in tokens.
const ASSUMED: u64 = 272_000;

pub(super) const CODES: &[&str] = &["window.capped"];

pub(super) fn finding(settings: &Settings<'_>) -> Option<Finding> {
    let key = &["model_context_window"];
    let place = settings.config.effective(key)?;
    let Some(Scalar::Integer(declared)) = place.1.value else { return None };
    let declared = u64::try_from(declared).ok()?;
    let known = model_lists::described(settings.facts, settings.model);
    let largest = known.map_or(Some(ASSUMED), |known| known.max_context_window.or(known.context_window))?;
    if declared <= largest {
        return None;
    }
    let finding = Finding::new(ID, "window.capped", Severity::Note, [("model", settings.model)])
        .arg("declared", declared)
        .arg("largest", largest)
        .advises("no-larger-window");
    let finding = if known.is_none() { finding.message_id("window-capped-unknown-model") } else { finding };
    Some(at(finding, Some(place)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{facts, ids, said};

    #[test]
    fn a_window_beyond_the_models_own_is_cut() {
        let ids_of = |model: &str, window: &str| ids(&facts(&[("model", model), ("model_context_window", window)], "0.171.0"));
        assert_eq!(ids_of("gpt-6.2-sol", "1000000"), ["window-capped"]);
        assert_eq!(ids_of("gpt-5.5", "1000000"), ["window-capped"]);
        assert_eq!(ids_of("gpt-99", "1000000"), ["window-capped-unknown-model"]);
        let fine = facts(&[("model", "gpt-6.2-sol"), ("model_context_window", "872000")], "0.171.0");
        assert_eq!(said(&fine), []);
        assert_eq!(ids(&facts(&[("model", "gpt-5.4"), ("model_context_window", "1000000")], "0.142.5")), Vec::<String>::new());
    }
}

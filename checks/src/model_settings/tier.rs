//! Service tiers. Codex leaves out of its requests what the model's list does not name, whoever serves it (measured with `codex exec`
//! against a local server).

use super::{ID, Settings};
use crate::finding::{Finding, Severity};
use crate::knowledge::catalogue;
use crate::model_lists::{self, Basis};
use crate::model_provider::at;

/// From this release on `flex` is sent whatever the list says.
const FLEX_ALWAYS: &str = "0.156.0";
/// The word of the configuration for the tier `priority`.
const FAST: (&str, &str) = ("fast", "priority");
/// How many models that do offer a tier are named.
const NAMED: usize = 3;

pub(super) const CODES: &[&str] = &["tier.omitted"];

pub(super) fn finding(settings: &Settings<'_>) -> Option<Finding> {
    let tier = settings.config.text(&["service_tier"])?;
    let known = model_lists::described(settings.facts, settings.model);
    let offered = known.map(|known| known.tiers.as_slice()).unwrap_or_default();
    let sent = if tier == FAST.0 { FAST.1 } else { tier };
    let always = tier == "default" || (tier == "flex" && settings.is_since(FLEX_ALWAYS));
    if always || offered.iter().any(|offered| offered == sent) {
        return None;
    }
    let finding = Finding::new(ID, "tier.omitted", Severity::Note, [("model", settings.model), ("tier", tier)]);
    let lower = tier.to_lowercase();
    let meant = [lower.as_str(), if lower == FAST.0 { FAST.1 } else { &lower }];
    let others = offering(settings, sent);
    let finding = if known.is_none() {
        finding.message_id("tier-omitted-unknown-model")
    } else if lower != tier && offered.iter().any(|offered| meant.contains(&offered.as_str())) {
        finding.arg("suggestion", lower).message_id("tier-omitted-case")
    } else if !others.is_empty() {
        finding.arg("others", others.join(", ")).message_id("tier-omitted-others")
    } else if offered.is_empty() {
        finding.message_id("tier-omitted-none-offered")
    } else {
        let words = offered.iter().map(|tier| if tier == FAST.1 { FAST.0 } else { tier.as_str() });
        finding.arg("offered", words.collect::<Vec<_>>().join(", "))
    };
    Some(at(finding, settings.config.effective(&["service_tier"])))
}

/// Listed models that offer the tier.
fn offering<'a>(settings: &Settings<'a>, tier: &str) -> Vec<&'a str> {
    let listed: Vec<_> = match model_lists::basis(settings.facts) {
        Some(Basis::Kept(kept)) => kept.list.models.iter().collect(),
        Some(Basis::Bundled) => catalogue::list(settings.facts.codex_version()).collect(),
        None => Vec::new(),
    };
    let offer = listed.into_iter().filter(|model| model.listed && model.tiers.iter().any(|offered| offered == tier));
    offer.map(|model| model.slug.as_str()).take(NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at_host, ids, said};
    use super::*;

    fn facts(model: &str, tier: &str, version: &str) -> crate::facts::Facts {
        super::super::tests::facts(&[("model", model), ("service_tier", tier)], version)
    }

    #[test]
    fn a_tier_that_is_left_out_is_worth_a_line() {
        for (model, tier, id) in [
            ("gpt-6-sol", "turbo", "tier-omitted"),
            ("gpt-6-sol", "auto", "tier-omitted"),
            ("gpt-6-sol", "Fast", "tier-omitted-case"),
            ("gpt-daybreak-blue-latest", "fast", "tier-omitted-others"),
            ("gpt-daybreak-blue-latest", "turbo", "tier-omitted-none-offered"),
            ("gpt-99", "fast", "tier-omitted-unknown-model"),
        ] {
            assert_eq!(said(&facts(model, tier, "0.171.0")), [(id.to_owned(), Severity::Note, None)], "{model} {tier}");
        }
        let relay = at_host(&[("model", "qwen3"), ("service_tier", "fast")], "0.171.0", "https://relay.example/v1");
        assert_eq!(ids(&relay), ["tier-omitted-unknown-model"]);
    }

    #[test]
    fn what_is_sent_is_not() {
        for (model, tier) in
            [("gpt-6-sol", "fast"), ("gpt-6-sol", "priority"), ("gpt-6-sol", "flex"), ("gpt-99", "flex"), ("gpt-99", "default")]
        {
            assert_eq!(said(&facts(model, tier, "0.171.0")), [], "{model} {tier}");
        }
    }

    #[test]
    fn flex_was_left_out_before() {
        assert_eq!(ids(&facts("gpt-5.5", "flex", "0.155.1")), ["tier-omitted"]);
        assert_eq!(said(&facts("gpt-5.5", "flex", "0.156.0")), []);
        assert_eq!(said(&facts("gpt-5.6-sol", "ultrafast", "0.153.4")), []);
        assert_eq!(ids(&facts("gpt-5.6-sol", "ultrafast", "0.171.0")), ["tier-omitted"]);
    }
}

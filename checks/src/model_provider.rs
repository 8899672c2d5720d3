//! Provider and model: whom does Codex ask, is that defined, and does that catalogue know the model?
//!
//! # What it checks
//! The selected provider after all layers are merged, whether it is built in or defined, whose address it has, which defined
//! providers nothing uses, and the model's name against three lists: the one bundled with the release of Codex that is judged; the one
//! that Codex fetched for a ChatGPT login (`models_cache.json`), which replaces it and counts while it is at most a week old and of
//! that release; and the one that the server itself gives when it is asked. Each finding says which list it goes by, and how old it is.
//!
//! # Why it matters
//! The capacity sentence is printed for whatever answers with one code. From OpenAI's own host it speaks of OpenAI's capacity;
//! from a relay it only proves that the relay wrote that code. A model that the installed Codex does not know yet is asked for with
//! wrong limits, and the server may refuse it.
//!
//! # What it cannot tell
//! Which models a relay serves that gives no list; models that the server announced after the release of the installed Codex, when no
//! list of this login is there. A name outside the lists may be right all the same.
//!
//! # Fix
//! Select a provider that is defined (ids are case-sensitive), or define it; name a model of the catalogue, or update Codex.
//!
//! # Example
//! `model_provider = "deepseek"` without `[model_providers.deepseek]`: Codex does not start.

use crate::config_keys;
use crate::facts::Facts;
use crate::facts::config::{Config, Entry, Layer, Scalar};
use crate::facts::endpoint::HostKind;
use crate::finding::{Finding, Place, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::providers;
use crate::provider_table::selected_id;

mod name;

pub(crate) const ID: &str = "model-provider";

/// What of a refused start is the provider's own share.
const UNDEFINED: i16 = 25;
/// How much alike two ids must be to be taken for each other; 1 is equal (`relai` and `relay` have 0.8).
const ALIKE: f64 = 0.75;
/// A built-in id of older releases; Codex 0.171.0 refuses it and names `ollama`.
const GONE: &str = "ollama-chat";

pub(crate) fn codes() -> Vec<String> {
    let own = ["provider.selected", "provider.undefined", "provider.relay", "provider.unused"];
    own.iter().chain(name::CODES).map(|code| (*code).to_owned()).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(config) = facts.config.value() else { return vec![Finding::cannot_tell(ID, &facts.config)] };
    let mut findings = vec![selected(config, facts)];
    findings.extend(relay(facts));
    findings.extend(unused(config));
    findings.extend(name::findings(config, facts));
    findings
}

fn is_defined(config: &Config, id: &str) -> bool {
    providers::is_built_in(id) || config.names_below(&["model_providers"]).contains(&id)
}

fn selected(config: &Config, facts: &Facts) -> Finding {
    let id = selected_id(config);
    if is_defined(config, id) {
        let finding = Finding::new(ID, "provider.selected", Severity::Ok, [("provider", id)]);
        return match facts.endpoint.value().and_then(|endpoint| endpoint.host.as_ref()) {
            Some(host) => finding.arg("host", host.clone()),
            None => finding.message_id("provider-selected-without-host"),
        };
    }
    let finding = Finding::new(ID, "provider.undefined", Severity::Error, [("provider", id)])
        .group(config_keys::GROUP)
        .weighs(Target::Kind(Kind::ConfigRejected), config_keys::REFUSED)
        .weighs(Target::Kind(Kind::ConfigProvider), UNDEFINED)
        .evidence(config_keys::undefined_provider(id))
        .advises(config_keys::FIX_LINE);
    let defined = config.names_below(&["model_providers"]);
    // An id that is meant needs no other provider.
    let finding = match meant(id, &defined) {
        _ if id == GONE => finding.message_id("provider-undefined-ollama-chat"),
        Some(known) if known.eq_ignore_ascii_case(id) => finding.arg("suggestion", known).message_id("provider-undefined-case"),
        Some(known) => finding.arg("suggestion", known).message_id("provider-undefined-alike"),
        None => finding.advises("ready-provider"),
    };
    at(finding, config.effective(&["model_provider"]))
}

/// The provider that is meant with `id`, when a slip leads to one that is defined or built in.
fn meant<'known>(id: &str, defined: &[&'known str]) -> Option<&'known str> {
    // What is hidden of a name nobody can have mistyped.
    let mut all: Vec<&'known str> = defined.iter().copied().filter(|known| !known.contains('<')).collect();
    for built_in in providers::ids() {
        all.push(built_in);
    }
    let known = || all.iter().copied();
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&id.to_ascii_lowercase(), &known.to_ascii_lowercase());
    known().find(|known| known.eq_ignore_ascii_case(id)).or_else(|| {
        let alike = known().filter(|known| likeness(known) >= ALIKE);
        alike.max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
    })
}

/// The address is not OpenAI's: what it says about capacity is its own word.
fn relay(facts: &Facts) -> Option<Finding> {
    let endpoint = facts.endpoint.value().filter(|endpoint| endpoint.host_kind == HostKind::Other)?;
    let host = endpoint.host.clone()?;
    let finding = Finding::new(ID, "provider.relay", Severity::Note, [("host", host), ("provider", endpoint.provider.clone())]);
    Some(finding.evidence(endpoint.origin.clone()))
}

fn unused(config: &Config) -> Option<Finding> {
    let selected = selected_id(config);
    let mut names: Vec<&str> = config.names_below(&["model_providers"]);
    // Adapting a built-in provider is no sign that somebody meant to use it.
    names.retain(|id| *id != selected && !providers::is_built_in(id));
    let count = i64::try_from(names.len()).unwrap_or(i64::MAX);
    // Where nothing is selected, the line that selects it was perhaps forgotten: then the place is worth a look.
    let place = names.first().filter(|_| config.text(&["model_provider"]).is_none());
    let place = place.and_then(|id| Place::of(config.effective(&["model_providers", id])?));
    (count > 0).then(|| {
        let finding = Finding::new(ID, "provider.unused", Severity::Note, [("providers", names.join(", "))])
            .arg("count", count)
            .arg("selected", selected);
        finding.at_maybe(place)
    })
}

/// `finding` at the value that counts.
pub(crate) fn at(finding: Finding, place: Option<(&Layer, &Entry)>) -> Finding {
    match place.and_then(|(layer, entry)| Some((layer.file.clone()?, entry))) {
        Some((file, entry)) => {
            let length = value_length(entry);
            finding.at(Place { file, line: entry.value_line, column: entry.value_column, length, shown: entry.shown.clone() })
        }
        None => finding,
    }
}

/// The length of a plain value in characters, where the line shows it as it is.
fn value_length(entry: &Entry) -> Option<u32> {
    let before = usize::try_from(entry.value_column?).ok()?.checked_sub(1)?;
    let rest: String = entry.shown.as_ref()?.chars().skip(before).collect();
    let written = match entry.value.as_ref()? {
        Scalar::String(text) => [format!("\"{text}\""), format!("'{text}'")].into_iter().find(|quoted| rest.starts_with(quoted))?,
        Scalar::Integer(_) => rest.split(|letter: char| !letter.is_ascii_digit() && letter != '_').next()?.to_owned(),
        _ => return None,
    };
    u32::try_from(written.chars().count()).ok().filter(|length| *length > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;

    fn facts(entries: &[(&str, &str)], host: &str) -> Facts {
        let endpoint = crate::base_url::tests::endpoint(&format!("https://{host}/v1"));
        Facts {
            config: Observed::known(config(entries), "config.toml"),
            endpoint: Observed::known(endpoint, "test"),
            ..Facts::default()
        }
    }

    fn codes_of(facts: &Facts) -> Vec<String> {
        run(facts).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn the_official_provider_with_a_listed_model_is_fine() {
        assert_eq!(codes_of(&facts(&[("model", "gpt-6-sol")], "api.openai.com")), ["provider.selected", "model.listed"]);
    }

    #[test]
    fn an_undefined_provider_stops_codex_and_a_wrong_capital_is_named() {
        let facts = facts(&[("model_provider", "OpenAI"), ("model_providers.openAI.name", "x")], "api.openai.com");
        let finding = &run(&facts)[0];
        assert_eq!((finding.code.as_str(), finding.message_id.as_str()), ("provider.undefined", "provider-undefined-case"));
        assert!(finding.weights["config.provider"] >= 25 && finding.weights["config.rejected"] >= 40);
        assert_eq!(finding.evidence, ["Model provider `OpenAI` not found"]);
    }

    #[test]
    fn a_slip_in_an_id_is_named_and_a_strange_id_is_not() {
        let of = |id: &str| {
            let entries = [("model_provider", id), ("model_providers.relay.name", "x")];
            let finding = run(&facts(&entries, "api.openai.com")).remove(0);
            (finding.message_id, finding.args.get("suggestion").cloned(), !finding.advice.iter().any(|id| id == "ready-provider"))
        };
        assert_eq!(of("relai"), ("provider-undefined-alike".to_owned(), Some("relay".into()), true));
        assert_eq!(of("olama"), ("provider-undefined-alike".to_owned(), Some("ollama".into()), true));
        assert_eq!(of("ollama-chat"), ("provider-undefined-ollama-chat".to_owned(), None, true));
        assert_eq!(of("deepseek"), ("provider-undefined".to_owned(), None, false));
    }

    #[test]
    fn a_relay_is_told_and_weighs_nothing() {
        let facts = facts(&[("model_provider", "r"), ("model_providers.r.name", "R"), ("model", "gpt-x")], "r.example");
        let findings = run(&facts);
        assert!(findings.iter().any(|finding| finding.code == "provider.relay"));
        assert!(findings.iter().all(|finding| finding.weights.is_empty()), "a relay has models of its own");
    }

    #[test]
    fn a_provider_that_is_defined_and_not_selected_is_worth_a_line() {
        let codes = codes_of(&facts(&[("model_providers.r.name", "R")], "api.openai.com"));
        assert_eq!(codes, ["provider.selected", "provider.unused"]);
    }

    #[test]
    fn a_model_without_a_name_stops_codex() {
        let finding = run(&facts(&[("model", "")], "api.openai.com")).remove(1);
        assert_eq!((finding.code.as_str(), finding.weights["config.model"]), ("model.empty", 25));
    }

    #[test]
    fn without_a_configuration_nothing_is_told() {
        assert_eq!(codes_of(&Facts::default()), ["model-provider.skipped"]);
        let failed = Facts { config: Observed::failed("no access", "config.toml"), ..Facts::default() };
        assert_eq!(codes_of(&failed), ["model-provider.cannot-tell"]);
    }
}

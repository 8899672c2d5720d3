//! Provider settings: is what each defined provider says about its key and its service complete and meant so?
//!
//! # What it checks
//! All `[model_providers.…]` of the configuration, selected or not: whether each has an address; whether `env_key` names a variable and whether that is set; ids that
//! differ from a built-in one by capitals only; a login of OpenAI that goes to another host; for Azure the path, the `api-version`, the key and the name of the deployment.
//!
//! # Why it matters
//! Codex takes any text here when it starts. A key in the place of its variable's name, a `$` before it, or a variable that is set in
//! another shell only ends in "Missing environment variable", and no request is sent. A provider without an address is OpenAI's own,
//! which then gets the key of another service. Azure answers a missing piece with a bare 404 or 401.
//!
//! # What it cannot tell
//! Whether a key is right; which deployments an Azure resource has; which variables the desktop app or a service sees.
//!
//! # Fix
//! Put the name of the variable into `env_key`, and the key into that variable or into the file `.env` in Codex's home, which both the
//! command line and the app read.
//!
//! # Example
//! `env_key = "$RELAY_KEY"`: Codex looks for a variable of exactly that name, with the dollar sign.

mod address;
mod azure;
mod login;

use crate::facts::Facts;
use crate::facts::config::Config;
use crate::facts::environment::{Environment, VariableOrigin};
use crate::facts::run::Scope;
use crate::finding::{Finding, Place, Severity};
use crate::knowledge::providers;
use crate::provider_table::{ProviderTable, selected_id};

pub(crate) const ID: &str = "provider-settings";

/// What stands for a secret in a fact.
const MASK: &str = "<secret>";

pub(crate) fn codes() -> Vec<String> {
    let own = [
        "settings-ok",
        "no-address",
        "key-in-env-key",
        "env-key-not-a-name",
        "env-key-unset",
        "env-key-shell-only",
        "keys-unset",
        "capitals",
    ];
    let providers = own.iter().chain(login::CODES).map(|code| format!("provider.{code}"));
    providers.chain(azure::CODES.iter().map(|code| format!("azure.{code}"))).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(config) = facts.config.value() else { return vec![Finding::cannot_tell(ID, &facts.config)] };
    let tables = ProviderTable::all(config);
    let mut findings: Vec<Finding> = tables.iter().filter_map(|table| env_key(*table, facts)).collect();
    findings.extend(tables.iter().filter_map(|table| address::missing(*table, config)));
    findings.extend(login::finding(&tables, config, facts));
    findings.extend(unset_elsewhere(&tables, facts));
    findings.extend(tables.iter().filter_map(|table| capitals(*table, config)));
    findings.extend(tables.iter().flat_map(|table| azure::findings(*table, config, facts)));
    if findings.is_empty() && !tables.is_empty() {
        let count = i64::try_from(tables.len()).unwrap_or(i64::MAX);
        findings.push(Finding::new(ID, "provider.settings-ok", Severity::Ok, [("count", count)]));
    }
    findings
}

/// A finding about one provider: what is wrong with one that is not selected waits for whoever selects it.
fn about(table: ProviderTable<'_>, code: &str, severity: Severity, place: Option<Place>) -> Finding {
    let severity = if table.selected { severity } else { severity.min(Severity::Note) };
    let finding = Finding::new(ID, code, severity, [("provider", table.id)]).evidence(format!("model_providers.{}", table.id));
    finding.at_maybe(place)
}

fn env_key(table: ProviderTable<'_>, facts: &Facts) -> Option<Finding> {
    let name = table.text("env_key")?;
    let environment = facts.environment.value();
    if environment.is_some_and(|environment| environment.is_set(name)) {
        return environment.filter(|_| table.selected).and_then(|environment| shell_only(table, name, environment));
    }
    let place = table.place("env_key");
    if name.contains(MASK) {
        return Some(about(table, "provider.key-in-env-key", Severity::Warning, place));
    }
    if !is_variable_name(name) {
        let finding = about(table, "provider.env-key-not-a-name", Severity::Warning, place).arg("variable", name);
        return Some(match bare_name(name) {
            Some(bare) => finding.arg("suggestion", bare).message_id("provider-env-key-not-a-name-bare"),
            None => finding,
        });
    }
    // In a run that looks at credentials, `identity` speaks of the selected provider's.
    let told_elsewhere = facts.run.scope != Scope::Lint;
    (environment.is_some() && table.selected && !told_elsewhere)
        .then(|| about(table, "provider.env-key-unset", Severity::Note, place).arg("variable", name))
}

/// A key that only this shell has: the desktop app and services start without it.
fn shell_only(table: ProviderTable<'_>, name: &str, environment: &Environment) -> Option<Finding> {
    let in_file = environment.variables.iter().any(|known| known.name == name && known.origin == VariableOrigin::DotEnv);
    (!in_file).then(|| about(table, "provider.env-key-shell-only", Severity::Note, None).arg("variable", name))
}

/// The providers that are not selected and whose variable is not set: one line for all, for it matters only after a switch.
fn unset_elsewhere(tables: &[ProviderTable<'_>], facts: &Facts) -> Option<Finding> {
    let environment = facts.environment.value()?;
    let unset = |table: &&ProviderTable<'_>| {
        let name = table.text("env_key").filter(|name| is_variable_name(name));
        !table.selected && name.is_some_and(|name| !environment.is_set(name))
    };
    let named: Vec<String> =
        tables.iter().filter(unset).map(|table| format!("{} ({})", table.id, table.text("env_key").unwrap_or_default())).collect();
    let count = i64::try_from(named.len()).unwrap_or(i64::MAX);
    (count > 0)
        .then(|| Finding::new(ID, "provider.keys-unset", Severity::Note, [("providers", named.join(", "))]).arg("count", count))
}

/// An id that is a built-in one but for its capitals is a provider of its own. Relay templates do so on purpose; who writes
/// `model_provider = "openai"` beside it, hardly.
fn capitals(table: ProviderTable<'_>, config: &Config) -> Option<Finding> {
    let lower = table.id.to_ascii_lowercase();
    if lower == table.id || !providers::is_built_in(&lower) {
        return None;
    }
    let selects_the_other = config.text(&["model_provider"]).is_some() && selected_id(config) == lower;
    let severity = if selects_the_other { Severity::Warning } else { Severity::Note };
    let finding = Finding::new(ID, "provider.capitals", severity, [("provider", table.id), ("built_in", lower.as_str())])
        .arg("selected", selected_id(config));
    Some(match table.place("name").or_else(|| table.place("base_url")) {
        Some(place) if selects_the_other => finding.at(place),
        _ => finding,
    })
}

/// Whether a shell can set a variable of this name.
fn is_variable_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// The name within `$NAME`, `${NAME}` or `%NAME%`.
fn bare_name(name: &str) -> Option<&str> {
    let marks: &[char] = &['$', '{', '}', '%', ' '];
    let bare = name.trim_matches(marks).trim_start_matches("env:");
    (bare != name && is_variable_name(bare)).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_keys::tests::config;
    use crate::facts::Observed;
    use crate::facts::environment::Variable;

    pub(super) fn lint(entries: &[(&str, &str)], variables: &[(&str, VariableOrigin)]) -> Facts {
        let variable = |(name, origin): &(&str, VariableOrigin)| Variable {
            name: (*name).to_owned(),
            origin: *origin,
            blank: false,
            shown: None,
            differs: false,
        };
        let variables = variables.iter().map(variable).collect();
        let mut facts = Facts {
            config: Observed::known(config(entries), "config.toml"),
            environment: Observed::known(Environment { variables, ..Environment::default() }, "environment"),
            ..Facts::default()
        };
        facts.run.scope = Scope::Lint;
        facts
    }

    pub(super) fn told(facts: &Facts) -> Vec<(String, Severity)> {
        run(facts).into_iter().map(|finding| (finding.code, finding.severity)).collect()
    }

    fn one(code: &str, severity: Severity) -> Vec<(String, Severity)> {
        vec![(code.to_owned(), severity)]
    }

    const NAME: (&str, &str) = ("model_providers.r.name", "R");
    const BASE: (&str, &str) = ("model_providers.r.base_url", "https://r.example/v1");
    const SELECTED: (&str, &str) = ("model_provider", "r");

    #[test]
    fn a_provider_whose_variable_is_set_is_fine() {
        let facts = lint(&[SELECTED, NAME, BASE, ("model_providers.r.env_key", "KEY")], &[("KEY", VariableOrigin::DotEnv)]);
        assert_eq!(told(&facts), one("provider.settings-ok", Severity::Ok));
        let shell = lint(&[SELECTED, NAME, BASE, ("model_providers.r.env_key", "KEY")], &[("KEY", VariableOrigin::Process)]);
        assert_eq!(told(&shell), one("provider.env-key-shell-only", Severity::Note), "the app does not see it");
        assert!(told(&lint(&[("model", "m")], &[])).is_empty());
    }

    #[test]
    fn a_variable_that_is_not_set_is_no_fault_of_the_file() {
        let entries = [
            SELECTED,
            NAME,
            BASE,
            ("model_providers.r.env_key", "KEY"),
            ("model_providers.s.env_key", "OTHER"),
            ("model_providers.s.base_url", "https://s.example"),
        ];
        let mut facts = lint(&entries, &[]);
        assert_eq!(run(&facts)[0].at.as_ref().unwrap().line, Some(4));
        assert_eq!(
            told(&facts),
            [("provider.env-key-unset".to_owned(), Severity::Note), ("provider.keys-unset".to_owned(), Severity::Note)]
        );
        facts.run.scope = Scope::Triage;
        assert_eq!(told(&facts), one("provider.keys-unset", Severity::Note), "`identity` speaks of the selected one");
        facts.environment = Observed::failed("no access", "environment");
        assert_eq!(told(&facts), one("provider.settings-ok", Severity::Ok), "not known is not unset");
    }

    #[test]
    fn a_key_or_a_dollar_sign_in_the_place_of_a_name_is_told() {
        let with = |value: &str| lint(&[SELECTED, NAME, BASE, ("model_providers.r.env_key", value)], &[]);
        assert_eq!(told(&with("<secret>")), one("provider.key-in-env-key", Severity::Warning));
        for (written, bare) in [("$KEY", "KEY"), ("${KEY}", "KEY"), ("%KEY%", "KEY"), ("$env:KEY", "KEY")] {
            let finding = &run(&with(written))[0];
            assert_eq!(
                (finding.code.as_str(), &finding.args["suggestion"]),
                ("provider.env-key-not-a-name", &bare.into()),
                "{written}"
            );
        }
        assert_eq!(told(&with("my-key")), one("provider.env-key-not-a-name", Severity::Warning));
        let other = lint(&[NAME, BASE, ("model_providers.r.env_key", "<secret>")], &[]);
        assert_eq!(told(&other), one("provider.key-in-env-key", Severity::Note), "not selected");
    }

    #[test]
    fn capitals_matter_where_the_built_in_one_is_selected() {
        let table = ("model_providers.OpenAI.name", "OpenAI");
        assert_eq!(told(&lint(&[("model_provider", "OpenAI"), table], &[])), one("provider.capitals", Severity::Note));
        assert_eq!(told(&lint(&[("model_provider", "openai"), table], &[])), one("provider.capitals", Severity::Warning));
    }

    #[test]
    fn without_a_configuration_nothing_is_told() {
        assert_eq!(told(&Facts::default()), one("provider-settings.skipped", Severity::Note));
    }
}

//! What Azure wants of a provider: the path `/openai/v1` (or `/openai` with `api-version`), a key of its own, and a deployment for a model.

use super::about;
use crate::base_url::address;
use crate::facts::Facts;
use crate::facts::config::Config;
use crate::finding::{Finding, Severity};
use crate::kind::{Kind, Target};
use crate::provider_table::ProviderTable;
use crate::subject::Subject;

pub(super) const CODES: &[&str] =
    &["path", "deployment-in-path", "api-version", "no-key", "openai-login", "deployment-name", "no-model"];

/// Hosts of Azure's OpenAI service end so (`hosts.toml` calls them cloud hosts).
const HOSTS: [&str; 3] = [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"];
/// A path that Azure does not have, where a request failed.
const NO_SUCH_PATH: i16 = 15;

pub(super) fn findings(table: ProviderTable<'_>, config: &Config, facts: &Facts) -> Vec<Finding> {
    let Some(base) = table.text("base_url") else { return Vec::new() };
    let host = address::endpoint(table.id, "", base).host.unwrap_or_default();
    if !HOSTS.iter().any(|ending| host.ends_with(ending)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    findings.extend(path(table, base, &host, facts));
    findings.extend(key(table));
    findings.extend(deployment(table, config));
    findings
}

fn path(table: ProviderTable<'_>, base: &str, host: &str, facts: &Facts) -> Option<Finding> {
    let place = || table.place("base_url");
    let usual = format!("https://{host}/openai/v1");
    let path = address::path(base);
    let weighed = |finding: Finding| {
        let counts = table.selected && Subject::of(facts).is_some();
        if counts { finding.group("base-url").weighs(Target::Kind(Kind::ConfigBaseUrl), NO_SUCH_PATH) } else { finding }
    };
    if path.contains("/deployments/") {
        let finding = about(table, "azure.deployment-in-path", Severity::Warning, place());
        return Some(weighed(finding.arg("suggestion", usual)));
    }
    let versioned = path.split('/').any(address::is_version);
    match path {
        "" | "/v1" => Some(weighed(about(table, "azure.path", Severity::Warning, place()).arg("suggestion", usual))),
        // The older interface wants its version in the query. A query in the address itself is told by `base-url`.
        "/openai" if !versioned && !base.contains('?') && !table.names("query_params").contains(&"api-version") => {
            Some(weighed(about(table, "azure.api-version", Severity::Warning, place()).arg("suggestion", usual)))
        }
        _ => None,
    }
}

fn key(table: ProviderTable<'_>) -> Option<Finding> {
    let place = || table.place("base_url");
    if table.flag("requires_openai_auth") {
        let at = table.place("requires_openai_auth");
        return Some(about(table, "azure.openai-login", Severity::Warning, at));
    }
    let header = |name: &&str| ["api-key", "authorization"].contains(&name.to_ascii_lowercase().as_str());
    let by_header = ["env_http_headers", "http_headers"].iter().any(|key| table.names(key).iter().any(header));
    let has_key = by_header || ["env_key", "experimental_bearer_token", "auth", "http_headers"].iter().any(|key| table.has(key));
    (!has_key).then(|| about(table, "azure.no-key", Severity::Warning, place()))
}

/// At Azure the model's name is that of a deployment: nothing here can say whether there is one.
fn deployment(table: ProviderTable<'_>, config: &Config) -> Option<Finding> {
    if !table.selected {
        return None;
    }
    Some(match config.text(&["model"]) {
        Some(model) => about(table, "azure.deployment-name", Severity::Note, None).arg("model", model),
        None => about(table, "azure.no-model", Severity::Note, table.place("base_url")),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lint, told};
    use super::*;

    fn azure(base: &str, more: &[(&str, &str)]) -> Vec<String> {
        let mut entries = vec![("model_provider", "az"), ("model", "dep"), ("model_providers.az.base_url", base)];
        entries.extend(more);
        let variables = [("AZ_KEY", crate::facts::environment::VariableOrigin::DotEnv)];
        let told = told(&lint(&entries, &variables)).into_iter();
        told.filter(|(_, severity)| *severity >= Severity::Warning).map(|(code, _)| code).collect()
    }

    const KEY: (&str, &str) = ("model_providers.az.env_key", "AZ_KEY");

    #[test]
    fn a_complete_provider_is_left_in_peace() {
        for base in [
            "https://x.openai.azure.com/openai/v1",
            "https://x.openai.azure.com/openai/v1/",
            "https://x.cognitiveservices.azure.com/openai/v1",
            "https://x.services.ai.azure.com/openai/v1",
        ] {
            assert_eq!(azure(base, &[KEY]), Vec::<String>::new(), "{base}");
        }
        let version = ("model_providers.az.query_params.api-version", "2025-04-01-preview");
        assert!(azure("https://x.openai.azure.com/openai", &[KEY, version]).is_empty());
        let header = ("model_providers.az.env_http_headers.api-key", "AZ_KEY");
        assert!(azure("https://x.openai.azure.com/openai/v1", &[header]).is_empty());
        assert!(azure("https://x.azure.com/deployments/y", &[]).is_empty(), "a gateway of somebody's own");
    }

    #[test]
    fn each_missing_piece_is_named() {
        assert_eq!(azure("https://x.openai.azure.com", &[KEY]), ["azure.path"]);
        assert_eq!(azure("https://x.openai.azure.com/openai", &[KEY]), ["azure.api-version"]);
        assert_eq!(azure("https://x.openai.azure.com/openai/deployments/dep", &[KEY]), ["azure.deployment-in-path"]);
        assert_eq!(azure("https://x.openai.azure.com/openai/v1", &[]), ["azure.no-key"]);
        let login = ("model_providers.az.requires_openai_auth", "true");
        assert_eq!(azure("https://x.openai.azure.com/openai/v1", &[login]), ["azure.openai-login"]);
    }

    #[test]
    fn the_deployment_is_called_to_mind() {
        let facts =
            lint(&[("model_provider", "az"), ("model_providers.az.base_url", "https://x.openai.azure.com/openai/v1"), KEY], &[]);
        assert!(told(&facts).iter().any(|(code, severity)| code == "azure.no-model" && *severity == Severity::Note));
    }
}

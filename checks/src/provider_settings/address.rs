//! A provider without an address: Codex asks OpenAI's own, with whatever key the provider names.

use super::about;
use crate::facts::config::Config;
use crate::finding::{Finding, Place, Severity};
use crate::knowledge::hosts::host_in;
use crate::knowledge::providers;
use crate::provider_table::ProviderTable;

/// Settings by which a provider sends a key.
const SENDS_KEY: [&str; 5] = ["env_key", "experimental_bearer_token", "auth", "http_headers", "env_http_headers"];

/// The finding, unless OpenAI is meant: by its login, by the name of the variable or by that of the provider.
pub(super) fn missing(table: ProviderTable<'_>, config: &Config) -> Option<Finding> {
    let means_openai = table.flag("requires_openai_auth")
        || table.text("env_key").is_some_and(|name| name.starts_with("OPENAI_"))
        || table.text("name") == Some("OpenAI");
    if table.has("base_url") || means_openai || providers::is_built_in(table.id) {
        return None;
    }
    let base = providers::provider("openai")?.base.as_deref()?;
    let host = host_in(base.split("://").nth(1)?.split('/').next()?).to_owned();
    let place = config.effective(&["model_providers", table.id]).and_then(Place::of);
    let finding = about(table, "provider.no-address", Severity::Warning, place).arg("host", host);
    let sends_key = SENDS_KEY.iter().any(|key| table.has(key));
    Some(if sends_key { finding.message_id("provider-no-address-with-key") } else { finding })
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use super::super::tests::{lint, told};
    use crate::finding::Severity;

    const NAME: (&str, &str) = ("model_providers.r.name", "R");
    const SELECTED: (&str, &str) = ("model_provider", "r");

    #[test]
    fn a_key_that_would_go_to_openai_unasked_is_told() {
        let facts = lint(&[SELECTED, NAME, ("model_providers.r.env_key", "RELAY_KEY")], &[]);
        let finding = &run(&facts).into_iter().find(|finding| finding.code == "provider.no-address").unwrap();
        assert_eq!((finding.message_id.as_str(), finding.severity), ("provider-no-address-with-key", Severity::Warning));
        assert_eq!(finding.args["host"], "api.openai.com".into());
        assert!(finding.at.is_some());
        assert_eq!(told(&lint(&[SELECTED, NAME], &[]))[0].0, "provider.no-address");
        assert_eq!(told(&lint(&[NAME], &[]))[0], ("provider.no-address".to_owned(), Severity::Note), "not selected");
    }

    #[test]
    fn who_means_openai_needs_no_address() {
        for setting in [("model_providers.r.env_key", "OPENAI_API_KEY"), ("model_providers.r.requires_openai_auth", "true")] {
            let facts = lint(&[SELECTED, NAME, setting], &[]);
            assert!(run(&facts).iter().all(|finding| finding.code != "provider.no-address"), "{setting:?}");
        }
        let bedrock = lint(&[("model_providers.amazon-bedrock.aws.region", "eu")], &[]);
        assert!(run(&bedrock).iter().all(|finding| finding.code != "provider.no-address"));
    }
}

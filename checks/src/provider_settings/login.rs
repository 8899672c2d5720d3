//! Whom the stored login goes to: a provider that asks for it gets it, whoever that is.
//!
//! Measured on Codex 0.171.0 against a server of one's own, 2026-11-29: with `requires_openai_auth = true` the access token of a ChatGPT
//! login (and its account id) or the stored API key is sent to `base_url` as it stands, also when Codex fetches the list of models. A
//! variable in `env_key` that is set is sent instead; one that is not set stops Codex before it sends anything.

use super::ID;
use crate::facts::Facts;
use crate::facts::config::Config;
use crate::facts::credentials::CredentialKind;
use crate::facts::endpoint::HostKind;
use crate::finding::{Finding, Place, Severity};
use crate::provider_table::ProviderTable;

pub(super) const CODES: &[&str] = &["login-sent-elsewhere"];

/// A login of OpenAI that goes to somebody else's public host. A ChatGPT token is nobody else's business; a stored key may be the
/// relay's own, for relays have it stored there.
pub(super) fn finding(tables: &[ProviderTable<'_>], config: &Config, facts: &Facts) -> Option<Finding> {
    let endpoint = facts.endpoint.value().filter(|endpoint| endpoint.host_kind == HostKind::Other)?;
    let host = endpoint.host.as_deref().filter(|host| crate::base_url::address::is_public(host))?;
    let used = facts.credentials.value()?.used()?.kind;
    let selected = tables.iter().find(|table| table.selected);
    let at = match selected {
        Some(table) if table.flag("requires_openai_auth") => table.place("requires_openai_auth"),
        None if endpoint.provider == "openai" => config.effective(&["openai_base_url"]).and_then(Place::of),
        _ => return None,
    };
    let (severity, message) = match used {
        CredentialKind::Chatgpt | CredentialKind::EnvAccessToken => (Severity::Warning, "provider-login-sent-elsewhere"),
        CredentialKind::ApiKey | CredentialKind::EnvApiKey => (Severity::Note, "provider-key-sent-elsewhere"),
        _ => return None,
    };
    let finding = Finding::new(ID, "provider.login-sent-elsewhere", severity, [("host", host)])
        .arg("provider", endpoint.provider.clone())
        .message_id(message)
        .evidence(endpoint.origin.clone());
    Some(finding.at_maybe(at))
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use super::super::tests::lint;
    use super::*;
    use crate::facts::Observed;
    use crate::facts::credentials::{Credential, Credentials};

    fn told(entries: &[(&str, &str)], url: &str, kind: CredentialKind) -> Option<(String, Severity)> {
        let mut facts = lint(entries, &[]);
        let provider = entries.iter().find(|(key, _)| *key == "model_provider").map_or("openai", |(_, id)| *id);
        facts.endpoint = Observed::known(crate::base_url::address::endpoint(provider, "test", url), "test");
        let present = vec![Credential { kind, place: "auth.json".to_owned(), used: true }];
        facts.credentials = Observed::known(Credentials { present, ..Credentials::default() }, "auth.json");
        let found = run(&facts).into_iter().find(|finding| finding.code == "provider.login-sent-elsewhere")?;
        Some((found.message_id, found.severity))
    }

    const RELAY: &[(&str, &str)] =
        &[("model_provider", "r"), ("model_providers.r.name", "R"), ("model_providers.r.requires_openai_auth", "true")];

    #[test]
    fn a_chatgpt_token_that_goes_to_a_relay_is_a_warning() {
        let warning = Some(("provider-login-sent-elsewhere".to_owned(), Severity::Warning));
        assert_eq!(told(RELAY, "https://r.example/v1", CredentialKind::Chatgpt), warning);
        let moved = [("openai_base_url", "https://r.example/v1")];
        assert_eq!(told(&moved, "https://r.example/v1", CredentialKind::Chatgpt), warning);
    }

    #[test]
    fn a_stored_key_may_be_the_relays_own() {
        let note = Some(("provider-key-sent-elsewhere".to_owned(), Severity::Note));
        assert_eq!(told(RELAY, "https://r.example/v1", CredentialKind::ApiKey), note);
    }

    #[test]
    fn nothing_is_said_where_the_login_stays_or_another_key_is_sent() {
        assert_eq!(told(RELAY, "https://r.example/v1", CredentialKind::ProviderEnvKey), None);
        assert_eq!(told(RELAY, "https://api.openai.com/v1", CredentialKind::Chatgpt), None);
        assert_eq!(told(RELAY, "http://127.0.0.1:8080/v1", CredentialKind::Chatgpt), None);
        assert_eq!(told(RELAY, "http://10.0.0.5:8080/v1", CredentialKind::Chatgpt), None);
        assert_eq!(told(&RELAY[..2], "https://r.example/v1", CredentialKind::Chatgpt), None);
    }
}

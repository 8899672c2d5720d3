//! The order of precedence, as measured on `codex exec` 0.171.0.

use codex_triage_checks::facts::credentials::{CredentialKind, ForcedMismatch};

use super::store::Stored;
use super::{CredentialStore, Secrets, Seen, name_of};
use crate::redact::Redactor;

impl Seen<'_> {
    /// Whether the provider takes OpenAI's login: it asks for it, and has no credential of its own.
    pub(super) fn openai_auth_applies(&self) -> bool {
        let provider = self.provider;
        let own = provider.has_command || provider.env_key.is_some() || provider.bearer_token.is_some();
        (provider.built_in_openai || provider.requires_openai_auth) && !own
    }

    /// The variable that the provider names and that holds nothing: Codex then sends no request at all.
    pub(super) fn missing_variable(&self) -> Option<&str> {
        let name = self.provider.env_key.as_deref().filter(|_| !self.provider.has_command)?;
        self.variable(name).is_none().then_some(name)
    }

    /// The credential in use and what of it is sent.
    pub(super) fn used(&self) -> (Option<CredentialKind>, Secrets) {
        let provider = self.provider;
        let bearer = |token: &str| Secrets { bearer: Some(token.trim().to_owned()), ..Secrets::default() };
        if provider.has_command {
            return (Some(CredentialKind::ProviderCommand), Secrets::default());
        }
        // A named variable beats the token in the configuration, also when it is empty: then there is no request.
        if let Some(name) = &provider.env_key {
            return match self.variable(name) {
                Some(value) => (Some(CredentialKind::ProviderEnvKey), bearer(value)),
                None => (None, Secrets::default()),
            };
        }
        if let Some(token) = &provider.bearer_token {
            return (Some(CredentialKind::ProviderBearer), bearer(token));
        }
        if self.openai_auth_applies() {
            return self.login_used();
        }
        if provider.id.starts_with("amazon-bedrock") && self.login().is_some_and(|login| login.bedrock) {
            return (Some(CredentialKind::Bedrock), Secrets::default());
        }
        (provider.sends_headers.then_some(CredentialKind::ProviderHeaders), Secrets::default())
    }

    /// The login of OpenAI that Codex takes, whichever provider is selected: the rules for logins hold for all.
    fn login_used(&self) -> (Option<CredentialKind>, Secrets) {
        let bearer = |token: &str| Secrets { bearer: Some(token.trim().to_owned()), ..Secrets::default() };
        if let Some(key) = self.variable("CODEX_API_KEY") {
            return (Some(CredentialKind::EnvApiKey), bearer(key));
        }
        if let Some(token) = self.variable("CODEX_ACCESS_TOKEN") {
            // A personal access token is sent as it is; an agent identity is exchanged first, which is not ours to do.
            let secrets = if token.trim().starts_with("at-") { bearer(token) } else { Secrets::default() };
            return (Some(CredentialKind::EnvAccessToken), secrets);
        }
        if let Some(kind) = self.login().and_then(Stored::used) {
            let secrets = self.login().map(Stored::secrets).unwrap_or_default();
            return (Some(kind), secrets);
        }
        (self.keyring().then_some(CredentialKind::Keyring), Secrets::default())
    }

    /// The rule that the present login breaks. Codex checks it at its start, for every provider.
    pub(super) fn forced_mismatch(&self) -> Option<ForcedMismatch> {
        let kind = self.login_used().0?;
        let is_key = matches!(kind, CredentialKind::ApiKey | CredentialKind::EnvApiKey);
        let is_chatgpt = matches!(
            kind,
            CredentialKind::Chatgpt
                | CredentialKind::PersonalAccessToken
                | CredentialKind::AgentIdentity
                | CredentialKind::EnvAccessToken
        );
        match self.rules.forced_login_method.as_deref() {
            Some("api") if is_chatgpt => return Some(ForcedMismatch::LoginMethod),
            Some("chatgpt") if is_key => return Some(ForcedMismatch::LoginMethod),
            _ => {}
        }
        let allowed = &self.rules.forced_workspace;
        let tokens = self.login().and_then(|login| login.tokens.as_ref()).filter(|_| kind == CredentialKind::Chatgpt)?;
        let fits = tokens.claimed_account.as_ref().is_some_and(|account| allowed.contains(account));
        (!allowed.is_empty() && !fits).then_some(ForcedMismatch::Workspace)
    }

    /// Variables that are set and that `codex exec` does not read, or not from there.
    pub(super) fn ignored_variables(&self, redactor: &Redactor) -> Vec<String> {
        let mut ignored: Vec<String> = ["OPENAI_API_KEY", "OPENAI_BASE_URL"]
            .into_iter()
            .filter(|name| self.variable(name).is_some() && self.provider.env_key.as_deref() != Some(name))
            .map(str::to_owned)
            .collect();
        let beside = ["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"].into_iter().filter(|name| self.dotenv.value(name).is_some());
        let file = redactor.path(&self.world.codex_home.join(".env"));
        ignored.extend(beside.filter(|name| self.world.variable(name).is_none()).map(|name| format!("{name} ({file})")));
        ignored
    }

    pub(super) fn organisation_variables(&self) -> Vec<String> {
        let names = ["OPENAI_ORGANIZATION", "OPENAI_PROJECT"].into_iter();
        let sent = names.filter(|name| self.provider.built_in_openai && self.variable(name).is_some());
        sent.map(|name| name_of(self.redactor, name)).collect()
    }
}

impl CredentialStore {
    /// Its word in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Keyring => "keyring",
            Self::Auto => "auto",
            Self::Ephemeral => "ephemeral",
        }
    }
}

//! Which credentials are there, and which of them `codex exec` signs its requests with.
//!
//! Tokens are taken apart only for what they say of themselves; a refresh token is looked at for its presence alone. A keyring is not opened, a
//! configured command is not run. Everything secret that was seen is made known to the redactor, and only [`Secrets`] holds the one that is sent.

mod choice;
mod dotenv;
mod jwt;
mod store;

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::credentials::{Credential, CredentialKind, Credentials};
use codex_triage_checks::facts::run::Platform;

use crate::redact::Redactor;
use crate::world::World;
use dotenv::DotEnv;
use store::{Store, Stored};

/// How the selected provider authenticates, as the configuration says.
#[derive(Clone, Default)]
pub struct ProviderAuth {
    /// The provider's id.
    pub id: String,
    /// The variable that holds its key (`env_key`).
    pub env_key: Option<String>,
    /// `experimental_bearer_token`. Secret.
    pub bearer_token: Option<String>,
    /// Whether `auth.command` gives the token. It is never run here.
    pub has_command: bool,
    /// Whether it takes the login of OpenAI (`requires_openai_auth`).
    pub requires_openai_auth: bool,
    /// Whether it is the built-in `openai`.
    pub built_in_openai: bool,
    /// Whether it authenticates by headers of its own or by a signature (`http_headers` or `env_http_headers` with a credential, AWS).
    pub sends_headers: bool,
}

impl std::fmt::Debug for ProviderAuth {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ProviderAuth").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Where Codex keeps its login.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CredentialStore {
    /// `auth.json`.
    #[default]
    File,
    /// The keyring of the operating system.
    Keyring,
    /// The keyring, and `auth.json` where there is none.
    Auto,
    /// Nowhere: it is forgotten when Codex ends.
    Ephemeral,
}

impl CredentialStore {
    /// Reads `cli_auth_credentials_store`; an unknown word is none (Codex rejects it).
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "file" => Some(Self::File),
            "keyring" => Some(Self::Keyring),
            "auto" => Some(Self::Auto),
            "ephemeral" => Some(Self::Ephemeral),
            _ => None,
        }
    }
}

/// The configuration's rules for logins.
#[derive(Clone, Debug, Default)]
pub struct AuthRules {
    /// `cli_auth_credentials_store`.
    pub store: CredentialStore,
    /// `forced_login_method`: `chatgpt` or `api`.
    pub forced_login_method: Option<String>,
    /// `forced_chatgpt_workspace_id`, one or many.
    pub forced_workspace: Vec<String>,
}

/// What a request is signed with. Not serialisable; its `Debug` shows nothing. A refresh token is never in it.
#[derive(Clone, Default)]
pub struct Secrets {
    bearer: Option<String>,
    account_id: Option<String>,
    fedramp: bool,
}

impl Secrets {
    /// The value of `Authorization: Bearer`, when the used credential is one that is sent as it is.
    pub fn bearer(&self) -> Option<&str> {
        self.bearer.as_deref()
    }

    /// The value of `ChatGPT-Account-ID`, which goes with a ChatGPT login.
    pub fn account_id(&self) -> Option<&str> {
        self.account_id.as_deref()
    }

    /// Whether the account asks for `x-openai-fedramp: true`.
    pub fn is_fedramp(&self) -> bool {
        self.fedramp
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secrets(<masked>)")
    }
}

/// Looks at `auth.json`, the environment and `$CODEX_HOME/.env`. Always known: what is wrong with the store is part of the fact.
pub fn collect(world: &World, redactor: &Redactor, provider: &ProviderAuth, rules: &AuthRules) -> (Observed<Credentials>, Secrets) {
    let path = world.codex_home.join("auth.json");
    let dotenv = DotEnv::read(&world.codex_home.join(".env"));
    let seen = Seen::new(world, redactor, provider, rules, &dotenv);
    let (used, secrets) = seen.used();

    let mut present = seen.present();
    for credential in &mut present {
        credential.used = used == Some(credential.kind);
    }
    present.sort_by_key(|credential| !credential.used);
    let stored = seen.store.stored();
    let credentials = Credentials {
        present,
        tokens: stored.and_then(|stored| stored.tokens.as_ref()).map(|tokens| tokens.fact(redactor)),
        broken_store: seen.store.broken().map(|why| redactor.text(why)),
        openai_auth_applies: seen.openai_auth_applies(),
        missing_variable: seen.missing_variable().map(|name| name_of(redactor, name)),
        forced_mismatch: seen.forced_mismatch(),
        ignored_variables: seen.ignored_variables(redactor),
        organisation_variables: seen.organisation_variables(),
    };
    (Observed::known(credentials, redactor.path(&path)), secrets)
}

/// A variable's name, unless somebody pasted the key itself in its place.
fn name_of(redactor: &Redactor, name: &str) -> String {
    if Redactor::looks_secret(name) {
        redactor.learn_secret(name);
    }
    redactor.text(name)
}

/// Everything that plays a part in the choice.
struct Seen<'a> {
    world: &'a World,
    redactor: &'a Redactor,
    provider: &'a ProviderAuth,
    rules: &'a AuthRules,
    dotenv: &'a DotEnv,
    store: Store,
}

impl<'a> Seen<'a> {
    fn new(world: &'a World, redactor: &'a Redactor, provider: &'a ProviderAuth, rules: &'a AuthRules, dotenv: &'a DotEnv) -> Self {
        let store = store::read(&world.codex_home.join("auth.json"), redactor);
        let seen = Self { world, redactor, provider, rules, dotenv, store };
        let variables = ["CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"].into_iter().chain(provider.env_key.as_deref());
        for name in variables {
            for value in [world.variable(name), dotenv.value(name)].into_iter().flatten() {
                redactor.learn_secret(value.trim());
            }
        }
        if let Some(token) = &provider.bearer_token {
            redactor.learn_secret(token);
        }
        seen
    }

    /// A variable that is more than white space; the process wins over `.env`, from which Codex takes no `CODEX_…`.
    fn variable(&self, name: &str) -> Option<&str> {
        let own = self.world.variable(name).filter(|value| !value.trim().is_empty());
        own.or_else(|| self.dotenv.value(name).filter(|value| !name.starts_with("CODEX_") && !value.trim().is_empty()))
    }

    /// The stored login that Codex reads, if the store is the file.
    fn login(&self) -> Option<&Stored> {
        matches!(self.rules.store, CredentialStore::File | CredentialStore::Auto).then(|| self.store.stored()).flatten()
    }

    fn keyring(&self) -> bool {
        match self.rules.store {
            CredentialStore::Keyring => true,
            // A save to the keyring deletes the file: with a file, there is nothing in the keyring.
            CredentialStore::Auto => !self.store.exists(),
            CredentialStore::File | CredentialStore::Ephemeral => false,
        }
    }

    fn present(&self) -> Vec<Credential> {
        let mut present = Vec::new();
        let mut add = |kind, place: String| present.push(Credential { kind, place, used: false });
        if self.provider.has_command {
            add(CredentialKind::ProviderCommand, "auth.command".to_owned());
        }
        if let Some(name) = self.provider.env_key.as_deref().filter(|name| self.variable(name).is_some()) {
            add(CredentialKind::ProviderEnvKey, name_of(self.redactor, name));
        }
        if self.provider.bearer_token.is_some() {
            add(CredentialKind::ProviderBearer, "experimental_bearer_token".to_owned());
        }
        if self.provider.sends_headers {
            add(CredentialKind::ProviderHeaders, "http_headers".to_owned());
        }
        for (name, kind) in [("CODEX_API_KEY", CredentialKind::EnvApiKey), ("CODEX_ACCESS_TOKEN", CredentialKind::EnvAccessToken)] {
            if self.variable(name).is_some() {
                add(kind, name.to_owned());
            }
        }
        let file = self.redactor.path(&self.world.codex_home.join("auth.json"));
        for kind in self.store.stored().map(Stored::kinds).unwrap_or_default() {
            add(kind, file.clone());
        }
        if self.keyring() {
            let place = match self.world.platform {
                Platform::Macos => "Keychain",
                Platform::Windows => "Credential Manager",
                Platform::Linux | Platform::Wsl => "Secret Service",
            };
            add(CredentialKind::Keyring, place.to_owned());
        }
        present
    }
}

//! What Codex would sign its requests with: kinds, plan, expiry; never a secret.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CredentialKind {
    /// A ChatGPT login.
    Chatgpt,
    /// An API key stored in auth.json.
    ApiKey,
    /// `CODEX_API_KEY` in the environment.
    EnvApiKey,
    /// `CODEX_ACCESS_TOKEN` in the environment.
    EnvAccessToken,
    /// The variable that the provider's `env_key` names.
    ProviderEnvKey,
    /// `experimental_bearer_token` of the provider.
    ProviderBearer,
    /// The provider's `auth.command`.
    ProviderCommand,
    /// Authentication by headers of the provider (`http_headers`, `env_http_headers`) or a signature.
    ProviderHeaders,
    /// A personal access token in auth.json.
    PersonalAccessToken,
    /// An agent identity in auth.json.
    AgentIdentity,
    /// An Amazon Bedrock credential.
    Bedrock,
    /// An OS keyring entry, which is not read.
    Keyring,
}

/// One credential that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credential {
    /// Its kind.
    pub kind: CredentialKind,
    /// Where it is, redacted: a file, a variable's name.
    pub place: String,
    /// Whether `codex exec` signs its requests with this one.
    pub used: bool,
}

/// What the ChatGPT tokens say about themselves (their signatures cannot be checked here).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// The plan named in the token.
    pub plan: Option<String>,
    /// The account (workspace) that requests name, as a role token.
    pub account: Option<String>,
    /// The account that the identity token names, as a role token.
    pub token_account: Option<String>,
    /// When the access token ends.
    pub expires_at: Option<DateTime<Utc>>,
    /// When the access token was issued.
    pub issued_at: Option<DateTime<Utc>>,
    /// When Codex last refreshed it.
    pub last_refresh: Option<DateTime<Utc>>,
    /// Whether there is a refresh token.
    pub refreshable: bool,
}

/// The stored and set credentials, and which one Codex takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credentials {
    /// All that are there, the used one first.
    pub present: Vec<Credential>,
    /// What the tokens say, when there is a ChatGPT login.
    pub tokens: Option<Tokens>,
    /// What is wrong with auth.json, when it cannot be read; Codex goes on without it.
    pub broken_store: Option<String>,
    /// Whether the provider in use takes OpenAI's login at all.
    pub openai_auth_applies: bool,
    /// The variable that the provider wants and that is not set, redacted.
    pub missing_variable: Option<String>,
    /// The login that the configuration forces, when the present one differs: Codex then deletes auth.json at its start.
    pub forced_mismatch: Option<ForcedMismatch>,
    /// Variables that people set in the belief that they count, and that `codex exec` ignores.
    pub ignored_variables: Vec<String>,
    /// Variables that make Codex name an organisation or a project in its requests.
    pub organisation_variables: Vec<String>,
}

/// A login rule of the configuration that the present login breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForcedMismatch {
    /// `forced_login_method`.
    LoginMethod,
    /// `forced_chatgpt_workspace_id`.
    Workspace,
}

impl Credentials {
    /// The credential that Codex takes.
    pub fn used(&self) -> Option<&Credential> {
        self.present.iter().find(|credential| credential.used)
    }
}

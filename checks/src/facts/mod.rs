//! Everything that a run observed, as one value. Nothing here is a judgement; nothing here is a secret.

pub mod clients;
pub mod config;
pub mod credentials;
pub mod endpoint;
pub mod environment;
pub mod error_text;
pub mod history;
pub mod installation;
pub mod model_cache;
pub mod model_request;
pub(crate) mod moment;
pub mod network;
pub mod observed;
pub mod run;
pub mod sessions;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use observed::{Fact, Observed, SkipReason};

/// A text that many facts share: the same model, file and message stand in thousands of failed turns.
pub type Shared = Arc<str>;

/// All facts of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// The run itself.
    pub run: run::Run,
    /// Installed Codex programs.
    pub installation: Observed<installation::Installation>,
    /// Configuration layers.
    pub config: Observed<config::Config>,
    /// Variables.
    pub environment: Observed<environment::Environment>,
    /// Credentials.
    pub credentials: Observed<credentials::Credentials>,
    /// The address in use.
    pub endpoint: Observed<endpoint::Endpoint>,
    /// Name resolution.
    pub dns: Observed<network::Dns>,
    /// The free request.
    pub reachability: Observed<network::Reachability>,
    /// The request to the model that may cost tokens. Older reports have none.
    #[serde(default = "without_consent")]
    pub model_request: Observed<model_request::ModelRequest>,
    /// The model list that Codex keeps. Older reports have none.
    #[serde(default)]
    pub model_cache: Observed<model_cache::ModelCache>,
    /// Clock offset.
    pub clock: Observed<network::Skew>,
    /// What Codex wrote down.
    pub history: Observed<history::History>,
    /// Sizes.
    pub sessions: Observed<sessions::SessionStore>,
    /// Codex programs that run. Older reports have none.
    #[serde(default)]
    pub clients: Observed<clients::Clients>,
    /// A text that a person gave.
    pub error_text: Observed<error_text::ErrorText>,
}

impl Facts {
    /// The release of Codex that is judged: the one that was asked for, else the one that a shell would start.
    pub fn codex_version(&self) -> Option<&str> {
        let installed = || self.installation.value().and_then(installation::Installation::version);
        self.run.codex_version.as_deref().or_else(installed)
    }
}

fn without_consent() -> Observed<model_request::ModelRequest> {
    Observed::skipped(SkipReason::NoConsent)
}

impl Default for Facts {
    /// Facts of which none was looked for.
    fn default() -> Self {
        Self {
            run: run::Run::default(),
            installation: Observed::default(),
            config: Observed::default(),
            environment: Observed::default(),
            credentials: Observed::default(),
            endpoint: Observed::default(),
            dns: Observed::default(),
            reachability: Observed::default(),
            model_request: without_consent(),
            model_cache: Observed::default(),
            clock: Observed::default(),
            history: Observed::default(),
            sessions: Observed::default(),
            clients: Observed::default(),
            error_text: Observed::default(),
        }
    }
}

//! The list of models that Codex fetched for this login and keeps in CODEX_HOME (`models_cache.json`).

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a list of Codex says of one model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedModel {
    /// Its name in the configuration and in requests.
    pub slug: String,
    /// Whether the picker shows it.
    pub listed: bool,
    /// Whether it can be had with an API key; absent where the list does not tell.
    pub supported_in_api: Option<bool>,
    /// The reasoning efforts that it offers.
    pub efforts: Vec<String>,
    /// The effort that Codex asks for when none is set.
    pub default_effort: Option<String>,
    /// The service tiers that it offers, as they stand in requests.
    pub tiers: Vec<String>,
    /// The context window that Codex counts with when none is set, in tokens.
    pub context_window: Option<u64>,
    /// The largest context window that a setting can reach, in tokens.
    pub max_context_window: Option<u64>,
    /// The model that Codex proposes instead.
    pub upgrade: Option<String>,
}

/// The list as it was kept. Whose login it was fetched for is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelCache {
    /// When it was fetched.
    pub fetched_at: Option<DateTime<Utc>>,
    /// The release of Codex that fetched it: the server's list depends on it.
    pub client_version: Option<String>,
    /// The models in the order of the list.
    pub models: Vec<ListedModel>,
}

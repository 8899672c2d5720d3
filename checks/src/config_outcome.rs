//! Placeholder until the configuration is merged.
use crate::facts::config::Config;
use schemars::JsonSchema;
use serde::Serialize;
/// Placeholder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ConfigOutcome {
    /// Placeholder.
    pub ignored: Vec<String>,
}
impl ConfigOutcome {
    /// Placeholder.
    pub fn is_rejected(&self) -> bool {
        false
    }
}
/// Placeholder.
pub fn config_outcome(_config: &Config) -> ConfigOutcome {
    ConfigOutcome::default()
}

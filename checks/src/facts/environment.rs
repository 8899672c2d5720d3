//! Environment variables that Codex or its network stack reads: names and harmless values, no secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a variable was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariableOrigin {
    /// The environment of this process.
    Process,
    /// `$CODEX_HOME/.env`, which Codex loads (but for names that begin with `CODEX_`).
    DotEnv,
}

/// One variable of interest that is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it was set.
    pub origin: VariableOrigin,
    /// Whether it is set to nothing but white space.
    pub blank: bool,
    /// Its value where that is an address or a path (proxies, CA files, hosts), redacted; never for a secret.
    pub shown: Option<String>,
    /// Whether it is set elsewhere too, to something else. Older reports do not say.
    #[serde(default)]
    pub differs: bool,
}

/// The variables of interest that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Sorted by name, then origin.
    pub variables: Vec<Variable>,
    /// Names in `.env` that Codex does not take from there, redacted, sorted. Older reports have none.
    #[serde(default)]
    pub left_out: Vec<String>,
}

impl Environment {
    /// Whether `name` is set to something for Codex; `.env` wins over the process (measured on 0.171.0).
    pub fn is_set(&self, name: &str) -> bool {
        let of = |origin| self.variables.iter().find(|variable| variable.name == name && variable.origin == origin);
        of(VariableOrigin::DotEnv).or_else(|| of(VariableOrigin::Process)).is_some_and(|variable| !variable.blank)
    }
}

//! The installed Codex programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One Codex program found on PATH.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodexProgram {
    /// Where it is, redacted.
    pub path: String,
    /// Its version from the metadata of its package; absent when the metadata does not tell. It is never started to ask.
    pub version: Option<String>,
    /// The file or rule that told the version; where none did, why not.
    pub version_source: Option<String>,
}

/// Every Codex program on PATH, in PATH's order: the first is the one that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Installation {
    /// In PATH's order.
    pub programs: Vec<CodexProgram>,
}

impl Installation {
    /// The version of the program that a shell would start.
    pub fn version(&self) -> Option<&str> {
        self.programs.first()?.version.as_deref()
    }
}

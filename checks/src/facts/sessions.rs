//! The size of what Codex keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A large file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LargeFile {
    /// Its path, redacted.
    pub file: String,
    /// Bytes.
    pub bytes: u64,
}

/// Sizes of the session store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStore {
    /// Rollout files, archived ones included.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The largest rollout.
    pub largest: Option<LargeFile>,
    /// SQLite databases with their `-wal` files, largest first.
    pub databases: Vec<LargeFile>,
    /// Folders that could not be listed.
    pub unread: Vec<super::history::Unread>,
}

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

/// A SQLite database of Codex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Database {
    /// Its path, redacted.
    pub file: String,
    /// Bytes, its `-wal` file included.
    pub bytes: u64,
    /// Bytes of its `-wal` file alone.
    pub wal_bytes: u64,
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
    pub databases: Vec<Database>,
    /// Files left uncounted because the time was up: then the sums are lower bounds.
    pub cut_short: bool,
    /// Folders that could not be listed, and links that were not followed.
    pub unread: Vec<super::history::Unread>,
}

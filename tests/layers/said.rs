//! What Codex said, and where that is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What one release says of one case.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    /// The first line of why it does not start.
    pub(crate) refused: Option<String>,
    /// Its layers from the lowest: kind, file, whether it is used.
    pub(crate) layers: Vec<(String, String, bool)>,
    /// The layer that each key comes from.
    pub(crate) origins: BTreeMap<String, String>,
    /// The values that requirements may change, as a session uses them.
    pub(crate) used: BTreeMap<String, String>,
    /// The keys that it says it ignores.
    pub(crate) ignored: Vec<String>,
}

fn path(release: &str) -> std::path::PathBuf {
    crate::case::folder().join(format!("said-{release}.json"))
}

pub(crate) fn read(release: &str) -> BTreeMap<String, Said> {
    serde_json::from_str(&std::fs::read_to_string(path(release)).unwrap()).unwrap()
}

pub(crate) fn write(release: &str, said: &BTreeMap<String, Said>) {
    let mut text = serde_json::to_string_pretty(said).unwrap();
    text.push('\n');
    std::fs::write(path(release), text).unwrap();
}

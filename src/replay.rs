//! Reading a saved report back: its facts, its language and its redactions; everything else is computed anew.

use std::path::Path;

use codex_triage_checks::facts::Facts;
use serde::Deserialize;

use crate::i18n::Language;
use crate::redact::Redaction;
use crate::report::SCHEMA_VERSION;

/// What a replay needs of a report.
#[derive(Debug)]
pub struct Saved {
    /// What was observed.
    pub facts: Facts,
    /// What was redacted then.
    pub redactions: Vec<Redaction>,
    /// The language of the messages.
    pub language: Language,
}

#[derive(Deserialize)]
struct File {
    schema_version: String,
    tool: Tool,
    facts: serde_json::Value,
    #[serde(default)]
    redactions: Vec<Redaction>,
}

#[derive(Deserialize)]
struct Tool {
    #[serde(default)]
    language: Language,
}

/// Reads the report in `path`.
///
/// # Errors
/// When it cannot be read, is no report, or is of another major version; with its name.
pub fn read(path: &Path) -> Result<Saved, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("while reading {}: {error}", path.display()))?;
    let problem = |error: serde_json::Error| format!("{} is no report of codex-triage: {error}", path.display());
    let file: File = serde_json::from_str(&text).map_err(problem)?;
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if major(&file.schema_version) != major(SCHEMA_VERSION) {
        return Err(format!("{} has schema version {}; this program reads {SCHEMA_VERSION}", path.display(), file.schema_version));
    }
    let facts = serde_json::from_value(file.facts).map_err(problem)?;
    Ok(Saved { facts, redactions: file.redactions, language: file.tool.language })
}

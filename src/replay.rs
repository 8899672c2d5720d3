//! Reading a saved report back: its facts, its language and its redactions; everything else is computed anew.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use codex_triage_checks::facts::{Fact, Facts};
use codex_triage_checks::timeline::{Event, all_failures};
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
    history: Option<Told>,
    #[serde(default)]
    redactions: Vec<Redaction>,
}

/// The failures of a report of `history`: they stand there and not in the facts, which hold but the newest.
#[derive(Deserialize)]
struct Told {
    events: Option<Vec<Event>>,
    #[serde(default)]
    interruptions: Vec<Event>,
}

#[derive(Deserialize)]
struct Tool {
    #[serde(default)]
    language: Language,
}

/// Far more than any report has.
const LARGEST: u64 = 64 << 20;

/// Reads the report in `path`, a file or a pipe, within `patience`.
///
/// # Errors
/// When it cannot be read in time, is no report, or is of another major version; with its name.
pub fn read(path: &Path, patience: Duration) -> Result<Saved, String> {
    let text = text(path, patience).map_err(|error| format!("while reading {}: {error}", path.display()))?;
    let problem = |error: serde_json::Error| format!("{} is no report of codex-triage: {error}", path.display());
    let file: File = serde_json::from_str(&text).map_err(problem)?;
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if major(&file.schema_version) != major(SCHEMA_VERSION) {
        return Err(format!("{} has schema version {}; this program reads {SCHEMA_VERSION}", path.display(), file.schema_version));
    }
    let mut facts: Facts = serde_json::from_value(file.facts).map_err(problem)?;
    if let (Fact::Known { value }, Some(Told { events: Some(events), interruptions })) = (&mut facts.history.fact, file.history) {
        value.failures = all_failures(events, interruptions);
    }
    Ok(Saved { facts, redactions: file.redactions, language: file.tool.language })
}

fn text(path: &Path, patience: Duration) -> Result<String, String> {
    let path = path.to_path_buf();
    let (sender, receiver) = std::sync::mpsc::channel();
    // On a thread of its own: a pipe may never say anything, and the process does not wait for it.
    let read = move || {
        let mut bytes = Vec::new();
        let found = std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
        let _ = sender.send(found.map(|_| bytes));
    };
    std::thread::Builder::new().spawn(read).map_err(|error| error.to_string())?;
    match receiver.recv_timeout(patience) {
        Err(_) => Err("nothing came in time".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(bytes)) if bytes.len() as u64 > LARGEST => Err(format!("it has more than {} MiB", LARGEST >> 20)),
        Ok(Ok(bytes)) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
    }
}

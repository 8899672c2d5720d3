//! The turns of `history`, one JSON object on a line, oldest first.

use std::io::Write;
use std::path::Path;

use codex_triage_checks::facts::history::Ended;
use codex_triage_checks::timeline::Event;
use serde::Serialize;

use super::{Report, sink};
use crate::collect::history::OtherTurns;
use crate::redact::Redactor;

/// A turn.
#[derive(Serialize)]
struct Row<'a> {
    ended: Ended,
    doing: Doing,
    #[serde(flatten)]
    event: &'a Event,
}

/// What a turn was at when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Doing {
    /// Making its context shorter.
    Compacting,
    /// Going on with what tools had put out.
    WorkingWithTools,
    /// Answering what was asked.
    Answering,
}

impl Doing {
    fn of(event: &Event) -> Self {
        match event {
            Event { compacting: true, .. } => Self::Compacting,
            Event { tool_results: 0, .. } => Self::Answering,
            _ => Self::WorkingWithTools,
        }
    }
}

/// Writes all turns that `report` tells of, and the `others`, to `file` or to stdout. Of turns at one moment the failed ones come first.
///
/// # Errors
/// When they cannot be written.
pub fn write(report: &Report, others: Option<&OtherTurns>, redactor: &Redactor, file: Option<&Path>) -> Result<(), String> {
    let details = report.history.as_ref().and_then(|history| history.details.as_ref());
    let (events, interruptions) = details.map(|details| (&details.events[..], &details.interruptions[..])).unwrap_or_default();
    let mut told: Vec<(Ended, &Event)> = events.iter().rev().map(|event| (Ended::Failed, event)).collect();
    told.extend(interruptions.iter().rev().map(|event| (Ended::Interrupted, event)));
    told.sort_by_key(|(_, event)| event.at);
    sink::stream(file, |out| {
        let mut told = told.into_iter().peekable();
        for (ended, turn) in others.into_iter().flat_map(|others| others.told(redactor)) {
            while let Some((ended, event)) = told.next_if(|(_, event)| event.at <= turn.at) {
                row(out, ended, event)?;
            }
            row(out, ended, &Event::without_error(turn))?;
        }
        told.try_for_each(|(ended, event)| row(out, ended, event))
    })
}

fn row(out: &mut dyn Write, ended: Ended, event: &Event) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, &Row { ended, doing: Doing::of(event), event })?;
    out.write_all(b"\n")
}

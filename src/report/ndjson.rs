//! The turns of `history`, one JSON object on a line, oldest first.

use std::io::Write;
use std::path::Path;

use codex_triage_checks::facts::Fact;
use codex_triage_checks::facts::history::Ended;
use codex_triage_checks::timeline::Event;
use serde::Serialize;

use super::{Report, sink, terminal::args};
use crate::collect::history::OtherTurns;
use crate::i18n::Texts;
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

/// Writes all turns that `report` tells of, and the `others`, to `file` or to stdout. Of turns at one moment the failed ones come first. What is
/// missing among them is told on stderr, in one line.
///
/// # Errors
/// When they cannot be written.
pub fn write(
    report: &Report,
    others: Option<&OtherTurns>,
    redactor: &Redactor,
    texts: &Texts,
    file: Option<&Path>,
) -> Result<(), String> {
    let details = report.history.as_ref().and_then(|history| history.details.as_ref());
    let (events, interruptions) = details.map(|details| (&details.events[..], &details.interruptions[..])).unwrap_or_default();
    let mut told: Vec<(Ended, &Event)> = events.iter().rev().map(|event| (Ended::Failed, event)).collect();
    told.extend(interruptions.iter().rev().map(|event| (Ended::Interrupted, event)));
    told.sort_by_key(|(_, event)| event.at);
    let mut rows = (events.len() + interruptions.len()) as u64;
    sink::stream(file, |out| {
        let mut told = told.into_iter().peekable();
        for (ended, turn) in others.into_iter().flat_map(|others| others.told(redactor)) {
            while let Some((ended, event)) = told.next_if(|(_, event)| event.at <= turn.at) {
                row(out, ended, event)?;
            }
            // Those that still run are not among the turns that are counted.
            rows += u64::from(ended != Ended::Running);
            row(out, ended, &Event::without_error(turn))?;
        }
        told.try_for_each(|(ended, event)| row(out, ended, event))
    })?;
    if let Some(missing) = missing(report, rows, texts) {
        sink::tell(&missing);
    }
    Ok(())
}

/// What is missing among the `rows` that were written; none where nothing is.
fn missing(report: &Report, rows: u64, texts: &Texts) -> Option<String> {
    let part = |id: &str, count: u64, first: &str| {
        let told = || texts.get(&format!("report-turns-{id}"), &args([("count", count.into()), ("first", first.into())]));
        (count > 0).then(told)
    };
    let observed = &report.facts.history;
    let parts: Vec<String> = match &observed.fact {
        Fact::Known { value: history } => {
            let first = history.unread.first().map(|unread| format!("{}: {}", unread.file, unread.why)).unwrap_or_default();
            let parts = [
                part("unread", history.unread.len() as u64, &first),
                part("not-reached", history.not_reached, ""),
                part("broken", history.broken_records, ""),
                part("only-counted", history.turns.saturating_sub(rows), ""),
            ];
            parts.into_iter().flatten().collect()
        }
        Fact::Failed { error } => part("failed", 1, error).into_iter().collect(),
        Fact::Skipped { .. } if report.facts.run.cut_short => part("no-time", 1, "").into_iter().collect(),
        Fact::Skipped { .. } | Fact::Absent => Vec::new(),
    };
    let parts = parts.join(&texts.plain("report-turns-and"));
    (!parts.is_empty()).then(|| texts.get("report-turns-missing", &args([("parts", parts.into())])))
}

fn row(out: &mut sink::Out<'_>, ended: Ended, event: &Event) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, &Row { ended, doing: Doing::of(event), event })?;
    out.write_all(b"\n")
}

//! Pictures of runs as a terminal shows them, such as that of a saved report, judged by today's checks.

use std::path::Path;
use std::time::Duration;

use codex_triage::i18n::Texts;
use codex_triage::replay;
use codex_triage::report::paint::Paint;
use codex_triage::report::{Report, terminal};

/// How long the pictured run took.
const ELAPSED: Duration = Duration::from_millis(212);

pub(crate) fn run() -> String {
    let saved = replay::read(Path::new("fixtures/runs/capacity.json"), Duration::from_secs(60)).unwrap();
    let texts = Texts::new(saved.language, saved.facts.run.at, saved.facts.run.utc_offset_s);
    let report = Report::of(saved.facts, saved.redactions, &texts);
    let paint = Paint { color: true, ascii: false };
    let view =
        terminal::View { paint, width: 100, on_screen: true, quiet: false, verbose: false, effective: false, elapsed: ELAPSED };
    of(&format!("$ codex-triage\n{}", terminal::write(&report, &texts, view)))
}

/// What a terminal shows of `text`.
pub(crate) fn of(text: &str) -> String {
    let mut svg = anstyle_svg::Term::new().palette(anstyle_svg::WIN10_CONSOLE).render_svg(text);
    svg.push('\n');
    svg
}

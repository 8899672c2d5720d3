//! The list of the advice checker: what is advised, what Codex does with it, what to do instead. Markdown, for the terminal and `docs/`.

use codex_triage_checks::facts::config::Config;
use codex_triage_checks::facts::run::{Run, Scope};
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::finding::{Args, Finding};
use codex_triage_checks::knowledge::beliefs::{self, Belief, Fate};
use codex_triage_checks::registry;

use crate::collect::config::pasted;
use crate::i18n::Texts;
use crate::redact::Redactor;
use crate::world::World;

/// The check that the list belongs to.
pub const CHECK: &str = "advice-checker";

/// The whole list.
pub fn page(texts: &Texts) -> String {
    let word = |name: &str| texts.plain(&format!("advice-list-{name}"));
    let mut page = format!("# {}\n\n{}\n\n## {}\n\n", word("title"), word("intro"), word("settings"));
    page += &format!("| {} | {} | {} |\n| --- | --- | --- |\n", word("says"), word("fate"), word("does"));
    for row in beliefs::rows() {
        let (Some(says), Some(outcome)) = (&row.says, row.outcome) else { continue };
        let lines: Vec<String> = says.trim().lines().map(|line| format!("`{}`", line.replace('|', "\\|"))).collect();
        page += &format!("| {} | {} | {} |\n", lines.join("<br>"), word(fate(outcome)), answer(row, texts));
    }
    page += &format!("\n## {}\n\n| {} | {} |\n| --- | --- |\n", word("steps"), word("says"), word("does"));
    for row in beliefs::rows().iter().filter(|row| row.says.is_none()) {
        page += &format!("| {} | {} |\n", texts.plain(&format!("belief-{}-says", row.id)), answer(row, texts));
    }
    page
}

fn fate(outcome: Fate) -> &'static str {
    match outcome {
        Fate::Accepted => "fate-accepted",
        Fate::Ignored => "fate-ignored",
        Fate::Rejected => "fate-rejected",
    }
}

/// What the row's finding says of the row's own setting; where none is made, the row's text alone.
fn answer(row: &Belief, texts: &Texts) -> String {
    let found = row.says.as_deref().and_then(|says| findings(says).into_iter().find(|finding| finding.message_id == row.text));
    let args = found.map_or_else(Args::new, |finding| finding.args);
    texts.get(&row.text, &args).replace('|', "\\|")
}

/// What `lint` finds in a setting alone, on a machine on which there is nothing else.
pub fn findings(setting: &str) -> Vec<Finding> {
    let nowhere = std::path::PathBuf::from("/");
    let world = World::new(
        std::collections::BTreeMap::default(),
        nowhere.clone(),
        Some(&nowhere),
        None,
        codex_triage_checks::facts::run::Platform::Linux,
        chrono::DateTime::UNIX_EPOCH,
        0,
    );
    let layers = pasted(setting.trim_start(), &Redactor::new(&world)).into_iter().collect();
    let config = Observed::known(Config { layers, ..Config::default() }, "text");
    registry::run_all(&Facts { config, run: Run { scope: Scope::Lint, ..Run::default() }, ..Facts::default() })
}

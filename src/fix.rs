//! `codex-triage fix`: mends the person's own configuration, in the bytes of the file.
//!
//! The mends come from the pure crate; here they are made on a draft, judged by what Codex would do with it, shown, asked for,
//! and at the end written: with a copy of what was, and only when the file is still as it was read.

mod diff;
mod edit;
mod files;
mod session;
mod show;
mod tree;

use std::io::BufRead;

use codex_triage_checks::facts::Facts;
use codex_triage_checks::facts::run::{Run, Scope};

use crate::app;
use crate::cli::{FixArgs, Format, Global};
use crate::collect::config::ConfigRequest;
use crate::exit;
use crate::i18n::Texts;
use crate::redact::Redactor;
use crate::report::mended::{Mended, ShownMend};
use crate::report::paint::Paint;
use crate::report::{Report, json, sink};
use crate::world::World;
use files::{Target, Trouble};
use session::{Decision, Session};
use show::Show;

/// How mends are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Each one is asked for.
    Ask,
    /// The safe ones (`--yes`).
    Safe,
    /// None: they are shown (`--dry-run`, or nobody to ask).
    Show,
}

/// Runs the command; the result is its exit code.
///
/// # Errors
/// When the arguments do not fit, or the report cannot be written.
pub fn run(args: &FixArgs, global: &Global, world: &World) -> Result<u8, String> {
    let redactor = Redactor::new(world);
    let texts = Texts::new(app::language(global, world), world.now, world.utc_offset_s);
    let paint = Paint::decide(global.color, global.ascii, world, global.output.is_none() && sink::stdout_is_terminal());
    let show = Show { texts: &texts, paint };
    if args.undo {
        return undo(global, world, &redactor, &show);
    }
    let is_json = global.format() == Format::Json;
    let asks = sink::stdin_is_terminal() && sink::stdout_is_terminal() && global.output.is_none() && !is_json;
    let mode = match (args.dry_run, args.yes) {
        (false, true) => Mode::Safe,
        (false, false) if asks => Mode::Ask,
        _ => Mode::Show,
    };
    let run = Run {
        at: world.now,
        utc_offset_s: world.utc_offset_s,
        platform: world.platform,
        scope: Scope::Lint,
        offline: true,
        since: global.since(Scope::Lint).moment(world.now),
        cut_short: false,
        codex_version: args.codex_version.clone(),
    };
    let request =
        ConfigRequest { profile: global.profile.clone(), overrides: global.overrides.clone(), ..ConfigRequest::default() };
    let mut session = Session::begin(world, &redactor, &texts, request, Facts { run, ..Facts::default() });
    match mode {
        Mode::Ask => session.go(|mend| ask(mend, &show)),
        Mode::Safe => {
            session.go(|mend| if mend.safe { Decision::Take } else { Decision::Leave });
            session.list_what_is_left(|mend| mend.obstacle.is_some());
        }
        Mode::Show => session.list_what_is_left(|_| true),
    }
    if let Some(target) = global.output.as_deref().and_then(|output| session.targets.iter().find(|target| target.is_at(output))) {
        return Err(show.line("fix-output-is-target", &[("file", &redactor.path(&target.path))]));
    }
    let mended = write(&session, &redactor, &show, mode);
    let finished = mended.left.is_empty() && mended.troubles.is_empty();
    let refused = session.outcome().is_none_or(|outcome| outcome.is_rejected());
    if is_json {
        let mut report = Report::of(session.facts.clone(), redactor.manifest(), &texts);
        report.mended = Some(mended);
        json::write(&report, global.output.as_deref())?;
    } else {
        sink::write(&show.whole(&mended, session.outcome().as_ref(), mode, args.dry_run), global.output.as_deref())?;
    }
    Ok(if finished && !refused { exit::FINE } else { exit::FOUND })
}

/// Writes what was taken. A file that cannot be written takes what was mended in it back to what is left.
fn write(session: &Session<'_>, redactor: &Redactor, show: &Show<'_>, mode: Mode) -> Mended {
    let mut mended = Mended { applied: session.applied.clone(), left: session.left.clone(), ..Mended::default() };
    if mode == Mode::Show {
        return mended;
    }
    for (target, new) in session.changed() {
        match target.replace(new, session.facts.run.at) {
            Ok(backup) => {
                mended.written = true;
                mended.backups.push(files::shown_copy(&backup, redactor));
            }
            Err(trouble) => {
                let file = redactor.path(&target.path);
                let (kept, lost) = mended.applied.into_iter().partition(|mend| mend.file != file);
                (mended.applied, mended.left) = (kept, [lost, mended.left].concat());
                mended.troubles.push(show.trouble(&trouble, &file, redactor));
            }
        }
    }
    mended
}

/// Shows one mend and asks for it.
fn ask(mend: &ShownMend, show: &Show<'_>) -> Decision {
    let _ = sink::write(&show.mend(mend), None);
    for _ in 0..3 {
        sink::tell_as_is(&show.texts.plain("fix-ask"));
        sink::tell_as_is(" ");
        let mut answer = String::new();
        match std::io::stdin().lock().read_line(&mut answer) {
            Ok(0) | Err(_) => return Decision::Stop,
            Ok(_) => {}
        }
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" | "是" => return Decision::Take,
            "n" | "no" | "" | "否" => return Decision::Leave,
            "q" | "quit" => return Decision::Stop,
            _ => {}
        }
    }
    Decision::Leave
}

/// Puts the files back to what they were before the last run that changed them.
fn undo(global: &Global, world: &World, redactor: &Redactor, show: &Show<'_>) -> Result<u8, String> {
    let profile = global.profile.as_ref().map(|name| format!("{name}.config.toml"));
    let names = ["config.toml".to_owned()].into_iter().chain(profile);
    let targets: Vec<Target> = names.filter_map(|name| Target::read(&world.codex_home.join(name))).collect();
    let newest = targets.iter().filter_map(|target| target.backups().into_iter().next()).map(|backup| backup.stamp).max();
    let mut lines = Vec::new();
    let mut failed = newest.is_none();
    if newest.is_none() {
        lines.push(show.texts.plain("fix-undo-none"));
    }
    for target in &targets {
        let Some(backup) = target.backups().into_iter().next().filter(|backup| Some(&backup.stamp) == newest.as_ref()) else {
            continue;
        };
        let file = redactor.path(&target.path);
        let kept = files::shown_copy(&backup.path, redactor);
        match target.allowed(world).map_err(Trouble::Refused).and_then(|()| target.restore(&backup)) {
            Ok(()) => lines.push(show.line("fix-undone", &[("file", &file)])),
            Err(Trouble::Refused(files::Refused::Changed)) => {
                failed = true;
                lines.push(show.line("fix-undo-changed", &[("file", &file), ("backup", &kept)]));
            }
            Err(trouble) => {
                failed = true;
                lines.push(show.trouble(&trouble, &file, redactor));
            }
        }
    }
    let text = if global.format() == Format::Json {
        format!("{:#}\n", serde_json::json!({ "undone": !failed, "messages": lines }))
    } else {
        format!("{}\n", lines.join("\n"))
    };
    sink::write(&text, global.output.as_deref())?;
    Ok(if failed { exit::FOUND } else { exit::FINE })
}

#[cfg(test)]
mod tests;

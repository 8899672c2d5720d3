//! A run from its arguments to its exit code.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codex_triage_checks::facts::run::{Run, Scope};
use codex_triage_checks::facts::{Facts, Observed};
use codex_triage_checks::registry;

use crate::cli::{Cli, Command, Format, Global};
use crate::collect::config::ConfigRequest;
use crate::collect::error_text::Source;
use crate::collect::plan::{self, Plan};
use crate::cost;
use crate::exit;
use crate::fix;
use crate::i18n::{Language, Texts};
use crate::redact::Redactor;
use crate::report::paint::Paint;
use crate::report::{Report, advice_list, json, ndjson, sink, terminal};
use crate::world::World;

/// Runs the program; the result is its exit code.
pub fn run(cli: &Cli) -> u8 {
    let started = Instant::now();
    match answer(cli, started) {
        Ok(code) => code,
        Err(usage) => {
            let world = World::of_this_process(cli.global.codex_home.as_deref(), cli.global.directory.as_deref());
            sink::tell(&Redactor::new(&world).text(&usage));
            exit::USAGE
        }
    }
}

/// Answers arguments that are none of ours, or `--help` and `--version`; the result is the exit code. What was typed may be an
/// error text or an assignment with a key in it: only plain words of it are repeated.
pub fn misused(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        let _ = error.print();
        return exit::FINE;
    }
    let world = World::of_this_process(None, None);
    let mut text = error.render().to_string();
    let mut arguments = World::arguments();
    arguments.sort_by_key(|argument| std::cmp::Reverse(argument.len()));
    for argument in &arguments {
        for part in [Some(argument.as_str()), argument.split_once('=').map(|(_, value)| value)].into_iter().flatten() {
            if !is_plain_word(part) {
                text = text.replace(part, "…");
            }
        }
    }
    if error.kind() == clap::error::ErrorKind::InvalidSubcommand {
        text.push_str("To triage an error text: codex-triage explain 'the text'\n");
    }
    sink::tell_as_is(&Redactor::new(&world).text(&text));
    exit::USAGE
}

/// Whether a word can be repeated: a command or an option, not a value of somebody's own.
fn is_plain_word(word: &str) -> bool {
    const LONGEST: usize = 24;
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.len() <= LONGEST
        && digits <= 3
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn answer(cli: &Cli, started: Instant) -> Result<u8, String> {
    let global = &cli.global;
    if cli.command.is_some() && cli.error.is_some() {
        return Err("--error goes with no command; give the text to `explain` instead".to_owned());
    }
    if global.allow_cost && (cli.command.is_some() || global.offline) {
        return Err("--allow-cost goes with no command and not with --offline: they send nothing".to_owned());
    }
    let world = World::of_this_process(global.codex_home.as_deref(), global.directory.as_deref());
    if global.directory.is_some() && !world.directory.is_dir() {
        return Err(format!("{} is no directory", world.directory.display()));
    }
    if global.output.as_deref().is_some_and(|output| leads_into(output, &world.codex_home)) {
        return Err("nothing is written into Codex's own folder: give -o another place".to_owned());
    }
    match &cli.command {
        Some(Command::Checks { id }) => checks(id.as_deref(), global, &world),
        Some(Command::Replay { report }) => replay(report, global, &world, started),
        Some(Command::Explain { text }) => {
            let source = explain_source(text)?;
            triage(global, world, Asked::of(Scope::Explain, Some(source)), started)
        }
        Some(Command::Lint(lint)) => {
            let codex_version = lint.codex_version.clone();
            let asked = Asked { codex_version, effective: lint.effective, ..Asked::of(Scope::Lint, None) };
            triage(global, world, asked, started)
        }
        Some(Command::History(history)) => {
            triage(global, world, Asked { every_turn: history.ndjson, ..Asked::of(Scope::History, None) }, started)
        }
        Some(Command::Sessions) => triage(global, world, Asked::of(Scope::Sessions, None), started),
        Some(Command::Fix(fix)) => fix::run(fix, global, &world),
        None => {
            let source = cli.error.as_deref().map(error_source).transpose()?;
            triage(global, world, Asked::of(Scope::Triage, source), started)
        }
    }
}

/// Whether what is written to `file` would come to stand below `folder`, or in the place of a file to which a link in it leads.
fn leads_into(file: &Path, folder: &Path) -> bool {
    /// No file system follows more links than that.
    const MOST_LINKS: usize = 40;
    let Ok(folder) = folder.canonicalize() else { return false };
    if let Ok(real) = file.canonicalize() {
        let mut links = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        if links.any(|link| link.path().canonicalize().is_ok_and(|target| target == real)) {
            return true;
        }
    }
    let mut file = file.to_path_buf();
    for _ in 0..MOST_LINKS {
        let around = file.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let Ok(around) = around.canonicalize() else { return false };
        if around.starts_with(&folder) {
            return true;
        }
        match std::fs::read_link(&file) {
            Ok(target) => file = around.join(target),
            Err(_) => return false,
        }
    }
    false
}

/// What a command asks for.
struct Asked {
    scope: Scope,
    source: Option<Source>,
    codex_version: Option<String>,
    /// Whether a person wants to see what is in effect.
    effective: bool,
    /// Whether each turn is to be written instead of a report.
    every_turn: bool,
}

impl Asked {
    fn of(scope: Scope, source: Option<Source>) -> Self {
        Self { scope, source, codex_version: None, effective: false, every_turn: false }
    }
}

/// Collects what is needed for what was asked, judges it, writes the report.
fn triage(global: &Global, world: World, asked: Asked, started: Instant) -> Result<u8, String> {
    let Asked { scope, source, codex_version, effective, every_turn } = asked;
    let redactor = Redactor::new(&world);
    let offline = global.offline || scope != Scope::Triage;
    let language = language(global, &world);
    let run = Run {
        at: world.now,
        utc_offset_s: world.utc_offset_s,
        platform: world.platform,
        scope,
        offline,
        since: global.since(scope).moment(world.now),
        cut_short: false,
        codex_version,
    };
    let texts = Texts::new(language, run.at, run.utc_offset_s);
    let paint = Paint::decide(global.color, global.ascii, &world, global.output.is_none() && sink::stdout_is_terminal());
    let world = Arc::new(world);
    let redactor = Arc::new(redactor);
    let plan = Plan {
        request: ConfigRequest { profile: global.profile.clone(), overrides: global.overrides.clone(), ..ConfigRequest::default() },
        source,
        consent: global.allow_cost.then(|| cost::teller(language, run.at, run.utc_offset_s)),
        others: every_turn.then(Arc::default),
        cached: !global.no_cache,
        deadline: started + global.timeout(scope),
    };
    let (deadline, others) = (plan.deadline, plan.others.clone());
    let facts = plan::collect(plan, run, &world, &redactor)?;
    if global.allow_cost {
        sink::tell(&cost::account(&facts, &texts));
    }
    let guard = Guard::until(deadline, global);
    let report = Report::of(facts, redactor.manifest(), &texts);
    guard.judged();
    match others {
        Some(others) => ndjson::write(&report, others.get(), &redactor, &texts, global.output.as_deref())?,
        None => write(&report, global, &texts, Look { paint, effective }, started)?,
    }
    let code = exit::code(&report, global);
    // The process ends: to give back what they hold takes time and helps nobody.
    std::mem::forget((report, texts));
    Ok(code)
}

fn replay(path: &Path, global: &Global, world: &World, started: Instant) -> Result<u8, String> {
    let saved = crate::replay::read(path, global.timeout(Scope::Triage))?;
    let language = global.lang.unwrap_or(saved.language);
    let texts = Texts::new(language, saved.facts.run.at, saved.facts.run.utc_offset_s);
    let paint = Paint::decide(global.color, global.ascii, world, global.output.is_none() && sink::stdout_is_terminal());
    let guard = Guard::until(started + global.timeout(saved.facts.run.scope), global);
    let report = Report::of(saved.facts, saved.redactions, &texts);
    guard.judged();
    write(&report, global, &texts, Look { paint, effective: false }, started)?;
    Ok(exit::code(&report, global))
}

/// How a report is shown to a person.
struct Look {
    paint: Paint,
    effective: bool,
}

fn write(report: &Report, global: &Global, texts: &Texts, look: Look, started: Instant) -> Result<(), String> {
    match global.format() {
        Format::Json => json::write(report, global.output.as_deref()),
        Format::Terminal => {
            let view = terminal::View {
                paint: look.paint,
                width: terminal::width(),
                on_screen: global.output.is_none() && sink::stdout_is_terminal(),
                quiet: global.quiet,
                verbose: global.verbose,
                effective: look.effective,
                elapsed: started.elapsed(),
            };
            sink::write(&terminal::write(report, texts, view), global.output.as_deref())
        }
    }
}

fn checks(id: Option<&str>, global: &Global, world: &World) -> Result<u8, String> {
    let texts = Texts::new(language(global, world), world.now, world.utc_offset_s);
    let text = match id {
        Some(id) => {
            let check = registry::CHECKS.iter().find(|check| check.id == id);
            let page = check.ok_or_else(|| format!("there is no check `{id}`; `codex-triage checks` lists them"))?.page();
            if id == advice_list::CHECK { format!("{page}\n{}", advice_list::page(&texts)) } else { page }
        }
        None if global.format() == Format::Json => {
            let rows: Vec<_> = registry::CHECKS
                .iter()
                .map(|check| serde_json::json!({ "id": check.id, "question": check.question(), "codes": (check.codes)() }))
                .collect();
            format!("{:#}\n", serde_json::Value::Array(rows))
        }
        None => {
            let width = registry::CHECKS.iter().map(|check| check.id.len()).max().unwrap_or(0);
            registry::CHECKS.iter().map(|check| format!("{:width$}  {}\n", check.id, check.question())).collect()
        }
    };
    sink::write(&text, global.output.as_deref())?;
    Ok(exit::FINE)
}

/// The language that was asked for, by flag or locale.
pub fn language(global: &Global, world: &World) -> Language {
    global.lang.unwrap_or_else(|| {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| world.variable(name));
        locale.map_or(Language::En, Language::of_locale)
    })
}

/// Where `--error` says that the text is. Whoever gave the text itself is told how.
fn error_source(path: &Path) -> Result<Source, String> {
    match path {
        path if path == Path::new("-") => Ok(Source::Stdin),
        path if !path.exists() && path.to_string_lossy().contains(char::is_whitespace) => {
            Err("--error takes a file, or - for stdin. To triage a sentence: codex-triage explain 'the sentence', or pipe it into \
                 codex-triage --error -"
                .to_owned())
        }
        path => Ok(Source::File(path.to_path_buf())),
    }
}

fn explain_source(words: &[String]) -> Result<Source, String> {
    match words {
        [] if sink::stdin_is_terminal() => Err("give the error text, a file, or - for stdin".to_owned()),
        [] => Ok(Source::Stdin),
        [one] if one == "-" => Ok(Source::Stdin),
        [one] if !one.contains('\n') && Path::new(one).exists() => Ok(Source::File(PathBuf::from(one))),
        words => Ok(Source::Argument(words.join(" "))),
    }
}

/// Ends the process when judging the facts takes beyond the deadline, and on Ctrl-C from here on: collecting has taken the signal
/// over, and nobody else listens.
struct Guard(Arc<AtomicBool>);

/// How far beyond the deadline judging may last.
const GRACE: Duration = Duration::from_millis(350);

impl Guard {
    fn until(deadline: Instant, global: &Global) -> Self {
        let judged = Arc::new(AtomicBool::new(false));
        let (done, global) = (Arc::clone(&judged), global.clone());
        // Without a thread to spare the run goes on unguarded.
        let _ = std::thread::Builder::new().name("guard".to_owned()).spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            let interrupted = runtime.block_on(async {
                tokio::select! {
                    signal = tokio::signal::ctrl_c() => signal.is_ok(),
                    () = tokio::time::sleep_until((deadline + GRACE).into()) => false,
                }
            });
            if interrupted {
                std::process::exit(INTERRUPTED);
            }
            if !done.load(Ordering::SeqCst) {
                std::process::exit(i32::from(internal_error(&global)));
            }
            // The report is being written, perhaps to somebody who reads it slowly.
            if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
                std::process::exit(INTERRUPTED);
            }
        });
        Self(judged)
    }

    fn judged(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What a shell makes of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A report that says that the program itself failed; valid for whoever reads JSON from stdout.
pub fn internal_error(global: &Global) -> u8 {
    let world = World::of_this_process(global.codex_home.as_deref(), global.directory.as_deref());
    let texts = Texts::new(language(global, &world), world.now, world.utc_offset_s);
    let mut facts = Facts {
        run: Run { at: world.now, utc_offset_s: world.utc_offset_s, cut_short: true, ..Run::default() },
        ..Facts::default()
    };
    facts.history = Observed::failed("internal error", "codex-triage");
    if global.format() == Format::Json {
        let report = Report::of(facts, Vec::new(), &texts);
        let _ = json::write(&report, global.output.as_deref());
    }
    sink::tell(&texts.plain("report-internal-error"));
    exit::INTERNAL
}

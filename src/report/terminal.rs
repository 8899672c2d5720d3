//! The report for a person in a hurry: the answer first, then what it rests on, then what to do.

mod diagnostics;
mod effective;
mod history;
mod sessions;

use std::time::Duration;

use codex_triage_checks::advice::{Fix, Horizon};
use codex_triage_checks::facts::run::Scope;
use codex_triage_checks::finding::{Arg, Args, Finding, Severity};
use codex_triage_checks::kind::{Cause, Gate, Kind};
use codex_triage_checks::mend::mends_after;
use codex_triage_checks::subject::SubjectSource;
use codex_triage_checks::verdict::weight_on;
use comfy_table::{ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::Report;
use super::paint::{Paint, Role, harmless};
use crate::i18n::Texts;

/// How the report is to look.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Colours and symbols.
    pub paint: Paint,
    /// Columns.
    pub width: usize,
    /// Whether a person looks at a screen, and not a program at a file or a pipe.
    pub on_screen: bool,
    /// Only the verdict.
    pub quiet: bool,
    /// Everything.
    pub verbose: bool,
    /// What is in effect, key by key.
    pub effective: bool,
    /// How long the run took.
    pub elapsed: Duration,
}

/// Columns of the label beside each block.
const LABEL: usize = 10;
/// Beyond this, lines are hard to read.
const WIDEST: usize = 100;
/// Weights below this (decibans) are left to `-v`.
const SHADE: i16 = 4;
/// Below this width, a table has no room for commands.
const NARROW: usize = 80;
/// Lines of evidence that fit a first look.
const FIRST_LOOK: usize = 4;

/// The columns of the terminal, 100 where there is none.
pub fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDEST, |(columns, _)| usize::from(columns.0)).clamp(40, WIDEST)
}

/// The report as text.
pub fn write(report: &Report, texts: &Texts, view: View) -> String {
    let mut page = Page { report, texts, view, text: String::new() };
    if report.facts.run.scope == Scope::History {
        page.history();
        return page.finished();
    }
    let scope = report.facts.run.scope;
    if !view.quiet {
        page.line("");
    }
    if scope == Scope::Sessions {
        page.sessions_line();
    } else {
        page.verdict_line();
    }
    if view.quiet {
        return page.finished();
    }
    page.summary();
    page.line("");
    match scope {
        Scope::Lint => page.diagnostics(),
        Scope::Sessions => page.sessions(),
        Scope::Triage | Scope::Explain | Scope::History => {
            page.subject();
            page.gates();
            page.evidence();
            page.open();
        }
    }
    page.fix_table();
    if scope == Scope::Sessions {
        page.sessions_asides();
    } else {
        page.asides();
    }
    if view.verbose {
        page.all_findings();
    }
    if scope != Scope::Sessions {
        if view.verbose {
            page.ledger();
        }
        page.unseen();
    }
    page.footer();
    page.finished()
}

/// `text` in lines of `width`; dates, names of models, and a number with its percent sign are hard to read and to copy
/// when they are torn apart.
fn lines_of(text: &str, width: usize) -> Vec<String> {
    let options = textwrap::Options::new(width).word_splitter(textwrap::WordSplitter::NoHyphenation);
    let kept = text.replace(" %", "\u{a0}%");
    textwrap::wrap(&kept, options).iter().map(|line| line.replace("\u{a0}%", " %")).collect()
}

/// Typographic marks in their ASCII forms. Words of other scripts stay: they are the language that was asked for.
fn plain_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '“' | '”' | '„' | '«' | '»' => plain.push('"'),
            '‘' | '’' => plain.push('\''),
            '–' | '—' | '−' => plain.push('-'),
            '…' => plain.push_str("..."),
            '•' | '·' => plain.push('*'),
            '→' => plain.push_str("->"),
            '\u{fffd}' => plain.push('?'),
            '\u{a0}' | '\u{202f}' => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}

struct Page<'a> {
    report: &'a Report,
    texts: &'a Texts,
    view: View,
    text: String,
}

impl Page<'_> {
    fn finished(self) -> String {
        if self.view.paint.ascii { plain_marks(&self.text) } else { self.text }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn label(&self, id: &str) -> String {
        self.texts.plain(&format!("report-{id}"))
    }

    /// A block: its label at the left, its text wrapped at the right.
    fn block(&mut self, label: &str, text: &str, role: Option<Role>) {
        let room = self.view.width.saturating_sub(LABEL + 2).max(20);
        for (number, line) in lines_of(&harmless(text), room).iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            let padding = " ".repeat(LABEL.saturating_sub(label.width()));
            let painted = role.map_or_else(|| line.to_string(), |role| self.view.paint.paint(role, line));
            let line = format!("  {}{padding}{painted}", self.view.paint.paint(Role::Dim, label));
            self.line(&line);
        }
    }

    fn verdict_line(&mut self) {
        let verdict = &self.report.verdict;
        let cause = if verdict.is_about_advice() {
            self.label("advice")
        } else {
            self.texts.plain(&format!("cause-{}", verdict.cause.name()))
        };
        let cause = cause.to_uppercase();
        let errors = self.report.errors_despite_start();
        let (cause, title) = if errors > 0 {
            // Codex starts, so nothing is the cause of a failure yet; but what has errors must not be called healthy.
            let count = args([("count", i64::try_from(errors).unwrap_or(i64::MAX).into())]);
            (self.label("lint-starts").to_uppercase(), Some(self.texts.get("report-lint-errors", &count)))
        } else {
            (cause, verdict.kind.map(|kind| self.kind_title(kind)))
        };
        let separator = self.view.paint.symbol(" · ", " - ");
        let head = title.map_or_else(|| cause.clone(), |title| format!("{cause}{separator}{title}"));
        let role = match verdict.cause {
            _ if verdict.is_about_advice() => Role::Strong,
            _ if errors > 0 => Role::Alarm,
            Cause::Healthy => Role::Good,
            Cause::Undetermined => Role::Caution,
            _ => Role::Alarm,
        };
        let share = verdict.confidence.filter(|_| verdict.kind.is_some()).map(percent).unwrap_or_default();
        let gap = " ".repeat(self.view.width.saturating_sub(4 + head.width() + share.len()).max(2));
        let line = format!("  {}{gap}{}", self.view.paint.paint(role, &head), self.view.paint.paint(Role::Strong, &share));
        self.line(&line);
    }

    fn kind_title(&self, kind: Kind) -> String {
        self.texts.plain(&format!("kind-{}", kind.name().replace('.', "-")))
    }

    fn summary(&mut self) {
        for line in textwrap::wrap(&self.report.verdict.summary, self.view.width.saturating_sub(4)) {
            let line = format!("  {line}");
            self.line(&line);
        }
    }

    fn subject(&mut self) {
        let Some(subject) = &self.report.verdict.subject else { return };
        let label = self.label(if self.report.verdict.is_about_advice() { "advice" } else { "error" });
        let mut head = match (subject.source, subject.at) {
            (SubjectSource::Rollout, Some(at)) => {
                let age = self.texts.duration((self.report.facts.run.at - at).abs());
                self.texts.get("report-turn-failed", &args([("at", Arg::Time(at)), ("age", Arg::Text(age))]))
            }
            _ => self.label("text-given"),
        };
        if let (Some(model), Some(provider)) = (&subject.model, &subject.provider) {
            let via = args([("model", model.as_str().into()), ("provider", provider.as_str().into())]);
            head = format!("{head}{}{}", self.label("comma"), self.texts.get("report-turn-model", &via));
        }
        self.block(&label, &head, None);
        if let Some(text) = subject.text.as_ref().filter(|text| !text.trim().is_empty()) {
            let quoted = format!("“{}”", shortened(text, 300));
            self.block("", &quoted, Some(Role::Strong));
        }
        if let Some(author) = self.author() {
            let author = self.label(&format!("author-{author}"));
            let text = self.texts.get("report-written-by", &args([("author", Arg::Text(author))]));
            self.block("", &text, Some(Role::Dim));
        }
        if let Some(recovered) = subject.recovered_at {
            let text = self.texts.get("report-recovered", &args([("at", Arg::Time(recovered))]));
            self.block("", &text, Some(Role::Good));
        }
    }

    /// Who wrote the words of the error: most mistakes in reading it come from not knowing that.
    fn author(&self) -> Option<String> {
        let told = self
            .report
            .verdict
            .because
            .iter()
            .filter_map(|code| self.finding(code))
            .find_map(|finding| finding.args.get("author"))?;
        Some(super::arg_text(told)).filter(|author| author != "person")
    }

    fn gates(&mut self) {
        let Some(stopped) = self.report.verdict.gate else { return };
        let gates = Gate::ALL.map(|gate| {
            let name = self.label(match gate {
                Gate::Client => "gate-client",
                Gate::Access => "gate-access",
                Gate::Admission => "gate-admission",
                Gate::Execution => "gate-execution",
            });
            match gate.cmp(&stopped) {
                std::cmp::Ordering::Less => format!("{name} {}", self.view.paint.symbol("✓", "ok")),
                std::cmp::Ordering::Equal => format!("{name} {}", self.view.paint.symbol("✗", "STOP")),
                std::cmp::Ordering::Greater => format!("{name} {}", self.view.paint.symbol("–", "-")),
            }
        });
        let label = self.label("gate");
        self.block(&label, &gates.join("   "), None);
    }

    fn finding(&self, code: &str) -> Option<&Finding> {
        self.report.findings.iter().find(|finding| finding.code == code)
    }

    fn evidence(&mut self) {
        let verdict = &self.report.verdict;
        let Some(kind) = verdict.kind else { return };
        let mut shown: Vec<String> = Vec::new();
        for (id, codes) in [("for", &verdict.because), ("against", &verdict.against)] {
            let mut label = self.label(id);
            let telling: Vec<&Finding> =
                codes.iter().filter_map(|code| self.finding(code)).filter(|finding| tells(finding, kind)).collect();
            let lines: Vec<String> = telling.iter().take(FIRST_LOOK).map(|finding| weighed(finding, kind)).collect();
            shown.extend(telling.iter().take(FIRST_LOOK).map(|finding| finding.code.clone()));
            for line in lines {
                self.block(&label, &line, None);
                label.clear();
            }
        }
        let mut label = self.label("not");
        for line in self.ruled_out(kind, &shown) {
            self.block(&label, &line, None);
            label.clear();
        }
    }

    /// The causes that something speaks against, each with the strongest such finding; one line for all that a finding rules out.
    fn ruled_out(&self, winner: Kind, shown: &[String]) -> Vec<String> {
        let mut lines: Vec<(&Finding, Vec<String>)> = Vec::new();
        for cause in Cause::HYPOTHESES.into_iter().filter(|cause| *cause != winner.cause()) {
            let Some(finding) = self.strongest_against(cause, shown) else { continue };
            let name = self.texts.plain(&format!("cause-{}", cause.name()));
            match lines.iter_mut().find(|(known, _)| known.code == finding.code) {
                Some((_, names)) => names.push(name),
                None => lines.push((finding, vec![name])),
            }
        }
        lines
            .into_iter()
            .map(|(finding, names)| format!("{}{}{}", names.join(&self.label("and")), self.label("colon"), finding.message))
            .collect()
    }

    /// The finding that speaks strongest against `cause` and for nothing in it.
    fn strongest_against(&self, cause: Cause, shown: &[String]) -> Option<&Finding> {
        let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.cause() == cause).collect();
        let against = |finding: &Finding| kinds.iter().map(|kind| weight_on(finding, *kind)).min().unwrap_or(0);
        let speaks_for = |finding: &Finding| kinds.iter().any(|kind| weight_on(finding, *kind) > 0);
        let fits = |finding: &&Finding| against(finding) < 0 && !speaks_for(finding) && !shown.contains(&finding.code);
        self.report.findings.iter().filter(fits).min_by_key(|finding| against(finding))
    }

    fn open(&mut self) {
        let verdict = &self.report.verdict;
        if verdict.cause != Cause::Undetermined {
            return;
        }
        let mut label = self.label("open");
        let open: Vec<String> = verdict
            .candidates
            .iter()
            .map(|candidate| {
                let cause = self.texts.plain(&format!("cause-{}", candidate.cause.name()));
                format!("{cause}{}{}  {}", self.label("colon"), self.kind_title(candidate.kind), percent(candidate.posterior))
            })
            .collect();
        for line in open {
            self.block(&label, &line, None);
            label.clear();
        }
        let mut label = self.label("for");
        let lines: Vec<String> = verdict.because.iter().filter_map(|code| self.finding(code)).map(placed).collect();
        for line in lines.into_iter().take(FIRST_LOOK) {
            self.block(&label, &line, None);
            label.clear();
        }
        self.looked_in_vain();
        if let Some(settle) = verdict.settle.clone() {
            let label = self.label("settle");
            self.block(&label, &settle.message, Some(Role::Strong));
            if let Some(command) = settle.command {
                self.command(&command);
            }
        }
    }

    fn looked_in_vain(&mut self) {
        let messages: Vec<String> =
            self.report.findings.iter().filter(|finding| finding.severity == Severity::Unknown).map(placed).collect();
        for message in messages {
            self.block("?", &message, Some(Role::Caution));
        }
    }

    /// A command on lines of its own, never broken, so that it can be copied.
    fn command(&mut self, command: &str) {
        for line in harmless(command).lines() {
            let line = format!("  {}{}", " ".repeat(LABEL), self.view.paint.paint(Role::Command, line));
            self.line(&line);
        }
    }

    fn fix_table(&mut self) {
        if self.report.fixes.is_empty() {
            return;
        }
        let mut table = Table::new();
        table.load_style(if self.view.paint.ascii {
            presets::ASCII_FULL_CONDENSED
        } else {
            presets::UTF8_FULL_CONDENSED.with_rounded_corners()
        });
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.view.width.saturating_sub(2)).unwrap_or(98));
        let mut last = "";
        let mut long = Vec::new();
        let (vain, real): (Vec<&Fix>, Vec<&Fix>) = self.report.fixes.iter().partition(|fix| fix.correction);
        for fix in real.into_iter().chain(vain) {
            let horizon = match fix.horizon {
                _ if fix.correction => "in-vain",
                Horizon::Now => "now",
                Horizon::Soon => "soon",
                Horizon::Lasting => "lasting",
            };
            let shown = if last == horizon { String::new() } else { self.label(horizon) };
            last = horizon;
            // A command that a table would break, or lines of a file, cannot be copied from it: they stand below, by number.
            let fits = |text: &str| self.view.width >= NARROW && text.width() <= self.view.width / 3 && !text.contains('\n');
            let mut place = |text: &String| {
                if fits(text) {
                    return harmless(text);
                }
                long.push(text.clone());
                format!("[{}]", long.len())
            };
            let to_copy: Vec<String> = fix.command.iter().chain(&fix.edit).map(&mut place).collect();
            let title = format!("{}{}", self.view.paint.symbol("• ", "* "), harmless(&fix.title));
            table.add_row(vec![shown, title, to_copy.join("  ")]);
        }
        self.line("");
        for line in table.to_string().lines() {
            let line = format!("  {line}");
            self.line(&line);
        }
        for (number, command) in long.into_iter().enumerate() {
            let label = format!("[{}]", number + 1);
            let mut lines = command.lines();
            let first = lines.next().unwrap_or_default();
            let padding = " ".repeat(LABEL.saturating_sub(label.len()));
            let first = format!("  {label}{padding}{}", self.view.paint.paint(Role::Command, &harmless(first)));
            self.line(&first);
            for rest in lines {
                self.command(rest);
            }
        }
        self.line("");
    }

    fn asides(&mut self) {
        if self.report.facts.run.scope == Scope::Lint {
            return;
        }
        if self.report.verdict.is_about_advice() {
            let told = self.report.findings.iter().filter(|finding| finding.code.starts_with("belief."));
            let lines: Vec<String> = told.map(placed).collect();
            let mut label = self.label("answer");
            for line in lines {
                self.block(&label, &line, None);
                label.clear();
            }
            return;
        }
        for (id, codes) in [("played", &self.report.verdict.contributing), ("also", &self.report.verdict.also)] {
            let mut label = self.label(id);
            let lines: Vec<String> =
                self.report.findings.iter().filter(|finding| codes.contains(&finding.code)).map(placed).collect();
            for line in lines {
                self.block(&label, &line, None);
                label.clear();
            }
        }
    }

    /// The findings of `lint`, what is in effect when that was asked for, and the outcome in one line.
    fn diagnostics(&mut self) {
        let (texts, paint, width) = (self.texts, self.view.paint, self.view.width);
        self.text.push_str(&diagnostics::draw(&self.report.findings, texts, paint, width));
        if let Some(config) = self.report.config.as_ref().filter(|_| self.view.effective) {
            let columns = self.view.on_screen.then_some(width);
            self.text.push_str(&effective::list(config, texts, paint, columns));
            self.line("");
        }
        let Some(config) = &self.report.config else { return };
        let text = match (config.is_rejected(), config.ignored.len()) {
            (true, _) => self.label("lint-rejected"),
            (false, 0) => self.label("lint-accepted"),
            (false, count) => self.texts.get("report-lint-ignoring", &args([("count", Arg::from(count as u64))])),
        };
        self.block("", &text, Some(Role::Strong));
    }

    fn all_findings(&mut self) {
        self.line("");
        let lines: Vec<(Role, String)> = self
            .report
            .findings
            .iter()
            .map(|finding| {
                let (role, mark) = match finding.severity {
                    Severity::Ok => (Role::Good, self.view.paint.symbol("✓", "ok")),
                    Severity::Note => (Role::Dim, self.view.paint.symbol("·", "-")),
                    Severity::Unknown => (Role::Caution, "?"),
                    Severity::Warning => (Role::Caution, "!"),
                    Severity::Error => (Role::Alarm, self.view.paint.symbol("✗", "x")),
                };
                let seen = if finding.evidence.is_empty() { String::new() } else { format!("  [{}]", finding.evidence.join("; ")) };
                (role, format!("{mark} {}: {}{seen}", finding.code, finding.message))
            })
            .collect();
        for (role, line) in lines {
            let indent = textwrap::Options::new(self.view.width).initial_indent("  ").subsequent_indent("      ");
            for line in textwrap::wrap(&harmless(&line), indent) {
                let line = self.view.paint.paint(role, &line);
                self.line(&line);
            }
        }
    }

    /// The sums of the best kinds, to be redone by hand.
    fn ledger(&mut self) {
        let mut label = self.label("sum");
        self.line("");
        let lines: Vec<String> = self
            .report
            .verdict
            .ledger
            .iter()
            .take(6)
            .map(|line| {
                let terms: String = line
                    .terms
                    .iter()
                    .map(|term| {
                        if term.counted {
                            format!(" {:+} {}", term.decibans, term.code)
                        } else {
                            format!(" ({:+} {})", term.decibans, term.code)
                        }
                    })
                    .collect();
                let prior = self.label("ledger-prior");
                format!("{}  {}  = {} ({prior} {}{terms})", percent(line.posterior), line.kind, line.score, line.prior)
            })
            .collect();
        for line in lines {
            self.block(&label, &line, None);
            label.clear();
        }
        self.line("");
    }

    fn unseen(&mut self) {
        let run = &self.report.facts.run;
        // What needs a consent that was not given is offered where it would help, and no gap elsewhere.
        let wanted = |why: &str| !["not-part-of-command", "no-consent"].contains(&why);
        let unseen: Vec<String> = self
            .report
            .skipped
            .iter()
            .filter(|skipped| wanted(&skipped.why))
            .map(|skipped| {
                let id = format!("report-fact-{}", skipped.fact);
                let name = if self.texts.has(&id) { self.texts.plain(&id) } else { skipped.fact.clone() };
                let why = skipped.error.clone().unwrap_or_else(|| self.label(&format!("why-{}", skipped.why)));
                format!("{name} ({why})")
            })
            .collect();
        if !unseen.is_empty() {
            let label = self.label("unseen");
            self.block(&label, &unseen.join(&self.label("and")), Some(Role::Dim));
        }
        if run.cut_short {
            let text = self.label("cut-short");
            self.block("", &text, Some(Role::Caution));
        }
    }

    fn footer(&mut self) {
        let duration = self.texts.duration(chrono::TimeDelta::from_std(self.view.elapsed).unwrap_or_default());
        let checks = codex_triage_checks::registry::asked(self.report.facts.run.scope).count() as u64;
        let mut parts =
            vec![self.texts.get("report-footer", &args([("checks", Arg::from(checks)), ("duration", Arg::Text(duration))]))];
        let mendable = match (self.report.facts.run.scope, &self.report.config) {
            (Scope::Lint, Some(outcome)) => mends_after(&self.report.facts, outcome).len() as u64,
            _ => 0,
        };
        if mendable > 0 {
            parts.push(self.texts.get("fix-footer", &args([("count", Arg::from(mendable))])));
        }
        if !self.view.verbose {
            let sessions = self.report.facts.run.scope == Scope::Sessions;
            parts.push(if sessions { self.word("verbose") } else { self.label("footer-verbose") });
        }
        parts.push(self.label("footer-json"));
        let between = self.view.paint.symbol(" · ", " - ");
        let mut lines: Vec<String> = Vec::new();
        for part in parts {
            match lines.last_mut() {
                Some(line) if 2 + line.width() + between.width() + part.width() <= self.view.width => {
                    line.push_str(between);
                    line.push_str(&part);
                }
                _ => lines.push(part),
            }
        }
        for line in lines {
            let line = format!("  {}", self.view.paint.paint(Role::Dim, &line));
            self.line(&line);
        }
    }
}

/// Whether the finding is more than a shade of evidence for or against `kind`.
fn tells(finding: &Finding, kind: Kind) -> bool {
    weight_on(finding, kind).abs() >= SHADE
}

/// A finding with its place, where it has one: whoever is told of a line wants to know which.
fn placed(finding: &Finding) -> String {
    match place(finding) {
        Some(place) => format!("{place}  {}", finding.message),
        None => finding.message.clone(),
    }
}

fn weighed(finding: &Finding, kind: Kind) -> String {
    format!("{}  {:+} dB", placed(finding), weight_on(finding, kind))
}

fn place(finding: &Finding) -> Option<String> {
    let place = finding.at.as_ref()?;
    Some(match (place.line, place.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", place.file),
        _ => place.file.clone(),
    })
}

/// A share in percent. Nothing that is weighed is certain.
fn percent(share: f64) -> String {
    match share * 100.0 {
        99.0.. => "> 99 %".to_owned(),
        ..1.0 => "< 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

fn shortened(text: &str, characters: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= characters {
        return text;
    }
    let mut short: String = text.chars().take(characters).collect();
    short.push('…');
    short
}

pub(super) fn args<const N: usize>(pairs: [(&str, Arg); N]) -> Args {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

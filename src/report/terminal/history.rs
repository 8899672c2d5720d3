//! The page of `history`: what failed when, calmly.

use chrono::TimeDelta;
use codex_triage_checks::facts::Fact;
use codex_triage_checks::finding::{Arg, Args};
use codex_triage_checks::timeline::{Counted, CourseKind, Details, HistoryReport, Rate, Reading, Span, WeekdayHour};
use unicode_width::UnicodeWidthStr;

use super::{LABEL, NARROW, Page, Role, args, harmless, lines_of};

/// Up to which error rate each shade reaches; the first is for hours without an error, the last is open.
const SHADES: [f64; 4] = [0.0, 0.05, 0.15, 0.40];
/// How each shade is drawn; shapes tell them apart without colour.
const BLOCKS: [char; 5] = ['·', '░', '▒', '▓', '█'];
const LETTERS: [char; 5] = ['.', '-', '=', '*', '#'];
/// With fewer turns, an hour is drawn narrow: its rate may be chance.
const FEW: u64 = 10;
/// Columns of a number in a table.
const NUMBER: usize = 8;
/// Columns of a name in a table, at least.
const NAME: usize = 12;
/// Columns of an interval of two rates.
const INTERVAL: usize = 15;
/// Below this width a table leaves the number of turns out.
const NARROW_TABLE: usize = LABEL + 2 + NAME + 3 * NUMBER;
/// So many rows of a list are shown; the JSON report has all.
const ROWS: usize = 5;

impl Page<'_> {
    /// The whole page; of a quiet run its head alone.
    pub(super) fn history(&mut self) {
        if !self.view.quiet {
            self.line("");
        }
        let told = self.report.history.as_ref().and_then(|history| Some((history, history.details.as_ref()?)));
        match told {
            Some((history, details)) => {
                self.history_head(history, details);
                if !self.view.quiet {
                    self.history_body(history, details);
                }
            }
            None => self.no_history(),
        }
        if self.view.verbose {
            self.all_findings();
        }
    }

    /// There are no records, or they could not be read.
    fn no_history(&mut self) {
        let observed = &self.report.facts.history;
        let (role, text) = match &observed.fact {
            Fact::Failed { error } => {
                let error = args([("source", observed.source.as_str().into()), ("error", error.as_str().into())]);
                (Role::Caution, self.texts.get("timeline-not-read", &error))
            }
            Fact::Skipped { .. } => (Role::Caution, self.texts.plain("timeline-not-looked")),
            Fact::Absent | Fact::Known { .. } => {
                (Role::Strong, self.texts.get("timeline-absent", &args([("source", observed.source.as_str().into())])))
            }
        };
        self.title(&text, role);
    }

    /// The head of the page, which says it all.
    fn history_head(&mut self, history: &HistoryReport, details: &Details) {
        let rate = self.whole(history, details);
        let (failed, turns) = (("failed", rate.failed.into()), ("turns", rate.turns.into()));
        let since = ("since", Arg::Time(history.since));
        let head = match (rate.turns, rate.failed) {
            (0, _) if history.turns > 0 => self.texts.get("timeline-none-ended", &args([("turns", history.turns.into()), since])),
            (0, _) => self.texts.get("timeline-no-turns", &args([since])),
            (_, 0) => self.texts.get("timeline-none-failed", &args([turns, since])),
            _ => self.texts.get("timeline-failed", &args([failed, turns, since, ("rate", share(rate.error_rate).into())])),
        };
        let role = if rate.failed == 0 && rate.turns > 0 { Role::Good } else { Role::Strong };
        let unread = history.unread.len() as u64 + self.not_reached();
        if self.view.quiet && unread > 0 {
            let more = self.texts.get("timeline-quiet-unread", &args([("count", unread.into())]));
            self.title(&format!("{head}{more}"), role);
        } else {
            self.title(&head, role);
        }
    }

    fn title(&mut self, head: &str, role: Role) {
        let head = format!("{}{}{head}", self.texts.plain("timeline-title"), self.view.paint.symbol(" · ", " - "));
        if self.view.quiet {
            let line = format!("  {}", self.view.paint.paint(role, &harmless(&head)));
            self.line(&line);
        } else {
            self.paragraph(&head, role);
        }
    }

    /// A text over the whole width.
    fn paragraph(&mut self, text: &str, role: Role) {
        for line in lines_of(&harmless(text), self.view.width.saturating_sub(4)) {
            let line = format!("  {}", self.view.paint.paint(role, &line));
            self.line(&line);
        }
    }

    /// What stands below it.
    fn history_body(&mut self, history: &HistoryReport, details: &Details) {
        let rate = self.whole(history, details);
        let others = history.turns.saturating_sub(rate.turns + history.interrupted_turns);
        let counts = args([
            ("answered", rate.turns.saturating_sub(rate.failed).into()),
            ("interrupted", history.interrupted_turns.into()),
            ("others", others.into()),
        ]);
        if self.is_tallied() {
            let text = self.texts.get("timeline-others", &counts);
            self.paragraph(&text, Role::Dim);
        }
        let kept = details.events.len() as u64;
        if let Some(since) = history.events_since {
            let text = self.texts.get("timeline-newest", &args([("kept", kept.into()), ("since", Arg::Time(since))]));
            self.paragraph(&text, Role::Caution);
        }
        self.line("");
        self.kinds(history);
        if details.rate.turns > 0 {
            self.map(&details.by_weekday_hour);
        }
        self.tables(history, details);
        self.present(details, history.events_since.is_some());
        self.rows_of_failures(details, history.events_since.is_some());
        self.others(details);
        self.new_models(details);
        self.hours(details);
        self.unread(history);
        self.line("");
        let foot = match history.events_since {
            Some(_) => self.texts.get("timeline-footer-newest", &args([("kept", kept.into())])),
            None => self.texts.plain("timeline-footer"),
        };
        self.paragraph(&foot.replace(" · ", self.view.paint.symbol(" · ", " - ")), Role::Dim);
    }

    fn say(&mut self, label: &str, id: &str, args: &Args) {
        let label = if label.is_empty() { String::new() } else { self.texts.plain(&format!("timeline-label-{label}")) };
        let text = self.texts.get(&format!("timeline-{id}"), args);
        self.block(&label, &text, None);
    }

    fn reading(&self, reading: Reading) -> String {
        match reading {
            Reading::Kind(kind) => self.kind_title(kind),
            Reading::Undetermined | Reading::Unknown => self.texts.plain(&format!("timeline-{}", reading.name())),
        }
    }

    fn kinds(&mut self, history: &HistoryReport) {
        let room = self.view.width.saturating_sub(LABEL + 2);
        let shown: Vec<[String; 3]> = history
            .by_kind
            .iter()
            .take(ROWS)
            .map(|kind| {
                let title = format!("{:>6}  {}", kind.count, self.reading(kind.kind));
                let last = self.texts.get("timeline-last", &args([("at", Arg::Time(kind.last))]));
                [cut(&title, room), kind.kind.name().to_owned(), last]
            })
            .collect();
        let widest = |column: usize| shown.iter().map(|row| row[column].width()).max().unwrap_or(0);
        let widths = [widest(0), widest(1), widest(2)];
        let mut label = self.texts.plain("timeline-label-kinds");
        for row in &shown {
            let mut text = padded(&row[0], widths[0]);
            let mut taken = widths[0];
            for (more, width) in row.iter().zip(widths).skip(1) {
                taken += 2 + width;
                if taken <= room {
                    text = format!(
                        "{text}  {}{}",
                        self.view.paint.paint(Role::Dim, more),
                        " ".repeat(width.saturating_sub(more.width()))
                    );
                }
            }
            self.labelled(&label, &text);
            label.clear();
        }
        let rest: u64 = history.by_kind.iter().skip(ROWS).map(|kind| kind.count).sum();
        if rest > 0 {
            self.say("", "more-kinds", &args([("count", rest.into())]));
        }
        if !history.by_kind.is_empty() {
            self.line("");
        }
    }

    /// A line whose parts are painted already; it is made to fit by whoever calls.
    fn labelled(&mut self, label: &str, text: &str) {
        let line = format!("  {}{text}", self.view.paint.paint(Role::Dim, &padded(label, LABEL)));
        self.line(&line);
    }

    /// Weekday by hour: the shade tells the rate, the width how many turns it rests on.
    fn map(&mut self, week: &[Vec<WeekdayHour>]) {
        let cell = if self.view.width >= LABEL + 2 + 48 { 2 } else { 1 };
        let with_sums = self.view.width >= NARROW;
        let mut head: String = (0..24).step_by(3).map(|hour| padded(&format!("{hour:02}"), 3 * cell)).collect();
        if with_sums {
            head = format!("{head}{}{}", self.number_head("turns"), self.number_head("rate"));
        }
        let head = self.view.paint.paint(Role::Dim, &head);
        let label = self.texts.plain("timeline-label-hours");
        self.labelled(&label, &head);
        for (number, day) in week.iter().enumerate() {
            let mut line: String = day.iter().map(|hour| self.cell(*hour, cell)).collect();
            if with_sums {
                let (turns, failed) = day.iter().fold((0, 0), |(turns, failed), hour| (turns + hour.turns, failed + hour.failed));
                let rate = Rate::new(turns, failed).error_rate;
                line = format!("{line}{turns:>NUMBER$}{:>NUMBER$}", rate.map_or_else(String::new, |rate| share(Some(rate))));
            }
            let name = self.texts.plain(&format!("timeline-day-{}", number + 1));
            self.labelled(&format!("{}{name}", " ".repeat(LABEL.saturating_sub(2 + name.width()))), &line);
        }
        let legend = self.legend(cell);
        for line in legend {
            self.labelled("", &line);
        }
        self.line("");
    }

    /// The head of a column of numbers.
    fn number_head(&self, id: &str) -> String {
        let text = self.texts.plain(&format!("timeline-{id}"));
        format!("{}{text}", " ".repeat(NUMBER.saturating_sub(text.width())))
    }

    fn mark(&self, shade: usize) -> char {
        if self.view.paint.ascii { LETTERS[shade] } else { BLOCKS[shade] }
    }

    fn cell(&self, hour: WeekdayHour, width: usize) -> String {
        let Some(rate) = Rate::new(hour.turns, hour.failed).error_rate else { return " ".repeat(width) };
        let shade = shade(rate);
        let drawn = if hour.turns < FEW { 1 } else { width };
        let text: String = std::iter::repeat_n(self.mark(shade), drawn).collect();
        format!("{}{}", self.view.paint.shade(shade, &text), " ".repeat(width - drawn))
    }

    /// What the marks mean, in as many lines as it takes.
    fn legend(&self, cell: usize) -> Vec<String> {
        let limited = |id: &str, limit: f64| self.texts.get(id, &args([("limit", format!("{:.0} %", limit * 100.0).into())]));
        let [_, reaches @ ..] = SHADES;
        let mut meanings = vec![self.texts.plain("timeline-legend-none")];
        meanings.extend(reaches.iter().map(|limit| limited("timeline-legend-below", *limit)));
        meanings.push(limited("timeline-legend-above", reaches[reaches.len() - 1]));
        let mut parts: Vec<(usize, String)> = Vec::new();
        for (shade, meaning) in meanings.iter().enumerate() {
            let mark: String = std::iter::repeat_n(self.mark(shade), 2).collect();
            let painted = format!("{} {}", self.view.paint.shade(shade, &mark), self.view.paint.paint(Role::Dim, meaning));
            parts.push((mark.width() + 1 + meaning.width(), painted));
        }
        let few = if cell > 1 { "timeline-legend-narrow" } else { "timeline-legend-blank" };
        let few = self.texts.get(few, &args([("few", FEW.into())]));
        let room = self.view.width.saturating_sub(LABEL + 2);
        parts.extend(textwrap::wrap(&few, room).iter().map(|line| (line.width(), self.view.paint.paint(Role::Dim, line))));
        let mut lines: Vec<(usize, String)> = Vec::new();
        for (width, part) in parts {
            match lines.last_mut() {
                Some((taken, line)) if *taken + 3 + width <= room => {
                    *taken += 3 + width;
                    line.push_str("   ");
                    line.push_str(&part);
                }
                _ => lines.push((width, part)),
            }
        }
        lines.into_iter().map(|(_, line)| line).collect()
    }

    /// By model; by provider and account where there are several.
    fn tables(&mut self, history: &HistoryReport, details: &Details) {
        let models: Vec<_> = history.by_model.iter().map(|row| (row.model.as_deref(), &row.counted)).collect();
        let providers: Vec<_> = details.by_provider.iter().map(|row| (row.provider.as_deref(), &row.counted)).collect();
        let accounts: Vec<_> = details.by_account.iter().map(|row| (row.account.as_deref(), &row.counted)).collect();
        let mut drawn = false;
        for (label, rows, least) in [("models", models, 1), ("providers", providers, 2), ("accounts", accounts, 2)] {
            if rows.len() >= least {
                self.table(label, &rows);
                drawn = true;
            }
        }
        if drawn {
            self.line("");
        }
    }

    fn table(&mut self, label: &str, rows: &[(Option<&str>, &Counted)]) {
        let columns: &[&str] =
            if self.view.width < NARROW_TABLE { &["failed-turns", "rate"] } else { &["turns", "failed-turns", "rate"] };
        let room = self.view.width.saturating_sub(LABEL + 2 + columns.len() * NUMBER).max(NAME);
        let unknown = self.texts.plain("timeline-not-known");
        let name = |name: Option<&str>| cut(&one_line(name.unwrap_or(&unknown)), room);
        let widest = rows.iter().take(ROWS).map(|(of, _)| name(*of).width()).max().unwrap_or(0).max(NAME);
        let interval = self.texts.plain("timeline-interval");
        let with_interval = self.view.width >= LABEL + 2 + widest + columns.len() * NUMBER + 2 + interval.width().max(INTERVAL);
        let mut head: String = columns.iter().map(|id| self.number_head(id)).collect();
        if with_interval {
            head = format!("{head}  {interval}");
        }
        let head = self.view.paint.paint(Role::Dim, &format!("{}{head}", " ".repeat(widest)));
        let title = self.texts.plain(&format!("timeline-label-{label}"));
        self.labelled(&title, &head);
        for (of, counted) in rows.iter().take(ROWS) {
            let rate = counted.rate;
            let numbers = [rate.turns.to_string(), rate.failed.to_string(), share(rate.error_rate)];
            let numbers: String = numbers[3 - columns.len()..].iter().map(|number| format!("{number:>NUMBER$}")).collect();
            let mut line = format!("{}{numbers}", padded(&name(*of), widest));
            if let (true, Some(low), Some(high)) = (with_interval, rate.low, rate.high) {
                let interval = format!("{} – {}", share(Some(low)), share(Some(high)));
                line = format!("{line}  {}", self.view.paint.paint(Role::Dim, &interval));
            }
            self.labelled("", &line);
        }
        if rows.len() > ROWS {
            self.say("", "more-rows", &args([("count", ((rows.len() - ROWS) as u64).into())]));
        }
    }

    /// Since when it fails, and whether it comes and goes.
    fn present(&mut self, details: &Details, cut: bool) {
        if let Some(present) = &details.present {
            let kind = self.reading(present.kind);
            let common = args([
                ("cut", yes(cut)),
                ("model", one_line(&present.model).into()),
                ("kind", kind.into()),
                ("since", Arg::Time(present.since)),
                ("last", Arg::Time(present.last)),
                ("failures", present.failures.into()),
            ]);
            match present.answered_after {
                Some(at) => self.say("now", "over", &with(common, "at", Arg::Time(at))),
                None => self.say("now", "still", &common),
            }
        }
        if let Some(course) = &details.course {
            let common = args([("model", one_line(&course.model).into()), ("cut", yes(cut))]);
            match (course.course, course.median_recovery_ms) {
                (CourseKind::Constant, _) => {
                    let since = with(common, "since", Arg::Time(course.from));
                    self.say("", "constant", &with(since, "failures", course.failures.into()));
                }
                (CourseKind::Intermittent, Some(median)) => {
                    let times = with(common, "recoveries", (course.recoveries as u64).into());
                    self.say("", "intermittent", &with(times, "median", Arg::DurationMs(median)));
                }
                _ => {}
            }
        }
    }

    fn rows_of_failures(&mut self, details: &Details, cut: bool) {
        if let Some(streak) = details.streaks.first() {
            let common = args([
                ("cut", yes(cut)),
                ("model", one_line(&streak.model).into()),
                ("failures", streak.failures.into()),
                ("from", Arg::Time(streak.from)),
                ("to", Arg::Time(streak.to)),
            ]);
            self.say("streak", "streak", &common);
        }
        if let Some(burst) = details.bursts.first() {
            let common = args([
                ("cut", yes(cut)),
                ("failures", burst.failures.into()),
                ("models", (burst.models.len() as u64).into()),
                ("from", Arg::Time(burst.from)),
                ("lasted", milliseconds(burst.to - burst.from)),
            ]);
            self.say("burst", "burst", &common);
        }
    }

    fn others(&mut self, details: &Details) {
        let seen = &details.neighbours;
        let all = |count: u64| args([("count", count.into()), ("refusals", seen.refusals.into())]);
        let mut label = "others";
        if let (true, Some(pair)) = (seen.another_answered > 0, seen.pairs.first()) {
            let counts = with(all(seen.another_answered), "other", one_line(&pair.other).into());
            let leads = seen.pairs.get(1).is_none_or(|next| next.times < pair.times) && pair.times > 1;
            self.say(label, "another-answered", &with(counts, "leads", yes(leads)));
            label = "";
        }
        if let (true, Some(first)) = (seen.elsewhere_answered > 0, seen.elsewhere.first()) {
            let other = first.other.as_deref().map_or_else(|| self.texts.plain("timeline-not-known"), one_line);
            let leads = seen.elsewhere.get(1).is_none_or(|next| next.times < first.times) && first.times > 1;
            let counts = with(all(seen.elsewhere_answered), "other", other.into());
            self.say(label, "elsewhere-answered", &with(counts, "leads", yes(leads)));
            label = "";
        }
        if seen.another_refused > 0 {
            self.say(label, "another-refused", &all(seen.another_refused));
            label = "";
        }
        if seen.refusals > 0 && seen.alone == seen.refusals {
            self.say(label, "nothing-else-tried", &all(seen.alone));
        }
    }

    fn new_models(&mut self, details: &Details) {
        let mut label = "new";
        for model in details.new_models.iter().filter(|model| model.fails_early).take(2) {
            let common = args([
                ("model", one_line(&model.model).into()),
                ("at", Arg::Time(model.first_used)),
                ("early", share(model.early.error_rate).into()),
                ("later", share(model.later.error_rate).into()),
            ]);
            self.say(label, "new-model", &common);
            label = "";
        }
    }

    /// When to work: only what the hours of this user show.
    fn hours(&mut self, details: &Details) {
        let hours = &details.hours;
        let refused = hours.refused();
        let mut label = "plan";
        if let Some(span) = hours.crowded.first() {
            self.say(label, "crowded", &span_args(span));
            label = "";
        }
        if let Some(span) = hours.quiet.first() {
            self.say(label, "quiet", &span_args(span));
            label = "";
        }
        if hours.crowded.is_empty() && hours.quiet.is_empty() && refused > 0 {
            self.say(label, "no-hour-differs", &args([("refused", refused.into())]));
            label = "";
        }
        if refused > 0 && hours.unknown() > 0 {
            self.say(label, "hours-unknown", &args([("count", (hours.unknown() as u64).into())]));
        }
    }

    /// Files for which there was no time.
    fn not_reached(&self) -> u64 {
        self.report.facts.history.value().map_or(0, |history| history.not_reached)
    }

    /// Whether the records tell how each turn ended. Reports of older releases do not.
    fn is_tallied(&self) -> bool {
        self.report.facts.history.value().is_some_and(|history| !history.tallies.is_empty())
    }

    /// All turns that ended with an answer or an error; where the records do not tell how each ended, all that were seen.
    fn whole(&self, history: &HistoryReport, details: &Details) -> Rate {
        if self.is_tallied() { details.rate } else { Rate::new(history.turns, history.failed_turns) }
    }

    fn unread(&mut self, history: &HistoryReport) {
        let facts = self.report.facts.history.value();
        let not_reached = self.not_reached();
        let broken = facts.map_or(0, |history| history.broken_records);
        let mut label = "unread";
        if let Some(first) = history.unread.first() {
            let text = args([
                ("count", (history.unread.len() as u64).into()),
                ("file", one_line(&first.file).into()),
                ("why", first.why.as_str().into()),
            ]);
            self.say(label, "unread", &text);
            label = "";
        }
        for (id, count) in [("not-reached", not_reached), ("broken", broken)] {
            if count > 0 {
                self.say(label, id, &args([("count", count.into())]));
                label = "";
            }
        }
    }
}

/// A name as it stands within a line: a line break in it would look like one of the page.
fn one_line(name: &str) -> String {
    harmless(name).replace('\n', "\\u{a}")
}

/// A condition as messages ask for it.
fn yes(condition: bool) -> Arg {
    Arg::Text(if condition { "yes" } else { "no" }.to_owned())
}

fn shade(rate: f64) -> usize {
    SHADES.iter().position(|limit| if *limit == 0.0 { rate <= 0.0 } else { rate < *limit }).unwrap_or(SHADES.len())
}

/// A share in percent, with as many places as tell something.
fn share(rate: Option<f64>) -> String {
    match rate.map(|rate| rate * 100.0) {
        None => String::new(),
        Some(percent) if percent <= 0.0 => "0 %".to_owned(),
        Some(percent) if percent < 0.1 => "< 0.1 %".to_owned(),
        Some(percent) if percent < 10.0 => format!("{percent:.1} %"),
        Some(percent) => format!("{percent:.0} %"),
    }
}

fn milliseconds(duration: TimeDelta) -> Arg {
    Arg::DurationMs(duration.num_milliseconds())
}

fn with(mut args: Args, name: &str, value: Arg) -> Args {
    args.insert(name.to_owned(), value);
    args
}

fn span_args(span: &Span) -> Args {
    let hour = |hour: u32| Arg::Text(format!("{hour:02}:00"));
    let rate = Rate::new(span.turns, span.refused).error_rate;
    args([
        ("from", hour(span.from)),
        ("to", hour(span.to)),
        ("turns", span.turns.into()),
        ("refused", span.refused.into()),
        ("rate", share(rate).into()),
    ])
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// `text` in at most `width` columns.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if short.width() + 2 > width {
            break;
        }
        short.push(letter);
    }
    short.push('…');
    short
}

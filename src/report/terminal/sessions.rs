//! What fills the session directory, for a person: months, projects, the largest, the fullest, what else takes space, what to leave alone.

use codex_triage_checks::facts::sessions::{Month, SessionStore, ThreadContext, thread_of};
use codex_triage_checks::finding::{Arg, Finding, Severity};
use codex_triage_checks::knowledge::session_commands;
use unicode_width::UnicodeWidthStr;

use super::super::paint::{Role, harmless};
use super::effective::cut;
use super::{LABEL, Page, args};
use crate::i18n::size;

/// Rows of one kind that fit a first look.
const FIRST_LOOK: usize = 5;
/// Months that are shown one by one.
const MONTHS: usize = 12;
/// Columns of the longest bar.
const BAR: usize = 24;

impl Page<'_> {
    pub(super) fn word(&self, id: &str) -> String {
        self.texts.plain(&format!("sessions-view-{id}"))
    }

    fn words<const N: usize>(&self, id: &str, pairs: [(&str, Arg); N]) -> String {
        self.texts.get(&format!("sessions-view-{id}"), &args(pairs))
    }

    /// What was counted, and how much of it calls for a remark: on one line.
    pub(super) fn sessions_line(&mut self) {
        let store = self.report.facts.sessions.value();
        let mut head = self.word("head").to_uppercase();
        if let Some(store) = store {
            let total = self.words("total", [("files", store.files.into()), ("bytes", Arg::Bytes(store.bytes))]);
            head = format!("{head}{}{total}", self.view.paint.symbol(" · ", " - "));
        }
        let remarks = self.remarks().count();
        let mut shares = Vec::new();
        if remarks > 0 {
            shares.push(self.words("findings", [("count", (remarks as u64).into())]));
        }
        if self.is_cut_short() {
            shares.push(self.word("time-up"));
        }
        if let Some(unread) = store.map(|store| store.unread.len() as u64).filter(|unread| *unread > 0) {
            shares.push(self.words("not-read", [("count", unread.into())]));
        }
        let share = shares.join(self.view.paint.symbol(" · ", " - "));
        let worst = self.remarks().map(|finding| finding.severity).max();
        let role = match worst {
            None if self.is_cut_short() => Role::Caution,
            None => Role::Good,
            Some(Severity::Error) => Role::Alarm,
            Some(_) => Role::Caution,
        };
        let gap = " ".repeat(self.view.width.saturating_sub(4 + head.width() + share.width()).max(2));
        let line = format!("  {}{gap}{}", self.view.paint.paint(role, &head), self.view.paint.paint(Role::Strong, &share));
        self.line(&line);
    }

    /// Whether the time was up before everything was looked at.
    fn is_cut_short(&self) -> bool {
        self.report.facts.run.cut_short || self.report.facts.sessions.value().is_some_and(|store| store.cut_short)
    }

    /// The findings that a person should read.
    fn remarks(&self) -> impl Iterator<Item = &Finding> {
        self.report.findings.iter().filter(|finding| finding.severity >= Severity::Unknown)
    }

    pub(super) fn sessions(&mut self) {
        if let Some(store) = self.report.facts.sessions.value() {
            self.months(store);
            self.projects(store);
            self.largest(store);
            self.contexts(store);
            self.places(store);
        }
        let mut label = self.word("remarks");
        let remarks: Vec<(Role, String)> = self
            .remarks()
            .map(|finding| (if finding.severity == Severity::Error { Role::Alarm } else { Role::Caution }, finding.message.clone()))
            .collect();
        if !remarks.is_empty() {
            self.line("");
        }
        for (role, remark) in remarks {
            self.block(&label, &remark, Some(role));
            label.clear();
        }
    }

    /// What to leave alone, and what could not be counted.
    pub(super) fn sessions_asides(&mut self) {
        let Some(store) = self.report.facts.sessions.value() else {
            if self.is_cut_short() {
                let (label, text) = (self.word("unread"), self.word("nothing-counted"));
                self.block(&label, &text, Some(Role::Caution));
            }
            return;
        };
        let mut label = self.word("commands");
        for command in session_commands::of(self.report.facts.codex_version()) {
            let does = self.texts.plain(&format!("sessions-command-{}", command.name));
            let line = format!("{}{}{does}", command.usage, self.label("colon"));
            self.block(&label, &line, None);
            label.clear();
        }
        let mut label = self.word("leave");
        if !store.writer_locks.is_empty() {
            let locked = self.words("locked", [("count", (store.writer_locks.len() as u64).into())]);
            self.block(&label, &locked, None);
            label.clear();
        }
        let stay = self.word("databases-stay");
        self.block(&label, &stay, None);
        let mut label = self.word("unread");
        let limit = self.limit();
        for unread in store.unread.iter().take(limit) {
            self.block(&label, &format!("{}: {}", unread.file, unread.why), Some(Role::Caution));
            label.clear();
        }
        if store.unread.len() > limit {
            let more = self.words("more", [("count", ((store.unread.len() - limit) as u64).into())]);
            self.block("", &more, Some(Role::Caution));
        }
        if self.is_cut_short() {
            let text = self.word("cut-short");
            self.block("", &text, Some(Role::Caution));
        }
    }

    fn limit(&self) -> usize {
        if self.view.verbose { usize::MAX } else { FIRST_LOOK }
    }

    fn files(&self, files: u64) -> String {
        self.words("files", [("files", files.into())])
    }

    fn months(&mut self, store: &SessionStore) {
        let shown = if self.view.verbose { usize::MAX } else { MONTHS };
        let earlier = store.months.len().saturating_sub(shown);
        let mut months: Vec<Month> = store.months[earlier..].to_vec();
        if earlier > 0 {
            let sum = |field: fn(&Month) -> u64| store.months[..earlier].iter().map(field).sum();
            let (files, bytes) = (sum(|month| month.files), sum(|month| month.bytes));
            let (archived_files, archived_bytes) = (sum(|month| month.archived_files), sum(|month| month.archived_bytes));
            months.insert(0, Month { month: self.word("earlier"), files, bytes, archived_files, archived_bytes });
        }
        let most = months.iter().map(|month| month.bytes).max().unwrap_or(0);
        let rows = months
            .iter()
            .map(|month| {
                let bar = self.view.paint.symbol("█", "#").repeat(columns(month.bytes, most));
                vec![month.month.clone(), self.files(month.files), size(month.bytes), bar]
            })
            .collect();
        let label = self.word("months");
        self.rows(&label, rows, &[1, 2]);
        let mut aside = Vec::new();
        let archived: u64 = store.months.iter().map(|month| month.archived_files).sum();
        if archived > 0 {
            let bytes = store.months.iter().map(|month| month.archived_bytes).sum();
            aside.push(format!("{}{}{}, {}", self.word("archived"), self.label("colon"), self.files(archived), size(bytes)));
        }
        for (id, count) in [("compressed", store.compressed_files), ("empty", store.empty_files)] {
            if count > 0 {
                aside.push(self.words(id, [("count", count.into())]));
            }
        }
        if !aside.is_empty() {
            let aside = aside.join(self.view.paint.symbol(" · ", " - "));
            self.block("", &aside, Some(Role::Dim));
        }
    }

    fn projects(&mut self, store: &SessionStore) {
        let most = store.projects.iter().map(|project| project.bytes).max().unwrap_or(0);
        let rows = store
            .projects
            .iter()
            .take(self.limit())
            .map(|project| {
                let bar = self.view.paint.symbol("█", "#").repeat(columns(project.bytes, most));
                let name = project.project.clone().unwrap_or_else(|| self.word("no-project"));
                vec![cut(&harmless(&name), BAR), self.files(project.files), size(project.bytes), bar]
            })
            .collect();
        let label = self.word("projects");
        self.rows(&label, rows, &[1, 2]);
    }

    fn largest(&mut self, store: &SessionStore) {
        let project_of = |thread: &str| {
            let known = store.threads.iter().find(|known| known.thread == thread);
            known.and_then(|known| known.project.clone()).unwrap_or_default()
        };
        let rows = store
            .largest
            .iter()
            .filter(|rollout| rollout.bytes > 0)
            .take(self.limit())
            .map(|rollout| {
                let thread = thread_of(&rollout.file);
                let name = thread.map_or_else(|| rollout.file.clone(), str::to_owned);
                let archived = if rollout.is_archived() { self.word("archived") } else { String::new() };
                vec![size(rollout.bytes), name, archived, thread.map(project_of).unwrap_or_default()]
            })
            .collect();
        let label = self.word("largest");
        self.rows(&label, rows, &[0]);
    }

    /// The fullest contexts of sessions that can be used on.
    fn contexts(&mut self, store: &SessionStore) {
        if store.threads_seen == 0 {
            return;
        }
        let mut fullest: Vec<(f64, &ThreadContext)> = store
            .threads
            .iter()
            .filter(|thread| !thread.archived)
            .filter_map(|thread| Some((thread.fullness()?, thread)))
            .collect();
        fullest.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.thread.cmp(&other.1.thread)));
        let rows = fullest
            .into_iter()
            .take(self.limit())
            .map(|(share, thread)| {
                let project = thread.project.clone().unwrap_or_default();
                vec![format!("{:.0} %", share * 100.0), thread.thread.clone(), self.texts.moment(thread.last), project]
            })
            .collect();
        let label = self.word("contexts");
        let drawn = self.rows(&label, rows, &[0]);
        let seen = self.words("looked-at", [("count", store.threads_seen.into())]);
        self.block(if drawn { "" } else { &label }, &seen, Some(Role::Dim));
    }

    /// Databases, logs and what else takes space, and how much is left.
    fn places(&mut self, store: &SessionStore) {
        let databases = store
            .databases
            .iter()
            .take(self.limit())
            .map(|database| {
                let log = if database.wal_bytes == 0 {
                    String::new()
                } else {
                    self.words("not-written-back", [("bytes", Arg::Bytes(database.wal_bytes))])
                };
                vec![size(database.bytes), database.file.clone(), log]
            })
            .collect();
        let logs = store.logs.iter().take(self.limit()).map(|log| vec![size(log.bytes), log.file.clone()]).collect();
        let other = store
            .other
            .iter()
            .take(self.limit())
            .map(|other| {
                let files = if other.files > 1 { self.files(other.files) } else { String::new() };
                vec![size(other.bytes), other.file.clone(), files]
            })
            .collect();
        for (id, rows) in [("databases", databases), ("logs", logs), ("other", other)] {
            let label = self.word(id);
            self.rows(&label, rows, &[0]);
        }
        if let Some(disk) = store.disk {
            let label = self.word("disk");
            let free = self.words("free", [("free", Arg::Bytes(disk.free_bytes)), ("total", Arg::Bytes(disk.total_bytes))]);
            self.block(&label, &free, None);
        }
    }

    /// Rows in columns, those of `right` aligned at their right. What does not fit is cut at its end. Whether there were any.
    fn rows(&mut self, label: &str, rows: Vec<Vec<String>>, right: &[usize]) -> bool {
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count).map(width).collect();
        // Three points stand for the mark of a cut in ASCII.
        let mark = if self.view.paint.ascii { 2 } else { 0 };
        let room = self.view.width.saturating_sub(LABEL + 2).max(20) - mark;
        let mut label = label.to_owned();
        let any = !rows.is_empty();
        for row in rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate().filter(|(column, _)| widths[*column] > 0) {
                let padding = " ".repeat(widths[column] - cell.width());
                let gap = if line.is_empty() { "" } else { "  " };
                line += &if right.contains(&column) { format!("{gap}{padding}{cell}") } else { format!("{gap}{cell}{padding}") };
            }
            let line = cut(&harmless(line.trim_end()), room);
            self.block(&label, &line, None);
            label.clear();
        }
        any
    }
}

/// The columns of a bar: something for everything that is there at all.
fn columns(bytes: u64, most: u64) -> usize {
    if bytes == 0 || most == 0 {
        return 0;
    }
    // `as` is exact enough for a bar.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between zero and the width of a bar")]
    let columns = (bytes as f64 / most as f64 * BAR as f64).round() as usize;
    columns.clamp(1, BAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_vanishes() {
        assert_eq!((columns(0, 10), columns(10, 10), columns(5, 10), columns(1, 1_000_000)), (0, BAR, BAR / 2, 1));
        assert_eq!(columns(0, 0), 0);
    }
}

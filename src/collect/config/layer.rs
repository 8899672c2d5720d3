//! One file as a layer: read, parsed, and its keys with their places.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use codex_triage_checks::facts::config::{Entry, Layer, LayerName, LayerState, Scalar, Typed, ValueKind};
use codex_triage_checks::knowledge::config;
use toml_edit::{Document, InlineTable, Item, Key, Table, Value};

use super::Drafts;
use super::address;
use super::position::Lines;
use super::raw::{self, RawTable, table_of};
use super::{redaction, too_large, unseen};
use crate::outline::slip;
use crate::redact::Redactor;

/// A larger file is not read: Codex itself needs seconds for it, and no one wrote it by hand.
const LARGEST: u64 = 32 << 20;
/// Beyond so many entries no line is kept for display, so that a generated file does not fill the report.
const SHOWN_ENTRIES: usize = 5_000;

/// Reads the layer `name` from `path`, or from its draft; it is shown as `shown`.
pub(super) fn read(name: LayerName, path: &Path, shown: &str, drafts: &Drafts, redactor: &Redactor) -> (Layer, RawTable) {
    let file = Some(shown.to_owned());
    let unreadable = |why: &str| {
        let message = match name {
            LayerName::LegacyManaged => why.to_owned(),
            LayerName::Project => format!("Failed to read project config file {shown}: {why}"),
            LayerName::Requirements => format!("Failed to read requirements file {shown}: {why}"),
            _ => format!("Failed to read config file {shown}: {why}"),
        };
        LayerState::Unreadable { message }
    };
    let layer = |state| Layer { name, file: file.clone(), state, entries: Vec::new() };
    let draft = drafts.get(path).cloned().map(Ok);
    let bytes = match draft.unwrap_or_else(|| bytes_of(path)) {
        Ok(bytes) => bytes,
        Err(NoBytes::Missing) => return (layer(LayerState::Missing), RawTable::new()),
        Err(NoBytes::TooLarge(bytes)) => return (layer(LayerState::TooLarge { bytes }), RawTable::new()),
        Err(NoBytes::NotAFile) => return (layer(unreadable(&format!("path `{shown}` is not a file"))), RawTable::new()),
        Err(NoBytes::Failed(error)) => return (layer(unreadable(&redactor.text(&error))), RawTable::new()),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return (layer(unreadable(&error.utf8_error().to_string())), RawTable::new()),
    };
    let lines = Lines::of(&text);
    match Document::parse(text.as_str()) {
        Ok(document) => {
            let entries = entries(&text, &lines, document.as_table(), redactor);
            let table = table_of(document.as_table());
            (Layer { entries, ..layer(LayerState::Parsed) }, table)
        }
        Err(error) => {
            // The parser's messages are constants: they hold nothing of the file.
            let first = |message: &str| message.lines().next().unwrap_or_default().to_owned();
            let (offset, message) = too_large::fault(&text, &error)
                .unwrap_or_else(|| (error.span().map_or(text.len(), |span| span.start), first(error.message())));
            let end = lines.end();
            // What goes on to the end of the text is refused behind its last character, be it a line feed.
            let (line, column) = end.filter(|_| offset >= text.len()).unwrap_or_else(|| lines.syntax_position(offset));
            let shown = Some(redaction::broken_line(redactor, &text[lines.line_around(offset)]));
            let (key, typed) = slip::at(&text, offset);
            let key = key.map(|path| shown_path(&path, redactor));
            (layer(LayerState::Syntax { line, column, message, end, shown, key, typed }), RawTable::new())
        }
    }
}

/// A path of which nothing else is known, as it may be shown.
fn shown_path(path: &[String], redactor: &Redactor) -> Vec<String> {
    path.iter().enumerate().map(|(index, name)| redaction::segment(redactor, &path[..index], name)).collect()
}

/// A text that somebody gave, as the user's layer, where it is TOML with keys in it.
pub(super) fn of_text(text: &str, redactor: &Redactor) -> Option<Layer> {
    let document = Document::parse(text).ok()?;
    let entries = entries(text, &Lines::of(text), document.as_table(), redactor);
    let file = Some("text".to_owned());
    (!entries.is_empty()).then_some(Layer { name: LayerName::User, file, state: LayerState::Parsed, entries })
}

/// Why a file gave no content.
enum NoBytes {
    Missing,
    NotAFile,
    TooLarge(u64),
    Failed(String),
}

/// The content of a file. Pipes and devices are never opened.
fn bytes_of(path: &Path) -> Result<Vec<u8>, NoBytes> {
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => NoBytes::Missing,
        _ => NoBytes::Failed(error.to_string()),
    })?;
    if !metadata.is_file() {
        return Err(NoBytes::NotAFile);
    }
    if metadata.len() > LARGEST {
        return Err(NoBytes::TooLarge(metadata.len()));
    }
    std::fs::read(path).map_err(|error| NoBytes::Failed(error.to_string()))
}

/// The walk over a parsed file.
struct Walk<'file> {
    text: &'file str,
    lines: &'file Lines<'file>,
    redactor: &'file Redactor,
    /// The path as it stands, for rules; the path as it may be shown.
    path: Vec<String>,
    shown_path: Vec<String>,
    entries: Vec<Entry>,
    /// Where the key of each entry begins.
    offsets: Vec<Option<usize>>,
    secrets: Vec<Range<usize>>,
    projects: Vec<String>,
}

/// The keys of a file in their order.
fn entries(text: &str, lines: &Lines<'_>, table: &Table, redactor: &Redactor) -> Vec<Entry> {
    let mut walk = Walk::new(text, lines, redactor);
    walk.table(table);
    walk.show_lines();
    walk.entries
}

impl<'file> Walk<'file> {
    fn new(text: &'file str, lines: &'file Lines<'file>, redactor: &'file Redactor) -> Self {
        Self {
            text,
            lines,
            redactor,
            path: Vec::new(),
            shown_path: Vec::new(),
            entries: Vec::new(),
            offsets: Vec::new(),
            secrets: Vec::new(),
            projects: Vec::new(),
        }
    }

    fn table(&mut self, table: &Table) {
        for (name, item) in table {
            let key = table.key(name);
            self.item(name, key, item);
        }
    }

    fn inline_table(&mut self, table: &InlineTable) {
        for (name, value) in table {
            let key = table.key(name);
            self.value(name, key.and_then(Key::span), value);
        }
    }

    fn item(&mut self, name: &str, key: Option<&Key>, item: &Item) {
        let span = key.and_then(Key::span);
        match item {
            Item::None => {}
            Item::Value(value) => self.value(name, span, value),
            Item::Table(table) => {
                let header = table.span().filter(|_| !table.is_implicit() && !table.is_dotted());
                self.enter(name, span.clone(), header.or(span), ValueKind::Table, None);
                self.table(table);
                self.leave();
            }
            Item::ArrayOfTables(tables) => {
                let first = tables.iter().next().and_then(Table::span);
                self.enter(name, span.clone(), first.or(span.clone()), ValueKind::ArrayOfTables, None);
                for (index, table) in tables.iter().enumerate() {
                    self.enter(&index.to_string(), span.clone(), table.span(), ValueKind::Table, None);
                    self.table(table);
                    self.leave();
                }
                self.leave();
            }
        }
    }

    fn value(&mut self, name: &str, span: Option<Range<usize>>, value: &Value) {
        let place = value.span();
        match value {
            Value::String(text) => self.string(name, span, place, text.value()),
            Value::Datetime(moment) => {
                let shown = Some(Scalar::String(raw::moment(moment.value())));
                self.leaf(name, span, place, ValueKind::Datetime, shown);
            }
            Value::Integer(number) => self.leaf(name, span, place, ValueKind::Integer, Some(Scalar::Integer(*number.value()))),
            Value::Float(number) => self.leaf(name, span, place, ValueKind::Float, Some(raw::float(*number.value()))),
            Value::Boolean(flag) => self.leaf(name, span, place, ValueKind::Boolean, Some(Scalar::Boolean(*flag.value()))),
            Value::Array(elements) => {
                self.enter(name, span, place, ValueKind::Array, None);
                for (index, element) in elements.iter().enumerate() {
                    self.value(&index.to_string(), element.span(), element);
                }
                self.leave();
            }
            Value::InlineTable(table) => {
                self.enter(name, span.clone(), place.or(span), ValueKind::Table, None);
                self.inline_table(table);
                self.leave();
            }
        }
    }

    fn string(&mut self, name: &str, span: Option<Range<usize>>, place: Option<Range<usize>>, text: &str) {
        self.path.push(name.to_owned());
        let path = config::named(&self.path);
        let pasted = redaction::is_pasted_key(&path, text);
        let hidden = redaction::is_hidden(&path, text);
        if hidden {
            self.secrets.extend(place.clone());
            if pasted {
                self.redactor.learn_secret(text);
            } else if redaction::is_secret(&path) {
                redaction::learn(self.redactor, &path, text);
            }
        } else if Redactor::looks_secret(text) && !text.contains("://") {
            self.redactor.learn_secret(text);
        } else {
            redaction::learn_address(self.redactor, text);
        }
        let shown = redaction::shown_value(self.redactor, &self.path, text, hidden);
        let is_own_text = redaction::is_private_text(&path);
        let unshown = if address::is_address(&path) { address::unshown(text) } else { Vec::new() };
        self.path.pop();
        let written = place.clone().and_then(|place| self.text.get(place));
        let unseen = place.clone().filter(|_| !is_own_text).and_then(|place| unseen::first(self.text, place, self.lines));
        let typed = written.filter(|written| slip::literal(written).is_some()).map(|_| Typed::WindowsPath);
        self.leaf(name, span, place, ValueKind::String, Some(Scalar::String(shown)));
        if let Some(entry) = self.entries.last_mut() {
            (entry.typed, entry.unshown) = (typed, unshown);
            entry.unseen = entry.unseen.take().or(unseen);
        }
    }

    fn leaf(
        &mut self,
        name: &str,
        span: Option<Range<usize>>,
        place: Option<Range<usize>>,
        kind: ValueKind,
        value: Option<Scalar>,
    ) {
        self.enter(name, span, place, kind, value);
        self.leave();
    }

    fn enter(
        &mut self,
        name: &str,
        span: Option<Range<usize>>,
        place: Option<Range<usize>>,
        kind: ValueKind,
        value: Option<Scalar>,
    ) {
        if self.path == ["projects"] && redaction::is_path(name) {
            self.projects.push(name.to_owned());
        }
        let shown = redaction::segment(self.redactor, &self.path, name);
        self.path.push(name.to_owned());
        self.shown_path.push(shown);
        let key = span.as_ref().map(|span| self.lines.position(span.start));
        let value_at = place.as_ref().map(|place| self.lines.position(place.start));
        let length = span.as_ref().map(|span| u32::try_from(self.lines.characters(span.start, span.end)).unwrap_or(u32::MAX));
        let written = span.clone().and_then(|span| self.text.get(span));
        // The name itself may be shown as a role only: that it lost its backslashes is seen here.
        let is_path = kind == ValueKind::Table && written.is_some_and(|written| slip::literal(written).is_some());
        // An element of an array has no key: its own place stands for one.
        let key_only = span.clone().filter(|_| span != place);
        let unseen = key_only.and_then(|span| unseen::first(self.text, span, self.lines));
        self.offsets.push(span.as_ref().map(|span| span.start));
        self.entries.push(Entry {
            path: self.shown_path.clone(),
            kind,
            value,
            line: key.map(|(line, _)| line),
            column: key.map(|(_, column)| column),
            length,
            value_line: value_at.map(|(line, _)| line),
            value_column: value_at.map(|(_, column)| column),
            shown: None,
            typed: is_path.then_some(Typed::WindowsPath),
            unshown: Vec::new(),
            unseen,
        });
    }

    fn leave(&mut self) {
        self.path.pop();
        self.shown_path.pop();
    }

    fn sort(&mut self) {
        self.secrets.sort_by_key(|range| range.start);
        self.projects.sort_by_key(|path| std::cmp::Reverse(path.len()));
    }

    /// The lines are shown only when all secrets are known.
    fn show_lines(&mut self) {
        self.sort();
        let places: Vec<Option<Range<usize>>> =
            self.offsets.iter().take(SHOWN_ENTRIES).map(|offset| offset.map(|offset| self.lines.line_around(offset))).collect();
        let mut ranges: Vec<Range<usize>> = places.iter().flatten().cloned().collect();
        ranges.sort_by_key(|range| range.start);
        ranges.dedup();
        let shown = redaction::lines(self.redactor, self.text, &ranges, &self.secrets, &self.projects);
        for (entry, place) in self.entries.iter_mut().zip(places) {
            let Some(place) = place else { continue };
            let index = ranges.binary_search_by_key(&place.start, |range| range.start).ok();
            entry.shown = index.map(|index| shown[index].clone());
        }
    }
}

/// The `wanted` lines of `text` (counted from 0) as they may be shown, without secrets. Of a text that is no TOML nobody knows where
/// its secrets are: its lines are shown with more care.
pub(crate) fn shown_lines(text: &str, wanted: &BTreeSet<usize>, redactor: &Redactor) -> BTreeMap<usize, String> {
    let lines = Lines::of(text);
    let all = lines.all();
    let ranges = wanted.iter().filter_map(|index| Some((*index, all.get(*index)?.clone())));
    let Ok(document) = Document::parse(text) else {
        return ranges.map(|(index, range)| (index, redaction::broken_line(redactor, &text[range]))).collect();
    };
    let mut walk = Walk::new(text, &lines, redactor);
    walk.table(document.as_table());
    walk.sort();
    let (indices, ranges): (Vec<usize>, Vec<Range<usize>>) = ranges.unzip();
    let shown = redaction::lines(redactor, text, &ranges, &walk.secrets, &walk.projects);
    indices.into_iter().zip(shown).collect()
}

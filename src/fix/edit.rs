//! The edits of a mend, in the bytes of the file: nothing outside their places changes, and what they come to is compared with
//! what they were to come to.

use std::ops::Range;

use codex_triage_checks::mend::{Change, Edit, Mend};
use toml_edit::{Document, Item, TableLike, Value};

use super::tree::Tree;
use crate::collect::config::Lines;
use crate::outline::{Statement, slip, statements};

/// A replacement of some bytes.
pub(super) type Splice = (Range<usize>, String);

/// A text in which mends are made, read once for all of them.
pub(super) struct Source<'text> {
    text: &'text str,
    lines: Lines<'text>,
    /// Nothing where the text is no TOML.
    read: Option<(File<'text>, Tree)>,
}

/// One mend as replacements of bytes.
pub(super) struct Plan {
    pub(super) splices: Vec<Splice>,
    /// What it is to come to; nothing for a slip of the keyboard.
    steps: Option<Vec<(Vec<String>, Change)>>,
}

impl<'text> Source<'text> {
    pub(super) fn of(text: &'text str) -> Self {
        let read = File::of(text).zip(Tree::of(text));
        Self { text, lines: Lines::of(text), read }
    }

    pub(super) fn text(&self) -> &'text str {
        self.text
    }

    /// How `mend` is made; nothing where that cannot be done by an edit that is sure. Unless several ways had to be tried, it is still to
    /// be proven, by [`Source::with`].
    pub(super) fn plan(&self, mend: &Mend) -> Option<Plan> {
        if let [Edit { change: Change::Syntax(typed), .. }] = mend.edits.as_slice() {
            let offset = Document::parse(self.text).err()?.span()?.start;
            return Some(Plan { splices: vec![slip::repair(self.text, offset, *typed)?], steps: None });
        }
        // The places are those of the file as it is, before the first edit.
        let (file, _) = self.read.as_ref()?;
        let place = |edit: &Edit| Some((file.path_at(self.lines.offset(edit.line, edit.column)?)?, edit.change.clone()));
        let steps: Vec<(Vec<String>, Change)> = mend.edits.iter().map(place).collect::<Option<_>>()?;
        let splices = match steps.as_slice() {
            [(path, change)] => self.ways(path, change)?,
            _ => self.one_by_one(&steps)?,
        };
        Some(Plan { splices, steps: Some(steps) })
    }

    /// The text with all of `plans`, proven to be these changes and no others; nothing where they get in each other's way.
    pub(super) fn with(&self, plans: &[&Plan]) -> Option<String> {
        let splices: Vec<Splice> = plans.iter().flat_map(|plan| plan.splices.iter().cloned()).collect();
        let result = spliced(self.text, splices.clone())?;
        if plans.iter().any(|plan| plan.steps.is_none()) {
            let [(range, new)] = splices.as_slice() else { return None };
            return progressed(&result, range, new).then_some(result);
        }
        let (_, before) = self.read.as_ref()?;
        let after = Tree::of(&result)?;
        let mut wanted = before.clone();
        for (path, change) in plans.iter().filter_map(|plan| plan.steps.as_ref()).flatten() {
            expect(&mut wanted, &after, path, change)?;
        }
        wanted.is_same(&after).then_some(result)
    }

    /// The replacements of one change: of several ways the first that comes to it.
    fn ways(&self, path: &[String], change: &Change) -> Option<Vec<Splice>> {
        let (file, before) = self.read.as_ref()?;
        let ways = candidates(file, before, path, change)?;
        let [_, _, ..] = ways.as_slice() else { return ways.into_iter().next() };
        ways.into_iter().find(|splices| {
            let step = (path.to_vec(), change.clone());
            self.with(&[&Plan { splices: splices.clone(), steps: Some(vec![step]) }]).is_some()
        })
    }

    /// Several changes, each in the result of the one before, as one replacement.
    fn one_by_one(&self, steps: &[(Vec<String>, Change)]) -> Option<Vec<Splice>> {
        let mut text = self.text.to_owned();
        for (path, change) in steps {
            let source = Source::of(&text);
            // A table that only its keys made is gone with the last of them.
            if matches!(change, Change::Remove) && source.read.as_ref()?.1.at(path).is_none() {
                continue;
            }
            let splices = source.ways(path, change)?;
            text = source.with(&[&Plan { splices, steps: Some(vec![(path.clone(), change.clone())]) }])?;
        }
        let (old, new) = (self.text.as_bytes(), text.as_bytes());
        let mut start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        while !self.text.is_char_boundary(start) || !text.is_char_boundary(start) {
            start -= 1;
        }
        let most = old.len().min(new.len()) - start;
        let mut end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
        while !self.text.is_char_boundary(old.len() - end) || !text.is_char_boundary(new.len() - end) {
            end -= 1;
        }
        Some(vec![(start..old.len() - end, text[start..new.len() - end].to_owned())])
    }
}

/// `text` with `mend`; nothing where that cannot be done by an edit that is sure.
#[cfg(test)]
fn apply(text: &str, mend: &Mend) -> Option<String> {
    let source = Source::of(text);
    source.with(&[&source.plan(mend)?])
}

/// Whether what is wrong with `result` now, if anything, stands elsewhere than at the slip that was mended: the parser does not name
/// faults in the order of the lines.
fn progressed(result: &str, range: &Range<usize>, new: &str) -> bool {
    match Document::parse(result) {
        Ok(_) => true,
        Err(error) => {
            let line = result[..range.start].rfind('\n').map_or(0, |end| end + 1);
            error.span().is_some_and(|span| !(line..=range.start + new.len()).contains(&span.start))
        }
    }
}

/// The ways in which a change can be written.
fn candidates(file: &File<'_>, before: &Tree, path: &[String], change: &Change) -> Option<Vec<Vec<Splice>>> {
    let text = file.text;
    Some(match change {
        Change::Rename { to } => vec![file.rename(path, to)],
        Change::Remove => vec![file.remove(path)?],
        Change::Move { table, name } => file.relocate(path, table, name)?,
        Change::Insert { name, text } => vec![file.insert(path, name, text)?],
        Change::Text { to } => vec![vec![(file.value(path)?, quoted(to))]],
        Change::Unquote => {
            let range = file.value(path)?;
            vec![vec![(range.clone(), text[range].trim_matches(['"', '\'']).to_owned())]]
        }
        Change::Literal => {
            let range = file.value(path)?;
            vec![vec![(range.clone(), slip::literal(&text[range])?)]]
        }
        Change::Address(repair) => {
            let Some(Tree::Leaf("string", address)) = before.at(path) else { return None };
            vec![vec![(file.value(path)?, quoted(&repair.apply(address)?))]]
        }
        Change::Syntax(_) => return None,
    })
}

/// Makes `tree` what the values of the file must be after the change.
fn expect(tree: &mut Tree, after: &Tree, path: &[String], change: &Change) -> Option<()> {
    match change {
        Change::Rename { to } => {
            let value = tree.remove(path)?;
            let (_, around) = path.split_last()?;
            tree.insert(&joined(around, to), value)?;
        }
        Change::Remove => {
            // It may be gone with the last of its keys.
            tree.remove(path);
        }
        Change::Move { table, name } => {
            let value = tree.remove(path)?;
            tree.insert(&joined(table, name), value)?;
        }
        Change::Insert { name, text } => tree.insert(&joined(path, name), Tree::text(text))?,
        Change::Text { to } => tree.replace(path, Tree::text(to))?,
        Change::Unquote => {
            let Some(Tree::Leaf("string", text)) = tree.at(path).cloned() else { return None };
            let kind = if text.parse::<bool>().is_ok() { "boolean" } else { "integer" };
            tree.replace(path, Tree::Leaf(kind, text))?;
        }
        Change::Literal => {
            // What was typed is not what is read, so only the place and the kind can be compared.
            let new = after.at(path).filter(|new| matches!(new, Tree::Leaf("string", text) if !text.contains(char::is_control)))?;
            tree.replace(path, new.clone())?;
        }
        Change::Address(repair) => {
            let Some(Tree::Leaf("string", address)) = tree.at(path) else { return None };
            let address = repair.apply(address)?;
            tree.replace(path, Tree::text(&address))?;
        }
        Change::Syntax(_) => return None,
    }
    Some(())
}

fn joined(around: &[String], name: &str) -> Vec<String> {
    around.iter().cloned().chain([name.to_owned()]).collect()
}

/// A key inside a value: of an inline table, or an element of an array.
struct Inner {
    path: Vec<String>,
    key: Option<Range<usize>>,
    value: Range<usize>,
}

/// A file with the places of its keys.
struct File<'text> {
    text: &'text str,
    statements: Vec<Statement>,
    inner: Vec<Inner>,
}

impl<'text> File<'text> {
    fn of(text: &'text str) -> Option<Self> {
        let document = Document::parse(text).ok()?;
        let mut inner = Vec::new();
        walk_table(document.as_table(), &mut Vec::new(), &mut inner);
        Some(Self { text, statements: statements(text), inner })
    }

    /// The path of the key that is written at `offset`.
    fn path_at(&self, offset: usize) -> Option<Vec<String>> {
        let written = self.statements.iter().find_map(|statement| {
            let is_here = |span: &Option<Range<usize>>| span.as_ref().is_some_and(|span| span.start == offset);
            let index = statement.path.iter().position(|segment| is_here(&segment.span))?;
            Some(statement.names()[..=index].to_vec())
        });
        written.or_else(|| {
            let is_here = |inner: &&Inner| match &inner.key {
                Some(key) => key.start == offset,
                None => inner.value.start == offset,
            };
            self.inner.iter().find(is_here).map(|inner| inner.path.clone())
        })
    }

    fn statement(&self, path: &[String]) -> Option<&Statement> {
        self.statements
            .iter()
            .find(|statement| !statement.is_header() && statement.path.len() == path.len() && statement.is_below(path))
    }

    fn value(&self, path: &[String]) -> Option<Range<usize>> {
        let inner = || self.inner.iter().find(|inner| inner.path == path).map(|inner| inner.value.clone());
        self.statement(path).and_then(|statement| statement.value.clone()).or_else(inner)
    }

    /// The last name of `path` in all places that write it.
    fn rename(&self, path: &[String], to: &str) -> Vec<Splice> {
        let last = path.len() - 1;
        let below = self.statements.iter().filter(|statement| statement.is_below(path));
        let mut spans: Vec<Range<usize>> = below.filter_map(|statement| statement.path[last].span.clone()).collect();
        spans.extend(self.inner.iter().filter(|inner| inner.path == path).filter_map(|inner| inner.key.clone()));
        spans.sort_by_key(|span| span.start);
        spans.dedup();
        spans.into_iter().map(|span| (span, bare(to))).collect()
    }

    fn remove(&self, path: &[String]) -> Option<Vec<Splice>> {
        let lines: Vec<Splice> = self
            .statements
            .iter()
            .filter(|statement| statement.is_below(path))
            .map(|statement| (statement.lines.clone(), String::new()))
            .collect();
        if !lines.is_empty() {
            return Some(lines);
        }
        let inner = self.inner.iter().find(|inner| inner.path == path)?;
        let key = inner.key.clone()?;
        Some(self.with_comma(path, key.start..inner.value.end))
    }

    /// A key of an inline table with the comma that goes with it. A comma in a remark is none.
    fn with_comma(&self, path: &[String], range: Range<usize>) -> Vec<Splice> {
        let gone = |range: Range<usize>| (range, String::new());
        let behind = self.skip_remarks(range.end);
        if self.text[behind..].starts_with(',') {
            let rest = &self.text[behind + 1..];
            let more = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let is_near = self.text[range.end..behind].trim_matches([' ', '\t']).is_empty();
            return if is_near { vec![gone(range.start..behind + 1 + more)] } else { vec![gone(range), gone(behind..behind + 1)] };
        }
        // The last one: the comma behind the one before it goes.
        let around = &path[..path.len() - 1];
        let is_sibling = |inner: &&Inner| inner.path.len() > around.len() && inner.path.starts_with(around);
        let ends = self.inner.iter().filter(is_sibling).map(|inner| inner.value.end);
        let Some(before) = ends.filter(|end| *end <= range.start).max() else { return vec![gone(range)] };
        let comma = self.skip_remarks(before);
        if !self.text[comma..].starts_with(',') {
            return vec![gone(range)];
        }
        if self.text[comma + 1..range.start].trim().is_empty() {
            return vec![gone(comma..range.end)];
        }
        vec![gone(comma..comma + 1), gone(range)]
    }

    /// The first byte from `at` on that is no blank, no line end and in no remark.
    fn skip_remarks(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if !self.text[at..].starts_with('#') {
                return at;
            }
            at += self.text[at..].find('\n').unwrap_or(self.text.len() - at);
        }
    }

    /// The ways to bring the key at `path` into `table`: into its header, under a new one, or dotted at the root.
    fn relocate(&self, path: &[String], table: &[String], name: &str) -> Option<Vec<Vec<Splice>>> {
        let target = joined(table, name);
        let below: Vec<&Statement> = self.statements.iter().filter(|statement| statement.is_below(path)).collect();
        let (removal, line) = match below.as_slice() {
            [] => {
                let value = self.inner.iter().find(|inner| inner.path == path)?.value.clone();
                (self.remove(path)?, self.text[value].to_owned())
            }
            [one] if !one.is_header() && one.path.len() == path.len() => {
                let start = one.value.clone()?.start;
                (self.remove(path)?, self.text[start..one.lines.end].trim_end_matches(['\n', '\r']).to_owned())
            }
            // A table: its headers get the new path.
            headers => {
                let last = path.len() - 1;
                let renamed = headers.iter().filter(|statement| statement.table < path.len()).map(|statement| {
                    let (first, span) = (statement.path.first()?.span.clone()?, statement.path[last].span.clone()?);
                    let dotted: Vec<String> = target.iter().map(|name| bare(name)).collect();
                    statement.is_header().then(|| (first.start..span.end, dotted.join(".")))
                });
                return Some(vec![renamed.collect::<Option<Vec<Splice>>>()?]);
            }
        };
        let with = |insertion: Splice| removal.iter().cloned().chain([insertion]).collect::<Vec<_>>();
        let mut ways = Vec::new();
        let newline = self.newline();
        if table.is_empty() {
            let line = format!("{} = {line}{newline}", bare(name));
            ways.push(with(self.at_end_of_root(&line)));
            return Some(ways);
        }
        let header = self.statements.iter().position(|statement| statement.is_header() && statement.names() == table);
        if let Some(header) = header {
            let own = self.statements[header + 1..].iter().take_while(|statement| !statement.is_header()).last();
            let end = own.map_or(self.statements[header].lines.end, |statement| statement.lines.end);
            ways.push(with(self.line_at(end, &format!("{} = {line}{newline}", bare(name)))));
        }
        let dotted: Vec<String> = table.iter().map(|name| bare(name)).collect();
        let gap = if self.text.trim().is_empty() { "" } else { newline };
        let new_table = format!("{gap}[{}]{newline}{} = {line}{newline}", dotted.join("."), bare(name));
        ways.push(with(self.line_at(self.text.len(), &new_table)));
        ways.push(with(self.at_end_of_root(&format!("{}.{} = {line}{newline}", dotted.join("."), bare(name)))));
        Some(ways)
    }

    fn insert(&self, path: &[String], name: &str, text: &str) -> Option<Vec<Splice>> {
        let line = format!("{} = {}{}", bare(name), quoted(text), self.newline());
        let header = self.statements.iter().find(|statement| statement.is_header() && statement.names() == path);
        if let Some(header) = header {
            return Some(vec![self.line_at(header.lines.end, &line)]);
        }
        if let Some(value) = self.value(path).filter(|value| self.text[value.clone()].starts_with('{')) {
            let empty = self.text[value.start + 1..value.end - 1].trim().is_empty();
            let key = format!(" {} = {}{}", bare(name), quoted(text), if empty { " " } else { "," });
            return Some(vec![(value.start + 1..value.start + 1, key)]);
        }
        // Only dotted keys make the table: one more before the first of them.
        let first = self.statements.iter().find(|statement| !statement.is_header() && statement.is_below(path))?;
        let written: Vec<String> = path[first.table..].iter().map(|name| bare(name)).collect();
        Some(vec![(first.lines.start..first.lines.start, format!("{}.{line}", written.join(".")))])
    }

    /// Behind the last key of the root; without one, before the first header and the remarks that stand right above it.
    fn at_end_of_root(&self, line: &str) -> Splice {
        let first_header = self.statements.iter().position(Statement::is_header);
        let root = &self.statements[..first_header.unwrap_or(self.statements.len())];
        if let Some(last) = root.last() {
            return self.line_at(last.lines.end, line);
        }
        let Some(header) = first_header.map(|index| self.statements[index].lines.start) else {
            return self.line_at(self.text.len(), line);
        };
        let mut start = header;
        while let Some(above) = self.text[..start].strip_suffix('\n') {
            let begin = above.rfind('\n').map_or(0, |end| end + 1);
            if !above[begin..].trim_start_matches('\u{feff}').trim_start().starts_with('#') {
                break;
            }
            start = begin;
        }
        if start == 0 && self.text.starts_with('\u{feff}') {
            start = '\u{feff}'.len_utf8();
        }
        (start..start, format!("{line}{}", self.newline()))
    }

    /// A line at `offset`, with an end for the line before it where that has none.
    fn line_at(&self, offset: usize, line: &str) -> Splice {
        let open = offset > 0 && !self.text[..offset].ends_with(['\n', '\u{feff}']);
        (offset..offset, if open { format!("{}{line}", self.newline()) } else { line.to_owned() })
    }

    fn newline(&self) -> &'static str {
        let end = self.text.find('\n');
        if end.is_some_and(|end| self.text[..end].ends_with('\r')) { "\r\n" } else { "\n" }
    }
}

fn walk_table(table: &dyn TableLike, path: &mut Vec<String>, found: &mut Vec<Inner>) {
    for (name, item) in table.iter() {
        let key = table.key(name).and_then(toml_edit::Key::span);
        path.push(name.to_owned());
        walk_item(item, key, path, found);
        path.pop();
    }
}

fn walk_item(item: &Item, key: Option<Range<usize>>, path: &mut Vec<String>, found: &mut Vec<Inner>) {
    match item {
        Item::None => {}
        Item::Value(value) => walk_value(value, key, path, found),
        Item::Table(table) => walk_table(table, path, found),
        Item::ArrayOfTables(tables) => {
            for (index, table) in tables.iter().enumerate() {
                path.push(index.to_string());
                walk_table(table, path, found);
                path.pop();
            }
        }
    }
}

fn walk_value(value: &Value, key: Option<Range<usize>>, path: &mut Vec<String>, found: &mut Vec<Inner>) {
    if let Some(span) = value.span() {
        found.push(Inner { path: path.clone(), key, value: span });
    }
    match value {
        Value::InlineTable(table) => walk_table(table, path, found),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                path.push(index.to_string());
                walk_value(element, None, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// `text` with the replacements; nothing where two of them get in each other's way.
fn spliced(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    splices.dedup();
    let mut result = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for (range, new) in splices {
        if range.start < from {
            return None;
        }
        result.push_str(&text[from..range.start]);
        result.push_str(&new);
        from = range.end;
    }
    result.push_str(&text[from..]);
    Some(result)
}

/// A key as it is written.
fn bare(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

/// A text as it is written.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests;

//! The edits of a mend, in the bytes of the file: nothing outside their places changes, and what they come to is compared with
//! what they were to come to.

use std::ops::Range;

use codex_triage_checks::mend::{Change, Edit, Mend};
use toml_edit::{Document, Item, TableLike, Value};

use super::tree::Tree;
use crate::collect::config::Lines;
use crate::outline::{Statement, slip, statements};

/// A replacement of some bytes.
type Splice = (Range<usize>, String);

/// `text` with `mend`; nothing where that cannot be done by an edit that is sure.
pub(super) fn apply(text: &str, mend: &Mend) -> Option<String> {
    if let [Edit { change: Change::Syntax(typed), .. }] = mend.edits.as_slice() {
        return without_slip(text, *typed);
    }
    // The places are those of the file as it is, before the first edit.
    let lines = Lines::of(text);
    let file = File::of(text)?;
    let places: Vec<Vec<String>> =
        mend.edits.iter().map(|edit| file.path_at(lines.offset(edit.line, edit.column)?)).collect::<Option<_>>()?;
    let mut text = text.to_owned();
    for (edit, path) in mend.edits.iter().zip(places) {
        text = changed(&text, &path, &edit.change)?;
    }
    Some(text)
}

/// The text without a slip for which it is no TOML. What is wrong with it then, if anything, must stand elsewhere: the parser does
/// not name faults in the order of the lines.
fn without_slip(text: &str, typed: codex_triage_checks::facts::config::Typed) -> Option<String> {
    let offset = Document::parse(text).err()?.span()?.start;
    let (range, new) = slip::repair(text, offset, typed)?;
    let result = spliced(text, vec![(range.clone(), new.clone())]);
    let progress = match Document::parse(result.as_str()) {
        Ok(_) => true,
        Err(error) => {
            let line = result[..range.start].rfind('\n').map_or(0, |end| end + 1);
            error.span().is_some_and(|span| !(line..=range.start + new.len()).contains(&span.start))
        }
    };
    progress.then_some(result)
}

/// The text with one change, proven to be that change and no other.
fn changed(text: &str, path: &[String], change: &Change) -> Option<String> {
    let file = File::of(text)?;
    let before = Tree::of(text)?;
    let candidates = match change {
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
    };
    candidates.into_iter().map(|splices| spliced(text, splices)).find(|result| {
        Tree::of(result).is_some_and(|after| expected(&before, &after, path, change).is_some_and(|wanted| wanted.is_same(&after)))
    })
}

/// What the values of the file must be after the change.
fn expected(before: &Tree, after: &Tree, path: &[String], change: &Change) -> Option<Tree> {
    let mut tree = before.clone();
    match change {
        Change::Rename { to } => {
            let value = tree.remove(path)?;
            let (_, around) = path.split_last()?;
            tree.insert(&joined(around, to), value)?;
        }
        Change::Remove => {
            tree.remove(path)?;
        }
        Change::Move { table, name } => {
            let value = tree.remove(path)?;
            tree.insert(&joined(table, name), value)?;
        }
        Change::Insert { name, text } => tree.insert(&joined(path, name), Tree::text(text))?,
        Change::Text { to } => tree.replace(path, Tree::text(to))?,
        Change::Unquote => {
            let Some(Tree::Leaf("string", text)) = before.at(path) else { return None };
            let kind = if text.parse::<bool>().is_ok() { "boolean" } else { "integer" };
            tree.replace(path, Tree::Leaf(kind, text.clone()))?;
        }
        Change::Literal => {
            // What was typed is not what is read, so only the place and the kind can be compared.
            let new = after.at(path).filter(|new| matches!(new, Tree::Leaf("string", text) if !text.contains(char::is_control)))?;
            tree.replace(path, new.clone())?;
        }
        Change::Address(repair) => {
            let Some(Tree::Leaf("string", address)) = before.at(path) else { return None };
            tree.replace(path, Tree::text(&repair.apply(address)?))?;
        }
        Change::Syntax(_) => return None,
    }
    Some(tree)
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
        Some(vec![(self.with_comma(key.start..inner.value.end), String::new())])
    }

    /// A key of an inline table with the comma that goes with it.
    fn with_comma(&self, range: Range<usize>) -> Range<usize> {
        let behind = &self.text[range.end..];
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        if behind[blanks..].starts_with(',') {
            let rest = &behind[blanks + 1..];
            let more = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            return range.start..range.end + blanks + 1 + more;
        }
        let before = self.text[..range.start].trim_end_matches([' ', '\t', '\r', '\n']);
        if before.ends_with(',') { before.len() - 1..range.end } else { range }
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

/// `text` with the replacements, which must not overlap: one that does is left out, and the proof then fails.
fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    let mut result = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for (range, new) in splices {
        if range.start < from {
            continue;
        }
        result.push_str(&text[from..range.start]);
        result.push_str(&new);
        from = range.end;
    }
    result.push_str(&text[from..]);
    result
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

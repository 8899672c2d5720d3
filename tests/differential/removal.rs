//! A setup without one of its keys.

use codex_triage_checks::IgnoredKey;
use codex_triage_checks::facts::config::LayerName;
use toml_edit::{Document, DocumentMut, InlineTable, Item, Table, Value};

use crate::world::Setup;

/// The setup without the key, when it stands in a file.
pub(crate) fn without(setup: &Setup, key: &IgnoredKey) -> Option<Setup> {
    let file = match key.layer {
        LayerName::User => "user",
        LayerName::Profile => "profile",
        LayerName::Project => "project",
        _ => return None,
    };
    let mut setup = setup.clone();
    let text = setup.layer_mut(file)?;
    let document = Document::parse(text.as_str()).ok()?;
    let path = in_table(document.as_table(), offset(text, key.line?, key.column?)?)?;
    let mut changed: DocumentMut = text.trim_start_matches('\u{feff}').parse().ok()?;
    remove(changed.as_item_mut(), &path)?;
    *text = changed.to_string();
    Some(setup)
}

fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let start = text.split_inclusive('\n').take(usize::try_from(line).ok()? - 1).map(str::len).sum::<usize>();
    Some(start + text[start..].char_indices().nth(usize::try_from(column).ok()? - 1).map_or(0, |(at, _)| at))
}

fn in_table(table: &Table, offset: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(name, item)| {
        if table.key(name)?.span().is_some_and(|span| span.contains(&offset)) {
            return Some(vec![name.to_owned()]);
        }
        let mut rest = match item {
            Item::Table(below) => in_table(below, offset),
            Item::ArrayOfTables(tables) => tables.iter().enumerate().find_map(|(index, below)| {
                let mut rest = in_table(below, offset)?;
                rest.insert(0, index.to_string());
                Some(rest)
            }),
            Item::Value(value) => in_value(value, offset),
            Item::None => None,
        }?;
        rest.insert(0, name.to_owned());
        Some(rest)
    })
}

fn in_value(value: &Value, offset: usize) -> Option<Vec<String>> {
    match value {
        Value::InlineTable(table) => in_inline(table, offset),
        Value::Array(elements) => elements.iter().enumerate().find_map(|(index, element)| {
            let mut rest = in_value(element, offset)?;
            rest.insert(0, index.to_string());
            Some(rest)
        }),
        _ => None,
    }
}

fn in_inline(table: &InlineTable, offset: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(name, value)| {
        if table.key(name)?.span().is_some_and(|span| span.contains(&offset)) {
            return Some(vec![name.to_owned()]);
        }
        let mut rest = in_value(value, offset)?;
        rest.insert(0, name.to_owned());
        Some(rest)
    })
}

fn remove(item: &mut Item, path: &[String]) -> Option<()> {
    let (name, rest) = path.split_first()?;
    if rest.is_empty() {
        return item.as_table_like_mut()?.remove(name).map(|_| ());
    }
    if let Some(tables) = item.as_array_of_tables_mut() {
        let table = tables.get_mut(name.parse().ok()?)?;
        return match rest {
            [last] => table.remove(last).map(|_| ()),
            [next, rest @ ..] => remove(table.get_mut(next)?, rest),
            [] => None,
        };
    }
    if let Some(elements) = item.as_array_mut() {
        let inline = elements.get_mut(name.parse().ok()?)?.as_inline_table_mut()?;
        return match rest {
            [last] => inline.remove(last).map(|_| ()),
            _ => None,
        };
    }
    remove(item.as_table_like_mut()?.get_mut(name)?, rest)
}

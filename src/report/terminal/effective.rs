//! What is in effect, for a person: key, value and origin in columns, table by table.

use codex_triage_checks::facts::config::LayerName;
use codex_triage_checks::finding::{Arg, Args};
use codex_triage_checks::{ConfigOutcome, EffectiveKey};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::paint::{Paint, Role, harmless};
use crate::i18n::Texts;

/// Columns of the left margin.
const MARGIN: usize = 2;
/// A key is shown in so many columns at least, and cut beyond the larger number.
const KEY: std::ops::RangeInclusive<usize> = 12..=40;
/// A value is cut beyond so many columns.
const VALUE: usize = 44;

/// The list, or why there is none. Without a `width` nobody looks at columns, and nothing is cut.
pub(super) fn list(outcome: &ConfigOutcome, texts: &Texts, paint: Paint, width: Option<usize>) -> String {
    let line = |text: &str| format!("{}{text}\n", " ".repeat(MARGIN));
    if outcome.is_rejected() {
        return line(&texts.plain("config-effective-none"));
    }
    if outcome.effective.is_empty() {
        return line(&texts.plain("config-effective-empty"));
    }
    let mut rows: Vec<Row> = outcome.effective.iter().map(|key| Row::of(key, texts)).collect();
    rows.sort_by(|one, other| one.table.cmp(&other.table));
    let (narrowest, widest) = (*KEY.start(), *KEY.end());
    let third = width.map_or(usize::MAX, |width| width / 3);
    let key_width = rows.iter().map(|row| row.name.width()).max().unwrap_or(0).clamp(narrowest, widest.min(third));
    let value_width = rows.iter().map(|row| row.value.width()).max().unwrap_or(0).min(VALUE).min(third);
    let mut text = line(&paint.paint(Role::Strong, &texts.plain("config-effective-head")));
    let mut table = None;
    for row in &rows {
        if table.is_some_and(|table| table != row.table) || (table.is_none() && !row.table.is_empty()) {
            text.push('\n');
            text.push_str(&line(&paint.paint(Role::Dim, &format!("[{}]", row.table))));
        }
        table = Some(row.table.as_str());
        text.push_str(&row.drawn(paint, key_width, value_width, width));
    }
    text
}

/// One key as it is shown.
struct Row {
    table: String,
    name: String,
    value: String,
    origin: String,
    lost: Option<String>,
}

impl Row {
    fn of(key: &EffectiveKey, texts: &Texts) -> Self {
        let (table, name) = split(&key.key);
        let layer = layer_label(key.layer, texts);
        let origin = match (&key.file, key.line, key.column) {
            (Some(file), Some(line), Some(column)) => format!("{layer}  {file}:{line}:{column}"),
            (Some(file), ..) => format!("{layer}  {file}"),
            _ => layer,
        };
        let lost: Vec<String> = key.overrides.iter().map(|layer| layer_label(*layer, texts)).collect();
        let lost = (!lost.is_empty()).then(|| {
            let args: Args = [("layers".to_owned(), Arg::Text(lost.join(", ")))].into();
            texts.get("config-effective-over", &args)
        });
        let one_line = |text: &str| harmless(text).replace('\n', " ");
        Self {
            table: one_line(table),
            name: one_line(name),
            value: one_line(&key.value.to_string()),
            origin: one_line(&origin),
            lost,
        }
    }

    /// The row; where the terminal is too narrow for it, the origin stands below.
    fn drawn(&self, paint: Paint, key_width: usize, value_width: usize, width: Option<usize>) -> String {
        let fitted = |text: &str, columns: usize| if width.is_some() { cut(text, columns) } else { text.to_owned() };
        let (name, value) = (fitted(&self.name, key_width), fitted(&self.value, value_width));
        let lost = self.lost.as_ref().map(|lost| format!("  {lost}")).unwrap_or_default();
        let origin = paint.paint(Role::Dim, &format!("{}{lost}", self.origin));
        let margin = " ".repeat(MARGIN);
        let gap = |text: &str, columns: usize| " ".repeat(columns.saturating_sub(text.width()));
        let head = format!("{margin}{name}{}  {value}", gap(&name, key_width));
        let columns = MARGIN + key_width + 2 + value_width + 2 + self.origin.width() + lost.width();
        if width.is_none_or(|width| columns <= width) {
            format!("{head}{}  {origin}\n", gap(&value, value_width))
        } else {
            format!("{head}\n{margin}{margin}{origin}\n")
        }
    }
}

fn layer_label(layer: LayerName, texts: &Texts) -> String {
    texts.plain(&format!("config-layer-{}", layer.name()))
}

/// A dotted key as its table and its name.
fn split(key: &str) -> (&str, &str) {
    let start = match key.strip_suffix('"').and_then(|inner| inner.rfind('"')) {
        Some(quote) => quote,
        None => key.rfind('.').map_or(0, |dot| dot + 1),
    };
    (key[..start].trim_end_matches('.'), &key[start..])
}

/// A text cut to so many columns, with a mark where something is missing.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > columns {
            break;
        }
        short.push(character);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_split_at_its_last_dot_and_cut_by_columns() {
        assert_eq!(split("model"), ("", "model"));
        assert_eq!(split("model_providers.\"my.relay\".name"), ("model_providers.\"my.relay\"", "name"));
        assert_eq!(split("notice.\"a.b\""), ("notice", "\"a.b\""));
        assert_eq!(cut("模型模型", 5), "模型…");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn where_it_is_narrow_the_origin_stands_below() {
        let row = Row {
            table: String::new(),
            name: "model".to_owned(),
            value: "\"gpt-6-sol\"".to_owned(),
            origin: "user  ~/.codex/config.toml:1:1".to_owned(),
            lost: Some("over system".to_owned()),
        };
        let paint = Paint { color: false, ascii: false };
        assert_eq!(row.drawn(paint, 12, 13, Some(100)).lines().count(), 1);
        let narrow = row.drawn(paint, 12, 13, Some(40));
        assert_eq!(
            narrow.lines().collect::<Vec<_>>(),
            ["  model         \"gpt-6-sol\"", "    user  ~/.codex/config.toml:1:1  over system"]
        );
        let whole = row.drawn(paint, 12, 4, None);
        assert!(whole.contains("  \"gpt-6-sol\"  user") && whole.lines().count() == 1, "{whole}");
    }
}

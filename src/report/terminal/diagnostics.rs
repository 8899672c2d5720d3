//! The findings of `lint` in the manner of a compiler: each with its line, and what it is about underlined.
//!
//! The line that is shown is redacted: a mask is shorter or longer than what it hides. So the place in the file is printed as it is,
//! and what is underlined is looked for in the shown line.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use codex_triage_checks::finding::{Arg, Finding, Place, Severity};

use super::super::paint::{Paint, harmless};
use crate::i18n::Texts;

/// What is drawn for the findings, in the order of their places: errors first, then file by file, line by line.
pub(super) fn draw(findings: &[Finding], texts: &Texts, paint: Paint, width: usize) -> String {
    let renderer = if paint.color { Renderer::styled() } else { Renderer::plain() };
    let style = if paint.ascii { DecorStyle::Ascii } else { DecorStyle::Unicode };
    let renderer = renderer.decor_style(style).term_width(width);
    // A note without a place in a file is left to `-v`; keys below a wrong header are shown once, with the header.
    let is_told = |finding: &&Finding| match finding.severity {
        Severity::Ok => false,
        Severity::Note => finding.at.is_some() && finding.code != "config.unknown-key",
        Severity::Unknown | Severity::Warning | Severity::Error => true,
    };
    let mut shown: Vec<&Finding> = findings.iter().filter(is_told).collect();
    let mut files: Vec<&str> = Vec::new();
    for place in shown.iter().filter_map(|finding| finding.at.as_ref()) {
        if !files.contains(&place.file.as_str()) {
            files.push(&place.file);
        }
    }
    shown.sort_by_key(|finding| {
        let place = finding.at.as_ref();
        let file = place.and_then(|place| files.iter().position(|file| *file == place.file));
        let (line, column) = place.map_or((None, None), |place| (place.line, place.column));
        // What Codex comes to next comes next.
        let is_next = finding.args.get("next") == Some(&Arg::from("yes"));
        let later = is_next || finding.message_id.starts_with("config-rejected-next");
        (finding.severity != Severity::Error, later, file, line, column)
    });
    shown.into_iter().map(|finding| one(finding, &renderer, texts)).collect()
}

fn one(finding: &Finding, renderer: &Renderer, texts: &Texts) -> String {
    let (level, name) = match finding.severity {
        Severity::Error => (Level::ERROR, "error"),
        Severity::Note => (Level::NOTE, "note"),
        _ => (Level::WARNING, "warning"),
    };
    let name = texts.plain(&format!("report-level-{name}"));
    let message = one_line(&finding.message);
    let title = level.with_name(name.as_str()).primary_title(message.as_str()).id(finding.code.as_str());
    let Some(at) = &finding.at else { return drawn(renderer, Group::with_title(title)) };
    let file = one_line(&at.file);
    let (Some(line), Some(written)) = (at.line, at.shown.as_deref()) else {
        return drawn(renderer, title.element(Origin::path(file.as_str())));
    };
    let span = underlined(written, at, finding);
    // What nobody sees is longer where it is shown.
    let shown_until = |character: usize| seen(&written[..byte_of(written, character)]);
    let (shown, start) = (seen(written), shown_until(span.start).chars().count());
    let snippet = Snippet::source(shown.as_str()).line_start(line as usize).path(file.as_str());
    let bytes = shown_until(span.start).len()..shown_until(span.end).len();
    let text = drawn(renderer, title.element(snippet.annotation(AnnotationKind::Primary.span(bytes))));
    // The place in the file, not that in the shown line.
    let place = |column: usize| format!("{file}:{line}:{column}");
    let Some(column) = at.column.filter(|column| *column as usize != start + 1) else { return text };
    let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{head}\n{}", rest.replacen(&place(start + 1), &place(column as usize), 1))
}

fn drawn(renderer: &Renderer, group: Group<'_>) -> String {
    format!("{}\n\n", renderer.render(&[group]).trim_end())
}

/// The characters of the shown line that the finding is about.
fn underlined(shown: &str, place: &Place, finding: &Finding) -> Range<usize> {
    let length = shown.chars().count();
    let Some(column) = place.column.map(|column| column as usize - 1) else { return words(shown) };
    // A place that is no key and no value is a point.
    if finding.code == "config.syntax" {
        let at = column.min(length.saturating_sub(usize::from(column > length)));
        return at..(at + 1).max(at);
    }
    let key = match finding.args.get("key") {
        Some(Arg::Text(key)) => key.as_str(),
        _ => "",
    };
    let name = last_segment(key);
    let moved = moved(shown, column, name, place.length);
    let start = moved.unwrap_or(column);
    if start >= length {
        return length.saturating_sub(1)..length;
    }
    match place.length {
        Some(characters) => start..(start + characters as usize).min(length),
        None => start..value_end(shown, start),
    }
}

/// Where the key (or, without a length, its value) stands in a line in which something before it was masked.
fn moved(shown: &str, column: usize, name: &str, length: Option<u32>) -> Option<usize> {
    let characters: Vec<char> = shown.chars().collect();
    let name: Vec<char> = name.chars().collect();
    if name.is_empty() || (!shown.contains('<') && !shown.contains('…')) {
        return None;
    }
    let stands = |at: usize| {
        let end = at + name.len();
        let plain = |character: &char| character.is_alphanumeric() || matches!(character, '_' | '-');
        let alone = at.checked_sub(1).is_none_or(|before| !plain(&characters[before]));
        alone && characters.get(at..end) == Some(name.as_slice()) && characters.get(end).is_none_or(|after| !plain(after))
    };
    let quoted = |at: usize| at.checked_sub(1).filter(|before| matches!(characters[*before], '"' | '\'')).unwrap_or(at);
    let places = (0..characters.len()).filter(|at| stands(*at));
    if length.is_some() {
        return places.map(quoted).min_by_key(|at| at.abs_diff(column));
    }
    let values = places.filter_map(|at| {
        let rest = characters.get(at + name.len()..)?;
        let equals = rest.iter().position(|character| *character == '=')?;
        let blank = rest.get(equals + 1..)?.iter().take_while(|character| character.is_whitespace()).count();
        Some(at + name.len() + equals + 1 + blank)
    });
    values.min_by_key(|at| at.abs_diff(column))
}

/// The last segment of a dotted key; dots inside of quotes do not count.
fn last_segment(key: &str) -> &str {
    let trimmed = key.strip_suffix('"').and_then(|inner| inner.rsplit('"').next());
    trimmed.unwrap_or_else(|| key.rsplit('.').next().unwrap_or(key))
}

/// Where the value that begins at the character `start` ends.
fn value_end(shown: &str, start: usize) -> usize {
    let rest: Vec<char> = shown.chars().skip(start).collect();
    let quote = rest.first().copied().filter(|first| matches!(first, '"' | '\''));
    let end = match (quote, rest.first()) {
        (Some(quote), _) => {
            let mut escaped = false;
            let closing = rest.iter().skip(1).position(|character| {
                let closes = *character == quote && !escaped;
                escaped = *character == '\\' && quote == '"' && !escaped;
                closes
            });
            closing.map_or(rest.len(), |closing| closing + 2)
        }
        (None, Some('[' | '{')) => {
            let end = rest.iter().rposition(|character| matches!(character, ']' | '}'));
            end.map_or(rest.len(), |end| end + 1)
        }
        _ => rest
            .iter()
            .position(|character| character.is_whitespace() || matches!(character, ',' | ']' | '}' | '#'))
            .unwrap_or(rest.len()),
    };
    start + end.max(1)
}

/// All of a line but the white space around it.
fn words(shown: &str) -> Range<usize> {
    let start = shown.chars().take_while(|character| character.is_whitespace()).count();
    start..(start + shown.trim().chars().count())
}

fn one_line(text: &str) -> String {
    harmless(text).replace('\n', " ")
}

/// A line of a file with everything in it to be seen, also the spaces that only look like one.
fn seen(line: &str) -> String {
    let is_odd = |character: char| character.is_whitespace() && !character.is_ascii();
    let mut text = String::with_capacity(line.len());
    for character in line.chars() {
        if is_odd(character) { text.extend(character.escape_unicode()) } else { text.push(character) }
    }
    one_line(&text)
}

/// The byte at which the `character`th character of `text` begins.
fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(shown: &str, column: u32, length: Option<u32>, key: &str) -> String {
        let place = Place { file: "f".to_owned(), line: Some(1), column: Some(column), length, shown: Some(shown.to_owned()) };
        let finding = Finding::new("check", "config.unknown-key", Severity::Warning, [("key", key)]);
        let span = underlined(shown, &place, &finding);
        shown.chars().skip(span.start).take(span.len()).collect()
    }

    #[test]
    fn a_key_and_a_value_are_underlined_as_a_whole() {
        assert_eq!(under("model_fallback = 1", 1, Some(14), "model_fallback"), "model_fallback");
        assert_eq!(under("model = 5 # x", 9, None, "model"), "5");
        assert_eq!(under(r#"a = "x\" y", b = 1"#, 5, None, "a"), r#""x\" y""#);
        assert_eq!(under("a = [1, 2] # c", 5, None, "a"), "[1, 2]");
        assert_eq!(under("模型 = 'é' ", 6, None, "模型"), "'é'");
    }

    #[test]
    fn a_mask_before_the_key_does_not_shift_what_is_underlined() {
        let shown = r#"x = { api_key = "<secret>", bad_key = 1, key = 2 }"#;
        assert_eq!(under(shown, 60, Some(7), "x.bad_key"), "bad_key");
        assert_eq!(under(shown, 70, None, "x.bad_key"), "1");
        assert_eq!(under(shown, 20, Some(3), "x.key"), "key");
    }

    #[test]
    fn a_place_beyond_the_shown_part_is_its_end() {
        assert_eq!(under("a = 1, …", 400, Some(3), "far"), "…");
        assert_eq!(last_segment("projects.\"a.b\""), "a.b");
    }
}

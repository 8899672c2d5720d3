//! Characters that nobody sees, as they were typed or pasted. An escape such as `\u200b` is seen.

use std::ops::Range;

use codex_triage_checks::facts::config::Unseen;

use super::position::Lines;
use crate::redact::is_invisible;

/// The first such character in `range` of `text`, a key or a string with its quotes.
pub(super) fn first(text: &str, range: Range<usize>, lines: &Lines<'_>) -> Option<Unseen> {
    let written = text.get(range.clone()).filter(|written| !written.is_ascii())?;
    let mut before = '\0';
    let (at, character) = written.char_indices().find(|(at, character)| {
        let joins = joins(*character) && !before.is_ascii() && (joins(before) || !is_invisible(before));
        before = *character;
        let end = at + character.len_utf8();
        (is_invisible(*character) && !joins) || is_blank(*character) || (is_space(*character) && is_edge(written, *at, end))
    })?;
    let (line, column) = lines.position(range.start + at);
    Some(Unseen { character: format!("U+{:04X}", u32::from(character)), line, column })
}

/// Marks that belong to the character before them, in scripts that join their letters and in pictures.
fn joins(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Letters that have no shape.
fn is_blank(character: char) -> bool {
    matches!(character, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

/// A space that looks like the usual one.
fn is_space(character: char) -> bool {
    !character.is_ascii() && character.is_whitespace()
}

/// Whether nothing but quotes and space stands before `start`, or behind `end`: within a text such a space is as good as any.
fn is_edge(written: &str, start: usize, end: usize) -> bool {
    let is_nothing = |part: &str| part.chars().all(|character| matches!(character, '"' | '\'') || character.is_whitespace());
    is_nothing(&written[..start]) || is_nothing(&written[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(String, u32)> {
        first(text, 0..text.len(), &Lines::of(text)).map(|unseen| (unseen.character, unseen.column))
    }

    #[test]
    fn what_nobody_sees_is_found_where_it_stands() {
        assert_eq!(of("\"relay\u{200b}\""), Some(("U+200B".to_owned(), 7)));
        assert_eq!(of("\"\u{202e}relay\""), Some(("U+202E".to_owned(), 2)));
        assert_eq!(of("\"re\u{ad}lay\u{feff}\""), Some(("U+00AD".to_owned(), 4)));
        assert_eq!(of("\"relay\u{a0}\""), Some(("U+00A0".to_owned(), 7)));
        assert_eq!(of("'\u{3000}中转'"), Some(("U+3000".to_owned(), 2)));
        assert_eq!(of("\"中转\u{200b}\""), Some(("U+200B".to_owned(), 4)));
        assert_eq!(of("\"relay\u{fe0f}\""), Some(("U+FE0F".to_owned(), 7)));
        assert_eq!(of("\"a\u{3164}\""), Some(("U+3164".to_owned(), 3)));
    }

    #[test]
    fn what_is_seen_or_belongs_to_its_script_is_none() {
        for text in [
            "\"relay\"",
            r#""relay\u200b""#,
            "\"🏳️\u{200d}🌈\"",
            "\"نمی\u{200c}خواهم\"",
            "\"C'est\u{a0}bon\u{a0}!\"",
            "\"中转　站\"",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}

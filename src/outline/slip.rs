//! Slips of the keyboard: a value that was typed so that TOML reads something else, or nothing.

use std::ops::Range;

use codex_triage_checks::facts::config::Typed;

use super::{Statement, statements};

/// What was typed around the fault at `offset` of a text that is no TOML, with the path of its key.
pub(crate) fn at(text: &str, offset: usize) -> (Option<Vec<String>>, Option<Typed>) {
    let line = line_of(text, offset);
    let statements = statements(text);
    let here = statements
        .iter()
        .find(|statement| statement.lines.contains(&offset) || (offset == text.len() && statement.lines.end == offset));
    let of_line = || {
        // A line that is no statement still says of which key it is.
        let key = text[line.clone()].trim_start().split(['=', ':', ' ', '\t']).next().filter(|key| is_bare(key))?;
        let table = statements.iter().rev().find(|statement| statement.lines.start < line.start)?;
        let around = if table.is_header() { table.names() } else { table.names()[..table.table].to_vec() };
        Some(around.into_iter().chain([key.to_owned()]).collect())
    };
    let first = || {
        let key = text[line.clone()].trim_start().trim_start_matches('\u{feff}').split(['=', ':', ' ', '\t']).next()?;
        is_bare(key).then(|| vec![key.to_owned()])
    };
    let key = here.map(super::Statement::names).or_else(of_line).or_else(first);
    let typed = KINDS.into_iter().find(|typed| repair(text, offset, *typed).is_some());
    (key, typed)
}

/// All slips, the surest first.
const KINDS: [Typed; 8] = [
    Typed::Repeated,
    Typed::WindowsPath,
    Typed::CapitalBoolean,
    Typed::CurlyQuotes,
    Typed::SlashComment,
    Typed::Semicolon,
    Typed::Colon,
    Typed::BareWord,
];

/// What stands for the slip `typed` around `offset`: the bytes and their replacement.
pub(crate) fn repair(text: &str, offset: usize, typed: Typed) -> Option<(Range<usize>, String)> {
    let line = line_of(text, offset);
    let content = &text[line.clone()];
    let value = value_of(content);
    let at = |part: &str| {
        let start = part.as_ptr() as usize - content.as_ptr() as usize + line.start;
        start..start + part.len()
    };
    match typed {
        Typed::WindowsPath => {
            let string = string_around(content, offset.saturating_sub(line.start))?;
            Some((line.start + string.start..line.start + string.end, literal(&content[string])?))
        }
        Typed::Repeated => repeated(text, offset).map(|range| (range, String::new())),
        Typed::CapitalBoolean => {
            let (value, _) = value?;
            let lower = value.to_ascii_lowercase();
            (["true", "false"].contains(&lower.as_str()) && lower != value).then(|| (at(value), lower))
        }
        Typed::CurlyQuotes => {
            let (value, _) = value?;
            let inner = value.strip_prefix(['“', '”', '„', '‘', '’'])?.strip_suffix(['“', '”', '’', '‘'])?;
            is_simple(inner).then(|| (at(value), format!("\"{inner}\"")))
        }
        Typed::SlashComment => {
            let trimmed = content.trim_start();
            trimmed.starts_with("//").then(|| (at(&trimmed[..2]), "#".to_owned()))
        }
        Typed::Semicolon => {
            let trimmed = content.trim_end();
            let rest = trimmed.strip_suffix(';')?;
            // Without it the line is a statement that TOML reads.
            let reads = rest.trim_end().parse::<toml_edit::DocumentMut>().is_ok_and(|document| !document.is_empty());
            reads.then(|| (at(&trimmed[rest.len()..]), String::new()))
        }
        Typed::Colon => {
            // Nothing at all counts as well, before a value that can be nothing else.
            let content = content.trim();
            let (key, value) = content
                .split_once(':')
                .or_else(|| content.split_once(' ').filter(|(_, value)| value.trim_start().starts_with('"')))?;
            let value = value.trim();
            let quoted = format!("a = {value}").parse::<toml_edit::DocumentMut>().is_ok();
            let written = if quoted {
                value.to_owned()
            } else if is_word(value) {
                format!("\"{value}\"")
            } else {
                return None;
            };
            let key = key.trim();
            (is_bare(key) && !value.is_empty()).then(|| (at(content.trim_end()), format!("{key} = {written}")))
        }
        Typed::BareWord => {
            let (value, _) = value?;
            let is_value =
                ["true", "false", "null", "none", "nil", "inf", "nan", "undefined"].contains(&value.to_ascii_lowercase().as_str());
            (is_word(value) && !is_value).then(|| (at(value), format!("\"{value}\"")))
        }
    }
}

/// The lines of a statement that say what an earlier one said already: a key with its value, or a header with all its keys.
fn repeated(text: &str, offset: usize) -> Option<Range<usize>> {
    let statements = statements(text);
    let second = statements.iter().position(|statement| statement.lines.contains(&offset))?;
    let names = statements[second].names();
    let first = statements[..second].iter().position(|statement| statement.names() == names)?;
    // A header goes with its keys, which must be the same.
    let said = |index: usize| {
        let length = if statements[index].is_header() {
            1 + statements[index + 1..].iter().take_while(|statement| !statement.is_header()).count()
        } else {
            1
        };
        &statements[index..index + length]
    };
    let plain = |statement: &Statement| (statement.names(), statement.value.clone().map(|value| text[value].to_owned()));
    let (one, other) = (said(first), said(second));
    let range = statements[second].lines.start..other.last()?.lines.end;
    let same = one.iter().map(plain).eq(other.iter().map(plain));
    (same && !text[range.clone()].contains('#')).then_some(range)
}

/// A string in double quotes as it was typed, between literal quotes: only where it looks like a Windows path with single
/// backslashes, and can stand there.
pub(crate) fn literal(written: &str) -> Option<String> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    let rest = match inner.as_bytes() {
        [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic() && inner.len() > 3 => &inner[2..],
        [b'\\', b'\\', first, ..] if first.is_ascii_alphanumeric() => &inner[2..],
        _ => return None,
    };
    let plain = !rest.contains("\\\\") && !inner.contains(['\'', '"', '\n', '\r', '*', '?', '<', '>', '|']);
    (plain && rest.contains('\\')).then(|| format!("'{inner}'"))
}

/// The value behind the equals sign, without a remark, and what stands before it.
fn value_of(content: &str) -> Option<(&str, &str)> {
    let (key, value) = content.split_once('=')?;
    let value = value.split('#').next().unwrap_or_default().trim();
    (!value.is_empty()).then_some((value, key))
}

/// The string in double quotes on a line that holds the byte `at`.
fn string_around(content: &str, at: usize) -> Option<Range<usize>> {
    let mut open = None;
    for (place, character) in content.char_indices() {
        match (open, character) {
            (None, '"') => open = Some(place),
            (Some(start), '"') => {
                if (start..=place).contains(&at) {
                    return Some(start..place + 1);
                }
                open = None;
            }
            _ => {}
        }
    }
    None
}

fn line_of(text: &str, offset: usize) -> Range<usize> {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let end = if text[start..end].ends_with('\r') { end - 1 } else { end };
    let start = if text[start..end].starts_with('\u{feff}') { start + '\u{feff}'.len_utf8() } else { start };
    start..end
}

fn is_bare(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// One word that can only be meant as a string.
fn is_word(value: &str) -> bool {
    value.starts_with(|first: char| first.is_ascii_alphabetic())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@".contains(&byte))
}

/// A text that needs no escape.
fn is_simple(text: &str) -> bool {
    !text.contains(['"', '\\', '“', '”', '’', '‘', '„']) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a slip at the first fault of `text` is, and the text without it.
    fn mended(text: &str) -> Option<(Typed, String)> {
        let offset = toml_edit::Document::parse(text).err()?.span()?.start;
        let typed = at(text, offset).1?;
        let (range, new) = repair(text, offset, typed)?;
        Some((typed, format!("{}{new}{}", &text[..range.start], &text[range.end..])))
    }

    fn is_mended_to(text: &str, typed: Typed, wanted: &str) {
        assert_eq!(mended(text), Some((typed, wanted.to_owned())), "{text}");
        assert!(toml_edit::Document::parse(wanted).is_ok());
    }

    #[test]
    fn what_was_meant_is_plain() {
        is_mended_to("c = \"C:\\Users\\me\\a.exe\" # x\n", Typed::WindowsPath, "c = 'C:\\Users\\me\\a.exe' # x\n");
        is_mended_to("a = [\"x\", \"F:\\data\\s.ps1\"]\n", Typed::WindowsPath, "a = [\"x\", 'F:\\data\\s.ps1']\n");
        is_mended_to("[projects.\"C:\\Users\\me\"]\n", Typed::WindowsPath, "[projects.'C:\\Users\\me']\n");
        is_mended_to("m = gpt-6-sol\r\n", Typed::BareWord, "m = \"gpt-6-sol\"\r\n");
        is_mended_to("m = “gpt-6-sol”\n", Typed::CurlyQuotes, "m = \"gpt-6-sol\"\n");
        is_mended_to("m = True\n", Typed::CapitalBoolean, "m = true\n");
        is_mended_to("m = 1\nn = 2\nm = 1\n", Typed::Repeated, "m = 1\nn = 2\n");
        is_mended_to("[p.'c:\\x']\nt = 1\n\n[p.'c:\\x']\nt = 1\n[q]\n", Typed::Repeated, "[p.'c:\\x']\nt = 1\n\n[q]\n");
        is_mended_to("m = \"a\";\n", Typed::Semicolon, "m = \"a\"\n");
        is_mended_to("model: gpt-6-sol\n", Typed::Colon, "model = \"gpt-6-sol\"\n");
        is_mended_to("model \"a\" # x\n", Typed::Colon, "model = \"a\" # x\n");
        is_mended_to("// words\nm = 1\n", Typed::SlashComment, "# words\nm = 1\n");
    }

    #[test]
    fn what_is_not_plain_is_left() {
        for text in [
            "m = null\n",
            "m = 1\nm = 2\n",
            "[a]\nx = 1\n[a]\ny = 1\n",
            "m = \"a\n",
            "m = a b\n",
            "m x\n",
            "m = \"C:\\\\Users\\new\\q\"\n",
            "<<<<<<< HEAD\n",
            "m = [\n",
        ] {
            assert_eq!(mended(text), None, "{text}");
        }
    }

    #[test]
    fn a_broken_line_says_of_which_key_it_is() {
        let key = |text: &str| {
            let offset = toml_edit::Document::parse(text).unwrap_err().span().unwrap().start;
            at(text, offset).0.unwrap_or_default().join(".")
        };
        assert_eq!(key("[mcp_servers.a]\ncommand = \"C:\\Users\\a\"\n"), "mcp_servers.a.command");
        assert_eq!(key("x = 1\n[tui]\ntheme: dark\n"), "tui.theme");
        assert_eq!(key("model = gpt-6-sol\n"), "model");
        assert_eq!(key("[projects.\"C:\\Users\\me\"]\n").split('.').next(), Some("projects"));
    }

    #[test]
    fn only_a_windows_path_is_typed_with_single_backslashes() {
        assert_eq!(literal("\"D:\\tools\\bin\\new\""), Some("'D:\\tools\\bin\\new'".to_owned()));
        for other in ["\"a\\tb\"", "\"D:\\\\tools\"", "'D:\\tools'", "\"D:/tools\"", "\"^D:\\\\d+\""] {
            assert_eq!(literal(other), None, "{other}");
        }
    }
}

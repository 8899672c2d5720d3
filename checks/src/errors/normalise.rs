//! One spelling for all the ways in which an error text comes: terminals colour, wrap and frame it, people quote it, JSON
//! escapes it. Signatures then match words, not typography.

use std::sync::LazyLock;

use regex_lite::Regex;

/// Terminal control sequences, raw or in the notations in which logs and shells print the escape character.
static ANSI: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\x1b|\\x1b|\\u001[bB]|\\033|\\e|\^\[|\x{241b})(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
        .expect("a constant pattern")
});

/// Quote and list marks at the beginning of a line.
static LINE_MARKS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^[ \t]*(?:[>#*-]+[ \t]+)+").expect("a constant pattern"));

/// Whether there is a character with which a control sequence begins.
fn has_escapes(text: &str) -> bool {
    text.contains(['\x1b', '\\', '^', '\u{241b}'])
}

/// Whether a line begins with a mark.
fn has_line_marks(text: &str) -> bool {
    text.split('\n').any(|line| line.trim_start_matches([' ', '\t']).starts_with(['>', '#', '*', '-']))
}

/// What `codex doctor` prints is a report about the machine, full of the words of errors that did not happen.
static DOCTOR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?is)\bcodex doctor v\d.*?(?:\n[^\n]*--json\s+redacted report|\n[ \t]*\d+ ok [|·][^\n]*|\n#+ |\z)")
        .expect("a constant pattern")
});

/// Where the same report as JSON begins and how it goes on; pasted ones are often cut, so it is not parsed.
static DOCTOR_JSON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)\{\s*"schemaVersion"\s*:\s*\d+\s*,[^{}]{0,400}"codexVersion".*?(?:\n\}|\n#+ |\z)"#)
        .expect("a constant pattern")
});

/// The text without reports of Codex's own doctor.
pub(crate) fn without_doctor(text: &str) -> String {
    if !names_doctor(text) {
        return text.to_owned();
    }
    DOCTOR_JSON.replace_all(&DOCTOR.replace_all(text, "\n"), "\n").into_owned()
}

/// Whether the beginning of such a report is there. The patterns are dear, and mostly it is not.
fn names_doctor(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["codex doctor v", "\"schemaversion\""].iter().any(|words| lower.contains(words))
}

/// What `codex exec` says beside its work: log lines of tool servers and of the model list, and its own warnings.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:warning|WARNING): ",
        r"|^\d{4}-\d\d-\d\dT[\d:.]+Z +(?:ERROR|WARN|INFO) +(?:rmcp|codex_(?:rmcp|mcp|models_manager|core::mcp|core_plugins))\S*: ",
    ))
    .expect("a constant pattern")
});

/// A WebSocket for which a plain request then stood in. It tells something only as long as there is no outcome.
static WEBSOCKET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\d{4}-\d\d-\d\dT[\d:.]+Z +(?:ERROR|WARN) +codex_api::endpoint::responses_websocket\S*: ")
        .expect("a constant pattern")
});

/// A transcript of `codex exec` without what Codex says beside its work: there the outcome is a line of its own. In any other
/// text such a line may be all that somebody saw, and stays.
pub(crate) fn without_asides(text: &str) -> String {
    let is_outcome = |line: &str| {
        line.trim() == "tokens used" || line.strip_prefix("ERROR: ").is_some_and(|rest| !rest.starts_with("Reconnecting"))
    };
    let ended = text.lines().any(is_outcome);
    if !ended && !text.lines().any(|line| line.starts_with("OpenAI Codex v")) {
        return text.to_owned();
    }
    // The outcome repeats the reason of the notices before it.
    let is_superseded = |line: &str| WEBSOCKET.is_match(line) || line.starts_with("ERROR: Reconnecting");
    let is_beside = |line: &&str| ASIDE.is_match(line) || ended && is_superseded(line);
    text.lines().filter(|line| !is_beside(line)).collect::<Vec<_>>().join("\n")
}

/// Whether the text is what Codex printed of a turn that began and came to nothing: no answer, no error. Codex was waiting then.
pub(crate) fn is_without_outcome(text: &str) -> bool {
    let text = text.to_lowercase();
    let began = (text.contains("openai codex v") && text.contains("session id:")) || text.contains("\"turn.started\"");
    let ends = ["tokens used", "\"turn.completed\"", "\"turn.failed\"", "error:"];
    began && !ends.iter().any(|end| text.contains(end))
}

/// The text on one line: see [`clean_lines`].
pub(crate) fn clean(text: &str) -> String {
    clean_lines(text).replace('\n', " ")
}

/// The text without typography: no control sequences, frames or bullets; straight quotes, plain dashes, single spaces or
/// line breaks, half-width punctuation. Case is kept, for values that a message shows.
pub(crate) fn clean_lines(text: &str) -> String {
    let text = if has_escapes(text) { ANSI.replace_all(text, "") } else { text.into() };
    let text = if has_line_marks(&text) { LINE_MARKS.replace_all(&text, " ") } else { text };
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match unified(character) {
            Some('\n') => push_line_break(&mut cleaned),
            Some(' ') => push_space(&mut cleaned),
            Some(plain) => push_plain(&mut cleaned, plain),
            None if character == '…' => cleaned.push_str("..."),
            None => {}
        }
    }
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

/// A cleaned text in lower case and with JSON escapes undone, for matching.
pub(crate) fn folded(cleaned: &str) -> String {
    let lower = cleaned.to_lowercase();
    if !lower.contains('\\') {
        return lower;
    }
    // A text may be escaped more than once: a body in a message in a log line.
    let mut plain = lower;
    for _ in 0..3 {
        let next = unescaped(&plain);
        if next == plain {
            break;
        }
        plain = next;
    }
    clean_lines(&plain).to_lowercase()
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.peek().copied() {
            Some(escaped @ ('"' | '\'' | '/' | '\\')) => {
                plain.push(escaped);
                characters.next();
            }
            // A path such as `c:\new` also begins so; a space there harms no signature.
            Some('n' | 'r' | 't') => {
                plain.push(' ');
                characters.next();
            }
            Some('u') => plain.push_str(&code_point(&mut characters)),
            _ => plain.push('\\'),
        }
    }
    plain
}

fn code_point(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let ahead: String = characters.clone().skip(1).take(4).collect();
    match u32::from_str_radix(&ahead, 16).ok().filter(|_| ahead.len() == 4).and_then(char::from_u32) {
        Some(character) => {
            characters.nth(4);
            character.to_string()
        }
        None => "\\".to_owned(),
    }
}

/// What stands for `character`; nothing where it is only decoration.
fn unified(character: char) -> Option<char> {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '`' | '\u{00b4}' => Some('\''),
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' | '\u{00ab}' | '\u{00bb}' | '\u{300c}' | '\u{300d}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        // Full-width forms have the same order as ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        '\u{3002}' => Some('.'),
        '\u{3001}' => Some(','),
        '|' | '\u{2500}'..='\u{259f}' => Some(' '),
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{00ad}' => None,
        '\u{2026}' => None,
        '\n' => Some('\n'),
        _ if character.is_whitespace() || character.is_control() => Some(' '),
        // Bullets, arrows, geometric shapes, dingbats and emoji.
        '\u{00b7}' | '\u{2022}' | '\u{2023}' | '\u{203a}' | '\u{2039}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' => {
            Some(' ')
        }
        _ => Some(character),
    }
}

fn push_space(cleaned: &mut String) {
    if !cleaned.is_empty() && !cleaned.ends_with([' ', '\n']) {
        cleaned.push(' ');
    }
}

fn push_line_break(cleaned: &mut String) {
    if cleaned.ends_with(' ') {
        cleaned.pop();
    }
    if !cleaned.is_empty() && !cleaned.ends_with('\n') {
        cleaned.push('\n');
    }
}

fn push_plain(cleaned: &mut String, plain: char) {
    // Chinese has no spaces between words: one there is a wrapped line.
    if is_cjk(plain) && cleaned.ends_with([' ', '\n']) && cleaned.trim_end().chars().next_back().is_some_and(is_cjk) {
        cleaned.pop();
    }
    cleaned.push(plain);
}

fn is_cjk(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wrapped_framed_and_coloured_sentence_reads_like_the_plain_one() {
        let framed = "\u{1b}[31m■ We\u{2019}re\u{1b}[0m currently │\n│  experiencing\u{a0}high demand…";
        assert_eq!(folded(&clean(framed)), "we're currently experiencing high demand...");
        assert_eq!(clean("额度\n  不足：0"), "额度不足:0");
        assert_eq!(clean("> - quoted `text`"), "quoted 'text'");
    }

    #[test]
    fn in_a_whole_transcript_only_the_outcome_counts() {
        let aside = "2026-11-29T18:21:11.738986Z ERROR codex_models_manager::manager: failed to refresh available models: 404";
        assert_eq!(without_asides(aside), aside);
        let transcript = format!("{aside}\nwarning: Falling back from WebSockets to HTTPS transport.\nERROR: last status: 429");
        assert_eq!(without_asides(&transcript), "ERROR: last status: 429");
        assert_eq!(without_asides(&format!("{aside}\ncodex\ndone\ntokens used\n15")), "codex\ndone\ntokens used\n15");
        assert_eq!(without_asides(&format!("{aside}\nERROR: Reconnecting... 1/5")).lines().count(), 2);
        let waiting = "OpenAI Codex v0.142.5\nwarning: Model metadata not found.\nuser\nhi";
        assert_eq!(without_asides(waiting), "OpenAI Codex v0.142.5\nuser\nhi");
    }

    #[test]
    fn a_turn_that_came_to_nothing_is_told_from_one_with_an_answer_or_an_error() {
        let began = "OpenAI Codex v0.171.0\n--------\nmodel: m\nsession id: 1\n--------\nuser\nhi\n";
        assert!(is_without_outcome(began));
        assert!(is_without_outcome("{\"type\":\"turn.started\"}"));
        for end in ["codex\nhello\ntokens used\n12", "ERROR: last status: 429"] {
            assert!(!is_without_outcome(&format!("{began}{end}")), "{end}");
        }
        assert!(!is_without_outcome("it just hangs"));
    }

    proptest! {
        #[test]
        fn what_is_passed_over_is_in_no_text(text in "(?:[\\n\\t >#*^a-]|\x1b\\[1m|\\\\(?:e|033|x1b|u001b)|codex doctor v1|CODEX Doctor V2 |\\{ \"schemaVersion\": 1, \"codexVersion\"){0,6}") {
            prop_assert!(has_escapes(&text) || !ANSI.is_match(&text));
            prop_assert!(has_line_marks(&text) || !LINE_MARKS.is_match(&text));
            prop_assert!(names_doctor(&text) || !(DOCTOR.is_match(&text) || DOCTOR_JSON.is_match(&text)));
        }
    }

    #[test]
    fn escapes_are_undone_however_deep() {
        assert_eq!(folded(r#"{"message":"{\"error\":\"You\u2019ve hit\"}"}"#), r#"{"message":"{"error":"you've hit"}"}"#);
        assert_eq!(folded(r#"a\\nb"#), "a b");
    }
}

//! Text as a person sees it: without what paints or hides, decoded, unwrapped. A secret in such a dress is still one.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use regex::Regex;

/// A sequence that drives a terminal: colours, titles, links, and single escapes; the 8-bit forms too. Each begins with one of
/// [`begins_escape`].
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        "(?:\u{1b}\\[|\u{9b})[0-?]*[ -/]*[@-~]|(?:\u{1b}[\\]PX^_]|[\u{9d}\u{90}\u{98}\u{9e}\u{9f}])[^\u{7}\u{1b}\u{9c}\n]*(?:\u{7}|\u{1b}\\\\|\u{9c})?|\u{1b}[ -/]*[0-~]",
    )
    .expect("a constant pattern")
});

/// `text` without escape sequences and invisible marks; other control characters become U+FFFD.
pub(super) fn visible(text: &str) -> String {
    let text = if text.contains(begins_escape) { ESCAPES.replace_all(text, "") } else { text.into() };
    text.chars().filter(|character| !is_invisible(*character)).map(shown).collect()
}

fn begins_escape(character: char) -> bool {
    matches!(character, '\u{1b}' | '\u{80}'..='\u{9f}')
}

fn shown(character: char) -> char {
    if character.is_control() && !matches!(character, '\n' | '\r' | '\t') { '\u{fffd}' } else { character }
}

/// Characters that show nothing, or that turn the direction of what follows.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}')
}

/// A percent-encoded word, decoded as often as it was encoded (three times at most).
pub(super) fn decoded(word: &str) -> String {
    let mut word = word.to_owned();
    for _ in 0..3 {
        let next = percent_encoding::percent_decode_str(&word).decode_utf8_lossy().into_owned();
        if next == word {
            break;
        }
        word = next;
    }
    word
}

/// How a secret looks where it is quoted, put into an address, or encoded.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let quoted = serde_json::to_string(secret).unwrap_or_default();
    let encoded = percent_encoding::utf8_percent_encode(secret, percent_encoding::NON_ALPHANUMERIC).to_string();
    let bare = |encoded: String| encoded.trim_end_matches('=').to_owned();
    let mut forms = vec![
        secret.to_owned(),
        quoted.trim_matches('"').to_owned(),
        encoded,
        bare(STANDARD.encode(secret)),
        bare(URL_SAFE.encode(secret)),
    ];
    forms.retain(|form| form.len() >= 6);
    forms
}

/// A pattern for `secret` broken into lines, when that may be in `text`.
pub(super) fn wrapped(text: &str, secret: &str) -> Option<Regex> {
    // A longer one has a shape of its own (a JSON web token), and the pattern would be slow.
    const LONGEST: usize = 256;
    let start: String = secret.chars().take(4).collect();
    if !text.contains('\n') || secret.len() < 12 || secret.len() > LONGEST || !text.contains(&start) {
        return None;
    }
    let letters: Vec<String> = secret.chars().map(|letter| regex::escape(&letter.to_string())).collect();
    Regex::new(&letters.join(r"(?:[ \t]*[│|]?[ \t\r]*\n[ \t│|>]*)?")).ok()
}

//! Plain sentences for the words in which Codex refuses a configuration: `refusal-words.toml`.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde::Deserialize;

/// One row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    pattern: String,
    message: String,
    #[allow(dead_code, reason = "says where the row comes from")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    refusal: Vec<Row>,
}

/// A row with its pattern.
struct Words {
    pattern: Regex,
    message: String,
}

static ROWS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let file: File = knowledge!("refusal-words");
    let words =
        |row: Row| Words { pattern: Regex::new(&row.pattern).expect("a pattern is checked by a test"), message: row.message };
    file.refusal.into_iter().map(words).collect()
});

/// The id of the sentence for Codex's words, with what they name.
pub(crate) fn plain(error: &str) -> Option<(String, Vec<(&'static str, String)>)> {
    let (row, found) = ROWS.iter().find_map(|row| Some((row, row.pattern.captures(error)?)))?;
    let names = row.pattern.capture_names().flatten();
    let named = names.filter_map(|name| Some((name, found.name(name)?.as_str().to_owned()))).collect();
    Some((format!("config-refused-{}", row.message), named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_parser_lead_to_a_sentence() {
        let id = |error: &str| plain(error).map(|(id, _)| id.trim_start_matches("config-refused-").to_owned()).unwrap_or_default();
        for (error, message) in [
            ("invalid type: string \"on\", expected a boolean", "boolean"),
            ("invalid type: integer `5`, expected a string", "text"),
            ("invalid type: string \"128000\", expected i64", "number"),
            ("invalid value: integer `-1`, expected u64", "count"),
            ("invalid type: sequence, expected struct FeaturesToml", "table"),
            ("invalid length 1, expected struct RawMcpServerConfig with 30 elements", "table"),
            ("invalid type: map, expected a sequence", "list"),
            ("model_providers.p: provider name must not be empty", "nameless"),
            ("reasoning_effort must not be empty", "empty"),
            ("invalid transport", "transport"),
            ("duplicate key", "twice"),
            ("something else", ""),
        ] {
            assert_eq!(id(error), message, "{error}");
        }
        let (_, named) = plain("unknown variant `a`, expected one of `b`, `c`").unwrap();
        assert_eq!(named, [("word", "a".to_owned()), ("words", "`b`, `c`".to_owned())]);
    }
}

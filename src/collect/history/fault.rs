//! What Codex stored as an error: in a rollout `message` and `codex_error_info`, in the thread history `codexErrorInfo`.

use serde_json::Value;

use super::json::{Raw, Walk};
use super::turn::Fault;
use super::word::Word;

/// Texts longer than this are cut: no error needs more.
const LONGEST_TEXT: usize = 16 * 1024;

/// The fault in `error` of a turn's end.
pub(super) fn of_error(error: Raw<'_>) -> Fault {
    let (mut message, mut info) = (Raw::default(), Raw::default());
    let fields = error.fields(|key, value| match key {
        "message" => message = value,
        "codex_error_info" | "codexErrorInfo" if value.is_there() => info = value,
        _ => {}
    });
    match fields {
        Some(()) => of_parts(message, info),
        None => of_parts(error, Raw::default()),
    }
}

/// The fault of a message and its classification.
pub(super) fn of_parts(message: Raw<'_>, info: Raw<'_>) -> Fault {
    let (info, status) = error_info(&info.get().unwrap_or_default());
    Fault { text: message.text().map(|text| Word::from(cut(&text))), info: info.map(Word::from), status }
}

/// The fault in JSON of the thread history; none for JSON `null` and for what is no JSON.
pub(super) fn of_json(text: &str) -> Option<Fault> {
    let mut walk = Walk::of(text);
    walk.spaces();
    let error = walk.value()?;
    (error.is_there() && walk.is_at_end()).then(|| of_error(error))
}

/// Its name in snake case and the HTTP status beside it.
fn error_info(info: &Value) -> (Option<String>, Option<u16>) {
    match info {
        Value::String(name) => (Some(snake_case(name)), None),
        Value::Object(entries) => {
            let Some((name, inner)) = entries.iter().next() else { return (None, None) };
            let status = inner.get("http_status_code").or_else(|| inner.get("httpStatusCode"));
            (Some(snake_case(name)), status.and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok()))
        }
        _ => (None, None),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_uppercase() {
            if !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
            snake.extend(character.to_lowercase());
        } else {
            snake.push(character);
        }
    }
    snake
}

/// `text` without what is beyond any error's length.
pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_an_error_become_one() {
        let both = [
            r#"{"message":"m","codex_error_info":{"http_connection_failed":{"http_status_code":503}}}"#,
            r#"{"message":"m","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":503}}}"#,
        ];
        for error in both {
            let fault = of_json(error).unwrap();
            assert_eq!((fault.info.as_deref(), fault.status), (Some("http_connection_failed"), Some(503)));
        }
        assert_eq!(of_json(r#"{"codexErrorInfo":"serverOverloaded"}"#).unwrap().info.as_deref(), Some("server_overloaded"));
        assert_eq!(of_json(r#""only words""#).unwrap().text.as_deref(), Some("only words"));
        assert_eq!((of_json("null"), of_json("{")), (None, None));
    }
}

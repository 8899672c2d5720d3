//! What one line of a rollout is, told from its first bytes where they have the shape that Codex writes, else by parsing it.

use serde_json::Value;

/// How much of a line is looked at before parsing it.
const LOOKED_AT: usize = 512;

/// What to do with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interest {
    /// It tells nothing of turns.
    None,
    /// An answer of the model: that it is there is all that counts.
    Answer,
    /// The context was compacted.
    Compaction,
    /// It may tell of a turn: parse it.
    Parse,
    /// Not in the shape that Codex writes today: parse it if it can be.
    Unfamiliar,
}

/// The event types that tell of turns. `turn_started` and `turn_complete` are their other spellings in the protocol.
const EVENTS: [&[u8]; 9] = [
    b"task_started",
    b"turn_started",
    b"task_complete",
    b"turn_complete",
    b"turn_aborted",
    b"token_count",
    b"thread_settings_applied",
    b"error",
    b"stream_error",
];

/// Judges a line by its beginning.
pub(super) fn interest(line: &[u8]) -> Interest {
    let head = &line[..line.len().min(LOOKED_AT)];
    let Some((kind, payload)) = shape(head) else { return Interest::Unfamiliar };
    match kind {
        b"session_meta" | b"turn_context" => Interest::Parse,
        b"compacted" => Interest::Compaction,
        b"event_msg" => match payload.strip_prefix(b"{\"type\":\"").and_then(until_quote) {
            Some(event) if EVENTS.contains(&event) => Interest::Parse,
            Some(b"agent_message") => Interest::Answer,
            Some(_) => Interest::None,
            None => Interest::Unfamiliar,
        },
        _ => Interest::None,
    }
}

/// `{"timestamp":"…","ordinal":N,"type":"KIND","payload":PAYLOAD` → KIND and the beginning of PAYLOAD.
fn shape(head: &[u8]) -> Option<(&[u8], &[u8])> {
    let after_quote = head.strip_prefix(b"{\"timestamp\":\"")?;
    let mut rest = &after_quote[memchr::memchr(b'"', after_quote)? + 1..];
    if let Some(ordinal) = rest.strip_prefix(b",\"ordinal\":") {
        rest = &ordinal[ordinal.iter().position(|byte| !byte.is_ascii_digit())?..];
    }
    let kind_and_more = rest.strip_prefix(b",\"type\":\"")?;
    let kind = until_quote(kind_and_more)?;
    let payload = kind_and_more[kind.len() + 1..].strip_prefix(b",\"payload\":")?;
    Some((kind, payload))
}

/// The time at the beginning of a line in the shape that Codex writes.
pub(super) fn stamp(line: &[u8]) -> Option<&[u8]> {
    let after_quote = line.get(..64).unwrap_or(line).strip_prefix(b"{\"timestamp\":")?.trim_ascii_start().strip_prefix(b"\"")?;
    until_quote(after_quote)
}

fn until_quote(bytes: &[u8]) -> Option<&[u8]> {
    Some(&bytes[..memchr::memchr(b'"', bytes)?])
}

/// Whether a line that is not parsed looks whole: a record that was cut, overwritten or is no text is broken.
pub(super) fn looks_whole(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.starts_with(b"{") && line.ends_with(b"}") && std::str::from_utf8(line).is_ok()
}

/// A string field in the beginning of a line that is too long to be parsed. Only for values without escapes.
pub(super) fn field<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let key = format!("\"{name}\":\"");
    let start = memchr::memmem::find(head, key.as_bytes())? + key.len();
    let value = std::str::from_utf8(until_quote(&head[start..])?).ok()?;
    (!value.contains('\\')).then_some(value)
}

/// `codex_error_info` (rollouts) or `codexErrorInfo` (thread history): its name in snake case and the HTTP status beside it.
pub(super) fn error_info(info: Option<&Value>) -> (Option<String>, Option<u16>) {
    match info {
        Some(Value::String(name)) => (Some(snake_case(name)), None),
        Some(Value::Object(fields)) => {
            let Some((name, details)) = fields.iter().next() else { return (None, None) };
            let status = details.get("http_status_code").or_else(|| details.get("httpStatusCode"));
            let status = status.and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
            (Some(snake_case(name)), status)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_record_itself_counts_not_what_it_quotes() {
        let failed = br#"{"timestamp":"2026-11-29T15:51:34.553Z","ordinal":12,"type":"event_msg","payload":{"type":"task_complete","error":{}}}"#;
        assert_eq!(interest(failed), Interest::Parse);
        let quoting = br#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"response_item","payload":{"type":"message","text":"\"type\":\"task_complete\""}}"#;
        assert_eq!(interest(quoting), Interest::None);
        let spaced = br#"{"timestamp": "2026-11-29T15:51:34.553Z", "type": "event_msg", "payload": {"type": "task_complete"}}"#;
        assert_eq!(interest(spaced), Interest::Unfamiliar);
        assert_eq!(interest(b""), Interest::Unfamiliar);
    }

    #[test]
    fn both_spellings_of_an_error_become_one() {
        let both = [
            serde_json::json!({"http_connection_failed": {"http_status_code": 503}}),
            serde_json::json!({"httpConnectionFailed": {"httpStatusCode": 503}}),
        ];
        for info in both {
            assert_eq!(error_info(Some(&info)), (Some("http_connection_failed".to_owned()), Some(503)));
        }
        assert_eq!(error_info(Some(&"serverOverloaded".into())).0.as_deref(), Some("server_overloaded"));
        assert_eq!(error_info(Some(&Value::Null)), (None, None));
    }
}

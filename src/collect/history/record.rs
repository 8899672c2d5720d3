//! What one line of a rollout is, told from its first bytes where they have the shape that Codex writes, else by parsing it.

use super::json::{self, Raw};

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
    /// A tool's output.
    ToolResult,
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
        b"response_item" if is_tool_result(payload) => Interest::ToolResult,
        b"event_msg" => match payload.strip_prefix(b"{\"type\":\"").and_then(until_quote) {
            Some(event) if EVENTS.contains(&event) => Interest::Parse,
            Some(b"agent_message") => Interest::Answer,
            Some(_) => Interest::None,
            None => Interest::Unfamiliar,
        },
        _ => Interest::None,
    }
}

/// `{"type":"function_call_output"…`, `custom_tool_call_output` and their like.
fn is_tool_result(payload: &[u8]) -> bool {
    payload.strip_prefix(b"{\"type\":\"").and_then(until_quote).is_some_and(|kind| kind.ends_with(b"_output"))
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
    line.starts_with(b"{") && line.ends_with(b"}") && simdutf8::basic::from_utf8(line).is_ok()
}

/// A record of a rollout that may tell of turns.
#[derive(Default)]
pub(super) struct Record<'a> {
    pub(super) timestamp: Raw<'a>,
    pub(super) r#type: Raw<'a>,
    pub(super) payload: Payload<'a>,
    /// The `info` in the payload.
    pub(super) tokens: Option<TokenInfo<'a>>,
}

/// Makes a struct of raw fields, and the way from a field's name to it.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $key:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(super) struct $name<'a> {
            $(pub(super) $field: Raw<'a>,)*
        }

        impl<'a> $name<'a> {
            fn set(&mut self, key: &str, value: Raw<'a>) {
                match key {
                    $($key => self.$field = value,)*
                    _ => {}
                }
            }
        }
    };
}

fields! {
    /// The fields of all payloads that tell of turns.
    Payload {
        r#type: "type",
        turn_id: "turn_id",
        model: "model",
        id: "id",
        cwd: "cwd",
        originator: "originator",
        cli_version: "cli_version",
        model_provider: "model_provider",
        creator_account_id: "creator_account_id",
        started_at: "started_at",
        completed_at: "completed_at",
        last_agent_message: "last_agent_message",
        error: "error",
        reason: "reason",
        rate_limits: "rate_limits",
        model_context_window: "model_context_window",
        thread_id: "thread_id",
        thread_settings: "thread_settings",
        message: "message",
        codex_error_info: "codex_error_info",
    }
}

fields! {
    /// The `info` of a token count, and the usage in it.
    TokenInfo {
        total_tokens: "total_tokens",
        input_tokens: "input_tokens",
        model_context_window: "model_context_window",
    }
}

impl<'a> TokenInfo<'a> {
    /// Tokens in the context.
    pub(super) fn tokens(&self) -> Option<u64> {
        self.total_tokens.get().or_else(|| self.input_tokens.get())
    }

    /// Reads the object at the beginning of `json`, and returns what follows it. Every answer has one: it is walked once.
    fn read(&mut self, json: &'a str) -> Option<&'a str> {
        json::object(json, &mut |key, rest| {
            if key == "last_token_usage" && rest.starts_with('{') {
                return json::object(rest, &mut |key, rest| {
                    let (value, rest) = json::value(rest)?;
                    self.set(key, value);
                    Some(rest)
                });
            }
            let (value, rest) = json::value(rest)?;
            if key == "model_context_window" {
                self.model_context_window = value;
            }
            Some(rest)
        })
    }
}

/// The record in a line; none when it is no whole JSON object in UTF-8.
pub(super) fn parse(line: &[u8]) -> Option<Record<'_>> {
    let mut record = Record::default();
    let rest = json::object(simdutf8::basic::from_utf8(line).ok()?, &mut |key, rest| {
        if key == "payload" && rest.starts_with('{') {
            return json::object(rest, &mut |key, rest| {
                if key == "info" && rest.starts_with('{') {
                    return record.tokens.insert(TokenInfo::default()).read(rest);
                }
                let (value, rest) = json::value(rest)?;
                record.payload.set(key, value);
                Some(rest)
            });
        }
        let (value, rest) = json::value(rest)?;
        match key {
            "timestamp" => record.timestamp = value,
            "type" => record.r#type = value,
            _ => {}
        }
        Some(rest)
    })?;
    json::spaces(rest).is_empty().then_some(record)
}

/// The record that the beginning of a line tells of which is too long to be parsed, as JSON. Nothing of what it does not hold is made up,
/// but for an answer of megabytes: that it is one is all that counts.
pub(super) fn head(line: &[u8]) -> String {
    let mut payload = serde_json::Map::new();
    for name in ["type", "turn_id", "id", "cwd", "originator", "cli_version", "model_provider", "model", "last_agent_message"] {
        payload.extend(field(line, name).map(|value| (name.to_owned(), value.into())));
    }
    let is_event = memchr::memmem::find(line, b"\"type\":\"event_msg\"").is_some_and(|place| place < 200);
    if is_event {
        let event = ["task_complete", "turn_complete"]
            .into_iter()
            .find(|event| memchr::memmem::find(line, format!("\"payload\":{{\"type\":\"{event}\"").as_bytes()).is_some());
        payload.insert("type".to_owned(), event.unwrap_or_default().into());
        payload.remove("last_agent_message");
        if memchr::memmem::find(line, b"\"last_agent_message\":\"").is_some() {
            payload.insert("last_agent_message".to_owned(), "".into());
        }
    }
    let kind = if is_event { Some("event_msg") } else { field(line, "type") };
    serde_json::json!({"timestamp": field(line, "timestamp"), "type": kind, "payload": payload}).to_string()
}

/// A string field in the beginning of a line. Only for values without escapes.
fn field<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let key = format!("\"{name}\":\"");
    let start = memchr::memmem::find(head, key.as_bytes())? + key.len();
    let value = std::str::from_utf8(until_quote(&head[start..])?).ok()?;
    (!value.contains('\\')).then_some(value)
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
}

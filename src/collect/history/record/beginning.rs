//! What a line is, told from its first bytes where they have the shape that Codex writes.

use crate::collect::history::json;

/// How much of a line is looked at before parsing it.
const LOOKED_AT: usize = 512;

/// What to do with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::collect::history) enum Interest {
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

impl Interest {
    /// Whether all of the line is needed.
    pub(in crate::collect::history) fn is_needed_whole(self) -> bool {
        matches!(self, Self::Parse | Self::Unfamiliar)
    }
}

/// The records that tell of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Session,
    Context,
    Started,
    Completed,
    Aborted,
    Counted,
    Settings,
    Failed,
    Retried,
}

impl Kind {
    pub(super) const COUNT: usize = Self::Retried as usize + 1;

    /// The event of this type. `turn_started` and `turn_complete` are other spellings in the protocol.
    pub(super) fn of_event(event: &[u8]) -> Option<Self> {
        Some(match event {
            b"task_started" | b"turn_started" => Self::Started,
            b"task_complete" | b"turn_complete" => Self::Completed,
            b"turn_aborted" => Self::Aborted,
            b"token_count" => Self::Counted,
            b"thread_settings_applied" => Self::Settings,
            b"error" => Self::Failed,
            b"stream_error" => Self::Retried,
            _ => return None,
        })
    }
}

/// What the beginning of a line tells, where it has the shape that Codex writes:
/// `{"timestamp":"…","ordinal":N,"type":"KIND","payload":PAYLOAD`.
#[derive(Clone, Copy)]
pub(in crate::collect::history) struct Head<'a> {
    pub(in crate::collect::history) timestamp: &'a [u8],
    pub(in crate::collect::history) interest: Interest,
    /// What it is to be parsed for.
    pub(super) kind: Option<Kind>,
    /// How much of the line this is.
    pub(super) length: usize,
    /// Whether it ends within the payload, behind its type.
    pub(super) is_in_payload: bool,
}

impl<'a> Head<'a> {
    pub(in crate::collect::history) fn of(line: &'a [u8]) -> Option<Self> {
        let head = &line[..line.len().min(LOOKED_AT)];
        let mut numbered = true;
        let (timestamp, mut rest) = text(head.strip_prefix(b"{\"timestamp\":\"")?)?;
        if let Some(ordinal) = rest.strip_prefix(b",\"ordinal\":") {
            let digits = ordinal.iter().position(|byte| !byte.is_ascii_digit())?;
            (rest, numbered) = (&ordinal[digits..], digits > 0);
        }
        let rest = rest.strip_prefix(b",\"type\":\"")?;
        let behind = |beginning: &[u8]| rest.strip_prefix(beginning).and_then(text);
        let (interest, kind, rest, is_in_payload) = if let Some((item, rest)) = behind(b"response_item\",\"payload\":{\"type\":\"")
        {
            (if item.ends_with(b"_output") { Interest::ToolResult } else { Interest::None }, None, rest, true)
        } else if let Some((event, rest)) = behind(b"event_msg\",\"payload\":{\"type\":\"") {
            let (interest, kind) = match Kind::of_event(event) {
                Some(kind) => (Interest::Parse, Some(kind)),
                None if event == b"agent_message" => (Interest::Answer, None),
                None => (Interest::None, None),
            };
            (interest, kind, rest, true)
        } else {
            let (kind, rest) = text(rest)?;
            let (interest, kind) = match kind {
                b"event_msg" => (Interest::Unfamiliar, None),
                b"turn_context" => (Interest::Parse, Some(Kind::Context)),
                b"session_meta" => (Interest::Parse, Some(Kind::Session)),
                b"compacted" => (Interest::Compaction, None),
                _ => (Interest::None, None),
            };
            (interest, kind, rest.strip_prefix(b",\"payload\":")?, false)
        };
        // Without a number, the line is broken.
        let kind = kind.filter(|_| numbered);
        Some(Self { timestamp, interest, kind, length: head.len() - rest.len(), is_in_payload })
    }
}

/// The time at the beginning of a line, which may have spaces that Codex does not write.
pub(in crate::collect::history) fn stamp(line: &[u8]) -> Option<&[u8]> {
    let after_quote = line.get(..64).unwrap_or(line).strip_prefix(b"{\"timestamp\":")?.trim_ascii_start().strip_prefix(b"\"")?;
    Some(text(after_quote)?.0)
}

/// What stands before the next quote, and what behind it.
#[inline(always)]
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = json::quote(bytes)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

/// Whether a line that is not parsed looks whole: a record that was cut or overwritten is broken.
pub(in crate::collect::history) fn looks_whole(line: &str) -> bool {
    let line = line.trim_ascii_end();
    line.starts_with('{') && line.ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interest(line: &[u8]) -> Interest {
        Head::of(line).map_or(Interest::Unfamiliar, |head| head.interest)
    }

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

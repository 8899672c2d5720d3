//! What one line of a rollout tells of turns: in the shape that Codex writes by a quick way, else by a longer one.

mod beginning;
mod shape;

use super::json::{Raw, Walk};
use super::stamp;
use beginning::Kind;
pub(super) use beginning::{Head, Interest, looks_whole, stamp};
pub(super) use shape::Shapes;

/// A record, as far as it tells of turns.
#[derive(Debug, PartialEq)]
pub(super) enum Record<'a> {
    Session(Session<'a>),
    Context(TurnContext<'a>),
    Compacted,
    Started(Started<'a>),
    Answered,
    Counted(Counted<'a>),
    Completed(Ended<'a>),
    Aborted(Ended<'a>),
    Settings(Settings<'a>),
    /// The last error of a turn, in old releases.
    Failed(Failure<'a>),
    /// An error after which Codex tried again.
    Retried(Failure<'a>),
    Other,
}

/// What is wanted of a payload.
trait Fields<'a>: Default {
    /// Whether the `info` in it is taken apart.
    const TAKES_INFO: bool = false;

    /// Takes the field of this name, at whose value the way is.
    fn take(&mut self, key: &'a str, walk: &mut Walk<'a>) -> Option<()>;

    /// Calls `visit` with each field, in an order of its own.
    fn each(&mut self, visit: impl FnMut(&mut Raw<'a>));
}

/// Makes structs of raw fields, and the way from a field's name to it.
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $key:literal),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Default, PartialEq)]
            pub(super) struct $name<'a> {
                $(pub(super) $field: Raw<'a>,)*
            }

            impl<'a> Fields<'a> for $name<'a> {
                fn take(&mut self, key: &'a str, walk: &mut Walk<'a>) -> Option<()> {
                    match key {
                        $($key => self.$field = walk.value()?,)*
                        _ => walk.skip()?,
                    }
                    Some(())
                }

                fn each(&mut self, mut visit: impl FnMut(&mut Raw<'a>)) {
                    $(visit(&mut self.$field);)*
                }
            }
        )*
    };
}

fields! {
    /// Who began the thread, and with what.
    Session {
        id: "id",
        cwd: "cwd",
        originator: "originator",
        cli_version: "cli_version",
        model_provider: "model_provider",
        creator_account_id: "creator_account_id",
    }
    /// Whom a turn asks.
    TurnContext { turn_id: "turn_id", model: "model" }
    /// The beginning of a turn.
    Started { turn_id: "turn_id", started_at: "started_at", model_context_window: "model_context_window" }
    /// The end of a turn.
    Ended {
        turn_id: "turn_id",
        completed_at: "completed_at",
        last_agent_message: "last_agent_message",
        error: "error",
        reason: "reason",
    }
    /// What somebody switched to.
    Settings { thread_id: "thread_id", thread_settings: "thread_settings" }
    /// An error that is no part of a turn's end.
    Failure { message: "message", codex_error_info: "codex_error_info" }
}

/// What was counted at the end of an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Counted<'a> {
    /// An object, in which the tokens and the window stand.
    pub(super) info: Raw<'a>,
    total_tokens: Raw<'a>,
    input_tokens: Raw<'a>,
    pub(super) model_context_window: Raw<'a>,
    pub(super) rate_limits: Raw<'a>,
}

impl<'a> Fields<'a> for Counted<'a> {
    const TAKES_INFO: bool = true;

    fn take(&mut self, key: &'a str, walk: &mut Walk<'a>) -> Option<()> {
        match key {
            "info" if walk.is_at_object() => self.take_info(walk)?,
            "rate_limits" => self.rate_limits = walk.value()?,
            _ => walk.skip()?,
        }
        Some(())
    }

    fn each(&mut self, visit: impl FnMut(&mut Raw<'a>)) {
        let Self { info, total_tokens, input_tokens, model_context_window, rate_limits } = self;
        [info, total_tokens, input_tokens, model_context_window, rate_limits].into_iter().for_each(visit);
    }
}

impl<'a> Counted<'a> {
    /// Tokens in the context.
    pub(super) fn tokens(&self) -> Option<u64> {
        self.total_tokens.number().or_else(|| self.input_tokens.number())
    }

    fn take_info(&mut self, walk: &mut Walk<'a>) -> Option<()> {
        *self = Self { rate_limits: self.rate_limits, ..Self::default() };
        self.info = walk.value_by(|walk| {
            walk.object(|key, walk| {
                match key {
                    "last_token_usage" if walk.is_at_object() => walk.object(|key, walk| {
                        match key {
                            "total_tokens" => self.total_tokens = walk.value()?,
                            "input_tokens" => self.input_tokens = walk.value()?,
                            _ => walk.skip()?,
                        }
                        Some(())
                    })?,
                    "model_context_window" => self.model_context_window = walk.value()?,
                    _ => walk.skip()?,
                }
                Some(())
            })
        })?;
        Some(())
    }
}

/// The record in a line and its time in milliseconds since 1970; none when it is no whole JSON object. `head` is that of the line.
pub(super) fn parse<'a>(line: &'a str, head: Option<&Head<'_>>, shapes: &mut Shapes) -> Option<(Record<'a>, Option<i64>)> {
    head.and_then(|head| usual(line, head, shapes)).or_else(|| unfamiliar(line))
}

/// The quick way through a record in the shape that Codex writes. None where it may be something else.
fn usual<'a>(line: &'a str, head: &Head<'_>, shapes: &mut Shapes) -> Option<(Record<'a>, Option<i64>)> {
    let at_ms = stamp::usual(head.timestamp)?;
    Some((head.kind?.record(line, Some((head, shapes)))?, Some(at_ms)))
}

/// The way through a record of any shape: once for what it is, and once more for what it tells.
pub(super) fn unfamiliar(line: &str) -> Option<(Record<'_>, Option<i64>)> {
    let [mut timestamp, mut kind, mut event] = [Raw::default(); 3];
    whole(
        line,
        |key, value| match key {
            "timestamp" => timestamp = value,
            "type" => kind = value,
            _ => {}
        },
        |key, walk| {
            match key {
                "type" => event = walk.value()?,
                "info" if walk.is_at_object() => Counted::default().take_info(walk)?,
                _ => walk.skip()?,
            }
            Some(())
        },
    )?;
    let (kind, event) = (kind.text().unwrap_or_default(), event.text().unwrap_or_default());
    let kind = match (&*kind, &*event) {
        ("session_meta", _) => Some(Kind::Session),
        ("turn_context", _) => Some(Kind::Context),
        ("compacted", _) => return Some((Record::Compacted, None)),
        ("event_msg", "agent_message") => return Some((Record::Answered, None)),
        ("event_msg", event) => Kind::of_event(event.as_bytes()),
        _ => None,
    };
    let Some(kind) = kind else { return Some((Record::Other, None)) };
    let at_ms = timestamp.text().and_then(|at| stamp::ms(at.as_bytes()));
    Some((kind.record(line, None)?, at_ms))
}

impl Kind {
    /// The record of this kind in `line`; by the quick way if its head is there.
    fn record<'a>(self, line: &'a str, known: Option<(&Head<'_>, &mut Shapes)>) -> Option<Record<'a>> {
        Some(match self {
            Self::Session => Record::Session(self.fields(line, known)?),
            Self::Context => Record::Context(self.fields(line, known)?),
            Self::Started => Record::Started(self.fields(line, known)?),
            Self::Completed => Record::Completed(self.fields(line, known)?),
            Self::Aborted => Record::Aborted(self.fields(line, known)?),
            Self::Counted => Record::Counted(self.fields(line, known)?),
            Self::Settings => Record::Settings(self.fields(line, known)?),
            Self::Failed => Record::Failed(self.fields(line, known)?),
            Self::Retried => Record::Retried(self.fields(line, known)?),
        })
    }

    /// What is wanted of the payload in `line`.
    fn fields<'a, F: Fields<'a>>(self, line: &'a str, known: Option<(&Head<'_>, &mut Shapes)>) -> Option<F> {
        let Some((head, shapes)) = known else {
            let mut fields = F::default();
            whole(line, |_, _| {}, |key, walk| fields.take(key, walk))?;
            return Some(fields);
        };
        shapes.fields(self, line, head.length).or_else(|| {
            let mut fields = behind_head(line, head)?;
            shapes.keep(self, line, head.length, &mut fields);
            Some(fields)
        })
    }
}

/// What is wanted of the payload, from behind the head on.
fn behind_head<'a, F: Fields<'a>>(line: &'a str, head: &Head<'_>) -> Option<F> {
    let mut fields = F::default();
    let mut walk = Walk::from(line, head.length);
    let visit = |key, walk: &mut Walk<'a>| match key {
        // Another type would count, and what is called `info` must be whole.
        "type" => None,
        "info" if !F::TAKES_INFO => None,
        _ => fields.take(key, walk),
    };
    if !head.is_in_payload {
        walk.object(visit)?;
    } else if walk.pass(b',').is_some() {
        walk.more_fields(visit)?;
    } else {
        walk.pass(b'}')?;
    }
    walk.pass(b'}')?;
    walk.is_at_end().then_some(fields)
}

/// Walks a whole record: `top` gets its own fields, `payload` those of its payload.
fn whole<'a>(
    line: &'a str,
    mut top: impl FnMut(&'a str, Raw<'a>),
    mut payload: impl FnMut(&'a str, &mut Walk<'a>) -> Option<()>,
) -> Option<()> {
    let mut walk = Walk::of(line);
    walk.object(|key, walk| {
        if key == "payload" && walk.is_at_object() {
            return walk.object(&mut payload);
        }
        top(key, walk.value()?);
        Some(())
    })?;
    walk.is_at_end().then_some(())
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
    let value = std::str::from_utf8(&head[start..start + memchr::memchr(b'"', &head[start..])?]).ok()?;
    (!value.contains('\\')).then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A record in the shape that Codex writes, with fields that it may have and some that it does not.
    fn any_record() -> impl Strategy<Value = String> {
        let kinds = vec!["event_msg", "session_meta", "turn_context", "response_item", "compacted"];
        let events = vec![
            "task_started",
            "task_complete",
            "turn_aborted",
            "token_count",
            "thread_settings_applied",
            "error",
            "agent_message",
        ];
        let keys =
            vec!["turn_id", "model", "id", "started_at", "error", "info", "rate_limits", "message", "payload", "type", "\u{e9}"];
        let usage = r#"{"total_token_usage":{"total_tokens":7},"last_token_usage":{"input_tokens":5,"total_tokens":12},"model_context_window":9}"#;
        let values = vec![
            "null",
            "17",
            "true",
            "\"text\"",
            "1\"a",
            r#""a \"quoted\" one\\""#,
            usage,
            "{}",
            r#"{"a":["}",{"b":null}]}"#,
            "[1,2]",
        ];
        let field =
            (prop::sample::select(keys), prop::sample::select(values)).prop_map(|(key, value)| format!(",\"{key}\":{value}"));
        let fields = proptest::collection::vec(field, 0..8).prop_map(|fields| fields.concat());
        let after = prop::sample::select(&["}", "} \t", ",\"more\":1}", ",\"type\":\"event_msg\"}", "}}", ""][..]);
        let head = (prop::sample::select(kinds), prop::sample::select(events), prop::sample::select(&["", ",\"ordinal\":12"][..]));
        (head, fields, after).prop_map(|((kind, event, ordinal), fields, after)| {
            let first = if kind == "event_msg" || kind == "response_item" {
                format!("\"type\":\"{event}\"")
            } else {
                "\"cwd\":\"/home\"".to_owned()
            };
            format!(r#"{{"timestamp":"2026-11-29T15:51:34.553Z"{ordinal},"type":"{kind}","payload":{{{first}{fields}}}{after}"#)
        })
    }

    proptest! {
        #[test]
        fn the_quick_way_finds_what_the_long_one_does(line in any_record()) {
            if let Some(found) = Head::of(line.as_bytes()).and_then(|head| usual(&line, &head, &mut Shapes::default())) {
                prop_assert_eq!(Some(found), unfamiliar(&line));
            }
        }

        #[test]
        fn the_quick_way_never_takes_what_is_damaged_for_something_else(
            line in any_record(),
            next in any_record(),
            cut: prop::sample::Index,
            length in 0usize..12,
            put in prop::sample::select(&["", "\"", "{", "}", "[", ",", ":", "\\", "\0", " ", "1", "\u{e9}"][..]),
            run_on: bool,
        ) {
            let at = cut.index(line.len());
            let at = (at..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or_default();
            let until = (at + length..).find(|at| line.is_char_boundary((*at).min(line.len()))).unwrap_or_default().min(line.len());
            let rest = if run_on { next.as_str() } else { &line[until..] };
            let damaged = format!("{}{put}{rest}", &line[..at]);
            if let Some(found) = Head::of(damaged.as_bytes()).and_then(|head| usual(&damaged, &head, &mut Shapes::default())) {
                prop_assert_eq!(Some(found), unfamiliar(&damaged));
            }
        }

        #[test]
        fn what_is_known_of_earlier_records_changes_nothing(
            lines in proptest::collection::vec(any_record(), 1..4),
            numbers in proptest::collection::vec((any::<prop::sample::Index>(), "[0-9]{1,3}|[a-z]|\"|\\\\\"|[{}\\[\\]:,. -]|null|\u{e9}"), 0..24),
        ) {
            let mut shapes = Shapes::default();
            for line in &lines {
                let mut variants = vec![line.clone()];
                // Other numbers and texts, and what is neither.
                for (place, put) in &numbers {
                    let at = place.index(line.len());
                    if line.is_char_boundary(at) && line.is_char_boundary(at + 1) {
                        variants.push(format!("{}{put}{}", &line[..at], &line[at + 1..]));
                        variants.push(format!("{}{put}{}", &line[..at], &line[at..]));
                    }
                }
                for line in variants {
                    let Some(head) = Head::of(line.as_bytes()) else { continue };
                    let alone = usual(&line, &head, &mut Shapes::default());
                    prop_assert_eq!(usual(&line, &head, &mut shapes), alone, "{}", line);
                }
            }
        }
    }

    #[test]
    fn what_codex_writes_goes_the_quick_way() {
        let lines = [
            r#"{"timestamp":"2026-11-29T15:51:34.553Z","ordinal":1,"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{}}}"#,
            r#"{"timestamp":"2026-11-29T15:51:34.553Z","ordinal":1,"type":"turn_context","payload":{"turn_id":"t","model":"m"}}"#,
            r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"event_msg","payload":{"type":"task_complete"}}"#,
        ];
        for line in lines {
            let head = Head::of(line.as_bytes()).unwrap();
            assert!(usual(line, &head, &mut Shapes::default()).is_some(), "{line}");
        }
    }
}

//! A failed turn as the report of `history` tells it. It holds all that the fact holds, so that a report need not say it twice and
//! can be replayed from its events.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reading::Reading;
use crate::facts::Shared;
use crate::facts::history::{FailedRequest, FailedTurn, Success};
use crate::facts::moment;

/// One failed turn, or one that was ended from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// When it ended.
    #[serde(serialize_with = "moment::serialize")]
    pub at: DateTime<Utc>,
    /// What its error says; absent for a turn that was ended from outside.
    #[serde(skip_deserializing)]
    pub kind: Option<Reading>,
    /// `codex_error_info` in snake case.
    pub code: Option<Shared>,
    /// The HTTP status stored with it.
    pub status: Option<u16>,
    /// The model asked.
    pub model: Option<Shared>,
    /// The provider's id.
    pub provider: Option<Shared>,
    /// The client that ran it.
    pub originator: Option<Shared>,
    /// Its thread.
    pub thread: Option<Shared>,
    /// Its turn id.
    pub turn: Option<Shared>,
    /// The final message, redacted.
    pub text: Option<Shared>,
    /// The Codex version that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codex_version: Option<Shared>,
    /// The project directory, as a role token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Shared>,
    /// The account that the thread belongs to, as a role token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Shared>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "moment::maybe")]
    pub began: Option<DateTime<Utc>>,
    /// Its place among the turns of its thread, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Results of tools that it had before it ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tool_results: u32,
    /// Whether it was compacting the context.
    #[serde(default, skip_serializing_if = "is_false")]
    pub compacting: bool,
    /// Tokens in the context when the turn began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The model's context window in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// When the same model of the same provider last succeeded before it.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "moment::maybe")]
    pub same_model_before: Option<DateTime<Utc>>,
    /// When the same model of the same provider first succeeded after it.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "moment::maybe")]
    pub same_model_after: Option<DateTime<Utc>>,
    /// What succeeded within minutes of it, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others_nearby: Vec<Success>,
    /// What the log keeps of its last request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<FailedRequest>>,
    /// The file it was read from, redacted.
    pub source: Shared,
    /// 1-based line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Event {
    /// A turn that did not fail.
    pub fn without_error(turn: FailedTurn) -> Self {
        Self { kind: None, ..Self::of(turn, Reading::Unknown) }
    }

    /// The event of `turn`, whose error says `reading`.
    pub(super) fn of(turn: FailedTurn, reading: Reading) -> Self {
        // By name, so that a new field of the fact cannot be forgotten here.
        let FailedTurn {
            at,
            thread,
            turn,
            model,
            provider,
            originator,
            codex_version,
            project,
            text,
            info,
            status,
            interrupted,
            context_tokens,
            context_window,
            source,
            line,
            account,
            began,
            number,
            tool_results,
            compacting,
            same_model_before,
            same_model_after,
            others_nearby,
            request,
        } = turn;
        Self {
            at,
            kind: (!interrupted).then_some(reading),
            code: info,
            status,
            model,
            provider,
            originator,
            thread,
            turn,
            text,
            codex_version,
            project,
            account,
            began,
            number,
            tool_results,
            compacting,
            context_tokens,
            context_window,
            same_model_before,
            same_model_after,
            others_nearby,
            request,
            source,
            line,
        }
    }

    /// The fact of which it was made.
    fn failure(self, interrupted: bool) -> FailedTurn {
        let Self {
            at,
            kind: _,
            code,
            status,
            model,
            provider,
            originator,
            thread,
            turn,
            text,
            codex_version,
            project,
            account,
            began,
            number,
            tool_results,
            compacting,
            context_tokens,
            context_window,
            same_model_before,
            same_model_after,
            others_nearby,
            request,
            source,
            line,
        } = self;
        FailedTurn {
            at,
            thread,
            turn,
            model,
            provider,
            originator,
            codex_version,
            project,
            text,
            info: code,
            status,
            interrupted,
            context_tokens,
            context_window,
            source,
            line,
            account,
            began,
            number,
            tool_results,
            compacting,
            same_model_before,
            same_model_after,
            others_nearby,
            request,
        }
    }
}

/// The failures of which `events` and `interruptions` were made, newest first as they were.
pub fn all_failures(events: Vec<Event>, interruptions: Vec<Event>) -> Vec<FailedTurn> {
    let mut failures = Vec::with_capacity(events.len() + interruptions.len());
    let mut failed = events.into_iter().map(|event| event.failure(false)).peekable();
    let mut ended = interruptions.into_iter().map(|event| event.failure(true)).peekable();
    fn order(turn: &FailedTurn) -> (DateTime<Utc>, &Option<Shared>, &str, Option<u64>) {
        (turn.at, &turn.turn, &turn.source, turn.line)
    }
    loop {
        let next = match (failed.peek(), ended.peek()) {
            (Some(one), Some(other)) if order(one) >= order(other) => failed.next(),
            (Some(_), None) => failed.next(),
            _ => ended.next(),
        };
        match next {
            Some(turn) => failures.push(turn),
            None => return failures,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::made_up::{failure, success};

    fn lists(failures: &[FailedTurn]) -> (Vec<Event>, Vec<Event>) {
        let event = |turn: &FailedTurn| Event::of(turn.clone(), Reading::Undetermined);
        let of = |interrupted| failures.iter().filter(move |turn| turn.interrupted == interrupted).map(event).collect();
        (of(false), of(true))
    }

    #[test]
    fn an_event_has_no_field_for_what_is_not_known() {
        let text = serde_json::to_string(&Event::of(FailedTurn::default(), Reading::Unknown)).unwrap();
        assert_eq!(
            text,
            r#"{"at":"1970-01-01T00:00:00Z","kind":"unknown","code":null,"status":null,"model":null,"provider":null,"originator":null,"thread":null,"turn":null,"text":null,"source":""}"#
        );
    }

    proptest! {
        #[test]
        fn the_facts_come_back_from_the_events(turns in proptest::collection::vec((0i64..40, any::<bool>(), 0u32..3), 0..30)) {
            let mut failures: Vec<FailedTurn> = turns
                .iter()
                .enumerate()
                .map(|(place, (minutes, interrupted, number))| FailedTurn {
                    interrupted: *interrupted,
                    turn: Some(format!("{place:04}").into()),
                    number: (*number > 0).then_some(*number),
                    tool_results: *number,
                    others_nearby: vec![success("gpt-b", "openai", *minutes); *number as usize],
                    ..failure(*minutes)
                })
                .collect();
            failures.sort_by(|one, other| (other.at, &other.turn).cmp(&(one.at, &one.turn)));
            let (events, interruptions) = lists(&failures);
            let text = serde_json::to_string(&(&events, &interruptions)).unwrap();
            let (events, interruptions): (Vec<Event>, Vec<Event>) = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(all_failures(events, interruptions), failures);
        }
    }
}

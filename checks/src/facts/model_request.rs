//! What one minimal request to the model was answered with. It may cost tokens, so it is sent only where the person allowed it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::network::{Answer, TransportError};

/// How a request to the model travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A WebSocket at the same address.
    WebSocket,
    /// `POST …/responses`, answered with server-sent events.
    Post,
}

/// An error in an answer, in the words of whoever wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorWords {
    /// `error.code`.
    pub code: Option<String>,
    /// `error.type`.
    pub kind: Option<String>,
    /// `error.message` or the like, redacted and cut.
    pub message: Option<String>,
    /// The HTTP status that an error inside a stream carries.
    pub status: Option<u16>,
}

/// Tokens that an answer says were used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Of the input.
    pub input_tokens: u64,
    /// Of the output.
    pub output_tokens: u64,
}

/// How the reading of a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StreamEnd {
    /// `response.completed`.
    Completed,
    /// `response.incomplete`.
    Incomplete,
    /// Output began, and the reading was stopped there because its length could not be bounded.
    Output,
    /// `response.failed`.
    Failed,
    /// An event that is an error.
    Error,
    /// The other side closed it without any of these.
    Closed,
    /// The connection broke.
    Broken,
    /// Our patience ended.
    Silence,
    /// So much came without any of these that the reading was stopped.
    TooLong,
}

/// A stream of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Streamed {
    /// HTTP status (101 for a WebSocket).
    pub status: u16,
    /// Headers that tell who answered and how full the account's limits are, redacted.
    pub headers: BTreeMap<String, String>,
    /// The types of the first events, in their order; repetitions are left out.
    pub events: Vec<String>,
    /// Whether any output came.
    pub output: bool,
    /// Whether the events are those of another protocol (chat completions).
    pub foreign: bool,
    /// How it ended.
    pub end: StreamEnd,
    /// The error that ended it.
    pub error: Option<ErrorWords>,
    /// Why it is incomplete.
    pub incomplete: Option<String>,
    /// The fullest limit of the account that an event names, in percent.
    pub used_percent: Option<u32>,
}

/// What became of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ModelOutcome {
    /// An HTTP answer that is no stream.
    Answered {
        /// The answer.
        answer: Answer,
        /// The beginning of a body that is no JSON error, redacted.
        text: Option<String>,
    },
    /// A stream of events.
    Streamed {
        /// The stream.
        stream: Streamed,
    },
    /// None came.
    Broken {
        /// Where and why it stopped.
        error: TransportError,
    },
}

/// One attempt over one transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// The transport.
    pub transport: Transport,
    /// Whether the length of the output was bounded in the request.
    pub bounded: bool,
    /// How long until the end of the reading or the failure, in milliseconds.
    pub elapsed_ms: u64,
    /// What became of it.
    pub outcome: ModelOutcome,
}

/// One minimal request to the model, over the transport that Codex would use, and over the other where the first said nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRequest {
    /// The model asked, redacted.
    pub model: String,
    /// The URL asked, redacted.
    pub url: String,
    /// The equal curl command; a key in it is a variable.
    pub curl: String,
    /// Whether a credential was sent along.
    pub authenticated: bool,
    /// The proxy used, redacted, and the variable that names it.
    pub proxy: Option<String>,
    /// The attempts in their order; the last one decides.
    pub attempts: Vec<Attempt>,
    /// The tokens used, when an answer tells.
    pub usage: Option<Usage>,
    /// How long all attempts took, in milliseconds.
    pub elapsed_ms: u64,
}

impl ModelRequest {
    /// The attempt that decides.
    pub fn last(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// Whether the model answered: its output began or its answer ended as it should.
    pub fn answered(&self) -> bool {
        matches!(self.last().map(|attempt| &attempt.outcome), Some(ModelOutcome::Streamed { stream }) if stream.answered())
    }
}

impl Streamed {
    /// Whether it is an answer of the model. One that is cut off at the few tokens that were asked for is one.
    pub fn answered(&self) -> bool {
        match self.end {
            StreamEnd::Completed | StreamEnd::Output => true,
            StreamEnd::Incomplete => self.incomplete.as_deref() != Some("content_filter"),
            StreamEnd::TooLong => self.output,
            _ => false,
        }
    }
}

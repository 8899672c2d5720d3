//! What a lab answers: plain data, readable from JSON.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The answers of one server, by kind of request. What is left out is answered with the API's own 404.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// `POST …/responses`.
    pub post: Option<OneOrMany>,
    /// `GET …/models`.
    pub models: Option<OneOrMany>,
    /// A WebSocket upgrade. Left out, it is refused with 426, after which Codex falls back to POST at once.
    #[serde(rename = "ws")]
    pub websocket: Option<WebSocket>,
    /// `POST …/oauth/token`.
    pub token: Option<Answer>,
    /// Other requests, by method and end of path: `"GET wham/usage"`. They come before everything above but the upgrade.
    pub routes: BTreeMap<String, OneOrMany>,
    /// Everything else.
    pub other: Option<Answer>,
    /// The answer to every request whatsoever: a captive portal, a block page, a proxy that speaks for itself.
    pub everything: Option<Answer>,
    /// Seconds that the `Date` headers are off; left out, there is none.
    pub clock_off_s: Option<i64>,
    /// The only path that POST requests may have; others get `wrong_path`.
    pub strict_path: Option<String>,
    /// The answer to a POST on another path.
    pub wrong_path: Option<Answer>,
    /// How CONNECT is answered, for a lab that plays a proxy.
    pub tunnel: Tunnel,
    /// Instead of reading any request, do this as soon as a connection is accepted.
    pub on_accept: Option<Conduct>,
    /// For people.
    pub about: Option<String>,
}

/// How a proxy treats CONNECT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tunnel {
    /// It connects.
    #[default]
    Open,
    /// It wants credentials (407).
    AskForCredentials,
    /// It refuses (403).
    Refuse,
    /// It cannot reach the target (502).
    BadGateway,
    /// It never answers.
    Hang,
    /// It says yes, and joins the client to another server of this machine: the one at this port.
    WrongHost(u16),
}

/// One answer for all requests, or one per request (the last one repeats).
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// The same for all.
    One(Box<Answer>),
    /// By turns.
    Many(Vec<Answer>),
}

impl OneOrMany {
    /// The answer to request number `turn`, counted from zero.
    pub fn at(&self, turn: usize) -> Answer {
        match self {
            Self::One(answer) => (**answer).clone(),
            Self::Many(answers) => answers.get(turn).or(answers.last()).cloned().unwrap_or_default(),
        }
    }
}

impl From<Answer> for OneOrMany {
    fn from(answer: Answer) -> Self {
        Self::One(Box::new(answer))
    }
}

/// One answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// HTTP status; 200 when left out.
    pub status: Option<u16>,
    /// Headers on top of `content-type`; `null` takes a header away.
    pub headers: BTreeMap<String, Option<String>>,
    /// The body.
    pub body: Option<Body>,
    /// Server-sent events instead of a body.
    pub sse: Option<Vec<Event>>,
    /// A whole successful turn as an event stream, in which the model says this.
    pub says: Option<String>,
    /// Only so many bytes of what would be sent, head included; then the end of `after`.
    pub first_bytes: Option<usize>,
    /// Milliseconds to wait between single bytes.
    pub drip_ms: u64,
    /// How an event stream or a body ends.
    pub after: After,
    /// No HTTP answer at all, but this.
    #[serde(rename = "do")]
    pub conduct: Option<Conduct>,
    /// These bytes (as Latin-1) instead of an HTTP answer.
    pub raw: Option<String>,
    /// Milliseconds to wait first.
    pub delay_ms: u64,
}

/// A body: a text, or JSON.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Body {
    /// A text, sent as it is.
    Text(String),
    /// JSON.
    Json(Value),
}

/// How a WebSocket upgrade is answered.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum WebSocket {
    /// The connection is made.
    Accepted(Dialogue),
    /// It is refused, by an ordinary answer.
    Refused(Box<Answer>),
}

/// What is sent over an accepted WebSocket, after each message of the client.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dialogue {
    /// Text frames. `{"sleep": SECONDS}` waits.
    pub frames: Vec<Event>,
    /// A whole successful turn, in which the model says this; after `frames`.
    pub says: Option<String>,
    /// Headers of the upgrade's answer.
    pub headers: BTreeMap<String, String>,
    /// A close frame after that.
    pub close: Option<CloseFrame>,
    /// Without a close frame: an end of the connection. Left out, it stays open for the next message.
    #[serde(rename = "then")]
    pub conduct: Option<Conduct>,
    /// Does not wait for a message of the client.
    pub at_once: bool,
}

/// A WebSocket close frame (RFC 6455, section 7.4).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloseFrame {
    /// The code.
    pub code: u16,
    /// The reason.
    #[serde(default)]
    pub reason: String,
}

/// One step of an event stream or of a WebSocket.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Event {
    /// Bytes, sent as they are; but JSON (it begins with `{`) is an event, named by its `type`.
    Text(String),
    /// An event; its `type` names it. `{"sleep": SECONDS}` waits.
    Json(Value),
}

/// How an answer with a body ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum After {
    /// As HTTP wants it.
    #[default]
    Close,
    /// Closed before the end that was announced.
    Cut,
    /// A TCP reset.
    Reset,
    /// Open and silent.
    Hang,
}

/// What a server does instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conduct {
    /// Keeps the connection, says nothing.
    Hang,
    /// Resets the connection.
    Reset,
    /// Closes the connection.
    Close,
    /// One byte of the head every 100 ms, for ever.
    Drip,
    /// A body without end, as fast as it goes.
    Endless,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// When `text` is no scenario.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// A server whose `/models` answers so.
    pub fn models(answer: Answer) -> Self {
        Self { models: Some(answer.into()), ..Self::default() }
    }

    /// A server whose model requests are answered so.
    pub fn post(answer: Answer) -> Self {
        Self { post: Some(answer.into()), ..Self::default() }
    }

    /// Adds a route, for example `"GET wham/usage"`.
    #[must_use]
    pub fn route(mut self, which: &str, answer: Answer) -> Self {
        self.routes.insert(which.to_owned(), answer.into());
        self
    }

    /// Adds the official hosts' list of models, where the scenario has none of its own.
    #[must_use]
    pub fn with_official_models(mut self) -> Self {
        self.models.get_or_insert_with(|| crate::back_end::models().into());
        self
    }

    /// Adds the good answers of a ChatGPT back end, where the scenario has none of its own.
    #[must_use]
    pub fn with_back_end(mut self) -> Self {
        for (which, answer) in crate::back_end::routes() {
            self.routes.entry(which.to_owned()).or_insert_with(|| answer.into());
        }
        self
    }
}

impl Answer {
    /// A JSON answer.
    pub fn json(status: u16, body: Value) -> Self {
        Self { status: Some(status), body: Some(Body::Json(body)), ..Self::default() }
    }

    /// An answer with this content type and text.
    pub fn text(status: u16, content_type: &str, body: &str) -> Self {
        Self { status: Some(status), body: Some(Body::Text(body.to_owned())), ..Self::default() }
            .header("content-type", content_type)
    }

    /// No answer, but this.
    pub fn conduct(conduct: Conduct) -> Self {
        Self { conduct: Some(conduct), ..Self::default() }
    }

    /// An event stream.
    pub fn stream(events: Vec<Value>, after: After) -> Self {
        Self { sse: Some(events.into_iter().map(Event::Json).collect()), after, ..Self::default() }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), Some(value.to_owned()));
        self
    }

    /// Ends it in another way.
    #[must_use]
    pub fn ending(mut self, after: After) -> Self {
        self.after = after;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_by_turns_repeat_the_last_one() {
        let scenario =
            Scenario::from_json(r#"{"post": [{"status": 503}, {"sse": [{"type": "x"}, "raw"], "after": "cut"}]}"#).unwrap();
        let post = scenario.post.unwrap();
        assert_eq!(post.at(0).status, Some(503));
        assert_eq!(post.at(7).after, After::Cut);
    }

    #[test]
    fn a_misspelt_word_is_an_error_and_not_ignored() {
        assert!(Scenario::from_json(r#"{"post": {"stauts": 503}}"#).is_err());
    }
}

//! One minimal request to the model over the transport that Codex would use, sent only with the person's consent: its answer is
//! the one thing that no free request can tell.
//!
//! The rules for credentials, proxies, authorities and redirects are those of the free request, and so is its code. Reading ends
//! with the first event that says how it went; no output is kept.

mod body;
mod events;
mod obstacle;
mod websocket;

use std::time::Duration;

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::model_request::{Attempt, ModelOutcome, ModelRequest, StreamEnd, Transport, Usage};
use codex_triage_checks::facts::network::{BodyShape, Fault, Stage, TransportError};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::time::{Instant, timeout_at};
use url::Url;

use body::Body;
pub use obstacle::{Situation, obstacle};

use crate::collect::reachability::answer;
use crate::collect::reachability::client::Client;
use crate::collect::reachability::failure::Route;
use crate::collect::reachability::proxies::{self, Proxy};
use crate::collect::reachability::{ProbeRequest, may_carry_credential, request};
use crate::redact::Redactor;
use events::Events;

/// Most bytes that are read of one answer.
const LARGEST_ANSWER: usize = 64 << 10;
/// An attempt ends this much before the deadline, so that its failure is still reported.
const MARGIN: Duration = Duration::from_millis(50);
/// What a connection leaves of the time, so that a silent stage can be told from the next one.
const RESERVE: Duration = Duration::from_millis(500);
/// Most characters of a foreign body that are kept.
const LONGEST_TEXT: usize = 600;

/// What is asked, and how.
pub struct ModelProbe {
    /// Credentials, headers, proxies: those of the free request.
    pub probe: ProbeRequest,
    /// The URL of the model request, as Codex builds it.
    pub url: Url,
    /// The model.
    pub model: String,
    /// Whether Codex tries a WebSocket first.
    pub websocket: bool,
    /// Whether it is the ChatGPT back end's way of asking, which knows no bound for the output.
    pub unbounded: bool,
}

/// What is about to be asked, for the words that say what it may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The model, redacted.
    pub model: String,
    /// The host, redacted.
    pub host: String,
    /// Most tokens of output, where they can be bounded.
    pub most_output_tokens: Option<u32>,
}

impl ModelProbe {
    /// What is about to be asked.
    pub fn intent(&self, redactor: &Redactor) -> Intent {
        Intent {
            model: redactor.text(&self.model),
            host: redactor.text(self.url.host_str().unwrap_or_default()),
            most_output_tokens: (!self.unbounded).then_some(body::MOST_OUTPUT_TOKENS),
        }
    }
}

/// Sends the request and reads as much of the answer as tells how it went.
pub async fn collect(asked: &ModelProbe, redactor: &Redactor, deadline: Instant) -> Observed<ModelRequest> {
    let start = Instant::now();
    asked.probe.teach(redactor);
    let proxy = proxies::choose(&asked.probe.environment, &asked.url);
    if let Some(password) = proxy.as_ref().and_then(|proxy| proxy.url.password()) {
        redactor.learn_secret(password);
    }
    let may_carry = may_carry_credential(&asked.url, proxy.as_ref());
    let authenticated = asked.probe.has_credential() && may_carry && !asked.probe.has_unusable_credential();
    let sender = Sender { asked, proxy: proxy.as_ref(), authenticated, redactor };
    let deadline = deadline.checked_sub(MARGIN).unwrap_or(deadline);
    let (attempts, usage) = sender.attempts(deadline).await;
    let shown = redactor.text(&redactor.url(asked.url.as_str()));
    let fact = ModelRequest {
        model: redactor.text(&asked.model),
        curl: sender.curl(&shown),
        authenticated,
        proxy: proxy.as_ref().map(|proxy| format!("{} {}", proxy.variable, redactor.text(&redactor.url(proxy.url.as_str())))),
        attempts,
        usage,
        elapsed_ms: milliseconds(start),
        url: shown.clone(),
    };
    Observed::known(fact, format!("POST {shown}"))
}

struct Sender<'a> {
    asked: &'a ModelProbe,
    proxy: Option<&'a Proxy>,
    authenticated: bool,
    redactor: &'a Redactor,
}

impl Sender<'_> {
    /// The transport that Codex takes first, then the other where the first said nothing; and once more without a bound for the
    /// output where the other side does not know it.
    async fn attempts(&self, deadline: Instant) -> (Vec<Attempt>, Option<Usage>) {
        let mut attempts = Vec::new();
        let mut usage = None;
        let mut body = Body { model: self.asked.model.clone(), bounded: !self.asked.unbounded };
        if self.asked.websocket {
            let left = deadline.saturating_duration_since(Instant::now());
            let (attempt, used) = self.attempt(Transport::WebSocket, &body, Instant::now() + left / 2).await;
            let tells = tells(&attempt.outcome);
            attempts.push(attempt);
            usage = used;
            if tells {
                return (attempts, usage);
            }
        }
        let (attempt, used) = self.attempt(Transport::Post, &body, deadline).await;
        usage = used.or(usage);
        let refused = body.bounded && refuses_the_bound(&attempt.outcome);
        attempts.push(attempt);
        if refused {
            body.bounded = false;
            let (attempt, used) = self.attempt(Transport::Post, &body, deadline).await;
            usage = used.or(usage);
            attempts.push(attempt);
        }
        (attempts, usage)
    }

    async fn attempt(&self, transport: Transport, body: &Body, deadline: Instant) -> (Attempt, Option<Usage>) {
        let start = Instant::now();
        let (outcome, usage) = self.outcome(transport, body, deadline).await;
        (Attempt { transport, bounded: body.bounded, elapsed_ms: milliseconds(start), outcome }, usage)
    }

    async fn outcome(&self, transport: Transport, body: &Body, deadline: Instant) -> (ModelOutcome, Option<Usage>) {
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = left.saturating_sub(RESERVE.min(left / 5));
        let only_http1 = transport == Transport::WebSocket;
        let client = match Client::new(&self.asked.probe, &self.asked.url, self.proxy, self.authenticated, patience, only_http1) {
            Ok(client) => client,
            Err(error) => return (broken(request::unbuilt(&error, self.redactor)), None),
        };
        let route = Route { url: &self.asked.url, proxy: self.proxy, names: &client.names, redactor: self.redactor };
        let key = websocket::key();
        let sending = match transport {
            Transport::WebSocket => {
                client.http.get(self.asked.url.clone()).headers(self.headers()).headers(websocket::headers(&key))
            }
            Transport::Post => client
                .http
                .post(self.asked.url.clone())
                .headers(self.headers())
                .header(ACCEPT, HeaderValue::from_static("text/event-stream"))
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(body.json().to_string()),
        };
        let response = match timeout_at(deadline.checked_sub(RESERVE.min(left / 10)).unwrap_or(deadline), sending.send()).await {
            Err(_) => return (broken(silence(Stage::FirstByte)), None),
            Ok(Err(error)) => return (broken(route.error(&error, deadline).await), None),
            Ok(Ok(response)) => response,
        };
        let mut events = Events::new(response.status().as_u16(), response.headers(), body.bounded, self.redactor);
        if response.status() == reqwest::StatusCode::SWITCHING_PROTOCOLS && transport == Transport::WebSocket {
            if !websocket::accepted(&key, response.headers()) {
                return (broken(not_http("the upgrade was accepted with a wrong key")), None);
            }
            match response.upgrade().await {
                Ok(wire) => websocket::converse(wire, body, &mut events, deadline).await,
                Err(error) => return (broken(route.error(&error, deadline).await), None),
            }
            return events.finish();
        }
        self.read(response, events, &route, deadline).await
    }

    /// Reads a stream up to its telling event, or a document up to its end.
    async fn read(
        &self,
        mut response: reqwest::Response,
        mut events: Events<'_>,
        route: &Route<'_>,
        deadline: Instant,
    ) -> (ModelOutcome, Option<Usage>) {
        let status = response.status();
        let headers = response.headers().clone();
        let mut bytes: Vec<u8> = Vec::new();
        let end = loop {
            match timeout_at(deadline, response.chunk()).await {
                Err(_) => break StreamEnd::Silence,
                Ok(Err(error)) if bytes.is_empty() && !status.is_success() => {
                    return (broken(route.error(&error, deadline).await), None);
                }
                Ok(Err(_)) => break StreamEnd::Broken,
                Ok(Ok(None)) => break StreamEnd::Closed,
                Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk),
            }
            if status.is_success() && !is_document(&bytes) && events.read(&bytes) {
                break StreamEnd::Closed;
            }
            if bytes.len() >= LARGEST_ANSWER {
                break StreamEnd::TooLong;
            }
        };
        if status.is_success() && !is_document(&bytes) {
            if end == StreamEnd::Closed {
                events.read_rest(&bytes);
            }
            events.end(end);
            let told = events.any() || bytes.iter().all(u8::is_ascii_whitespace) || end != StreamEnd::Closed;
            if told || is_comments(&bytes) {
                return events.finish();
            }
        }
        bytes.truncate(LARGEST_ANSWER);
        let answer = answer::read(status.as_u16(), &headers, &bytes, self.redactor);
        let foreign = answer.error_message.is_none() && answer.shape != BodyShape::Empty;
        let text = foreign.then(|| String::from_utf8_lossy(&bytes).chars().take(LONGEST_TEXT).collect::<String>());
        (ModelOutcome::Answered { answer, text: text.map(|text| self.redactor.text(&text)) }, None)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self.authenticated {
            for (name, value) in self.asked.probe.credential_headers() {
                if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                    headers.insert(name, value);
                }
            }
        }
        headers
    }

    fn curl(&self, shown: &str) -> String {
        let body = Body { model: self.redactor.text(&self.asked.model), bounded: !self.asked.unbounded }.json().to_string();
        let body = body.replace('\'', "\\u0027");
        let further = ["-H \"Content-Type: application/json\"".to_owned(), format!("-d '{body}'")];
        request::curl_to(&self.asked.probe, self.proxy, self.authenticated, self.redactor, shown, &further)
    }
}

/// Whether an attempt over a WebSocket says enough that the other transport need not be tried. A refusal of the upgrade itself
/// says nothing about the model: Codex falls back to the other transport too.
fn tells(outcome: &ModelOutcome) -> bool {
    match outcome {
        ModelOutcome::Answered { answer, .. } => {
            let of_upgrade = matches!(answer.status, 300..=399 | 400 | 404 | 405 | 426 | 501);
            !of_upgrade && answer.shape == BodyShape::ApiError
        }
        ModelOutcome::Streamed { stream } => !matches!(stream.end, StreamEnd::Closed | StreamEnd::Broken | StreamEnd::Silence),
        ModelOutcome::Broken { .. } => false,
    }
}

/// Whether the other side rejects the bound that only we put into the request.
fn refuses_the_bound(outcome: &ModelOutcome) -> bool {
    match outcome {
        ModelOutcome::Answered { answer, .. } if matches!(answer.status, 400 | 422) => {
            answer.error_message.as_deref().is_some_and(|message| message.contains("max_output_tokens"))
        }
        _ => false,
    }
}

/// Whether a body that should be a stream is a document. A byte order mark and white space say nothing.
fn is_document(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    matches!(start.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'{' | b'[' | b'<'))
}

/// Whether there is nothing but comments of a stream, as keep-alive sends them.
fn is_comments(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).lines().all(|line| {
        line.is_empty() || line.starts_with(':') || ["event:", "data:", "id:", "retry:"].iter().any(|field| line.starts_with(field))
    })
}

fn broken(error: TransportError) -> ModelOutcome {
    ModelOutcome::Broken { error }
}

fn silence(stage: Stage) -> TransportError {
    TransportError { stage, fault: Fault::Silence, timed_out: true, error: "nothing came in time".to_owned() }
}

fn not_http(error: &str) -> TransportError {
    TransportError { stage: Stage::FirstByte, fault: Fault::NotHttp, timed_out: false, error: error.to_owned() }
}

fn milliseconds(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

//! What a row of Codex's log says. Before its words stand the spans in which it was written, `name{field=value …}:name:…: words`, and the
//! id of the turn among them. Measured on the releases 0.142.5 and 0.171.0.

use crate::collect::history::word::Id;

/// Where rows of interest come from.
pub(super) const TARGETS: [&str; 4] = [
    // How a turn ended.
    "codex_core::session::turn",
    // Requests and their answers; the second name is that of releases up to 0.144.
    "codex_http_client::client",
    "codex_client::default_client",
    // That a request is made again.
    "codex_core::responses_retry",
];

/// A row of interest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body<'a> {
    pub(super) turn: Option<&'a str>,
    pub(super) told: Told<'a>,
}

/// What it tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told<'a> {
    /// The error that ended the turn.
    Error(&'a str),
    /// A request was answered.
    Answer { url: &'a str, status: u16, headers: &'a str },
    /// A request was not answered.
    Silence { url: &'a str },
    /// The request is going to be made again.
    Again,
}

const ERROR: &str = ": Turn error: ";
const ANSWER: &str = ": Request completed method=POST url=";
const SILENCE: &str = ": Request failed method=POST url=";
const AGAIN: [&str; 2] = [": stream disconnected - retrying", ": stream connection failed; waiting to retry"];
/// The end of the address that Codex asks a model at; a compaction's has one more part.
const ASKS: &str = "/responses";

impl<'a> Body<'a> {
    /// Reads a row from `target`.
    pub(super) fn read(target: &str, body: &'a str) -> Option<Self> {
        let (spans, told) = match target {
            "codex_core::session::turn" => body.split_once(ERROR).map(|(spans, text)| (spans, Told::Error(text)))?,
            "codex_core::responses_retry" => {
                let at = AGAIN.iter().find_map(|words| body.find(words))?;
                (&body[..at], Told::Again)
            }
            _ => match body.split_once(ANSWER) {
                Some((spans, rest)) => (spans, answer(rest)?),
                None => body.split_once(SILENCE).map(|(spans, rest)| (spans, Told::Silence { url: word(rest) }))?,
            },
        };
        match &told {
            Told::Answer { url, .. } | Told::Silence { url } if !asks_a_model(url) => None,
            _ => Some(Self { turn: turn(spans), told }),
        }
    }
}

fn answer(rest: &str) -> Option<Told<'_>> {
    let url = word(rest);
    let status = rest[url.len()..].strip_prefix(" status=")?;
    let (reason, headers) = status.split_once(" headers=").unwrap_or((status, ""));
    Some(Told::Answer { url, status: word(reason).parse().ok()?, headers })
}

fn word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

fn asks_a_model(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.ends_with(ASKS) || path.ends_with("/responses/compact")
}

/// The id in `turn.id=01a2…` or `turn.id="01a2…"`.
fn turn(spans: &str) -> Option<&str> {
    let (_, rest) = spans.split_once(" turn.id=").or_else(|| spans.split_once("turn_id="))?;
    rest.strip_prefix('"').unwrap_or(rest).get(..36).filter(|id| matches!(Id::from(*id), Id::Uuid(_)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TURN: &str = "01a22a35-0452-7963-b47b-77fcc73123d8";

    #[test]
    fn the_rows_of_both_generations_are_read() {
        let spans = format!("session_loop{{thread_id=x}}:turn{{otel.name=\"t\" thread.id=x turn.id={TURN} model=m}}:run_turn");
        let quoted = format!("codex.turn_input{{conversation.id=x turn.id=\"{TURN}\"}}:run_turn");
        for spans in [&spans, &quoted] {
            let body = format!("{spans}: Turn error: unexpected status 503: Turn error: quoted");
            let read = Body::read("codex_core::session::turn", &body).unwrap();
            assert_eq!(read, Body { turn: Some(TURN), told: Told::Error("unexpected status 503: Turn error: quoted") });
        }
        let body = format!(
            "{spans}: Request completed method=POST url=https://a.test/v1/responses status=503 Service Unavailable headers={{\"a\": \"b\"}} version=HTTP/1.1"
        );
        let told = Told::Answer { url: "https://a.test/v1/responses", status: 503, headers: "{\"a\": \"b\"} version=HTTP/1.1" };
        assert_eq!(Body::read("codex_client::default_client", &body), Some(Body { turn: Some(TURN), told }));
        let body = format!("{spans}: Request failed method=POST url=https://a.test/v1/responses is_timeout=false is_connect=true");
        let told = Told::Silence { url: "https://a.test/v1/responses" };
        assert_eq!(Body::read("codex_http_client::client", &body), Some(Body { turn: Some(TURN), told }));
        let body = format!("{spans}: stream disconnected - retrying sampling request (1/5 in 217ms)...");
        assert_eq!(Body::read("codex_core::responses_retry", &body), Some(Body { turn: Some(TURN), told: Told::Again }));
    }

    #[test]
    fn other_requests_and_rows_are_passed_over() {
        for body in [
            ": Request completed method=POST url=https://a.test/oauth/token status=400 Bad Request headers={}",
            ": Request completed method=GET url=https://a.test/v1/models status=200 OK headers={}",
            ": Request completed method=POST url=https://a.test/v1/responses status=odd",
            "nothing",
        ] {
            assert_eq!(Body::read("codex_http_client::client", body), None, "{body}");
        }
    }

    proptest! {
        #[test]
        fn no_words_are_too_odd(parts in prop::collection::vec(prop::sample::select(vec![
            ERROR, ANSWER, SILENCE, AGAIN[0], "turn.id=", " turn.id=\"", TURN, "https://a/responses", " status=", "503", " headers={", "\"", "\\", "}", "é", " ", "\u{0}",
        ]), 0..12), noise: String, target in prop::sample::select(TARGETS.to_vec())) {
            for body in [parts.concat(), format!("{}{noise}", parts.concat()), noise] {
                let _ = Body::read(target, &body);
            }
        }
    }
}

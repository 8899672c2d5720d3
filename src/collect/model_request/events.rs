//! Reading events up to the one that tells how the request went. Their texts are not kept.

use codex_triage_checks::facts::model_request::{ErrorWords, ModelOutcome, StreamEnd, Streamed, Usage};
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::collect::reachability::answer;
use crate::redact::Redactor;

/// Most event types that are kept.
const MOST_EVENTS: usize = 12;

/// What was read of a stream so far.
pub(super) struct Events<'a> {
    redactor: &'a Redactor,
    stream: Streamed,
    usage: Option<Usage>,
    /// Whether an event said how it ended.
    told: bool,
    /// Whether the request bounds the output, so that its end is worth waiting for.
    bounded: bool,
    /// How much of the bytes has been read.
    place: usize,
}

impl<'a> Events<'a> {
    pub(super) fn new(status: u16, headers: &HeaderMap, bounded: bool, redactor: &'a Redactor) -> Self {
        let stream = Streamed {
            status,
            headers: answer::telling(headers, redactor),
            events: Vec::new(),
            output: false,
            foreign: false,
            end: StreamEnd::Closed,
            error: None,
            incomplete: None,
            used_percent: None,
        };
        Self { redactor, stream, usage: None, told: false, bounded, place: 0 }
    }

    /// Reads the whole events among `bytes`, which only grow; whether one of them tells how it went.
    pub(super) fn read(&mut self, bytes: &[u8]) -> bool {
        while !self.told
            && let Some((length, rest)) = block(&bytes[self.place..])
        {
            let start = self.place;
            self.place += rest;
            self.event(&bytes[start..start + length]);
        }
        self.told
    }

    /// Reads what follows the last blank line, when nothing more will come.
    pub(super) fn read_rest(&mut self, bytes: &[u8]) {
        if !self.read(bytes) {
            self.event(&bytes[self.place..]);
        }
    }

    fn event(&mut self, block: &[u8]) {
        let text = String::from_utf8_lossy(block);
        let field =
            |line: &str, name: &str| line.strip_prefix(name).map(|value| value.strip_prefix(' ').unwrap_or(value).to_owned());
        let lines = || text.split(['\r', '\n']).map(|line| line.trim_start_matches('\u{feff}'));
        let name = lines().filter_map(|line| field(line, "event:")).next_back().unwrap_or_default();
        let data: Vec<String> = lines().filter_map(|line| field(line, "data:")).collect();
        if !data.is_empty() {
            self.take(&name, &data.join("\n"));
        }
    }

    /// Takes one event in; whether it tells how the request went.
    pub(super) fn take(&mut self, name: &str, data: &str) -> bool {
        let Ok(event) = serde_json::from_str::<Value>(data) else {
            self.note(if data.trim() == "[DONE]" { "[DONE]" } else { "(no JSON)" });
            return self.told;
        };
        let kind = event.get("type").and_then(Value::as_str).or(Some(name).filter(|name| !name.is_empty())).unwrap_or_default();
        let object = event.get("object").and_then(Value::as_str).unwrap_or_default();
        let error = event.get("error").filter(|error| !error.is_null());
        self.note(if kind.is_empty() { object } else { kind });
        self.usage = usage(&event).or(self.usage);
        match kind {
            "response.completed" | "response.done" => self.tell(StreamEnd::Completed),
            "response.incomplete" => {
                let why = event.pointer("/response/incomplete_details/reason").and_then(Value::as_str);
                self.stream.incomplete = why.map(|why| self.kept(why));
                self.tell(StreamEnd::Incomplete);
            }
            "response.failed" => {
                let error = event.pointer("/response/error").filter(|error| !error.is_null()).or(error);
                self.stream.error = error.map(|error| self.words(error, &event));
                self.tell(StreamEnd::Failed);
            }
            "error" => {
                self.stream.error = Some(self.words(error.unwrap_or(&event), &event));
                self.tell(StreamEnd::Error);
            }
            "codex.rate_limits" => self.stream.used_percent = fullest(&event).max(self.stream.used_percent),
            _ if error.is_some() && !kind.starts_with("response.") => {
                self.stream.error = error.map(|error| self.words(error, &event));
                self.tell(StreamEnd::Error);
            }
            _ if object.starts_with("chat.completion") || event.get("choices").is_some() => self.stream.foreign = true,
            "response.output_text.delta" | "response.output_item.done" => {
                self.stream.output = true;
                if !self.bounded {
                    self.tell(StreamEnd::Output);
                }
            }
            _ => {}
        }
        self.told
    }

    fn note(&mut self, kind: &str) {
        let kind = if kind.is_empty() { "(no type)".to_owned() } else { self.kept(kind) };
        if self.stream.events.len() < MOST_EVENTS && self.stream.events.last() != Some(&kind) {
            self.stream.events.push(kind);
        }
    }

    fn kept(&self, text: &str) -> String {
        self.redactor.text(&text.chars().take(120).collect::<String>())
    }

    fn words(&self, error: &Value, event: &Value) -> ErrorWords {
        let (code, kind, message) = answer::error_words(error, self.redactor);
        let status = ["status", "status_code"].iter().find_map(|name| event.get(*name)?.as_u64());
        // The type of the event itself is no type of an error.
        ErrorWords {
            code,
            kind: kind.filter(|kind| kind != "error"),
            message,
            status: status.and_then(|status| u16::try_from(status).ok()),
        }
    }

    fn tell(&mut self, end: StreamEnd) {
        self.stream.end = end;
        self.told = true;
    }

    /// How the reading ended, unless an event told already.
    pub(super) fn end(&mut self, end: StreamEnd) {
        if !self.told {
            self.stream.end = end;
        }
    }

    /// Whether any event came.
    pub(super) fn any(&self) -> bool {
        !self.stream.events.is_empty()
    }

    pub(super) fn finish(self) -> (ModelOutcome, Option<Usage>) {
        (ModelOutcome::Streamed { stream: self.stream }, self.usage)
    }
}

/// The length of the first whole event in `bytes`, and where the next one begins.
fn block(bytes: &[u8]) -> Option<(usize, usize)> {
    let ends: [&[u8]; 3] = [b"\n\n", b"\r\n\r\n", b"\r\r"];
    let found = ends.iter().filter_map(|end| Some((bytes.windows(end.len()).position(|window| window == *end)?, end.len())));
    found.min().map(|(place, length)| (place, place + length))
}

fn usage(event: &Value) -> Option<Usage> {
    let usage = event.pointer("/response/usage").or_else(|| event.get("usage"))?;
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage.get(*name)?.as_u64());
    Some(Usage {
        input_tokens: count(["input_tokens", "prompt_tokens"])?,
        output_tokens: count(["output_tokens", "completion_tokens"])?,
    })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "kept between 0 and 1000 first")]
fn fullest(event: &Value) -> Option<u32> {
    let windows =
        ["primary", "secondary"].iter().filter_map(|name| event.get("rate_limits")?.get(*name)?.get("used_percent")?.as_f64());
    windows.map(|percent| percent.clamp(0.0, 1000.0) as u32).max()
}

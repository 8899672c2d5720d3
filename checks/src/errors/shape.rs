//! The structure of an error text: HTTP statuses, error codes, embedded JSON, the request's address, who wrote the sentence.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;

use super::normalise::{clean_lines, folded, without_asides, without_doctor};
use crate::facts::endpoint::HostKind;
use crate::knowledge::hosts;
use crate::knowledge::pattern::Pattern;
use crate::knowledge::text::Text;

/// Something about the structure of an error that a signature may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tag {
    /// The capacity sentence as Codex itself prints it.
    CapacityExact,
    /// The capacity sentence inside another message: somebody else's words.
    CapacityEmbedded,
    /// The body is a web page.
    Html,
    /// The answer had no body (Codex then says so in two words).
    EmptyBody,
    /// The request went to a path with a part of it doubled or foreign.
    AddressDoubled,
    /// The request went to another host than OpenAI's, without a version in its path.
    AddressWithoutVersion,
    /// The request went to OpenAI's host by a path that it does not have.
    AddressForeignPath,
    /// The request went to this machine.
    AddressLoopback,
    /// The person names a relay, bridge or gateway on the way.
    RelayNamed,
    /// The server's error blames a part of the conversation that Codex sent.
    BlamesInput,
}

/// A text taken apart.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// Cleaned, case kept.
    pub(crate) cleaned: String,
    /// Folded, for matching.
    pub(crate) text: Text,
    /// Where lines broke in the folded text, which is one line: a statement mostly ends there, a wrapped one does not.
    breaks: BTreeSet<usize>,
    /// HTTP statuses with the place where they stand.
    pub(crate) statuses: Vec<(u16, usize)>,
    /// Codes and types of embedded JSON and of the client's own classification, lower case.
    pub(crate) codes: BTreeSet<String>,
    /// What else is true of it.
    pub(crate) tags: BTreeSet<Tag>,
}

static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:unexpected status|last status:|http_status_code\W{1,4}|httpstatuscode\W{1,4}|upstream_status: http|status(?:[ _]code)?\W{1,3}|",
        r"\bhttp(?:/[\d.]+)? ?|route error \(|(?:token|exchange failed|error code|error|status of): ?-? ?|",
        r"(?:error|got|got an?|returned|returns|received) |['\x22](?:code|status)['\x22]: ?['\x22]?)([1-5]\d\d)\b",
        r"|\b([45]\d\d):? (?:unauthorized|payment|forbidden|not found|method not|proxy auth|request timeout|request entity|payload|content too|unprocessable|",
        r"too many|internal server|bad (?:gateway|request)|service (?:temporarily )?unavailable|gateway time|<unknown status|errors?\b|on every|\{|web server|connection timed|origin)",
        r"|(?:found|unauthorized|失败) ?\((40[14])\)",
        r"|(?:报错?|返回|突然|出现|提示|显示|接口|都是|一直|giv(?:es|ing) an?|gett?(?:ing)? an?|with an?|throws an?) ?(40[134]|429)\b",
        r"|^([45]\d\d)\b",
    ))
    .expect("a constant pattern")
});

static AUTH_CODE: Pattern = Pattern::new(r#"(?:auth error code:|code: ?['"]|code=|type: ?['"]) ?([a-z][a-z0-9_.-]+)"#);

static CAPACITY: Pattern = Pattern::new(r"selected model is (?:currently )?at capacity");

/// Codex's own classification of that error, in the spellings of its records and of its app server.
static CLASSIFIED: Pattern = Pattern::new(r"\b(?:server_overloaded|serveroverloaded)\b");

/// What stands before the capacity sentence when somebody else than Codex wrote it.
static QUOTED_BY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?:before completion|unexpected status \d{3}[^:]{0,40}|rate limit exceeded|exception|upstream[^:]{0,40}|"?detail"?|cause)\s?[:-]\s?["'{ ]*(?:"?(?:error|detail|message)"?: ?["'{ ]*)*$"#,
    )
    .expect("a constant pattern")
});

static HTML: Pattern = Pattern::new(r"<!doctype html|<html|<head>|<title>|<center>|</body>|<h1|nginx/|content-type: ?text/html");

static RELAY_NAMED: Pattern = Pattern::new(concat!(
    r"(\b(?:no|without|not (?:a|using|through)|never)\b[^.,;]{0,12})?",
    r"(?:中转|反代|号池|上游|\bazure_|\b(?:relay|bridge|cc[- ]?switch|cliproxyapi|cli ?proxy ?api|sub2(?:api)?|new-?api|one-?api|codex-lb|codex2api|codex[- ]?manager|codex-proxy|opencodex|cockpit[- ]tools|9router|openrouter|litellm|lite ?llm|azure|ollama|lm ?studio|vllm|llama\.cpp|",
    r"(?:api|ai|company|corporate|our|local|custom) gateway|custom (?:provider|base[_ ]?url|endpoint)|third[- ]party (?:api|provider)|reverse proxy api)\b)"
));

static INPUT_BLAMED: Pattern = Pattern::new(r#"(?:'|"|: ?")(?:input|messages)\[\d+\]|"param": ?"(?:input[\[.]|tools[\[."])"#);

/// The patterns that are not tried before a text holds what they need.
#[cfg(test)]
pub(super) static PATTERNS: [&Pattern; 6] = [&AUTH_CODE, &CAPACITY, &CLASSIFIED, &HTML, &RELAY_NAMED, &INPUT_BLAMED];

/// Where the capacity sentence stands.
fn sentences(text: &Text) -> impl Iterator<Item = regex_lite::Match<'_>> {
    CAPACITY.regex_for(text).into_iter().flat_map(|sentence| sentence.find_iter(text))
}

fn is_sentence(text: &str) -> bool {
    CAPACITY.is_match(&text.to_owned().into())
}

/// Whether a number of three digits stands in `text`, as each status is one. The pattern is dear, and most texts have none.
fn has_status(text: &str) -> bool {
    let is_status = |number: &[u8]| number.len() >= 3 && matches!(number[number.len() - 3], b'1'..=b'5');
    text.as_bytes().split(|byte| !byte.is_ascii_digit()).any(is_status)
}

/// At most so many braces are tried as the beginning of a JSON object: a pasted log may hold very many.
const JSON_ATTEMPTS: usize = 400;

impl Shape {
    /// Takes `text` apart. `code` and `status` are what the client stored beside it.
    pub(crate) fn of(text: &str, code: Option<&str>, status: Option<u16>) -> Self {
        let lines = clean_lines(&without_asides(&without_doctor(text)));
        let folded = folded(&lines);
        let breaks = folded.match_indices('\n').map(|(place, _)| place).collect();
        let cleaned = lines.replace('\n', " ");
        let mut shape = Self { text: folded.replace('\n', " ").into(), breaks, ..Self::default() };
        shape.json(&cleaned.to_lowercase());
        shape.cleaned = cleaned;
        shape.read_statuses();
        let coded = AUTH_CODE.regex_for(&shape.text).into_iter().flat_map(|code| code.captures_iter(&shape.text));
        shape.codes.extend(coded.map(|found| found[1].to_owned()));
        shape.read_capacity(code);
        shape.read_addresses();
        shape.read_words();
        if let Some(status) = status {
            shape.statuses.push((status, shape.text.len()));
        }
        if let Some(code) = code {
            shape.codes.insert(code.to_lowercase());
        }
        shape
    }

    /// What stands before `place` on its line.
    pub(crate) fn line_before(&self, place: usize) -> &str {
        let start = self.breaks.range(..place).next_back().map_or(0, |line_break| line_break + 1);
        &self.text[start..place]
    }

    fn read_statuses(&mut self) {
        if !has_status(&self.text) {
            return;
        }
        for found in STATUS.captures_iter(&self.text) {
            let number = found.iter().skip(1).flatten().next();
            if let Some((status, place)) = number.and_then(|number| Some((number.as_str().parse().ok()?, number.end()))) {
                self.statuses.push((status, place));
            }
        }
    }

    fn read_capacity(&mut self, code: Option<&str>) {
        let stored_otherwise = code.is_some_and(|code| code != "server_overloaded");
        if code == Some("server_overloaded") || (code.is_none() && CLASSIFIED.is_match(&self.text)) {
            self.tags.insert(Tag::CapacityExact);
        }
        for found in sentences(&self.text) {
            let before = &self.text[..found.start()];
            let window = before.char_indices().rev().nth(160).map_or(0, |(place, _)| place);
            let quoted = QUOTED_BY.is_match(&before[window..]);
            self.tags.insert(if quoted || stored_otherwise { Tag::CapacityEmbedded } else { Tag::CapacityExact });
        }
        // In a server's JSON error the sentence is the server's, and no other occurrence says otherwise.
        if self.codes.contains("@server-said-capacity") {
            self.codes.remove("@server-said-capacity");
            self.tags.insert(Tag::CapacityEmbedded);
            if sentences(&self.text).count() == 1 {
                self.tags.remove(&Tag::CapacityExact);
            }
        }
    }

    fn read_addresses(&mut self) {
        for url in hosts::request_urls(&self.text) {
            let kind = hosts::host_kind(&url.host);
            let path = url.path.trim_end_matches(['.', ';']);
            if kind == HostKind::Loopback {
                self.tags.insert(Tag::AddressLoopback);
            }
            if !path.contains("/responses") {
                continue;
            }
            let doubled =
                ["/responses/responses", "/chat/completions/responses", "/completions/responses", "/v1/v1/", "/models/responses"];
            if doubled.iter().any(|part| path.contains(part)) {
                self.tags.insert(Tag::AddressDoubled);
            }
            let known = ["/v1/responses", "/backend-api/codex/responses"];
            if kind == HostKind::Official && !known.iter().any(|beginning| path.starts_with(beginning)) {
                self.tags.insert(Tag::AddressForeignPath);
            }
            let versioned = path.split('/').any(|part| part.len() > 1 && part.starts_with('v') && part[1..2].parse::<u8>().is_ok());
            if kind != HostKind::Official && !versioned && kind != HostKind::Cloud {
                self.tags.insert(Tag::AddressWithoutVersion);
            }
        }
    }

    fn read_words(&mut self) {
        if HTML.is_match(&self.text) {
            self.tags.insert(Tag::Html);
        }
        if self.text.contains(": unknown error") {
            self.tags.insert(Tag::EmptyBody);
        }
        if RELAY_NAMED
            .regex_for(&self.text)
            .is_some_and(|relay| relay.captures_iter(&self.text).any(|found| found.get(1).is_none()))
        {
            self.tags.insert(Tag::RelayNamed);
        }
        if INPUT_BLAMED.is_match(&self.text) {
            self.tags.insert(Tag::BlamesInput);
        }
    }

    /// Reads all JSON objects in `text`, also those that are escaped into strings of others.
    fn json(&mut self, text: &str) {
        let mut from = 0;
        for _ in 0..JSON_ATTEMPTS {
            let Some(brace) = text[from..].find('{').map(|place| from + place) else { return };
            let mut values = serde_json::Deserializer::from_str(&text[brace..]).into_iter::<Value>();
            from = match values.next() {
                Some(Ok(value)) => {
                    let client_event = value.get("type").and_then(Value::as_str).is_some_and(|kind| kind == "turn.failed");
                    self.walk(&value, client_event);
                    brace + values.byte_offset().max(1)
                }
                _ => brace + 1,
            };
        }
    }

    fn walk(&mut self, value: &Value, client_event: bool) {
        match value {
            Value::Object(fields) => {
                let of_server = !client_event && (fields.contains_key("code") || fields.contains_key("param"));
                for (name, field) in fields {
                    self.field(name, field, of_server);
                    self.walk(field, client_event);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(item, client_event)),
            Value::String(text) if text.contains('{') => self.json(text),
            _ => {}
        }
    }

    fn field(&mut self, name: &str, field: &Value, of_server: bool) {
        match (name, field) {
            ("code" | "type" | "error" | "codex_error_info" | "codexerrorinfo" | "reason", Value::String(code))
                if code.len() < 80 =>
            {
                self.codes.insert(code.clone());
            }
            ("detail", Value::String(text)) if is_sentence(text) => {
                self.codes.insert("@server-said-capacity".to_owned());
            }
            ("message", Value::String(text)) if of_server && is_sentence(text) => {
                self.codes.insert("@server-said-capacity".to_owned());
            }
            ("status" | "status_code" | "http_status_code", Value::Number(status)) => {
                let status =
                    status.as_u64().and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
                self.statuses.extend(status.map(|status| (status, 0)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn where_a_status_stands_it_is_looked_for(text in "(?:http |error|status: |[a 1-5]){0,3}[0-9]{2,4}(?: too many|:? payment| bad gateway|[a )]){0,2}") {
            prop_assert!(has_status(&text) || !STATUS.is_match(&text));
        }
    }

    #[test]
    fn a_count_is_no_status() {
        assert!(has_status("last status: 429 too many") && has_status("1429"));
        assert!(!has_status("limit 30000, in 1.054s, at 4:53"));
    }
}

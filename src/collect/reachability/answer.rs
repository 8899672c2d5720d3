//! What an answer is: its shape, the words of an error in it, the models of a list. The body itself is never kept.

use std::collections::BTreeMap;

use base64::Engine as _;
use codex_triage_checks::facts::network::{Answer, BodyShape};
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::redact::Redactor;

/// Headers that tell who answered and when to come back.
const TELLING_HEADERS: [&str; 17] = [
    "age",
    "cf-cache-status",
    "cf-mitigated",
    "cf-ray",
    "content-type",
    "date",
    "openai-processing-ms",
    "openai-version",
    "proxy-authenticate",
    "retry-after",
    "server",
    "via",
    "www-authenticate",
    "x-cache",
    "x-oneapi-request-id",
    "x-request-id",
    "x-oai-request-id",
];
/// Most characters of an error message that are kept.
const LONGEST_MESSAGE: usize = 500;
/// Most headers about limits that are kept.
const MOST_LIMITS: usize = 32;
/// Most model ids that are kept.
const MOST_MODELS: usize = 2000;

/// Pages of content networks that want a browser to prove itself.
const CHALLENGES: [&str; 6] =
    ["just a moment", "challenge-platform", "cf-chl", "enable javascript and cookies", "checking your browser", "captcha"];
/// Pages that say no: content networks, web filters, company gateways.
const BLOCKS: [&str; 14] = [
    "you have been blocked",
    "attention required",
    "unable to access",
    "web page blocked",
    "access denied",
    "access to this site is blocked",
    "has been blocked",
    "blocked by",
    "blocked page",
    "url filtering",
    "incapsula incident",
    "error 1020",
    "security policy",
    "not available in your country",
];

/// Reads an answer with its (perhaps cut) body.
pub(in crate::collect) fn read(status: u16, headers: &HeaderMap, body: &[u8], redactor: &Redactor) -> Answer {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let text = String::from_utf8_lossy(body);
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let models = json.as_ref().and_then(models);
    let error = json.as_ref().map(error).unwrap_or_default();
    let shape = shape(value("content-type"), value("cf-mitigated"), &text, json.as_ref(), models.is_some(), error.is_some());
    let (code, kind, message) = error.unwrap_or_default();
    let code = code.or_else(|| value("x-error-json").and_then(hidden_code));
    let clean = |words: String| redactor.text(&words.chars().take(LONGEST_MESSAGE).collect::<String>());
    let mut models = models.unwrap_or_default();
    models.sort();
    models.dedup();
    models.truncate(MOST_MODELS);
    Answer {
        status,
        headers: telling(headers, redactor),
        shape,
        error_code: code.map(clean),
        error_type: kind.map(clean),
        error_message: message.map(clean),
        models: models.iter().map(|model| redactor.text(model)).collect(),
        redirect: value("location").filter(|_| (300..400).contains(&status)).map(|place| redactor.text(&redactor.url(place))),
    }
}

/// The headers that tell who answered, and how full the account's limits are.
pub(in crate::collect) fn telling(headers: &HeaderMap, redactor: &Redactor) -> BTreeMap<String, String> {
    let of_limits = headers.keys().map(reqwest::header::HeaderName::as_str).filter(|name| tells_limits(name)).take(MOST_LIMITS);
    TELLING_HEADERS
        .into_iter()
        .chain(of_limits)
        .filter_map(|name| {
            let value = headers.get(name)?.to_str().ok()?;
            Some((name.to_owned(), redactor.text(&value.chars().take(200).collect::<String>())))
        })
        .collect()
}

/// What the name of a header holds whose value may say who somebody is, as the state of a turn, which is the server's own, may.
const PERSONAL: [&str; 6] = ["account", "metadata", "organi", "state", "user", "workspace"];

/// Whether a header names a limit of the account.
fn tells_limits(name: &str) -> bool {
    (name.starts_with("x-codex-") && !PERSONAL.iter().any(|word| name.contains(word))) || name.starts_with("x-ratelimit-")
}

fn shape(
    content_type: Option<&str>,
    mitigated: Option<&str>,
    text: &str,
    json: Option<&Value>,
    is_list: bool,
    is_error: bool,
) -> BodyShape {
    if json.is_some() {
        return match (is_list, is_error) {
            (true, _) => BodyShape::ModelList,
            (false, true) => BodyShape::ApiError,
            (false, false) => BodyShape::Json,
        };
    }
    let start = text.trim_start().get(..512).unwrap_or(text.trim_start()).to_ascii_lowercase();
    let is_page = content_type.is_some_and(|kind| kind.contains("html"))
        || start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.starts_with("<head");
    if mitigated.is_some_and(|what| what.eq_ignore_ascii_case("challenge")) {
        return BodyShape::Challenge;
    }
    if text.trim().is_empty() {
        return BodyShape::Empty;
    }
    if !is_page {
        return BodyShape::Other;
    }
    let page = text.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| page.contains(word));
    if says(&CHALLENGES) {
        BodyShape::Challenge
    } else if says(&BLOCKS) {
        BodyShape::Block
    } else {
        BodyShape::Html
    }
}

/// The ids of a model list: `{"data": [{"id"}]}` of the public API, `{"models": [{"slug"}]}` of the ChatGPT back end.
fn models(json: &Value) -> Option<Vec<String>> {
    let list = ["data", "models"].iter().find_map(|name| json.get(name)?.as_array()).or_else(|| json.as_array());
    let Some(list) = list else {
        // An empty list of some servers.
        let empty = json.get("object").is_some_and(|kind| kind == "list") && json.get("data").is_some_and(Value::is_null);
        return empty.then(Vec::new);
    };
    let id = |model: &Value| match model {
        Value::String(id) => Some(id.clone()),
        _ => ["slug", "id", "name", "model"].iter().find_map(|name| model.get(name)?.as_str()).map(str::to_owned),
    };
    let ids: Vec<String> = list.iter().filter_map(id).collect();
    (ids.len() == list.len()).then_some(ids)
}

/// Code, type and message of `error`, which is the error itself or an object that holds it; redacted and cut.
pub(in crate::collect) fn error_words(value: &Value, redactor: &Redactor) -> ErrorWords {
    let (code, kind, message) = match value {
        Value::String(text) => (None, None, Some(text.clone())),
        _ => error(&serde_json::json!({ "error": value })).unwrap_or_default(),
    };
    let clean = |words: String| redactor.text(&words.chars().take(LONGEST_MESSAGE).collect::<String>());
    (code.map(clean), kind.map(clean), message.map(clean))
}

pub(in crate::collect) type ErrorWords = (Option<String>, Option<String>, Option<String>);

/// Code, type and message of an error, in the API's shape and in those of the gateways and frameworks that people put before it.
fn error(json: &Value) -> Option<ErrorWords> {
    let word = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let field = |of: &Value, names: &[&str]| names.iter().find_map(|name| of.get(name).and_then(word));
    let message_names = ["message", "msg", "detail", "error_description", "reason"];
    let nested = json.get("error").or_else(|| json.get("detail")).or_else(|| json.get("errors")?.get(0));
    match nested {
        Some(Value::Object(_)) => {
            let inner = nested?;
            Some((field(inner, &["code", "status"]), field(inner, &["type"]), field(inner, &message_names)))
        }
        Some(Value::String(text)) => {
            let message = field(json, &message_names[..2]).unwrap_or_else(|| text.clone());
            Some((field(json, &["code", "status"]), field(json, &["type"]), Some(message)))
        }
        _ => {
            let message = field(json, &message_names)?;
            Some((field(json, &["code", "status"]), field(json, &["type"]), Some(message)))
        }
    }
}

/// The code that the official hosts hide in `x-error-json`: base64 of `{"error": {"code"}}`.
fn hidden_code(header: &str) -> Option<String> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(header.trim()).ok()?;
    let json: Value = serde_json::from_slice(&bytes).ok()?;
    error(&json)?.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, content_type: &str, body: &str) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", content_type.parse().unwrap());
        let world = crate::world::World::new(
            BTreeMap::new(),
            "/".into(),
            None,
            None,
            codex_triage_checks::facts::run::Platform::Linux,
            chrono::DateTime::UNIX_EPOCH,
            0,
        );
        read(status, &headers, body.as_bytes(), &Redactor::new(&world))
    }

    #[test]
    fn both_shapes_of_a_model_list_are_read() {
        let public = answer(200, "application/json", r#"{"object": "list", "data": [{"id": "b"}, {"id": "a"}]}"#);
        assert_eq!((public.shape, public.models.join(" ")), (BodyShape::ModelList, "a b".to_owned()));
        let chatgpt = answer(200, "application/json", r#"{"models": [{"slug": "gpt-6-sol", "display_name": "x"}]}"#);
        assert_eq!((chatgpt.shape, chatgpt.models.join(" ")), (BodyShape::ModelList, "gpt-6-sol".to_owned()));
        assert_eq!(answer(200, "application/json", r#"{"object": "list", "data": null}"#).shape, BodyShape::ModelList);
        assert_eq!(answer(200, "application/json", r#"{"data": {"quota": 5}}"#).shape, BodyShape::Json);
    }

    #[test]
    fn errors_are_read_in_the_shapes_that_servers_give_them() {
        for (body, code, message) in [
            (r#"{"error": {"code": "invalid_api_key", "type": "t", "message": "m"}}"#, Some("invalid_api_key"), "m"),
            (r#"{"error": {"code": 429, "message": "m"}}"#, Some("429"), "m"),
            (r#"{"error": "m"}"#, None, "m"),
            (r#"{"detail": "m"}"#, None, "m"),
            (r#"{"detail": {"code": "expired", "message": "m"}}"#, Some("expired"), "m"),
            (r#"{"code": "INSUFFICIENT_BALANCE", "message": "m"}"#, Some("INSUFFICIENT_BALANCE"), "m"),
        ] {
            let answer = answer(400, "application/json", body);
            assert_eq!(answer.shape, BodyShape::ApiError, "{body}");
            assert_eq!(answer.error_code.as_deref(), code, "{body}");
            assert_eq!(answer.error_message.as_deref(), Some(message), "{body}");
        }
    }

    #[test]
    fn pages_are_told_apart() {
        let page = |words: &str| answer(403, "text/html", &format!("<html><body>{words}</body></html>")).shape;
        assert_eq!(page("Just a moment..."), BodyShape::Challenge);
        assert_eq!(page("Sorry, you have been blocked"), BodyShape::Block);
        assert_eq!(page("502 Bad Gateway nginx"), BodyShape::Html);
        assert_eq!(answer(503, "text/plain", " ").shape, BodyShape::Empty);
        assert_eq!(answer(503, "text/plain", "upstream connect error").shape, BodyShape::Other);
    }

    #[test]
    fn a_key_that_an_error_repeats_does_not_become_a_fact() {
        let body = r#"{"error": {"message": "Incorrect API key provided: sk-proj-canary1234567890."}}"#;
        assert!(!answer(401, "application/json", body).error_message.unwrap().contains("canary"));
    }
}

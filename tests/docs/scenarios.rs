//! `docs/scenarios.md`: what a server does, what Codex says, what we make of it from which evidence. Data in, Markdown out.

use std::collections::BTreeMap;
use std::path::Path;

use codex_triage_lab::{Answer, Body, Case, Catalogue, Event, Mode, OneOrMany, Scenario, WebSocket};
use serde_json::Value;

/// The releases, oldest first.
const VERSIONS: [&str; 3] = ["0.142.5", "0.160.1", "0.171.0"];
/// Characters of a server's or of Codex's words that are shown.
const SHOWN: usize = 110;

/// The last words of a run, as the oracle test keeps them.
#[derive(serde::Deserialize)]
struct Words {
    exit: i32,
    said: String,
}

/// By scenario and release.
type Said = BTreeMap<String, BTreeMap<String, Words>>;

/// `docs/scenarios.md` from the files of the repository.
pub(crate) fn page() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scenarios");
    let catalogue = Catalogue::load(&folder).unwrap();
    scenarios(&catalogue, &serde_json::from_str(&std::fs::read_to_string(folder.join("said.json")).unwrap()).unwrap())
}

/// The page.
fn scenarios(catalogue: &Catalogue, said: &Said) -> String {
    let mut page = "# Scenarios\n\n\
        What servers answer, what the real Codex says then, and what codex-triage can say from which evidence: the text that was\n\
        printed, what Codex stored, free looks at the network beside that, and one consented request on top. An answer in the last\n\
        four columns is what that evidence can tell; `?` means that another scenario leaves the same evidence and has another cause.\n\
        A second answer after a slash is for 0.142.5, which stores less. Data: `fixtures/scenarios`; proof: `tests/oracle`.\n"
        .to_owned();
    for (family, about) in &catalogue.families {
        page += &format!("\n## {family}\n\n{about}\n\n");
        page += "| scenario | the server | Codex says | truly | text | disk | live | asked |\n";
        page += "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
        for case in catalogue.cases.iter().filter(|case| case.family == *family) {
            page += &row(case, said.get(&case.id));
        }
    }
    page
}

fn row(case: &Case, said: Option<&BTreeMap<String, Words>>) -> String {
    let truth: Vec<&str> = dedup(case.right());
    let answers: Vec<String> = Mode::ALL.iter().map(|mode| answer(case, *mode)).collect();
    format!(
        "| `{}`: {} | {} | {} | {} | {} |\n",
        case.id,
        cell(&case.about),
        server(case),
        said.map_or_else(|| "not measured".to_owned(), words),
        truth.join(", "),
        answers.join(" | ")
    )
}

fn dedup(causes: Vec<&'static str>) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for cause in causes {
        if !seen.contains(&cause) {
            seen.push(cause);
        }
    }
    seen
}

fn answer(case: &Case, mode: Mode) -> String {
    let of = |version| {
        let answer = case.expectation(version, mode).map_or("not written", |expected| expected.answer.as_str());
        if answer == "undetermined" { "?" } else { answer }
    };
    let (old, new) = (of("0.142.5"), of("0.171.0"));
    if old == new { new.to_owned() } else { format!("{new} / {old}") }
}

/// What Codex said: once where all releases agree, else by release.
fn words(said: &BTreeMap<String, Words>) -> String {
    let shown = |words: &Words| match (words.exit, words.said.as_str()) {
        (124, "") => "nothing, for ever".to_owned(),
        (124, text) => format!("{}, for ever", quoted(text)),
        (0, "") => "(works)".to_owned(),
        (0, text) => format!("(works, after {})", quoted(text)),
        (_, text) => quoted(text),
    };
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for version in VERSIONS {
        let Some(words) = said.get(version) else { continue };
        let text = shown(words);
        match groups.iter_mut().find(|(known, _)| unified(known) == unified(&text)) {
            Some((_, versions)) => versions.push(version),
            None => groups.push((text, vec![version])),
        }
    }
    match groups.as_slice() {
        [(text, _)] => text.clone(),
        _ => groups.iter().map(|(text, versions)| format!("{}: {text}", versions.join(", "))).collect::<Vec<_>>().join("<br>"),
    }
}

/// Releases differ in their apostrophes.
fn unified(text: &str) -> String {
    text.replace('\u{2019}', "'")
}

fn server(case: &Case) -> String {
    let scenario = &case.server;
    let mut parts = Vec::new();
    if let Some(certificate) = case.certificate.filter(|certificate| *certificate != codex_triage_lab::Certificate::Good) {
        parts.push(format!("TLS certificate: {certificate:?}"));
    }
    if let Some(conduct) = scenario.on_accept {
        parts.push(format!("{conduct:?} as soon as connected"));
    }
    if scenario.tunnel != codex_triage_lab::Tunnel::Open {
        parts.push(format!("proxy: {:?}", scenario.tunnel));
    }
    match &scenario.websocket {
        Some(WebSocket::Refused(answer)) => parts.push(format!("WebSocket refused: {}", one(answer))),
        Some(WebSocket::Accepted(dialogue)) => {
            parts.push(format!("WebSocket: {}", events(&dialogue.frames, dialogue.says.as_deref())));
            parts.extend(dialogue.close.as_ref().map(|close| format!("closed with {}", close.code)));
        }
        None => {}
    }
    parts.extend(posted(scenario));
    parts.extend(case.base_url.as_ref().map(|url| format!("base URL `{}`", cell(url).replace("@ORIGIN@", "…"))));
    if parts.is_empty() { "–".to_owned() } else { parts.join("; ") }
}

fn posted(scenario: &Scenario) -> Option<String> {
    if let Some(answer) = &scenario.everything {
        return Some(format!("everything: {}", one(answer)));
    }
    Some(match scenario.post.as_ref()? {
        OneOrMany::One(answer) => one(answer),
        OneOrMany::Many(answers) => answers.iter().map(one).collect::<Vec<_>>().join(", then "),
    })
}

fn one(answer: &Answer) -> String {
    if let Some(conduct) = answer.conduct {
        return format!("{conduct:?}").to_lowercase();
    }
    if let Some(raw) = &answer.raw {
        return quoted(raw);
    }
    if answer.says.is_some() {
        return "a whole turn".to_owned();
    }
    if let Some(stream) = &answer.sse {
        return format!("200, stream: {}", events(stream, None));
    }
    let status = answer.status.unwrap_or(200);
    match &answer.body {
        Some(Body::Text(text)) if !text.is_empty() => format!("{status} {}", quoted(text)),
        Some(Body::Json(value)) => format!("{status} {}", quoted(&value.to_string())),
        _ => format!("{status}, no body"),
    }
}

/// The last event says what the stream is about.
fn events(stream: &[Event], says: Option<&str>) -> String {
    if says.is_some() {
        return "a whole turn".to_owned();
    }
    match stream.last() {
        Some(Event::Text(text)) => quoted(text),
        Some(Event::Json(value)) => quoted(&value.to_string()),
        None => "nothing".to_owned(),
    }
}

/// As code, cut to a length that a table bears. Of an error in JSON only the error.
fn quoted(text: &str) -> String {
    let error = serde_json::from_str::<Value>(text).ok().and_then(|value| {
        let error = value.pointer("/response/error").or_else(|| value.get("error"))?;
        error.is_object().then(|| error.to_string())
    });
    let line = error.as_deref().unwrap_or(text).split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    let cut: String = line.chars().take(SHOWN).collect();
    let dots = if cut.len() < line.len() { "…" } else { "" };
    format!("`{}{dots}`", cell(&cut))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

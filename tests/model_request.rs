//! The consented request against servers that fail on purpose: what is sent and what never is, over which transport, until when,
//! and what each family of answers leads to.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codex_triage_lab::{After, Answer, Conduct, Lab, Scenario, WebSocket};
use common::{Call, Output};
use serde_json::{Value, json};

const KEY: &str = "sk-proj-CANARYmodelrequest0123456789";
const SENTENCE: &str = "Selected model is at capacity. Please try a different model.";
/// How much later than its deadline a run may end: a process has to start, too.
const LATE: Duration = Duration::from_millis(900);

/// A home with a relay at `base_url`.
fn home(base_url: &str, further: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let config = format!(
        "model = \"gpt-6-sol\"\nmodel_provider = \"lab\"\n[model_providers.lab]\nname = \"Lab\"\nbase_url = \"{base_url}\"\nenv_key = \
         \"LAB_KEY\"\n{further}"
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    home
}

fn call(home: &Path, args: &[&str]) -> Call {
    Call::new(args).home(home).variable("LAB_KEY", KEY)
}

fn consented(home: &Path, error: &str) -> Output {
    call(home, &["--json", "--allow-cost", "--timeout", "5", "--error", "-"]).input(error).run()
}

fn asked(lab: &Lab) -> Vec<codex_triage_lab::Recorded> {
    lab.requests().into_iter().filter(|request| request.target.contains("/responses")).collect()
}

fn error(status: u16, code: &str, message: &str) -> Answer {
    Answer::json(status, json!({ "error": { "message": message, "type": "lab_error", "code": code } }))
}

fn created() -> Value {
    json!({ "type": "response.created", "response": { "id": "resp_lab" } })
}

fn failed(code: &str, message: &str) -> Answer {
    let failed = json!({ "type": "response.failed", "response": { "error": { "code": code, "message": message } } });
    Answer::stream(vec![created(), failed], After::Close)
}

fn whole() -> Vec<Value> {
    vec![
        created(),
        json!({ "type": "response.output_text.delta", "delta": "ok" }),
        json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 12, "output_tokens": 3 } } }),
    ]
}

fn ok() -> Answer {
    Answer::stream(whole(), After::Close)
}

fn codes(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings.filter(|finding| finding["check"] == "model-request").filter_map(|finding| finding["code"].as_str()).collect()
}

#[test]
fn without_the_flag_nothing_is_sent_to_the_model() {
    let lab = Lab::start(Scenario::post(ok())).unwrap();
    let home = home(&lab.base_url(), "supports_websockets = true\n");
    for args in
        [&["--json"][..], &["--json", "--error", "-"], &["explain", "--json", "-"], &["lint", "--json"], &["--offline", "--json"]]
    {
        let _ = call(home.path(), args).input(SENTENCE).run();
    }
    assert!(asked(&lab).is_empty(), "{:?}", asked(&lab));
    assert!(!lab.requests().is_empty(), "the free request was sent");
}

#[test]
fn the_flag_goes_with_nothing_that_sends_nothing() {
    let home = home("http://127.0.0.1:9/v1", "");
    for args in [
        &["--allow-cost", "--offline"][..],
        &["explain", "--allow-cost", "x"],
        &["lint", "--allow-cost"],
        &["checks", "--allow-cost"],
    ] {
        assert_eq!(call(home.path(), args).run().code, 2, "{args:?}");
    }
}

#[test]
fn it_is_the_smallest_request_and_its_cost_is_told_before_and_after() {
    let lab = Lab::start(Scenario::post(ok())).unwrap();
    let home = home(&lab.base_url(), "query_params = { \"api-version\" = \"1\" }\n");
    let output = call(home.path(), &["--json", "--allow-cost"]).run();
    let requests = asked(&lab);
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1/responses?api-version=1"));
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(request.header("user-agent").unwrap().starts_with("codex-triage/"));
    assert_eq!(request.header("originator"), None);
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(
        (body["model"].as_str(), body["max_output_tokens"].as_u64(), body["stream"].as_bool()),
        (Some("gpt-6-sol"), Some(16), Some(true))
    );
    let told: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for words in ["gpt-6-sol", "127.0.0.1", "16"] {
        assert!(told[0].contains(words), "{told:?}");
    }
    assert!(told[1].contains("12") && told[1].contains('3'), "{told:?}");
    let report = output.json();
    assert_eq!((codes(&report)[0], report["verdict"]["cause"].as_str()), ("model-request.answered", Some("healthy")));
    assert!(!output.stdout.contains(KEY) && !output.stderr.contains(KEY));
}

/// Every family of answers, with the text that Codex prints for it.
#[test]
fn what_the_server_says_becomes_the_verdict() {
    let plain = |status: u16| format!("unexpected status {status} Lab: Unknown error, url: http://127.0.0.1:1/v1/responses");
    let closed = "stream disconnected before completion: stream closed before response.completed".to_owned();
    let lost = "exceeded retry limit, last status: 429 Too Many Requests".to_owned();
    let demand = "We're currently experiencing high demand, which may cause temporary errors.".to_owned();
    let sentence = SENTENCE.to_owned();
    let page = |status, title: &str| {
        Answer::text(status, "text/html", &format!("<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"))
    };
    let event = |value: Value| Answer::stream(vec![created(), value], After::Close);
    let rows: Vec<(&str, Answer, String, &str)> = vec![
        ("overloaded", error(503, "server_is_overloaded", "Our servers are currently overloaded."), sentence.clone(), "overload"),
        ("but quota", error(503, "server_is_overloaded", "all accounts hit usage limit"), sentence.clone(), "quota"),
        ("but model", error(503, "server_is_overloaded", "model gpt-6-sol does not exist"), sentence.clone(), "config"),
        ("but key", error(503, "server_is_overloaded", "upstream 401: invalid api key"), sentence.clone(), "config"),
        ("slow down", error(503, "slow_down", "Please slow down your requests."), sentence.clone(), "quota"),
        ("slow, budget", error(503, "slow_down", "daily budget exceeded"), sentence.clone(), "quota"),
        ("429 rate", error(429, "rate_limit_exceeded", "Rate limit reached for gpt-6-sol"), lost.clone(), "quota"),
        ("429 bare", Answer::text(429, "text/plain", "").header("retry-after", "7"), lost.clone(), "quota"),
        ("429 overload", error(429, "server_is_overloaded", "Our servers are currently overloaded."), lost.clone(), "overload"),
        ("429 usage", error(429, "usage_limit_reached", "The usage limit has been reached"), lost.clone(), "quota"),
        ("400 model", error(400, "model_not_found", "The requested model does not exist."), plain(400), "config"),
        (
            "400 detail",
            Answer::json(400, json!({"detail": "The 'x' model requires a newer version of Codex."})),
            plain(400),
            "config",
        ),
        ("401", error(401, "invalid_api_key", "Incorrect API key provided"), plain(401), "config"),
        ("402", Answer::json(402, json!({"error": {"message": "Insufficient Balance"}})), plain(402), "quota"),
        ("404", Answer::json(404, json!({"detail": "Not Found"})), plain(404), "config"),
        ("405", Answer::json(405, json!({"detail": "Method Not Allowed"})), plain(405), "config"),
        ("500", Answer::json(500, json!({"error": {"message": "boom"}})), demand.clone(), "overload"),
        ("500 quota", error(500, "x", "用户额度不足"), demand.clone(), "quota"),
        ("502 page", page(502, "502 Bad Gateway"), plain(502), "network"),
        ("403 challenge", page(403, "Just a moment..."), plain(403), "network"),
        ("200 page", page(200, "Relay console"), closed.clone(), "config"),
        ("200 json", Answer::json(200, json!({"object": "chat.completion", "choices": []})), closed.clone(), "config"),
        ("200 json error", error(200, "server_is_overloaded", "overloaded, try again later"), closed.clone(), "overload"),
        ("failed overload", failed("server_is_overloaded", "Our servers are currently overloaded."), sentence.clone(), "overload"),
        ("failed quota", failed("server_is_overloaded", "insufficient balance"), sentence.clone(), "quota"),
        ("failed server", failed("server_error", "An error occurred while processing your request."), closed.clone(), "overload"),
        (
            "event error",
            event(json!({"type": "error", "error": {"code": "insufficient_quota", "message": "x"}})),
            closed.clone(),
            "quota",
        ),
        (
            "event flat",
            event(json!({"type": "error", "code": "rate_limit_exceeded", "message": "Rate limit reached"})),
            closed.clone(),
            "quota",
        ),
        ("chat chunks", event(json!({"object": "chat.completion.chunk", "choices": []})), closed.clone(), "config"),
        ("early close", Answer::stream(vec![created()], After::Close), closed.clone(), "network"),
        ("cut", Answer::stream(vec![created()], After::Cut), closed.clone(), "network"),
        ("ok again", ok(), sentence.clone(), "overload"),
    ];
    for (name, answer, text, cause) in rows {
        let lab = Lab::start(Scenario::post(answer)).unwrap();
        let home = home(&lab.base_url(), "");
        let output = consented(home.path(), &text);
        assert_eq!(output.cause(), cause, "{name}: {}", output.json()["verdict"]["posterior"]);
        assert_eq!(asked(&lab).len(), 1, "{name}");
        assert!(!output.stdout.contains(KEY), "{name}");
    }
}

#[test]
fn a_server_that_hangs_does_not_hold_the_run() {
    for answer in [Answer::conduct(Conduct::Hang), Answer::conduct(Conduct::Drip), Answer::stream(vec![created()], After::Hang)] {
        let lab = Lab::start(Scenario::post(answer)).unwrap();
        let home = home(&lab.base_url(), "");
        let start = Instant::now();
        let output = call(home.path(), &["--json", "--allow-cost", "--timeout", "2"]).run();
        assert!(start.elapsed() < Duration::from_secs(2) + LATE, "{:?}", start.elapsed());
        let report = output.json();
        assert_eq!(report["facts"]["model_request"]["state"], "known", "{}", report["facts"]["model_request"]);
        assert_ne!(codes(&report)[0], "model-request.answered");
    }
}

#[test]
fn an_endless_answer_is_not_read_to_its_end() {
    let lab = Lab::start(Scenario::post(Answer::conduct(Conduct::Endless))).unwrap();
    let home = home(&lab.base_url(), "");
    let output = call(home.path(), &["--json", "--allow-cost", "--timeout", "5"]).run();
    assert!(output.stdout.len() < 200_000);
}

#[test]
fn a_credential_does_not_travel_in_the_clear_and_the_request_is_then_not_sent() {
    // A proxy for plain HTTP sees everything: it stands for the network here.
    let proxy = Lab::start(Scenario { other: Some(ok()), post: Some(ok().into()), ..Scenario::default() }).unwrap();
    let home = home("http://relay.example/v1", "");
    let output = call(home.path(), &["--json", "--allow-cost"]).variable("HTTP_PROXY", &proxy.origin()).run();
    assert!(asked(&proxy).is_empty());
    assert!(proxy.requests().iter().all(|request| !request.holds(KEY)));
    assert_eq!(output.json()["facts"]["model_request"]["why"], "unsafe");
}

#[test]
fn what_codex_would_not_send_is_not_sent() {
    let lab = Lab::start(Scenario::post(ok())).unwrap();
    let refused = home(&lab.base_url(), "wire_api = \"chat\"\n");
    let _ = call(refused.path(), &["--json", "--allow-cost"]).run();
    let keyless = home(&lab.base_url(), "");
    let _ = Call::new(&["--json", "--allow-cost"]).home(keyless.path()).run();
    assert!(asked(&lab).is_empty(), "{:?}", asked(&lab));
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Lab::start(Scenario::post(ok())).unwrap();
    let redirect = Answer::text(307, "text/plain", "").header("location", &format!("{}/responses", other.base_url()));
    let lab = Lab::start(Scenario::post(redirect)).unwrap();
    let home = home(&lab.base_url(), "");
    let _ = call(home.path(), &["--json", "--allow-cost"]).run();
    assert_eq!((asked(&lab).len(), asked(&other).len()), (1, 0));
}

#[test]
fn a_relay_that_knows_no_bound_for_the_output_is_asked_once_more_without_it() {
    let refusal = Answer::json(400, json!({"detail": "Unsupported parameter: max_output_tokens"}));
    let scenario = Scenario { post: Some(codex_triage_lab::OneOrMany::Many(vec![refusal, ok()])), ..Scenario::default() };
    let lab = Lab::start(scenario).unwrap();
    let home = home(&lab.base_url(), "");
    let report = call(home.path(), &["--json", "--allow-cost"]).run().json();
    assert_eq!((asked(&lab).len(), codes(&report)[0]), (2, "model-request.answered"));
    let second: Value = serde_json::from_slice(&asked(&lab)[1].body).unwrap();
    assert!(second.get("max_output_tokens").is_none());
}

#[test]
fn the_chatgpt_back_end_is_asked_in_its_own_way_and_reading_stops_at_the_first_output() {
    let events = vec![created(), json!({ "type": "response.output_text.delta", "delta": "ok" }), json!({ "sleep": 30 })];
    let lab = Lab::start(Scenario::post(Answer::stream(events, After::Close))).unwrap();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), format!("openai_base_url = \"{}\"\n", lab.base_url())).unwrap();
    let encode = |value: Value| {
        use base64::Engine;
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string())
    };
    let claims = json!({ "exp": 4_102_444_800_u64, "https://api.openai.com/auth": { "chatgpt_account_id": "acct-CANARY-0001" } });
    let token = format!("{}.{}.CANARYSIGNATURE", encode(json!({"alg": "none"})), encode(claims));
    let tokens = json!({ "id_token": token, "access_token": token, "refresh_token": "rt_x", "account_id": "acct-CANARY-0001" });
    let auth = json!({ "tokens": tokens, "last_refresh": "2026-11-29T10:00:00Z" });
    std::fs::write(home.path().join("auth.json"), auth.to_string()).unwrap();
    let start = Instant::now();
    let output = Call::new(&["--json", "--allow-cost"]).home(home.path()).run();
    assert!(start.elapsed() < Duration::from_secs(8));
    let requests = asked(&lab);
    // The WebSocket is refused first.
    assert_eq!(requests.iter().map(|request| request.method.as_str()).collect::<Vec<_>>(), ["GET", "POST"]);
    assert_eq!(requests[1].header("chatgpt-account-id"), Some("acct-CANARY-0001"));
    let body: Value = serde_json::from_slice(&requests[1].body).unwrap();
    assert!(body.get("max_output_tokens").is_none() && body["store"] == json!(false) && body["instructions"].is_string());
    assert_eq!(codes(&output.json())[0], "model-request.answered");
    assert!(!(output.stdout + &output.stderr).contains("CANARY"));
}

/// A server that accepts one WebSocket, reads the first frame, and says `frames`; POSTs get `post`.
struct Socket {
    base_url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Socket {
    fn start(frames: Vec<Value>, post: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (frames, record) = (frames.clone(), Arc::clone(&record));
                std::thread::spawn(move || serve(stream, &frames, post, &record));
            }
        });
        Self { base_url, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, frames: &[Value], post: &str, seen: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let first = head.lines().next().unwrap_or_default().to_owned();
    let key = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().starts_with("sec-websocket-key").then(|| line[18..].trim().to_owned()));
    let Some(key) = key else {
        if first.contains("/responses") {
            seen.lock().unwrap().push("POST".to_owned());
            let _ = stream.write_all(post.as_bytes());
        }
        return;
    };
    let accept = tokio_tungstenite::tungstenite::handshake::derive_accept_key(key.as_bytes());
    let _ = write!(
        stream,
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n"
    );
    seen.lock().unwrap().push(read_frame(&mut stream));
    for frame in frames {
        let text = frame.to_string();
        let length = u16::try_from(text.len()).unwrap();
        let mut bytes = vec![0x81];
        match u8::try_from(length) {
            Ok(short) if short < 126 => bytes.push(short),
            _ => {
                bytes.push(126);
                bytes.extend(length.to_be_bytes());
            }
        }
        bytes.extend(text.as_bytes());
        let _ = stream.write_all(&bytes);
    }
}

/// One masked text frame of at most 64 KB.
fn read_frame(stream: &mut TcpStream) -> String {
    let mut take = |length: usize| {
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    };
    let length = match take(2)[1] & 127 {
        126 => usize::from(u16::from_be_bytes(take(2).try_into().unwrap())),
        short => usize::from(short),
    };
    let mask = take(4);
    let unmasked = take(length).into_iter().zip(mask.into_iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
    String::from_utf8(unmasked).unwrap()
}

const UNUSED: &str = "HTTP/1.1 500 Lab\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[test]
fn a_websocket_is_asked_first_where_codex_does_so_and_its_frames_decide() {
    for (frames, cause) in [
        (whole(), "healthy"),
        (
            vec![
                json!({"type": "error", "status": 503, "error": {"code": "server_is_overloaded", "message": "overloaded, try again later"}}),
            ],
            "overload",
        ),
        (
            vec![
                json!({"type": "error", "status": 429, "error": {"type": "usage_limit_reached", "message": "The usage limit has been reached"}}),
            ],
            "quota",
        ),
        (vec![json!({"type": "error", "status": 401, "error": {"message": "expired"}})], "config"),
        (
            vec![
                created(),
                json!({"type": "response.failed", "response": {"error": {"code": "server_is_overloaded", "message": "余额不足"}}}),
            ],
            "quota",
        ),
    ] {
        let server = Socket::start(frames.clone(), UNUSED);
        let home = home(&server.base_url, "supports_websockets = true\n");
        let output = call(home.path(), &["--json", "--allow-cost"]).run();
        assert_eq!(output.cause(), cause, "{frames:?}: {}", output.json()["facts"]["model_request"]);
        let seen = server.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        let asked: Value = serde_json::from_str(&seen[0]).unwrap();
        assert_eq!((asked["type"].as_str(), asked["model"].as_str()), (Some("response.create"), Some("gpt-6-sol")));
        assert!(output.json()["facts"]["model_request"]["value"]["attempts"][0]["transport"] == "web-socket");
    }
}

#[test]
fn a_websocket_that_ends_without_a_word_is_followed_by_a_post() {
    let server = Socket::start(Vec::new(), "HTTP/1.1 402 Lab\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let home = home(&server.base_url, "supports_websockets = true\n");
    let output = call(home.path(), &["--json", "--allow-cost"]).run();
    assert_eq!(server.seen().len(), 2, "{:?}", server.seen());
    assert_eq!(output.cause(), "quota");
}

#[test]
fn a_refused_upgrade_is_followed_by_a_post_unless_it_names_the_reason() {
    let scenario = |refusal: Option<Answer>| Scenario {
        websocket: refusal.map(|answer| WebSocket::Refused(Box::new(answer))),
        ..Scenario::post(ok())
    };
    for (refusal, requests) in [
        (None, 2),
        (Some(Answer::json(404, json!({"detail": "Not Found"}))), 2),
        (Some(Answer::text(403, "text/html", "<html>no</html>")), 2),
        (Some(Answer::conduct(Conduct::Close)), 2),
        (Some(error(503, "server_is_overloaded", "overloaded, try again later")), 1),
    ] {
        let lab = Lab::start(scenario(refusal.clone())).unwrap();
        let home = home(&lab.base_url(), "supports_websockets = true\n");
        let report = call(home.path(), &["--json", "--allow-cost"]).run().json();
        assert_eq!(asked(&lab).len(), requests, "{refusal:?}");
        assert_eq!(codes(&report)[0] == "model-request.answered", requests == 2, "{refusal:?}");
    }
}

#[test]
fn the_open_sentence_of_a_relay_names_the_flag_and_the_flag_settles_it() {
    let lab = Lab::start(Scenario::post(error(503, "server_is_overloaded", "all accounts hit usage limit"))).unwrap();
    let home = home(&lab.base_url(), "");
    let open = call(home.path(), &["--json", "--error", "-"]).input(SENTENCE).run().json();
    assert_eq!(open["verdict"]["settle"]["command"], "codex-triage --allow-cost", "{}", open["verdict"]["settle"]);
    let settled = consented(home.path(), SENTENCE);
    assert_eq!((settled.cause().as_str(), settled.kind().as_str()), ("quota", "quota.usage-limit"));
}

#[test]
fn a_replay_of_a_report_with_the_request_is_the_same() {
    let lab = Lab::start(Scenario::post(failed("server_is_overloaded", "no balance"))).unwrap();
    let home = home(&lab.base_url(), "");
    let first = consented(home.path(), SENTENCE).stdout;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &first).unwrap();
    let again = Call::new(&["replay", "--json", &file.path().display().to_string()]).run().stdout;
    assert_eq!(first, again);
}

//! The network collectors against servers that fail on purpose: the stage of every failure, the kind of every answer, the
//! deadline kept, and no credential where it does not belong.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use chrono::DateTime;
use codex_triage::collect::clock::{self, DateEvidence};
use codex_triage::collect::dns;
use codex_triage::collect::reachability::{self, Bearer, ProbeRequest};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::network::{Answer as Seen, BodyShape, Dns, Fault, Lookup, Outcome, Reachability, Stage};
use codex_triage_checks::facts::run::Platform;
use codex_triage_lab::{After, Answer, Certificate, Conduct, Lab, NameAnswer, NameServer, Scenario, SilentPort, Tunnel};
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig, ResolverOpts};
use serde_json::json;

const KEY: &str = "canary-credential-0123456789";
/// For answers that come at once: never reached.
const AMPLE: Duration = Duration::from_secs(5);
/// For servers that never answer.
const SHORT: Duration = Duration::from_millis(1500);
/// How much later than its deadline a collector may end.
const LATE: Duration = Duration::from_millis(300);

fn redactor() -> Redactor {
    Redactor::new(&World::new(BTreeMap::new(), "/".into(), None, None, Platform::Linux, DateTime::UNIX_EPOCH, 0))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Sends `request` and checks that it ends in time and that the key is in no fact.
fn probe(request: &ProbeRequest, patience: Duration) -> (Reachability, Option<DateEvidence>) {
    let runtime = runtime();
    let start = Instant::now();
    let (observed, date) = runtime.block_on(async {
        let deadline = tokio::time::Instant::now() + patience;
        reachability::collect(request, &redactor(), || DateTime::UNIX_EPOCH, deadline).await
    });
    assert!(start.elapsed() <= patience + LATE, "took {:?} of {patience:?}", start.elapsed());
    runtime.shutdown_background();
    assert!(!serde_json::to_string(&observed).unwrap().contains(KEY));
    (observed.value().unwrap().clone(), date)
}

fn with_key(base_url: impl Into<String>) -> ProbeRequest {
    let mut request = ProbeRequest::to(base_url);
    request.bearer = Some(Bearer::new(KEY));
    request
}

fn answered(request: &ProbeRequest) -> Seen {
    match probe(request, AMPLE).0.outcome {
        Outcome::Answered(answer) => answer,
        Outcome::Broken(error) => panic!("no answer: {error:?}"),
    }
}

fn broken(request: &ProbeRequest, patience: Duration) -> (Stage, Fault) {
    match probe(request, patience).0.outcome {
        Outcome::Broken(error) => {
            assert_eq!(error.timed_out, error.fault == Fault::Silence);
            (error.stage, error.fault)
        }
        Outcome::Answered(answer) => panic!("an answer: {answer:?}"),
    }
}

fn models_server(answer: Answer) -> Lab {
    Lab::start(Scenario::models(answer)).unwrap()
}

fn list() -> Answer {
    Answer::json(200, json!({"object": "list", "data": [{"id": "gpt-6-sol"}, {"id": "gpt-6-luna"}]}))
}

/// A port on which nothing listens.
fn dead_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn through(variable: &str, proxy: &str, mut request: ProbeRequest) -> ProbeRequest {
    request.environment.insert(variable.to_owned(), proxy.to_owned());
    request
}

/// Trusts the lab's authority through a file, as a user would.
fn trusting(mut request: ProbeRequest, file: &tempfile::NamedTempFile) -> ProbeRequest {
    request.environment.insert("CODEX_CA_CERTIFICATE".to_owned(), file.path().display().to_string());
    request
}

fn authority() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), Certificate::AUTHORITY).unwrap();
    file
}

#[test]
fn a_list_is_read_and_the_request_says_honestly_who_asks() {
    let lab = models_server(list());
    let mut request = with_key(lab.base_url());
    request.client_version = Some("0.171.0".to_owned());
    request.account = Some("acct-canary-123456".to_owned());
    let (reached, _) = probe(&request, AMPLE);
    let Outcome::Answered(answer) = &reached.outcome else { panic!("{reached:?}") };
    assert_eq!((answer.shape, answer.models.join(" ")), (BodyShape::ModelList, "gpt-6-luna gpt-6-sol".to_owned()));
    assert!(reached.authenticated && !reached.withheld);
    let asked = &lab.requests()[0];
    assert_eq!(asked.target, "/v1/models?client_version=0.171.0");
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(asked.header("chatgpt-account-id"), Some("acct-canary-123456"));
    assert!(asked.header("user-agent").unwrap().starts_with("codex-triage/"));
    assert!(!format!("{reached:?}").contains("acct-canary"));
}

#[test]
fn answers_keep_their_status_shape_and_words() {
    for (answer, shape, code) in [
        (
            Answer::json(401, json!({"error": {"code": "invalid_api_key", "message": format!("no {KEY}")}})),
            BodyShape::ApiError,
            "invalid_api_key",
        ),
        (Answer::json(503, json!({"error": {"code": "server_is_overloaded"}})), BodyShape::ApiError, "server_is_overloaded"),
        (Answer::text(502, "text/html", "<html>nginx</html>"), BodyShape::Html, ""),
        (Answer::text(403, "text/html", "<html>Just a moment...</html>"), BodyShape::Challenge, ""),
        (Answer::text(503, "text/plain", ""), BodyShape::Empty, ""),
    ] {
        let status = answer.status.unwrap();
        let seen = answered(&with_key(models_server(answer).base_url()));
        assert_eq!((seen.status, seen.shape, seen.error_code.as_deref().unwrap_or_default()), (status, shape, code));
    }
}

#[test]
fn headers_that_tell_who_answered_are_kept_and_cookies_are_not() {
    let lab = models_server(list().header("server", "cloudflare").header("cf-ray", "8f0-AMS").header("set-cookie", "a=b"));
    let seen = answered(&with_key(lab.base_url()));
    assert_eq!(seen.headers["server"], "cloudflare");
    assert_eq!(seen.headers["cf-ray"], "8f0-AMS");
    assert!(!seen.headers.contains_key("set-cookie"));
}

#[test]
fn a_redirect_is_recorded_and_never_followed() {
    let elsewhere = Lab::start(Scenario { models: Some(list().into()), other: Some(list()), ..Scenario::default() }).unwrap();
    for status in [301, 302, 303, 307, 308] {
        let target = format!("{}/v1/models?session=secretsecret", elsewhere.origin());
        let lab = models_server(Answer::text(status, "text/plain", "").header("location", &target));
        let seen = answered(&with_key(lab.base_url()));
        assert_eq!(seen.status, status);
        let place = seen.redirect.unwrap();
        assert!(place.starts_with(&elsewhere.origin()) && !place.contains("secretsecret"), "{place}");
    }
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn no_credential_travels_unencrypted_to_another_machine() {
    let lab = models_server(list());
    let mut request = with_key(format!("http://relay.example:{}/v1", lab.address().port()));
    request.headers = vec![("x-api-key".to_owned(), Bearer::new(KEY))];
    request.pinned = vec![("relay.example".to_owned(), lab.address())];
    let (reached, date) = probe(&request, AMPLE);
    assert!(matches!(reached.outcome, Outcome::Answered(_)));
    assert!(!reached.authenticated && reached.withheld);
    assert!(!reached.curl.contains("Authorization"));
    assert!(!lab.requests().iter().any(|asked| asked.holds(KEY)));
    assert!(!date.unwrap().genuine, "plain HTTP from elsewhere is no clock");
}

#[test]
fn a_key_with_a_line_break_is_left_out_as_codex_leaves_it_out() {
    let lab = models_server(list());
    let mut request = ProbeRequest::to(lab.base_url());
    request.bearer = Some(Bearer::new(format!("{KEY}\n")));
    let (reached, _) = probe(&request, AMPLE);
    assert!(reached.unusable && !reached.authenticated && !reached.withheld);
    assert_eq!(lab.requests()[0].header("authorization"), None);
}

#[test]
fn no_credential_travels_unencrypted_through_a_proxy() {
    let proxy = models_server(list());
    let request = through("HTTP_PROXY", &proxy.origin(), with_key("http://127.0.0.1:9/v1"));
    let (reached, _) = probe(&request, AMPLE);
    assert!(!reached.authenticated);
    assert_eq!(proxy.requests().len(), 1);
    assert!(!proxy.requests()[0].holds(KEY));
}

#[test]
fn a_credential_travels_under_tls() {
    let lab = Lab::start_tls(Scenario::models(list()), Certificate::GOOD, 0).unwrap();
    let authority = authority();
    let mut request = trusting(with_key(format!("https://relay.example:{}/v1", lab.address().port())), &authority);
    request.pinned = vec![("relay.example".to_owned(), lab.address())];
    let (reached, date) = probe(&request, AMPLE);
    assert!(reached.authenticated, "{reached:?}");
    assert!(matches!(reached.outcome, Outcome::Answered(_)), "{reached:?}");
    assert!(lab.requests()[0].holds(KEY));
    assert!(date.unwrap().genuine);
    assert!(reached.curl.contains("--cacert \"$CODEX_CA_CERTIFICATE\""));
}

#[test]
fn every_fault_of_a_certificate_is_a_fault_of_tls() {
    let authority = authority();
    let at = |certificate, host: &str, trusted: bool| {
        let lab = Lab::start_tls(Scenario::models(list()), certificate, 0).unwrap();
        let mut request = with_key(format!("https://{host}:{}/v1", lab.address().port()));
        request.pinned = vec![(host.to_owned(), lab.address())];
        let request = if trusted { trusting(request, &authority) } else { request };
        let found = broken(&request, AMPLE);
        assert!(lab.requests().is_empty());
        found
    };
    assert_eq!(at(Certificate::EXPIRED, "relay.example", true), (Stage::Tls, Fault::Expired));
    assert_eq!(at(Certificate::GOOD, "other.example", true), (Stage::Tls, Fault::WrongName));
    let (stage, fault) = at(Certificate::GOOD, "relay.example", false);
    // A machine without any certificate authority cannot even begin.
    assert!(stage == Stage::Tls && matches!(fault, Fault::UnknownIssuer | Fault::NoAuthorities), "{fault:?}");
}

#[test]
fn tls_that_is_none_cut_or_silent() {
    let authority = authority();
    let at = |scenario, patience| {
        let lab = Lab::start(scenario).unwrap();
        broken(&trusting(with_key(format!("https://{}/v1", lab.address())), &authority), patience)
    };
    for conduct in [Conduct::Close, Conduct::Reset] {
        assert_eq!(at(Scenario { on_accept: Some(conduct), ..Scenario::default() }, AMPLE), (Stage::Tls, Fault::Closed));
    }
    assert_eq!(at(Scenario { on_accept: Some(Conduct::Hang), ..Scenario::default() }, SHORT), (Stage::Tls, Fault::Silence));
    // An HTTP server that answers the handshake at once.
    let plain = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = plain.local_addr().unwrap();
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = plain.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        std::thread::sleep(Duration::from_millis(200));
    });
    assert_eq!(broken(&trusting(with_key(format!("https://{address}/v1")), &authority), AMPLE), (Stage::Tls, Fault::NotTls));
}

#[test]
fn an_address_that_is_none_is_never_asked() {
    for base_url in ["", "relay.example/v1", "ws://relay.example/v1", "${RELAY}/v1", "file:///etc/passwd"] {
        assert_eq!(broken(&with_key(base_url), AMPLE), (Stage::Build, Fault::NoAddress), "{base_url}");
    }
}

#[test]
fn a_dead_port_and_an_unknown_name_are_told_apart() {
    assert_eq!(broken(&with_key(format!("http://127.0.0.1:{}/v1", dead_port())), AMPLE), (Stage::Connect, Fault::Refused));
    let (stage, _) = broken(&with_key("http://no-such-name.invalid/v1"), SHORT);
    assert_eq!(stage, Stage::Dns);
}

#[test]
fn a_port_that_gives_no_answer_is_a_silent_connection_for_any_scheme() {
    let port = SilentPort::open().unwrap();
    let authority = authority();
    for scheme in ["http", "https"] {
        let request = trusting(with_key(format!("{scheme}://{}/v1", port.address())), &authority);
        assert_eq!(broken(&request, SHORT), (Stage::Connect, Fault::Silence), "{scheme}");
    }
}

#[test]
fn an_error_is_told_without_the_wrappings_of_the_client() {
    let (reached, _) = probe(&with_key(format!("http://127.0.0.1:{}/v1", dead_port())), AMPLE);
    let Outcome::Broken(error) = reached.outcome else { panic!("{reached:?}") };
    assert!(error.error.to_ascii_lowercase().contains("refused") && !error.error.contains("client error"), "{}", error.error);
}

#[test]
fn servers_that_break_off_say_where() {
    let at = |answer| broken(&with_key(models_server(answer).base_url()), AMPLE);
    assert_eq!(at(Answer::conduct(Conduct::Close)), (Stage::FirstByte, Fault::Closed));
    assert_eq!(at(Answer::conduct(Conduct::Reset)), (Stage::FirstByte, Fault::Closed));
    assert_eq!(at(list().ending(After::Cut)), (Stage::Body, Fault::Closed));
    assert_eq!(at(list().ending(After::Reset)), (Stage::Body, Fault::Closed));
    let raw = Answer { raw: Some("SSH-2.0-OpenSSH_9.9\r\n\r\n".to_owned()), ..Answer::default() };
    assert_eq!(at(raw), (Stage::FirstByte, Fault::NotHttp));
}

#[test]
fn servers_that_never_end_are_left_in_time() {
    let at = |answer| broken(&with_key(models_server(answer).base_url()), SHORT);
    assert_eq!(at(Answer::conduct(Conduct::Hang)), (Stage::FirstByte, Fault::Silence));
    assert_eq!(at(Answer::conduct(Conduct::Drip)), (Stage::FirstByte, Fault::Silence));
    assert_eq!(at(list().ending(After::Hang)), (Stage::Body, Fault::Silence));
    let hang = Lab::start(Scenario { on_accept: Some(Conduct::Hang), ..Scenario::default() }).unwrap();
    assert_eq!(broken(&with_key(hang.base_url()), SHORT), (Stage::FirstByte, Fault::Silence));
}

#[test]
fn a_body_without_end_is_cut_by_us() {
    let seen = answered(&with_key(models_server(Answer::conduct(Conduct::Endless)).base_url()));
    assert_eq!((seen.status, seen.shape), (200, BodyShape::Other));
}

#[test]
fn a_proxy_that_connects_is_used_and_named_without_its_password() {
    let authority = authority();
    let server = Lab::start_tls(Scenario::models(list()), Certificate::GOOD, 0).unwrap();
    let proxy = Lab::start(Scenario::default()).unwrap();
    let address = format!("http://maria:hunter2hunter2@{}", proxy.address());
    let target = format!("https://relay.example:{}/v1", server.address().port());
    let request = through("https_proxy", &address, trusting(with_key(target), &authority));
    let (reached, _) = probe(&request, AMPLE);
    assert!(matches!(reached.outcome, Outcome::Answered(_)), "{reached:?}");
    let shown = reached.proxy.unwrap();
    assert!(shown.starts_with("https_proxy http://127.0.0.1:") && !shown.contains("hunter2"), "{shown}");
    assert_eq!(proxy.requests()[0].method, "CONNECT");
    assert!(proxy.requests()[0].header("proxy-authorization").is_some());
    assert!(!proxy.requests()[0].holds(KEY) && server.requests()[0].holds(KEY));
}

#[test]
fn each_fault_of_a_proxy_is_a_fault_of_the_proxy() {
    let authority = authority();
    let with = |proxy: &str, patience| {
        broken(&through("HTTPS_PROXY", proxy, trusting(with_key("https://relay.example/v1"), &authority)), patience)
    };
    for (tunnel, fault) in [
        (Tunnel::AskForCredentials, Fault::ProxyCredentials),
        (Tunnel::Refuse, Fault::ProxyRefused),
        (Tunnel::BadGateway, Fault::ProxyRefused),
    ] {
        let proxy = Lab::start(Scenario { tunnel, ..Scenario::default() }).unwrap();
        assert_eq!(with(&proxy.origin(), AMPLE), (Stage::Proxy, fault));
    }
    let silent = Lab::start(Scenario { tunnel: Tunnel::Hang, ..Scenario::default() }).unwrap();
    assert_eq!(with(&silent.origin(), SHORT), (Stage::Proxy, Fault::Silence));
    let dead = dead_port();
    assert_eq!(with(&format!("http://127.0.0.1:{dead}"), AMPLE), (Stage::Proxy, Fault::ProxyUnreachable));
    assert_eq!(with(&format!("socks5h://127.0.0.1:{dead}"), AMPLE), (Stage::Proxy, Fault::ProxyUnreachable));
    assert_eq!(with("http://no-such-proxy.invalid:3128", SHORT).0, Stage::Proxy);
    let no_socks = Lab::start(Scenario { on_accept: Some(Conduct::Close), ..Scenario::default() }).unwrap();
    assert_eq!(with(&format!("socks5h://{}", no_socks.address()), AMPLE), (Stage::Proxy, Fault::ProxyRefused));
}

#[test]
fn the_proxies_of_this_process_play_no_part() {
    // The world of the request is empty: whatever the test runner's environment says, the request goes straight.
    let lab = models_server(list());
    assert_eq!(probe(&with_key(lab.base_url()), AMPLE).0.proxy, None);
}

#[test]
fn the_clock_is_measured_against_the_answers_date() {
    let date = "Sun, 29 Nov 2026 16:00:00 GMT";
    let lab = models_server(list().header("date", date));
    let runtime = runtime();
    let local = DateTime::parse_from_rfc2822("Sun, 29 Nov 2026 16:10:00 +0000").unwrap().to_utc();
    let (_, evidence) = runtime.block_on(async {
        let deadline = tokio::time::Instant::now() + AMPLE;
        reachability::collect(&with_key(lab.base_url()), &redactor(), || local, deadline).await
    });
    let skew = clock::collect(evidence.as_ref());
    assert_eq!(skew.value().unwrap().certain_offset_s(), 599);
    assert!(clock::collect(None).value().is_none());
}

fn look_up(host: &str, answer: NameAnswer) -> Observed<Dns> {
    let server = NameServer::start(answer).unwrap();
    let mut connection = ConnectionConfig::udp();
    connection.port = server.address().port();
    let config = ResolverConfig::from_name_servers(vec![NameServerConfig::new(server.address().ip(), true, vec![connection])]);
    let runtime = runtime();
    let start = Instant::now();
    let found = runtime.block_on(async {
        let deadline = tokio::time::Instant::now() + SHORT;
        dns::collect_from(host, 443, deadline, false, Ok((config, ResolverOpts::default()))).await
    });
    assert!(start.elapsed() <= SHORT + LATE, "took {:?}", start.elapsed());
    // The operating system's lookup may still wait for a dead name server; nobody waits for it.
    runtime.shutdown_background();
    found
}

#[test]
fn name_servers_are_asked_directly_and_each_failure_is_told_apart() {
    let direct = |answer| look_up("relay.example", answer).value().unwrap().resolver.clone();
    assert_eq!(
        direct(NameAnswer::Address(Ipv4Addr::new(203, 0, 113, 7))),
        Lookup::Addresses { addresses: vec!["203.0.113.7".parse().unwrap()] }
    );
    assert_eq!(direct(NameAnswer::NoSuchName), Lookup::NoSuchName);
    assert!(matches!(direct(NameAnswer::ServerFailure), Lookup::ServerFailure { .. }));
    assert!(matches!(direct(NameAnswer::Refused), Lookup::ServerFailure { .. }));
    assert_eq!(direct(NameAnswer::Nothing), Lookup::Timeout);
}

#[test]
fn the_operating_systems_answer_stands_beside_it() {
    let found = look_up("localhost", NameAnswer::NoSuchName);
    assert!(matches!(found.value().unwrap().system, Lookup::Addresses { .. }));
}

#[test]
fn an_address_is_not_looked_up() {
    for host in ["127.0.0.1", "[::1]", "::1"] {
        assert!(look_up(host, NameAnswer::Nothing).value().is_none());
    }
}

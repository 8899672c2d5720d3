//! The server: accepts, reads, records, answers.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;

use crate::certificates::Certificate;
use crate::clock;
use crate::http;
use crate::scenario::{Answer, Body, Scenario, Tunnel, WebSocket};
use crate::websocket;
use crate::wire::{self, Wire};

/// A request that a lab got.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its method.
    pub method: String,
    /// Its target as it stood in the request line.
    pub target: String,
    /// Its headers, names in lower case, in their order.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Recorded {
    /// The first header with this (lower case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether `secret` stands anywhere in it.
    pub fn holds(&self, secret: &str) -> bool {
        self.target.contains(secret)
            || self.headers.iter().any(|(_, value)| value.contains(secret))
            || String::from_utf8_lossy(&self.body).contains(secret)
    }
}

/// A running server. It ends when this value is dropped.
pub struct Lab {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

struct Shared {
    scenario: Scenario,
    tls: Option<Arc<rustls::ServerConfig>>,
    requests: Mutex<Vec<Recorded>>,
    turns: Mutex<BTreeMap<String, usize>>,
    stopped: AtomicBool,
    origin: String,
}

impl Lab {
    /// Serves `scenario` over plain HTTP on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(scenario: Scenario) -> std::io::Result<Self> {
        Self::start_on(scenario, 0)
    }

    /// Serves `scenario` on this port (0: a free one).
    ///
    /// # Errors
    /// When the port cannot be had.
    pub fn start_on(scenario: Scenario, port: u16) -> std::io::Result<Self> {
        Self::listen(scenario, None, (Ipv4Addr::LOCALHOST, port).into())
    }

    /// Serves `scenario` over TLS on this port (0: a free one).
    ///
    /// # Errors
    /// When the port cannot be had, or the certificate cannot be read.
    pub fn start_tls(scenario: Scenario, certificate: Certificate, port: u16) -> std::io::Result<Self> {
        Self::listen(scenario, Some(certificate.config()?), (Ipv4Addr::LOCALHOST, port).into())
    }

    pub(crate) fn listen(scenario: Scenario, tls: Option<Arc<rustls::ServerConfig>>, address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let shared = Arc::new(Shared {
            scenario,
            tls,
            requests: Mutex::default(),
            turns: Mutex::default(),
            stopped: AtomicBool::new(false),
            origin: format!("{scheme}://{address}"),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.stopped.load(Ordering::Relaxed) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&serving);
                // A peer that goes away in the middle is no error of the lab.
                std::thread::spawn(move || drop(shared.serve(stream)));
            }
        });
        Ok(Self { address, scheme, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, `http://127.0.0.1:PORT`.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Its base URL with `/v1`, as a provider's `base_url` wants it.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    /// The requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        if let Some(conduct) = self.scenario.on_accept {
            return http::behave(Wire::Plain(stream), conduct);
        }
        let mut wire = match &self.tls {
            None => Wire::Plain(stream),
            Some(config) => {
                let session = rustls::ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
                Wire::Tls(Box::new(rustls::StreamOwned::new(session, stream)))
            }
        };
        let Some(request) = http::read_request(&mut wire) else { return Ok(()) };
        self.record(request.clone());
        if request.method == "CONNECT" {
            return self.tunnel(wire, &request.target);
        }
        if request.header("upgrade").is_some() && self.scenario.everything.is_none() {
            return self.upgrade(wire, &request);
        }
        http::send(wire, &self.finished(self.answer(&request)))
    }

    fn record(&self, request: Recorded) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    }

    fn upgrade(&self, wire: Wire, request: &Recorded) -> std::io::Result<()> {
        match &self.scenario.websocket {
            None => http::send(wire, &self.finished(Answer::json(426, json!({"error": {"message": "no websocket"}})))),
            Some(WebSocket::Refused(answer)) => http::send(wire, &self.finished((**answer).clone())),
            Some(WebSocket::Accepted(dialogue)) => websocket::serve(wire, request, dialogue, |message| {
                self.record(Recorded {
                    method: "WS".to_owned(),
                    target: request.target.clone(),
                    headers: Vec::new(),
                    body: message,
                });
            }),
        }
    }

    fn answer(&self, request: &Recorded) -> Answer {
        let scenario = &self.scenario;
        let path = request.target.split('?').next().unwrap_or_default();
        let not_found = || Answer::json(404, json!({"detail": "Not Found"}));
        if let Some(answer) = &scenario.everything {
            return answer.clone();
        }
        let routed = scenario
            .routes
            .iter()
            .find(|(which, _)| which.split_once(' ').is_some_and(|(method, end)| method == request.method && path.ends_with(end)));
        if let Some((which, answers)) = routed {
            return answers.at(self.turn(which));
        }
        if let Some(only) = &scenario.strict_path
            && request.method == "POST"
            && path != only
        {
            return scenario.wrong_path.clone().unwrap_or_else(not_found);
        }
        let (kind, answers) = match request.method.as_str() {
            "POST" if path.ends_with("/oauth/token") => return scenario.token.clone().unwrap_or_else(not_found),
            "POST" if path.contains("/responses") => ("post", &scenario.post),
            "GET" if path.ends_with("/models") => ("models", &scenario.models),
            _ => return scenario.other.clone().unwrap_or_else(not_found),
        };
        answers.as_ref().map_or_else(not_found, |answers| answers.at(self.turn(kind)))
    }

    /// How many requests of this kind came before.
    fn turn(&self, kind: &str) -> usize {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = turns.entry(kind.to_owned()).or_default();
        *turn += 1;
        *turn - 1
    }

    /// `@ORIGIN@` in headers and text bodies becomes this server's own; the clock of the answer is set.
    fn finished(&self, mut answer: Answer) -> Answer {
        for value in answer.headers.values_mut().flatten() {
            *value = value.replace("@ORIGIN@", &self.origin);
        }
        if let Some(Body::Text(text)) = &mut answer.body {
            *text = text.replace("@ORIGIN@", &self.origin);
        }
        match self.scenario.clock_off_s {
            Some(off) => answer.header("date", &clock::http_date(off)),
            None => answer,
        }
    }

    fn tunnel(&self, wire: Wire, target: &str) -> std::io::Result<()> {
        let page = |status| Answer::text(status, "text/html", "<html><body>proxy</body></html>");
        let asked = target.rsplit(':').next().and_then(|port| port.parse().ok()).unwrap_or(0);
        match self.scenario.tunnel {
            Tunnel::Open => relay(wire, asked),
            Tunnel::WrongHost(port) => relay(wire, port),
            Tunnel::AskForCredentials => http::send(wire, &page(407).header("proxy-authenticate", "Basic realm=\"lab\"")),
            Tunnel::Refuse => http::send(wire, &page(403)),
            Tunnel::BadGateway => http::send(wire, &page(502)),
            Tunnel::Hang => wire.hang_up(),
        }
    }
}

/// Joins a client to a port of this machine; nothing else is ever reached.
fn relay(wire: Wire, port: u16) -> std::io::Result<()> {
    let Wire::Plain(mut client) = wire else { return Ok(()) };
    let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
        return http::send(Wire::Plain(client), &Answer::text(502, "text/html", "<html>cannot connect</html>"));
    };
    std::io::Write::write_all(&mut client, b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    wire::join(client, server)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    fn ask(lab: &Lab, request: &str) -> String {
        let mut stream = TcpStream::connect(lab.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn what_was_sent_is_recorded_and_answered() {
        let lab = Lab::start(Scenario::models(Answer::json(200, json!({"data": []})))).unwrap();
        let answer = ask(&lab, "GET /v1/models?x=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer canary\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("{\"data\":[]}"), "{answer}");
        assert_eq!(lab.requests()[0].header("authorization"), Some("Bearer canary"));
        assert!(lab.requests()[0].holds("canary"));
    }

    #[test]
    fn a_portal_answers_everything_and_a_clock_can_be_off() {
        let portal = Answer { status: Some(302), ..Answer::default() }.header("location", "@ORIGIN@/login");
        let lab =
            Lab::start(Scenario { everything: Some(portal), clock_off_s: Some(2_000_000_000), ..Scenario::default() }).unwrap();
        let answer = ask(&lab, "POST /v1/responses HTTP/1.1\r\ncontent-length: 0\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 302") && answer.contains(&format!("location: {}/login", lab.origin())), "{answer}");
        assert!(answer.contains("date: "), "{answer}");
    }

    #[test]
    fn an_answer_is_cut_at_a_byte() {
        let cut = Answer { first_bytes: Some(20), after: crate::After::Cut, says: Some("x".to_owned()), ..Answer::default() };
        let lab = Lab::start(Scenario::post(cut)).unwrap();
        assert_eq!(ask(&lab, "POST /v1/responses HTTP/1.1\r\ncontent-length: 0\r\n\r\n"), "HTTP/1.1 200 OK\r\nconn"[..20]);
    }

    #[test]
    fn an_upgrade_is_refused_so_that_codex_falls_back_to_post() {
        let lab = Lab::start(Scenario::default()).unwrap();
        assert!(ask(&lab, "GET /v1/responses HTTP/1.1\r\nUpgrade: websocket\r\n\r\n").starts_with("HTTP/1.1 426"));
    }
}

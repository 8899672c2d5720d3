//! As much of HTTP/1.1 as the lab needs: reading a request, sending an answer that may be broken.

use std::io::{Read, Write};
use std::time::Duration;

use crate::scenario::{After, Answer, Body, Conduct, Event};
use crate::server::Recorded;
use crate::turn;
use crate::wire::Wire;

/// Longest head that is read.
const LONGEST_HEAD: usize = 1 << 20;

/// Reads one request; nothing when the other side closed before a whole one came.
pub(crate) fn read_request(wire: &mut Wire) -> Option<Recorded> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = find(&bytes, b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > LONGEST_HEAD || !fill(wire, &mut bytes) {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let rest = bytes.split_off(end + 4);
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut request = Recorded { method, target, headers, body: Vec::new() };
    request.body = read_body(wire, &request, rest);
    Some(request)
}

fn read_body(wire: &mut Wire, request: &Recorded, mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(length) = request.header("content-length").and_then(|length| length.parse().ok()) {
        while bytes.len() < length && fill(wire, &mut bytes) {}
        bytes.truncate(length);
        return bytes;
    }
    if request.header("transfer-encoding").is_some() {
        // Chunks are kept as they came: nobody here reads them.
        while !bytes.ends_with(b"0\r\n\r\n") && fill(wire, &mut bytes) {}
    }
    bytes
}

fn fill(wire: &mut Wire, bytes: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 16 * 1024];
    match wire.read(&mut buffer) {
        Ok(read) if read > 0 => {
            bytes.extend_from_slice(&buffer[..read]);
            true
        }
        _ => false,
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Sends `answer` and ends the connection as it says.
pub(crate) fn send(mut wire: Wire, answer: &Answer) -> std::io::Result<()> {
    std::thread::sleep(Duration::from_millis(answer.delay_ms));
    if let Some(conduct) = answer.conduct {
        return behave(wire, conduct);
    }
    if let Some(raw) = &answer.raw {
        let bytes: Vec<u8> = raw.chars().map(|character| character as u32 as u8).collect();
        wire.write_all(&bytes)?;
        wire.finish();
        return Ok(());
    }
    let mut bytes = Bytes::new(&mut wire, answer);
    match (&answer.sse, &answer.says) {
        (Some(events), _) => send_events(&mut bytes, answer, events)?,
        (None, Some(words)) => send_events(&mut bytes, answer, &turn::events(words))?,
        (None, None) => send_body(&mut bytes, answer)?,
    }
    wire.flush()?;
    match answer.after {
        After::Close => wire.finish(),
        After::Cut => {}
        After::Reset => {
            // What was sent has to arrive before the reset throws it away.
            std::thread::sleep(Duration::from_millis(50));
            wire.reset();
        }
        After::Hang => wire.hang(),
    }
    Ok(())
}

/// Does what a broken server does.
pub(crate) fn behave(mut wire: Wire, conduct: Conduct) -> std::io::Result<()> {
    match conduct {
        Conduct::Hang => wire.hang(),
        Conduct::Reset => wire.reset(),
        Conduct::Close => {}
        Conduct::Drip => {
            let head = "HTTP/1.1 200 OK\r\nx-slow: ";
            for byte in head.bytes().chain(std::iter::repeat(b'.')) {
                wire.write_all(&[byte])?;
                wire.flush()?;
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        Conduct::Endless => {
            wire.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[\"")?;
            loop {
                wire.write_all(&[b'x'; 64 * 1024])?;
            }
        }
    }
    Ok(())
}

fn send_events(wire: &mut Bytes<'_>, answer: &Answer, events: &[Event]) -> std::io::Result<()> {
    let head = head(answer, &[("content-type", "text/event-stream"), ("transfer-encoding", "chunked")]);
    wire.write_all(head.as_bytes())?;
    for event in events {
        let text = match event {
            Event::Text(text) if text.starts_with('{') => {
                let name = serde_json::from_str::<serde_json::Value>(text).ok();
                let name = name.as_ref().and_then(|value| value.get("type")?.as_str()).unwrap_or("message").to_owned();
                format!("event: {name}\ndata: {text}\n\n")
            }
            Event::Text(text) => text.clone(),
            Event::Json(value) => {
                if let Some(seconds) = value.get("sleep").and_then(serde_json::Value::as_f64) {
                    wire.flush()?;
                    std::thread::sleep(Duration::from_secs_f64(seconds));
                    continue;
                }
                let name = value.get("type").and_then(serde_json::Value::as_str).unwrap_or("message");
                format!("event: {name}\ndata: {value}\n\n")
            }
        };
        write!(wire, "{:x}\r\n{text}\r\n", text.len())?;
    }
    if answer.after == After::Close {
        wire.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

fn send_body(wire: &mut Bytes<'_>, answer: &Answer) -> std::io::Result<()> {
    let body = match &answer.body {
        None => String::new(),
        Some(Body::Text(text)) => text.clone(),
        Some(Body::Json(value)) => value.to_string(),
    };
    // An answer that is to be cut announces more than it gives.
    let announced = if answer.after == After::Close { body.len() } else { body.len() + 1000 };
    let head = head(answer, &[("content-type", "application/json"), ("content-length", &announced.to_string())]);
    wire.write_all(head.as_bytes())?;
    wire.write_all(body.as_bytes())
}

pub(crate) fn head(answer: &Answer, defaults: &[(&str, &str)]) -> String {
    let status = answer.status.unwrap_or(200);
    let mut head = format!("HTTP/1.1 {status} {}\r\nconnection: close\r\n", reason(status));
    for (name, value) in defaults {
        if !answer.headers.keys().any(|own| own.eq_ignore_ascii_case(name)) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    for (name, value) in &answer.headers {
        if let Some(value) = value {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("\r\n");
    head
}

/// The way of an answer's bytes to the wire: all at once, or slowly, or only the first of them.
struct Bytes<'wire> {
    wire: &'wire mut Wire,
    left: usize,
    drip: Duration,
}

impl<'wire> Bytes<'wire> {
    fn new(wire: &'wire mut Wire, answer: &Answer) -> Self {
        Self { wire, left: answer.first_bytes.unwrap_or(usize::MAX), drip: Duration::from_millis(answer.drip_ms) }
    }
}

impl Write for Bytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let sent = &bytes[..bytes.len().min(self.left)];
        self.left -= sent.len();
        if self.drip.is_zero() {
            self.wire.write_all(sent)?;
        } else {
            for byte in sent {
                self.wire.write_all(&[*byte])?;
                self.wire.flush()?;
                std::thread::sleep(self.drip);
            }
        }
        // What is beyond the cut counts as written: the answer goes on as if it arrived.
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.wire.flush()
    }
}

/// The reason phrases that Codex repeats in its messages.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Payload Too Large",
        422 => "Unprocessable Entity",
        407 => "Proxy Authentication Required",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        511 => "Network Authentication Required",
        520 => "Web Server Error",
        522 => "Connection Timed Out",
        524 => "A Timeout Occurred",
        529 => "Site is overloaded",
        _ => "Unnamed",
    }
}

//! As much of WebSockets (RFC 6455) as the lab needs: the handshake, frames without extensions, a close code.

use std::io::{Read, Write};
use std::time::Duration;

use base64::Engine as _;
use serde_json::Value;

use crate::http;
use crate::scenario::{Conduct, Dialogue, Event};
use crate::server::Recorded;
use crate::turn;
use crate::wire::Wire;

/// What RFC 6455 appends to the client's key.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Accepts the upgrade and plays `dialogue` until either side ends it. What the client sends is given to `heard`.
pub(crate) fn serve(mut wire: Wire, request: &Recorded, dialogue: &Dialogue, heard: impl Fn(Vec<u8>)) -> std::io::Result<()> {
    let accept = accept_key(request.header("sec-websocket-key").unwrap_or_default());
    let mut head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: {accept}\r\n"
    );
    for (name, value) in &dialogue.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    wire.write_all(head.as_bytes())?;
    wire.flush()?;
    loop {
        if !dialogue.at_once {
            match read_message(&mut wire)? {
                (PING, message) => {
                    wire.write_all(&frame(PONG, &message))?;
                    continue;
                }
                (CLOSE, _) => return Ok(()),
                (_, message) => heard(message),
            }
        }
        speak(&mut wire, dialogue)?;
        if let Some(close) = &dialogue.close {
            let mut payload = close.code.to_be_bytes().to_vec();
            payload.extend(close.reason.as_bytes());
            wire.write_all(&frame(CLOSE, &payload))?;
            wire.finish();
            return Ok(());
        }
        match dialogue.conduct {
            Some(conduct) => return http::behave(wire, conduct),
            None if dialogue.at_once => return http::behave(wire, Conduct::Hang),
            None => {}
        }
    }
}

fn speak(wire: &mut Wire, dialogue: &Dialogue) -> std::io::Result<()> {
    let turn = dialogue.says.as_deref().map(turn::events).unwrap_or_default();
    for event in dialogue.frames.iter().chain(&turn) {
        let text = match event {
            Event::Text(text) => text.clone(),
            Event::Json(value) => match value.get("sleep").and_then(Value::as_f64) {
                Some(seconds) => {
                    std::thread::sleep(Duration::from_secs_f64(seconds));
                    continue;
                }
                None => value.to_string(),
            },
        };
        wire.write_all(&frame(TEXT, text.as_bytes()))?;
    }
    wire.flush()
}

fn accept_key(key: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{MAGIC}").as_bytes());
    base64::engine::general_purpose::STANDARD.encode(digest)
}

/// One whole, unmasked frame.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | kind];
    match payload.len() {
        short @ ..126 => bytes.push(short as u8),
        long if long <= usize::from(u16::MAX) => {
            bytes.push(126);
            bytes.extend((long as u16).to_be_bytes());
        }
        longer => {
            bytes.push(127);
            bytes.extend((longer as u64).to_be_bytes());
        }
    }
    bytes.extend(payload);
    bytes
}

/// Reads frames until a message is whole: its kind and its payload.
fn read_message(wire: &mut Wire) -> std::io::Result<(u8, Vec<u8>)> {
    let mut message = Vec::new();
    let mut first_kind = None;
    loop {
        let [head, length] = read_bytes(wire)?;
        let length = match length & 0x7f {
            126 => usize::from(u16::from_be_bytes(read_bytes(wire)?)),
            127 => u64::from_be_bytes(read_bytes(wire)?) as usize,
            short => usize::from(short),
        };
        let mask: [u8; 4] = read_bytes(wire)?;
        let start = message.len();
        message.resize(start + length, 0);
        wire.read_exact(&mut message[start..])?;
        for (index, byte) in message[start..].iter_mut().enumerate() {
            *byte ^= mask[index % 4];
        }
        let kind = *first_kind.get_or_insert(head & 0x0f);
        if head & 0x80 != 0 {
            return Ok((kind, message));
        }
    }
}

fn read_bytes<const LENGTH: usize>(wire: &mut Wire) -> std::io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    wire.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_the_example_of_the_standard() {
        assert_eq!(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn lengths_have_three_forms() {
        assert_eq!(frame(TEXT, b"hi"), [0x81, 2, b'h', b'i']);
        assert_eq!(frame(TEXT, &[0; 200])[..4], [0x81, 126, 0, 200]);
        assert_eq!(frame(TEXT, &vec![0; 70_000])[..10], [0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]);
    }
}

//! The WebSocket: the upgrade is an ordinary request of the one HTTP client, the frames after it are tungstenite's.

use codex_triage_checks::facts::model_request::StreamEnd;
use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::{client::generate_key, derive_accept_key};
use tokio_tungstenite::tungstenite::protocol::{Message, Role, WebSocketConfig};

use super::body::Body;
use super::events::Events;

/// A fresh key for the upgrade.
pub(super) fn key() -> String {
    generate_key()
}

/// The headers of the upgrade. The beta header names the protocol, as OpenAI's servers want it.
pub(super) fn headers(key: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    headers.insert(HeaderName::from_static("openai-beta"), HeaderValue::from_static("responses_websockets=2026-02-06"));
    if let Ok(key) = HeaderValue::from_str(key) {
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }
    headers
}

/// Whether the other side took this very upgrade.
pub(super) fn accepted(key: &str, headers: &HeaderMap) -> bool {
    headers.get(SEC_WEBSOCKET_ACCEPT).is_some_and(|value| value.as_bytes() == derive_accept_key(key.as_bytes()).as_bytes())
}

/// Asks, and reads up to the telling event.
pub(super) async fn converse(wire: reqwest::Upgraded, body: &Body, events: &mut Events<'_>, deadline: Instant) {
    let limit = Some(super::LARGEST_ANSWER);
    let config = WebSocketConfig::default().max_message_size(limit).max_frame_size(limit);
    let mut socket = WebSocketStream::from_raw_socket(wire, Role::Client, Some(config)).await;
    let asking = socket.send(Message::text(body.frame().to_string()));
    if !matches!(timeout_at(deadline, asking).await, Ok(Ok(()))) {
        return events.end(StreamEnd::Broken);
    }
    let mut read = 0;
    let end = loop {
        match timeout_at(deadline, socket.next()).await {
            Err(_) => break StreamEnd::Silence,
            Ok(None) | Ok(Some(Ok(Message::Close(_)))) => break StreamEnd::Closed,
            Ok(Some(Err(_))) => break StreamEnd::Broken,
            Ok(Some(Ok(Message::Text(text)))) => {
                read += text.len();
                if events.take("", text.as_str()) {
                    break StreamEnd::Closed;
                }
            }
            Ok(Some(Ok(_))) => {}
        }
        if read >= super::LARGEST_ANSWER {
            break StreamEnd::TooLong;
        }
    };
    events.end(end);
    // A closing frame is a courtesy; the end of the process does as well.
    let _ = timeout_at(deadline.min(Instant::now() + std::time::Duration::from_millis(100)), socket.close(None)).await;
}

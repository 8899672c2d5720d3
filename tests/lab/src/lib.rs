//! Servers on loopback that fail on purpose: what codex-triage and the real Codex are tested against.
//!
//! A [`Scenario`] says what each kind of request is answered with; [`Lab::start`] serves it from plain threads, one per
//! connection, so that an answer can be cut, reset or silent at any byte. Every request is recorded, headers included, so
//! that a test can prove that a credential did *not* arrive somewhere.
//!
//! ```
//! let lab = codex_triage_lab::Lab::start(codex_triage_lab::Scenario::from_json(
//!     r#"{"post": {"status": 503, "body": {"error": {"code": "server_is_overloaded"}}}}"#).unwrap()).unwrap();
//! assert!(lab.base_url().starts_with("http://127.0.0.1:"));
//! ```
//!
//! # The official hosts
//! Codex can be made to take a lab for `api.openai.com`, without a network and without touching the machine: serve TLS
//! ([`Lab::start_tls`]) on 127.0.0.1:443 with a certificate for `api.openai.com`, `chatgpt.com` and `auth.openai.com` from a
//! CA of one's own, write a hosts file that maps the three to 127.0.0.1, and start the client inside a mount namespace:
//! `unshare -m sh -c 'mount --bind HOSTS /etc/hosts; CODEX_CA_CERTIFICATE=CA.pem exec codex exec …'` (needs root on Linux).

mod http;
mod names;
mod scenario;
mod server;
mod wire;

pub use names::{NameAnswer, NameServer};
pub use scenario::{After, Answer, Body, Conduct, Event, OneOrMany, Scenario, Tunnel};
pub use server::{Lab, Recorded, SilentPort};
pub use wire::Certificate;

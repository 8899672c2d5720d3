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
//! [`rollouts`] plants session records instead. Beside it: [`Catalogue`] reads the scenario files, [`OfficialHosts`] plays `api.openai.com`, [`NameServer`], [`SocksProxy`],
//! [`Relay`] and [`SilentPort`] break the road, [`Certificate`] the trust.

mod back_end;
mod catalogue;
mod certificates;
mod clock;
mod http;
mod names;
mod official;
mod relay;
pub mod rollouts;
mod scenario;
mod server;
mod silent;
mod socks;
mod turn;
mod websocket;
mod wire;

pub use catalogue::{Case, Catalogue, Client, Expectation, Mode, Truth};
pub use certificates::{Authority, Certificate, NAMES};
pub use names::{NameAnswer, NameServer};
pub use official::OfficialHosts;
pub use relay::{Relay, Road};
pub use scenario::{After, Answer, Body, CloseFrame, Conduct, Dialogue, Event, OneOrMany, Scenario, Tunnel, WebSocket};
pub use server::{Lab, Recorded};
pub use silent::SilentPort;
pub use socks::{SocksConduct, SocksProxy};

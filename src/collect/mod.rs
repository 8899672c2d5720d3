//! Collectors: all I/O on the world, no judgement. One file per kind of fact.

pub mod clients;
pub mod clock;
pub mod config;
pub mod credentials;
pub mod dns;
pub mod endpoint;
pub mod environment;
pub mod error_text;
pub mod history;
pub mod installation;
pub mod model_cache;
pub mod model_request;
pub mod plan;
pub mod reachability;
pub mod sessions;

//! What a run sees: one file per kind of fact.

pub mod config;
pub mod endpoint;
pub mod environment;

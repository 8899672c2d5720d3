//! What a run sees: one file per kind of fact.

pub mod config;



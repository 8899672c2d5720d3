//! Collectors: all I/O on the world, no judgement. One file per kind of fact.

pub mod config;
pub mod error_text;
pub mod plan;

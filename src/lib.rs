//! codex-triage: why a Codex CLI turn failed, with evidence, and what to do.

pub mod app;
mod at_once;
pub mod cli;
pub mod collect;
pub mod cost;
pub mod exit;
pub mod fix;
pub mod i18n;
mod outline;
pub mod redact;
pub mod replay;
pub mod report;
pub mod world;

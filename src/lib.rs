//! codex-triage: why a Codex CLI turn failed, with evidence, and what to do.

pub mod collect;
pub mod docs;
pub mod redact;
pub mod world;

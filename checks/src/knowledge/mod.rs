//! What is known about Codex, as data with source and date. The files stand in `checks/knowledge/`; each module here reads one.

pub mod advice;
pub(crate) mod answer_words;
pub mod beliefs;
pub mod catalogue;
pub mod config;
pub(crate) mod config_rules;
pub mod foreign_keys;
pub mod harmless_settings;
pub mod hosts;
pub mod models;
mod pattern;
pub mod providers;
pub mod quick_reference;
pub(crate) mod refusal_words;
pub mod requirements;
pub mod settle;
pub mod signatures;
pub mod snippets;

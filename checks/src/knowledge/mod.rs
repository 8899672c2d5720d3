//! What is known about Codex, as data with source and date. The files stand in `checks/knowledge/`; each module here reads one.

/// The content of `checks/knowledge/NAME.toml`, from the JSON that the build script makes of it: most runs read several of these
/// files, and a TOML parser takes several times as long.
macro_rules! knowledge {
    ($name:literal) => {
        serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json")))
            .expect(concat!($name, ".toml is checked by a test"))
    };
}

pub mod advice;
pub(crate) mod answer_words;
pub mod beliefs;
pub mod burdens;
pub mod catalogue;
pub mod config;
pub(crate) mod config_rules;
pub mod foreign_keys;
pub mod harmless_settings;
pub mod hosts;
pub mod models;
pub(crate) mod pattern;
pub mod providers;
pub mod quick_reference;
pub(crate) mod refusal_words;
pub mod requirements;
pub mod session_commands;
pub mod settle;
pub mod signatures;
pub mod snippets;
pub(crate) mod text;

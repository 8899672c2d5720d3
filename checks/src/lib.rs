//! The pure half of codex-triage: facts in; findings, verdict and advice out.
//!
//! Nothing here touches the world: no clock, no environment, no disk, no network. If a check needs one of them, a fact is missing.

pub mod advice;
pub mod errors;
pub mod facts;
pub mod finding;
pub mod kind;
pub mod knowledge;
pub mod model_lists;
pub mod registry;
pub mod subject;
pub mod timeline;
pub mod verdict;

mod advice_checker;
mod base_url;
mod clock_skew;
mod config_keys;
mod config_layers;
mod context_pressure;
mod contradictions;
mod dns;
mod error_history;
mod identity;
mod last_errors;
mod model_provider;
mod model_request;
mod model_settings;
mod other_clients;
mod provider_settings;
mod provider_table;
mod rate_limits;
mod reachability;
mod session_bloat;

pub use config_keys::effective::{EffectiveKey, EffectiveValue};
pub use config_keys::mend;
pub use config_keys::outcome::{ConfigOutcome, IgnoredKey, Outcome, Rejection, config_outcome};
pub use config_keys::suggest::likely_key;

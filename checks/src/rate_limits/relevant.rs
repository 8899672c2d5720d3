//! Which snapshots speak of the failed request, and what their windows meant at its time.

use chrono::{DateTime, TimeDelta, Utc};

use crate::facts::Facts;
use crate::facts::history::{LimitSnapshot, LimitWindow, Success};
use crate::subject::Subject;

/// The bucket that all models draw on which have none of their own.
const COMMON: &str = "codex";
/// From here on the request itself may use up the rest.
const NEAR_PERCENT: f64 = 90.0;
const FULL_PERCENT: f64 = 100.0;
/// A snapshot is stored shortly before the turn's end; clocks of two records may differ by a little.
const AFTER: TimeDelta = TimeDelta::seconds(60);
/// How long a snapshot without a window is worth something.
const CURRENT: TimeDelta = TimeDelta::hours(1);

/// What a window meant at the moment in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Used up.
    Reached,
    /// Almost.
    Near,
    /// Not nearly.
    Below,
    /// It had started anew since the snapshot: the number says nothing.
    Passed,
}

/// A snapshot and the moment for which it is read.
pub(super) struct Seen<'a> {
    pub(super) snapshot: &'a LimitSnapshot,
    /// The moment of the failure, or of the run.
    pub(super) moment: DateTime<Utc>,
    /// Whether something failed.
    pub(super) failed: bool,
    /// Whether the snapshot stands beside the failed turn itself.
    pub(super) same_turn: bool,
    /// Whether the same provider answered clearly later than the snapshot, and before the moment.
    pub(super) superseded: bool,
}

impl Seen<'_> {
    pub(super) fn age(&self) -> TimeDelta {
        self.moment - self.snapshot.at
    }

    pub(super) fn state(&self, window: &LimitWindow) -> State {
        let length = window.minutes.and_then(|minutes| i64::try_from(minutes).ok()).and_then(TimeDelta::try_minutes);
        let passed = window.resets_at.is_some_and(|reset| reset <= self.moment) || length.is_some_and(|length| self.age() > length);
        if passed {
            State::Passed
        } else if window.used_percent >= FULL_PERCENT {
            State::Reached
        } else if window.used_percent >= NEAR_PERCENT {
            State::Near
        } else {
            State::Below
        }
    }

    /// Whether what a snapshot says beside its windows still holds.
    pub(super) fn is_current(&self) -> bool {
        self.same_turn || self.age() <= CURRENT || self.snapshot.windows.iter().any(|window| self.state(window) == State::Reached)
    }
}

/// The snapshots that speak of the failed request, or of the next one: one of each bucket that counts for its model.
pub(super) fn snapshots(facts: &Facts) -> Vec<Seen<'_>> {
    let Some(history) = facts.history.value() else { return Vec::new() };
    let subject = Subject::of(facts);
    let endpoint = facts.endpoint.value();
    let moment = subject.as_ref().and_then(|subject| subject.at).unwrap_or(facts.run.at);
    let provider = subject
        .as_ref()
        .and_then(|subject| subject.provider.clone())
        .or_else(|| endpoint.map(|endpoint| endpoint.provider.clone()));
    let model =
        subject.as_ref().and_then(|subject| subject.model.clone()).or_else(|| endpoint.and_then(|endpoint| endpoint.model.clone()));
    let turn = subject.as_ref().and_then(|subject| subject.turn.clone());

    let mut fitting: Vec<Seen<'_>> = Vec::new();
    // Newest first, so that the first of a bucket is the one that counts.
    let mut sorted: Vec<&LimitSnapshot> = history.limits.iter().collect();
    sorted.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.at));
    for snapshot in sorted {
        let same_turn = turn.is_some() && snapshot.turn == turn;
        let of_provider = match (&snapshot.provider, &provider) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        let in_time = same_turn || snapshot.at <= moment + AFTER;
        let known = fitting.iter().any(|seen| seen.snapshot.bucket == snapshot.bucket);
        if of_provider && in_time && !known && !is_for_another(snapshot, model.as_deref()) {
            let answered = |success: &Success| {
                success.provider.as_deref() == snapshot.provider.as_deref()
                    && success.at > snapshot.at + AFTER
                    && success.at <= moment
            };
            let superseded = is_common(snapshot) && history.successes.iter().any(answered);
            fitting.push(Seen { snapshot, moment, failed: subject.is_some(), same_turn, superseded });
        }
    }
    // A model with a bucket of its own does not draw on the common one.
    if fitting.iter().any(|seen| !is_common(seen.snapshot)) {
        fitting.retain(|seen| !is_common(seen.snapshot));
    }
    fitting
}

fn is_common(snapshot: &LimitSnapshot) -> bool {
    snapshot.bucket.as_deref().is_none_or(|bucket| bucket == COMMON)
}

/// Whether a bucket belongs to another model: it is not the common one, and does not carry this model's name.
fn is_for_another(snapshot: &LimitSnapshot, model: Option<&str>) -> bool {
    if is_common(snapshot) {
        return false;
    }
    let Some(model) = model.map(plain).filter(|model| !model.is_empty()) else { return true };
    let names = [&snapshot.name, &snapshot.bucket].into_iter().flatten().map(|name| plain(name));
    !names.into_iter().any(|name| name == model || name.strip_prefix("codex") == Some(&model))
}

/// `GPT-5.3-Codex-Spark` and `gpt_5_3_codex_spark` are one name.
fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

//! The `rate_limits` of `token_count` events: every answer carries one, and few of them ever matter.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::collect::history::json::{Raw, Walk};
use crate::collect::history::turn::{Snapshot, Window};
use crate::collect::history::word::{Id, Word};

/// More quota buckets than any turn has.
const BUCKETS: usize = 16;

/// The snapshots of one rollout that may still matter, as they stand there.
pub(super) struct Limits {
    recent_ms: i64,
    /// The latest of each bucket. Their memory is used again and again.
    pending: Vec<Pending>,
}

#[derive(Default)]
struct Pending {
    limits: String,
    bucket: Option<String>,
    at_ms: i64,
    turn: Option<String>,
    names: u16,
    is_kept: bool,
}

impl Limits {
    /// Keeps each turn's last snapshots from `recent` on, and of older ones the last and those beside failures.
    pub(super) fn new(recent: DateTime<Utc>) -> Self {
        Self { recent_ms: recent.timestamp_millis(), pending: Vec::new() }
    }

    pub(super) fn take(&mut self, limits: &str, at_ms: i64, turn: Option<&str>, names: u16, kept: &mut Vec<Snapshot>) {
        let bucket = bucket(limits);
        // Every answer of a turn carries one; the last of each bucket tells all.
        let place = match self.pending.iter().position(|known| known.bucket.as_deref() == bucket.as_deref()) {
            Some(place) => {
                let before = &mut self.pending[place];
                let another_turn = turn.is_none() || before.turn.as_deref() != turn;
                if another_turn && before.at_ms >= self.recent_ms {
                    before.keep(kept);
                }
                place
            }
            None => {
                if self.pending.len() >= BUCKETS {
                    self.pending.remove(0).keep(kept);
                }
                self.pending.push(Pending { bucket: bucket.map(Cow::into_owned), ..Pending::default() });
                self.pending.len() - 1
            }
        };
        let pending = &mut self.pending[place];
        pending.limits.clear();
        pending.limits.push_str(limits);
        (pending.at_ms, pending.names, pending.is_kept) = (at_ms, names, false);
        match (&mut pending.turn, turn) {
            (Some(known), Some(turn)) => {
                known.clear();
                known.push_str(turn);
            }
            (known, turn) => *known = turn.map(str::to_owned),
        }
    }

    /// What stood beside a failure matters, however old it is.
    pub(super) fn turn_ended(&mut self, turn: Option<&str>, failed: bool, kept: &mut Vec<Snapshot>) {
        if !failed || turn.is_none() {
            return;
        }
        let of_this_turn = self.pending.iter_mut().filter(|pending| pending.turn.as_deref() == turn);
        of_this_turn.for_each(|pending| pending.keep(kept));
    }

    pub(super) fn finish(&mut self, kept: &mut Vec<Snapshot>) {
        self.pending.iter_mut().for_each(|pending| pending.keep(kept));
    }
}

/// The bucket that `limits` are of. Codex writes it first; where it does not stand there, the whole is looked through.
fn bucket(limits: &str) -> Option<Cow<'_, str>> {
    const FIRST: &str = "{\"limit_id\":";
    if limits.starts_with(FIRST)
        && let Some(bucket) = Walk::from(limits, FIRST.len()).value()?.text()
    {
        return Some(bucket);
    }
    let mut bucket = Raw::default();
    Raw::new(limits).fields(|key, value| {
        if key == "limit_id" {
            bucket = value;
        }
    });
    bucket.text()
}

impl Pending {
    /// Puts the snapshot among those that are `kept`, unless it is there.
    fn keep(&mut self, kept: &mut Vec<Snapshot>) {
        if !std::mem::replace(&mut self.is_kept, true) {
            kept.extend(self.snapshot());
        }
    }

    /// The snapshot, or none when it says nothing.
    fn snapshot(&self) -> Option<Snapshot> {
        let mut windows = Vec::new();
        let (mut has_credits, mut unlimited_credits) = (None, None);
        let [mut name, mut plan, mut reached, mut spend_control] = [Raw::default(); 4];
        Raw::new(&self.limits).fields(|key, value| match key {
            "primary" | "secondary" => windows.extend(window(value, self.at_ms)),
            "credits" => {
                value.fields(|key, value| match key {
                    "has_credits" => has_credits = value.get(),
                    "unlimited" => unlimited_credits = value.get(),
                    _ => {}
                });
            }
            "limit_name" => name = value,
            "plan_type" => plan = value,
            "rate_limit_reached_type" => reached = value,
            "spend_control_reached" => spend_control = value,
            _ => {}
        })?;
        windows.sort_by_key(|window: &Window| window.minutes.unwrap_or(u64::MAX));
        let snapshot = Snapshot {
            at_ms: self.at_ms,
            turn: self.turn.as_deref().map(Id::from),
            names: self.names,
            bucket: self.bucket.as_deref().map(Word::from),
            name: name.word(),
            windows,
            has_credits,
            unlimited_credits,
            plan: plan.word(),
            reached: reached.word(),
            spend_control_reached: spend_control.get(),
        };
        let says_nothing = snapshot.windows.is_empty()
            && snapshot.has_credits.is_none()
            && snapshot.reached.is_none()
            && snapshot.spend_control_reached.is_none();
        (!says_nothing).then_some(snapshot)
    }
}

fn window(window: Raw<'_>, at_ms: i64) -> Option<Window> {
    let [mut used, mut minutes, mut resets_at, mut resets_in] = [Raw::default(); 4];
    window.fields(|key, value| match key {
        "used_percent" => used = value,
        "window_minutes" => minutes = value,
        "resets_at" => resets_at = value,
        "resets_in_seconds" => resets_in = value,
        _ => {}
    })?;
    let used_percent = used.get::<f64>().filter(|percent| percent.is_finite())?;
    let moment = resets_at.get::<i64>().filter(|seconds| DateTime::from_timestamp(*seconds, 0).is_some());
    // Releases before `resets_at` told the seconds that were left.
    let left = || resets_in.get::<i64>().filter(|seconds| seconds.abs() < 1 << 32);
    let resets_at_s = moment.or_else(|| left().map(|seconds| at_ms.div_euclid(1000) + seconds));
    Some(Window { minutes: minutes.get(), used_percent, resets_at_s })
}

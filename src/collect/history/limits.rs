//! The `rate_limits` of a `token_count` event.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage_checks::facts::history::LimitWindow;
use serde_json::Value;

use super::turn::{Header, Snapshot};

/// The snapshot in `limits`, or none when it says nothing.
pub(super) fn snapshot(header: &Arc<Header>, at: DateTime<Utc>, limits: &Value) -> Option<Snapshot> {
    let text = |name: &str| limits.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut windows: Vec<LimitWindow> = ["primary", "secondary"].iter().filter_map(|slot| window(limits.get(slot)?, at)).collect();
    windows.sort_by_key(|window| window.minutes.unwrap_or(u64::MAX));
    let credits = limits.get("credits");
    let credit = |name: &str| credits?.get(name)?.as_bool();
    let snapshot = Snapshot {
        header: Arc::clone(header),
        at,
        turn: None,
        model: None,
        bucket: text("limit_id"),
        name: text("limit_name"),
        windows,
        has_credits: credit("has_credits"),
        unlimited_credits: credit("unlimited"),
        plan: text("plan_type"),
        reached: text("rate_limit_reached_type"),
        spend_control_reached: limits.get("spend_control_reached").and_then(Value::as_bool),
    };
    let says_nothing = snapshot.windows.is_empty()
        && snapshot.has_credits.is_none()
        && snapshot.reached.is_none()
        && snapshot.spend_control_reached.is_none();
    (!says_nothing).then_some(snapshot)
}

fn window(window: &Value, at: DateTime<Utc>) -> Option<LimitWindow> {
    let used_percent = window.get("used_percent")?.as_f64().filter(|percent| percent.is_finite())?;
    let minutes = window.get("window_minutes").and_then(Value::as_u64);
    let moment = window.get("resets_at").and_then(Value::as_i64).and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    // Releases before `resets_at` told the seconds that were left.
    let left = || window.get("resets_in_seconds").and_then(Value::as_i64).filter(|seconds| seconds.abs() < 1 << 32);
    let resets_at = moment.or_else(|| left().and_then(|seconds| at.checked_add_signed(TimeDelta::seconds(seconds))));
    Some(LimitWindow { minutes, used_percent, resets_at })
}

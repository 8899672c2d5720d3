//! The quota windows that an answer's headers tell of. Codex stores them beside answers of the model, but not beside refusals: those of
//! a 503 stand in the log alone (measured on 0.142.5 and 0.171.0).

use std::collections::BTreeMap;

use chrono::DateTime;
use codex_triage_checks::facts::history::FailedRequest;

use crate::collect::history::turn::{Snapshot, Turn, Window};

/// The bucket that these headers are of.
const BUCKET: &str = "codex";

/// The snapshot beside the last request of a failed turn, if its answer held one.
pub(super) fn snapshot(request: &FailedRequest, turn: &Turn) -> Option<Snapshot> {
    let headers = &request.headers;
    let mut windows: Vec<Window> = ["primary", "secondary"].iter().filter_map(|slot| window(headers, slot)).collect();
    windows.sort_by_key(|window| window.minutes);
    let flag = |name: &str| headers.get(name).and_then(|value| value.to_ascii_lowercase().parse().ok());
    (!windows.is_empty()).then(|| Snapshot {
        at_ms: request.at.timestamp_millis(),
        turn: turn.id.clone(),
        names: turn.names,
        bucket: Some(BUCKET.into()),
        name: headers.get("x-codex-limit-name").map(|name| name.as_str().into()),
        windows,
        has_credits: flag("x-codex-credits-has-credits"),
        unlimited_credits: flag("x-codex-credits-unlimited"),
        plan: headers.get("x-codex-plan-type").map(|plan| plan.as_str().into()),
        reached: None,
        spend_control_reached: None,
    })
}

fn window(headers: &BTreeMap<String, String>, slot: &str) -> Option<Window> {
    let header = |what: &str| headers.get(&format!("x-codex-{slot}-{what}"));
    let used_percent: f64 = header("used-percent")?.parse().ok()?;
    let moment = |at: &String| at.parse().ok().filter(|seconds| DateTime::from_timestamp(*seconds, 0).is_some());
    let resets_at_s = header("reset-at").and_then(moment);
    let minutes = header("window-minutes").and_then(|minutes| minutes.parse().ok());
    used_percent.is_finite().then_some(Window { minutes, used_percent, resets_at_s })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_sorted_by_their_length_and_odd_numbers_left_out() {
        let headers = [
            ("x-codex-primary-used-percent", "71"),
            ("x-codex-primary-window-minutes", "10080"),
            ("x-codex-secondary-used-percent", "42.5"),
            ("x-codex-secondary-window-minutes", "300"),
            ("x-codex-secondary-reset-at", "1796008047"),
            ("x-codex-credits-has-credits", "True"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let mut request = FailedRequest { headers, ..FailedRequest::default() };
        let found = snapshot(&request, &Turn::default()).unwrap();
        let told: Vec<_> = found.windows.iter().map(|window| (window.minutes, window.used_percent)).collect();
        assert_eq!((told, found.has_credits), (vec![(Some(300), 42.5), (Some(10_080), 71.0)], Some(true)));
        for odd in ["NaN", "inf", "", "4 %"] {
            request.headers = [("x-codex-primary-used-percent".to_owned(), odd.to_owned())].into();
            assert_eq!(snapshot(&request, &Turn::default()), None, "{odd}");
        }
    }
}

//! Made-up turns for tests.

use chrono::{DateTime, TimeDelta, Utc};

use crate::facts::history::{FailedTurn, Success, Tally};

/// A Monday, 00:00 UTC; the runs of the tests begin there.
pub(super) fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_996_800, 0).unwrap()
}

/// A capacity failure of `gpt-a` at OpenAI, so many minutes before [`moment`].
pub(super) fn failure(minutes_ago: i64) -> FailedTurn {
    full_model(moment() - TimeDelta::minutes(minutes_ago))
}

/// A capacity failure of `gpt-a` at OpenAI.
pub(crate) fn full_model(at: DateTime<Utc>) -> FailedTurn {
    FailedTurn {
        at,
        model: Some("gpt-a".into()),
        provider: Some("openai".into()),
        text: Some("Selected model is at capacity. Please try a different model.".into()),
        info: Some("server_overloaded".into()),
        ..FailedTurn::default()
    }
}

/// A success so many minutes before [`moment`].
pub(super) fn success(model: &str, provider: &str, minutes_ago: i64) -> Success {
    Success { model: model.into(), provider: Some(provider.into()), at: moment() - TimeDelta::minutes(minutes_ago) }
}

/// One hour of `gpt-a` at OpenAI.
pub(super) fn tally(hour: DateTime<Utc>, succeeded: u64, failed: u64) -> Tally {
    Tally {
        hour,
        utc_offset_s: 0,
        model: Some("gpt-a".into()),
        provider: Some("openai".into()),
        account: None,
        succeeded,
        failed,
        interrupted: 0,
        other: 0,
    }
}

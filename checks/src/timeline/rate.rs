//! How often turns fail, with how well that is known: 3 of 4 turns and 3 of 400 are not told by their number of failures.

use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::history::Tally;

/// For what is shown: 95 of 100 such intervals hold the true rate.
const SHOWN: f64 = 1.96;
/// For a statement that one hour differs from the others: 99 of 100. Some 24 hours are compared, so that the looser interval would
/// find one that differs in every history.
const STATED: f64 = 2.576;

/// Turns that ended with an answer or an error, and how many of them with an error. Turns that were ended from outside are not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// Turns that ended with an answer or an error.
    pub turns: u64,
    /// Those that ended with an error.
    pub failed: u64,
    /// The share that failed; absent without turns.
    pub error_rate: Option<f64>,
    /// The share that was answered; absent without turns.
    pub success_rate: Option<f64>,
    /// The lower end of the 95 % interval of the error rate (Wilson).
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

impl Rate {
    /// The rate of `failed` among `turns`.
    pub fn new(turns: u64, failed: u64) -> Self {
        let failed = failed.min(turns);
        if turns == 0 {
            return Self::default();
        }
        let (low, high) = interval(turns, failed, SHOWN);
        let rate = failed as f64 / turns as f64;
        Self {
            turns,
            failed,
            error_rate: Some(rounded(rate)),
            success_rate: Some(rounded(1.0 - rate)),
            low: Some(rounded(low)),
            high: Some(rounded(high)),
        }
    }

    /// The rate of all turns that `tallies` count.
    pub fn of<'a>(tallies: impl IntoIterator<Item = &'a Tally>) -> Self {
        let (turns, failed) = tallies
            .into_iter()
            .fold((0u64, 0u64), |(turns, failed), tally| (turns + tally.succeeded + tally.failed, failed + tally.failed));
        Self::new(turns, failed)
    }
}

/// Whether `failed` of `turns` is surely more than `rate`.
pub(super) fn is_above(turns: u64, failed: u64, rate: f64) -> bool {
    turns > 0 && interval(turns, failed, STATED).0 > rate
}

/// Whether `failed` of `turns` is surely less than `rate`.
pub(super) fn is_below(turns: u64, failed: u64, rate: f64) -> bool {
    turns > 0 && interval(turns, failed, STATED).1 < rate
}

/// Wilson's interval: unlike the textbook one it is good for few turns and for none that failed.
fn interval(turns: u64, failed: u64, z: f64) -> (f64, f64) {
    let (n, share, square) = (turns as f64, failed as f64 / turns as f64, z * z);
    let middle = share + square / (2.0 * n);
    let reach = z * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    let whole = 1.0 + square / n;
    (((middle - reach) / whole).max(0.0), ((middle + reach) / whole).min(1.0))
}

/// To a hundredth of a percent.
pub(super) fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_turns_tell_little_and_many_tell_much() {
        let (few, many) = (Rate::new(4, 3), Rate::new(400, 3));
        assert_eq!((few.error_rate, many.error_rate), (Some(0.75), Some(0.0075)));
        assert_eq!((few.low, few.high), (Some(0.3006), Some(0.9544)));
        assert_eq!((many.low, many.high), (Some(0.0026), Some(0.0218)));
        assert_eq!(Rate::new(0, 0).error_rate, None);
    }

    #[test]
    fn an_hour_differs_only_where_chance_does_not_explain_it() {
        assert!(!is_above(4, 3, 0.3), "three of four may be chance");
        assert!(is_above(40, 30, 0.3));
        assert!(!is_below(20, 0, 0.1), "none of twenty may be chance");
        assert!(is_below(200, 0, 0.1));
        assert!(!is_above(0, 0, 0.0) && !is_below(0, 0, 1.0), "no turns tell nothing");
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_rate(turns in 1u64..100_000, share in 0.0f64..=1.0) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small number")]
            let failed = (turns as f64 * share) as u64;
            let rate = Rate::new(turns, failed);
            prop_assert!(rate.low <= rate.error_rate && rate.error_rate <= rate.high);
            prop_assert!(rate.low >= Some(0.0) && rate.high <= Some(1.0));
        }
    }
}

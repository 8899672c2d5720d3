//! Whether a failure comes and goes or stays. Capacity comes and goes with the hours of the day; what stays over a day and at several
//! times of the day points away from it.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::clock::Clock;
use super::streaks::Streaks;
use crate::facts::Shared;
use crate::facts::history::{FailedTurn, History};

/// A peak lasts hours. What stays so long has seen a night and a day, wherever the server's users are; and it still fits into the 24
/// hours at which a run looks by default.
const LASTING: TimeDelta = TimeDelta::hours(20);
/// Tried at so many of the four quarters of the day …
const QUARTERS: usize = 3;
/// … and so often: one try in the evening and one in the morning may both have met a peak.
const TRIES: u64 = 4;
/// So often a model must have answered again for "it comes and goes".
const RECOVERIES: usize = 3;
/// And mostly so soon.
const SOON: TimeDelta = TimeDelta::hours(2);

/// How the failures of a model go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CourseKind {
    /// It stays, at several times of the day.
    Constant,
    /// It comes and goes.
    Intermittent,
    /// Too little to say.
    Open,
}

/// The course of the failures of the model that failed last.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Course {
    /// The model.
    pub model: Shared,
    /// The provider's id.
    pub provider: Option<Shared>,
    /// How it goes.
    pub course: CourseKind,
    /// The first failure of the streak to which the last one belongs.
    pub from: DateTime<Utc>,
    /// The last failure.
    pub to: DateTime<Utc>,
    /// How many failures that streak has.
    pub failures: u64,
    /// In how many quarters of the day (of local time) they fall.
    pub quarters_of_day: usize,
    /// How often the model has answered again after a streak of failures.
    pub recoveries: usize,
    /// The time from the first failure to the next answer that half of these streaks did not exceed, in milliseconds.
    pub median_recovery_ms: Option<i64>,
}

impl Course {
    /// The course of the newest failure.
    pub(super) fn of(history: &History, streaks: &Streaks<'_>, clock: &Clock) -> Option<Self> {
        Self::around(history.failures.iter().find(|turn| !turn.interrupted)?, streaks, clock)
    }

    /// The course of the failures of which `turn` is the last.
    pub(super) fn around(turn: &FailedTurn, streaks: &Streaks<'_>, clock: &Clock) -> Option<Self> {
        let place = streaks.holding(turn)?;
        let from = streaks.rows()[place].from();
        let moments: Vec<DateTime<Utc>> = streaks.moments(place).filter(|at| *at <= turn.at).collect();
        let quarters: BTreeSet<usize> = moments.iter().map(|at| clock.wall(*at).hour() / 6).collect();
        let failures = moments.len() as u64;
        let same = streaks.rows().iter().filter(|other| other.is_of(turn) && other.from() <= turn.at);
        let mut recoveries: Vec<TimeDelta> = same.filter_map(|streak| Some(streak.answered_after()? - streak.from())).collect();
        recoveries.sort_unstable();
        let median = recoveries.get(recoveries.len() / 2).copied();
        let course = if turn.at - from >= LASTING && quarters.len() >= QUARTERS && failures >= TRIES {
            CourseKind::Constant
        } else if recoveries.len() >= RECOVERIES && median.is_some_and(|median| median <= SOON) {
            CourseKind::Intermittent
        } else {
            CourseKind::Open
        };
        Some(Self {
            model: turn.model.clone()?,
            provider: turn.provider.clone(),
            course,
            from,
            to: turn.at,
            failures,
            quarters_of_day: quarters.len(),
            recoveries: recoveries.len(),
            median_recovery_ms: median.map(|median| median.num_milliseconds()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Facts, Observed};
    use crate::timeline::made_up::{failure, moment, tally};
    use crate::timeline::reading::Readings;

    /// The course of failures so many hours ago, newest first; the model answered so many minutes after each of `recovered`.
    fn course(failed: &[i64], recovered: &[(i64, i64)]) -> (CourseKind, usize) {
        let at = |hours: i64, minutes: i64| moment() - TimeDelta::hours(hours) + TimeDelta::minutes(minutes);
        let answers: Vec<DateTime<Utc>> = recovered.iter().map(|(hours, minutes)| at(*hours, *minutes)).collect();
        let turn = |hours: &i64| {
            let failed = at(*hours, 0);
            FailedTurn {
                at: failed,
                same_model_before: answers.iter().filter(|answer| **answer < failed).max().copied(),
                same_model_after: answers.iter().filter(|answer| **answer > failed).min().copied(),
                ..failure(0)
            }
        };
        let failures = failed.iter().map(turn).collect();
        let history = History { failures, tallies: vec![tally(moment(), 1, 1)], ..History::default() };
        let readings = Readings::of(&Facts { history: Observed::known(history.clone(), "test"), ..Facts::default() });
        let course = Course::of(&history, &Streaks::of(&history, &readings), &Clock::of(&history, 0)).unwrap();
        (course.course, course.recoveries)
    }

    #[test]
    fn what_fails_day_and_night_is_constant() {
        assert_eq!(course(&[1, 8, 15, 23], &[]).0, CourseKind::Constant);
        assert_eq!(course(&[1, 8, 15, 23], &[(23, 30)]).0, CourseKind::Open, "it answered after the first");
        assert_eq!(course(&[1, 23], &[]).0, CourseKind::Open, "tried twice");
        assert_eq!(course(&[1, 2, 25, 26], &[]).0, CourseKind::Open, "tried at one time of the day");
    }

    #[test]
    fn what_heals_again_and_again_comes_and_goes() {
        assert_eq!(course(&[1, 30, 60, 90], &[(30, 20), (60, 10), (90, 40)]), (CourseKind::Intermittent, 3));
        assert_eq!(course(&[1, 30, 60], &[(30, 20), (60, 10)]).0, CourseKind::Open, "twice may be chance");
        assert_eq!(course(&[1, 30, 60, 90], &[(30, 600), (60, 900), (90, 900)]).0, CourseKind::Open, "after half a day");
    }
}

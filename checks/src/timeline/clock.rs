//! Local time as it was at each moment: a month may hold a change of the clocks.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Timelike, Utc};

use crate::facts::history::History;

/// The offsets from UTC, each with the hour from which on it held.
pub(super) struct Clock {
    changes: Vec<(DateTime<Utc>, i32)>,
    otherwise: i32,
}

impl Clock {
    /// The offsets that the tallies tell of; where there are none, the one of now.
    pub(super) fn of(history: &History, now_s: i32) -> Self {
        let mut changes: Vec<(DateTime<Utc>, i32)> = Vec::new();
        for tally in &history.tallies {
            if changes.last().is_none_or(|(_, offset_s)| *offset_s != tally.utc_offset_s) {
                changes.push((tally.hour, tally.utc_offset_s));
            }
        }
        let otherwise = changes.first().map_or(now_s, |(_, offset_s)| *offset_s);
        Self { changes, otherwise }
    }

    /// What the clock on the wall showed.
    pub(super) fn local(&self, at: DateTime<Utc>) -> NaiveDateTime {
        let place = self.changes.partition_point(|(from, _)| *from <= at);
        let offset_s =
            place.checked_sub(1).and_then(|place| self.changes.get(place)).map_or(self.otherwise, |(_, offset_s)| *offset_s);
        local(at, offset_s)
    }

    /// When the hour of that clock began into which `at` falls.
    pub(super) fn hour(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        let local = self.local(at);
        at - TimeDelta::seconds(i64::from(local.num_seconds_from_midnight() % 3600))
            - TimeDelta::nanoseconds(i64::from(local.nanosecond()))
    }
}

/// `at` as a clock shows it that is `offset_s` ahead of UTC.
pub(super) fn local(at: DateTime<Utc>, offset_s: i32) -> NaiveDateTime {
    let utc = at.naive_utc();
    utc.checked_add_signed(TimeDelta::seconds(i64::from(offset_s))).unwrap_or(utc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::made_up::{self, tally};

    #[test]
    fn each_moment_has_the_offset_of_its_time() {
        let change = made_up::moment();
        let tallies = vec![
            crate::facts::history::Tally { utc_offset_s: 7200, ..tally(change - TimeDelta::hours(1), 1, 0) },
            crate::facts::history::Tally { utc_offset_s: 3600, ..tally(change, 1, 0) },
        ];
        let clock = Clock::of(&History { tallies, ..History::default() }, 0);
        let hour = |at| clock.local(at).hour();
        assert_eq!(hour(change - TimeDelta::minutes(1)), (change.hour() + 1) % 24);
        assert_eq!(hour(change + TimeDelta::minutes(1)), (change.hour() + 1) % 24);
        assert_eq!(hour(change - TimeDelta::days(9)), (change.hour() + 2) % 24);
        assert_eq!(Clock::of(&History::default(), 3600).local(change).hour(), (change.hour() + 1) % 24);
    }
}

//! All turns, counted by hour.

use codex_triage_checks::facts::history::Tally;
use rustc_hash::FxHashMap;

use super::brief::Brief;
use super::told::{AskedOne, Words};
use super::turn::{Outcome, moment};
use crate::world::World;

const HOUR_MS: i64 = 3_600_000;
/// Offsets from UTC change at such a beat, whatever the zone.
const OFFSET_BEAT_MS: i64 = 900_000;

/// How many turns succeeded, failed, were interrupted and ended otherwise; by hour of the clock on the wall (milliseconds), its offset from
/// UTC (seconds) and who was asked.
pub(super) type ByHour = FxHashMap<(i64, i32, u16), [u64; 4]>;

/// All turns that ended, counted.
pub(super) fn by_hour(briefs: &[Brief], world: &World) -> ByHour {
    let mut counts = ByHour::default();
    let mut offsets: FxHashMap<i64, i32> = FxHashMap::default();
    for brief in briefs {
        let column = match brief.outcome() {
            Outcome::Success => 0,
            Outcome::Failed => 1,
            Outcome::Interrupted => 2,
            Outcome::Nothing => 3,
            Outcome::Running => continue,
        };
        let at_ms = brief.at_ms();
        let beat = at_ms.div_euclid(OFFSET_BEAT_MS);
        let offset_s = *offsets.entry(beat).or_insert_with(|| world.offset_at(moment(at_ms)));
        let offset_ms = i64::from(offset_s) * 1000;
        let hour = (at_ms + offset_ms).div_euclid(HOUR_MS) * HOUR_MS - offset_ms;
        counts.entry((hour, offset_s, brief.names())).or_default()[column] += 1;
    }
    counts
}

/// The same as facts.
pub(super) fn tallies(hours: ByHour, words: &mut Words<'_>) -> Vec<Tally> {
    // Accounts are numbered as they come: in the order of what they are, not of a map.
    let mut hours: Vec<_> = hours.into_iter().collect();
    let names = words.names;
    hours.sort_unstable_by_key(|((hour, offset_s, place), _)| (*hour, *offset_s, names.get(*place)));
    let mut tallies: Vec<Tally> = hours
        .into_iter()
        .map(|((hour, utc_offset_s, place), [succeeded, failed, interrupted, other])| {
            let AskedOne { model, provider, account } = words.asked(place);
            Tally { hour: moment(hour), utc_offset_s, model, provider, account, succeeded, failed, interrupted, other }
        })
        .collect();
    tallies.sort_by(|one, other| {
        (one.hour, &one.model, &one.provider, &one.account).cmp(&(other.hour, &other.model, &other.provider, &other.account))
    });
    tallies
}

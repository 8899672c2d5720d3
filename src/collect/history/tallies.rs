//! All turns, counted by hour.

use codex_triage_checks::facts::history::Tally;

use super::brief::Timed;
use super::told::{AskedOne, Words};
use super::turn::{Outcome, moment};
use crate::world::World;

const HOUR_MS: i64 = 3_600_000;
/// Offsets from UTC change at such a beat, whatever the zone.
const OFFSET_BEAT_MS: i64 = 900_000;

/// How the turns of one hour ended, of one who was asked.
pub(super) struct Hour {
    /// When it began, as the clock on the wall has hours, in milliseconds since 1970.
    at_ms: i64,
    /// The offset of that clock from UTC.
    offset_s: i32,
    /// A place in the list of names.
    names: u16,
    /// How many succeeded, failed, were interrupted and ended otherwise.
    counts: [u64; 4],
}

/// All turns that ended, counted; `turns` come in the order of time, and their names are `names` many.
pub(super) fn by_hour(turns: &[Timed], names: usize, world: &World) -> Vec<Hour> {
    let mut hours = Vec::new();
    let (mut beat, mut offset_s, mut hour) = (i64::MIN, 0, (i64::MIN, 0));
    // What is counted of the hour, by who was asked, and who that was so far.
    let (mut counted, mut asked) = (vec![[0; 4]; names], Vec::new());
    let mut close = |(at_ms, offset_s): (i64, i32), counted: &mut [[u64; 4]], asked: &mut Vec<u16>| {
        hours.extend(asked.drain(..).map(|names| {
            let counts = std::mem::take(&mut counted[usize::from(names)]);
            Hour { at_ms, offset_s, names, counts }
        }));
    };
    for turn in turns {
        let column = match turn.outcome() {
            Outcome::Success => 0,
            Outcome::Failed => 1,
            Outcome::Interrupted => 2,
            Outcome::Nothing => 3,
            Outcome::Running => continue,
        };
        let at_ms = turn.at_ms();
        if at_ms.div_euclid(OFFSET_BEAT_MS) != beat {
            beat = at_ms.div_euclid(OFFSET_BEAT_MS);
            offset_s = world.offset_at(moment(at_ms));
        }
        let offset_ms = i64::from(offset_s) * 1000;
        let of_turn = ((at_ms + offset_ms).div_euclid(HOUR_MS) * HOUR_MS - offset_ms, offset_s);
        if of_turn != hour {
            close(hour, &mut counted, &mut asked);
            hour = of_turn;
        }
        let counts = &mut counted[usize::from(turn.names())];
        if *counts == [0; 4] {
            asked.push(turn.names());
        }
        counts[column] += 1;
    }
    close(hour, &mut counted, &mut asked);
    hours
}

/// The same as facts, in the order of time, then of the texts of who was asked.
pub(super) fn tallies(mut hours: Vec<Hour>, words: &mut Words<'_>) -> Vec<Tally> {
    // Accounts are numbered as they come: in the order of what they are, not of a list.
    let by_name = ranks(words.names.all());
    hours.sort_unstable_by_key(|hour| (hour.at_ms, hour.offset_s, by_name[usize::from(hour.names)]));
    hours.iter().for_each(|hour| words.ask(hour.names));
    let asked: Vec<AskedOne> = (0..words.names.len()).map(|place| words.asked_before(place)).collect();
    let by_text = ranks(asked.iter());
    hours.sort_by_key(|hour| (hour.at_ms, by_text[usize::from(hour.names)]));
    let tally = |Hour { at_ms, offset_s: utc_offset_s, names, counts: [succeeded, failed, interrupted, other] }| {
        let AskedOne { model, provider, account } = asked[usize::from(names)].clone();
        Tally { hour: moment(at_ms), utc_offset_s, model, provider, account, succeeded, failed, interrupted, other }
    };
    hours.into_iter().map(tally).collect()
}

/// Which place each of `items` has in their order; equal ones have one.
fn ranks<T: Ord>(items: impl Iterator<Item = T>) -> Vec<usize> {
    let items: Vec<T> = items.collect();
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_unstable_by_key(|place| &items[*place]);
    let mut ranks = vec![0; items.len()];
    let mut rank = 0;
    for pair in places.windows(2) {
        rank += usize::from(items[pair[0]] != items[pair[1]]);
        ranks[pair[1]] = rank;
    }
    ranks
}

//! When which model answered, and what answered around a failure.

use codex_triage_checks::facts::Shared;
use codex_triage_checks::facts::history::{History, Success};

use super::brief::Timed;
use super::names::NameList;
use super::told::{Words, apart};
use super::turn::{Outcome, moment};

/// When each model of each provider succeeded.
#[derive(Default)]
pub(super) struct Successes {
    of: Vec<Answered>,
    /// For each place in the list of names, the place of who was asked in `of`.
    places: Vec<Option<usize>>,
}

/// When one model of one provider succeeded.
struct Answered {
    who: Who,
    /// In their order.
    times: Vec<i64>,
}

/// One model of one provider, as it is told.
struct Who {
    model: Shared,
    provider: Option<Shared>,
}

impl Who {
    /// The same in a place of its own: what two threads count references to is handed to and fro between them.
    fn apart(&self) -> Self {
        Self { model: apart(&self.model), provider: self.provider.as_ref().map(apart) }
    }

    fn told(&self, at_ms: i64) -> Success {
        Success { model: self.model.clone(), provider: self.provider.clone(), at: moment(at_ms) }
    }
}

/// Who was asked, whatever the account.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Asked<'a> {
    model: &'a str,
    provider: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn of(names: &'a NameList, place: usize) -> Option<Self> {
        let names = names.get(u16::try_from(place).ok()?);
        Some(Self { model: names.model.as_deref()?, provider: names.provider.as_deref() })
    }
}

impl Successes {
    /// Those among turns in the order of time.
    pub(super) fn of(turns: &[Timed], words: &mut Words<'_>) -> Self {
        let names = words.names;
        // Several accounts may have asked the same.
        let mut asked: Vec<Asked<'_>> = (0..names.len()).filter_map(|place| Asked::of(names, place)).collect();
        asked.sort_unstable();
        asked.dedup();
        let place_of = |place| asked.binary_search(&Asked::of(names, place)?).ok();
        let places: Vec<Option<usize>> = (0..names.len()).map(place_of).collect();
        let mut answered = |asked: &Asked<'_>| {
            let who = Who { model: words.word(asked.model), provider: words.maybe(asked.provider) };
            Answered { who, times: Vec::new() }
        };
        let mut of: Vec<Answered> = asked.iter().map(&mut answered).collect();
        for turn in turns.iter().filter(|turn| turn.outcome() == Outcome::Success) {
            if let Some(place) = places[usize::from(turn.names())] {
                of[place].times.push(turn.at_ms());
            }
        }
        Self { of, places }
    }

    /// The place of who was asked, of a place in the list of names.
    pub(super) fn place(&self, names: u16) -> Option<usize> {
        self.places.get(usize::from(names)).copied().flatten()
    }

    /// The way to what succeeded around one failure after the other.
    pub(super) fn looking(&self) -> Looking<'_> {
        Looking {
            successes: self,
            who: self.of.iter().map(|answered| answered.who.apart()).collect(),
            places: vec![0; self.of.len()],
            found: Vec::new(),
        }
    }

    pub(super) fn newest(&self) -> Vec<Success> {
        let newest = |answered: &Answered| Some(answered.who.told(*answered.times.last()?));
        let mut successes: Vec<Success> = self.of.iter().filter_map(newest).collect();
        successes.sort_by_key(|success| std::cmp::Reverse(success.at));
        successes
    }
}

/// A look for successes around moments that come in the order of time, each near the one before.
pub(super) struct Looking<'a> {
    pub(super) successes: &'a Successes,
    /// Each who succeeded.
    who: Vec<Who>,
    /// Where in the times of each was last looked.
    places: Vec<usize>,
    /// Distance, who and moment of those that were found last.
    found: Vec<(i64, usize, i64)>,
}

impl Looking<'_> {
    /// The last success before and the first one after a moment.
    pub(super) fn around(&mut self, place: usize, at_ms: i64) -> (Option<i64>, Option<i64>) {
        let (times, after) = (&self.successes.of[place].times, &mut self.places[place]);
        while *after > 0 && times[*after - 1] >= at_ms {
            *after -= 1;
        }
        while *after < times.len() && times[*after] < at_ms {
            *after += 1;
        }
        (after.checked_sub(1).map(|before| times[before]), times.get(*after).copied())
    }

    /// Of each model but that at `asked` that succeeded near a moment, its success nearest in time; the nearest first.
    pub(super) fn others(&mut self, asked: Option<usize>, at_ms: i64) -> Vec<Success> {
        let nearby = History::NEARBY.num_milliseconds();
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for other in (0..self.places.len()).filter(|other| Some(*other) != asked) {
            let (before, after) = self.around(other, at_ms);
            let distance = |time: &i64| (time - at_ms).abs();
            let nearest = before.into_iter().chain(after).min_by_key(distance);
            found.extend(nearest.map(|nearest| (distance(&nearest), other, nearest)).filter(|(distance, ..)| *distance <= nearby));
        }
        found.sort_unstable();
        self.found = found;
        self.found.iter().map(|(_, other, nearest)| self.who[*other].told(*nearest)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::history::brief::{Brief, Key};
    use crate::collect::history::turn::Names;
    use crate::collect::sessions::tests::any_redactor;

    fn place(names: &mut NameList, model: &str) -> u16 {
        names.place(&Names { model: Some(model.into()), provider: Some("openai".into()), account: None })
    }

    #[test]
    fn the_nearest_success_of_each_other_model_is_told_and_no_farther_one() {
        let mut names = NameList::default();
        let [sol, luna, mini] = ["sol", "luna", "mini"].map(|model| place(&mut names, model));
        let at = |minute: i64, name, key| Brief::new(Key(key), minute * 60_000, Outcome::Success, false, name).timed;
        let turns = [at(10, luna, 1), at(40, sol, 2), at(52, luna, 3), at(63, luna, 4), at(80, mini, 5), at(90, sol, 6)];
        let redactor = any_redactor();
        let successes = Successes::of(&turns, &mut Words::new(&redactor, &names));
        let (asked, mut looking) = (successes.place(sol), successes.looking());
        let minutes = |ms: i64| ms / 60_000;
        let (before, after) = looking.around(asked.unwrap(), 60 * 60_000);
        assert_eq!((before.map(minutes), after.map(minutes)), (Some(40), Some(90)));
        let others = looking.others(asked, 60 * 60_000);
        let others: Vec<_> = others.iter().map(|other| (&*other.model, minutes(other.at.timestamp_millis()))).collect();
        assert_eq!(others, [("luna", 63)]);
    }
}

//! What is kept of failed and interrupted turns, each once.

use rustc_hash::FxHashMap;

use super::same_turn::join;
use crate::collect::history::brief::{Brief, Key};
use crate::collect::history::turn::Detailed;

/// A list in the order in which turns came, found by their keys.
#[derive(Default)]
pub(super) struct Details {
    list: Vec<Detailed>,
    /// The place of each in the list; made when one is added.
    places: FxHashMap<Key, usize>,
}

impl Details {
    /// Takes a list in which each turn stands once.
    pub(super) fn of(list: Vec<Detailed>) -> Self {
        Self { list, places: FxHashMap::default() }
    }

    /// Adds a record of a turn, to the one that is there if there is one. Of more than so many, and a little beyond it, the oldest go: to find
    /// them takes its time.
    pub(super) fn add(&mut self, detailed: Detailed, most: usize) {
        self.index();
        match self.places.get(&detailed.turn.key) {
            Some(place) => join(&mut self.list[*place], detailed),
            None => {
                self.places.insert(detailed.turn.key, self.list.len());
                self.list.push(detailed);
            }
        }
        if self.list.len() >= most + most / 8 {
            let mut times: Vec<i64> = self.list.iter().map(|known| known.turn.at_ms).collect();
            let (_, oldest_kept, _) = times.select_nth_unstable_by_key(most, |at_ms| std::cmp::Reverse(*at_ms));
            self.list.retain(|known| known.turn.at_ms > *oldest_kept);
            self.places.clear();
            self.index();
        }
    }

    fn index(&mut self) {
        if self.places.len() != self.list.len() {
            self.places = self.list.iter().map(|known| known.turn.key).zip(0..).collect();
        }
    }

    pub(super) fn all(&self) -> &[Detailed] {
        &self.list
    }

    pub(super) fn into_all(self) -> Vec<Detailed> {
        self.list
    }

    /// Those of the turns in `briefs`, each with its brief.
    pub(super) fn of_turns<'a>(self, briefs: impl Iterator<Item = &'a Brief>) -> impl Iterator<Item = (Detailed, Brief)> {
        let briefs: FxHashMap<Key, Brief> = briefs.map(|brief| (brief.key, *brief)).collect();
        self.list.into_iter().filter_map(move |detailed| briefs.get(&detailed.turn.key).map(|brief| (detailed, *brief)))
    }
}

//! Who was asked, as small numbers: a million turns share a few dozen names.

use rustc_hash::FxHashMap;

use super::turn::Names;

/// A list of names in which each stands once. The first is that of turns of which nothing is known.
pub(super) struct NameList {
    list: Vec<Names>,
    places: FxHashMap<Names, u16>,
}

impl Default for NameList {
    fn default() -> Self {
        Self { list: vec![Names::default()], places: FxHashMap::from_iter([(Names::default(), Self::UNKNOWN)]) }
    }
}

impl NameList {
    /// The place of nobody.
    pub(super) const UNKNOWN: u16 = 0;

    /// The place of `names`. Where the list is full, what is new counts as unknown.
    pub(super) fn place(&mut self, names: &Names) -> u16 {
        if let Some(place) = self.places.get(names) {
            return *place;
        }
        let Ok(place) = u16::try_from(self.list.len()) else { return Self::UNKNOWN };
        self.list.push(names.clone());
        self.places.insert(names.clone(), place);
        place
    }

    pub(super) fn get(&self, place: u16) -> &Names {
        self.list.get(usize::from(place)).unwrap_or(&self.list[0])
    }

    /// All of them, by place.
    pub(super) fn all(&self) -> impl Iterator<Item = &Names> {
        self.list.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

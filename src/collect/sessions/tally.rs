//! The sums over all rollouts. Holds no more than the largest files by name, however many there are.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use codex_triage_checks::facts::sessions::{LargeFile, Month, SessionStore};

use super::listing::{self, RolloutFile};
use crate::redact::Redactor;

/// The sums so far.
pub(super) struct Tally {
    utc_offset_s: i32,
    months: BTreeMap<String, Month>,
    compressed_files: u64,
    empty_files: u64,
    /// Largest first.
    largest: Vec<RolloutFile>,
}

impl Tally {
    pub(super) fn new(utc_offset_s: i32) -> Self {
        Self { utc_offset_s, months: BTreeMap::new(), compressed_files: 0, empty_files: 0, largest: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.months.is_empty()
    }

    pub(super) fn add(&mut self, file: &RolloutFile) {
        let name = self.month(file);
        let month = match self.months.get_mut(&name) {
            Some(month) => month,
            None => self.months.entry(name.clone()).or_insert(Month { month: name, ..Month::default() }),
        };
        month.files += 1;
        month.bytes += file.bytes;
        month.archived_files += u64::from(file.archived);
        month.archived_bytes += if file.archived { file.bytes } else { 0 };
        self.compressed_files += u64::from(file.compressed);
        self.empty_files += u64::from(file.bytes == 0);
        let precedes = |one: &RolloutFile| file.bytes > one.bytes || file.bytes == one.bytes && one.path() > file.path();
        let place = self.largest.iter().position(precedes).unwrap_or(self.largest.len());
        if place < SessionStore::LARGEST {
            self.largest.truncate(SessionStore::LARGEST - 1);
            self.largest.insert(place, file.clone());
        }
    }

    /// The month in a rollout's name, which is local time; for a name of another make, that in which it was last written to.
    fn month(&self, file: &RolloutFile) -> String {
        let stamp = file.name().strip_prefix("rollout-").and_then(|rest| rest.get(..7)).filter(|stamp| is_month(stamp));
        stamp.map(str::to_owned).unwrap_or_else(|| {
            let written = file.modified.map_or(DateTime::UNIX_EPOCH, DateTime::<Utc>::from);
            (written + TimeDelta::seconds(i64::from(self.utc_offset_s))).format("%Y-%m").to_string()
        })
    }

    pub(super) fn store(self, redactor: &Redactor) -> SessionStore {
        SessionStore {
            files: self.months.values().map(|month| month.files).sum(),
            bytes: self.months.values().map(|month| month.bytes).sum(),
            largest: self
                .largest
                .iter()
                .map(|file| LargeFile { file: listing::shown(redactor, &file.path()), bytes: file.bytes })
                .collect(),
            months: self.months.into_values().collect(),
            compressed_files: self.compressed_files,
            empty_files: self.empty_files,
            ..SessionStore::default()
        }
    }
}

/// Whether a text is a month, `2026-11`.
fn is_month(text: &str) -> bool {
    let number = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit()).then(|| part.parse::<u32>().ok()).flatten();
    let Some((year, month)) = text.split_once('-') else { return false };
    year.len() == 4 && number(year).is_some() && month.len() == 2 && number(month).is_some_and(|month| (1..=12).contains(&month))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::collect::sessions::tests::{any_redactor, rollout_name};

    fn file(name: &str, bytes: u64) -> RolloutFile {
        RolloutFile::new(&Arc::from(Path::new("")), name.into(), bytes, name.ends_with(".zst"))
    }

    #[test]
    fn the_month_is_that_of_the_name_and_else_that_of_the_last_writing() {
        let tally = Tally::new(3600);
        assert_eq!(tally.month(&file("rollout-2026-11-30T23-59-59-x.jsonl", 1)), "2026-11");
        let written = DateTime::parse_from_rfc3339("2026-10-31T23:30:00Z").unwrap();
        for name in ["rollout-x.jsonl", "rollout-2026-13-01T.jsonl", "rollout-日本語日本語.jsonl"] {
            let mut odd = file(name, 1);
            odd.modified = Some(written.into());
            assert_eq!(tally.month(&odd), "2026-11", "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_months_add_up_to_the_totals_and_the_largest_are_the_largest(
            files in prop::collection::vec((2024..2027_i32, 1..13_u32, 0..50_u64, any::<bool>(), any::<bool>()), 0..60),
        ) {
            let mut tally = Tally::new(0);
            for (number, (year, month, bytes, compressed, archived)) in files.iter().enumerate() {
                let file = file(&rollout_name(*year, *month, number, *compressed), *bytes);
                tally.add(&RolloutFile { archived: *archived, ..file });
            }
            let store = tally.store(&any_redactor());
            let sum = |field: fn(&Month) -> u64| store.months.iter().map(field).sum::<u64>();
            prop_assert_eq!(store.files, files.len() as u64);
            prop_assert_eq!(sum(|month| month.files), store.files);
            prop_assert_eq!(sum(|month| month.bytes), store.bytes);
            prop_assert_eq!(store.bytes, files.iter().map(|file| file.2).sum::<u64>());
            prop_assert_eq!(sum(|month| month.archived_files), files.iter().filter(|file| file.4).count() as u64);
            prop_assert!(store.months.iter().all(|month| month.archived_bytes <= month.bytes));
            prop_assert!(store.months.is_sorted_by(|one, other| one.month < other.month));
            let mut sizes: Vec<u64> = files.iter().map(|file| file.2).collect();
            sizes.sort_unstable_by(|one, other| other.cmp(one));
            sizes.truncate(SessionStore::LARGEST);
            prop_assert_eq!(store.largest.iter().map(|file| file.bytes).collect::<Vec<_>>(), sizes);
        }
    }
}

//! The model lists that are bundled with Codex, by release: `model-catalogue.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::providers::{Release, release};
use crate::facts::model_cache::ListedModel;

/// What the lists say of one model, from one release to another.
#[derive(Debug)]
pub struct Row {
    /// The first release that was read in which it holds.
    pub since: String,
    /// The first release that was read in which it holds no more.
    pub until: Option<String>,
    /// What it says.
    pub model: ListedModel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    slug: String,
    since: String,
    until: Option<String>,
    listed: bool,
    #[serde(default = "yes")]
    supported_in_api: bool,
    efforts: Vec<String>,
    default_effort: Option<String>,
    tiers: Vec<String>,
    context_window: Option<u64>,
    max_context_window: Option<u64>,
    upgrade: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    since: String,
    slug: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
    releases: Vec<String>,
    first: Vec<First>,
    model: Vec<Line>,
}

/// The file as it is asked.
struct Catalogue {
    releases: Vec<String>,
    first: Vec<First>,
    rows: Vec<Row>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let file: File = knowledge!("model-catalogue");
    let row = |line: Line| Row {
        since: line.since,
        until: line.until,
        model: ListedModel {
            slug: line.slug,
            listed: line.listed,
            supported_in_api: Some(line.supported_in_api),
            efforts: line.efforts,
            default_effort: line.default_effort,
            tiers: line.tiers,
            context_window: line.context_window,
            max_context_window: line.max_context_window,
            upgrade: line.upgrade,
        },
    };
    Catalogue { releases: file.releases, first: file.first, rows: file.model.into_iter().map(row).collect() }
});

/// The releases whose list was read, oldest first.
pub fn releases() -> &'static [String] {
    &CATALOGUE.releases
}

/// The newest release whose list was read.
pub fn newest() -> &'static str {
    CATALOGUE.releases.last().map_or("", String::as_str)
}

/// All rows, by slug and release.
pub fn rows() -> &'static [Row] {
    &CATALOGUE.rows
}

/// What the list of `version` says of the model named `slug`; of the newest release when the version is not known or newer.
///
/// A release between two that were read, of which only the later one has the model, is given the benefit of the doubt.
pub fn at(slug: &str, version: Option<&str>) -> Option<&'static ListedModel> {
    let mut rows = CATALOGUE.rows.iter().filter(|row| row.model.slug == slug);
    let Some(version) = version.and_then(release).filter(|version| Some(*version) < release(newest())) else {
        return rows.find(|row| row.until.is_none()).map(|row| &row.model);
    };
    let rows: Vec<&Row> = rows.collect();
    let holds = |row: &&&Row| begins(row) <= version && row.until.as_deref().and_then(release).is_none_or(|until| version < until);
    let between = |row: &&&Row| version < begins(row) && before(row).is_none_or(|before| version > before);
    let row = rows.iter().find(holds).or_else(|| rows.first().filter(between));
    row.map(|row| &row.model)
}

/// The list of `version`, in the order of the file.
pub fn list(version: Option<&str>) -> impl Iterator<Item = &'static ListedModel> {
    let version = version.map(str::to_owned);
    let slugs = CATALOGUE.rows.chunk_by(|one, other| one.model.slug == other.model.slug).filter_map(|rows| rows.first());
    slugs.filter_map(move |row| at(&row.model.slug, version.as_deref()))
}

/// The model that `version` takes when none is named.
pub fn first(version: Option<&str>) -> Option<&'static str> {
    let version = version.and_then(release);
    let in_time = |first: &&First| match (version, release(&first.since)) {
        (Some(version), Some(since)) => since <= version,
        _ => true,
    };
    let first = CATALOGUE.first.iter().rev().find(in_time).or(CATALOGUE.first.first());
    first.map(|first| first.slug.as_str())
}

/// The release that brought the model, where an older one that was read lacks it.
pub fn since(slug: &str) -> Option<&'static str> {
    let row = CATALOGUE.rows.iter().find(|row| row.model.slug == slug)?;
    before(row).map(|_| row.since.as_str())
}

/// The first release without the model, when it has gone for good.
pub fn gone(slug: &str) -> Option<&'static str> {
    CATALOGUE.rows.iter().rfind(|row| row.model.slug == slug)?.until.as_deref()
}

/// What Codex proposed instead of the model at last, and instead of that, as far as the list of `version` has it.
pub fn successor(slug: &str, version: Option<&str>) -> Option<&'static str> {
    let mut slug = slug;
    // Proposals form a chain of a few links; a ring would be a fault of the data.
    for _ in 0..CATALOGUE.rows.len() {
        let proposed =
            CATALOGUE.rows.iter().rev().filter(|row| row.model.slug == slug).find_map(|row| row.model.upgrade.as_deref());
        match proposed {
            Some(next) if at(next, version).is_some() => return Some(next),
            Some(next) => slug = next,
            None => return None,
        }
    }
    None
}

/// The last release that was read before a row begins.
fn before(row: &Row) -> Option<Release> {
    let place = CATALOGUE.releases.iter().position(|release| *release == row.since)?;
    release(CATALOGUE.releases.get(place.checked_sub(1)?)?)
}

fn begins(row: &Row) -> Release {
    release(&row.since).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_file_is_whole_and_a_model_has_one_row_at_a_time() {
        let releases: Vec<Release> = releases().iter().map(|text| release(text).unwrap()).collect();
        assert!(releases.is_sorted_by(|one, other| one < other));
        for row in rows() {
            let slug = &row.model.slug;
            assert!(super::releases().contains(&row.since), "{slug}: {}", row.since);
            assert!(row.until.as_ref().is_none_or(|until| super::releases().contains(until)), "{slug}");
            assert!(row.until.as_deref().and_then(release).is_none_or(|until| begins(row) < until), "{slug}");
            assert!(!row.model.efforts.is_empty() && row.model.context_window <= row.model.max_context_window, "{slug}");
            assert!(row.model.default_effort.as_ref().is_none_or(|effort| row.model.efforts.contains(effort)), "{slug}");
        }
        for pair in rows().windows(2).filter(|pair| pair[0].model.slug == pair[1].model.slug) {
            assert!(pair[0].until.as_deref().and_then(release).is_some_and(|until| until <= begins(&pair[1])));
        }
        let slugs: BTreeSet<&str> = rows().iter().map(|row| row.model.slug.as_str()).collect();
        for first in &CATALOGUE.first {
            assert!(at(&first.slug, Some(&first.since)).is_some_and(|model| model.listed), "{}", first.slug);
        }
        for upgrade in rows().iter().filter_map(|row| row.model.upgrade.as_deref()) {
            assert!(slugs.contains(upgrade), "{upgrade}");
        }
    }

    #[test]
    fn each_release_has_the_list_of_its_time() {
        let slugs = |version| list(Some(version)).map(|model| model.slug.as_str()).collect::<Vec<_>>();
        let old = ["codex-auto-review", "gpt-5.2", "gpt-5.3-codex", "gpt-5.4", "gpt-5.4-mini", "gpt-5.5"];
        assert_eq!(slugs("0.142.5"), old);
        assert_eq!(slugs("0.118.0"), old, "older than all that were read: nothing is held against it");
        assert_eq!(slugs("0.171.0").len(), 14);
        assert_eq!(slugs("0.999.0"), slugs("0.171.0"));
        assert!(at("gpt-6.2-sol", Some("0.169.0")).is_none() && at("gpt-6.2-sol", None).is_some());
        assert!(at("gpt-6.2-sol", Some("0.170.0")).is_some(), "not known to lack it");
        assert_eq!(first(Some("0.142.5")), Some("gpt-5.5"));
        assert_eq!(first(Some("0.165.0")), Some("gpt-6.1-sol"));
        assert_eq!(first(None), Some("gpt-6.2-sol"));
    }

    #[test]
    fn what_changed_between_releases_is_told_as_it_was() {
        let window = |version| at("gpt-5.6-sol", Some(version)).and_then(|model| model.max_context_window);
        assert_eq!((window("0.144.0"), window("0.146.1"), window("0.171.0")), (Some(372_000), Some(272_000), Some(872_000)));
        let tiers = |version| at("gpt-5.6-sol", Some(version)).map(|model| model.tiers.len());
        assert_eq!((tiers("0.153.4"), tiers("0.160.1")), (Some(2), Some(1)));
    }

    #[test]
    fn a_model_that_has_gone_leads_to_the_one_that_took_its_place() {
        assert_eq!(gone("gpt-5.4"), Some("0.158.0"));
        assert!(at("gpt-5.4", Some("0.157.1")).is_some() && at("gpt-5.4", Some("0.158.0")).is_none());
        assert_eq!(successor("gpt-5.3-codex", Some("0.142.5")), Some("gpt-5.4"));
        assert_eq!(successor("gpt-5.3-codex", None), Some("gpt-6-sol"));
        assert_eq!(successor("gpt-6.2-sol", None), None);
        assert_eq!((since("gpt-5.5"), since("gpt-6-sol")), (None, Some("0.156.1")));
    }
}

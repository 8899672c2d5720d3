//! Error signatures: what a failed request looks like, by structure: `signatures.toml`.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex_lite::Regex;
use serde::Deserialize;

use super::pattern::Family;
use crate::errors::shape::Tag;
use crate::kind::Target;
use crate::subject::Route;

/// Who wrote the words that a signature knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Author {
    /// Codex itself.
    Codex,
    /// The model's API.
    Server,
    /// A relay, pool or gateway.
    Relay,
    /// The operating system or a network library.
    Os,
    /// The person who describes the failure.
    Person,
}

impl Author {
    /// Its name, as an argument of messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Server => "server",
            Self::Relay => "relay",
            Self::Os => "os",
            Self::Person => "person",
        }
    }
}

/// How much a signature says. Where a higher rank was found, lower ones weigh nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rank {
    /// A notice or a wrapper around the real error.
    Notice,
    /// An error that several causes share.
    Family,
    /// Words or a code that name a kind.
    Specific,
}

/// One row of `signatures.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// The finding's code is `errors.<id>`.
    pub(crate) id: String,
    pub(crate) author: Author,
    pub(crate) rank: Rank,
    /// Whether it keeps its weight beside signatures of a higher rank.
    #[serde(default)]
    pub(crate) keeps: bool,
    /// Words that persons also drop in passing: beside another error they weigh nothing.
    #[serde(default)]
    pub(crate) yields: bool,
    /// Wordings, as patterns over the folded text; one is enough.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Error codes, types and client classifications, anywhere in the text as whole words or stored beside it; one is enough.
    #[serde(default)]
    pub(crate) codes: Vec<String>,
    /// Codes that count only as the value of a code field, because they are common words.
    #[serde(default)]
    pub(crate) fields: Vec<String>,
    /// Whether its words are as good beside an error that keeps its weight.
    #[serde(default)]
    pub(crate) beside: bool,
    /// HTTP statuses, one of which must be there.
    #[serde(default)]
    pub(crate) status: Vec<u16>,
    /// Structure that must be there.
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
    /// Structure that must not be there.
    #[serde(default)]
    pub(crate) without: Vec<Tag>,
    /// Wordings that must not be there.
    #[serde(default)]
    pub(crate) unless: Vec<String>,
    /// Only on these routes.
    pub(crate) routes: Option<Vec<Route>>,
    /// Only for records of this Codex version and newer ones.
    pub(crate) since: Option<String>,
    /// Only for records of older Codex versions than this.
    pub(crate) before: Option<String>,
    /// Findings of one underlying fault share a group.
    #[serde(default = "error_group")]
    pub(crate) group: String,
    /// Decibans by kind or cause.
    #[serde(default)]
    pub(crate) weights: BTreeMap<String, i16>,
    /// Decibans where the request went to OpenAI's host, in place of `weights`.
    pub(crate) official: Option<BTreeMap<String, i16>>,
    /// Decibans where it went elsewhere, in place of `weights`.
    pub(crate) relay: Option<BTreeMap<String, i16>>,
    /// Kinds and causes that this proves impossible; `@name` is a set.
    #[serde(default)]
    pub(crate) excludes: Vec<String>,
    /// Values that its message shows, by the name of a capture.
    #[serde(default)]
    pub(crate) capture: Vec<String>,
    /// For a person's words: they count only beside one of these signatures, by id.
    #[serde(default)]
    pub(crate) with: Vec<String>,
    /// For a person's words: whether they are a failure by themselves.
    #[serde(default)]
    pub(crate) alone: bool,
    /// Ids of advice.
    #[serde(default)]
    pub(crate) advice: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code, reason = "documentation of the data"))]
    pub(crate) source: String,
}

fn error_group() -> String {
    "error-text".to_owned()
}

/// What an exclusion weighs: stronger than any hint, not stronger than a proof of the contrary.
const EXCLUDED: i16 = -25;

/// How a value is cut out of a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaptureRow {
    name: String,
    pattern: String,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sets: BTreeMap<String, Vec<String>>,
    capture: Vec<CaptureRow>,
    signature: Vec<Row>,
}

/// A row with its patterns built.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) row: Row,
    pub(crate) words: Option<Family>,
    pub(crate) unless: Option<Family>,
    since: Option<Version>,
    before: Option<Version>,
    excluded: Vec<Target>,
}

impl Signature {
    /// The finding's code.
    pub(crate) fn code(&self) -> String {
        format!("errors.{}", self.row.id)
    }

    /// What it weighs on `route`, exclusions included.
    pub(crate) fn weights(&self, route: Route) -> Vec<(Target, i16)> {
        let on_route = match route {
            Route::Official => self.row.official.as_ref(),
            Route::Relay => self.row.relay.as_ref(),
            Route::Unknown => None,
        };
        let table = on_route.unwrap_or(&self.row.weights);
        let named = table.iter().filter_map(|(name, decibans)| Some((Target::parse(name)?, *decibans)));
        let mut weights: Vec<(Target, i16)> = named.collect();
        for target in &self.excluded {
            if !weights.iter().any(|(known, _)| known == target) {
                weights.push((*target, EXCLUDED));
            }
        }
        weights
    }

    /// Whether a record of Codex `version` can carry it. An unknown version is taken for a current one.
    pub(crate) fn fits_version(&self, version: Option<Version>) -> bool {
        let Some(version) = version else { return self.row.before.is_none() };
        self.since.is_none_or(|since| version >= since) && self.before.is_none_or(|before| version < before)
    }
}

/// Which signatures a record of Codex `version` can carry: the same ones as any other version of the same generation.
pub(crate) fn generation(version: Option<&str>) -> usize {
    static BOUNDS: LazyLock<Vec<Version>> = LazyLock::new(|| {
        let bounds = |signature: &Signature| [signature.since, signature.before];
        let mut bounds: Vec<Version> = signatures().iter().flat_map(bounds).flatten().collect();
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    });
    version.and_then(number).map_or(usize::MAX, |version| BOUNDS.partition_point(|bound| *bound <= version))
}

/// A release of Codex.
pub(crate) type Version = (u32, u32, u32);

/// `0.155.1-alpha.2` as numbers; nothing for the versions of other clients.
pub(crate) fn number(version: &str) -> Option<Version> {
    let mut parts = version.split(['.', '-', '+']).map(str::parse::<u32>);
    Some((parts.next()?.ok()?, parts.next()?.ok()?, parts.next().and_then(Result::ok).unwrap_or(0)))
}

struct Known {
    signatures: Vec<Signature>,
    captures: BTreeMap<String, (String, OnceLock<Regex>)>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let file: File = knowledge!("signatures");
    let excluded = |row: &Row| {
        let names = row.excludes.iter().flat_map(|name| match name.strip_prefix('@') {
            Some(set) => file.sets.get(set).cloned().unwrap_or_default(),
            None => vec![name.clone()],
        });
        names.filter_map(|name| Target::parse(&name)).collect()
    };
    let captures = file.capture.iter().map(|row| (row.name.clone(), (row.pattern.clone(), OnceLock::new()))).collect();
    let signatures = file
        .signature
        .iter()
        .map(excluded)
        .collect::<Vec<Vec<Target>>>()
        .into_iter()
        .zip(file.signature)
        .map(|(excluded, row)| Signature {
            words: Family::any_of(&row.words),
            unless: Family::any_of(&row.unless),
            since: row.since.as_deref().and_then(number),
            before: row.before.as_deref().and_then(number),
            excluded,
            row,
        })
        .collect();
    Known { signatures, captures }
});

/// A capture works on text in its own case.
fn capture(source: &str) -> Regex {
    Regex::new(&format!("(?i){source}")).expect("signatures.toml is checked by a test")
}

/// All signatures in the order of the file.
pub(crate) fn signatures() -> &'static [Signature] {
    &KNOWN.signatures
}

/// All patterns, for the test that finds their literals.
#[cfg(test)]
pub(crate) fn sources() -> Vec<String> {
    let rows = signatures().iter().map(|signature| &signature.row);
    rows.flat_map(|row| row.words.iter().chain(&row.unless)).cloned().collect()
}

/// The last value of the capture `name` in `text`.
pub(crate) fn captured(name: &str, text: &str) -> Option<String> {
    let (source, built) = KNOWN.captures.get(name)?;
    let found = built.get_or_init(|| capture(source)).captures_iter(text).last()?;
    let value = found.iter().skip(1).flatten().next()?.as_str().trim().trim_end_matches(['.', ',']);
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_sound_and_in_lower_case() {
        let file: File = knowledge!("signatures");
        file.capture.iter().for_each(|row| drop(capture(&row.pattern)));
        for signature in signatures() {
            [&signature.words, &signature.unless].into_iter().flatten().for_each(Family::build);
            for source in signature.row.words.iter().chain(&signature.row.unless) {
                let classes = [r"\S", r"\D", r"\W", r"\B"].iter().fold(source.clone(), |source, class| source.replace(class, ""));
                assert!(!classes.chars().any(|letter| letter.is_ascii_uppercase()), "{}: {source}", signature.row.id);
            }
        }
    }

    #[test]
    fn every_row_is_sound() {
        let mut ids = std::collections::BTreeSet::new();
        for signature in signatures() {
            let row = &signature.row;
            assert!(ids.insert(&row.id), "{} twice", row.id);
            assert!(!row.source.is_empty(), "{}", row.id);
            for table in [Some(&row.weights), row.official.as_ref(), row.relay.as_ref()].into_iter().flatten() {
                assert!(table.keys().all(|name| Target::parse(name).is_some()), "{}: {table:?}", row.id);
            }
            let file: File = knowledge!("signatures");
            let known_set = |name: &str| file.sets.contains_key(name);
            assert!(
                row.excludes.iter().all(|name| match name.strip_prefix('@') {
                    Some(set) => known_set(set),
                    None => Target::parse(name).is_some(),
                }),
                "{}",
                row.id
            );
            assert!(
                row.capture.iter().all(|name| ["status", "host"].contains(&name.as_str()) || KNOWN.captures.contains_key(name)),
                "{}",
                row.id
            );
            assert!(
                !(row.words.is_empty()
                    && row.codes.is_empty()
                    && row.fields.is_empty()
                    && row.tags.is_empty()
                    && row.status.is_empty()),
                "{} matches everything",
                row.id
            );
        }
    }

    #[test]
    fn a_row_that_counts_only_beside_others_names_real_ones() {
        let known = |id: &String| signatures().iter().any(|signature| signature.row.id == *id);
        for signature in signatures() {
            assert!(signature.row.with.iter().all(known), "{}", signature.row.id);
        }
    }

    #[test]
    fn versions_of_one_generation_fit_the_same_signatures() {
        let fitting =
            |version: &str| -> Vec<bool> { signatures().iter().map(|signature| signature.fits_version(number(version))).collect() };
        let versions: Vec<String> = (100..=180).map(|minor| format!("0.{minor}.0")).collect();
        let mut generations = 0;
        for pair in versions.windows(2) {
            let same = generation(Some(&pair[0])) == generation(Some(&pair[1]));
            generations += usize::from(!same);
            assert!(!same || fitting(&pair[0]) == fitting(&pair[1]), "{pair:?}");
        }
        assert!((1..20).contains(&generations), "{generations}");
    }

    #[test]
    fn versions_of_other_clients_are_no_version_of_codex() {
        assert_eq!(number("0.155.1"), Some((0, 155, 1)));
        assert_eq!(number("0.130.0-alpha.5"), Some((0, 130, 0)));
        assert_eq!(number("app-26.513.40821"), None);
    }
}

//! Words in the model's own answer: `answer-words.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::pattern::Family;
use super::text::Text;
use crate::kind::Target;

/// One row of `answer-words.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[cfg_attr(not(test), allow(dead_code, reason = "names the row in tests"))]
    id: String,
    words: Vec<String>,
    #[serde(default)]
    status: Vec<u16>,
    /// Whether signatures that name a kind come first.
    #[serde(default)]
    late: bool,
    weights: BTreeMap<String, i16>,
    #[cfg_attr(not(test), allow(dead_code, reason = "documentation of the data"))]
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    words: Vec<Row>,
}

struct Known {
    row: Row,
    family: Option<Family>,
}

static ROWS: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let file: File = knowledge!("answer-words");
    file.words.into_iter().map(|row| Known { family: Family::any_of(&row.words), row }).collect()
});

/// All patterns, for the test that finds their literals.
#[cfg(test)]
pub(crate) fn sources() -> Vec<String> {
    ROWS.iter().flat_map(|known| known.row.words.clone()).collect()
}

/// What a message weighs, folded as for signatures, that came with `status`: by the rows before the signatures, or by the `late` ones.
pub(crate) fn weights(folded: &Text, status: Option<u16>, late: bool) -> Option<Vec<(Target, i16)>> {
    let fits_status = |row: &Row| row.status.is_empty() || status.is_some_and(|status| row.status.contains(&status));
    let found = ROWS.iter().find(|known| {
        known.row.late == late && fits_status(&known.row) && known.family.as_ref().is_some_and(|family| family.is_match(folded))
    })?;
    Some(found.row.weights.iter().filter_map(|(name, decibans)| Some((Target::parse(name)?, *decibans))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_real_kinds_and_its_source() {
        for Known { row, family } in ROWS.iter() {
            assert!(family.is_some() && row.source.contains("20"), "{}", row.id);
            assert!(row.weights.keys().all(|name| Target::parse(name).is_some()), "{}", row.id);
        }
    }
}

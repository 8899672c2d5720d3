//! Keys of other tools and of the folklore: `foreign-keys.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A key that people set and that Codex never had, or has elsewhere.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignKey {
    /// Its name; the last segment of the path counts.
    pub key: String,
    /// The table of named tables in which the row counts, in the place of one that counts anywhere.
    pub below: Option<String>,
    /// The id of the message that tells what to do instead, `config-foreign-<hint>`.
    pub hint: String,
    /// Advice that it calls for.
    pub advice: Option<String>,
    /// What `fix` can do with it, if anything.
    pub mend: Option<ForeignMend>,
    /// The name that Codex has for it, when it has one.
    pub to: Option<String>,
    /// Where it is seen.
    pub source: String,
}

/// What can be done with a foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForeignMend {
    /// Nothing could become of it: it goes.
    Remove,
    /// Codex has another name for it.
    Rename,
    /// Its keys belong to the root.
    Unfold,
    /// It belongs into the table of a provider.
    Provider,
    /// It goes, but it may be the only place where a key is kept.
    Secret,
}

#[derive(Deserialize)]
struct ForeignFile {
    foreign: Vec<ForeignKey>,
}

static FOREIGN: LazyLock<Vec<ForeignKey>> = LazyLock::new(|| {
    let file: ForeignFile = knowledge!("foreign-keys");
    file.foreign
});

/// What is known of a key that Codex does not have, by its last segment alone.
pub fn foreign(name: &str) -> Option<&'static ForeignKey> {
    FOREIGN.iter().find(|row| row.below.is_none() && row.key.eq_ignore_ascii_case(name))
}

/// What is known of a key that Codex does not have at this place.
pub fn foreign_at(path: &[String]) -> Option<&'static ForeignKey> {
    let name = path.last()?;
    let here = path.first().filter(|_| path.len() == 3);
    let is_here = |row: &&ForeignKey| row.below.as_ref().is_some_and(|below| Some(below) == here);
    FOREIGN.iter().filter(is_here).find(|row| row.key.eq_ignore_ascii_case(name)).or_else(|| foreign(name))
}

/// All foreign keys.
pub fn foreign_keys() -> &'static [ForeignKey] {
    &FOREIGN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::config::root;

    #[test]
    fn a_foreign_key_is_no_key_of_codex() {
        let mut seen = Vec::new();
        for row in foreign_keys() {
            let table =
                row.below.as_ref().map_or(root(), |below| root().child(below).and_then(|(node, _)| node.child("x")).unwrap().0);
            assert!(!table.knows(&row.key), "{row:?}");
            assert!(row.below.is_none() || row.to.as_ref().is_none_or(|to| table.knows(to)), "{row:?}");
            assert!(!row.source.is_empty() && !seen.contains(&(&row.below, &row.key)));
            assert_eq!(row.mend == Some(ForeignMend::Rename), row.to.is_some(), "{}", row.key);
            seen.push((&row.below, &row.key));
        }
    }
}

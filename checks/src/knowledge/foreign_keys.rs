//! Keys of other tools and of the folklore: `foreign-keys.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A key that people set and that Codex never had, or has elsewhere.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignKey {
    /// Its name; the last segment of the path counts.
    pub key: String,
    /// The id of the message that tells what to do instead, `config-foreign-<hint>`.
    pub hint: String,
    /// Advice that it calls for.
    pub advice: Option<String>,
    /// Where it is seen.
    pub source: String,
}

#[derive(Deserialize)]
struct ForeignFile {
    foreign: Vec<ForeignKey>,
}

static FOREIGN: LazyLock<Vec<ForeignKey>> = LazyLock::new(|| {
    let file: ForeignFile =
        toml::from_str(include_str!("../../knowledge/foreign-keys.toml")).expect("foreign-keys.toml is checked by a test");
    file.foreign
});

/// What is known of a key that Codex does not have, by its last segment.
pub fn foreign(name: &str) -> Option<&'static ForeignKey> {
    FOREIGN.iter().find(|row| row.key.eq_ignore_ascii_case(name))
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
            assert!(!root().knows(&row.key), "{}", row.key);
            assert!(!row.source.is_empty() && !seen.contains(&row.key));
            seen.push(row.key.clone());
        }
    }
}

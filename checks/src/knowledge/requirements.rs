//! What a company may require: `requirements.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::config::{self, Key, Node, Status, Type};
use super::providers::{Release, release};

/// What a requirement does to the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Its value takes the place of that of the key of the same name.
    Replaces,
    /// Each entry of the table does so by itself, as a whole.
    Each,
    /// Each key inside does so by itself.
    Merges,
    /// It lists the values that another key may have.
    Allows,
    /// A rule of another kind.
    #[default]
    Other,
}

/// One key of `requirements.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its name.
    pub name: String,
    #[serde(rename = "type")]
    kind: String,
    like: Option<String>,
    #[serde(default)]
    below: Vec<String>,
    any: Option<String>,
    /// What it does.
    #[serde(default, rename = "does")]
    pub effect: Effect,
    /// The key whose values it limits.
    pub of: Option<String>,
    /// What Codex takes instead of a value that is not allowed: the first of these that is; `first`: the first of the list.
    #[serde(default, rename = "else")]
    pub instead: Vec<String>,
    /// Whether it may not be empty.
    #[serde(default)]
    pub filled: bool,
    /// A word that must be in it.
    pub needs: Option<String>,
    /// A word that counts as in it.
    pub always: Option<String>,
    /// The first probed release that knows it.
    since: Option<String>,
}

#[derive(Deserialize)]
struct File {
    key: Vec<Requirement>,
}

static ROWS: LazyLock<&'static [Requirement]> = LazyLock::new(|| {
    let file: File = knowledge!("requirements");
    file.key.leak()
});

impl Requirement {
    /// Whether the release `at` of Codex knows it.
    pub fn is_known_at(&self, at: Release) -> bool {
        self.since.as_deref().and_then(release).is_none_or(|since| since <= at)
    }

    /// Whether its values take the place of those of the configuration.
    pub fn overrides(&self) -> bool {
        matches!(self.effect, Effect::Replaces | Effect::Each | Effect::Merges)
    }

    fn node(&'static self) -> Node {
        let kind = config::kind(&self.kind).expect("requirements.toml is checked by a test");
        let like = self.like.as_deref().and_then(|key| config::root().below.get(key));
        let mut node = Node { key: Key { kind, open: true, ..Key::default() }, ..Node::default() };
        match (like, matches!(node.key.kind, Type::Array(_))) {
            (Some(element), true) => {
                node.below.insert("[]", element.clone());
            }
            (Some(like), false) => node = like.clone(),
            (None, _) => {}
        }
        for name in &self.below {
            node.key.open = false;
            node.below.insert(name, Node { key: Key { open: true, ..Key::default() }, ..Node::default() });
        }
        if let Some(kind) = self.any.as_deref().and_then(config::kind) {
            node.key.reported_at = Some(1);
            node.below.insert("*", Node { key: Key { kind, reported_at: Some(1), ..Key::default() }, ..Node::default() });
        }
        node
    }
}

/// All keys, sorted.
pub fn all() -> &'static [Requirement] {
    &ROWS
}

/// The row of the key `name`.
pub fn requirement(name: &str) -> Option<&'static Requirement> {
    ROWS.iter().find(|row| row.name == name)
}

/// Of `names`, those whose values take the place of the configuration's in the release `version`; the newest one where none is named.
pub fn overriding<'names>(names: impl Iterator<Item = &'names str>, version: Option<&str>) -> Vec<String> {
    let at = version.and_then(release).or_else(|| release(config::codex_version())).unwrap_or_default();
    let counts = |name: &&str| requirement(name).is_some_and(|row| row.overrides() && row.is_known_at(at));
    names.filter(counts).map(str::to_owned).collect()
}

/// The keys as they are in the release `at`, as a tree.
pub fn tree(at: Release) -> Node {
    let mut root = Node { key: Key { kind: Type::Struct("ConfigRequirementsToml"), ..Key::default() }, ..Node::default() };
    for row in all() {
        let mut node = row.node();
        if !row.is_known_at(at) {
            node.key.status = Status::Newer;
        }
        root.below.insert(&row.name, node);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read_and_stands_in_its_place() {
        assert!(all().len() >= 46);
        assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name), "sorted");
        for row in all() {
            assert!(config::kind(&row.kind).is_some(), "{}: {}", row.name, row.kind);
            assert!(row.since.as_deref().is_none_or(|since| release(since).is_some()), "{}", row.name);
            let limited = row.of.as_deref().is_some_and(|key| config::root().knows(key));
            assert_eq!(row.effect == Effect::Allows, limited && !row.instead.is_empty(), "{}", row.name);
            assert!(!row.overrides() || config::root().knows(&row.name), "{}: overrides nothing", row.name);
        }
        assert_eq!(tree(release("0.171.0").unwrap()).below.len(), all().len());
    }

    #[test]
    fn a_release_knows_what_it_has() {
        let (old, new) = (release("0.142.5").unwrap(), release("0.171.0").unwrap());
        assert!(tree(new).knows("otel") && !tree(old).knows("otel") && tree(old).knows("allowed_sandbox_modes"));
        let names = || ["features", "model_provider", "rules"].into_iter();
        assert_eq!(overriding(names(), Some("0.142.5")), ["features"], "a provider could not be required then");
        assert_eq!(overriding(names(), None), ["features", "model_provider"]);
    }
}

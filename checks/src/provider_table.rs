//! The providers that the configuration defines, after all layers are merged.

use crate::facts::config::{Config, Entry, Layer, Scalar, ValueKind};
use crate::finding::Place;

/// One `[model_providers.ID]`.
#[derive(Clone, Copy)]
pub(crate) struct ProviderTable<'config> {
    /// Its id.
    pub(crate) id: &'config str,
    /// Whether Codex asks it.
    pub(crate) selected: bool,
    config: &'config Config,
}

/// The id of the provider that Codex selects.
pub(crate) fn selected_id(config: &Config) -> &str {
    config.text(&["model_provider"]).unwrap_or("openai")
}

impl<'config> ProviderTable<'config> {
    /// All of them, sorted by id.
    pub(crate) fn all(config: &'config Config) -> Vec<Self> {
        let selected = selected_id(config);
        let is_table =
            |id: &&str| config.effective(&["model_providers", id]).is_some_and(|(_, entry)| entry.kind == ValueKind::Table);
        let ids = config.names_below(&["model_providers"]).into_iter().filter(is_table);
        ids.map(|id| Self { id, selected: id == selected, config }).collect()
    }

    /// The string that is set for `key`, redacted.
    pub(crate) fn text(&self, key: &str) -> Option<&'config str> {
        match &self.entry(key)?.1.value {
            Some(Scalar::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether `key` is `true`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.config.flag(&["model_providers", self.id, key]).unwrap_or(false)
    }

    /// Whether `key` is set.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The names in the table `key`.
    pub(crate) fn names(&self, key: &str) -> Vec<&'config str> {
        self.config.names_below(&["model_providers", self.id, key])
    }

    /// Where `key` is set.
    pub(crate) fn place(&self, key: &str) -> Option<Place> {
        Place::of(self.entry(key)?)
    }

    fn entry(&self, key: &str) -> Option<(&'config Layer, &'config Entry)> {
        self.config.effective(&["model_providers", self.id, key])
    }
}

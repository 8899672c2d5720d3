//! Ready configurations of a spare provider: `snippets.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::models::Clause;

/// A configuration to save as `ID.config.toml` in the Codex home.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snippet {
    /// Its stable id, the name of the profile.
    pub id: String,
    /// The provider's name.
    pub name: String,
    /// The variable that holds the key; absent for a local server.
    pub key: Option<String>,
    /// The command that does the same without a file, where there is one.
    pub command: Option<String>,
    /// The file.
    pub config: String,
    /// What to know or to change.
    pub note: Clause,
    /// Where it says that the provider speaks the Responses API, and when that was read.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    snippet: Vec<Snippet>,
}

static SNIPPETS: LazyLock<Vec<Snippet>> = LazyLock::new(|| {
    let file: File = knowledge!("snippets");
    file.snippet
});

/// All snippets, in the order of the file.
pub fn all() -> &'static [Snippet] {
    &SNIPPETS
}

/// The snippet `id`.
pub fn snippet(id: &str) -> Option<&'static Snippet> {
    SNIPPETS.iter().find(|snippet| snippet.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::providers;

    #[test]
    fn a_snippet_selects_what_it_defines_and_names_its_key_by_variable() {
        for snippet in all() {
            let config: toml::Table = toml::from_str(&snippet.config).unwrap();
            let selected = config["model_provider"].as_str().unwrap();
            assert!(config["model"].as_str().is_some_and(|model| !model.is_empty()) && snippet.source.contains("read 20"));
            let defined = config.get("model_providers").and_then(|providers| providers.get(selected));
            assert_eq!(defined.is_none(), providers::is_built_in(selected), "{}", snippet.id);
            let Some(defined) = defined.and_then(toml::Value::as_table) else {
                assert!(snippet.key.is_none() && snippet.command.is_some(), "{}", snippet.id);
                continue;
            };
            assert_eq!(defined["env_key"].as_str(), snippet.key.as_deref());
            assert!(!defined.contains_key("experimental_bearer_token") && !defined.contains_key("http_headers"));
            assert!(defined["base_url"].as_str().is_some_and(|base| base.ends_with("/v1")), "{}", snippet.id);
        }
    }
}

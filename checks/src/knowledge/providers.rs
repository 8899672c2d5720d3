//! Providers that are built into Codex: `providers.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A provider that Codex brings along.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Its id.
    pub id: String,
    /// Whether it may not be redefined.
    #[serde(default)]
    pub reserved: bool,
    /// Whether some of its keys may be set.
    #[serde(default)]
    pub adaptable: bool,
    /// Its address without any setting, where that does not depend on a region.
    pub base: Option<String>,
    /// Its address with a ChatGPT login.
    pub chatgpt_base: Option<String>,
}

#[derive(Deserialize)]
struct File {
    provider: Vec<Provider>,
}

static FILE: LazyLock<File> = LazyLock::new(|| knowledge!("providers"));

/// The built-in provider `id`. Ids are case-sensitive: `OpenAI` is nobody's.
pub fn provider(id: &str) -> Option<&'static Provider> {
    FILE.provider.iter().find(|provider| provider.id == id)
}

/// The ids of all of them.
pub fn ids() -> impl Iterator<Item = &'static str> {
    FILE.provider.iter().map(|provider| provider.id.as_str())
}

/// Whether `id` is built in.
pub fn is_built_in(id: &str) -> bool {
    provider(id).is_some()
}

/// Whether `id` may not be redefined.
pub fn is_reserved(id: &str) -> bool {
    provider(id).is_some_and(|provider| provider.reserved)
}

/// Whether `id` is built in, but some of its keys may be set.
pub fn is_adaptable(id: &str) -> bool {
    provider(id).is_some_and(|provider| provider.adaptable)
}

/// The numbers of a release: major, minor, patch.
pub type Release = [u64; 3];

/// The numbers of a release name: `0.171.0`, also with a suffix after a `-`.
pub fn release(text: &str) -> Option<Release> {
    let core = text.trim_start_matches(['v', 'V']).split(['-', '+']).next()?;
    let mut numbers = core.split('.').map(|number| number.parse::<u64>().ok());
    Some([numbers.next()??, numbers.next().flatten().unwrap_or(0), numbers.next().flatten().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_case_sensitive_and_releases_are_ordered() {
        assert!(is_reserved("openai") && !is_reserved("OpenAI") && is_adaptable("amazon-bedrock"));
        assert!(release("0.153.4").unwrap() < release("0.171.0-alpha.3").unwrap());
    }
}

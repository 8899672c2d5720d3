//! Settings that cannot switch anything on: `harmless-settings.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A setting, with all that is below it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its dotted path; `*` stands for any name.
    pub key: String,
    /// Why it stands in its list.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    harmless: Vec<Setting>,
    guarded: Vec<Setting>,
    neutral: Vec<Setting>,
}

static FILE: LazyLock<File> = LazyLock::new(|| knowledge!("harmless-settings"));

/// Whether the setting at `path` may come into effect without a question.
pub fn is_harmless(path: &[impl AsRef<str>]) -> bool {
    FILE.harmless.iter().any(|setting| setting.covers(path))
}

/// Whether even a path in the setting at `path` may not be quoted anew without a question.
pub fn is_guarded(path: &[impl AsRef<str>]) -> bool {
    path.is_empty() || FILE.guarded.iter().any(|setting| setting.covers(path))
}

/// Whether a key that stands at `path` by mistake can be meant for nothing there but what its name says at its right place.
pub fn is_neutral(path: &[impl AsRef<str>]) -> bool {
    path.len() < 2 || FILE.neutral.iter().any(|table| table.covers(&path[..path.len() - 1]))
}

impl Setting {
    fn covers(&self, path: &[impl AsRef<str>]) -> bool {
        let mut path = path.iter().map(AsRef::as_ref);
        self.key.split('.').all(|segment| path.next().is_some_and(|name| segment == "*" || segment == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_stands_once_with_a_reason_and_none_switches_anything_on() {
        const ACTIVATING: [&str; 16] = [
            "approval",
            "sandbox",
            "trust",
            "base_url",
            "env_key",
            "token",
            "auth",
            "headers",
            "hooks",
            "notify",
            "mcp",
            "features",
            "permission",
            "wire_api",
            "service_tier",
            "model_provider",
        ];
        // Whether a table is neutral to what is moved out of it has nothing to do with what is in it.
        for list in [FILE.harmless.iter().chain(&FILE.guarded).collect::<Vec<_>>(), FILE.neutral.iter().collect()] {
            let mut seen = Vec::new();
            for setting in list {
                assert!(!setting.reason.is_empty() && !seen.contains(&&setting.key), "{}", setting.key);
                seen.push(&setting.key);
            }
        }
        for setting in &FILE.harmless {
            let name = setting.key.rsplit('.').next().unwrap();
            let limits = ["token_limit", "instructions"].iter().any(|part| name.contains(part));
            assert!(limits || ACTIVATING.iter().all(|word| !name.starts_with(word)), "{}", setting.key);
        }
    }

    #[test]
    fn what_is_below_counts_with_it_and_nothing_above() {
        assert!(is_harmless(&["history", "persistence"]) && is_harmless(&["model_providers", "p", "request_max_retries"]));
        assert!(
            !is_harmless(&["tui"]) && !is_harmless(&["approval_policy"]) && !is_harmless(&["model_providers", "p", "base_url"])
        );
        assert!(is_guarded(&["projects", "x"]) && is_guarded(&["mcp_servers", "a", "command"]) && !is_guarded(&["sqlite_home"]));
        assert!(is_neutral(&["model"]) && is_neutral(&["tui", "model"]));
        assert!(!is_neutral(&["projects", "/a", "model"]) && !is_neutral(&["model_providers", "p", "model"]));
        assert!(is_guarded(&[] as &[&str]), "a key that is not known is guarded");
    }
}

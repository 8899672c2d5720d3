//! The model list that Codex fetched and keeps in CODEX_HOME. Reads one file up to a size, keeps what it says of the models, and leaves
//! out whose login it was fetched for.

use std::io::Read;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::model_cache::{ListedModel, ModelCache};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::redact::Redactor;
use crate::world::World;

/// The name below CODEX_HOME.
const FILE: &str = "models_cache.json";
/// A larger file is not read; a real one has less than 1 MB.
const LARGEST: u64 = 16 << 20;
/// More models are no list that Codex fetched.
const MOST_MODELS: usize = 500;
/// Longer names, and more efforts or tiers of one model, are cut off.
const LONGEST_NAME: usize = 120;
const MOST_CHOICES: usize = 20;

/// The kept list. Absent when there is none; failed when it cannot be read, is no such list, or is larger than 16 MB.
pub fn collect(world: &World, redactor: &Redactor) -> Observed<ModelCache> {
    let path = world.codex_home.join(FILE);
    let source = redactor.path(&path);
    let failed = |error: &str| Observed::failed(redactor.text(error), source.clone());
    let metadata = match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Observed::absent(source),
        Err(error) => return failed(&error.to_string()),
        Ok(metadata) => metadata,
    };
    if !metadata.is_file() {
        return failed("not a file");
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(&path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => failed(&error.to_string()),
        Ok(length) if length as u64 > LARGEST => failed("larger than 16 MB"),
        // The message of the parser may quote a value: its place is enough.
        Ok(_) => match serde_json::from_slice::<File>(&bytes) {
            Ok(file) => Observed::known(file.list(redactor), source),
            Err(error) => failed(&format!("no model list (line {}, column {})", error.line(), error.column())),
        },
    }
}

/// The file, as far as it is of interest.
#[derive(Deserialize)]
struct File {
    #[serde(default, deserialize_with = "lenient")]
    fetched_at: Option<DateTime<Utc>>,
    #[serde(default, deserialize_with = "lenient")]
    client_version: Option<String>,
    models: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    slug: String,
    #[serde(default, deserialize_with = "lenient")]
    visibility: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    supported_in_api: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    supported_reasoning_levels: Option<Vec<Level>>,
    #[serde(default, deserialize_with = "lenient")]
    default_reasoning_level: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    service_tiers: Option<Vec<Tier>>,
    #[serde(default, deserialize_with = "lenient")]
    context_window: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    max_context_window: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    upgrade: Option<Upgrade>,
}

#[derive(Deserialize)]
struct Level {
    effort: String,
}

#[derive(Deserialize)]
struct Tier {
    id: String,
}

#[derive(Deserialize)]
struct Upgrade {
    model: String,
}

/// A value of another form than the known one counts as left out: a newer Codex may write it otherwise.
fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either<T> {
        Known(T),
        Other(IgnoredAny),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Known(value) => Some(value),
        Either::Other(_) => None,
    })
}

impl File {
    fn list(self, redactor: &Redactor) -> ModelCache {
        let name = |name: String| redactor.text(&name.chars().take(LONGEST_NAME).collect::<String>());
        let names = |names: Vec<String>| names.into_iter().take(MOST_CHOICES).map(name).collect();
        let model = |model: Model| ListedModel {
            slug: name(model.slug),
            listed: model.visibility.as_deref() == Some("list"),
            supported_in_api: model.supported_in_api,
            efforts: names(model.supported_reasoning_levels.unwrap_or_default().into_iter().map(|level| level.effort).collect()),
            default_effort: model.default_reasoning_level.map(name),
            tiers: names(model.service_tiers.unwrap_or_default().into_iter().map(|tier| tier.id).collect()),
            context_window: model.context_window,
            max_context_window: model.max_context_window,
            upgrade: model.upgrade.map(|upgrade| name(upgrade.model)),
        };
        ModelCache {
            fetched_at: self.fetched_at,
            client_version: self.client_version.map(name),
            models: self.models.into_iter().take(MOST_MODELS).map(model).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codex_triage_checks::facts::run::Platform;

    fn read(content: Option<&str>) -> Observed<ModelCache> {
        let home = tempfile::tempdir().unwrap();
        let world = World::new([].into(), "/".into(), Some(home.path()), None, Platform::Linux, DateTime::UNIX_EPOCH, 0);
        if let Some(content) = content {
            std::fs::write(home.path().join(FILE), content).unwrap();
        }
        collect(&world, &Redactor::new(&world))
    }

    #[test]
    fn what_the_list_says_of_the_models_is_kept_and_whose_it_is_is_not() {
        let observed = read(Some(
            r#"{"fetched_at": "2026-11-29T21:19:30.103412109Z", "etag": "W/\"x\"", "client_version": "0.171.0", "identity": "canary",
            "models": [{"slug": "gpt-6-sol", "display_name": "canary", "visibility": "list", "supported_in_api": true,
            "supported_reasoning_levels": [{"effort": "low", "description": "canary"}], "default_reasoning_level": "low",
            "service_tiers": [{"id": "priority", "name": "Fast"}], "context_window": 272000, "max_context_window": 872000,
            "upgrade": {"model": "gpt-7", "migration_markdown": "canary"}}, {"slug": "x", "upgrade": null, "context_window": "many"}]}"#,
        ));
        let list = observed.value().unwrap();
        assert_eq!((list.client_version.as_deref(), list.models.len()), (Some("0.171.0"), 2));
        let sol = &list.models[0];
        assert!(sol.listed && sol.efforts == ["low"] && sol.tiers == ["priority"] && sol.upgrade.as_deref() == Some("gpt-7"));
        assert_eq!((sol.context_window, sol.max_context_window), (Some(272_000), Some(872_000)));
        assert_eq!(list.models[1].context_window, None);
        assert!(!serde_json::to_string(&observed).unwrap().contains("canary"));
    }

    #[test]
    fn no_file_is_absent_and_another_file_has_failed() {
        assert!(matches!(read(None).fact, codex_triage_checks::facts::Fact::Absent));
        for broken in ["", "[]", "{}", "{\"models\": \"canary\"}", "\u{feff}{}"] {
            let observed = read(Some(broken));
            assert!(matches!(observed.fact, codex_triage_checks::facts::Fact::Failed { .. }), "{broken}");
            assert!(!serde_json::to_string(&observed).unwrap().contains("canary"));
        }
    }
}

//! Files that the configuration names and that Codex reads at its start.

use std::path::{Path, PathBuf};

use codex_triage_checks::facts::config::NamedFile;

use super::project;
use super::raw::{RawTable, RawValue};
use crate::redact::Redactor;
use crate::world::World;

/// The keys, in the order in which Codex reads their files.
const KEYS: [&str; 3] = ["model_catalog_json", "model_instructions_file", "experimental_compact_prompt_file"];

/// Which of them cannot be read, and why. A relative path counts from the folder of the layer that sets it.
pub(super) fn unreadable(world: &World, redactor: &Redactor, tables: &[RawTable], folders: &[PathBuf]) -> Vec<NamedFile> {
    let named = |key: &str| {
        let of_layer = |index: usize| Some((tables.get(index)?.get(key)?, folders.get(index)?));
        (0..tables.len()).rev().find_map(of_layer)
    };
    KEYS.into_iter()
        .filter_map(|key| {
            let (value, folder) = named(key)?;
            let RawValue::String(text) = value else { return None };
            let path = resolved(world, text, folder);
            let of_user = *folder == world.codex_home || *folder == world.system_config;
            let file = if of_user { redactor.path(&path) } else { project::shown_below(&path, folder, redactor) };
            let error = error(&path, key)?.replace("{path}", &file);
            Some(NamedFile { key: key.to_owned(), file, error: redactor.text(&error) })
        })
        .collect()
}

/// `~` is the home; an empty path is the folder itself.
fn resolved(world: &World, path: &str, folder: &Path) -> PathBuf {
    match (path.strip_prefix("~/"), &world.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ if path.is_empty() => folder.to_path_buf(),
        _ => folder.join(path),
    }
}

/// The error in Codex's words.
fn error(path: &Path, key: &str) -> Option<String> {
    let catalogue = key == "model_catalog_json";
    match std::fs::metadata(path) {
        Err(error) => return Some(error.to_string()),
        Ok(metadata) if !metadata.is_file() => {
            return Some(if catalogue { "Is a directory (os error 21)" } else { "path `{path}` is not a file" }.to_owned());
        }
        // So large a file is no prompt and no catalogue; it is left to Codex.
        Ok(metadata) if metadata.len() > LARGEST => return None,
        Ok(_) => {}
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    if catalogue {
        return match serde_json::from_str::<Catalogue>(&text) {
            Ok(catalogue) if catalogue.models.is_empty() => {
                Some("model_catalog_json path `{path}` must contain at least one model".to_owned())
            }
            Ok(_) => None,
            Err(error) => Some(format!("failed to parse model_catalog_json path `{{path}}` as JSON: {error}")),
        };
    }
    text.trim().is_empty().then(|| "is empty".to_owned())
}

/// A larger file is not read.
const LARGEST: u64 = 16 << 20;

/// The outer form of a catalogue.
#[derive(serde::Deserialize)]
struct Catalogue {
    models: Vec<serde::de::IgnoredAny>,
}

//! The configuration layers, as Codex reads them in this directory.
//!
//! Reads files only, each at most up to a stated size; never a pipe or a device. Nothing is executed that they name. The facts
//! hold no secret; the merged values as they stand, which other collectors need, are in a [`RawConfig`] that is never printed.

pub(crate) mod address;
mod files;
mod layer;
mod overrides;
mod position;
mod project;
mod raw;
mod redaction;
mod requirements;
mod too_large;
mod unexplained;
mod unseen;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::config::{Config, Entry, Layer, LayerName, LayerState, ValueKind};

pub(crate) use layer::shown_lines;
pub(crate) use position::Lines;
pub use raw::RawConfig;
use raw::RawTable;

use crate::redact::Redactor;
use crate::world::World;

/// What the command line says about the configuration, with the meaning that it has for Codex.
#[derive(Clone, Debug, Default)]
pub struct ConfigRequest {
    /// `-p NAME`.
    pub profile: Option<String>,
    /// `-c KEY=VALUE`, in their order.
    pub overrides: Vec<String>,
    /// The release of Codex, where it is known: not every release has every requirement.
    pub codex_version: Option<String>,
    /// What is to be read instead of the content of some files: an edit that is looked at before it is made.
    pub drafts: Drafts,
}

/// Contents by the path of the file whose place they take.
pub type Drafts = BTreeMap<PathBuf, Vec<u8>>;

/// Reads all layers. The fact is known even where a file cannot be read or is no TOML: that is what it says then.
pub fn collect(world: &World, redactor: &Redactor, request: &ConfigRequest) -> (Observed<Config>, RawConfig) {
    let drafts = &request.drafts;
    let mut reading = Reading { world, redactor, drafts, layers: Vec::new(), tables: Vec::new(), folders: Vec::new() };
    let home_error = home_error(world, redactor);
    reading.file(LayerName::System, &world.system_config.join("config.toml"));
    reading.file(LayerName::User, &world.codex_home.join("config.toml"));
    if let Some(profile) = &request.profile {
        reading.profile(profile);
    }
    let overridden = reading.overrides(&request.overrides);
    reading.projects(&overridden);
    reading.push(overridden.layer, overridden.table, &world.directory);
    reading.file(LayerName::LegacyManaged, &world.system_config.join("managed_config.toml"));
    // Only layers that are there are facts; the user's own is one in any case.
    let unreadable_files = files::unreadable(world, redactor, &reading.tables, &reading.folders);
    let required = requirements::read(world, redactor, request.codex_version.as_deref());
    let mut raw = RawConfig::merged(&reading.layers, reading.tables);
    raw.require(&required.overriding, required.table);
    let layers = reading.layers.into_iter().filter(|layer| layer.name == LayerName::User || !is_missing(layer)).collect();
    let config = Config {
        home: redactor.path(&world.codex_home),
        home_error,
        profile: request.profile.as_deref().map(|name| redactor.name(name)),
        platform: world.platform,
        unreadable_files,
        layers,
        requirements: Some(required.layer).filter(|layer| !is_missing(layer)),
        overriding: required.overriding,
        cloud_copy: world.codex_home.join(CLOUD_COPY).is_file(),
    };
    let source = redactor.path(&world.codex_home.join("config.toml"));
    (Observed::known(config, source), raw)
}

/// Where Codex keeps what it got from the company's cloud (0.142.5 and 0.171.0).
const CLOUD_COPY: &str = "cloud-config-bundle-cache.json";

/// A text that somebody gave, as a layer: lines of a configuration, also a single one whose value lacks its quotes.
pub fn pasted(text: &str, redactor: &Redactor) -> Option<Layer> {
    const LONGEST: usize = 16 * 1024;
    if text.len() > LONGEST || !text.contains('=') && !text.trim_start().starts_with('[') {
        return None;
    }
    layer::of_text(text, redactor).or_else(|| {
        let (name, value) = text.trim().split_once('=').filter(|_| !text.trim().contains('\n'))?;
        let is_key =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        let bare = value.trim();
        let plain = is_key(name.trim()) && !bare.is_empty() && !bare.contains(['"', '\'', '\\', ' ']);
        plain.then(|| layer::of_text(&format!("{} = \"{bare}\"", name.trim()), redactor)).flatten()
    })
}

fn is_missing(layer: &Layer) -> bool {
    layer.state == LayerState::Missing
}

/// Why CODEX_HOME cannot be used. The default one may be missing: Codex makes it.
fn home_error(world: &World, redactor: &Redactor) -> Option<String> {
    if !world.codex_home_named {
        return None;
    }
    // Shown by its parts: as a whole it would become the very name that the message explains.
    let (folder, name) = (world.codex_home.parent(), world.codex_home.file_name());
    let folder = folder.map(|folder| redactor.path(folder)).unwrap_or_default();
    let name = name.map(|name| redactor.text(&name.to_string_lossy())).unwrap_or_default();
    let shown = format!("{}/{name}", folder.trim_end_matches('/'));
    let error = match std::fs::metadata(&world.codex_home) {
        Ok(metadata) if metadata.is_dir() => return None,
        Ok(_) => format!("CODEX_HOME points to {shown:?}, but that path is not a directory"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("CODEX_HOME points to {shown:?}, but that path does not exist")
        }
        Err(error) => format!("failed to read CODEX_HOME {shown:?}: {}", redactor.text(&error.to_string())),
    };
    Some(error)
}

/// The layers so far, each with its values.
struct Reading<'run> {
    world: &'run World,
    redactor: &'run Redactor,
    drafts: &'run Drafts,
    layers: Vec<Layer>,
    tables: Vec<RawTable>,
    /// The directory from which each layer's relative paths count.
    folders: Vec<PathBuf>,
}

impl Reading<'_> {
    fn file(&mut self, name: LayerName, path: &Path) {
        let (layer, table) = layer::read(name, path, &self.redactor.path(path), self.drafts, self.redactor);
        self.push(layer, table, path.parent().unwrap_or(path));
    }

    fn push(&mut self, layer: Layer, table: RawTable, folder: &Path) {
        self.layers.push(layer);
        self.tables.push(table);
        self.folders.push(folder.to_path_buf());
    }

    fn profile(&mut self, name: &str) {
        let plain = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
        if name.is_empty() || !name.chars().all(plain) {
            let shown = self.redactor.text(name);
            let message = format!("invalid --profile value `{shown}`; pass a plain name such as `work`");
            let state = LayerState::Unreadable { message };
            let layer = Layer { name: LayerName::Profile, file: None, state, entries: Vec::new() };
            self.push(layer, RawTable::new(), &self.world.codex_home);
            return;
        }
        self.file(LayerName::Profile, &self.world.codex_home.join(format!("{name}.config.toml")));
    }

    fn overrides(&self, overrides: &[String]) -> overrides::Overrides {
        overrides::read(overrides, self.redactor)
    }

    /// The layers of the project, outermost first: those that Codex trusts are taken, the others are only named. Codex reads both:
    /// a file that is no file or no UTF-8 stops it in either case (measured on 0.171.0).
    fn projects(&mut self, overridden: &overrides::Overrides) {
        let mut trusted_by = RawConfig::merged(&self.layers, self.tables.clone());
        trusted_by.overlay(&overridden.table);
        for directory in project::layers(self.world, &trusted_by) {
            let folder = directory.path.join(".codex");
            // Codex's own home may lie above a project: it is the user layer, not one of the project.
            if folder == self.world.codex_home {
                continue;
            }
            let path = folder.join("config.toml");
            let (mut layer, mut table) =
                layer::read(LayerName::Project, &path, &project::shown(&path, self.redactor), self.drafts, self.redactor);
            let parsed = !matches!(layer.state, LayerState::Missing | LayerState::Unreadable { .. });
            if parsed && !directory.trusted {
                let is_value = |entry: &&Entry| !matches!(entry.kind, ValueKind::Table | ValueKind::ArrayOfTables);
                let values = layer.entries.iter().filter(is_value).count() as u64;
                (layer.state, layer.entries, table) = (LayerState::Untrusted { values }, Vec::new(), RawTable::new());
            }
            self.push(layer, table, &folder);
        }
    }
}

#[cfg(test)]
mod tests;

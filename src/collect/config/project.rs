//! Which project files Codex reads in a directory, and whether it trusts them.
//!
//! Measured on 0.171.0: the layers reach from the project's root down to the working directory. The root is the nearest directory
//! above that has one of `project_root_markers` (by default a `.git` that is a repository), else the working directory itself. A
//! layer is trusted when `projects` names its own directory, else the project's root, else the root of the repository. A directory
//! given with `-C` is taken by its name: where that leads through a link, what lies above the link counts. `projects` may name a
//! directory as it is reached or as it really is, and in no other way: a slash at the end or `..` makes it another name.

use std::path::{Component, Path, PathBuf};

use super::raw::RawConfig;
use crate::redact::Redactor;
use crate::world::World;

/// A directory whose `.codex/config.toml` is a layer.
pub(super) struct ProjectDirectory {
    pub(super) path: PathBuf,
    pub(super) trusted: bool,
}

/// The directories of the project's layers, outermost first. `config` holds the trust: the layers below the project's.
pub(super) fn layers(world: &World, config: &RawConfig) -> Vec<ProjectDirectory> {
    let here = plain(&world.directory);
    let root = root(&here, config);
    let repository = repository(&here);
    let mut directories: Vec<&Path> = here.ancestors().take_while(|directory| directory.starts_with(&root)).collect();
    directories.reverse();
    directories
        .into_iter()
        .map(|directory| {
            let decision = [Some(directory), Some(root.as_path()), repository.as_deref()]
                .into_iter()
                .flatten()
                .find_map(|path| trust(config, path));
            ProjectDirectory { path: directory.to_path_buf(), trusted: decision == Some(true) }
        })
        .collect()
}

/// The path of a layer's file, with the project's directory as a role.
pub(super) fn shown(file: &Path, redactor: &Redactor) -> String {
    let project = file.parent().and_then(Path::parent).unwrap_or(file);
    format!("{}/.codex/config.toml", redactor.project(&project.display().to_string()))
}

/// The path of a file below a project's folder (or its `.codex`), with the project's directory as a role.
pub(super) fn shown_below(file: &Path, folder: &Path, redactor: &Redactor) -> String {
    let project = if folder.ends_with(".codex") { folder.parent().unwrap_or(folder) } else { folder };
    match file.strip_prefix(project) {
        Ok(rest) => {
            let rest = redactor.text(&rest.display().to_string());
            format!("{}/{rest}", redactor.project(&project.display().to_string())).trim_end_matches('/').to_owned()
        }
        Err(_) => redactor.path(file),
    }
}

fn root(here: &Path, config: &RawConfig) -> PathBuf {
    let path = ["project_root_markers"];
    let markers = if config.is_array(&path) { config.texts(&path) } else { vec![".git"] };
    let is_root = |directory: &&Path| {
        markers.iter().any(|marker| match *marker {
            ".git" => is_repository(directory),
            marker => directory.join(marker).exists(),
        })
    };
    here.ancestors().find(is_root).unwrap_or(here).to_path_buf()
}

/// The root of the repository; that of the main one for a linked worktree.
fn repository(here: &Path) -> Option<PathBuf> {
    let root = here.ancestors().find(|directory| is_repository(directory))?;
    let file = root.join(".git");
    if !file.is_file() {
        return Some(root.to_path_buf());
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let directory = text.lines().find_map(|line| line.strip_prefix("gitdir:")).map(|path| root.join(path.trim()));
    let main = directory.as_deref().and_then(|directory| {
        let worktrees = directory.parent().filter(|parent| parent.ends_with("worktrees"))?;
        worktrees.parent().filter(|git| git.ends_with(".git"))?.parent()
    });
    Some(main.map_or_else(|| root.to_path_buf(), real))
}

/// A `.git` that is a file, or a directory with a HEAD.
fn is_repository(directory: &Path) -> bool {
    let git = directory.join(".git");
    git.is_file() || git.join("HEAD").is_file()
}

fn trust(config: &RawConfig, directory: &Path) -> Option<bool> {
    let names = [directory.to_path_buf(), real(directory)];
    let level = |name: &PathBuf| config.text(&["projects", &name.display().to_string(), "trust_level"]);
    names.iter().find_map(level).map(|level| level == "trusted")
}

/// A path without `.` and `..`, whatever links there are.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

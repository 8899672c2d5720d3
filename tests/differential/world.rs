//! The layers of one configuration, and the folders in which they stand.

use std::fmt;
use std::path::{Path, PathBuf};

/// The text of each layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setup {
    /// `config.toml` of the user.
    pub(crate) user: String,
    /// `work.config.toml`, selected by `-p work`.
    pub(crate) profile: Option<String>,
    /// `.codex/config.toml` of the project, which the user trusts.
    pub(crate) project: Option<String>,
    /// Values of `-c`.
    pub(crate) overrides: Vec<String>,
}

impl Setup {
    /// The layer's text, for a change.
    pub(crate) fn layer_mut(&mut self, file: &str) -> Option<&mut String> {
        match file {
            "user" => Some(&mut self.user),
            "profile" => self.profile.as_mut(),
            "project" => self.project.as_mut(),
            _ => None,
        }
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "config.toml:\n{}", self.user.trim_end_matches('\n'))?;
        for (name, text) in [("work.config.toml", &self.profile), ("project", &self.project)] {
            if let Some(text) = text {
                writeln!(out, "{name}:\n{}", text.trim_end_matches('\n'))?;
            }
        }
        self.overrides.iter().try_for_each(|text| writeln!(out, "-c {text}"))
    }
}

/// A setup on the disk.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) setup: Setup,
}

impl World {
    pub(crate) fn of(setup: &Setup) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder, setup: setup.clone() };
        std::fs::create_dir_all(world.home()).unwrap();
        std::fs::create_dir_all(world.project().join(".git")).unwrap();
        std::fs::write(world.project().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let mut user = setup.user.clone();
        if let Some(project) = &setup.project {
            std::fs::create_dir_all(world.project().join(".codex")).unwrap();
            std::fs::write(world.project().join(".codex/config.toml"), project).unwrap();
            user = format!("{user}\n[projects.{:?}]\ntrust_level = \"trusted\"\n", world.project().display().to_string());
        }
        std::fs::write(world.home().join("config.toml"), user).unwrap();
        if let Some(profile) = &setup.profile {
            std::fs::write(world.home().join("work.config.toml"), profile).unwrap();
        }
        world
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("codex")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("work")
    }

    /// Which layer a file is, by the name that Codex or we give it.
    pub(crate) fn layer_of(&self, file: &str) -> String {
        let name = if file.ends_with("work.config.toml") {
            "profile"
        } else if file.ends_with(".codex/config.toml") && !file.starts_with('~') {
            "project"
        } else if file.ends_with("config.toml") {
            "user"
        } else {
            file
        };
        name.to_owned()
    }
}

//! The cases: trees of files, a directory, arguments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    directory: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    folders: Vec<String>,
    /// The link and what it points to.
    #[serde(default)]
    links: Vec<(String, String)>,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/layers")
}

pub(crate) fn all() -> Vec<Case> {
    let file: File = toml::from_str(&std::fs::read_to_string(folder().join("cases.toml")).unwrap()).unwrap();
    file.case
}

/// A case on disk.
pub(crate) struct Tree {
    folder: tempfile::TempDir,
    directory: String,
}

impl Tree {
    pub(crate) fn of(case: &Case) -> Self {
        // Not below the usual place for temporary files: Codex treats a home there in another way.
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let tree = Self { folder: tempfile::tempdir_in(base).unwrap(), directory: case.directory.clone() };
        for name in case.folders.iter().map(String::as_str).chain(["home", "etc"]) {
            std::fs::create_dir_all(tree.path(name)).unwrap();
        }
        for (name, text) in &case.files {
            std::fs::create_dir_all(tree.path(name).parent().unwrap()).unwrap();
            std::fs::write(tree.path(name), tree.filled(text)).unwrap();
        }
        for (link, target) in &case.links {
            std::os::unix::fs::symlink(tree.path(target), tree.path(link)).unwrap();
        }
        std::fs::create_dir_all(tree.directory()).unwrap();
        tree
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.path(&self.directory)
    }

    fn filled(&self, text: &str) -> String {
        text.replace("$ROOT", self.path("").to_str().unwrap().trim_end_matches('/'))
    }

    /// A text with the places of this tree in the words of the cases.
    pub(crate) fn named(&self, text: &str) -> String {
        let root = self.path("").display().to_string();
        text.replace(root.trim_end_matches('/'), "$ROOT").replace("/etc/codex", "$ROOT/etc")
    }

    pub(crate) fn args(&self, case: &Case) -> Vec<String> {
        case.args.iter().map(|arg| self.filled(arg)).collect()
    }
}

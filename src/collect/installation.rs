//! The Codex programs on PATH, with the version that the metadata of their package tells. No program is started, not even to ask for its version.

mod layout;
mod shim;

use std::path::{Path, PathBuf};

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::installation::{CodexProgram, Installation};
use codex_triage_checks::facts::run::Platform;

use crate::redact::Redactor;
use crate::world::World;
use layout::Version;

/// How often a wrapper may point to another wrapper.
const WRAPPERS: usize = 4;

/// Every Codex on PATH, in PATH's order; a program that several entries lead to is listed once. Absent when there is none.
pub fn collect(world: &World, redactor: &Redactor) -> Observed<Installation> {
    let mut reals: Vec<PathBuf> = Vec::new();
    let mut programs = Vec::new();
    for path in on_path(world) {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if reals.contains(&real) {
            continue;
        }
        let (version, version_source) = match version(&path, &real, world) {
            Ok(Version { version, source }) => (Some(redactor.text(&version)), redactor.path(&source)),
            Err(why) => (None, redactor.text(&why)),
        };
        programs.push(CodexProgram { path: redactor.path(&path), version, version_source: Some(version_source) });
        reals.push(real);
    }
    if programs.is_empty() { Observed::absent("PATH") } else { Observed::known(Installation { programs }, "PATH") }
}

/// The files that a shell would start as `codex`, at most one per folder.
fn on_path(world: &World) -> Vec<PathBuf> {
    let windows = world.platform == Platform::Windows;
    let names: &[&str] = if windows { &["codex.exe", "codex.cmd", "codex.bat", "codex.ps1"] } else { &["codex"] };
    let variable = if windows { world.variable("Path").or_else(|| world.variable("PATH")) } else { world.variable("PATH") };
    let separator = if windows { ';' } else { ':' };
    let folders = variable.unwrap_or_default().split(separator).map(|folder| folder.trim_matches('"'));
    // An empty or relative entry means another folder in each shell: nothing to tell of.
    let folders = folders.map(Path::new).filter(|folder| folder.is_absolute());
    folders.filter_map(|folder| names.iter().map(|name| folder.join(name)).find(|path| is_program(path, world.platform))).collect()
}

fn is_program(path: &Path, platform: Platform) -> bool {
    let Ok(found) = std::fs::metadata(path) else { return false };
    found.is_file() && (platform == Platform::Windows || may_be_executed(&found))
}

#[cfg(unix)]
fn may_be_executed(found: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn may_be_executed(_found: &std::fs::Metadata) -> bool {
    true
}

/// The release of a program that runs, where its place tells.
pub(crate) fn release_of(program: &Path, world: &World) -> Option<String> {
    version(program, program, world).ok().map(|found| found.version)
}

/// The version of the program at `path`, or why none can be told.
fn version(path: &Path, real: &Path, world: &World) -> Result<Version, String> {
    if let Some(version) = layout::of_manager(path) {
        return Ok(version);
    }
    let mut seen = vec![path.to_path_buf(), real.to_path_buf()];
    let mut at = real.to_path_buf();
    for _ in 0..WRAPPERS {
        // The place tells, or else the wrapper's text tells where to look.
        let told = layout::of_package(&at).or_else(|| layout::of_volta(&at, world)).or_else(|| layout::of_cargo(&at));
        if let Some(version) = told.or_else(|| layout::of_path(&at)) {
            return Ok(version);
        }
        let Some(next) = shim::target(&at, world).into_iter().find(|next| !seen.contains(next)) else { break };
        seen.push(next.clone());
        at = next.canonicalize().unwrap_or(next);
    }
    // A link in between may carry the version where its target does not.
    layout::of_path(path).ok_or_else(|| "no package metadata beside it, and its path carries no version".to_owned())
}

//! Where package managers put Codex, and what there tells its version.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::shim;
use crate::world::World;

/// A metadata file of a package is small; more is not read.
const LARGEST_METADATA: u64 = 4 * 1024 * 1024;
/// How far above a program its package may begin (`vendor/<triple>/bin/codex` is four below).
const HIGHEST: usize = 10;

/// A version and what told it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) version: String,
    pub(super) source: PathBuf,
}

/// `0.171.0`, `0.172.0-alpha.3`; a platform behind it (`-linux-x64`) is no part of the version.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^v?(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc|pre|dev|nightly)[.-]?\d*(?:\.\d+)*)?)(?:$|[-_+@])")
        .expect("a constant pattern")
});
/// A file or folder that carries name and version: `codex-0.171.0-x86_64-apple-darwin`, `codex@0.171.0`, `…-codex-0.171.0` (Nix).
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[-_.@+])codex(?:-cli|-rs)?[-_@]v?(\d+\..*)$").expect("a constant pattern"));
/// Folders between a package's name and its version.
const BETWEEN: [&str; 4] = ["releases", "versions", "installs", "rust"];

pub(super) fn bare(text: &str) -> Option<String> {
    VERSION.captures(text).map(|found| found[1].to_owned())
}

/// The nearest metadata of Codex above `program`: its own beside the binary, else a `package.json` (npm, pnpm, yarn, bun, nvm, fnm).
pub(super) fn of_package(program: &Path) -> Option<Version> {
    let folders = program.ancestors().skip(1).take(HIGHEST);
    folders
        .into_iter()
        .find_map(|folder| of_manifest(&folder.join("package.json")).or_else(|| of_own(&folder.join("codex-package.json"))))
}

/// `codex-package.json`, which recent releases put beside the binary.
fn of_own(manifest: &Path) -> Option<Version> {
    let json: serde_json::Value = serde_json::from_str(&metadata(manifest)?).ok()?;
    Some(Version { version: bare(json.get("version")?.as_str()?)?, source: manifest.to_path_buf() })
}

fn of_manifest(manifest: &Path) -> Option<Version> {
    let json: serde_json::Value = serde_json::from_str(&metadata(manifest)?).ok()?;
    let name = json.get("name")?.as_str()?;
    if name != "@openai/codex" && !name.starts_with("@openai/codex-") {
        return None;
    }
    Some(Version { version: bare(json.get("version")?.as_str()?)?, source: manifest.to_path_buf() })
}

/// Volta links every program to one shim and keeps the packages in an image folder.
pub(super) fn of_volta(program: &Path, world: &World) -> Option<Version> {
    let name = program.file_stem()?.to_str()?;
    let home = match program.parent()?.file_name()?.to_str()? {
        "bin" if program.components().any(|part| part.as_os_str() == ".volta") => program.parent()?.parent()?.to_path_buf(),
        _ if name == "volta-shim" => {
            let named = world.variable("VOLTA_HOME").map(PathBuf::from);
            named.or_else(|| world.home.as_ref().map(|home| home.join(".volta")))?
        }
        _ => return None,
    };
    let package = home.join("tools/image/packages/@openai/codex");
    let inner = ["lib/node_modules/@openai/codex", "node_modules/@openai/codex", ""];
    inner.iter().find_map(|inner| of_manifest(&package.join(inner).join("package.json")))
}

/// `.crates.toml` beside cargo's `bin`: `"codex-cli 0.171.0 (git+…)" = ["codex"]`.
pub(super) fn of_cargo(program: &Path) -> Option<Version> {
    let list = program.parent()?.parent()?.join(".crates.toml");
    let version = metadata(&list)?.lines().find_map(|line| {
        let (package, programs) = line.split_once('=')?;
        let mut words = package.trim().trim_matches('"').split(' ');
        let name = words.next().filter(|name| name.contains("codex"))?;
        let holds = programs.contains("\"codex\"") || programs.contains("\"codex.exe\"") || name == "codex-cli";
        bare(words.next().filter(|_| holds)?)
    })?;
    Some(Version { version, source: list })
}

/// asdf and mise put one shim for all versions on PATH. asdf's names the plugin and version that hold the program; mise's names nothing, and tells only
/// where a single version is installed.
pub(super) fn of_manager(path: &Path) -> Option<Version> {
    let shims = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "shims"))?;
    let installs = shims.parent()?.join("installs");
    if let Some(script) = shim::script(path) {
        return script.lines().filter_map(|line| line.strip_prefix("# asdf-plugin:")).find_map(|line| {
            let mut words = line.split_whitespace();
            let held = installs.join(words.next()?).join(words.next()?);
            of_manifest(&held.join("lib/node_modules/@openai/codex/package.json")).or_else(|| of_path(&held))
        });
    }
    let is_codex = |name: &str| name.split('-').any(|word| word == "codex");
    let tools = std::fs::read_dir(&installs).ok()?.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_codex));
    let versions = tools.filter_map(|tool| std::fs::read_dir(tool.path()).ok()).flatten().flatten();
    let real = versions.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut told: Vec<Version> = real.filter_map(|entry| of_path(&entry.path())).collect();
    if told.len() == 1 { told.pop() } else { None }
}

/// A version in the path itself: `Cellar/codex/0.171.0/`, `Caskroom/codex/0.171.0/`, `installs/codex/0.171.0/`, `releases/0.171.0-x86_64…/`, or a
/// name like `codex-0.171.0-x86_64-unknown-linux-musl`.
pub(super) fn of_path(program: &Path) -> Option<Version> {
    let parts: Vec<&str> = program.iter().filter_map(|part| part.to_str()).collect();
    let mut above_is_codex = false;
    let mut found = None;
    for (place, part) in parts.iter().enumerate() {
        if let Some(named) = NAMED.captures(part).and_then(|named| bare(&named[1])) {
            found = Some((place, named));
        } else if let Some(version) = bare(part).filter(|_| above_is_codex) {
            found = Some((place, version));
        }
        let is_codex = *part == ".codex" || part.split(['-', '_', '@', '+']).any(|word| word == "codex");
        above_is_codex = is_codex || (above_is_codex && (BETWEEN.contains(part) || *part == "packages" || *part == "standalone"));
    }
    let (place, version) = found?;
    Some(Version { version, source: program.iter().take(place + 1).collect() })
}

fn metadata(path: &Path) -> Option<String> {
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > LARGEST_METADATA {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str) -> Option<String> {
        of_path(Path::new(path)).map(|version| version.version)
    }

    #[test]
    fn a_path_tells_the_version_in_many_layouts() {
        for path in [
            "/opt/homebrew/Cellar/codex/0.171.0/bin/codex",
            "/opt/homebrew/Caskroom/codex/0.171.0/codex-aarch64-apple-darwin",
            "/home/x/.asdf/installs/codex/0.171.0/bin/codex",
            "/home/x/.local/share/mise/installs/npm-openai-codex/0.171.0/bin/codex",
            "/home/x/.codex/packages/standalone/releases/0.171.0-x86_64-unknown-linux-musl/codex",
            "/opt/codex-0.171.0-x86_64-unknown-linux-musl",
            "/nix/store/abcdefghijklmnopqrstuvwxyz012345-codex-0.171.0/bin/codex",
            "/opt/codex-cli-v0.171.0/codex",
        ] {
            assert_eq!(told(path).as_deref(), Some("0.171.0"), "{path}");
        }
        assert_eq!(told("/opt/codex/0.172.0-alpha.3/codex").as_deref(), Some("0.172.0-alpha.3"));
    }

    #[test]
    fn a_number_of_something_else_is_no_version_of_codex() {
        assert_eq!(told("/home/x/.nvm/versions/node/v22.11.0/bin/codex"), None);
        assert_eq!(told("/usr/local/bin/codex"), None);
        assert_eq!(told("/home/x/my-codex-tools/python/3.12.1/bin/codex"), None);
    }

    #[test]
    fn the_platform_is_no_part_of_the_version() {
        assert_eq!(bare("0.171.0-linux-x64").as_deref(), Some("0.171.0"));
        assert_eq!(bare("0.172.0-alpha.3-win32-x64").as_deref(), Some("0.172.0-alpha.3"));
        assert_eq!(bare("latest"), None);
    }
}

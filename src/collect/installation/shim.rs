//! Wrapper scripts (npm's on Windows, pnpm's, asdf's, hand-written ones): the paths that they name, read and never run.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::world::World;

/// A wrapper is small, and what it starts stands near its beginning.
const LOOKED_AT: u64 = 4 * 1024;

/// A word, quoted or not, with `codex` in it and a separator.
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""([^"\n]*codex[^"\n]*)"|'([^'\n]*codex[^'\n]*)'|(\S*codex\S*)"#).expect("a constant pattern"));
/// The many spellings of "the folder of this script".
static OWN_FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\$\{?basedir\}?|%~dp0%?|%dp0%|\$PSScriptRoot|\$\(\s*dirname\s+(?:--\s+)?"?\$0"?\s*\)|\$\{0%/\*\}"#)
        .expect("a constant pattern")
});

/// The existing files or folders that the script at `path` names, in its order; none when it is no script.
pub(super) fn target(path: &Path, world: &World) -> Vec<PathBuf> {
    let Some(script) = script(path) else { return Vec::new() };
    let folder = path.parent().unwrap_or(path);
    let mut targets = Vec::new();
    for line in script.lines().filter(|line| !line.trim_start().starts_with('#')) {
        // Not in the pattern above: the quotes inside of `$(dirname "$0")` would end the word.
        let line = OWN_FOLDER.replace_all(line, regex::NoExpand(&folder.display().to_string())).into_owned();
        for found in PATH.captures_iter(&line) {
            let word = (1..=3).find_map(|group| found.get(group)).map_or("", |word| word.as_str());
            targets.extend(resolved(word, folder, world).filter(|target| target.exists() && target != path));
        }
    }
    targets
}

/// The beginning of a script; none for anything else.
pub(super) fn script(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    let is_batch = path.extension().is_some_and(|extension| extension == "cmd" || extension == "bat" || extension == "ps1");
    if !bytes.starts_with(b"#!") && !is_batch {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn resolved(word: &str, folder: &Path, world: &World) -> Option<PathBuf> {
    let home = world.home.as_ref().map(|home| home.display().to_string()).unwrap_or_default();
    let word = word.replace("${HOME}", &home).replace("$HOME", &home).replace("%USERPROFILE%", &home);
    let word = word.strip_prefix("~/").map_or(word.clone(), |rest| format!("{home}/{rest}"));
    // A backslash is a separator here even where this program runs on another system.
    let word = if Path::new(&word).exists() { word } else { word.replace('\\', "/") };
    let path = Path::new(&word);
    let is_path = word.contains('/') && !word.contains('$') && !word.contains('%');
    is_path.then(|| if path.is_absolute() { path.to_path_buf() } else { folder.join(path) })
}

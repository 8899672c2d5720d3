//! The real Codex: started on a configuration, and what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why Codex does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    /// The key that it names beside the message.
    pub(crate) key: Option<String>,
    /// 1-based line and column.
    pub(crate) place: Option<(u32, u32)>,
}

/// An installed release.
pub(crate) struct Program {
    path: PathBuf,
    home: tempfile::TempDir,
    pub(crate) version: String,
}

impl Program {
    /// The program at `path`.
    ///
    /// # Errors
    /// When it cannot be started, or does not say its version.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let home = tempfile::tempdir().map_err(|error| format!("while making a folder for Codex: {error}"))?;
        let path = path.canonicalize().map_err(|error| format!("while looking for {}: {error}", path.display()))?;
        let mut program = Self { path: native(&path).unwrap_or(path), home, version: String::new() };
        let (told, _) = program.start(&["--version"])?;
        program.version = told.split_whitespace().last().unwrap_or_default().to_owned();
        let is_version = program.version.starts_with(|first: char| first.is_ascii_digit());
        if is_version { Ok(program) } else { Err(format!("{} says no version: {told:?}", program.path.display())) }
    }

    /// The folder with its configuration.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The bytes of the program.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.path).map_err(|error| format!("while reading {}: {error}", self.path.display()))
    }

    /// Puts the configuration where the program reads it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&self, config: &str) -> Result<(), String> {
        std::fs::write(self.home().join("config.toml"), config).map_err(|error| format!("while writing a configuration: {error}"))
    }

    /// Starts the program on the configuration that was written, with nothing to do.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn judge(&self, strict: bool) -> Result<Option<Refusal>, String> {
        let arguments: &[&str] = if strict { &["--strict-config"] } else { &[] };
        let (_, told) = self.start(&[&["exec", "--skip-git-repo-check"], arguments].concat())?;
        Ok(refusal(&told))
    }

    /// The names of the features that it lists.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn features(&self) -> Result<Vec<String>, String> {
        self.write("")?;
        let (told, _) = self.start(&["features", "list"])?;
        Ok(told.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect())
    }

    #[allow(clippy::disallowed_methods, reason = "this is the program that the maintainer names, to be tried")]
    fn start(&self, arguments: &[&str]) -> Result<(String, String), String> {
        let mut command = Command::new(&self.path);
        command.args(arguments).env_clear().env("CODEX_HOME", self.home()).env("HOME", self.home()).env("PATH", "/usr/bin:/bin");
        let output = command.current_dir(self.home()).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("while starting {}: {error}", self.path.display()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&output.stdout), text(&output.stderr)))
    }
}

/// The program itself, where `launcher` is the script of an npm package: without it a start takes a sixth of the time.
fn native(launcher: &Path) -> Option<PathBuf> {
    let packages = launcher.ancestors().find(|folder| folder.ends_with("@openai"))?;
    find(packages)
}

fn find(folder: &Path) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries.into_iter().find_map(|path| match path.is_dir() && !path.is_symlink() {
        true => find(&path),
        false => (path.ends_with("codex") && path.iter().any(|part| part == "vendor")).then_some(path),
    })
}

/// Reads what the program wrote to stderr.
fn refusal(told: &str) -> Option<Refusal> {
    let kept = told.lines().filter(|line| !line.starts_with("WARNING: ") && !line.starts_with("Reading prompt"));
    let text = kept.collect::<Vec<_>>().join("\n");
    if text.contains("No prompt provided via stdin") {
        return None;
    }
    let text = text.split("\n\nStack backtrace").next().unwrap_or_default();
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let text = text.strip_prefix("Error loading config.toml:").unwrap_or(text).trim();
    if let Some((place, rest)) = text.split_once("config.toml:").and_then(|(_, rest)| placed(rest)) {
        return Some(Refusal { message: without_snippet(rest), key: None, place: Some(place) });
    }
    let (message, key) = match text.rsplit_once("\nin `") {
        Some((message, key)) if key.ends_with('`') => (message, Some(key.trim_end_matches('`').to_owned())),
        _ => (text, None),
    };
    Some(Refusal { message: message.trim().to_owned(), key, place: None })
}

/// `LINE:COLUMN: TEXT`.
fn placed(text: &str) -> Option<((u32, u32), &str)> {
    let (line, rest) = text.split_once(':')?;
    let (column, rest) = rest.split_once(": ")?;
    Some(((line.parse().ok()?, column.parse().ok()?), rest))
}

/// The message before the lines of the file that follow it; the first of them is ` |`, moved by the digits of the line number.
fn without_snippet(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.trim() != "|");
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strict_start_names_the_place() {
        let told = "WARNING: proceeding\nError loading config.toml:\n/h/config.toml:12:3: unknown configuration field `a`\n   |\n12 | a = 1\n   | ^\n";
        let refusal = refusal(told).unwrap();
        assert_eq!((refusal.message.as_str(), refusal.place), ("unknown configuration field `a`", Some((12, 3))));
    }

    #[test]
    fn a_usual_start_names_the_key() {
        let refusal = refusal("Error loading config.toml: invalid type: integer `1`, expected a string\nin `model`\n").unwrap();
        assert_eq!((refusal.key.as_deref(), refusal.place), (Some("model"), None));
        assert_eq!(refusal.message, "invalid type: integer `1`, expected a string");
    }

    #[test]
    fn a_start_that_only_lacks_a_prompt_is_none() {
        assert_eq!(refusal("Reading prompt from stdin...\nNo prompt provided via stdin.\n"), None);
    }
}

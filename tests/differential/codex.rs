//! The real Codex: started on a world, and what it says about the configuration.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;

use crate::world::World;

/// Why Codex does not start, in the words and at the place that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    pub(crate) key: Option<String>,
    /// The layer, line and column.
    pub(crate) place: Option<(String, u32, u32)>,
}

/// One release of the program.
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// Installs the release where it is not there yet.
    pub(crate) fn install(version: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/oracle-install");
        let output = Command::new(script).arg(version).stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "Codex {version} could not be installed");
        let launcher = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        let packages = launcher.ancestors().nth(2).unwrap().join("@openai");
        // The launcher is a script that starts the program: without it a start takes a sixth of the time.
        Self { path: native(&packages).unwrap_or(launcher) }
    }

    /// Starts it with empty standard input: it loads its configuration and ends.
    pub(crate) fn start(&self, world: &World, strict: bool) -> Option<Refusal> {
        let mut command = Command::new(&self.path);
        command.arg("exec").args(strict.then_some("--strict-config"));
        if world.setup.profile.is_some() {
            command.args(["-p", "work"]);
        }
        for text in &world.setup.overrides {
            command.args(["-c", text]);
        }
        command.env_clear().env("CODEX_HOME", world.home()).env("HOME", world.home().join("nobody")).env("PATH", "/usr/bin:/bin");
        let output = command.current_dir(world.project()).stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("No prompt provided via stdin") {
            return None;
        }
        Some(refusal(&text, world))
    }
}

/// The program itself among the files of the package.
fn native(folder: &Path) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries.into_iter().find_map(|path| {
        let is_program = path.file_name().is_some_and(|name| name == "codex")
            && path.is_file()
            && path.components().any(|part| part.as_os_str() == "vendor");
        match path.is_dir() && !path.is_symlink() {
            true => native(&path),
            false => is_program.then_some(path),
        }
    })
}

static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(/[^\n]*?):(\d+):(\d+): ").unwrap());
static OVERRIDE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(-c[^\n:]*|<[^>\n]*>|[a-z][^/\n:]*):(\d+):(\d+): ").unwrap());

/// A project's file is parsed by another parser, with words around the same message.
static IN_PROJECT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^Error parsing project config file .*TOML parse error at line (\d+), column (\d+)\n").unwrap());

fn refusal(text: &str, world: &World) -> Refusal {
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("WARNING: ") && !line.starts_with("Reading prompt")).collect();
    let text = lines.join("\n");
    let text = text.strip_prefix("Error: ").unwrap_or(&text);
    let text = text.split("\n\nStack backtrace").next().unwrap_or_default();
    let text = text.strip_prefix("Error loading config.toml:").unwrap_or(text).trim();
    if let Some(found) = PLACE.captures(text).or_else(|| OVERRIDE.captures(text)) {
        let rest = text[found[0].len()..].split("\n  |").next().unwrap_or_default();
        // The snippet begins with as many spaces as its line number has digits.
        let snippet = Regex::new(r"\n *\|(\n|$)").unwrap();
        let rest = snippet.split(rest).next().unwrap_or_default();
        let place = Some((world.layer_of(&found[1]), found[2].parse().unwrap(), found[3].parse().unwrap()));
        return Refusal { message: plain(rest, world), key: None, place };
    }
    if let Some(found) = IN_PROJECT.captures(text) {
        let place = Some(("project".to_owned(), found[1].parse().unwrap(), found[2].parse().unwrap()));
        return Refusal { message: plain(text.rsplit('\n').next().unwrap_or_default(), world), key: None, place };
    }
    match text.rsplit_once("\nin `") {
        Some((message, key)) if key.ends_with('`') => {
            Refusal { message: plain(message, world), key: Some(key.trim_end_matches('`').to_owned()), place: None }
        }
        _ => Refusal { message: plain(text, world), key: None, place: None },
    }
}

/// A message without the folders of the test.
pub(crate) fn plain(message: &str, world: &World) -> String {
    let paths = [(world.home(), "HOME"), (world.project(), "PROJECT")];
    paths.into_iter().fold(message.trim().to_owned(), |text, (path, name)| text.replace(&path.display().to_string(), name))
}

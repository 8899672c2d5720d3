//! The outside as one value: environment, directories, platform, moment. Read once here; collectors and tests take it from there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Local, Offset, SubsecRound, Utc};
use codex_triage_checks::facts::run::Platform;

/// What a run can see of its surroundings before it looks at anything.
#[derive(Clone, Debug)]
pub struct World {
    /// Environment variables whose names and values are Unicode.
    pub environment: BTreeMap<String, String>,
    /// The directory that Codex would work in (`-C`, else the current one).
    pub directory: PathBuf,
    /// The user's home directory, when there is one.
    pub home: Option<PathBuf>,
    /// CODEX_HOME as Codex resolves it.
    pub codex_home: PathBuf,
    /// Whether CODEX_HOME was named (by `--codex-home` or the variable): then it must exist.
    pub codex_home_named: bool,
    /// Where the system-wide layers are (`/etc/codex`).
    pub system_config: PathBuf,
    /// Where the system shows its processes (`/proc`).
    pub processes: PathBuf,
    /// The operating system family.
    pub platform: Platform,
    /// The moment of the run.
    pub now: DateTime<Utc>,
    /// Offset of local time from UTC in seconds, east positive, at that moment.
    pub utc_offset_s: i32,
    /// Whether the offset at other moments is that of this machine's time zone; else it is the same at all.
    pub has_zone: bool,
}

impl World {
    /// The world of this process. `codex_home` and `directory` come from the command line.
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the environment and the clock")]
    pub fn of_this_process(codex_home: Option<&Path>, directory: Option<&Path>) -> Self {
        let environment: BTreeMap<String, String> =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect();
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let now = Utc::now().trunc_subsecs(3);
        let utc_offset_s = now.with_timezone(&Local).offset().fix().local_minus_utc();
        let platform = if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::Macos
        } else if environment.contains_key("WSL_DISTRO_NAME") {
            Platform::Wsl
        } else {
            Platform::Linux
        };
        Self { has_zone: true, ..Self::new(environment, here, codex_home, directory, platform, now, utc_offset_s) }
    }

    /// Offset of local time from UTC in seconds, east positive, at `moment`: in summer it may be another than in winter.
    pub fn offset_at(&self, moment: DateTime<Utc>) -> i32 {
        if self.has_zone { moment.with_timezone(&Local).offset().fix().local_minus_utc() } else { self.utc_offset_s }
    }

    /// A world from its parts; pure.
    pub fn new(
        environment: BTreeMap<String, String>,
        here: PathBuf,
        codex_home: Option<&Path>,
        directory: Option<&Path>,
        platform: Platform,
        now: DateTime<Utc>,
        utc_offset_s: i32,
    ) -> Self {
        let home_variable = if platform == Platform::Windows { "USERPROFILE" } else { "HOME" };
        let home = environment.get(home_variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        // Codex takes an empty CODEX_HOME as unset, and a relative one against the current directory.
        let named = codex_home
            .map(Path::to_path_buf)
            .or_else(|| environment.get("CODEX_HOME").filter(|value| !value.is_empty()).map(PathBuf::from));
        let codex_home_named = named.is_some();
        let codex_home = match named {
            Some(path) => here.join(path),
            None => home.clone().unwrap_or_else(|| here.clone()).join(".codex"),
        };
        let directory = directory.map_or_else(|| here.clone(), |path| here.join(path));
        let system_config = match platform {
            Platform::Windows => environment
                .get("ProgramData")
                .map_or_else(|| PathBuf::from(r"C:\ProgramData"), PathBuf::from)
                .join("OpenAI")
                .join("Codex"),
            _ => PathBuf::from("/etc/codex"),
        };
        let processes = PathBuf::from("/proc");
        Self {
            environment,
            directory,
            home,
            codex_home,
            codex_home_named,
            system_config,
            processes,
            platform,
            now,
            utc_offset_s,
            has_zone: false,
        }
    }

    /// The arguments of this process that are Unicode, without the program's name.
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the surroundings")]
    pub fn arguments() -> Vec<String> {
        std::env::args_os()
            .skip(1)
            .filter_map(|argument| argument.into_string().ok())
            .filter(|argument| !argument.is_empty())
            .collect()
    }

    /// The wall clock, for what must be timed against another one.
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the environment and the clock")]
    pub fn clock() -> DateTime<Utc> {
        Utc::now()
    }

    /// The value of a variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

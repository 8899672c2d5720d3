//! The arguments.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use clap::{Args, Parser, Subcommand, ValueEnum};

use codex_triage_checks::facts::run::Scope;
use codex_triage_checks::knowledge::providers::release;

use crate::i18n::Language;
use crate::report::paint::ColorChoice;

const EXIT_CODES: &str = "\
Exit codes:
  0  healthy, or only notes and warnings (see --fail-on)
  1  a cause was found, or an error-severity finding
  2  wrong usage
  3  undetermined, or something needed could not be looked at
  4  internal error
  10-14 with --exit-verdict, instead of 1: overload, quota, config, network, other";

/// Why did Codex stop? Overload, quota, configuration or network: with evidence, and with what to do.
#[derive(Debug, Parser)]
#[command(name = "codex-triage", version, about, after_help = EXIT_CODES, args_conflicts_with_subcommands = false, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do; without a command: everything for this machine and directory.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The error to triage: a file, or - for stdin.
    #[arg(long, value_name = "FILE")]
    pub error: Option<PathBuf>,
    /// What holds everywhere.
    #[command(flatten)]
    pub global: Global,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Classify an error text or a log, offline, with this home's configuration where it splits two causes.
    Explain {
        /// The text, a file, or - for stdin (also when left out and stdin is no terminal).
        text: Vec<String>,
    },
    /// Check the configuration alone, offline: what Codex will do with it, with file, line and column.
    Lint(LintArgs),
    /// What failed when: by kind, hour and model, with streaks, quiet hours and what other models did meanwhile.
    ///
    /// Reads what Codex wrote down of all turns since --since, offline. The exit code is that of the newest failure's verdict; --json has
    /// every failed turn.
    History(HistoryArgs),
    /// Mend the configuration: your own config.toml, and the file of the profile that -p names.
    ///
    /// On a terminal each edit is shown and asked for. An edit counts as safe only if it cannot switch anything on. Exits with 0
    /// when nothing is left to mend, with 1 when something is, or when Codex still refuses the configuration. With --json the
    /// report is that of `lint` on the files as they are then, and `mended` tells what was done.
    Fix(FixArgs),
    /// What fills the session directory, which sessions are near their limit, what to archive with which command. Deletes nothing.
    Sessions,
    /// List the checks, or show one check's page.
    Checks {
        /// The check.
        id: Option<String>,
    },
    /// Run today's checks over the facts of a saved JSON report.
    Replay {
        /// The report.
        report: PathBuf,
    },
}

/// What `lint` takes besides what holds everywhere.
#[derive(Args, Clone, Debug)]
pub struct LintArgs {
    /// Judge as this release of Codex would, instead of the installed one.
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub codex_version: Option<String>,
    /// Show every key that is in effect, with the layer and the line that set it.
    #[arg(long)]
    pub effective: bool,
}

/// What `history` takes besides what holds everywhere.
#[derive(Args, Clone, Debug)]
pub struct HistoryArgs {
    /// Write every turn as one JSON object on a line, oldest first, instead of a report: when, which model, how it ended, what was done.
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub ndjson: bool,
}

/// What `fix` takes besides what holds everywhere.
#[derive(Args, Clone, Debug)]
pub struct FixArgs {
    /// Show the edits, write nothing.
    #[arg(long, conflicts_with_all = ["yes", "undo"])]
    pub dry_run: bool,
    /// Make the safe edits without asking, and no others.
    #[arg(short, long, conflicts_with = "undo")]
    pub yes: bool,
    /// Put the files back to what they were before the last edits.
    #[arg(long)]
    pub undo: bool,
    /// Judge as this release of Codex would, instead of the installed one.
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub codex_version: Option<String>,
}

/// How the report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    #[default]
    Terminal,
    /// For a program and for bug reports.
    Json,
}

/// From which severity on a finding makes the run fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Notes too.
    Note,
    /// Warnings too.
    Warning,
    /// Errors only.
    #[default]
    Error,
}

/// Flags that hold for every command.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Write JSON (the same as --format json).
    #[arg(long, global = true)]
    pub json: bool,
    /// The format of the report.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub format: Format,
    /// Write the report to this file.
    #[arg(short, long, global = true, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Send nothing over the network.
    #[arg(long, global = true)]
    pub offline: bool,
    /// Allow one minimal request to the model, which may cost a few tokens; what it may cost is said before it is sent.
    #[arg(long, global = true, conflicts_with = "offline")]
    pub allow_cost: bool,
    /// End the whole run after this many seconds [default: 10; of history and sessions: 120].
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Neither use nor keep what history and sessions read of the records of Codex (in this program's own cache folder).
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// Look at failures since then: 90m, 24h, 30d, or a date [default: 24h; of history: 30d].
    #[arg(long, global = true, value_name = "WHEN", value_parser = since)]
    pub since: Option<Since>,
    /// The Codex home to look at instead of $CODEX_HOME or ~/.codex.
    #[arg(long, global = true, value_name = "DIR")]
    pub codex_home: Option<PathBuf>,
    /// The directory in which Codex works, as codex -C.
    #[arg(short = 'C', long = "cd", global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// The profile, as codex -p.
    #[arg(short, long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Override a configuration key, as codex -c.
    #[arg(short = 'c', long = "config", global = true, value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// The language of the report; else from LC_ALL, LC_MESSAGES or LANG.
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Language>,
    /// When to use colours; NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR count too.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub color: ColorChoice,
    /// Use no symbols beyond ASCII.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Only the verdict, on one line.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show the sums behind the verdict and every finding.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// From which severity on a finding fails the run.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub fail_on: FailOn,
    /// Exit with 10 to 14 instead of 1, by cause.
    #[arg(long, global = true)]
    pub exit_verdict: bool,
}

impl Global {
    /// The format asked for by either flag.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// How long a run of `scope` may take.
    pub fn timeout(&self, scope: Scope) -> Duration {
        let usual = match scope {
            Scope::History | Scope::Sessions => 120.0,
            Scope::Triage | Scope::Explain | Scope::Lint => 10.0,
        };
        Duration::from_secs_f64(self.timeout.unwrap_or(usual))
    }

    /// From when on a run of `scope` looks at what happened.
    pub fn since(&self, scope: Scope) -> Since {
        let usual = match scope {
            Scope::History => TimeDelta::days(30),
            Scope::Triage | Scope::Explain | Scope::Lint | Scope::Sessions => TimeDelta::hours(24),
        };
        self.since.unwrap_or(Since::Ago(usual))
    }
}

/// A moment given by age or by date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// So long ago.
    Ago(TimeDelta),
    /// From the beginning of this day, UTC.
    Day(NaiveDate),
}

impl Since {
    /// The moment, as seen at `now`.
    pub fn moment(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let moment = match self {
            Self::Ago(age) => now.checked_sub_signed(age).unwrap_or(DateTime::UNIX_EPOCH),
            Self::Day(day) => day.and_time(chrono::NaiveTime::MIN).and_utc(),
        };
        // There are no older records, and years before the first would be shown as they are counted by astronomers.
        moment.max(DateTime::UNIX_EPOCH)
    }
}

fn since(text: &str) -> Result<Since, String> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Ok(Since::Day(day));
    }
    let help = || format!("`{text}` is neither an age (90m, 24h, 30d) nor a date (2026-11-29)");
    let unit = text.chars().last().ok_or_else(help)?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| help())?;
    let age = match unit {
        'm' => TimeDelta::try_minutes(number),
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        'w' => TimeDelta::try_weeks(number),
        _ => None,
    };
    age.filter(|age| *age > TimeDelta::zero()).map(Since::Ago).ok_or_else(help)
}

fn version(text: &str) -> Result<String, String> {
    let plain = text.trim_start_matches("codex-cli ").trim_start_matches(['v', 'V']);
    let numbers = plain.split(['-', '+']).next().unwrap_or_default();
    let is_release = numbers.split('.').count() >= 2 && release(plain).is_some();
    if is_release { Ok(plain.to_owned()) } else { Err(format!("`{text}` is no release of Codex, such as 0.171.0")) }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    if seconds.is_finite() && (0.1..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("give 0.1 to 3600 seconds".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn ages_and_dates_are_moments() {
        let now = DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        assert_eq!(since("24h").unwrap().moment(now), now - TimeDelta::hours(24));
        assert_eq!(since("2026-11-29").unwrap().moment(now).to_rfc3339(), "2026-11-29T00:00:00+00:00");
        for old in ["99999999999d", "0001-01-01"] {
            assert_eq!(since(old).unwrap().moment(now), DateTime::UNIX_EPOCH, "{old}");
        }
        for wrong in ["", "h", "-3d", "3 days", "24", "日"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}

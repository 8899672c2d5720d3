//! Maintenance: the knowledge of configuration keys, held against installed releases of Codex. See `docs/maintenance.md`.

mod bounds;
mod codex;
mod fields;
mod keys;
mod knowledge;
mod ours;
mod trial;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "Maintenance of codex-triage")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Tries every known key on an installed Codex and names what differs; exit 1 when something does.
    Knowledge {
        /// The program, or the launcher that npm installs.
        #[arg(long, value_name = "PATH")]
        codex: PathBuf,
        /// Only keys that begin with this.
        #[arg(long, value_name = "KEY", default_value = "")]
        only: String,
    },
    /// Rewrites `since=` and `gone=` of config-keys.toml by what these releases know.
    Bounds {
        /// The programs, in any order.
        #[arg(value_name = "PATH", required = true)]
        codex: Vec<PathBuf>,
        /// Only keys that begin with this.
        #[arg(long, value_name = "KEY", default_value = "")]
        only: String,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Task::Knowledge { codex, only } => knowledge::run(&codex, &only, &mut say),
        Task::Bounds { codex, only } => bounds::run(&codex, &only, &mut say),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("xtask: {error}"));
            ExitCode::from(2)
        }
    }
}

/// The only place that writes to stdout. A reader that went away is no error.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

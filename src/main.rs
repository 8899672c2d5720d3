//! Parse, run, exit code.

use std::panic::AssertUnwindSafe;

use clap::Parser;
use codex_triage::{app, cli::Cli};

fn main() {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => std::process::exit(i32::from(app::misused(&error))),
    };
    // The message of a panic could hold what was being read; the report of the failure does not.
    std::panic::set_hook(Box::new(|_| {}));
    let code = std::panic::catch_unwind(AssertUnwindSafe(|| app::run(&cli))).unwrap_or_else(|_| app::internal_error(&cli.global));
    // Not by returning: a collector that hangs in a system call must not hold the process.
    std::process::exit(i32::from(code));
}

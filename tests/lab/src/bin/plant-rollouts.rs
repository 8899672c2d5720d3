//! `plant-rollouts HOME FILES MEGABYTES [SEED]`: plants a tree of rollouts below HOME and prints what is in it as JSON.

use std::io::Write as _;

use codex_triage_lab::rollouts::{Tree, plant};

const USAGE: &str = "usage: plant-rollouts HOME FILES MEGABYTES [SEED]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let home = arguments.next().ok_or(USAGE)?;
    let mut number = || -> Result<u64, Box<dyn std::error::Error>> { Ok(arguments.next().ok_or(USAGE)?.parse()?) };
    let (files, megabytes) = (number()?, number()?);
    let seed = number().unwrap_or(7);
    let tree = Tree { files, bytes: megabytes << 20, seed, days: 60, now: 1_795_953_600 };
    let truth = plant(home.as_ref(), &tree)?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&truth)?)?;
    Ok(())
}

//! `codex-triage-lab SCENARIO.json [PORT]`: serves a scenario until it is killed; prints its base URL.

use std::io::Write as _;

use codex_triage_lab::{Lab, Scenario};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: codex-triage-lab SCENARIO.json [PORT]")?;
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let lab = Lab::start_on(Scenario::from_json(&std::fs::read_to_string(file)?)?, port)?;
    writeln!(std::io::stdout(), "{}", lab.base_url())?;
    loop {
        std::thread::park();
    }
}

//! `codex-triage-lab FOLDER ID [PORT]`: serves one scenario of a scenario file until it is killed; prints its base URL.

use std::io::Write as _;

use codex_triage_lab::{Catalogue, Lab};

const USAGE: &str = "usage: codex-triage-lab SCENARIO-FOLDER ID [PORT]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or(USAGE)?;
    let id = arguments.next().ok_or(USAGE)?;
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let catalogue = Catalogue::load(folder.as_ref())?;
    let case = catalogue.case(&id).ok_or_else(|| format!("no scenario {id}"))?;
    let lab = match case.certificate {
        Some(certificate) => Lab::start_tls(case.server.clone(), certificate, port)?,
        None => Lab::start_on(case.server.clone(), port)?,
    };
    writeln!(std::io::stdout(), "{}", lab.base_url())?;
    loop {
        std::thread::park();
    }
}

//! The same worlds with the whole program, against servers that really answer so.

use std::net::TcpListener;
use std::path::Path;

use codex_triage::world::World;
use codex_triage_lab::{Lab, OneOrMany, Scenario};

use super::differences;
use super::machine::Machine;
use super::script::{Live, Script};
use crate::common::Call;

/// Runs the program on a world that is live too; what differs from its expectation.
pub(crate) fn compare(name: &str, folder: &Path, script: &Script) -> Option<String> {
    let live = script.live.as_ref()?;
    let server = Server::start(live.serves.clone().map(|scenario| dated(scenario, live)));
    let moved_script = live.stands_for.as_ref().map(|address| {
        let text = std::fs::read_to_string(folder.join("world.toml")).unwrap();
        toml::from_str::<Script>(&text.replace(address, &server.origin())).unwrap()
    });
    let script = moved_script.as_ref().unwrap_or(script);
    let machine = Machine::build(script, folder, World::clock());
    let proxy = live.proxy.as_ref().map(|proxy| (&proxy.variable, Server::start(proxy.serves.clone())));
    let moved = format!("{}=\"{}{}\"", live.key, server.origin(), live.path);
    let mut arguments = vec!["--json", "--timeout", "6", "-c", moved.as_str()];
    if script.error_text.is_some() {
        arguments.extend(["--error", "-"]);
    }
    let mut call = Call::new(&arguments).directory(&machine.project());
    for (variable, value) in machine.environment() {
        call = call.variable(&variable, &value);
    }
    if let Some((variable, proxy)) = &proxy {
        call = call.variable(variable, &proxy.origin());
    }
    if let Some(text) = &script.error_text {
        call = call.input(text.as_bytes());
    }
    let output = call.run();
    let report = output.json();
    let wrong = differences(&report, output.code, &script.expected);
    let ledger = report["verdict"]["ledger"].as_array().cloned().unwrap_or_default();
    let sums: Vec<String> = ledger.iter().take(3).map(|line| format!("    {line}")).collect();
    (!wrong.is_empty()).then(|| format!("{name}, live: {}\n{}", wrong.join("; "), sums.join("\n")))
}

/// The server's clock, where the world has it off.
fn dated(mut scenario: Scenario, live: &Live) -> Scenario {
    let Some(behind) = live.date_behind_s else { return scenario };
    let date = World::clock() - chrono::TimeDelta::seconds(behind);
    let date = date.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    if let Some(OneOrMany::One(answer)) = scenario.models.take() {
        scenario.models = Some(answer.header("Date", &date).into());
    }
    scenario
}

/// A lab, or a port at which nothing listens.
enum Server {
    Lab(Lab),
    Nobody(u16),
}

impl Server {
    fn start(scenario: Option<Scenario>) -> Self {
        match scenario {
            Some(scenario) => Self::Lab(Lab::start(scenario).unwrap()),
            None => Self::Nobody(TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()),
        }
    }

    fn origin(&self) -> String {
        match self {
            Self::Lab(lab) => lab.origin(),
            Self::Nobody(port) => format!("http://127.0.0.1:{port}"),
        }
    }
}

//! Other clients: which Codex programs run on this CODEX_HOME, and does one of them hang?
//!
//! # What it checks
//! The running Codex programs of this user (window, `exec`, app-server, daemon): which of them have a turn that has not ended, whether these are
//! connected to anything, whether the program file was replaced since the start, and what a dead daemon left behind.
//!
//! # Why it matters
//! A client that cannot reach its server waits for ever on current releases ("Reconnecting… waiting for network") and writes nothing meanwhile; an
//! app-server does so even when its window is closed. Restarting that one client helps, and nothing else does. All clients of one login share one
//! quota: together they meet a limit of rate or concurrency that each alone would not.
//!
//! # What it cannot tell
//! Clients on other machines, of other users, in containers, or on the Windows side of WSL. Why a client hangs: its network may be dead, or only
//! its own old connection. A client that is connected to another server (a tool, say) while it waits is not seen as hanging. macOS and Windows are
//! not looked at.
//!
//! # Fix
//! Close the window that hangs, or end that one process by its id; `codex app-server daemon restart` for the daemon. Never end all
//! processes by name. Nothing is ended by this program.
//!
//! # Example
//! ```text
//! clients.stuck  Process 4711 (codex exec) has written nothing for 12 min in a turn that has not ended, and is connected to no server.
//! ```

use chrono::TimeDelta;

use crate::errors::kind_of;
use crate::facts::Facts;
use crate::facts::clients::{Activity, Client, ClientKind, Clients, Holder, OpenTurn, Parent};
use crate::facts::network::Outcome;
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Cause, Kind, Target};
use crate::knowledge::providers::release;
use crate::subject::Subject;

pub(crate) const ID: &str = "other-clients";

/// A turn that is silent and unconnected for so long is no gap between two requests: Codex waits 3 s at most between its own tries,
/// and up to 20 s between rounds of them when there is no network (measured on 0.171.0).
const SILENCE: TimeDelta = TimeDelta::seconds(30);
/// So long after the network came back Codex has tried again (same measurement, with room).
const LONG_SILENCE: TimeDelta = TimeDelta::seconds(60);
/// A client waits most of its life: 0.4 s of processor time in its first minute (measured on 0.171.0).
const BUSY_SHARE: f64 = 0.5;
/// A shorter life proves no loop.
const LONG_LIFE: TimeDelta = TimeDelta::minutes(10);

/// What hangs while nothing is known of any other error: either the network is dead, or that process alone is.
const HANGS: i16 = 30;
const HANGS_FOR_WANT_OF_NETWORK: i16 = 20;
/// The way to the server works, and the process has had the time to find that out.
const HANGS_ALONE: i16 = 38;
/// A server that counts clients may mean these.
const SHARED_LIMIT: i16 = 4;
/// The session of the error is in a program whose files are gone.
const REPLACED_HINT: i16 = 4;

pub(crate) fn codes() -> Vec<String> {
    let codes = [
        "clients.none",
        "clients.fine",
        "clients.several",
        "clients.stuck",
        "clients.looping",
        "clients.suspended",
        "clients.replaced",
        "clients.older",
        "clients.daemon-gone",
        "clients.unseen",
    ];
    codes.map(str::to_owned).to_vec()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(clients) = facts.clients.value() else { return vec![Finding::cannot_tell(ID, &facts.clients)] };
    let view = View { facts, subject: Subject::of(facts) };
    let of_this_home: Vec<&Client> = clients.running.iter().filter(|client| client.same_home != Some(false)).collect();
    let mut findings: Vec<Finding> = of_this_home.iter().filter_map(|client| view.hangs(client)).collect();
    findings.extend(view.several(&of_this_home));
    findings.extend(of_this_home.iter().flat_map(|client| view.old(client)));
    findings.extend(daemon_gone(clients));
    if findings.is_empty() {
        findings.push(match pids(&of_this_home) {
            (0, _) => Finding::plain(ID, "clients.none", Severity::Ok),
            (count, pids) => Finding::plain(ID, "clients.fine", Severity::Ok).arg("count", count).arg("pids", pids),
        });
    }
    if clients.unreadable > 0 || clients.cut_short {
        let unseen = Finding::plain(ID, "clients.unseen", Severity::Note);
        findings.push(unseen.arg("count", u64::from(clients.unreadable)));
    }
    findings
}

/// A client of this home that hangs: in current releases it may be the daemon, which the windows share.
pub(crate) fn stuck(facts: &Facts, kind: impl Fn(ClientKind) -> bool) -> Option<u32> {
    let mut clients = facts.clients.value()?.running.iter();
    clients.find(|client| kind(client.kind) && silent_turn(client, facts).is_some()).map(|client| client.pid)
}

/// The turn in which a client waits for a server that it is not connected to, if there is one.
fn silent_turn(client: &Client, facts: &Facts) -> Option<OpenTurn> {
    if client.same_home != Some(true) || client.activity == Activity::Stopped {
        return None;
    }
    let silent = |turn: &OpenTurn| facts.run.at - turn.heard >= SILENCE;
    // What a tool does takes its time.
    let at_work = |turn: &OpenTurn| !client.children_known || client.newest_child.is_some_and(|child| child >= turn.began);
    let unconnected = client.connections.is_some_and(|connections| connections.established == 0);
    let waits = |turn: &OpenTurn| client.retrying == Some(true) || (unconnected && !at_work(turn));
    let turns = client.threads.iter().filter_map(|thread| thread.turn);
    turns.filter(silent).filter(waits).min_by_key(|turn| turn.heard)
}

struct View<'a> {
    facts: &'a Facts,
    subject: Option<Subject>,
}

impl View<'_> {
    fn said(&self, code: &str, severity: Severity, client: &Client) -> Finding {
        let kind = match client.kind {
            ClientKind::Tui => "clients-kind-tui",
            ClientKind::Exec => "clients-kind-exec",
            ClientKind::AppServer => "clients-kind-app-server",
            ClientKind::Daemon => "clients-kind-daemon",
            ClientKind::DaemonUpdater => "clients-kind-daemon-updater",
            ClientKind::McpServer => "clients-kind-mcp-server",
            ClientKind::Other => "clients-kind-other",
        };
        let finding =
            Finding::plain(ID, code, severity).arg("pid", u64::from(client.pid)).arg("kind", Arg::Message(kind.to_owned()));
        finding.evidence(format!("{}/{}", self.facts.clients.source, client.pid))
    }

    /// A turn that waits for a server, or a process that spins.
    fn hangs(&self, client: &Client) -> Option<Finding> {
        let Some(turn) = silent_turn(client, self.facts) else { return self.spins(client) };
        let silent = self.facts.run.at - turn.heard;
        let connecting = client.connections.is_some_and(|connections| connections.connecting > 0);
        let finding = self
            .said("clients.stuck", Severity::Warning, client)
            .arg("silent", Arg::DurationMs(silent.num_milliseconds()))
            .arg("connecting", if connecting { "yes" } else { "no" })
            .group("stuck-client")
            .advises(if client.kind == ClientKind::Daemon { "restart-daemon" } else { "end-stuck-client" });
        // An error that is known comes from a turn that has ended: not from this one.
        if self.subject.as_ref().is_some_and(Subject::is_told) {
            return Some(finding);
        }
        let alone = self.way_works() && silent >= LONG_SILENCE;
        Some(
            finding
                .weighs(Target::Kind(Kind::OtherStaleClient), if alone { HANGS_ALONE } else { HANGS })
                .weighs(Target::Cause(Cause::Network), HANGS_FOR_WANT_OF_NETWORK),
        )
    }

    fn spins(&self, client: &Client) -> Option<Finding> {
        let life = self.facts.run.at - client.started_at?;
        let share = client.cpu_ms as f64 / life.num_milliseconds().max(1) as f64;
        (life >= LONG_LIFE && share >= BUSY_SHARE).then(|| {
            let finding = self.said("clients.looping", Severity::Warning, client).advises("restart-stale-client");
            finding.arg("percent", (share * 100.0).round() as i64).arg("life", Arg::DurationMs(life.num_milliseconds()))
        })
    }

    /// Whether the server that Codex uses answers this machine now.
    fn way_works(&self) -> bool {
        let outcome = self.facts.reachability.value().map(|reached| &reached.outcome);
        matches!(outcome, Some(Outcome::Answered(answer)) if answer.status < 500)
    }

    /// Several clients that share the limits of one login. The daemon works for the windows and is counted with them.
    fn several(&self, clients: &[&Client]) -> Option<Finding> {
        let asks = |client: &&&Client| {
            matches!(client.kind, ClientKind::Tui | ClientKind::Exec | ClientKind::AppServer | ClientKind::McpServer)
        };
        let asking: Vec<&Client> = clients.iter().filter(asks).copied().collect();
        let (count, pids) = pids(&asking);
        if count < 2 {
            return None;
        }
        let finding = Finding::plain(ID, "clients.several", Severity::Note).arg("count", count).arg("pids", pids);
        let kind = self.subject.as_ref().and_then(|subject| kind_of(subject, self.facts));
        let of_the_rate = matches!(kind, Some(Kind::QuotaRateLimit | Kind::QuotaConcurrency));
        Some(if of_the_rate {
            finding.weighs(Target::Kind(Kind::QuotaConcurrency), SHARED_LIMIT).advises("close-clients")
        } else {
            finding
        })
    }

    /// A client that is not of now any more: suspended, replaced on disk, of an older release.
    fn old(&self, client: &Client) -> Vec<Finding> {
        let mut findings = Vec::new();
        if client.activity == Activity::Stopped {
            findings.push(self.said("clients.suspended", Severity::Note, client));
        }
        if client.replaced {
            let finding = self.said("clients.replaced", Severity::Warning, client).advises("restart-stale-client");
            let thread = self.subject.as_ref().and_then(|subject| subject.thread.as_deref());
            let own = client.threads.iter().any(|open| Some(open.thread.as_str()) == thread);
            findings.push(if own { finding.weighs(Target::Kind(Kind::OtherStaleClient), REPLACED_HINT) } else { finding });
        } else if let (Some(installed), Some(version)) = (self.installed(), &client.version) {
            // An editor and the desktop application bring a release of their own.
            let bundled = matches!(client.parent, Parent::Editor | Parent::Desktop);
            if !bundled && client.kind != ClientKind::Other && release(version) < release(installed) {
                let older = self.said("clients.older", Severity::Note, client);
                findings.push(older.arg("version", version.as_str()).arg("installed", installed));
            }
        }
        findings
    }

    fn installed(&self) -> Option<&str> {
        self.facts.installation.value()?.version()
    }
}

/// Codex clears a dead daemon's files away by itself; until then its own `daemon version` fails (measured on 0.171.0).
fn daemon_gone(clients: &Clients) -> Option<Finding> {
    let gone = |record: &&crate::facts::clients::DaemonRecord| matches!(record.holder, Holder::Gone | Holder::Another);
    let gone: Vec<_> = clients.daemon_records.iter().filter(gone).collect();
    let unanswered = clients.socket_answered == Some(false);
    let first = gone.first()?;
    let finding = Finding::plain(ID, "clients.daemon-gone", Severity::Note).arg("file", first.file.as_str());
    let finding =
        finding.arg("pid", u64::from(first.pid.unwrap_or_default())).arg("socket", if unanswered { "dead" } else { "other" });
    Some(gone.iter().fold(finding, |finding, record| finding.evidence(record.file.clone())))
}

/// How many, and their process ids in one text.
fn pids(clients: &[&Client]) -> (u64, String) {
    let pids: Vec<String> = clients.iter().map(|client| client.pid.to_string()).collect();
    (pids.len() as u64, pids.join(", "))
}

#[cfg(test)]
mod tests;

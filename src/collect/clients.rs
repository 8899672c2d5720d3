//! The Codex programs that run for this user, as Linux shows them in `/proc`, and what earlier ones left in CODEX_HOME.
//!
//! Only looks: no process is started, signalled or traced, no lock taken, no socket opened, nothing written. Of a command line only the
//! kind of client is kept, of an environment only whether its CODEX_HOME is ours: the rest of both may be private, and never leaves the
//! function that read it. Processes of other users are passed over; those of another CODEX_HOME are counted and not looked into.

mod arguments;
mod kept;
mod parent;
mod process;
mod sockets;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use codex_triage_checks::facts::clients::{Client, ClientKind, Clients, Holder, OpenThread, Parent};
use codex_triage_checks::facts::run::Platform;
use codex_triage_checks::facts::{Observed, SkipReason};

use super::history::open_turn;
use super::installation;
use crate::redact::Redactor;
use crate::world::World;
use process::{Process, Stat};
use sockets::Sockets;

/// Looks at the processes of this user and at what the daemon of CODEX_HOME left, until `deadline`.
///
/// Skipped where the system has no `/proc`.
pub fn collect(world: &World, redactor: &Redactor, deadline: Instant) -> Observed<Clients> {
    let unsupported = !matches!(world.platform, Platform::Linux | Platform::Wsl);
    let machine = match Machine::of(world) {
        Some(machine) if !unsupported => machine,
        _ => return Observed::skipped(SkipReason::Unsupported),
    };
    let mut clients = Clients::default();
    let mut found = Vec::new();
    for process in process::all(&world.processes) {
        if Instant::now() >= deadline {
            clients.cut_short = true;
            break;
        }
        match process.codex() {
            process::Codex::No => {}
            process::Codex::Unreadable => clients.unreadable += 1,
            process::Codex::Yes(program) => found.extend(process.stat().map(|stat| (process, program, stat))),
        }
    }
    found.retain(|(process, ..)| process.owner() == machine.owner);
    let pids: HashSet<u32> = found.iter().map(|(process, ..)| process.pid).collect();
    let mut look = Look { world, redactor, deadline, machine: &machine, sockets: HashMap::new(), locks: None };
    for (process, program, stat) in &found {
        // One without a command line has given its memory back already: it is ending.
        let Some(kind) = process.kind() else { continue };
        // A sandbox or a tool of another client is no client. The daemon is one, and a child of the client that started it.
        let is_helper = pids.contains(&stat.parent) && !matches!(kind, ClientKind::Daemon | ClientKind::DaemonUpdater);
        if !is_helper {
            clients.running.push(look.client(process, program, stat, kind));
        }
    }
    clients.running.sort_by_key(|client| client.pid);
    let ours: HashSet<u64> = look.sockets.values().flatten().copied().collect();
    let mut tables = Sockets::default();
    // The kernel takes milliseconds to list its connections, which tell something only of a turn that waits.
    for client in clients.running.iter_mut().filter(|client| client.threads.iter().any(|thread| thread.turn.is_some())) {
        let process = Process::at(&world.processes, client.pid);
        client.connections = look.sockets.get(&client.pid).and_then(|sockets| tables.of(&process, sockets, &ours));
    }
    clients.daemon_records = kept::daemon_records(world, redactor, |pid, identity| machine.holder(pid, identity));
    clients.socket_answered = kept::socket_answered(world);
    Observed::known(clients, redactor.path(&world.processes))
}

/// What all looks at processes need to know of the machine.
struct Machine {
    processes: PathBuf,
    owner: Option<u32>,
    /// When the clock of the processes began.
    booted: Option<DateTime<Utc>>,
    boot_id: Option<String>,
}

impl Machine {
    fn of(world: &World) -> Option<Self> {
        let own = world.processes.join("self");
        std::fs::metadata(&own).ok()?;
        let uptime = std::fs::read_to_string(world.processes.join("uptime")).ok();
        let seconds = uptime.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        let boot_id = std::fs::read_to_string(world.processes.join("sys/kernel/random/boot_id")).ok();
        Some(Self {
            processes: world.processes.clone(),
            owner: process::owner(&own),
            booted: seconds.map(|seconds| world.now - TimeDelta::milliseconds((seconds * 1000.0) as i64)),
            boot_id: boot_id.map(|id| id.trim().to_owned()),
        })
    }

    fn moment(&self, ticks: u64) -> Option<DateTime<Utc>> {
        let milliseconds = i64::try_from(process::milliseconds(ticks)).ok()?;
        self.booted?.checked_add_signed(TimeDelta::milliseconds(milliseconds))
    }

    /// Whose `pid` is now, of which a file says when its process was started.
    fn holder(&self, pid: u32, identity: &kept::Identity) -> Holder {
        let process = Process::at(&self.processes, pid);
        let Some(stat) = process.stat() else { return Holder::Gone };
        let other_start = identity.started_ticks.is_some_and(|ticks| ticks != stat.started_ticks);
        let other_boot = identity.boot_id.is_some() && self.boot_id.is_some() && identity.boot_id != self.boot_id;
        match process.codex() {
            _ if other_start || other_boot => Holder::Another,
            process::Codex::Yes(_) => Holder::Itself,
            process::Codex::No => Holder::Another,
            process::Codex::Unreadable => Holder::Unknown,
        }
    }
}

/// A look at one client after the other; what they share is read once.
struct Look<'a> {
    world: &'a World,
    redactor: &'a Redactor,
    deadline: Instant,
    machine: &'a Machine,
    /// The sockets of each client.
    sockets: HashMap<u32, Vec<u64>>,
    locks: Option<HashSet<(u32, u64)>>,
}

impl Look<'_> {
    fn client(&mut self, process: &Process, program: &process::Program, stat: &Stat, kind: ClientKind) -> Client {
        let same_home = process.codex_home().map(|home| is_same(&home, &self.world.codex_home));
        let mut client = Client {
            pid: process.pid,
            parent_pid: stat.parent,
            kind,
            parent: self.parent(stat.parent),
            started_at: self.machine.moment(stat.started_ticks),
            same_home,
            // What stands beside a replaced program is of its successor.
            version: if program.replaced { None } else { installation::release_of(&program.path, self.world) },
            project: None,
            cpu_ms: process::milliseconds(stat.cpu_ticks),
            activity: stat.activity,
            replaced: program.replaced,
            connections: None,
            newest_child: None,
            children_known: false,
            threads: Vec::new(),
            retrying: None,
        };
        client.version = client.version.map(|version| self.redactor.text(&version));
        if same_home != Some(true) {
            return client;
        }
        client.project = process.directory().map(|directory| self.redactor.project(&directory.display().to_string()));
        if let Some(children) = process.children() {
            client.children_known = true;
            client.newest_child = children.iter().filter_map(|ticks| self.machine.moment(*ticks)).max();
        }
        if let Some(files) = process.open_files() {
            client.threads = self.threads(process.pid, &files);
            self.sockets.insert(process.pid, files.sockets);
        }
        client
    }

    fn parent(&self, pid: u32) -> Parent {
        parent::of(&self.world.processes, pid)
    }

    fn threads(&mut self, pid: u32, files: &process::OpenFiles) -> Vec<OpenThread> {
        let processes = &self.world.processes;
        let mut threads: Vec<OpenThread> = Vec::new();
        for (thread, inode) in &files.locks {
            let held = self.locks.get_or_insert_with(|| kept::held_locks(processes));
            let locked = inode.is_some_and(|inode| held.contains(&(pid, inode)));
            threads.push(OpenThread { thread: thread.clone(), locked, turn: None });
        }
        for thread in files.rollouts.keys() {
            if !threads.iter().any(|known| known.thread == *thread) {
                threads.push(OpenThread { thread: thread.clone(), locked: false, turn: None });
            }
        }
        for open in &mut threads {
            let rollout = files.rollouts.get(&open.thread).cloned();
            let rollout = rollout.or_else(|| self.rollout_of(&open.thread));
            open.turn = rollout.and_then(|rollout| open_turn(&rollout, self.deadline));
        }
        threads.sort_by(|one, other| one.thread.cmp(&other.thread));
        threads.dedup_by(|one, other| one.thread == other.thread);
        threads
    }

    /// The rollout of a thread that is open, though its file is not at the moment: in the folder of the day that its id tells, in local time.
    fn rollout_of(&self, thread: &str) -> Option<PathBuf> {
        let milliseconds = i64::from_str_radix(&thread.get(..13)?.replace('-', ""), 16).ok()?;
        let local = DateTime::from_timestamp_millis(milliseconds)? + TimeDelta::seconds(i64::from(self.world.utc_offset_s));
        let named = |day: NaiveDate| {
            let folder = self.world.codex_home.join("sessions").join(day.format("%Y/%m/%d").to_string());
            let ending = format!("-{thread}.jsonl");
            let mut files = std::fs::read_dir(folder).ok()?.flatten();
            files.find(|file| file.file_name().to_string_lossy().ends_with(&ending)).map(|file| file.path())
        };
        // The offset of then may have been another one.
        let day = local.date_naive();
        [Some(day), day.pred_opt(), day.succ_opt()].into_iter().flatten().find_map(named)
    }
}

/// Whether two paths lead to the same folder.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

//! What running clients hold, and what ended ones left: locks, and the files of the daemon.

use std::collections::HashSet;
use std::path::Path;

use codex_triage_checks::facts::clients::{DaemonRecord, Holder};

use super::process::read;
use crate::redact::Redactor;
use crate::world::World;

/// No list of the kernel that is read here, and no file of the daemon, is longer in earnest.
const LARGEST: u64 = 16 * 1024 * 1024;
/// A socket that listens, in the flags of `/proc/net/unix`.
const LISTENS: u64 = 0x0001_0000;

/// Which process a file of the daemon means: process ids are used again.
#[derive(Default)]
pub(super) struct Identity {
    pub(super) boot_id: Option<String>,
    pub(super) started_ticks: Option<u64>,
}

/// Locks for writing that are held, by process id and inode. Codex takes an flock (0.160 and newer).
pub(super) fn held_locks(processes: &Path) -> HashSet<(u32, u64)> {
    let text = read(&processes.join("locks"), LARGEST).unwrap_or_default();
    let held = |line: &str| {
        // `4: FLOCK  ADVISORY  WRITE 7142 fe:00:10256852 0 EOF`; who waits has an arrow in the second place.
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, "FLOCK" | "POSIX" | "OFDLCK", _, "WRITE", pid, file, ..] = words[..] else { return None };
        Some((pid.parse().ok()?, file.rsplit(':').next()?.parse().ok()?))
    };
    String::from_utf8_lossy(&text).lines().filter_map(held).collect()
}

/// The files in which the daemon and its helper keep their process ids, by name; `holder` tells whose an id is.
pub(super) fn daemon_records(world: &World, redactor: &Redactor, holder: impl Fn(u32, &Identity) -> Holder) -> Vec<DaemonRecord> {
    let folder = std::fs::read_dir(world.codex_home.join("app-server-daemon"));
    let mut files: Vec<_> = folder.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pid") && path.is_file());
    files.sort();
    let record = |path: &Path| {
        let json: serde_json::Value = serde_json::from_slice(&read(path, LARGEST)?).ok()?;
        let pid = u32::try_from(json.as_u64().or_else(|| json.get("pid")?.as_u64())?).ok()?;
        let identity = json.get("processIdentity");
        let own = |name: &str| identity.and_then(|identity| identity.get(name));
        let identity = Identity {
            boot_id: own("bootId").and_then(serde_json::Value::as_str).map(str::to_owned),
            started_ticks: own("startTicks").and_then(serde_json::Value::as_u64),
        };
        Some((pid, holder(pid, &identity)))
    };
    let described = files.iter().map(|path| {
        let (pid, holder) = record(path).map_or((None, Holder::Unknown), |(pid, holder)| (Some(pid), holder));
        DaemonRecord { file: redactor.path(path), pid, holder }
    });
    described.collect()
}

/// Whether somebody listens at the socket of the daemon: told by the kernel's list, not by knocking. Nothing where there is no socket.
pub(super) fn socket_answered(world: &World) -> Option<bool> {
    let socket = world.codex_home.join("app-server-control/app-server-control.sock");
    std::fs::symlink_metadata(&socket).ok()?;
    let real = std::fs::read_link(&socket).unwrap_or_else(|_| socket.clone());
    let list = read(&world.processes.join("net/unix"), LARGEST)?;
    let listens = |line: &str| {
        let path = line.find('/').map(|start| Path::new(&line[start..]));
        let flags = line.split_ascii_whitespace().nth(3).and_then(|flags| u64::from_str_radix(flags, 16).ok());
        path.is_some_and(|path| path == real || path == socket) && flags.is_some_and(|flags| flags & LISTENS != 0)
    };
    Some(String::from_utf8_lossy(&list).lines().any(listens))
}

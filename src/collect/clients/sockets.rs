//! The TCP sockets of a process, by the tables of its network namespace.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use codex_triage_checks::facts::clients::Connections;

use super::process::{Process, read};

/// A table beyond this is not read to its end, and then nothing is told.
const LARGEST_TABLE: u64 = 16 * 1024 * 1024;

/// A socket as the kernel lists it; its ends as they stand there.
struct Socket {
    state: u8,
    near: String,
    far: String,
}

/// Sockets by inode.
type Table = Rc<HashMap<u64, Socket>>;

/// The tables, each read once.
#[derive(Default)]
pub(super) struct Sockets(HashMap<PathBuf, Option<Table>>);

impl Sockets {
    /// How many of `sockets` (inodes) are TCP connections, and in which state; nothing when the tables could not be read. `ours` are the sockets
    /// of all clients: where both ends are among them, nobody else is at the other end.
    pub(super) fn of(&mut self, process: &Process, sockets: &[u64], ours: &HashSet<u64>) -> Option<Connections> {
        let table = match process.network_namespace() {
            Some(namespace) => self.0.entry(namespace).or_insert_with(|| table(&process.folder)).clone(),
            None => table(&process.folder),
        }?;
        let ends: HashSet<(&str, &str)> =
            ours.iter().filter_map(|inode| table.get(inode)).map(|socket| (socket.near.as_str(), socket.far.as_str())).collect();
        let mut connections = Connections::default();
        for socket in sockets.iter().filter_map(|inode| table.get(inode)) {
            // The numbers of include/net/tcp_states.h.
            match socket.state {
                0x01 if ends.contains(&(socket.far.as_str(), socket.near.as_str())) => connections.internal += 1,
                0x01 => connections.established += 1,
                0x02 | 0x03 => connections.connecting += 1,
                0x08 => connections.half_closed += 1,
                _ => {}
            }
        }
        Some(connections)
    }
}

fn table(process: &Path) -> Option<Table> {
    let mut sockets = HashMap::new();
    list(&read(&process.join("net/tcp"), LARGEST_TABLE)?, &mut sockets);
    // A system may have no IPv6, or not use it: each list makes the kernel walk a table of its own, for some milliseconds.
    let unused = read(&process.join("net/sockstat6"), LARGEST_TABLE).is_some_and(|summary| summary.starts_with(b"TCP6: inuse 0\n"));
    if unused {
        return Some(Rc::new(sockets));
    }
    if let Some(six) = read(&process.join("net/tcp6"), LARGEST_TABLE) {
        list(&six, &mut sockets);
    }
    Some(Rc::new(sockets))
}

fn list(table: &[u8], sockets: &mut HashMap<u64, Socket>) {
    for line in String::from_utf8_lossy(table).lines().skip(1) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, near, far, state, _, _, _, _, _, inode, ..] = words[..] else { continue };
        if let (Ok(state), Ok(inode)) = (u8::from_str_radix(state, 16), inode.parse()) {
            sockets.insert(inode, Socket { state, near: near.to_owned(), far: far.to_owned() });
        }
    }
}

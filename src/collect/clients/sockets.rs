//! The TCP sockets of a process, by the tables of its network namespace.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use codex_triage_checks::facts::clients::Connections;

use super::process::{Process, read};

/// A table beyond this is not read to its end, and then nothing is told.
const LARGEST_TABLE: u64 = 16 * 1024 * 1024;

/// States of sockets by inode.
type Table = Rc<HashMap<u64, u8>>;

/// The tables, each read once.
#[derive(Default)]
pub(super) struct Sockets(HashMap<PathBuf, Option<Table>>);

impl Sockets {
    /// How many of `sockets` (inodes) are TCP connections, and in which state; nothing when the tables could not be read.
    pub(super) fn of(&mut self, process: &Process, sockets: &[u64]) -> Option<Connections> {
        let namespace = process.network_namespace();
        let table = match namespace {
            Some(namespace) => self.0.entry(namespace).or_insert_with(|| table(&process.folder)).clone(),
            None => table(&process.folder),
        }?;
        let mut connections = Connections::default();
        for state in sockets.iter().filter_map(|inode| table.get(inode)) {
            // The numbers of include/net/tcp_states.h.
            match state {
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
    let mut states = HashMap::new();
    states_in(&read(&process.join("net/tcp"), LARGEST_TABLE)?, &mut states);
    // A system may have no IPv6.
    if let Some(six) = read(&process.join("net/tcp6"), LARGEST_TABLE) {
        states_in(&six, &mut states);
    }
    Some(Rc::new(states))
}

fn states_in(table: &[u8], states: &mut HashMap<u64, u8>) {
    for line in String::from_utf8_lossy(table).lines().skip(1) {
        let mut words = line.split_ascii_whitespace();
        let state = words.nth(3).and_then(|state| u8::from_str_radix(state, 16).ok());
        let inode = words.nth(5).and_then(|inode| inode.parse().ok());
        if let (Some(state), Some(inode)) = (state, inode) {
            states.insert(inode, state);
        }
    }
}

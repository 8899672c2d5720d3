//! One process, read from its folder in `/proc`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use codex_triage_checks::facts::clients::{Activity, ClientKind};

use super::arguments;

/// The files of a process are small, but for a command line or an environment that somebody filled.
const LARGEST: u64 = 1024 * 1024;
/// What the kernel adds to the link of a program that is not there any more.
const DELETED: &str = " (deleted)";
/// Programs of Codex that serve it as long as it runs: no command that a model asked for. The kernel cuts names to 15 bytes.
const HELPERS: [&str; 2] = ["codex", "codex-code-mode"];

/// A process.
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) folder: PathBuf,
}

/// Whether a process is a Codex.
pub(super) enum Codex {
    No,
    Yes(Program),
    /// It has the name, and its program may not be looked at.
    Unreadable,
}

/// The program of a process.
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// Whether the file was replaced or deleted since.
    pub(super) replaced: bool,
}

/// What `stat` tells.
pub(super) struct Stat {
    pub(super) parent: u32,
    pub(super) activity: Activity,
    pub(super) cpu_ticks: u64,
    pub(super) started_ticks: u64,
}

/// The open files that tell something.
#[derive(Default)]
pub(super) struct OpenFiles {
    /// Inodes of sockets.
    pub(super) sockets: Vec<u64>,
    /// Locks of writers: the thread, and the inode of the file.
    pub(super) locks: Vec<(String, Option<u64>)>,
    /// Rollouts by thread.
    pub(super) rollouts: BTreeMap<String, PathBuf>,
}

/// All processes, in no order.
pub(super) fn all(processes: &Path) -> impl Iterator<Item = Process> {
    let pids = std::fs::read_dir(processes).into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.map(|pid| Process::at(processes, pid))
}

/// Whether this is the program of Codex itself: as packages install it, or as releases name it.
pub(super) fn is_codex(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_suffix(DELETED).unwrap_or(name);
    name == "codex" || name == "codex.exe" || name.starts_with("codex-x86_64-") || name.starts_with("codex-aarch64-")
}

/// Ticks of the kernel's clock for programs, which is 100 per second on every system that Codex is built for.
pub(super) fn milliseconds(ticks: u64) -> u64 {
    ticks.saturating_mul(10)
}

/// The first bytes of a file, or nothing when it is longer than `most` or cannot be read.
pub(super) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    // With room from the start, one call reads most of these files.
    let mut bytes = Vec::with_capacity(16 * 1024);
    File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// The user whom a file belongs to.
#[cfg(unix)]
pub(super) fn owner(path: &Path) -> Option<u32> {
    std::fs::metadata(path).ok().map(|found| std::os::unix::fs::MetadataExt::uid(&found))
}

#[cfg(not(unix))]
pub(super) fn owner(_path: &Path) -> Option<u32> {
    None
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|found| std::os::unix::fs::MetadataExt::ino(&found))
}

#[cfg(not(unix))]
fn inode(_path: &Path) -> Option<u64> {
    None
}

impl Process {
    pub(super) fn at(processes: &Path, pid: u32) -> Self {
        Self { pid, folder: processes.join(pid.to_string()) }
    }

    /// Whether it is a Codex: one link is read of each process, and nothing else of those that are none.
    pub(super) fn codex(&self) -> Codex {
        match std::fs::read_link(self.folder.join("exe")) {
            Ok(path) if !is_codex(&path) => Codex::No,
            Ok(path) => {
                let shown = path.to_string_lossy();
                let kept = shown.strip_suffix(DELETED).map(PathBuf::from);
                Codex::Yes(Program { replaced: kept.is_some(), path: kept.unwrap_or(path) })
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied && self.is_own_by_status() => Codex::Unreadable,
            Err(_) => Codex::No,
        }
    }

    /// A process that forbids to be looked at belongs to the administrator by its folder; its name and user stand in its status.
    fn is_own_by_status(&self) -> bool {
        if read(&self.folder.join("comm"), LARGEST).is_none_or(|name| name.trim_ascii() != b"codex") {
            return false;
        }
        let user = |folder: &Path| {
            let status = read(&folder.join("status"), LARGEST)?;
            let line = status.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"Uid:"))?.to_vec();
            Some(line)
        };
        let own = self.folder.parent().and_then(|processes| user(&processes.join("self")));
        own.is_some() && own == user(&self.folder)
    }

    pub(super) fn owner(&self) -> Option<u32> {
        owner(&self.folder)
    }

    pub(super) fn program(&self) -> Option<PathBuf> {
        std::fs::read_link(self.folder.join("exe")).ok()
    }

    pub(super) fn directory(&self) -> Option<PathBuf> {
        std::fs::read_link(self.folder.join("cwd")).ok()
    }

    pub(super) fn network_namespace(&self) -> Option<PathBuf> {
        std::fs::read_link(self.folder.join("ns/net")).ok()
    }

    /// What it is by its arguments; none of one that is ending and has none any more.
    pub(super) fn kind(&self) -> Option<ClientKind> {
        match read(&self.folder.join("cmdline"), LARGEST) {
            Some(line) => (!line.is_empty()).then(|| arguments::kind(&line)),
            None => Some(ClientKind::Tui),
        }
    }

    /// Whether it is the script by which npm starts Codex.
    pub(super) fn is_launcher(&self) -> bool {
        let interpreter = self.program().is_some_and(|program| program.ends_with("node") || program.ends_with("bun"));
        let script = || {
            let line = read(&self.folder.join("cmdline"), LARGEST)?;
            let word = line.split(|byte| *byte == 0).nth(1)?.to_vec();
            Some(word.ends_with(b"/codex.js") || word.ends_with(b"/codex"))
        };
        interpreter && script().unwrap_or(false)
    }

    pub(super) fn stat(&self) -> Option<Stat> {
        let text = read(&self.folder.join("stat"), LARGEST)?;
        // The name in brackets may hold anything.
        let end = text.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<&str> = std::str::from_utf8(&text[end + 1..]).ok()?.split_ascii_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        let activity = match *fields.first()? {
            "R" => Activity::Running,
            "S" => Activity::Sleeping,
            "T" => Activity::Stopped,
            // What has ended and was not yet collected runs no more.
            "Z" | "X" => return None,
            _ => Activity::Other,
        };
        Some(Stat {
            parent: u32::try_from(number(1)?).ok()?,
            activity,
            cpu_ticks: number(11)?.saturating_add(number(12)?),
            started_ticks: number(19)?,
        })
    }

    /// Its CODEX_HOME as Codex resolves it. Two variables are looked for; nothing else of the environment is kept.
    pub(super) fn codex_home(&self) -> Option<PathBuf> {
        let environment = read(&self.folder.join("environ"), LARGEST)?;
        let variable = |name: &str| {
            let mut values = environment.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(name.as_bytes()));
            values.find(|value| !value.is_empty()).and_then(|value| std::str::from_utf8(value).ok()).map(PathBuf::from)
        };
        match variable("CODEX_HOME=") {
            Some(home) if home.is_relative() => Some(self.directory()?.join(home)),
            Some(home) => Some(home),
            None => Some(variable("HOME=")?.join(".codex")),
        }
    }

    /// When the processes directly below it were started, helpers of Codex left out; nothing where the kernel does not tell.
    pub(super) fn children(&self) -> Option<Vec<u64>> {
        let processes = self.folder.parent()?;
        let mut known = false;
        let mut started = Vec::new();
        for task in std::fs::read_dir(self.folder.join("task")).ok()?.flatten() {
            let Some(pids) = read(&task.path().join("children"), LARGEST) else { continue };
            known = true;
            let pids = std::str::from_utf8(&pids).ok()?.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
            for child in pids.map(|pid| Self::at(processes, pid)) {
                let name = read(&child.folder.join("comm"), LARGEST).unwrap_or_default();
                if !HELPERS.iter().any(|helper| helper.as_bytes() == name.trim_ascii()) {
                    started.extend(child.stat().map(|stat| stat.started_ticks));
                }
            }
        }
        known.then_some(started)
    }

    /// Its open files; nothing when they may not be looked at.
    pub(super) fn open_files(&self) -> Option<OpenFiles> {
        let mut files = OpenFiles::default();
        for entry in std::fs::read_dir(self.folder.join("fd")).ok()?.flatten() {
            let Ok(target) = std::fs::read_link(entry.path()) else { continue };
            let Some(name) = target.file_name().and_then(|name| name.to_str()) else { continue };
            if let Some(socket) = name.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']')) {
                files.sockets.extend(socket.parse::<u64>());
            } else if target.parent().is_some_and(|folder| folder.ends_with("thread-writer-locks")) {
                let thread = name.strip_suffix(".lock").filter(|name| is_thread(name));
                files.locks.extend(thread.map(|thread| (thread.to_owned(), inode(&entry.path()))));
            } else if name.starts_with("rollout-") {
                let stem = name.strip_suffix(".jsonl");
                let thread = stem.and_then(|stem| stem.get(stem.len().checked_sub(36)?..)).filter(|name| is_thread(name));
                if let Some(thread) = thread {
                    files.rollouts.insert(thread.to_owned(), target.clone());
                }
            }
        }
        Some(files)
    }
}

/// Whether this is the id of a thread (a UUID).
fn is_thread(name: &str) -> bool {
    let shape = [8, 4, 4, 4, 12];
    let mut parts = name.split('-');
    let fits = shape.iter().all(|length| parts.next().is_some_and(|part| part.len() == *length && is_hex(part)));
    fits && parts.next().is_none()
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

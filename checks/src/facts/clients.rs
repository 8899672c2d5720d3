//! The Codex programs that run now, and what programs that ran before left behind. Of their command lines only the kind is kept:
//! prompts stand there.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a Codex program was started as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClientKind {
    /// The interactive client. In current releases it leaves its sessions to the daemon.
    Tui,
    /// `codex exec`, `codex review`.
    Exec,
    /// `codex app-server` for an editor, the desktop application or a program.
    AppServer,
    /// The app-server that the interactive client starts, and that outlives it.
    Daemon,
    /// The helper that keeps the daemon up to date.
    DaemonUpdater,
    /// `codex mcp-server`.
    McpServer,
    /// Anything that asks no model: `login`, `doctor`, `app-server proxy`.
    Other,
}

/// What started a client, the launcher of npm left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Parent {
    /// A shell, a terminal multiplexer.
    Shell,
    /// An editor, or a program of its extensions.
    Editor,
    /// The desktop application.
    Desktop,
    /// An interpreter: somebody's script.
    Script,
    /// Another Codex.
    Codex,
    /// Nobody any more, or the system's first process.
    Init,
    /// Something else.
    Other,
    /// It could not be told.
    Unknown,
}

/// What the scheduler says of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// On a processor, or ready for one.
    Running,
    /// Waiting for something.
    #[default]
    Sleeping,
    /// Suspended (Ctrl-Z).
    Stopped,
    /// Something else.
    Other,
}

/// The TCP sockets of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Connections {
    /// With somebody at the other end, who is no Codex on this home.
    pub established: u32,
    /// Being opened: nobody has answered yet.
    pub connecting: u32,
    /// Closed by the other end alone.
    pub half_closed: u32,
    /// With another Codex on this home: a window and the daemon talk to each other.
    pub internal: u32,
}

/// A turn that has begun and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenTurn {
    /// When it began.
    pub began: DateTime<Utc>,
    /// When something was last written of it.
    pub heard: DateTime<Utc>,
}

/// A session that a client has open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenThread {
    /// Its id.
    pub thread: String,
    /// Whether the client holds the lock of its writer; older releases have no such lock.
    pub locked: bool,
    /// Its turn that has not ended, if there is one.
    pub turn: Option<OpenTurn>,
}

/// One Codex program that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Client {
    /// Its process id.
    pub pid: u32,
    /// The process id of its parent.
    pub parent_pid: u32,
    /// What it was started as.
    pub kind: ClientKind,
    /// What started it.
    pub parent: Parent,
    /// When it was started.
    pub started_at: Option<DateTime<Utc>>,
    /// Whether its CODEX_HOME is the one that this run is about; absent when its environment could not be read.
    pub same_home: Option<bool>,
    /// Its release, where the place of its program tells.
    pub version: Option<String>,
    /// The directory that it works in, as a role token.
    pub project: Option<String>,
    /// Processor time that it has used, in milliseconds.
    pub cpu_ms: u64,
    /// What it does.
    pub activity: Activity,
    /// Whether its program file was replaced or deleted since it was started.
    pub replaced: bool,
    /// Its TCP sockets; read only while a turn of it is open, and absent when they could not be read.
    pub connections: Option<Connections>,
    /// When the newest process below it was started, if there is one (a command that the model runs, a server of tools).
    pub newest_child: Option<DateTime<Utc>>,
    /// Whether the processes below it could be told.
    pub children_known: bool,
    /// The sessions that it has open, by id.
    pub threads: Vec<OpenThread>,
    /// Whether the log shows that it asks again and again; absent when the log does not tell.
    #[serde(default)]
    pub retrying: Option<bool>,
}

/// Whose the process id in a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// The process that wrote the file.
    Itself,
    /// Nobody's.
    Gone,
    /// Another process has the number now.
    Another,
    /// The file names none that can be read.
    Unknown,
}

/// A file in which the daemon keeps its process id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonRecord {
    /// The file, redacted.
    pub file: String,
    /// The process id in it.
    pub pid: Option<u32>,
    /// Whose that is.
    pub holder: Holder,
}

/// The Codex programs of this user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clients {
    /// Those that run, by process id.
    pub running: Vec<Client>,
    /// Programs named `codex` of this user that could not be looked at.
    pub unreadable: u32,
    /// The files of the daemon, by name.
    pub daemon_records: Vec<DaemonRecord>,
    /// Whether somebody listens at the daemon's socket; absent when there is none.
    pub socket_answered: Option<bool>,
    /// Whether the time was up before all processes were looked at.
    pub cut_short: bool,
}

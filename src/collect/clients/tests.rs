#![cfg(unix)]

use std::path::Path;
use std::time::Duration;

use codex_triage_checks::facts::clients::Activity;
use proptest::prelude::*;

use super::*;

const THREAD: &str = "01a229ed-754e-78f0-8ab2-071cd59300f5";
const HOUR: u64 = 360_000;

/// A `/proc` of our own making, with a CODEX_HOME beside it.
struct Machine {
    folder: tempfile::TempDir,
}

/// A process in it.
#[derive(Clone)]
struct Made<'a> {
    pid: u32,
    parent: u32,
    program: &'a str,
    arguments: Vec<&'a str>,
    environment: Vec<String>,
    state: char,
    files: Vec<(String, String)>,
    children: &'a str,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        machine.put("self/status", "Name:\tx\nUid:\t7\t7\t7\t7\n");
        machine.put("uptime", "7200.00 100.00\n");
        machine.put("sys/kernel/random/boot_id", "this-boot\n");
        machine.put("locks", "");
        std::fs::create_dir_all(machine.home()).unwrap();
        machine
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home/.codex")
    }

    fn processes(&self) -> PathBuf {
        self.folder.path().join("proc")
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.processes().join(name), text.as_ref())
    }

    fn process<'a>(&self, pid: u32, arguments: &[&'a str]) -> Made<'a> {
        Made {
            pid,
            parent: 1,
            program: "/opt/codex/0.171.0/bin/codex",
            arguments: arguments.to_vec(),
            environment: vec!["SECRET=canary".to_owned(), format!("CODEX_HOME={}", self.home().display())],
            state: 'S',
            files: Vec::new(),
            children: "",
        }
    }

    fn start(&self, made: &Made<'_>) {
        let Made { pid, parent, state, children, .. } = made;
        let stat = format!("{pid} (a) b) {state} {parent} 1 1 0 -1 0 0 0 0 0 30 12 0 0 20 0 9 0 {HOUR} 1 1");
        self.put(&format!("{pid}/stat"), stat);
        self.put(&format!("{pid}/comm"), made.program.rsplit('/').next().unwrap());
        self.put(&format!("{pid}/cmdline"), format!("{}\0{}\0", made.program, made.arguments.join("\0")));
        self.put(&format!("{pid}/environ"), made.environment.join("\0"));
        self.put(&format!("{pid}/task/{pid}/children"), children);
        self.put(&format!("{pid}/fd/.keep"), "");
        let tcp = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let line = |ends: &str, state: &str, inode: u32| {
            format!("   0: {ends} {state} 00000000:00000000 00:00000000 00000000  7  0 {inode} 1 0\n")
        };
        let (out, to, fro) = ("0100007F:4A30 0100007F:01BB", "0100007F:9AA0 0100007F:A8B7", "0100007F:A8B7 0100007F:9AA0");
        let sockets = [line(out, "01", 501), line(out, "02", 502), line(out, "08", 503), line(to, "01", 504), line(fro, "01", 505)];
        self.put(&format!("{pid}/net/tcp"), tcp.to_owned() + &sockets.concat());
        let link = |name: &str, target: &str| link(&self.processes().join(format!("{pid}/{name}")), target);
        link("exe", made.program);
        link("cwd", "/srv/canary-project");
        for (name, target) in &made.files {
            link(&format!("fd/{name}"), target);
        }
    }

    fn world(&self) -> World {
        let environment = [("HOME".to_owned(), self.folder.path().join("home").display().to_string())].into();
        let now = DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        let mut world = World::new(environment, "/".into(), None, None, Platform::Linux, now, 0);
        world.processes = self.processes();
        world
    }

    fn look(&self) -> Clients {
        let world = self.world();
        let observed = collect(&world, &Redactor::new(&world), Instant::now() + Duration::from_secs(9));
        observed.value().unwrap_or_else(|| panic!("{observed:?}")).clone()
    }

    /// A thread with a turn that has not ended; the lock of its writer.
    fn open_turn(&self) -> String {
        self.kept(&rollout(), &turn("2026-11-29T15:00:00Z", false));
        self.kept(&format!("thread-writer-locks/{THREAD}.lock"), "")
    }

    fn kept(&self, name: &str, text: &str) -> String {
        write(&self.home().join(name), text.as_bytes()).display().to_string()
    }
}

fn rollout() -> String {
    let day = DateTime::from_timestamp_millis(i64::from_str_radix("01a229ed754e", 16).unwrap()).unwrap().date_naive();
    format!("sessions/{}/rollout-{day}T00-49-17-{THREAD}.jsonl", day.format("%Y/%m/%d"))
}

fn write(path: &Path, text: &[u8]) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    path.to_path_buf()
}

fn link(path: &Path, target: &str) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

fn turn(began: &str, ended: bool) -> String {
    let line = |kind: &str| {
        format!(
            r#"{{"timestamp":"{began}","type":"event_msg","payload":{{"type":"{kind}","turn_id":"t","last_agent_message":"x"}}}}"#
        )
    };
    let mut text = line("task_started") + "\n";
    if ended {
        text += &(line("task_complete") + "\n");
    }
    text
}

#[test]
fn what_the_system_shows_of_a_client_is_kept_and_its_words_are_not() {
    let machine = Machine::new();
    machine.start(&machine.process(40, &["exec", "canary prompt", "-m", "canary"]));
    let clients = machine.look();
    let client = &clients.running[0];
    assert_eq!((client.pid, client.kind, client.parent), (40, ClientKind::Exec, Parent::Init));
    assert_eq!((client.cpu_ms, client.activity, client.same_home), (420, Activity::Sleeping, Some(true)));
    assert_eq!(client.version.as_deref(), Some("0.171.0"));
    assert_eq!(client.started_at, Some(machine.world().now - TimeDelta::hours(1)));
    assert_eq!(client.project.as_deref(), Some("<project-1>"));
    assert!(client.children_known && client.newest_child.is_none() && !client.replaced);
    let told = serde_json::to_string(&clients).unwrap();
    assert!(!told.contains("canary"), "{told}");
}

#[test]
fn helpers_launchers_and_others_are_no_clients_and_the_daemon_is_one() {
    let machine = Machine::new();
    let launcher = Made { program: "/usr/bin/node", ..machine.process(39, &["/usr/lib/@openai/codex/bin/codex.js"]) };
    machine.start(&Made { parent: 38, ..launcher });
    machine.start(&Made { program: "/usr/bin/zsh", ..machine.process(38, &[]) });
    machine.start(&Made { parent: 39, ..machine.process(40, &[]) });
    machine.start(&Made { parent: 40, ..machine.process(41, &["app-server", "--listen", "unix://", "--managed-daemon"]) });
    machine.start(&Made { parent: 41, ..machine.process(42, &["exec", "in a sandbox"]) });
    machine.start(&Made { program: "/opt/bin/codex-triage", ..machine.process(43, &[]) });
    machine.start(&Made { state: 'Z', ..machine.process(44, &["exec"]) });
    let server = "/home/x/.vscode-server/cli/node";
    machine.start(&Made { program: server, ..machine.process(45, &["/home/x/extensionHost.js"]) });
    machine.start(&Made { parent: 45, ..machine.process(46, &["app-server"]) });
    machine.start(&machine.process(47, &["exec"]));
    machine.put("47/cmdline", "");
    let seen: Vec<_> = machine.look().running.iter().map(|client| (client.pid, client.kind, client.parent)).collect();
    let wanted = [
        (40, ClientKind::Tui, Parent::Shell),
        (41, ClientKind::Daemon, Parent::Codex),
        (46, ClientKind::AppServer, Parent::Editor),
    ];
    assert_eq!(seen, wanted);
}

#[test]
fn a_client_of_another_home_is_not_looked_into() {
    let machine = Machine::new();
    let with = |pid, environment: Vec<String>| Made { environment, ..machine.process(pid, &["exec"]) };
    machine.start(&with(40, vec!["CODEX_HOME=/elsewhere".to_owned()]));
    machine.start(&with(41, vec!["CODEX_HOME=".to_owned(), format!("HOME={}/home", machine.folder.path().display())]));
    machine.start(&with(42, Vec::new()));
    let homes: Vec<_> = machine.look().running.iter().map(|client| client.same_home).collect();
    assert_eq!(homes, [Some(false), Some(true), None]);
    assert_eq!(machine.look().running[0].connections, None);
}

#[test]
fn a_replaced_program_has_no_version() {
    let machine = Machine::new();
    machine.start(&Made { program: "/opt/codex/0.171.0/bin/codex (deleted)", ..machine.process(40, &[]) });
    let client = machine.look().running.remove(0);
    assert!(client.replaced && client.version.is_none());
}

#[test]
fn sockets_locks_and_turns_are_told() {
    let machine = Machine::new();
    let lock = machine.open_turn();
    let files = vec![
        ("3".to_owned(), "socket:[501]".to_owned()),
        ("4".to_owned(), "socket:[502]".to_owned()),
        ("5".to_owned(), "socket:[9]".to_owned()),
        ("6".to_owned(), lock.clone()),
    ];
    machine.start(&Made { files, ..machine.process(40, &["exec"]) });
    let client = machine.look().running.remove(0);
    let connections = client.connections.unwrap();
    assert_eq!((connections.established, connections.connecting, connections.half_closed, connections.internal), (1, 1, 0, 0));
    let open = &client.threads[0];
    assert_eq!((open.thread.as_str(), open.locked), (THREAD, false));
    assert_eq!(open.turn.unwrap().heard.to_rfc3339(), "2026-11-29T15:00:00+00:00");

    let inode = std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&lock).unwrap());
    machine.put(
        "locks",
        format!("1: FLOCK  ADVISORY  WRITE 40 fe:00:{inode} 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 41 fe:00:{inode} 0 EOF\n"),
    );
    machine.kept(&rollout(), &turn("2026-11-29T15:00:00Z", true));
    let client = machine.look().running.remove(0);
    assert!(client.threads[0].locked && client.threads[0].turn.is_none() && client.connections.is_none());
}

#[test]
fn what_window_and_daemon_say_to_each_other_is_no_connection_to_a_server() {
    let machine = Machine::new();
    let lock = machine.open_turn();
    let with = |socket: u32| vec![("3".to_owned(), format!("socket:[{socket}]")), ("4".to_owned(), lock.clone())];
    machine.start(&Made { files: with(504), ..machine.process(40, &["app-server", "--managed-daemon"]) });
    let connections = |machine: &Machine| machine.look().running[0].connections.unwrap();
    assert_eq!((connections(&machine).established, connections(&machine).internal), (1, 0));
    machine.start(&Made { files: with(505), ..machine.process(41, &[]) });
    assert_eq!((connections(&machine).established, connections(&machine).internal), (0, 1));
}

#[test]
fn a_command_of_the_model_is_a_child_and_a_helper_of_codex_is_not() {
    let machine = Machine::new();
    machine.start(&Made { program: "/opt/codex-code-mode", ..machine.process(50, &[]) });
    machine.start(&Made { children: "50 ", ..machine.process(40, &["exec"]) });
    assert_eq!(machine.look().running[0].newest_child, None);
    machine.start(&Made { program: "/usr/bin/cargo", ..machine.process(51, &[]) });
    machine.put("40/task/41/children", "51 ");
    assert!(machine.look().running[0].newest_child.is_some());
    std::fs::remove_dir_all(machine.processes().join("40/task")).unwrap();
    assert!(!machine.look().running[0].children_known);
}

#[test]
fn the_daemons_files_are_held_against_the_processes() {
    let machine = Machine::new();
    machine.start(&machine.process(40, &["app-server", "--managed-daemon"]));
    machine.start(&Made { program: "/usr/bin/cargo", ..machine.process(41, &[]) });
    let record = |pid: u32, boot: &str, ticks: u64| {
        format!(r#"{{"pid":{pid},"processIdentity":{{"bootId":"{boot}","startTicks":{ticks}}}}}"#)
    };
    for (text, holder) in [
        (record(40, "this-boot", HOUR), Holder::Itself),
        (record(40, "this-boot", HOUR + 1), Holder::Another),
        (record(40, "earlier", HOUR), Holder::Another),
        (record(41, "this-boot", HOUR), Holder::Another),
        (record(42, "this-boot", HOUR), Holder::Gone),
        ("40".to_owned(), Holder::Itself),
        ("x".to_owned(), Holder::Unknown),
    ] {
        machine.kept("app-server-daemon/daemon.pid", &text);
        machine.kept("app-server-daemon/daemon.pid.lock", "");
        let records = machine.look().daemon_records;
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].holder, holder, "{text}");
    }
}

#[test]
fn a_socket_is_told_by_the_list_of_the_kernel() {
    let machine = Machine::new();
    assert_eq!(machine.look().socket_answered, None);
    std::fs::create_dir_all(machine.home().join("app-server-control")).unwrap();
    link(&machine.home().join("app-server-control/app-server-control.sock"), "/tmp/codex-daemon-0/688f");
    let head = "Num       RefCount Protocol Flags    Type St Inode Path\n";
    let line =
        |flags: &str| format!("{head}000000002113476b: 00000002 00000000 {flags} 0001 01 2303979 /tmp/codex-daemon-0/688f\n");
    machine.put("net/unix", line("00000000"));
    assert_eq!(machine.look().socket_answered, Some(false));
    machine.put("net/unix", line("00010000"));
    assert_eq!(machine.look().socket_answered, Some(true));
}

#[test]
fn where_there_are_no_processes_to_see_nothing_is_claimed() {
    let machine = Machine::new();
    let mut world = machine.world();
    let look = |world: &World| collect(world, &Redactor::new(world), Instant::now() + Duration::from_secs(9)).fact;
    let unsupported = codex_triage_checks::facts::Fact::Skipped { why: SkipReason::Unsupported };
    world.platform = Platform::Windows;
    assert_eq!(look(&world), unsupported);
    world.platform = Platform::Linux;
    world.processes = PathBuf::from("/nowhere");
    assert_eq!(look(&world), unsupported);
}

#[test]
fn junk_costs_the_broken_process_alone() {
    let machine = Machine::new();
    machine.start(&machine.process(40, &["exec"]));
    machine.start(&machine.process(41, &["exec"]));
    machine.put("41/stat", b"\xff\xfe");
    machine.put("42/exe", "no link");
    machine.put("locks", b"\x00\xff junk");
    machine.put("40/net/tcp", b"x\n\xff\xff 1 2\n");
    let clients = machine.look();
    assert_eq!(clients.running.iter().map(|client| client.pid).collect::<Vec<_>>(), [40]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_word_of_a_command_line_or_an_environment_becomes_a_fact(
        words in proptest::collection::vec("[a-z-]{0,4}CANARY[ -~]{0,20}", 1..5),
        options in proptest::collection::vec("-[-a-z]{1,8}|exec|app-server|daemon|resume|--", 0..4),
    ) {
        let machine = Machine::new();
        let line: Vec<&str> = options.iter().chain(&words).map(String::as_str).collect();
        let mut made = machine.process(40, &line);
        made.environment.extend(words.iter().cloned());
        machine.start(&made);
        let told = serde_json::to_string(&machine.look()).unwrap();
        prop_assert!(told.contains("\"pid\":40") && !told.contains("CANARY"), "{}", told);
    }
}

//! Two real Codex programs on one home, one of which waits for a server that it cannot reach: ours names that one.
//!
//! That one is ignored unless asked for (`cargo test --test other_clients -- --ignored`); it needs the real Codex CLI and `strace`.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(clippy::disallowed_methods, reason = "the test itself starts programs")]
#![cfg(target_os = "linux")]

mod common;
#[path = "common/strace.rs"]
mod strace;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use codex_triage_lab::{Answer, Conduct, Lab, Scenario, SilentPort};
use common::{Call, snapshot};
use serde_json::{Value, json};

/// Longer than the silence after which a turn counts as hanging, and after which the process alone is blamed.
const HANGS_BY: Duration = Duration::from_secs(35);
const HANGS_ALONE_BY: Duration = Duration::from_secs(70);
/// Stands in command lines and environments; may come out nowhere.
const CANARY: &str = "canary-of-a-prompt-7f3a";

/// Why a server cannot be reached.
#[derive(Clone, Copy, Debug)]
enum Road {
    Refused,
    Silent,
}

/// A `codex exec` that runs until this value is dropped.
struct Exec(Child);

impl Drop for Exec {
    fn drop(&mut self) {
        // The whole group: the launcher would leave its child behind.
        let group = format!("-{}", self.0.id());
        Command::new("kill").args(["-KILL", "--", &group]).status().unwrap();
        self.0.wait().unwrap();
    }
}

struct World {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl World {
    fn new(version: &str, base_url: &str) -> Self {
        let installer = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/oracle-install");
        let output = Command::new(installer).arg(version).stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), ".ci/oracle-install {version} failed");
        let program = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        let world = Self { folder: tempfile::tempdir().unwrap(), program };
        std::fs::create_dir_all(world.home()).unwrap();
        std::fs::create_dir_all(world.project()).unwrap();
        let config = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"lab\"\n[model_providers.lab]\nname = \"lab\"\nbase_url = \"{base_url}\"\nenv_key = \"LAB_KEY\"\n"
        );
        std::fs::write(world.home().join("config.toml"), config).unwrap();
        world
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("codex")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn exec(&self, base_url: Option<&str>) -> Exec {
        let mut command = Command::new(&self.program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.folder.path());
        command.env("CODEX_HOME", self.home()).env("LAB_KEY", CANARY).env("NOTE", CANARY).current_dir(self.project());
        command.args(["exec", "--skip-git-repo-check"]);
        if let Some(url) = base_url {
            command.args(["-c", &format!("model_providers.lab.base_url=\"{url}\"")]);
        }
        command.arg(CANARY).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Exec(command.spawn().unwrap())
    }

    fn call(&self, args: &[&str]) -> Call {
        let call = Call::new(args).home(&self.home()).directory(&self.project()).variable("LAB_KEY", CANARY);
        call.variable("HOME", &self.folder.path().display().to_string())
    }

    fn report(&self, args: &[&str]) -> Value {
        let output = self.call(args).run();
        assert!(!output.stdout.contains(CANARY) && !output.stderr.contains(CANARY), "{}", output.stdout);
        output.json()
    }
}

/// The process id of the client that a launcher started.
fn client_below(report: &Value, launcher: &Exec) -> u64 {
    let running = report["facts"]["clients"]["value"]["running"].as_array().unwrap();
    let own = running.iter().find(|client| client["parent_pid"] == launcher.0.id());
    own.unwrap_or_else(|| panic!("{running:#?}"))["pid"].as_u64().unwrap()
}

fn finding<'a>(report: &'a Value, code: &str) -> Option<&'a Value> {
    report["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == code)
}

fn assert_only_looks(world: &World) {
    let command = world.call(&["--offline", "--json"]).command();
    strace::assert_only_looks(&command, &world.home(), &["thread-writer-locks", "sessions"]);
}

/// Whether the home stays as it is in a run of ours. Codex itself writes there too, now and then: one calm run is proof enough.
fn assert_untouched(world: &World) {
    let calm = (0..5).any(|_| {
        let before = snapshot(&world.home());
        world.call(&["--offline"]).run();
        before == snapshot(&world.home())
    });
    assert!(calm, "the home changed in each of five runs");
}

fn two_clients(version: &str, road: Road) {
    let slow = Answer { conduct: Some(Conduct::Hang), ..Answer::default() };
    let models = Answer::json(200, json!({ "data": [{ "id": "gpt-5.5" }] }));
    let lab = Lab::start(Scenario { post: Some(slow.into()), ..Scenario::models(models) }).unwrap();
    let world = World::new(version, &format!("{}/v1", lab.origin()));
    let hole = SilentPort::open().unwrap();
    let dead = match road {
        Road::Silent => hole.address(),
        Road::Refused => std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap(),
    };
    let begun = Instant::now();
    let good = world.exec(None);
    // One after the other: two first starts at once would wait for each other's databases.
    std::thread::sleep(Duration::from_secs(3));
    let stuck = world.exec(Some(&format!("http://{dead}/v1")));
    let wait_until =
        |moment: Duration| std::thread::sleep((begun + Duration::from_secs(8) + moment).saturating_duration_since(Instant::now()));
    wait_until(HANGS_BY);

    let report = world.report(&["--offline", "--json"]);
    let (good_pid, stuck_pid) = (client_below(&report, &good), client_below(&report, &stuck));
    let said = finding(&report, "clients.stuck").unwrap_or_else(|| panic!("{version} {road:?}: {:#}", report["facts"]["clients"]));
    assert_eq!(said["args"]["pid"], stuck_pid, "{version} {road:?}: {:#}", report["facts"]["clients"]);
    let connecting = if matches!(road, Road::Silent) { "yes" } else { "no" };
    assert_eq!(said["args"]["connecting"], connecting, "{version}: {said:#}");
    let together = finding(&report, "clients.several").unwrap();
    let pids = together["args"]["pids"].as_str().unwrap();
    assert!(pids.split(", ").eq([good_pid.min(stuck_pid), good_pid.max(stuck_pid)].map(|pid| pid.to_string())), "{pids}");
    let stuck_ones = report["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "clients.stuck").count();
    assert_eq!(stuck_ones, 1, "{:#}", report["facts"]["clients"]);
    // Whether the network or the process is dead cannot be told without a try.
    assert_eq!(report["verdict"]["cause"], "undetermined", "{:#}", report["verdict"]);
    let candidates: Vec<&str> =
        report["verdict"]["candidates"].as_array().unwrap().iter().filter_map(|one| one["cause"].as_str()).collect();
    assert!(candidates.contains(&"network") && candidates.contains(&"other"), "{candidates:?}");
    let kill = format!("kill {stuck_pid}");
    assert!(report["fixes"].as_array().unwrap().iter().any(|fix| fix["command"] == *kill), "{:#}", report["fixes"]);
    let clients = &report["facts"]["clients"]["value"]["running"];
    for client in clients.as_array().unwrap().iter().filter(|client| client["same_home"] == true) {
        assert_eq!((client["kind"].as_str(), client["version"].as_str()), (Some("exec"), Some(version)), "{client:#}");
    }

    for args in [&["--offline"][..], &["--offline", "-v"], &["--offline", "-v", "--lang", "zh"]] {
        let output = world.call(args).run();
        assert!(!output.stdout.contains(CANARY) && !output.stderr.contains(CANARY), "{}", output.stdout);
        assert!(output.stdout.contains(&kill), "{}", output.stdout);
    }
    assert_only_looks(&world);
    assert_untouched(&world);

    wait_until(HANGS_ALONE_BY);
    let live = world.report(&["--json"]);
    assert_eq!(live["verdict"]["kind"], "other.stale-client", "{version} {road:?}: {:#}", live["verdict"]);

    drop((good, stuck));
    // Whoever is killed takes a moment to end.
    let ends_by = Instant::now() + Duration::from_secs(10);
    let after = loop {
        let after = world.report(&["--offline", "--json"]);
        if finding(&after, "clients.none").is_some() || Instant::now() >= ends_by {
            break after;
        }
    };
    assert!(finding(&after, "clients.none").is_some(), "{:#}", after["facts"]["clients"]);
    assert_only_looks(&world);
    let before = snapshot(&world.home());
    world.report(&["--offline", "--json"]);
    assert_eq!(before, snapshot(&world.home()));
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn of_two_clients_the_one_that_hangs_is_named() {
    let cases = [("0.171.0", Road::Refused), ("0.171.0", Road::Silent), ("0.160.1", Road::Refused), ("0.142.5", Road::Silent)];
    std::thread::scope(|scope| {
        for (version, road) in cases {
            scope.spawn(move || two_clients(version, road));
        }
    });
}

/// A program that is named `codex`, waits for its input to end, and holds canaries wherever a person's words can stand.
struct Lookalike {
    child: Child,
    program: PathBuf,
}

impl Lookalike {
    fn start(folder: &Path, home: &Path) -> Self {
        let program = folder.join("codex");
        std::fs::copy(std::fs::canonicalize("/bin/sh").unwrap(), &program).unwrap();
        let mut command = Command::new(&program);
        command.args(["-c", "read line", CANARY, "--model", CANARY]).env_clear().env("CODEX_HOME", home).env("NOTE", CANARY);
        // A pipe that stays open until this value is dropped.
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null());
        // A process that another test starts this moment may still hold the file open for writing.
        let busy = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ExecutableFileBusy;
        let child = loop {
            match command.spawn() {
                Err(error) if busy(&error) => std::thread::sleep(Duration::from_millis(10)),
                child => break child.unwrap(),
            }
        };
        Self { child, program }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Lookalike {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_running_client_is_told_of_and_its_words_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    let client = Lookalike::start(folder.path(), &home);
    let call = |args: &[&str]| {
        let output = Call::new(args).home(&home).run();
        assert!(!output.stdout.contains(CANARY) && !output.stderr.contains(CANARY), "{}", output.stdout);
        output
    };
    let pid = client.child.id();
    let report = call(&["--offline", "--json"]).json();
    let running = report["facts"]["clients"]["value"]["running"].as_array().unwrap();
    assert!(running.iter().any(|client| client["pid"] == pid && client["same_home"] == true), "{running:#?}");
    assert_eq!(finding(&report, "clients.fine").unwrap()["args"]["pids"], pid.to_string());
    assert!(!report["verdict"].to_string().contains("clients."), "{:#}", report["verdict"]);
    for args in [&["--offline", "-v"][..], &["--offline", "-v", "--lang", "zh"], &["--offline", "-v", "--ascii"]] {
        assert!(call(args).stdout.contains(&pid.to_string()), "{args:?}");
    }

    client.signal("-STOP");
    let stopped = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        finding(&call(&["--offline", "--json"]).json(), "clients.suspended").is_some()
    });
    assert!(stopped);
    client.signal("-CONT");
    std::fs::remove_file(&client.program).unwrap();
    assert_eq!(finding(&call(&["--offline", "--json"]).json(), "clients.replaced").unwrap()["args"]["pid"], pid);
    assert!(call(&["--offline"]).stdout.contains(&pid.to_string()));
    drop(client);
    assert!(finding(&call(&["--offline", "--json"]).json(), "clients.none").is_some());
}

#[test]
fn other_commands_look_at_no_process() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["lint", "--json"][..], &["explain", "--json", "Selected model is at capacity."]] {
        let report = Call::new(args).home(home.path()).run().json();
        assert_eq!(report["facts"]["clients"]["why"], "not-part-of-command", "{args:?}");
    }
}

//! A tree of rollouts in which every failure is known: what is read equals what was planted, event for event, from the files as from the
//! cache.

#![allow(clippy::unwrap_used, reason = "a test says by panicking what it could not do")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Timelike, Utc};
use codex_triage::collect::history::{self, HistoryRequest, ThreadsWanted};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::history::History;
use codex_triage_checks::facts::run::Platform;
use codex_triage_lab::rollouts::{Planted, Tree, Truth, plant};

/// One look at a home.
#[derive(Clone, Copy)]
struct Look<'a> {
    cached: bool,
    /// The user's own folder.
    own: Option<&'a Path>,
    days: i64,
    /// Where threads are asked for, too, the sum of all records is of no use.
    threads: ThreadsWanted,
    all: bool,
}

impl Default for Look<'_> {
    fn default() -> Self {
        Self { cached: true, own: None, days: 90, threads: ThreadsWanted::None, all: true }
    }
}

/// A look at the records that are kept, not at their sum.
const AT_RECORDS: Look<'_> = Look { cached: true, own: None, days: 90, threads: ThreadsWanted::Recent, all: true };

struct Planting {
    folder: tempfile::TempDir,
    truth: Truth,
}

impl Planting {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree { files: 120, bytes: 8 << 20, seed, days: 60, now: 1_795_953_600 };
        let truth = plant(&folder.path().join("home"), &tree).unwrap();
        Self { folder, truth }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn world(&self, own: Option<&Path>) -> World {
        let caches = self.folder.path().join("caches").display().to_string();
        let mut environment = BTreeMap::from([("XDG_CACHE_HOME".to_owned(), caches)]);
        environment.extend(own.map(|own| ("HOME".to_owned(), own.display().to_string())));
        World::new(environment, "/nowhere".into(), Some(&self.home()), None, Platform::Linux, now(), 0)
    }

    fn read(&self, cached: bool) -> History {
        self.read_as(cached, None)
    }

    /// What a user with this folder of their own reads.
    fn read_as(&self, cached: bool, own: Option<&Path>) -> History {
        self.look(Look { cached, own, ..Look::default() })
    }

    fn look(&self, look: Look<'_>) -> History {
        let Look { cached, own, days, threads, all } = look;
        let world = self.world(own);
        let request = HistoryRequest {
            since: now() - TimeDelta::days(days),
            deadline: Instant::now() + Duration::from_secs(120),
            sqlite_home: None,
            log_dir: None,
            all,
            every_turn: false,
            threads,
            cached,
        };
        history::collect(&world, &Redactor::new(&world), &request).history.value().cloned().unwrap()
    }

    /// What is kept: the file of the records, and after it that of their sum where there is one.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path().join("caches/codex-triage")).unwrap();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        found.sort();
        let names: Vec<_> = found.iter().map(|path| (path.extension().is_some(), path.file_stem())).collect();
        assert!(
            matches!(names[..], [(false, _)]) || matches!(names[..], [(false, one), (true, other)] if one == other),
            "{names:?}"
        );
        found
    }

    fn cache(&self) -> PathBuf {
        self.kept().swap_remove(0)
    }

    fn sum(&self) -> PathBuf {
        self.kept().swap_remove(1)
    }

    /// All bytes that are kept.
    fn kept_bytes(&self) -> Vec<u8> {
        self.kept().iter().flat_map(|path| std::fs::read(path).unwrap()).collect()
    }

    fn some_rollout(&self) -> PathBuf {
        let failed = &self.truth.failed[0];
        let name = format!("{}.jsonl", failed.thread);
        let mut found = walk(&self.home()).into_iter().filter(|path| path.to_string_lossy().ends_with(&name));
        found.next().unwrap()
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_953_600 + 86_400, 0).unwrap()
}

/// What was read, in the form of what was planted.
fn events(history: &History) -> Vec<Planted> {
    let event = |turn: &codex_triage_checks::facts::history::FailedTurn| Planted {
        at_ms: turn.at.timestamp_millis().unsigned_abs(),
        thread: turn.thread.as_deref().unwrap().to_owned(),
        turn: turn.turn.as_deref().unwrap().to_owned(),
        model: turn.model.as_deref().unwrap().to_owned(),
        text: turn.text.as_deref().unwrap().to_owned(),
        code: turn.info.as_deref().unwrap().to_owned(),
    };
    let mut events: Vec<Planted> = history.failures.iter().filter(|turn| !turn.interrupted).map(event).collect();
    events.sort();
    events
}

#[test]
fn what_is_read_equals_what_was_planted() {
    for seed in [1, 7] {
        let planting = Planting::new(seed);
        let history = planting.read(false);
        let mut planted = planting.truth.failed.clone();
        planted.sort();
        assert!(planted.len() > 50, "{}", planted.len());
        assert_eq!(events(&history), planted);
        assert_eq!((history.turns, history.failed_turns), (planting.truth.turns, planted.len() as u64));
        assert_eq!((history.broken_records, history.unread.len(), history.not_reached), (planting.truth.broken, 0, 0));
        assert_eq!((history.files, history.bytes), (planting.truth.files, planting.truth.bytes));

        let mut by_hour = [0; 24];
        planted.iter().for_each(|event| by_hour[(event.at_ms / 3_600_000 % 24) as usize] += 1);
        let mut told = [0; 24];
        history.tallies.iter().for_each(|tally| told[tally.hour.hour() as usize] += tally.failed);
        assert_eq!(told, by_hour);
        let ended: u64 = history.tallies.iter().map(|tally| tally.succeeded + tally.failed + tally.interrupted + tally.other).sum();
        assert_eq!(ended, planting.truth.turns);
    }
}

#[test]
fn the_cache_tells_the_same_and_lies_outside_of_the_home() {
    let planting = Planting::new(3);
    let before = state(&planting.home());
    let plain = planting.read(false);
    let first = planting.read(true);
    let found = || [planting.cache(), planting.sum()].map(|path| std::fs::metadata(path).unwrap());
    let written = found();
    assert_eq!(first, plain);
    assert_eq!(planting.read(true), plain);
    // Where there is a sum, the records are not looked at.
    let records = std::fs::read(planting.cache()).unwrap();
    std::fs::write(planting.cache(), "nothing").unwrap();
    assert_eq!(planting.read(true), plain);
    std::fs::write(planting.cache(), records).unwrap();
    std::fs::File::options().append(true).open(planting.cache()).unwrap().set_modified(written[0].modified().unwrap()).unwrap();
    // And without it they tell the same.
    assert_eq!(planting.look(AT_RECORDS), plain);
    std::fs::remove_file(planting.sum()).unwrap();
    assert_eq!(planting.read(true), plain);
    let unchanged = found();
    assert_eq!((written[0].modified().unwrap(), written[0].len()), (unchanged[0].modified().unwrap(), unchanged[0].len()));
    assert_eq!(written[1].len(), unchanged[1].len());
    assert_eq!(state(&planting.home()), before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(unchanged.map(|found| found.permissions().mode() & 0o777), [0o600; 2]);
    }
}

#[test]
fn a_sum_serves_a_look_at_any_time() {
    let planting = Planting::new(15);
    // All files may hold something of today.
    for path in walk(&planting.home()) {
        let file = std::fs::File::options().append(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::from(now() - TimeDelta::hours(3))).unwrap();
    }
    let whole = planting.read(true);
    let sum = std::fs::metadata(planting.sum()).unwrap().modified().unwrap();
    let mut turns = Vec::new();
    for days in [1, 2, 10, 30, 45, 90] {
        let look = Look { days, ..Look::default() };
        let taken = planting.look(look);
        assert_eq!(taken, planting.look(Look { cached: false, ..look }), "{days}");
        turns.push(taken.turns);
    }
    assert!(turns.is_sorted() && turns[1] < turns[4] && turns[5] == whole.turns, "{turns:?}");
    assert_eq!(std::fs::metadata(planting.sum()).unwrap().modified().unwrap(), sum, "none of them has to make it anew");
}

#[test]
fn rows_of_a_database_are_added_to_a_sum_as_to_records() {
    let planting = Planting::new(16);
    planting.read(true);
    let failed = &planting.truth.failed;
    let database = rusqlite::Connection::open(planting.home().join("thread_history_1.sqlite")).unwrap();
    database
        .execute_batch("CREATE TABLE thread_turns (thread_id TEXT, turn_id TEXT, status TEXT, error_json TEXT, started_at INTEGER, completed_at INTEGER);")
        .unwrap();
    let at_s = |event: &Planted| i64::try_from(event.at_ms / 1000).unwrap();
    let said = r#"{"message":"Selected model is at capacity. Please try a different model.","codexErrorInfo":"serverOverloaded"}"#;
    let lone = "01a22800-af49-7090-8cee-000000000009";
    for (thread, turn, at_s) in [(&*failed[0].thread, &*failed[0].turn, at_s(&failed[0])), (lone, lone, at_s(&failed[1]))] {
        let row = (thread, turn, "failed", said, at_s - 5, at_s);
        database.execute("INSERT INTO thread_turns VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).unwrap();
    }
    drop(database);
    let plain = planting.read(false);
    assert_eq!(plain.failed_turns, failed.len() as u64 + 1, "one of the rows is of a turn that a rollout tells of");
    std::fs::write(planting.cache(), "nothing").unwrap();
    assert_eq!(planting.read(true), plain);
}

#[test]
fn a_file_that_changed_in_any_way_is_read_again() {
    read_again_where_changed(Look::default());
    read_again_where_changed(AT_RECORDS);
}

fn read_again_where_changed(look: Look<'_>) {
    let planting = Planting::new(5);
    planting.look(look);
    let rollout = planting.some_rollout();
    let bytes = std::fs::read(&rollout).unwrap();
    let modified = std::fs::metadata(&rollout).unwrap().modified().unwrap();
    let put_back_time = |path: &Path| std::fs::File::options().append(true).open(path).unwrap().set_modified(modified).unwrap();
    let in_this_file = |history: &History| {
        let thread = &planting.truth.failed[0].thread;
        history.failures.iter().filter(|turn| turn.thread.as_deref() == Some(thread)).count()
    };
    let whole = in_this_file(&planting.look(look));
    assert!(whole > 0);

    // Replaced by a file of the same size and time in which nothing failed.
    let text = String::from_utf8_lossy(&bytes).replace("\"error\":{", "\"erxor\":{");
    std::fs::remove_file(&rollout).unwrap();
    std::fs::write(&rollout, text.as_bytes()).unwrap();
    put_back_time(&rollout);
    assert_eq!(in_this_file(&planting.look(look)), 0);
    // Truncated.
    std::fs::write(&rollout, &bytes[..300]).unwrap();
    put_back_time(&rollout);
    let cut = planting.look(look);
    assert_eq!((in_this_file(&cut), cut.files), (0, planting.truth.files));
    // Gone.
    std::fs::remove_file(&rollout).unwrap();
    assert_eq!(planting.look(look).files, planting.truth.files - 1);
    assert_eq!(planting.look(look), planting.read(false));
    // And there again.
    std::fs::write(&rollout, &bytes).unwrap();
    put_back_time(&rollout);
    assert_eq!(in_this_file(&planting.look(look)), whole);
    assert_eq!(planting.look(look), planting.read(false));
}

#[test]
fn what_was_read_in_part_is_not_kept_for_a_look_that_reads_all() {
    let planting = Planting::new(17);
    let rollout = planting.some_rollout();
    let bytes = std::fs::read(&rollout).unwrap();
    // So long that a bounded look passes over its middle: a hole of a line, and the same once more behind it.
    let grown = planting.home().join("sessions/rollout-2026-11-01T00-00-00-01a22800-0000-7000-8000-0000000000aa.jsonl");
    let mut file = std::fs::File::create(&grown).unwrap();
    let behind = 520 << 20;
    std::io::Write::write_all(&mut file, &bytes).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(behind)).unwrap();
    std::io::Write::write_all(&mut file, b"\n").unwrap();
    std::io::Write::write_all(&mut file, &bytes).unwrap();
    file.set_modified(std::time::SystemTime::from(now() - TimeDelta::days(3))).unwrap();
    let plain = planting.read(false);
    let bounded = planting.look(Look { all: false, days: 1, threads: ThreadsWanted::All, ..Look::default() });
    assert!(bounded.bytes > behind && bounded.turns < plain.turns);
    assert_eq!(planting.read(true), plain);
}

#[test]
fn a_look_that_asks_for_threads_leaves_the_sum_of_one_that_does_not() {
    let planting = Planting::new(18);
    planting.read(true);
    let sum = std::fs::read(planting.sum()).unwrap();
    planting.look(Look { days: 5, ..AT_RECORDS });
    assert!(std::fs::read(planting.sum()).unwrap() == sum);
    // What no look can use any more is gone.
    change_some_rollout(&planting, |text| text.replacen("\"message\":\"", "\"message\":\"of canary@example.org ", 1));
    planting.read(true);
    assert_eq!(planting.kept().len(), 1);
}

fn with_a_bit_turned(bytes: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let place = random.usize(..bytes.len());
    bytes[place] ^= 1 << random.u8(..8);
    bytes
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let planting = Planting::new(9);
    let plain = planting.read(true);
    let cache = planting.cache();
    let good = std::fs::read(&cache).unwrap();
    // Which rollouts share a block depends on who was first; that each is there once does not.
    let kept = |bytes: &[u8]| memchr::memmem::find_iter(bytes, b".jsonl").count();
    assert!(kept(&good) > 100, "{}", kept(&good));
    let mut random = fastrand::Rng::with_seed(4);
    let mut damaged: Vec<Vec<u8>> = vec![Vec::new(), good[..good.len() / 2].to_vec(), b"something else".to_vec()];
    damaged.extend((0..20).map(|_| with_a_bit_turned(&good, &mut random)));
    for bytes in damaged {
        std::fs::write(&cache, &bytes).unwrap();
        assert_eq!(planting.look(AT_RECORDS), plain);
        assert_eq!(planting.look(AT_RECORDS), plain);
        assert_eq!(kept(&std::fs::read(&cache).unwrap()), kept(&good));
    }
    std::fs::remove_file(&cache).unwrap();
    std::fs::create_dir(&cache).unwrap();
    assert_eq!(planting.look(AT_RECORDS), plain);
}

#[test]
fn a_damaged_sum_is_made_anew() {
    let planting = Planting::new(9);
    let plain = planting.read(true);
    let sum = planting.sum();
    let good = std::fs::read(&sum).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    let mut damaged: Vec<Vec<u8>> = (0..40).map(|_| good[..random.usize(..good.len())].to_vec()).collect();
    damaged.extend((0..200).map(|_| with_a_bit_turned(&good, &mut random)));
    for bytes in damaged {
        std::fs::write(&sum, &bytes).unwrap();
        assert_eq!(planting.read(true), plain);
        let anew = std::fs::read(&sum).unwrap();
        assert!(anew.len() == good.len() && anew != bytes);
    }
    std::fs::remove_file(&sum).unwrap();
    std::fs::create_dir(&sum).unwrap();
    assert_eq!(planting.read(true), plain);
}

#[test]
fn one_changed_file_at_a_time_does_not_break_the_cache_up() {
    let planting = Planting::new(13);
    planting.read(true);
    let length = std::fs::metadata(planting.cache()).unwrap().len();
    for time in 1..=12 {
        change_some_rollout(&planting, |text| {
            format!("{text}{{\"timestamp\":\"2026-11-29T15:51:34.553Z\",\"type\":\"none{time}\"}}\n")
        });
        assert_eq!(planting.read(true), planting.read(false));
    }
    let grown = std::fs::metadata(planting.cache()).unwrap().len();
    assert!(grown < length + length / 20, "{length} {grown}");
}

/// Puts `what` into the rollout with the first failure, by `change`, and makes it look old.
fn change_some_rollout(planting: &Planting, change: impl Fn(&str) -> String) {
    let rollout = planting.some_rollout();
    let text = std::fs::read(&rollout).unwrap();
    std::fs::write(&rollout, change(&String::from_utf8_lossy(&text))).unwrap();
    let file = std::fs::File::options().append(true).open(&rollout).unwrap();
    file.set_modified(std::time::SystemTime::from(now() - TimeDelta::days(3))).unwrap();
}

#[test]
fn neither_a_secret_nor_a_name_in_an_error_is_kept() {
    for canary in ["sk-proj-CANARY0123456789abcdefghijklmnopqrstuvwxyzABCDEF", "canary@example.org", "/home/canaryname/project"] {
        let planting = Planting::new(11);
        change_some_rollout(&planting, |text| text.replacen("\"message\":\"", &format!("\"message\":\"of {canary} "), 1));
        let first = planting.read(true);
        let kept = planting.kept_bytes();
        assert!(memchr::memmem::find(&kept, canary.as_bytes()).is_none(), "{canary}");
        assert_eq!(planting.read(true), first);
    }
}

#[test]
fn a_secret_in_a_failed_compaction_is_not_kept_whatever_became_of_the_turn() {
    let canary = "sk-proj-CANARY0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
    let planting = Planting::new(14);
    let event = |second: u32, payload: serde_json::Value| {
        let timestamp = format!("2026-11-29T15:51:{second:02}.553Z");
        format!("{}\n", serde_json::json!({ "timestamp": timestamp, "type": "event_msg", "payload": payload }))
    };
    let turn = "01a22800-af49-7090-8cee-000000000001";
    let said = format!("Error running remote compact task: the key {canary} is refused");
    // A review that ends is no failure, and its error stays with the thread.
    let more = [
        event(1, serde_json::json!({ "type": "task_started", "turn_id": turn })),
        event(2, serde_json::json!({ "type": "error", "message": said })),
        event(3, serde_json::json!({ "type": "turn_aborted", "turn_id": turn, "reason": "review_ended" })),
    ];
    change_some_rollout(&planting, |text| format!("{text}{}", more.concat()));
    let first = planting.read(true);
    let kept = planting.kept_bytes();
    assert!(memchr::memmem::find(&kept, canary.as_bytes()).is_none());
    assert_eq!(planting.read(true), first);
}

#[test]
fn a_folder_of_the_user_is_kept_without_the_users_name() {
    let planting = Planting::new(12);
    let own = planting.folder.path().join("canaryname");
    let directory = own.join("work").display().to_string();
    change_some_rollout(&planting, |text| text.replacen("\"cwd\":\"/srv/work/", &format!("\"cwd\":\"{directory}/"), 1));
    let first = planting.read_as(true, Some(&own));
    let kept = planting.kept_bytes();
    assert!(memchr::memmem::find(&kept, b"canaryname").is_none());
    assert_eq!(planting.read_as(true, Some(&own)), first);
    assert_eq!(planting.read_as(false, Some(&own)), first);
}

/// Names, bytes and times of everything below `folder`.
fn state(folder: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let of = |path: PathBuf| {
        let found = std::fs::metadata(&path).unwrap();
        (path, (found.len(), found.modified().unwrap()))
    };
    walk(folder).into_iter().map(of).collect()
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the program itself is run")]
fn each_turn_is_a_line_oldest_first() {
    let planting = Planting::new(13);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_codex-triage"))
        .args(["history", "--ndjson", "--since", "3650d", "--no-cache", "--codex-home"])
        .arg(planting.home())
        .env("HOME", planting.folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (stderr.lines().count(), stderr.contains("broken")),
        (usize::from(planting.truth.broken > 0), planting.truth.broken > 0),
        "{stderr}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len() as u64, planting.truth.turns);
    assert!(rows.is_sorted_by_key(|row| row["at"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap()));
    let failed: Vec<&serde_json::Value> = rows.iter().filter(|row| row["ended"] == "failed").collect();
    assert_eq!(failed.len(), planting.truth.failed.len());
    let turns = |ended: &str| rows.iter().filter(|row| row["ended"] == ended).count();
    assert_eq!(turns("succeeded") + turns("failed"), rows.len());
    assert!(failed.iter().all(|row| row["kind"].is_string() && row["text"].is_string()));
    assert!(rows.iter().all(|row| row["model"].is_string() && row["doing"] == "working-with-tools"));
    let folder = planting.folder.path();
    assert!(!folder.join(".cache").exists() && !folder.join("Library").exists(), "nothing is kept");
}

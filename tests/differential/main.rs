//! Our answer on generated configurations against that of the real Codex, on several of its releases.
//!
//! A seeded generator takes valid configurations, damages most of them, and spreads some over layers. For each one the real
//! program is started twice, as usual and with `--strict-config`; it ends before any request because its standard input is empty.
//! Outcome, message, key and place, the keys without effect and what the strict start says must be equal to ours.
//!
//! `CODEX_TRIAGE_SEED` asks for another seed, `CODEX_TRIAGE_COUNT` for another number of configurations, `CODEX_TRIAGE_VERSION`
//! for one release. Each disagreement is printed as a small file.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(clippy::disallowed_methods, reason = "the test itself starts programs and is told by variables what to run")]
#![allow(clippy::disallowed_macros, clippy::print_stdout, reason = "the figures of the run")]

mod codex;
mod generator;
mod mutation;
mod ours;
mod removal;
mod world;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Instant;

use codex::{Program, Refusal};
use mutation::Mutation;
use world::Setup;

/// The releases that are asked (`.ci/oracle-install` installs each).
const VERSIONS: [&str; 6] = ["0.142.5", "0.153.4", "0.160.1", "0.165.0", "0.169.0", "0.171.0"];
/// How many configurations each run tries, over all releases.
const COUNT: usize = 360;
/// The seed where none is asked for.
const SEED: u64 = 20_261_129;
/// At least this share must agree.
const AGREEMENT: f64 = 0.995;
/// At least this share must be refused or have keys without effect, or nothing is tested.
const FAULTY: f64 = 0.4;
/// Each kind of damage is done at least so often.
const EACH: usize = 15;
/// How many programs run at the same time.
const SIDE_BY_SIDE: usize = 3;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// What became of one configuration.
struct Compared {
    version: &'static str,
    mutation: Mutation,
    faulty: bool,
    differences: Vec<String>,
    setup: Setup,
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn generated_configurations_are_judged_as_codex_does() {
    let begun = Instant::now();
    let seed = number("CODEX_TRIAGE_SEED").unwrap_or(SEED);
    let count = number("CODEX_TRIAGE_COUNT").and_then(|count| usize::try_from(count).ok()).unwrap_or(COUNT);
    let only = std::env::var("CODEX_TRIAGE_VERSION").ok();
    let versions: Vec<&'static str> =
        VERSIONS.into_iter().filter(|version| only.as_deref().is_none_or(|only| only == *version)).collect();
    println!("seed {seed}, {count} configurations, releases {versions:?}");
    let programs: BTreeMap<&str, Program> = versions.iter().map(|version| (*version, Program::install(version))).collect();
    let mut random = fastrand::Rng::with_seed(seed);
    let queue: VecDeque<_> = (0..count)
        .map(|index| {
            let version = versions[index % versions.len()];
            let mutation = mutation::ALL[(index / versions.len()) % mutation::ALL.len()];
            (version, mutation, generator::setup(&mut random, version, mutation))
        })
        .collect();
    let (queue, done) = (Mutex::new(queue), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let Some((version, mutation, setup)) = queue.lock().unwrap().pop_front() else { break };
                    let (faulty, differences) = compare(&programs[version], version, &setup);
                    done.lock().unwrap().push(Compared { version, mutation, faulty, differences, setup });
                }
            });
        }
    });
    let done = done.into_inner().unwrap();
    print(&done, begun);
    assert_enough(&done, count);
}

/// Whether a configuration was refused or has keys without effect, and in what the two answers differ.
fn compare(program: &Program, version: &str, setup: &Setup) -> (bool, Vec<String>) {
    let mut setup = setup.clone();
    let mut differences = Vec::new();
    let mut faulty = false;
    // Each pass takes one key without effect away: the strict start names only the first.
    for pass in 0.. {
        let world = world::World::of(&setup);
        let ours = ours::judge(&world, version);
        let strict = program.start(&world, true);
        if pass == 0 {
            let normal = program.start(&world, false);
            faulty = normal.is_some() || !ours.ignored.is_empty();
            if !same(normal.as_ref(), ours.normal.as_ref()) {
                differences.push(format!("normal start\n  Codex: {normal:?}\n  ours:  {:?}", ours.normal));
            }
        }
        if !same(strict.as_ref(), ours.strict.as_ref()) {
            differences.push(format!("strict start, pass {pass}\n  Codex: {strict:?}\n  ours:  {:?}", ours.strict));
        }
        if !differences.is_empty() || ours.ignored.is_empty() || ours.normal.is_some() {
            return (faulty, differences);
        }
        match removal::without(&setup, &ours.ignored[0]) {
            Some(next) => setup = next,
            None => return (faulty, differences),
        }
    }
    (faulty, differences)
}

/// Codex names a key or a place, not both, and sometimes neither; we know both.
fn same(theirs: Option<&Refusal>, ours: Option<&Refusal>) -> bool {
    match (theirs, ours) {
        (Some(theirs), Some(ours)) => {
            words_agree(&theirs.message, &ours.message)
                && (theirs.place.is_none() || theirs.place == ours.place)
                && (theirs.place.is_some() || theirs.key == ours.key)
        }
        (theirs, ours) => theirs.is_none() && ours.is_none(),
    }
}

/// What we hide of a value may be any text.
fn words_agree(theirs: &str, ours: &str) -> bool {
    const MASK: &str = "<secret>";
    match ours.split_once(MASK) {
        Some((before, after)) => theirs.strip_prefix(before).is_some_and(|rest| rest.ends_with(after) || after.contains(MASK)),
        None => theirs == ours,
    }
}

fn print(done: &[Compared], begun: Instant) {
    for one in done.iter().filter(|one| !one.differences.is_empty()) {
        println!("---- {} {:?}\n{}{}", one.version, one.mutation, one.setup, one.differences.join("\n"));
    }
    let mut table = String::new();
    for version in VERSIONS {
        let of: Vec<_> = done.iter().filter(|one| one.version == version).collect();
        let (agree, faulty) =
            (of.iter().filter(|one| one.differences.is_empty()).count(), of.iter().filter(|one| one.faulty).count());
        let _ = writeln!(table, "{version:8} {:4} configurations, {agree:4} agree, {faulty:4} faulty", of.len());
    }
    for mutation in mutation::ALL {
        let count = done.iter().filter(|one| one.mutation == mutation).count();
        let _ = write!(table, "{mutation:?} {count}  ");
    }
    println!("{table}\n{:.0} s", begun.elapsed().as_secs_f64());
}

#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn assert_enough(done: &[Compared], count: usize) {
    let share =
        |wanted: &dyn Fn(&Compared) -> bool| done.iter().filter(|one| wanted(one)).count() as f64 / done.len().max(1) as f64;
    let (agreement, faulty) = (share(&|one| one.differences.is_empty()), share(&|one| one.faulty));
    println!("agreement {:.2} %, faulty {:.0} %", agreement * 100.0, faulty * 100.0);
    assert_eq!(done.len(), count, "each configuration was compared");
    assert!(agreement >= AGREEMENT, "{:.2} % agree", agreement * 100.0);
    if count < COUNT {
        return;
    }
    assert!(faulty >= FAULTY, "only {:.0} % are faulty", faulty * 100.0);
    for mutation in mutation::ALL {
        let times = done.iter().filter(|one| one.mutation == mutation).count();
        assert!(times >= EACH, "{mutation:?} only {times} times");
    }
}

/// Long configurations without a fault, which must give no warning of ours either (`tests/valid_configs.rs`).
#[test]
#[ignore = "needs the real Codex CLI"]
fn the_long_valid_configurations_are_valid() {
    let program = Program::install("0.171.0");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/valid-configs");
    let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(paths.len() >= 2, "the fixtures are gone");
    for path in paths {
        let setup = Setup { user: std::fs::read_to_string(&path).unwrap(), ..Setup::default() };
        let refusal = program.start(&world::World::of(&setup), true);
        assert!(refusal.is_none(), "{}: {refusal:?}", path.display());
    }
}

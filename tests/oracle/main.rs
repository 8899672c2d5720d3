//! Every answer against the real Codex CLI: servers that fail in known ways, Codex's own record of it, our verdict on that.
//!
//! The scenarios are `fixtures/scenarios/*.toml`. For each of them and each pinned release of Codex, `codex exec` runs against
//! the lab; then codex-triage is asked with the text alone, with the disk alone, live without cost, and live with one consented
//! request. A fixed third of the scenarios runs unless `CODEX_TRIAGE_LONG=1` asks for all; `CODEX_TRIAGE_ONLY=WORD` asks for
//! those whose name contains the word, `CODEX_TRIAGE_VERSION` for one release. `CODEX_TRIAGE_UPDATE=1` keeps what Codex said at
//! last in `fixtures/scenarios/said.json`, `CODEX_TRIAGE_KEEP=FOLDER` all that it printed.
//!
//! The tests are ignored unless asked for (`cargo test --test oracle -- --ignored`); when asked for, a Codex that cannot be
//! installed is a failure, never a silent pass.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(clippy::disallowed_methods, reason = "the test itself starts programs and is told by variables what to run")]

mod bundled;
mod codex;
mod files;
mod judge;
mod login;
mod official;
mod said;
mod sent;
mod snippets;
mod table;
mod triage;
mod world;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use codex_triage_lab::{Case, Catalogue, Client};

use judge::Judged;

/// The releases of Codex whose behaviour differs (`.ci/oracle-install` installs each).
const VERSIONS: [&str; 3] = ["0.142.5", "0.160.1", "0.171.0"];
/// Scenarios whose name begins so were added lately: they always run.
const NEW: &str = "new-";
/// The failures that everybody has: they always run too.
const ALWAYS: [&str; 7] = [
    "http503-server_is_overloaded",
    "sse-server_is_overloaded",
    "http429-usage_limit_reached-plus",
    "http429-plain",
    "http401-invalid_api_key",
    "http400-model_not_found",
    "http404-base-url-lacks-v1",
];
/// How many scenarios run at the same time.
const SIDE_BY_SIDE: usize = 5;
/// Whether codex-triage can make a consented request. HOOK: set to `true` when `--allow-cost` exists; nothing else changes.
const ALLOW_COST_EXISTS: bool = true;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scenarios that this run is about.
fn chosen(catalogue: &Catalogue) -> Vec<&Case> {
    let only = std::env::var("CODEX_TRIAGE_ONLY").ok();
    let long = std::env::var("CODEX_TRIAGE_LONG").is_ok_and(|value| value == "1");
    let wanted = |case: &&Case| match &only {
        Some(words) => words.split(',').any(|word| case.id.contains(word)),
        None => long || case.third() == 0 || case.id.starts_with(NEW) || ALWAYS.contains(&case.id.as_str()),
    };
    catalogue.cases.iter().filter(wanted).collect()
}

/// The slow ones, which mostly wait, evenly between the others, which mostly compute, and a little ahead of them.
fn mixed<T>(all: Vec<T>, is_slow: impl Fn(&T) -> bool) -> Vec<T> {
    let (slow, fast): (Vec<T>, Vec<T>) = all.into_iter().partition(is_slow);
    let per_slow = fast.len() * 9 / 10 / slow.len().max(1);
    let mut fast = fast.into_iter();
    let mut mixed = Vec::new();
    for one in slow {
        mixed.push(one);
        mixed.extend(fast.by_ref().take(per_slow));
    }
    mixed.extend(fast);
    mixed
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn no_answer_is_wrong_whatever_the_evidence() {
    let begun = Instant::now();
    let catalogue = Catalogue::load(&root().join("fixtures/scenarios")).unwrap();
    let versions: Vec<&str> = match std::env::var("CODEX_TRIAGE_VERSION") {
        Ok(version) => VERSIONS.into_iter().filter(|known| *known == version).collect(),
        Err(_) => VERSIONS.to_vec(),
    };
    let programs: Vec<_> = versions.iter().map(|version| (*version, codex::install(version))).collect();
    let cases = chosen(&catalogue);
    let queue: Vec<_> =
        cases.iter().flat_map(|case| programs.iter().map(move |(version, program)| (*case, *version, program))).collect();
    let queue = mixed(queue, |(case, ..)| case.patience_s < 60 || case.client == Client::NoLogin);
    let queue = Mutex::new(VecDeque::from(queue));
    let judged = Mutex::new(Vec::<Judged>::new());
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let Some((case, version, program)) = queue.lock().unwrap().pop_front() else { break };
                    let one = judge::judge(case, version, program);
                    judged.lock().unwrap().push(one);
                }
            });
        }
    });
    let mut judged = judged.into_inner().unwrap();
    judged.sort_by_key(|one| (cases.iter().position(|case| case.id == one.id), one.version));
    said::keep(&judged);
    table::print(&judged, &versions, begun.elapsed());
    table::assert_good_enough(&judged, &versions);
}

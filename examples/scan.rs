#![allow(clippy::all, warnings)]
use codex_triage::{
    collect::history::{self, HistoryRequest},
    redact::Redactor,
    world::World,
};
use std::time::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut env = std::collections::BTreeMap::new();
    env.insert("HOME".to_owned(), "/root".to_owned());
    env.insert("XDG_CACHE_HOME".to_owned(), "/tmp/scan-cache".to_owned());
    let t = Instant::now();
    let now = chrono::DateTime::from_timestamp(1795953600, 0).unwrap();
    let w = World::new(
        env,
        "/".into(),
        Some(std::path::Path::new(&a[1])),
        None,
        codex_triage_checks::facts::run::Platform::Linux,
        now,
        0,
    );
    let r = Redactor::new(&w);
    let req = HistoryRequest {
        since: now - chrono::TimeDelta::days(90),
        deadline: Instant::now() + Duration::from_secs(100),
        sqlite_home: None,
        all: true,
        all_threads: false,
        cached: a.contains(&"cache".to_owned()),
    };
    let rec = history::collect(&w, &r, &req);
    let h = rec.history.value().unwrap();
    eprintln!(
        "{:?} turns {} failed {} int {} failures {} tallies {} broken {} files {} unread {} limits {} threads {}",
        t.elapsed(),
        h.turns,
        h.failed_turns,
        h.interrupted_turns,
        h.failures.len(),
        h.tallies.len(),
        h.broken_records,
        h.files,
        h.unread.len(),
        h.limits.len(),
        rec.threads.seen
    );
    if a.contains(&"events".to_owned()) {
        for f in &h.failures {
            println!(
                "{}",
                serde_json::json!({"thread":f.thread,"turn":f.turn,"at":f.at.to_rfc3339_opts(chrono::SecondsFormat::Millis,true),"message":f.text,"info":f.info,"model":f.model,"interrupted":f.interrupted,"src":f.source,"line":f.line})
            );
        }
    }
    std::process::exit(0)
}

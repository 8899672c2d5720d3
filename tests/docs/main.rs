//! The pages of `docs/` that are made from data are those that the data makes. `CODEX_TRIAGE_UPDATE=1 cargo test --test docs`
//! writes them.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod history;
#[path = "../common/month.rs"]
mod month;
mod pages;
mod picture;
mod providers;
mod quick_reference;
mod scenarios;

use std::path::Path;

#[test]
#[allow(clippy::disallowed_methods, reason = "asks whether to write the pages")]
fn the_generated_pages_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let update = std::env::var_os("CODEX_TRIAGE_UPDATE").is_some();
    let mut stale = Vec::new();
    for (name, text) in pages::pages() {
        let path = root.join(&name);
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            stale.push(name);
        }
    }
    assert!(stale.is_empty(), "stale: {stale:?}; run CODEX_TRIAGE_UPDATE=1 cargo test --test docs");
}

//! Makes JSON of the knowledge: people read and edit TOML, and a program reads JSON several times as fast, at each of its starts.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a build has a world; checks have none"
)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

const KNOWLEDGE: &str = "knowledge";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={KNOWLEDGE}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    for entry in fs::read_dir(KNOWLEDGE)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let json = json(&path).map_err(|error| format!("while reading {}: {error}", path.display()))?;
            let name = path.file_stem().ok_or("a file has a name")?;
            fs::write(out.join(name).with_extension("json"), json)?;
        }
    }
    Ok(())
}

fn json(path: &Path) -> Result<String, Box<dyn Error>> {
    let content: toml::Table = toml::from_str(&fs::read_to_string(path)?)?;
    Ok(serde_json::to_string(&content)?)
}

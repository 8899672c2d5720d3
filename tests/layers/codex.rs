//! The real Codex, asked about a case: a start that ends for want of a prompt, and its app server, which names the origin of every key.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::case::{Case, Tree};
use crate::said::Said;

/// Puts the folder in `$0` over /etc/codex, for this process alone, and runs the rest.
const OVER_ETC: &str = "mount -t tmpfs none /mnt && mkdir /mnt/up /mnt/work \
    && mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/up,workdir=/mnt/work /etc \
    && mkdir -p /etc/codex && cp -r \"$0\"/. /etc/codex && exec timeout 30 \"$@\"";

/// Installs a release, or finds it.
pub(crate) fn install(version: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(root.join(".ci/oracle-install")).arg(version).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), ".ci/oracle-install {version} failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

pub(crate) fn ask(program: &Path, case: &Case) -> Said {
    let tree = Tree::of(case);
    let refused = refused(program, case, &tree);
    let mut said = Said { refused, layers: Vec::new(), origins: BTreeMap::new(), used: BTreeMap::new(), ignored: Vec::new() };
    if said.refused.is_none() {
        served(program, case, &tree, &mut said);
    }
    said
}

fn command(program: &Path, tree: &Tree) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", OVER_ETC]).arg(tree.path("etc")).arg(program);
    command.current_dir(tree.directory()).env("CODEX_HOME", tree.path("home")).env("HOME", tree.path("nobody"));
    command
}

/// Why a start of `codex exec` fails.
fn refused(program: &Path, case: &Case, tree: &Tree) -> Option<String> {
    let mut command = command(program, tree);
    let output = command.args(["exec", "--skip-git-repo-check"]).args(tree.args(case)).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let error = text.split_once("Error").map(|(_, error)| error)?;
    let error = error.strip_prefix(" loading config.toml:").or_else(|| error.strip_prefix(": ")).unwrap_or(error);
    Some(tree.named(error.trim().lines().next().unwrap_or_default()))
}

fn served(program: &Path, case: &Case, tree: &Tree, said: &mut Said) {
    let mut command = command(program, tree);
    let mut server = command
        .args(tree.args(case))
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut send = |message: Value| writeln!(input, "{message}");
    let directory = tree.directory();
    let client = json!({ "clientInfo": { "name": "layers", "title": "layers", "version": "1" } });
    let begun = send(json!({ "id": 0, "method": "initialize", "params": client }))
        .and_then(|()| send(json!({ "method": "initialized" })))
        .and_then(|()| send(json!({ "id": 1, "method": "config/read", "params": { "includeLayers": true, "cwd": directory } })))
        .and_then(|()| send(json!({ "id": 2, "method": "thread/start", "params": { "cwd": directory } })));
    assert!(begun.is_ok(), "{}: the server ended at once", case.name);
    while let Some(Ok(line)) = lines.next() {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "configWarning" {
            ignored(message["params"]["summary"].as_str().unwrap_or_default(), said);
        }
        let result = &message["result"];
        match message["id"].as_u64() {
            Some(1) => configuration(result, tree, said),
            Some(2) => {
                for (name, value) in [("model_provider", &result["modelProvider"]), ("approval_policy", &result["approvalPolicy"])]
                {
                    said.used.extend(value.as_str().map(|value| (name.to_owned(), value.to_owned())));
                }
                break;
            }
            _ => {}
        }
    }
    drop(input);
    let _ = server.kill();
    let _ = server.wait();
}

fn configuration(result: &Value, tree: &Tree, said: &mut Said) {
    let layers = result["layers"].as_array().cloned().unwrap_or_default();
    said.layers = layers
        .iter()
        .rev()
        .map(|layer| {
            let name = &layer["name"];
            let file = name["file"].as_str().or_else(|| name["dotCodexFolder"].as_str()).unwrap_or_default();
            (name["type"].as_str().unwrap_or_default().to_owned(), tree.named(file), layer["disabledReason"].is_null())
        })
        .collect();
    let origins = result["origins"].as_object().cloned().unwrap_or_default();
    said.origins = origins
        .iter()
        .map(|(key, origin)| (tree.named(key), origin["name"]["type"].as_str().unwrap_or_default().to_owned()))
        .collect();
}

/// The keys of a warning, which names three at most.
fn ignored(summary: &str, said: &mut Said) {
    let keys = summary.lines().filter_map(|line| line.trim().strip_suffix(" is ignored.")?.split('`').nth(1));
    said.ignored.extend(keys.map(str::to_owned));
    said.ignored.sort();
    said.ignored.dedup();
}

//! What started a client, by the name of its parent's program.

use std::path::Path;

use codex_triage_checks::facts::clients::Parent;

use super::process::{self, Process};

const SHELLS: [&str; 24] = [
    "ash", "bash", "busybox", "csh", "dash", "elvish", "env", "fish", "ksh", "login", "nu", "pwsh", "screen", "script", "sh",
    "sshd", "su", "sudo", "tcsh", "timeout", "tmux", "xonsh", "zellij", "zsh",
];
const EDITORS: [&str; 13] = [
    "code",
    "code-insiders",
    "codium",
    "cursor",
    "emacs",
    "idea",
    "nvim",
    "pycharm",
    "rubymine",
    "vim",
    "webstorm",
    "windsurf",
    "zed-editor",
];
/// Folders in which editors keep the interpreters of their extensions.
const OF_EDITORS: [&str; 5] =
    [".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server", ".vscodium-server"];
const DESKTOP: [&str; 3] = ["ChatGPT", "Codex", "codex-desktop"];
const INTERPRETERS: [&str; 5] = ["bun", "deno", "node", "python", "ruby"];

/// What the process `pid` is to the client that it started.
pub(super) fn of(processes: &Path, pid: u32) -> Parent {
    let process = Process::at(processes, pid);
    // npm's launcher belongs to the client itself.
    if process.is_launcher() {
        return process.stat().map_or(Parent::Unknown, |stat| by_program(processes, stat.parent));
    }
    by_program(processes, pid)
}

fn by_program(processes: &Path, pid: u32) -> Parent {
    if pid <= 1 {
        return Parent::Init;
    }
    let Some(program) = Process::at(processes, pid).program() else { return Parent::Unknown };
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_suffix(" (deleted)").unwrap_or(name);
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match plain {
        _ if process::is_codex(&program) => Parent::Codex,
        _ if program.iter().any(|part| OF_EDITORS.iter().any(|folder| part == *folder)) => Parent::Editor,
        "systemd" | "init" => Parent::Init,
        _ if SHELLS.contains(&plain) => Parent::Shell,
        _ if EDITORS.contains(&plain) => Parent::Editor,
        _ if DESKTOP.contains(&plain) => Parent::Desktop,
        _ if INTERPRETERS.contains(&plain) => Parent::Script,
        _ => Parent::Other,
    }
}

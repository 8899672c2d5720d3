//! What a Codex was started as, from the words behind its name. Nothing but the kind leaves this file: prompts stand in these words.

use codex_triage_checks::facts::clients::ClientKind;

/// Options whose value is a word of its own (`codex --help`, `codex exec --help`, `codex app-server --help` of 0.171.0).
const WITH_VALUE: [&str; 27] = [
    "-C",
    "-a",
    "-c",
    "-i",
    "-m",
    "-o",
    "-p",
    "-s",
    "--add-dir",
    "--ask-for-approval",
    "--cd",
    "--color",
    "--config",
    "--disable",
    "--enable",
    "--image",
    "--listen",
    "--local-provider",
    "--model",
    "--output-last-message",
    "--output-schema",
    "--profile",
    "--remote",
    "--remote-auth-token-env",
    "--sandbox",
    "--thread-source",
    "--code-mode-host",
];

/// The kind of client that a command line (words that end with a zero byte each) starts.
pub(super) fn kind(command_line: &[u8]) -> ClientKind {
    let mut words = command_line.split(|byte| *byte == 0).filter_map(|word| std::str::from_utf8(word).ok()).skip(1);
    match subcommand(&mut words) {
        Some("exec" | "e" | "review") => ClientKind::Exec,
        Some("mcp-server") => ClientKind::McpServer,
        Some("app-server") => {
            let rest: Vec<&str> = words.collect();
            match subcommand(&mut rest.iter().copied()) {
                _ if rest.contains(&"--managed-daemon") => ClientKind::Daemon,
                Some("daemon") if rest.contains(&"pid-update-loop") => ClientKind::DaemonUpdater,
                Some(_) => ClientKind::Other,
                None => ClientKind::AppServer,
            }
        }
        Some(
            "login"
            | "logout"
            | "mcp"
            | "plugin"
            | "remote-control"
            | "completion"
            | "update"
            | "doctor"
            | "sandbox"
            | "debug"
            | "apply"
            | "a"
            | "queue"
            | "archive"
            | "delete"
            | "unarchive"
            | "migrate-rollouts"
            | "migrate-nfs-db"
            | "exec-server"
            | "features"
            | "help"
            | "app"
            | "execpolicy"
            | "responses-api-proxy"
            | "stdio-to-uds",
        ) => ClientKind::Other,
        // `resume`, `fork`, `cloud`, a prompt, nothing.
        _ => ClientKind::Tui,
    }
}

/// The first word that is neither an option nor its value.
fn subcommand<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    while let Some(word) = words.next() {
        if word == "--" {
            // All behind it is a prompt.
            return None;
        }
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && !word.is_empty() {
            return Some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_that_is_no_option_tells_the_kind() {
        let kind = |line: &str| kind(format!("/opt/codex {line}\0").replace(' ', "\0").as_bytes());
        for (line, wanted) in [
            ("", ClientKind::Tui),
            ("-m exec hello", ClientKind::Tui),
            ("-- exec hello", ClientKind::Tui),
            ("-c model=\"exec\" resume --last", ClientKind::Tui),
            ("fix the exec call", ClientKind::Tui),
            ("-p work exec login", ClientKind::Exec),
            ("--search e hello", ClientKind::Exec),
            ("app-server", ClientKind::AppServer),
            ("-c a=b app-server --listen stdio://", ClientKind::AppServer),
            ("app-server --listen unix:// --analytics-default-enabled --managed-daemon", ClientKind::Daemon),
            ("app-server daemon pid-update-loop", ClientKind::DaemonUpdater),
            ("app-server daemon stop", ClientKind::Other),
            ("app-server proxy", ClientKind::Other),
            ("mcp-server", ClientKind::McpServer),
            ("login status", ClientKind::Other),
        ] {
            assert_eq!(kind(line), wanted, "{line}");
        }
    }
}

//! The only place that writes to the standard streams or to the file of `-o`.

use std::io::{IsTerminal, Write};
use std::path::Path;

use super::paint::harmless;

/// Writes the report to `file`, or to stdout. A reader that went away (`| head`) is no error.
///
/// # Errors
/// When the file cannot be written, with its name.
pub fn write(text: &str, file: Option<&Path>) -> Result<(), String> {
    match file {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("while writing {}: {error}", path.display())),
        None => {
            let mut stdout = std::io::stdout().lock();
            match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("while writing to stdout: {error}")),
                _ => Ok(()),
            }
        }
    }
}

/// Tells the person something that is not the report.
pub fn tell(text: &str) {
    tell_as_is(&format!("codex-triage: {text}\n"));
}

/// Tells the person something without saying who speaks.
pub fn tell_as_is(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(harmless(text).as_bytes());
}

/// Whether stdout is a terminal.
pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether stdin is a terminal.
pub fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

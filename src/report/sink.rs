//! The only place that writes to the standard streams or to the file of `-o`.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use super::paint::harmless;

/// Where a report goes, a known type, so that small pieces are put into the buffer without a call for each.
pub type Out<'a> = BufWriter<&'a mut dyn Write>;

/// Writes the report to `file`, or to stdout. A reader that went away (`| head`) is no error.
///
/// # Errors
/// When the file cannot be written, with its name.
pub fn write(text: &str, file: Option<&Path>) -> Result<(), String> {
    stream(file, |out| out.write_all(text.as_bytes()))
}

/// Has the report written to `file`, or to stdout, as it is made. A reader that went away (`| head`) is no error.
///
/// # Errors
/// When the file cannot be written, with its name.
pub fn stream(file: Option<&Path>, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> Result<(), String> {
    let buffered = |out: &mut dyn Write| {
        let mut out = Out::with_capacity(BUFFER, out);
        write(&mut out)?;
        out.flush()
    };
    match file {
        Some(path) => File::create(path)
            .and_then(|mut file| buffered(&mut file))
            .map_err(|error| format!("while writing {}: {error}", path.display())),
        None => match buffered(&mut io::stdout().lock()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("while writing to stdout: {error}")),
            _ => Ok(()),
        },
    }
}

/// A month's report takes some fifty such pieces.
const BUFFER: usize = 128 * 1024;

/// Tells the person something that is not the report.
pub fn tell(text: &str) {
    tell_as_is(&format!("codex-triage: {text}\n"));
}

/// Tells the person something without saying who speaks.
pub fn tell_as_is(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(harmless(text).as_bytes());
}

/// Whether stdout is a terminal.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether stdin is a terminal.
pub fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

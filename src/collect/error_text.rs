//! Collector of one fact: an error text that a person gives by argument, file or stdin. Reads at most [`READ_BYTES`] at either
//! end of it, so a log of any size is fine; never keeps more than [`KEPT_BYTES`].

use std::io::Read;
use std::path::Path;

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::error_text::ErrorText;

use super::config;
use crate::redact::Redactor;

/// What is kept of a long text: its end, where the final error stands.
const KEPT_BYTES: usize = 64 * 1024;
/// How much of a stream is held while its end is not known.
const READ_BYTES: usize = 4 * 1024 * 1024;

/// Where the text comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The command line itself.
    Argument(String),
    /// A file.
    File(std::path::PathBuf),
    /// Standard input.
    Stdin,
}

/// Reads the text.
///
/// # Errors
/// When the file cannot be read, with its name; that is a usage error, not a fact.
pub fn collect(source: &Source, redactor: &Redactor) -> Result<Observed<ErrorText>, String> {
    let (bytes, total, name) = match source {
        Source::Argument(text) => (text.clone().into_bytes(), text.len() as u64, "argument".to_owned()),
        Source::Stdin => {
            let (bytes, total) = tail(&mut std::io::stdin().lock()).map_err(|error| format!("while reading stdin: {error}"))?;
            (bytes, total, "stdin".to_owned())
        }
        Source::File(path) => {
            let (bytes, total) = file(path).map_err(|error| format!("while reading {}: {error}", path.display()))?;
            (bytes, total, redactor.path(path))
        }
    };
    let text = last_lines(&String::from_utf8_lossy(&bytes));
    // First what is a secret by its place: the text is redacted with what is learnt of it.
    let setting = config::pasted(&text, redactor);
    Ok(Observed::known(ErrorText { text: redactor.text(&text), input_bytes: total, setting }, name))
}

fn file(path: &Path) -> std::io::Result<(Vec<u8>, u64)> {
    if std::fs::metadata(path)?.is_dir() {
        return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a directory"));
    }
    tail(&mut std::fs::File::open(path)?)
}

/// The last [`READ_BYTES`] of a stream, and its whole length.
fn tail(stream: &mut impl Read) -> std::io::Result<(Vec<u8>, u64)> {
    let mut kept = Vec::new();
    let mut chunk = vec![0; 256 * 1024];
    let mut total = 0u64;
    loop {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        total += count as u64;
        kept.extend_from_slice(&chunk[..count]);
        if kept.len() > 2 * READ_BYTES {
            kept.drain(..kept.len() - READ_BYTES);
        }
    }
    let surplus = kept.len().saturating_sub(READ_BYTES);
    kept.drain(..surplus);
    Ok((kept, total))
}

/// The end of `text`, from the beginning of a line where there is one.
fn last_lines(text: &str) -> String {
    if text.len() <= KEPT_BYTES {
        return text.to_owned();
    }
    let mut start = text.len() - KEPT_BYTES;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let end = &text[start..];
    end.split_once('\n').map_or(end, |(_, lines)| lines).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_stream_the_end_is_kept() {
        let text = format!("{}\nthe last line", "x".repeat(10 * READ_BYTES));
        let (bytes, total) = tail(&mut text.as_bytes()).unwrap();
        assert_eq!(total, text.len() as u64);
        assert!(bytes.len() <= READ_BYTES);
        assert_eq!(last_lines(&String::from_utf8_lossy(&bytes)), "the last line");
    }
}

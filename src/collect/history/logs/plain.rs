//! Errors in `codex-tui.log`, which releases up to 0.144 write where `log_dir` names a folder for it: the same rows as in the database as
//! lines, from level INFO on, so without requests. (0.171.0 leaves the file empty.)

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use chrono::DateTime;

use super::body::{Body, TARGETS};
use super::{Patience, Traces};

/// Of a longer file only the end is read.
const ENDING: u64 = 8 * 1024 * 1024;
/// A longer line is read in pieces, of which only the first can be of interest.
const LONGEST_LINE: u64 = 256 * 1024;

/// Reads the errors in the log at `path`.
pub(super) fn read(path: &Path, patience: Patience, traces: &mut Traces) -> Result<(), String> {
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Err("not a file".to_owned());
    }
    lines(path, patience, traces).map_err(|error| error.to_string())
}

fn lines(path: &Path, patience: Patience, traces: &mut Traces) -> io::Result<()> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(ENDING)))?;
    let mut lines = BufReader::new(file.take(ENDING));
    let mut line = Vec::new();
    loop {
        if patience.is_over() {
            return Err(io::Error::other("not read to its end: the time was up"));
        }
        line.clear();
        if (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        take(&String::from_utf8_lossy(&line), traces);
    }
}

/// `2026-11-30T02:14:38.012062Z  INFO turn{…}: codex_core::session::turn: Turn error: …`
fn take(line: &str, traces: &mut Traces) {
    let target = TARGETS[0];
    let of_target = |line: &&str| line.split_once(": Turn error: ").is_some_and(|(before, _)| before.ends_with(target));
    let Some(body) = Some(line.trim_end()).filter(of_target).and_then(|line| Body::read(target, line)) else { return };
    let at = line.split(' ').next().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
    if let Some(at) = at {
        traces.take(&body, None, at.timestamp_millis());
    }
}

//! Whether the newest turn of one rollout has ended.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Instant;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::clients::OpenTurn;

use super::lines::{self, Buffers};
use super::record::Shapes;
use super::rollout::Reader;

/// How much of the end is read. A turn that has written more since it began is not found, and is no silent one.
const ENDING: u64 = 4 * 1024 * 1024;

/// The turn of the rollout at `path` that has begun and not ended, as far as its end tells.
pub(crate) fn open_turn(path: &Path, deadline: Instant) -> Option<OpenTurn> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut reader = Reader::new("", DateTime::<Utc>::MAX_UTC, false);
    if length > ENDING {
        file.seek(SeekFrom::Start(length - ENDING)).ok()?;
        reader.leave_gap();
    }
    // What the file grows by while it is read can wait.
    let (mut first, mut shapes) = (length > ENDING, Shapes::default());
    let end = lines::each_line(&mut file.take(ENDING), &mut Buffers::default(), deadline, Reader::needs_all_of, |line| {
        // The first line after the gap is the rest of one.
        if !std::mem::take(&mut first) {
            reader.take(&line, &mut shapes);
        }
    });
    let (began, heard) = reader.open_turn()?;
    matches!(end, lines::End::Whole).then_some(OpenTurn { began, heard })
}

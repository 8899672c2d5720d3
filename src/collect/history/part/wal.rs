//! Where the pages stand in a write-ahead log (<https://www.sqlite.org/fileformat.html#the_write_ahead_log>).

use std::collections::HashMap;
use std::io::{self, Read, Write};

use super::page::four;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Longer ones are a fault of their own, and what is behind is not read.
const LONGEST: u64 = 256 * 1024 * 1024;

/// The places of the newest version of each page, in what was copied.
#[derive(Debug, Default)]
pub(super) struct Wal(HashMap<u32, u64>);

impl Wal {
    /// Copies the part of `log` that counts: after it stands what an earlier round of the log left. SQLite checks the sums of the copy.
    pub(super) fn copied(log: &mut impl Read, copy: &mut impl Write, page_size: usize) -> io::Result<Self> {
        let mut places = HashMap::new();
        let mut header = [0; HEADER];
        // A log that is empty, or of which only the beginning is written, holds nothing yet.
        if log.read_exact(&mut header).is_err() || four(&header, 8) != u32::try_from(page_size).ok() {
            return Ok(Self(places));
        }
        copy.write_all(&header)?;
        let (mut of_transaction, mut frame) = (Vec::new(), vec![0; FRAME_HEADER + page_size]);
        let mut place = HEADER as u64;
        while place < LONGEST && log.read_exact(&mut frame).is_ok() && frame[8..16] == header[16..24] {
            copy.write_all(&frame)?;
            of_transaction.extend(four(&frame, 0).map(|page| (page, place + FRAME_HEADER as u64)));
            if four(&frame, 4) != Some(0) {
                places.extend(of_transaction.drain(..));
            }
            place += frame.len() as u64;
        }
        Ok(Self(places))
    }

    pub(super) fn place(&self, page: u32) -> Option<u64> {
        self.0.get(&page).copied()
    }
}

//! Lines of a file of any size in bounded memory.

use std::io::Read;
use std::time::Instant;

/// How much is read at once.
const CHUNK: usize = 256 * 1024;
/// A longer line is passed over; its beginning is kept to tell what it was. The longest error or turn record seen has 30 KB, while
/// `compacted` records reach gigabytes.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;
/// How much of a passed-over line is kept.
const HEAD: usize = 64 * 1024;

/// One line, without its end mark.
pub(super) struct Line<'a> {
    /// 1-based.
    pub(super) number: u64,
    /// Its bytes; of a line that is too long, the first ones.
    pub(super) bytes: &'a [u8],
    /// How long it is.
    pub(super) length: u64,
    /// Whether `bytes` is all of it.
    pub(super) whole: bool,
    /// Whether its end mark is there. Without it, somebody may be writing it this moment.
    pub(super) ended: bool,
}

/// How the reading ended.
#[derive(Debug)]
pub(super) enum End {
    /// At the end of the file.
    Whole,
    /// The time was up.
    OutOfTime,
    /// The file could not be read on.
    Failed(std::io::Error),
}

/// Memory that is used again for one file after the other.
pub(super) struct Buffers {
    chunk: Vec<u8>,
    begun: Begun,
}

impl Default for Buffers {
    fn default() -> Self {
        Self { chunk: vec![0; CHUNK], begun: Begun::default() }
    }
}

/// Calls `visit` for each line of `source`.
pub(super) fn each_line(source: &mut dyn Read, buffers: &mut Buffers, deadline: Instant, mut visit: impl FnMut(Line<'_>)) -> End {
    let Buffers { chunk, begun } = buffers;
    begun.clear();
    let mut number = 1;
    loop {
        if Instant::now() >= deadline {
            return End::OutOfTime;
        }
        let length = match source.read(chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return End::Failed(error),
        };
        let mut rest = &chunk[..length];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            if begun.is_empty() {
                visit(Line { number, bytes: line, length: line.len() as u64, whole: true, ended: true });
            } else {
                begun.add(line);
                visit(begun.line(number, true));
                begun.clear();
            }
            number += 1;
            rest = after;
        }
        begun.add(rest);
    }
    if !begun.is_empty() {
        visit(begun.line(number, false));
    }
    End::Whole
}

/// The part of a line that earlier chunks held.
#[derive(Default)]
struct Begun {
    bytes: Vec<u8>,
    length: u64,
    too_long: bool,
}

impl Begun {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn line(&self, number: u64, ended: bool) -> Line<'_> {
        Line { number, bytes: &self.bytes, length: self.length, whole: !self.too_long, ended }
    }

    fn add(&mut self, more: &[u8]) {
        self.length += more.len() as u64;
        if self.too_long {
            return;
        }
        if self.bytes.len() + more.len() > LONGEST {
            self.too_long = true;
            self.bytes.extend_from_slice(&more[..more.len().min(HEAD)]);
            self.bytes.truncate(HEAD);
            self.bytes.shrink_to(HEAD);
        } else {
            self.bytes.extend_from_slice(more);
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
        self.too_long = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(u64, u64, usize, bool)> {
        let mut lines = Vec::new();
        let deadline = Instant::now() + std::time::Duration::from_secs(60);
        let end = each_line(&mut &bytes[..], &mut Buffers::default(), deadline, |line| {
            lines.push((line.number, line.length, line.bytes.len(), line.whole))
        });
        assert!(matches!(end, End::Whole));
        lines
    }

    #[test]
    fn lines_keep_their_numbers_across_chunks_and_an_overlong_one_keeps_its_head() {
        let mut bytes = b"short\n\n".to_vec();
        bytes.extend(vec![b'a'; CHUNK * 2 + 7]);
        bytes.push(b'\n');
        bytes.extend(vec![b'b'; LONGEST + CHUNK]);
        bytes.extend(b"\nlast, without an end");
        assert_eq!(
            lines(&bytes),
            [
                (1, 5, 5, true),
                (2, 0, 0, true),
                (3, CHUNK as u64 * 2 + 7, CHUNK * 2 + 7, true),
                (4, (LONGEST + CHUNK) as u64, HEAD, false),
                (5, 20, 20, true),
            ]
        );
    }

    #[test]
    fn a_deadline_in_the_past_ends_the_reading_at_once() {
        let end = each_line(&mut &b"a\nb"[..], &mut Buffers::default(), Instant::now(), |_| panic!("nothing is read"));
        assert!(matches!(end, End::OutOfTime));
    }
}

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
    /// The same as text; none where they are none, or are not all of the line.
    pub(super) text: Option<&'a str>,
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
#[derive(Default)]
pub(super) struct Buffers {
    /// What is kept of the line that has not ended, and behind it what is read next.
    bytes: Vec<u8>,
}

/// Calls `visit` for each line of `source`.
pub(super) fn each_line(source: &mut dyn Read, buffers: &mut Buffers, deadline: Instant, mut visit: impl FnMut(Line<'_>)) -> End {
    let bytes = &mut buffers.bytes;
    let mut begun = Begun { number: 1, ..Begun::default() };
    loop {
        if Instant::now() >= deadline {
            return End::OutOfTime;
        }
        let room = begun.kept + CHUNK;
        if bytes.len() < room {
            bytes.resize(room, 0);
        }
        let filled = match source.read(&mut bytes[begun.kept..room]) {
            Ok(0) => break,
            Ok(length) => begun.kept + length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return End::Failed(error),
        };
        if let Some(last) = memchr::memrchr(b'\n', &bytes[begun.kept..filled]) {
            let end = begun.kept + last;
            begun = begun.each_line_of(&bytes[..end], &mut visit);
            bytes.copy_within(end + 1..filled, 0);
            begun.kept = filled - (end + 1);
        } else {
            begun.kept = filled;
        }
        if begun.passed_over > 0 || begun.kept > LONGEST {
            begun.passed_over += (begun.kept - HEAD) as u64;
            begun.kept = HEAD;
            bytes.truncate(HEAD + CHUNK);
            bytes.shrink_to(HEAD + CHUNK);
        }
    }
    if begun.kept > 0 {
        begun.last(&bytes[..begun.kept], &mut visit);
    }
    End::Whole
}

/// The line that earlier reading left without an end.
#[derive(Default)]
struct Begun {
    number: u64,
    /// How much of it is kept, and was searched for its end.
    kept: usize,
    /// How much of a line that is too long is not.
    passed_over: u64,
}

impl Begun {
    /// Visits the lines of `bytes`, of which the first began earlier and the last one is whole. The next line begins after them.
    fn each_line_of(self, mut bytes: &[u8], visit: &mut impl FnMut(Line<'_>)) -> Self {
        let (mut number, mut searched) = (self.number, self.kept);
        if self.kept > 0 {
            let end = memchr::memchr(b'\n', &bytes[searched..]).map_or(bytes.len(), |place| searched + place);
            searched = end;
            if self.passed_over > 0 || end > LONGEST {
                let length = end as u64 + self.passed_over;
                visit(Line { number, bytes: &bytes[..HEAD], text: None, length, whole: false, ended: true });
                number += 1;
                let Some(after) = bytes.get(end + 1..) else { return Self { number, ..Self::default() } };
                (bytes, searched) = (after, 0);
            }
        }
        // All at once: to begin anew for each line takes longer than to read it.
        let text = simdutf8::basic::from_utf8(bytes).ok();
        let mut start = 0;
        loop {
            let end = memchr::memchr(b'\n', &bytes[searched..]).map_or(bytes.len(), |place| searched + place);
            let line = &bytes[start..end];
            let text = match text {
                Some(text) => text.get(start..end),
                None => simdutf8::basic::from_utf8(line).ok(),
            };
            visit(Line { number, bytes: line, text, length: line.len() as u64, whole: true, ended: true });
            number += 1;
            if end == bytes.len() {
                return Self { number, ..Self::default() };
            }
            start = end + 1;
            searched = start;
        }
    }

    /// Visits the last line of a file, which has no end mark.
    fn last(&self, bytes: &[u8], visit: &mut impl FnMut(Line<'_>)) {
        let whole = self.passed_over == 0;
        let text = if whole { simdutf8::basic::from_utf8(bytes).ok() } else { None };
        visit(Line { number: self.number, bytes, text, length: bytes.len() as u64 + self.passed_over, whole, ended: false });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// Gives so many bytes at once, of one length after the other.
    struct Pieces<'a>(&'a [u8], std::iter::Cycle<std::slice::Iter<'a, usize>>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = *self.1.next().unwrap_or(&1);
            self.0.read(&mut buffer[..length])
        }
    }

    proptest! {
        #[test]
        fn each_line_is_told_as_it_is_however_it_comes(
            lines in proptest::collection::vec(prop_oneof![".{0,30}".prop_map(String::into_bytes), proptest::collection::vec(any::<u8>(), 0..30)], 0..12),
            lengths in proptest::collection::vec(1usize..50, 1..6),
        ) {
            let bytes = lines.join(&b'\n');
            let mut expected: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            let ends = expected.pop_if(|last| last.is_empty()).is_some();
            let mut number = 0;
            let deadline = Instant::now() + std::time::Duration::from_secs(60);
            let mut buffers = Buffers::default();
            each_line(&mut Pieces(&bytes, lengths.iter().cycle()), &mut buffers, deadline, |line| {
                let bytes = expected[number];
                number += 1;
                assert_eq!((line.number, line.bytes, line.length), (number as u64, bytes, bytes.len() as u64));
                assert_eq!(line.text, std::str::from_utf8(bytes).ok());
                assert_eq!((line.whole, line.ended), (true, number < expected.len() || ends));
            });
            prop_assert_eq!(number, expected.len());
        }
    }

    #[test]
    fn a_deadline_in_the_past_ends_the_reading_at_once() {
        let end = each_line(&mut &b"a\nb"[..], &mut Buffers::default(), Instant::now(), |_| panic!("nothing is read"));
        assert!(matches!(end, End::OutOfTime));
    }
}

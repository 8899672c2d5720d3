//! Lines of a file of any size in bounded memory.

mod rest;

use std::io::Read;
use std::time::Instant;

pub(super) use rest::Rest;

/// How much is read at once.
const CHUNK: usize = 256 * 1024;
/// A longer line is passed over; its beginning is kept to tell what it was. The longest error or turn record seen has 30 KB, while
/// `compacted` records reach gigabytes.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;
/// How much of a passed-over line is kept.
const HEAD: usize = 64 * 1024;
/// A line of which so much was read, and of which all is not wanted, is passed over, too.
const LONG: usize = 2 * HEAD;

/// One line, without its end mark.
pub(super) struct Line<'a> {
    /// 1-based.
    pub(super) number: u64,
    /// Its bytes; of a line that was passed over, the first ones.
    pub(super) bytes: &'a [u8],
    /// The same as text; none where they are none, or are not all of the line.
    pub(super) text: Option<&'a str>,
    /// How long it is.
    pub(super) length: u64,
    /// How it goes on where `bytes` is not all of it.
    pub(super) rest: Option<Rest>,
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

/// Calls `visit` for each line of `source`. A long one is kept whole only where `is_wanted` says so of its beginning.
pub(super) fn each_line(
    source: &mut dyn Read,
    buffers: &mut Buffers,
    deadline: Instant,
    is_wanted: impl Fn(&[u8]) -> bool,
    mut visit: impl FnMut(Line<'_>),
) -> End {
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
        let is_too_long = begun.kept > LONGEST;
        if begun.rest.is_some() || is_too_long || begun.kept > LONG && !is_wanted(&bytes[..HEAD]) {
            begun.pass_over(bytes);
        }
        if is_too_long {
            bytes.truncate(LONG + CHUNK);
            bytes.shrink_to(LONG + CHUNK);
        }
    }
    if begun.kept > 0 {
        begun.last(&bytes[..begun.kept], &mut visit);
    }
    End::Whole
}

/// The line that earlier reading left without an end.
#[derive(Clone, Copy, Default)]
struct Begun {
    number: u64,
    /// How much of it is in memory, and was searched for its end.
    kept: usize,
    /// How it goes on behind its head, once it is passed over.
    rest: Option<Rest>,
}

impl Begun {
    /// Visits the lines of `bytes`, of which the first began earlier and the last one is whole. The next line begins after them.
    fn each_line_of(self, mut bytes: &[u8], visit: &mut impl FnMut(Line<'_>)) -> Self {
        let (mut number, mut searched) = (self.number, self.kept);
        if self.kept > 0 {
            let end = memchr::memchr(b'\n', &bytes[searched..]).map_or(bytes.len(), |place| searched + place);
            searched = end;
            if self.rest.is_some() || end > LONGEST {
                visit(self.passed_over(&bytes[..end], true));
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
            visit(Line { number, bytes: line, text, length: line.len() as u64, rest: None, ended: true });
            number += 1;
            if end == bytes.len() {
                return Self { number, ..Self::default() };
            }
            start = end + 1;
            searched = start;
        }
    }

    /// Visits the last line of a file, which has no end mark.
    fn last(self, bytes: &[u8], visit: &mut impl FnMut(Line<'_>)) {
        if self.rest.is_some() {
            return visit(self.passed_over(bytes, false));
        }
        let text = simdutf8::basic::from_utf8(bytes).ok();
        visit(Line { number: self.number, bytes, text, length: bytes.len() as u64, rest: None, ended: false });
    }

    /// Keeps the head of the line, and what of it is to be looked at once more.
    fn pass_over(&mut self, bytes: &mut [u8]) {
        let from = self.not_seen();
        let rest = self.rest.get_or_insert_default();
        let seen = self.kept - rest.see(&bytes[from..self.kept]);
        rest.dropped += (seen - HEAD) as u64;
        bytes.copy_within(seen..self.kept, HEAD);
        self.kept -= seen - HEAD;
    }

    /// The line of which these bytes are all that is in memory.
    fn passed_over<'a>(self, bytes: &'a [u8], ended: bool) -> Line<'a> {
        let mut rest = self.rest.unwrap_or_default();
        rest.end(&bytes[self.not_seen()..]);
        let length = bytes.len() as u64 + rest.dropped;
        Line { number: self.number, bytes: &bytes[..HEAD], text: None, length, rest: Some(rest), ended }
    }

    /// Where in memory begins what was not looked at.
    fn not_seen(&self) -> usize {
        if self.rest.is_some() { HEAD } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Number, length, how much is kept, and how the rest looks where that is not all.
    type Told = (u64, u64, usize, Option<(bool, Option<u8>)>);

    fn lines(bytes: &[u8], is_wanted: bool) -> Vec<Told> {
        let mut lines = Vec::new();
        let deadline = Instant::now() + std::time::Duration::from_secs(60);
        let end = each_line(
            &mut &bytes[..],
            &mut Buffers::default(),
            deadline,
            |_| is_wanted,
            |line| {
                assert!(line.rest.is_none() || line.text.is_none());
                lines.push((line.number, line.length, line.bytes.len(), line.rest.map(|rest| (rest.is_text, rest.last))));
            },
        );
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
        let of_rest = Some((true, Some(b'b')));
        assert_eq!(
            lines(&bytes, true),
            [
                (1, 5, 5, None),
                (2, 0, 0, None),
                (3, CHUNK as u64 * 2 + 7, CHUNK * 2 + 7, None),
                (4, (LONGEST + CHUNK) as u64, HEAD, of_rest),
                (5, 20, 20, None),
            ]
        );
        let of_third = lines(&bytes, false)[2];
        assert_eq!(of_third, (3, CHUNK as u64 * 2 + 7, HEAD, Some((true, Some(b'a')))), "it is not wanted");
    }

    #[test]
    fn how_a_line_goes_on_that_is_passed_over_is_seen_wherever_it_is_cut() {
        // A character of four bytes at each place between two readings.
        for shift in 0..8 {
            let text = format!("{}{}{}\n}}  ", "a".repeat(CHUNK - shift), "\u{1f600}".repeat(CHUNK / 2), "}".repeat(shift));
            let (bytes, length) = (text.as_bytes(), text.len() - 4);
            let last = if shift == 0 { 0x80 } else { b'}' };
            assert_eq!(lines(bytes, false), [(1, length as u64, HEAD, Some((true, Some(last)))), (2, 3, 3, None)]);
            let mut damaged = bytes.to_vec();
            damaged[CHUNK * 2 + 1] = b'a';
            assert_eq!(lines(&damaged, false)[0].3, Some((false, Some(last))));
            let cut = &bytes[..CHUNK * 2 - shift + 2];
            assert_eq!(lines(cut, false), [(1, cut.len() as u64, HEAD, Some((false, Some(0x9f))))], "in the middle of a character");
        }
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
            each_line(&mut Pieces(&bytes, lengths.iter().cycle()), &mut buffers, deadline, |_| false, |line| {
                let bytes = expected[number];
                number += 1;
                assert_eq!((line.number, line.bytes, line.length), (number as u64, bytes, bytes.len() as u64));
                assert_eq!(line.text, std::str::from_utf8(bytes).ok());
                assert_eq!((line.rest, line.ended), (None, number < expected.len() || ends));
            });
            prop_assert_eq!(number, expected.len());
        }
    }

    #[test]
    fn a_deadline_in_the_past_ends_the_reading_at_once() {
        let end = each_line(&mut &b"a\nb"[..], &mut Buffers::default(), Instant::now(), |_| true, |_| panic!("nothing is read"));
        assert!(matches!(end, End::OutOfTime));
    }
}

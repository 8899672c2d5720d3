//! Where texts, brackets and words of JSON end.

use super::block::{Block, Marks, Mask};

/// The place of the quote that ends a text that begins at `at`. Most texts have no escapes, and end in the first block.
#[inline(always)]
pub(in crate::collect::history) fn end_of_text(bytes: &[u8], at: usize) -> Option<usize> {
    let Some(block) = Block::of(bytes, at) else { return end_of_long_text(bytes, at) };
    match block.is(b'"').or(block.is(b'\\')).first() {
        Some(place) if bytes[at + place] == b'"' => Some(at + place),
        Some(place) => end_of_long_text(bytes, at + place),
        None => end_of_long_text(bytes, at + Block::BYTES),
    }
}

/// The same by its quotes alone: a long text has many escapes, and few of them are of quotes.
fn end_of_long_text(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += quote(bytes.get(at..)?)?;
        // Of the backslashes before it, each pair is one that stands for itself.
        let backslashes = bytes[from..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes.is_multiple_of(2) {
            return Some(at);
        }
        at += 1;
    }
}

/// So many bytes are looked at block by block; for what is longer, a search by larger ones is worth its beginning.
const SHORT: usize = 64;

/// The place of the first quote.
#[inline(always)]
pub(in crate::collect::history) fn quote(bytes: &[u8]) -> Option<usize> {
    find(bytes, |block| block.is(b'"'), |byte| byte == b'"', |bytes| memchr::memchr(b'"', bytes))
}

pub(super) fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    find(
        bytes,
        |block| block.is(b'"').or(block.is(b'\\')),
        |byte| matches!(byte, b'"' | b'\\'),
        |bytes| memchr::memchr2(b'"', b'\\', bytes),
    )
}

/// The place of the first byte that `marks` finds in a block, `near` by itself, and `far` in many.
#[inline(always)]
fn find(
    bytes: &[u8],
    marks: impl Fn(Block) -> Mask,
    near: impl Fn(u8) -> bool,
    far: impl Fn(&[u8]) -> Option<usize>,
) -> Option<usize> {
    let mut at = 0;
    while let Some(block) = Block::of(bytes, at).filter(|_| at < SHORT) {
        if let Some(place) = marks(block).first() {
            return Some(at + place);
        }
        at += Block::BYTES;
    }
    let rest = bytes.get(at..)?;
    let place = if rest.len() < Block::BYTES { rest.iter().position(|byte| near(*byte)) } else { far(rest) };
    place.map(|place| at + place)
}

/// The place behind the brackets that open at `at`.
pub(super) fn end_of_brackets(bytes: &[u8], mut at: usize) -> Option<usize> {
    let (mut depth, mut in_text) = (0usize, false);
    loop {
        if let Some(marks) = Marks::of(bytes, at).filter(|marks| marks.backslashes == Mask::NONE) {
            let mut brackets = marks.brackets(&mut in_text);
            while let Some(place) = brackets.first() {
                if marks.opening.has_first_of(brackets) {
                    depth += 1;
                } else {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + place + 1);
                    }
                }
                brackets = brackets.without_first();
            }
            at += marks.length;
            continue;
        }
        // An escape may be near, or the end.
        match bytes.get(at)? {
            _ if in_text => {
                at = end_of_text(bytes, at)?;
                in_text = false;
            }
            b'"' => at = end_of_text(bytes, at + 1)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place behind the number or the word that begins at `at`. No text begins within one.
pub(super) fn end_of_word(bytes: &[u8], mut at: usize) -> usize {
    loop {
        while let Some(block) = Block::of(bytes, at) {
            let ends = block.is(b',').or(block.folded().is(b'}')).or(block.is(b'"')).or(block.is_at_most(b' '));
            if let Some(place) = ends.first() {
                at += place;
                break;
            }
            at += Block::BYTES;
        }
        match bytes.get(at) {
            None | Some(b',' | b'}' | b']' | b'"' | b' ' | b'\t' | b'\r' | b'\n') => return at,
            Some(_) => at += 1,
        }
    }
}

/// The place behind the digits, points and slashes that begin at `at`, none of which ends a word; none where there are none.
#[inline(always)]
pub(in crate::collect::history) fn end_of_number(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(block) = Block::of(bytes, end) {
        let length = block.is_between(b'.', b'9').first_gap();
        end += length;
        if length < Block::BYTES {
            return (end > at).then_some(end);
        }
    }
    end += bytes.get(end..)?.iter().take_while(|byte| (b'.'..=b'9').contains(*byte)).count();
    (end > at).then_some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_mark_is_found_wherever_it_is(bytes in proptest::collection::vec(any::<u8>(), 0..120), at: prop::sample::Index, quote: bool) {
            let mut bytes: Vec<u8> = bytes.into_iter().map(|byte| if matches!(byte, b'"' | b'\\') { b'!' } else { byte }).collect();
            prop_assert_eq!(quote_or_backslash(&bytes), None);
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = if quote { b'"' } else { b'\\' };
                prop_assert_eq!(quote_or_backslash(&bytes), Some(at));
                bytes.push(b'"');
                prop_assert_eq!(quote_or_backslash(&bytes), Some(at));
            }
        }

        #[test]
        fn brackets_end_where_they_do_byte_by_byte(text in "[{\\[]([{}\\[\\]a\u{e9}\u{2}]{0,40}|\"[a{\\]\u{e9}]{0,30}\"|\"[a}\\[\\\\\"]{0,9}){0,12}") {
            let (mut depth, mut in_text, mut escaped, mut end) = (0, false, false, None);
            for (place, byte) in text.bytes().enumerate() {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_text => escaped = true,
                    b'"' => in_text = !in_text,
                    b'{' | b'[' if !in_text => depth += 1,
                    b'}' | b']' if !in_text => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    end = Some(place + 1);
                    break;
                }
            }
            prop_assert_eq!(end_of_brackets(text.as_bytes(), 0), end);
        }

        #[test]
        fn a_word_ends_where_it_does_byte_by_byte(text in "[0-9a\"{\\[\u{c}\u{e9}]{1,40}[,}\\] \t]?.{0,20}") {
            let end = text.find([',', '}', ']', '"', ' ', '\t', '\r', '\n']).unwrap_or(text.len());
            prop_assert_eq!(end_of_word(text.as_bytes(), 0), end);
        }

        #[test]
        fn a_number_ends_where_it_does_byte_by_byte(text in "[0-9./]{0,40}([,}\\]a:-].{0,20})?") {
            let end = text.find([',', '}', ']', 'a', ':', '-']).unwrap_or(text.len());
            prop_assert_eq!(end_of_number(text.as_bytes(), 0), Some(end).filter(|end| *end > 0));
        }
    }
}

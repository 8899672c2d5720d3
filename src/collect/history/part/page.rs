//! The pages of a table in a SQLite file (<https://www.sqlite.org/fileformat.html#b_tree_pages>), read so far as to know which pages hold
//! which rows. What a row holds is for SQLite itself to say.

/// A page of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Page {
    /// The pages below it, each with the greatest row id that it may hold.
    Inner(Vec<(u32, i64)>),
    /// Its rows in order.
    Leaf(Vec<Row>),
}

/// A row on a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: i64,
    /// The first of the pages that hold what had no room on this one.
    pub(super) overflow: Option<u32>,
}

const INNER: u8 = 5;
const LEAF: u8 = 13;
/// What stands before the pages in a file, on the first one.
const FILE_HEADER: usize = 100;

impl Page {
    /// Reads page `number`, of which `usable` bytes are used. None for what is no page of a table.
    pub(super) fn read(bytes: &[u8], number: u32, usable: usize) -> Option<Self> {
        let start = if number == 1 { FILE_HEADER } else { 0 };
        let kind = *bytes.get(start)?;
        let cells = usize::from(two(bytes, start + 3)?);
        let pointers = start + if kind == INNER { 12 } else { 8 };
        let cell = |place: usize| two(bytes, pointers + 2 * place).map(usize::from);
        match kind {
            INNER => {
                let mut below = Vec::with_capacity(cells + 1);
                for place in 0..cells {
                    let at = cell(place)?;
                    below.push((four(bytes, at)?, varint(bytes, at + 4)?.0.cast_signed()));
                }
                below.push((four(bytes, start + 8)?, i64::MAX));
                Some(Self::Inner(below))
            }
            LEAF => (0..cells).map(|place| Row::read(bytes, cell(place)?, usable)).collect::<Option<_>>().map(Self::Leaf),
            _ => None,
        }
    }
}

impl Row {
    fn read(bytes: &[u8], at: usize, usable: usize) -> Option<Self> {
        let (length, id_at) = varint(bytes, at)?;
        let (id, payload) = varint(bytes, id_at)?;
        let overflow = match stored_here(usize::try_from(length).ok()?, usable)? {
            None => None,
            Some(here) => Some(four(bytes, payload.checked_add(here)?)?),
        };
        Some(Self { id: id.cast_signed(), overflow })
    }
}

/// How much of a row of `length` bytes stands on its page, if not all of it.
fn stored_here(length: usize, usable: usize) -> Option<Option<usize>> {
    let most = usable.checked_sub(35)?;
    if length <= most {
        return Some(None);
    }
    let least = (usable.checked_sub(12)? * 32 / 255).checked_sub(23)?;
    let even = least + (length - least) % (usable - 4);
    Some(Some(if even <= most { even } else { least }))
}

/// The page that goes on with what `overflow`, a page, holds.
pub(super) fn next(overflow: &[u8]) -> Option<u32> {
    four(overflow, 0).filter(|page| *page != 0)
}

/// A number of two bytes.
pub(super) fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// A number of four bytes.
pub(super) fn four(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// A number of one to nine bytes, and where it ends.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0u64;
    for place in 0..8 {
        let byte = *bytes.get(at.checked_add(place)?)?;
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((number, at + place + 1));
        }
    }
    Some(((number << 8) | u64::from(*bytes.get(at.checked_add(8)?)?), at + 9))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(mut bytes in prop::collection::vec(any::<u8>(), 0..600), kind in prop::sample::select(vec![INNER, LEAF]), number in 1u32..3, usable in 0usize..5000) {
            let start = if number == 1 { FILE_HEADER } else { 0 };
            if let Some(first) = bytes.get_mut(start) {
                *first = kind;
            }
            let _ = (Page::read(&bytes, number, usable), next(&bytes));
        }
    }

    #[test]
    fn numbers_of_each_length_are_read() {
        assert_eq!(varint(&[0x7f], 0), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9], 0), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0xff; 8], 0), None);
    }
}

//! Sixteen bytes that are looked at in one go.
//!
//! Most texts in a record are short: a search that first asks what the processor can do takes longer to begin than to end. So this is what
//! every processor of its kind can.

use wide::u8x16;

#[derive(Clone, Copy)]
pub(super) struct Block(u8x16);

impl Block {
    pub(super) const BYTES: usize = 16;

    /// The block that begins at `at`, if it is whole.
    #[inline]
    pub(super) fn of(bytes: &[u8], at: usize) -> Option<Self> {
        Some(Self(u8x16::new(*bytes.get(at..)?.first_chunk()?)))
    }

    /// Marks where `byte` stands.
    #[inline]
    pub(super) fn is(self, byte: u8) -> Mask {
        Mask(self.0.simd_eq(u8x16::splat(byte)).to_bitmask().into())
    }

    /// Marks where a byte is `most` or less.
    #[inline]
    pub(super) fn is_at_most(self, most: u8) -> Mask {
        Mask(self.0.min(u8x16::splat(most)).simd_eq(self.0).to_bitmask().into())
    }

    /// Marks where a byte is between these two, or one of them.
    #[inline]
    pub(super) fn is_between(self, least: u8, most: u8) -> Mask {
        Self(self.0 - u8x16::splat(least)).is_at_most(most - least)
    }

    /// With square brackets as curly ones.
    #[inline]
    pub(super) fn folded(self) -> Self {
        Self(self.0 | u8x16::splat(0x20))
    }
}

/// A bit for each byte of a block, or of four.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Mask(u64);

impl Mask {
    pub(super) const NONE: Self = Self(0);

    /// The place of the first mark.
    #[inline]
    pub(super) fn first(self) -> Option<usize> {
        (self.0 != 0).then_some(self.0.trailing_zeros() as usize)
    }

    /// How many marks there are before the first byte that has none.
    #[inline]
    pub(super) fn first_gap(self) -> usize {
        self.0.trailing_ones() as usize
    }

    #[inline]
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the first mark of `other` is one here too.
    #[inline]
    pub(super) fn has_first_of(self, other: Self) -> bool {
        self.0 & other.0 & other.0.wrapping_neg() != 0
    }

    /// The marks but for the first one.
    #[inline]
    pub(super) fn without_first(self) -> Self {
        Self(self.0 & self.0.wrapping_sub(1))
    }
}

/// What the brackets and the texts of a stretch of JSON are made of.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    pub(super) opening: Mask,
    closing: Mask,
    quotes: Mask,
    pub(super) backslashes: Mask,
    /// How long the stretch is.
    pub(super) length: usize,
}

impl Marks {
    /// Those of the bytes from `at` on, of as many as possible; none where there is no whole block.
    #[inline]
    pub(super) fn of(bytes: &[u8], at: usize) -> Option<Self> {
        let rest = bytes.get(at..)?;
        match rest.first_chunk::<{ 4 * Block::BYTES }>() {
            Some(bytes) => Some(Self::of_blocks(bytes)),
            None => rest.first_chunk::<{ Block::BYTES }>().map(Self::of_blocks),
        }
    }

    #[inline]
    fn of_blocks<const LENGTH: usize>(bytes: &[u8; LENGTH]) -> Self {
        let mut marks = Self { opening: Mask::NONE, closing: Mask::NONE, quotes: Mask::NONE, backslashes: Mask::NONE, length: 0 };
        for block in bytes.as_chunks().0 {
            let block = Block(u8x16::new(*block));
            marks.opening.0 |= block.folded().is(b'{').0 << marks.length;
            marks.closing.0 |= block.folded().is(b'}').0 << marks.length;
            marks.quotes.0 |= block.is(b'"').0 << marks.length;
            marks.backslashes.0 |= block.is(b'\\').0 << marks.length;
            marks.length += Block::BYTES;
        }
        marks
    }

    /// The brackets that are in no text. `in_text` says whether the stretch begins in one, and then whether it ends in one.
    #[inline]
    pub(super) fn brackets(&self, in_text: &mut bool) -> Mask {
        let mut texts = self.quotes.0;
        for shift in [1, 2, 4, 8, 16, 32] {
            texts ^= texts << shift;
        }
        if *in_text {
            texts = !texts;
        }
        *in_text = texts >> (self.length - 1) & 1 == 1;
        Mask((self.opening.0 | self.closing.0) & !texts)
    }
}

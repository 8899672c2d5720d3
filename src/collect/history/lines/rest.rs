//! A line of which only the beginning is kept: how it goes on, as far as that shows while it is passed over.

/// What was seen of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Rest {
    /// How many of its bytes are in memory no more.
    pub(super) dropped: u64,
    /// Whether all of it is text.
    pub(in super::super) is_text: bool,
    /// Its last byte that is no space.
    pub(in super::super) last: Option<u8>,
}

impl Default for Rest {
    fn default() -> Self {
        Self { dropped: 0, is_text: true, last: None }
    }
}

impl Rest {
    /// Looks at the next bytes of the line. Says how many at their end begin a character that is not whole: these are to be looked at again,
    /// before what follows.
    pub(super) fn see(&mut self, bytes: &[u8]) -> usize {
        self.last = bytes.trim_ascii_end().last().copied().or(self.last);
        match simdutf8::compat::from_utf8(bytes) {
            Ok(_) => 0,
            Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
            Err(_) => {
                self.is_text = false;
                0
            }
        }
    }

    /// Looks at the last bytes of the line.
    pub(super) fn end(&mut self, bytes: &[u8]) {
        let is_whole = self.see(bytes) == 0;
        self.is_text &= is_whole;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_seen_piece_by_piece_is_what_is_there(
            text in "[a\u{e9}\u{20ac}\u{1f600}} ]{0,40}",
            damage in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
            lengths in proptest::collection::vec(1usize..9, 1..20),
        ) {
            let mut bytes = text.into_bytes();
            if let Some((place, byte)) = damage.filter(|_| !bytes.is_empty()) {
                *place.get_mut(&mut bytes) = byte;
            }
            let (mut rest, mut from, mut until) = (Rest::default(), 0, 0);
            for length in lengths {
                until = (until + length).min(bytes.len());
                from = until - rest.see(&bytes[from..until]);
            }
            rest.end(&bytes[from..]);
            prop_assert_eq!(rest.is_text, std::str::from_utf8(&bytes).is_ok());
            prop_assert_eq!(rest.last, bytes.trim_ascii_end().last().copied());
        }
    }
}

//! A text in which many words are looked for.

/// A text, with what tells which words cannot stand in it. That is found once, for all words.
#[derive(Debug, Default)]
pub(crate) struct Text {
    whole: String,
    pairs: Pairs,
}

impl Text {
    /// Whether `word` stands in it.
    pub(crate) fn holds(&self, word: &str) -> bool {
        self.may_hold(word) && self.whole.contains(word)
    }

    /// Whether all pairs of neighbours in `word` are neighbours in the text, too: mostly they are not, and it need not be searched.
    pub(crate) fn may_hold(&self, word: &str) -> bool {
        word.as_bytes().windows(2).all(|pair| self.pairs.has(pair))
    }
}

impl From<String> for Text {
    fn from(whole: String) -> Self {
        let mut pairs = Pairs::default();
        whole.as_bytes().windows(2).for_each(|pair| pairs.add(pair));
        Self { whole, pairs }
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole
    }
}

/// A set of pairs of neighbouring bytes, of each its six lowest bits.
#[derive(Debug)]
struct Pairs([u64; 64]);

impl Default for Pairs {
    fn default() -> Self {
        Self([0; 64])
    }
}

impl Pairs {
    fn add(&mut self, pair: &[u8]) {
        self.0[usize::from(pair[0] & 63)] |= 1 << (pair[1] & 63);
    }

    fn has(&self, pair: &[u8]) -> bool {
        self.0[usize::from(pair[0] & 63)] & (1 << (pair[1] & 63)) != 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_holds_what_stands_in_it_and_nothing_else(text in "[ab 忙]{0,9}", word in "[ab 忙]{0,3}") {
            let whole = Text::from(text.clone());
            prop_assert_eq!(whole.holds(&word), text.contains(&word));
        }
    }
}

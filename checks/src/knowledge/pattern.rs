//! A family of words: patterns of which any may be found. None is built before a text holds a word that it cannot do without;
//! building them all would take longer than everything else in a run. Classes (`\d`, `\w`, `\s`, `\b`) are of ASCII alone, which is
//! right between Chinese and Latin letters, too.

use std::sync::OnceLock;

use regex_lite::Regex;
use regex_syntax::Parser;
use regex_syntax::hir::{Hir, HirKind};

/// A literal shorter than this (bytes) stands in nearly every text: it spares nothing.
const SHORTEST_LITERAL: usize = 2;

/// Patterns over folded text (lower case), of which any may be found.
#[derive(Debug)]
pub(crate) struct Pattern {
    alternatives: Vec<Alternative>,
}

#[derive(Debug)]
struct Alternative {
    source: String,
    needs: OnceLock<Option<Vec<String>>>,
    regex: OnceLock<Regex>,
}

impl Pattern {
    /// The patterns `sources`; nothing where there are none.
    pub(crate) fn any_of(sources: &[String]) -> Option<Self> {
        let alternatives: Vec<Alternative> = sources.iter().map(|source| Alternative::new(source)).collect();
        (!alternatives.is_empty()).then_some(Self { alternatives })
    }

    /// Whether any of them is found in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.candidates(text).any(|alternative| alternative.regex().is_match(text))
    }

    /// Beginning and end of everything that they find in `text`, pattern by pattern.
    pub(crate) fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.candidates(text).flat_map(|alternative| alternative.regex().find_iter(text)).map(|found| (found.start(), found.end()))
    }

    fn candidates<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a Alternative> + 'a {
        self.alternatives.iter().filter(|alternative| alternative.may_match(text))
    }

    /// Builds all patterns.
    #[cfg(test)]
    pub(crate) fn build(&self) {
        for alternative in &self.alternatives {
            alternative.regex();
        }
    }
}

impl Alternative {
    fn new(source: &str) -> Self {
        Self { source: source.to_owned(), needs: OnceLock::new(), regex: OnceLock::new() }
    }

    fn may_match(&self, text: &str) -> bool {
        let needs = self.needs.get_or_init(|| {
            let parsed = Parser::new().parse(&ascii_classes(&self.source)).expect("signatures.toml is checked by a test");
            required(&parsed).filter(|literals| shortest(literals) >= SHORTEST_LITERAL)
        });
        needs.as_ref().is_none_or(|literals| literals.iter().any(|literal| text.contains(literal)))
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| Regex::new(&self.source).expect("signatures.toml is checked by a test"))
    }
}

/// The classes as the matching engine has them: of ASCII alone. Here only the literals beside them count.
fn ascii_classes(source: &str) -> String {
    source.replace(r"\d", "[0-9]").replace(r"\w", "[a-z0-9_]").replace(r"\s", "[ \t\n]")
}

/// Literals of which every match holds at least one; nothing where no such set can be told.
fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok().map(|literal| vec![literal]),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(required).max_by_key(|literals| shortest(literals)),
        HirKind::Alternation(branches) => {
            let branches: Option<Vec<Vec<String>>> = branches.iter().map(required).collect();
            branches.map(|branches| branches.into_iter().flatten().collect())
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) | HirKind::Repetition(_) => None,
    }
}

fn shortest(literals: &[String]) -> usize {
    literals.iter().map(String::len).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(source: &str) -> Option<Vec<String>> {
        required(&Parser::new().parse(source).unwrap())
    }

    #[test]
    fn every_match_holds_one_of_the_required_literals() {
        assert_eq!(needs("server (?:is )?busy"), Some(vec!["server ".to_owned()]));
        assert_eq!(needs("(?:quota|额度)[^.]{0,9}x+"), Some(vec!["quota".to_owned(), "额度".to_owned()]));
        assert_eq!(needs("a?[bc]+"), None);
        assert_eq!(needs("(?:full|)"), None);
    }

    #[test]
    fn a_pattern_finds_what_its_regex_finds() {
        let pattern = Pattern::any_of(&[r"\bfull\b".to_owned(), r"no \d+ left".to_owned()]).unwrap();
        assert_eq!(pattern.places("it is full, no 3 left").collect::<Vec<_>>(), [(6, 10), (12, 21)]);
        assert!(!pattern.is_match("fully booked"));
    }
}

//! A family of words: patterns of which any may be found. None is built before a text holds a word that it cannot do without;
//! building them all would take longer than everything else in a run. Classes (`\d`, `\w`, `\s`, `\b`) are of ASCII alone, which is
//! right between Chinese and Latin letters, too.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use regex_lite::Regex;

/// For each pattern, by its digest, literals of which every match holds at least one. Finding them takes a parser of patterns and
/// longer than matching; so a test finds them and keeps the file fresh.
const LITERALS: &str = include_str!("../../knowledge/pattern-literals.txt");

static REQUIRED: LazyLock<HashMap<u64, Vec<&'static str>>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let digest = u64::from_str_radix(cells.next()?, 16).ok()?;
        Some((digest, cells.collect()))
    };
    LITERALS.lines().filter_map(row).collect()
});

/// The digest of a pattern (FNV-1a), under which its literals stand in the file.
fn digest(source: &str) -> u64 {
    source.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Patterns over folded text (lower case), of which any may be found.
#[derive(Debug)]
pub(crate) struct Pattern {
    alternatives: Vec<Alternative>,
}

#[derive(Debug)]
struct Alternative {
    source: String,
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
        Self { source: source.to_owned(), regex: OnceLock::new() }
    }

    /// A pattern whose literals are not known may match anything.
    fn may_match(&self, text: &str) -> bool {
        let literals = REQUIRED.get(&digest(&self.source));
        literals.is_none_or(|literals| literals.iter().any(|literal| text.contains(literal)))
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| Regex::new(&self.source).expect("signatures.toml is checked by a test"))
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::Parser;
    use regex_syntax::hir::{Hir, HirKind};

    use super::*;

    /// A literal shorter than this (bytes) stands in nearly every text: it spares nothing.
    const SHORTEST_LITERAL: usize = 2;

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

    /// The file as it should be.
    fn file() -> String {
        let mut lines: Vec<String> = crate::knowledge::signatures::sources()
            .into_iter()
            .chain(crate::knowledge::answer_words::sources())
            .filter_map(|source| {
                let literals = required(&Parser::new().parse(&ascii_classes(&source)).unwrap())?;
                let plain = literals.iter().all(|literal| !literal.contains(['\t', '\n']));
                let row = format!("{:016x}\t{}", digest(&source), literals.join("\t"));
                (plain && shortest(&literals) >= SHORTEST_LITERAL).then_some(row)
            })
            .collect();
        lines.sort();
        lines.dedup();
        format!("{}\n", lines.join("\n"))
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "asks whether to write the file")]
    fn the_literals_are_fresh() {
        let wanted = file();
        if std::env::var_os("CODEX_TRIAGE_UPDATE").is_some() {
            std::fs::write("knowledge/pattern-literals.txt", &wanted).unwrap();
        } else {
            assert!(LITERALS == wanted, "stale: CODEX_TRIAGE_UPDATE=1 cargo test -p codex-triage-checks literals_are_fresh");
        }
    }

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

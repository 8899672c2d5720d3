//! A family of words: patterns of which any may be found. None is built or tried before a text holds the words that it cannot do
//! without; building them all would take longer than everything else in a run, and most of those that have one word of theirs in a
//! text lack another. Classes (`\d`, `\w`, `\s`, `\b`) are of ASCII alone, which is right between Chinese and Latin letters, too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use regex_lite::Regex;

use super::text::Text;

/// For each pattern, by its digest, what every match of it holds. Finding that takes a parser of patterns and longer than matching;
/// so a test finds it and keeps the file fresh. One line is one pattern: literals of which one must be there, after `&` others of
/// which one must be there as well, and after `|` the same for the next branch of the pattern.
const LITERALS: &str = include_str!("../../knowledge/pattern-literals.txt");
const AND: &str = "&";
const OR: &str = "|";

static CELLS: LazyLock<HashMap<u64, Vec<&'static str>>> = LazyLock::new(|| {
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
pub(crate) struct Family {
    patterns: Vec<Pattern>,
}

impl Family {
    /// The patterns `sources`; nothing where there are none.
    pub(crate) fn any_of(sources: &[String]) -> Option<Self> {
        let patterns: Vec<Pattern> = sources.iter().map(|source| Pattern::from_source(Cow::Owned(source.clone()))).collect();
        (!patterns.is_empty()).then_some(Self { patterns })
    }

    /// Whether any of them is found in `text`.
    pub(crate) fn is_match(&self, text: &Text) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(text))
    }

    /// Beginning and end of everything that they find in `text`, pattern by pattern.
    pub(crate) fn places<'a>(&'a self, text: &'a Text) -> impl Iterator<Item = (usize, usize)> + 'a {
        let regexes = self.patterns.iter().filter_map(|pattern| pattern.regex_for(text));
        regexes.flat_map(|regex| regex.find_iter(text)).map(|found| (found.start(), found.end()))
    }

    /// Builds all patterns.
    #[cfg(test)]
    pub(crate) fn build(&self) {
        for pattern in &self.patterns {
            pattern.regex();
        }
    }
}

/// One pattern over folded text.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: Cow<'static, str>,
    cells: OnceLock<Option<&'static [&'static str]>>,
    regex: OnceLock<Regex>,
}

impl Pattern {
    /// The pattern `source`. Its literals must be in the file: see `sources` of the tests.
    pub(crate) const fn new(source: &'static str) -> Self {
        Self::from_source(Cow::Borrowed(source))
    }

    const fn from_source(source: Cow<'static, str>) -> Self {
        Self { source, cells: OnceLock::new(), regex: OnceLock::new() }
    }

    /// The pattern itself, when `text` holds what it needs.
    pub(crate) fn regex_for(&self, text: &Text) -> Option<&Regex> {
        self.may_match(text).then(|| self.regex())
    }

    /// Whether it is found in `text`.
    pub(crate) fn is_match(&self, text: &Text) -> bool {
        self.regex_for(text).is_some_and(|regex| regex.is_match(text))
    }

    /// A pattern of which nothing is known may match anything.
    fn may_match(&self, text: &Text) -> bool {
        let cells = self.cells.get_or_init(|| CELLS.get(&digest(&self.source)).map(Vec::as_slice));
        cells.is_none_or(|cells| has_what_is_needed(cells, text))
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| Regex::new(&self.source).expect("every pattern is built by a test"))
    }

    /// What it was made of, for the test that finds its literals.
    #[cfg(test)]
    pub(crate) fn source(&self) -> String {
        self.source.to_string()
    }
}

/// Whether `text` holds, for some branch, one literal of each of its lists.
fn has_what_is_needed(cells: &[&str], text: &Text) -> bool {
    let has_any = |literals: &[&str]| literals.iter().any(|literal| text.holds(literal));
    cells.split(|cell| *cell == OR).any(|branch| branch.split(|cell| *cell == AND).all(has_any))
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

    /// What every match holds: of each list one literal.
    fn all_required(hir: &Hir) -> Vec<Vec<String>> {
        let lists = match hir.kind() {
            HirKind::Concat(parts) => parts.iter().flat_map(all_required).collect(),
            HirKind::Capture(capture) => all_required(&capture.sub),
            HirKind::Repetition(repetition) if repetition.min > 0 => all_required(&repetition.sub),
            _ => required(hir).into_iter().collect(),
        };
        lists.into_iter().filter(|literals: &Vec<String>| shortest(literals) >= SHORTEST_LITERAL).collect()
    }

    /// The same for each branch; nothing where some branch needs nothing.
    fn branches(hir: &Hir) -> Option<Vec<Vec<Vec<String>>>> {
        let branches: Vec<Vec<Vec<String>>> = match hir.kind() {
            HirKind::Alternation(branches) => branches.iter().map(all_required).collect(),
            _ => vec![all_required(hir)],
        };
        branches.iter().all(|branch| !branch.is_empty()).then_some(branches)
    }

    /// All patterns that there are.
    fn sources() -> Vec<String> {
        let sources =
            [crate::knowledge::signatures::sources(), crate::knowledge::answer_words::sources(), crate::errors::sources()];
        sources.concat()
    }

    /// What `source` needs, as its line says it.
    fn cells(source: &str) -> Option<String> {
        let branches = branches(&Parser::new().parse(&ascii_classes(source)).unwrap())?;
        let plain = branches.iter().flatten().flatten().all(|literal| !literal.contains(['\t', '\n']));
        let branch = |lists: &Vec<Vec<String>>| lists.iter().map(|list| list.join("\t")).collect::<Vec<_>>().join("\t&\t");
        plain.then(|| branches.iter().map(branch).collect::<Vec<_>>().join("\t|\t"))
    }

    /// The file as it should be.
    fn file() -> String {
        let row = |source: String| Some(format!("{:016x}\t{}", digest(&source), cells(&source)?));
        let mut lines: Vec<String> = sources().into_iter().filter_map(row).collect();
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

    fn literals(source: &str) -> Option<Vec<String>> {
        required(&Parser::new().parse(source).unwrap())
    }

    #[test]
    fn every_match_holds_one_of_the_required_literals() {
        assert_eq!(literals("server (?:is )?busy"), Some(vec!["server ".to_owned()]));
        assert_eq!(literals("(?:quota|额度)[^.]{0,9}x+"), Some(vec!["quota".to_owned(), "额度".to_owned()]));
        assert_eq!(literals("a?[bc]+"), None);
        assert_eq!(literals("(?:full|)"), None);
    }

    #[test]
    fn each_branch_needs_all_its_words() {
        let cells = |source| cells(source).unwrap();
        assert_eq!(cells("server (?:is )?busy|no (?:room|place) left"), "server \t&\tbusy\t|\tno \t&\troom\tplace\t&\t left");
        let has = |text: &str| has_what_is_needed(&["one", "two", "&", "three", "|", "four"], &text.to_owned().into());
        assert!(has("two three") && has("four") && !has("one two") && !has("three"));
        let said = |text: &str| {
            Pattern::new(r"rate[- ]?limit(?:s)? (?:was |has been |is )?(?:reached|exceeded|hit)\b")
                .may_match(&text.to_owned().into())
        };
        assert!(said("rate limit was reached") && !said("rate limits are told"));
    }

    #[test]
    fn whatever_a_pattern_can_match_has_what_it_needs() {
        use proptest::strategy::{Strategy, ValueTree};
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut tried = 0;
        for source in sources() {
            let pattern = Pattern::from_source(Cow::Owned(source.clone()));
            // The generator knows no boundaries of words.
            let Ok(texts) = proptest::string::string_regex(&ascii_classes(&source).replace(r"\b", "")) else { continue };
            let texts = (0..20).map(|_| format!(" {} ", texts.new_tree(&mut runner).unwrap().current()));
            for text in texts.filter(|text| pattern.regex().is_match(text)) {
                assert!(pattern.may_match(&text.clone().into()), "{source} in {text}");
                tried += 1;
            }
        }
        assert!(tried > 1000, "{tried} texts");
    }

    #[test]
    fn a_pattern_finds_what_its_regex_finds() {
        let family = Family::any_of(&[r"\bfull\b".to_owned(), r"no \d+ left".to_owned()]).unwrap();
        let text = |text: &str| Text::from(text.to_owned());
        assert_eq!(family.places(&text("it is full, no 3 left")).collect::<Vec<_>>(), [(6, 10), (12, 21)]);
        assert!(!family.is_match(&text("fully booked")));
    }
}

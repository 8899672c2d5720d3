//! The lines of a TOML file as they were written: headers and keys with the place of every segment of their names.
//!
//! `toml_edit` knows the values; which header a table is written in, and how often, it does not keep. The outline does, and it
//! goes on behind a fault, so that it can tell of which key a broken line is.

pub(crate) mod slip;

use std::collections::BTreeMap;
use std::ops::Range;

/// A segment of the path of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its name, without quotes; the index for an element of an array of tables.
    pub(crate) name: String,
    /// Where this statement writes it; nothing where an earlier header or the order says it.
    pub(crate) span: Option<Range<usize>>,
}

/// A header, or a key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Its lines, with the end of the last one.
    pub(crate) lines: Range<usize>,
    /// The whole path, from the root.
    pub(crate) path: Vec<Segment>,
    /// The value; nothing for a header.
    pub(crate) value: Option<Range<usize>>,
    /// How many segments of the path belong to the table around it.
    pub(crate) table: usize,
}

impl Statement {
    /// Whether it is a header.
    pub(crate) fn is_header(&self) -> bool {
        self.value.is_none()
    }

    /// Whether its path begins with `path`.
    pub(crate) fn is_below(&self, path: &[String]) -> bool {
        self.path.len() >= path.len() && self.path.iter().zip(path).all(|(segment, name)| segment.name == *name)
    }

    /// The names of its path.
    pub(crate) fn names(&self) -> Vec<String> {
        self.path.iter().map(|segment| segment.name.clone()).collect()
    }
}

/// The statements of `text`, in their order. What is no statement is left out.
pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let mut scanner = Scanner { text, at: 0, table: Vec::new(), arrays: BTreeMap::new() };
    let mut statements = Vec::new();
    if text.starts_with('\u{feff}') {
        scanner.at = '\u{feff}'.len_utf8();
    }
    while scanner.at < text.len() {
        statements.extend(scanner.statement());
    }
    statements
}

struct Scanner<'text> {
    text: &'text str,
    at: usize,
    /// The path of the last header.
    table: Vec<String>,
    /// How many elements each array of tables has so far.
    arrays: BTreeMap<Vec<String>, usize>,
}

impl Scanner<'_> {
    /// Reads to the end of the statement's last line.
    fn statement(&mut self) -> Option<Statement> {
        let start = self.at;
        self.skip_blanks();
        let is_header = self.peek() == Some(b'[');
        let read = if is_header { self.header() } else { self.key_and_value() };
        self.go_to_next_line();
        let lines = start..self.at;
        let (path, value, table) = read?;
        Some(Statement { lines, path, value, table })
    }

    fn header(&mut self) -> Option<(Vec<Segment>, Option<Range<usize>>, usize)> {
        let is_array = self.text[self.at..].starts_with("[[");
        self.at += if is_array { 2 } else { 1 };
        let written = self.segments()?;
        if self.peek() != Some(b']') {
            return None;
        }
        let mut path = self.resolved(&[], written, is_array);
        if is_array {
            let names: Vec<String> = path.iter().map(|segment| segment.name.clone()).collect();
            let count = self.arrays.entry(names).or_insert(0);
            path.push(Segment { name: count.to_string(), span: None });
            *count += 1;
        }
        self.table = path.iter().map(|segment| segment.name.clone()).collect();
        Some((path, None, 0))
    }

    fn key_and_value(&mut self) -> Option<(Vec<Segment>, Option<Range<usize>>, usize)> {
        if matches!(self.peek(), None | Some(b'#' | b'\n' | b'\r')) {
            return None;
        }
        let written = self.segments()?;
        if self.peek() != Some(b'=') {
            return None;
        }
        self.at += 1;
        self.skip_blanks();
        let start = self.at;
        self.value();
        let end = start + self.text[start..self.at].trim_end().len();
        let around: Vec<Segment> = self.table.iter().map(|name| Segment { name: name.clone(), span: None }).collect();
        let table = around.len();
        let path = around.into_iter().chain(written).collect();
        Some((path, Some(start..end), table))
    }

    /// The path with the indices of the arrays of tables that it goes through.
    fn resolved(&self, around: &[Segment], written: Vec<Segment>, is_array: bool) -> Vec<Segment> {
        let mut path = around.to_vec();
        let last = written.len();
        for (index, segment) in written.into_iter().enumerate() {
            path.push(segment);
            let names: Vec<String> = path.iter().map(|segment| segment.name.clone()).collect();
            let through = index + 1 < last || !is_array;
            if let Some(count) = self.arrays.get(&names).filter(|count| through && **count > 0) {
                path.push(Segment { name: (count - 1).to_string(), span: None });
            }
        }
        path
    }

    /// A dotted name, up to what comes behind it.
    fn segments(&mut self) -> Option<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.peek()? {
                b'"' | b'\'' => self.string(),
                _ => self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80),
            }
            if self.at == start {
                return None;
            }
            segments.push(Segment { name: name(&self.text[start..self.at]), span: Some(start..self.at) });
            self.skip_blanks();
            if self.peek() != Some(b'.') {
                return Some(segments);
            }
            self.at += 1;
        }
    }

    /// A value, to its end: the end of the line, unless it is a string or a bracket of several lines.
    fn value(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' | b'\'' => {
                    self.string();
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                b'#' if depth > 0 => {
                    self.skip_while(|byte| byte != b'\n');
                    continue;
                }
                b'#' | b'\n' if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// A string of any of the four kinds. One that is not closed on its line ends there, unless it is of the kind of several lines.
    fn string(&mut self) {
        let rest = &self.text[self.at..];
        let quote = &rest[..1];
        let long = quote.repeat(3);
        let (open, multi) = if rest.starts_with(&long) { (3, true) } else { (1, false) };
        let bytes = rest.as_bytes();
        let mut at = open;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if quote == "\"" => at += 2,
                b'\n' if !multi => break,
                _ if multi && rest.is_char_boundary(at) && rest[at..].starts_with(&long) => {
                    // Up to two quotes may stand before the closing ones.
                    let more = rest[at + 3..].bytes().take(2).take_while(|byte| *byte == quote.as_bytes()[0]).count();
                    self.at += at + 3 + more;
                    return;
                }
                byte if !multi && byte == quote.as_bytes()[0] => {
                    self.at += at + 1;
                    return;
                }
                _ => at += 1,
            }
        }
        let mut end = at.min(bytes.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        self.at += end;
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        self.skip_while(|byte| byte == b' ' || byte == b'\t');
    }

    fn go_to_next_line(&mut self) {
        self.at = memchr::memchr(b'\n', &self.text.as_bytes()[self.at..]).map_or(self.text.len(), |end| self.at + end + 1);
    }
}

/// A segment without its quotes.
fn name(written: &str) -> String {
    let plain = || written.trim_matches(['"', '\'']).to_owned();
    if !written.starts_with(['"', '\'']) {
        return written.to_owned();
    }
    toml_edit::Key::parse(written).ok().and_then(|keys| keys.into_iter().next()).map_or_else(plain, |key| key.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        statements(text).iter().map(|statement| statement.names().join("/")).collect()
    }

    #[test]
    fn every_statement_has_its_whole_path() {
        let text = "\u{feff}a = 1 # x\n\n[t.\"u.v\"]\r\nb.c = \"\"\"\n[no]\n\"\"\"\n[[h]]\nd = [\n 1, # ]\n]\n[h.i]\ne = { f = 1 }\n[[h]]\n[h.i]\n";
        assert_eq!(paths(text), ["a", "t/u.v", "t/u.v/b/c", "h/0", "h/0/d", "h/0/i", "h/0/i/e", "h/1", "h/1/i"]);
        let statement = &statements(text)[2];
        assert_eq!(&text[statement.value.clone().unwrap()], "\"\"\"\n[no]\n\"\"\"");
        assert_eq!(statement.table, 2);
        assert_eq!(&text[statements(text)[0].lines.clone()], "a = 1 # x\n");
    }

    #[test]
    fn a_broken_line_does_not_hide_the_next_one() {
        assert_eq!(paths("a \"x\"\nb = \"C:\\Users\nc = 1\n[d\n[e]\nf = 'x\n"), ["b", "c", "e", "e/f"]);
        assert_eq!(paths("= 1\n\"\n]\n"), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[\\[\\]\"'=.#a\\\\ \n\r\u{e9}\u{feff}{},]{0,60}") {
            let all = statements(&text);
            for pair in all.windows(2) {
                proptest::prop_assert!(pair[0].lines.end <= pair[1].lines.start);
            }
        }
    }
}

//! Lines and columns as Codex counts them: both from 1, columns in characters; a byte order mark is a character.

/// Where the lines of a text begin.
pub(crate) struct Lines<'text> {
    text: &'text str,
    starts: Vec<usize>,
    ascii: bool,
}

impl<'text> Lines<'text> {
    pub(crate) fn of(text: &'text str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1)).collect();
        Self { text, starts, ascii: text.is_ascii() }
    }

    /// The line and column of the byte `offset`.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let offset = self.boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        (number(line + 1), number(self.characters(start, offset) + 1))
    }

    /// The byte at a line and column; nothing where the text has no such place.
    pub(crate) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = *self.starts.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let nth = usize::try_from(column).ok()?.checked_sub(1)?;
        let rest = &self.text[start..];
        rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(nth).map(|at| start + at)
    }

    /// The line and column of a syntax error. Codex counts bytes instead of characters where the error itself begins with a
    /// character of several bytes (measured on 0.171.0: `model="é" 中` is refused at column 12, `model="é" x` at 11).
    pub(crate) fn syntax_position(&self, offset: usize) -> (u32, u32) {
        let (line, column) = self.position(offset);
        let wide = self.text.get(offset..).and_then(|rest| rest.chars().next()).is_some_and(|character| character.len_utf8() > 1);
        if wide { (line, number(offset - self.line_around(offset).start + 1)) } else { (line, column) }
    }

    /// Where the text ends: behind its last character, be it a line feed.
    pub(super) fn end(&self) -> Option<(u32, u32)> {
        let (last, _) = self.text.char_indices().next_back()?;
        let (line, column) = self.position(last);
        Some((line, column + 1))
    }

    /// How many characters lie between two bytes.
    pub(crate) fn characters(&self, start: usize, end: usize) -> usize {
        if self.ascii { end.saturating_sub(start) } else { self.text.get(start..end).map_or(0, |part| part.chars().count()) }
    }

    /// The bytes of every line, without its end. What stands behind the last end counts only when it is not empty.
    pub(crate) fn all(&self) -> Vec<std::ops::Range<usize>> {
        let begun = self.starts.iter().filter(|start| **start < self.text.len());
        begun.map(|start| self.line_around(*start)).collect()
    }

    /// The bytes of the line that holds `offset`, without its end.
    pub(crate) fn line_around(&self, offset: usize) -> std::ops::Range<usize> {
        let offset = self.boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        start..end
    }

    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

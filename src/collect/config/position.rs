//! Lines and columns as Codex counts them: both from 1, columns in characters; a byte order mark is a character.

/// Where the lines of a text begin.
pub(super) struct Lines<'text> {
    text: &'text str,
    starts: Vec<usize>,
    ascii: bool,
}

impl<'text> Lines<'text> {
    pub(super) fn of(text: &'text str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1)).collect();
        Self { text, starts, ascii: text.is_ascii() }
    }

    /// The line and column of the byte `offset`.
    pub(super) fn position(&self, offset: usize) -> (u32, u32) {
        let offset = self.boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        (number(line + 1), number(self.characters(start, offset) + 1))
    }

    /// The line and column of a syntax error. Codex counts bytes instead of characters where the error itself begins with a
    /// character of several bytes (measured on 0.171.0: `model="é" 中` is refused at column 12, `model="é" x` at 11).
    pub(super) fn syntax_position(&self, offset: usize) -> (u32, u32) {
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
    pub(super) fn characters(&self, start: usize, end: usize) -> usize {
        if self.ascii { end.saturating_sub(start) } else { self.text.get(start..end).map_or(0, |part| part.chars().count()) }
    }

    /// The bytes of the line that holds `offset`, without its end.
    pub(super) fn line_around(&self, offset: usize) -> std::ops::Range<usize> {
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

//! What an edit changes, as lines to look at: without any secret, and without the words of remarks.

use std::collections::{BTreeMap, BTreeSet};

use similar::{ChangeTag, DiffOp, DiffTag, TextDiff};
use toml_edit::Document;

use crate::collect::config::shown_lines;
use crate::redact::Redactor;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;

/// The text that is changed, with its lines as they may be shown: they are the same for all changes of it.
pub(super) struct Side<'text> {
    text: &'text str,
    lines: Vec<&'text str>,
    is_toml: bool,
    shown: BTreeMap<usize, String>,
    redactor: &'text Redactor,
    /// What became of the text as it was at first.
    since: Vec<DiffOp>,
}

impl<'text> Side<'text> {
    /// `text`, which was `original` at first.
    pub(super) fn of(original: &str, text: &'text str, redactor: &'text Redactor) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let since = since(original, &lines);
        let shown = shown_lines(text, &(0..lines.len()).collect(), redactor);
        Self { text, is_toml: Document::parse(text).is_ok(), lines, shown, redactor, since }
    }

    /// The difference to `after` in the manner of `diff -u`: each line with its mark.
    pub(super) fn unified(&self, after: &str) -> Vec<String> {
        let new: Vec<&str> = after.split_inclusive('\n').collect();
        let diff = TextDiff::from_slices(&self.lines, &new);
        // Around a change in a text that is no TOML a secret may stand: only the changed lines are shown.
        let is_toml = self.is_toml && (after == self.text || Document::parse(after).is_ok());
        let groups = diff.grouped_ops(if is_toml { CONTEXT } else { 0 });
        let inserted: BTreeSet<usize> =
            groups.iter().flatten().filter(|op| op.tag() != DiffTag::Equal).flat_map(DiffOp::new_range).collect();
        let shown_new = if inserted.is_empty() { BTreeMap::new() } else { shown_lines(after, &inserted, self.redactor) };
        let mut lines = Vec::new();
        for group in &groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let range = |start: usize, end: usize| format!("{},{}", if end > start { start + 1 } else { start }, end - start);
            lines.push(format!(
                "@@ -{} +{} @@",
                range(first.old_range().start, last.old_range().end),
                range(first.new_range().start, last.new_range().end)
            ));
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let (mark, shown) = match change.tag() {
                    ChangeTag::Delete => ('-', change.old_index().and_then(|index| self.shown.get(&index))),
                    ChangeTag::Insert => ('+', change.new_index().and_then(|index| shown_new.get(&index))),
                    ChangeTag::Equal => (' ', change.old_index().and_then(|index| self.shown.get(&index))),
                };
                lines.push(format!("{mark}{}", shown.map(String::as_str).unwrap_or_default()));
            }
        }
        lines
    }

    /// The line of the text as it was at first that is the line `line` now, or that stood nearest above it.
    pub(super) fn line_in_original(&self, line: u32) -> u32 {
        line_before(&self.since, line)
    }
}

/// How `original` became the text of these lines.
fn since(original: &str, lines: &[&str]) -> Vec<DiffOp> {
    TextDiff::from_slices(&original.split_inclusive('\n').collect::<Vec<_>>(), lines).ops().to_vec()
}

fn line_before(since: &[DiffOp], line: u32) -> u32 {
    let wanted = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let found = since.iter().find(|op| op.new_range().contains(&wanted)).map(|op| {
        let inside = wanted - op.new_range().start;
        op.old_range().start + inside.min(op.old_range().len().saturating_sub(1))
    });
    found.and_then(|index| u32::try_from(index + 1).ok()).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_file_as_it_was() {
        let (original, current) = ("a\nb\nc\nd\n", "b\nc\nD\n");
        let since = since(original, &current.split_inclusive('\n').collect::<Vec<_>>());
        assert_eq!([1, 2, 3].map(|line| line_before(&since, line)), [2, 3, 4]);
    }
}

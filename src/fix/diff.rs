//! What an edit changes, as lines to look at: without any secret, and without the words of remarks.

use std::collections::BTreeSet;

use similar::{ChangeTag, DiffOp, TextDiff};
use toml_edit::Document;

use crate::collect::config::shown_lines;
use crate::redact::Redactor;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;

/// The difference between two texts in the manner of `diff -u`: each line with its mark.
pub(super) fn unified(before: &str, after: &str, redactor: &Redactor) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    // Around a change in a text that is no TOML a secret may stand: only the changed lines are shown.
    let context = if [before, after].iter().all(|text| Document::parse(*text).is_ok()) { CONTEXT } else { 0 };
    let diff = TextDiff::from_slices(&old, &new);
    let groups = diff.grouped_ops(context);
    let lines_of =
        |range: fn(&DiffOp) -> std::ops::Range<usize>| groups.iter().flatten().flat_map(range).collect::<BTreeSet<usize>>();
    let shown_old = shown_lines(before, &lines_of(DiffOp::old_range), redactor);
    let shown_new = shown_lines(after, &lines_of(DiffOp::new_range), redactor);
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
                ChangeTag::Delete => ('-', change.old_index().and_then(|index| shown_old.get(&index))),
                ChangeTag::Insert => ('+', change.new_index().and_then(|index| shown_new.get(&index))),
                ChangeTag::Equal => (' ', change.old_index().and_then(|index| shown_old.get(&index))),
            };
            lines.push(format!("{mark}{}", shown.map(String::as_str).unwrap_or_default()));
        }
    }
    lines
}

/// The line of `original` that is the line `line` of `current`, or that stood nearest above it.
pub(super) fn line_in_original(original: &str, current: &str, line: u32) -> u32 {
    let diff = TextDiff::from_slices(
        &original.split_inclusive('\n').collect::<Vec<_>>(),
        &current.split_inclusive('\n').collect::<Vec<_>>(),
    );
    let wanted = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let found = diff.ops().iter().find(|op| op.new_range().contains(&wanted)).map(|op| {
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
        assert_eq!([1, 2, 3].map(|line| line_in_original(original, current, line)), [2, 3, 4]);
    }
}

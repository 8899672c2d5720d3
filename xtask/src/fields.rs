//! How many fields the tables have, as the program itself says: `struct Notice with 9 elements` is among its strings. A table with
//! more than the list has a key that nobody has found yet.

use std::collections::{BTreeMap, BTreeSet};

use codex_triage_checks::knowledge::config::{Node, Type};

/// The numbers of fields by the name of the table. Two types of one name have two.
pub(crate) fn in_program(bytes: &[u8]) -> BTreeMap<String, BTreeSet<usize>> {
    let mut counts: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let word = |bytes: &[u8], end: fn(&u8) -> bool| {
        let length = bytes.iter().take(80).position(end)?;
        std::str::from_utf8(&bytes[..length]).ok().map(str::to_owned)
    };
    for start in positions(bytes, b"struct ") {
        let rest = &bytes[start + 7..];
        let Some(name) = word(rest, |byte| !byte.is_ascii_alphanumeric()) else { continue };
        let Some(rest) = rest[name.len()..].strip_prefix(b" with ") else { continue };
        let Some(number) = word(rest, |byte| !byte.is_ascii_digit()) else { continue };
        if let (Ok(count), true) = (number.parse(), rest[number.len()..].starts_with(b" element")) {
            counts.entry(name).or_default().insert(count);
        }
    }
    counts
}

fn positions<'bytes>(bytes: &'bytes [u8], sought: &'bytes [u8]) -> impl Iterator<Item = usize> + 'bytes {
    bytes.windows(sought.len()).enumerate().filter(move |(_, window)| *window == sought).map(|(at, _)| at)
}

/// The numbers of keys that the list has, by the name of the table; tables of any names are left out.
pub(crate) fn in_list(root: &Node) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    count(root, &mut counts);
    counts
}

fn count(node: &Node, counts: &mut BTreeMap<&'static str, usize>) {
    if let Type::Struct(name) = node.key.kind
        && !node.below.contains_key("*")
    {
        let is_field = |child: &&Node| child.key.status.is_known() && child.key.alias_of.is_none();
        let fields = node.below.values().filter(is_field).count();
        let known = counts.entry(name).or_default();
        *known = fields.max(*known);
    }
    node.below.values().for_each(|child| count(child, counts));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_between_other_strings() {
        let counts = in_program(b"\0xstruct Notice with 9 elementsstruct Notice with 3 elementsstruct CloudToml with 1 elementstruct variant A::B with 2");
        assert_eq!(counts["Notice"], [3, 9].into());
        assert_eq!(counts["CloudToml"], [1].into());
        assert_eq!(counts.len(), 2);
    }

    #[test]
    fn the_list_is_counted_without_other_names_of_a_key() {
        let counts = in_list(codex_triage_checks::knowledge::config::root());
        assert_eq!(counts["GhostSnapshotToml"], 3);
        assert!(!counts.contains_key("AgentsToml"), "it takes any name");
    }
}

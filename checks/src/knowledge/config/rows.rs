//! The lines of `config-keys.toml`. They are cut and read by hand: they are nearly all of the file, it is read at every start, and a
//! TOML parser would take ten times as long.

use std::collections::BTreeSet;

use super::{Key, Node, Sequence, Status, Type};
use crate::knowledge::providers::{Release, release};

pub(super) const SOURCE: &str = include_str!("../../../knowledge/config-keys.toml");
const KEYS: &str = "keys = '''\n";

/// The string `name` at the head of the file.
pub(super) fn head(name: &str) -> &'static str {
    let (head, _) = SOURCE.split_once(KEYS).expect("config-keys.toml is checked by a test");
    let line = head.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(" = ")));
    line.and_then(|line| line.split('"').nth(1)).expect("config-keys.toml is checked by a test")
}

/// The lines of the keys.
pub(super) fn lines() -> std::str::Lines<'static> {
    let (_, rest) = SOURCE.split_once(KEYS).expect("config-keys.toml is checked by a test");
    rest.strip_suffix("'''\n").unwrap_or(rest).lines()
}

/// One line.
pub(super) struct Row {
    pub(super) path: &'static str,
    pub(super) key: Key,
    /// Whether it has the keys of any provider below it.
    like: bool,
}

/// The releases at which some key comes, goes or changes, sorted.
pub(super) fn changes() -> Vec<Release> {
    // A single character is found faster than a word.
    let named = SOURCE.match_indices('=').filter(|(at, _)| [" since", " gone"].iter().any(|mark| SOURCE[..*at].ends_with(mark)));
    // The same few names stand in most lines: each is read once.
    let names: BTreeSet<&str> = named.filter_map(|(at, mark)| SOURCE[at + mark.len()..].split([' ', '\n']).next()).collect();
    names.into_iter().filter_map(release).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The keys as they are in `at`.
pub(super) fn tree(at: Release) -> Node {
    let mut root = Node { key: Key { kind: Type::Struct("ConfigToml"), ..Key::default() }, ..Node::default() };
    let mut alike = Vec::new();
    let mut last: Option<Row> = None;
    for line in lines() {
        let row = row_at(line, at);
        if let Some(before) = last.take_if(|before| before.path == row.path) {
            // Of several lines for one key the one whose range holds the release counts; else the nearest: the first of those to
            // come, the last of those that are gone.
            let keeps = before.key.status.is_known() || [before.key.status, row.key.status].contains(&Status::Newer);
            last = Some(if keeps { before } else { row });
            continue;
        }
        if let Some(before) = last.replace(row) {
            put(&mut root, before, &mut alike);
        }
    }
    if let Some(before) = last {
        put(&mut root, before, &mut alike);
    }
    // A legacy profile takes the features that there are, two segments further down.
    let features = place(&mut root, "features").below.clone();
    let of_profile = place(&mut root, "profiles.*.features");
    for (name, mut node) in features.into_iter().filter(|(name, _)| *name != "*") {
        deepen(&mut node, 2);
        of_profile.below.entry(name).or_insert(node);
    }
    // Built-in providers that may be adapted have the keys of any provider.
    let general = place(&mut root, "model_providers.*").below.clone();
    for path in alike {
        place(&mut root, path).below.extend(general.clone());
    }
    root
}

/// Moves the places at which faults are reported by so many segments.
fn deepen(node: &mut Node, segments: usize) {
    node.key.reported_at = node.key.reported_at.map(|at| at + segments);
    node.below.values_mut().for_each(|below| deepen(below, segments));
}

fn put(root: &mut Node, row: Row, alike: &mut Vec<&'static str>) {
    if row.like {
        alike.push(row.path);
    }
    place(root, row.path).key = row.key;
}

/// A line with the status that its key has in `at`.
fn row_at(line: &'static str, at: Release) -> Row {
    let mut row = row(line).expect("config-keys.toml is checked by a test");
    let key = &mut row.key;
    let is_gone = key.gone.and_then(release).is_some_and(|gone| gone <= at);
    key.status = match (key.since.and_then(release).is_some_and(|since| since > at), is_gone, key.gone.is_some()) {
        (true, ..) => Status::Newer,
        (_, true, _) if key.status != Status::Rejected => Status::Removed,
        // What goes later is nothing special yet.
        (_, false, true) => Status::Current,
        _ => key.status,
    };
    row
}

pub(super) fn segments(path: &'static str) -> impl Iterator<Item = &'static str> {
    split(path).flat_map(|segment| match segment.strip_suffix("[]") {
        Some(name) => [Some(name), Some("[]")].into_iter().flatten(),
        None => [Some(segment), None].into_iter().flatten(),
    })
}

/// The segments of a path; one in quotes may hold dots.
fn split(path: &'static str) -> impl Iterator<Item = &'static str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        if let Some((quoted, after)) = path.strip_prefix('"').and_then(|path| path.split_once('"')) {
            rest = after.strip_prefix('.');
            return Some(quoted);
        }
        let (segment, after) = path.split_once('.').map_or((path, None), |(segment, after)| (segment, Some(after)));
        rest = after;
        Some(segment)
    })
}

fn place<'tree>(root: &'tree mut Node, path: &'static str) -> &'tree mut Node {
    segments(path).fold(root, |node, segment| {
        // The lines are sorted: what a line stands below is the last that there is.
        let below = &mut node.below;
        if below.last_key_value().is_some_and(|(last, _)| *last == segment) {
            below.last_entry().expect("it was just seen").into_mut()
        } else {
            below.entry(segment).or_default()
        }
    })
}

/// Reads one line.
pub(super) fn row(line: &'static str) -> Option<Row> {
    let (row, instead) = match line.split_once('>') {
        Some((row, instead)) => (row.trim_end(), Some(instead.trim_start())),
        None => (line, None),
    };
    let mut words = row.split(' ');
    let path = words.next()?;
    let mut key = Key { kind: kind(words.next()?)?, instead, ..Key::default() };
    let mut like = false;
    for word in words {
        match word.split_once('=') {
            None => match word {
                "deprecated" => key.status = Status::Deprecated,
                "removed" => key.status = Status::Removed,
                "rejected" => key.status = Status::Rejected,
                "open" => key.open = true,
                "closed" => key.closed = true,
                "required" => key.required = true,
                "unlisted" => key.unlisted = true,
                _ => return None,
            },
            Some(("since", version)) => key.since = Some(version),
            Some(("gone", version)) => key.gone = Some(version),
            Some(("at", number)) => key.reported_at = Some(number.parse().ok()?),
            Some(("named", number)) => {
                key.reported_at = Some(number.parse().ok()?);
                key.place_kept = true;
            }
            Some(("seq", "any")) => key.sequence = Sequence::Accepted,
            Some(("seq", "length")) => key.sequence = Sequence::TooShort,
            Some(("shown", path)) => key.shown = Some(path),
            Some((word @ ("closed" | "order"), keys)) => {
                key.closed |= word == "closed";
                key.lacking = keys.split('|').filter_map(|name| name.strip_suffix('?')).collect();
                key.order = Some(keys.split('|').map(|name| name.trim_end_matches('?')).collect());
            }
            Some(("is", name)) => key.alias_of = Some(name),
            Some(("renamed", name)) => (key.alias_of, key.renamed) = (Some(name), true),
            Some(("for", tag)) => key.required_for = Some(tag),
            Some(("like", _)) => like = true,
            Some(_) => return None,
        }
    }
    Some(Row { path, key, like })
}

/// A type by its name in the file.
pub(in crate::knowledge) fn kind(word: &'static str) -> Option<Type> {
    let (name, rest) = word.split_once(':').unwrap_or((word, ""));
    let words = || rest.split('|').collect::<Vec<_>>();
    Some(match name {
        "any" | "table" => Type::Any,
        "bool" => Type::Boolean,
        "string" => Type::String,
        "path" => Type::Path,
        "effort" => Type::Effort,
        "wire-api" => Type::WireApi,
        "f64" => Type::Float,
        "seconds" => Type::Seconds,
        "positive" => Type::Positive,
        "i64" | "i32" | "u64" | "usize" | "u32" | "u16" | "u8" | "nz-u64" | "nz-usize" => Type::Integer(name),
        "enum" => Type::Enum(words()),
        "enum-map" => Type::EnumMap(words()),
        "variants" => Type::Variants(words()),
        "variant" => Type::Tag(words()),
        "array" => Type::Array(Box::new(if rest.is_empty() { Type::Any } else { kind(rest)? })),
        "map" => Type::Map(Box::new(if rest.is_empty() { Type::Any } else { kind(rest)? })),
        "struct" => Type::Struct(rest),
        "tagged" => Type::Tagged(rest),
        "feature" => Type::Feature,
        "keys" => Type::Keys,
        "gateway" => Type::GatewayCredential,
        "env-var" => Type::EnvironmentVariable,
        "untagged" => {
            let (name, kinds) = rest.split_once(':')?;
            Type::Untagged(name, kinds.split('|').collect())
        }
        _ => return None,
    })
}

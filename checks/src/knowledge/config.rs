//! What Codex knows as configuration: `config-keys.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Root keys that a project's own file may not set (measured on 0.171.0): Codex drops them before it looks at the values.
const DENIED_IN_PROJECT: [&str; 12] = [
    "apps_mcp_product_sku",
    "chatgpt_base_url",
    "experimental_realtime_webrtc_call_base_url",
    "experimental_realtime_ws_base_url",
    "model_provider",
    "model_providers",
    "notify",
    "openai_base_url",
    "otel",
    "profile",
    "profiles",
    "responses_api_metadata",
];

/// Whether a project's file may not set the root key `root`.
pub fn denied_in_project(root: &str) -> bool {
    DENIED_IN_PROJECT.contains(&root)
}

/// How a key stands with Codex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Known and in effect.
    #[default]
    Current,
    /// Accepted, with a warning or without effect.
    Deprecated,
    /// Once known; unknown to this release.
    Removed,
    /// Read, and refused.
    Rejected,
}

/// What may stand as a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Type {
    /// Anything.
    #[default]
    Any,
    /// A boolean.
    Boolean,
    /// A string.
    String,
    /// A path.
    Path,
    /// A string that is not empty.
    Effort,
    /// The only protocol that is left.
    WireApi,
    /// A whole number; the name is Codex's own.
    Integer(&'static str),
    /// A number.
    Float,
    /// A number of seconds, not negative.
    Seconds,
    /// A number above zero.
    Positive,
    /// One of these words.
    Enum(Vec<&'static str>),
    /// One of these words, in a place where Codex words the fault in another way.
    EnumMap(Vec<&'static str>),
    /// One of these words; some of them are the only key of a table.
    Variants(Vec<&'static str>),
    /// The word that tells what the table is.
    Tag(Vec<&'static str>),
    /// An array.
    Array(Box<Type>),
    /// A table of any names.
    Map(Box<Type>),
    /// A table with these keys; the name is Codex's own.
    Struct(&'static str),
    /// A table with a tag; the name is Codex's own.
    Tagged(&'static str),
    /// A boolean, or a table with keys of its own and no others.
    Feature,
    /// One or more key bindings.
    Keys,
    /// One of several kinds; the name is Codex's own.
    Untagged(&'static str, Vec<&'static str>),
    /// The name of a variable, or a table with its name.
    EnvironmentVariable,
}

/// What an array in the place of a struct gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sequence {
    /// A wrong type.
    #[default]
    WrongType,
    /// Too few elements.
    TooShort,
    /// Nothing: it is taken.
    Accepted,
}

/// One row: a key, its type and its history.
#[derive(Debug, Default)]
pub struct Key {
    /// Its type.
    pub kind: Type,
    /// How it stands.
    pub status: Status,
    /// The first probed release that knows it, when later than the first probed one.
    pub since: Option<&'static str>,
    /// The first probed release that does not know it any more, or refuses it.
    pub gone: Option<&'static str>,
    /// What to use instead.
    pub instead: Option<&'static str>,
    /// Faults inside are reported at this many segments.
    pub reported_at: Option<usize>,
    /// Faults inside keep their place, although their path is cut.
    pub place_kept: bool,
    /// Unknown keys inside are not reported.
    pub open: bool,
    /// Unknown keys inside are errors.
    pub closed: bool,
    /// The table around it must have it.
    pub required: bool,
    /// Any other name is unknown, but its value must still fit.
    pub unlisted: bool,
    /// What an array in its place gives.
    pub sequence: Sequence,
    /// The path that Codex prints instead of its own.
    pub shown: Option<&'static str>,
}

/// A key with the keys below it.
#[derive(Debug, Default)]
pub struct Node {
    /// The row; implied for a table that has none of its own.
    pub key: Key,
    /// The keys below; `*` stands for any name, `[]` for an element.
    pub below: BTreeMap<&'static str, Node>,
}

impl Node {
    /// The node for the key `name` below this one, and whether it has a row of its own rather than that of `*`.
    pub fn child(&self, name: &str) -> Option<(&Node, bool)> {
        match self.below.get(name) {
            Some(node) => Some((node, true)),
            None => self.below.get("*").map(|node| (node, false)),
        }
    }

    /// Whether Codex knows the key `name` below this one.
    pub fn knows(&self, name: &str) -> bool {
        self.child(name).is_some_and(|(node, _)| node.key.status != Status::Removed && !node.key.unlisted)
    }
}

struct Knowledge {
    version: String,
    root: Node,
}

static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| {
    let (version, lines) = lines();
    let mut root = Node { key: Key { kind: Type::Struct("ConfigToml"), ..Key::default() }, below: BTreeMap::new() };
    let mut alike = Vec::new();
    for line in lines {
        let (path, key, like) = row(line).expect("config-keys.toml is checked by a test");
        if like {
            alike.push(path);
        }
        place(&mut root, path).key = key;
    }
    // Built-in providers that may be adapted have the keys of any provider.
    for path in alike {
        let general = lines_below("model_providers.*.");
        for line in general {
            let (below, key, _) = row(line).expect("config-keys.toml is checked by a test");
            let rest = below.trim_start_matches("model_providers.*.");
            let mut node = place(&mut root, path);
            for segment in segments(rest) {
                node = node.below.entry(segment).or_default();
            }
            node.key = key;
        }
    }
    Knowledge { version, root }
});

const SOURCE: &str = include_str!("../../knowledge/config-keys.toml");

/// The release and the lines of the file. The lines are cut out by hand: they are nearly all of the file, and a TOML parser would copy them.
fn lines() -> (String, std::str::Lines<'static>) {
    let (head, rest) = SOURCE.split_once("keys = '''\n").expect("config-keys.toml is checked by a test");
    let version = head.rsplit('"').nth(1).unwrap_or_default().to_owned();
    let body = rest.strip_suffix("'''\n").unwrap_or(rest);
    (version, body.lines())
}

fn lines_below(prefix: &'static str) -> impl Iterator<Item = &'static str> {
    lines().1.filter(move |line| line.starts_with(prefix))
}

fn segments(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('.').flat_map(|segment| match segment.strip_suffix("[]") {
        Some(name) => [Some(name), Some("[]")].into_iter().flatten(),
        None => [Some(segment), None].into_iter().flatten(),
    })
}

fn place<'tree>(root: &'tree mut Node, path: &'static str) -> &'tree mut Node {
    segments(path).fold(root, |node, segment| node.below.entry(segment).or_default())
}

/// Reads one line; the last value tells whether the key is like any provider.
fn row(line: &'static str) -> Option<(&'static str, Key, bool)> {
    let (row, instead) = match line.split_once(" > ") {
        Some((row, instead)) => (row, Some(instead)),
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
            Some(("like", _)) => like = true,
            Some(_) => return None,
        }
    }
    Some((path, key, like))
}

fn kind(word: &'static str) -> Option<Type> {
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
        "env-var" => Type::EnvironmentVariable,
        "untagged" => {
            let (name, kinds) = rest.split_once(':')?;
            Type::Untagged(name, kinds.split('|').collect())
        }
        _ => return None,
    })
}

/// The release of Codex that the keys were read from.
pub fn codex_version() -> &'static str {
    &KNOWLEDGE.version
}

/// All keys, as a tree.
pub fn root() -> &'static Node {
    &KNOWLEDGE.root
}

/// The row of a key, if there is one; removed keys have rows too. A segment may be any name where Codex takes any.
pub fn key(path: &[impl AsRef<str>]) -> Option<&'static Key> {
    let mut node = root();
    for segment in path {
        node = match (node.below.get("[]"), segment.as_ref().parse::<usize>()) {
            (Some(element), Ok(_)) => element,
            _ => node.child(segment.as_ref())?.0,
        };
    }
    Some(&node.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_sorted_and_every_line_is_read() {
        let whole: BTreeMap<String, toml::Value> = toml::from_str(SOURCE).unwrap();
        assert_eq!(whole["codex_version"].as_str(), Some(codex_version()));
        let body = whole["keys"].as_str().unwrap();
        assert_eq!(body.lines().collect::<Vec<_>>(), lines().1.collect::<Vec<_>>());
        let paths: Vec<&str> = lines().1.map(|line| row(line).expect(line).0).collect();
        assert!(paths.windows(2).all(|pair| pair[0] < pair[1]), "sorted, each once");
        assert!(paths.len() > 926);
        assert!(paths.iter().all(|path| key(&path.replace("[]", ".0").split('.').collect::<Vec<_>>()).is_some()));
    }

    #[test]
    fn keys_are_found_below_names_that_people_choose() {
        assert_eq!(key(&["model_providers", "my relay", "base_url"]).unwrap().kind, Type::String);
        assert_eq!(key(&["model_providers", "amazon-bedrock", "aws", "region"]).unwrap().kind, Type::String);
        assert_eq!(key(&["skills", "config", "3", "enabled"]).unwrap().kind, Type::Boolean);
        assert_eq!(key(&["agents", "max_threads"]).unwrap().instead, Some("agents.max_concurrent_threads_per_session"));
        assert!(key(&["model_fallback"]).is_none());
        assert!(!root().knows("zsh_path"), "removed");
    }
}

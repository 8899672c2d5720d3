//! What Codex knows as configuration: `config-keys.toml`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use super::providers::{Release, release};

mod rows;

pub(super) use rows::kind;

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
    /// Known to later releases only.
    Newer,
    /// Read, and refused.
    Rejected,
}

impl Status {
    /// Whether Codex knows a key that stands so.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Removed | Self::Newer)
    }
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
    /// A credential for a gateway, of one of two kinds.
    GatewayCredential,
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
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Its type.
    pub kind: Type,
    /// How it stands.
    pub status: Status,
    /// The first release that knows it, when later than the oldest one that was looked at.
    pub since: Option<&'static str>,
    /// The first release that does not know it any more, or refuses it.
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
    /// The keys inside in the order in which Codex lists them, where an array may stand in the place of the table or that order is not
    /// the alphabet's.
    pub order: Option<Vec<&'static str>>,
    /// Those of them that such an array may lack.
    pub lacking: Vec<&'static str>,
    /// The table around it must have it.
    pub required: bool,
    /// Any other name is unknown, but its value must still fit.
    pub unlisted: bool,
    /// What an array in its place gives.
    pub sequence: Sequence,
    /// Another name of the key beside it: with both, Codex finds one field twice.
    pub alias_of: Option<&'static str>,
    /// Codex renames it before it merges, so that it is found twice only within one file.
    pub renamed: bool,
    /// The table around it must have it where its tag is this word.
    pub required_for: Option<&'static str>,
    /// The path that Codex prints instead of its own.
    pub shown: Option<&'static str>,
}

impl Key {
    /// Whether an array in the place of the table may end before the field `name`.
    pub(crate) fn may_end_before(&self, name: &str) -> bool {
        self.lacking.contains(&name)
    }
}

/// A key with the keys below it.
#[derive(Clone, Debug, Default)]
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

    /// The fields for which the elements of an array stand in the place of this table. Another name of a field is none of its own.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'static str, &Node)> {
        let fields = self.key.order.iter().flatten().filter_map(|name| Some((*name, self.below.get(name)?)));
        fields.filter(|(_, child)| child.key.status.is_known() && child.key.alias_of.is_none())
    }

    /// Whether Codex knows the key `name` below this one.
    pub fn knows(&self, name: &str) -> bool {
        self.child(name).is_some_and(|(node, _)| node.key.status.is_known() && !node.key.unlisted)
    }
}

/// The keys of one release of Codex.
#[derive(Debug)]
pub struct Keys {
    root: Node,
}

/// How a release stands to those that the keys were read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The release is within their range.
    Known,
    /// It is newer than all of them: the newest keys are used for it.
    Newer,
    /// It is older than all of them: the oldest keys are used for it.
    Older,
    /// It is not known which release is there: the newest keys are used.
    Unnamed,
}

impl Keys {
    /// The keys of the release `version`, and how it stands to what is known.
    pub fn of(version: Option<&str>) -> (&'static Self, Standing) {
        let Some(release) = version.and_then(release) else { return (Self::newest(), Standing::Unnamed) };
        let standing = match (release.cmp(&FILE.oldest), release.cmp(&FILE.newest)) {
            (Ordering::Less, _) => Standing::Older,
            (_, Ordering::Greater) => Standing::Newer,
            _ => Standing::Known,
        };
        (Self::at(release), standing)
    }

    /// The keys of the newest release that is known.
    pub fn newest() -> &'static Self {
        Self::at(FILE.newest)
    }

    /// Between two releases at which some key changes, all have the same keys: one tree serves them.
    fn at(release: Release) -> &'static Self {
        let index = FILE.changes.partition_point(|change| *change <= release);
        FILE.trees[index].get_or_init(|| Self { root: rows::tree(release) })
    }

    /// All keys, as a tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// A path with the names of fields in the place of their numbers, where an array stands for a table.
    pub fn named<'path>(&self, path: &'path [String]) -> Cow<'path, [String]> {
        let mut named = Cow::Borrowed(path);
        if !path.iter().any(|segment| segment.starts_with(|first: char| first.is_ascii_digit())) {
            return named;
        }
        let mut node = &self.root;
        for (at, segment) in path.iter().enumerate() {
            let index = segment.parse::<usize>().ok().filter(|_| node.key.sequence != Sequence::WrongType);
            let field = index.and_then(|index| node.fields().nth(index));
            if let Some((name, _)) = field {
                named.to_mut()[at] = name.to_owned();
            }
            let element = node.below.get("[]").filter(|_| segment.parse::<usize>().is_ok());
            let Some(next) = field.map(|(_, child)| child).or(element).or_else(|| node.child(segment).map(|(child, _)| child))
            else {
                break;
            };
            node = next;
        }
        named
    }

    /// The row of a key, if there is one; keys that are not known in this release have rows too. A segment may be any name where
    /// Codex takes any.
    pub fn key(&self, path: &[impl AsRef<str>]) -> Option<&Key> {
        let mut node = &self.root;
        for segment in path {
            node = match (node.below.get("[]"), segment.as_ref().parse::<usize>()) {
                (Some(element), Ok(_)) => element,
                _ => node.child(segment.as_ref())?.0,
            };
        }
        Some(&node.key)
    }
}

/// What the file says of releases.
struct File {
    version: &'static str,
    oldest: Release,
    newest: Release,
    /// The releases at which some key changes, sorted.
    changes: Vec<Release>,
    /// The tree before the first change, and from each change on.
    trees: Vec<OnceLock<Keys>>,
}

static FILE: LazyLock<File> = LazyLock::new(|| {
    let (version, oldest) = (rows::head("codex_version"), rows::head("oldest_version"));
    let parsed = |version: &str| release(version).expect("config-keys.toml is checked by a test");
    let changes = rows::changes();
    let trees = std::iter::repeat_with(OnceLock::new).take(changes.len() + 1).collect();
    File { version, oldest: parsed(oldest), newest: parsed(version), changes, trees }
});

/// The newest release of Codex that the keys were read from.
pub fn codex_version() -> &'static str {
    FILE.version
}

/// The oldest release of Codex that the keys were read from.
pub fn oldest_version() -> &'static str {
    rows::head("oldest_version")
}

/// All keys of the newest release, as a tree.
pub fn root() -> &'static Node {
    Keys::newest().root()
}

/// A path with the names of fields in the place of their numbers, as the newest release has them.
pub fn named(path: &[String]) -> Cow<'_, [String]> {
    Keys::newest().named(path)
}

/// Whether Codex knows `text` as a word, for any of its keys.
pub fn is_word(text: &str) -> bool {
    fn below(node: &Node, text: &str) -> bool {
        let here = match &node.key.kind {
            Type::Enum(words) | Type::EnumMap(words) | Type::Variants(words) | Type::Tag(words) => words.contains(&text),
            _ => false,
        };
        here || node.below.values().any(|node| below(node, text))
    }
    below(root(), text)
}

/// The row of a key in the newest release.
pub fn key(path: &[impl AsRef<str>]) -> Option<&'static Key> {
    Keys::newest().key(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_sorted_and_every_line_is_read() {
        let whole: BTreeMap<String, toml::Value> = toml::from_str(rows::SOURCE).unwrap();
        assert_eq!(whole["codex_version"].as_str(), Some(codex_version()));
        assert_eq!(whole["oldest_version"].as_str(), Some(oldest_version()));
        let body = whole["keys"].as_str().unwrap();
        assert_eq!(body.lines().collect::<Vec<_>>(), rows::lines().collect::<Vec<_>>());
        let rows: Vec<rows::Row> = rows::lines().map(|line| rows::row(line).expect(line)).collect();
        assert!(rows.windows(2).all(|pair| pair[0].path <= pair[1].path), "sorted");
        for pair in rows.windows(2).filter(|pair| pair[0].path == pair[1].path) {
            let (before, after) = (pair[0].key.gone, pair[1].key.since);
            assert!(before.is_some() && before.and_then(release) <= after.and_then(release), "{}: ranges overlap", pair[0].path);
        }
        assert!(rows.len() > 926);
        let path = |row: &rows::Row| -> Vec<&str> {
            rows::segments(row.path).map(|segment| if segment == "[]" { "0" } else { segment }).collect()
        };
        assert!(rows.iter().all(|row| key(&path(row)).is_some()));
    }

    #[test]
    fn a_key_stands_as_its_release_has_it() {
        let status = |version: &str, path: &[&str]| Keys::of(Some(version)).0.key(path).map(|key| key.status);
        assert_eq!(status("0.171.0", &["windows", "sandbox_private_desktop"]), Some(Status::Removed));
        assert_eq!(status("0.153.4", &["windows", "sandbox_private_desktop"]), Some(Status::Current));
        assert_eq!(status("0.142.5", &["daybreak"]), Some(Status::Newer));
        assert!(!Keys::of(Some("0.142.5")).0.root().knows("daybreak") && root().knows("daybreak"));
    }

    #[test]
    fn a_release_out_of_range_is_told() {
        assert_eq!(Keys::of(Some("0.171.0")).1, Standing::Known);
        assert_eq!(Keys::of(Some("0.999.0")).1, Standing::Newer);
        assert_eq!(Keys::of(Some("0.99.0")).1, Standing::Older);
        assert_eq!(Keys::of(None).1, Standing::Unnamed);
        assert!(std::ptr::eq(Keys::of(Some("0.999.0")).0, Keys::newest()));
    }

    #[test]
    fn an_array_in_the_place_of_a_table_holds_fields() {
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(*named(&path("model_providers.x.5")), path("model_providers.x.experimental_bearer_token"));
        assert_eq!(*named(&path("orchestrator.0.0")), path("orchestrator.skills.enabled"));
        assert_eq!(*named(&path("skills.config.3.1")), path("skills.config.3.name"));
        assert_eq!(*named(&path("notify.1")), path("notify.1"));
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

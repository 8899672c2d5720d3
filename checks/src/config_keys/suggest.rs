//! What a person may have meant with a key that Codex does not know.

use crate::facts::config::{Entry, Scalar, ValueKind};
use crate::knowledge::config::{Key, Keys, Node, Status, Type};
use crate::knowledge::foreign_keys::{ForeignKey, foreign_at};

/// A guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// A key with a name much like it, in the same table.
    Spelling(String),
    /// A key of this name, in another spelling or at the root, which takes other values.
    Otherwise(String),
    /// A key of this very name that belongs to the root or another table: it stands below the wrong header.
    Elsewhere(String),
    /// A key that Codex had once; what to use instead, if anything.
    Removed(Option<&'static str>),
    /// A key of another tool or of the folklore.
    Foreign(&'static ForeignKey),
    /// Nothing known.
    Nothing,
}

/// The dotted key that was probably meant with one that the newest release does not know: another spelling, another table, or a key of
/// old or of the folklore as it stands.
pub fn likely_key(path: &[String]) -> Option<String> {
    match guess(path, Keys::newest(), &|_| true) {
        Meant::Spelling(key) | Meant::Elsewhere(key) | Meant::Otherwise(key) => Some(key),
        Meant::Removed(_) | Meant::Foreign(_) => Some(path.join(".")),
        Meant::Nothing => None,
    }
}

/// How much alike two names must be to be taken for each other; 1 is equal.
const ALIKE: f64 = 0.82;

/// What may be meant with the unknown key at `entry`. What Codex would refuse with its value, or takes without effect, is not meant.
pub(super) fn meant(entry: &Entry, keys: &'static Keys) -> Meant {
    let meant = guess(&entry.path, keys, &|key| is_in_effect(key) && takes(key, entry));
    if meant != Meant::Nothing {
        return meant;
    }
    // The name is plain, and only the value is wrong, too.
    let (around, name) = match entry.path.split_last() {
        Some((name, around)) => (around, snake_case(name)),
        None => return Meant::Nothing,
    };
    let named = |table: Option<&'static Node>| table.and_then(|table| table.named(&name)).filter(|key| is_in_effect(key));
    if named(node_at(around, keys.root())).is_some() {
        return Meant::Otherwise(joined(around, &name));
    }
    let is_misplaced = named(Some(keys.root())).is_some_and(|key| lacks_word(key, entry));
    if is_misplaced { Meant::Otherwise(name) } else { Meant::Nothing }
}

/// What may be meant with a name of which no value is known.
pub(super) fn meant_by_name(path: &[String], keys: &'static Keys) -> Meant {
    guess(path, keys, &is_in_effect)
}

/// Whether Codex makes something of the key: one that is refused, gone or outlived does not help.
fn is_in_effect(key: &Key) -> bool {
    // A file of its own is no successor of a key.
    let has_successor = key.instead.is_some_and(|instead| !instead.contains(['$', '/', ' ']));
    key.status == Status::Current || key.status == Status::Deprecated && has_successor
}

/// Whether the value of `entry` can stand at `key`: a table for a table, a string where a string is wanted.
pub(super) fn takes(key: &Key, entry: &Entry) -> bool {
    let is_table = entry.kind == ValueKind::Table;
    let is_text = matches!(entry.kind, ValueKind::String | ValueKind::Datetime);
    match &key.kind {
        Type::Struct(_) | Type::Map(_) | Type::Tagged(_) => is_table,
        Type::Boolean => entry.kind == ValueKind::Boolean,
        Type::Feature => is_table || entry.kind == ValueKind::Boolean,
        Type::String | Type::Path | Type::Effort | Type::WireApi => is_text,
        Type::Enum(words) | Type::Tag(words) => is_text && may_be_word(entry, words),
        Type::EnumMap(words) | Type::Variants(words) => is_table || is_text && may_be_word(entry, words),
        Type::Integer(_) => entry.kind == ValueKind::Integer,
        Type::Float | Type::Seconds | Type::Positive => matches!(entry.kind, ValueKind::Integer | ValueKind::Float),
        Type::Array(_) => matches!(entry.kind, ValueKind::Array | ValueKind::ArrayOfTables),
        Type::Any | Type::GatewayCredential | Type::Keys | Type::Untagged(..) | Type::EnvironmentVariable => true,
    }
}

/// Whether the text is one of `words`, or one that is not shown.
fn may_be_word(entry: &Entry, words: &[&str]) -> bool {
    match &entry.value {
        Some(Scalar::String(word)) => words.contains(&word.as_str()),
        _ => true,
    }
}

/// Whether the key takes words and the entry is another one.
fn lacks_word(key: &Key, entry: &Entry) -> bool {
    match &key.kind {
        Type::Enum(words) | Type::EnumMap(words) | Type::Variants(words) => {
            entry.kind == ValueKind::String && !may_be_word(entry, words)
        }
        _ => false,
    }
}

/// What may be meant with the unknown key at `path`, among the keys that `fit`.
fn guess(path: &[String], keys: &'static Keys, fits: &dyn Fn(&Key) -> bool) -> Meant {
    let Some((name, around)) = path.split_last() else { return Meant::Nothing };
    if let Some(key) = keys.key(path).filter(|key| key.status == Status::Removed && !key.unlisted) {
        return Meant::Removed(key.instead);
    }
    // `approval-policy` and `approvalPolicy` are sure; a foreign key is known by its whole name; likeness comes last.
    let table = node_at(around, keys.root());
    let snake = snake_case(name);
    if snake != *name && table.and_then(|table| table.named(&snake)).is_some_and(fits) {
        return Meant::Spelling(joined(around, &snake));
    }
    if let Some(row) = foreign_at(path) {
        return Meant::Foreign(row);
    }
    if !around.is_empty() && keys.root().knows(&snake) && keys.root().child(&snake).is_some_and(|(node, _)| fits(&node.key)) {
        return Meant::Elsewhere(snake);
    }
    if let Some(alike) = table.and_then(|table| most_alike(&snake, table, fits)) {
        return Meant::Spelling(joined(around, alike));
    }
    elsewhere(&snake, around, keys, fits).map_or(Meant::Nothing, Meant::Elsewhere)
}

fn node_at(path: &[String], root: &'static Node) -> Option<&'static Node> {
    path.iter().try_fold(root, |node, segment| match (node.below.get("[]"), segment.parse::<usize>()) {
        (Some(element), Ok(_)) => Some(element),
        _ => node.child(segment).map(|(child, _)| child),
    })
}

impl Node {
    /// The key of exactly this name, rather than one of any name.
    fn named(&self, name: &str) -> Option<&Key> {
        self.below.get(name).map(|child| &child.key).filter(|key| key.status.is_known() && !key.unlisted)
    }
}

fn joined(around: &[String], name: &str) -> String {
    around.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
}

fn most_alike(name: &str, table: &'static Node, fits: &dyn Fn(&Key) -> bool) -> Option<&'static str> {
    let fitting = alike(name, table).filter(|(_, known)| table.named(known).is_some_and(fits));
    fitting.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

/// Whether more than one key of `table` is as much like `name` as the one that is meant.
pub(super) fn is_tie(path: &[String], keys: &'static Keys) -> bool {
    let Some((name, around)) = path.split_last() else { return false };
    let Some(table) = node_at(around, keys.root()) else { return false };
    let snake = snake_case(name);
    table.named(&snake).is_none() && alike(&snake, table).count() > 1
}

fn alike<'name>(name: &'name str, table: &'static Node) -> impl Iterator<Item = (f64, &'static str)> + 'name {
    table
        .below
        .keys()
        .filter(move |known| **known != "*" && **known != "[]" && table.named(known).is_some())
        .map(move |known| (likeness(name, known), *known))
        .filter(|(likeness, _)| *likeness >= ALIKE)
}

/// From so many letters on, one slip makes a name no other one.
const ONE_SLIP: usize = 4;

/// Typing slips count by distance, a single one in any case; a left-out word (`max_retries` for `request_max_retries`) by how much of the name is there.
fn likeness(name: &str, known: &str) -> f64 {
    // No slip makes a name twice as long, and measuring a giant one takes as long as one likes.
    if name.len() > 2 * known.len() || known.len() > 2 * name.len().max(6) {
        return 0.0;
    }
    let slips = strsim::damerau_levenshtein(name, known);
    let distance = if slips == 1 && name.len().min(known.len()) >= ONE_SLIP {
        ALIKE.max(strsim::normalized_damerau_levenshtein(name, known))
    } else {
        strsim::normalized_damerau_levenshtein(name, known)
    };
    let (short, long) = if name.len() < known.len() { (name, known) } else { (known, name) };
    let contained = short.len() >= 6 && (long.starts_with(short) || long.ends_with(short));
    if contained && 2 * short.len() > long.len() { distance.max(ALIKE) } else { distance }
}

/// A table that has a key of this name and is reached without a name of one's own choice.
fn elsewhere(name: &str, around: &[String], keys: &Keys, fits: &dyn Fn(&Key) -> bool) -> Option<String> {
    let tables = ["tui", "history", "sandbox_workspace_write", "shell_environment_policy", "tools", "features", "notice"];
    let here = around.first().map(String::as_str);
    let found = tables
        .into_iter()
        .filter(|table| Some(*table) != here)
        .find(|table| keys.root().below.get(table).and_then(|node| node.named(name)).is_some_and(fits))?;
    Some(format!("{found}.{name}"))
}

/// `approvalPolicy` and `approval-policy` as Codex would write them.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut lower_before = false;
    for character in name.chars() {
        if character == '-' || character == ' ' {
            snake.push('_');
        } else if character.is_uppercase() {
            if lower_before {
                snake.push('_');
            }
            snake.extend(character.to_lowercase());
        } else {
            snake.push(character);
        }
        lower_before = character.is_lowercase() || character.is_ascii_digit();
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Meant {
        guess(&path.split('.').map(str::to_owned).collect::<Vec<_>>(), Keys::newest(), &is_in_effect)
    }

    /// What is meant with the key at `path` and a value of its own.
    fn with(path: &str, kind: ValueKind, word: &str) -> Meant {
        let path = path.split('.').map(str::to_owned).collect();
        let value = Some(Scalar::String(word.to_owned())).filter(|_| kind == ValueKind::String);
        meant(&Entry { path, kind, value, ..Entry::default() }, Keys::newest())
    }

    #[test]
    fn other_ways_to_write_a_key_lead_to_it() {
        assert_eq!(of("approval-policy"), Meant::Spelling("approval_policy".to_owned()));
        assert_eq!(of("modelProvider"), Meant::Spelling("model_provider".to_owned()));
        assert_eq!(of("model_reasonning_effort"), Meant::Spelling("model_reasoning_effort".to_owned()));
        assert_eq!(of("model_providers.p.baseUrl"), Meant::Spelling("model_providers.p.base_url".to_owned()));
        assert_eq!(of("model_providers.p.request_max_retry"), Meant::Spelling("model_providers.p.request_max_retries".to_owned()));
        assert_eq!(of("modle"), Meant::Spelling("model".to_owned()));
        assert_eq!(of("tui.them"), Meant::Spelling("tui.theme".to_owned()));
        assert_eq!(of("mcpServers"), Meant::Spelling("mcp_servers".to_owned()));
    }

    #[test]
    fn a_key_below_the_wrong_header_belongs_to_the_root() {
        assert_eq!(of("tui.model"), Meant::Elsewhere("model".to_owned()));
        assert_eq!(of("mcp_servers.a.model_reasoning_effort"), Meant::Elsewhere("model_reasoning_effort".to_owned()));
        assert_eq!(of("notification_method"), Meant::Elsewhere("tui.notification_method".to_owned()));
    }

    #[test]
    fn words_of_a_server_and_of_a_provider_are_told_from_each_other() {
        let hint = |path: &str| match of(path) {
            Meant::Foreign(row) => (row.hint.as_str(), row.to.as_deref()),
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(hint("model_providers.p.command"), ("provider-program", None));
        assert_eq!(hint("model_providers.p.url"), ("address", Some("base_url")));
        assert_eq!(hint("model_providers.p.bearer_token_env_var"), ("provider-variable", Some("env_key")));
        assert_eq!(hint("mcp_servers.m.base_url"), ("mcp-address", Some("url")));
        assert_eq!(hint("mcp_servers.m.env_key"), ("mcp-variable", Some("bearer_token_env_var")));
        assert_eq!(hint("mcp_servers.m.wire_api"), ("mcp-no-provider", None));
        assert_eq!(hint("base_url"), ("provider-key", None));
        assert_eq!(hint("mcp_servers.m.api_key"), ("mcp-key", None));
    }

    #[test]
    fn folklore_and_history_are_known_by_name() {
        assert!(matches!(of("model_fallback"), Meant::Foreign(row) if row.advice.as_deref() == Some("no-model-fallback")));
        assert!(matches!(of("base_url"), Meant::Foreign(_)));
        assert_eq!(of("experimental_instructions_file"), Meant::Removed(Some("model_instructions_file")));
        assert_eq!(of("zsh_path"), Meant::Removed(None));
        assert_eq!(of("qwertz"), Meant::Nothing);
    }

    #[test]
    fn what_codex_would_refuse_or_do_nothing_with_is_not_proposed() {
        assert_eq!(with("profile_name", ValueKind::String, "x"), Meant::Nothing, "`profile` is refused");
        assert_eq!(with("tui.profile", ValueKind::String, "x"), Meant::Nothing);
        assert_eq!(with("modle", ValueKind::Integer, ""), Meant::Nothing, "a name is no number");
        assert_eq!(with("model_providr", ValueKind::Table, ""), Meant::Spelling("model_providers".to_owned()));
        assert_eq!(with("model_providr", ValueKind::String, "x"), Meant::Spelling("model_provider".to_owned()));
        assert_eq!(with("tui.model", ValueKind::Boolean, ""), Meant::Nothing);
        assert_eq!(with("features.undoo", ValueKind::Boolean, ""), Meant::Nothing, "Codex takes `undo` and does nothing");
        assert_eq!(with("profils", ValueKind::Table, ""), Meant::Nothing, "a table of profiles has no effect");
    }

    #[test]
    fn another_spelling_with_another_kind_of_value_is_told_as_such() {
        let key = |name: &str| Meant::Otherwise(name.to_owned());
        assert_eq!(with("approval-policy", ValueKind::Boolean, ""), key("approval_policy"));
        assert_eq!(with("sandboxMode", ValueKind::String, "workspace_write"), key("sandbox_mode"));
        assert_eq!(with("sandboxMode", ValueKind::String, "workspace-write"), Meant::Spelling("sandbox_mode".to_owned()));
        assert_eq!(with("modelReasoningEffort", ValueKind::Integer, ""), key("model_reasoning_effort"));
        assert_eq!(with("tui.sandbox_mode", ValueKind::String, "workspace_write"), key("sandbox_mode"));
    }
}

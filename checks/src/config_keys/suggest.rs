//! What a person may have meant with a key that Codex does not know.

use crate::knowledge::config::{Keys, Node, Status};
use crate::knowledge::foreign_keys::{ForeignKey, foreign};

/// A guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// A key with a name much like it, in the same table.
    Spelling(String),
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
    match meant(path, Keys::newest()) {
        Meant::Spelling(key) | Meant::Elsewhere(key) => Some(key),
        Meant::Removed(_) | Meant::Foreign(_) => Some(path.join(".")),
        Meant::Nothing => None,
    }
}

/// How much alike two names must be to be taken for each other; 1 is equal.
const ALIKE: f64 = 0.82;

/// What may be meant with the unknown key at `path`.
pub(super) fn meant(path: &[String], keys: &'static Keys) -> Meant {
    let Some((name, around)) = path.split_last() else { return Meant::Nothing };
    if let Some(key) = keys.key(path).filter(|key| key.status == Status::Removed && !key.unlisted) {
        return Meant::Removed(key.instead);
    }
    // `approval-policy` and `approvalPolicy` are sure; a foreign key is known by its whole name; likeness comes last.
    let table = node_at(around, keys.root());
    let snake = snake_case(name);
    if snake != *name && table.is_some_and(|table| table.knows_by_name(&snake)) {
        return Meant::Spelling(joined(around, &snake));
    }
    if let Some(row) = foreign(name) {
        return Meant::Foreign(row);
    }
    if !around.is_empty() && keys.root().knows(&snake) {
        return Meant::Elsewhere(snake);
    }
    if let Some(alike) = table.and_then(|table| most_alike(&snake, table)) {
        return Meant::Spelling(joined(around, alike));
    }
    elsewhere(&snake, around, keys).map_or(Meant::Nothing, Meant::Elsewhere)
}

fn node_at(path: &[String], root: &'static Node) -> Option<&'static Node> {
    path.iter().try_fold(root, |node, segment| match (node.below.get("[]"), segment.parse::<usize>()) {
        (Some(element), Ok(_)) => Some(element),
        _ => node.child(segment).map(|(child, _)| child),
    })
}

impl Node {
    /// Whether the table has a key of exactly this name, rather than one of any name.
    fn knows_by_name(&self, name: &str) -> bool {
        self.below.get(name).is_some_and(|child| child.key.status.is_known() && !child.key.unlisted)
    }
}

fn joined(around: &[String], name: &str) -> String {
    around.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
}

fn most_alike(name: &str, table: &'static Node) -> Option<&'static str> {
    alike(name, table).max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

/// Whether more than one key of `table` is as much like `name` as the one that is meant.
pub(super) fn is_tie(path: &[String], keys: &'static Keys) -> bool {
    let Some((name, around)) = path.split_last() else { return false };
    let Some(table) = node_at(around, keys.root()) else { return false };
    let snake = snake_case(name);
    !table.knows_by_name(&snake) && alike(&snake, table).count() > 1
}

fn alike<'name>(name: &'name str, table: &'static Node) -> impl Iterator<Item = (f64, &'static str)> + 'name {
    table
        .below
        .keys()
        .filter(move |known| **known != "*" && **known != "[]" && table.knows_by_name(known))
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
fn elsewhere(name: &str, around: &[String], keys: &Keys) -> Option<String> {
    let tables = ["tui", "history", "sandbox_workspace_write", "shell_environment_policy", "tools", "features", "notice"];
    let here = around.first().map(String::as_str);
    let found = tables
        .into_iter()
        .filter(|table| Some(*table) != here)
        .find(|table| keys.root().below.get(table).is_some_and(|node| node.knows_by_name(name)))?;
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
        meant(&path.split('.').map(str::to_owned).collect::<Vec<_>>(), Keys::newest())
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
    fn folklore_and_history_are_known_by_name() {
        assert!(matches!(of("model_fallback"), Meant::Foreign(row) if row.advice.as_deref() == Some("no-model-fallback")));
        assert!(matches!(of("base_url"), Meant::Foreign(_)));
        assert_eq!(of("experimental_instructions_file"), Meant::Removed(Some("model_instructions_file")));
        assert_eq!(of("zsh_path"), Meant::Removed(None));
        assert_eq!(of("qwertz"), Meant::Nothing);
    }
}

//! A configuration that tries one key with one value, on one line: what its tables must have is put beside it.

use codex_triage_checks::knowledge::config::{Node, Type};

/// A key that no release knows. It stands last in every trial: a value that is taken then ends in this one's refusal, which is five
/// times as fast as a start that succeeds.
pub(crate) const UNKNOWN: &str = "zzzz_end";

/// The values to try on a key of this type: one of a wrong type, and a word that is not among the listed ones.
pub(crate) fn values(kind: &Type) -> &'static [&'static str] {
    match kind {
        Type::Float | Type::Seconds | Type::Positive => &["\"zz\""],
        Type::Enum(_) | Type::EnumMap(_) | Type::Variants(_) | Type::Tag(_) | Type::Untagged(..) => &["1.5", "\"zz\""],
        _ => &["1.5"],
    }
}

/// The text of a configuration in which the key at `path` has `value`.
pub(crate) fn text(root: &Node, path: &[&str], value: &str) -> String {
    let mut tables = vec![root];
    for segment in path {
        let Some(next) = tables.last().and_then(|node| node.below.get(segment)) else { break };
        tables.push(next);
    }
    let mut written = value.to_owned();
    for at in (0..path.len()).rev() {
        if path[at] == "[]" {
            written = format!("[{written}]");
            continue;
        }
        let mut pairs = vec![format!("{} = {written}", quoted(&name(path, at)))];
        if at > 0 {
            pairs.extend(tables.get(at).into_iter().flat_map(|node| beside(node, path, at)));
            written = format!("{{ {} }}", pairs.join(", "));
        } else {
            written = pairs.remove(0);
        }
    }
    format!("{written}\n{UNKNOWN} = 1\n")
}

/// What must stand beside the key `path[at]` in its table.
fn beside(table: &Node, path: &[&str], at: usize) -> Vec<String> {
    let mut pairs: Vec<String> = table
        .below
        .iter()
        .filter(|(name, child)| child.key.required && child.key.status.is_known() && **name != path[at])
        .map(|(name, child)| format!("{} = {}", quoted(name), sample(child)))
        .collect();
    match (&path[..at], path[at]) {
        (["model_providers", "*"], key) if key != "name" && key != "aws" => pairs.push("name = \"x\"".to_owned()),
        (["mcp_servers", "*"], "command" | "url") => {}
        (["mcp_servers", "*"], key) if OF_URL.contains(&key) => pairs.push("url = \"http://x\"".to_owned()),
        (["mcp_servers", "*"], _) => pairs.push("command = \"x\"".to_owned()),
        _ => {}
    }
    pairs
}

/// Keys that only a server reached by URL may have.
const OF_URL: [&str; 8] = [
    "auth",
    "bearer_token_env_var",
    "env_http_headers",
    "http_headers",
    "http_headers_helper",
    "oauth",
    "oauth_resource",
    "scopes",
];

/// The name to write for a segment.
fn name(path: &[&str], at: usize) -> String {
    match (path[at], &path[..at]) {
        ("*", ["projects"] | [.., "filesystem" | "workspace_roots" | "unix_sockets"]) => "/tmp/k".to_owned(),
        // Only the built-in provider may have the keys of its cloud.
        ("*", ["model_providers"]) if path.get(at + 1) == Some(&"aws") => "amazon-bedrock".to_owned(),
        ("*", _) => "k".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn quoted(name: &str) -> String {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_bare { name.to_owned() } else { format!("{name:?}") }
}

/// A value that fits.
fn sample(node: &Node) -> String {
    match &node.key.kind {
        Type::Boolean => "true".to_owned(),
        Type::Integer(_) | Type::Float | Type::Seconds | Type::Positive => "1".to_owned(),
        Type::Enum(words) | Type::EnumMap(words) | Type::Variants(words) | Type::Tag(words) => format!("{:?}", words[0]),
        Type::Array(_) => "[]".to_owned(),
        Type::Map(_) | Type::Struct(_) | Type::Tagged(_) | Type::Feature => {
            let required = node.below.iter().filter(|(_, child)| child.key.required && child.key.status.is_known());
            let pairs: Vec<String> = required.map(|(name, child)| format!("{} = {}", quoted(name), sample(child))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        _ => "\"x\"".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use codex_triage_checks::knowledge::config;

    use super::*;

    fn line(path: &[&str], value: &str) -> String {
        text(config::root(), path, value).lines().next().unwrap().to_owned()
    }

    #[test]
    fn a_key_stands_in_its_tables() {
        assert_eq!(line(&["model"], "1.5"), "model = 1.5");
        assert_eq!(line(&["tui", "theme"], "1.5"), "tui = { theme = 1.5 }");
        assert_eq!(line(&["projects", "*", "trust_level"], "1.5"), "projects = { \"/tmp/k\" = { trust_level = 1.5 } }");
    }

    #[test]
    fn what_the_table_must_have_stands_beside_it() {
        assert_eq!(line(&["skills", "config", "[]", "path"], "1.5"), "skills = { config = [{ path = 1.5, enabled = true }] }");
        assert_eq!(line(&["mcp_servers", "*", "oauth"], "1.5"), "mcp_servers = { k = { oauth = 1.5, url = \"http://x\" } }");
        assert_eq!(line(&["model_providers", "*", "aws"], "1.5"), "model_providers = { amazon-bedrock = { aws = 1.5 } }");
    }

    #[test]
    fn every_trial_ends_with_a_key_that_nobody_knows() {
        assert!(text(config::root(), &["model"], "\"x\"").ends_with("\nzzzz_end = 1\n"));
        assert!(!config::root().knows(UNKNOWN));
    }
}

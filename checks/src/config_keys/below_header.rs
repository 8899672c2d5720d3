//! Keys meant for the root that stand below the header of a table: the commonest fault of pasting.
//!
//! Everything below `[tui]` belongs to `tui` until the next header comes. Most tables do not know such a key, and Codex ignores it; a
//! table of variables or headers takes it as one of them, without a word.

use super::codex::Codex;
use super::ignored::Ignored;
use super::suggest::{self, Meant};
use super::{ID, at};
use crate::facts::config::{Entry, Layer, LayerState, ValueKind};
use crate::finding::{Finding, Severity};
use crate::knowledge::config::{Node, Type};

/// Tables whose keys are names of one's own: a root key in them becomes one, silently.
const TAKE_ANYTHING: [&str; 5] = ["env", "set", "http_headers", "env_http_headers", "query_params"];

/// Root keys below one header.
struct Group<'config> {
    layer: &'config Layer,
    header: &'config Entry,
    keys: Vec<&'config Entry>,
    /// Whether the table takes them as its own.
    taken: bool,
}

/// One finding for each header with root keys below it. `ignored` are the keys that Codex does not know.
pub(super) fn findings(layers: &[Layer], ignored: &[Ignored<'_>], codex: Codex) -> Vec<Finding> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for key in ignored.iter().filter(|key| is_for_the_root(key.entry, codex)) {
        if let Some(header) = header(key.layer, key.entry) {
            add(&mut groups, key.layer, header, key.entry, false);
        }
    }
    for layer in layers.iter().filter(|layer| layer.state == LayerState::Parsed) {
        for entry in layer.entries.iter().filter(|entry| is_taken_silently(entry, layer, codex)) {
            if let Some(header) = header(layer, entry) {
                add(&mut groups, layer, header, entry, true);
            }
        }
    }
    groups.iter().map(told).collect()
}

/// Whether one of the findings above tells of this key, too.
pub(super) fn covers(key: &Ignored<'_>, codex: Codex) -> bool {
    is_for_the_root(key.entry, codex) && header(key.layer, key.entry).is_some()
}

/// The header above a key that Codex refuses, when the key is one of the root.
pub(super) fn of_refused<'config>(layer: &'config Layer, entry: &Entry, codex: Codex) -> Option<&'config Entry> {
    let name = entry.path.last().filter(|_| entry.path.len() > 1)?;
    header(layer, entry).filter(|_| is_plain_root_key(name, codex) && entry.path[0] == "features")
}

fn is_for_the_root(entry: &Entry, codex: Codex) -> bool {
    entry.path.len() > 1 && matches!(suggest::meant(entry, codex.keys), Meant::Elsewhere(key) if !key.contains('.'))
}

/// A key with a name that only a setting of the root has: `model`, or a plain one of several words.
fn is_taken_silently(entry: &Entry, layer: &Layer, codex: Codex) -> bool {
    let Some((name, around)) = entry.path.split_last() else { return false };
    // A server or a profile may be called so, too: the table stands below one, or in the policy for variables.
    let below_a_name = around.len() >= 3 || around.first().is_some_and(|root| root == "shell_environment_policy");
    let table = below_a_name && around.last().is_some_and(|segment| TAKE_ANYTHING.contains(&segment.as_str()));
    let set_at_root = || layer.entries.iter().any(|known| known.path.len() == 1 && known.path[0] == *name);
    table && (name == "model" || name.contains('_')) && is_plain_root_key(name, codex) && !set_at_root()
}

fn is_plain_root_key(name: &str, codex: Codex) -> bool {
    let is_plain = |node: &Node| node.key.status.is_known() && !matches!(node.key.kind, Type::Struct(_) | Type::Map(_) | Type::Any);
    codex.keys.root().below.get(name).is_some_and(is_plain)
}

/// The `[header]` right above the key, if its table has one of its own.
fn header<'config>(layer: &'config Layer, key: &Entry) -> Option<&'config Entry> {
    let (_, around) = key.path.split_last()?;
    let is_table = |entry: &&Entry| entry.kind == ValueKind::Table && entry.path == around;
    // The span of a header begins with its bracket, before its name.
    let is_header = |entry: &&Entry| {
        entry.value_line.is_some()
            && entry.value_line <= key.line
            && entry.value_column < entry.column
            && entry.value_line == entry.line
    };
    layer.entries.iter().filter(is_table).find(is_header)
}

fn add<'config>(groups: &mut Vec<Group<'config>>, layer: &'config Layer, header: &'config Entry, key: &'config Entry, taken: bool) {
    match groups.iter_mut().find(|group| std::ptr::eq(group.header, header) && group.taken == taken) {
        Some(group) => group.keys.push(key),
        None => groups.push(Group { layer, header, keys: vec![key], taken }),
    }
}

fn told(group: &Group<'_>) -> Finding {
    let names: Vec<String> = group.keys.iter().filter_map(|key| Some(format!("`{}`", key.path.last()?))).collect();
    let count = i64::try_from(names.len()).unwrap_or(i64::MAX);
    let first = group.keys.first().map(|key| key.path.join(".")).unwrap_or_default();
    let line = i64::from(group.header.value_line.unwrap_or(0));
    let finding =
        Finding::new(ID, "config.below-header", Severity::Warning, [("header", format!("[{}]", group.header.path.join(".")))])
            .arg("line", line)
            .arg("keys", names.join(", "))
            .arg("read_as", first)
            .arg("count", count);
    let finding = if group.taken { finding.message_id("config-below-header-taken") } else { finding };
    match group.keys.first() {
        Some(key) => at(finding, group.layer, key),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use super::*;
    use crate::facts::{Facts, Observed};

    /// A file with headers (`[a.b]`) and keys, one on each line.
    fn told(lines: &[&str]) -> Vec<(String, String)> {
        let mut config = super::super::tests::config(&[]);
        let mut around: Vec<String> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let line_number = u32::try_from(index + 1).ok();
            let header = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
            let (path, kind, value_column) = match header {
                Some(name) => {
                    around = name.split('.').map(str::to_owned).collect();
                    (around.clone(), ValueKind::Table, Some(1))
                }
                None => ([around.clone(), vec![(*line).to_owned()]].concat(), ValueKind::String, Some(9)),
            };
            for end in 1..path.len() {
                let entries = &mut config.layers[0].entries;
                if !entries.iter().any(|known| known.path == path[..end]) {
                    entries.push(entry(path[..end].to_vec(), ValueKind::Table, line_number, Some(2)));
                }
            }
            config.layers[0].entries.push(entry(path, kind, line_number, value_column));
        }
        let facts = Facts { config: Observed::known(config, "config.toml"), ..Facts::default() };
        let findings = run(&facts).into_iter().filter(|finding| finding.severity >= Severity::Warning);
        findings.map(|finding| (finding.code.clone(), format!("{:?}", finding.args.get("keys")))).collect()
    }

    fn entry(path: Vec<String>, kind: ValueKind, line: Option<u32>, value_column: Option<u32>) -> Entry {
        let value = (kind == ValueKind::String).then(|| crate::facts::config::Scalar::String("x".to_owned()));
        let column = if value.is_some() { Some(1) } else { Some(2) };
        Entry { path, kind, value, line, column, value_line: line, value_column, ..Entry::default() }
    }

    #[test]
    fn root_keys_below_a_header_are_one_finding_that_names_it() {
        let found = told(&["[tui]", "theme", "model", "model_provider", "[history]"]);
        let told: Vec<_> = found.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(told, ["config.below-header"], "one for both");
        assert!(found[0].1.contains("`model`, `model_provider`"), "{found:?}");
    }

    #[test]
    fn a_table_of_variables_takes_a_root_key_silently_and_it_is_told() {
        let taken = told(&["[mcp_servers.a]", "command", "[mcp_servers.a.env]", "API_URL", "model", "sandbox_mode"]);
        assert!(
            taken.iter().any(|(code, keys)| code == "config.below-header" && keys.contains("`model`, `sandbox_mode`")),
            "{taken:?}"
        );
    }

    #[test]
    fn what_may_be_meant_so_is_left_in_peace() {
        for lines in [
            &["model", "[mcp_servers.a]", "command", "[mcp_servers.a.env]", "model"][..],
            &["[mcp_servers.a]", "command", "[mcp_servers.a.env]", "PROFILE", "profile", "notify", "history"],
            &["[agents.a]", "model", "[tui]", "theme"],
            &["[profiles.env]", "model", "model_provider"],
        ] {
            assert!(!told(lines).iter().any(|(code, _)| code == "config.below-header"), "{lines:?}");
        }
    }
}

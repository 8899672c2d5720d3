//! Windows paths in double quotes: TOML reads `\t` in them as a tabulator, and either refuses the rest or takes it in silence.

use super::{ID, at};
use crate::facts::config::{Entry, Layer, Typed, ValueKind};
use crate::finding::{Finding, Severity};

/// Paths that were taken, and are no paths any more.
pub(super) fn findings(layer: &Layer) -> Vec<Finding> {
    let mangled = layer.entries.iter().filter(|entry| entry.typed == Some(Typed::WindowsPath));
    mangled.map(|entry| if entry.kind == ValueKind::Table { told_name(layer, entry) } else { told(layer, entry) }).collect()
}

/// A table that is named by a path.
fn told_name(layer: &Layer, entry: &Entry) -> Finding {
    let table = entry.path.split_last().map(|(_, around)| around.join(".")).unwrap_or_default();
    let finding = Finding::new(ID, "config.mangled-path", Severity::Warning, [("key", table)]);
    at(finding.message_id("config-mangled-path-name"), layer, entry)
}

fn told(layer: &Layer, entry: &Entry) -> Finding {
    // An element of an array has a number for a name: the array is what a person knows.
    let key: Vec<&str> = entry.path.iter().map(String::as_str).filter(|segment| segment.parse::<usize>().is_err()).collect();
    let finding = Finding::new(ID, "config.mangled-path", Severity::Warning, [("key", key.join("."))]);
    let finding = at(finding, layer, entry);
    // The value is at fault, not the name.
    match finding.at.clone().filter(|_| entry.value_line == entry.line) {
        Some(place) => finding.at(crate::finding::Place { column: entry.value_column, length: None, ..place }),
        None => finding,
    }
}

/// What the parser says of a backslash in double quotes that is no escape.
const NO_ESCAPE: [&str; 3] = ["too few unicode value digits", "missing escaped value", "invalid escape sequence"];

/// Whether the parser stumbled over a backslash.
pub(super) fn is_backslash(message: &str) -> bool {
    NO_ESCAPE.iter().any(|known| message.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use crate::facts::config::{LayerState, Typed};
    use crate::facts::{Facts, Observed};

    #[test]
    fn a_path_that_lost_its_backslashes_is_told_at_its_value() {
        let mut config = super::super::tests::config(&[("mcp_servers.a.command", "D:oolsin")]);
        config.layers[0].entries.last_mut().unwrap().typed = Some(Typed::WindowsPath);
        let facts = Facts { config: Observed::known(config, "config.toml"), ..Facts::default() };
        let findings = run(&facts);
        let finding = findings.iter().find(|finding| finding.code == "config.mangled-path").unwrap();
        assert_eq!(finding.at.as_ref().unwrap().column, Some(9));
    }

    #[test]
    fn a_name_that_lost_its_backslashes_is_told() {
        let mut config = super::super::tests::config(&[("projects.x.trust_level", "trusted")]);
        let table = config.layers[0].entries.iter_mut().find(|entry| entry.path.len() == 2).unwrap();
        table.typed = Some(Typed::WindowsPath);
        let facts = Facts { config: Observed::known(config, "config.toml"), ..Facts::default() };
        assert!(run(&facts).iter().any(|finding| finding.message_id == "config-mangled-path-name"));
    }

    #[test]
    fn a_refused_path_is_told_what_quotes_it_wants() {
        let mut config = super::super::tests::config(&[]);
        let message = "too few unicode value digits, expected unicode hexadecimal value".to_owned();
        config.layers[0].state = LayerState::Syntax { line: 1, column: 9, message, shown: None, end: None, key: None, typed: None };
        let facts = Facts { config: Observed::known(config, "config.toml"), ..Facts::default() };
        assert_eq!(run(&facts)[0].message_id, "config-syntax-backslash");
    }
}

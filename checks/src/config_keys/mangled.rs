//! Windows paths in double quotes: TOML reads `\t` in them as a tabulator, and either refuses the rest or takes it in silence.

use super::{ID, at};
use crate::facts::config::{Entry, Layer, Typed};
use crate::finding::{Finding, Severity};

/// Paths that were taken, and are no paths any more.
pub(super) fn findings(layer: &Layer) -> Vec<Finding> {
    let values = layer.entries.iter().filter(|entry| entry.typed == Some(Typed::WindowsPath)).map(|entry| told(layer, entry));
    let names = layer.entries.iter().filter(|entry| entry.path.last().is_some_and(|name| is_mangled(name)));
    // A header and its keys have one name: the first entry tells.
    values.chain(names.map(|entry| told_name(layer, entry))).collect()
}

/// Whether a name begins like a Windows path and holds what TOML makes of a backslash and a letter.
fn is_mangled(name: &str) -> bool {
    let mut characters = name.chars();
    let drive = characters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && characters.next() == Some(':');
    drive && name.chars().any(|character| matches!(character, '\u{8}' | '\t' | '\n' | '\u{c}' | '\r' | '\u{1b}'))
}

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
        let of = |name: &str| {
            let mut config = super::super::tests::config(&[("projects.x.trust_level", "trusted")]);
            let table = config.layers[0].entries.iter_mut().find(|entry| entry.path.len() == 2).unwrap();
            table.path[1] = name.to_owned();
            let facts = Facts { config: Observed::known(config, "config.toml"), ..Facts::default() };
            run(&facts).into_iter().filter(|finding| finding.message_id == "config-mangled-path-name").count()
        };
        assert_eq!(of("D:\tmp\new"), 1);
        assert_eq!(of("D:\\tmp\\new"), 0);
        assert_eq!(of("/home/me\tx"), 0);
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

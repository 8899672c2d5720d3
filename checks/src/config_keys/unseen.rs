//! Characters that nobody sees, in a key or in a value: Codex takes them for a part of it, and another name it is.

use super::ID;
use crate::facts::config::{Entry, Layer};
use crate::finding::{Finding, Place, Severity};

/// The keys and values that hold such a character.
pub(super) fn findings(layer: &Layer) -> Vec<Finding> {
    layer.entries.iter().filter_map(|entry| told(layer, entry)).collect()
}

fn told(layer: &Layer, entry: &Entry) -> Option<Finding> {
    let unseen = entry.unseen.as_ref()?;
    // An element of an array has a number for a name: the array is what a person knows.
    let key: Vec<&str> = entry.path.iter().map(String::as_str).filter(|segment| segment.parse::<usize>().is_err()).collect();
    let args = [("key", key.join(".")), ("character", unseen.character.clone())];
    let place = Place {
        file: layer.file.clone()?,
        line: Some(unseen.line),
        column: Some(unseen.column),
        length: Some(1),
        shown: entry.shown.clone().filter(|_| entry.line == Some(unseen.line)),
    };
    Some(Finding::new(ID, "config.unseen-character", Severity::Warning, args).at(place))
}

#[cfg(test)]
mod tests {
    use crate::config_keys::{run, tests};
    use crate::facts::config::Unseen;
    use crate::facts::{Facts, Observed};

    #[test]
    fn a_character_that_nobody_sees_is_told_with_its_place() {
        let mut config = tests::config(&[("model", "gpt-6\u{200b}"), ("mcp_servers.a.command", "x")]);
        config.layers[0].entries[0].unseen = Some(Unseen { character: "U+200B".to_owned(), line: 1, column: 15 });
        let facts = Facts { config: Observed::known(config, "config.toml"), ..Facts::default() };
        let findings = run(&facts);
        let told: Vec<_> = findings.iter().filter(|finding| finding.code == "config.unseen-character").collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].at.as_ref().map(|at| (at.line, at.column)), Some((Some(1), Some(15))));
    }
}

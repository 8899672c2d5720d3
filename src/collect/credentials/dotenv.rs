//! `$CODEX_HOME/.env`: variables that Codex adds to its environment, but for those that begin with `CODEX_`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// More than any such file has.
const LARGEST: u64 = 1024 * 1024;

/// The assignments of the file. Secret: no `Debug`.
#[derive(Default)]
pub(super) struct DotEnv(BTreeMap<String, String>);

impl DotEnv {
    /// Reads the file; nothing when it is not there or unreadable (the collector of the environment says so).
    pub(super) fn read(path: &Path) -> Self {
        let Ok(found) = std::fs::metadata(path) else { return Self::default() };
        let mut bytes = Vec::new();
        let read = found.is_file().then(|| std::fs::File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok());
        if read.flatten().is_none() {
            return Self::default();
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    fn parse(text: &str) -> Self {
        let assignment = |line: &str| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (name, value) = line.split_once('=')?;
            let name = name.trim();
            let is_name = !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
            is_name.then(|| (name.to_owned(), unquoted(value.trim())))
        };
        // The first assignment of a name counts: a later one finds it set.
        let mut values = BTreeMap::new();
        for (name, value) in text.lines().filter_map(assignment) {
            values.entry(name).or_insert(value);
        }
        Self(values)
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner.to_owned();
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_as_a_shell_would() {
        let file =
            DotEnv::parse("# x\nexport RELAY_KEY=\"a b\" # c\nPLAIN=v # comment\nPLAIN=second\nEMPTY=\n=nothing\nno assignment\n");
        assert_eq!(file.value("RELAY_KEY"), Some("a b"));
        assert_eq!(file.value("PLAIN"), Some("v"));
        assert_eq!(file.value("EMPTY"), Some(""));
        assert_eq!(file.value("no assignment"), None);
    }
}

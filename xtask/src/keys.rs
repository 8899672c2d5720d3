//! The keys of one release as a list of paths.

use codex_triage_checks::knowledge::config::{Key, Node};

/// A key with its path; `*` stands for any name, `[]` for an element.
pub(crate) struct KeyAt<'tree> {
    pub(crate) path: Vec<&'static str>,
    pub(crate) key: &'tree Key,
}

impl KeyAt<'_> {
    /// The path as the list writes it.
    pub(crate) fn name(&self) -> String {
        self.path.join(".").replace(".[]", "[]")
    }
}

/// Every key below `root`, tables before what is in them. Built-in providers are left out: they have the keys of any other.
pub(crate) fn all(root: &Node) -> Vec<KeyAt<'_>> {
    let mut found = Vec::new();
    collect(root, &mut Vec::new(), &mut found);
    found
}

fn collect<'tree>(node: &'tree Node, path: &mut Vec<&'static str>, found: &mut Vec<KeyAt<'tree>>) {
    for (name, child) in &node.below {
        path.push(name);
        if !(path[0] == "model_providers" && path.len() == 2 && *name != "*") {
            found.push(KeyAt { path: path.clone(), key: &child.key });
            collect(child, path, found);
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use codex_triage_checks::knowledge::config;

    use super::*;

    #[test]
    fn paths_are_written_as_the_list_writes_them() {
        let names: Vec<String> = all(config::root()).iter().map(KeyAt::name).collect();
        for expected in ["model", "skills.config[].enabled", "model_providers.*.aws.region", "features"] {
            assert!(names.iter().any(|name| name == expected), "{expected}");
        }
        assert!(!names.iter().any(|name| name.starts_with("model_providers.amazon-bedrock")));
    }
}

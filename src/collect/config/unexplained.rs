//! Values whose key Codex does not know. What they are nobody can say: a password below a misspelt name is none by its name. They are
//! shown only where it is clear which key was meant, and that one is harmless.

use codex_triage_checks::knowledge::config::{self, Node, Type};
use codex_triage_checks::knowledge::requirements::requirement;
use codex_triage_checks::likely_key;

/// The path of the key that was probably meant; the path itself where Codex knows it, none where nobody knows.
pub(super) fn meant(path: &[String]) -> Option<Vec<String>> {
    let mut meant = path.to_vec();
    for end in 1..=path.len() {
        if meant.get(..end).is_none_or(is_known) {
            continue;
        }
        // An element of an array has a number for a name; its array was looked at before.
        let likely = likely_key(&meant[..end])?;
        let rest = meant.split_off(end);
        meant = likely.split('.').map(str::to_owned).chain(rest).collect();
    }
    Some(meant)
}

/// Whether Codex knows the key, or takes what stands there by rules of its own.
fn is_known(path: &[String]) -> bool {
    // Requirements have keys of their own.
    let is_required = |name: &String| requirement(name).is_some() && !config::root().knows(name);
    if path.first().is_some_and(is_required) {
        return true;
    }
    let mut node = config::root();
    for segment in path {
        if segment.parse::<usize>().is_ok() && !is_table(node) {
            match node.below.get("[]") {
                Some(element) => node = element,
                None => return true,
            }
            continue;
        }
        match node.child(segment) {
            Some((child, _)) if child.key.status.is_known() && !child.key.unlisted => node = child,
            _ => return !is_table(node),
        }
    }
    true
}

/// Whether the node is a table with keys of its own, or one of any contents.
fn is_table(node: &Node) -> bool {
    match &node.key.kind {
        Type::Struct(_) | Type::Any => true,
        Type::Map(inner) => **inner == Type::Any,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Option<String> {
        meant(&path.split('.').map(str::to_owned).collect::<Vec<_>>()).map(|path| path.join("."))
    }

    #[test]
    fn a_known_key_is_meant_and_a_slip_means_the_key_beside_it() {
        assert_eq!(of("model").as_deref(), Some("model"));
        assert_eq!(of("tui.notifications.0").as_deref(), Some("tui.notifications.0"));
        assert_eq!(of("approval-policy").as_deref(), Some("approval_policy"));
        assert_eq!(of("mcpServers.a.command").as_deref(), Some("mcp_servers.a.command"));
        assert_eq!(
            of("model_providers.r.experimental_bearer_tokn").as_deref(),
            Some("model_providers.r.experimental_bearer_token")
        );
        assert_eq!(of("model_fallback").as_deref(), Some("model_fallback"), "of the folklore");
        assert_eq!(of("permissions.p.filesystem./opt").as_deref(), Some("permissions.p.filesystem./opt"));
    }

    #[test]
    fn what_nobody_can_explain_means_nothing() {
        for path in ["pasword", "pw", "environment.TOKEN", "desktop.note", "plugins.p.config.key"] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}

//! Rules of Codex's start that came or went with a release: `config-rules.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::providers::{Release, release};

/// A rule that not every release has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rule {
    /// `profile` at the root is refused.
    NoProfileKey,
    /// `approval_policy = "untrusted"` is refused.
    NoUntrustedPolicy,
    /// What is never closed is reported at the end of the file.
    UnclosedAtEnd,
    /// An empty table for `openai` changes nothing and is taken.
    EmptyOpenaiProvider,
    /// `amazon-bedrock-runtime` is built in.
    BedrockRuntime,
    /// `amazon-bedrock` takes `base_url`, `auth` and `http_headers`.
    BedrockAddress,
    /// `amazon-bedrock` takes `aws.auth_refresh`.
    BedrockRefresh,
    /// `amazon-bedrock` takes `aws.credential_export`.
    BedrockExport,
    /// The rule for `amazon-bedrock` is looked at with the types, not after them.
    BedrockAtLoad,
    /// `agents.max_threads` is another name of `agents.max_concurrent_threads_per_session`, and the depth has no lower bound.
    AgentsRenamed,
    /// A hook may call a tool of an MCP server.
    HookMcpTool,
    /// A fault in a key binding is explained.
    KeybindingWords,
    /// A key binding may be of two keys after each other.
    KeybindingChords,
    /// A key binding may begin with `leader`.
    KeybindingLeader,
    /// A key binding may have the modifier `super`, by any of its names.
    KeybindingSuper,
    /// A key binding may have the function keys beyond `f12`.
    KeybindingTwentyFour,
    /// The lists of `shell_environment_policy` are read before the rest.
    ShellPolicyReadFirst,
    /// A budget for a rollout needs a limit in tokens or in money, not both limit and reminder in tokens.
    RolloutBudgetOrTokens,
    /// An MCP server that runs elsewhere needs an absolute folder.
    RemoteStdioCwd,
}

/// One row of `config-rules.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    rule: Rule,
    /// The first release that has it.
    since: Option<String>,
    /// The first release that has it no more.
    gone: Option<String>,
    #[allow(dead_code, reason = "documentation of the data")]
    source: String,
}

#[derive(Deserialize)]
struct File {
    rule: Vec<Row>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: File = knowledge!("config-rules");
    file.rule
});

/// Whether Codex had the rule in the release `at`.
pub(crate) fn holds(rule: Rule, at: Release) -> bool {
    let row = ROWS.iter().find(|row| row.rule == rule);
    let bound = |version: Option<&String>| version.and_then(|version| release(version));
    row.is_none_or(|row| {
        bound(row.since.as_ref()).is_none_or(|since| since <= at) && bound(row.gone.as_ref()).is_none_or(|gone| at < gone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_row_with_a_bound_that_is_a_release() {
        for (index, row) in ROWS.iter().enumerate() {
            let bounds: Vec<&String> = [&row.since, &row.gone].into_iter().flatten().collect();
            assert!(!bounds.is_empty() && bounds.iter().all(|bound| release(bound).is_some()), "{row:?}");
            assert!(ROWS[..index].iter().all(|other| other.rule != row.rule), "{row:?}");
        }
    }

    #[test]
    fn a_rule_holds_from_its_first_release_until_it_is_gone() {
        assert!(!holds(Rule::RemoteStdioCwd, [0, 133, 0]) && holds(Rule::RemoteStdioCwd, [0, 134, 0]));
        assert!(holds(Rule::RemoteStdioCwd, [0, 142, 4]) && !holds(Rule::RemoteStdioCwd, [0, 142, 5]));
    }
}

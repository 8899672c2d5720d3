//! Generated configurations with faults that can be mended: nothing else changes, all comes right, and nothing is switched on.

use std::path::Path;

use codex_triage_checks::facts::run::Platform;
use proptest::prelude::*;

use super::*;
use crate::i18n::Language;
use session::outcome;
use tree::Tree;

/// Lines of the root that Codex takes, as they are.
const GOOD_ROOT: [&str; 8] = [
    "model_reasoning_summary = \"auto\"   # a remark",
    "approval_policy = \"on-request\"",
    "sandbox_mode = 'read-only'",
    "# only words",
    "file_opener = \"none\" ",
    "notify = [\n  \"notify-send\", # one\n  'x',\n]",
    "project_doc_max_bytes = 32_768",
    "",
];
/// Faulty lines of the root, each for itself.
const BAD_ROOT: [&str; 13] = [
    "model_fallback = \"canary-model\" # gone",
    "disable_response_storage = true",
    "preferred_auth_method = \"apikey\"",
    "reasoning_effort = \"high\"",
    "model-verbosity = \"low\"",
    "modelContextWindow = 128000",
    "hide_agent_reasoning = \"true\"",
    "log_dir = \"D:\\tools\\bin\\new\"",
    "forced-login-method = \"api\"",
    "webSearch = \"live\"",
    "notification_condition = \"always\"",
    "openai_base_url = 'https://relay.example/v1/v1'",
    "fallback_models = [\n  'a', # b\n  'c',\n]",
];
/// Whole tables that Codex takes.
const GOOD_TABLE: [&str; 5] = [
    "[tui.effects]\nshimmer = false",
    "[history]\npersistence = \"save-all\" # h",
    "[mcp_servers.good]\ncommand = \"x\"\nargs = [\"--a\", 'b']",
    "[shell_environment_policy]\ninherit = \"core\"\nset = { A = \"canary-env-1\" }",
    "[features]\nshell_tool = true",
];
/// Tables with faults.
const BAD_TABLE: [&str; 10] = [
    "[fallback]\nmodel = \"x\"\non = 'capacity'",
    "[mcpServers.bad]\ncommand = \"y\"",
    "[model_providers.openai]\nname = \"O\"\nbase_url = \"https://relay.example/v1\"\n[model_providers.openai.http_headers]\nX-Key = \"canary-header-1\"",
    "[model_providers.old]\nname = \"Old\"\nwire_api = \"chat\" # old",
    "[model_providers.relay]\nname = \"R\"\nbaseUrl = \"https://relay.example/v1\"\nrequest_max_retry = 3",
    "[model_providers.pasted]\nname = \"P\"\nbase_url = \"https://relay.example/v1/chat/completions\"",
    "[tui]\ntheem = \"dark\"\nmodel = \"gpt-6-sol\"",
    "[mcp_servers.typed]\ncommand = \"z\"\ntype = \"stdio\"",
    "[notice]\napprovals_reviewer = \"user\"",
    "[sandbox-workspace-write]\nnetwork_access = true",
];
/// Tables that hold what must not be lost, and keys that mean something else elsewhere.
const ATTACKS: [&str; 7] = [
    "[mcp_servers.twin]\ncommand = \"a\"\n[mcpServers.other]\ncommand = \"only-copy\"\nenv = { API_KEY = \"only-copy\" }",
    "[models.foo]\nexperimental_bearer_token = \"only-copy\"",
    "[model_providers.own]\nname = \"Own\"\nmodel = \"only-copy\"",
    "[projects.\"/a\"]\nmodel = \"only-copy\"\n[projects.\"/b\"]\nmodel = \"only-copy\"",
    "[fallback_models]\napi_key = \"only-copy\"",
    "[Permissions.wide]\nnetwork = \"only-copy\"",
    "[model_providers.key]\nname = \"K\"\napi_key = \"only-copy\"",
];
/// Slips for which nothing in the file is read.
const SLIPS: [&str; 4] = ["", "// words", "sqlite_home = \"C:\\Users\\x\"", "tool_output_token_limit = 1;"];
/// Whatever could change what Codex may do.
const ACTIVATING: [&str; 17] = [
    "approval_policy",
    "approvals_reviewer",
    "sandbox_mode",
    "sandbox_workspace_write",
    "default_permissions",
    "permissions",
    "model_provider",
    "openai_base_url",
    "chatgpt_base_url",
    "hooks",
    "notify",
    "mcp_servers",
    "features",
    "web_search",
    "forced_login_method",
    "shell_environment_policy",
    "profile",
];
/// Fields of a provider that decide where requests go, and with which key.
const OF_ENDPOINT: [&str; 6] = ["base_url", "env_key", "experimental_bearer_token", "http_headers", "query_params", "auth"];

fn config() -> impl Strategy<Value = String> {
    let root = |lines: &'static [&'static str], most| prop::sample::subsequence(lines.to_vec(), 0..=most);
    let parts = (root(&GOOD_ROOT, 5), root(&BAD_ROOT, 5), root(&GOOD_TABLE, 3), root(&BAD_TABLE, 4));
    (parts, any::<(bool, bool)>(), any::<prop::sample::Index>()).prop_map(|((good, bad, tables, faulty), (crlf, bom), turn)| {
        let mut root: Vec<&str> = good.into_iter().chain(bad).collect();
        let mut below: Vec<&str> = tables.into_iter().chain(faulty).collect();
        if !root.is_empty() {
            let by = turn.index(root.len());
            root.rotate_left(by);
        }
        if !below.is_empty() {
            let by = turn.index(below.len());
            below.rotate_left(by);
        }
        let text = root.into_iter().chain(below).map(|part| format!("{part}\n")).collect::<String>();
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        if bom { format!("\u{feff}{text}") } else { text }
    })
}

/// A session over a file with this content, given to `with`.
fn with_session<T>(text: &str, with: impl FnOnce(&mut Session<'_>, &Path) -> T) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("config.toml"), text).unwrap();
    let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
    let environment = [("HOME".to_owned(), scratch.path().join("nobody").display().to_string())].into();
    let mut world = World::new(environment, home.clone(), Some(&home), None, Platform::Linux, at, 0);
    world.system_config = scratch.path().join("etc");
    let redactor = Redactor::new(&world);
    let texts = Texts::new(Language::En, at, 0);
    let around = Facts { run: Run { at, ..Run::default() }, ..Facts::default() };
    let mut session = Session::begin(&world, &redactor, &texts, ConfigRequest::default(), around);
    with(&mut session, &home)
}

fn draft(session: &Session<'_>) -> String {
    let changed = session.changed().first().map(|(_, new)| new.to_vec());
    String::from_utf8(changed.unwrap_or_else(|| session.targets[0].bytes.clone())).unwrap()
}

/// The settings of a file that could change what Codex may do, and that Codex reads.
fn activating(text: &str) -> Vec<(String, String)> {
    let Some(mut tree) = Tree::of(text) else { return Vec::new() };
    // The one key in these tables that Codex does not read.
    tree.remove(&["mcp_servers", "typed", "type"].map(str::to_owned));
    let mut found = Vec::new();
    let mut keep = |path: &[&str]| {
        let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
        if let Some(value) = tree.at(&path) {
            found.push((path.join("."), value.written()));
        }
    };
    ACTIVATING.iter().for_each(|key| keep(&[key]));
    // Of what stands beside the trust, Codex reads nothing.
    if let Some(Tree::Table(projects)) = tree.at(&["projects".to_owned()]) {
        projects.keys().for_each(|folder| keep(&["projects", folder, "trust_level"]));
    }
    if let Some(Tree::Table(providers)) = tree.at(&["model_providers".to_owned()]) {
        for id in providers.keys() {
            OF_ENDPOINT.iter().for_each(|key| keep(&["model_providers", id, key]));
        }
    }
    found
}

/// The lines of `text` that a diff leaves alone must be in `other` too, in their order.
fn is_only_edited(session: &Session<'_>, before: &str, after: &str) {
    let removed = session.applied.iter().flat_map(|mend| &mend.diff).filter(|line| line.starts_with('-')).count();
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let diff = similar::TextDiff::from_slices(&old, &new);
    let gone = diff.iter_all_changes().filter(|change| change.tag() == similar::ChangeTag::Delete).count();
    assert!(gone <= removed, "{gone} lines changed, {removed} were shown\n{before}\n---\n{after}");
    let remarks =
        |text: &str| text.matches("# a remark").count() + text.matches("# only words").count() + text.matches("# h").count();
    assert_eq!(remarks(before), remarks(after), "a remark was lost");
    assert_eq!(before.starts_with('\u{feff}'), after.starts_with('\u{feff}'));
    let bare = |text: &str| text.matches('\n').count() - text.matches("\r\n").count();
    let crlf = before.contains("\r\n");
    assert!(!crlf || bare(after) == 0, "line ends are mixed:\n{after:?}");
    assert!(crlf || !after.contains('\r'));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn all_mends_together_make_a_configuration_that_codex_takes_whole(text in config()) {
        with_session(&text, |session, _| {
            session.go(|_| Decision::Take);
            let after = draft(session);
            is_only_edited(session, &text, &after);
            assert!(session.left.is_empty(), "{:?}\n{text}\n---\n{after}", session.left);
            let outcome = outcome(&session.facts).unwrap();
            assert!(outcome.error.is_none() && outcome.ignored.is_empty(), "{outcome:?}\n{text}\n---\n{after}");
            assert!(codex_triage_checks::mend::mends(&session.facts).is_empty());
        });
    }

    #[test]
    fn safe_mends_switch_nothing_on_and_lose_nothing(
        text in config(),
        attacks in prop::sample::subsequence(ATTACKS.to_vec(), 0..=3),
        slip in prop::sample::select(SLIPS.to_vec()),
    ) {
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (mark, rest) = text.strip_prefix('\u{feff}').map_or(("", text.as_str()), |rest| ("\u{feff}", rest));
        let attacks: String = attacks.iter().map(|part| format!("{part}\n").replace('\n', end)).collect();
        let text = format!("{mark}{slip}{}{rest}{attacks}", if slip.is_empty() { "" } else { end });
        with_session(&text, |session, _| {
            session.go(|mend| if mend.safe { Decision::Take } else { Decision::Leave });
            let after = draft(session);
            is_only_edited(session, &text, &after);
            // Of what is no TOML, and of what Codex then refuses for something else, nothing is in effect.
            let sleeps = Tree::of(&text).is_none() && outcome(&session.facts).unwrap().is_rejected();
            let awake = if sleeps { Vec::new() } else { activating(&after) };
            assert_eq!(activating(&text), awake, "{text}\n---\n{after}");
            let copies = |text: &str| text.matches("only-copy").count();
            assert_eq!(copies(&text), copies(&after), "{text}\n---\n{after}");
        });
    }

    #[test]
    fn what_was_written_can_be_undone_to_the_byte(text in config(), second in any::<bool>()) {
        with_session(&text, |session, home| {
            let file = home.join("config.toml");
            session.go(|mend| if mend.safe || second { Decision::Take } else { Decision::Leave });
            let changed: Vec<Vec<u8>> = session.changed().iter().map(|(target, new)| {
                target.replace(new, session.facts.run.at).unwrap();
                new.to_vec()
            }).collect();
            for new in changed {
                assert_eq!(std::fs::read(&file).unwrap(), new);
                let target = Target::read(&file).unwrap();
                target.restore(&target.backups()[0]).unwrap();
            }
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
            assert_eq!(std::fs::read_dir(home).unwrap().count(), 1);
        });
    }

    #[test]
    fn no_secret_is_shown(text in config()) {
        with_session(&text, |session, _| {
            session.go(|_| Decision::Take);
            let shown = format!("{:?}{:?}", session.applied, session.left);
            assert!(!shown.contains("canary-header") && !shown.contains("canary-env"), "{shown}");
        });
    }
}

#[test]
fn every_mend_and_reason_has_its_words() {
    // What the pure crate names is found in its source, so that a new one cannot be forgotten.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("checks/src/config_keys");
    let mut sources = vec![folder.join("mend.rs")];
    sources.extend(std::fs::read_dir(folder.join("mend")).unwrap().map(|entry| entry.unwrap().path()));
    let texts = Texts::new(Language::En, chrono::DateTime::UNIX_EPOCH, 0);
    let mut seen = 0;
    for source in sources.iter().filter(|source| !source.ends_with("tests.rs")) {
        let source = std::fs::read_to_string(source).unwrap();
        for id in source.split('"').filter(|part| part.starts_with("fix-")) {
            assert!(texts.has(id), "{id}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn a_mend_that_would_stop_codex_is_not_made() {
    with_session("model-provider = \"elsewhere\"\n", |session, _| {
        session.go(|_| Decision::Take);
        assert_eq!(session.applied[0].message_id, "fix-remove", "it can only go");
        assert!(!session.applied[0].safe);
    });
    with_session(
        "[profiles.p]\nmodel = \"m\"\n[model_providers.p]\nname = \"P\"\n[model_providers.p.auth]\nargs = []\n",
        |session, _| {
            session.go(|_| Decision::Take);
            assert!(session.changed().is_empty());
        },
    );
}

#[test]
fn a_fault_that_hides_behind_another_is_found_in_the_next_round() {
    let text = "model = gpt-6-sol\nlog_dir = \"C:\\Users\\x\\logs\"\nmodel_fallback = \"y\"\n";
    with_session(text, |session, _| {
        session.go(|mend| if mend.safe { Decision::Take } else { Decision::Leave });
        assert_eq!(draft(session), "model = \"gpt-6-sol\"\nlog_dir = 'C:\\Users\\x\\logs'\n");
        assert_eq!(session.applied.iter().map(|mend| mend.line).collect::<Vec<_>>(), [1, 2, 3], "lines of the file as it was");
    });
}

/// What is made of `text` without a question.
fn safely(text: &str) -> String {
    with_session(text, |session, _| {
        session.go(|mend| if mend.safe { Decision::Take } else { Decision::Leave });
        draft(session)
    })
}

#[test]
fn nothing_is_lost_moved_or_woken_without_a_question() {
    for text in [
        "[mcp_servers.a]\ncommand = \"x\"\n[mcpServers.b]\ncommand = \"y\"\nenv = { API_KEY = \"only-copy\" }\n",
        "[fallback]\napi_key = \"only-copy\"\n",
        "[models.foo]\nexperimental_bearer_token = \"only-copy\"\n",
        "[model_providers.deepseek]\nname = \"D\"\nmodel = \"deepseek-chat\"\n",
        "[projects.\"/a\"]\nmodel = \"1\"\n[projects.\"/b\"]\nmodel = \"2\"\n",
        "modle = \"\"\n",
        "approval_policy = \"untrusted\"\nmodel-reasoning-effort = \"\"\n",
        "[mcp_servers.a]\ncommand = \"C:\\Users\\me\\evil.exe\"\n",
        "[shell_environment_policy]\nset = { PATH = \"C:\\Users\\evil\" }\n",
        "// my config\nsandbox_mode = \"danger-full-access\"\n",
        "// my config\nnotify = [\"x\"]\n",
        "approval_policy = \"never\"\nlog_dir = \"C:\\Users\\me\\logs\"\n",
        "approval_policy = \"never\"\nmodel = \"m\"\nmodel = \"m\"\n",
        "sandbox_mode = \"danger-full-access\"\nhide_agent_reasoning = \"true\"\n",
    ] {
        assert_eq!(safely(text), text);
    }
}

#[test]
fn a_path_in_other_quotes_and_a_remark_are_safe_where_nothing_wakes() {
    assert_eq!(safely("log_dir = \"C:\\Users\\me\"\nmodel = \"m\"\n"), "log_dir = 'C:\\Users\\me'\nmodel = \"m\"\n");
    assert_eq!(safely("// mine\nmodel = \"m\"\n"), "# mine\nmodel = \"m\"\n");
}

#[test]
fn many_faults_are_mended_in_few_rounds() {
    let text: String = (0..200).map(|number| format!("zz_{number} = {number}\n")).collect();
    let began = std::time::Instant::now();
    with_session(&text, |session, _| {
        session.list_what_is_left(|_| true);
        assert_eq!(session.left.len(), 200);
        assert!(session.left.iter().all(|mend| mend.obstacle.is_none() && !mend.diff.is_empty()));
    });
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn what_no_round_reached_is_named() {
    let text = format!("{}model = \"m\"\n", "// x\n".repeat(120));
    with_session(&text, |session, _| {
        session.go(|_| Decision::Take);
        assert!(session.left.iter().any(|mend| mend.obstacle.is_some()), "{:?}", session.left);
    });
}

//! Nothing secret or personal comes out, whatever the format; nothing in CODEX_HOME changes, whatever the command.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::path::{Path, PathBuf};

use common::{Call, copied, failed_turn, fixture, minutes_ago, put_rollout, snapshot};
use serde_json::json;

/// Values that must never come out, each planted below at every place where such a value can stand.
const CANARIES: [&str; 26] = [
    "canarynotify",
    "canaryremark",
    "CANARYdensename9x8y7z6w",
    "canaryfragment",
    "CANARYpathpart9x8y7z6w5v",
    "canarylogin",
    "CANARYbareoverride9x8y",
    "Canary Persön",
    "sk-proj-CANARYkey1234567890abcdef",
    "CANARYrelaytoken9f8e7d6c5b4a",
    "rt_CANARYrefresh0123456789",
    "CANARYSIGNATURE",
    "ghp_CANARYgithub0123456789abcd",
    "canarypassword",
    "canaryquery",
    "CANARYheader5a6b7c8d9e",
    "CANARYdotenv1a2b3c4d5e6f",
    "sk-CANARYasname0123456789",
    "canary.person@example.com",
    "canaryuser",
    "canary-machine",
    "acct-CANARY-0001",
    "0c0ffee0-1111-4111-8111-canary000001",
    "org-CANARYORG12345",
    "canary-client",
    "AKIACANARY1234567890",
];

fn token(claims: &serde_json::Value) -> String {
    use base64::Engine;
    let part = |text: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.CANARYSIGNATURE", part(r#"{"alg":"none","typ":"JWT"}"#), part(&claims.to_string()))
}

struct World {
    _root: tempfile::TempDir,
    user_home: PathBuf,
    codex_home: PathBuf,
    project: PathBuf,
}

/// A machine on which every input holds canaries.
fn planted() -> World {
    let root = tempfile::tempdir().unwrap();
    let user_home = root.path().join("home/canaryuser");
    let codex_home = user_home.join(".codex");
    let project = root.path().join("srv/canary-client/repo");
    std::fs::create_dir_all(&codex_home).unwrap();
    std::fs::create_dir_all(project.join(".git")).unwrap();
    std::fs::create_dir_all(project.join(".codex")).unwrap();
    std::fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(
        project.join(".codex/config.toml"),
        "model_provider = \"evil\"\nsk-CANARYasname0123456789 = 1\nnotify = [\"ghp_CANARYgithub0123456789abcd\"]\n",
    )
    .unwrap();
    std::fs::write(
        codex_home.join("config.toml"),
        format!(
            r#"model = "gpt-6-sol"
model_provider = "relay"
notify = ["/home/canaryuser/n.sh", "--token", "canarynotify"] # canaryremark of a person
CANARYdensename9x8y7z6w = "x"
api_key = "sk-proj-CANARYkey1234567890abcdef"
sk-CANARYasname0123456789 = "x"
password = "canarypassword-canarypassword"
forced_chatgpt_workspace_id = "0c0ffee0-1111-4111-8111-canary000001"

[projects."{project}"]
trust_level = "trusted"

[model_providers.relay]
name = "Relay of canary.person@example.com"
base_url = "https://canaryuser:canarypassword@127.0.0.1:9/CANARYpathpart9x8y7z6w5v/v1?key=canaryquery&api-version=1#x=canaryfragment"
env_key = "sk-CANARYasname0123456789"
experimental_bearer_token = "CANARYrelaytoken9f8e7d6c5b4a"
http_headers = {{ "X-Api-Key" = "CANARYheader5a6b7c8d9e", "Authorization" = "Bearer CANARYrelaytoken9f8e7d6c5b4a" }}
query_params = {{ api_key = "canaryquery" }}
token = "AKIACANARY1234567890"

[mcp_servers.tool]
command = "/home/canaryuser/bin/tool"
args = ["--token", "ghp_CANARYgithub0123456789abcd"]
env = {{ SECRET_TOKEN = "CANARYrelaytoken9f8e7d6c5b4a" }}
bearer = "CANARYheader5a6b7c8d9e"
"#,
            project = project.display()
        ),
    )
    .unwrap();
    std::fs::write(
        codex_home.join(".env"),
        "RELAY_KEY=CANARYdotenv1a2b3c4d5e6f\nHTTPS_PROXY=http://canaryuser:canarypassword@127.0.0.1:9\n",
    )
    .unwrap();
    let claims = json!({ "email": "canary.person@example.com", "iat": 1_795_536_000, "exp": 1_796_400_000,
        "https://api.openai.com/auth": { "chatgpt_plan_type": "plus", "chatgpt_account_id": "acct-CANARY-0001",
            "chatgpt_user_id": "user-CANARY", "organizations": [ { "id": "org-CANARYORG12345", "title": "canary-client" } ] } });
    std::fs::write(
        codex_home.join("auth.json"),
        json!({ "OPENAI_API_KEY": "sk-proj-CANARYkey1234567890abcdef", "tokens": { "id_token": token(&claims), "access_token": token(&claims),
            "refresh_token": "rt_CANARYrefresh0123456789", "account_id": "acct-CANARY-0001" }, "last_refresh": "2026-11-29T10:00:00Z" })
        .to_string(),
    )
    .unwrap();
    let at = minutes_ago(5);
    let message = format!(
        "unexpected status 401 Unauthorized: {}, url: https://canaryuser:canarypassword@127.0.0.1:9/v1/responses?key=canaryquery",
        leaky()
    );
    let rollout =
        failed_turn(&at, "relay", "gpt-6-sol", &message, &json!({ "http_connection_failed": { "http_status_code": 401 } }))
            .replace("/srv/example/work", &project.display().to_string());
    put_rollout(&codex_home, &at, &rollout);
    World { _root: root, user_home, codex_home, project }
}

/// An error text that quotes everything it should not.
fn leaky() -> String {
    let words = "Incorrect API key provided: sk-proj-CANARYkey1234567890abcdef for canary.person@example.com in org-CANARYORG12345, account \
        acct-CANARY-0001, Authorization: Bearer CANARYrelaytoken9f8e7d6c5b4a, x-api-key: CANARYheader5a6b7c8d9e, AKIACANARY1234567890, \
        ghp_CANARYgithub0123456789abcd, rt_CANARYrefresh0123456789, RELAY_KEY=CANARYdotenv1a2b3c4d5e6f, password: canarypassword, host \
        canary-machine of canarylogin (Canary Persön), C:\\Users\\Canary Persön\\x, /home/canaryuser/x, C:\\Users\\canaryuser\\x, https://relay.example/v1/responses?api_key=canaryquery";
    format!("{words} {}", token(&json!({ "sub": "user-CANARY" })))
}

fn leaks(text: &str) -> Vec<&'static str> {
    let lower = text.to_lowercase();
    CANARIES.into_iter().filter(|canary| lower.contains(&canary.to_lowercase())).collect()
}

fn call(world: &World, args: &[&str]) -> Call {
    Call::new(args)
        .home(&world.codex_home)
        .directory(&world.project)
        .variable("HOME", &world.user_home.display().to_string())
        .variable("USER", "canaryuser")
        .variable("USERNAME", "Canary Persön")
        .variable("LOGNAME", "canarylogin")
        .variable("HOSTNAME", "canary-machine")
        .variable("OPENAI_API_KEY", "sk-proj-CANARYkey1234567890abcdef")
        .variable("CODEX_API_KEY", "sk-proj-CANARYkey1234567890abcdef")
        .variable("RELAY_KEY", "CANARYrelaytoken9f8e7d6c5b4a")
        .variable("https_proxy", "http://canaryuser:canarypassword@127.0.0.1:9/?token=canaryquery")
        .variable("OPENAI_ORGANIZATION", "org-CANARYORG12345")
        .variable("PATH", &format!("{}/bin", world.user_home.display()))
}

#[test]
fn no_output_of_any_command_in_any_format_holds_a_canary() {
    let world = planted();
    let text = leaky();
    let commands: [&[&str]; 13] = [
        &["--timeout", "2"],
        &["--timeout", "2", "--allow-cost"],
        &["--timeout", "2", "--allow-cost", "--error", "-"],
        &["--offline"],
        &["--offline", "--error", "-"],
        &["explain", "-"],
        &["explain", &text],
        &["history"],
        &["lint"],
        &["lint", "-c", "model_providers.relay.env_key=sk-CANARYasname0123456789", "-c", "foo=canarypassword"],
        &["checks"],
        &["lint", "-c", "CANARYbareoverride9x8y"],
        &["lint", "-p", "sk-CANARYasname0123456789"],
    ];
    for command in commands {
        for format in [&["--json"][..], &[], &["-v", "--color", "always"], &["-q"], &["--lang", "zh", "-v"]] {
            let args: Vec<&str> = command.iter().chain(format).copied().collect();
            let output = call(&world, &args).input(text.clone()).run();
            let found = leaks(&(output.stdout.clone() + &output.stderr));
            assert!(found.is_empty(), "{args:?} leaks {found:?}:\n{}\n{}", output.stdout, output.stderr);
        }
    }
    let report = call(&world, &["--offline", "--json"]).run().json();
    let rules: Vec<&str> = report["redactions"].as_array().unwrap().iter().filter_map(|row| row["rule"].as_str()).collect();
    assert!(rules.contains(&"secret") && rules.contains(&"account"), "{rules:?}");
}

#[test]
fn the_same_value_has_the_same_token_within_a_report() {
    let world = planted();
    let report = call(&world, &["--offline", "--json"]).run().stdout;
    assert!(report.contains("<account-1>") || report.contains("<account-2>"), "{report}");
}

#[test]
fn no_command_changes_anything_in_codex_home() {
    let mut homes: Vec<PathBuf> = std::fs::read_dir(fixture("homes")).unwrap().flatten().map(|entry| entry.path()).collect();
    homes.sort();
    for original in homes {
        let home = copied(&original);
        let before = snapshot(home.path());
        for args in [
            &["--offline", "--since", "3650d"][..],
            &["--timeout", "2"],
            &["--timeout", "2", "--allow-cost"],
            &["history", "--since", "3650d"],
            &["lint"],
            &["sessions"],
            &["explain", "hello"],
            &["checks"],
            &["--offline", "--json", "-v"],
        ] {
            let _ = Call::new(args).home(home.path()).run();
            assert_same(&before, home.path(), &original, args);
        }
    }
}

fn assert_same(
    before: &std::collections::BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>,
    home: &Path,
    original: &Path,
    args: &[&str],
) {
    let after = snapshot(home);
    let names =
        |seen: &std::collections::BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>| seen.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(before), names(&after), "{}: {args:?}", original.display());
    for (path, state) in before {
        assert!(after[path] == *state, "{} changed by {args:?}", path.display());
    }
}

//! What `lint` says beyond the binary, with the whole program: faults that Codex takes in silence, and configurations without any.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use common::{Call, copied, fixture};
use serde_json::Value;

/// What `lint` finds in a configuration: code, severity and line of all findings above `ok`.
fn found(config: &str, variables: &[(&str, &str)]) -> Vec<(String, String, Option<u64>)> {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let mut call = Call::new(&["lint", "--json", "--codex-version", "0.171.0"]).home(home.path());
    for (name, value) in variables {
        call = call.variable(name, value);
    }
    told(&call.run().json())
}

fn told(report: &Value) -> Vec<(String, String, Option<u64>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let told = findings.map(|finding| (text(&finding["code"]), text(&finding["severity"]), finding["at"]["line"].as_u64()));
    told.filter(|(code, severity, _)| severity != "ok" && !code.ends_with(".skipped")).collect()
}

#[track_caller]
fn assert_told(found: &[(String, String, Option<u64>)], code: &str, severity: &str, line: Option<u64>) {
    let wanted = (code.to_owned(), severity.to_owned(), line);
    assert!(found.contains(&wanted), "{wanted:?} is not among {found:#?}");
}

#[test]
fn a_valid_configuration_of_many_parts_gives_no_warning() {
    let config = r#"
model = "gpt-6-sol"
model_provider = "azure"
approval_policy = "on-request"
sandbox_mode = "workspace-write"

[model_providers.azure]
name = "Azure"
base_url = "https://company.openai.azure.com/openai/v1"
env_key = "AZURE_OPENAI_API_KEY"

[model_providers.old-azure]
name = "Azure, older interface"
base_url = "https://company.openai.azure.com/openai"
query_params = { api-version = "2025-04-01-preview" }
env_http_headers = { "api-key" = "AZURE_OPENAI_API_KEY" }

[model_providers.OpenAI]
name = "a relay's template"
base_url = "https://relay.example/v1"
requires_openai_auth = true

[model_providers.deepseek]
name = "DeepSeek"
base_url = "https://api.deepseek.com"
env_key = "DEEPSEEK_API_KEY"

[model_providers.box]
name = "a machine beside"
base_url = "http://10.0.0.5:8000/v1"

[mcp_servers.files]
command = 'C:\tools\new\files.exe'
args = ["a\tb", "C:\\tools\\new"]
[mcp_servers.files.env]
MODEL = "x"
API_URL = "https://files.example/v1"

[profiles.work]
model = "gpt-6-luna"

[projects."/home/somebody/project"]
trust_level = "trusted"

[tui]
notifications = true
"#;
    let found = found(config, &[("HTTPS_PROXY", "http://proxy.example:8080"), ("https_proxy", "http://proxy.example:8080/")]);
    let loud: Vec<_> = found.iter().filter(|(_, severity, _)| severity != "note").collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[test]
fn keys_below_a_header_are_one_warning_and_silent_ones_are_found() {
    let below = found("[tui]\nnotifications = true\nmodel = \"gpt-6-sol\"\napproval_policy = \"never\"\n", &[]);
    assert_told(&below, "config.below-header", "warning", Some(3));
    assert_eq!(below.iter().filter(|(_, severity, _)| severity == "warning").count(), 1, "{below:?}");
    let silent = found("[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nTOKEN_FILE = \"y\"\nmodel = \"gpt-6-sol\"\n", &[]);
    assert_told(&silent, "config.below-header", "warning", Some(5));
}

#[test]
fn a_path_that_toml_changed_is_found() {
    let mangled = found("[mcp_servers.a]\ncommand = \"D:\\tools\\bin\\new\"\n", &[]);
    assert_told(&mangled, "config.mangled-path", "warning", Some(2));
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), "[mcp_servers.a]\ncommand = \"C:\\Users\\x\"\n").unwrap();
    let refused = Call::new(&["lint"]).home(home.path()).run();
    assert!(refused.stdout.contains("literal quotes"), "{}", refused.stdout);
}

#[test]
fn a_pasted_key_is_told_and_shown_nowhere() {
    for key in ["sk-proj-abcDEF1234567890abcDEF", "my pass phrase 42", "hunter-2-hunter", "Bearer 0123456789abcdef0123456789abcdef"]
    {
        let home = tempfile::tempdir().unwrap();
        let config = format!(
            "model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nbase_url = \"https://r.example/v1\"\nenv_key = \"{key}\"\n"
        );
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        for arguments in [&["lint", "--json"][..], &["lint"], &["--offline", "--json"], &["--offline", "-v"]] {
            let output = Call::new(arguments).home(home.path()).run();
            assert!(!output.stdout.contains(key), "{key}: {}", output.stdout);
        }
        let report = Call::new(&["lint", "--json"]).home(home.path()).run().json();
        assert_told(&told(&report), "provider.key-in-env-key", "warning", Some(5));
    }
    let dollar = found("model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nenv_key = \"${R_KEY}\"\n", &[]);
    assert_told(&dollar, "provider.env-key-not-a-name", "warning", Some(4));
}

#[test]
fn a_variable_that_is_set_elsewhere_or_nowhere_is_a_note() {
    let config =
        "model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nbase_url = \"https://r.example/v1\"\nenv_key = \"R_KEY\"\n";
    assert_told(&found(config, &[]), "provider.env-key-unset", "note", Some(5));
    assert_told(&found(config, &[("R_KEY", "made-up")]), "provider.env-key-shell-only", "note", None);
}

#[test]
fn all_providers_are_looked_at() {
    let config = r#"model_provider = "good"
[model_providers.good]
name = "Good"
base_url = "https://good.example/v1"
[model_providers.pasted]
name = "Pasted"
base_url = "https://pasted.example/v1/chat/completions"
[model_providers.az]
name = "Azure"
base_url = "https://x.openai.azure.com"
[model_providers.copy]
name = "Copy"
base_url = "https://good.example/v1/"
"#;
    let found = found(config, &[]);
    assert_told(&found, "base-url.endpoint-pasted", "note", Some(7));
    assert_told(&found, "azure.path", "note", Some(10));
    assert_told(&found, "contradiction.same-address", "note", Some(13));
}

#[test]
fn hosts_are_held_against_their_own_pages() {
    let base = |address: &str| {
        let config = format!("model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nbase_url = \"{address}\"\n");
        found(&config, &[])
    };
    assert_told(&base("https://openrouter.ai/v1"), "base-url.other-path", "warning", Some(4));
    assert_told(&base("https://api.anthropic.com/v1"), "base-url.chat-only", "warning", Some(4));
    assert_told(&base("ws://relay.example/v1"), "base-url.websocket", "error", Some(4));
    assert_told(&base("https://relay.example"), "base-url.lacks-v1", "note", Some(4));
}

#[test]
fn two_spellings_of_a_proxy_are_told_in_a_lint_too() {
    let found = found("", &[("HTTPS_PROXY", "http://user:hunter22@a.example:1"), ("https_proxy", "http://b.example:1")]);
    assert_told(&found, "contradiction.proxies", "warning", None);
}

#[test]
fn a_login_that_the_file_forbids_is_told_at_its_line() {
    let home = copied(&fixture("homes/workspace-mismatch"));
    let output = Call::new(&["lint", "--json"]).home(home.path()).run();
    let found = told(&output.json());
    let forced = found.iter().find(|(code, ..)| code == "identity.forced-mismatch");
    assert!(forced.is_some_and(|(_, severity, line)| severity == "error" && line.is_some()), "{found:#?}");
    assert_eq!(output.code, 1);
}

#[test]
fn a_switcher_leaves_a_key_where_nobody_looks() {
    let home = tempfile::tempdir().unwrap();
    let config =
        "model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nbase_url = \"https://r.example/v1\"\nenv_key = \"R_KEY\"\n";
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    std::fs::write(home.path().join("auth.json"), r#"{"OPENAI_API_KEY":"sk-FAKE-not-a-key-0000"}"#).unwrap();
    std::fs::write(home.path().join(".env"), "OPENAI_BASE_URL=https://elsewhere.example/v1\n").unwrap();
    let found = told(&Call::new(&["lint", "--json"]).home(home.path()).run().json());
    assert_told(&found, "contradiction.stored-key", "warning", Some(5));
    assert_told(&found, "contradiction.address-variable", "note", None);
}

/// The terminal report of `lint` and its exit code.
fn shown(config: &str, arguments: &[&str]) -> (String, i32) {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let arguments: Vec<&str> = ["lint", "--codex-version", "0.171.0"].into_iter().chain(arguments.iter().copied()).collect();
    let output = Call::new(&arguments).home(home.path()).run();
    (output.stdout, output.code)
}

#[test]
fn what_has_errors_is_not_called_healthy() {
    let pasted = "model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nbase_url = \"https://r.example/v1/responses\"\n";
    for arguments in [&[][..], &["-q"]] {
        let (text, code) = shown(pasted, arguments);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains("CODEX STARTS · one error") && !text.contains("HEALTHY"), "{text}");
    }
    let (text, code) = shown("model = \"gpt-6-sol\"\n", &[]);
    assert!(code == 0 && text.contains("HEALTHY"), "{text}");
}

#[test]
fn one_fault_is_one_error() {
    let relay = "[model_providers.relay]\nname = \"R\"\nbase_url = \"https://r.example/v1\"\n";
    let (text, _) = shown(&format!("model_provider = \"relai\"\n{relay}"), &[]);
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    assert!(text.contains("did you mean `relay`?"), "{text}");
    let (text, _) = shown("[features]\nmodel = \"gpt-6-sol\"\n", &[]);
    assert!(!text.contains("warning["), "{text}");
}

#[test]
fn a_successor_that_does_harm_is_not_proposed() {
    let (text, _) = shown("preferred_auth_method = \"apikey\"\n", &[]);
    assert!(text.contains("preferred_auth_method") && !text.contains("forced_login_method"), "{text}");
}

#[test]
fn a_table_named_by_a_windows_path_is_found() {
    assert_told(&found("[projects.\"D:\\tmp\\new\"]\ntrust_level = \"trusted\"\n", &[]), "config.mangled-path", "warning", Some(1));
}

#[test]
fn a_provider_without_an_address_and_an_address_with_a_password_are_told() {
    let missing = found("model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nenv_key = \"RELAY_KEY\"\n", &[]);
    assert_told(&missing, "provider.no-address", "warning", Some(2));
    let home = tempfile::tempdir().unwrap();
    let config = "model_provider = \"r\"\n[model_providers.r]\nname = \"R\"\nbase_url = \"https://me:pw1@r.example/v1\\u0001\"\n";
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    for arguments in [&["lint", "--json"][..], &["lint", "--effective"], &["--offline", "--json"]] {
        let output = Call::new(arguments).home(home.path()).run();
        assert!(!output.stdout.contains("pw1"), "{}", output.stdout);
    }
    let report = Call::new(&["lint", "--json"]).home(home.path()).run().json();
    assert_told(&told(&report), "base-url.user-info", "warning", Some(4));
    assert_told(&told(&report), "base-url.invisible", "error", Some(4));
}

#[test]
fn the_value_of_an_address_is_underlined_and_a_long_one_is_shown_whole_in_a_pipe() {
    let home = tempfile::tempdir().unwrap();
    let address = format!("https://relay.example/{}v1/v1", "part-of-a-path/".repeat(8));
    std::fs::write(home.path().join("config.toml"), format!("openai_base_url = \"{address}\"\n")).unwrap();
    let output = Call::new(&["lint", "--effective"]).home(home.path()).run();
    assert!(output.stdout.contains("config.toml:1:19"), "{}", output.stdout);
    let listed = output.stdout.split("In effect").nth(1).unwrap();
    assert!(listed.contains(&address), "{listed}");
}

#[test]
fn a_provider_that_is_not_defined_is_one_error_in_every_format() {
    let undefined = found("model_provider = \"nope\"\n", &[]);
    let errors: Vec<_> = undefined.iter().filter(|(_, severity, _)| severity == "error").collect();
    assert_eq!(errors, [&("provider.undefined".to_owned(), "error".to_owned(), Some(1))]);
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), "model_provider = \"nope\"\n").unwrap();
    let report = Call::new(&["lint", "--json"]).home(home.path()).run();
    assert_eq!((report.code, report.kind().as_str()), (1, "config.rejected"));
}

#[test]
fn a_key_that_codex_does_not_read_and_a_project_that_is_left_out_are_seen_at_once() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), "model = \"gpt-6-sol\"\n").unwrap();
    let project = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(project.path().join(".codex")).unwrap();
    std::fs::write(project.path().join(".codex/config.toml"), "model = \"gpt-6-luna\"\n").unwrap();
    for arguments in [&["lint"][..], &["--offline"]] {
        let call = Call::new(arguments).home(home.path()).directory(project.path());
        let output = call.variable("OPENAI_API_KEY", "sk-FAKE-not-a-key-0000").run();
        let shown = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains("OPENAI_API_KEY is set and nobody is signed in"), "{arguments:?}: {shown}");
        assert!(shown.contains("is not trusted"), "{arguments:?}: {shown}");
    }
}

#[test]
fn a_profile_that_is_not_there_is_told() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), "model = \"gpt-6-sol\"\n").unwrap();
    let report = Call::new(&["lint", "--json", "--codex-version", "0.171.0", "-p", "nosuch"]).home(home.path()).run();
    assert_told(&told(&report.json()), "config.missing-profile", "warning", None);
    assert_eq!((report.code, report.cause().as_str()), (0, "healthy"));
}

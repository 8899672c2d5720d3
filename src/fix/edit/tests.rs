use codex_triage_checks::facts::Facts;
use codex_triage_checks::mend;

use super::*;
use crate::collect::config::{ConfigRequest, collect};
use crate::redact::Redactor;
use crate::world::World;

/// The first mend of `text`, and what it makes of it.
fn mended(text: &str) -> (String, Option<String>) {
    let home = tempfile::tempdir().unwrap();
    let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
    let platform = codex_triage_checks::facts::run::Platform::Linux;
    let mut world = World::new(Default::default(), home.path().to_path_buf(), Some(home.path()), None, platform, at, 0);
    world.system_config = home.path().join("etc");
    let drafts = [(home.path().join("config.toml"), text.as_bytes().to_vec())].into();
    let request = ConfigRequest { drafts, ..ConfigRequest::default() };
    let facts = Facts { config: collect(&world, &Redactor::new(&world), &request).0, ..Facts::default() };
    let mend = mend::mends(&facts).into_iter().next().unwrap_or_else(|| panic!("nothing to mend in {text:?}"));
    (mend.message_id.clone(), apply(text, &mend))
}

fn is_mended_to(text: &str, wanted: &str) {
    let (message, result) = mended(text);
    assert_eq!(result.as_deref(), Some(wanted), "{message}: {text:?}");
}

#[test]
fn a_name_is_replaced_wherever_it_is_written_and_nothing_else() {
    is_mended_to("# a\n  reasoning_effort   =  \"high\"  # b\r\n", "# a\n  model_reasoning_effort   =  \"high\"  # b\r\n");
    is_mended_to("\u{feff}\"approval-policy\" = 'never'", "\u{feff}approval_policy = 'never'");
    is_mended_to(
        "[mcpServers.a]\ncommand = \"x\"\n[tui]\n[mcpServers.b] # y\ncommand = \"z\"\n",
        "[mcp_servers.a]\ncommand = \"x\"\n[tui]\n[mcp_servers.b] # y\ncommand = \"z\"\n",
    );
    is_mended_to("tui = { them = \"x\" }\n", "tui = { theme = \"x\" }\n");
    is_mended_to(
        "mcpServers.a.command = 'x'\nmcpServers.b.command = 'y'\n",
        "mcp_servers.a.command = 'x'\nmcp_servers.b.command = 'y'\n",
    );
}

#[test]
fn a_reserved_provider_is_renamed_in_every_form() {
    is_mended_to(
        "model_provider = 'openai' # mine\n[model_providers.openai]\nname = 'O'\n[model_providers.openai.http_headers]\nA = 'b'\n",
        "model_provider = \"openai-custom\" # mine\n[model_providers.openai-custom]\nname = 'O'\n[model_providers.openai-custom.http_headers]\nA = 'b'\n",
    );
    is_mended_to(
        "model_providers = { openai = { name = 'O' }, p = { name = 'P' } }\n",
        "model_providers = { openai-custom = { name = 'O' }, p = { name = 'P' } }\n",
    );
    is_mended_to(
        "[model_providers]\nopenai.name = 'O'\nopenai.base_url = 'https://p.example/v1'\n",
        "[model_providers]\nopenai-custom.name = 'O'\nopenai-custom.base_url = 'https://p.example/v1'\n",
    );
    is_mended_to("model_providers.openai = { name = 'O' }\n", "model_providers.openai-custom = { name = 'O' }\n");
    is_mended_to("[model_providers.\"openai\"]\nname = 'O'\n", "[model_providers.openai-custom]\nname = 'O'\n");
}

#[test]
fn a_key_goes_with_its_line_and_with_its_comma() {
    is_mended_to("# keep\nmodel_fallback = \"x\" # gone\n# keep too\nmodel = 'm'\n", "# keep\n# keep too\nmodel = 'm'\n");
    is_mended_to("model = 'm'\nfallback_models = [\n 'a', # ]\n 'b',\n]", "model = 'm'\n");
    is_mended_to("[fallback]\na = 1\n\n[tui]\n[fallback.b]\nc = 2\n", "\n[tui]\n");
    for (before, after) in [
        ("{ name = 'P', wire_api = 'chat' }", "{ name = 'P' }"),
        ("{ wire_api = 'chat', name = 'P' }", "{ name = 'P' }"),
        ("{ name = 'P', wire_api = 'chat', base_url = 'u' }", "{ name = 'P', base_url = 'u' }"),
    ] {
        is_mended_to(&format!("model_providers.p = {before}\n"), &format!("model_providers.p = {after}\n"));
    }
}

#[test]
fn a_comma_in_a_remark_is_none() {
    is_mended_to("tui = {\n theme = \"x\", # note,\n model_fallback = \"q\"\n}\n", "tui = {\n theme = \"x\" # note,\n \n}\n");
}

#[test]
fn a_key_moves_with_its_value_and_its_remark() {
    is_mended_to(
        "a_b = 1\n[tui]\nmodel = 'm' # mine\ntheme = 't'\n".replace("a_b", "model_context_window").as_str(),
        "model_context_window = 1\nmodel = 'm' # mine\n[tui]\ntheme = 't'\n",
    );
    is_mended_to("# head\n\n# about tui\n[tui]\nmodel = 'm'", "# head\n\nmodel = 'm'\n\n# about tui\n[tui]\n");
    is_mended_to("\u{feff}[tui]\r\nmodel = 'm'\r\n", "\u{feff}model = 'm'\r\n\r\n[tui]\r\n");
    is_mended_to("notification_method = 'bel'\n", "\n[tui]\nnotification_method = 'bel'\n");
    is_mended_to(
        "notification_method = 'bel'\n[tui]\ntheme = 't'\n\n[history]\n",
        "[tui]\ntheme = 't'\nnotification_method = 'bel'\n\n[history]\n",
    );
    is_mended_to("tui.theme = 't'\nnotification_method = 'bel'\n", "tui.theme = 't'\ntui.notification_method = 'bel'\n");
    is_mended_to(
        "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.projects.\"/p\"]\ntrust_level = 'trusted'\n",
        "[mcp_servers.a]\ncommand = 'x'\n[projects.\"/p\"]\ntrust_level = 'trusted'\n",
    );
}

#[test]
fn values_are_put_right_in_their_place() {
    is_mended_to("log_dir = \"D:\\tools\\bin\\new\" # x\n", "log_dir = 'D:\\tools\\bin\\new' # x\n");
    is_mended_to("hide_agent_reasoning = \"true\"\n", "hide_agent_reasoning = true\n");
    is_mended_to("model_context_window = '128000' # n\n", "model_context_window = 128000 # n\n");
    is_mended_to("openai_base_url = 'https://a.example/v1/v1'\n", "openai_base_url = \"https://a.example/v1\"\n");
    is_mended_to(
        "[model_providers.p] # a\nbase_url = 'https://a.example/v1'\n",
        "[model_providers.p] # a\nname = \"p\"\nbase_url = 'https://a.example/v1'\n",
    );
    is_mended_to(
        "model_providers.p = { base_url = 'https://a.example/v1' }\n",
        "model_providers.p = { name = \"p\", base_url = 'https://a.example/v1' }\n",
    );
    is_mended_to(
        "model_providers.p.base_url = 'https://a.example/v1'\n",
        "model_providers.p.name = \"p\"\nmodel_providers.p.base_url = 'https://a.example/v1'\n",
    );
}

#[test]
fn a_secret_in_an_address_is_kept_as_it_is() {
    is_mended_to(
        "openai_base_url = 'https://me:canary-pass-1@a.example/v1/responses'\n",
        "openai_base_url = \"https://me:canary-pass-1@a.example/v1\"\n",
    );
}

#[test]
fn an_edit_that_would_do_something_else_is_not_made() {
    // The table stands inline: there is no line to put the key on.
    assert_eq!(mended("tui = { theme = 't' }\nnotification_method = 'bel'\n").1, None);
}

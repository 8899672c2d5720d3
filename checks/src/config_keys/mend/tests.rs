use super::*;
use crate::config_keys::tests::layers;
use crate::facts::Observed;

fn of(entries: &[(&str, &str)]) -> Vec<Mend> {
    of_layers(&[(LayerName::User, entries)], None)
}

fn of_layers(entries: &[(LayerName, &[(&str, &str)])], version: Option<&str>) -> Vec<Mend> {
    let mut facts = Facts { config: Observed::known(layers(entries), "test"), ..Facts::default() };
    facts.run.codex_version = version.map(str::to_owned);
    mends(&facts)
}

/// The only mend: its message, its first change, whether it is safe.
fn only(entries: &[(&str, &str)]) -> (String, Change, bool) {
    let mends = of(entries);
    assert_eq!(mends.len(), 1, "{mends:?}");
    (mends[0].message_id.clone(), mends[0].edits[0].change.clone(), mends[0].safe)
}

fn rename(to: &str) -> Change {
    Change::Rename { to: to.to_owned() }
}

fn to_root(name: &str) -> Change {
    Change::Move { table: Vec::new(), name: name.to_owned() }
}

#[test]
fn a_misspelt_key_is_safe_to_correct_unless_it_activates_something() {
    assert_eq!(only(&[("tui.them", "dark")]), ("fix-rename".to_owned(), rename("theme"), true));
    assert_eq!(only(&[("approval-policy", "never")]), ("fix-rename".to_owned(), rename("approval_policy"), false));
    assert!(!only(&[("model_providers.p.name", "P"), ("model_providers.p.baseUrl", "https://p.example/v1")]).2);
    assert_eq!(only(&[("mcpServers.a.command", "x")]), ("fix-rename".to_owned(), rename("mcp_servers"), false));
    assert_eq!(only(&[("Tui.theme", "dark")]), ("fix-rename".to_owned(), rename("tui"), true));
    assert!(!only(&[("mode", "fast")]).2, "too short to be sure");
    assert!(!only(&[("Tui.keymap.composer.submit", "enter")]).2, "not everything below `tui` is listed");
}

#[test]
fn a_number_is_not_given_another_unit_unasked() {
    let mends = of(&[("model_providers.p.name", "P"), ("model_providers.p.stream_idle_timeout", "5")]);
    assert_eq!((mends[0].safe, mends[0].reason.as_str()), (false, "fix-unsafe-unit"));
}

#[test]
fn a_key_below_the_wrong_header_moves_under_the_same_rule() {
    assert_eq!(only(&[("tui.model", "gpt-6-sol")]), ("fix-move".to_owned(), to_root("model"), true));
    assert_eq!(only(&[("tui.sandbox_mode", "danger-full-access")]), ("fix-move".to_owned(), to_root("sandbox_mode"), false));
    // What is set already needs no second line.
    assert_eq!(only(&[("model", "a"), ("tui.model", "a")]), ("fix-remove-double".to_owned(), Change::Remove, true));
    assert!(!only(&[("model", "a"), ("tui.model", "b")]).2, "it says something else");
}

#[test]
fn what_has_no_effect_and_no_successor_goes() {
    for key in
        ["disable_response_storage", "preferred_auth_method", "network_access", "windows_wsl_setup_acknowledged", "model_fallback"]
    {
        assert_eq!(only(&[(key, "x")]), ("fix-remove".to_owned(), Change::Remove, true), "{key}");
    }
    let mends = of(&[("model_providers.p.name", "P"), ("model_providers.p.api_key", "<secret>")]);
    assert_eq!((mends[0].safe, mends[0].reason.as_str()), (false, "fix-unsafe-only-copy"));
    let mends = of(&[("qwertz", "x")]);
    assert_eq!((mends[0].safe, mends[0].reason.as_str()), (false, "fix-unsafe-unclear"), "nobody knows what was meant");
}

#[test]
fn a_removed_key_gets_its_successor_or_goes() {
    let mends = of(&[("experimental_instructions_file", "a.md")]);
    assert_eq!(mends[0].edits[0].change, rename("model_instructions_file"));
    let otherwise = mends[0].otherwise.as_ref().unwrap();
    assert_eq!((&otherwise.edits[0].change, otherwise.safe), (&Change::Remove, true));
    assert!(!only(&[("tools.view_image", "true")]).2, "a feature");
}

#[test]
fn a_reserved_provider_gets_a_free_id_and_its_selection_follows() {
    let base = "https://relay.example/v1";
    let mends = of(&[
        ("model_provider", "openai"),
        ("model_providers.openai.name", "O"),
        ("model_providers.openai.base_url", base),
        ("model_providers.openai-custom.name", "Taken"),
    ]);
    assert_eq!(mends.len(), 1);
    let changes: Vec<&Change> = mends[0].edits.iter().map(|edit| &edit.change).collect();
    assert_eq!(changes, [&rename("openai-custom-2"), &Change::Text { to: "openai-custom-2".to_owned() }]);
    assert!(!mends[0].safe);
}

#[test]
fn what_codex_refuses_is_removed_or_respelt_but_never_unasked_where_it_counts() {
    assert_eq!(only(&[("approval_policy", "untrusted")]), ("fix-remove-value".to_owned(), Change::Remove, false));
    assert_eq!(only(&[("profile", "x")]), ("fix-remove-refused".to_owned(), Change::Remove, false));
    let chat = [("model_providers.p.name", "P"), ("model_providers.p.wire_api", "chat")];
    assert_eq!(only(&chat), ("fix-remove-value".to_owned(), Change::Remove, false));
    assert_eq!(of(&[("model_context_window", "x")]), [], "no number, however it is quoted");
    assert_eq!(
        only(&[("sandbox_mode", "workspace_write")]),
        ("fix-value".to_owned(), Change::Text { to: "workspace-write".to_owned() }, false)
    );
}

#[test]
fn all_that_is_refused_is_listed_at_once() {
    let mends = of(&[("approval_policy", "untrusted"), ("model_providers.p.name", "P"), ("model_providers.p.wire_api", "chat")]);
    assert_eq!(mends.len(), 2, "{mends:?}");
}

#[test]
fn an_address_is_put_right_but_never_unasked() {
    for (address, meant) in [
        ("https://relay.example/v1/responses", "https://relay.example/v1"),
        ("https://relay.example/v1/chat/completions/", "https://relay.example/v1"),
        ("https://relay.example/v1/v1", "https://relay.example/v1"),
        ("https://relay.example/v1/responses?tenant=a", "https://relay.example/v1?tenant=a"),
        ("https://relay.example/v1/models/#part", "https://relay.example/v1#part"),
    ] {
        let mends = of(&[("model_providers.p.name", "P"), ("model_providers.p.base_url", address)]);
        assert_eq!(mends[0].args["to"], Arg::from(meant));
        assert!(!mends[0].safe);
    }
    let with_version = |address| AddressRepair::AddVersion.apply(address).unwrap();
    assert_eq!(with_version("https://relay.example/"), "https://relay.example/v1");
    assert_eq!(with_version("https://relay.example/?tenant=a"), "https://relay.example/v1?tenant=a");
    assert_eq!(of(&[("model_providers.p.name", "P"), ("model_providers.p.base_url", "https://responses.example/v1")]), []);
}

#[test]
fn what_an_older_codex_takes_is_left_to_it() {
    let untrusted = [(LayerName::User, [("approval_policy", "untrusted")].as_slice())];
    assert_eq!(of_layers(&untrusted, Some("0.142.5")), []);
    let newer = [(LayerName::User, [("daybreak", "true")].as_slice())];
    assert_eq!(of_layers(&newer, Some("0.142.5")), [], "a key of a later release is no slip");
}

#[test]
fn only_the_persons_own_files_are_mended() {
    for name in [LayerName::System, LayerName::Project, LayerName::Override, LayerName::LegacyManaged] {
        assert_eq!(of_layers(&[(name, &[("model_fallback", "x"), ("approval_policy", "untrusted")])], None), [], "{name:?}");
    }
    assert_eq!(of_layers(&[(LayerName::Profile, &[("model_fallback", "x")])], None).len(), 1);
}

#[test]
fn a_refused_windows_path_is_safe_but_where_it_names_what_is_trusted_or_run() {
    let mend = |key: &str| {
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        let mut config = layers(&[(LayerName::User, &[])]);
        config.layers[0].state = LayerState::Syntax {
            line: 1,
            column: 12,
            message: String::new(),
            end: None,
            shown: None,
            key: Some(path),
            typed: Some(Typed::WindowsPath),
        };
        mends(&Facts { config: Observed::known(config, "test"), ..Facts::default() }).remove(0).safe
    };
    assert!(mend("log_dir") && mend("sqlite_home"));
    assert!(!mend("mcp_servers.a.command") && !mend("shell_environment_policy.set") && !mend("marketplaces.m.source"));
    assert!(!mend("projects.x") && !mend("notify.0") && !mend("sandbox_workspace_write.writable_roots"));
}

fn reason(entries: &[(&str, &str)], key: &str) -> String {
    let mends = of(entries);
    let mend = mends.iter().find(|mend| mend.args["key"] == Arg::from(key)).unwrap_or_else(|| panic!("{key}: {mends:?}"));
    assert!(!mend.safe, "{mend:?}");
    mend.reason.clone()
}

#[test]
fn a_misspelt_table_goes_into_the_real_one_where_no_name_is_taken() {
    let mends = of(&[("mcp_servers.a.command", "x"), ("mcpServers.b.command", "y"), ("mcpServers.c.command", "z")]);
    let moved = |name: &str| Change::Move { table: vec!["mcp_servers".to_owned()], name: name.to_owned() };
    let changes: Vec<&Change> = mends[0].edits.iter().map(|edit| &edit.change).collect();
    assert_eq!(changes, [&moved("b"), &moved("c"), &Change::Remove]);
    assert_eq!((mends[0].safe, mends[0].message_id.as_str()), (false, "fix-merge"));
    let clash = of(&[("mcp_servers.a.command", "x"), ("mcpServers.a.command", "y")]);
    assert_eq!(clash[0].message_id, "fix-remove-double");
}

#[test]
fn what_holds_more_than_a_word_is_never_taken_away_unasked() {
    assert_eq!(reason(&[("mcp_servers.a.command", "x"), ("mcpServers.a.command", "y")], "mcpServers"), "fix-unsafe-loses");
    assert_eq!(reason(&[("fallback.api_key", "<secret>")], "fallback"), "fix-unsafe-loses");
    assert_eq!(reason(&[("models.foo.experimental_bearer_token", "<secret>")], "models"), "fix-unsafe-loses");
    assert_eq!(reason(&[("model_fallback", "https://relay.example/v1")], "model_fallback"), "fix-unsafe-loses");
}

#[test]
fn a_key_in_a_table_of_its_own_is_meant_for_that() {
    let provider = [("model_providers.p.name", "P"), ("model_providers.p.model", "m")];
    assert_eq!(reason(&provider, "model_providers.p.model"), "fix-unsafe-place");
    assert_eq!(reason(&[("projects./a.model", "m")], "projects./a.model"), "fix-unsafe-place");
}

#[test]
fn an_empty_value_is_not_brought_into_effect() {
    assert_eq!(reason(&[("modle", "")], "modle"), "fix-unsafe-empty");
    assert_eq!(reason(&[("model-reasoning-effort", "")], "model-reasoning-effort"), "fix-unsafe-empty");
}

#[test]
fn a_name_like_two_others_and_a_text_for_the_model_are_asked_for() {
    assert!(of(&[("model_providers.p.name", "P"), ("model_providers.p.max_retries", "3")]).iter().all(|mend| !mend.safe));
    assert!(of(&[("experimental_instructions_file", "a.md")]).iter().all(|mend| !mend.safe));
}

#[test]
fn of_a_codex_that_is_newer_than_all_that_is_known_nothing_is_sure() {
    let slips = [(LayerName::User, [("tui.them", "dark"), ("model_fallback", "x")].as_slice())];
    assert!(of_layers(&slips, Some("99.0.0")).iter().all(|mend| !mend.safe));
    assert!(of_layers(&slips, None).iter().all(|mend| mend.safe));
}

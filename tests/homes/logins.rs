//! Which credential is taken, home by home.

use super::*;

fn used(credentials: &Credentials) -> Option<CredentialKind> {
    credentials.used().map(|used| used.kind)
}

#[test]
fn each_home_has_the_login_that_its_note_tells_of() {
    let used_in = |home| used(&login(home, &[], &openai()).0);
    assert_eq!(used_in("chatgpt-ok"), Some(CredentialKind::Chatgpt));
    assert_eq!(used_in("apikey-errors"), Some(CredentialKind::ApiKey));
    assert_eq!(used_in("both"), Some(CredentialKind::ApiKey));
    assert_eq!(used_in("keyring"), Some(CredentialKind::Keyring));
    assert_eq!(used_in("broken-auth"), None);
    assert!(login("broken-auth", &[], &openai()).0.broken_store.is_some());
    assert_eq!(login("workspace-mismatch", &[], &openai()).0.forced_mismatch, Some(ForcedMismatch::Workspace));
}

#[test]
fn tokens_tell_their_age_and_their_accounts() {
    let tokens = |home| login(home, &[], &openai()).0.tokens.unwrap();
    assert!(tokens("expired").expires_at.unwrap() < now());
    assert!(tokens("expired").refreshable);
    assert_ne!(tokens("account-mismatch").account, tokens("account-mismatch").token_account);
    assert_eq!(tokens("chatgpt-ok").account, tokens("chatgpt-ok").token_account);
    assert_eq!(tokens("chatgpt-ok").plan.as_deref(), Some("plus"));
}

#[test]
fn the_environment_takes_precedence_as_measured() {
    let with = |home, variables: &[(&str, &str)]| {
        let (credentials, secrets) = login(home, variables, &openai());
        (used(&credentials), secrets.bearer().map(str::to_owned), credentials.ignored_variables)
    };
    let (kind, bearer, _) = with("chatgpt-ok", &[("CODEX_API_KEY", "sk-of-the-shell")]);
    assert_eq!((kind, bearer.as_deref()), (Some(CredentialKind::EnvApiKey), Some("sk-of-the-shell")));
    let (kind, bearer, ignored) = with("keyring", &[("OPENAI_API_KEY", "sk-of-the-shell")]);
    assert_eq!((kind, bearer), (Some(CredentialKind::Keyring), None));
    assert_eq!(ignored, ["OPENAI_API_KEY"]);
    let (kind, bearer, _) = with("chatgpt-ok", &[("CODEX_ACCESS_TOKEN", "eyJh.eyJi.c")]);
    assert_eq!((kind, bearer), (Some(CredentialKind::EnvAccessToken), None));
}

#[test]
fn a_provider_of_ones_own_never_gets_openais_login() {
    let relay = |env_key: Option<&str>, requires_openai_auth| ProviderAuth {
        id: "relay".to_owned(),
        env_key: env_key.map(str::to_owned),
        requires_openai_auth,
        ..ProviderAuth::default()
    };
    let (credentials, secrets) = login("chatgpt-ok", &[("CODEX_API_KEY", "sk-of-the-shell")], &relay(None, false));
    assert_eq!((used(&credentials), secrets.bearer()), (None, None));
    assert!(!credentials.openai_auth_applies);
    let (credentials, _) = login("chatgpt-ok", &[], &relay(Some("RELAY_KEY"), true));
    assert_eq!((used(&credentials), credentials.missing_variable.as_deref()), (None, Some("RELAY_KEY")));
    let (credentials, secrets) = login("chatgpt-ok", &[("RELAY_KEY", "of-the-relay")], &relay(Some("RELAY_KEY"), true));
    assert_eq!((used(&credentials), secrets.bearer()), (Some(CredentialKind::ProviderEnvKey), Some("of-the-relay")));
    let (credentials, secrets) = login("chatgpt-ok", &[], &relay(None, true));
    assert_eq!(used(&credentials), Some(CredentialKind::Chatgpt));
    assert_eq!(secrets.account_id(), Some("acct-FAKE-0001"));
    assert!(!format!("{secrets:?}").contains("eyJ"));
}

#[test]
fn a_key_pasted_as_the_name_of_a_variable_is_masked() {
    let provider = ProviderAuth { env_key: Some("sk-live-0123456789abcdef".to_owned()), ..ProviderAuth::default() };
    let (credentials, _) = login("chatgpt-ok", &[], &provider);
    assert_eq!(credentials.missing_variable.as_deref(), Some("<secret>"));
}

#[test]
fn what_codex_cannot_deserialise_counts_as_no_login() {
    let home = tempfile::tempdir().unwrap();
    let token = "e30.eyJleHAiOjF9.sig";
    let whole = format!(r#""id_token":"{token}","access_token":"{token}","refresh_token":"rt_x""#);
    let broken = [
        String::new(),
        "[]".to_owned(),
        "\u{feff}{}".to_owned(),
        r#"{"OPENAI_API_KEY":5}"#.to_owned(),
        r#"{"auth_mode":"ChatGPT"}"#.to_owned(),
        r#"{"auth_mode":"apikey"}"#.to_owned(),
        format!(r#"{{"tokens":{{"access_token":"{token}","refresh_token":"rt_x"}}}}"#),
        r#"{"tokens":{"id_token":"abc","access_token":"abc","refresh_token":"rt_x"}}"#.to_owned(),
        format!(r#"{{"tokens":{{{whole}}},"last_refresh":"yesterday"}}"#),
    ];
    let sound = ["{}".to_owned(), format!(r#"{{"auth_mode":null,"tokens":{{{whole}}},"new_field":{{"a":1}}}}"#)];
    let world = world(home.path(), &[]);
    let read = |text: &String| {
        std::fs::write(home.path().join("auth.json"), text).unwrap();
        let (credentials, _) = credentials::collect(&world, &Redactor::new(&world), &openai(), &AuthRules::default());
        credentials.value().cloned().unwrap()
    };
    for text in &broken {
        assert!(read(text).broken_store.is_some(), "{text}");
    }
    for text in &sound {
        assert_eq!(read(text).broken_store, None, "{text}");
    }
    std::fs::remove_file(home.path().join("auth.json")).unwrap();
    std::fs::create_dir(home.path().join("auth.json")).unwrap();
    let (credentials, _) = credentials::collect(&world, &Redactor::new(&world), &openai(), &AuthRules::default());
    assert_eq!(credentials.value().unwrap().broken_store.as_deref(), Some("not a file"));
}

#[test]
fn a_variable_in_dot_env_counts_unless_it_is_one_of_codex() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".env"), "RELAY_KEY=of-the-file\nCODEX_API_KEY=sk-not-read\n").unwrap();
    let world = world(home.path(), &[]);
    let collect = |provider: &ProviderAuth| credentials::collect(&world, &Redactor::new(&world), provider, &AuthRules::default());
    let relay = ProviderAuth { env_key: Some("RELAY_KEY".to_owned()), ..ProviderAuth::default() };
    assert_eq!(collect(&relay).1.bearer(), Some("of-the-file"));
    let (credentials, secrets) = collect(&openai());
    assert_eq!(secrets.bearer(), None);
    assert_eq!(credentials.value().unwrap().ignored_variables, ["CODEX_API_KEY ($CODEX_HOME/.env)"]);
}

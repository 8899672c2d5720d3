use super::*;
use codex_triage_checks::facts::run::Platform;

/// A scratch world: a CODEX_HOME with this config.toml, and an empty project directory.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("home")).unwrap();
        std::fs::create_dir_all(folder.path().join("project/deep")).unwrap();
        let scratch = Self { folder };
        scratch.write("home/config.toml", config);
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace("$PROJECT", self.path("project").to_str().unwrap())).unwrap();
    }

    fn world(&self, directory: &str) -> World {
        let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        let environment = [("HOME".to_owned(), "/home/maria".to_owned())].into();
        let home = self.path("home");
        let mut world = World::new(environment, self.path(directory), Some(&home), None, Platform::Linux, at, 0);
        world.system_config = self.path("etc");
        world
    }

    fn config(&self, directory: &str, request: &ConfigRequest) -> (Config, RawConfig) {
        let world = self.world(directory);
        let (observed, raw) = collect(&world, &Redactor::new(&world), request);
        (observed.value().unwrap().clone(), raw)
    }
}

fn overrides(overrides: &[&str]) -> ConfigRequest {
    ConfigRequest { overrides: overrides.iter().map(|text| (*text).to_owned()).collect(), ..ConfigRequest::default() }
}

fn states(config: &Config) -> Vec<(LayerName, LayerState)> {
    config.layers.iter().map(|layer| (layer.name, layer.state.clone())).collect()
}

#[test]
fn no_secret_of_a_configuration_becomes_a_fact_and_all_of_them_stay_usable() {
    let secrets = [
        "canary-bearer-0",
        "canary-header-1",
        "canary-query-2",
        "canary-env-3",
        "canary-set-4",
        "canary-key-5",
        "canary-arg-6",
        "canary-pass-7",
        "sk-canary8888",
        "canary-oauth-9",
    ];
    let scratch = Scratch::new(
        r#"
model_provider = "relay" # canary-bearer-0 stood here once
instructions = "canary-set-4 is what I wrote"
api_key = "canary-key-5"
[model_providers.relay]
name = "Relay"
base_url = "https://maria:canary-pass-7@relay.example/v1"
env_key = "sk-canary8888"
experimental_bearer_token = "canary-bearer-0"
http_headers = { X-Team = "canary-header-1", Accept = "x" }
query_params = { api-version = "preview", key = "canary-query-2" }
[mcp_servers.files]
command = "npx"
args = ["--token", "canary-arg-6"]
env = { TOKEN = "canary-env-3" }
[mcp_servers.web]
url = "https://mcp.example"
oauth = { client_id = "c", client_secret = "canary-oauth-9" }
[shell_environment_policy]
set = { SECRET = "canary-set-4" }
"#,
    );
    let (config, raw) = scratch.config("project", &overrides(&["model_providers.relay.experimental_bearer_token=canary-bearer-0"]));
    let shown = serde_json::to_string(&config).unwrap();
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    assert!(shown.contains("relay.example") && shown.contains("preview"));
    assert_eq!(raw.provider_text("experimental_bearer_token"), Some("canary-bearer-0"));
    assert_eq!(raw.pairs(&["model_providers", "relay", "http_headers"]), [("Accept", "x"), ("X-Team", "canary-header-1")]);
}

#[test]
fn names_of_people_and_projects_become_roles() {
    let text = "[projects.\"/srv/secret-project\"]\ntrust_level = \"trusted\"\nfoo = 1\n[mcp_servers.m]\ncommand = \"/home/maria/bin/x\"\n";
    let (config, _) = Scratch::new(text).config("project", &ConfigRequest::default());
    let shown = serde_json::to_string(&config).unwrap();
    assert!(!shown.contains("secret-project") && !shown.contains("maria"), "{shown}");
    assert!(shown.contains(r#"["projects","<project-1>","foo"]"#), "{shown}");
    assert!(shown.contains(r#"[projects.\"<project-1>\"]"#), "{shown}");
}

#[test]
fn an_untrusted_project_is_named_and_not_read() {
    let scratch = Scratch::new("model = \"a\"\n");
    scratch.write("project/.codex/config.toml", "model = \n");
    let (config, _) = scratch.config("project", &ConfigRequest::default());
    assert_eq!(states(&config), [(LayerName::User, LayerState::Parsed), (LayerName::Project, LayerState::Untrusted { values: 0 })]);
    scratch.write("project/.codex/config.toml", "model = \"b\"\n[tui]\ntheme = \"dark\"\n");
    let (config, _) = scratch.config("project", &ConfigRequest::default());
    assert_eq!(states(&config)[1].1, LayerState::Untrusted { values: 2 });
    assert!(config.layers[1].entries.is_empty());
}

#[test]
fn a_trusted_repository_lends_its_trust_to_its_folders_but_may_not_name_an_endpoint() {
    let scratch = Scratch::new("[projects.\"$PROJECT\"]\ntrust_level = \"trusted\"\n");
    scratch.write("project/.git/HEAD", "ref: refs/heads/main\n");
    scratch.write("project/.codex/config.toml", "model = \"outer\"\nopenai_base_url = \"https://evil.example\"\n");
    scratch.write("project/deep/.codex/config.toml", "model = \"inner\"\n");
    let (config, raw) = scratch.config("project/deep", &ConfigRequest::default());
    assert_eq!(raw.text(&["model"]), Some("inner"), "the inner layer wins");
    assert_eq!(config.text(&["model"]), Some("inner"));
    assert!(!raw.has(&["openai_base_url"]) && config.text(&["openai_base_url"]).is_none());
}

#[test]
fn without_a_repository_only_the_folder_itself_counts() {
    let scratch = Scratch::new("[projects.\"$PROJECT\"]\ntrust_level = \"trusted\"\n");
    scratch.write("project/.git/nothing", "an empty .git is no repository\n");
    scratch.write("project/.codex/config.toml", "model = \"outer\"\n");
    scratch.write("project/deep/.codex/config.toml", "model = \"inner\"\n");
    let (config, raw) = scratch.config("project/deep", &ConfigRequest::default());
    assert_eq!(raw.text(&["model"]), None);
    assert_eq!(states(&config).last().unwrap(), &(LayerName::Project, LayerState::Untrusted { values: 1 }));
}

#[test]
fn overrides_are_toml_where_they_can_be_and_the_last_one_wins() {
    let request = overrides(&["model=plain", "model_context_window=5", "tui.theme=\"dark\"", "model='last'"]);
    let (config, raw) = Scratch::new("model = \"user\"\n").config("project", &request);
    assert_eq!(raw.text(&["model"]), Some("last"));
    let (layer, entry) = config.effective(&["model_context_window"]).unwrap();
    assert_eq!((layer.name, entry.line, entry.value_line), (LayerName::Override, None, None));
    let (refused, _) = Scratch::new("").config("project", &overrides(&["nonsense"]));
    assert!(matches!(&refused.layers[1].state, LayerState::Unreadable { message } if message.contains("missing '='")));
}

#[test]
fn what_is_no_plain_file_is_a_state_and_never_a_panic() {
    let scratch = Scratch::new("");
    let file = scratch.path("home/config.toml");
    std::fs::remove_file(&file).unwrap();
    let state = || states(&scratch.config("project", &ConfigRequest::default()).0)[0].1.clone();
    assert_eq!(state(), LayerState::Missing);
    std::fs::create_dir(&file).unwrap();
    assert!(matches!(state(), LayerState::Unreadable { message } if message.contains("is not a file")));
    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, b"model = \"\xff\"\n").unwrap();
    assert!(
        matches!(state(), LayerState::Unreadable { message } if message.contains("invalid utf-8 sequence of 1 bytes from index 9"))
    );
    std::fs::write(&file, "a = 1\nmodel = x\n").unwrap();
    assert!(matches!(state(), LayerState::Syntax { line: 2, column: 9, .. }));
    std::fs::File::create(&file).unwrap().set_len(40 << 20).unwrap();
    assert_eq!(state(), LayerState::TooLarge { bytes: 40 << 20 });
}

#[test]
fn a_named_home_that_is_not_there_is_told() {
    let scratch = Scratch::new("");
    let mut world = scratch.world("project");
    world.codex_home = scratch.path("nowhere");
    let (observed, _) = collect(&world, &Redactor::new(&world), &ConfigRequest::default());
    assert!(observed.value().unwrap().home_error.as_ref().unwrap().contains("does not exist"));
    world.codex_home_named = false;
    let (observed, _) = collect(&world, &Redactor::new(&world), &ConfigRequest::default());
    assert_eq!(observed.value().unwrap().home_error, None, "Codex makes its default home");
}

#[test]
fn a_file_that_a_project_names_is_looked_for_beside_the_layer() {
    let scratch = Scratch::new("[projects.\"$PROJECT\"]\ntrust_level = \"trusted\"\n");
    scratch.write("project/.codex/config.toml", "model_instructions_file = \"rules.md\"\n");
    let (config, _) = scratch.config("project", &ConfigRequest::default());
    assert_eq!(config.unreadable_files[0].file, "<project-1>/.codex/rules.md");
    scratch.write("project/.codex/rules.md", "Be brief.\n");
    let (config, _) = scratch.config("project", &ConfigRequest::default());
    assert!(config.unreadable_files.is_empty());
}

#[test]
fn a_broken_line_is_shown_without_what_may_be_a_secret_in_it() {
    let shown = |text: &str| {
        let (config, _) = Scratch::new(text).config("project", &ConfigRequest::default());
        match config.layers[0].state.clone() {
            LayerState::Syntax { shown, .. } => shown.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(shown("model = gpt-6-sol\n"), "model = gpt-6-sol");
    assert_eq!(shown("X-Key = \"canary-1\n"), "X-Key = \"******-*");
    assert_eq!(shown("api_key = canary-2\n"), "api_key = <secret>");
    assert_eq!(shown("http_headers = { A = canary-3 }\n"), "http_headers = { * = ******-* }");
    assert_eq!(shown("[projects.\"/srv/canary-4\"\n"), "[projects.\"/***/******-*\"");
    assert_eq!(shown("canary-5\n"), "******-*");
}

#[test]
fn a_required_provider_takes_the_place_of_ones_own_as_a_whole_and_not_before_codex_does_so() {
    let own = "model_provider = \"mine\"\n[model_providers.corp]\nname = \"U\"\nbase_url = \"https://elsewhere.example\"\nenv_key = \"OWN\"\n[model_providers.mine]\nname = \"M\"\n";
    let scratch = Scratch::new(own);
    scratch.write(
        "etc/requirements.toml",
        "model_provider = \"corp\"\n[model_providers.corp]\nname = \"Corp\"\nbase_url = \"https://corp.example\"\n",
    );
    scratch.write("home/requirements.toml", "model_provider = \"openai\"\n");
    let of = |version: &str, overrides: &[&str]| {
        let codex_version = Some(version.to_owned());
        let overrides = overrides.iter().map(|text| (*text).to_owned()).collect();
        scratch.config("project", &ConfigRequest { codex_version, overrides, ..ConfigRequest::default() })
    };
    let (config, raw) = of("0.171.0", &["model_providers.corp.base_url=\"https://evil.example\""]);
    assert_eq!((raw.provider(), raw.provider_text("base_url")), ("corp", Some("https://corp.example")));
    assert_eq!(raw.provider_text("env_key"), None, "the key of one's own provider goes nowhere");
    assert_eq!(config.text(&["model_provider"]), Some("corp"));
    assert_eq!(config.text(&["model_providers", "corp", "env_key"]), None);
    assert_eq!(config.names_below(&["model_providers"]), ["corp", "mine"]);
    let (config, raw) = of("0.142.5", &[]);
    assert_eq!(
        (raw.provider(), config.text(&["model_provider"])),
        ("mine", Some("mine")),
        "an older release asks the own provider"
    );
}

#[test]
fn a_link_is_taken_by_its_name() {
    let scratch = Scratch::new("[projects.\"$PROJECT\"]\ntrust_level = \"trusted\"\n");
    scratch.write("project/.git/HEAD", "ref: refs/heads/main\n");
    scratch.write("project/.codex/config.toml", "model = \"from-project\"\n");
    std::os::unix::fs::symlink(scratch.path("project/deep"), scratch.path("link")).unwrap();
    std::os::unix::fs::symlink(scratch.path("project"), scratch.path("whole")).unwrap();
    let states = |directory: &str| states(&scratch.config(directory, &ConfigRequest::default()).0);
    assert_eq!(states("link").len(), 1, "above the link there is no project");
    assert_eq!(states("whole").last().unwrap(), &(LayerName::Project, LayerState::Parsed));
    assert_eq!(states("whole/../project/deep").last().unwrap(), &(LayerName::Project, LayerState::Parsed));
}

#[test]
fn a_secret_below_the_wrong_header_stays_one_whatever_the_table_takes() {
    for table in ["features", "tui", "mcp_servers.a", "model_providers.r", "agents", "apps.own"] {
        let scratch = Scratch::new(&format!("[{table}]\napi_key = \"canary word one\"\nbearer_token = \"canary-two\"\n"));
        let (config, _) = scratch.config("project", &ConfigRequest::default());
        let shown = serde_json::to_string(&config).unwrap();
        assert!(!shown.contains("canary"), "{table}: {shown}");
    }
}

#[test]
fn what_stands_where_a_number_belongs_is_told() {
    let scratch = Scratch::new("tool_output_token_limit = \"many\"\n");
    let (config, _) = scratch.config("project", &ConfigRequest::default());
    assert_eq!(config.text(&["tool_output_token_limit"]), Some("many"));
}

//! The machine of a scenario: its server, a Codex home, a project, an environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use codex_triage_lab::{Case, Certificate, Client, Lab, OfficialHosts, Relay, SocksProxy};

use crate::login;

/// Stands in every place where a user's key would; it may never be seen again.
pub(crate) const KEY: &str = "sk-oracle-canary-0123456789abcdef";

/// A model that every release knows.
const MODEL: &str = "gpt-5.5";

enum Server {
    Lab(Lab),
    Official(OfficialHosts),
}

/// A scenario's machine. It ends when this value is dropped.
pub(crate) struct World {
    server: Server,
    folder: tempfile::TempDir,
    environment: BTreeMap<String, String>,
    /// The folder of the Codex program, first on the PATH as on a real machine.
    codex: PathBuf,
    /// What placeholders in the scenario stand for.
    places: Vec<(&'static str, String)>,
}

impl World {
    /// Starts the server and writes the files.
    pub(crate) fn new(case: &Case, codex: &Path) -> Self {
        let mut scenario = if case.client.built_in() { case.server.clone().with_back_end() } else { case.server.clone() };
        if case.official {
            scenario = scenario.with_official_models();
        }
        let server = match (case.official, case.certificate) {
            (true, certificate) => {
                let hosts = OfficialHosts::start(scenario, certificate.unwrap_or(Certificate::Good));
                Server::Official(hosts.unwrap_or_else(|problem| panic!("{}: {problem}", case.id)))
            }
            (false, Some(certificate)) => Server::Lab(Lab::start_tls(scenario, certificate, 0).unwrap()),
            (false, None) => Server::Lab(Lab::start(scenario).unwrap()),
        };
        let mut places = Vec::new();
        if let Server::Lab(lab) = &server {
            places.extend([("@ORIGIN@", lab.origin()), ("@PORT@", lab.address().port().to_string())]);
            let road = case.road.map(|road| Relay::start(lab.address(), road).unwrap().address().to_string());
            places.extend(road.map(|address| ("@ROAD@", address)));
        }
        let socks = case.socks.map(|conduct| SocksProxy::start(conduct).unwrap().address().to_string());
        places.extend(socks.map(|address| ("@SOCKS@", address)));
        let folder = tempfile::tempdir().unwrap();
        let codex = codex.parent().unwrap().to_owned();
        let mut world = Self { server, folder, environment: BTreeMap::new(), codex, places };
        for folder in [world.home(), world.project()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(world.home().join("config.toml"), world.config(case)).unwrap();
        if case.client == Client::Chatgpt {
            std::fs::write(world.home().join("auth.json"), login::chatgpt()).unwrap();
        }
        world.environment = world.environment(case);
        world
    }

    /// CODEX_HOME.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("codex")
    }

    /// Where Codex works.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// A file of the test's own, outside of home and project.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command of this machine.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = match &self.server {
            Server::Lab(_) => {
                let mut command = Command::new(program);
                command.env_clear();
                command
            }
            Server::Official(hosts) => hosts.command(program),
        };
        let mut path = vec![self.codex.clone()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        command.env("PATH", std::env::join_paths(path).unwrap());
        command.current_dir(self.project()).env("HOME", self.folder.path()).env("CODEX_HOME", self.home());
        command.envs(&self.environment);
        command
    }

    /// The text without the addresses that differ from run to run.
    pub(crate) fn without_addresses(&self, text: &str) -> String {
        let hosts = self.places.iter().filter(|(place, _)| *place != "@PORT@").map(|(_, value)| value);
        let hosts = hosts.map(|value| value.split_once("://").map_or(value.as_str(), |(_, host)| host));
        let text = hosts.fold(text.to_owned(), |text, host| text.replace(host, "lab"));
        let port = self.places.iter().find(|(place, _)| *place == "@PORT@").map(|(_, port)| format!("localhost:{port}"));
        port.map_or_else(|| text.clone(), |place| text.replace(&place, "lab"))
    }

    fn filled(&self, text: &str) -> String {
        self.places.iter().fold(text.to_owned(), |text, (place, value)| text.replace(place, value))
    }

    fn config(&self, case: &Case) -> String {
        if let Some(whole) = &case.config_toml {
            return self.filled(whole);
        }
        let mut lines = vec![format!("model = \"{}\"", case.model.as_deref().unwrap_or(MODEL))];
        let base_url = case.base_url.as_deref().unwrap_or("@ORIGIN@/v1");
        if !case.client.built_in() {
            lines.extend(["model_provider = \"lab\"", "", "[model_providers.lab]", "name = \"lab\""].map(str::to_owned));
            lines.extend([format!("base_url = \"{base_url}\""), "env_key = \"LAB_KEY\"".to_owned()]);
        } else if !case.official {
            lines.push(format!("openai_base_url = \"{base_url}\""));
            lines.push("chatgpt_base_url = \"@ORIGIN@/backend-api\"".to_owned());
        }
        // Few retries, for the sake of time: they change the number of requests, not the last message.
        if matches!(case.client, Client::Relay | Client::RelayWebSocket) {
            lines.extend(["request_max_retries = 1", "stream_max_retries = 1", "stream_idle_timeout_ms = 2000"].map(str::to_owned));
        }
        if case.client == Client::RelayWebSocket {
            lines.push("supports_websockets = true".to_owned());
        }
        lines.push(case.config.clone());
        self.filled(&(lines.join("\n") + "\n"))
    }

    fn environment(&self, case: &Case) -> BTreeMap<String, String> {
        let mut environment = BTreeMap::new();
        let mut set = |name: &str, value: String| environment.insert(name.to_owned(), value);
        if !case.client.built_in() {
            set("LAB_KEY", KEY.to_owned());
        }
        if case.client == Client::ApiKey {
            set("CODEX_API_KEY", KEY.to_owned());
        }
        if case.client == Client::Chatgpt && !case.official {
            set("CODEX_REFRESH_TOKEN_URL_OVERRIDE", "@ORIGIN@/oauth/token".to_owned());
        }
        if case.trusted {
            let authority = self.file("authority.pem");
            std::fs::write(&authority, Certificate::AUTHORITY).unwrap();
            set("CODEX_CA_CERTIFICATE", authority.display().to_string());
        }
        for (name, value) in &case.environment {
            set(name, value.clone());
        }
        environment.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name, self.filled(&value))).collect()
    }
}

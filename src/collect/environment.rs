//! Environment variables that matter to Codex: from this process and from `$CODEX_HOME/.env`.
//!
//! Reads one small file. The facts hold names, and values only where these are addresses or paths; values that are secrets are
//! taught to the redactor and kept in a [`RawEnvironment`] that is never printed.

use std::collections::BTreeMap;
use std::path::Path;

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::environment::{Environment, Variable, VariableOrigin};

use super::config::RawConfig;
use crate::redact::{MASK, Redactor};
use crate::world::World;

/// Variables whose value is a key or a token.
const SECRETS: [&str; 8] = [
    "CODEX_API_KEY",
    "CODEX_ACCESS_TOKEN",
    "OPENAI_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_OPENAI_API_KEY",
    "AWS_ACCESS_KEY_ID",
];
/// Variables whose value identifies somebody: only their presence is told.
const PERSONAL: [&str; 2] = ["OPENAI_ORGANIZATION", "OPENAI_PROJECT"];
/// Variables whose value is an address, a path or a list of hosts.
const SHOWN: [&str; 18] = [
    "CODEX_HOME",
    "CODEX_SQLITE_HOME",
    "CODEX_CA_CERTIFICATE",
    "CODEX_OSS_BASE_URL",
    "CODEX_OSS_PORT",
    "CODEX_REFRESH_TOKEN_URL_OVERRIDE",
    "OPENAI_BASE_URL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "AWS_REGION",
];
/// `.env` is a hand-written file; a larger one is not read.
const LARGEST: u64 = 1 << 20;
/// Codex takes no variable with this beginning from `.env`.
const NOT_FROM_FILE: &str = "CODEX_";

/// The variables as Codex sees them, with their values. Never printed: they hold secrets.
#[derive(Clone, Default)]
pub struct RawEnvironment {
    process: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
}

impl RawEnvironment {
    /// The value that Codex sees: `.env` beats the process (measured on 0.171.0), and names may be anything but `CODEX_…` there.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.file.get(name).or_else(|| self.process.get(name)).map(String::as_str)
    }

    /// All variables as Codex sees them.
    pub fn merged(&self) -> BTreeMap<String, String> {
        let mut merged = self.process.clone();
        merged.extend(self.file.clone());
        merged
    }

    /// The value, when it is more than white space.
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.value(name).filter(|value| !value.trim().is_empty())
    }
}

/// Looks for the variables of interest and for those that the configuration names.
pub fn collect(
    world: &World,
    redactor: &Redactor,
    codex_home: &Path,
    config: &RawConfig,
) -> (Observed<Environment>, RawEnvironment) {
    let path = codex_home.join(".env");
    let (file, left_out) = match read(&path) {
        Ok(text) => parse(&text).into_iter().partition(|(name, _)| !name.to_ascii_uppercase().starts_with(NOT_FROM_FILE)),
        Err(error) => {
            let source = redactor.path(&path);
            let raw = RawEnvironment { process: world.environment.clone(), file: BTreeMap::new() };
            learn(redactor, &raw, config);
            return (Observed::failed(redactor.text(&error), source), raw);
        }
    };
    let left_out: BTreeMap<String, String> = left_out;
    let raw = RawEnvironment { process: world.environment.clone(), file };
    learn(redactor, &raw, config);
    left_out.values().for_each(|value| redactor.learn_secret(value.trim()));
    let named = named_by(config);
    let mut variables = Vec::new();
    for (origin, source) in [(VariableOrigin::Process, &raw.process), (VariableOrigin::DotEnv, &raw.file)] {
        let of_interest = |name: &&String| {
            SECRETS.contains(&name.as_str())
                || PERSONAL.contains(&name.as_str())
                || SHOWN.contains(&name.as_str())
                || named.contains(&name.as_str())
        };
        variables.extend(source.iter().filter(|(name, _)| of_interest(name)).map(|(name, value)| Variable {
            name: shown_name(redactor, name),
            origin,
            blank: value.trim().is_empty(),
            shown: SHOWN.contains(&name.as_str()).then(|| redactor.text(value)),
            differs: [&raw.process, &raw.file].iter().any(|other| other.get(name).is_some_and(|other| other != value)),
        }));
    }
    variables.sort_by(|one, other| (&one.name, one.origin as u8).cmp(&(&other.name, other.origin as u8)));
    let value = Environment { variables, left_out: left_out.keys().map(|name| shown_name(redactor, name)).collect() };
    (Observed::known(value, format!("environment, {}", redactor.path(&path))), raw)
}

/// The variables that the providers name, for keys and for headers.
fn named_by(config: &RawConfig) -> Vec<&str> {
    let mut names = Vec::new();
    for id in config.names(&["model_providers"]) {
        names.extend(config.text(&["model_providers", id, "env_key"]));
        names.extend(config.pairs(&["model_providers", id, "env_http_headers"]).into_iter().map(|(_, name)| name));
    }
    names
}

/// Teaches the redactor all values that are secrets: those of the keys, of the named variables, of `.env` as a whole, and the
/// passwords in proxy addresses.
fn learn(redactor: &Redactor, raw: &RawEnvironment, config: &RawConfig) {
    let named = named_by(config);
    for name in SECRETS.iter().chain(&named) {
        for value in [raw.process.get(*name), raw.file.get(*name)].into_iter().flatten() {
            redactor.learn_secret(value.trim());
        }
    }
    for (name, value) in &raw.file {
        if !SHOWN.contains(&name.as_str()) {
            redactor.learn_secret(value.trim());
        }
    }
    for name in SHOWN {
        if let Some((_, rest)) = raw.value(name).and_then(|value| value.split_once("://"))
            && let Some((person, _)) = rest.rsplit_once('@')
        {
            person.split(':').for_each(|part| redactor.learn_secret(part));
        }
    }
}

/// Somebody may have pasted a key where the name of a variable belongs.
fn shown_name(redactor: &Redactor, name: &str) -> String {
    if Redactor::looks_secret(name) { MASK.to_owned() } else { redactor.text(name) }
}

fn read(path: &Path) -> Result<String, String> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound || error.kind() == std::io::ErrorKind::NotADirectory => {
            Ok(String::new())
        }
        Err(error) => Err(error.to_string()),
        // Codex goes on without a `.env` that is no file.
        Ok(metadata) if !metadata.is_file() => Ok(String::new()),
        Ok(metadata) if metadata.len() > LARGEST => Err(format!("{} bytes are too many for a .env file", metadata.len())),
        Ok(_) => match std::fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(error.to_string()),
        },
    }
}

/// `NAME=value` lines: `export` before it, quotes around the value and a comment after it are allowed.
fn parse(text: &str) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else { continue };
        let name = name.trim().trim_start_matches("export ").trim();
        let plain = !name.is_empty() && !name.contains(char::is_whitespace);
        if plain {
            variables.insert(name.to_owned(), unquoted(value.trim()));
        }
    }
    variables
}

fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner.to_owned();
        }
    }
    value.split(" #").next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::config::{self, ConfigRequest};

    fn at_home(config: &str, dot_env: &str, environment: &[(&str, &str)]) -> (Environment, RawEnvironment, Redactor) {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        std::fs::write(home.path().join(".env"), dot_env).unwrap();
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        let platform = codex_triage_checks::facts::run::Platform::Linux;
        let world = World::new(environment, home.path().into(), Some(home.path()), None, platform, at, 0);
        let redactor = Redactor::new(&world);
        let (_, raw) = config::collect(&world, &redactor, &ConfigRequest::default());
        let (observed, raw) = collect(&world, &redactor, &world.codex_home, &raw);
        (observed.value().unwrap().clone(), raw, redactor)
    }

    const RELAY: &str = "[model_providers.relay]\nname = \"Relay\"\nenv_key = \"RELAY_KEY\"\n";

    #[test]
    fn the_file_beats_the_process_but_may_not_name_codex_variables() {
        let file = "export RELAY_KEY=\"from the file\" # mine\nCODEX_API_KEY=never-taken\n";
        let (environment, raw, redactor) = at_home(RELAY, file, &[("RELAY_KEY", "from-the-process")]);
        assert_eq!(raw.filled("RELAY_KEY"), Some("from the file"));
        assert_eq!(raw.value("CODEX_API_KEY"), None);
        assert!(environment.is_set("RELAY_KEY") && !environment.is_set("CODEX_API_KEY"));
        assert_eq!(environment.left_out, ["CODEX_API_KEY"]);
        assert_eq!(redactor.text("never-taken"), "<secret>");
        assert!(environment.variables.iter().all(|variable| variable.differs), "{environment:?}");
        assert_eq!(redactor.text("sent from-the-process"), "sent <secret>");
    }

    #[test]
    fn a_blank_key_is_there_and_not_set() {
        let (environment, ..) = at_home(RELAY, "", &[("RELAY_KEY", "  ")]);
        assert_eq!(environment.variables.len(), 1);
        assert!(!environment.is_set("RELAY_KEY"));
    }

    #[test]
    fn neither_a_password_of_a_proxy_nor_a_key_pasted_as_a_name_is_shown() {
        let key = "sk-proj-abcDEF1234567890";
        let config = format!("[model_providers.relay]\nname = \"Relay\"\nenv_key = \"{key}\"\n");
        let proxy = ("HTTPS_PROXY", "http://maria:hunter22@proxy.example:8080");
        let (environment, ..) = at_home(&config, "", &[proxy, (key, "value-of-it")]);
        let shown = serde_json::to_string(&environment).unwrap();
        for secret in [key, "hunter22", "value-of-it"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("proxy.example:8080"));
    }
}

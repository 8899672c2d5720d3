//! The scenario files: what a server does, what is truly the matter, and what each kind of evidence can tell of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::certificates::Certificate;
use crate::relay::Road;
use crate::scenario::Scenario;
use crate::socks::SocksConduct;

/// All scenarios, in the order of the files' names and of the files.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The scenarios.
    pub cases: Vec<Case>,
    /// The families (names of files) and what they have in common.
    pub families: Vec<(String, String)>,
}

/// A file of `fixtures/scenarios`: one family.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What the scenarios have in common, for people.
    about: String,
    /// By release, what holds for the scenarios of the file that say nothing else.
    #[serde(default)]
    otherwise: BTreeMap<String, BTreeMap<Mode, Expectation>>,
    scenario: Vec<Case>,
}

/// One scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// Its family: the name of its file.
    #[serde(skip)]
    pub family: String,
    /// What happens, in a few words.
    pub about: String,
    /// What is truly the matter.
    pub truth: Truth,
    /// What else is a right answer.
    #[serde(default)]
    pub also_right: Vec<Truth>,
    /// How Codex is set up.
    #[serde(default)]
    pub client: Client,
    /// Lines of the provider's table, for a relay, or of the top of config.toml, for the built-in provider.
    #[serde(default)]
    pub config: String,
    /// A whole config.toml instead.
    pub config_toml: Option<String>,
    /// Seconds after which Codex is ended, for failures at which it waits for ever; else a minute.
    #[serde(default = "patience")]
    pub patience_s: u32,
    /// Whether nothing at all deserves a warning.
    #[serde(default)]
    pub all_good: bool,
    /// The model that Codex is told to ask for; else one that every release knows.
    pub model: Option<String>,
    /// The base URL; `@ORIGIN@` is the server's own, `@PORT@` its port. Left out: `@ORIGIN@/v1`.
    pub base_url: Option<String>,
    /// Environment variables, for Codex and for codex-triage. An empty value takes a variable away.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// With a certificate the server speaks TLS.
    pub certificate: Option<Certificate>,
    /// A SOCKS proxy, at `@SOCKS@`.
    pub socks: Option<SocksConduct>,
    /// A road to the server, which begins at `@ROAD@`.
    pub road: Option<Road>,
    /// Whether Codex trusts the lab's authority.
    #[serde(default)]
    pub trusted: bool,
    /// Whether the server plays the official hosts.
    #[serde(default)]
    pub official: bool,
    /// What the server does.
    #[serde(default)]
    pub server: Scenario,
    /// What each kind of evidence can tell.
    #[serde(default)]
    pub expect: BTreeMap<Mode, Expectation>,
    /// Where a release leaves other evidence: what it can tell then.
    #[serde(default)]
    pub expect_on: BTreeMap<String, BTreeMap<Mode, Expectation>>,
}

fn patience() -> u32 {
    60
}

/// How Codex is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// A provider of the user's own, few retries.
    #[default]
    Relay,
    /// The same, over WebSockets.
    RelayWebSocket,
    /// The same as `relay`, with Codex's own number of retries.
    RelayPatient,
    /// The built-in provider and a ChatGPT login.
    Chatgpt,
    /// The built-in provider and `CODEX_API_KEY`.
    ApiKey,
    /// The built-in provider and no login.
    NoLogin,
}

impl Client {
    /// Whether it is the built-in provider.
    pub fn built_in(self) -> bool {
        matches!(self, Self::Chatgpt | Self::ApiKey | Self::NoLogin)
    }
}

/// What is truly the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// Too many users for the model, the service or the pool.
    Overload,
    /// The service itself fails.
    ServerError,
    /// A limit, a balance or a plan.
    Quota,
    /// Throttled, clears by itself.
    RateLimit,
    /// The user's, or the relay's, configuration.
    Config,
    /// Credentials.
    Auth,
    /// The road to the server.
    Network,
    /// The size of the conversation.
    Context,
    /// The content.
    Policy,
    /// A fault of the client.
    ClientBug,
    /// Nothing.
    Ok,
}

impl Truth {
    /// The cause, in the words of the report.
    pub fn cause(self) -> &'static str {
        match self {
            Self::Overload | Self::ServerError => "overload",
            Self::Quota | Self::RateLimit => "quota",
            Self::Config | Self::Auth => "config",
            Self::Network => "network",
            Self::Context | Self::Policy | Self::ClientBug => "other",
            Self::Ok => "healthy",
        }
    }
}

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// What Codex printed.
    Text,
    /// What Codex wrote down.
    Disk,
    /// The same, and every look that costs nothing.
    Live,
    /// The same, and one consented request.
    Cost,
}

impl Mode {
    /// All of them, from little to much.
    pub const ALL: [Self; 4] = [Self::Text, Self::Disk, Self::Live, Self::Cost];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Disk => "disk",
            Self::Live => "live",
            Self::Cost => "cost",
        }
    }
}

/// What a kind of evidence can tell.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// A cause, `healthy` or `undetermined`.
    pub answer: String,
    /// Why.
    pub because: String,
    /// For `undetermined`: scenarios that leave the same evidence and have another cause.
    #[serde(default)]
    pub shares_evidence_with: Vec<String>,
}

impl Case {
    /// What `mode` can tell of a failure of this release.
    pub fn expectation(&self, version: &str, mode: Mode) -> Option<&Expectation> {
        self.expect_on.get(version).and_then(|modes| modes.get(&mode)).or_else(|| self.expect.get(&mode))
    }

    /// Causes that are right.
    pub fn right(&self) -> Vec<&'static str> {
        std::iter::once(&self.truth).chain(&self.also_right).map(|truth| truth.cause()).collect()
    }

    /// A stable number between 0 and 2: in which third of the scenarios it is.
    pub fn third(&self) -> u32 {
        // FNV-1a: anything that never changes and spreads.
        self.id.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) % 3
    }
}

impl Catalogue {
    /// Reads all `*.toml` files of `folder`.
    ///
    /// # Errors
    /// When one cannot be read or understood; the error names the file.
    pub fn load(folder: &Path) -> std::io::Result<Self> {
        let mut paths: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
        paths.sort();
        let mut catalogue = Self::default();
        for path in paths {
            let file: File = toml::from_str(&std::fs::read_to_string(&path)?)
                .map_err(|error| std::io::Error::other(format!("{}: {error}", path.display())))?;
            let family = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for mut case in file.scenario {
                case.family.clone_from(&family);
                for (version, modes) in &file.otherwise {
                    let own = case.expect_on.entry(version.clone()).or_default();
                    for (mode, expectation) in modes {
                        own.entry(*mode).or_insert_with(|| expectation.clone());
                    }
                }
                catalogue.cases.push(case);
            }
            catalogue.families.push((family, file.about));
        }
        Ok(catalogue)
    }

    /// The scenario of this name.
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }
}

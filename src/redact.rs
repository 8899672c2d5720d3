//! Redaction at the door: nothing becomes a fact before it went through here.
//!
//! Secrets are masked wherever they stand; personal things (home, user, host name, e-mail, account and organisation ids, project
//! paths) become role tokens, the same value the same token within a report. Endpoint hosts stay: they are the diagnosis.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use regex::{Captures, Regex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::world::World;

/// How often a rule replaced something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// What was replaced: `secret`, `home`, `user`, `host`, `email`, `account`, `organisation`, `project`, `url-user`, `url-query`.
    pub rule: String,
    /// How often.
    pub count: u64,
}

/// Gives out role tokens and masks secrets. Shared by all collectors of a run.
#[derive(Debug)]
pub struct Redactor {
    homes: Vec<String>,
    codex_home: Option<String>,
    user: Option<Regex>,
    machine: Option<Regex>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counts: BTreeMap<&'static str, u64>,
    tokens: BTreeMap<(&'static str, String), String>,
    known_secrets: Vec<String>,
}

/// The mask that takes a secret's place.
pub const MASK: &str = "<secret>";

/// Shapes of secrets, wherever they stand. Prefixes of key formats, then whatever a header or assignment calls a secret.
static SECRETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // JSON web tokens, whole or cut.
        r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}",
        // Keys and tokens with a known prefix (OpenAI, Anthropic, GitHub, GitLab, Google, Slack, AWS, Hugging Face, refresh and access tokens).
        r"(?-u:\b)(?:sk|pk|rk|sess)[-_][A-Za-z0-9*_.\-]{6,}",
        r"(?-u:\b)(?:rt|at)[-_][A-Za-z0-9_.\-]{6,}",
        r"(?-u:\b)(?:gh[pousr]|github_pat|glpat|xox[abprs]|hf|gsk|xai|fw|r8|pplx|nvapi|tgp|dop_v1|npm|pypi)[-_][A-Za-z0-9_\-]{8,}",
        r"(?-u:\b)AIza[A-Za-z0-9_\-]{20,}",
        r"(?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{12,}",
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("a constant pattern"))
    .collect()
});

/// A scheme of HTTP authentication and what follows it.
static SCHEME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?P<header>(?i-u:authorization["']?\s*[:=]\s*["']?))?(?P<scheme>(?i-u:\b(?:bearer|basic)\s+))(?P<value>[A-Za-z0-9._~+/\-]{4,}=*)"#).expect("a constant pattern")
});

/// `api_key = "…"`, `"refresh_token": "…"`, `x-api-key: …`, `?api_key=…`: the value is masked, the name stays.
static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?P<name>(?i-u:["']?[A-Za-z0-9_.-]*(?:api[-_]?key|apikey|secret|passw(?:or)?d|passphrase|authorization|(?:access|refresh|id|auth|bearer|session)[-_]?token|bearer_token|private[-_]?key|subscription-key|cookie)["']?\s*(?:[:=]|=>)\s*))(?P<value>"[^"\n]*"?|'[^'\n]*'?|[^\s,;"'&}\]]+)"#,
    )
    .expect("a constant pattern")
});

/// A long run of letters and digits without the look of a word, a path or an id we need: the last net.
static BLOB: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+_=-]{32,}").expect("a constant pattern"));
/// Ids and times that Codex puts into file names and requests: no secrets.
static ID_OR_TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}")
        .expect("a constant pattern")
});

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z0-9._%+-]+(?:@|%40)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}").expect("a constant pattern")
});
static ORGANISATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u:\b(?:org|proj)[-_][A-Za-z0-9]{6,}\b)").expect("a constant pattern"));
static ACCOUNT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u:\b(?:user|acct|account)[-_][A-Za-z0-9][A-Za-z0-9-]{5,}\b)").expect("a constant pattern"));
static URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?-u:\b[a-zA-Z][a-zA-Z0-9+.-]*)://[^\s"'<>`,)\]}]+"#).expect("a constant pattern"));
/// A home directory of whoever it is: `/home/x`, `/Users/x`, `C:\Users\x`. The user name may hold spaces on Windows.
static SOME_HOME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i-u:/(?:home|users)/|\b[a-z]:[\\/]+users[\\/]+)(?P<user>[^\\/\s:"'<>|,;)]+)"#).expect("a constant pattern")
});

impl Redactor {
    /// A redactor that knows this world's home, user and machine.
    pub fn new(world: &World) -> Self {
        let user = ["USER", "USERNAME", "LOGNAME"].iter().find_map(|name| world.variable(name)).map(str::to_owned).or_else(|| {
            let home = world.home.as_ref()?;
            Some(home.file_name()?.to_str()?.to_owned())
        });
        let machine =
            ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| world.variable(name)).map(str::to_owned).or_else(machine_name);
        let mut homes = Vec::new();
        if let Some(home) = &world.home {
            homes.push(home.display().to_string());
            if let Ok(real) = home.canonicalize() {
                homes.push(real.display().to_string());
            }
        }
        homes.retain(|home| home.len() > 1);
        homes.dedup();
        let codex_home = Some(world.codex_home.display().to_string()).filter(|_| world.codex_home_named);
        Self {
            homes,
            codex_home,
            user: user.and_then(|name| word(&name)),
            machine: machine.and_then(|name| word(&name)),
            state: Mutex::default(),
        }
    }

    /// Masks this exact value from now on, wherever it appears. For values that are secret by their place, not by their shape.
    pub fn learn_secret(&self, value: &str) {
        if value.len() >= 6 {
            let mut state = self.state();
            if !state.known_secrets.iter().any(|known| known == value) {
                state.known_secrets.push(value.to_owned());
            }
        }
    }

    /// Gives the project directory its role token, unless it is no place of its own (the home, its parents, the root).
    pub fn learn_project(&self, directory: &Path, world: &World) {
        let inside_home = world.home.as_ref().is_some_and(|home| home.starts_with(directory));
        let around_codex_home = directory.starts_with(&world.codex_home) || world.codex_home.starts_with(directory);
        if !inside_home && !around_codex_home && directory.components().count() > 2 {
            self.project(&directory.display().to_string());
        }
    }

    /// Redacts free text.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let known = self.state().known_secrets.clone();
        for secret in known {
            if text.contains(&secret) {
                self.count("secret");
                text = text.replace(&secret, MASK);
            }
        }
        text = self.known_roles(&text);
        text = self.replaced(&URL, &text, |redactor, found| redactor.url(&found[0]));
        text = self.replaced(&ASSIGNMENT, &text, |redactor, found| {
            let value = &found["value"];
            let bare = value.trim_matches(['"', '\'']);
            if bare.is_empty() || bare == MASK || is_word_of_speech(bare) || bare.starts_with('$') {
                return found[0].to_owned();
            }
            redactor.count("secret");
            let quote = if value.starts_with('"') {
                "\""
            } else if value.starts_with('\'') {
                "'"
            } else {
                ""
            };
            format!("{}{quote}{MASK}{quote}", &found["name"])
        });
        text = self.replaced(&SCHEME, &text, |redactor, found| {
            // "basic string" and "bearer authentication" are words; in a header whatever follows is the credential.
            let is_word = found["value"].bytes().all(|byte| byte.is_ascii_lowercase());
            if found.name("header").is_none() && is_word {
                return found[0].to_owned();
            }
            redactor.count("secret");
            let header = found.name("header").map_or("", |header| header.as_str());
            format!("{header}{}{MASK}", &found["scheme"])
        });
        for pattern in SECRETS.iter() {
            text = self.replaced(pattern, &text, |redactor, _| {
                redactor.count("secret");
                MASK.to_owned()
            });
        }
        text = self.replaced(&EMAIL, &text, |redactor, found| redactor.token("email", &found[0]));
        text = self.replaced(&ORGANISATION, &text, |redactor, found| redactor.token("organisation", &found[0]));
        text = self.replaced(&ACCOUNT, &text, |redactor, found| {
            // `account_deactivated` is an error code; an id has digits or capitals.
            let is_id = found[0].bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            if is_id { redactor.token("account", &found[0]) } else { found[0].to_owned() }
        });
        text = self.replaced(&BLOB, &text, |redactor, found| {
            if is_blob(&found[0]) {
                redactor.count("secret");
                MASK.to_owned()
            } else {
                found[0].to_owned()
            }
        });
        self.people(&text)
    }

    /// Puts role tokens in the place of values that were given one before, the longest value first.
    fn known_roles(&self, text: &str) -> String {
        let mut known: Vec<(String, String)> = {
            let state = self.state();
            let lasting = |role: &str| ["account", "organisation", "project"].contains(&role);
            let long_enough = |value: &str| value.len() >= 6;
            // A project at or above a home has its token as a project; as a path it stays what it is.
            let holds_a_home =
                |value: &str| self.homes.iter().chain(&self.codex_home).any(|home| Path::new(home).starts_with(value));
            let roles =
                state.tokens.iter().filter(|((role, value), _)| lasting(role) && long_enough(value) && !holds_a_home(value));
            roles.map(|((_, value), token)| (value.clone(), token.clone())).collect()
        };
        known.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        known.into_iter().fold(text.to_owned(), |text, (value, token)| replace_path(&text, &value, &token))
    }

    /// Redacts homes, user and machine names in a text that holds no secret.
    fn people(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for home in self.codex_home.iter().map(|home| (home, "$CODEX_HOME")).chain(self.homes.iter().map(|home| (home, "~"))) {
            if text.contains(home.0.as_str()) {
                self.count("home");
                text = replace_path(&text, home.0, home.1);
            }
        }
        text = self.replaced(&SOME_HOME, &text, |redactor, found| {
            let user = &found["user"];
            if user.starts_with('<') || user == "~" {
                return found[0].to_owned();
            }
            redactor.count("home");
            format!("{}{}", &found[0][..found[0].len() - user.len()], redactor.token("user", user))
        });
        if let Some(user) = &self.user {
            text = self.replaced(user, &text, |redactor, found| redactor.token("user", &found[0]));
        }
        if let Some(machine) = &self.machine {
            text = self.replaced(machine, &text, |redactor, found| redactor.token("host", &found[0]));
        }
        text
    }

    /// Redacts a path: `~` for the home, a role token for a directory outside of it is given by [`Redactor::project`].
    pub fn path(&self, path: &Path) -> String {
        self.text(&path.display().to_string())
    }

    /// The role token of a project directory.
    pub fn project(&self, path: &str) -> String {
        self.token("project", path)
    }

    /// The role token of an account or workspace id.
    pub fn account(&self, id: &str) -> String {
        self.token("account", id)
    }

    /// A URL without user information, with query values masked and secrets in its path masked.
    pub fn url(&self, url: &str) -> String {
        let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
        let (address, query) = match rest.split_once('?') {
            Some((address, query)) => (address, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match address.split_once('/') {
            Some((authority, path)) => (authority, format!("/{path}")),
            None => (address, String::new()),
        };
        let authority = match authority.rsplit_once('@') {
            Some((_, host)) => {
                self.count("url-user");
                host
            }
            None => authority,
        };
        let mut path = path;
        for pattern in SECRETS.iter() {
            path = self.replaced(pattern, &path, |redactor, _| {
                redactor.count("secret");
                MASK.to_owned()
            });
        }
        path = self.replaced(&BLOB, &path, |redactor, found| {
            if is_blob(&found[0]) {
                redactor.count("secret");
                MASK.to_owned()
            } else {
                found[0].to_owned()
            }
        });
        let query = query.map(|query| {
            let pairs = query.split('&').map(|pair| match pair.split_once('=') {
                Some((name, value)) if !value.is_empty() && !is_public_query(name) => {
                    self.count("url-query");
                    format!("{name}=<masked>")
                }
                _ => pair.to_owned(),
            });
            format!("?{}", pairs.collect::<Vec<_>>().join("&"))
        });
        format!("{scheme}://{authority}{path}{}", query.unwrap_or_default())
    }

    /// Whether a text has the shape of a secret: then it may not even serve as a name.
    pub fn looks_secret(text: &str) -> bool {
        SECRETS.iter().any(|pattern| pattern.is_match(text)) || BLOB.find_iter(text).any(|found| is_blob(found.as_str()))
    }

    /// What was replaced, by rule.
    pub fn manifest(&self) -> Vec<Redaction> {
        self.state().counts.iter().map(|(rule, count)| Redaction { rule: (*rule).to_owned(), count: *count }).collect()
    }

    fn replaced(&self, pattern: &Regex, text: &str, with: impl Fn(&Self, &Captures<'_>) -> String) -> String {
        if !pattern.is_match(text) {
            return text.to_owned();
        }
        pattern.replace_all(text, |found: &Captures<'_>| with(self, found)).into_owned()
    }

    fn token(&self, role: &'static str, value: &str) -> String {
        if value.starts_with('<') && value.ends_with('>') {
            return value.to_owned();
        }
        let mut state = self.state();
        *state.counts.entry(role).or_default() += 1;
        let key = (role, value.to_owned());
        if let Some(token) = state.tokens.get(&key) {
            return token.clone();
        }
        let number = state.tokens.keys().filter(|(known, _)| *known == role).count() + 1;
        let token = format!("<{role}-{number}>");
        state.tokens.insert(key, token.clone());
        token
    }

    fn count(&self, rule: &'static str) {
        *self.state().counts.entry(rule).or_default() += 1;
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A pattern for a name as a whole word; none for names that are words of everyday texts.
fn word(name: &str) -> Option<Regex> {
    let common = ["root", "user", "admin", "codex", "localhost", "home", "ubuntu", "runner", "main", "test", "dev"];
    if name.len() < 3 || common.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    Regex::new(&format!(r"(?-u:\b){}(?-u:\b)", regex::escape(name))).ok()
}

fn machine_name() -> Option<String> {
    std::fs::read_to_string("/etc/hostname").ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Replaces `path` by `with` where it ends at a separator or at the end of a word.
fn replace_path(text: &str, path: &str, with: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(path) {
        let end = start + path.len();
        result.push_str(&rest[..start]);
        let next = rest[end..].chars().next();
        let whole = next.is_none_or(|character| !(character.is_alphanumeric() || character == '_' || character == '-'));
        result.push_str(if whole { with } else { path });
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

fn is_blob(run: &str) -> bool {
    let run = &*ID_OR_TIME.replace_all(run, "");
    if run.len() < 32 {
        return false;
    }
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let upper = run.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = run.bytes().filter(u8::is_ascii_lowercase).count();
    let separators = run.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count();
    let mixed = digits >= 4 && (upper >= 2 || lower >= 2);
    let random_case = upper >= 6 && lower >= 6 && separators <= 2;
    (mixed || random_case) && separators * 6 <= run.len()
}

/// `token: none`, `api_key = missing`: what follows the name tells of the value and is none.
fn is_word_of_speech(value: &str) -> bool {
    const WORDS: [&str; 24] = [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "missing",
        "invalid",
        "expired",
        "required",
        "unset",
        "empty",
        "absent",
        "present",
        "set",
        "not",
        "is",
        "was",
        "has",
        "the",
        "bearer",
        "basic",
        "revoked",
        "undefined",
        "unknown",
    ];
    WORDS.contains(&value.trim_end_matches('.').to_ascii_lowercase().as_str())
}

/// Query parameters whose value is part of the diagnosis.
fn is_public_query(name: &str) -> bool {
    ["api-version", "client_version", "version"].contains(&name)
}

#[cfg(test)]
mod tests {
    use codex_triage_checks::facts::run::Platform;

    use super::*;

    fn redactor() -> Redactor {
        let environment = [("HOME", "/home/maria"), ("USER", "maria"), ("HOSTNAME", "marias-laptop")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        Redactor::new(&World::new(environment, "/home/maria/work".into(), None, None, Platform::Linux, at, 0))
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let redactor = redactor();
        for secret in [
            "sk-proj-abcDEF1234567890",
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJlbWFpbCI6ImYifQ.sig",
            "rt_FAKE_not_a_token",
            "ghp_abcdefghij0123456789",
            "AIzaSyA1234567890abcdefghijklmnopqrstuv",
            "AKIAIOSFODNN7EXAMPLE",
            "Zx8Q2pLm9Rt4Vb7Nc1Ks6Yd3Wf5Hg0Jj",
        ] {
            for around in ["{}", "key {} rejected", "env_key = \"{}\"", "https://relay.example/{}/v1", "header {}, done"] {
                let shown = redactor.text(&around.replace("{}", secret));
                assert!(!shown.contains(secret), "{shown}");
            }
        }
        for (line, secret) in [
            ("Authorization: Bearer abcdef", "abcdef"),
            ("password=hunter2hunter2", "hunter2hunter2"),
            ("password: swordfish", "swordfish"),
            ("\"api_key\": \"plain and short\"", "plain and short"),
            ("experimental_bearer_token = \"never closed", "never closed"),
            ("https://u:pw@relay.example/v1?token=tiny", "pw@"),
            ("https://u:pw@relay.example/v1?token=tiny", "tiny"),
        ] {
            assert!(!redactor.text(line).contains(secret), "{}", redactor.text(line));
        }
    }

    #[test]
    fn what_the_diagnosis_needs_stays() {
        let redactor = redactor();
        for text in [
            "unexpected status 404 Not Found: Not Found, url: https://relay.example/v1/responses, request id: 01a22805-0146-7e62-852b-21e56c8e3ac8",
            "Missing environment variable: `OPENAI_API_KEY`.",
            "access token could not be refreshed because your refresh token was already used",
            "auth error code: biscuit_baker_service_me_circuit_open",
            "code: account_deactivated",
            "invalid basic string, expected `\"`",
            "Missing bearer or basic authentication in header",
            "model_providers.azure.query_params.api-version",
            "https://example.openai.azure.com/openai?api-version=preview",
            "sessions/2026/11/29/rollout-2026-11-29T15-51-34-01a22801-28df-7991-aafe-ff660b65db80.jsonl",
        ] {
            assert_eq!(redactor.text(text), text);
        }
    }

    #[test]
    fn people_become_roles_and_the_same_person_the_same_role() {
        let redactor = redactor();
        assert_eq!(redactor.text("/home/maria/.codex/config.toml"), "~/.codex/config.toml");
        assert_eq!(redactor.text(r"C:\Users\Jürgen\x"), r"C:\Users\<user-1>\x");
        assert_eq!(redactor.text("m@example.com and m@example.com"), "<email-1> and <email-1>");
        assert_eq!(redactor.text("org-ABCdef123456 on marias-laptop"), "<organisation-1> on <host-1>");
        assert_eq!(redactor.text("/home/marianne/x"), "/home/<user-2>/x");
    }
}

//! Redaction at the door: nothing becomes a fact before it went through here.
//!
//! Secrets are masked wherever they stand; personal things (home, user, host name, e-mail, account and organisation ids, project
//! paths) become role tokens, the same value the same token within a report. Endpoint hosts stay: they are the diagnosis.

mod plain;
mod shapes;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use regex::{Captures, Regex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::world::World;
pub(crate) use plain::is_invisible;
use shapes::{
    ACCOUNT, ASSIGNMENT, AUTHORITY, AUTHORIZATION, BLOB, CONTINUED, COOKIE, EMAIL, ENCODED, OPTION, ORGANISATION, OWNED_ID,
    PRIVATE_KEY, SCHEME, SECRETS, SOME_HOME, SPOKEN, Shape, TILDE, Text, URL, is_blob, is_credential, is_dense, is_harmless_name,
    is_random, is_short_for_password, is_strict_name, is_word, is_word_of_speech,
};

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
    users: Vec<Name>,
    machine: Option<Name>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counts: BTreeMap<&'static str, u64>,
    tokens: BTreeMap<(&'static str, String), String>,
    known_secrets: Vec<String>,
    /// What became of names, and of which: two names that are hidden alike stay two.
    names: BTreeMap<String, Vec<String>>,
}

/// The rules that hide what may open a door; the others hide who somebody is.
pub const SECRET_RULES: [&str; 3] = ["secret", "url-query", "url-user"];

/// The mask that takes a secret's place.
pub const MASK: &str = "<secret>";

impl Redactor {
    /// A redactor that knows this world's home, user and machine.
    pub fn new(world: &World) -> Self {
        // Several names where they differ: after `su`, or on a machine whose directory knows people by full name.
        let mut users: Vec<&str> = ["USER", "USERNAME", "LOGNAME"].iter().filter_map(|name| world.variable(name)).collect();
        users.extend(world.home.as_ref().and_then(|home| home.file_name()?.to_str()));
        users.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
        users.dedup();
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
            users: users.into_iter().filter_map(Name::of).collect(),
            machine: machine.and_then(|name| Name::of(&name)),
            state: Mutex::default(),
        }
    }

    /// Masks this exact value from now on, wherever it appears. For values that are secret by their place, not by their shape.
    pub fn learn_secret(&self, value: &str) {
        if value.len() < 6 {
            return;
        }
        let mut state = self.state();
        for form in plain::forms(value) {
            if !state.known_secrets.contains(&form) {
                state.known_secrets.push(form);
            }
        }
        // The longest first: one may be the beginning of another.
        state.known_secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// Gives the project directory its role token, unless it is no place of its own (the home, its parents, the root).
    pub fn learn_project(&self, directory: &Path, world: &World) {
        let inside_home = world.home.as_ref().is_some_and(|home| home.starts_with(directory));
        let around_codex_home = directory.starts_with(&world.codex_home) || world.codex_home.starts_with(directory);
        if !inside_home && !around_codex_home && directory.components().count() > 2 {
            self.project(&directory.display().to_string());
        }
    }

    /// Redacts free text, also where it is escaped, encoded, wrapped or painted. What could drive a terminal is taken out.
    pub fn text(&self, text: &str) -> String {
        let text = Text::from(self.known(plain::visible(text)));
        // An encoded word is shown decoded where it holds something to hide, else as it came.
        let text = self.replaced(&ENCODED, text, |redactor, found| {
            let decoded = plain::decoded(&found[0]);
            let shown = redactor.unencoded(redactor.known(plain::visible(&decoded)).into());
            if shown == decoded { found[0].to_owned() } else { shown }
        });
        self.unencoded(text)
    }

    /// Redacts a value of which every character counts. One that holds nothing to hide stays exactly as it is, with what is invisible or
    /// would drive a terminal: who shows it has to see to that.
    pub fn exact(&self, text: &str) -> String {
        exact(text, self.text(text))
    }

    /// Redacts a name that is compared with others: two names stay two, also where what is shown of them is the same.
    pub fn name(&self, name: &str) -> String {
        let shown = self.exact(name);
        if shown == name {
            return shown;
        }
        let mut state = self.state();
        let alike = state.names.entry(shown.clone()).or_default();
        let before = alike.iter().position(|known| known == name).unwrap_or_else(|| {
            alike.push(name.to_owned());
            alike.len() - 1
        });
        if before == 0 { shown } else { format!("{shown}-{}", before + 1) }
    }

    /// Masks what is known to be secret, whole and as one line.
    fn known(&self, mut text: String) -> String {
        let known = self.state().known_secrets.clone();
        for secret in known {
            if text.contains(&secret) {
                self.count("secret");
                text = text.replace(&secret, MASK);
            }
            if let Some(pattern) = plain::wrapped(&text, &secret) {
                text = pattern.replace_all(&text, |_: &Captures<'_>| self.secret()).into_owned();
            }
        }
        text
    }

    fn secret(&self) -> String {
        self.count("secret");
        MASK.to_owned()
    }

    fn unencoded(&self, text: Text) -> String {
        let mut text = self.known_roles(text);
        text = self.replaced(&PRIVATE_KEY, text, |redactor, _| redactor.secret());
        text = self.replaced(&URL, text, |redactor, found| redactor.url(&found[0].replace("\\/", "/")));
        text = self.replaced(&AUTHORITY, text, |redactor, found| {
            redactor.count("url-user");
            format!("{MASK}@{}", &found["host"])
        });
        text = self.named_secrets(text);
        for pattern in SECRETS.iter() {
            text = self.replaced(pattern, text, |redactor, _| redactor.secret());
        }
        text = self.replaced(&EMAIL, text, |redactor, found| redactor.token("email", &found[0]));
        text = self.replaced(&ORGANISATION, text, |redactor, found| redactor.token("organisation", &found[0]));
        text = self
            .replaced(&OWNED_ID, text, |redactor, found| format!("{}{}", &found["name"], redactor.token("account", &found["id"])));
        text = self.replaced(&ACCOUNT, text, |redactor, found| {
            // `account_deactivated` is an error code; an id has digits or capitals.
            let is_id = found[0].bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            if is_id { redactor.token("account", &found[0]) } else { found[0].to_owned() }
        });
        text =
            self.replaced(&BLOB, text, |redactor, found| if is_blob(&found[0]) { redactor.secret() } else { found[0].to_owned() });
        text = self.continued(text);
        self.people(text)
    }

    /// Masks what a name, an option or a header calls a secret.
    fn named_secrets(&self, text: Text) -> Text {
        let hidden = |redactor: &Self, found: &Captures<'_>| {
            redactor.count("secret");
            format!("{}{MASK}", &found["name"])
        };
        let mut text = self.replaced(&COOKIE, text, |redactor, found| hidden(redactor, found));
        text = self.replaced(&AUTHORIZATION, text, |redactor, found| {
            if is_word_of_speech(&found["value"]) { found[0].to_owned() } else { hidden(redactor, found) }
        });
        text = self.replaced(&OPTION, text, |redactor, found| hidden(redactor, found));
        text = self.replaced(&ASSIGNMENT, text, |redactor, found| {
            let value = &found["value"];
            let bare = value.trim_matches(['"', '\'', '\\', '`']);
            let name = found["word"].to_lowercase().replace('-', "_");
            let kept = bare.is_empty()
                || (!bare.contains(char::is_alphanumeric) && !is_strict_name(&name))
                || bare.starts_with(MASK)
                || is_word_of_speech(bare)
                || bare.starts_with('$')
                || is_harmless_name(&name)
                || (is_short_for_password(&name) && is_count(bare))
                || (!is_strict_name(&name) && is_word(bare))
                || (["key", "token", "auth"].contains(&name.as_str()) && !is_credential(bare));
            if kept {
                return found[0].to_owned();
            }
            redactor.count("secret");
            let quote: String = value.chars().take_while(|mark| ['"', '\'', '\\', '`'].contains(mark)).collect();
            // A quote that is not closed is the fault that the line is shown for.
            let closing = if value.len() > quote.len() && value.ends_with(&quote) { quote.as_str() } else { "" };
            format!("{}{quote}{MASK}{closing}", &found["name"])
        });
        text = self.replaced(&SPOKEN, text, |redactor, found| {
            if is_credential(&found["value"]) { hidden(redactor, found) } else { found[0].to_owned() }
        });
        self.replaced(&SCHEME, text, |redactor, found| {
            // "basic string" and "bearer authentication" are words.
            if found["value"].bytes().all(|byte| byte.is_ascii_lowercase()) {
                return found[0].to_owned();
            }
            redactor.count("secret");
            format!("{}{MASK}", &found["scheme"])
        })
    }

    /// Masks the rest of a secret that was broken at the end of a line.
    fn continued(&self, mut text: Text) -> Text {
        for _ in 0..64 {
            let Some(pattern) = CONTINUED.regex_for(&text) else { break };
            let with = |found: &Captures<'_>| if is_credential(&found["rest"]) { MASK.to_owned() } else { found[0].to_owned() };
            let next = pattern.replace_all(&text, with);
            if *next == *text {
                break;
            }
            text = next.into_owned().into();
        }
        text
    }

    /// Puts role tokens in the place of values that were given one before, the longest value first.
    fn known_roles(&self, text: Text) -> Text {
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
        known.retain(|(value, _)| text.contains(value));
        known.into_iter().fold(text, |text, (value, token)| replace_path(&text, &value, &token).into())
    }

    /// Redacts homes, user and machine names in a text that holds no secret.
    fn people(&self, mut text: Text) -> String {
        for home in self.codex_home.iter().map(|home| (home, "$CODEX_HOME")).chain(self.homes.iter().map(|home| (home, "~"))) {
            if text.contains(home.0.as_str()) {
                self.count("home");
                text = replace_path(&text, home.0, home.1).into();
            }
        }
        text = self.replaced(&SOME_HOME, text, |redactor, found| {
            let Some(user) = found.name("spaced").or_else(|| found.name("user")) else { return found[0].to_owned() };
            let user = user.as_str();
            if user.starts_with('<') || user == "~" {
                return found[0].to_owned();
            }
            redactor.count("home");
            let start = found["root"].len();
            format!("{}{}{}", &found["root"], redactor.token("user", user), &found[0][start + user.len()..])
        });
        text = self.replaced(&TILDE, text, |redactor, found| format!("~{}/", redactor.token("user", &found["user"])));
        let mut text = text.into_string();
        for (role, name) in self.users.iter().map(|user| ("user", user)).chain(self.machine.iter().map(|machine| ("host", machine)))
        {
            if let Some(pattern) = name.pattern_for(&text) {
                text = pattern.replace_all(&text, |found: &Captures<'_>| self.token(role, &found[0])).into_owned();
            }
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
        let (rest, fragment) = match rest.split_once('#') {
            Some((rest, fragment)) => (rest, Some(fragment)),
            None => (rest, None),
        };
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
        let mut path = Text::from(path);
        for pattern in SECRETS.iter() {
            path = self.replaced(pattern, path, |redactor, _| redactor.secret());
        }
        // A key may be a part of the path, as in the addresses of web hooks.
        let path = path
            .split('/')
            .map(|part| if is_blob(part) || is_random(part) { self.secret() } else { part.to_owned() })
            .collect::<Vec<_>>()
            .join("/");
        let query = query.map(|query| format!("?{}", self.pairs(query))).unwrap_or_default();
        let fragment = fragment.map(|fragment| format!("#{}", self.pairs(fragment))).unwrap_or_default();
        format!("{scheme}://{authority}{path}{query}{fragment}")
    }

    /// The pairs of a query or a fragment, their values masked.
    fn pairs(&self, query: &str) -> String {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) if !(value.is_empty() || (is_public_query(name) && is_version(value))) => {
                self.count("url-query");
                format!("{name}=<masked>")
            }
            _ => pair.to_owned(),
        };
        query.split('&').map(pair).collect::<Vec<_>>().join("&")
    }

    /// Whether a text has the shape of a secret: then it may not even serve as a name.
    pub fn looks_secret(text: &str) -> bool {
        is_dense(text) || {
            let text = Text::from(text.to_owned());
            SECRETS.iter().any(|pattern| pattern.is_match(&text))
                || BLOB.regex_for(&text).is_some_and(|blob| blob.find_iter(&text).any(|found| is_blob(found.as_str())))
        }
    }

    /// The rules by which something in a text would be replaced. Nothing is counted, and no token is given out.
    pub fn rules_for(&self, text: &str) -> Vec<&'static str> {
        let known_secrets = self.state().known_secrets.clone();
        let apart = Self {
            homes: self.homes.clone(),
            codex_home: self.codex_home.clone(),
            users: self.users.clone(),
            machine: self.machine.clone(),
            state: Mutex::new(State { known_secrets, ..State::default() }),
        };
        apart.text(text);
        let state = apart.state();
        state.counts.keys().copied().collect()
    }

    /// What was replaced, by rule.
    pub fn manifest(&self) -> Vec<Redaction> {
        self.state().counts.iter().map(|(rule, count)| Redaction { rule: (*rule).to_owned(), count: *count }).collect()
    }

    fn replaced(&self, shape: &Shape, text: Text, with: impl Fn(&Self, &Captures<'_>) -> String) -> Text {
        let Some(pattern) = shape.regex_for(&text) else { return text };
        match pattern.replace_all(&text, |found: &Captures<'_>| with(self, found)) {
            Cow::Owned(replaced) => replaced.into(),
            Cow::Borrowed(_) => text,
        }
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

/// `text` itself where redaction left `shown` of it and hid nothing.
pub(crate) fn exact(text: &str, shown: String) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !is_plain && shown == plain::visible(text) { text.to_owned() } else { shown }
}

/// The name of a person or a machine, to be found as a whole word.
#[derive(Clone, Debug)]
struct Name {
    name: String,
    /// Built for the first text that holds the name.
    pattern: OnceLock<Option<Regex>>,
}

impl Name {
    /// None for names that are words of everyday texts.
    fn of(name: &str) -> Option<Self> {
        let common = ["root", "user", "admin", "codex", "localhost", "home", "ubuntu", "runner", "main", "test", "dev"];
        let is_common = name.len() < 3 || common.contains(&name.to_ascii_lowercase().as_str());
        (!is_common).then(|| Self { name: name.to_owned(), pattern: OnceLock::new() })
    }

    fn pattern_for(&self, text: &str) -> Option<&Regex> {
        let pattern = || {
            let name = regex::escape(&self.name);
            // Scripts without spaces have no word boundaries either.
            Regex::new(&if name.is_ascii() { format!(r"(?-u:\b){name}(?-u:\b)") } else { name }).ok()
        };
        text.contains(&self.name).then(|| self.pattern.get_or_init(pattern).as_ref())?
    }
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

/// Query parameters whose value is part of the diagnosis.
fn is_public_query(name: &str) -> bool {
    ["api-version", "client_version", "version"].contains(&name)
}

fn is_version(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// Whether a value is a small number: `pass: 12` counts tests.
fn is_count(value: &str) -> bool {
    value.len() <= 3 && value.bytes().all(|byte| byte.is_ascii_digit())
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
    fn a_secret_in_another_dress_is_masked_too() {
        let redactor = redactor();
        redactor.learn_secret("CANARYlearned-by-its-place");
        for text in [
            // Quoted once and twice, percent-encoded, painted, hidden, broken into lines, boxed.
            r#""{\"api_key\": \"CANARY opaque\"}""#,
            r#""\"{\\\"api_key\\\": \\\"CANARYopaque\\\"}\"""#,
            "https://r.example/v1?api_key%3DCANARYopaque9x8y7z",
            "Authorization%3A%20Bearer%20CANARYopaque9x8y7z",
            "sk%2Dproj%2DCANARYabcdEFGH",
            "sk-\u{1b}[31mproj-\u{1b}[0mCANARYabcd1234",
            "Authorization: Bearer CAN\u{1b}[0mARYopaque",
            "api_key\u{1b}[0m=\u{1b}[1mCANARYopaque",
            "sk-\u{200b}proj-CAN\u{202e}ARYabcd",
            "│ key sk-proj-abcd1234 │\n│ 1234CANARYefgh5678 │",
            "Authorization: Bearer abcd1234efgh\r\n    5678CANARYopaque",
            "CANARYlearned\n   -by-its-place",
            "CANARYlearned%2Dby%2Dits%2Dplace",
            // By the word beside it.
            "cookie: a=b; session=CANARYsession",
            "curl -u user:CANARYpw https://x.example",
            "curl -H 'X-Custom-Token: CANARYshort'",
            "Authorization: Token CANARYshort",
            "export RELAY_TOKEN=CANARYshort",
            "set FOO_SECRET CANARYshort",
            "$env:MY_KEY=\"CANARYshort\"",
            "--api-key CANARYshort",
            "--password=CANARYshort",
            "\"token\": \"CANARYshort1\"",
            "pwd=CANARYshort",
            "密钥：CANARYopaque",
            "无效的令牌 CANARYopaque9x8y (request id: 2)",
            "Incorrect API key provided: CANARYopaque9x8y. You can find your key",
            "Incorrect API key provided: CANARYab*******7890.",
            "-----BEGIN PRIVATE KEY-----\nMIICANARYabc\nCANARYdef\n-----END PRIVATE KEY-----",
            "aws_secret_access_key = CANARYabc/def+ghi",
            "https://hooks.example.com/services/T000/CANARYhook1234567890ab",
            "CANARYuser:CANARYpw@proxy.example:8080",
            r"https:\/\/CANARYuser:CANARYpw@host.example\/x",
            "https://relay.example/v1?api-version=1#frag=x/responses?sig=CANARYsig",
            "https://relay.example/cb#code=CANARYcode",
            "https://<secret>@relay.example/CANARYpath9x8y7z6w5v4u/v1",
            // People.
            "canarypérson@exämple.com",
            r"C:\Users\Jo CANARY\x",
            r"\\server\Users\canaryperson\x",
            "~canaryperson/x",
            "%2Fhome%2Fcanaryperson%2Fx",
            "account 0c0ffee0-1111-4111-8111-0000canary00",
            "chatgpt_account_id: 0c0ffee0-CANA-4111-8111-000000000000".replace("CANA", "ca1a").as_str(),
        ] {
            let text = text.replace("0000canary00", "0000ca1a1200");
            let shown = redactor.text(&text).to_lowercase();
            assert!(!shown.contains("canary") && !shown.contains("ca1a"), "{text:?} is shown as {shown:?}");
        }
        let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, "CANARYlearned-by-its-place");
        assert!(!redactor.text(&format!("echo {encoded}")).contains(encoded.trim_end_matches('=')));
    }

    #[test]
    fn a_short_password_is_hidden_behind_the_short_names_of_one() {
        let redactor = redactor();
        for text in
            ["pw=hunter", "pass: abc", "user=me pw = 'x1'", "db_pass=1234", "PW: tiger", "pass=\"s3c\"", "proxy-pass = word"]
        {
            let shown = redactor.text(text);
            let (_, value) = text.split_once(['=', ':']).unwrap();
            let value = value.split_once("pw = ").map_or(value, |(_, value)| value).trim().trim_matches(['"', '\'']);
            assert!(!shown.contains(value) && shown.contains(MASK), "{text} is shown as {shown}");
        }
    }

    #[test]
    fn nothing_that_drives_a_terminal_or_turns_its_text_becomes_a_fact() {
        let shown = redactor().text("a\u{1b}]0;title\u{7}b\u{1b}[2J\u{202e}c\u{9b}31md\u{8}e\u{1b}Pq\u{1b}\\f\tg\nh");
        assert_eq!(shown, "abcd\u{fffd}ef\tg\nh");
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
            "invalid_api_key: Incorrect API key provided",
            "code=invalid_api_key, key: model_fallback, token: expired",
            "unknown key `model_fallback`; token budget: 500, max_tokens=1000, tokens per min (TPM): Limit 30000",
            "env_key = \"RELAY_KEY\", the API key OPENAI_API_KEY is not set",
            "该令牌无权访问模型 gpt-5-codex; 令牌额度不足",
            "the token gpt-6.1-sol-2026-08-01 is no model; key=none",
            "100%25 of /v1/models%20",
            "model_providers.azure.query_params.api-version",
            "pass: 12, fail: 3; bypass: proxy, compass=north, first_pass = true, a bypass=x",
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

//! `auth.json`, judged as strictly as Codex reads it: one field of a wrong type, and Codex goes on as if nobody had logged in.

use std::io::Read;
use std::path::Path;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::credentials::{CredentialKind, Tokens};
use serde_json::Value;

use super::Secrets;
use super::jwt::Claims;
use crate::redact::Redactor;

/// A login is a few kilobytes.
const LARGEST: u64 = 4 * 1024 * 1024;
/// From this length on, a run of characters under any name is taken for a secret.
const DENSE: usize = 16;
/// The words of `auth_mode` and what they mean. Codex refuses every other spelling (measured on 0.171.0).
const MODES: [(&str, CredentialKind); 7] = [
    ("apikey", CredentialKind::ApiKey),
    ("chatgpt", CredentialKind::Chatgpt),
    ("chatgptAuthTokens", CredentialKind::Chatgpt),
    ("agentIdentity", CredentialKind::AgentIdentity),
    ("personalAccessToken", CredentialKind::PersonalAccessToken),
    ("bedrockApiKey", CredentialKind::Bedrock),
    ("bedrockAccessKeys", CredentialKind::Bedrock),
];

/// What became of reading the file. Holds secrets: no `Debug`.
pub(super) enum Store {
    /// Not there.
    Missing,
    /// There, and Codex cannot use it.
    Broken(String),
    /// Read.
    Read(Box<Stored>),
}

impl Store {
    pub(super) fn stored(&self) -> Option<&Stored> {
        match self {
            Self::Read(stored) => Some(stored),
            _ => None,
        }
    }

    pub(super) fn broken(&self) -> Option<&str> {
        match self {
            Self::Broken(why) => Some(why),
            _ => None,
        }
    }

    pub(super) fn exists(&self) -> bool {
        !matches!(self, Self::Missing)
    }
}

/// The file's content.
#[derive(Default)]
pub(super) struct Stored {
    mode: Option<CredentialKind>,
    key: Option<String>,
    pub(super) tokens: Option<StoredTokens>,
    personal_access_token: Option<String>,
    agent_identity: bool,
    pub(super) bedrock: bool,
}

/// A ChatGPT login, without its refresh token.
pub(super) struct StoredTokens {
    access_token: String,
    account: Option<String>,
    /// The account that the identity token names.
    pub(super) claimed_account: Option<String>,
    plan: Option<String>,
    expires_at: Option<DateTime<Utc>>,
    issued_at: Option<DateTime<Utc>>,
    last_refresh: Option<DateTime<Utc>>,
    refreshable: bool,
    fedramp: bool,
}

impl StoredTokens {
    pub(super) fn fact(&self, redactor: &Redactor) -> Tokens {
        let account = |id: &Option<String>| id.as_deref().map(|id| redactor.account(id));
        Tokens {
            plan: self.plan.as_deref().map(|plan| redactor.text(plan)),
            account: account(&self.account),
            token_account: account(&self.claimed_account),
            expires_at: self.expires_at,
            issued_at: self.issued_at,
            last_refresh: self.last_refresh,
            refreshable: self.refreshable,
        }
    }
}

impl Stored {
    /// All credentials in the file.
    pub(super) fn kinds(&self) -> Vec<CredentialKind> {
        let all = [
            (CredentialKind::ApiKey, self.key.is_some()),
            (CredentialKind::Chatgpt, self.tokens.is_some()),
            (CredentialKind::PersonalAccessToken, self.personal_access_token.is_some()),
            (CredentialKind::AgentIdentity, self.agent_identity),
            (CredentialKind::Bedrock, self.bedrock),
        ];
        all.into_iter().filter(|(_, there)| *there).map(|(kind, _)| kind).collect()
    }

    /// The one that Codex takes: that of the mode; without a mode, a key beats everything.
    pub(super) fn used(&self) -> Option<CredentialKind> {
        let order =
            [CredentialKind::ApiKey, CredentialKind::PersonalAccessToken, CredentialKind::AgentIdentity, CredentialKind::Chatgpt];
        let there = self.kinds();
        match self.mode {
            Some(mode) => there.contains(&mode).then_some(mode).filter(|mode| *mode != CredentialKind::Bedrock),
            None => order.into_iter().find(|kind| there.contains(kind)),
        }
    }

    /// What of the used one is sent.
    pub(super) fn secrets(&self) -> Secrets {
        let bearer = |token: &Option<String>| Secrets { bearer: token.clone(), ..Secrets::default() };
        match (self.used(), &self.tokens) {
            (Some(CredentialKind::ApiKey), _) => bearer(&self.key),
            (Some(CredentialKind::PersonalAccessToken), _) => bearer(&self.personal_access_token),
            (Some(CredentialKind::Chatgpt), Some(tokens)) => Secrets {
                bearer: Some(tokens.access_token.clone()),
                account_id: tokens.account.clone().or_else(|| tokens.claimed_account.clone()),
                fedramp: tokens.fedramp,
            },
            _ => Secrets::default(),
        }
    }
}

/// Reads the file at `path` and makes all its secrets known to the redactor.
pub(super) fn read(path: &Path, redactor: &Redactor) -> Store {
    let text = match contents(path) {
        Ok(Some(text)) => text,
        Ok(None) => return Store::Missing,
        Err(why) => return Store::Broken(why),
    };
    let json: Value = match serde_json::from_str(&text) {
        Ok(json) => json,
        // The parser's message names a place, never a value.
        Err(error) => return Store::Broken(format!("not valid JSON: {error}")),
    };
    learn(&json, redactor);
    match parsed(&json) {
        Ok(stored) => Store::Read(Box::new(stored)),
        Err(why) => Store::Broken(why),
    }
}

fn contents(path: &Path) -> Result<Option<String>, String> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !found.is_file() {
        return Err("not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map(Some).map_err(|_| "not UTF-8".to_owned())
}

/// Makes the secrets of the file known: whatever stands under a name that promises one, and what is too long and dense to be anything else.
fn learn(json: &Value, redactor: &Redactor) {
    let Value::Object(fields) = json else { return };
    for (name, value) in fields {
        let name = name.to_ascii_lowercase();
        match value {
            Value::String(text) => {
                let promised = ["token", "key", "secret", "agent_identity"].iter().any(|word| name.contains(word));
                let is_public = ["auth_mode", "last_refresh", "account_id", "email", "user_id", "plan_type"]
                    .iter()
                    .any(|word| name.contains(word));
                let is_dense = text.len() >= DENSE && !text.contains(char::is_whitespace);
                if promised || (is_dense && !is_public) {
                    redactor.learn_secret(text.trim());
                }
            }
            Value::Object(_) => learn(value, redactor),
            _ => {}
        }
    }
}

fn parsed(json: &Value) -> Result<Stored, String> {
    let Value::Object(fields) = json else { return Err("no JSON object".to_owned()) };
    let there = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let text = |name: &str| match there(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is not a string")),
    };
    let mode = match text("auth_mode")? {
        None => None,
        Some(word) => {
            let known = MODES.iter().find(|(mode, _)| *mode == word).map(|(_, kind)| *kind);
            Some(known.ok_or_else(|| format!("`auth_mode` is `{word}`, which Codex does not know"))?)
        }
    };
    let last_refresh = text("last_refresh")?
        .map(|moment| DateTime::parse_from_rfc3339(&moment).map_err(|_| "`last_refresh` is not a date".to_owned()))
        .transpose()?
        .map(|moment| moment.to_utc());
    let stored = Stored {
        mode,
        key: text("OPENAI_API_KEY")?,
        tokens: there("tokens").map(|tokens| login(tokens, last_refresh)).transpose()?,
        personal_access_token: text("personal_access_token")?,
        agent_identity: there("agent_identity").is_some(),
        bedrock: fields.iter().any(|(name, value)| name.starts_with("bedrock") && !value.is_null()),
    };
    if stored.mode == Some(CredentialKind::ApiKey) && stored.key.is_none() {
        return Err("`auth_mode` is `apikey`, and there is no key".to_owned());
    }
    Ok(stored)
}

fn login(tokens: &Value, last_refresh: Option<DateTime<Utc>>) -> Result<StoredTokens, String> {
    let text = |name: &str| match tokens.get(name) {
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err(format!("`tokens.{name}` is not a string")),
        None => Err(format!("`tokens` lacks `{name}`")),
    };
    let identity = Claims::of(text("id_token")?).ok_or("`tokens.id_token` is no readable token")?;
    let access_token = text("access_token")?;
    let refreshable = !text("refresh_token")?.trim().is_empty();
    let access = Claims::of(access_token);
    let own = |name: &str| identity.own(name).or_else(|| access.as_ref()?.own(name)).map(str::to_owned);
    Ok(StoredTokens {
        access_token: access_token.to_owned(),
        account: tokens.get("account_id").and_then(Value::as_str).map(str::to_owned),
        claimed_account: own("chatgpt_account_id"),
        plan: own("chatgpt_plan_type"),
        expires_at: access.as_ref().and_then(|access| access.moment("exp")),
        issued_at: access.as_ref().and_then(|access| access.moment("iat")),
        last_refresh,
        refreshable,
        fedramp: identity.own_flag("chatgpt_account_is_fedramp"),
    })
}

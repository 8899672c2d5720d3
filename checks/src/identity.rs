//! Who is asking: does Codex have a credential that the provider takes, and is it the one that the user means?
//!
//! # What it checks
//! Which of the stored and set credentials `codex exec` takes (measured on 0.171.0), whether it is there, readable, unexpired and of one account,
//! and whether a rule of the configuration forbids it. Variables that look like credentials and are none to Codex are named.
//!
//! # Why it matters
//! A missing or refused credential ends in a bare 401, at a relay often in "at capacity". A key that lies beside a ChatGPT login is billed
//! silently. A login that breaks a forced rule is deleted by the next start of Codex.
//!
//! # What it cannot tell
//! Whether a server accepts the credential (`reachability` asks). What lies in a keyring, and what a configured command prints: neither is opened.
//!
//! # Fix
//! `codex logout`, then `codex login`; set the variable that the provider names; keep one credential and remove the others.
//!
//! # Example
//! A provider with `env_key = "RELAY_KEY"` and no such variable: Codex sends nothing at all.

use crate::facts::Facts;
use crate::facts::credentials::{CredentialKind, Credentials, ForcedMismatch};
use crate::facts::endpoint::HostKind;
use crate::facts::run::Scope;
use crate::finding::{Finding, Place, Severity};
use crate::kind::{Kind, Target};
use crate::subject::Subject;

mod login;

pub(crate) const ID: &str = "identity";

const GROUP: &str = "credentials";
/// The variable that other clients read.
const OPENAI_KEY: &str = "OPENAI_API_KEY";
/// Nothing that this provider takes: the server answers 401 to every request.
const NO_CREDENTIAL: i16 = 26;
/// The same where the address is not OpenAI's own: some relays and local servers ask for no key.
const NO_CREDENTIAL_ELSEWHERE: i16 = 8;
/// Codex itself refuses to send a request.
const MISSING_VARIABLE: i16 = 30;
/// Codex logs out at its start.
const FORCED: i16 = 26;
/// An organisation header may be wrong, and mostly is not.
const ORGANISATION: i16 = 4;

/// Words of errors that a credential causes.
const WORDS: [&str; 12] = [
    "unauthor",
    "authenticat",
    "forbidden",
    "api key",
    "api_key",
    "apikey",
    "access token",
    "refresh token",
    "log in",
    "sign in",
    "credential",
    "missing environment variable",
];

pub(crate) fn codes() -> Vec<String> {
    let own = [
        "signed-in",
        "not-needed",
        "none",
        "missing-variable",
        "broken-store",
        "forced-mismatch",
        "ignored-variable",
        "env-beats-login",
        "both-stored",
        "organisation-set",
        "keyring",
    ];
    own.iter().chain(login::CODES).map(|code| format!("identity.{code}")).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(credentials) = facts.credentials.value() else { return vec![Finding::cannot_tell(ID, &facts.credentials)] };
    let mut findings = vec![used(facts, credentials)];
    findings.extend(broken_store(credentials));
    findings.extend(forced_mismatch(credentials, facts));
    findings.extend(login::findings(facts, credentials));
    findings.extend(confusions(facts, credentials));
    if facts.run.scope == Scope::Lint {
        findings = findings.into_iter().filter_map(|finding| of_the_file(finding, credentials)).collect();
    }
    let plausible = may_come_from_credentials(facts);
    for finding in &mut findings {
        if !plausible {
            finding.weights.remove(Kind::ConfigCredentials.name());
        }
        finding.evidence.push(facts.credentials.source.clone());
    }
    findings
}

/// What `lint` tells of it: what the configuration and the login make of each other. A login that is missing is no fault of a file, two of
/// them are none either, and a variable beside one that works hardly misleads.
fn of_the_file(finding: Finding, credentials: &Credentials) -> Option<Finding> {
    match finding.code.as_str() {
        "identity.forced-mismatch" => Some(finding),
        "identity.ignored-variable" if credentials.used().is_none() => Some(finding),
        "identity.both-stored" | "identity.env-beats-login" | "identity.ignored-variable" => {
            Some(Finding { severity: finding.severity.min(Severity::Note), ..finding })
        }
        _ => Some(finding).filter(|finding| finding.severity == Severity::Ok),
    }
}

/// Whether the error that is triaged, if any, is one that a credential can cause. A login that is missing now did not cause what a server
/// answered to it.
fn may_come_from_credentials(facts: &Facts) -> bool {
    let Some(subject) = Subject::of(facts) else { return true };
    let text = subject.text.as_deref().unwrap_or_default().to_lowercase();
    let says_nothing = text.is_empty() && subject.code.is_none() && subject.status.is_none();
    let is_status = |word: &str| word == "401" || word == "403";
    let in_text = text.split(|character: char| !character.is_ascii_alphanumeric()).any(is_status);
    let by_status = matches!(subject.status, Some(401 | 403)) || in_text;
    let by_code = subject.code.as_deref() == Some("unauthorized");
    says_nothing || by_status || by_code || WORDS.iter().any(|word| text.contains(word))
}

fn finding(code: &str, severity: Severity) -> Finding {
    Finding::plain(ID, format!("identity.{code}"), severity).group(GROUP)
}

/// A weight that means something only where a request failed: a weak hint must not make a fault of a home in which nothing is wrong.
fn hinting(finding: Finding, facts: &Facts, kind: Kind, decibans: i16) -> Finding {
    if Subject::of(facts).is_some() { finding.weighs(Target::Kind(kind), decibans) } else { finding }
}

fn credential_fault(finding: Finding, decibans: i16) -> Finding {
    finding.weighs(Target::Kind(Kind::ConfigCredentials), decibans)
}

/// The credential in use, or what its absence means.
fn used(facts: &Facts, credentials: &Credentials) -> Finding {
    if let Some(variable) = &credentials.missing_variable {
        return credential_fault(finding("missing-variable", Severity::Error).arg("variable", variable.as_str()), MISSING_VARIABLE);
    }
    match credentials.used() {
        Some(used) if used.kind == CredentialKind::Keyring => finding("keyring", Severity::Note).arg("place", used.place.as_str()),
        Some(used) => finding("signed-in", Severity::Ok).arg("kind", kind_name(used.kind)).arg("place", used.place.as_str()),
        None if !credentials.openai_auth_applies => finding("not-needed", Severity::Ok),
        None => {
            let elsewhere = facts.endpoint.value().is_some_and(|endpoint| endpoint.host_kind != HostKind::Official);
            let (severity, decibans) =
                if elsewhere { (Severity::Warning, NO_CREDENTIAL_ELSEWHERE) } else { (Severity::Error, NO_CREDENTIAL) };
            let none = finding("none", severity);
            if elsewhere { hinting(none, facts, Kind::ConfigCredentials, decibans) } else { credential_fault(none, decibans) }
        }
    }
}

/// Codex goes on without a login where it cannot read the stored one.
fn broken_store(credentials: &Credentials) -> Option<Finding> {
    let why = credentials.broken_store.as_ref()?;
    let needed = credentials.openai_auth_applies && credentials.used().is_none();
    let severity = if needed { Severity::Error } else { Severity::Warning };
    let broken = finding("broken-store", severity).arg("reason", why.as_str());
    Some(if needed { credential_fault(broken, NO_CREDENTIAL + 1) } else { broken })
}

fn forced_mismatch(credentials: &Credentials, facts: &Facts) -> Option<Finding> {
    let rule = match credentials.forced_mismatch? {
        ForcedMismatch::LoginMethod => "forced_login_method",
        ForcedMismatch::Workspace => "forced_chatgpt_workspace_id",
    };
    let forced = credential_fault(finding("forced-mismatch", Severity::Error).arg("rule", rule), FORCED);
    Some(forced.at_maybe(facts.config.value().and_then(|config| config.effective(&[rule])).and_then(Place::of)))
}

/// What is there beside the credential in use, and what people may take for it.
fn confusions(facts: &Facts, credentials: &Credentials) -> Vec<Finding> {
    let mut findings = Vec::new();
    let used = credentials.used().map(|used| used.kind);
    let stored = |kind| credentials.present.iter().any(|credential| credential.kind == kind);
    if stored(CredentialKind::ApiKey) && stored(CredentialKind::Chatgpt) {
        let key_wins = used == Some(CredentialKind::ApiKey);
        let severity = if key_wins { Severity::Warning } else { Severity::Note };
        let both = finding("both-stored", severity).arg("kind", used.map_or("-", kind_name));
        let both = if key_wins { hinting(both, facts, Kind::QuotaCredits, 3) } else { both };
        findings.push(if key_wins { hinting(both, facts, Kind::ConfigCredentials, 3) } else { both });
    }
    if let Some(variable) = credentials.used().filter(|used| beats_login(used.kind)).map(|used| used.place.as_str())
        && (stored(CredentialKind::ApiKey) || stored(CredentialKind::Chatgpt))
    {
        findings.push(finding("env-beats-login", Severity::Note).arg("variable", variable));
    }
    for variable in &credentials.ignored_variables {
        // With a provider that takes no login of OpenAI, nobody believes that it counts.
        let severity = if credentials.openai_auth_applies { Severity::Warning } else { Severity::Note };
        let ignored = finding("ignored-variable", severity).arg("variable", variable.as_str());
        let is_believed = used.is_none() && credentials.openai_auth_applies && variable == OPENAI_KEY;
        findings.push(if is_believed { ignored.message_id("identity-ignored-variable-alone") } else { ignored });
    }
    for variable in &credentials.organisation_variables {
        let set = finding("organisation-set", Severity::Note).arg("variable", variable.as_str());
        findings.push(hinting(set, facts, Kind::QuotaOrg, ORGANISATION));
    }
    findings
}

fn beats_login(kind: CredentialKind) -> bool {
    matches!(kind, CredentialKind::EnvApiKey | CredentialKind::EnvAccessToken)
}

/// The stable name of a kind of credential, which the messages select by.
fn kind_name(kind: CredentialKind) -> &'static str {
    match kind {
        CredentialKind::Chatgpt => "chatgpt",
        CredentialKind::ApiKey => "api-key",
        CredentialKind::EnvApiKey => "env-api-key",
        CredentialKind::EnvAccessToken => "env-access-token",
        CredentialKind::ProviderEnvKey => "provider-env-key",
        CredentialKind::ProviderBearer => "provider-bearer",
        CredentialKind::ProviderCommand => "provider-command",
        CredentialKind::ProviderHeaders => "provider-headers",
        CredentialKind::PersonalAccessToken => "personal-access-token",
        CredentialKind::AgentIdentity => "agent-identity",
        CredentialKind::Bedrock => "bedrock",
        CredentialKind::Keyring => "keyring",
    }
}

#[cfg(test)]
mod tests;

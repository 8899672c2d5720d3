use chrono::{DateTime, TimeDelta, Utc};

use super::*;
use crate::facts::Observed;
use crate::facts::credentials::{Credential, Tokens};
use crate::facts::history::{FailedTurn, History};
use crate::kind::Cause;
use crate::verdict::weigh;

fn now() -> DateTime<Utc> {
    Facts::default().run.at
}

fn facts(credentials: Credentials) -> Facts {
    Facts { credentials: Observed::known(credentials, "~/.codex/auth.json"), ..Facts::default() }
}

fn credential(kind: CredentialKind, used: bool) -> Credential {
    Credential { kind, place: "~/.codex/auth.json".to_owned(), used }
}

fn chatgpt(tokens: Tokens) -> Credentials {
    Credentials {
        present: vec![credential(CredentialKind::Chatgpt, true)],
        tokens: Some(tokens),
        openai_auth_applies: true,
        ..Credentials::default()
    }
}

fn fresh() -> Tokens {
    Tokens {
        plan: Some("plus".to_owned()),
        account: Some("<account-1>".to_owned()),
        token_account: Some("<account-1>".to_owned()),
        expires_at: Some(now() + TimeDelta::days(5)),
        last_refresh: Some(now() - TimeDelta::hours(6)),
        refreshable: true,
        ..Tokens::default()
    }
}

fn codes_of(facts: &Facts) -> Vec<String> {
    run(facts).into_iter().map(|finding| finding.code).collect()
}

fn cause(facts: &Facts) -> Cause {
    weigh(facts, &run(facts)).cause
}

fn with_a_failure(mut facts: Facts) -> Facts {
    let failure = FailedTurn { at: now(), ..FailedTurn::default() };
    facts.history = Observed::known(History { failures: vec![failure], ..History::default() }, "sessions");
    facts
}

#[test]
fn a_fresh_login_is_fine() {
    let facts = facts(chatgpt(fresh()));
    assert_eq!(codes_of(&facts), ["identity.signed-in", "identity.plan"]);
    assert_eq!(cause(&facts), Cause::Healthy);
}

#[test]
fn no_login_at_the_official_address_stops_everything() {
    let facts = facts(Credentials { openai_auth_applies: true, ..Credentials::default() });
    assert_eq!(codes_of(&facts), ["identity.none"]);
    assert_eq!(cause(&facts), Cause::Config);
}

#[test]
fn a_provider_without_a_login_needs_none() {
    let facts = facts(Credentials::default());
    assert_eq!(codes_of(&facts), ["identity.not-needed"]);
    assert_eq!(cause(&facts), Cause::Healthy);
}

#[test]
fn a_variable_that_the_provider_names_and_nobody_set_is_a_sure_fault() {
    let facts = facts(Credentials { missing_variable: Some("RELAY_KEY".to_owned()), ..Credentials::default() });
    assert_eq!(codes_of(&facts), ["identity.missing-variable"]);
    assert_eq!(weigh(&facts, &run(&facts)).kind, Some(Kind::ConfigCredentials));
}

#[test]
fn an_expired_token_that_codex_refreshes_is_no_fault_by_itself() {
    let old = Tokens { expires_at: Some(now() - TimeDelta::hours(2)), last_refresh: Some(now() - TimeDelta::days(11)), ..fresh() };
    let refreshable = facts(chatgpt(old.clone()));
    assert_eq!(codes_of(&refreshable)[1..3], ["identity.expired", "identity.refresh-stale"]);
    assert_eq!(cause(&refreshable), Cause::Healthy);
    let hinted = run(&with_a_failure(refreshable));
    assert!(hinted.iter().any(|finding| finding.weights.get("config.credentials") == Some(&REFRESHABLE_HINT)));
    let for_good = facts(chatgpt(Tokens { refreshable: false, ..old }));
    assert_eq!(cause(&for_good), Cause::Config);
}

const REFRESHABLE_HINT: i16 = 4;

#[test]
fn a_login_put_together_from_two_accounts_is_a_fault_of_the_configuration() {
    let facts = facts(chatgpt(Tokens { token_account: Some("<account-2>".to_owned()), ..fresh() }));
    assert!(codes_of(&facts).contains(&"identity.account-mismatch".to_owned()));
    assert_eq!(cause(&facts), Cause::Config);
}

#[test]
fn a_login_that_breaks_a_forced_rule_is_about_to_be_deleted() {
    let facts = facts(Credentials { forced_mismatch: Some(ForcedMismatch::Workspace), ..chatgpt(fresh()) });
    assert_eq!(cause(&facts), Cause::Config);
}

#[test]
fn a_broken_file_counts_only_where_the_login_is_needed() {
    let broken = || Some("not valid JSON".to_owned());
    let needed = facts(Credentials { broken_store: broken(), openai_auth_applies: true, ..Credentials::default() });
    assert_eq!(cause(&needed), Cause::Config);
    let elsewhere = facts(Credentials { broken_store: broken(), ..Credentials::default() });
    assert_eq!(cause(&elsewhere), Cause::Healthy);
    assert!(codes_of(&elsewhere).contains(&"identity.broken-store".to_owned()));
}

#[test]
fn a_key_beside_a_login_and_an_ignored_variable_are_named_and_weigh_nothing() {
    let mut credentials = chatgpt(fresh());
    credentials.present = vec![credential(CredentialKind::ApiKey, true), credential(CredentialKind::Chatgpt, false)];
    credentials.ignored_variables = vec!["OPENAI_API_KEY".to_owned()];
    let facts = facts(credentials);
    assert_eq!(codes_of(&facts), ["identity.signed-in", "identity.both-stored", "identity.ignored-variable"]);
    let verdict = weigh(&facts, &run(&facts));
    assert_eq!(verdict.cause, Cause::Healthy);
    assert_eq!(verdict.also, ["identity.both-stored", "identity.ignored-variable"]);
}

#[test]
fn what_was_not_looked_at_is_not_fine() {
    let facts = Facts { credentials: Observed::failed("permission denied", "auth.json"), ..Facts::default() };
    assert_eq!(codes_of(&facts), ["identity.cannot-tell"]);
    assert_eq!(cause(&facts), Cause::Undetermined);
    let keyring = super::tests::facts(Credentials {
        present: vec![credential(CredentialKind::Keyring, true)],
        openai_auth_applies: true,
        ..Credentials::default()
    });
    assert_eq!(codes_of(&keyring), ["identity.keyring"]);
}

#[test]
fn a_login_that_is_missing_now_did_not_cause_what_a_server_answered_to_it() {
    let mut facts = with_a_failure(facts(Credentials { openai_auth_applies: true, ..Credentials::default() }));
    let with_text = |facts: &mut Facts, text: &str, info: &str| {
        let failure = FailedTurn { at: now(), text: Some(text.into()), info: Some(info.into()), ..FailedTurn::default() };
        facts.history = Observed::known(History { failures: vec![failure], ..History::default() }, "sessions");
        run(facts)[0].weights.get("config.credentials").copied()
    };
    assert_eq!(with_text(&mut facts, "Selected model is at capacity.", "server_overloaded"), None);
    assert_eq!(with_text(&mut facts, "unexpected status 401 Unauthorized", "other"), Some(NO_CREDENTIAL));
    assert_eq!(with_text(&mut facts, "please go away", "unauthorized"), Some(NO_CREDENTIAL));
}

#[test]
fn lint_speaks_of_what_the_file_and_the_login_make_of_each_other() {
    let lint = |credentials: Credentials| {
        let mut facts = facts(credentials);
        facts.run.scope = Scope::Lint;
        let told = run(&facts).into_iter().filter(|finding| finding.severity > Severity::Ok);
        told.map(|finding| (finding.code, finding.severity)).collect::<Vec<_>>()
    };
    let none = || Credentials { openai_auth_applies: true, ..Credentials::default() };
    assert!(lint(none()).is_empty(), "a missing login is no fault of a file");
    assert!(lint(Credentials { missing_variable: Some("KEY".to_owned()), ..none() }).is_empty());
    let variable = || vec!["OPENAI_API_KEY".to_owned()];
    let believed = lint(Credentials { ignored_variables: variable(), ..none() });
    assert_eq!(believed, [("identity.ignored-variable".to_owned(), Severity::Warning)]);
    let alone = Credentials { ignored_variables: variable(), ..none() };
    assert!(run(&facts(alone)).iter().any(|finding| finding.message_id == "identity-ignored-variable-alone"));
    let beside = lint(Credentials { ignored_variables: variable(), ..chatgpt(fresh()) });
    assert_eq!(beside, [("identity.ignored-variable".to_owned(), Severity::Note)]);
    let forced = lint(Credentials { forced_mismatch: Some(ForcedMismatch::LoginMethod), ..chatgpt(fresh()) });
    assert_eq!(forced, [("identity.forced-mismatch".to_owned(), Severity::Error)]);
}

#[test]
fn every_code_is_listed() {
    assert!(codes().iter().all(|code| code.starts_with("identity.")));
    assert_eq!(codes().len(), 15);
}

use super::*;
use crate::base_url::tests::endpoint;
use crate::facts::credentials::{Credential, CredentialKind, Credentials, Tokens};
use crate::facts::endpoint::Endpoint;
use crate::facts::error_text::ErrorText;
use crate::facts::network::{Answer, BodyShape, Fault, Stage, TransportError};
use crate::facts::{Observed, SkipReason};
use crate::kind::Cause;
use crate::verdict;

/// An answer of which nothing but the status and the shape of its body is known.
pub(crate) fn answer(status: u16, shape: BodyShape) -> Answer {
    Answer {
        status,
        headers: Default::default(),
        shape,
        error_code: None,
        error_type: None,
        error_message: None,
        models: Vec::new(),
        redirect: None,
    }
}

fn saying(status: u16, message: &str) -> Answer {
    Answer { error_message: Some(message.to_owned()), ..answer(status, BodyShape::ApiError) }
}

pub(crate) fn list(models: &[&str]) -> Answer {
    Answer { models: models.iter().map(|model| (*model).to_owned()).collect(), ..answer(200, BodyShape::ModelList) }
}

fn broken(stage: Stage, fault: Fault) -> Outcome {
    Outcome::Broken(TransportError { stage, fault, timed_out: fault == Fault::Silence, error: "x".to_owned() })
}

fn at(host: &str, outcome: Outcome) -> Facts {
    let url = format!("https://{host}/v1/models");
    let endpoint = Endpoint { model: Some("gpt-6-sol".to_owned()), ..endpoint(&format!("https://{host}/v1")) };
    let reached = Reachability {
        url,
        curl: "curl".to_owned(),
        authenticated: true,
        withheld: false,
        unusable: false,
        proxy: None,
        elapsed_ms: 200,
        outcome,
    };
    Facts { endpoint: Observed::known(endpoint, "config"), reachability: Observed::known(reached, "GET"), ..Facts::default() }
}

pub(crate) fn official(outcome: Outcome) -> Facts {
    at("api.openai.com", outcome)
}

fn relay(outcome: Outcome) -> Facts {
    at("relay.example", outcome)
}

fn failing(mut facts: Facts) -> Facts {
    facts.error_text = Observed::known(ErrorText { text: "x".to_owned(), input_bytes: 1, setting: None }, "--error");
    facts
}

fn code(facts: &Facts) -> String {
    run(facts).remove(0).code
}

fn verdict_of(facts: &Facts) -> (Cause, Option<Kind>) {
    let verdict = verdict::weigh(facts, &run(facts));
    (verdict.cause, verdict.kind)
}

#[test]
fn a_list_with_the_model_speaks_for_key_way_and_address_and_leaves_a_healthy_machine_healthy() {
    let facts = official(Outcome::Answered(list(&["gpt-6-sol", "gpt-6-luna"])));
    let findings = run(&facts);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code, "reach.models-listed");
    assert!(findings[0].weights.values().all(|decibans| *decibans < 0));
    assert_eq!(verdict_of(&facts).0, Cause::Healthy);
}

#[test]
fn a_list_got_without_a_key_says_nothing_about_the_key() {
    let mut facts = relay(Outcome::Answered(list(&["gpt-6-sol"])));
    if let Fact::Known { value } = &mut facts.reachability.fact {
        value.authenticated = false;
        value.withheld = true;
    }
    let findings = run(&facts);
    assert!(!findings[0].weights.contains_key("config.credentials"));
    assert_eq!(findings[1].code, "reach.credential-withheld");
}

#[test]
fn a_model_that_the_list_lacks_is_a_hint_about_the_model() {
    let facts = failing(relay(Outcome::Answered(list(&["deepseek-v4", "qwen-4"]))));
    let missing = run(&facts).remove(1);
    assert_eq!((missing.code.as_str(), missing.weights["config.model"]), ("reach.model-not-listed", 12));
    for listed in [&["openai/GPT-6-sol"][..], &["models/gpt-6-sol"], &[]] {
        assert_eq!(run(&relay(Outcome::Answered(list(listed)))).len(), 1, "{listed:?}");
    }
    assert_eq!(run(&at("me.openai.azure.com", Outcome::Answered(list(&["gpt-6"])))).len(), 1);
}

#[test]
fn a_relay_without_a_model_list_is_no_fault() {
    let facts = relay(Outcome::Answered(answer(404, BodyShape::Html)));
    assert_eq!((code(&facts), verdict_of(&facts).0), ("reach.not-found".to_owned(), Cause::Healthy));
    assert_eq!(run(&failing(facts))[0].weights["config.base-url"], 8);
}

#[test]
fn a_refused_key_counts_only_if_a_key_was_sent() {
    let mut facts = relay(Outcome::Answered(saying(401, "nope")));
    assert_eq!(verdict_of(&facts), (Cause::Config, Some(Kind::ConfigCredentials)));
    if let Fact::Known { value } = &mut facts.reachability.fact {
        value.authenticated = false;
    }
    assert_eq!((code(&facts), verdict_of(&facts).0), ("reach.answered".to_owned(), Cause::Healthy));
}

#[test]
fn a_key_that_no_header_can_carry_explains_a_401() {
    let mut facts = relay(Outcome::Answered(saying(401, "missing key")));
    if let Fact::Known { value } = &mut facts.reachability.fact {
        (value.authenticated, value.unusable) = (false, true);
    }
    assert_eq!(run(&facts)[1].code, "reach.unusable-credential");
    assert_eq!(verdict_of(&facts), (Cause::Config, Some(Kind::ConfigCredentials)));
}

fn signed_in(mut facts: Facts, token_ends_in_s: i64, refreshable: bool) -> Facts {
    let expires_at = Some(facts.run.at + chrono::TimeDelta::seconds(token_ends_in_s));
    let used = Credential { kind: CredentialKind::Chatgpt, place: "auth.json".to_owned(), used: true };
    facts.credentials = Observed::known(
        Credentials {
            present: vec![used],
            tokens: Some(Tokens { expires_at, refreshable, ..Tokens::default() }),
            ..Credentials::default()
        },
        "auth.json",
    );
    facts
}

#[test]
fn a_refused_token_that_codex_would_renew_first_proves_nothing() {
    let refused = || at("chatgpt.com", Outcome::Answered(saying(401, "token expired")));
    let renewable = signed_in(refused(), -3600, true);
    assert_eq!((code(&renewable), verdict_of(&renewable).0), ("reach.token-to-renew".to_owned(), Cause::Healthy));
    assert_eq!(run(&signed_in(refused(), -3600, false))[0].weights["config.credentials"], 22);
    assert!(run(&signed_in(refused(), 36_000, true))[0].weights["config.credentials"] < 22);
}

#[test]
fn an_official_404_is_a_wrong_path_or_a_failing_service() {
    let facts = failing(official(Outcome::Answered(answer(404, BodyShape::ApiError))));
    assert_eq!(run(&facts)[0].weights["overload.service"], 8);
    let mut facts = official(Outcome::Answered(answer(404, BodyShape::ApiError)));
    if let Fact::Known { value } = &mut facts.endpoint.fact {
        value.base_url = "https://api.openai.com".to_owned();
    }
    assert_eq!(verdict_of(&facts), (Cause::Config, Some(Kind::ConfigBaseUrl)));
}

#[test]
fn the_servers_words_outrank_its_status() {
    for (status, words, expected) in [
        (403, "Country, region, or territory not supported", "reach.forbidden-region"),
        (503, "预扣费额度失败, 用户剩余额度: 0", "reach.quota"),
        (403, "quota is not enough", "reach.quota"),
        (503, "No available channel for model gpt-6-sol under group default", "reach.no-channel"),
        (503, "No available accounts", "reach.no-account"),
        (502, "all accounts exhausted (no_accounts)", "reach.no-account"),
        (503, "auth_unavailable: no auth available", "reach.no-account"),
        (503, "没有可用账号", "reach.no-account"),
        (503, "当前分组 default 下对于模型 gpt-6-sol 无可用渠道", "reach.no-channel"),
        (503, "upstream returned 401 invalid_api_key", "reach.unauthorized"),
        (503, "The server is overloaded", "reach.overloaded"),
        (429, "当前分组上游负载已饱和，请稍后再试", "reach.overloaded"),
        (429, "slow down", "reach.rate-limited"),
        (500, "something broke", "reach.server-error"),
        (403, "You have insufficient permissions for this operation. Missing scopes: api.model.read", "reach.answered"),
        (503, "upstream load balancer timed out", "reach.server-error"),
        (400, "bad", "reach.unclear"),
        (403, "this account is closed", "reach.unclear"),
    ] {
        assert_eq!(code(&relay(Outcome::Answered(saying(status, words)))), expected, "{words}");
    }
}

#[test]
fn a_proxy_that_answers_for_a_relay_on_this_machine_is_told_from_the_relay() {
    let through_proxy = |shape| {
        let mut facts = at("127.0.0.1", Outcome::Answered(answer(503, shape)));
        if let Fact::Known { value } = &mut facts.reachability.fact {
            value.url = "http://127.0.0.1:8317/v1/models".to_owned();
            value.proxy = Some("HTTP_PROXY http://proxy.example:3128/".to_owned());
        }
        facts
    };
    assert_eq!(code(&through_proxy(BodyShape::Html)), "reach.proxy-answered");
    assert_eq!(verdict_of(&through_proxy(BodyShape::Html)), (Cause::Network, Some(Kind::NetworkProxy)));
    assert_eq!(code(&through_proxy(BodyShape::ApiError)), "reach.server-error");
}

#[test]
fn pages_tell_who_wrote_them() {
    for (status, shape, expected) in [
        (403, BodyShape::Challenge, "reach.challenge"),
        (503, BodyShape::Challenge, "reach.challenge"),
        (403, BodyShape::Block, "reach.blocked"),
        (403, BodyShape::Html, "reach.blocked"),
        (502, BodyShape::Html, "reach.gateway-page"),
        (503, BodyShape::Empty, "reach.gateway-page"),
        (522, BodyShape::Other, "reach.gateway-page"),
        (200, BodyShape::Html, "reach.web-page"),
        (302, BodyShape::Html, "reach.redirected"),
        (407, BodyShape::Html, "reach.proxy-refuses"),
    ] {
        assert_eq!(code(&official(Outcome::Answered(answer(status, shape)))), expected, "{status} {shape:?}");
    }
}

#[test]
fn a_website_at_the_address_is_a_wrong_address_at_a_relay_and_a_portal_before_the_official_host() {
    let page = || Outcome::Answered(answer(200, BodyShape::Html));
    assert!(run(&relay(page()))[0].weights["config.base-url"] >= 15);
    let mut in_use = relay(page());
    let success = Success { model: "gpt-6-sol".into(), provider: Some("p".into()), at: in_use.run.at };
    in_use.history = Observed::known(crate::facts::history::History { successes: vec![success], ..Default::default() }, "sessions");
    assert!(run(&in_use)[0].weights.is_empty(), "a relay that serves the API beside its site");
    assert!(!run(&official(page()))[0].weights.contains_key("config.base-url"));
}

#[test]
fn each_stage_that_stops_every_request_is_a_sure_verdict_by_itself() {
    for (stage, fault, code_wanted, cause) in [
        (Stage::Build, Fault::NoAddress, "reach.not-requestable", Cause::Config),
        (Stage::Dns, Fault::NameUnresolved, "reach.dns-failed", Cause::Network),
        (Stage::Connect, Fault::Refused, "reach.connect-failed", Cause::Network),
        (Stage::Connect, Fault::Silence, "reach.timeout", Cause::Network),
        (Stage::Proxy, Fault::ProxyCredentials, "reach.proxy-failed", Cause::Network),
        (Stage::Tls, Fault::UnknownIssuer, "reach.tls-failed", Cause::Network),
        (Stage::Tls, Fault::Expired, "reach.certificate-date", Cause::Network),
        (Stage::Tls, Fault::Silence, "reach.timeout", Cause::Network),
        (Stage::Tls, Fault::NotTls, "reach.not-http", Cause::Config),
        (Stage::FirstByte, Fault::Closed, "reach.cut", Cause::Network),
    ] {
        let facts = relay(broken(stage, fault));
        assert_eq!(code(&facts), code_wanted, "{stage:?} {fault:?}");
        assert_eq!(verdict_of(&facts).0, cause, "{stage:?} {fault:?}");
    }
}

#[test]
fn a_silent_port_on_this_machine_is_a_relay_that_does_not_run() {
    assert_eq!(code(&at("127.0.0.1", broken(Stage::Connect, Fault::Refused))), "reach.nothing-listens");
}

#[test]
fn the_lookup_and_the_request_speak_of_one_fault() {
    assert_eq!(run(&relay(broken(Stage::Dns, Fault::NameUnresolved)))[0].group.as_deref(), Some(crate::dns::GROUP));
}

#[test]
fn not_having_asked_is_not_fine() {
    let facts = |reachability| Facts { reachability, ..Facts::default() };
    assert_eq!(code(&facts(Observed::skipped(SkipReason::Offline))), "reachability.skipped");
    assert_eq!(run(&facts(Observed::failed("x", "GET")))[0].severity, Severity::Unknown);
}

#[test]
fn every_code_that_it_says_is_in_its_list() {
    let known = codes();
    for status in [200, 204, 301, 400, 401, 402, 403, 404, 407, 418, 429, 500, 502, 503, 530] {
        for shape in [
            BodyShape::ModelList,
            BodyShape::ApiError,
            BodyShape::Json,
            BodyShape::Html,
            BodyShape::Challenge,
            BodyShape::Block,
            BodyShape::Empty,
            BodyShape::Other,
        ] {
            for finding in run(&relay(Outcome::Answered(answer(status, shape)))) {
                assert!(known.contains(&finding.code), "{}", finding.code);
            }
        }
    }
}

#[test]
fn an_answer_that_anybody_could_give_is_not_called_fine() {
    for (status, shape) in [(200, BodyShape::Empty), (200, BodyShape::Other), (204, BodyShape::Empty), (418, BodyShape::Other)] {
        let facts = relay(Outcome::Answered(answer(status, shape)));
        assert_eq!(code(&facts), "reach.unclear", "{status} {shape:?}");
        assert_eq!(verdict_of(&facts).0, Cause::Undetermined);
    }
    assert_eq!(code(&relay(Outcome::Answered(answer(200, BodyShape::Json)))), "reach.answered");
}

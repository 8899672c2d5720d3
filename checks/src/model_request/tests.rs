use std::collections::BTreeMap;

use super::*;
use crate::base_url::tests::endpoint;
use crate::facts::endpoint::Endpoint;
use crate::facts::error_text::ErrorText;
use crate::facts::history::{FailedTurn, History};
use crate::facts::model_request::{Attempt, ErrorWords, StreamEnd, Streamed, Transport};
use crate::facts::network::{Answer, BodyShape, Fault, Stage, TransportError};
use crate::facts::{Observed, SkipReason};
use crate::reachability;
use crate::registry;
use crate::verdict::{self, Verdict};

const SENTENCE: &str = "Selected model is at capacity. Please try a different model.";

fn facts(host: &str, outcome: ModelOutcome) -> Facts {
    let endpoint = Endpoint { model: Some("gpt-6-sol".to_owned()), ..endpoint(&format!("https://{host}/v1")) };
    let request = ModelRequest {
        model: "gpt-6-sol".to_owned(),
        url: format!("https://{host}/v1/responses"),
        curl: "curl".to_owned(),
        authenticated: true,
        proxy: None,
        attempts: vec![Attempt { transport: Transport::Post, bounded: true, elapsed_ms: 200, outcome }],
        usage: None,
        elapsed_ms: 200,
    };
    Facts { endpoint: Observed::known(endpoint, "config"), model_request: Observed::known(request, "POST"), ..Facts::default() }
}

fn relay(outcome: ModelOutcome) -> Facts {
    facts("relay.example", outcome)
}

fn official(outcome: ModelOutcome) -> Facts {
    facts("api.openai.com", outcome)
}

fn after(text: &str, mut facts: Facts) -> Facts {
    facts.error_text = Observed::known(ErrorText { text: text.to_owned(), input_bytes: 1, setting: None }, "--error");
    facts
}

fn failed_hours_ago(hours: i64, mut facts: Facts) -> Facts {
    let turn = FailedTurn {
        at: facts.run.at - chrono::TimeDelta::hours(hours),
        model: Some("gpt-6-sol".into()),
        provider: Some("p".into()),
        text: Some(SENTENCE.into()),
        info: Some("server_overloaded".into()),
        ..FailedTurn::default()
    };
    facts.history = Observed::known(History { failures: vec![turn], ..History::default() }, "sessions");
    facts
}

fn verdict_of(facts: &Facts) -> Verdict {
    let admitted = ["model-request", "last-errors"];
    let findings: Vec<Finding> =
        registry::run_all(facts).into_iter().filter(|finding| admitted.contains(&finding.check.as_str())).collect();
    verdict::weigh(facts, &findings)
}

fn answer(status: u16, shape: BodyShape, code: Option<&str>, message: Option<&str>) -> ModelOutcome {
    let answer = Answer {
        error_code: code.map(str::to_owned),
        error_message: message.map(str::to_owned),
        ..reachability::tests::answer(status, shape)
    };
    ModelOutcome::Answered { answer, text: None }
}

fn refusal(status: u16, code: &str, message: &str) -> ModelOutcome {
    answer(status, BodyShape::ApiError, Some(code), Some(message))
}

fn page(status: u16, shape: BodyShape) -> ModelOutcome {
    answer(status, shape, None, None)
}

fn stream(end: StreamEnd, change: impl FnOnce(&mut Streamed)) -> ModelOutcome {
    let mut stream = Streamed {
        status: 200,
        headers: BTreeMap::new(),
        events: vec!["response.created".to_owned()],
        output: false,
        foreign: false,
        end,
        error: None,
        incomplete: None,
        used_percent: None,
    };
    change(&mut stream);
    ModelOutcome::Streamed { stream }
}

fn failed(code: &str, message: &str) -> ModelOutcome {
    let error = ErrorWords { code: Some(code.to_owned()), message: Some(message.to_owned()), ..ErrorWords::default() };
    stream(StreamEnd::Failed, |stream| stream.error = Some(error))
}

fn code(facts: &Facts) -> String {
    run(facts).remove(0).code
}

#[test]
fn without_consent_it_says_so_and_nothing_is_doubtful() {
    let facts = Facts::default();
    assert_eq!(code(&facts), "model-request.skipped");
    assert_eq!(facts.model_request.fact, Fact::Skipped { why: SkipReason::NoConsent });
    assert_eq!(verdict::weigh(&facts, &run(&facts)).cause, Cause::Healthy);
}

#[test]
fn the_relays_own_words_settle_the_sentence_whatever_code_it_writes() {
    for (message, kind) in [
        ("all accounts hit usage limit, resets in 3h", Kind::QuotaUsageLimit),
        ("用户额度不足, 剩余额度: 0", Kind::QuotaCredits),
        ("daily budget exceeded", Kind::QuotaCredits),
        ("No available channel for model gpt-6-sol under group default", Kind::ConfigRelay),
        ("The model `gpt-6-sol` does not exist", Kind::ConfigModel),
        ("upstream returned: invalid api key provided", Kind::ConfigCredentials),
        ("no auth available: all accounts need re-login", Kind::ConfigCredentials),
        ("Our servers are currently overloaded. Please try again later.", Kind::OverloadRelay),
        ("dial tcp 10.0.0.7:443: i/o timeout", Kind::NetworkGateway),
    ] {
        for outcome in [refusal(503, "server_is_overloaded", message), failed("server_is_overloaded", message)] {
            let facts = after(SENTENCE, relay(outcome));
            let verdict = verdict_of(&facts);
            assert_eq!(verdict.kind, Some(kind), "{message}: {:?}", verdict.posterior);
        }
    }
}

#[test]
fn the_sentence_alone_stays_open_at_a_relay() {
    let mut facts = after(SENTENCE, relay(page(200, BodyShape::Json)));
    facts.model_request = Observed::skipped(SkipReason::NoConsent);
    assert_eq!(verdict_of(&facts).cause, Cause::Undetermined);
}

#[test]
fn an_official_503_with_the_code_is_overload() {
    let facts = after(SENTENCE, official(refusal(503, "server_is_overloaded", "Our servers are currently overloaded.")));
    assert_eq!(verdict_of(&facts).cause, Cause::Overload);
}

#[test]
fn statuses_and_shapes_speak_where_no_words_do() {
    for (outcome, wanted, cause) in [
        (page(401, BodyShape::Json), "model-request.credentials", Cause::Config),
        (page(402, BodyShape::Empty), "model-request.quota", Cause::Quota),
        (page(404, BodyShape::Empty), "model-request.address", Cause::Config),
        (page(405, BodyShape::Json), "model-request.address", Cause::Config),
        (page(408, BodyShape::Other), "model-request.silent", Cause::Network),
        (page(429, BodyShape::Empty), "model-request.rate-limited", Cause::Quota),
        (page(500, BodyShape::Json), "model-request.server-error", Cause::Overload),
        (page(502, BodyShape::Html), "model-request.gateway", Cause::Network),
        (page(403, BodyShape::Challenge), "model-request.blocked", Cause::Network),
        (page(200, BodyShape::Html), "model-request.address", Cause::Config),
        (page(200, BodyShape::Json), "model-request.not-responses-api", Cause::Config),
        (page(302, BodyShape::Empty), "model-request.address", Cause::Config),
        (failed("server_error", "x"), "model-request.server-error", Cause::Overload),
        (stream(StreamEnd::Closed, |_| {}), "model-request.cut", Cause::Network),
        (stream(StreamEnd::Closed, |stream| stream.foreign = true), "model-request.not-responses-api", Cause::Config),
        // A model that thinks is silent too.
        (stream(StreamEnd::Silence, |stream| stream.events.clear()), "model-request.silent", Cause::Undetermined),
    ] {
        let facts = relay(outcome.clone());
        assert_eq!((code(&facts).as_str(), verdict_of(&facts).cause), (wanted, cause), "{outcome:?}");
    }
}

#[test]
fn a_numeric_code_inside_a_stream_is_a_status() {
    let facts = relay(failed("429", "Provider returned error"));
    assert_eq!(code(&facts), "model-request.rate-limited");
}

#[test]
fn an_answer_now_lets_a_past_overload_stand_and_clears_the_machine() {
    let facts = after(SENTENCE, relay(stream(StreamEnd::Completed, |stream| stream.output = true)));
    let codes: Vec<String> = run(&facts).into_iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&"model-request.answers-again".to_owned()), "{codes:?}");
    assert_eq!(verdict_of(&facts).cause, Cause::Overload);
    let quiet = relay(stream(StreamEnd::Incomplete, |stream| stream.incomplete = Some("max_output_tokens".to_owned())));
    assert_eq!(verdict_of(&quiet).cause, Cause::Healthy);
}

#[test]
fn a_full_window_beside_the_overload_code_is_quota_and_a_far_one_speaks_against_it() {
    let with = |percent: &str| {
        let percent = percent.to_owned();
        let error = ErrorWords { code: Some("server_is_overloaded".to_owned()), ..ErrorWords::default() };
        after(
            SENTENCE,
            relay(stream(StreamEnd::Failed, |stream| {
                stream.error = Some(error);
                stream.headers.insert("x-codex-primary-used-percent".to_owned(), percent);
            })),
        )
    };
    assert_eq!(verdict_of(&with("100")).kind, Some(Kind::QuotaUsageLimit));
    assert_eq!(verdict_of(&with("12")).cause, Cause::Overload);
    assert!(run(&with("12")).iter().any(|finding| finding.code == "model-request.limits-far"));
}

#[test]
fn what_is_rejected_for_the_minimal_form_alone_weighs_nothing() {
    let facts = relay(refusal(400, "invalid_request_error", "Unsupported parameter: max_output_tokens"));
    assert_eq!(code(&facts), "model-request.other-shape");
    assert!(run(&facts)[0].weights.is_empty());
}

#[test]
fn an_old_error_is_less_explained_by_what_is_full_now() {
    let weight = |hours| {
        let facts = failed_hours_ago(hours, relay(refusal(503, "x", "The server is overloaded")));
        run(&facts)[0].weights["overload.relay"]
    };
    assert!(weight(0) > weight(5));
}

#[test]
fn a_broken_connection_is_one_fault_with_the_free_requests() {
    let error = TransportError { stage: Stage::Connect, fault: Fault::Refused, timed_out: false, error: "refused".to_owned() };
    let facts = relay(ModelOutcome::Broken { error });
    let finding = run(&facts).remove(0);
    assert_eq!((finding.code.as_str(), finding.group.as_deref()), ("model-request.no-answer", Some(crate::dns::GROUP)));
    assert_eq!(verdict_of(&facts).cause, Cause::Network);
}

#[test]
fn every_code_that_it_says_is_in_its_list() {
    let known = codes();
    for status in [200, 301, 400, 401, 402, 403, 404, 405, 407, 408, 413, 422, 429, 500, 503, 522] {
        for shape in [BodyShape::ApiError, BodyShape::Json, BodyShape::Html, BodyShape::Block, BodyShape::Empty, BodyShape::Other] {
            for facts in [relay(page(status, shape)), official(page(status, shape))] {
                run(&facts).iter().for_each(|finding| assert!(known.contains(&finding.code), "{}", finding.code));
            }
        }
    }
}

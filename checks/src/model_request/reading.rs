//! From one attempt to what it says.

use super::words::{self, Weights};
use super::{GROUP, View, came};
use crate::facts::endpoint::HostKind;
use crate::facts::model_request::{Attempt, ErrorWords, ModelOutcome, StreamEnd, Streamed};
use crate::facts::network::{Answer, BodyShape, TransportError};
use crate::finding::{Arg, Severity};
use crate::kind::{Cause, Kind, Target};
use crate::reachability::{Renewal, stages};

pub(super) const CODES: &[&str] = &[
    "model-request.address",
    "model-request.answered",
    "model-request.answers-again",
    "model-request.began",
    "model-request.blocked",
    "model-request.credential-accepted",
    "model-request.credentials",
    "model-request.cut",
    "model-request.gateway",
    "model-request.limits-far",
    "model-request.model",
    "model-request.no-answer",
    "model-request.not-responses-api",
    "model-request.other-shape",
    "model-request.overloaded",
    "model-request.quota",
    "model-request.rate-limited",
    "model-request.refused",
    "model-request.relay",
    "model-request.server-error",
    "model-request.silent",
    "model-request.token-to-renew",
    "model-request.way-open",
];

/// What an attempt says.
pub(super) struct Reading {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) weights: Weights,
    pub(super) group: &'static str,
    /// The HTTP status, or none.
    pub(super) status: Arg,
    /// The words of the error, or what stands for them.
    pub(super) error: String,
}

type Row = (&'static str, &'static [(Kind, i16)]);

/// Reads the attempt that decides.
pub(super) fn of(view: &View<'_>, attempt: &Attempt) -> Reading {
    let (code, mut weights) = judged(view, attempt);
    let silent = matches!(code, "model-request.other-shape" | "model-request.token-to-renew" | "model-request.began");
    if came(&attempt.outcome) {
        for kind in [Kind::NetworkDns, Kind::NetworkConnect, Kind::NetworkTls, Kind::ConfigRejected] {
            if !weights.iter().any(|(target, _)| target.covers(kind)) {
                weights.push((Target::Kind(kind), -25));
            }
        }
    }
    let broken = matches!(attempt.outcome, ModelOutcome::Broken { .. });
    Reading {
        code,
        severity: if silent { Severity::Note } else { Severity::Error },
        weights: if silent { Vec::new() } else { weights },
        group: if broken { crate::dns::GROUP } else { GROUP },
        status: status(&attempt.outcome).map_or_else(|| Arg::from("none"), |status| Arg::from(i64::from(status))),
        error: error_text(&attempt.outcome),
    }
}

fn judged(view: &View<'_>, attempt: &Attempt) -> (&'static str, Weights) {
    match &attempt.outcome {
        ModelOutcome::Broken { error } => broken(view, error),
        ModelOutcome::Answered { answer, text } => answer_reading(view, answer, text.as_deref()),
        ModelOutcome::Streamed { stream } => stream_reading(view, stream),
    }
}

fn broken(view: &View<'_>, error: &TransportError) -> (&'static str, Weights) {
    let (_, weights) = stages::reading(view.host_kind, error);
    let code = if error.timed_out { "model-request.silent" } else { "model-request.no-answer" };
    (code, kinds(weights))
}

fn answer_reading(view: &View<'_>, answer: &Answer, text: Option<&str>) -> (&'static str, Weights) {
    if let Some(row) = page(view, answer) {
        return rowed(row);
    }
    let words = ErrorWords {
        code: answer.error_code.clone(),
        kind: answer.error_type.clone(),
        message: answer.error_message.clone().or_else(|| text.filter(|_| answer.shape != BodyShape::Html).map(str::to_owned)),
        status: None,
    };
    if answer.status == 401 && view.renewal == Renewal::BeforeAsking {
        return ("model-request.token-to-renew", Vec::new());
    }
    if is_about_our_shape(answer) {
        return ("model-request.other-shape", Vec::new());
    }
    let is_error = answer.status >= 400 || answer.error_message.is_some();
    if is_error && let Some(said) = worded(view, &words, Some(answer.status)) {
        return said;
    }
    rowed(by_status(view, answer, is_error))
}

/// Pages tell who wrote them.
fn page(view: &View<'_>, answer: &Answer) -> Option<Row> {
    let official = view.host_kind == HostKind::Official;
    Some(match (answer.status, answer.shape) {
        (_, BodyShape::Challenge | BodyShape::Block) => ("model-request.blocked", &[(Kind::NetworkBlocked, 34)]),
        (407, _) => ("model-request.blocked", &[(Kind::NetworkProxy, 34)]),
        (403, BodyShape::Html) => ("model-request.blocked", &[(Kind::NetworkBlocked, 30)]),
        (200..=299, BodyShape::Html) if official => ("model-request.blocked", &[(Kind::NetworkBlocked, 30)]),
        (200..=299, BodyShape::Html) => ("model-request.address", &[(Kind::ConfigBaseUrl, 32), (Kind::NetworkBlocked, 10)]),
        (300..=399, _) if official => ("model-request.blocked", &[(Kind::NetworkBlocked, 24)]),
        (300..=399, _) => ("model-request.address", &[(Kind::ConfigBaseUrl, 30), (Kind::NetworkBlocked, 12)]),
        (500..=599, BodyShape::Html) => ("model-request.gateway", &[(Kind::NetworkGateway, 32), (Kind::OverloadService, 14)]),
        (520..=527, _) => ("model-request.gateway", &[(Kind::NetworkGateway, 32)]),
        _ => return None,
    })
}

/// A refusal of something that only our minimal request lacks or has: Codex's own request is another.
fn is_about_our_shape(answer: &Answer) -> bool {
    let message = answer.error_message.as_deref().unwrap_or_default().to_ascii_lowercase();
    matches!(answer.status, 400 | 422) && ["max_output_tokens", "instructions"].iter().any(|ours| message.contains(ours))
}

fn by_status(view: &View<'_>, answer: &Answer, is_error: bool) -> Row {
    let official = view.host_kind == HostKind::Official;
    match answer.status {
        401 if view.renewal == Renewal::WhenRefused => ("model-request.credentials", &[(Kind::ConfigCredentials, 20)]),
        401 => ("model-request.credentials", &[(Kind::ConfigCredentials, 34)]),
        402 => ("model-request.quota", &[(Kind::QuotaCredits, 34)]),
        403 if official => ("model-request.refused", &[(Kind::ConfigCredentials, 22), (Kind::NetworkBlocked, 24)]),
        403 => ("model-request.refused", &[(Kind::ConfigCredentials, 22), (Kind::ConfigRelay, 18), (Kind::QuotaCredits, 18)]),
        404 if official => ("model-request.server-error", &[(Kind::OverloadService, 26), (Kind::ConfigBaseUrl, 10)]),
        404 | 405 => ("model-request.address", &[(Kind::ConfigBaseUrl, 32), (Kind::ConfigModel, 18), (Kind::ConfigWireApi, 16)]),
        408 => ("model-request.silent", &[(Kind::NetworkTimeout, 34), (Kind::NetworkGateway, 20)]),
        413 => ("model-request.refused", &[(Kind::OtherContext, 20), (Kind::NetworkGateway, 16)]),
        429 => {
            ("model-request.rate-limited", &[(Kind::QuotaRateLimit, 34), (Kind::QuotaUsageLimit, 16), (Kind::OverloadRelay, 12)])
        }
        500..=599 if answer.shape == BodyShape::Empty => {
            ("model-request.gateway", &[(Kind::NetworkGateway, 28), (Kind::OverloadService, 20)])
        }
        500..=599 => {
            ("model-request.server-error", &[(Kind::OverloadService, 30), (Kind::OverloadRelay, 14), (Kind::NetworkGateway, 10)])
        }
        200..=299 if is_error => ("model-request.server-error", &[(Kind::OverloadService, 30), (Kind::ConfigRelay, 12)]),
        200..=299 => ("model-request.not-responses-api", &[(Kind::ConfigWireApi, 34), (Kind::ConfigBaseUrl, 20)]),
        _ => ("model-request.refused", &[(Kind::ConfigRelay, 16), (Kind::ConfigModel, 14), (Kind::OtherClientBug, 12)]),
    }
}

fn stream_reading(view: &View<'_>, stream: &Streamed) -> (&'static str, Weights) {
    match stream.end {
        StreamEnd::Failed | StreamEnd::Error => {
            let mut words = stream.error.clone().unwrap_or_default();
            words.status = words.status.or_else(|| numeric(&words));
            worded(view, &words, words.status).unwrap_or_else(|| rowed(in_stream(words.status)))
        }
        StreamEnd::Incomplete => ("model-request.refused", kinds(&[(Kind::OtherPolicy, 30)])),
        _ if stream.foreign => ("model-request.not-responses-api", kinds(&[(Kind::ConfigWireApi, 38)])),
        StreamEnd::Silence if stream.events.iter().any(|kind| kind.starts_with("response.")) => ("model-request.began", Vec::new()),
        StreamEnd::Silence => ("model-request.silent", kinds(&[(Kind::NetworkTimeout, 20)])),
        StreamEnd::TooLong => ("model-request.not-responses-api", kinds(&[(Kind::ConfigWireApi, 20), (Kind::ConfigRelay, 14)])),
        _ => ("model-request.cut", kinds(&[(Kind::NetworkStreamCut, 30), (Kind::ConfigRelay, 10), (Kind::ConfigWireApi, 10)])),
    }
}

/// A status that stands in the place of a code.
fn numeric(words: &ErrorWords) -> Option<u16> {
    words.code.as_deref()?.parse().ok().filter(|status| (400..600).contains(status))
}

/// An error inside a stream without telling words.
fn in_stream(status: Option<u16>) -> Row {
    match status {
        Some(401) => ("model-request.credentials", &[(Kind::ConfigCredentials, 34)]),
        Some(402) => ("model-request.quota", &[(Kind::QuotaCredits, 34)]),
        Some(429) => ("model-request.rate-limited", &[(Kind::QuotaRateLimit, 34), (Kind::QuotaUsageLimit, 14)]),
        Some(404) => ("model-request.model", &[(Kind::ConfigModel, 30), (Kind::ConfigBaseUrl, 14)]),
        _ => ("model-request.server-error", &[(Kind::OverloadService, 32)]),
    }
}

/// What the words of an error say. An account whose window is full gets the code for overload from some servers.
fn worded(view: &View<'_>, words: &ErrorWords, status: Option<u16>) -> Option<(&'static str, Weights)> {
    let weights = words::weights(words, status, view.route);
    let cause = weights.as_ref().and_then(leading).map(Kind::cause);
    let full = view.request.attempts.iter().filter_map(|attempt| fullest_window(&attempt.outcome)).max() >= Some(100);
    if full && matches!(cause, None | Some(Cause::Overload)) {
        return Some(("model-request.quota", kinds(&[(Kind::QuotaUsageLimit, 46), (Kind::OverloadModel, 6)])));
    }
    let weights = weights?;
    Some((code_of(leading(&weights)?), weights))
}

fn code_of(kind: Kind) -> &'static str {
    match kind {
        Kind::QuotaRateLimit | Kind::QuotaConcurrency => "model-request.rate-limited",
        Kind::ConfigModel => "model-request.model",
        Kind::ConfigRelay => "model-request.relay",
        Kind::ConfigCredentials | Kind::ConfigClock => "model-request.credentials",
        Kind::ConfigBaseUrl => "model-request.address",
        Kind::ConfigWireApi => "model-request.not-responses-api",
        Kind::NetworkBlocked => "model-request.blocked",
        kind => match kind.cause() {
            Cause::Overload => "model-request.overloaded",
            Cause::Quota => "model-request.quota",
            Cause::Network => "model-request.gateway",
            _ => "model-request.refused",
        },
    }
}

fn leading(weights: &Weights) -> Option<Kind> {
    let (target, _) = weights.iter().max_by_key(|(_, decibans)| *decibans)?;
    match target {
        Target::Kind(kind) => Some(*kind),
        Target::Cause(cause) => Kind::ALL.iter().copied().find(|kind| kind.cause() == *cause),
    }
}

fn kinds(weights: &[(Kind, i16)]) -> Weights {
    weights.iter().map(|(kind, decibans)| (Target::Kind(*kind), *decibans)).collect()
}

fn rowed((code, weights): Row) -> (&'static str, Weights) {
    (code, kinds(weights))
}

/// The fullest of the account's windows that an answer tells, in percent.
pub(super) fn fullest_window(outcome: &ModelOutcome) -> Option<u32> {
    let (headers, told) = match outcome {
        ModelOutcome::Answered { answer, .. } => (&answer.headers, None),
        ModelOutcome::Streamed { stream } => (&stream.headers, stream.used_percent),
        ModelOutcome::Broken { .. } => return None,
    };
    let windows = ["x-codex-primary-used-percent", "x-codex-secondary-used-percent"];
    let percent = |name: &&str| headers.get(*name)?.split('.').next()?.trim().parse::<u32>().ok();
    windows.iter().filter_map(percent).chain(told).max()
}

fn status(outcome: &ModelOutcome) -> Option<u16> {
    match outcome {
        ModelOutcome::Answered { answer, .. } => Some(answer.status),
        ModelOutcome::Streamed { stream } => stream.error.as_ref().and_then(|error| error.status).or(Some(stream.status)),
        ModelOutcome::Broken { .. } => None,
    }
}

fn error_text(outcome: &ModelOutcome) -> String {
    let of = |words: [&Option<String>; 3]| words.into_iter().flatten().next().cloned();
    let text = match outcome {
        ModelOutcome::Answered { answer, text } => {
            let plain = text.as_ref().filter(|_| answer.shape == BodyShape::Other).map(|text| text.trim().to_owned());
            of([&answer.error_message, &answer.error_code, &answer.error_type]).or(plain)
        }
        ModelOutcome::Streamed { stream } => stream.error.as_ref().and_then(|error| of([&error.message, &error.code, &error.kind])),
        ModelOutcome::Broken { error } => Some(error.error.clone()),
    };
    let status = status(outcome).map_or_else(|| "no answer".to_owned(), |status| format!("HTTP {status}"));
    text.unwrap_or(status)
}

//! An answer came: what it says about the way, the address, the key and the model.

use super::{Renewal, View};
use crate::facts::endpoint::HostKind;
use crate::facts::network::{Answer, BodyShape};
use crate::finding::{Finding, Severity};
use crate::kind::{Cause, Kind, Target};
use crate::model_lists;

pub(super) const CODES: &[&str] = &[
    "reach.answered",
    "reach.blocked",
    "reach.challenge",
    "reach.forbidden-region",
    "reach.gateway-page",
    "reach.model-not-listed",
    "reach.models-listed",
    "reach.no-account",
    "reach.no-channel",
    "reach.not-found",
    "reach.overloaded",
    "reach.proxy-answered",
    "reach.proxy-refuses",
    "reach.quota",
    "reach.rate-limited",
    "reach.redirected",
    "reach.server-error",
    "reach.token-to-renew",
    "reach.unauthorized",
    "reach.unclear",
    "reach.web-page",
];

/// What a server's own words say, whatever its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    Region,
    Quota,
    UsageLimit,
    Overload,
    Pool,
    Channel,
    Key,
}

/// Families of wording, the decisive ones first: a relay that writes the overload code and says "balance" means its balance.
/// Compared in lower case with code, type and message of the error.
const WORDS: &[(Words, &[&str])] = &[
    (Words::Region, &["unsupported_country", "region, or territory", "not available in your region", "地区不支持", "不支持的地区"]),
    (Words::UsageLimit, &["usage_limit_reached", "usage limit"]),
    (
        Words::Quota,
        &[
            "quota",
            "insufficient_balance",
            "insufficient balance",
            "insufficient credit",
            "insufficient fund",
            "account balance",
            "credit balance",
            "credits",
            "billing",
            "budget",
            "arrears",
            "余额",
            "额度",
            "欠费",
            "充值",
            "配额",
        ],
    ),
    (
        Words::Pool,
        &[
            "available account",
            "no_accounts",
            "no_available_account",
            "active account",
            "usable account",
            "healthy upstream account",
            "auth_unavailable",
            "no auth available",
            "可用账",
            "可用的账",
            "号池",
        ],
    ),
    (Words::Channel, &["no available channel", "no instances", "无可用渠道", "没有可用"]),
    (Words::Key, &["invalid_api_key", "api key", "api_key", "invalid token", "令牌"]),
    (
        Words::Overload,
        &[
            "server_is_overloaded",
            "overloaded",
            "at capacity",
            "high demand",
            "no capacity",
            "nocapacity",
            "saturat",
            "负载",
            "饱和",
        ],
    ),
];

pub(super) fn findings(view: &View<'_>, answer: &Answer) -> Vec<Finding> {
    let mut findings = vec![judged(view, answer)];
    if answer.status == 200 && answer.shape == BodyShape::ModelList {
        findings.extend(missing_model(view, answer));
    }
    findings
}

fn judged(view: &View<'_>, answer: &Answer) -> Finding {
    let said = |code, severity| said(view, answer, code, severity);
    let strongly = |code, kind, decibans| said(code, Severity::Error).weighs(Target::Kind(kind), decibans);
    match (answer.status, answer.shape) {
        (407, _) => strongly("reach.proxy-refuses", Kind::NetworkProxy, 28)
            .arg("proxy", view.reached.proxy.clone().unwrap_or_else(|| view.host.clone()))
            .group(crate::dns::GROUP),
        _ if proxy_wrote_it(view, answer) => proxy_answered(view, said("reach.proxy-answered", Severity::Error)),
        (300..=399, _) => redirected(view, said("reach.redirected", Severity::Warning), answer),
        (_, BodyShape::Challenge) => strongly("reach.challenge", Kind::NetworkBlocked, 25),
        (_, BodyShape::Block) => strongly("reach.blocked", Kind::NetworkBlocked, 25),
        (200, BodyShape::ModelList) => listed(view, answer, said("reach.models-listed", Severity::Ok)),
        (200..=299, BodyShape::Html) => web_page(view, said("reach.web-page", Severity::Warning)),
        (403, BodyShape::Html) if view.is_official() => strongly("reach.blocked", Kind::NetworkBlocked, 25),
        (403, BodyShape::Html) => view.hint(said("reach.blocked", Severity::Warning), Kind::NetworkBlocked, 12),
        _ => by_words(view, answer).unwrap_or_else(|| by_status(view, answer)),
    }
}

/// Whether the proxy, and not the host behind it, wrote the answer to a request that passed it unencrypted.
fn proxy_wrote_it(view: &View<'_>, answer: &Answer) -> bool {
    let in_plain = view.reached.proxy.is_some() && view.reached.url.starts_with("http://");
    let is_page = matches!(answer.shape, BodyShape::Html | BodyShape::Empty | BodyShape::Other | BodyShape::Block);
    let cannot_connect = matches!(answer.status, 502..=504);
    in_plain && is_page && answer.status >= 400 && (cannot_connect || view.host_kind == HostKind::Loopback)
}

/// A proxy elsewhere cannot reach an address on this machine; it is asked for it when NO_PROXY does not name the address.
fn proxy_answered(view: &View<'_>, finding: Finding) -> Finding {
    let (place, decibans) = if view.host_kind == HostKind::Loopback { ("local", 25) } else { ("remote", 18) };
    finding
        .arg("place", place)
        .arg("proxy", view.reached.proxy.clone().unwrap_or_default())
        .weighs(Target::Kind(Kind::NetworkProxy), decibans)
        .group(crate::dns::GROUP)
}

/// What the server says outranks the status it says it with.
fn by_words(view: &View<'_>, answer: &Answer) -> Option<Finding> {
    let said = |code, severity| said(view, answer, code, severity);
    let reading = words(answer)?;
    let weighed = |code, kind, decibans| path_works(said(code, Severity::Error).weighs(Target::Kind(kind), decibans));
    Some(match reading {
        Words::Region => said("reach.forbidden-region", Severity::Error).weighs(Target::Kind(Kind::NetworkBlocked), 25),
        Words::UsageLimit => weighed("reach.quota", Kind::QuotaUsageLimit, 20),
        Words::Quota if answer.status != 401 => weighed("reach.quota", Kind::QuotaCredits, 20),
        // All accounts used up, cooling down or signed out: the pool does not say which.
        Words::Pool => [(Kind::QuotaUsageLimit, 15), (Kind::ConfigCredentials, 12), (Kind::OverloadRelay, 18)]
            .into_iter()
            .fold(weighed("reach.no-account", Kind::ConfigRelay, 18), |finding, (kind, decibans)| {
                finding.weighs(Target::Kind(kind), decibans)
            }),
        Words::Channel => weighed("reach.no-channel", Kind::ConfigRelay, 18),
        Words::Key if answer.status >= 500 => weighed("reach.unauthorized", Kind::ConfigCredentials, 16),
        Words::Overload if answer.status >= 429 && view.is_official() => weighed("reach.overloaded", Kind::OverloadService, 20),
        Words::Overload if answer.status >= 429 => weighed("reach.overloaded", Kind::OverloadRelay, 14),
        _ => return None,
    })
}

fn by_status(view: &View<'_>, answer: &Answer) -> Finding {
    let said = |code, severity| said(view, answer, code, severity);
    let in_api_shape = matches!(answer.shape, BodyShape::ApiError | BodyShape::Json);
    match answer.status {
        401 if !view.reached.authenticated => path_works(said("reach.answered", Severity::Note)),
        401 if view.renewal == Renewal::BeforeAsking => path_works(said("reach.token-to-renew", Severity::Note)),
        401 => {
            let decibans = if view.renewal == Renewal::WhenRefused { 14 } else { 22 };
            path_works(said("reach.unauthorized", Severity::Error).weighs(Target::Kind(Kind::ConfigCredentials), decibans))
                .group("credentials")
        }
        402 => path_works(said("reach.quota", Severity::Error).weighs(Target::Kind(Kind::QuotaCredits), 20)),
        404 if view.is_official() && view.official_path => {
            view.hint(said("reach.not-found", Severity::Warning), Kind::OverloadService, 8)
        }
        // The official hosts serve the API below two paths and nothing elsewhere.
        404 if view.is_official() => said("reach.not-found", Severity::Error).weighs(Target::Kind(Kind::ConfigBaseUrl), 25),
        404 => view.hint(said("reach.not-found", Severity::Note), Kind::ConfigBaseUrl, 8),
        429 => path_works(said("reach.rate-limited", Severity::Warning).weighs(Target::Kind(Kind::QuotaRateLimit), 6)),
        500.. if in_api_shape => {
            path_works(said("reach.server-error", Severity::Warning).weighs(Target::Kind(Kind::OverloadService), 8))
        }
        500 | 501 => said("reach.server-error", Severity::Warning).weighs(Target::Kind(Kind::OverloadService), 8),
        502.. => said("reach.gateway-page", Severity::Error).weighs(Target::Kind(Kind::NetworkGateway), 15),
        // A key that may not list models may still use them.
        403 if in_api_shape && lacks_scope(answer) => path_works(said("reach.answered", Severity::Note)),
        200..=299 | 405 if in_api_shape => path_works(said("reach.answered", Severity::Note)),
        // The API was reached; whether it would serve this key and model, its refusal of another kind does not tell.
        _ if in_api_shape => path_works(said("reach.unclear", Severity::Unknown)),
        // Nothing that the API would say: it may be anybody.
        _ => said("reach.unclear", Severity::Unknown),
    }
}

fn lacks_scope(answer: &Answer) -> bool {
    answer.error_message.as_deref().is_some_and(|message| message.to_lowercase().contains("scope"))
}

fn said(view: &View<'_>, answer: &Answer, code: &str, severity: Severity) -> Finding {
    let mut seen = format!("GET {} → {} in {} ms", view.reached.url, answer.status, view.reached.elapsed_ms);
    for (name, value) in [("error.code", &answer.error_code), ("error.type", &answer.error_type)] {
        if let Some(value) = value {
            seen.push_str(&format!(", {name}={value}"));
        }
    }
    if let Some(server) = answer.headers.get("server") {
        seen.push_str(&format!(", server: {server}"));
    }
    let words =
        answer.error_message.clone().or_else(|| answer.error_code.clone()).unwrap_or_else(|| format!("HTTP {}", answer.status));
    view.said(code, severity).arg("status", i64::from(answer.status)).arg("error", words).evidence(seen)
}

/// A model list through this address with this key: both work, now.
fn listed(view: &View<'_>, answer: &Answer, finding: Finding) -> Finding {
    let mut finding = finding
        .arg("count", answer.models.len() as u64)
        .weighs(Target::Cause(Cause::Network), -8)
        // A stream can be cut long after the way has proved good.
        .weighs(Target::Kind(Kind::NetworkStreamCut), -2)
        .weighs(Target::Kind(Kind::ConfigBaseUrl), -8);
    if view.reached.authenticated {
        finding = finding.weighs(Target::Kind(Kind::ConfigCredentials), -8);
    }
    let has_model = view.model.as_deref().is_some_and(|model| model_lists::is_served(&answer.models, model));
    // A relay's list is often written by hand.
    let decibans = if view.is_official() { -6 } else { -3 };
    if has_model { finding.weighs(Target::Kind(Kind::ConfigModel), decibans) } else { finding }
}

fn missing_model(view: &View<'_>, answer: &Answer) -> Option<Finding> {
    let model = view.model.as_deref()?;
    // An empty list names nothing; a cloud vendor lists models where Codex asks for deployments.
    if answer.models.is_empty() || view.host_kind == HostKind::Cloud || model_lists::is_served(&answer.models, model) {
        return None;
    }
    let decibans = if view.is_official() { 8 } else { 12 };
    let finding = said(view, answer, "reach.model-not-listed", Severity::Warning)
        .arg("model", model)
        .arg("count", answer.models.len() as u64);
    Some(view.hint(finding, Kind::ConfigModel, decibans))
}

/// An answer in the API's shape shows that the way is open, whatever it says.
fn path_works(finding: Finding) -> Finding {
    [Kind::NetworkDns, Kind::NetworkConnect, Kind::NetworkTls, Kind::NetworkProxy, Kind::NetworkTimeout]
        .into_iter()
        .fold(finding, |finding, kind| finding.weighs(Target::Kind(kind), -6))
}

/// Codex follows redirects, and its POST becomes a GET on the way.
fn redirected(view: &View<'_>, finding: Finding, answer: &Answer) -> Finding {
    let finding = finding.arg("location", answer.redirect.clone().unwrap_or_default());
    if view.is_official() {
        // The official hosts do not redirect: a portal or filter on the way does.
        finding.weighs(Target::Kind(Kind::NetworkBlocked), 14)
    } else {
        finding.weighs(Target::Kind(Kind::ConfigBaseUrl), 12).weighs(Target::Kind(Kind::NetworkBlocked), 4)
    }
}

/// A page for people where the API should be.
fn web_page(view: &View<'_>, finding: Finding) -> Finding {
    if view.is_official() {
        finding.weighs(Target::Kind(Kind::NetworkBlocked), 25)
    } else if view.versioned && view.has_answered {
        // Relays without a list of models show their site at its place, and serve the API beside it.
        view.hint(finding, Kind::ConfigBaseUrl, 8)
    } else {
        let decibans = if view.versioned { 15 } else { 25 };
        finding.weighs(Target::Kind(Kind::ConfigBaseUrl), decibans).weighs(Target::Kind(Kind::NetworkBlocked), 4)
    }
}

fn words(answer: &Answer) -> Option<Words> {
    let all = [&answer.error_code, &answer.error_type, &answer.error_message];
    let text = all.into_iter().flatten().map(|part| part.to_lowercase()).collect::<Vec<_>>().join("\n");
    WORDS.iter().find(|(_, wordings)| wordings.iter().any(|wording| text.contains(wording))).map(|(words, _)| *words)
}

//! No answer: what the stage at which the request stopped means.

use super::View;
use crate::dns::GROUP;
use crate::facts::endpoint::HostKind;
use crate::facts::network::{Fault, Stage, TransportError};
use crate::finding::{Finding, Severity};
use crate::kind::{Kind, Target};

pub(super) const CODES: &[&str] = &[
    "reach.certificate-date",
    "reach.connect-failed",
    "reach.cut",
    "reach.dns-failed",
    "reach.nothing-listens",
    "reach.garbled",
    "reach.not-http",
    "reach.not-requestable",
    "reach.proxy-failed",
    "reach.timeout",
    "reach.tls-failed",
];

/// What stops every request of Codex as surely as ours.
const CERTAIN: i16 = 25;
/// A proxy is the one thing here that the user has set up.
const PROXY: i16 = 28;
/// Connected, asked, and silence: the path, or a server in trouble.
const SILENT: i16 = 18;
/// Connected, and then cut; once seen.
const CUT: i16 = 22;
/// A body cut in the middle may have been cut by chance.
const CUT_BODY: i16 = 15;
/// The address is one that cannot work.
const WRONG_ADDRESS: i16 = 28;
/// A second explanation of the same observation.
const SECOND: i16 = 10;

/// Makes up for the prior of a wrong clock, so that it stands beside a wrong certificate.
const OWN_CLOCK: i16 = 31;

pub(crate) type Reading = (&'static str, &'static [(Kind, i16)]);

pub(super) fn finding(view: &View<'_>, error: &TransportError) -> Finding {
    let (code, weights) = reading(view.host_kind, error);
    let proxy = view.reached.proxy.clone().unwrap_or_default();
    let finding = view
        .said(code, Severity::Error)
        .arg("stage", name(error.stage))
        .arg("error", error.error.clone())
        .arg("proxy", proxy.clone())
        .group(GROUP)
        .evidence(format!("GET {} → {}: {}", view.reached.url, name(error.stage), error.error));
    let finding = if proxy.is_empty() { finding } else { finding.evidence(format!("proxy {proxy}")) };
    weights.iter().fold(finding, |finding, (kind, decibans)| finding.weighs(Target::Kind(*kind), *decibans))
}

/// The code and the weights of a failure at a stage.
pub(crate) fn reading(host_kind: HostKind, error: &TransportError) -> Reading {
    match (error.stage, error.fault) {
        (Stage::Build, _) => ("reach.not-requestable", &[(Kind::ConfigBaseUrl, WRONG_ADDRESS)]),
        (Stage::Dns, Fault::Silence) => ("reach.timeout", &[(Kind::NetworkDns, CERTAIN)]),
        (Stage::Dns, _) => ("reach.dns-failed", &[(Kind::NetworkDns, CERTAIN)]),
        (Stage::Proxy, _) => ("reach.proxy-failed", &[(Kind::NetworkProxy, PROXY)]),
        (Stage::Connect, Fault::Silence) => ("reach.timeout", &[(Kind::NetworkConnect, CERTAIN)]),
        (Stage::Connect, Fault::Refused) if host_kind == HostKind::Loopback => {
            ("reach.nothing-listens", &[(Kind::NetworkConnect, CERTAIN), (Kind::ConfigRelay, SECOND)])
        }
        (Stage::Connect, _) => ("reach.connect-failed", &[(Kind::NetworkConnect, CERTAIN)]),
        (Stage::Tls, Fault::NotTls) => {
            ("reach.not-http", &[(Kind::ConfigBaseUrl, CERTAIN), (Kind::NetworkTls, SECOND), (Kind::NetworkProxy, SECOND)])
        }
        // Forgotten renewals are a relay's everyday; everywhere else a wrong date is as likely this machine's own.
        (Stage::Tls, Fault::Expired) if host_kind != HostKind::Official => {
            ("reach.certificate-date", &[(Kind::NetworkTls, CERTAIN), (Kind::ConfigClock, SECOND)])
        }
        (Stage::Tls, Fault::Expired | Fault::NotYetValid) => {
            ("reach.certificate-date", &[(Kind::NetworkTls, CERTAIN), (Kind::ConfigClock, OWN_CLOCK)])
        }
        (Stage::Tls, Fault::Silence) => ("reach.timeout", &[(Kind::NetworkTimeout, CERTAIN), (Kind::NetworkTls, SECOND)]),
        (Stage::Tls, _) => ("reach.tls-failed", &[(Kind::NetworkTls, CERTAIN)]),
        (Stage::FirstByte, Fault::NotHttp) => ("reach.not-http", &[(Kind::ConfigBaseUrl, CERTAIN), (Kind::NetworkProxy, SECOND)]),
        (Stage::FirstByte, Fault::Garbled) => ("reach.garbled", &[(Kind::NetworkGateway, SECOND), (Kind::ConfigBaseUrl, SECOND)]),
        (Stage::FirstByte | Stage::Body, Fault::Silence) => ("reach.timeout", &[(Kind::NetworkTimeout, SILENT)]),
        (Stage::FirstByte, _) => ("reach.cut", &[(Kind::NetworkConnect, CUT), (Kind::NetworkStreamCut, SECOND)]),
        (Stage::Body, _) => ("reach.cut", &[(Kind::NetworkStreamCut, CUT_BODY)]),
    }
}

/// The stage's stable name, for the message to choose its words by.
pub(crate) fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Build => "build",
        Stage::Dns => "dns",
        Stage::Connect => "connect",
        Stage::Proxy => "proxy",
        Stage::Tls => "tls",
        Stage::FirstByte => "first-byte",
        Stage::Body => "body",
    }
}

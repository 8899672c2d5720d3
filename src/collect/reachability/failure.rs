//! From an error of the client to the stage at which the request stopped, and what went wrong there.

use std::error::Error as StdError;
use std::net::IpAddr;

use codex_triage_checks::facts::network::{Fault, Stage, TransportError};
use rustls::{CertificateError, Error as TlsError};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::client::Names;
use super::proxies::Proxy;
use crate::redact::Redactor;

/// Where a request was going, for the reading of its error.
pub(in crate::collect) struct Route<'a> {
    pub(in crate::collect) url: &'a Url,
    pub(in crate::collect) proxy: Option<&'a Proxy>,
    pub(in crate::collect) names: &'a Names,
    pub(in crate::collect) redactor: &'a Redactor,
}

impl Route<'_> {
    /// Reads an error of the client. `deadline` bounds one more connection that tells two silences apart.
    pub(in crate::collect) async fn error(&self, error: &reqwest::Error, deadline: Instant) -> TransportError {
        let timed_out = error.is_timeout();
        let (stage, fault) = if timed_out && error.is_connect() {
            (self.silent_stage(deadline).await, Fault::Silence)
        } else if timed_out {
            (if error.is_body() || error.is_decode() { Stage::Body } else { Stage::FirstByte }, Fault::Silence)
        } else {
            self.broken_stage(error)
        };
        TransportError { stage, fault, timed_out, error: self.redactor.text(&chain_text(error)) }
    }

    /// The other side said nothing while we connected: at which stage was that?
    async fn silent_stage(&self, deadline: Instant) -> Stage {
        let target = self.proxy.map_or(self.url, |proxy| &proxy.url);
        let literal = match target.host() {
            Some(url::Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(url::Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            _ => None,
        };
        let Some(address) = literal.or_else(|| self.names.address()) else {
            return if self.proxy.is_some() { Stage::Proxy } else { Stage::Dns };
        };
        if self.proxy.is_some() {
            return Stage::Proxy;
        }
        let pinned = || self.names.pinned_port(target.host_str()?);
        let port = target.port().or_else(pinned).or(target.port_or_known_default());
        let connecting = tokio::net::TcpStream::connect((address, port.unwrap_or(443)));
        match timeout_at(deadline, connecting).await {
            Ok(Ok(_)) => Stage::Tls,
            _ => Stage::Connect,
        }
    }

    fn broken_stage(&self, error: &reqwest::Error) -> (Stage, Fault) {
        if error.is_builder() {
            let authorities = chain_text(error).contains("CA certificates");
            return if authorities { (Stage::Tls, Fault::NoAuthorities) } else { (Stage::Build, Fault::NoAddress) };
        }
        if let Some(failed) = self.names.failed() {
            let is_proxy = self.proxy.is_some_and(|proxy| proxy.url.host_str() == Some(failed.as_str()));
            return if is_proxy { (Stage::Proxy, Fault::ProxyUnreachable) } else { (Stage::Dns, Fault::NameUnresolved) };
        }
        if let Some(tls) = tls_error(error) {
            return (Stage::Tls, tls_fault(tls));
        }
        let text = chain_text(error);
        let lower = text.to_ascii_lowercase();
        if self.proxy.is_some() && (lower.contains("tunnel error") || lower.contains("socks")) {
            return (Stage::Proxy, proxy_fault(&lower, io_kind(error)));
        }
        let kind = io_kind(error);
        if error.is_connect() {
            return match (self.proxy, kind) {
                (Some(_), Some(kind)) if is_refusal(kind) => (Stage::Proxy, Fault::ProxyUnreachable),
                (None, Some(std::io::ErrorKind::ConnectionRefused)) => (Stage::Connect, Fault::Refused),
                (None, Some(kind)) if is_refusal(kind) => (Stage::Connect, Fault::Unreachable),
                // Connected, then cut: under TLS that was the handshake.
                (_, Some(_)) if self.url.scheme() == "https" => (Stage::Tls, Fault::Closed),
                (None, _) => (Stage::Connect, Fault::Other),
                (Some(_), _) => (Stage::Proxy, Fault::Other),
            };
        }
        let stage = if error.is_body() || error.is_decode() { Stage::Body } else { Stage::FirstByte };
        let garbled = ["message head is too large", "invalid http header"];
        let not_http = ["invalid http", "message head", "frame with invalid size", "invalid header"];
        let fault = if stage == Stage::FirstByte && garbled.iter().any(|words| lower.contains(words)) {
            Fault::Garbled
        } else if stage == Stage::FirstByte && not_http.iter().any(|words| lower.contains(words)) {
            Fault::NotHttp
        } else {
            Fault::Closed
        };
        (stage, fault)
    }
}

fn is_refusal(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind as Kind;
    matches!(
        kind,
        Kind::ConnectionRefused
            | Kind::HostUnreachable
            | Kind::NetworkUnreachable
            | Kind::NetworkDown
            | Kind::AddrNotAvailable
            | Kind::PermissionDenied
            | Kind::TimedOut
    )
}

fn proxy_fault(lower: &str, kind: Option<std::io::ErrorKind>) -> Fault {
    if lower.contains("authorization required") || lower.contains("authentication") || lower.contains("credentials") {
        Fault::ProxyCredentials
    } else if lower.contains("failed to create underlying connection") || kind.is_some_and(is_refusal) {
        Fault::ProxyUnreachable
    } else {
        Fault::ProxyRefused
    }
}

fn tls_fault(error: &TlsError) -> Fault {
    match error {
        TlsError::InvalidCertificate(reason) => match reason {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Fault::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Fault::NotYetValid,
            CertificateError::UnknownIssuer => Fault::UnknownIssuer,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Fault::WrongName,
            _ => Fault::Other,
        },
        TlsError::InvalidMessage(_) => Fault::NotTls,
        _ => Fault::Other,
    }
}

/// The error and its causes. I/O errors hide what they wrap from `source`, so that is looked at too.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| {
        let error: &'a (dyn StdError + 'static) = *error;
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        wrapped.map(|wrapped| wrapped as &(dyn StdError + 'static)).or_else(|| error.source())
    })
}

fn tls_error(error: &reqwest::Error) -> Option<&TlsError> {
    chain(error).find_map(|cause| cause.downcast_ref::<TlsError>())
}

fn io_kind(error: &reqwest::Error) -> Option<std::io::ErrorKind> {
    chain(error).filter_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind).last()
}

/// What the client's layers say without saying what happened.
const WRAPPERS: [&str; 6] = [
    "client error (Connect)",
    "client error (SendRequest)",
    "dns error",
    "error resolving DNS",
    "error decoding response body",
    "request or response body error",
];
/// Most characters of an error that are kept: a certificate for another name may list hundreds of names.
const LONGEST_ERROR: usize = 300;

/// The causes in one line, without repetitions, without the URL that the client puts first and without its wrappings.
fn chain_text(error: &reqwest::Error) -> String {
    let mut text = String::new();
    for cause in chain(error).skip(1) {
        let words = cause.to_string();
        if !text.contains(&words) && !WRAPPERS.contains(&words.as_str()) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&words);
        }
    }
    if text.chars().count() > LONGEST_ERROR {
        text = text.chars().take(LONGEST_ERROR).chain(['…']).collect();
    }
    if text.is_empty() { "the request could not be sent".to_owned() } else { text }
}

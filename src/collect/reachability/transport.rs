//! The HTTP client, and from its errors the stage at which a request stopped.

use std::error::Error as StdError;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codex_triage_checks::facts::network::{Fault, Stage, TransportError};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::{CertificateError, Error as TlsError};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::proxies::Proxy;
use super::request::{ProbeRequest, is_loopback};
use crate::redact::Redactor;

/// Largest file of extra certificate authorities that is read.
const LARGEST_CA_FILE: u64 = 16 << 20;

/// Resolves names as the operating system does, and remembers how far it got.
pub(super) struct Names {
    pinned: Vec<(String, SocketAddr)>,
    /// Keep only addresses of this machine: set where a credential travels unencrypted to `localhost`.
    only_loopback: bool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    addresses: Vec<IpAddr>,
    failed: Option<String>,
}

impl Names {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The resolver that is handed to the client.
struct Handle(Arc<Names>);

impl Resolve for Handle {
    fn resolve(&self, name: Name) -> Resolving {
        let names = Arc::clone(&self.0);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: std::io::Result<Vec<SocketAddr>> = match names.pinned.iter().find(|(known, _)| *known == host) {
                Some((_, address)) => Ok(vec![*address]),
                None => tokio::net::lookup_host((host.as_str(), 0)).await.map(Iterator::collect),
            };
            match found {
                Ok(mut addresses) => {
                    addresses.retain(|address| !names.only_loopback || address.ip().is_loopback());
                    names.seen().addresses = addresses.iter().map(SocketAddr::ip).collect();
                    Ok(Box::new(addresses.into_iter()) as Addrs)
                }
                Err(error) => {
                    names.seen().failed = Some(host);
                    Err(error.into())
                }
            }
        })
    }
}

/// A client for one request.
pub(super) struct Client {
    pub(super) http: reqwest::Client,
    pub(super) names: Arc<Names>,
}

impl Client {
    /// A client for `url` that connects within `patience`. Blocking: it reads certificate files.
    pub(super) fn new(
        request: &ProbeRequest,
        url: &Url,
        proxy: Option<&Proxy>,
        authenticated: bool,
        patience: Duration,
    ) -> Result<Self, reqwest::Error> {
        // A provider that is installed already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let names = Arc::new(Names {
            pinned: request.pinned.clone(),
            only_loopback: authenticated && url.scheme() == "http" && is_loopback(url),
            seen: Mutex::default(),
        });
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("codex-triage/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(patience)
            .dns_resolver(Handle(Arc::clone(&names)))
            // The proxy is chosen by our own rules, from the world and not from this process.
            .no_proxy();
        if let Some(proxy) = proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy.url.as_str())?);
        }
        builder = if url.scheme() == "https" || proxy.is_some_and(|proxy| proxy.url.scheme() == "https") {
            builder.tls_certs_merge(extra_authorities(request))
        } else {
            // Without TLS, a machine without certificate authorities is no obstacle, and nothing has to be loaded.
            builder.tls_certs_only(Vec::new())
        };
        Ok(Self { http: builder.build()?, names })
    }
}

/// The authorities of `CODEX_CA_CERTIFICATE`, else of `SSL_CERT_FILE`, as Codex takes them. A file that cannot be read adds none.
fn extra_authorities(request: &ProbeRequest) -> Vec<reqwest::Certificate> {
    let named = ["CODEX_CA_CERTIFICATE", "SSL_CERT_FILE"];
    let Some(file) = named.iter().filter_map(|name| request.environment.get(*name)).find(|file| !file.is_empty()) else {
        return Vec::new();
    };
    let is_plain = std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST_CA_FILE);
    let bytes = if is_plain { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    reqwest::Certificate::from_pem_bundle(&bytes).unwrap_or_default()
}

/// Where a request was going, for the reading of its error.
pub(super) struct Route<'a> {
    pub(super) url: &'a Url,
    pub(super) proxy: Option<&'a Proxy>,
    pub(super) names: &'a Names,
    pub(super) redactor: &'a Redactor,
}

impl Route<'_> {
    /// Reads an error of the client. `deadline` bounds one more connection that tells two silences apart.
    pub(super) async fn error(&self, error: &reqwest::Error, deadline: Instant) -> TransportError {
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
        let Some(address) = literal.or_else(|| self.names.seen().addresses.first().copied()) else {
            return if self.proxy.is_some() { Stage::Proxy } else { Stage::Dns };
        };
        if self.proxy.is_some() {
            return Stage::Proxy;
        }
        let pinned = self.names.pinned.iter().find(|(name, _)| Some(name.as_str()) == target.host_str());
        let port = target.port().or(pinned.map(|(_, address)| address.port())).or(target.port_or_known_default());
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
        if let Some(failed) = self.names.seen().failed.clone() {
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
        let not_http = ["invalid http", "message head", "frame with invalid size", "invalid header"];
        let fault = if stage == Stage::FirstByte && not_http.iter().any(|words| lower.contains(words)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    async fn found(only_loopback: bool) -> usize {
        let pinned = vec![("localhost".to_owned(), SocketAddr::from(([192, 0, 2, 1], 80)))];
        let names = Arc::new(Names { pinned, only_loopback, seen: Mutex::default() });
        let addresses = Handle(names).resolve("localhost".parse().unwrap()).await;
        addresses.map(Iterator::count).unwrap_or_default()
    }

    #[tokio::test]
    async fn a_credential_for_localhost_does_not_leave_this_machine_whatever_a_name_server_says() {
        assert_eq!(found(true).await, 0);
        assert_eq!(found(false).await, 1);
    }
}

//! The HTTP client: names as the operating system resolves them, the authorities that Codex trusts, the proxy we chose.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use super::proxies::Proxy;
use super::request::{ProbeRequest, is_loopback};

/// Largest file of extra certificate authorities that is read.
const LARGEST_CA_FILE: u64 = 16 << 20;

/// Resolves names as the operating system does, and remembers how far it got.
pub(in crate::collect) struct Names {
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
    /// The first address of the name that was resolved last.
    pub(in crate::collect) fn address(&self) -> Option<IpAddr> {
        self.seen().addresses.first().copied()
    }

    /// The name that could not be resolved.
    pub(in crate::collect) fn failed(&self) -> Option<String> {
        self.seen().failed.clone()
    }

    /// The port of a pinned name.
    pub(in crate::collect) fn pinned_port(&self, host: &str) -> Option<u16> {
        self.pinned.iter().find(|(name, _)| name == host).map(|(_, address)| address.port())
    }

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
pub(in crate::collect) struct Client {
    pub(in crate::collect) http: reqwest::Client,
    pub(in crate::collect) names: Arc<Names>,
}

impl Client {
    /// A client for `url` that connects within `patience`; with HTTP/1.1 alone where the connection is to be upgraded. Blocking: it reads certificate files.
    pub(in crate::collect) fn new(
        request: &ProbeRequest,
        url: &Url,
        proxy: Option<&Proxy>,
        authenticated: bool,
        patience: Duration,
        only_http1: bool,
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
        if only_http1 {
            builder = builder.http1_only();
        }
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

/// The authorities of `CODEX_CA_CERTIFICATE`, else of `SSL_CERT_FILE`. A file that cannot be read, or holds none, is passed
/// over, as Codex passes it over (measured on 0.171.0).
fn extra_authorities(request: &ProbeRequest) -> Vec<reqwest::Certificate> {
    ["CODEX_CA_CERTIFICATE", "SSL_CERT_FILE"]
        .iter()
        .filter_map(|name| request.environment.get(*name))
        .map(|file| authorities_in(file))
        .find(|authorities| !authorities.is_empty())
        .unwrap_or_default()
}

/// Whether a file of authorities is a pipe, a device or a giant. The TLS library reads the one of `SSL_CERT_FILE` to its end,
/// which could last for ever.
pub(super) fn is_endless(file: &str) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| !(meta.is_dir() || (meta.is_file() && meta.len() <= LARGEST_CA_FILE)))
}

fn authorities_in(file: &str) -> Vec<reqwest::Certificate> {
    let bytes = if !is_endless(file) { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    reqwest::Certificate::from_pem_bundle(&bytes).unwrap_or_default()
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

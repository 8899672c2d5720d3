//! One request to the endpoint that costs nothing: `GET …/models`, as Codex would send it, but honest about who asks.
//!
//! Never follows a redirect, never sends a credential without TLS except within this machine, never runs past its deadline,
//! never keeps a body.

pub(super) mod answer;
pub(super) mod client;
pub(super) mod failure;
pub mod proxies;
pub(super) mod request;

use std::time::Duration;

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::network::{Fault, Outcome, Reachability, Stage, TransportError};
use reqwest::header::{HeaderMap, HeaderName};
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use request::{Bearer, ProbeRequest, may_carry_credential};

use crate::collect::clock::DateEvidence;
use crate::redact::Redactor;
use client::Client;
use failure::Route;
use proxies::Proxy;

/// Most bytes of a body that are read. The official list has about 0.7 MB and grows.
const LARGEST_BODY: usize = 4 << 20;
/// What the connection leaves of the time, so that a silent stage can be told from the next one.
const RESERVE: Duration = Duration::from_millis(500);
/// The request ends this much before the deadline, so that its failure is still reported.
const MARGIN: Duration = Duration::from_millis(50);

/// Sends the request and reads the answer. `now` is the wall clock, read around the request for the clock check.
pub async fn collect(
    request: &ProbeRequest,
    redactor: &Redactor,
    now: impl Fn() -> DateTime<Utc>,
    deadline: Instant,
) -> (Observed<Reachability>, Option<DateEvidence>) {
    let start = Instant::now();
    request.teach(redactor);
    let url = request.url();
    let proxy = url.as_ref().and_then(|url| proxies::choose(&request.environment, url));
    if let Some(password) = proxy.as_ref().and_then(|proxy| proxy.url.password()) {
        redactor.learn_secret(password);
    }
    let may_carry = url.as_ref().is_some_and(|url| may_carry_credential(url, proxy.as_ref()));
    let unusable = request.has_unusable_credential();
    let authenticated = request.has_credential() && may_carry && !unusable;
    let (outcome, date) = match &url {
        None => (Outcome::Broken(not_requestable(request, redactor)), None),
        Some(url) => {
            let probe = Probe { request, url, proxy: proxy.as_ref(), authenticated, redactor };
            probe.run(now, deadline.checked_sub(MARGIN).unwrap_or(deadline)).await
        }
    };
    let shown = redactor.text(&redactor.url(&url.map_or_else(|| request.text(), |url| url.to_string())));
    let reachability = Reachability {
        curl: request::curl(request, proxy.as_ref(), authenticated, redactor),
        authenticated,
        withheld: request.has_credential() && !may_carry,
        unusable,
        proxy: proxy.map(|proxy| format!("{} {}", proxy.variable, redactor.text(&redactor.url(proxy.url.as_str())))),
        elapsed_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        outcome,
        url: shown.clone(),
    };
    (Observed::known(reachability, format!("GET {shown}")), date)
}

fn not_requestable(request: &ProbeRequest, redactor: &Redactor) -> TransportError {
    let error = match Url::parse(&request.text()) {
        Err(error) => error.to_string(),
        Ok(url) => format!("scheme `{}` is not http or https", url.scheme()),
    };
    TransportError { stage: Stage::Build, fault: Fault::NoAddress, timed_out: false, error: redactor.text(&error) }
}

struct Probe<'a> {
    request: &'a ProbeRequest,
    url: &'a Url,
    proxy: Option<&'a Proxy>,
    authenticated: bool,
    redactor: &'a Redactor,
}

impl Probe<'_> {
    async fn run(&self, now: impl Fn() -> DateTime<Utc>, deadline: Instant) -> (Outcome, Option<DateEvidence>) {
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = left.saturating_sub(RESERVE.min(left / 5));
        if let Some(file) = self.request.environment.get("SSL_CERT_FILE").filter(|file| client::is_endless(file)) {
            let error = self.redactor.text(&format!("SSL_CERT_FILE names {file}, which is no ordinary file of certificates"));
            return (
                Outcome::Broken(TransportError { stage: Stage::Tls, fault: Fault::NoAuthorities, timed_out: false, error }),
                None,
            );
        }
        let client = match Client::new(self.request, self.url, self.proxy, self.authenticated, patience, false) {
            Ok(client) => client,
            Err(error) => return (Outcome::Broken(request::unbuilt(&error, self.redactor)), None),
        };
        let route = Route { url: self.url, proxy: self.proxy, names: &client.names, redactor: self.redactor };
        let sending = client.http.get(self.url.clone()).headers(self.headers()).send();
        let sent_at = now();
        let response = match timeout_at(deadline.checked_sub(RESERVE.min(left / 10)).unwrap_or(deadline), sending).await {
            Err(_) => return (Outcome::Broken(silence(Stage::FirstByte)), None),
            Ok(Err(error)) => return (Outcome::Broken(route.error(&error, deadline).await), None),
            Ok(Ok(response)) => response,
        };
        let received_at = now();
        let date = self.date(response.headers(), sent_at, received_at);
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = match timeout_at(deadline, read_body(response)).await {
            Err(_) => return (Outcome::Broken(silence(Stage::Body)), Some(date)),
            Ok(Err(error)) => return (Outcome::Broken(route.error(&error, deadline).await), Some(date)),
            Ok(Ok(body)) => body,
        };
        (Outcome::Answered(answer::read(status, &headers, &body, self.redactor)), Some(date))
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("accept", reqwest::header::HeaderValue::from_static("application/json"));
        if self.authenticated {
            for (name, value) in self.request.credential_headers() {
                if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                    headers.insert(name, value);
                }
            }
        }
        headers
    }

    fn date(&self, headers: &HeaderMap, sent_at: DateTime<Utc>, received_at: DateTime<Utc>) -> DateEvidence {
        let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let cache = [value("x-cache"), value("cf-cache-status")].into_iter().flatten().collect::<Vec<_>>().join(" ");
        DateEvidence {
            host: self.url.host_str().unwrap_or_default().to_owned(),
            date: value("date"),
            age: value("age"),
            cache,
            sent_at,
            received_at,
            genuine: self.url.scheme() == "https" || (self.proxy.is_none() && request::is_loopback(self.url)),
        }
    }
}

fn silence(stage: Stage) -> TransportError {
    TransportError { stage, fault: Fault::Silence, timed_out: true, error: "nothing came in time".to_owned() }
}

/// The body up to [`LARGEST_BODY`]; what follows is not read.
async fn read_body(mut response: reqwest::Response) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() >= LARGEST_BODY {
            break;
        }
    }
    Ok(body)
}

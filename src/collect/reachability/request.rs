//! The one request: its URL, what may travel with it, and the curl command that does the same.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use codex_triage_checks::facts::network::{Fault, Stage, TransportError};
use codex_triage_checks::facts::run::Platform;
use reqwest::header::HeaderValue;
use url::{Host, Url};

use super::proxies::Proxy;
use crate::redact::Redactor;

/// A secret that can be sent and nothing else: it has no `Debug`, no `Display` and no serialisation.
#[derive(Clone)]
pub struct Bearer(String);

impl Bearer {
    /// Takes a secret in.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The value of a header made of `prefix` and the secret; nothing when a header cannot carry it.
    pub(in crate::collect) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_bytes(format!("{prefix}{}", self.0).as_bytes()).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Makes `redactor` mask it wherever it appears.
    pub fn teach(&self, redactor: &Redactor) {
        redactor.learn_secret(&self.0);
    }
}

/// What to ask, and with what.
#[derive(Clone)]
pub struct ProbeRequest {
    /// The provider's base URL, as Codex has it.
    pub base_url: String,
    /// The provider's `query_params`.
    pub query: Vec<(String, String)>,
    /// The Codex version to name, where the back end wants one (`client_version`; ChatGPT's does).
    pub client_version: Option<String>,
    /// The credential that Codex would send to this address.
    pub bearer: Option<Bearer>,
    /// Further headers that Codex would send and that may be secret (the provider's `http_headers`, `env_http_headers`).
    pub headers: Vec<(String, Bearer)>,
    /// The ChatGPT account that requests name.
    pub account: Option<String>,
    /// The shell variable that stands for the key in the command to paste, without `$`.
    pub key_variable: String,
    /// The environment as Codex sees it (`$CODEX_HOME/.env` included): proxies and CA files come from here.
    pub environment: BTreeMap<String, String>,
    /// Whose shell the command is for.
    pub platform: Platform,
    /// Names that are not looked up but taken to be at these addresses. For tests.
    pub pinned: Vec<(String, SocketAddr)>,
}

impl ProbeRequest {
    /// A request for `base_url` without anything else.
    pub fn to(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            query: Vec::new(),
            client_version: None,
            bearer: None,
            headers: Vec::new(),
            account: None,
            key_variable: "KEY".to_owned(),
            environment: BTreeMap::new(),
            platform: Platform::Linux,
            pinned: Vec::new(),
        }
    }

    /// The URL, built as Codex builds its own: no slash is doubled, nothing is added or taken away.
    pub fn url(&self) -> Option<Url> {
        let mut url = Url::parse(&self.text()).ok()?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return None;
        }
        let own = self.client_version.iter().map(|version| ("client_version".to_owned(), version.clone()));
        let pairs: Vec<(String, String)> = self.query.iter().cloned().chain(own).collect();
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        Some(url)
    }

    /// The URL as text, also where it is none.
    pub(in crate::collect) fn text(&self) -> String {
        format!("{}/models", self.base_url.trim_end_matches('/'))
    }

    /// Makes `redactor` mask its secrets wherever they appear.
    pub fn teach(&self, redactor: &Redactor) {
        for secret in self.bearer.iter().chain(self.headers.iter().map(|(_, value)| value)) {
            secret.teach(redactor);
        }
    }

    /// Whether there is anything that only the right side may see.
    pub(in crate::collect) fn has_credential(&self) -> bool {
        self.bearer.is_some() || !self.headers.is_empty()
    }

    /// Whether there is a credential that no header can carry.
    pub(in crate::collect) fn has_unusable_credential(&self) -> bool {
        self.bearer.as_ref().is_some_and(|bearer| bearer.header("Bearer ").is_none())
    }

    /// The names and values of the headers that carry credentials.
    pub(in crate::collect) fn credential_headers(&self) -> Vec<(String, HeaderValue)> {
        let bearer = self.bearer.iter().map(|bearer| ("authorization".to_owned(), bearer.header("Bearer ")));
        let others = self.headers.iter().map(|(name, value)| (name.clone(), value.header("")));
        let account = self.account.iter().map(|id| ("chatgpt-account-id".to_owned(), HeaderValue::from_str(id).ok()));
        bearer.chain(others).chain(account).filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Whether a credential may travel to `url`: only under TLS, or within this machine without a proxy between.
pub fn may_carry_credential(url: &Url, proxy: Option<&Proxy>) -> bool {
    match url.scheme() {
        "https" => true,
        "http" => proxy.is_none() && is_loopback(url),
        _ => false,
    }
}

/// Whether `url` is on this machine by its address, or by the one name that always is.
pub(in crate::collect) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        Some(Host::Domain(name)) => name.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

/// The equal curl command.
pub(in crate::collect) fn curl(request: &ProbeRequest, proxy: Option<&Proxy>, authenticated: bool, redactor: &Redactor) -> String {
    let url = redactor.text(&redactor.url(&request.url().map_or_else(|| request.text(), |url| url.to_string())));
    curl_to(request, proxy, authenticated, redactor, &url, &[])
}

/// The curl command for `url` (already redacted) with `further` words. Proxies come from the environment by themselves, but for
/// `HTTP_PROXY`, which curl reads in lower case only. Secrets are variables; query values are masked.
pub(in crate::collect) fn curl_to(
    request: &ProbeRequest,
    proxy: Option<&Proxy>,
    authenticated: bool,
    redactor: &Redactor,
    url: &str,
    further: &[String],
) -> String {
    let windows = request.platform == Platform::Windows;
    let variable = |name: &str| if windows { format!("$env:{name}") } else { format!("${name}") };
    let mut words = vec![if windows { "curl.exe" } else { "curl" }.to_owned(), "-sS -i --max-time 10".to_owned()];
    if let Some(proxy) = proxy.filter(|proxy| proxy.variable == "HTTP_PROXY") {
        words.push(format!("--proxy \"{}\"", variable(proxy.variable)));
    }
    if request.environment.get("CODEX_CA_CERTIFICATE").is_some_and(|file| !file.is_empty()) {
        words.push(format!("--cacert \"{}\"", variable("CODEX_CA_CERTIFICATE")));
    }
    if authenticated {
        if request.bearer.is_some() {
            words.push(format!("-H \"Authorization: Bearer {}\"", variable(&request.key_variable)));
        }
        if request.account.is_some() {
            words.push(format!("-H \"ChatGPT-Account-Id: {}\"", variable("ACCOUNT")));
        }
        for (name, _) in &request.headers {
            let stands_for = name.to_ascii_uppercase().replace(|character: char| !character.is_ascii_alphanumeric(), "_");
            words.push(format!("-H \"{}: {}\"", redactor.text(name), variable(&stands_for)));
        }
    }
    words.extend(further.iter().cloned());
    // A quote cannot end the argument: it is percent-encoded in a URL, and where this is no URL there is nothing to run.
    words.push(format!("'{}'", url.replace('\'', "%27")));
    words.join(" ")
}

/// The failure of a client that could not be built.
pub(in crate::collect) fn unbuilt(error: &reqwest::Error, redactor: &Redactor) -> TransportError {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    let authorities = text.contains("certificate");
    let (stage, fault) = if authorities { (Stage::Tls, Fault::NoAuthorities) } else { (Stage::Build, Fault::Other) };
    TransportError { stage, fault, timed_out: false, error: redactor.text(&text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_credential_travels_under_tls_or_stays_on_this_machine() {
        for (address, may) in [
            ("https://relay.example/v1", true),
            ("http://127.0.0.1:8317/v1", true),
            ("http://localhost:8317/v1", true),
            ("http://[::1]:8317/v1", true),
            ("http://relay.example/v1", false),
            ("http://192.168.1.7/v1", false),
            ("http://localhost.relay.example/v1", false),
            ("http://127.0.0.1.relay.example/v1", false),
            ("ws://127.0.0.1/v1", false),
        ] {
            assert_eq!(may_carry_credential(&url(address), None), may, "{address}");
        }
    }

    #[test]
    fn a_plain_request_through_a_proxy_carries_none_even_to_this_machine() {
        let proxy = Proxy { variable: "HTTP_PROXY", url: url("http://proxy.example:3128") };
        assert!(!may_carry_credential(&url("http://127.0.0.1:8317/v1"), Some(&proxy)));
        assert!(may_carry_credential(&url("https://relay.example/v1"), Some(&proxy)));
    }

    #[test]
    fn the_url_is_built_as_codex_builds_its_own() {
        let built = |base: &str| ProbeRequest::to(base).url().map(|url| url.to_string());
        assert_eq!(built("https://relay.example/v1///").as_deref(), Some("https://relay.example/v1/models"));
        assert_eq!(built("https://relay.example").as_deref(), Some("https://relay.example/models"));
        for none in ["", "relay.example/v1", "ws://relay.example/v1", "${VAR}/v1"] {
            assert_eq!(built(none), None, "{none}");
        }
        let mut request = ProbeRequest::to("https://chatgpt.com/backend-api/codex");
        request.client_version = Some("0.171.0".to_owned());
        assert_eq!(request.url().unwrap().query(), Some("client_version=0.171.0"));
    }

    #[test]
    fn the_curl_command_holds_variables_and_no_secrets() {
        let mut request = ProbeRequest::to("https://user:hunter2hunter2@relay.example/v1");
        request.bearer = Some(Bearer::new("canary-canary"));
        request.account = Some("acct-canary-1".to_owned());
        request.query = vec![("token".to_owned(), "tinytiny".to_owned())];
        request.key_variable = "RELAY_KEY".to_owned();
        let world =
            crate::world::World::new(BTreeMap::new(), "/".into(), None, None, Platform::Linux, chrono::DateTime::UNIX_EPOCH, 0);
        let command = curl(&request, None, true, &Redactor::new(&world));
        assert_eq!(
            command,
            "curl -sS -i --max-time 10 -H \"Authorization: Bearer $RELAY_KEY\" -H \"ChatGPT-Account-Id: $ACCOUNT\" \
             'https://relay.example/v1/models?token=<masked>'"
        );
    }
}

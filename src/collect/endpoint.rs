//! The address that Codex sends its model requests to, built as Codex builds it. Looks at nothing: all it needs was read before.
//!
//! The fact holds no user information, no query value and no header. What the network collector must send is in a
//! [`LiveEndpoint`] that is never printed.

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::config::Config;
use codex_triage_checks::facts::endpoint::{Endpoint, HostKind};
use codex_triage_checks::knowledge::hosts::host_kind;
use codex_triage_checks::knowledge::providers;
use url::Url;

use super::config::{RawConfig, address};
use super::environment::RawEnvironment;
use crate::redact::Redactor;

/// The address as it stands and the headers of the provider. Never printed: both may hold secrets.
#[derive(Clone)]
pub struct LiveEndpoint {
    /// The URL of the model request.
    pub request: Url,
    /// The base address below which everything is asked.
    pub base: String,
    /// The provider's query parameters.
    pub query: Vec<(String, String)>,
    /// The headers that the provider's settings add, by name: those given and those from variables that are set.
    pub headers: Vec<(String, String)>,
}

/// A base address and the rule that gave it.
struct Base {
    address: String,
    /// The key or rule, in the words of the configuration.
    origin: String,
    /// The key's path, when the configuration sets it.
    path: Option<Vec<String>>,
}

/// The endpoint of the selected provider. `credential_is_chatgpt`: whether requests are signed with a ChatGPT login.
pub fn resolve(
    config: &Config,
    raw: &RawConfig,
    environment: &RawEnvironment,
    redactor: &Redactor,
    credential_is_chatgpt: bool,
) -> (Observed<Endpoint>, Option<LiveEndpoint>) {
    let provider = raw.provider();
    let Some(base) = base(raw, environment, provider, credential_is_chatgpt) else {
        return (Observed::absent(format!("provider {}", redactor.text(provider))), None);
    };
    let request = url_below(&base.address, "responses", raw, provider);
    let place = base.path.as_ref().and_then(|path| {
        let path: Vec<String> = path.iter().map(|segment| redactor.text(segment)).collect();
        config.effective(&path.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let parsed = Url::parse(&base.address).ok();
    let host = parsed.as_ref().and_then(Url::host_str).filter(|host| !host.is_empty()).map(str::to_owned);
    let built_in = providers::is_built_in(provider);
    // Amazon's own provider talks to Amazon, whatever its region.
    let kind = host.as_deref().map_or(HostKind::Other, host_kind);
    let endpoint = Endpoint {
        provider: redactor.text(provider),
        built_in,
        origin: redactor.text(&base.origin),
        base_url: shown(redactor, &base.address),
        unshown: address::unshown(&base.address),
        request_url: request.as_ref().map(|url| shown(redactor, url.as_str())),
        port: parsed.as_ref().filter(|_| host.is_some()).and_then(Url::port_or_known_default),
        scheme: parsed.as_ref().map(|url| url.scheme().to_owned()),
        host: host.map(|host| redactor.text(&host)),
        host_kind: kind,
        model: config.text(&["model"]).filter(|model| !model.is_empty()).map(str::to_owned),
        file: place.and_then(|(layer, _)| layer.file.clone()),
        line: place.and_then(|(_, entry)| entry.line),
        column: place.and_then(|(_, entry)| entry.column),
    };
    let live = request.map(|request| LiveEndpoint {
        request,
        base: base.address.clone(),
        query: query(raw, provider).into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        headers: headers(raw, environment, provider),
    });
    let source = endpoint.origin.clone();
    (Observed::known(endpoint, source), live)
}

/// The base address; nothing where only a region decides.
fn base(raw: &RawConfig, environment: &RawEnvironment, provider: &str, chatgpt: bool) -> Option<Base> {
    let of_key = |path: &[&str]| {
        let address = raw.text(path)?.to_owned();
        let path: Vec<String> = path.iter().map(|segment| (*segment).to_owned()).collect();
        Some(Base { address, origin: path.join("."), path: Some(path) })
    };
    let of_rule = |address: String, origin: &str| Base { address, origin: origin.to_owned(), path: None };
    match provider {
        // `chatgpt_base_url` moves account services, not model requests (measured on 0.171.0); an empty address counts as unset.
        "openai" => of_key(&["openai_base_url"]).filter(|base| !base.address.is_empty()).or_else(|| default(chatgpt)),
        "ollama" | "lmstudio" => {
            if let Some(address) = environment.filled("CODEX_OSS_BASE_URL") {
                return Some(of_rule(address.to_owned(), "CODEX_OSS_BASE_URL"));
            }
            if let Some(port) = environment.filled("CODEX_OSS_PORT") {
                return Some(of_rule(format!("http://localhost:{port}/v1"), "CODEX_OSS_PORT"));
            }
            let address = providers::provider(provider)?.base.clone()?;
            Some(of_rule(address, "default"))
        }
        // Codex does not start with a provider that is not defined.
        _ if !providers::is_built_in(provider) && !raw.has(&["model_providers", provider]) => None,
        _ => of_key(&["model_providers", provider, "base_url"]).or_else(|| {
            let adaptable = providers::is_adaptable(provider);
            let openai_login = raw.flag(&["model_providers", provider, "requires_openai_auth"]).unwrap_or(false);
            if adaptable { None } else { default(chatgpt && openai_login) }
        }),
    }
}

/// OpenAI's own address, which Codex takes where nothing else is set.
fn default(chatgpt: bool) -> Option<Base> {
    let openai = providers::provider("openai")?;
    let address = if chatgpt { openai.chatgpt_base.clone()? } else { openai.base.clone()? };
    let origin = if chatgpt { "default for a ChatGPT login" } else { "default" };
    Some(Base { address, origin: origin.to_owned(), path: None })
}

/// `base` without ending slashes, a slash, `name`, and the provider's query parameters. Nothing is added or taken away beside that;
/// without scheme or host there is no URL, and Codex sends nothing.
fn url_below(base: &str, name: &str, raw: &RawConfig, provider: &str) -> Option<Url> {
    let query = query(raw, provider);
    let mut address = format!("{}/{name}", base.trim_end_matches('/'));
    if !query.is_empty() {
        let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        address = format!("{address}?{}", pairs.join("&"));
    }
    let url = Url::parse(&address).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

fn query<'raw>(raw: &'raw RawConfig, provider: &str) -> Vec<(&'raw str, &'raw str)> {
    raw.pairs(&["model_providers", provider, "query_params"])
}

fn headers(raw: &RawConfig, environment: &RawEnvironment, provider: &str) -> Vec<(String, String)> {
    let given = raw.pairs(&["model_providers", provider, "http_headers"]);
    let mut headers: Vec<(String, String)> = given.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    for (name, variable) in raw.pairs(&["model_providers", provider, "env_http_headers"]) {
        headers.extend(environment.filled(variable).map(|value| (name.to_owned(), value.to_owned())));
    }
    if provider == "openai" {
        for (name, variable) in [("openai-organization", "OPENAI_ORGANIZATION"), ("openai-project", "OPENAI_PROJECT")] {
            headers.extend(environment.filled(variable).map(|value| (name.to_owned(), value.to_owned())));
        }
    }
    headers
}

/// An address as it may be shown.
fn shown(redactor: &Redactor, address: &str) -> String {
    if address.contains("://") { redactor.text(&redactor.url(address)) } else { redactor.text(address) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::{config, environment};
    use crate::world::World;
    use codex_triage_checks::facts::run::Platform;

    fn of(text: &str, variables: &[(&str, &str)], chatgpt: bool) -> (Option<Endpoint>, Option<LiveEndpoint>) {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let at = chrono::DateTime::from_timestamp(1_795_968_000, 0).unwrap();
        let world = World::new(variables, home.path().into(), Some(home.path()), None, Platform::Linux, at, 0);
        let redactor = Redactor::new(&world);
        let (config, raw) = config::collect(&world, &redactor, &config::ConfigRequest::default());
        let (_, environment) = environment::collect(&world, &redactor, &world.codex_home, &raw);
        let (observed, live) = resolve(config.value().unwrap(), &raw, &environment, &redactor, chatgpt);
        (observed.value().cloned(), live)
    }

    fn relay(base: &str) -> String {
        format!("model_provider = \"relay\"\n[model_providers.relay]\nname = \"Relay\"\nbase_url = \"{base}\"\n")
    }

    fn request(text: &str) -> Option<String> {
        of(text, &[], false).0.unwrap().request_url
    }

    #[test]
    fn the_request_url_is_the_base_and_responses_and_nothing_else() {
        for (base, expected) in [
            ("https://r.example/v1", Some("https://r.example/v1/responses")),
            ("https://r.example/v1///", Some("https://r.example/v1/responses")),
            ("https://r.example", Some("https://r.example/responses")),
            ("https://r.example/v1/responses", Some("https://r.example/v1/responses/responses")),
            ("https://r.example/v1 ", Some("https://r.example/v1%20/responses")),
            ("", None),
            ("r.example/v1", None),
            ("localhost:8080/v1", None),
            ("ws://r.example/v1", None),
            ("${RELAY}/v1", None),
        ] {
            assert_eq!(request(&relay(base)).as_deref(), expected, "{base}");
        }
    }

    #[test]
    fn query_parameters_follow_the_path_and_their_values_are_masked() {
        let text =
            format!("{}query_params = {{ api-version = \"preview\", key = \"hidden-value-1\" }}\n", relay("https://r.example/v1"));
        let (endpoint, live) = of(&text, &[], false);
        assert_eq!(live.unwrap().request.query(), Some("api-version=preview&key=hidden-value-1"));
        let shown = endpoint.unwrap().request_url.unwrap();
        assert_eq!(shown, "https://r.example/v1/responses?api-version=preview&key=<masked>");
    }

    #[test]
    fn openai_is_asked_where_its_login_belongs() {
        assert_eq!(of("", &[], false).0.unwrap().base_url, "https://api.openai.com/v1");
        let (chatgpt, _) = of("chatgpt_base_url = \"https://elsewhere.example/\"\n", &[], true);
        assert_eq!(chatgpt.unwrap().request_url.unwrap(), "https://chatgpt.com/backend-api/codex/responses");
        let (moved, _) = of("openai_base_url = \"https://r.example/v1\"\n", &[("OPENAI_BASE_URL", "https://no.example")], true);
        let moved = moved.unwrap();
        assert_eq!((moved.base_url.as_str(), moved.line, moved.host_kind), ("https://r.example/v1", Some(1), HostKind::Other));
        assert!(of("openai_base_url = \"\"\n", &[], false).0.unwrap().host_kind == HostKind::Official);
    }

    #[test]
    fn local_models_follow_their_variables() {
        let ollama = "model_provider = \"ollama\"\n";
        assert_eq!(of(ollama, &[], false).0.unwrap().base_url, "http://localhost:11434/v1");
        assert_eq!(of(ollama, &[("CODEX_OSS_PORT", "9")], false).0.unwrap().base_url, "http://localhost:9/v1");
        let both = [("CODEX_OSS_PORT", "9"), ("CODEX_OSS_BASE_URL", "http://box.example/x")];
        assert_eq!(of(ollama, &both, false).0.unwrap().base_url, "http://box.example/x");
        assert!(of("model_provider = \"amazon-bedrock\"\n", &[], false).0.is_none());
    }

    #[test]
    fn neither_a_password_nor_a_project_gets_into_the_address() {
        let (endpoint, live) = of(&relay("https://maria:hunter22@r.example/v1"), &[], false);
        assert!(!serde_json::to_string(&endpoint).unwrap().contains("hunter22"));
        assert_eq!(live.unwrap().request.password(), Some("hunter22"));
    }

    #[test]
    fn headers_come_from_the_provider_and_from_variables_that_are_set() {
        let text = format!(
            "{}http_headers = {{ X-Team = \"a\" }}\nenv_http_headers = {{ X-Key = \"RELAY_KEY\", X-No = \"UNSET\" }}\n",
            relay("https://r.example/v1")
        );
        let (_, live) = of(&text, &[("RELAY_KEY", "secret-value-9"), ("OPENAI_PROJECT", "proj")], false);
        let headers = live.unwrap().headers;
        assert_eq!(headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["X-Team", "X-Key"]);
    }
}

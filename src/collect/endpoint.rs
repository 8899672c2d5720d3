//! stub
use super::config::RawConfig;
use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::endpoint::*;
use crate::redact::Redactor;
use codex_triage_checks::knowledge::hosts::host_kind;
pub fn resolve(raw: &RawConfig, redactor: &Redactor, chatgpt: bool) -> (Observed<Endpoint>, String) {
    let provider = raw.provider().to_owned();
    let base = if provider == "openai" { raw.text(&["openai_base_url"]).unwrap_or(if chatgpt {"https://chatgpt.com/backend-api/codex"} else {"https://api.openai.com/v1"}).to_owned() } else { raw.provider_text("base_url").unwrap_or("https://api.openai.com/v1").to_owned() };
    let url = url::Url::parse(&base).ok();
    let host = url.as_ref().and_then(|u| u.host_str().map(str::to_owned));
    let e = Endpoint { built_in: provider=="openai", provider, origin: "stub".into(), base_url: redactor.url(&base), request_url: Some(format!("{}/responses", redactor.url(&base).trim_end_matches('/'))), host_kind: host.as_deref().map_or(HostKind::Other, host_kind), port: url.as_ref().and_then(url::Url::port_or_known_default), scheme: url.as_ref().map(|u| u.scheme().to_owned()), host, model: raw.text(&["model"]).map(str::to_owned), file: None, line: None, column: None };
    (Observed::known(e, "config"), base)
}

//! The headers of an answer as the log writes them: `{"server": "x", "set-cookie": Sensitive, …}`.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::collect::reachability::answer;
use crate::redact::Redactor;

/// Those that tell something, redacted.
pub(super) fn telling(written: &str, redactor: &Redactor) -> BTreeMap<String, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs(written) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    answer::telling(&headers, redactor)
}

/// Names and values, up to what cannot be read.
fn pairs(written: &str) -> Vec<(&str, String)> {
    let mut pairs = Vec::new();
    let mut rest = written.strip_prefix('{').unwrap_or_default();
    while let Some((name, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once("\": ")) {
        let Some((value, after)) = value(after) else { break };
        pairs.extend(value.map(|value| (name, value)));
        rest = after.strip_prefix(", ").unwrap_or_default();
    }
    pairs
}

/// A value and what stands after it. One that is not to be shown has no quotes.
fn value(text: &str) -> Option<(Option<String>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some((None, text.strip_prefix("Sensitive")?));
    };
    let mut end = 0;
    loop {
        end += quoted[end..].find('"')?;
        if !quoted[..end].ends_with('\\') {
            return Some((Some(quoted[..end].replace("\\\"", "\"")), &quoted[end + 1..]));
        }
        end += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collect::sessions::tests::any_redactor;

    #[test]
    fn only_what_tells_something_is_kept_and_no_credential() {
        let written = concat!(
            r#"{"server": "cloudflare", "set-cookie": "session=canary-1", "set-cookie": Sensitive, "authorization": "Bearer canary-2", "#,
            r#""x-request-id": "req_0f1e2d3c4b5a49788796a5b4c3d2e1f0", "cf-ray": "8f1a2b3c4d5e6f70-SJC", "retry-after": "7", "#,
            r#""x-codex-primary-used-percent": "42.5", "x-codex-turn-state": "canary-3", "x-codex-account-id": "canary-4", "#,
            r#""via": "1.1 \"quoted\"", "openai-processing-ms": "123"} version=HTTP/1.1"#
        );
        let headers = telling(written, &any_redactor());
        assert!(!format!("{headers:?}").contains("canary"), "{headers:?}");
        let shown: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("cf-ray", "8f1a2b3c4d5e6f70-SJC"),
                ("openai-processing-ms", "123"),
                ("retry-after", "7"),
                ("server", "cloudflare"),
                ("via", "1.1 \"quoted\""),
                ("x-codex-primary-used-percent", "42.5"),
                ("x-request-id", "req_0f1e2d3c4b5a49788796a5b4c3d2e1f0"),
            ]
        );
    }

    #[test]
    fn what_is_cut_off_is_left_out() {
        let pairs = |written| pairs(written).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(pairs(r#"{"a": "1", "b": "2"#), ["a"]);
        assert_eq!(pairs(r#"{"a": "1", "b"#), ["a"]);
        assert_eq!(pairs(""), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn no_headers_are_too_odd(parts in prop::collection::vec(prop::sample::select(vec!["{", "\"", "\\", "\": ", "a", "é", ", ", "Sensitive", "}"]), 0..16)) {
            let _ = pairs(&parts.concat());
        }
    }
}

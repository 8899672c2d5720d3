//! A login that no server ever gave.

use base64::Engine as _;
use serde_json::{Value, json};

/// A moment in 2096: no proactive refresh, whatever today is.
const FAR_AHEAD: u64 = 4_000_000_000;

/// An auth.json with ChatGPT tokens.
pub(crate) fn chatgpt() -> String {
    let claims = json!({
        "email": "lab@example.invalid", "email_verified": true, "iat": 1_795_536_000, "exp": FAR_AHEAD,
        "iss": "https://auth.openai.com", "aud": ["app_FAKE"], "sub": "user-FAKE",
        "https://api.openai.com/auth": {"chatgpt_plan_type": "plus", "chatgpt_account_id": "acct-FAKE",
            "chatgpt_user_id": "user-FAKE", "user_id": "user-FAKE", "organizations": [], "groups": []},
    });
    let token = token(&claims);
    json!({
        "auth_mode": "chatgpt", "OPENAI_API_KEY": null,
        "tokens": {"id_token": token, "access_token": token, "refresh_token": "rt_FAKE_not_a_token", "account_id": "acct-FAKE"},
        "last_refresh": chrono::Utc::now().to_rfc3339(),
    })
    .to_string()
}

fn token(claims: &Value) -> String {
    let part = |value: &Value| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.FAKE-SIGNATURE-NOT-REAL", part(&json!({"alg": "none", "typ": "JWT"})), part(claims))
}

//! What a ChatGPT back end, its token endpoint and the status page answer when all is well.

use serde_json::json;

use crate::scenario::Answer;

/// A quarter past nothing: far in the future, so that no window has reset.
const RESETS_AT: u64 = 4_102_444_800;

/// The routes and their good answers. The windows stand at 12 and 34 percent.
pub(crate) fn routes() -> Vec<(&'static str, Answer)> {
    let window = |percent: u8, seconds: u32| {
        json!({"used_percent": percent, "limit_window_seconds": seconds, "reset_after_seconds": 3600, "reset_at": RESETS_AT})
    };
    let usage = json!({
        "plan_type": "plus", "user_id": "user-FAKE", "account_id": "acct-FAKE", "email": "lab@example.invalid",
        "rate_limit": {"allowed": true, "limit_reached": false, "primary_window": window(12, 18_000),
            "secondary_window": window(34, 604_800)},
        "additional_rate_limits": [],
        "credits": {"has_credits": false, "unlimited": false, "balance": "0", "approx_local_messages": [0, 0],
            "approx_cloud_messages": [0, 0]},
    });
    let accounts = json!({
        "accounts": [{"id": "acct-FAKE", "name": "Personal", "structure": "personal", "plan_type": "plus"}],
        "default_account_id": "acct-FAKE", "account_ordering": ["acct-FAKE"],
    });
    let status = json!({
        "page": {"id": "lab", "name": "OpenAI", "url": "https://status.openai.com", "updated_at": "2026-11-29T16:00:00Z"},
        "status": {"indicator": "none", "description": "All Systems Operational"},
        "components": [], "incidents": [], "scheduled_maintenances": [],
    });
    vec![
        ("GET wham/usage", Answer::json(200, usage.clone())),
        ("GET codex/usage", Answer::json(200, usage)),
        ("GET accounts/check", Answer::json(200, accounts)),
        ("GET api/v2/summary.json", Answer::json(200, status.clone())),
        ("GET api/v2/status.json", Answer::json(200, status)),
    ]
}

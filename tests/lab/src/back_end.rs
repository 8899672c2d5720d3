//! What a ChatGPT back end, its token endpoint and the status page answer when all is well.

use serde_json::{Value, json};

use crate::scenario::Answer;

/// Far in the future, so that no window has reset.
const RESETS_AT: u64 = 4_102_444_800;

/// The routes and their good answers. The windows stand at 12 and 34 percent.
pub(crate) fn routes() -> Vec<(&'static str, Answer)> {
    let window = |percent: u8, seconds: u32| json!({"used_percent": percent, "limit_window_seconds": seconds, "reset_after_seconds": 3600, "reset_at": RESETS_AT});
    let usage = json!({
        "plan_type": "plus", "user_id": "user-FAKE", "account_id": "acct-FAKE", "email": "lab@example.invalid",
        "rate_limit": {"allowed": true, "limit_reached": false, "primary_window": window(12, 18_000),
            "secondary_window": window(34, 604_800)},
        "additional_rate_limits": [],
        "credits": {"has_credits": false, "unlimited": false, "balance": "0", "approx_local_messages": [0, 0],
            "approx_cloud_messages": [0, 0]},
    });
    let accounts = json!({
        "accounts": [{"id": "acct-FAKE", "name": "Personal", "structure": "personal", "plan_type": "plus",
            "workspace_backend_origin": "https://chatgpt.com", "account_routing_override": "NO_CONSTRAINT"}],
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

/// The model lists of `api.openai.com` and of the ChatGPT back end in one body; every release of Codex takes it.
pub(crate) fn models() -> Answer {
    let model = |slug: &str, priority: u8| {
        json!({
            "slug": slug, "display_name": slug, "description": "A model.", "base_instructions": "You are a coding agent.",
            "default_reasoning_level": "medium", "supported_reasoning_levels": [{"effort": "medium", "description": "Medium"}],
            "shell_type": "shell_command", "visibility": "list", "supported_in_api": true, "priority": priority,
            "additional_speed_tiers": [], "service_tiers": [], "availability_nux": null, "upgrade": null,
            "model_messages": null, "default_reasoning_summary": "none", "supports_reasoning_summaries": false,
            "support_verbosity": true, "default_verbosity": "low", "apply_patch_tool_type": "freeform",
            "web_search_tool_type": "text", "truncation_policy": {"mode": "tokens", "limit": 10_000},
            "supports_parallel_tool_calls": true, "context_window": 272_000, "max_context_window": 272_000,
            "effective_context_window_percent": 95, "experimental_supported_tools": [], "input_modalities": ["text"],
        })
    };
    let listed = |slug: &str| json!({"id": slug, "object": "model", "created": 1, "owned_by": "openai"});
    let slugs = ["gpt-6-sol", "gpt-6-luna", "gpt-5.5"];
    let models: Vec<Value> = slugs.iter().zip(1..).map(|(slug, priority)| model(slug, priority)).collect();
    let data: Vec<Value> = slugs.iter().map(|slug| listed(slug)).collect();
    Answer::json(200, json!({"object": "list", "data": data, "models": models}))
}

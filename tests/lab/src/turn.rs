//! A successful turn, as the Responses API streams it.

use serde_json::{Value, json};

use crate::scenario::Event;

/// The events of a turn in which the model says `words`.
pub(crate) fn events(words: &str) -> Vec<Event> {
    values(words).into_iter().map(Event::Json).collect()
}

fn values(words: &str) -> [Value; 3] {
    let usage = json!({"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15});
    let message = json!({"type": "message", "role": "assistant", "id": "msg_1",
        "content": [{"type": "output_text", "text": words}]});
    [
        json!({"type": "response.created", "response": {"id": "resp_lab", "status": "in_progress"}}),
        json!({"type": "response.output_item.done", "item": message}),
        json!({"type": "response.completed", "response": {"id": "resp_lab", "usage": usage}}),
    ]
}

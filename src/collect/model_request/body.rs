//! The smallest request that the Responses API takes.

use serde_json::{Value, json};

/// The least bound for the output that the API accepts.
pub(super) const MOST_OUTPUT_TOKENS: u32 = 16;

/// What is asked of the model.
pub(super) struct Body {
    /// The model.
    pub(super) model: String,
    /// Whether the length of the output is bounded. The ChatGPT back end knows no such parameter.
    pub(super) bounded: bool,
}

impl Body {
    /// The body of a POST.
    pub(super) fn json(&self) -> Value {
        let mut body = json!({
            "model": self.model,
            "instructions": "Reply with the word ok.",
            "input": [{ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "ok" }] }],
            "store": false,
            "stream": true,
        });
        if self.bounded {
            body["max_output_tokens"] = json!(MOST_OUTPUT_TOKENS);
        }
        body
    }

    /// The first frame of a WebSocket.
    pub(super) fn frame(&self) -> Value {
        let mut frame = self.json();
        frame["type"] = json!("response.create");
        frame
    }
}

//! What was seen, attempt by attempt: the evidence, language-neutral.

use crate::facts::model_request::{ModelOutcome, ModelRequest, Transport};
use crate::reachability::stages;

/// All attempts on one line.
pub(super) fn seen(request: &ModelRequest) -> String {
    let attempts = request.attempts.iter().map(|attempt| {
        let way = match attempt.transport {
            Transport::WebSocket => "WebSocket",
            Transport::Post => "POST",
        };
        format!("{way} → {} in {} ms", outcome(&attempt.outcome), attempt.elapsed_ms)
    });
    format!("{}: {}", request.url, attempts.collect::<Vec<_>>().join("; "))
}

fn outcome(outcome: &ModelOutcome) -> String {
    let (mut seen, code, kind, headers) = match outcome {
        ModelOutcome::Broken { error } => return format!("{}: {}", stages::name(error.stage), error.error),
        ModelOutcome::Answered { answer, .. } => {
            (format!("HTTP {}", answer.status), answer.error_code.as_ref(), answer.error_type.as_ref(), &answer.headers)
        }
        ModelOutcome::Streamed { stream } => {
            let error = stream.error.as_ref();
            let code = error.and_then(|error| error.code.as_ref());
            let kind = error.and_then(|error| error.kind.as_ref());
            (format!("HTTP {} [{}]", stream.status, stream.events.join(" ")), code, kind, &stream.headers)
        }
    };
    for (name, value) in [("error.code", code), ("error.type", kind)] {
        seen.extend(value.map(|value| format!(", {name}={value}")));
    }
    for name in ["server", "x-request-id", "cf-ray", "retry-after"] {
        seen.extend(headers.get(name).map(|value| format!(", {name}: {value}")));
    }
    seen
}

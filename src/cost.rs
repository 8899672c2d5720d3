//! What a request to the model may cost, said before; and what it did cost, said after.

use chrono::{DateTime, Utc};
use codex_triage_checks::facts::model_request::{ModelOutcome, ModelRequest};
use codex_triage_checks::facts::{Fact, Facts};
use codex_triage_checks::finding::{Arg, Args, skip_name};

use crate::collect::plan::Tell;
use crate::i18n::{Language, Texts};
use crate::report::sink;

/// Says on stderr what is about to be asked. The texts are made anew there: they cannot be shared between threads.
pub fn teller(language: Language, now: DateTime<Utc>, utc_offset_s: i32) -> Tell {
    Box::new(move |intent| {
        let texts = Texts::new(language, now, utc_offset_s);
        let mut args = Args::from([("model".to_owned(), Arg::from(intent.model.as_str()))]);
        args.insert("host".to_owned(), Arg::from(intent.host.as_str()));
        let id = match intent.most_output_tokens {
            Some(most) => {
                args.insert("most".to_owned(), Arg::from(i64::from(most)));
                "cost-before"
            }
            None => "cost-before-unbounded",
        };
        sink::tell(&texts.get(id, &args));
    })
}

/// What it did cost, as far as the answer tells.
pub fn account(facts: &Facts, texts: &Texts) -> String {
    match &facts.model_request.fact {
        Fact::Known { value } => spent(value, texts),
        Fact::Skipped { why } => {
            let reason = texts.plain(&format!("report-why-{}", skip_name(*why)));
            texts.get("cost-not-sent", &Args::from([("reason".to_owned(), Arg::from(reason))]))
        }
        Fact::Absent | Fact::Failed { .. } => texts.plain("cost-unknown"),
    }
}

fn spent(request: &ModelRequest, texts: &Texts) -> String {
    if let Some(usage) = request.usage {
        let args = Args::from([
            ("input".to_owned(), Arg::from(usage.input_tokens)),
            ("output".to_owned(), Arg::from(usage.output_tokens)),
        ]);
        return texts.get("cost-used", &args);
    }
    let refused = |outcome: &ModelOutcome| match outcome {
        ModelOutcome::Answered { answer, .. } => answer.status >= 300 || answer.error_message.is_some(),
        ModelOutcome::Streamed { stream } => stream.error.is_some() && !stream.output,
        ModelOutcome::Broken { error } => error.stage < codex_triage_checks::facts::network::Stage::FirstByte,
    };
    let nothing = request.attempts.iter().all(|attempt| refused(&attempt.outcome));
    texts.plain(if nothing { "cost-nothing" } else { "cost-unknown" })
}

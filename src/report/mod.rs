//! The report: facts, findings, verdict and advice as one value. Every output format is a view of it.

pub mod advice_list;
pub mod json;
pub mod mended;
pub mod ndjson;
pub mod paint;
pub mod sink;
pub mod terminal;

use chrono::{DateTime, Utc};
use codex_triage_checks::advice::{self, Fix};
use codex_triage_checks::facts::history::History;
use codex_triage_checks::facts::run::{Platform, Scope};
use codex_triage_checks::facts::{Fact, Facts, Observed};
use codex_triage_checks::finding::{Arg, Finding, Severity, skip_name};
use codex_triage_checks::kind::Cause;
use codex_triage_checks::registry;
use codex_triage_checks::timeline::HistoryReport;
use codex_triage_checks::verdict::{self, Verdict};
use codex_triage_checks::{ConfigOutcome, config_outcome};
use schemars::JsonSchema;
use serde::Serialize;

use crate::at_once::both;
use crate::i18n::Texts;
use crate::redact::Redaction;

/// Version of the JSON report: a new minor version only adds.
pub const SCHEMA_VERSION: &str = "1.0";

/// The program that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tool {
    /// `codex-triage`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language of the messages: `en` or `zh`.
    pub language: String,
}

/// A fact that was not looked for, or not got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// The fact's name, a key of `facts`.
    pub fact: String,
    /// Why: a skip reason, or `failed`.
    pub why: String,
    /// The error, when it failed.
    pub error: Option<String>,
}

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `major.minor`.
    pub schema_version: String,
    /// The moment of the run.
    pub generated_at: DateTime<Utc>,
    /// The program.
    pub tool: Tool,
    /// The answer.
    pub verdict: Verdict,
    /// All findings, in the order of the checks.
    pub findings: Vec<Finding>,
    /// The fix table.
    pub fixes: Vec<Fix>,
    /// What Codex would do with the configuration; absent when it was not read.
    pub config: Option<ConfigOutcome>,
    /// What `fix` did; only its own report has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<mended::Mended>,
    /// What the session records tell; absent when they were not read.
    pub history: Option<HistoryReport>,
    /// Everything that was observed.
    pub facts: Facts,
    /// What was not looked at, sorted by fact.
    pub skipped: Vec<Skipped>,
    /// What was redacted, sorted by rule.
    pub redactions: Vec<Redaction>,
}

impl Report {
    /// Runs today's checks over `facts` and puts everything into words. Pure: the same facts give the same report.
    pub fn of(mut facts: Facts, redactions: Vec<Redaction>, texts: &Texts) -> Self {
        let judge = || Judged::of(&facts, texts);
        let many = facts.history.value().is_some_and(|history| history.failures.len() > History::KEPT);
        let (history, judged) = if many {
            both(|| HistoryReport::without_events(&facts), judge)
        } else {
            (HistoryReport::without_events(&facts), judge())
        };
        let Judged { findings, verdict, fixes } = judged;
        let history = history.map(|report| report.with_events(&mut facts));
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            generated_at: facts.run.at,
            tool: Tool {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                language: texts.language().name().to_owned(),
            },
            config: facts.config.value().map(|config| config_outcome(config, facts.codex_version())),
            mended: None,
            history,
            skipped: skipped(&facts),
            verdict,
            findings,
            fixes,
            facts,
            redactions,
        }
    }

    /// How many errors `lint` found in a configuration with which Codex starts.
    pub fn errors_despite_start(&self) -> usize {
        let starts = self.facts.run.scope == Scope::Lint && self.verdict.cause == Cause::Healthy;
        if starts { errors(&self.findings) } else { 0 }
    }

    /// Whether a fact that this run was to get could not be had.
    pub fn looked_in_vain(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Unknown)
    }
}

/// What the checks say of the facts, in words.
struct Judged {
    findings: Vec<Finding>,
    verdict: Verdict,
    fixes: Vec<Fix>,
}

impl Judged {
    fn of(facts: &Facts, texts: &Texts) -> Self {
        let mut findings = registry::run_all(facts);
        for finding in &mut findings {
            finding.message = texts.get(&finding.message_id, &finding.args);
        }
        let mut verdict = verdict::weigh(facts, &findings);
        verdict.summary = summary(&verdict, facts.run.scope, &findings, texts);
        if let Some(settle) = &mut verdict.settle {
            settle.message = texts.plain(&format!("settle-{}", settle.id));
        }
        let mut fixes = advice::fixes(facts, &findings, &verdict);
        for fix in &mut fixes {
            fix.title = texts.get(&fix.message_id, &fix.args);
        }
        Self { findings, verdict, fixes }
    }
}

fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

fn summary(verdict: &Verdict, scope: Scope, findings: &[Finding], texts: &Texts) -> String {
    let nothing_weighed = verdict.kind.is_none() && verdict.candidates.is_empty();
    let id = match verdict.message_id.as_str() {
        "verdict-undetermined" if nothing_weighed => "verdict-nothing-known",
        // Failures were not looked for.
        "verdict-healthy" if scope == Scope::Lint && errors(findings) > 0 => "verdict-accepted-with-errors",
        "verdict-healthy" if scope == Scope::Lint => "verdict-accepted",
        "verdict-healthy" if scope == Scope::Sessions => {
            let burdened = findings.iter().any(|finding| finding.severity >= Severity::Warning);
            if burdened { "verdict-sessions-burdened" } else { "verdict-sessions-in-order" }
        }
        id => id,
    };
    texts.plain(id)
}

fn skipped(facts: &Facts) -> Vec<Skipped> {
    let mut skipped: Vec<Skipped> = [
        state("clients", &facts.clients),
        state("clock", &facts.clock),
        state("config", &facts.config),
        state("credentials", &facts.credentials),
        state("dns", &facts.dns),
        state("endpoint", &facts.endpoint),
        state("environment", &facts.environment),
        state("history", &facts.history),
        state("installation", &facts.installation),
        state("model_cache", &facts.model_cache),
        state("model_request", &facts.model_request),
        state("reachability", &facts.reachability),
        state("sessions", &facts.sessions),
    ]
    .into_iter()
    .flatten()
    .collect();
    let keyring = facts.credentials.value().is_some_and(|credentials| {
        let kind = codex_triage_checks::facts::credentials::CredentialKind::Keyring;
        credentials.present.iter().any(|credential| credential.kind == kind)
    });
    if keyring {
        skipped.push(Skipped { fact: "keyring".to_owned(), why: "private".to_owned(), error: None });
    }
    skipped.extend(unseen_layers(facts).into_iter().map(|(fact, why)| Skipped {
        fact: fact.to_owned(),
        why: why.to_owned(),
        error: None,
    }));
    skipped.sort_by(|one, other| one.fact.cmp(&other.fact));
    skipped
}

/// Layers of a company that this program has no eyes for, where there may be such.
fn unseen_layers(facts: &Facts) -> Vec<(&'static str, &'static str)> {
    let Some(config) = facts.config.value() else { return Vec::new() };
    let plan = facts.credentials.value().and_then(|credentials| credentials.tokens.as_ref()?.plan.clone());
    let company = plan.is_some_and(|plan| COMPANY_PLANS.iter().any(|name| plan.to_lowercase().contains(name)));
    let server =
        config.requirements.as_ref().is_some_and(|layer| layer.entries.iter().any(|entry| entry.is_at(&["config_server"])));
    let mut unseen = Vec::new();
    if config.cloud_copy || company || server {
        unseen.push(("cloud_layers", "not-readable"));
    }
    if config.platform == Platform::Macos {
        unseen.push(("managed_preferences", "not-readable"));
    }
    unseen
}

/// Words in the names of plans whose workspaces can send settings to their members.
const COMPANY_PLANS: [&str; 4] = ["business", "enterprise", "edu", "team"];

fn state<T>(name: &str, observed: &Observed<T>) -> Option<Skipped> {
    let (why, error) = match &observed.fact {
        Fact::Known { .. } | Fact::Absent => return None,
        Fact::Skipped { why } => (skip_name(*why).to_owned(), None),
        Fact::Failed { error } => ("failed".to_owned(), Some(error.clone())),
    };
    Some(Skipped { fact: name.to_owned(), why, error })
}

/// An argument as a bare text, for places that show no message.
pub fn arg_text(arg: &Arg) -> String {
    match arg {
        Arg::Text(text) | Arg::Message(text) => text.clone(),
        Arg::Integer(number) | Arg::DurationMs(number) => number.to_string(),
        Arg::Number(number) => number.to_string(),
        Arg::Time(moment) => moment.to_rfc3339(),
        Arg::Bytes(bytes) => crate::i18n::size(*bytes),
    }
}

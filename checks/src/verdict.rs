//! The verdict: findings weighed by a sum that can be redone by hand.
//!
//! Score(kind) = prior + the weights of the findings; within a group only the strongest weight per kind counts. The posterior
//! is 10^(score/10), normalised over all kinds; a cause's confidence is the sum over its kinds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::facts::run::Scope;
use crate::finding::{Finding, Severity};
use crate::kind::{Cause, Gate, Kind};
use crate::knowledge::settle::{self, Settle};
use crate::subject::{Subject, SubjectSource};

/// Below this the verdict is `undetermined`.
pub const SURE: f64 = 0.80;

/// One weight that went into a kind's score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Term {
    /// The finding's code.
    pub code: String,
    /// Its weight in decibans.
    pub decibans: i16,
    /// Whether it counted (a stronger one of its group takes its place otherwise).
    pub counted: bool,
}

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LedgerLine {
    /// The kind.
    pub kind: Kind,
    /// Its prior in decibans.
    pub prior: i16,
    /// The weights, in the order of the findings.
    pub terms: Vec<Term>,
    /// Prior plus the counted weights.
    pub score: i32,
    /// Its share of the whole.
    pub posterior: f64,
}

/// A hypothesis that is still open.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Candidate {
    /// Its cause.
    pub cause: Cause,
    /// The best kind of that cause.
    pub kind: Kind,
    /// The cause's share.
    pub posterior: f64,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Verdict {
    /// The cause.
    pub cause: Cause,
    /// The kind; absent for `healthy` and `undetermined`.
    pub kind: Option<Kind>,
    /// The gate at which the request stopped, when known.
    pub gate: Option<Gate>,
    /// The share of the cause; absent for `healthy` and where nothing was weighed.
    pub confidence: Option<f64>,
    /// The id of the summary's message.
    pub message_id: String,
    /// The summary in the report's language; filled in by the reporter.
    pub summary: String,
    /// The share of each cause.
    pub posterior: BTreeMap<String, f64>,
    /// Codes of findings that speak for it, the strongest first.
    pub because: Vec<String>,
    /// Codes of findings that speak against it, the strongest first.
    pub against: Vec<String>,
    /// Codes of faults that may have played a part.
    pub contributing: Vec<String>,
    /// Codes of faults that cannot have caused this error.
    pub also: Vec<String>,
    /// For `undetermined`: the best hypotheses of different causes, at most two.
    pub candidates: Vec<Candidate>,
    /// For `undetermined`: what would settle it.
    pub settle: Option<Settle>,
    /// The error that was triaged.
    pub subject: Option<Subject>,
    /// The sum, best kind first.
    pub ledger: Vec<LedgerLine>,
}

impl Verdict {
    /// Whether the text that was given holds advice and no error: then only what was said of that is the answer.
    pub fn is_about_advice(&self) -> bool {
        self.message_id == ADVICE
    }
}

/// The check that reads the error itself.
const ERROR_CHECK: &str = "last-errors";
/// The check that reads a text in which there is no error.
const ADVICE_CHECK: &str = crate::advice_checker::ID;
/// The summary of a run that answered a piece of advice.
const ADVICE: &str = "verdict-advice";
/// What besides the error itself may split two causes when only a text is explained: it need not come from this machine.
const SPLITS_A_TEXT: [&str; 2] = [ERROR_CHECK, "base-url"];

/// The checks that look at the address to which requests go now.
const OF_THE_ADDRESS: [&str; 3] = ["base-url", "dns", "reachability"];
/// And at what the provider of now is and wants.
const OF_THE_PROVIDER: [&str; 2] = ["identity", "model-provider"];

/// Whether `finding` looked at an address or a provider that the failed request did not go to: then it tells nothing about the
/// error, neither for a cause nor against one.
fn is_of_another_request(facts: &Facts, subject: Option<&Subject>, finding: &Finding) -> bool {
    let Some(subject) = subject else { return false };
    let check = finding.check.as_str();
    (OF_THE_ADDRESS.contains(&check) && subject.asked_another_address(facts))
        || (OF_THE_PROVIDER.contains(&check) && subject.asked_another_provider(facts))
}

/// The findings whose weights count for the question that was asked.
fn admitted<'a>(facts: &Facts, subject: Option<&Subject>, findings: &'a [Finding]) -> Vec<&'a Finding> {
    let recognised = findings.iter().any(|finding| finding.check == ERROR_CHECK && !finding.weights.is_empty());
    let given = subject.is_some_and(|subject| subject.source == SubjectSource::Text);
    let is_refusal =
        |finding: &Finding| finding.severity == Severity::Error && finding.weights.contains_key(Kind::ConfigRejected.name());
    let rejected = findings.iter().any(is_refusal);
    let counts = |finding: &&Finding| match facts.run.scope {
        // A configuration that Codex accepts is healthy for `lint`, whatever it may lead to.
        Scope::Lint => rejected,
        _ if given && !recognised => false,
        Scope::Explain => SPLITS_A_TEXT.contains(&finding.check.as_str()),
        Scope::Triage | Scope::History | Scope::Sessions => true,
    };
    let of_this_request = |finding: &&Finding| !is_of_another_request(facts, subject, finding);
    findings.iter().filter(counts).filter(of_this_request).collect()
}

/// Weighs `findings` about `facts`.
pub fn weigh(facts: &Facts, findings: &[Finding]) -> Verdict {
    let subject = Subject::of(facts);
    let admitted = admitted(facts, subject.as_ref(), findings);
    let ledger = ledger(&admitted);
    let posterior = posterior_by_cause(&ledger);
    let weighed = ledger.iter().any(|line| line.terms.iter().any(|term| term.counted && term.decibans > 0));
    let blind = findings.iter().any(|finding| finding.severity == Severity::Unknown);

    let mut verdict = Verdict {
        cause: Cause::Undetermined,
        kind: None,
        gate: None,
        confidence: None,
        message_id: "verdict-undetermined".to_owned(),
        summary: String::new(),
        posterior: posterior.iter().map(|(cause, share)| (cause.name().to_owned(), rounded(*share))).collect(),
        because: Vec::new(),
        against: Vec::new(),
        contributing: Vec::new(),
        also: codes(findings, |finding| {
            let cannot = finding.weights.is_empty() || is_of_another_request(facts, subject.as_ref(), finding);
            finding.severity >= Severity::Warning && cannot
        }),
        candidates: Vec::new(),
        settle: None,
        subject,
        ledger,
    };

    if !weighed {
        // A piece of advice that was given to explain is no error.
        let only_advice = facts.run.scope == Scope::Explain && findings.iter().any(|finding| finding.check == ADVICE_CHECK);
        if only_advice && !facts.run.cut_short {
            verdict.cause = Cause::Healthy;
            verdict.message_id = ADVICE.to_owned();
            // This machine's own state is no part of the answer.
            verdict.also = codes(findings, |finding| finding.check == ADVICE_CHECK && finding.severity >= Severity::Warning);
        } else if verdict.subject.is_none() && !blind && !facts.run.cut_short {
            verdict.cause = Cause::Healthy;
            verdict.message_id = "verdict-healthy".to_owned();
        } else {
            verdict.settle = Some(settle::for_nothing(facts, verdict.subject.as_ref()));
        }
        return verdict;
    }

    let subject = verdict.subject.clone();
    let may_have_played_a_part = |finding: &Finding| {
        finding.severity >= Severity::Warning && accuses(finding) && !is_of_another_request(facts, subject.as_ref(), finding)
    };
    let candidates = candidates(&verdict.ledger, &posterior);
    let Some(best) = candidates.first().cloned() else { return verdict };
    verdict.confidence = Some(rounded(best.posterior));
    if best.posterior >= SURE {
        verdict.cause = best.cause;
        verdict.kind = Some(best.kind);
        verdict.gate = Some(best.kind.gate());
        verdict.message_id = format!("verdict-{}", best.kind.name().replace('.', "-"));
        let decisive = |finding: &Finding| weight_on(finding, best.kind);
        verdict.because = ranked(findings, &verdict.ledger, best.kind, |decibans| decibans > 0);
        verdict.against = ranked(findings, &verdict.ledger, best.kind, |decibans| decibans < 0);
        verdict.contributing = codes(findings, |finding| may_have_played_a_part(finding) && decisive(finding) <= 0);
    } else {
        let open = candidates.iter().map(|candidate| candidate.kind).take(2);
        let codes_for: Vec<_> = open.flat_map(|kind| ranked(findings, &verdict.ledger, kind, |decibans| decibans > 0)).collect();
        verdict.because = deduplicated(codes_for);
        verdict.settle = Some(settle::between(facts, verdict.subject.as_ref(), &candidates));
        verdict.candidates = candidates.into_iter().take(2).collect();
        verdict.contributing =
            codes(findings, |finding| may_have_played_a_part(finding) && !verdict.because.contains(&finding.code));
    }
    verdict
}

/// The kind that `findings` are sure of when nothing else is known.
pub(crate) fn kind_alone(findings: &[Finding]) -> Option<Kind> {
    let ledger = ledger(&findings.iter().collect::<Vec<_>>());
    let best = candidates(&ledger, &posterior_by_cause(&ledger)).into_iter().next()?;
    (best.posterior >= SURE).then_some(best.kind)
}

/// Whether it speaks for anything; what only rules out has played no part.
fn accuses(finding: &Finding) -> bool {
    finding.weights.values().any(|decibans| *decibans > 0)
}

/// The weight of `finding` for `kind` before grouping; a kind of its own beats the cause it belongs to.
pub fn weight_on(finding: &Finding, kind: Kind) -> i16 {
    let named = finding.weights.get(kind.name());
    let whole = || finding.weights.get(kind.cause().name_of_all());
    named.or_else(whole).copied().unwrap_or(0)
}

fn ledger(findings: &[&Finding]) -> Vec<LedgerLine> {
    let mut lines: Vec<LedgerLine> = Kind::ALL.iter().map(|kind| ledger_line(*kind, findings)).collect();
    let total: f64 = lines.iter().map(|line| power(line.score)).sum();
    for line in &mut lines {
        line.posterior = power(line.score) / total;
    }
    lines.sort_by(|one, other| other.score.cmp(&one.score).then(one.kind.cmp(&other.kind)));
    lines
}

fn ledger_line(kind: Kind, findings: &[&Finding]) -> LedgerLine {
    let mut terms = Vec::new();
    let mut strongest: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let decibans = weight_on(finding, kind);
        if decibans == 0 {
            continue;
        }
        let mut counted = true;
        if let Some(group) = finding.group.as_deref() {
            match strongest.get(group).copied() {
                Some(earlier) if stronger(&terms, earlier, decibans) => {
                    let earlier: &mut Term = &mut terms[earlier];
                    earlier.counted = false;
                    strongest.insert(group, terms.len());
                }
                Some(_) => counted = false,
                None => {
                    strongest.insert(group, terms.len());
                }
            }
        }
        terms.push(Term { code: finding.code.clone(), decibans, counted });
    }
    let sum: i32 = terms.iter().filter(|term| term.counted).map(|term| i32::from(term.decibans)).sum();
    LedgerLine { kind, prior: kind.prior(), score: i32::from(kind.prior()) + sum, terms, posterior: 0.0 }
}

fn stronger(terms: &[Term], earlier: usize, decibans: i16) -> bool {
    decibans.abs() > terms[earlier].decibans.abs()
}

fn power(score: i32) -> f64 {
    10f64.powf(f64::from(score) / 10.0)
}

/// To three places; nothing that is weighed is certain.
fn rounded(share: f64) -> f64 {
    ((share * 1000.0).round() / 1000.0).min(0.999)
}

fn posterior_by_cause(ledger: &[LedgerLine]) -> Vec<(Cause, f64)> {
    Cause::HYPOTHESES
        .into_iter()
        .map(|cause| (cause, ledger.iter().filter(|line| line.kind.cause() == cause).map(|line| line.posterior).sum()))
        .collect()
}

fn candidates(ledger: &[LedgerLine], posterior: &[(Cause, f64)]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = posterior
        .iter()
        .filter_map(|(cause, share)| {
            let best = ledger.iter().find(|line| line.kind.cause() == *cause)?;
            Some(Candidate { cause: *cause, kind: best.kind, posterior: rounded(*share) })
        })
        .collect();
    candidates.sort_by(|one, other| other.posterior.total_cmp(&one.posterior).then(one.cause.cmp(&other.cause)));
    candidates
}

/// Codes of the findings whose counted weight for `kind` is `wanted`, the strongest first.
fn ranked(findings: &[Finding], ledger: &[LedgerLine], kind: Kind, wanted: impl Fn(i16) -> bool) -> Vec<String> {
    let Some(line) = ledger.iter().find(|line| line.kind == kind) else { return Vec::new() };
    let mut terms: Vec<&Term> = line.terms.iter().filter(|term| term.counted && wanted(term.decibans)).collect();
    terms.sort_by_key(|term| {
        let place = findings.iter().position(|finding| finding.code == term.code);
        (std::cmp::Reverse(term.decibans.abs()), place)
    });
    deduplicated(terms.into_iter().map(|term| term.code.clone()).collect())
}

fn codes(findings: &[Finding], wanted: impl Fn(&Finding) -> bool) -> Vec<String> {
    deduplicated(findings.iter().filter(|finding| wanted(finding)).map(|finding| finding.code.clone()).collect())
}

fn deduplicated(codes: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    codes.into_iter().filter(|code| seen.insert(code.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Target;

    fn finding(code: &str, group: Option<&str>, weights: &[(&str, i16)]) -> Finding {
        let mut finding = Finding::plain("test", code, Severity::Error);
        finding.group = group.map(str::to_owned);
        for (target, decibans) in weights {
            finding = finding.weighs(Target::parse(target).unwrap(), *decibans);
        }
        finding
    }

    fn score(findings: &[Finding], kind: Kind) -> i32 {
        let findings: Vec<&Finding> = findings.iter().collect();
        ledger(&findings).iter().find(|line| line.kind == kind).unwrap().score
    }

    #[test]
    fn only_the_strongest_weight_of_a_group_counts() {
        let findings = [
            finding("a.one", Some("fault"), &[("quota.credits", 12)]),
            finding("a.two", Some("fault"), &[("quota.credits", 20), ("overload.*", -5)]),
            finding("a.three", None, &[("quota.credits", 3)]),
        ];
        assert_eq!(score(&findings, Kind::QuotaCredits), i32::from(Kind::QuotaCredits.prior()) + 23);
        assert_eq!(score(&findings, Kind::OverloadModel), i32::from(Kind::OverloadModel.prior()) - 5);
    }

    #[test]
    fn a_weight_for_a_kind_takes_the_place_of_the_one_for_its_cause() {
        let findings = [finding("a.one", None, &[("overload.*", 10), ("overload.tier", -10)])];
        assert_eq!(score(&findings, Kind::OverloadModel), 10);
        assert_eq!(score(&findings, Kind::OverloadTier), i32::from(Kind::OverloadTier.prior()) - 10);
    }

    #[test]
    fn nothing_failed_and_nothing_unknown_is_healthy() {
        let facts = Facts::default();
        assert_eq!(weigh(&facts, &[]).cause, Cause::Healthy);
        assert_eq!(weigh(&facts, &[]).confidence, None);
        let blind = [Finding::plain("dns", "dns.cannot-tell", Severity::Unknown)];
        assert_eq!(weigh(&facts, &blind).cause, Cause::Undetermined);
    }

    #[test]
    fn even_evidence_for_two_causes_is_undetermined_and_says_what_settles_it() {
        let findings = [finding("a.one", None, &[("overload.relay", 20), ("quota.credits", 20)])];
        let verdict = weigh(&Facts::default(), &findings);
        assert_eq!(verdict.cause, Cause::Undetermined);
        assert_eq!(verdict.candidates.len(), 2);
        assert!(verdict.settle.is_some());
    }

    #[test]
    fn what_is_wrong_at_another_address_stands_beside_the_verdict() {
        let failed = crate::facts::history::FailedTurn {
            at: Facts::default().run.at,
            text: Some("503, url: https://api.openai.com/v1/responses".into()),
            ..Default::default()
        };
        let history = crate::facts::history::History { failures: vec![failed], ..Default::default() };
        let facts = Facts {
            endpoint: crate::facts::Observed::known(crate::base_url::tests::endpoint("https://relay.example/v1"), "test"),
            history: crate::facts::Observed::known(history, "test"),
            ..Facts::default()
        };
        let of = |check: &str, code: &str, target: &str| {
            Finding::plain(check, code, Severity::Error).weighs(Target::parse(target).unwrap(), 30)
        };
        let findings = [of("dns", "dns.no-such-name", "network.dns"), of("last-errors", "errors.one", "overload.service")];
        let verdict = weigh(&facts, &findings);
        assert_eq!(verdict.cause, Cause::Overload);
        assert_eq!((verdict.contributing, verdict.also), (vec![], vec!["dns.no-such-name".to_owned()]));
    }

    #[test]
    fn the_posterior_is_a_distribution() {
        let findings = [finding("a.one", None, &[("quota.usage-limit", 30)])];
        let verdict = weigh(&Facts::default(), &findings);
        assert_eq!((verdict.cause, verdict.kind), (Cause::Quota, Some(Kind::QuotaUsageLimit)));
        let sum: f64 = verdict.ledger.iter().map(|line| line.posterior).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}

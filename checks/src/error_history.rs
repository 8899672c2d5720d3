//! Error history: what do the turns before, beside and after this error say about it?
//!
//! # What it checks
//! The failed turn that is triaged, in the company of all turns that were read: whether the same model answered again soon, whether other
//! models answered or were refused within minutes, whether another provider served the same model, whether the failure comes and goes or
//! stays over a day, whether the model is in its first days here, and whether it fell into hours that are crowded for you.
//!
//! # Why it matters
//! The error itself cannot tell a full model from an account whose share is full, nor a relay's full back end from its empty balance. Its
//! company can, without a request: a model that is full lets others through, capacity comes and goes within hours, and a balance or a wrong
//! key does not mend itself.
//!
//! # What it cannot tell
//! Anything where nothing else was tried, or where only few turns were read: by default those of 24 hours. Whether somebody changed the
//! configuration between a failure and the next answer. It is silent where nothing failed.
//!
//! # Weights
//! They share one group, so that what follows from one another counts once; the first days and the crowded hours stand by themselves.
//!
//! | seen | speaks for | against |
//! | --- | --- | --- |
//! | another model of the provider answered within 15 minutes | `overload.model` +8; at a relay +4 | `overload.account` −10; at a relay `quota.credits`, `quota.usage-limit`, `config.credentials` −8 |
//! | the same model answered within an hour | `overload.model` +4; at a relay `overload.relay` +4 | `overload.account` −4; at a relay `quota.credits` −4, `config.*` −4 |
//! | several models refused over hours, none answered | `overload.account` +8 | `overload.model` −10 |
//! | another provider served the model, a relay did not | | `overload.model` −8 |
//! | it stays for 20 hours at three quarters of the day | `overload.account` +3; at a relay `config.relay` +4, `quota.credits` +4, `config.credentials` +2 | `overload.model` −8, `overload.service` −6; at a relay `overload.*` −8 |
//! | it came and went three times, mostly within two hours | `overload.*` +4 | `config.*` −8, `quota.credits` −6, `quota.usage-limit` −6, `quota.plan` −8 |
//! | the model is in its first days here | `overload.model` +3 | |
//! | the hour is crowded for you | `overload.*` +2 | |
//!
//! How full the quota was at the time is the matter of `rate-limits`; what a relay's own words prove is that of `last-errors`.
//!
//! # Fix
//! It depends on the kind. Against a full model, another model helps now and other hours help for good; `codex-triage history` shows yours.
//!
//! # Example
//! `gpt-6.2-astra` was full at 16:02, and `gpt-6-luna` answered at 16:05 with the same login: one model's capacity, not the account's.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use crate::errors;
use crate::facts::history::{FailedTurn, History, Success};
use crate::facts::{Facts, Shared};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Cause, Kind, Target};
use crate::subject::{Route, Subject, SubjectSource};
use crate::timeline::{self, Company, Course, CourseKind};

pub(crate) const ID: &str = "error-history";

/// All that follows from how turns went: what shows one thing shows the other, mostly.
const GROUP: &str = "history";
/// A model that answers again within this time was full for a while; what a person has to mend takes longer, mostly.
const SOON: TimeDelta = TimeDelta::hours(1);
/// Over such a time two refusing models are no coincidence of one peak.
const HOURS: TimeDelta = TimeDelta::hours(2);

pub(crate) fn codes() -> Vec<String> {
    let codes = [
        "recovered",
        "other-model-worked",
        "same-model-elsewhere",
        "all-models-refused",
        "constant",
        "intermittent",
        "first-days",
        "crowded-hours",
    ];
    codes.iter().map(|code| format!("history.{code}")).collect()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Some(history) = facts.history.value() else { return vec![Finding::cannot_tell(ID, &facts.history)] };
    let Some(subject) = Subject::of(facts) else { return Vec::new() };
    let case = Case { facts, history, turn: recorded(&subject, facts), route: subject.route(facts), subject };
    let findings = [
        case.recovered(),
        case.other_model_worked(),
        case.same_model_elsewhere(),
        case.all_models_refused(),
        case.course(),
        case.first_days(),
        case.crowded_hours(),
    ];
    findings.into_iter().flatten().collect()
}

/// The failed turn on disk, when it is the one that is triaged.
fn recorded<'a>(subject: &Subject, facts: &'a Facts) -> Option<&'a FailedTurn> {
    Subject::turn(facts).filter(|turn| Some(turn.at) == subject.at && turn.turn.as_deref() == subject.turn.as_deref())
}

/// The error that is triaged, with all that the statements look at.
struct Case<'a> {
    facts: &'a Facts,
    history: &'a History,
    /// Its record; absent for a text of which none is known.
    turn: Option<&'a FailedTurn>,
    subject: Subject,
    route: Route,
}

impl Case<'_> {
    /// A note that shares the group, without weights yet.
    fn note<const N: usize>(code: &str, args: [(&str, Arg); N]) -> Finding {
        Finding::new(ID, format!("history.{code}"), Severity::Note, args).group(GROUP)
    }

    fn model(&self) -> Arg {
        Arg::from(self.subject.model.clone().unwrap_or_else(|| "none".to_owned()))
    }

    /// Whether the error is the code for a full server.
    fn is_capacity(&self) -> bool {
        self.subject.code.as_deref() == Some(timeline::CAPACITY_CODE)
    }

    /// Whether overload is among the causes that the error itself leaves open.
    fn may_be_overload(&self) -> bool {
        let told = self.subject.text.is_some() || self.subject.code.is_some() || self.subject.status.is_some();
        told && errors::kind_of(&self.subject, self.facts).is_none_or(|kind| kind.cause() == Cause::Overload)
    }

    /// The same model answered after it: the error is over, whatever it was.
    fn recovered(&self) -> Option<Finding> {
        let at = self.subject.recovered_at?;
        let finding = Self::note("recovered", [("model", self.model()), ("at", Arg::Time(at))]);
        let soon = self.is_capacity() && self.subject.at.is_some_and(|failed| at - failed <= SOON);
        Some(match self.route {
            _ if !soon => finding,
            Route::Relay => finding
                .weighs(Target::Kind(Kind::OverloadRelay), 4)
                .weighs(Target::Kind(Kind::QuotaCredits), -4)
                .weighs(Target::Cause(Cause::Config), -4),
            Route::Official | Route::Unknown => {
                finding.weighs(Target::Kind(Kind::OverloadModel), 4).weighs(Target::Kind(Kind::OverloadAccount), -4)
            }
        })
    }

    /// Another model answered around the time of a capacity failure: the model was full, not the account's share.
    fn other_model_worked(&self) -> Option<Finding> {
        let (failed, model) = (self.subject.at?, self.subject.model.as_ref()?);
        if !self.is_capacity() {
            return None;
        }
        let of_time = |success: &&Success| {
            *success.model != **model
                && success.provider.as_deref() == self.subject.provider.as_deref()
                && (success.at - failed).abs() <= History::NEARBY
        };
        let beside = self.turn.and_then(|turn| Company::of(turn).another);
        let other = beside.or_else(|| self.history.successes.iter().find(of_time))?;
        let finding = Self::note("other-model-worked", [("other", (&*other.model).into()), ("at", Arg::Time(other.at))])
            .weighs(Target::Kind(Kind::OverloadAccount), -10);
        Some(match self.route {
            // Key and balance are good, then; whether this model is full there or has no channel, it does not tell.
            Route::Relay => finding
                .weighs(Target::Kind(Kind::OverloadModel), 4)
                .weighs(Target::Kind(Kind::QuotaCredits), -8)
                .weighs(Target::Kind(Kind::QuotaUsageLimit), -8)
                .weighs(Target::Kind(Kind::ConfigCredentials), -8),
            Route::Official | Route::Unknown => finding.weighs(Target::Kind(Kind::OverloadModel), 8),
        })
    }

    /// Another provider served the model that this one refused.
    fn same_model_elsewhere(&self) -> Option<Finding> {
        let other = Company::of(self.turn?).elsewhere.filter(|_| self.is_capacity())?;
        let provider = other.provider.as_deref().unwrap_or("openai");
        let finding =
            Self::note("same-model-elsewhere", [("model", self.model()), ("other", provider.into()), ("at", Arg::Time(other.at))]);
        // OpenAI itself may well be full where somebody else, who has machines of his own, is not.
        Some(if self.route == Route::Relay { finding.weighs(Target::Kind(Kind::OverloadModel), -8) } else { finding })
    }

    /// Several models in a row refused for want of capacity, and none answered in between: it follows the account.
    fn all_models_refused(&self) -> Option<Finding> {
        let failed = self.subject.at?;
        if self.subject.source != SubjectSource::Rollout || !self.is_capacity() {
            return None;
        }
        let of_provider = |provider: &Option<Shared>| provider.as_deref() == self.subject.provider.as_deref();
        let answered = self.last_answer_before(failed);
        let refused = self.history.failures.iter().filter(|turn| {
            of_provider(&turn.provider)
                && turn.info.as_deref() == Some(timeline::CAPACITY_CODE)
                && turn.at <= failed
                && answered.is_none_or(|answered| turn.at > answered)
        });
        let refused: Vec<&FailedTurn> = refused.collect();
        let models: BTreeSet<&str> = refused.iter().filter_map(|turn| turn.model.as_deref()).collect();
        let begun = refused.iter().map(|turn| turn.at).min()?;
        // Two siblings may be full together in a peak hour; three are not, nor two over hours.
        if models.len() < 2 || (models.len() == 2 && failed - begun < HOURS) {
            return None;
        }
        let finding = Self::note("all-models-refused", [("models", (models.len() as u64).into()), ("since", Arg::Time(begun))])
            .weighs(Target::Kind(Kind::OverloadModel), -10)
            .weighs(Target::Kind(Kind::OverloadAccount), 8);
        Some(models.into_iter().fold(finding, |finding, model| finding.evidence(model)))
    }

    /// When any model of the failed request's provider last answered before `failed`, as far as the records tell.
    fn last_answer_before(&self, failed: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let of_provider = |provider: &Option<Shared>| provider.as_deref() == self.subject.provider.as_deref();
        let newest = self.history.successes.iter().filter(|success| of_provider(&success.provider)).map(|success| success.at);
        let failures = self.history.failures.iter().filter(|turn| of_provider(&turn.provider));
        let beside = failures.flat_map(|turn| {
            let others = turn.others_nearby.iter().filter(|success| of_provider(&success.provider)).map(|success| success.at);
            [turn.same_model_before, turn.same_model_after].into_iter().flatten().chain(others)
        });
        // Of an hour it is known that there were answers, not when: they count from its beginning on.
        let tallies = self.history.tallies.iter().filter(|tally| of_provider(&tally.provider) && tally.succeeded > 0);
        let hours = tallies.map(|tally| tally.hour).filter(|hour| *hour + TimeDelta::hours(1) <= failed);
        newest.chain(beside).chain(hours).filter(|at| *at <= failed).max()
    }

    /// Whether it comes and goes, or stays.
    fn course(&self) -> Option<Finding> {
        let course = timeline::course_of(self.turn?, self.facts)?;
        match course.course {
            CourseKind::Constant => Some(self.constant(&course)),
            CourseKind::Intermittent => Some(self.intermittent(&course)),
            CourseKind::Open => None,
        }
    }

    /// Capacity has its hours; what fails day and night has another reason.
    fn constant(&self, course: &Course) -> Finding {
        let args = [("model", self.model()), ("since", Arg::Time(course.from)), ("failures", course.failures.into())];
        let finding = Self::note("constant", args);
        match self.route {
            _ if !self.may_be_overload() => finding,
            // The code of a full server can be the relay's word for anything that it has not mended yet.
            Route::Relay => finding
                .weighs(Target::Cause(Cause::Overload), -8)
                .weighs(Target::Kind(Kind::ConfigRelay), 4)
                .weighs(Target::Kind(Kind::QuotaCredits), 4)
                .weighs(Target::Kind(Kind::ConfigCredentials), 2),
            // OpenAI says so of nothing but overload: then it is not the model, which has its quiet hours, but the share.
            Route::Official | Route::Unknown => finding
                .weighs(Target::Kind(Kind::OverloadModel), -8)
                .weighs(Target::Kind(Kind::OverloadService), -6)
                .weighs(Target::Kind(Kind::OverloadAccount), 3),
        }
    }

    /// A wrong key, a missing channel, an empty balance or a used-up window does not mend itself within the hour, again and again.
    fn intermittent(&self, course: &Course) -> Finding {
        let median = Arg::DurationMs(course.median_recovery_ms.unwrap_or_default());
        let args = [("model", self.model()), ("recoveries", (course.recoveries as u64).into()), ("median", median)];
        let finding = Self::note("intermittent", args);
        if !self.may_be_overload() {
            return finding;
        }
        finding
            .weighs(Target::Cause(Cause::Overload), 4)
            .weighs(Target::Cause(Cause::Config), -8)
            .weighs(Target::Kind(Kind::QuotaCredits), -6)
            .weighs(Target::Kind(Kind::QuotaUsageLimit), -6)
            .weighs(Target::Kind(Kind::QuotaPlan), -8)
    }

    /// A model that is new here is new to many.
    fn first_days(&self) -> Option<Finding> {
        let (model, at) = (self.subject.model.as_deref()?, self.subject.at?);
        let is_new = self.is_capacity() && timeline::is_in_first_days(self.history, model, at);
        let finding = || Finding::new(ID, "history.first-days", Severity::Note, [("model", model)]);
        is_new.then(|| finding().weighs(Target::Kind(Kind::OverloadModel), 3))
    }

    /// It fell into the hours in which this user's turns are refused more often than in others.
    fn crowded_hours(&self) -> Option<Finding> {
        let span = timeline::crowded_span_at(self.facts, self.turn.filter(|_| self.is_capacity())?.at)?;
        let hour = |hour: u32| Arg::Text(format!("{hour:02}"));
        Some(
            Finding::new(ID, "history.crowded-hours", Severity::Note, [("from", hour(span.from)), ("to", hour(span.to))])
                .arg("turns", span.turns)
                .arg("refused", span.refused)
                .weighs(Target::Cause(Cause::Overload), 2),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::facts::history::Tally;
    use crate::timeline::made_up::full_model;

    fn codes_of(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.code.as_str()).collect()
    }

    fn weight(facts: &Facts, code: &str, kind: Kind) -> Option<i16> {
        run(facts).iter().find(|finding| finding.code == code).map(|finding| crate::verdict::weight_on(finding, kind))
    }

    /// An hour ago `gpt-a` was full; changed, and with these successes.
    fn failed(change: impl FnOnce(&mut FailedTurn), successes: Vec<Success>) -> Facts {
        let mut turn = full_model(Facts::default().run.at - TimeDelta::hours(1));
        change(&mut turn);
        let history = History { turns: 3, failed_turns: 1, failures: vec![turn], successes, ..History::default() };
        Facts { history: Observed::known(history, "sessions"), ..Facts::default() }
    }

    fn success(model: &str, minutes_after: i64) -> Success {
        let at = Facts::default().run.at - TimeDelta::hours(1) + TimeDelta::minutes(minutes_after);
        Success { model: model.into(), provider: Some("openai".into()), at }
    }

    /// Adds failures so many hours before the newest, and an hour in which something was counted.
    fn with_earlier(mut facts: Facts, hours_before: &[i64], change: impl Fn(&mut FailedTurn)) -> Facts {
        if let crate::facts::Fact::Known { value } = &mut facts.history.fact {
            let newest = value.failures[0].clone();
            for hours in hours_before {
                let mut turn = FailedTurn { at: newest.at - TimeDelta::hours(*hours), ..newest.clone() };
                change(&mut turn);
                value.failures.push(turn);
            }
            let tally = |hours: i64| Tally {
                hour: newest.at - TimeDelta::hours(hours),
                utc_offset_s: 0,
                model: newest.model.clone(),
                provider: newest.provider.clone(),
                account: None,
                succeeded: 0,
                failed: 1,
                interrupted: 0,
                other: 0,
            };
            value.tallies = hours_before.iter().rev().map(|hours| tally(*hours)).collect();
        }
        facts
    }

    #[test]
    fn another_model_at_the_same_time_speaks_for_the_model() {
        let near = run(&failed(|_| {}, vec![success("gpt-b", 10)]));
        assert_eq!(codes_of(&near), ["history.other-model-worked"]);
        assert!(run(&failed(|_| {}, vec![success("gpt-b", 40)])).is_empty());
        let elsewhere = Success { provider: Some("relay".into()), ..success("gpt-b", 1) };
        assert!(run(&failed(|_| {}, vec![elsewhere])).is_empty());
        // The newest success of a model may be hours later; what stood beside the failure is kept with it.
        let kept = failed(|turn| turn.others_nearby = vec![success("gpt-b", -3)], vec![success("gpt-b", 50)]);
        assert_eq!(codes_of(&run(&kept)), ["history.other-model-worked"]);
        assert!(run(&failed(|turn| turn.info = None, vec![success("gpt-b", 10)])).is_empty(), "no capacity error");
    }

    #[test]
    fn a_relay_that_refuses_what_another_serves_has_a_reason_of_its_own() {
        let with = |provider: &str| {
            let other = if provider == "relay" { "openai" } else { "relay" };
            failed(
                |turn| {
                    turn.provider = Some(provider.into());
                    turn.others_nearby = vec![Success { provider: Some(other.into()), ..success("gpt-a", 2) }];
                },
                Vec::new(),
            )
        };
        assert_eq!(weight(&with("relay"), "history.same-model-elsewhere", Kind::OverloadModel), Some(-8));
        assert_eq!(weight(&with("openai"), "history.same-model-elsewhere", Kind::OverloadModel), Some(0));
    }

    #[test]
    fn models_that_refuse_one_after_the_other_speak_for_the_account() {
        let with = |others: &[(&str, i64)], successes| {
            let mut facts = failed(|_| {}, successes);
            if let crate::facts::Fact::Known { value } = &mut facts.history.fact {
                let newest = value.failures[0].clone();
                value.failures.extend(others.iter().map(|(model, minutes_before)| FailedTurn {
                    model: Some((*model).into()),
                    at: newest.at - TimeDelta::minutes(*minutes_before),
                    ..newest.clone()
                }));
            }
            codes_of(&run(&facts)).contains(&"history.all-models-refused")
        };
        assert!(with(&[("gpt-b", 10), ("gpt-c", 20)], Vec::new()));
        assert!(with(&[("gpt-b", 150)], Vec::new()));
        assert!(!with(&[("gpt-b", 10)], Vec::new()), "two siblings in one peak");
        assert!(!with(&[("gpt-a", 150), ("gpt-a", 200)], Vec::new()), "one model, however long");
        assert!(!with(&[("gpt-b", 10), ("gpt-c", 150)], vec![success("gpt-c", -60)]), "an answer in between");
        // The newest answer of each model came later; that one came in between stands beside a failure.
        let mut facts = failed(|turn| turn.same_model_before = Some(turn.at - TimeDelta::minutes(40)), vec![success("gpt-c", 30)]);
        if let crate::facts::Fact::Known { value } = &mut facts.history.fact {
            let newest = value.failures[0].clone();
            let earlier = |model: &str, minutes| FailedTurn {
                model: Some(model.into()),
                at: newest.at - TimeDelta::minutes(minutes),
                same_model_before: None,
                ..newest.clone()
            };
            value.failures.extend([earlier("gpt-b", 60), earlier("gpt-c", 150)]);
        }
        assert!(!codes_of(&run(&facts)).contains(&"history.all-models-refused"));
    }

    #[test]
    fn the_same_model_soon_after_speaks_for_capacity() {
        let soon = failed(|turn| turn.same_model_after = Some(success("gpt-a", 40).at), vec![success("gpt-a", 55)]);
        assert_eq!(weight(&soon, "history.recovered", Kind::OverloadModel), Some(4));
        let late = failed(|turn| turn.at -= TimeDelta::hours(3), vec![success("gpt-a", 5)]);
        assert_eq!(weight(&late, "history.recovered", Kind::OverloadModel), Some(0), "hours later anything may have changed");
        let relay = |turn: &mut FailedTurn| {
            turn.provider = Some("relay".into());
            turn.same_model_after = Some(success("gpt-a", 40).at);
        };
        assert_eq!(weight(&failed(relay, Vec::new()), "history.recovered", Kind::QuotaCredits), Some(-4));
    }

    #[test]
    fn what_fails_day_and_night_is_not_capacity() {
        let code = "history.constant";
        let official = with_earlier(failed(|_| {}, Vec::new()), &[6, 13, 22], |_| {});
        assert_eq!(weight(&official, code, Kind::OverloadModel), Some(-8));
        assert_eq!(weight(&official, code, Kind::OverloadAccount), Some(3));
        let at_relay = |turn: &mut FailedTurn| turn.provider = Some("relay".into());
        let relay = with_earlier(failed(at_relay, Vec::new()), &[6, 13, 22], |_| {});
        assert_eq!(weight(&relay, code, Kind::OverloadRelay), Some(-8));
        assert_eq!(weight(&relay, code, Kind::QuotaCredits), Some(4));
        let limit = |turn: &mut FailedTurn| {
            (turn.info, turn.text) = (Some("usage_limit_exceeded".into()), Some("You’ve hit your usage limit.".into()));
        };
        let limit = with_earlier(failed(limit, Vec::new()), &[6, 13, 22], |_| {});
        assert_eq!(weight(&limit, code, Kind::OverloadModel), Some(0), "no capacity error to begin with");
        assert_eq!(weight(&with_earlier(failed(|_| {}, Vec::new()), &[1, 2, 3], |_| {}), code, Kind::OverloadModel), None);
    }

    #[test]
    fn what_heals_again_and_again_is_neither_a_key_nor_a_balance() {
        let healed = |turn: &mut FailedTurn| {
            turn.provider = Some("relay".into());
            turn.same_model_after = Some(turn.at + TimeDelta::minutes(20));
            turn.same_model_before = Some(turn.at - TimeDelta::minutes(20));
        };
        let facts = with_earlier(failed(healed, Vec::new()), &[5, 9, 15], healed);
        assert_eq!(weight(&facts, "history.intermittent", Kind::OverloadRelay), Some(4));
        assert_eq!(weight(&facts, "history.intermittent", Kind::ConfigCredentials), Some(-8));
        assert_eq!(weight(&facts, "history.intermittent", Kind::QuotaCredits), Some(-6));
    }

    #[test]
    fn without_records_it_says_that_it_did_not_look_and_without_an_error_nothing() {
        assert_eq!(codes_of(&run(&Facts::default())), ["error-history.skipped"]);
        let facts = Facts { history: Observed::known(History { turns: 3, ..History::default() }, "sessions"), ..Facts::default() };
        assert!(run(&facts).is_empty());
    }
}

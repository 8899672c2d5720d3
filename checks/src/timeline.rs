//! The time line of a user's turns: what failed when, on which model, in which hours, in what company.
//!
//! Everything here is a function of the facts of the history. Where the records say too little for a statement, there is none.

mod bursts;
mod clock;
mod counts;
mod course;
mod event;
mod groups;
mod hours;
mod neighbours;
mod new_models;
mod rate;
mod reading;
mod streaks;

#[cfg(test)]
pub(crate) mod made_up;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::history::{FailedTurn, History, Unread};
use crate::facts::run::Scope;
use crate::facts::{Fact, Facts};

use clock::Clock;
use groups::Groups;
use streaks::Streaks;

pub use bursts::Burst;
pub use counts::{AccountCount, Counted, KindCount, ModelCount, ProviderCount};
pub use course::{Course, CourseKind};
pub use event::{Event, all_failures};
pub use hours::{Hour, HourState, Hours, Span, WeekdayHour};
pub(crate) use neighbours::{CAPACITY_CODE, Company};
pub use neighbours::{Neighbours, Pair, SameModelElsewhere};
pub use new_models::NewModel;
pub(crate) use new_models::is_in_first_days;
pub use rate::Rate;
pub use reading::{Reading, Readings};
pub use streaks::{Present, Streak};

/// What the session records tell of a time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HistoryReport {
    /// Beginning of the time looked at.
    pub since: DateTime<Utc>,
    /// Its end.
    pub until: DateTime<Utc>,
    /// Turns that ended, however they did.
    pub turns: u64,
    /// Those that ended with an error.
    pub failed_turns: u64,
    /// Those that were ended from outside.
    pub interrupted_turns: u64,
    /// Failed turns by what their error says, the commonest first. Where not all failures are kept, of the newest.
    pub by_kind: Vec<KindCount>,
    /// Where not all failed turns are kept: when the oldest kept one ended. What is derived from single turns (kinds,
    /// streaks, bursts, neighbours, refusals by hour, events) is of the time since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events_since: Option<DateTime<Utc>>,
    /// Turns by model, the one with most failures first.
    pub by_model: Vec<ModelCount>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// Everything else; only the report of `history` has it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
}

/// What the report of `history` tells beyond the sums.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// All turns that ended with an answer or an error.
    pub rate: Rate,
    /// Turns by provider, the one with most failures first.
    pub by_provider: Vec<ProviderCount>,
    /// Turns by account, the one with most failures first.
    pub by_account: Vec<AccountCount>,
    /// Turns by weekday (Monday first) and hour, in local time as it was then.
    pub by_weekday_hour: Vec<Vec<WeekdayHour>>,
    /// The hours of the day, and which of them are crowded or quiet for this user.
    pub hours: Hours,
    /// What the newest failed turn belongs to.
    pub present: Option<Present>,
    /// Whether what it belongs to comes and goes.
    pub course: Option<Course>,
    /// Failures of one model without a success between them: the longest, most failures first.
    pub streaks: Vec<Streak>,
    /// Failures close together, of whatever model: the largest, most failures first.
    pub bursts: Vec<Burst>,
    /// How other models fared while one was full.
    pub neighbours: Neighbours,
    /// Models that were first used in this time, and their first days.
    pub new_models: Vec<NewModel>,
    /// All failed turns, newest first.
    pub events: Vec<Event>,
    /// All turns that were ended from outside, newest first.
    pub interruptions: Vec<Event>,
}

impl HistoryReport {
    /// What `facts` tell; nothing where the records were not read.
    ///
    /// In the report of `history` each failure stands once, as an event: it is moved there, and of the facts only the
    /// [`History::KEPT`] newest remain, as many as any report has.
    pub fn of(facts: &mut Facts) -> Option<Self> {
        Some(Self::without_events(facts)?.with_events(facts))
    }

    /// The report without events: it only looks at the facts, as checks do, and may be made beside them.
    pub fn without_events(facts: &Facts) -> Option<Eventless> {
        let readings = Readings::of(facts);
        let history = facts.history.value()?;
        let groups = Groups::of(history, &readings);
        let mut report = Self::summary(facts, history, &readings, &groups);
        report.details = (facts.run.scope == Scope::History).then(|| Details::of(facts, history, &readings, &groups));
        Some(Eventless { report, readings })
    }

    fn summary(facts: &Facts, history: &History, readings: &Readings, groups: &Groups<'_>) -> Self {
        Self {
            since: facts.run.since,
            until: facts.run.at,
            turns: history.turns,
            failed_turns: history.failed_turns,
            interrupted_turns: history.interrupted_turns,
            by_kind: counts::by_kind(history, readings),
            events_since: counts::events_since(history),
            by_model: counts::by_model(groups),
            unread: history.unread.clone(),
            details: None,
        }
    }
}

/// A report to which the events are still to be moved.
#[derive(Debug)]
pub struct Eventless {
    report: HistoryReport,
    readings: Readings,
}

impl Eventless {
    /// Moves the failures of the same `facts` to the events of the report, where it has them.
    pub fn with_events(mut self, facts: &mut Facts) -> HistoryReport {
        if let (Some(details), Fact::Known { value }) = (&mut self.report.details, &mut facts.history.fact) {
            details.take(&mut value.failures, &self.readings);
        }
        self.report
    }
}

impl Details {
    fn of(facts: &Facts, history: &History, readings: &Readings, groups: &Groups<'_>) -> Self {
        let clock = Clock::of(history, facts.run.utc_offset_s);
        let streaks = Streaks::of(history, readings);
        Self {
            rate: Rate::of(&history.tallies),
            by_provider: counts::by_provider(groups),
            by_account: counts::by_account(groups),
            by_weekday_hour: hours::by_weekday(history),
            hours: Hours::of(history, &clock),
            present: streaks::present(history, readings, &streaks),
            course: Course::of(history, &streaks, &clock),
            bursts: bursts::largest(history, readings),
            neighbours: Neighbours::of(history),
            new_models: new_models::all(history),
            streaks: streaks.longest(readings),
            events: Vec::new(),
            interruptions: Vec::new(),
        }
    }

    /// Moves `failures` to the events, but for a copy of the newest.
    fn take(&mut self, failures: &mut Vec<FailedTurn>, readings: &Readings) {
        let kept: Vec<FailedTurn> = failures.iter().take(History::KEPT).cloned().collect();
        let mut turns = std::mem::replace(failures, kept);
        let said: Vec<Reading> =
            turns.iter().zip(readings.iter()).filter(|(turn, _)| !turn.interrupted).map(|(_, reading)| reading).collect();
        self.interruptions = turns.extract_if(.., |turn| turn.interrupted).map(Event::without_error).collect();
        let mut said = said.into_iter();
        // Each in the place of its failure, which a pair of two lists would not allow.
        self.events = turns.into_iter().map(|turn| Event::of(turn, said.next().unwrap_or(Reading::Unknown))).collect();
    }
}

/// How the failures go of which `turn` is the last.
pub(crate) fn course_of(turn: &FailedTurn, facts: &Facts) -> Option<Course> {
    let history = facts.history.value()?;
    Course::around(turn, &Streaks::beside(turn, history), &Clock::of(history, facts.run.utc_offset_s))
}

/// The hours of the day that are crowded for this user, the worst first.
pub(crate) fn crowded_spans(facts: &Facts) -> Vec<Span> {
    let Some(history) = facts.history.value().filter(|history| !history.tallies.is_empty()) else { return Vec::new() };
    Hours::of(history, &Clock::of(history, facts.run.utc_offset_s)).crowded
}

/// The crowded hours into which `at` falls.
pub(crate) fn crowded_span_at(facts: &Facts, at: DateTime<Utc>) -> Option<Span> {
    let spans = crowded_spans(facts);
    let hour = Clock::of(facts.history.value()?, facts.run.utc_offset_s).wall(at).hour() as u32;
    spans.into_iter().find(|span| (hour + 24 - span.from) % 24 < (span.to + 23 - span.from) % 24 + 1)
}

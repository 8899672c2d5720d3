//! Texts: Fluent messages in English and Chinese, found by id, filled with typed arguments.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, FixedOffset, TimeDelta, Utc};
use codex_triage_checks::finding::{Arg, Args};
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use serde::{Deserialize, Serialize};
use unic_langid::LanguageIdentifier;

/// A language of the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// The message files of each language: name, English, Chinese.
        const FILES: &[(&str, &str, &str)] = &[$(
            ($name, include_str!(concat!("i18n/en/", $name, ".ftl")), include_str!(concat!("i18n/zh/", $name, ".ftl"))),
        )*];
    };
}

files![
    "common",
    "verdict",
    "report",
    "advice",
    "settle",
    "advice-checker",
    "base-url",
    "clock-skew",
    "config-keys",
    "config-refused",
    "config-layers",
    "config-meaning",
    "context-pressure",
    "contradictions",
    "dns",
    "error-history",
    "fix",
    "identity",
    "last-errors",
    "model-provider",
    "model-roles",
    "model-settings",
    "other-clients",
    "model-request",
    "providers",
    "provider-settings",
    "rate-limits",
    "reachability",
    "session-bloat",
    "sessions",
    "timeline",
];

impl Language {
    /// The language that a locale name (`zh_CN.UTF-8`) asks for.
    pub fn of_locale(locale: &str) -> Self {
        if locale.to_ascii_lowercase().starts_with("zh") { Self::Zh } else { Self::En }
    }

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    fn sources(self) -> impl Iterator<Item = &'static str> {
        FILES.iter().map(move |(_, english, chinese)| match self {
            Self::En => *english,
            Self::Zh => *chinese,
        })
    }
}

/// Messages in one language, with times as seen at one moment in one time zone.
pub struct Texts {
    bundle: FluentBundle<FluentResource>,
    language: Language,
    now: DateTime<Utc>,
    zone: FixedOffset,
}

impl Texts {
    /// The messages of `language`; times are local to `utc_offset_s` (seconds, east positive) and relative to `now`.
    pub fn new(language: Language, now: DateTime<Utc>, utc_offset_s: i32) -> Self {
        let identifier: LanguageIdentifier = language.name().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new(vec![identifier]);
        bundle.set_use_isolating(false);
        for source in language.sources() {
            // A test proves that every file parses; what does parse is used in any case.
            let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(partial, _)| partial);
            bundle.add_resource_overriding(resource);
        }
        let zone = FixedOffset::east_opt(utc_offset_s).or(FixedOffset::east_opt(0));
        Self { bundle, language, now, zone: zone.expect("an offset of zero exists") }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The message `id` with `args`. A message that is missing shows its id, so that the gap is seen (and a test finds it).
    pub fn get(&self, id: &str, args: &Args) -> String {
        self.try_get(id, args).unwrap_or_else(|problem| format!("{id} [{problem}]"))
    }

    /// The message `id` without arguments.
    pub fn plain(&self, id: &str) -> String {
        self.get(id, &Args::new())
    }

    /// Whether there is a message `id`.
    pub fn has(&self, id: &str) -> bool {
        self.bundle.has_message(id)
    }

    /// The message `id` with `args`.
    ///
    /// # Errors
    /// What is missing: the message, or one of its arguments.
    pub fn try_get(&self, id: &str, args: &Args) -> Result<String, String> {
        let pattern = self.bundle.get_message(id).and_then(|message| message.value()).ok_or("no such message")?;
        let fluent_args = self.fluent_args(args);
        let mut errors = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(&fluent_args), &mut errors);
        match errors.first() {
            None => Ok(text.into_owned()),
            Some(error) => Err(error.to_string()),
        }
    }

    fn fluent_args<'a>(&self, args: &'a Args) -> FluentArgs<'a> {
        let mut fluent = FluentArgs::new();
        for (name, arg) in args {
            let value: FluentValue<'a> = match arg {
                Arg::Text(text) => FluentValue::String(Cow::Borrowed(text)),
                Arg::Message(id) => FluentValue::from(self.plain(id)),
                Arg::Integer(number) => FluentValue::from(*number),
                Arg::Number(number) => FluentValue::from((*number * 10.0).round() / 10.0),
                Arg::DurationMs(milliseconds) => FluentValue::from(self.duration(TimeDelta::milliseconds(*milliseconds))),
                Arg::Bytes(bytes) => FluentValue::from(size(*bytes)),
                Arg::Time(moment) => {
                    fluent.set(format!("{name}_in"), self.duration((*moment - self.now).abs()));
                    FluentValue::from(self.moment(*moment))
                }
            };
            fluent.set(name.as_str(), value);
        }
        fluent
    }

    /// A moment in local time, as near to everyday words as it is to now.
    pub fn moment(&self, moment: DateTime<Utc>) -> String {
        let local = moment.with_timezone(&self.zone);
        let today = self.now.with_timezone(&self.zone).date_naive();
        let days = (local.date_naive() - today).num_days();
        let clock = local.format("%H:%M");
        match (self.language, days) {
            (Language::En, 0) => format!("today {clock}"),
            (Language::En, -1) => format!("yesterday {clock}"),
            (Language::En, 1) => format!("tomorrow {clock}"),
            (Language::En, 2..=6) => format!("{} {clock}", local.format("%a")),
            (Language::En, _) => format!("{} {clock}", local.format("%Y-%m-%d")),
            (Language::Zh, 0) => format!("今天 {clock}"),
            (Language::Zh, -1) => format!("昨天 {clock}"),
            (Language::Zh, 1) => format!("明天 {clock}"),
            (Language::Zh, _) => format!("{}月{}日 {clock}", local.month(), local.day()),
        }
    }

    /// A duration in at most two units.
    pub fn duration(&self, duration: TimeDelta) -> String {
        let milliseconds = duration.num_milliseconds();
        let seconds = duration.num_seconds();
        let unit = |english: &'static str, chinese: &'static str| match self.language {
            Language::En => english,
            Language::Zh => chinese,
        };
        let pair = |large: i64, large_unit: &str, small: i64, small_unit: &str| {
            if small == 0 { format!("{large} {large_unit}") } else { format!("{large} {large_unit} {small} {small_unit}") }
        };
        match seconds {
            0 if milliseconds > 0 => format!("{milliseconds} ms"),
            0..60 => format!("{seconds} {}", unit("s", "秒")),
            60..3600 => format!("{} {}", seconds / 60, unit("min", "分钟")),
            3600..86_400 => pair(seconds / 3600, unit("h", "小时"), seconds % 3600 / 60, unit("min", "分钟")),
            _ => pair(seconds / 86_400, unit("d", "天"), seconds % 86_400 / 3600, unit("h", "小时")),
        }
    }
}

/// A size in binary units.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Message ids with the variables that each uses.
    fn messages(source: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut current = None;
        let variable = regex::Regex::new(r"\$([A-Za-z][A-Za-z0-9_-]*)").unwrap();
        for line in source.lines() {
            if let Some((id, _)) = line.split_once(" =").filter(|(id, _)| !id.is_empty() && !id.starts_with([' ', '#', '}', '.'])) {
                assert!(messages.insert(id.to_owned(), BTreeSet::new()).is_none(), "{id} stands twice");
                current = Some(id.to_owned());
            }
            if let Some(id) = &current {
                let used = variable.captures_iter(line).map(|found| found[1].to_owned());
                messages.get_mut(id).unwrap().extend(used);
            }
        }
        messages
    }

    #[test]
    fn both_languages_have_the_same_messages_with_the_same_arguments() {
        let mut all = BTreeSet::new();
        for (name, english, chinese) in FILES {
            for source in [english, chinese] {
                if let Err((_, errors)) = FluentResource::try_new((*source).to_owned()) {
                    panic!("{name}: {errors:?}");
                }
            }
            let (english, chinese) = (messages(english), messages(chinese));
            assert_eq!(english.keys().collect::<Vec<_>>(), chinese.keys().collect::<Vec<_>>(), "{name}");
            for (id, used) in &english {
                assert_eq!(used, &chinese[id], "{name}: {id}");
                assert!(all.insert(id.clone()), "{id} stands in two files");
            }
        }
    }

    #[test]
    fn every_kind_check_and_row_has_its_messages() {
        use codex_triage_checks::kind::Kind;
        let texts = Texts::new(Language::En, Utc::now_for_tests(), 0);
        let mut missing = Vec::new();
        let mut want = |id: String| {
            if !texts.has(&id) {
                missing.push(id);
            }
        };
        for kind in Kind::ALL {
            want(format!("kind-{}", kind.name().replace('.', "-")));
            want(format!("verdict-{}", kind.name().replace('.', "-")));
        }
        for check in codex_triage_checks::registry::CHECKS {
            (check.codes)().into_iter().for_each(|code| want(code.replace('.', "-")));
        }
        codex_triage_checks::knowledge::advice::rows().iter().for_each(|row| want(format!("advice-{}", row.id)));
        codex_triage_checks::knowledge::session_commands::of(None).for_each(|row| want(format!("sessions-command-{}", row.name)));
        codex_triage_checks::knowledge::settle::ids().into_iter().for_each(|id| want(format!("settle-{id}")));
        assert!(missing.is_empty(), "{missing:#?}");
    }

    trait NowForTests {
        fn now_for_tests() -> DateTime<Utc>;
    }

    impl NowForTests for Utc {
        fn now_for_tests() -> DateTime<Utc> {
            DateTime::from_timestamp(1_795_968_000, 0).unwrap()
        }
    }

    #[test]
    fn moments_and_durations_read_like_speech() {
        let texts = Texts::new(Language::En, Utc::now_for_tests(), 3600);
        assert_eq!(texts.moment(Utc::now_for_tests()), "today 17:00");
        assert_eq!(texts.moment(Utc::now_for_tests() + TimeDelta::hours(40)), "Tue 09:00");
        assert_eq!(texts.duration(TimeDelta::hours(41)), "1 d 17 h");
        assert_eq!(texts.duration(TimeDelta::seconds(212)), "3 min");
        assert_eq!(texts.duration(TimeDelta::milliseconds(212)), "212 ms");
        assert_eq!(size(5_368_709_120), "5.0 GiB");
    }
}

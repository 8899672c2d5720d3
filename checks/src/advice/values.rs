//! What may stand in an advice text or a command to paste.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::facts::Facts;
use crate::facts::clients::ClientKind;
use crate::facts::credentials::CredentialKind;
use crate::facts::endpoint::HostKind;
use crate::facts::network::Outcome;
use crate::facts::run::Platform;
use crate::facts::sessions::thread_of;
use crate::finding::{Arg, Args};
use crate::knowledge::burdens::Measure;
use crate::knowledge::{hosts, models, session_commands};
use crate::model_lists::default_model;
use crate::other_clients;
use crate::subject::Subject;
use crate::timeline;

/// The names of all values. Which of them are known depends on the facts.
///
/// `model`, `spare`: the model that failed and the one to take instead; `spare_role`: what that one is good and bad at. `provider`, `url`, `models_url`, `host`: where requests go.
/// `local`: set when that is this machine. `home`: CODEX_HOME. `key`: the shell variable that stands for the key. `key_place`: where the key that Codex uses
/// is kept. `variable`: a variable that is wanted and not set. `thread`: the failed session. `large_thread`: the largest one that can be
/// archived, `archived_thread`: the largest archived one. `log_database`: the database of the logs. `migrates`: set where Codex can move sessions to its newer store. `reset`: when the used-up
/// quota window starts anew. `retry_after`: how long the server asks to wait. `busy`: the hours in which this user's turns are refused more often than in others.
/// `stuck_pid`, `stuck_daemon`: the process id of a client, or of the daemon, that hangs.
pub const NAMES: [&str; 22] = [
    "model",
    "spare",
    "spare_role",
    "provider",
    "url",
    "models_url",
    "host",
    "local",
    "home",
    "key",
    "key_place",
    "variable",
    "thread",
    "large_thread",
    "archived_thread",
    "log_database",
    "migrates",
    "reset",
    "retry_after",
    "busy",
    "stuck_pid",
    "stuck_daemon",
];

/// The values that are known in a run.
pub struct Values(BTreeMap<&'static str, Arg>);

impl Values {
    /// What `facts` tell, for the error `subject`.
    pub fn of(facts: &Facts, subject: Option<&Subject>) -> Self {
        Self::wanted(facts, subject, |_| true)
    }

    /// The same; of those for which all turns must be looked at, the ones that are `wanted`.
    fn wanted(facts: &Facts, subject: Option<&Subject>, wanted: impl Fn(&str) -> bool) -> Self {
        let mut values = Self(BTreeMap::new());
        values.endpoint(facts, subject);
        if !subject.is_some_and(|subject| subject.asked_another_provider(facts)) {
            values.credentials(facts);
        }
        values.set("home", facts.config.value().map(|config| config.home.clone()));
        values.set("thread", subject.and_then(|subject| subject.thread.clone()));
        values.set("large_thread", largest_thread(facts, "archive"));
        values.set("archived_thread", largest_thread(facts, "delete"));
        values.set("log_database", log_database(facts));
        values.set("migrates", session_commands::has(facts.codex_version(), "migrate-rollouts").then_some("codex"));
        if wanted("busy") {
            values.set("busy", busy_hours(facts));
        }
        values.set("reset", reset(facts, subject));
        let stuck = |daemon| other_clients::stuck(facts, |kind| (kind == ClientKind::Daemon) == daemon).map(|pid| pid.to_string());
        values.set("stuck_pid", stuck(false));
        values.set("stuck_daemon", stuck(true));
        let asked = subject.and_then(|subject| subject.text.as_deref()).and_then(asked_wait_ms);
        values.set("retry_after", asked.or_else(|| retry_after_ms(facts)).map(Arg::DurationMs));
        values
    }

    /// Some value for each of `names`.
    #[cfg(test)]
    pub(super) fn of_names(names: &[String]) -> Self {
        let known = NAMES.iter().filter(|name| names.iter().any(|wanted| wanted == *name));
        Self(known.map(|name| (*name, Arg::from(if *name == "key" { "$X" } else { "x" }))).collect())
    }

    fn set<T: Into<Arg>>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.0.insert(name, value.into());
        }
    }

    fn endpoint(&mut self, facts: &Facts, subject: Option<&Subject>) {
        let endpoint = facts.endpoint.value();
        let configured = || endpoint.and_then(|endpoint| endpoint.model.clone());
        let default = || default_model(facts).map(str::to_owned);
        let model = subject.and_then(|subject| subject.model.clone()).or_else(configured).or_else(default);
        let spare = model.as_deref().and_then(|model| models::spare_for(model, facts));
        let role = spare.as_deref().and_then(models::known).map(|spare| spare.role.message_id().to_owned());
        self.set("spare_role", role.map(Arg::Message));
        self.set("spare", spare);
        self.set("model", model);
        // What failed elsewhere is not mended, nor asked about, at the address of now.
        if let Some(subject) = subject.filter(|subject| subject.asked_another_address(facts)) {
            self.set("provider", subject.provider.clone());
            self.set("host", subject.request_hosts().pop());
            return;
        }
        let Some(endpoint) = endpoint else { return };
        self.set("provider", Some(endpoint.provider.clone()));
        self.set("host", endpoint.host.clone());
        if endpoint.host_kind == HostKind::Loopback {
            self.set("local", endpoint.host.clone());
        }
        if let Some(url) = &endpoint.request_url {
            self.set("models_url", url.strip_suffix("/responses").map(|base| format!("{base}/models")));
            self.set("url", Some(url.clone()));
        }
    }

    fn credentials(&mut self, facts: &Facts) {
        let Some(credentials) = facts.credentials.value() else { return };
        let variable = hosts::key_variable(credentials);
        self.set(
            "key",
            Some(match (facts.run.platform, variable.strip_prefix('$')) {
                (Platform::Windows, Some(name)) => format!("$env:{name}"),
                _ => variable,
            }),
        );
        self.set("variable", credentials.missing_variable.clone());
        let key = credentials.used().filter(|used| {
            use CredentialKind::{ApiKey, EnvAccessToken, EnvApiKey, ProviderBearer, ProviderEnvKey, ProviderHeaders};
            matches!(used.kind, ApiKey | EnvApiKey | EnvAccessToken | ProviderEnvKey | ProviderBearer | ProviderHeaders)
        });
        self.set("key_place", key.map(|used| used.place.clone()));
    }

    /// Whether the value `name` is known.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All known values as arguments of a message.
    pub fn args(&self) -> Args {
        self.0.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    /// `template` with every `{name}` filled, or nothing where one is unknown or could mean something to a shell. `{{` and `}}` stand for braces.
    pub fn fill(&self, template: &str) -> Option<String> {
        let mut text = String::new();
        let mut rest = template;
        while let Some(brace) = rest.find(['{', '}']) {
            text.push_str(&rest[..brace]);
            let (this, after) = rest[brace..].split_at(1);
            if let Some(after) = after.strip_prefix(this) {
                text.push_str(this);
                rest = after;
                continue;
            }
            let (name, after) = after.split_once('}')?;
            match self.0.get(name)? {
                Arg::Text(value) if pasteable(name, value) => text.push_str(value),
                _ => return None,
            }
            rest = after;
        }
        text.push_str(rest);
        Some(text)
    }
}

/// `template` filled from `facts` as [`Values::fill`] does.
pub fn filled(template: &str, facts: &Facts, subject: Option<&Subject>) -> Option<String> {
    Values::wanted(facts, subject, |name| template.contains(name)).fill(template)
}

/// Whether a value may stand in a command. Names of models and hosts come from files that a project can bring along: none may end the
/// word it stands in, begin an option or be expanded by a shell. Only the variable for the key is meant to be expanded.
fn pasteable(name: &str, value: &str) -> bool {
    let variable = |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if name == "key" {
        let bare = value.strip_prefix("$env:").or_else(|| value.strip_prefix('$'));
        return bare.is_some_and(|bare| !bare.is_empty() && variable(bare));
    }
    if name == "variable" {
        return !value.is_empty() && variable(value);
    }
    let plain = |letter: char| letter.is_alphanumeric() || "-._:/@+".contains(letter);
    // These stand in quotes wherever they stand, which a test of the catalogue holds.
    let quoted = matches!(name, "url" | "models_url");
    let fits = |letter: char| plain(letter) || (quoted && "?&*#=,%~[]".contains(letter));
    !value.is_empty() && !value.starts_with(['-', '@']) && value.chars().all(fits)
}

/// The largest of the sessions that `command` is for: `delete` for archived ones, `archive` for the others. None of ordinary size, none with a writer lock, which
/// Codex refuses to move (measured on 0.171.0), and none where this release has no such command.
fn largest_thread(facts: &Facts, command: &str) -> Option<String> {
    if !session_commands::has(facts.codex_version(), command) {
        return None;
    }
    let store = facts.sessions.value()?;
    let large = store.largest.iter().filter(|rollout| Measure::Rollout.weigh(rollout.bytes).is_some());
    let fits = large.filter(|rollout| rollout.is_archived() == (command == "delete"));
    let threads = fits.filter_map(|rollout| thread_of(&rollout.file));
    threads.filter(|thread| !store.writer_locks.iter().any(|lock| lock == thread)).map(str::to_owned).next()
}

fn log_database(facts: &Facts) -> Option<String> {
    facts.sessions.value()?.databases.iter().find(|database| database.is_of_logs()).map(|database| database.file.clone())
}

/// From here on a window counts as used up: the server rounds.
const USED_UP_PERCENT: f64 = 99.5;

/// When the used-up quota window of the failed request's provider starts anew, if that is still ahead.
fn reset(facts: &Facts, subject: Option<&Subject>) -> Option<DateTime<Utc>> {
    let provider = subject.and_then(|subject| subject.provider.as_ref());
    let snapshots = facts.history.value()?.limits.iter();
    snapshots
        .filter(|snapshot| provider.is_none() || snapshot.provider.is_none() || snapshot.provider.as_ref() == provider)
        .flat_map(|snapshot| &snapshot.windows)
        .filter(|window| window.used_percent >= USED_UP_PERCENT)
        .filter_map(|window| window.resets_at)
        .filter(|at| *at > facts.run.at)
        .max()
}

/// A wait beyond this is no throttle but a quota, of which other rows speak.
const LONGEST_WAIT_MS: i64 = 15 * 60 * 1000;

fn retry_after_ms(facts: &Facts) -> Option<i64> {
    let Outcome::Answered(answer) = &facts.reachability.value()?.outcome else { return None };
    if answer.status < 400 {
        return None;
    }
    let seconds: i64 = answer.headers.get("retry-after")?.trim().parse().ok()?;
    let wait = seconds.checked_mul(1000)?;
    (1..=LONGEST_WAIT_MS).contains(&wait).then_some(wait)
}

/// The wait that a server asks for in words ("try again in 1m2.5s", "Retry after 20 seconds").
fn asked_wait_ms(text: &str) -> Option<i64> {
    let text = text.to_lowercase();
    let after = ["try again in ", "retry after ", "retry in ", "retry-after: "]
        .iter()
        .find_map(|words| text.find(words).map(|place| &text[place + words.len()..]))?;
    let mut rest = after;
    let mut wait = 0.0;
    loop {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { break };
        let unit_text = rest[digits..].trim_start();
        let letters = unit_text.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(unit_text.len());
        let (unit, length) = match &unit_text[..letters] {
            "ms" | "millisecond" | "milliseconds" => (1.0, letters),
            "s" | "sec" | "second" | "seconds" => (1_000.0, letters),
            "m" | "min" | "minute" | "minutes" => (60_000.0, letters),
            // A number without a unit is in seconds, as in the header; one with another unit is none of ours.
            "" => (1_000.0, 0),
            _ => return None,
        };
        wait += number * unit;
        rest = unit_text[length..].trim_start();
    }
    // `as` saturates; the range below refuses what is out of it.
    #[allow(clippy::cast_possible_truncation, reason = "saturates, and the range is checked")]
    let wait = wait.ceil() as i64;
    (1..=LONGEST_WAIT_MS).contains(&wait).then_some(wait)
}

/// The hours of local time in which this user's turns are refused more often than in the others.
fn busy_hours(facts: &Facts) -> Option<String> {
    let span = *timeline::crowded_spans(facts).first()?;
    Some(format!("{:02}:00–{:02}:00", span.from, span.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Observed;
    use crate::facts::run::Run;
    use crate::facts::sessions::{LargeFile, SessionStore};

    fn values(pairs: &[(&'static str, &str)]) -> Values {
        Values(pairs.iter().map(|(name, value)| (*name, Arg::from(*value))).collect())
    }

    #[test]
    fn braces_and_values_are_filled_and_a_missing_value_leaves_the_command_out() {
        let values = values(&[("model", "gpt-6-sol"), ("models_url", "https://h/v1/models?api-version=1&b=2"), ("key", "$MY_KEY")]);
        assert_eq!(values.fill("codex -m {model}").as_deref(), Some("codex -m gpt-6-sol"));
        assert_eq!(
            values.fill("curl -w '%{{http_code}}' -H \"Authorization: Bearer {key}\" '{models_url}'").as_deref(),
            Some("curl -w '%{http_code}' -H \"Authorization: Bearer $MY_KEY\" 'https://h/v1/models?api-version=1&b=2'")
        );
        assert_eq!(values.fill("codex -m {spare}"), None);
    }

    #[test]
    fn every_command_of_the_data_can_be_filled() {
        let all: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        let values = Values::of_names(&all);
        let advice = crate::knowledge::advice::rows().iter().flat_map(|row| row.templates());
        for template in advice.chain(crate::knowledge::settle::templates()) {
            let command = values.fill(template).unwrap_or_else(|| panic!("{template}"));
            let count = |mark: char| command.matches(mark).count();
            assert_eq!((count('{'), count('"') % 2, count('\'') % 2), (count('}'), 0, 0), "{command}");
        }
    }

    #[test]
    fn a_name_from_a_file_cannot_become_a_command() {
        for name in ["x; rm -rf ~", "$(id)", "`id`", "a'b", "-c=x", "a b", "a\nb", "a|b", "@a", "a*"] {
            assert_eq!(values(&[("model", name)]).fill("codex -m {model}"), None, "{name}");
        }
        for key in ["$(id)", "$", "KEY", "$A-B"] {
            assert_eq!(values(&[("key", key)]).fill("{key}"), None, "{key}");
        }
        assert_eq!(values(&[("url", "https://h/'$(id)'")]).fill("'{url}'"), None);
    }

    #[test]
    fn the_wait_that_a_server_asks_for_is_read_from_its_words() {
        for (text, wait) in [
            ("Please try again in 11s.", Some(11_000)),
            ("Please try again in 1m2.5s. Visit", Some(62_500)),
            ("try again in 300ms", Some(300)),
            ("Retry after 20 seconds", Some(20_000)),
            ("Retry-After: 30", Some(30_000)),
            ("try again in 3 days", None),
            ("try again later", None),
            ("try again in 99999999999999999999s", None),
        ] {
            assert_eq!(asked_wait_ms(text), wait, "{text}");
        }
    }

    #[test]
    fn the_largest_session_is_named_by_its_id_or_not_at_all() {
        let store = |files: &[&str], writer_locks: &[&str]| {
            let largest = files.iter().map(|file| LargeFile { file: (*file).to_owned(), bytes: 200_000_000 }).collect();
            let writer_locks = writer_locks.iter().map(|lock| (*lock).to_owned()).collect();
            let store = SessionStore { largest, writer_locks, ..SessionStore::default() };
            Facts { sessions: Observed::known(store, "test"), ..Facts::default() }
        };
        let (id, other) = ("0199a1b2-0000-7000-8000-0123456789ab", "0199a1b2-0000-7000-8000-0123456789ac");
        let file = format!("~/.codex/sessions/2026/11/29/rollout-2026-11-29T10-00-00-{id}.jsonl");
        let archived = format!("~/.codex/archived_sessions/rollout-2026-11-29T10-00-00-{other}.jsonl.zst");
        let both = store(&[&file, &archived], &[]);
        assert_eq!(largest_thread(&both, "archive").as_deref(), Some(id));
        assert_eq!(largest_thread(&both, "delete").as_deref(), Some(other));
        assert_eq!(largest_thread(&store(&[&file], &[id]), "archive"), None, "somebody writes in it");
        let old = Facts { run: Run { codex_version: Some("0.131.0".to_owned()), ..Run::default() }, ..both };
        assert_eq!(largest_thread(&old, "archive"), None, "that release has no such command");
        for strange in ["~/.codex/sessions/notes.jsonl", "~/.codex/sessions/日本語日本語日本語日本語日本語日本語.jsonl"]
        {
            assert_eq!(largest_thread(&store(&[strange], &[]), "archive"), None);
        }
    }
}

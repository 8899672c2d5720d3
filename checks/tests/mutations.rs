//! Typography, ids and addresses do not change a verdict; and no signature is a copy of a report.

mod common;

use std::sync::LazyLock;

use codex_triage_checks::kind::Cause;
use proptest::prelude::*;
use regex::{Captures, Regex};

use common::{Report, cause, causes, endpoint_of, facts, reports, shown, triage};

fn answer(report: &Report, text: &str) -> (Cause, String) {
    let (findings, verdict) = triage(&facts(text, endpoint_of(report.config_toml.as_deref())));
    let line = shown(&findings, &verdict);
    (verdict.cause, line)
}

/// The clear reports that are answered rightly as they stand, with the answer.
static RIGHT: LazyLock<Vec<(Report, Cause)>> = LazyLock::new(|| {
    reports()
        .filter(|report| report.truth != "ambiguous")
        .map(|report| {
            let answer = answer(&report, &report.input).0;
            (report, answer)
        })
        .filter(|(report, answer)| *answer == cause(&report.truth) || causes(&report.also_right).contains(answer))
        .collect()
});

/// How a text is disfigured.
#[derive(Clone, Debug)]
struct Mutation {
    letters: Letters,
    width: Option<usize>,
    framed: bool,
    bullet: &'static str,
    curly: bool,
    coloured: bool,
    digits: [u8; 12],
    port: u16,
    host: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Letters {
    Kept,
    Lower,
    Upper,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    (
        prop::sample::select(vec![Letters::Kept, Letters::Lower, Letters::Upper]),
        prop::option::of(12usize..120),
        any::<bool>(),
        prop::sample::select(vec!["", "■ ", "⚠ ", "● ", "🖐 ", "> ", "ERROR: ", "2026-11-29T10:00:00Z  WARN "]),
        any::<bool>(),
        any::<bool>(),
        prop::array::uniform12(0u8..10),
        1024u16..65535,
        prop::sample::select(vec!["api.other-relay.example", "10.1.2.3", "my.gateway.test"]),
    )
        .prop_map(|(letters, width, framed, bullet, curly, coloured, digits, port, host)| Mutation {
            letters,
            width,
            framed,
            bullet,
            curly,
            coloured,
            digits,
            port,
            host,
        })
}

impl Mutation {
    fn of(&self, text: &str) -> String {
        let mut text = self.with_other_addresses(&self.with_other_ids(text));
        text = match self.letters {
            Letters::Kept => text,
            Letters::Lower => text.to_lowercase(),
            Letters::Upper => text.to_uppercase(),
        };
        if self.curly {
            text = text.replace('\'', "\u{2019}");
        }
        if let Some(width) = self.width {
            text = wrapped(&text, width);
        }
        if self.framed {
            text = text.lines().map(|line| format!("│ {line} │\n")).collect();
        }
        if self.coloured {
            text = text.lines().map(|line| format!("\u{1b}[31;1m{line}\u{1b}[0m\n")).collect();
        }
        format!("{}{text}", self.bullet)
    }

    fn with_other_ids(&self, text: &str) -> String {
        static ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"0{6,}").expect("a constant pattern"));
        let digits = self.digits;
        let other =
            |found: &Captures<'_>| (0..found[0].len()).map(|place| char::from(b'0' + digits[place % 12])).collect::<String>();
        ID.replace_all(text, other).into_owned()
    }

    fn with_other_addresses(&self, text: &str) -> String {
        static LOCAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(127\.0\.0\.1|localhost):\d+").expect("a constant pattern"));
        let local = LOCAL.replace_all(text, |found: &Captures<'_>| format!("{}:{}", &found[1], self.port));
        local.replace("relay.example", self.host)
    }
}

/// `text` with a line break at the first space after every `width` characters.
fn wrapped(text: &str, width: usize) -> String {
    let mut column = 0;
    let broken = text.chars().map(|character| {
        column = if character == '\n' { 0 } else { column + 1 };
        if character == ' ' && column > width {
            column = 0;
            return '\n';
        }
        character
    });
    broken.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn typography_ids_and_addresses_do_not_change_the_cause(mutation in mutation()) {
        for (report, cause) in RIGHT.iter() {
            let text = mutation.of(&report.input);
            let (answer, line) = answer(report, &text);
            prop_assert_eq!(answer, *cause, "{} by {:?}: {}\n{}", report.id, mutation, line, text);
        }
    }
}

/// What people write around an error without saying anything about its cause.
const ASIDES: [&str; 36] = [
    "Codex CLI 0.171.0, macOS 15, zsh, iTerm2",
    "### What version of Codex is running?\n0.171.0\n### What subscription do you have?\nPro",
    "I logged out and signed in again, no change",
    "reinstalled twice, deleted ~/.codex, same",
    "no API key set, ChatGPT login, no proxy, no VPN",
    "my config.toml only sets model and sandbox_mode",
    "usage page: 5h 20% used, weekly 12% used",
    "weekly limit 88% left, 5-hour limit 100% left",
    "this is not a usage limit and not a rate limit",
    "credits balance 40, auto top-up is on",
    "ChatGPT in the browser works",
    "the status page is all green",
    "DNS resolves fine, curl https://chatgpt.com returns 200",
    "certificate is fine, no company proxy",
    "started about two hours ago, every prompt",
    "Uploaded thread: 019cd67e-ebc1-7b12-8568-ace62a5e4b9c",
    "other people in my team see the same",
    "MCP servers disabled, plugins off, AGENTS.md removed",
    "I use WSL2 and Windows Terminal",
    "the context is at 30%, new conversation, same",
    "restarting the app changed nothing",
    "升级到最新版本也不行，重装也不行",
    "额度充足，重新登录也没用",
    "网络正常，浏览器可以打开 chatgpt.com",
    "does anybody know when this will be fixed?",
    "please add automatic retries with exponential backoff",
    "expected: the turn goes on; actual: it stops",
    "gpt-6-sol, reasoning effort high, service tier default",
    "sandbox: workspace-write\napproval: on-request\nreasoning summaries: auto",
    "the repository has 400 files, some tests were failing before",
    "logs_2.sqlite has the same text, rate_limit_reached_type is null",
    "is this a policy thing or is my account restricted?",
    "2 of 5 subagents finished, then this",
    "disk space 120 GB free, 32 GB memory",
    "time is synced, clock is right",
    "line 404 of main.rs, 500 lines in total, port 8080",
];

#[test]
fn asides_do_not_turn_a_right_answer_into_a_wrong_one() {
    let mut doubtful = 0;
    let wrong: Vec<String> = RIGHT
        .iter()
        .flat_map(|(report, cause)| {
            let texts =
                ASIDES.iter().flat_map(|aside| [format!("{}\n{aside}", report.input), format!("{aside}\n{}", report.input)]);
            texts.map(move |text| (report, *cause, text))
        })
        .filter_map(|(report, cause, text)| {
            let (answer, line) = answer(report, &text);
            doubtful += u32::from(answer == Cause::Undetermined);
            (answer != cause && answer != Cause::Undetermined).then(|| format!("{}: {line}\n    {text:?}", report.id))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A doubt is no error, but asides should seldom raise one.
    let all = RIGHT.len() * ASIDES.len() * 2;
    assert!(doubtful as usize * 50 < all, "{doubtful} of {all}");
}

const PATTERNS: &str = include_str!("../knowledge/signatures.toml");

#[test]
fn no_signature_holds_a_sentence() {
    let words = Regex::new(r"[A-Za-z']+(?: [A-Za-z']+){8,}").unwrap();
    for line in PATTERNS.lines().filter(|line| !line.starts_with("source") && !line.starts_with('#')) {
        assert!(!words.is_match(line), "{line}");
    }
}

#[test]
fn no_signature_holds_an_id_of_a_report() {
    let id = Regex::new(r"[0-9a-f]{8}-[0-9a-f]{4}|req_\w{8,}|org-\w{6,}|\b[0-9a-f]{16,}\b|\bgpt-?\d[\w.-]*-\w+").unwrap();
    let ids: std::collections::BTreeSet<String> = reports()
        .flat_map(|report| id.find_iter(&report.input).map(|found| found.as_str().to_owned()).collect::<Vec<_>>())
        .collect();
    assert!(!ids.is_empty());
    for id in ids {
        assert!(!PATTERNS.contains(&id), "{id}");
    }
}

//! Every row of the catalogue and every observation has its words in both languages, and none says what it must not say.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use codex_triage_checks::knowledge::{advice, settle};
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource};

const LANGUAGES: [&str; 2] = ["en", "zh"];

/// What the tool can do today. Another name after `codex-triage` would be a promise.
const OURS: [&str; 6] = ["explain", "lint", "fix", "checks", "replay", "help"];
/// The same for its options.
const OUR_OPTIONS: [&str; 13] = [
    "--allow-cost",
    "--error",
    "--offline",
    "--json",
    "--since",
    "--format",
    "--lang",
    "--timeout",
    "--codex-home",
    "--help",
    "--version",
    "-v",
    "-",
];

/// Steps that this tool does not advise, whatever they would mend. In a sentence that forbids one, the words differ.
const FORBIDDEN: [&str; 22] = [
    "pkill",
    "killall",
    "taskkill",
    "kill -9",
    "insecure",
    "curl -k",
    " -k ",
    "node_tls_reject_unauthorized",
    "verify=false",
    "disable certificate",
    "turn off certificate",
    "关闭证书",
    "禁用证书",
    "user-agent",
    "originator",
    "another account",
    "second account",
    "share the account",
    "share an account",
    "共享账号",
    "换个账号",
    "--dangerously",
];

/// Pages of commands and steps.
const PAGES: [&str; 6] =
    ["scripting.md", "onboarding.md", "providers.md", "providers.zh-CN.md", "quick-reference.md", "quick-reference.zh-CN.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn messages(language: &str, file: &str) -> String {
    fs::read_to_string(root().join("src/i18n").join(language).join(file)).unwrap()
}

fn bundle(language: &str) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new(vec![language.parse().unwrap()]);
    bundle.set_use_isolating(false);
    for file in ["advice.ftl", "settle.ftl"] {
        let resource = FluentResource::try_new(messages(language, file)).expect("the file is Fluent");
        bundle.add_resource(resource).expect("no message stands twice");
    }
    bundle
}

/// The text of `id` with `names` filled; a name that is missing, or a message without words, is an error.
fn text(bundle: &FluentBundle<FluentResource>, id: &str, names: &[String]) -> String {
    let message = bundle.get_message(id).unwrap_or_else(|| panic!("{id} has no message"));
    let args: FluentArgs<'_> = names.iter().map(|name| (name.as_str(), "VALUE")).collect();
    let mut errors = Vec::new();
    let text = bundle.format_pattern(message.value().unwrap(), Some(&args), &mut errors).into_owned();
    assert!(errors.is_empty(), "{id}: {errors:?}");
    assert!(!text.trim().is_empty(), "{id} is empty");
    text
}

/// Messages of the two files that belong to neither a row nor an observation.
fn other_ids() -> BTreeSet<String> {
    codex_triage_checks::knowledge::quick_reference::message_ids().into_iter().collect()
}

#[test]
fn every_row_has_its_words_in_both_languages_and_uses_only_what_it_needs() {
    for language in LANGUAGES {
        let bundle = bundle(language);
        for row in advice::rows() {
            let words = text(&bundle, &format!("advice-{}", row.id), &row.needs);
            assert!(words.chars().count() <= 160, "{} is long: {}", row.id, words.chars().count());
        }
        for id in settle::ids() {
            text(&bundle, &format!("settle-{id}"), &[]);
        }
    }
}

#[test]
fn no_message_is_left_over_and_both_languages_have_the_same() {
    let advices = advice::rows().iter().map(|row| format!("advice-{}", row.id));
    let settles = settle::ids().into_iter().map(|id| format!("settle-{id}"));
    let expected: BTreeSet<String> = advices.chain(settles).chain(other_ids()).collect();
    for language in LANGUAGES {
        let all = messages(language, "advice.ftl") + &messages(language, "settle.ftl");
        let found: BTreeSet<String> = all
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .map(|(id, _)| id.to_owned())
            .filter(|id| !id.starts_with([' ', '#']))
            .collect();
        assert_eq!(found, expected, "{language}");
    }
}

#[test]
fn chinese_is_chinese() {
    let bundle = bundle("zh");
    for row in advice::rows() {
        let words = text(&bundle, &format!("advice-{}", row.id), &row.needs);
        assert!(words.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter)), "{}", row.id);
        assert!(words.ends_with('。'), "{}: {words}", row.id);
    }
}

/// Everything that a person reads or pastes from these files.
fn said() -> Vec<(String, String)> {
    let mut said: Vec<(String, String)> = Vec::new();
    for row in advice::rows() {
        said.extend(row.templates().chain(row.edit()).map(|text| (row.id.clone(), text.to_owned())));
    }
    said.extend(settle::templates().into_iter().map(|text| ("settle".to_owned(), text.to_owned())));
    for language in LANGUAGES {
        for file in ["advice.ftl", "settle.ftl"] {
            said.extend(messages(language, file).lines().map(|line| (format!("{language}/{file}"), line.to_owned())));
        }
    }
    for page in PAGES {
        let words = fs::read_to_string(root().join("docs").join(page)).unwrap();
        let mut fenced = false;
        for line in words.lines() {
            fenced ^= line.starts_with("```");
            // In a fenced block everything is code.
            let line = if fenced { format!("`{line}`") } else { line.to_owned() };
            said.push((page.to_owned(), line));
        }
    }
    said
}

#[test]
fn no_step_is_named_that_this_tool_does_not_advise() {
    for (place, words) in said() {
        let low = words.to_lowercase();
        for forbidden in FORBIDDEN {
            assert!(!low.contains(forbidden), "{place}: {words}");
        }
    }
}

#[test]
fn only_commands_of_ours_that_exist_are_named() {
    for (place, words) in said() {
        for after in words.split("codex-triage").skip(1) {
            // A file, a folder, a package or an output of that name is no command.
            let Some(after) = after.strip_prefix(' ') else { continue };
            let mut named = after.split([' ', '`', '\n', '|', ')', '；', '。']).take_while(|word| !word.is_empty());
            if let Some(first) = named.next() {
                let is_word = first.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
                let in_code = words.contains(&format!("codex-triage {first}")) && (words.contains('`') || !place.ends_with(".md"));
                if is_word && !first.starts_with('-') && in_code {
                    assert!(OURS.contains(&first), "{place}: {words}");
                }
            }
            for option in after
                .split([' ', '`', '。', '，'])
                .take_while(|word| !word.is_empty() && *word != "|" && *word != ">")
                .filter(|word| word.starts_with('-'))
            {
                assert!(OUR_OPTIONS.contains(&option.split('=').next().unwrap()), "{place}: {option} in {words}");
            }
        }
    }
}

#[test]
fn the_numbers_of_waiting_are_named() {
    for language in LANGUAGES {
        let bundle = bundle(language);
        let wait = text(&bundle, "advice-wait", &[]);
        for number in ["30", "1", "2", "5", "15", "10"] {
            assert!(wait.contains(number), "{wait}");
        }
        assert!(text(&bundle, "advice-spare-in-script", &[]).contains("120"));
    }
}

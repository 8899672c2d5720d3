//! The pages, each from its data.

use codex_triage_checks::kind::Kind;
use codex_triage_checks::registry;
use codex_triage_checks::verdict::SURE;

use codex_triage::i18n::{Language, Texts};
use codex_triage::report::{advice_list, json};
use codex_triage_checks::finding::Arg;

use crate::quick_reference::quick_reference;

/// A generated file: its path below the repository and its text.
pub(crate) type Page = (String, String);

/// All generated pages.
pub(crate) fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> =
        registry::CHECKS.iter().map(|check| (format!("docs/checks/{}.md", check.id), check_page(check))).collect();
    pages.push(("docs/checks/README.md".to_owned(), check_list()));
    pages.push(("docs/history.md".to_owned(), crate::history::page()));
    pages.push(("docs/kinds.md".to_owned(), kinds()));
    pages.push(("docs/exit-codes.md".to_owned(), exit_codes()));
    pages.push(("docs/images/history.svg".to_owned(), crate::history::picture()));
    pages.push(("docs/images/run.svg".to_owned(), crate::picture::run()));
    pages.push(("docs/scenarios.md".to_owned(), crate::scenarios::page()));
    pages.push(("docs/report.schema.json".to_owned(), json::schema()));
    for (language, name) in [(Language::En, "docs/providers.md"), (Language::Zh, "docs/providers.zh-CN.md")] {
        let texts = Texts::new(language, chrono::DateTime::UNIX_EPOCH, 0);
        pages.push((name.to_owned(), crate::providers::providers(language == Language::Zh, &texts)));
    }
    for (language, name) in [(Language::En, "docs/quick-reference.md"), (Language::Zh, "docs/quick-reference.zh-CN.md")] {
        let texts = Texts::new(language, chrono::DateTime::UNIX_EPOCH, 0);
        let text = |id: &str, args: &[(String, String)]| {
            let args = args.iter().map(|(name, value)| (name.clone(), Arg::Text(value.clone()))).collect();
            texts.try_get(id, &args).unwrap_or_else(|problem| panic!("{id}: {problem}"))
        };
        pages.push((name.to_owned(), quick_reference(language == Language::Zh, &text)));
        let name = if language == Language::Zh { "docs/advice-checker.zh-CN.md" } else { "docs/advice-checker.md" };
        pages.push((name.to_owned(), advice_list::page(&texts)));
    }
    pages
}

/// A check's page: its module comment below its id, and the codes that it can report.
fn check_page(check: &registry::Check) -> String {
    let codes: String = (check.codes)().iter().map(|code| format!("- `{code}`\n")).collect();
    format!("# `{}`\n\n{}\n# Codes\n\n{codes}", check.id, check.page().trim_end().to_owned() + "\n").replace("\n# ", "\n## ")
}

fn check_list() -> String {
    let rows: String =
        registry::CHECKS.iter().map(|check| format!("| [`{id}`]({id}.md) | {} |\n", check.question(), id = check.id)).collect();
    format!(
        "# Checks\n\nIn the order in which they run. `codex-triage checks ID` shows the same pages.\n\n| check | what it asks |\n| --- | --- |\n{rows}"
    )
}

fn kinds() -> String {
    let gate = |kind: &Kind| format!("{:?}", kind.gate()).to_lowercase();
    let rows: String = Kind::ALL
        .iter()
        .map(|kind| format!("| `{kind}` | {} | {} | {} |\n", gate(kind), kind.prior(), kind.prior_reason()))
        .collect();
    format!(
        "# Kinds and their priors\n\n\
         A kind is a hypothesis; its cause is the part before the dot. Its score is the prior below plus the weights of the findings, in\n\
         decibans (10 = ten to one); within a group of findings only the strongest weight per kind counts. The share of a kind is\n\
         10^(score/10) over the sum of all kinds, the confidence of a cause the sum of its kinds. Below {SURE:.2} the verdict is\n\
         `undetermined`. `codex-triage -v` shows the sums.\n\n\
         | kind | gate | prior (dB) | why |\n| --- | --- | --- | --- |\n{rows}"
    )
}

fn exit_codes() -> String {
    "# Exit codes\n\n\
     | code | when |\n| --- | --- |\n\
     | 0 | `healthy`, or only notes and warnings (`--fail-on warning` or `note` changes that) |\n\
     | 1 | a cause was found, or an error-severity finding; of `fix`: something is left to mend, or Codex still refuses |\n\
     | 2 | wrong usage |\n\
     | 3 | `undetermined`, or something needed could not be looked at and nothing worse was found |\n\
     | 4 | internal error; with `--json` stdout still holds a valid report |\n\
     | 10–14 | with `--exit-verdict` instead of 1: overload, quota, config, network, other |\n"
        .to_owned()
}

//! The page of ready spare providers, from `snippets.toml`. Pure: data and texts in, Markdown out.

use codex_triage::i18n::Texts;
use codex_triage_checks::finding::{Arg, Args};
use codex_triage_checks::knowledge::snippets;

/// `docs/providers.md` in one language.
pub(crate) fn providers(chinese: bool, texts: &Texts) -> String {
    let say = |id: &str, args: &[(&str, &str)]| {
        let args: Args = args.iter().map(|(name, value)| ((*name).to_owned(), Arg::from(*value))).collect();
        texts.try_get(&format!("providers-{id}"), &args).unwrap_or_else(|problem| panic!("{id}: {problem}"))
    };
    let mut page = format!("# {}\n\n{} {}\n", say("title", &[]), say("intro", &[]), say("old", &[]));
    for snippet in snippets::all() {
        let file = format!("{}.config.toml", snippet.id);
        let note = if chinese { &snippet.note.zh } else { &snippet.note.en };
        let command = format!("codex -p {}", snippet.id);
        page += &format!("\n## {}\n\n{}\n", snippet.name, say("save", &[("file", &file), ("command", &command)]));
        page += &format!("\n```toml\n{}\n```\n\n", snippet.config.trim());
        page += &format!("- {}\n", capitalised(note));
        if let Some(key) = &snippet.key {
            page += &format!("- {}\n", say("key", &[("key", key)]));
        }
        if let Some(command) = &snippet.command {
            page += &format!("- {}\n", say("without-file", &[("command", command)]));
        }
        page += &format!("- {}: {}\n", say("source", &[]), snippet.source);
    }
    page + &format!("\n{}\n", say("end", &[]))
}

fn capitalised(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

//! Pages of `docs/` that are made from the data. Pure: data and texts in, Markdown out; a test writes and compares the files.

use codex_triage_checks::knowledge::{advice, models, quick_reference};

/// Looks up a message by its id, with its arguments.
pub(crate) type Text<'text> = dyn Fn(&str, &[(String, String)]) -> String + 'text;

/// `docs/quick-reference.md` in one language: symptom, what to do first, note; what does not help; which model instead.
///
/// `chinese` chooses the clauses about the models, which are data and not messages.
pub(crate) fn quick_reference(chinese: bool, text: &Text<'_>) -> String {
    let say = |id: &str| text(id, &[]);
    let word = |name: &str| say(&format!("quick-ui-{name}"));
    let colon = if chinese { "：" } else { ": " };
    let mut page = format!("# {}\n\n{}\n", word("title"), word("intro"));
    for (heading, of_message) in [("messages", true), ("patterns", false)] {
        page += &format!("\n## {}\n\n", word(heading));
        page += &table_head(&[&word("symptom"), &word("first"), &word("note")]);
        for row in quick_reference::rows().iter().filter(|row| row.message.is_some() == of_message) {
            let symptom = row.message.clone().unwrap_or_else(|| say(&format!("quick-{}", row.id)));
            let steps: Vec<String> = row.first.iter().map(|id| say(&format!("advice-{id}"))).collect();
            let steps = steps.join(if chinese { "" } else { " " });
            page += &table_row(&[&symptom, &steps, &say(&format!("quick-{}-note", row.id))]);
        }
    }
    page += &format!("\n## {}\n\n", word("in-vain"));
    for row in advice::rows().iter().filter(|row| row.correction && row.needs.is_empty()) {
        let cause = row.targets.first().and_then(|target| target.split('.').next()).unwrap_or("config");
        page += &format!("- {}{colon}{}\n", word(cause), say(&format!("advice-{}", row.id)));
    }
    page += &format!("\n## {}\n\n", word("models"));
    page += &table_head(&[&word("model"), &word("good"), &word("bad"), &word("spares")]);
    for model in models::all().iter().filter(|model| model.is_listed(None)) {
        let clause = |clause: &models::Clause| if chinese { clause.zh.clone() } else { clause.en.clone() };
        let spares: Vec<String> = model.spares.iter().map(|spare| format!("`{spare}`")).collect();
        page += &table_row(&[&format!("`{}`", model.slug), &clause(&model.good), &clause(&model.bad), &spares.join(", ")]);
    }
    page
}

fn table_head(cells: &[&str]) -> String {
    let rule: Vec<&str> = cells.iter().map(|_| "---").collect();
    table_row(cells) + &table_row(&rule)
}

fn table_row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

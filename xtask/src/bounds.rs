//! `since=` and `gone=` of the list, by what several releases know.

use std::path::{Path, PathBuf};

use codex_triage_checks::knowledge::config::{self, Keys, Type};
use codex_triage_checks::knowledge::providers::{Release, release};

use crate::codex::Program;
use crate::{keys, trial};

/// The list, as a file of this repository.
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../checks/knowledge/config-keys.toml");

/// Which of the releases know a key, oldest first.
type Seen = Vec<(String, bool)>;

/// Rewrites the list and tells what changed; always true.
///
/// # Errors
/// When a program cannot be started, or the list cannot be read or written.
pub(crate) fn run(codex: &[PathBuf], only: &str, say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let mut programs = codex.iter().map(|path: &PathBuf| Program::open(path)).collect::<Result<Vec<_>, _>>()?;
    programs.sort_by_key(|program| release(&program.version));
    let root = Keys::newest().root();
    let mut text = std::fs::read_to_string(LIST).map_err(|error| format!("while reading {LIST}: {error}"))?;
    for key in keys::all(root).iter().filter(|key| key.name().starts_with(only) && tells(&key.key.kind, &key.path)) {
        let config = trial::text(root, &key.path, "1.5");
        let mut seen = Seen::new();
        for program in &programs {
            program.write(&config)?;
            let knows = program.judge(true)?.is_none_or(|refusal| !refusal.message.contains(" field `"));
            seen.push((program.version.clone(), knows));
        }
        text = rewritten(&text, &key.name(), &seen, say);
    }
    std::fs::write(Path::new(LIST), text).map_err(|error| format!("while writing {LIST}: {error}"))?;
    Ok(true)
}

/// Whether a value of a wrong type tells if the key is known: not among features, where any name takes a boolean, and not where
/// unknown keys are passed over.
fn tells(kind: &Type, path: &[&str]) -> bool {
    let passed_over = ["features", "agents", "apps", "hooks", "permissions", "plugins", "profiles", "tui"];
    let deep = path.len() > 1 && passed_over.contains(&path[0]) && !path.starts_with(&["tui", "keymap"]);
    !deep && !matches!(kind, Type::Any | Type::Float) && path.last() != Some(&"*") && path.last() != Some(&"[]")
}

/// The text of the list in which the lines of `path` agree with what was seen.
fn rewritten(text: &str, path: &str, seen: &Seen, say: &mut dyn FnMut(&str)) -> String {
    let is_of_key = |line: &&str| line.split(' ').next() == Some(path);
    let lines: Vec<&str> = text.lines().filter(is_of_key).collect();
    let [line] = lines[..] else { return text.to_owned() };
    let new = adjusted(line, seen);
    if new == line {
        return text.to_owned();
    }
    say(&format!("- {line}\n+ {new}"));
    text.replacen(&format!("\n{line}\n"), &format!("\n{new}\n"), 1)
}

/// One line with bounds that agree with what was seen. A bound that already does is left as it is.
fn adjusted(line: &str, seen: &Seen) -> String {
    let Some(first) = seen.iter().position(|(_, knows)| *knows) else { return line.to_owned() };
    let last = seen.iter().rposition(|(_, knows)| *knows).unwrap_or(first);
    let since = bound(value(line, "since="), first.checked_sub(1).map(|at| seen[at].0.as_str()), Some(&seen[first].0));
    let gone = bound(value(line, "gone="), Some(&seen[last].0), seen.get(last + 1).map(|(version, _)| version.as_str()));
    let (row, instead) = line.split_once(" > ").map_or((line, None), |(row, instead)| (row, Some(instead)));
    let mut words: Vec<String> = row.split(' ').filter(|word| !is_bound(word) && *word != "removed").map(str::to_owned).collect();
    let at = 2 + usize::from(words.get(2).is_some_and(|word| word == "deprecated"));
    let bounds = [
        gone.as_ref().map(|_| "removed".to_owned()),
        since.map(|since| format!("since={since}")),
        gone.map(|gone| format!("gone={gone}")),
    ];
    words.splice(at..at, bounds.into_iter().flatten());
    match instead {
        Some(instead) => format!("{} > {instead}", words.join(" ")),
        None => words.join(" "),
    }
}

fn is_bound(word: &str) -> bool {
    word.starts_with("since=") || word.starts_with("gone=")
}

fn value<'line>(line: &'line str, name: &str) -> Option<&'line str> {
    line.split(' ').find_map(|word| word.strip_prefix(name))
}

/// The bound between two neighbours: `before` is still as it was, `from` no longer. One that lies between them already is kept; one
/// that was never seen to be crossed stays as it was.
fn bound(known: Option<&str>, before: Option<&str>, from: Option<&str>) -> Option<String> {
    let number = |version: Option<&str>| -> Option<Release> { version.and_then(release) };
    match (number(known), number(before), number(from)) {
        // Nothing on the far side was seen: a bound that contradicts nothing is kept.
        (Some(known_at), None, Some(from_at)) => {
            (known_at <= from_at && known_at > oldest()).then(|| known.unwrap_or_default().to_owned())
        }
        (Some(known_at), Some(before_at), None) => (known_at > before_at).then(|| known.unwrap_or_default().to_owned()),
        (Some(known_at), Some(before_at), Some(from_at)) if before_at < known_at && known_at <= from_at => known.map(str::to_owned),
        (_, Some(_), Some(_)) => from.map(str::to_owned),
        _ => None,
    }
}

fn oldest() -> Release {
    release(config::oldest_version()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(releases: &[(&str, bool)]) -> Seen {
        releases.iter().map(|(version, knows)| ((*version).to_owned(), *knows)).collect()
    }

    #[test]
    fn a_key_that_went_is_removed_from_the_first_release_without_it() {
        let seen = seen(&[("0.171.0", true), ("0.172.0", false)]);
        assert_eq!(adjusted("a.b bool since=0.150.1 named=1", &seen), "a.b bool removed since=0.150.1 gone=0.172.0 named=1");
        assert_eq!(adjusted("a bool deprecated > b", &seen), "a bool deprecated removed gone=0.172.0 > b");
    }

    #[test]
    fn a_closer_look_moves_the_bound() {
        let line = "a bool since=0.153.4";
        assert_eq!(adjusted(line, &seen(&[("0.149.0", false), ("0.150.0", true)])), "a bool since=0.150.0");
        assert_eq!(adjusted(line, &seen(&[("0.152.0", false), ("0.154.0", true)])), line, "within what was seen");
        assert_eq!(adjusted(line, &seen(&[("0.160.0", true)])), line, "nothing was seen before it");
        assert_eq!(adjusted(line, &seen(&[("0.160.0", false)])), line, "known to none: a person must look");
    }

    #[test]
    fn a_removed_key_that_is_back_is_current() {
        assert_eq!(adjusted("a bool removed gone=0.150.0", &seen(&[("0.171.0", true)])), "a bool");
    }
}

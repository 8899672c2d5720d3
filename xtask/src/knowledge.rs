//! Every key of the list on an installed Codex: known or not, its type, its words, and what both say.

use std::path::Path;

use codex_triage_checks::knowledge::config::{self, Keys, Node, Standing};

use crate::codex::{Program, Refusal};
use crate::keys::{self, KeyAt};
use crate::{fields, ours, trial};

/// How many trials agreed, and what did not.
#[derive(Default)]
struct Tally {
    trials: usize,
    disagreements: usize,
}

/// Compares and tells; whether nothing differs.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn run(codex: &Path, only: &str, say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let program = Program::open(codex)?;
    let (keys, standing) = Keys::of(Some(&program.version));
    if standing != Standing::Known {
        let (oldest, newest) = (config::oldest_version(), config::codex_version());
        say(&format!(
            "Codex {} is not among the known releases ({oldest} to {newest}): the nearest one's keys count",
            program.version
        ));
    }
    let mut tally = Tally::default();
    let all = keys::all(keys.root());
    for key in all.iter().filter(|key| key.name().starts_with(only)) {
        for value in trial::values(&key.key.kind) {
            try_one(&program, keys.root(), key, value, &mut tally, say)?;
        }
    }
    if "features.".starts_with(only) || only.starts_with("features") {
        features(&program, keys.root(), &mut tally, say)?;
    }
    let known = all.iter().filter(|key| key.key.status.is_known()).count();
    count_fields(&program, keys.root(), say)?;
    say(&format!(
        "Codex {}: {} keys listed, {known} of them known to it; {} trials, {} disagreements",
        program.version,
        all.len(),
        tally.trials,
        tally.disagreements
    ));
    Ok(tally.disagreements == 0)
}

fn try_one(
    program: &Program,
    root: &Node,
    key: &KeyAt<'_>,
    value: &str,
    tally: &mut Tally,
    say: &mut dyn FnMut(&str),
) -> Result<(), String> {
    let text = trial::text(root, &key.path, value);
    program.write(&text)?;
    let ours = ours::judge(program.home(), &program.version)?;
    let strict = program.judge(true)?;
    let mut compare = |start: &str, theirs: &Option<Refusal>, ours: &Option<Refusal>| {
        tally.trials += 1;
        if let Some(difference) = difference(theirs, ours) {
            tally.disagreements += 1;
            say(&format!("{} = {value} ({start}): {difference}", key.name()));
        }
    };
    compare("strict", &strict, &ours.strict);
    // A start that goes through is slow, and says nothing more than the strict one.
    if strict.is_some_and(|refusal| !refusal.message.starts_with("unknown configuration field")) || ours.usual.is_some() {
        compare("usual", &program.judge(false)?, &ours.usual);
    }
    Ok(())
}

/// What the two say, where they do not say the same. Only the strict start names places, only the usual one keys.
fn difference(theirs: &Option<Refusal>, ours: &Option<Refusal>) -> Option<String> {
    let (theirs, ours) = match (theirs, ours) {
        (None, None) => return None,
        (Some(theirs), Some(ours)) => {
            let same_place = theirs.place.is_none() || theirs.place == ours.place;
            let same_key = theirs.key.is_none() || theirs.key == ours.key;
            if theirs.message == ours.message && same_place && same_key {
                return None;
            }
            (described(theirs), described(ours))
        }
        (theirs, ours) => {
            let or_none = |refusal: &Option<Refusal>| refusal.as_ref().map_or("nothing".to_owned(), described);
            (or_none(theirs), or_none(ours))
        }
    };
    Some(format!("Codex says {theirs}; we say {ours}"))
}

fn described(refusal: &Refusal) -> String {
    let message = refusal.message.replace('\n', " / ");
    let place = refusal.place.map(|(line, column)| format!("{line}:{column}: ")).unwrap_or_default();
    let key = refusal.key.as_ref().map(|key| format!(" in `{key}`")).unwrap_or_default();
    format!("{place}{message}{key}")
}

/// The features that the program lists, and those that we take for known: a value of a wrong type does not tell them apart.
fn features(program: &Program, root: &Node, tally: &mut Tally, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let Some(table) = root.below.get("features") else { return Ok(()) };
    for name in program.features()?.iter().filter(|name| !knows(table, name)) {
        tally.disagreements += 1;
        say(&format!("features.{name}: Codex lists it; we do not know it"));
    }
    let mut left: Vec<&str> = table.below.keys().copied().filter(|name| *name != "*" && table.knows(name)).collect();
    tally.trials += left.len();
    while let Some(name) = refused_feature(program, &left)? {
        tally.disagreements += 1;
        say(&format!("features.{name}: Codex does not know it; we do"));
        left.retain(|known| *known != name);
    }
    Ok(())
}

/// Whether we know a feature by the name that the program lists: parts of one are listed as `feature.part`.
fn knows(table: &Node, name: &str) -> bool {
    let mut table = Some(table);
    name.split('.').all(|part| {
        let known = table.is_some_and(|table| table.knows(part));
        table = table.and_then(|table| table.below.get(part));
        known
    })
}

/// The first of these features that the program does not know.
fn refused_feature(program: &Program, names: &[&str]) -> Result<Option<String>, String> {
    let lines: Vec<String> =
        names.iter().map(|name| format!("{name} = {}\n", if *name == "tool_registry" { "{}" } else { "true" })).collect();
    program.write(&format!("[features]\n{}", lines.concat()))?;
    let refusal = program.judge(true)?;
    Ok(refusal.and_then(|refusal| {
        let named = refusal.message.strip_prefix("unknown configuration field `features.")?.strip_suffix('`')?.to_owned();
        names.contains(&named.as_str()).then_some(named)
    }))
}

/// Tables in which the program has more fields than the list: hints for the one who looks, not disagreements.
fn count_fields(program: &Program, root: &Node, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let theirs = fields::in_program(&program.bytes()?);
    for (name, ours) in fields::in_list(root) {
        if let Some(counts) = theirs.get(name).filter(|counts| counts.iter().all(|count| *count > ours)) {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            say(&format!("note: struct {name} has {} fields in the program, {ours} in the list", counts.join(" or ")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(message: &str, key: Option<&str>, place: Option<(u32, u32)>) -> Option<Refusal> {
        Some(Refusal { message: message.to_owned(), key: key.map(str::to_owned), place })
    }

    #[test]
    fn what_one_side_does_not_name_is_no_difference() {
        assert_eq!(difference(&refusal("m", None, Some((1, 2))), &refusal("m", Some("k"), Some((1, 2)))), None);
        assert_eq!(difference(&refusal("m", Some("k"), None), &refusal("m", Some("k"), Some((1, 2)))), None);
        assert_eq!(difference(&None, &None), None);
    }

    #[test]
    fn a_difference_names_what_both_say() {
        let found = difference(&refusal("m", None, Some((1, 2))), &refusal("m", None, Some((1, 3))));
        assert_eq!(found.as_deref(), Some("Codex says 1:2: m; we say 1:3: m"));
        assert_eq!(difference(&None, &refusal("m", None, None)).as_deref(), Some("Codex says nothing; we say m"));
    }
}

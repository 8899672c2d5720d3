//! Damage of the kinds that people do to their configuration.

use codex_triage_checks::knowledge::config::{Keys, Type};
use fastrand::Rng;

use crate::generator;
use crate::world::Setup;

/// One kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// None at all.
    Nothing,
    /// A key with a letter too many, too few or another.
    Misspell,
    /// A value of another type.
    WrongType,
    /// A word that is none of those that the key takes.
    WrongWord,
    /// A key below the header of a table that is not its own.
    WrongTable,
    /// A line somewhere else.
    Move,
    /// A line or a header twice.
    Duplicate,
    /// A line less.
    Delete,
    /// A comment, or a line made one.
    Comment,
    /// Characters beyond ASCII, other line ends, a byte order mark.
    Unicode,
    /// A character that nobody sees, in a key or a value.
    Unseen,
    /// A number that does not fit or is not finite, or a moment.
    Number,
    /// An array in the place of a table.
    Positions,
    /// A mark of the syntax less.
    Syntax,
    /// A key of another release or of none.
    Unknown,
    /// Faults of several layers, one over another.
    Layers,
}

/// All kinds.
pub(crate) const ALL: [Mutation; 16] = [
    Mutation::Nothing,
    Mutation::Misspell,
    Mutation::WrongType,
    Mutation::WrongWord,
    Mutation::WrongTable,
    Mutation::Move,
    Mutation::Duplicate,
    Mutation::Delete,
    Mutation::Comment,
    Mutation::Unicode,
    Mutation::Unseen,
    Mutation::Number,
    Mutation::Positions,
    Mutation::Syntax,
    Mutation::Unknown,
    Mutation::Layers,
];

/// Values of several types.
const VALUES: [&str; 9] = ["true", "7", "-3", "1.5", "\"word\"", "[]", "[\"a\", 2]", "{}", "{ a = 1 }"];
/// Keys that Codex has in no table, has had, or has elsewhere.
const STRANGE: [&str; 10] = [
    "model_fallback = \"gpt-6-luna\"",
    "approval-policy = \"never\"",
    "base_url = \"https://relay.example/v1\"",
    "disable_response_storage = true",
    "model_supports_reasoning_summaries = true",
    "tools.view_image = true",
    "mcpServers = { a = { command = \"x\" } }",
    "features.ghost_commit = true",
    "daybreak = true",
    "experimental_instructions_file = \"x\"",
];

/// Characters that nobody sees, and spaces that are none.
const UNSEEN: [char; 7] = ['\u{200b}', '\u{feff}', '\u{a0}', '\u{202e}', '\u{ad}', '\u{2060}', '\u{3000}'];
/// Numbers beyond what fits, that are not finite, and moments.
const NUMBERS: [&str; 14] = [
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "0xffffffffffffffffffffffffffffffff",
    "999999999999999999999999999999999999999999",
    "-1",
    "inf",
    "-inf",
    "nan",
    "1e300",
    "2026-11-29",
    "07:32",
    "2026-11-29 07:32:00.5Z",
];

/// Damages the setup.
pub(crate) fn apply(random: &mut Rng, version: &str, mutation: Mutation, setup: &mut Setup) {
    if mutation == Mutation::Layers {
        layers(random, version, setup);
        return;
    }
    let text = match random.u8(..6) {
        0 if setup.profile.is_some() => setup.profile.as_mut().unwrap(),
        1 if setup.project.is_some() => setup.project.as_mut().unwrap(),
        _ => &mut setup.user,
    };
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    match mutation {
        Mutation::Nothing | Mutation::Layers => return,
        Mutation::Misspell => on_pair(random, &mut lines, |random, key, value| format!("{}={value}", misspelt(random, key))),
        Mutation::WrongType => {
            on_pair(random, &mut lines, |random, key, _| format!("{key}= {}", VALUES[random.usize(..VALUES.len())]));
        }
        Mutation::WrongWord => wrong_word(random, version, &mut lines),
        Mutation::WrongTable => {
            let root = generator::made(random, version, 1);
            let header = lines.iter().position(|line| line.starts_with('['));
            let at = header.map_or(lines.len(), |header| random.usize(header + 1..=lines.len()));
            lines.splice(at..at, root.lines().map(str::to_owned));
        }
        Mutation::Move => {
            let line = lines.remove(random.usize(..lines.len()));
            lines.insert(random.usize(..=lines.len()), line);
        }
        Mutation::Duplicate => {
            let line = lines[random.usize(..lines.len())].clone();
            lines.insert(random.usize(..=lines.len()), line);
        }
        Mutation::Delete => {
            lines.remove(random.usize(..lines.len()));
        }
        Mutation::Comment => {
            let at = random.usize(..lines.len());
            match random.u8(..3) {
                0 => lines[at].insert_str(0, "# "),
                1 => lines[at].push_str(" # so it is"),
                _ => lines.insert(at, "# key = \"value\"".to_owned()),
            }
        }
        Mutation::Unicode => {
            unicode(random, &mut lines);
        }
        Mutation::Unseen => {
            let character = UNSEEN[random.usize(..UNSEEN.len())];
            on_pair(random, &mut lines, |random, key, value| match value.trim().strip_suffix('"') {
                Some(value) if random.bool() => format!("{key}= {value}{character}\""),
                _ if key.contains(['.', '"']) => format!("{key}={value}"),
                _ => format!("\"{}{character}\" ={value}", key.trim()),
            });
        }
        Mutation::Number => {
            on_pair(random, &mut lines, |random, key, _| format!("{key}= {}", NUMBERS[random.usize(..NUMBERS.len())]));
        }
        Mutation::Positions => positions(random, version, &mut lines),
        Mutation::Syntax => {
            let at = random.usize(..lines.len());
            let marks: Vec<usize> =
                lines[at].char_indices().filter(|(_, mark)| "\"'[]{}=,".contains(*mark)).map(|(at, _)| at).collect();
            if let Some(mark) = random.choice(marks) {
                lines[at].remove(mark);
            }
        }
        Mutation::Unknown => {
            let line = STRANGE[random.usize(..STRANGE.len())].to_owned();
            let at = if random.bool() { 0 } else { random.usize(..=lines.len()) };
            lines.insert(at, line);
        }
    }
    *text = lines.join("\n");
}

/// Changes the key and value of a line that sets one.
fn on_pair(random: &mut Rng, lines: &mut [String], change: impl Fn(&mut Rng, &str, &str) -> String) {
    let pairs: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains('=') && !lines[*at].starts_with(['#', ' '])).collect();
    let Some(at) = random.choice(pairs) else { return };
    let (key, value) = lines[at].split_once('=').unwrap();
    lines[at] = change(random, key, value);
}

fn misspelt(random: &mut Rng, key: &str) -> String {
    let mut letters: Vec<char> = key.trim_end().chars().collect();
    let at = random.usize(..letters.len());
    match random.u8(..4) {
        0 if letters.len() > 1 => {
            letters.remove(at);
        }
        1 => letters.insert(at, random.lowercase()),
        2 => letters[at] = random.lowercase(),
        _ => return key.trim_end().replace('_', "-") + " ",
    }
    letters.into_iter().collect::<String>() + " "
}

fn wrong_word(random: &mut Rng, version: &str, lines: &mut Vec<String>) {
    let root = Keys::of(Some(version)).0.root();
    let words = |kind: &Type| {
        matches!(kind, Type::Enum(_) | Type::EnumMap(_) | Type::Variants(_) | Type::Effort | Type::WireApi | Type::Tag(_))
    };
    let mut keys: Vec<String> = Vec::new();
    for (name, node) in root.below.iter().filter(|(_, node)| node.key.status.is_known()) {
        if words(&node.key.kind) {
            keys.push((*name).to_owned());
        }
        let below = node
            .below
            .iter()
            .filter(|(below, child)| **below != "*" && **below != "[]" && words(&child.key.kind) && child.key.status.is_known());
        keys.extend(below.map(|(below, _)| format!("{name}.{below}")));
    }
    let key = &keys[random.usize(..keys.len())];
    let word = ["\"sometimes\"", "\"\"", "\"Never\"", "\"on\"", "\"chat\"", "\"untrusted\"", "\"on-failure\"", "\"default\""];
    lines.insert(0, format!("{key} = {}", word[random.usize(..word.len())]));
}

fn unicode(random: &mut Rng, lines: &mut Vec<String>) {
    let at = random.usize(..lines.len());
    match random.u8(..6) {
        0 => lines[0].insert(0, '\u{feff}'),
        1 => lines.iter_mut().for_each(|line| line.push('\r')),
        2 => lines[at].push_str(" # 中文备注"),
        3 => lines.insert(at, "\"模型\" = \"é\"".to_owned()),
        4 => {
            let ends: Vec<usize> = lines[at].char_indices().map(|(at, _)| at).collect();
            let place = random.choice(ends).unwrap_or(0);
            lines[at].insert(place, 'é');
        }
        _ => lines.insert(at, "tui.theme = \"日本\" ; x".to_owned()),
    }
}

/// An array in the place of one of the tables that the release knows, with a few values in it.
fn positions(random: &mut Rng, version: &str, lines: &mut Vec<String>) {
    const LEFT_OUT: [&str; 2] = ["projects", "profiles"];
    let root = Keys::of(Some(version)).0.root();
    let tables: Vec<&str> = root
        .below
        .iter()
        .filter(|(name, node)| node.key.status.is_known() && !LEFT_OUT.contains(name) && matches!(node.key.kind, Type::Struct(_)))
        .map(|(name, _)| *name)
        .collect();
    let name = tables[random.usize(..tables.len())];
    let node = &root.below[name];
    let is_taken = |line: &String| line.starts_with(name) || line.contains(&format!("[{name}"));
    if lines.iter().any(is_taken) {
        return;
    }
    let order = node.key.order.clone().unwrap_or_default();
    let fields: Vec<String> = order
        .iter()
        .filter_map(|name| node.below.get(name))
        .filter(|child| child.key.status.is_known() && child.key.alias_of.is_none())
        .map(|child| generator::value(random, child, &child.key.kind))
        .collect();
    let mut values = fields[..random.usize(..=fields.len())].to_vec();
    if random.bool() {
        values.push(VALUES[random.usize(..VALUES.len())].to_owned());
    }
    lines.insert(0, format!("{name} = [{}]", values.join(", ")));
}

/// Values of a wrong type that a higher layer covers, or does not.
fn layers(random: &mut Rng, version: &str, setup: &mut Setup) {
    let root = Keys::of(Some(version)).0.root();
    let plain = |kind: &Type| matches!(kind, Type::String | Type::Boolean | Type::Integer(_) | Type::Enum(_));
    let names: Vec<&str> =
        root.below.iter().filter(|(_, node)| node.key.status.is_known() && plain(&node.key.kind)).map(|(name, _)| *name).collect();
    let name = names[random.usize(..names.len())];
    let good = generator::value(random, &root.below[name], &root.below[name].key.kind);
    let pair = |random: &mut Rng| match random.u8(..3) {
        0 => format!("{name} = {good}\n"),
        1 => format!("{name} = {}\n", VALUES[random.usize(..VALUES.len())]),
        _ => format!("{name} = {good}\nnot_a_key = 1\n"),
    };
    setup.user.insert_str(0, &pair(random));
    for text in [&mut setup.profile, &mut setup.project].into_iter().flatten() {
        text.insert_str(0, &pair(random));
    }
    if random.bool() {
        setup.overrides.push(pair(random).lines().next().unwrap().to_owned());
    }
}

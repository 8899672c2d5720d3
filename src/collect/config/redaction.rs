//! What of a configuration may be shown. Some values are secret by their place, not by their shape.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use codex_triage_checks::knowledge::config::{self, Type};

use super::unexplained;
use crate::redact::{self, MASK, Redactor};

/// Tables whose values are secrets or may hold one: headers, environments, query parameters.
const SECRET_TABLES: [&str; 6] = ["http_headers", "headers", "env", "set", "query_params", "span_attributes"];
/// Parts of a key's name that make its value a secret.
const SECRET_NAMES: [&str; 10] =
    ["api_key", "apikey", "secret", "password", "passwd", "token", "authorization", "credential", "private_key", "cookie"];
/// Keys whose name looks like that of a secret and whose value is none.
const HARMLESS: [&str; 10] = [
    "env_key",
    "bearer_token_env_var",
    "cli_auth_credentials_store",
    "mcp_oauth_credentials_store",
    "credential_file",
    "token_endpoint_auth_method",
    "env_key_instructions",
    "token_budget",
    "model_auto_compact_token_limit_scope",
    "token_url",
];

/// Keys whose value is the name of something else in the configuration.
const REFERENCES: [&str; 4] = ["model_provider", "default_permissions", "extends", "profile"];

/// Whether the string `text` at `path` may not be shown: a secret by its place or by that of the key that was meant, a person's own
/// text, or a value that nobody can explain.
pub(super) fn is_hidden(path: &[String], text: &str) -> bool {
    let hidden = |path: &[String]| {
        let is_program = path.last().is_some_and(|name| name == "command") && text.contains(char::is_whitespace);
        is_secret(path) || is_private_text(path) || is_program || (takes_list(path) && may_hold_key(text))
    };
    let path = &*config::named(path);
    hidden(path) || is_pasted_key(path, text) || unexplained::meant(path).is_none_or(|meant| meant != path && hidden(&meant))
}

/// Keys with a list or a table of what may hold a secret; a string in their place may hold all of it.
fn takes_list(path: &[String]) -> bool {
    let name = path.last().map(|name| name.to_lowercase()).unwrap_or_default();
    SECRET_TABLES.contains(&name.as_str()) || ["args", "notify"].contains(&name.as_str())
}

/// Whether a word with a digit in it is long enough for a key. What looks like one besides is masked in any text.
fn may_hold_key(text: &str) -> bool {
    const SHORTEST: usize = 6;
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.into_iter().any(|word| word.len() >= SHORTEST && word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether the string at `path` is a secret by its place.
pub(super) fn is_secret(path: &[String]) -> bool {
    let Some((name, around)) = path.split_last() else { return false };
    let is_secret_table = |segment: &String| SECRET_TABLES.contains(&segment.to_lowercase().as_str());
    if around.iter().skip(1).any(is_secret_table) {
        return name != "api-version";
    }
    // `api_key = ["…"]` and `api_key = { value = "…" }` are as secret as `api_key = "…"`.
    let mut node = Some(config::root());
    for segment in around {
        if !node.is_some_and(|node| node.below.contains_key(segment.as_str())) && is_secret_name(segment) {
            return true;
        }
        node = node.and_then(|node| node.child(segment)).map(|(child, _)| child);
    }
    // The argument list of a program may carry a key; its elements have a number for a name.
    let in_arguments =
        around.last().is_some_and(|array| ["args", "notify", "command"].contains(&array.as_str())) && name.parse::<usize>().is_ok();
    // A key by any other name may be one that was pasted below the wrong header.
    let is_known = || node.is_some_and(|node| node.below.contains_key(name.as_str()));
    let takes_no_text = || is_known() && config::key(path).is_some_and(|key| is_no_text(&key.kind));
    (in_arguments || is_secret_name(name)) && !takes_no_text()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase().replace('-', "_");
    !HARMLESS.contains(&name.as_str()) && SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Whether Codex takes no text here: what stands there by mistake is no secret either.
fn is_no_text(kind: &Type) -> bool {
    matches!(kind, Type::Boolean | Type::Integer(_) | Type::Float | Type::Seconds | Type::Positive)
}

/// Whether a key may have been pasted where the name of its variable belongs: whatever is no name is hidden, but for one that a mark of a
/// shell stands around.
pub(super) fn is_pasted_key(path: &[String], text: &str) -> bool {
    const LONGEST_NAME: usize = 64;
    let is_env_key = path.len() == 3 && path[0] == "model_providers" && path[2] == "env_key";
    let bare = text.trim_matches(['$', '{', '}', '%', ' ']).trim_start_matches("env:");
    let is_name = bare.len() <= LONGEST_NAME && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_env_key && (!is_name || Redactor::looks_secret(text))
}

/// Keys whose values are texts of a person, shown nowhere.
pub(super) fn is_private_text(path: &[String]) -> bool {
    const TEXTS: [&str; 5] = ["instructions", "developer_instructions", "compact_prompt", "policy", "description"];
    // A list of texts is as private as one.
    path.iter()
        .rfind(|name| name.parse::<usize>().is_err())
        .filter(|name| !name.starts_with("include_"))
        .is_some_and(|name| TEXTS.contains(&name.as_str()) || name.ends_with("_prompt") || name.ends_with("_instructions"))
}

/// Teaches the redactor a value that is secret by its place, so that it is masked wherever else it stands. What may as well be a
/// word, an address or a path is masked in its place only: learning `production` would blot out half the report.
pub(super) fn learn(redactor: &Redactor, path: &[String], value: &str) {
    let name = path.last().map(|name| name.to_lowercase().replace('-', "_")).unwrap_or_default();
    let named = SECRET_NAMES.iter().any(|part| name.contains(part));
    let mixed = value.len() >= 8
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.contains(['/', '\\', ' ']);
    if named || mixed || Redactor::looks_secret(value) {
        redactor.learn_secret(value);
        for part in value.split_whitespace().filter(|part| part.len() >= 12) {
            redactor.learn_secret(part);
        }
    }
}

/// Teaches the redactor what an address carries besides the address: a password, the values of its query.
pub(super) fn learn_address(redactor: &Redactor, value: &str) {
    // An address without its scheme is one too.
    let is_address = value.contains("://") || (value.contains('.') && value.contains(['/', '?']));
    if !is_address || value.contains(char::is_whitespace) {
        return;
    }
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some((person, _)) = authority.rsplit_once('@') {
        person.split(':').for_each(|part| redactor.learn_secret(part));
    }
    if let Some((_, query)) = rest.split_once('?') {
        let pairs = query.split(['&', '#']).filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| *name != "api-version").for_each(|(_, value)| redactor.learn_secret(value));
    }
}

/// A name in the path of a key: known names need no redaction, project paths become a role.
pub(super) fn segment(redactor: &Redactor, around: &[String], name: &str) -> String {
    if around == ["projects"] {
        return if is_path(name) { redactor.project(name) } else { redactor.name(name) };
    }
    let known = config::root().knows(name) || name.len() < 3;
    if known || is_known_below(around, name) {
        return name.to_owned();
    }
    if Redactor::looks_secret(name) {
        redactor.learn_secret(name);
    }
    redactor.name(name)
}

fn is_known_below(around: &[String], name: &str) -> bool {
    // A name that the person chose matches a `*`; it is not known.
    let node = around.iter().try_fold(config::root(), |node, segment| node.child(segment).map(|(node, _)| node));
    node.is_some_and(|node| node.below.contains_key(name))
}

/// Whether a name is an absolute path.
pub(super) fn is_path(name: &str) -> bool {
    name.starts_with('/') || name.starts_with('\\') || name.as_bytes().get(1) == Some(&b':')
}

/// The string value that may be shown, if any may be.
pub(super) fn value(redactor: &Redactor, path: &[String], text: &str) -> String {
    shown_value(redactor, path, text, is_hidden(path, text))
}

/// The same where it is known whether the value is to be hidden.
pub(super) fn shown_value(redactor: &Redactor, path: &[String], text: &str, hidden: bool) -> String {
    // White space holds nothing to hide, and Codex takes some of it for nothing.
    if text.trim().is_empty() {
        return text.to_owned();
    }
    let named = &*config::named(path);
    // Another release may have another order of fields: a word of Codex says nothing of anybody.
    if named != path && config::is_word(text) {
        return text.to_owned();
    }
    if hidden {
        return MASK.to_owned();
    }
    let path = named;
    let harmless = config::key(path).is_some_and(|key| match &key.kind {
        Type::Enum(words) | Type::EnumMap(words) | Type::Variants(words) | Type::Tag(words) => words.contains(&text),
        _ => false,
    });
    if harmless {
        text.to_owned()
    } else if path.last().is_some_and(|key| REFERENCES.contains(&key.as_str())) {
        redactor.name(text)
    } else {
        redactor.exact(text)
    }
}

/// Lines of the file as they may be shown. `secrets` are the places of secret values in the file.
pub(super) fn lines(
    redactor: &Redactor,
    text: &str,
    ranges: &[Range<usize>],
    secrets: &[Range<usize>],
    projects: &[String],
) -> Vec<String> {
    let roles: Vec<String> = projects.iter().map(|project| redactor.project(project)).collect();
    let projects = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(projects).ok();
    let bare = |range: &Range<usize>| {
        let line = masked_line(text, range.clone(), secrets);
        let line = projects.as_ref().map_or_else(|| line.clone(), |projects| projects.replace_all(&line, &roles));
        // A byte order mark is a character of its line.
        let line = line.strip_prefix('\u{feff}').filter(|_| range.start == 0).map_or(line.clone(), |rest| format!(" {rest}"));
        without_remark(&line)
    };
    let bare: Vec<String> = ranges.iter().map(bare).collect();
    // All at once: looking for every shape of a secret costs more for a text than for its length.
    let whole = redactor.text(&bare.join(BETWEEN_LINES));
    let parts: Vec<&str> = whole.split(BETWEEN_LINES).collect();
    let kept = parts.len() == bare.len() && !bare.iter().any(|line| line.contains(BETWEEN_LINES.trim()));
    match kept {
        true => parts.into_iter().zip(&bare).map(|(part, line)| cut(&redact::exact(line, part.to_owned()))).collect(),
        false => bare.iter().map(|line| cut(&redactor.exact(line))).collect(),
    }
}

/// Stands between lines that are redacted together, so that nothing is taken for the continuation of the line before.
const BETWEEN_LINES: &str = "\n⁂\n";

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A line without the secrets that are known by their place.
fn masked_line(text: &str, range: Range<usize>, secrets: &[Range<usize>]) -> String {
    let mut shown = String::new();
    let mut from = range.start;
    // Sorted by their beginning, and none within another.
    let first = secrets.partition_point(|secret| secret.end <= range.start);
    for secret in secrets[first..].iter().take_while(|secret| secret.start < range.end) {
        let start = secret.start.max(from);
        shown.push_str(text.get(from..start).unwrap_or_default());
        shown.push('"');
        shown.push_str(MASK);
        shown.push('"');
        from = secret.end.min(range.end).max(from);
    }
    shown.push_str(text.get(from..range.end).unwrap_or_default());
    shown
}

/// A line without the words of its comment: they are a person's own, and no diagnosis needs them.
fn without_remark(line: &str) -> String {
    let mut quoted = None;
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        match (quoted, character) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(quote), _) if character == quote && !escaped => quoted = None,
            (None, '"' | '\'') => quoted = Some(character),
            (None, '#') => return format!("{}# …", &line[..at]),
            _ => {}
        }
        escaped = false;
    }
    line.to_owned()
}

/// A line that is no TOML, as it may be shown. Nobody knows where its values begin: unless it clearly sets a harmless key, all
/// letters and digits behind its name are starred out, which leaves the marks that the fault is about, and the columns.
pub(super) fn broken_line(redactor: &Redactor, line: &str) -> String {
    let line: String = line.replace('\u{feff}', " ").chars().take(LONGEST_LINE).collect();
    let name_end = line.find(['=', ':']).unwrap_or(0);
    let name = line[..name_end].trim().trim_matches(['"', '\'']).to_owned();
    let is_header = line.trim_start().starts_with('[');
    let provider = config::key(&["model_providers", "x", name.as_str()]).is_some();
    let path = [name.clone()];
    let harmless = (config::root().knows(&name) || provider) && !is_secret(&path) && !is_private_text(&path);
    if harmless && !is_header && !SECRET_TABLES.contains(&name.as_str()) && !line.contains(['{', '[']) {
        return redactor.text(&without_remark(&line));
    }
    let star = |character: char| if character.is_alphanumeric() { '*' } else { character };
    let mut quoted = None;
    let starred = line.char_indices().map(|(at, character)| {
        if matches!(character, '"' | '\'') {
            quoted = if quoted == Some(character) { None } else { quoted.or(Some(character)) };
        }
        let hidden = if is_header { quoted.is_some() } else { at > name_end || name_end == 0 };
        if hidden { star(character) } else { character }
    });
    redactor.text(&starred.collect::<String>())
}

/// A line longer than this many characters is cut.
const LONGEST_LINE: usize = 200;

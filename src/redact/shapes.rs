//! What secrets and personal things look like, wherever they stand.

use std::sync::OnceLock;

use regex::Regex;

/// A pattern, and what no match of it can do without. Building all patterns takes longer than everything else in a small run, so
/// each is built for the first text in which it may stand.
pub(super) struct Shape {
    /// Of these (in lower case; case does not count) one stands in every match; an empty list says nothing.
    needs: &'static [&'static str],
    /// The characters of each of them.
    characters: [Characters; MOST_NEEDS],
    /// What else holds for every text with a match, in lower case: for patterns that are dear and whose needs stand in most texts.
    also: fn(&str) -> bool,
    source: &'static str,
    regex: OnceLock<Regex>,
}

const MOST_NEEDS: usize = 16;

impl Shape {
    const fn new(needs: &'static [&'static str], source: &'static str) -> Self {
        Self::only_where(|_| true, needs, source)
    }

    const fn only_where(also: fn(&str) -> bool, needs: &'static [&'static str], source: &'static str) -> Self {
        let mut characters = [Characters::NONE; MOST_NEEDS];
        let mut index = 0;
        while index < needs.len() {
            characters[index] = Characters::of(needs[index]);
            index += 1;
        }
        Self { needs, characters, also, source, regex: OnceLock::new() }
    }

    /// The pattern, when `text` holds what it needs.
    pub(super) fn regex_for(&self, text: &Text) -> Option<&Regex> {
        // Most texts lack a character of every need: that is seen before anything is searched.
        let mut needs = self.needs.iter().zip(&self.characters).filter(|(_, needed)| text.characters.hold(**needed));
        let may_stand = (self.needs.is_empty() || needs.any(|(need, _)| text.lower.contains(need))) && (self.also)(&text.lower);
        may_stand.then(|| self.regex.get_or_init(|| Regex::new(self.source).expect("a constant pattern")))
    }

    /// Whether it stands in `text`.
    pub(super) fn is_match(&self, text: &Text) -> bool {
        self.regex_for(text).is_some_and(|regex| regex.is_match(text))
    }
}

/// A text, with what tells which shapes cannot stand in it. That is found once, for all shapes.
pub(super) struct Text {
    whole: String,
    lower: String,
    characters: Characters,
}

impl Text {
    pub(super) fn into_string(self) -> String {
        self.whole
    }
}

impl From<String> for Text {
    fn from(whole: String) -> Self {
        let lower = whole.to_ascii_lowercase();
        let characters = Characters::of(&lower);
        Self { whole, lower, characters }
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole
    }
}

/// The set of the bytes of a text in lower case, without their highest bit.
#[derive(Clone, Copy)]
struct Characters(u128);

impl Characters {
    const NONE: Self = Self(0);

    const fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut set, mut index) = (0, 0);
        while index < bytes.len() {
            set |= 1 << (bytes[index] & 0x7f);
            index += 1;
        }
        Self(set)
    }

    fn hold(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }
}

/// Secrets by their own shape: prefixes of key formats, and what somebody starred out by half.
pub(super) static SECRETS: [Shape; 8] = [
    // JSON web tokens, whole or cut.
    Shape::new(&["eyj"], r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}"),
    // Keys and tokens with a known prefix (OpenAI, Anthropic, GitHub, GitLab, Google, Slack, AWS, Hugging Face, refresh and access tokens).
    Shape::only_where(
        has_key,
        &["sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "sess-", "sess_"],
        r"(?-u:\b)(?:sk|pk|rk|sess)[-_][A-Za-z0-9*_.\-]{6,}",
    ),
    Shape::only_where(has_login_token, &["rt-", "rt_", "at-", "at_"], r"(?-u:\b)(?:rt|at)[-_][A-Za-z0-9_.\-]{6,}"),
    Shape::only_where(
        has_vendor_token,
        &["gh", "pat", "xox", "hf", "gsk", "xai", "fw", "r8", "pplx", "nvapi", "tgp", "dop_v1", "npm", "pypi"],
        r"(?-u:\b)(?:gh[pousr]|github_pat|glpat|xox[abeprs]|hf|gsk|xai|fw|r8|pplx|nvapi|tgp|dop_v1|npm|pypi)[-_][A-Za-z0-9_\-]{8,}",
    ),
    Shape::new(&["aiza"], r"(?-u:\b)AIza[A-Za-z0-9_\-]{20,}"),
    Shape::new(&["akia", "asia"], r"(?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{12,}"),
    Shape::new(&["ssh-"], r"(?-u:\bssh-(?:rsa|ed25519)) [A-Za-z0-9+/=]{12,}"),
    Shape::new(&["***"], r"[A-Za-z0-9_-]{2,}\*{3,}[A-Za-z0-9_-]*"),
];

/// A scheme of HTTP authentication and what follows it.
pub(super) static SCHEME: Shape = Shape::only_where(
    has_scheme,
    &["bearer", "basic"],
    r"(?P<scheme>(?i-u:\b(?:bearer|basic)\s+))(?P<value>[A-Za-z0-9._~+/\-]{4,}=*)",
);

/// What is in the names of things that are secret.
const ASSIGNED: [&str; 11] = ["key", "secret", "pass", "pw", "auth", "token", "credential", "密", "秘钥", "令牌", "口令"];

/// `api_key = "…"`, `"refresh_token": "…"`, `\"api_key\": \"…\"`, `X_TOKEN=…`, `令牌：…`: the name stays.
pub(super) static ASSIGNMENT: Shape = Shape::only_where(
    has_assignment,
    &ASSIGNED,
    concat!(
        r#"(?P<name>(?P<word>[A-Za-z0-9_.-]*(?i-u:keys?|secrets?|passw(?:or)?d|passphrase|pwd|authorization|token|credentials?|auth)"#,
        r#"|\b(?:[A-Za-z0-9]+[_-])*(?i-u:pw|pass)|密钥|秘钥|令牌|密码|口令)\\*["'`]?\s*(?:[:=：]|=>)\s*)"#,
        r#"(?P<value>\\+"[^"\\\n]*(?:\\+")?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|`[^`\n]*`?|[^\s,;"'&}\]\\，。]+)"#,
    ),
);

/// An `Authorization` header: its value, and the scheme before it, whatever that is.
pub(super) static AUTHORIZATION: Shape = Shape::new(
    &["authorization"],
    concat!(
        r#"(?P<name>(?i-u:authorization)\\*["'`]?\s*[:=]\s*(?:\\*["'`])?(?:[A-Za-z][A-Za-z0-9-]{1,14}[ \t]+)?)"#,
        r#"(?P<value>[^\s,;"'`}\\]+)"#
    ),
);

/// All of a cookie header.
pub(super) static COOKIE: Shape =
    Shape::new(&["cookie"], r#"(?P<name>(?i-u:cookies?)\\*["'`]?\s*[:=]\s*(?:\\*["'`])?)(?P<value>[^\s"'`\\][^\n"'`\\│]*)"#);

/// An option of a command line whose value is a secret, and the commands that put one into a variable.
pub(super) static OPTION: Shape = Shape::only_where(
    has_option,
    &["key", "token", "secret", "passw", "-u"],
    concat!(
        r#"(?P<name>--?(?i-u:[a-z-]*(?:api-?key|token|secret|password|passwd))(?:[ \t]+|=)["']?"#,
        r#"|(?-u:\s)(?:-u|--user|--proxy-user|-U)(?:[ \t]+|=)["']?"#,
        r#"|(?-u:\b)(?i-u:setx?|setenv)\s+[A-Za-z0-9_]*(?i-u:key|token|secret|password)\s+["']?)"#,
        r#"(?P<value>[^\s"'<$-][^\s"']{3,})"#,
    ),
);

/// A word for a secret and then, without `=`, what may be one: `Incorrect API key provided: …`.
pub(super) static SPOKEN: Shape = Shape::only_where(
    has_spoken,
    &["key", "token", "secret", "password", "credential", "密", "秘钥", "令牌", "口令"],
    concat!(
        r#"(?P<name>(?i-u:\b(?:key|token|secret|password|credential)s?)(?i-u:\s+(?:provided|given|used|is|was|of))?\s*:?\s+["'`“(]?"#,
        r#"|(?:密钥|秘钥|令牌|密码|口令)(?:为|是|无效|错误)?[\s:：]*["'`“(（]?)"#,
        r#"(?P<value>[A-Za-z0-9_+/=.*\-]{8,})"#,
    ),
);

/// A mask at the end of a line, and the beginning of the next line: perhaps the rest of what was masked.
pub(super) static CONTINUED: Shape =
    Shape::new(&["<secret>"], r"<secret>[ \t]*[│|]?[ \t]*\r?\n[ \t│|>]*(?P<rest>[A-Za-z0-9_+/=.\-]{6,})");

/// A long run of letters and digits without the look of a word, a path or an id we need: the last net.
pub(super) static BLOB: Shape = Shape::only_where(has_long_run, &[], r"[A-Za-z0-9+_=-]{32,}");
/// Ids and times that Codex puts into file names and requests, and the ids that OpenAI gives requests: no secrets.
static ID_OR_TIME: Shape = Shape::new(
    &["-", "req_"],
    r"(?-u:\b)req_[0-9a-f]{32}(?-u:\b)|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}",
);

/// The private half of a key, or what there is of it.
pub(super) static PRIVATE_KEY: Shape = Shape::new(
    &["-----begin"],
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s-u:[A-Za-z0-9+/=\s\\:,.-]*?)(?:-----END [A-Z ]*-----|\z|[^A-Za-z0-9+/=\s\\:,.-])",
);

/// A word with percent-encoded parts.
pub(super) static ENCODED: Shape = Shape::new(&["%"], r#"[^\s"'<>`]*%[0-9A-Fa-f]{2}[^\s"'<>`]*"#);

/// A user and a password before a host, without a scheme.
pub(super) static AUTHORITY: Shape =
    Shape::only_where(has_authority, &["@"], r#"[A-Za-z0-9._~%+-]+:[^\s@/:"'<>]{3,}@(?P<host>[A-Za-z0-9.\-]+|\[[0-9a-fA-F:]+\])"#);

pub(super) static EMAIL: Shape =
    Shape::only_where(has_address, &["@", "%40"], r#"(?:"[^"\n@]{1,64}"|[\w.%+-]+)(?:@|%40)[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}"#);
pub(super) static ORGANISATION: Shape =
    Shape::new(&["org-", "org_", "proj-", "proj_"], r"(?-u:\b(?:org|proj)[-_][A-Za-z0-9]{6,}\b)");
pub(super) static ACCOUNT: Shape = Shape::new(
    &["user-", "user_", "acct-", "acct_", "account-", "account_"],
    r"(?-u:\b(?:user|acct|account)[-_][A-Za-z0-9][A-Za-z0-9-]{5,}\b)",
);
/// An id that says whose it is.
pub(super) static OWNED_ID: Shape = Shape::only_where(
    has_id,
    &["account", "workspace", "user", "organi", "tenant", "subscription", "customer"],
    concat!(
        r#"(?P<name>(?i-u:account|workspace|user|organi[sz]ation|tenant|subscription|customer)(?i-u:[_ -]?id)?\\*["'`]?\s*[:=]?\s*\\*["'`]?)"#,
        r"(?P<id>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})",
    ),
);
pub(super) static URL: Shape =
    Shape::new(&[":/", ":\\"], r#"(?-u:\b[a-zA-Z][a-zA-Z0-9+.-]*):(?:\\?/){2}(?:[^\s"'<>`,)\]}]|<[a-z]+(?:-[0-9]+)?>)+"#);
/// A home directory of whoever it is: `/home/x`, `/Users/x`, `C:\Users\x`. The name may hold spaces where a separator ends it.
pub(super) static SOME_HOME: Shape = Shape::new(
    &["/home/", "/home\\", "\\home/", "\\home\\", "/users/", "/users\\", "\\users/", "\\users\\"],
    concat!(
        r#"(?P<root>(?i-u:[\\/]+(?:home|users)[\\/]+))"#,
        r#"(?:(?P<spaced>[^\\/\s:"'<>|,;)]+(?: [^\\/\s:"'<>|,;)]+){1,3})[\\/]|(?P<user>[^\\/\s:"'<>|,;)]+))"#,
    ),
);
/// The home of somebody by name.
pub(super) static TILDE: Shape = Shape::new(&["~"], r"~(?P<user>[A-Za-z_][A-Za-z0-9_.-]*)/");

// What holds for every text with a match of the shape, seen without its pattern. `text` is in lower case; a test holds each of these
// against its pattern.

/// The places of `words`: what stands before each, and what follows it.
fn places<'text>(text: &'text str, words: &'static [&'static str]) -> impl Iterator<Item = (&'text str, &'text str)> {
    let places = move |word: &'static str| text.match_indices(word).map(move |(at, word)| (&text[..at], &text[at + word.len()..]));
    words.iter().copied().flat_map(places)
}

fn has_word(text: &str, beginnings: &'static [&'static str]) -> bool {
    places(text, beginnings).any(|(before, _)| !before.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_'))
}

fn has_key(text: &str) -> bool {
    has_word(text, &["sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "sess-", "sess_"])
}

fn has_login_token(text: &str) -> bool {
    has_word(text, &["rt-", "rt_", "at-", "at_"])
}

fn has_vendor_token(text: &str) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "gh",
        "github_pat",
        "glpat",
        "xox",
        "hf-",
        "hf_",
        "gsk",
        "xai",
        "fw",
        "r8",
        "pplx",
        "nvapi",
        "tgp",
        "dop_v1",
        "npm",
        "pypi",
    ];
    has_word(text, &BEGINNINGS)
}

fn has_scheme(text: &str) -> bool {
    places(text, &["bearer", "basic"]).any(|(_, rest)| rest.starts_with(char::is_whitespace))
}

fn has_assignment(text: &str) -> bool {
    places(text, &ASSIGNED).any(|(_, rest)| {
        let rest = rest.trim_start_matches(char::is_alphabetic).trim_start_matches(['\\', '"', '\'', '`']);
        rest.trim_start().starts_with([':', '=', '：'])
    })
}

fn has_option(text: &str) -> bool {
    let is_ended = |rest: &str| rest.starts_with([' ', '\t', '=']);
    let is_option = |before: &str| {
        before.rsplit(|letter: char| !letter.is_ascii_lowercase() && letter != '-').next().is_some_and(|word| word.contains('-'))
    };
    places(text, &["key", "token", "secret", "password", "passwd"]).any(|(before, rest)| is_ended(rest) && is_option(before))
        || places(text, &["-u", "-user"]).any(|(_, rest)| is_ended(rest))
        || places(text, &["set", "setx", "setenv"]).any(|(_, rest)| rest.starts_with(char::is_whitespace))
}

fn has_spoken(text: &str) -> bool {
    const VERBS: [&str; 6] = ["provided", "given", "used", "is", "was", "of"];
    let is_value = |rest: &str| {
        let value = rest.strip_prefix(['"', '\'', '`', '“', '(']).unwrap_or(rest).bytes();
        value.take_while(|byte| byte.is_ascii_alphanumeric() || b"_+/=.*-".contains(byte)).count() >= 8
    };
    let follows = |(_, rest): (&str, &str)| {
        let rest = value_after(rest.strip_prefix('s').unwrap_or(rest));
        is_value(rest) || VERBS.iter().filter_map(|verb| rest.strip_prefix(verb)).any(|rest| is_value(value_after(rest)))
    };
    ["密", "秘钥", "令牌", "口令"].iter().any(|word| text.contains(word))
        || places(text, &["key", "token", "secret", "password", "credential"]).any(follows)
}

fn value_after(name: &str) -> &str {
    name.trim_start_matches(|mark: char| mark.is_whitespace() || mark == ':')
}

fn has_authority(text: &str) -> bool {
    let ends = |mark: char| mark.is_whitespace() || matches!(mark, '@' | '/' | ':' | '"' | '\'' | '<' | '>');
    places(text, &["@"]).any(|(before, _)| before.rfind(ends).is_some_and(|at| before[at..].starts_with(':')))
}

fn has_long_run(text: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'_' | b'=' | b'-');
    text.as_bytes().split(|byte| !is_part(byte)).any(|run| run.len() >= 32)
}

/// Whether a dot and a letter stand in what follows an `@`, as in the name of a host; tags of packages have none, or numbers.
fn has_address(text: &str) -> bool {
    let is_part =
        |character: char| !character.is_ascii() || character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    let is_letter = |character: char| !character.is_ascii() || character.is_ascii_alphabetic();
    text.split('@').skip(1).chain(text.split("%40").skip(1)).any(|rest| {
        let host = rest.split(|character| !is_part(character)).next().unwrap_or_default();
        host.split('.').skip(1).any(|label| label.starts_with(is_letter))
    })
}

/// Whether the beginning of an id is there: eight digits, a dash, four digits, a dash.
fn has_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_id = |at: usize| {
        let digits = at.checked_sub(8).and_then(|start| bytes.get(start..at)).zip(bytes.get(at + 1..at + 5));
        digits.is_some_and(|(first, second)| first.iter().chain(second).all(u8::is_ascii_hexdigit))
            && bytes.get(at + 5) == Some(&b'-')
    };
    memchr::memchr_iter(b'-', bytes).any(is_id)
}

/// Whether a long run of characters was made by a machine to be a secret.
pub(super) fn is_blob(run: &str) -> bool {
    if run.len() < 32 {
        return false;
    }
    let text = Text::from(run.to_owned());
    let rest = ID_OR_TIME.regex_for(&text).map_or(run.into(), |ids| ids.replace_all(run, ""));
    let run = &*rest;
    if run.len() < 32 {
        return false;
    }
    let (digits, upper, lower) = counts(run);
    let separators = run.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count();
    let mixed = digits >= 4 && (upper >= 2 || lower >= 2);
    let random_case = upper >= 6 && lower >= 6 && separators <= 2;
    (mixed || random_case) && separators * 6 <= run.len()
}

/// Whether a part of an address looks thrown by dice, though it is short.
pub(super) fn is_random(part: &str) -> bool {
    let (digits, upper, lower) = counts(part);
    part.len() >= 18 && digits >= 3 && upper >= 3 && lower >= 3 && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a word that stands alone, as a name or a value, is as dense as only a key is: no separators, many digits.
pub(super) fn is_dense(word: &str) -> bool {
    let (digits, upper, lower) = counts(word);
    word.len() >= 16 && digits >= 4 && upper + lower >= 6 && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a word beside the name of a secret can be one: letters and digits mixed, or letters of mixed case, and no id or model.
pub(super) fn is_credential(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '-', '/']);
    let (digits, upper, lower) = counts(word);
    let mixed = (digits >= 2 && upper + lower >= 2) || (upper >= 2 && lower >= 2) || word.contains("***");
    let named = ["gpt-", "codex", "claude", "http"].iter().any(|start| word.to_ascii_lowercase().starts_with(start));
    let variable =
        word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_') && word.contains('_');
    word.len() >= 6 && mixed && !named && !variable && !ID_OR_TIME.is_match(&word.to_owned().into())
}

fn counts(text: &str) -> (usize, usize, usize) {
    let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase))
}

/// Whether whatever is assigned to the name is a secret, an everyday word too. A key may be one of a map.
pub(super) fn is_strict_name(name: &str) -> bool {
    ["secret", "passw", "pwd", "passphrase", "authorization", "api_key", "apikey", "_token", "密"]
        .iter()
        .any(|part| name.contains(part))
        || is_short_for_password(name)
}

/// `pw` and `pass`, which stand for a password only as words of their own.
pub(super) fn is_short_for_password(name: &str) -> bool {
    matches!(name.rsplit(['_', '-']).next(), Some("pw" | "pass"))
}

/// Names that end like that of a secret and whose value is none.
pub(super) fn is_harmless_name(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "env_key",
        "bearer_token_env_var",
        "cli_auth_credentials_store",
        "mcp_oauth_credentials_store",
        "credentials_store",
        "unknown_key",
        "public_key",
        "max_token",
    ];
    // `code: invalid_api_key: Incorrect …` tells what is wrong with it.
    NAMES.iter().any(|harmless| name.ends_with(harmless))
        || ["invalid_", "missing_", "incorrect_", "unknown_", "expired_", "no_"].iter().any(|start| name.starts_with(start))
}

/// Whether a value is an everyday word, a number, or a name made of words.
pub(super) fn is_word(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ':', ')']);
    let number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let capital = value.chars().next().is_some_and(char::is_uppercase);
    let rest = value.chars().skip(usize::from(capital)).all(|letter| letter.is_lowercase() || matches!(letter, '_' | '-' | '.'));
    number || rest || !value.is_ascii()
}

/// `token: none`, `api_key = missing`: what follows the name tells of the value and is none.
pub(super) fn is_word_of_speech(value: &str) -> bool {
    const WORDS: [&str; 27] = [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "missing",
        "invalid",
        "expired",
        "required",
        "unset",
        "empty",
        "absent",
        "present",
        "set",
        "not",
        "is",
        "was",
        "has",
        "the",
        "bearer",
        "basic",
        "revoked",
        "undefined",
        "unknown",
        "incorrect",
        "no",
        "header",
    ];
    WORDS.contains(&value.trim_end_matches(['.', ':']).to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All shapes.
    fn shapes() -> impl Iterator<Item = &'static Shape> {
        let named = [
            &SCHEME,
            &ASSIGNMENT,
            &AUTHORIZATION,
            &COOKIE,
            &OPTION,
            &SPOKEN,
            &CONTINUED,
            &BLOB,
            &ID_OR_TIME,
            &PRIVATE_KEY,
            &ENCODED,
            &AUTHORITY,
            &EMAIL,
            &ORGANISATION,
            &ACCOUNT,
            &OWNED_ID,
            &URL,
            &SOME_HOME,
            &TILDE,
        ];
        SECRETS.iter().chain(named)
    }

    /// Texts in which the shapes stand, in small and in capital letters.
    const TEXTS: [&str; 30] = [
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.sig",
        "sk-proj-abcDEF1234567890 pk_live_1234567 sess-abcdefg rk_1234567",
        "rt_FAKE_not_a_token at-1234567",
        "ghp_abcdefghij0123 github_pat_abcdefgh glpat-abcdefgh xoxb-12345678 hf_abcdefgh pypi-abcdefgh dop_v1_abcdefgh r8_abcdefgh",
        "AIzaSyA1234567890abcdefghijklmnop AKIAIOSFODNN7EXAMPLE ASIAIOSFODNN7EXAMPLE",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 and sk-ab****cd",
        "Bearer abcdef basic QWxhZGRpbg==",
        "api_key = \"x\" secret: y passwd=z PWD=1 passphrase='p' token => t credential:c auth=a 密钥：甲 秘钥=乙 令牌:丙 密码=丁 口令：戊",
        "Authorization: Token abc",
        "Set-Cookie: a=b; c=d",
        "tool --api-key VALUE --my-token VALUE -U me:secret --user me:pw -u a:bcde setx MY_TOKEN abcd set\tX_PASSWORD abcd",
        "Incorrect API key provided: abcdefgh12",
        "<secret>\n  rest-of-it",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "a%2Fb",
        "user:password@host.example",
        "somebody@example.com somebody%40example.com \"some body\"@example.com",
        "org-ABCdef123456 proj_ABCdef123456",
        "user-abcdef1 acct_ABCDEF1 account-abcdef1",
        "account_id: 01a22800-af49-7090-8cee-5737ae87d1b7 organisation 01a22800-af49-7090-8cee-5737ae87d1b7",
        "https://relay.example/v1 https:\\/\\/relay.example\\/v1",
        "/home/maria/x C:\\Users\\Maria Lopez\\x \\\\server\\users\\maria",
        "~maria/x",
        "Zx8Q2pLm9Rt4Vb7Nc1Ks6Yd3Wf5Hg0Jj",
        "rollout-2026-11-29T15-51-34-01a22800-af49-7090-8cee-5737ae87d1b7.jsonl",
        "workspace 01a22800-af49-7090-8cee-5737ae87d1b7 tenant-id=01a22800-af49-7090-8cee-5737ae87d1b7",
        "subscription: 01a22800-af49-7090-8cee-5737ae87d1b7 customer_id 01a22800-af49-7090-8cee-5737ae87d1b7",
        "user 01a22800-af49-7090-8cee-5737ae87d1b7",
        "pplx-12345678 nvapi-12345678 tgp_12345678 gsk_12345678 xai-12345678 fw_12345678 npm_12345678",
        "the password is hunter2hunter2",
    ];

    #[test]
    fn what_a_shape_needs_stands_in_whatever_it_matches() {
        let errors = std::fs::read_to_string("fixtures/errors/extra.jsonl").unwrap();
        let reports = std::fs::read_to_string("fixtures/reports/reports.jsonl").unwrap();
        let texts = TEXTS.into_iter().chain(errors.lines()).chain(reports.lines());
        let texts: Vec<String> = texts.flat_map(|text| [text.to_owned(), text.to_uppercase(), text.to_lowercase()]).collect();
        for shape in shapes() {
            let regex = Regex::new(shape.source).unwrap();
            let matched: Vec<&String> = texts.iter().filter(|text| regex.is_match(text)).collect();
            assert!(!matched.is_empty(), "no text for {}", shape.source);
            for text in matched {
                assert!(shape.regex_for(&text.clone().into()).is_some(), "{} in {text}", shape.source);
            }
        }
    }

    #[test]
    fn whatever_a_pattern_can_match_has_what_its_shape_needs() {
        use proptest::strategy::{Strategy, ValueTree};
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut tried = 0;
        for shape in shapes() {
            // The generator knows no boundaries of words and no bytes.
            let source = shape.source.replace("-u:", ":").replace(r"\b", "");
            let Ok(texts) = proptest::string::string_regex(&source) else { continue };
            let regex = Regex::new(shape.source).unwrap();
            let texts = (0..100).map(|_| format!(" {} ", texts.new_tree(&mut runner).unwrap().current()));
            for text in texts.filter(|text| regex.is_match(text)) {
                assert!(shape.regex_for(&text.clone().into()).is_some(), "{} in {text}", shape.source);
                tried += 1;
            }
        }
        assert!(tried > 1000, "{tried} texts");
    }
}

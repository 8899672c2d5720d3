//! What an address holds besides what may be shown of it.

use codex_triage_checks::facts::endpoint::Unshown;
use url::Url;

use crate::redact::is_invisible;

/// Whether the key at `path` holds the address of a server.
pub(super) fn is_address(path: &[String]) -> bool {
    path.last().is_some_and(|name| name.ends_with("base_url"))
}

/// What of `address` redaction takes out.
pub(crate) fn unshown(address: &str) -> Vec<Unshown> {
    let is_hidden = |character: char| character.is_control() || is_invisible(character);
    let mut unshown = Vec::new();
    if has_user_info(address) {
        unshown.push(Unshown::UserInfo);
    }
    if address.contains(is_hidden) {
        let plain: String = address.chars().filter(|character| !is_hidden(*character)).collect();
        // Read as Codex reads it, with more behind it.
        let read = |base: &str| Url::parse(&format!("{base}/x")).ok();
        let is_same = read(address).is_some_and(|url| Some(url) == read(&plain));
        unshown.push(if is_same { Unshown::Dropped } else { Unshown::Kept });
    }
    unshown
}

fn has_user_info(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_dropped_or_stays_as_codex_has_it() {
        for (address, expected) in [
            ("https://r.example/v1", &[][..]),
            ("https://r.example/v1 ", &[]),
            ("https://r.example/@me/v1?to=a@b", &[]),
            ("https://me:word@r.example/v1", &[Unshown::UserInfo]),
            ("me@r.example", &[Unshown::UserInfo]),
            ("\thttps://r.example/v1", &[Unshown::Dropped]),
            ("https://r.example/v1\n", &[Unshown::Dropped]),
            ("\u{1}https://r.example/v1", &[Unshown::Dropped]),
            ("https://r.example/v1\u{1}", &[Unshown::Kept]),
            ("https://r.example/v1\u{200b}", &[Unshown::Kept]),
            ("\u{feff}https://r.example/v1", &[Unshown::Kept]),
            ("https://r.example\u{200b}/v1", &[Unshown::Dropped]),
        ] {
            assert_eq!(unshown(address), expected, "{address:?}");
        }
    }
}

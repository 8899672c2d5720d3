//! Slips for which a file is no TOML.

use super::{Change, Edit, Mend, Mender, is_harmless};
use crate::facts::config::Typed;
use crate::knowledge::harmless_settings::is_guarded;

const CODE: &str = "config.syntax";

/// What can be done about the fault at `place`, in the value of `key`.
pub(super) fn mend(mender: &Mender<'_>, place: (u32, u32), key: Option<&[String]>, typed: Typed) -> Option<Mend> {
    let edits = vec![Edit { line: place.0, column: place.1, change: Change::Syntax(typed) }];
    let message = match typed {
        Typed::WindowsPath => "fix-literal",
        Typed::BareWord => "fix-quote",
        Typed::CapitalBoolean => "fix-boolean",
        Typed::CurlyQuotes => "fix-curly-quotes",
        Typed::Semicolon => "fix-semicolon",
        Typed::Colon => "fix-colon",
        Typed::SlashComment => "fix-comment",
        Typed::Repeated => "fix-repeated",
    };
    let key = key.unwrap_or_default();
    let mend = mender.with_edits(CODE, message, &key.join("."), edits);
    Some(match typed {
        // The value is already said without a doubt; only its quotes were of the wrong kind.
        Typed::WindowsPath if !is_guarded(key) => mend.safe("fix-safe-quotes"),
        Typed::SlashComment => mend.safe("fix-safe-comment"),
        Typed::Repeated => mend.safe("fix-safe-repeated"),
        _ if is_harmless(key) => mend.safe("fix-safe-harmless"),
        _ => mend,
    })
}

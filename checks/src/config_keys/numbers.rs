//! Numbers and their bounds.

use super::tree::Value;
use crate::facts::config::{Scalar, ValueKind};
use crate::knowledge::config::Type;

/// What is wrong with a whole number of Codex's type `name`.
pub(super) fn integer(value: &Value<'_>, name: &str) -> Option<String> {
    let bare = name.trim_start_matches("nz-");
    let expected = if bare == name { bare.to_owned() } else { format!("a nonzero {bare}") };
    let Some(Scalar::Integer(number)) = value.origin.and_then(|(_, entry)| entry.value.as_ref()) else {
        return Some(format!("invalid type: {}, expected {expected}", value.described()));
    };
    let fits = match bare {
        "u8" => u8::try_from(*number).is_ok(),
        "u16" => u16::try_from(*number).is_ok(),
        "u32" => u32::try_from(*number).is_ok(),
        "i32" => i32::try_from(*number).is_ok(),
        "u64" | "usize" => *number >= 0,
        _ => true,
    };
    (!fits || (bare != name && *number == 0)).then(|| format!("invalid value: integer `{number}`, expected {expected}"))
}

/// A number with bounds.
pub(super) fn measure(value: &Value<'_>, kind: &Type) -> Option<String> {
    let is_number = value.origin.is_some_and(|(_, entry)| matches!(entry.kind, ValueKind::Integer | ValueKind::Float));
    if !is_number {
        return Some(format!("invalid type: {}, expected f64", value.described()));
    }
    match (kind, value.number()) {
        (Type::Seconds, number) => seconds(number).map(str::to_owned),
        (_, Some(number)) if number > 0.0 && number.is_finite() => None,
        _ => Some("tui.mouse_scroll_speed must be a finite positive number".to_owned()),
    }
}

/// What is wrong with a number of seconds.
pub(super) fn seconds(number: Option<f64>) -> Option<&'static str> {
    match number {
        Some(number) if number < 0.0 => Some("cannot convert float seconds to Duration: value is negative"),
        Some(number) if number < TOO_MANY_SECONDS => None,
        _ => Some("cannot convert float seconds to Duration: value is either too big or NaN"),
    }
}

/// A duration holds fewer than 2^64 seconds.
const TOO_MANY_SECONDS: f64 = 18_446_744_073_709_551_616.0;

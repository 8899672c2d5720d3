//! Whole numbers that do not fit: TOML allows them, and Codex refuses them when it reads the parsed file, the first in the order of its
//! tables. A fault in the writing of the file comes before all of them.

use std::ops::Range;

use toml_edit::{Document, TableLike, Value};

/// What Codex says of the number, and the byte at which it begins; of a fault in the writing if there is one behind it.
pub(super) fn fault(text: &str, error: &toml_edit::TomlError) -> Option<(usize, String)> {
    let mut text = text.to_owned();
    let mut numbers: Vec<(usize, String)> = Vec::new();
    let mut next = error.span().filter(|_| is_overflow(error));
    let document = loop {
        let start = next?.start;
        let end = start + text[start..].find(|character: char| !is_of_number(character)).unwrap_or(text.len() - start);
        if end == start {
            return None;
        }
        numbers.push((start, said(&text[start..end])));
        // A number that fits, and as long.
        text.replace_range(start..end, &format!("{:<1$}", "0", end - start));
        match Document::parse(text.as_str()) {
            Ok(document) => break document,
            Err(error) if is_overflow(&error) => next = error.span(),
            Err(error) => return Some((error.span()?.start, error.message().lines().next().unwrap_or_default().to_owned())),
        }
    };
    let mut order = Vec::new();
    places(document.as_table(), &mut order);
    order.into_iter().find_map(|place| numbers.iter().find(|(start, _)| *start == place.start).cloned())
}

fn is_overflow(error: &toml_edit::TomlError) -> bool {
    error.message().starts_with("integer number overflowed")
}

fn is_of_number(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '+' | '-')
}

/// What Codex says of a number beyond 64 bits (each bound tried on 0.171.0).
fn said(written: &str) -> String {
    let digits = written.replace('_', "");
    let (bare, radix) = match digits.get(..2) {
        Some("0x") => (&digits[2..], 16),
        Some("0o") => (&digits[2..], 8),
        Some("0b") => (&digits[2..], 2),
        _ => (digits.as_str(), 10),
    };
    let wide = match (i128::from_str_radix(bare, radix), u128::from_str_radix(bare, radix)) {
        (Ok(number), _) if u64::try_from(number).is_ok() => return "u64 value was too large".to_owned(),
        (Ok(number), _) => format!("{number}` as i128"),
        (_, Ok(number)) => format!("{number}` as u128"),
        _ => return "integer number overflowed".to_owned(),
    };
    format!("invalid type: integer `{wide}, expected any valid TOML value")
}

/// The places of the values in the order in which they are read.
fn places(table: &dyn TableLike, found: &mut Vec<Range<usize>>) {
    for (_, item) in table.iter() {
        if let Some(tables) = item.as_array_of_tables() {
            tables.iter().for_each(|table| places(table, found));
        } else if let Some(table) = item.as_table() {
            places(table, found);
        } else if let Some(value) = item.as_value() {
            places_in(value, found);
        }
    }
}

fn places_in(value: &Value, found: &mut Vec<Range<usize>>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| places_in(element, found)),
        Value::InlineTable(table) => places(table, found),
        _ => found.extend(value.span()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (usize, String) {
        fault(text, &Document::parse(text).unwrap_err()).unwrap()
    }

    #[test]
    fn a_number_is_refused_in_the_words_of_its_size() {
        assert_eq!(of("a = 9_223_372_036_854_775_808"), (4, "u64 value was too large".to_owned()));
        let wide = |number: &str| format!("invalid type: integer `{number}, expected any valid TOML value");
        assert_eq!(of("a = [1, 18446744073709551616]"), (8, wide("18446744073709551616` as i128")));
        assert_eq!(of("a = -9223372036854775809"), (4, wide("-9223372036854775809` as i128")));
        let hex = format!("a = 0x{}", "f".repeat(32));
        assert_eq!(of(&hex), (4, wide("340282366920938463463374607431768211455` as u128")));
        assert_eq!(of(&format!("a = {}", "9".repeat(45))), (4, "integer number overflowed".to_owned()));
    }

    #[test]
    fn the_order_is_that_of_the_tables_and_the_writing_comes_first() {
        assert_eq!(of("b.x = 1\na.y = 18446744073709551615\nb.z = 18446744073709551616\n").0, 41);
        assert_eq!(of("a = 18446744073709551616\nb = 1\nb = 2\n"), (31, "duplicate key".to_owned()));
    }
}

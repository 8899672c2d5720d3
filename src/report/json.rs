//! The report as JSON, and its schema.

use std::fmt::Write;

use schemars::schema_for;

use super::Report;
use super::paint::drives;

/// The report as one JSON object and a final newline.
///
/// # Errors
/// When a number in it is no JSON number; the facts hold none such.
pub fn write(report: &Report) -> Result<String, serde_json::Error> {
    let mut text = escaped(&serde_json::to_string_pretty(report)?);
    text.push('\n');
    Ok(text)
}

/// JSON whose strings hold nothing that drives a terminal: it may be looked at on one.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if drives(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

/// The JSON schema of the report.
pub fn schema() -> String {
    let schema = schema_for!(Report);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

//! The report as JSON, and its schema.

use schemars::schema_for;

use super::Report;

/// The report as one JSON object and a final newline.
///
/// # Errors
/// When a number in it is no JSON number; the facts hold none such.
pub fn write(report: &Report) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

/// The JSON schema of the report.
pub fn schema() -> String {
    let schema = schema_for!(Report);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

//! The report as JSON, and its schema.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use schemars::schema_for;
use serde::Serialize as _;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use super::paint::drives;
use super::{Report, sink};

/// Writes the report as one JSON object and a final newline to `file`, or to stdout, piece by piece: it can be large.
///
/// # Errors
/// When it cannot be written.
pub fn write(report: &Report, file: Option<&Path>) -> Result<(), String> {
    sink::stream(file, |out| {
        report.serialize(&mut Serializer::with_formatter(&mut *out, Layout::default()))?;
        out.write_all(b"\n")
    })
}

/// Lists of many small entries: each of these stands on a line of its own.
const ROWS: [&str; 4] = ["by_weekday_hour", "events", "interruptions", "tallies"];

/// JSON to be read by people and line by line by tools, whose strings hold nothing that drives a terminal: it may be looked at on one.
#[derive(Default)]
struct Layout {
    pretty: PrettyFormatter<'static>,
    /// Open lists and objects.
    depth: usize,
    /// How deep the list stands whose entries are lines, while in one.
    rows: Option<usize>,
    /// The last key.
    key: String,
    in_key: bool,
}

impl Layout {
    /// Whether what is written now stands within a line.
    fn within_line(&self) -> bool {
        self.rows.is_some_and(|rows| self.depth > rows)
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let begins_rows = self.rows.is_none() && ROWS.contains(&self.key.as_str());
        let within_line = self.rows.is_some();
        self.depth += 1;
        if begins_rows {
            self.rows = Some(self.depth);
        }
        if within_line { out.write_all(b"[") } else { self.pretty.begin_array(out) }
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let within_line = self.within_line();
        if self.rows == Some(self.depth) {
            self.rows = None;
        }
        self.depth -= 1;
        if within_line { out.write_all(b"]") } else { self.pretty.end_array(out) }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (self.within_line(), first) {
            (false, _) => self.pretty.begin_array_value(out, first),
            (true, true) => Ok(()),
            (true, false) => out.write_all(b","),
        }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.within_line() { Ok(()) } else { self.pretty.end_array_value(out) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.within_line() { out.write_all(b"{") } else { self.pretty.begin_object(out) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let within_line = self.within_line();
        self.depth -= 1;
        if within_line { out.write_all(b"}") } else { self.pretty.end_object(out) }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (self.within_line(), first) {
            (false, _) => {
                self.in_key = true;
                self.key.clear();
                self.pretty.begin_object_key(out, first)
            }
            (true, true) => Ok(()),
            (true, false) => out.write_all(b","),
        }
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.in_key = false;
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.within_line() { out.write_all(b":") } else { self.pretty.begin_object_value(out) }
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.within_line() { Ok(()) } else { self.pretty.end_object_value(out) }
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if self.in_key {
            self.key.push_str(fragment);
        }
        // What is below a space is no part of a fragment.
        if fragment.as_bytes().iter().fold(true, |all, byte| all & (*byte <= b'~')) {
            return out.write_all(fragment.as_bytes());
        }
        out.write_all(escaped(fragment).as_bytes())
    }
}

/// A piece of a string with escapes for all that drives a terminal.
fn escaped(fragment: &str) -> String {
    let mut text = String::with_capacity(fragment.len());
    for character in fragment.chars() {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(value: &Value) -> String {
        let mut out = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut out, Layout::default())).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn entries_of_long_lists_are_lines_and_all_else_is_indented() {
        let value = json!({ "a": { "events": [{ "at": 1, "more": [1, { "b": [] }] }, { "at": 2 }], "last": [] }, "b": [1, {}] });
        let text = "{\n  \"a\": {\n    \"events\": [\n      {\"at\":1,\"more\":[1,{\"b\":[]}]},\n      {\"at\":2}\n    ],\n    \"last\": []\n  },\n  \"b\": [\n    1,\n    {}\n  ]\n}";
        assert_eq!(written(&value), text);
        assert_eq!(serde_json::from_str::<Value>(&written(&value)).unwrap(), value);
        assert_eq!(written(&json!({ "events": [], "x": 1 })), "{\n  \"events\": [],\n  \"x\": 1\n}");
    }

    #[test]
    fn without_such_lists_it_is_the_usual_indented_form() {
        let value = json!({ "a": [[1, 2], { "b": "c", "d": { "e": null } }], "f": "\u{7f}余\n" });
        let usual = serde_json::to_string_pretty(&value).unwrap().replace('\u{7f}', "\\u007f");
        assert_eq!(written(&value), usual);
    }
}

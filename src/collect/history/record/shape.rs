//! A record that differs from an earlier one of its kind in nothing but its numbers and texts: what stands between them is compared, and what
//! is wanted stands where it stood. A home has a million records, and few shapes of them.
//!
//! No byte of a number or within a text says where anything else ends. So a record that agrees in all others has the same fields.

use super::beginning::Kind;
use super::{Fields, Raw};
use crate::collect::history::json::{end_of_number, end_of_text};

/// Of each kind so many shapes are kept, the last used first: with an error and without one, with counted tokens and without.
const MOST: usize = 4;
/// A record with more numbers and texts is like no other.
const MOST_SCALARS: usize = 64;
/// And one with more bytes beside them.
const MOST_BYTES: usize = 4096;

/// The shapes of the records that were read.
#[derive(Default)]
pub(in crate::collect::history) struct Shapes([Vec<Shape>; Kind::COUNT]);

impl Shapes {
    /// What is wanted of a record of this kind in `line`, from `start` on, where it has a shape that is known.
    pub(super) fn fields<'a, F: Fields<'a>>(&mut self, kind: Kind, line: &'a str, start: usize) -> Option<F> {
        let known = &mut self.0[kind as usize];
        let place = known.iter_mut().position(|shape| shape.fits(line.as_bytes(), start).is_some())?;
        known.swap(0, place);
        known[0].fields(line)
    }

    /// Keeps the shape of a record that was read.
    pub(super) fn keep<'a, F: Fields<'a>>(&mut self, kind: Kind, line: &'a str, start: usize, fields: &mut F) {
        let Some(shape) = Shape::of(line, start, fields) else { return };
        let known = &mut self.0[kind as usize];
        known.truncate(MOST - 1);
        known.push(shape);
        let last = known.len() - 1;
        known.swap(0, last);
    }
}

/// What is between literal bytes.
#[derive(Clone, Copy)]
enum Scalar {
    Text,
    Number,
}

struct Shape {
    /// All that is no number and not within a text.
    literals: Vec<u8>,
    /// How much of that stands before each number or text.
    scalars: Vec<(usize, Scalar)>,
    /// Where these literals, and the last one, begin in the line that was looked at last.
    starts: Vec<usize>,
    /// Where each wanted value begins and ends, if it is there.
    values: Vec<Option<[Place; 2]>>,
}

/// A place in a line: the number of a literal, and how far from its beginning.
#[derive(Clone, Copy)]
struct Place(usize, usize);

impl Shape {
    fn of<'a, F: Fields<'a>>(line: &'a str, start: usize, fields: &mut F) -> Option<Self> {
        let bytes = line.as_bytes();
        let mut shape = Self { literals: Vec::new(), scalars: Vec::new(), starts: vec![start], values: Vec::new() };
        let (mut at, mut literal) = (start, start);
        while let Some(byte) = bytes.get(at) {
            let (scalar, begin, end) = match byte {
                b'"' => (Scalar::Text, at + 1, end_of_text(bytes, at + 1)?),
                b'0'..=b'9' if matches!(bytes[at - 1], b':' | b',' | b'[') => (Scalar::Number, at, end_of_number(bytes, at)?),
                _ => {
                    at += 1;
                    continue;
                }
            };
            let is_text = matches!(scalar, Scalar::Text);
            at = end + usize::from(is_text);
            let is_key = is_text && bytes[at..].trim_ascii_start().starts_with(b":");
            if !is_key {
                shape.literals.extend_from_slice(&bytes[literal..begin]);
                shape.scalars.push((begin - literal, scalar));
                shape.starts.push(end);
                literal = end;
            }
            if shape.scalars.len() > MOST_SCALARS || shape.literals.len() > MOST_BYTES {
                return None;
            }
        }
        shape.literals.extend_from_slice(&bytes[literal..]);
        let mut values = Vec::new();
        fields.each(|value| values.push(value.json().map(|json| json.as_ptr().addr() - line.as_ptr().addr()).zip(value.json())));
        let places = |(begin, json): (usize, &str)| Some([shape.place(begin)?, shape.place(begin + json.len())?]);
        shape.values =
            values.into_iter().map(|value| value.map_or(Some(None), |value| places(value).map(Some))).collect::<Option<_>>()?;
        (shape.literals.len() <= MOST_BYTES).then_some(shape)
    }

    /// The place of a byte that is in no number and not within a text.
    fn place(&self, at: usize) -> Option<Place> {
        let number = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
        let behind = at - self.starts[number];
        let is_in_literal = self.scalars.get(number).is_none_or(|(length, _)| behind <= *length);
        is_in_literal.then_some(Place(number, behind))
    }

    /// Whether a line has this shape from `at` on; then its places are known.
    fn fits(&mut self, bytes: &[u8], mut at: usize) -> Option<()> {
        let mut literals = &self.literals[..];
        for ((length, scalar), start) in self.scalars.iter().zip(&mut self.starts) {
            let (literal, others) = literals.split_at(*length);
            if !bytes.get(at..)?.starts_with(literal) {
                return None;
            }
            (*start, literals) = (at, others);
            at += length;
            at = match scalar {
                Scalar::Text => end_of_text(bytes, at)?,
                Scalar::Number => end_of_number(bytes, at)?,
            };
        }
        *self.starts.last_mut()? = at;
        (bytes.get(at..)? == literals).then_some(())
    }

    /// The values in the line that was found to have this shape.
    fn fields<'a, F: Fields<'a>>(&self, line: &'a str) -> Option<F> {
        let mut fields = F::default();
        let mut values = self.values.iter();
        let at = |Place(number, behind): Place| self.starts[number] + behind;
        let mut all_are_there = true;
        fields.each(|value| {
            if let Some([begin, end]) = values.next().copied().flatten() {
                let json = line.get(at(begin)..at(end));
                all_are_there &= json.is_some();
                *value = json.map(Raw::new).unwrap_or_default();
            }
        });
        all_are_there.then_some(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ended, behind_head};
    use super::*;
    use crate::collect::history::record::Head;

    const FIRST: &str = r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"a","error":{"message":"b","codes":[1,2.5]},"completed_at":17}}"#;

    /// What is known of the end of a turn that stands in `line`, where one of another shape stood before it, and then `FIRST`.
    fn known(line: &str) -> Option<Ended<'_>> {
        let mut shapes = Shapes::default();
        for before in [r#"{"timestamp":"","type":"event_msg","payload":{"type":"task_complete"}}"#, FIRST] {
            let head = Head::of(before.as_bytes()).unwrap();
            shapes.keep(Kind::Completed, before, head.length, &mut behind_head::<Ended<'_>>(before, &head).unwrap());
        }
        let head = Head::of(line.as_bytes()).unwrap();
        let known = shapes.fields(Kind::Completed, line, head.length);
        assert!(known.is_none() || known == behind_head(line, &head));
        known
    }

    #[test]
    fn a_record_with_other_numbers_and_texts_is_known() {
        for (from, to) in
            [("\"a\"", r#""a longer one, \"quoted\"""#), ("\"b\"", "\"\""), ("17", "1764431494"), ("[1,2.5]", "[0.25,3]")]
        {
            let line = FIRST.replace(from, to);
            assert!(known(&line).is_some(), "{line}");
        }
        let ended = known(FIRST).unwrap();
        assert_eq!((ended.turn_id.text().as_deref(), ended.completed_at.number()), (Some("a"), Some(17)));
        assert_eq!(ended.error.json(), Some(r#"{"message":"b","codes":[1,2.5]}"#));
    }

    #[test]
    fn one_that_differs_in_anything_else_is_not() {
        let others = [
            ("turn_id", "turn-id"),
            ("17", "null"),
            ("17", "\"17\""),
            ("17", "-17"),
            ("17", ""),
            ("\"b\"", "null"),
            ("\"b\"", "2"),
            ("[1,2.5]", "[1,2.5,3]"),
            ("17}}", "17}} "),
            ("17}}", "17}"),
        ];
        for (from, to) in others {
            let line = FIRST.replace(from, to);
            assert!(line != FIRST && known(&line).is_none(), "{line}");
        }
    }

    #[test]
    fn the_shapes_used_last_are_kept() {
        let mut shapes = Shapes::default();
        let line =
            |name: usize| format!(r#"{{"timestamp":"","type":"event_msg","payload":{{"type":"task_complete","a{name}":1}}}}"#);
        let start = Head::of(line(0).as_bytes()).unwrap().length;
        for name in 0..=MOST {
            assert!(shapes.fields::<Ended<'_>>(Kind::Completed, &line(name), start).is_none());
            shapes.keep(Kind::Completed, &line(name), start, &mut Ended::default());
            assert!(name == 0 || shapes.fields::<Ended<'_>>(Kind::Completed, &line(0), start).is_some());
        }
        let is_known = |name: &usize| shapes.fields::<Ended<'_>>(Kind::Completed, &line(*name), start).is_some();
        assert_eq!((0..=MOST).filter(is_known).count(), MOST);
    }
}

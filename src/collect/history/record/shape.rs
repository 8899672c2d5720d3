//! A record that differs from an earlier one of its kind in nothing but some numbers and texts: what stands between them is compared, and
//! what is wanted stands where it stood. A home has a million records, and few shapes of them.
//!
//! No byte of a number or within a text says where anything else ends. So a record that agrees in all others has the same fields.

use super::beginning::Kind;
use super::{Fields, Raw};
use crate::collect::history::json::{end_of_number, end_of_text};

/// Of each kind so many shapes are kept, the last used first: with an error and without one, with counted tokens and without.
const MOST: usize = 4;
/// A record with more numbers and texts is like no other.
const MOST_SCALARS: usize = 64;
/// And so is a longer one.
const MOST_BYTES: usize = 16 * 1024;

/// The shapes of the records that were read.
#[derive(Default)]
pub(in crate::collect::history) struct Shapes([Vec<Shape>; Kind::COUNT]);

impl Shapes {
    /// What is wanted of a record of this kind in `line`, from `start` on, where it has a shape that is known.
    pub(super) fn fields<'a, F: Fields<'a>>(&mut self, kind: Kind, line: &'a str, start: usize) -> Option<F> {
        let record = line.get(start..)?;
        let known = &mut self.0[kind as usize];
        let place = known.iter_mut().position(|shape| shape.fits(record.as_bytes()).is_some())?;
        known[..=place].rotate_right(1);
        known[0].fields(record)
    }

    /// Keeps the shape of a record that was read: one that is known takes up what varies in it.
    pub(super) fn keep<'a, F: Fields<'a>>(&mut self, kind: Kind, line: &'a str, start: usize, fields: &mut F) {
        let Some(record) = line.get(start..).filter(|record| record.len() <= MOST_BYTES) else { return };
        let known = &mut self.0[kind as usize];
        if let Some(place) = known.iter_mut().position(|shape| shape.widen(record.as_bytes()).is_some()) {
            known[..=place].rotate_right(1);
        } else if let Some(shape) = Shape::of(record, fields) {
            known.truncate(MOST - 1);
            known.insert(0, shape);
        }
    }
}

/// A number or the inside of a text.
#[derive(Clone, Copy)]
struct Scalar {
    start: usize,
    end: usize,
    is_text: bool,
    /// Whether it was another one in another record.
    varies: bool,
}

struct Shape {
    /// The first record of this shape.
    record: Vec<u8>,
    /// All numbers and texts in it.
    scalars: Vec<Scalar>,
    /// Those that vary.
    varying: Vec<Scalar>,
    /// Where each wanted value begins and ends in it, if it is there.
    values: Vec<Option<[usize; 2]>>,
    /// The same by the scalars that vary.
    places: Vec<Option<[Place; 2]>>,
    /// Where in the record that was looked at last begins what stands before each scalar that varies, and what is behind the last one.
    starts: Vec<usize>,
}

/// A place in a record: behind how many scalars that vary, and how far.
#[derive(Clone, Copy)]
struct Place(usize, usize);

impl Shape {
    fn of<'a, F: Fields<'a>>(record: &'a str, fields: &mut F) -> Option<Self> {
        let mut values = Vec::new();
        fields.each(|value| {
            values.push(value.json().map(|json| {
                let begin = json.as_ptr().addr() - record.as_ptr().addr();
                [begin, begin + json.len()]
            }));
        });
        let scalars = scalars(record.as_bytes())?;
        let is_outside = |at: &usize| scalars.iter().all(|scalar| *at <= scalar.start || *at >= scalar.end);
        if !values.iter().flatten().flatten().all(is_outside) {
            return None;
        }
        let mut shape =
            Self { record: record.into(), scalars, varying: Vec::new(), values, places: Vec::new(), starts: Vec::new() };
        shape.settle();
        Some(shape)
    }

    /// Finds the places of the values by what varies.
    fn settle(&mut self) {
        self.varying = self.scalars.iter().copied().filter(|scalar| scalar.varies).collect();
        let place = |at: usize| {
            let number = self.varying.partition_point(|scalar| scalar.end <= at);
            Place(number, at - number.checked_sub(1).map_or(0, |before| self.varying[before].end))
        };
        self.places = self.values.iter().map(|value| value.map(|ends| ends.map(place))).collect();
    }

    /// Whether a record has this shape; then its places are known.
    fn fits(&mut self, bytes: &[u8]) -> Option<()> {
        follow(&self.record, &self.varying, bytes, &mut self.starts)
    }

    /// Takes a record that differs in other numbers and texts than those before; none where it differs in anything else.
    fn widen(&mut self, bytes: &[u8]) -> Option<()> {
        follow(&self.record, &self.scalars, bytes, &mut self.starts)?;
        let mut before = 0;
        for (scalar, starts) in self.scalars.iter_mut().zip(self.starts.windows(2)) {
            let other = &bytes[starts[0] + scalar.start - before..starts[1]];
            scalar.varies |= self.record[scalar.start..scalar.end] != *other;
            before = scalar.end;
        }
        self.settle();
        Some(())
    }

    /// The values in the record that was found to have this shape.
    fn fields<'a, F: Fields<'a>>(&self, record: &'a str) -> Option<F> {
        let mut fields = F::default();
        let mut places = self.places.iter();
        let at = |Place(number, behind): Place| self.starts[number] + behind;
        let mut all_are_there = true;
        fields.each(|value| {
            if let Some([begin, end]) = places.next().copied().flatten() {
                let json = record.get(at(begin)..at(end));
                all_are_there &= json.is_some();
                *value = json.map(Raw::new).unwrap_or_default();
            }
        });
        all_are_there.then_some(fields)
    }
}

/// The numbers in a record and the texts that are no names of fields; none where there are too many.
fn scalars(record: &[u8]) -> Option<Vec<Scalar>> {
    let (mut scalars, mut at) = (Vec::new(), 0);
    while let Some(byte) = record.get(at) {
        let begins_value = || at.checked_sub(1).is_some_and(|before| matches!(record[before], b':' | b',' | b'['));
        let (start, end, is_text) = match byte {
            b'"' => (at + 1, end_of_text(record, at + 1)?, true),
            b'0'..=b'9' if begins_value() => (at, end_of_number(record, at)?, false),
            _ => {
                at += 1;
                continue;
            }
        };
        at = end + usize::from(is_text);
        let is_name = is_text && record[at..].trim_ascii_start().starts_with(b":");
        if !is_name {
            scalars.push(Scalar { start, end, is_text, varies: false });
        }
        if scalars.len() > MOST_SCALARS {
            return None;
        }
    }
    Some(scalars)
}

/// Goes through `bytes` as through `record`, of which these `scalars` may be others, and notes where begins what stands before each and what
/// is behind the last; none where all else is not the same.
fn follow(record: &[u8], scalars: &[Scalar], bytes: &[u8], starts: &mut Vec<usize>) -> Option<()> {
    starts.clear();
    let (mut at, mut before) = (0, 0);
    for scalar in scalars {
        let literal = &record[before..scalar.start];
        if !bytes.get(at..)?.starts_with(literal) {
            return None;
        }
        starts.push(at);
        at += literal.len();
        at = if scalar.is_text { end_of_text(bytes, at)? } else { end_of_number(bytes, at)? };
        before = scalar.end;
    }
    starts.push(at);
    (bytes.get(at..)? == &record[before..]).then_some(())
}

#[cfg(test)]
mod tests {
    use super::super::{Ended, behind_head};
    use super::*;
    use crate::collect::history::record::Head;

    const FIRST: &str = r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"a","error":{"message":"b","codes":[1,2.5]},"completed_at":17}}"#;

    /// The same with all numbers and texts changed.
    const SECOND: &str = r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"c","error":{"message":"d","codes":[3,4]},"completed_at":18}}"#;

    fn kept(before: &[&str]) -> Shapes {
        let mut shapes = Shapes::default();
        for line in before {
            let head = Head::of(line.as_bytes()).unwrap();
            shapes.keep(Kind::Completed, line, head.length, &mut behind_head::<Ended<'_>>(line, &head).unwrap());
        }
        shapes
    }

    /// What is known of the end of a turn in `line` behind these.
    fn known<'a>(before: &[&str], line: &'a str) -> Option<Ended<'a>> {
        let head = Head::of(line.as_bytes()).unwrap();
        let known = kept(before).fields(Kind::Completed, line, head.length);
        assert!(known.is_none() || known == behind_head(line, &head));
        known
    }

    const OTHER: &str = r#"{"timestamp":"","type":"event_msg","payload":{"type":"task_complete"}}"#;

    #[test]
    fn a_record_with_other_numbers_and_texts_is_known_once_they_have_changed() {
        for (from, to) in
            [("\"a\"", r#""a longer one, \"quoted\"""#), ("\"b\"", "\"\""), ("17", "1764431494"), ("[1,2.5]", "[0.25,3]")]
        {
            let line = FIRST.replace(from, to);
            assert!(known(&[OTHER, FIRST], &line).is_none(), "{line}");
            assert!(known(&[OTHER, FIRST, SECOND], &line).is_some(), "{line}");
            let another = SECOND.replace(from, to);
            assert!(known(&[OTHER, FIRST, &line], &line).is_some() && known(&[OTHER, FIRST, &line], &another).is_none());
        }
        let ended = known(&[FIRST], FIRST).unwrap();
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
            assert!(line != FIRST && known(&[FIRST, SECOND], &line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_quote_within_a_word_makes_no_shape() {
        let line = FIRST.replace("17", "5\"b").replace("\"codes\":[1,2.5]", "\"codes\":5\"b");
        assert_eq!(behind_head::<Ended<'_>>(&line, &Head::of(line.as_bytes()).unwrap()), None);
    }

    #[test]
    fn the_shapes_used_last_are_kept() {
        let mut shapes = Shapes::default();
        let line =
            |name: usize| format!(r#"{{"timestamp":"","type":"event_msg","payload":{{"type":"task_complete","a{name}":1}}}}"#);
        let start = Head::of(line(0).as_bytes()).unwrap().length;
        for name in 0..=MOST {
            // The first two in turn, so that neither is the one that goes.
            assert!(name < 2 || shapes.fields::<Ended<'_>>(Kind::Completed, &line(1), start).is_some());
            assert!(shapes.fields::<Ended<'_>>(Kind::Completed, &line(name), start).is_none());
            shapes.keep(Kind::Completed, &line(name), start, &mut Ended::default());
            assert!(name == 0 || shapes.fields::<Ended<'_>>(Kind::Completed, &line(0), start).is_some());
        }
        let is_known = |name: &usize| shapes.fields::<Ended<'_>>(Kind::Completed, &line(*name), start).is_some();
        assert_eq!((0..=MOST).filter(is_known).count(), MOST);
    }
}

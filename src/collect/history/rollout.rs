//! One rollout file, line by line: which turns it holds and how they ended.

mod events;
mod limits;

use chrono::{DateTime, Utc};

use super::brief::Key;
use super::lines::{Line, Rest};
use super::record::{self, Head, Interest, Shapes};
use super::stamp::Stamp;
use super::turn::{Fault, Names, Outcome, Rollout};
use limits::Limits;

/// What some editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// More turns than a thread has open at once.
const TURNS_AT_ONCE: usize = 8;

/// Reads lines in their order.
pub(super) struct Reader {
    /// Whether every turn is kept with all that is known of it.
    every_turn: bool,
    /// What tells the turns of this file from those of another, where they have no ids.
    place: String,
    named: bool,
    /// When the thread began, as its id tells.
    thread_time: Option<[u8; 13]>,
    /// The names of now; they change when somebody switches the model or the provider.
    names: Names,
    /// The place of `names` in the list, once it is known.
    place_of_names: Option<u16>,
    /// The names of the newest turns that told their model, newest first, as places in the list.
    told: [Option<(Key, u16)>; TURNS_AT_ONCE],
    open: Option<Open>,
    /// Memory for the id of the next turn.
    spare: String,
    context_tokens: Option<u64>,
    context_window: Option<u64>,
    limits: Limits,
    heard: Stamp,
    /// Set once lines were left out: then their numbers are unknown.
    gap: bool,
    /// Whether the last line has no end and is no record.
    half_line: bool,
    first_after_gap: Option<i64>,
    found: Rollout,
}

/// A turn that began and has not ended.
#[derive(Default)]
struct Open {
    id: Option<String>,
    /// The key of that id.
    key: Option<Key>,
    answered: bool,
    /// Its tokens were counted, which happens at the end of an answer.
    counted: bool,
    compacted: bool,
    asked: bool,
    tool_results: u32,
    fault: Option<(Fault, bool)>,
    line: u64,
    began: Option<i64>,
}

impl Reader {
    /// A reader of the file of this name. Of quota snapshots before `recent`, only those that may matter are kept: the last ones, and
    /// those beside failures.
    pub(super) fn new(name: &str, recent: DateTime<Utc>, every_turn: bool) -> Self {
        Self {
            every_turn,
            place: name.to_owned(),
            named: false,
            thread_time: None,
            names: Names::default(),
            place_of_names: None,
            told: [None; TURNS_AT_ONCE],
            open: None,
            spare: String::new(),
            context_tokens: None,
            context_window: None,
            limits: Limits::new(recent),
            heard: Stamp::default(),
            gap: false,
            half_line: false,
            first_after_gap: None,
            found: Rollout::default(),
        }
    }

    /// Says that lines were left out before the next one.
    pub(super) fn leave_gap(&mut self) {
        self.gap = true;
    }

    /// The time of the first line after the gap.
    pub(super) fn first_after_gap(&self) -> Option<DateTime<Utc>> {
        self.first_after_gap.and_then(DateTime::from_timestamp_millis)
    }

    /// Whether all of a line that begins so is needed.
    pub(super) fn needs_all_of(head: &[u8]) -> bool {
        Head::of(head).is_none_or(|head| head.interest.is_needed_whole())
    }

    /// Takes the next line. `shapes` are of the records that were read so far, in whatever file.
    pub(super) fn take(&mut self, line: &Line<'_>, shapes: &mut Shapes) {
        let line = if line.bytes.starts_with(b"{") { line } else { &self.readable(line) };
        if line.bytes.trim_ascii_start().is_empty() {
            return;
        }
        self.found.context.longest_line = self.found.context.longest_line.max(line.length);
        let head = Head::of(line.bytes);
        self.judge(line, head.as_ref(), shapes);
        if let Some(stamp) = head.map(|head| head.timestamp).or_else(|| record::stamp(line.bytes)) {
            self.heard.set(stamp);
        }
        if self.gap && self.first_after_gap.is_none() {
            self.first_after_gap = self.heard.ms();
        }
    }

    /// The line without what is no part of its record: a byte order mark that an editor put before the first one, and the zero bytes that a
    /// crash of the machine leaves where something was to be written.
    fn readable<'a>(&mut self, line: &Line<'a>) -> Line<'a> {
        let mut left_out = 0;
        if line.number == 1 && line.bytes.starts_with(BYTE_ORDER_MARK) {
            left_out = BYTE_ORDER_MARK.len();
        }
        let zeros = line.bytes[left_out..].iter().take_while(|byte| **byte == 0).count();
        if zeros > 0 && line.bytes[left_out + zeros..].starts_with(b"{") {
            self.found.broken_records += 1;
            left_out += zeros;
        }
        Line { bytes: &line.bytes[left_out..], text: line.text.and_then(|text| text.get(left_out..)), ..*line }
    }

    fn judge(&mut self, line: &Line<'_>, head: Option<&Head<'_>>, shapes: &mut Shapes) {
        let interest = head.map_or(Interest::Unfamiliar, |head| head.interest);
        if let Some(rest) = line.rest {
            return self.take_head(line, interest, rest);
        }
        if interest.is_needed_whole() {
            match line.text.and_then(|text| record::parse(text, head, shapes)) {
                Some((record, at_ms)) => self.record(&record, at_ms, line.number),
                None => self.broken(line),
            }
        } else {
            if !line.text.is_some_and(record::looks_whole) {
                self.broken(line);
            }
            self.mark(interest);
        }
    }

    /// A last line without its end may be in the middle of being written: that shows at the end.
    fn broken(&mut self, line: &Line<'_>) {
        if line.ended {
            self.found.broken_records += 1;
        } else {
            self.half_line = true;
        }
    }

    fn mark(&mut self, interest: Interest) {
        self.found.context.compactions += u32::from(interest == Interest::Compaction);
        if let Some(open) = &mut self.open {
            open.answered |= interest == Interest::Answer;
            open.compacted |= interest == Interest::Compaction;
            open.tool_results += u32::from(interest == Interest::ToolResult);
        }
    }

    /// A line that was passed over: what its beginning tells. Of those that are needed in all, only an answer and the instructions of a session
    /// can be that long.
    fn take_head(&mut self, line: &Line<'_>, interest: Interest, rest: Rest) {
        self.mark(interest);
        if !interest.is_needed_whole() {
            if !rest.is_text || rest.last != Some(b'}') {
                self.broken(line);
            }
            return;
        }
        self.found.broken_records += 1;
        if interest == Interest::Parse
            && let Some((record, at_ms)) = record::unfamiliar(&record::head(line.bytes))
        {
            self.record(&record, at_ms, line.number);
        }
    }

    /// The turn that has not ended so far, if there is one: when it began, and when something was last heard.
    pub(super) fn open_turn(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let open = self.open.as_ref()?;
        let began = open.began.and_then(DateTime::from_timestamp_millis);
        let heard = self.heard.moment().or(began)?;
        Some((began.unwrap_or(heard), heard))
    }

    /// What the file held. `being_written` says whether a turn without an end may go on right now, and is asked where there is one, or half a
    /// line.
    pub(super) fn finish(mut self, being_written: impl FnOnce(Option<DateTime<Utc>>) -> bool) -> Rollout {
        let has_end = self.open.is_none() && !self.half_line;
        let running = !has_end && being_written(self.heard.moment());
        let before = (self.found.turns.len(), self.found.briefs.len());
        self.abandon();
        self.found.broken_records += u64::from(self.half_line && !running);
        if running {
            for turn in &mut self.found.turns[before.0..] {
                if turn.outcome == Outcome::Interrupted {
                    turn.outcome = Outcome::Running;
                    let briefs = &mut self.found.briefs[before.1..];
                    briefs.iter_mut().for_each(|brief| *brief = brief.with_outcome(Outcome::Running));
                }
            }
        }
        self.limits.finish(&mut self.found.snapshots);
        self.found
    }

    /// The place of the names of now in the list.
    fn place_of_names(&mut self) -> u16 {
        if let Some(place) = self.place_of_names {
            return place;
        }
        let known = self.found.names.iter().rposition(|names| *names == self.names);
        let place = known.unwrap_or_else(|| {
            self.found.names.push(self.names.clone());
            self.found.names.len() - 1
        });
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        self.place_of_names = Some(place);
        place
    }

    /// The names that the turn of this key told.
    fn told_names(&self, key: Option<Key>) -> Option<u16> {
        let key = key?;
        self.told.iter().flatten().find(|(turn, _)| *turn == key).map(|(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::history::lines;

    fn read(text: &[u8]) -> Rollout {
        let (mut reader, mut shapes) = (Reader::new("a.jsonl", DateTime::<Utc>::MIN_UTC, true), Shapes::default());
        for (number, bytes) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let line =
                Line { number, bytes, text: std::str::from_utf8(bytes).ok(), length: bytes.len() as u64, rest: None, ended: true };
            reader.take(&line, &mut shapes);
        }
        reader.finish(|_| false)
    }

    #[test]
    fn whether_a_file_is_being_written_matters_only_where_something_has_no_end() {
        let meta = r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"session_meta","payload":{"id":"01a22800-af49-7090-8cee-000000000001"}}"#;
        let began =
            r#"{"timestamp":"2026-11-29T15:51:35.553Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}"#;
        let ended =
            r#"{"timestamp":"2026-11-29T15:51:36.553Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t"}}"#;
        let is_asked = |lines: &[&str], last_ends: bool| {
            let (mut reader, mut asked) = (Reader::new("a.jsonl", DateTime::<Utc>::MIN_UTC, true), false);
            for (number, text) in lines.iter().enumerate() {
                let ended = last_ends || number + 1 < lines.len();
                let (bytes, number, length) = (text.as_bytes(), number as u64 + 1, text.len() as u64);
                reader.take(&Line { number, bytes, text: Some(text), length, rest: None, ended }, &mut Shapes::default());
            }
            reader.finish(|_| {
                asked = true;
                true
            });
            asked
        };
        assert!(!is_asked(&[meta, began, ended], true));
        assert!(is_asked(&[meta, began], true));
        assert!(is_asked(&[meta, began, ended, &began[..40]], false));
    }

    #[test]
    fn a_long_tool_output_counts_as_broken_only_where_it_is() {
        let turn = r#"{"timestamp":"2026-11-29T15:51:35.553Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t","error":{"message":"m"}}}"#;
        let read = |end: &[u8]| {
            let output = r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"response_item","payload":{"type":"function_call_output","output":""#;
            let bytes = [output.as_bytes(), &vec![b'a'; 1 << 20], end, turn.as_bytes()].concat();
            let mut reader = Reader::new("a.jsonl", DateTime::<Utc>::MIN_UTC, true);
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
            lines::each_line(&mut &*bytes, &mut lines::Buffers::default(), deadline, Reader::needs_all_of, |line| {
                assert_eq!(line.rest.is_some(), line.number == 1);
                reader.take(&line, &mut Shapes::default());
            });
            let found = reader.finish(|_| false);
            (found.turns.len(), found.broken_records, found.context.longest_line > 1 << 20)
        };
        assert_eq!(read(b"\"}}\n"), (1, 0, true));
        assert_eq!(read(b"\"}} \r\n"), (1, 0, true));
        assert_eq!(read(b"\xff\"}}\n"), (1, 1, true), "no text");
        assert_eq!(read(b"\n"), (1, 1, true), "cut off");
    }

    #[test]
    fn a_mark_or_zeros_before_a_record_do_not_lose_it() {
        let meta = r#"{"timestamp":"2026-11-29T15:51:34.553Z","type":"session_meta","payload":{"id":"01a22800-af49-7090-8cee-000000000001"}}"#;
        let failed = r#"{"timestamp":"2026-11-29T15:51:35.553Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t","error":{"message":"m"}}}"#;
        let marked = read(format!("\u{feff}{meta}\n{failed}").as_bytes());
        assert!(marked.header.thread.is_some());
        assert_eq!((marked.turns.len(), marked.broken_records), (1, 0));
        let zeros = read(format!("{meta}\n\0\0\0{failed}").as_bytes());
        assert_eq!((zeros.turns.len(), zeros.broken_records), (1, 1));
        let only_zeros = read(format!("{meta}\n\0\0\0\n{failed}").as_bytes());
        assert_eq!((only_zeros.turns.len(), only_zeros.broken_records), (1, 1));
    }
}

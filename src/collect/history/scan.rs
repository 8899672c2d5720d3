//! Many files at once: each thread takes the next file, and what a file holds is handed on as soon as it is read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};

use super::lines::{self, Buffers};
use super::record::Shapes;
use super::rollout::Reader;
use super::turn::Rollout;
use crate::at_once::{each_with, workers};
use crate::collect::sessions::listing::RolloutFile;

/// A bounded run reads of a plain rollout beyond this only the beginning (whose thread it is) and the end (the newest turns).
const LARGEST_WHOLE: u64 = 512 * 1024 * 1024;
/// How much of such a file's end is read.
const ENDING: u64 = 256 * 1024 * 1024;
/// A file that was written to within this time may belong to a turn that still runs.
const STILL_WRITING: TimeDelta = TimeDelta::seconds(60);
/// More threads than this do not make a disk faster.
const MOST_THREADS: usize = 8;
/// So few files are read before another thread has started.
const FEW: usize = 4;

/// A file that was this long: having given so much, it is not asked once more whether there is more.
struct OfLength<'a> {
    source: &'a File,
    length: u64,
    given: u64,
}

impl io::Read for OfLength<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.length {
            return Ok(0);
        }
        let read = self.source.read(buffer)?;
        self.given += read as u64;
        Ok(read)
    }
}

/// What one file after the other is read with.
#[derive(Default)]
struct Memory {
    buffers: Buffers,
    shapes: Shapes,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan {
    /// When to stop.
    pub(super) deadline: Instant,
    /// The moment of the run.
    pub(super) now: DateTime<Utc>,
    /// Turns before it are of no interest.
    pub(super) since: DateTime<Utc>,
    /// From here on every quota snapshot is kept.
    pub(super) recent: DateTime<Utc>,
    /// Whether every file is to be read whole, however large.
    pub(super) whole: bool,
    /// Whether every turn is kept with all that is known of it.
    pub(super) every_turn: bool,
}

/// What became of a file.
pub(super) struct Taken {
    /// The place of the file in the list.
    pub(super) place: usize,
    pub(super) read: io::Result<ReadFile>,
}

/// What a file holds.
pub(super) struct ReadFile {
    pub(super) rollout: Rollout,
    /// What of it was not read, where that is to be told.
    pub(super) remark: Option<String>,
    /// Whether all of it was read.
    pub(super) is_whole: bool,
    /// Whether its last turn may still run, because it may be written to right now.
    pub(super) may_go_on: bool,
}

impl Scan {
    /// Reads `files` in their order until the deadline and hands each to `take`, in no order, with the state of the thread that read it,
    /// which has an `end` when there is nothing more; returns these, and how many files were not reached.
    pub(super) fn each<S: Send>(
        &self,
        files: &[&RolloutFile],
        state: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, Taken) + Sync,
        end: impl Fn(&mut S) + Sync,
    ) -> (Vec<S>, u64) {
        let (next, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |(state, memory): &mut (S, Memory)| {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(place) else { break };
                if Instant::now() >= self.deadline {
                    break;
                }
                taken.fetch_add(1, Ordering::Relaxed);
                take(state, Taken { place, read: self.read(file, memory) });
            }
            end(state);
        };
        let states = each_with(workers(MOST_THREADS.min(files.len().div_ceil(FEW))), || (state(), Memory::default()), work);
        (states.into_iter().map(|(state, _)| state).collect(), (files.len() - taken.into_inner()) as u64)
    }

    fn read(&self, file: &RolloutFile, memory: &mut Memory) -> io::Result<ReadFile> {
        let mut reader = Reader::new(file.name(), self.recent, self.every_turn);
        let handle = File::open(file.path())?;
        let length = file.bytes;
        let mut remark;
        let mut has_gap = false;
        if file.compressed {
            let mut source = zstd::stream::read::Decoder::new(handle)?;
            remark = self.lines(&mut source, memory, &mut reader);
        } else if length > LARGEST_WHOLE && !self.whole {
            // The first line says whose session it is; then on to the newest turns.
            lines::each_line(
                &mut io::Read::take(&handle, lines::LONGEST as u64),
                &mut memory.buffers,
                self.deadline,
                |_| true,
                |line| {
                    if line.number == 1 {
                        reader.take(&line, &mut memory.shapes);
                    }
                },
            );
            let mut rest = BufReader::with_capacity(256 * 1024, &handle);
            rest.seek(SeekFrom::Start(length - ENDING))?;
            rest.skip_until(b'\n')?;
            reader.leave_gap();
            has_gap = true;
            remark = self.lines(&mut rest, memory, &mut reader);
            if remark.is_none() && reader.first_after_gap().is_none_or(|first| first > self.since) {
                remark = Some(format!("only its last {} MiB were read", ENDING / (1024 * 1024)));
            }
        } else {
            remark = self.lines(&mut OfLength { source: &handle, length, given: 0 }, memory, &mut reader);
        }
        let mut may_go_on = false;
        let rollout = reader.finish(|last_heard| {
            may_go_on = self.is_being_written(file.modified, last_heard);
            may_go_on
        });
        Ok(ReadFile { rollout, is_whole: remark.is_none() && !has_gap, remark, may_go_on })
    }

    fn lines(&self, source: &mut dyn io::Read, memory: &mut Memory, reader: &mut Reader) -> Option<String> {
        let Memory { buffers, shapes } = memory;
        match lines::each_line(source, buffers, self.deadline, Reader::needs_all_of, |line| reader.take(&line, shapes)) {
            lines::End::Whole => None,
            lines::End::OutOfTime => Some("not read to its end: the time was up".to_owned()),
            lines::End::Failed(error) => Some(format!("not read to its end: {error}")),
        }
    }

    /// Whether the file or its last record is of just now. A time in the future says nothing.
    fn is_being_written(&self, modified: Option<SystemTime>, last_heard: Option<DateTime<Utc>>) -> bool {
        let is_recent = |at: DateTime<Utc>| at >= self.now - STILL_WRITING && at <= self.now + STILL_WRITING;
        modified.map(DateTime::<Utc>::from).into_iter().chain(last_heard).any(is_recent)
    }
}

//! What all rollouts together told, kept beside their records: where none of them has changed, it need not be put together again.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use tempfile::NamedTempFile;

use super::{Cache, block, place};
use crate::at_once::both;
use crate::collect::history::brief::{Brief, packed};
use crate::collect::history::merge::Merge;
use crate::collect::sessions::listing::RolloutFile;

/// The beginning of such a file. Another number for another content, so that what an older version wrote is not misread.
const MAGIC: &[u8] = b"codex-triage sum 1\n";
/// With what tells of which files it is.
const START: usize = MAGIC.len() + 8;
/// So much is read at once: whole briefs.
const PIECE: usize = 4096 * packed::EACH;

impl Cache {
    /// Takes up what `files` told together; none where that is not kept, or of others, or of another state of one of them.
    pub(in super::super) fn take_sum(&self, files: &[&RolloutFile], merge: &mut Merge) -> Option<()> {
        // Opening a pipe would wait for whoever writes into it.
        let path = Some(self.sum_file()).filter(|path| std::fs::metadata(path).is_ok_and(|found| found.is_file()))?;
        let mut source = BufReader::with_capacity(PIECE, File::open(path).ok()?);
        let mut start = [0; START];
        source.read_exact(&mut start).ok()?;
        if start != self.start(files)? {
            return None;
        }
        let briefs = part(&mut source, packed::EACH, |briefs, piece| briefs.extend(packed::briefs(piece).0))?;
        let sum = part(&mut source, 1, |bytes, piece| bytes.extend_from_slice(piece))?;
        merge.take_sum(&sum, briefs, files, |kept| self.at_home(kept))
    }

    /// Keeps what `files` told together, and nothing else is in `merge`. Where it cannot be written, the next run takes its time.
    pub(in super::super) fn keep_sum(&self, files: &[&RolloutFile], merge: &mut Merge) {
        merge.settle();
        let (begun, sum) =
            both(|| self.begin_sum(files, merge.briefs()), || merge.sum(files, |directory| self.nameless(directory)));
        if let (Ok(mut file), Some(sum)) = (begun, sum)
            && write_part(&mut file, sum.len(), std::iter::once(sum)).is_ok()
            && let Ok(file) = file.into_inner()
        {
            let _ = file.persist(self.sum_file());
        }
    }

    /// Leaves nothing behind of what no look will use.
    pub(in super::super) fn drop_sum(&self) {
        let _ = std::fs::remove_file(self.sum_file());
    }

    fn begin_sum(&self, files: &[&RolloutFile], briefs: &[Brief]) -> io::Result<BufWriter<NamedTempFile>> {
        let start = self.start(files).ok_or(io::ErrorKind::InvalidInput)?;
        let mut file = BufWriter::with_capacity(PIECE, place::unfinished(&self.folder, self.now)?);
        file.write_all(&start)?;
        write_part(&mut file, briefs.len() * packed::EACH, briefs.chunks(PIECE / packed::EACH).map(packed::bytes))?;
        Ok(file)
    }

    fn sum_file(&self) -> PathBuf {
        self.folder.join(format!("{}.sum", self.name))
    }

    /// What a file begins with that is the sum of `files`, in this order and in the state in which they are.
    fn start(&self, files: &[&RolloutFile]) -> Option<[u8; START]> {
        let mut hasher = DefaultHasher::new();
        // What stands in records stands in their sum.
        block::MAGIC.hash(&mut hasher);
        for file in files {
            self.of_file(file)?.hash(&mut hasher);
        }
        [MAGIC, &hasher.finish().to_le_bytes()].concat().try_into().ok()
    }
}

/// Writes a part whose `pieces` are so `long` together: its length, itself, its check sum.
fn write_part(file: &mut impl Write, long: usize, pieces: impl Iterator<Item = Vec<u8>>) -> io::Result<()> {
    let mut check = crc32fast::Hasher::new();
    file.write_all(&(long as u64).to_le_bytes())?;
    for piece in pieces {
        check.update(&piece);
        file.write_all(&piece)?;
    }
    file.write_all(&check.finalize().to_le_bytes())
}

/// Reads a part of entries of so many bytes `each`, which `take` takes piece by piece; none where it is damaged.
fn part<T>(source: &mut BufReader<File>, each: usize, take: impl Fn(&mut Vec<T>, &[u8])) -> Option<Vec<T>> {
    let (mut length, mut kept, mut check) = ([0; 8], [0; 4], crc32fast::Hasher::new());
    source.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let is_there = source.get_ref().metadata().is_ok_and(|found| length <= found.len());
    let mut rest = usize::try_from(length).ok().filter(|length| is_there && length.is_multiple_of(each))?;
    let (mut entries, mut buffer) = (Vec::with_capacity(rest / each), vec![0; PIECE]);
    while rest > 0 {
        let piece = &mut buffer[..rest.min(PIECE)];
        source.read_exact(piece).ok()?;
        check.update(piece);
        take(&mut entries, piece);
        rest -= piece.len();
    }
    source.read_exact(&mut kept).ok()?;
    (u32::from_le_bytes(kept) == check.finalize()).then_some(entries)
}

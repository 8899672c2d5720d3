//! What all rollouts together told, kept beside their records: where none of them has changed, it need not be put together again.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use super::{Cache, place};
use crate::collect::history::brief::{Brief, packed};
use crate::collect::history::merge::{Merge, Sum};
use crate::collect::sessions::listing::RolloutFile;

/// The beginning of such a file. Another number for another content, so that what an older version wrote is not misread.
const MAGIC: &[u8] = b"codex-triage sum 1\n";
/// The head of a sum of years is about so long.
const HEAD: usize = 1 << 20;
/// So much is read at once: whole briefs.
const PIECE: usize = 4096 * packed::EACH;

impl Cache {
    /// Takes up what `files` told together, if they are those of which it is kept, and none has changed since.
    pub(in super::super) fn take_sum(&self, files: &[&RolloutFile], merge: &mut Merge) -> bool {
        self.read_sum(files, merge).unwrap_or(false)
    }

    fn read_sum(&self, files: &[&RolloutFile], merge: &mut Merge) -> Option<bool> {
        // Opening a pipe would wait for whoever writes into it.
        let path = Some(self.sum_file()).filter(|path| std::fs::metadata(path).is_ok_and(|found| found.is_file()))?;
        let mut source = BufReader::with_capacity(PIECE, File::open(path).ok()?);
        let mut start = [0; MAGIC.len() + 8];
        source.read_exact(&mut start).ok()?;
        if start != self.start(files)? {
            return None;
        }
        let bytes = part(&mut source, 1, |bytes, piece| bytes.extend_from_slice(piece))?;
        let briefs = part(&mut source, packed::EACH, |briefs, piece| briefs.extend(packed::briefs(piece).0))?;
        Some(merge.take_sum(postcard::from_bytes(&bytes).ok()?, briefs, files, |kept| self.at_home(kept)))
    }

    /// Keeps what `files` told together. Where it cannot be written, the next run takes its time.
    pub(in super::super) fn keep_sum(&self, files: &[&RolloutFile], merge: &mut Merge) {
        let _ = merge.sum(files, |directory| self.nameless(directory), |sum, briefs| self.write_sum(files, sum, briefs));
    }

    fn write_sum(&self, files: &[&RolloutFile], sum: &Sum<'_>, briefs: &[Brief]) -> io::Result<()> {
        let start = self.start(files).ok_or(io::ErrorKind::InvalidInput)?;
        let mut file = BufWriter::with_capacity(256 * 1024, place::unfinished(&self.folder, self.now)?);
        file.write_all(&start)?;
        let head = postcard::to_extend(sum, Vec::with_capacity(HEAD)).map_err(io::Error::other)?;
        write_part(&mut file, head.len(), std::iter::once(head))?;
        write_part(&mut file, briefs.len() * packed::EACH, briefs.chunks(4096).map(packed::bytes))?;
        file.into_inner()?.persist(self.sum_file())?;
        Ok(())
    }

    fn sum_file(&self) -> PathBuf {
        self.folder.join(format!("{}.sum", self.name))
    }

    /// What a file begins with that is the sum of `files`, in this order and in the state in which they are.
    fn start(&self, files: &[&RolloutFile]) -> Option<[u8; MAGIC.len() + 8]> {
        let mut hasher = DefaultHasher::new();
        for file in files {
            self.of_file(file)?.hash(&mut hasher);
        }
        [MAGIC, &hasher.finish().to_le_bytes()].concat().try_into().ok()
    }
}

/// Writes a part whose `pieces` are so `long` together: its length, itself, its check sum.
fn write_part(file: &mut impl Write, long: usize, pieces: impl Iterator<Item = Vec<u8>>) -> io::Result<()> {
    let mut sum = crc32fast::Hasher::new();
    file.write_all(&(long as u64).to_le_bytes())?;
    for piece in pieces {
        sum.update(&piece);
        file.write_all(&piece)?;
    }
    file.write_all(&sum.finalize().to_le_bytes())
}

/// Reads a part of entries of so many bytes `each`, which `take` takes piece by piece; none where it is damaged.
fn part<T>(source: &mut BufReader<File>, each: usize, take: impl Fn(&mut Vec<T>, &[u8])) -> Option<Vec<T>> {
    let (mut length, mut kept, mut sum) = ([0; 8], [0; 4], crc32fast::Hasher::new());
    source.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let is_there = source.get_ref().metadata().is_ok_and(|found| length <= found.len());
    let mut rest = usize::try_from(length).ok().filter(|length| is_there && length.is_multiple_of(each))?;
    let (mut entries, mut buffer) = (Vec::with_capacity(rest / each), vec![0; PIECE]);
    while rest > 0 {
        let piece = &mut buffer[..rest.min(PIECE)];
        source.read_exact(piece).ok()?;
        sum.update(piece);
        take(&mut entries, piece);
        rest -= piece.len();
    }
    source.read_exact(&mut kept).ok()?;
    (u32::from_le_bytes(kept) == sum.finalize()).then_some(entries)
}

//! A cache file is a row of blocks. Each has words of its own and the records of some rollouts, so that several threads take them up in any
//! order, and damage to one costs that one alone.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;

use crate::collect::sessions::listing::Identity;

/// The beginning of a cache file. Another number for another content, so that what an older version wrote is not misread.
pub(super) const MAGIC: &[u8] = b"codex-triage history 5\n";
/// No block is longer: a length beyond it is damage.
const LONGEST: u32 = 256 * 1024 * 1024;

/// Whose rollout a record is, and of which state of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Of<'a> {
    /// Its folder below CODEX_HOME.
    pub(super) folder: &'a str,
    pub(super) name: &'a str,
    pub(super) identity: Identity,
}

/// Rollouts, and the words that their records have numbers for.
#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow)]
    pub(super) words: Vec<&'a str>,
    pub(super) records: Vec<(Of<'a>, &'a Bytes)>,
}

impl<'a> Block<'a> {
    /// The block in `bytes`; none where these are damaged.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let (sum, block) = bytes.split_first_chunk()?;
        (crc32fast::hash(block) == u32::from_le_bytes(*sum)).then(|| postcard::from_bytes(block).ok()).flatten()
    }
}

/// Makes a block of words and of `records`, so many as `count` says, one behind the other; in `bytes`, as [`Blocks::next`] gives it.
///
/// # Errors
/// None, but for memory.
pub(super) fn seal<'a>(words: impl Iterator<Item = &'a str>, count: usize, records: &[u8], bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    bytes.extend([0; CHECK]);
    // A list is its length and its entries.
    let words: Vec<&str> = words.collect();
    add_bytes_of(&(words, count), bytes).map_err(io::Error::other)?;
    bytes.extend_from_slice(records);
    let sum = crc32fast::hash(&bytes[CHECK..]);
    bytes[..CHECK].copy_from_slice(&sum.to_le_bytes());
    Ok(())
}

/// Bytes of a check sum.
const CHECK: usize = 4;

/// Adds the bytes of `value` to those that are there.
///
/// # Errors
/// None, but for memory.
pub(in super::super) fn add_bytes_of(value: &impl Serialize, bytes: &mut Vec<u8>) -> postcard::Result<()> {
    postcard::serialize_with_flavor(value, Bytewise(bytes))
}

/// A list of bytes that takes each as it comes; the crate's own for a list with room takes one byte by way of an iterator.
struct Bytewise<'a>(&'a mut Vec<u8>);

impl Flavor for Bytewise<'_> {
    type Output = ();

    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(data);
        Ok(())
    }

    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Writes the `bytes` of a block.
pub(super) fn write(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LONGEST);
    file.write_all(&length.ok_or(io::ErrorKind::FileTooLarge)?.to_le_bytes())?;
    file.write_all(bytes)
}

/// Writes what a cache file begins with.
pub(super) fn begin(file: &mut impl Write) -> io::Result<()> {
    file.write_all(MAGIC)
}

/// The blocks of a cache file, until its end or a length that cannot be.
pub(super) struct Blocks(BufReader<File>);

impl Blocks {
    pub(super) fn open(path: &Path) -> Option<Self> {
        // Opening a pipe would wait for whoever writes into it.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut blocks = Self(BufReader::with_capacity(256 * 1024, File::open(path).ok()?));
        blocks.rewind().ok()?.then_some(blocks)
    }

    /// Goes to the first block, of the same file whatever stands at its place meanwhile; says whether it is a cache file.
    pub(super) fn rewind(&mut self) -> io::Result<bool> {
        self.0.rewind()?;
        let mut magic = [0; MAGIC.len()];
        self.0.read_exact(&mut magic)?;
        Ok(magic == MAGIC)
    }

    /// Reads the next block, of which it is not known whether it is whole; false at the end.
    pub(super) fn next(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        bytes.clear();
        let mut length = [0; 4];
        match self.0.read(&mut length[..1])? {
            0 => return Ok(false),
            _ => self.0.read_exact(&mut length[1..])?,
        }
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        (&mut self.0).take(u64::from(length)).read_to_end(bytes)?;
        Ok(true)
    }
}

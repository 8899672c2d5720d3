//! A private copy of those rows of a SQLite table that are of interest, and of nothing else: a log of hundreds of megabytes is read in
//! milliseconds, without a trace where it lies, and with the newest rows of its write-ahead log.
//!
//! The copy is a file full of holes. Before SQLite is asked for rows, the pages that hold them are put into it.

mod page;
mod wal;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::snapshot::{self, Folder};
use page::Page;
use wal::Wal;

/// No table is so deep.
const DEEPEST: usize = 20;

/// An open copy of parts of a database.
pub(super) struct Part {
    /// Knows the rows that were asked for; other rows look as if the file were damaged.
    pub(super) connection: Connection,
    database: PathBuf,
    stamp: Stamp,
    pages: Pages,
    root: u32,
    // Dropped after the connection.
    _folder: Folder,
}

type Stamp = Option<(u64, Option<std::time::SystemTime>)>;

/// How much was put into the copy.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    All,
    /// Only the rows from this one on.
    From(i64),
}

/// Rows to put into the copy, and how many pages it may hold then.
struct Range {
    first: i64,
    last: i64,
    most: u64,
}

/// Why there is no copy.
#[derive(Debug)]
pub(super) enum Missing {
    /// There is no such table.
    Table,
    /// It could not be read, or is not what it should be.
    Failed(String),
}

impl From<io::Error> for Missing {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<rusqlite::Error> for Missing {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Part {
    /// Opens a copy that holds nothing yet of `table` in `database`, without a trace in any of `homes`.
    pub(super) fn open(database: &Path, table: &str, homes: &[PathBuf]) -> Result<Self, Missing> {
        if std::fs::metadata(database).is_ok_and(|found| !found.is_file()) {
            return Err(Missing::Failed("not a file".to_owned()));
        }
        if snapshot::temporary_is_within(homes) {
            return Err(Missing::Failed("not read: the folder for temporary files lies inside of CODEX_HOME".to_owned()));
        }
        let stamp = snapshot::stamp(database);
        let mut main = File::open(database)?;
        let header = Header::read(&mut main)?;
        let folder = Folder::new()?;
        let path = folder.path().join("copy.sqlite");
        let copy = File::create(&path)?;
        copy.set_len(main.metadata()?.len())?;
        let log_path = snapshot::log_of(&path);
        let wal = match File::open(snapshot::log_of(database)) {
            Ok(log) => {
                let mut to = io::BufWriter::new(File::create(&log_path)?);
                let wal = Wal::copied(&mut io::BufReader::new(log), &mut to, header.page_size)?;
                to.flush()?;
                wal
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Wal::default(),
            Err(error) => return Err(error.into()),
        };
        let log = File::open(&log_path).ok();
        let mut pages = Pages { main, copy, log, wal, header, there: HashSet::new() };
        // The list of tables begins on the first page, and may go on below it.
        let all = Range { first: i64::MIN, last: i64::MAX, most: u64::MAX };
        pages.below(1, &all, &mut HashSet::new(), &mut 0, 0)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        // What is thrown away need not be tidied up before.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let root = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let root = match connection.query_row(root, [table], |row| row.get(0)) {
            Err(rusqlite::Error::QueryReturnedNoRows) => return Err(Missing::Table),
            root => root?,
        };
        Ok(Self { connection, database: database.to_path_buf(), stamp, pages, root, _folder: folder })
    }

    /// Puts the rows with these ids into the copy, the last ones first, as long as the copy holds at most `most` bytes.
    pub(super) fn fetch(&mut self, first: i64, last: i64, most: u64) -> Result<Fetched, Missing> {
        // SQLite looks at the row behind the last one, too.
        self.first_not(|_, id| Ok(id <= last))?;
        let range = Range { first, last, most: most / self.pages.header.page_size as u64 };
        let mut reached = last.saturating_add(1);
        let is_whole = self.pages.below(self.root, &range, &mut HashSet::new(), &mut reached, 0)?;
        Ok(if is_whole { Fetched::All } else { Fetched::From(reached) })
    }

    /// The id of the first row that is not `before`, where the rows of a table have an order.
    pub(super) fn first_not(
        &mut self,
        before: impl Fn(&Connection, i64) -> Result<bool, rusqlite::Error>,
    ) -> Result<Option<i64>, Missing> {
        let (mut number, mut behind) = (self.root, None);
        for _ in 0..DEEPEST {
            match self.pages.read(number)? {
                Page::Inner(below) => {
                    // The last one that begins before.
                    let (mut low, mut high) = (0, below.len());
                    while high - low > 1 {
                        let middle = usize::midpoint(low, high);
                        let first = self.pages.first_row(below[middle].0)?;
                        match first {
                            Some(id) if before(&self.connection, id)? => low = middle,
                            _ => high = middle,
                        }
                    }
                    number = below[low].0;
                    behind = below.get(high).map(|(page, _)| *page).or(behind);
                }
                Page::Leaf(rows) => {
                    for row in rows {
                        if !before(&self.connection, row.id)? {
                            return Ok(Some(row.id));
                        }
                    }
                    return Ok(behind.map(|page| self.pages.first_row(page)).transpose()?.flatten());
                }
            }
        }
        Err(damaged().into())
    }

    /// Whether the database is still what it was when the copy was opened. A write-ahead log that grew does no harm; one that was
    /// written back into the database while it was copied does.
    pub(super) fn is_steady(&self) -> bool {
        self.stamp == snapshot::stamp(&self.database)
    }
}

/// The pages of a database, the newest version of each.
struct Pages {
    main: File,
    copy: File,
    log: Option<File>,
    wal: Wal,
    header: Header,
    /// Those that the copy holds.
    there: HashSet<u32>,
}

impl Pages {
    /// The bytes of a page, which the copy holds from now on.
    fn bytes(&mut self, number: u32) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.header.page_size];
        if let (Some(place), Some(log)) = (self.wal.place(number), &mut self.log) {
            log.seek(SeekFrom::Start(place))?;
            log.read_exact(&mut bytes)?;
            return Ok(bytes);
        }
        let place = u64::from(number.checked_sub(1).ok_or_else(damaged)?) * self.header.page_size as u64;
        self.main.seek(SeekFrom::Start(place))?;
        self.main.read_exact(&mut bytes)?;
        if self.there.insert(number) {
            self.copy.seek(SeekFrom::Start(place))?;
            self.copy.write_all(&bytes)?;
        }
        Ok(bytes)
    }

    fn read(&mut self, number: u32) -> io::Result<Page> {
        let bytes = self.bytes(number)?;
        Page::read(&bytes, number, self.header.usable).ok_or_else(damaged)
    }

    /// The id of the first row on or below a page.
    fn first_row(&mut self, mut number: u32) -> io::Result<Option<i64>> {
        for _ in 0..DEEPEST {
            match self.read(number)? {
                Page::Inner(below) => number = below[0].0,
                Page::Leaf(rows) => return Ok(rows.first().map(|row| row.id)),
            }
        }
        Err(damaged())
    }

    /// Reads what of the rows in `range` is on or below a page, the last ones first, down to `reached`. False when that is not all.
    fn below(&mut self, number: u32, range: &Range, seen: &mut HashSet<u32>, reached: &mut i64, depth: usize) -> io::Result<bool> {
        // A page that stands below itself is in no sound table.
        if depth > DEEPEST || !seen.insert(number) {
            return Err(damaged());
        }
        match self.read(number)? {
            Page::Inner(below) => {
                for place in (0..below.len()).rev() {
                    let after = place.checked_sub(1).map_or(i64::MIN, |before| below[before].1.saturating_add(1));
                    let overlaps = after <= range.last && below[place].1 >= range.first;
                    if overlaps && !self.below(below[place].0, range, seen, reached, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Page::Leaf(rows) => {
                for row in rows.into_iter().rev().filter(|row| (range.first..=range.last).contains(&row.id)) {
                    if self.there.len() as u64 > range.most {
                        return Ok(false);
                    }
                    let mut overflow = row.overflow;
                    while let Some(page) = overflow {
                        if !seen.insert(page) {
                            return Err(damaged());
                        }
                        overflow = page::next(&self.bytes(page)?);
                    }
                    *reached = row.id;
                }
                Ok(true)
            }
        }
    }
}

/// What the first bytes of a database say of all its pages.
#[derive(Clone, Copy, Debug)]
struct Header {
    page_size: usize,
    usable: usize,
}

impl Header {
    fn read(main: &mut File) -> io::Result<Self> {
        let mut bytes = [0; 100];
        main.read_exact(&mut bytes).map_err(|_| damaged())?;
        let page_size = match page::two(&bytes, 16) {
            Some(1) => 65_536,
            Some(size) if size >= 512 && size.is_power_of_two() => usize::from(size),
            _ => return Err(damaged()),
        };
        if !bytes.starts_with(b"SQLite format 3\0") {
            return Err(damaged());
        }
        Ok(Self { page_size, usable: page_size - usize::from(bytes[20]) })
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "file is not a sound database")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table whose rows are of many sizes, the last ones of them in the write-ahead log alone.
    fn database(folder: &Path, page_size: u32) -> (PathBuf, Connection) {
        let path = folder.join("db.sqlite");
        let writer = Connection::open(&path).unwrap();
        let setup = format!("PRAGMA page_size={page_size}; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;");
        writer.execute_batch(&setup).unwrap();
        writer
            .execute_batch(
                "CREATE TABLE other(x); CREATE TABLE t(id INTEGER PRIMARY KEY, at INTEGER, x TEXT); CREATE INDEX i ON t(at);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                 INSERT INTO t SELECT i, i / 10, printf('%.*c', (i * 7919) % 1200 + (i % 100 = 0) * 20000, 'x') FROM n;
                 DELETE FROM t WHERE id BETWEEN 900 AND 1100; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);
                 WITH RECURSIVE n(i) AS (SELECT 3001 UNION ALL SELECT i + 1 FROM n WHERE i < 3200)
                 INSERT INTO t SELECT i, i / 10, printf('%.*c', (i * 7919) % 1200, 'y') FROM n;",
            )
            .unwrap();
        (path, writer)
    }

    fn sums(connection: &Connection, first: i64, last: i64) -> (i64, i64, i64) {
        let sql = "SELECT count(*), total(id), total(length(x)) FROM t NOT INDEXED WHERE id BETWEEN ?1 AND ?2";
        let number = |row: &rusqlite::Row<'_>, column| row.get::<_, f64>(column).map(|sum| sum as i64);
        connection.query_row(sql, [first, last], |row| Ok((row.get(0)?, number(row, 1)?, number(row, 2)?))).unwrap()
    }

    #[test]
    fn the_rows_that_were_asked_for_are_there_and_nothing_changes_where_they_come_from() {
        for page_size in [512, 4096, 65_536] {
            let folder = tempfile::tempdir().unwrap();
            let (path, writer) = database(folder.path(), page_size);
            let state = || {
                (
                    snapshot::stamp(&path),
                    snapshot::stamp(&snapshot::log_of(&path)),
                    std::fs::read_dir(folder.path()).unwrap().count(),
                )
            };
            let before = state();
            let homes = [folder.path().to_path_buf()];
            for (first, last) in [(1, 5), (880, 1105), (2990, 3010), (3199, 9999), (1, 3200)] {
                let mut part = Part::open(&path, "t", &homes).unwrap();
                assert_eq!(part.fetch(first, last, u64::MAX).unwrap(), Fetched::All);
                assert_eq!(sums(&part.connection, first, last), sums(&writer, first, last), "{page_size}: {first} to {last}");
                assert!(part.is_steady());
            }
            assert!(matches!(Part::open(&path, "absent", &homes), Err(Missing::Table)));
            assert_eq!(before, state());
        }
    }

    #[test]
    fn rows_are_found_by_what_orders_them() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _writer) = database(folder.path(), 4096);
        let mut part = Part::open(&path, "t", &[]).unwrap();
        let mut first = |at: i64| {
            let before = |connection: &Connection, id: i64| {
                connection.query_row("SELECT at < ?2 FROM t NOT INDEXED WHERE id = ?1", [id, at], |row| row.get(0))
            };
            part.first_not(before).unwrap()
        };
        assert_eq!([0, 50, 95, 310, 320].map(&mut first), [1, 500, 1101, 3100, 3200].map(Some));
        assert_eq!(first(400), None);
        assert!(part.pages.there.len() < 80, "{}", part.pages.there.len());
    }

    #[test]
    fn the_newest_rows_come_first_where_there_is_no_room_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let (path, writer) = database(folder.path(), 4096);
        let mut part = Part::open(&path, "t", &[]).unwrap();
        let Fetched::From(from) = part.fetch(1, 5000, 400_000).unwrap() else { panic!("all of it") };
        assert!((1200..3000).contains(&from), "{from}");
        assert_eq!(sums(&part.connection, from, 5000), sums(&writer, from, 5000));
    }

    #[test]
    fn damage_is_an_error_and_nothing_worse() {
        let folder = tempfile::tempdir().unwrap();
        let (path, writer) = database(folder.path(), 512);
        drop(writer);
        let sound = std::fs::read(&path).unwrap();
        for (place, value) in (0..sound.len().min(100_000)).step_by(1021).flat_map(|place| [(place, 0), (place, 5), (place, 255)]) {
            let mut bytes = sound.clone();
            bytes[place] = value;
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(mut part) = Part::open(&path, "t", &[]) {
                let _ = part.fetch(1, 50, u64::MAX);
            }
        }
        std::fs::write(&path, &sound[..sound.len() / 2]).unwrap();
        assert!(Part::open(&path, "t", &[]).and_then(|mut part| part.fetch(1, 3200, u64::MAX)).is_err());
        std::fs::write(&path, "no database").unwrap();
        assert!(matches!(Part::open(&path, "t", &[]), Err(Missing::Failed(_))));
    }
}

//! How a rollout stands in the cache: its words as numbers, so that thousands of rollouts are taken up in a moment.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::block::add_bytes_of;
use crate::collect::history::brief::{Brief, packed};
use crate::collect::history::snapshots::are_newest;
use crate::collect::history::turn::{Context, Fault, Header, Names, Rollout, Snapshot, Turn};
use crate::collect::history::word::{Id, Word};

/// The number of a word in a block, from 1; 0 for none.
pub(in super::super) type Number = u32;

/// A rollout whose words are numbers.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptRollout<'a> {
    thread: Option<Id>,
    /// Originator, version, directory.
    header: [Number; 3],
    /// Model, provider, account.
    names: Vec<[Number; 3]>,
    #[serde(with = "packed")]
    briefs: Cow<'a, [Brief]>,
    turns: Cow<'a, [Turn]>,
    /// Of each of the turns.
    faults: Vec<Option<NumberedFault>>,
    /// The newest of each bucket and provider.
    newest_snapshots: NumberedSnapshots<'a>,
    /// When the newest of all was, in milliseconds since 1970.
    newest_snapshot_ms: i64,
    /// The others, as the bytes of such a list: they rarely matter. Nothing where there are none.
    #[serde(with = "serde_bytes", borrow)]
    other_snapshots: Cow<'a, [u8]>,
    context: Cow<'a, Context>,
    failed_compaction: Option<(i64, NumberedFault)>,
    broken_records: u64,
}

/// Snapshots, and of each its bucket, name, plan and limit reached.
#[derive(Default, Serialize, Deserialize)]
pub(in super::super) struct NumberedSnapshots<'a>(Vec<Cow<'a, Snapshot>>, Vec<[Number; 4]>);

impl<'a> NumberedSnapshots<'a> {
    pub(in super::super) fn add(&mut self, snapshot: &'a Snapshot, numbers: &mut Numbers) {
        self.0.push(Cow::Borrowed(snapshot));
        let words = [&snapshot.bucket, &snapshot.name, &snapshot.plan, &snapshot.reached];
        self.1.push(words.map(|word| numbers.number(word.as_ref())));
    }

    /// The bytes of all; nothing where there are none.
    fn bytes(&self) -> postcard::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if !self.0.is_empty() {
            add_bytes_of(self, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// The snapshots with their words; none where these are not there.
    pub(in super::super) fn told(self, words: &WordList) -> Option<Vec<Snapshot>> {
        let told = |(snapshot, [bucket, name, plan, reached]): (Cow<'_, Snapshot>, [Number; 4])| {
            let (bucket, name, plan, reached) = (words.get(bucket)?, words.get(name)?, words.get(plan)?, words.get(reached)?);
            Some(Snapshot { bucket, name, plan, reached, ..snapshot.into_owned() })
        };
        self.0.into_iter().zip(self.1).map(told).collect()
    }
}

/// Text, classification and status.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(in super::super) struct NumberedFault(Number, Number, Option<u16>);

/// A word that a record has a number for, and whether an error says it: then less may stand in it.
type Numbered = (Word, bool);

/// The words of a block that is being made.
#[derive(Default)]
pub(in super::super) struct Numbers {
    of: [FxHashMap<Word, Number>; 2],
    words: Vec<Numbered>,
}

impl Numbers {
    pub(super) fn count(&self) -> usize {
        self.words.len()
    }

    /// All words, in the order of their numbers.
    pub(in super::super) fn words(&self) -> &[Numbered] {
        &self.words
    }

    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.of.iter_mut().for_each(FxHashMap::clear);
        self.words.clear();
    }

    /// Forgets all words but the first ones.
    pub(super) fn truncate(&mut self, count: usize) {
        for (word, of_error) in self.words.drain(count..) {
            self.of[usize::from(of_error)].remove(&word);
        }
    }

    pub(in super::super) fn number(&mut self, word: Option<&Word>) -> Number {
        self.numbered(word, false)
    }

    fn numbered(&mut self, word: Option<&Word>, of_error: bool) -> Number {
        let Some(word) = word else { return 0 };
        let of = &mut self.of[usize::from(of_error)];
        if let Some(number) = of.get(word) {
            return *number;
        }
        self.words.push((Word::clone(word), of_error));
        let number = u32::try_from(self.words.len()).unwrap_or(0);
        of.insert(Word::clone(word), number);
        number
    }

    pub(in super::super) fn names(&mut self, names: &Names) -> [Number; 3] {
        [&names.model, &names.provider, &names.account].map(|word| self.number(word.as_ref()))
    }

    pub(in super::super) fn fault(&mut self, fault: &Fault) -> NumberedFault {
        let [text, info] = [&fault.text, &fault.info].map(|word| self.numbered(word.as_ref(), true));
        NumberedFault(text, info, fault.status)
    }
}

/// The words that numbers stand for.
pub(in super::super) struct WordList(Vec<Word>);

impl WordList {
    pub(in super::super) fn of(words: &[&str]) -> Self {
        Self(words.iter().map(|word| Word::from(*word)).collect())
    }

    /// The word of a number, if it is one of any; none where there is no such word.
    pub(in super::super) fn get(&self, number: Number) -> Option<Option<Word>> {
        match number.checked_sub(1) {
            None => Some(None),
            Some(place) => self.0.get(place as usize).map(|word| Some(Word::clone(word))),
        }
    }

    pub(in super::super) fn names(&self, [model, provider, account]: [Number; 3]) -> Option<Names> {
        Some(Names { model: self.get(model)?, provider: self.get(provider)?, account: self.get(account)? })
    }

    pub(in super::super) fn fault(&self, NumberedFault(text, info, status): NumberedFault) -> Option<Fault> {
        Some(Fault { text: self.get(text)?, info: self.get(info)?, status })
    }
}

impl<'a> KeptRollout<'a> {
    /// The record of `rollout`, whose folder stands there as `directory`.
    ///
    /// # Errors
    /// None, but for memory.
    pub(super) fn of(rollout: &'a Rollout, directory: Option<&Word>, numbers: &mut Numbers) -> postcard::Result<Self> {
        let header = &rollout.header;
        let (mut newest, mut others) = (NumberedSnapshots::default(), NumberedSnapshots::default());
        for (snapshot, is_newest) in rollout.snapshots.iter().zip(are_newest(&rollout.snapshots, &rollout.names)) {
            if is_newest { &mut newest } else { &mut others }.add(snapshot, numbers);
        }
        Ok(Self {
            thread: header.thread.clone(),
            names: rollout.names.iter().map(|names| numbers.names(names)).collect(),
            header: [header.originator.as_ref(), header.version.as_ref(), directory].map(|word| numbers.number(word)),
            faults: rollout.turns.iter().map(|turn| turn.fault.as_ref().map(|fault| numbers.fault(fault))).collect(),
            newest_snapshots: newest,
            newest_snapshot_ms: rollout.snapshots.iter().map(|snapshot| snapshot.at_ms).max().unwrap_or(i64::MIN),
            other_snapshots: others.bytes()?.into(),
            failed_compaction: rollout.context.last_failed_compaction.as_ref().map(|(at_ms, fault)| (*at_ms, numbers.fault(fault))),
            briefs: Cow::Borrowed(&rollout.briefs),
            turns: Cow::Borrowed(&rollout.turns),
            context: Cow::Borrowed(&rollout.context),
            broken_records: rollout.broken_records,
        })
    }

    /// The rollout in the bytes of a record; none where they are damaged. `directory` gives the folder back its name. Of the snapshots only
    /// those that matter where all that are older than `since_ms` do not, but for the newest.
    pub(super) fn rollout(
        record: &'a [u8],
        words: &WordList,
        since_ms: i64,
        mut directory: impl FnMut(&Word) -> Word,
    ) -> Option<Rollout> {
        let record: Self = postcard::from_bytes(record).ok()?;
        let [originator, version, folder] = record.header;
        let (mut turns, mut context) = (record.turns.into_owned(), record.context.into_owned());
        for (turn, numbered) in turns.iter_mut().zip(record.faults) {
            turn.fault = numbered.map(|fault| words.fault(fault)).map_or(Some(None), |fault| fault.map(Some))?;
        }
        let mut snapshots = record.newest_snapshots.told(words)?;
        if !record.other_snapshots.is_empty() && record.newest_snapshot_ms >= since_ms {
            let others: NumberedSnapshots<'_> = postcard::from_bytes(&record.other_snapshots).ok()?;
            snapshots.extend(others.told(words)?);
        }
        if let Some((at_ms, numbered)) = record.failed_compaction {
            context.last_failed_compaction = Some((at_ms, words.fault(numbered)?));
        }
        Some(Rollout {
            header: Header {
                thread: record.thread,
                originator: words.get(originator)?,
                version: words.get(version)?,
                directory: words.get(folder)?.as_ref().map(&mut directory),
            },
            names: record.names.into_iter().map(|names| words.names(names)).collect::<Option<_>>()?,
            briefs: record.briefs.into_owned(),
            turns,
            snapshots,
            context,
            broken_records: record.broken_records,
        })
    }
}

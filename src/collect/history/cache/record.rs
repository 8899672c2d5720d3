//! How a rollout stands in the cache: its words as numbers, so that thousands of rollouts are taken up in a moment.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::collect::history::turn::{Brief, Context, Fault, Header, Names, Rollout, Snapshot, Turn, packed};
use crate::collect::history::word::{Id, Word};

/// The number of a word in a cache, from 1; 0 for none.
type Number = u32;

/// A rollout whose words are numbers.
#[derive(Serialize, Deserialize)]
pub(super) struct Record<'a> {
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
    snapshots: Cow<'a, [Snapshot]>,
    /// Bucket, name, plan and limit reached of each of the snapshots.
    snapshot_words: Vec<[Number; 4]>,
    context: Cow<'a, Context>,
    failed_compaction: Option<(i64, NumberedFault)>,
    broken_records: u64,
}

/// Text, classification and status.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct NumberedFault(Number, Number, Option<u16>);

/// The words of a cache that is being written.
#[derive(Default)]
pub(super) struct Numbers {
    of: FxHashMap<Word, Number>,
    /// Those that no record holds yet.
    new: Vec<Word>,
}

impl Numbers {
    /// Goes on from the words that a cache has, in their order.
    pub(super) fn after(words: &[Word]) -> Self {
        Self { of: words.iter().cloned().zip(1..).collect(), new: Vec::new() }
    }

    /// The words that are new since this was last asked for.
    pub(super) fn new_ones(&mut self) -> Vec<Word> {
        std::mem::take(&mut self.new)
    }

    fn number(&mut self, word: Option<&Word>) -> Number {
        let Some(word) = word else { return 0 };
        if let Some(number) = self.of.get(word) {
            return *number;
        }
        let number = u32::try_from(self.of.len() + 1).unwrap_or(0);
        self.of.insert(Word::clone(word), number);
        self.new.push(Word::clone(word));
        number
    }

    fn fault(&mut self, fault: &Fault) -> NumberedFault {
        NumberedFault(self.number(fault.text.as_ref()), self.number(fault.info.as_ref()), fault.status)
    }
}

impl<'a> Record<'a> {
    /// The record of `rollout`, whose folder stands there as `directory`.
    pub(super) fn of(rollout: &'a Rollout, directory: Option<&Word>, numbers: &mut Numbers) -> Self {
        let header = &rollout.header;
        let names = |names: &Names| [&names.model, &names.provider, &names.account].map(|word| numbers.number(word.as_ref()));
        Self {
            thread: header.thread.clone(),
            names: rollout.names.iter().map(names).collect(),
            header: [header.originator.as_ref(), header.version.as_ref(), directory].map(|word| numbers.number(word)),
            faults: rollout.turns.iter().map(|turn| turn.fault.as_ref().map(|fault| numbers.fault(fault))).collect(),
            snapshot_words: rollout
                .snapshots
                .iter()
                .map(|snapshot| {
                    let words = [&snapshot.bucket, &snapshot.name, &snapshot.plan, &snapshot.reached];
                    words.map(|word| numbers.number(word.as_ref()))
                })
                .collect(),
            failed_compaction: rollout.context.last_failed_compaction.as_ref().map(|(at_ms, fault)| (*at_ms, numbers.fault(fault))),
            briefs: Cow::Borrowed(&rollout.briefs),
            turns: Cow::Borrowed(&rollout.turns),
            snapshots: Cow::Borrowed(&rollout.snapshots),
            context: Cow::Borrowed(&rollout.context),
            broken_records: rollout.broken_records,
        }
    }

    /// The rollout of this record; none where it names a word that is not there. `directory` gives the folder back its name.
    pub(super) fn rollout(self, words: &[Word], mut directory: impl FnMut(&Word) -> Word) -> Option<Rollout> {
        let word = |number: Number| match number.checked_sub(1) {
            None => Some(None),
            Some(place) => words.get(place as usize).map(|word| Some(Word::clone(word))),
        };
        let fault = |NumberedFault(text, info, status)| Some(Fault { text: word(text)?, info: word(info)?, status });
        let [originator, version, folder] = self.header;
        let (mut turns, mut snapshots, mut context) =
            (self.turns.into_owned(), self.snapshots.into_owned(), self.context.into_owned());
        for (turn, numbered) in turns.iter_mut().zip(self.faults) {
            turn.fault = numbered.map(fault).map_or(Some(None), |fault| fault.map(Some))?;
        }
        for (snapshot, [bucket, name, plan, reached]) in snapshots.iter_mut().zip(self.snapshot_words) {
            (snapshot.bucket, snapshot.name, snapshot.plan, snapshot.reached) =
                (word(bucket)?, word(name)?, word(plan)?, word(reached)?);
        }
        if let Some((at_ms, numbered)) = self.failed_compaction {
            context.last_failed_compaction = Some((at_ms, fault(numbered)?));
        }
        let names = |[model, provider, account]: [Number; 3]| {
            Some(Names { model: word(model)?, provider: word(provider)?, account: word(account)? })
        };
        Some(Rollout {
            header: Header {
                thread: self.thread,
                originator: word(originator)?,
                version: word(version)?,
                directory: word(folder)?.as_ref().map(&mut directory),
            },
            names: self.names.into_iter().map(names).collect::<Option<Vec<_>>>()?,
            briefs: self.briefs.into_owned(),
            turns,
            snapshots,
            context,
            broken_records: self.broken_records,
        })
    }
}

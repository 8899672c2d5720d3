//! How full the contexts of threads are, and to which projects the rollouts belong.

use std::path::Path;

use codex_triage_checks::facts::sessions::{FailedCompaction, ProjectSize, SessionStore, ThreadContext};
use rustc_hash::FxHashMap;

use super::told::Words;
use super::turn::{Names, Rollout, moment};
use super::word::{Id, Word};
use crate::collect::sessions::listing::{self, RolloutFile};
use crate::redact::Redactor;

/// From so many threads on, those that are of no interest are dropped.
const MANY: usize = 8 * SessionStore::THREADS;

/// The threads of all files, their texts as they stand there.
#[derive(Default)]
pub(super) struct Threads {
    kept: Vec<ThreadContext>,
    seen: u64,
    projects: FxHashMap<Option<Word>, (u64, u64)>,
}

/// What is told of threads.
#[derive(Debug, Default)]
pub struct ThreadsTold {
    /// Those of interest, by id.
    pub threads: Vec<ThreadContext>,
    /// How many were looked at.
    pub seen: u64,
    /// The files by project, largest first.
    pub projects: Vec<ProjectSize>,
}

impl Threads {
    /// Adds the thread of one file.
    pub(super) fn add(&mut self, file: &RolloutFile, rollout: &Rollout) {
        let header = &rollout.header;
        let of_project = self.projects.entry(header.directory.clone()).or_default();
        *of_project = (of_project.0 + 1, of_project.1 + file.bytes);
        let context = &rollout.context;
        let (Some(thread), Some(last_ms)) = (header.thread.as_ref(), context.last_ms) else { return };
        self.seen += 1;
        let failed = context.last_failed_compaction.as_ref();
        self.kept.push(ThreadContext {
            thread: thread.to_string(),
            project: header.directory.as_deref().map(str::to_owned),
            model: rollout
                .names
                .get(usize::from(context.names))
                .and_then(|Names { model, .. }| model.as_deref().map(str::to_owned)),
            source: file.path().display().to_string(),
            bytes: file.bytes,
            archived: file.archived,
            started: context.started_ms.map(moment),
            last: moment(last_ms),
            open_since: context.run_began_ms.map(moment),
            turns: u64::from(context.turns),
            context_tokens: context.tokens,
            context_window: context.window,
            first_context_tokens: context.run_first_tokens,
            peak_context_tokens: context.peak_tokens,
            compactions: u64::from(context.compactions),
            failed_compactions: u64::from(context.failed_compactions),
            last_failed_compaction: failed.map(|(at_ms, fault)| FailedCompaction {
                at: moment(*at_ms),
                info: fault.info.as_deref().map(str::to_owned),
                text: fault.text.as_deref().map(str::to_owned),
            }),
            longest_line_bytes: context.longest_line,
        });
        if self.kept.len() >= MANY {
            self.kept = SessionStore::of_interest(std::mem::take(&mut self.kept));
        }
    }

    /// Adds what another thread of this program saw.
    pub(super) fn absorb(&mut self, other: Self) {
        self.kept.extend(other.kept);
        self.seen += other.seen;
        for (directory, (files, bytes)) in other.projects {
            let known = self.projects.entry(directory).or_default();
            *known = (known.0 + files, known.1 + bytes);
        }
    }

    /// What is of interest, redacted.
    pub(super) fn told(self, words: &mut Words<'_>, redactor: &Redactor) -> ThreadsTold {
        let mut threads = SessionStore::of_interest(self.kept);
        for thread in &mut threads {
            thread.thread = words.id(&Id::from(thread.thread.as_str())).to_string();
            thread.project = thread.project.take().map(|directory| redactor.project(&directory));
            thread.model = words.owned(thread.model.as_deref());
            thread.source = listing::shown(redactor, Path::new(&thread.source));
            if let Some(failed) = &mut thread.last_failed_compaction {
                failed.info = words.owned(failed.info.as_deref());
                failed.text = words.owned(failed.text.as_deref());
            }
        }
        let mut projects: Vec<ProjectSize> = self
            .projects
            .into_iter()
            .map(|(directory, (files, bytes))| ProjectSize {
                project: directory.map(|directory| redactor.project(&directory)),
                files,
                bytes,
            })
            .collect();
        projects.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.project.cmp(&other.project)));
        ThreadsTold { threads, seen: self.seen, projects }
    }
}

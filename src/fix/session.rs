//! A run of `fix`: looks, proposes one mend after the other on a draft of the files, and judges each draft before it is taken.

use std::collections::BTreeSet;
use std::path::PathBuf;

use codex_triage_checks::facts::config::LayerName;
use codex_triage_checks::facts::{Facts, Observed, SkipReason};
use codex_triage_checks::mend::{self, Mend};
use codex_triage_checks::{ConfigOutcome, config_outcome};

use super::files::Target;
use super::{diff, edit};
use crate::collect::config::ConfigRequest;
use crate::collect::{config, endpoint, environment, installation};
use crate::i18n::Texts;
use crate::redact::Redactor;
use crate::report::mended::ShownMend;
use crate::world::World;

/// What is to become of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Into the draft.
    Take,
    /// Not.
    Leave,
    /// Nor any other.
    Stop,
}

/// More rounds than any file has faults: an edit that comes back for ever must not hold the run.
const ROUNDS: usize = 2_000;

/// The files with their drafts, and what was decided so far.
pub(super) struct Session<'run> {
    world: &'run World,
    redactor: &'run Redactor,
    texts: &'run Texts,
    request: ConfigRequest,
    /// What is known whatever the files hold.
    around: Facts,
    pub(super) targets: Vec<Target>,
    pub(super) facts: Facts,
    decided: BTreeSet<String>,
    pub(super) applied: Vec<ShownMend>,
    pub(super) left: Vec<ShownMend>,
}

/// A mend with what it would make of its file.
struct Proposal {
    mend: Mend,
    path: PathBuf,
    text: String,
    facts: Facts,
}

impl<'run> Session<'run> {
    /// Reads the files and the rest of what a judgement of them needs.
    pub(super) fn begin(
        world: &'run World,
        redactor: &'run Redactor,
        texts: &'run Texts,
        request: ConfigRequest,
        around: Facts,
    ) -> Self {
        let around = Facts { installation: installation::collect(world, redactor), ..around };
        let profile = request.profile.as_ref().map(|name| format!("{name}.config.toml"));
        let names = ["config.toml".to_owned()].into_iter().chain(profile);
        let targets: Vec<Target> = names.filter_map(|name| Target::read(&world.codex_home.join(name))).collect();
        let mut request = request;
        request.codex_version = around.codex_version().map(str::to_owned);
        // What is judged, shown and compared is one content, whatever happens to the file meanwhile.
        request.drafts = targets.iter().map(|target| (target.path.clone(), target.bytes.clone())).collect();
        let mut session = Self {
            world,
            redactor,
            texts,
            request,
            facts: around.clone(),
            around,
            targets,
            decided: BTreeSet::new(),
            applied: Vec::new(),
            left: Vec::new(),
        };
        session.facts = session.look(&session.request);
        session
    }

    fn look(&self, request: &ConfigRequest) -> Facts {
        let (config, raw) = config::collect(self.world, self.redactor, request);
        let (environment, variables) = environment::collect(self.world, self.redactor, &self.world.codex_home, &raw);
        let endpoint = match config.value() {
            Some(config) => endpoint::resolve(config, &raw, &variables, self.redactor, false).0,
            None => Observed::skipped(SkipReason::NeedsAnother),
        };
        Facts { config, environment, endpoint, ..self.around.clone() }
    }

    /// What Codex does with the draft.
    pub(super) fn outcome(&self) -> Option<ConfigOutcome> {
        outcome(&self.facts)
    }

    /// Proposes all mends that are left; those that are taken are in the draft for the next one.
    pub(super) fn go(&mut self, mut decide: impl FnMut(&ShownMend) -> Decision) {
        for _ in 0..ROUNDS {
            let open = mend::mends(&self.facts).into_iter().find(|mend| !self.decided.contains(&identity(mend)));
            let Some(mend) = open else { return };
            let (shown, proposal) = match self.propose(&mend) {
                Ok(proposal) => (self.shown(&proposal.mend, Some(&proposal)), proposal),
                Err(obstacle) => {
                    self.decided.insert(identity(&mend));
                    let shown = ShownMend { obstacle: Some(obstacle), ..self.shown(&mend, None) };
                    self.left.push(shown);
                    continue;
                }
            };
            match decide(&shown) {
                Decision::Take => {
                    self.request.drafts.insert(proposal.path, proposal.text.into_bytes());
                    self.facts = proposal.facts;
                    self.applied.push(shown);
                }
                Decision::Leave => {
                    self.decided.insert(identity(&mend));
                    self.left.push(shown);
                }
                Decision::Stop => {
                    self.left.push(shown);
                    return;
                }
            }
        }
    }

    /// What could still be mended from here on, as if everything were taken. Changes nothing.
    pub(super) fn list_what_is_left(&mut self, keep: impl Fn(&ShownMend) -> bool) {
        let (drafts, facts, applied, decided) =
            (self.request.drafts.clone(), self.facts.clone(), std::mem::take(&mut self.applied), self.decided.clone());
        let known = std::mem::take(&mut self.left);
        self.left = known.into_iter().filter(|mend| keep(mend)).collect();
        let kept: BTreeSet<String> = self.left.iter().map(shown_identity).collect();
        self.decided.retain(|identity| kept.contains(identity));
        self.go(|_| Decision::Take);
        let listed = std::mem::replace(&mut self.applied, applied);
        self.left.extend(listed);
        self.left.sort_by(|one, other| (&one.file, one.line, one.column).cmp(&(&other.file, other.line, other.column)));
        (self.request.drafts, self.facts, self.decided) = (drafts, facts, decided);
    }

    /// The files that differ from their drafts, with the drafts.
    pub(super) fn changed(&self) -> Vec<(&Target, &[u8])> {
        let draft = |target: &'_ Target| self.request.drafts.get(&target.path).map(Vec::as_slice);
        self.targets
            .iter()
            .filter_map(|target| Some((target, draft(target)?)))
            .filter(|(target, new)| target.bytes != *new)
            .collect()
    }

    fn propose(&self, mend: &Mend) -> Result<Proposal, String> {
        let tried = self.try_out(mend);
        match &mend.otherwise {
            Some(other) if tried.is_err() => self.try_out(other).or(tried),
            _ => tried,
        }
    }

    fn try_out(&self, mend: &Mend) -> Result<Proposal, String> {
        let path = self.path_of(mend.layer).ok_or_else(|| self.texts.plain("fix-no-edit"))?;
        if let Some(target) = self.targets.iter().find(|target| target.path == path) {
            target.allowed(self.world).map_err(|refused| self.texts.plain(refused.message_id()))?;
        }
        let edited = self.text(&path).and_then(|text| edit::apply(text, mend));
        let text = edited.ok_or_else(|| self.texts.plain("fix-no-edit"))?;
        let mut request = self.request.clone();
        request.drafts.insert(path.clone(), text.clone().into_bytes());
        let facts = self.look(&request);
        if let Some(error) = worse(&self.facts, &facts, mend) {
            let args = [("error".to_owned(), error.into())].into();
            return Err(self.texts.get("fix-worse", &args));
        }
        Ok(Proposal { mend: mend.clone(), path, text, facts })
    }

    fn path_of(&self, layer: LayerName) -> Option<PathBuf> {
        match (layer, &self.request.profile) {
            (LayerName::User, _) => Some(self.world.codex_home.join("config.toml")),
            (LayerName::Profile, Some(name)) => Some(self.world.codex_home.join(format!("{name}.config.toml"))),
            _ => None,
        }
    }

    fn text(&self, path: &PathBuf) -> Option<&str> {
        std::str::from_utf8(self.request.drafts.get(path)?).ok()
    }

    fn shown(&self, mend: &Mend, proposal: Option<&Proposal>) -> ShownMend {
        let path = self.path_of(mend.layer).unwrap_or_default();
        let current = self.text(&path).unwrap_or_default();
        let original = self.targets.iter().find(|target| target.path == path);
        let original = original.and_then(|target| std::str::from_utf8(&target.bytes).ok()).unwrap_or_default();
        let (line, column) = mend.edits.first().map_or((1, 1), |edit| (edit.line, edit.column));
        ShownMend {
            code: mend.code.clone(),
            message_id: mend.message_id.clone(),
            args: mend.args.clone(),
            message: self.texts.get(&mend.message_id, &mend.args),
            file: mend.file.clone(),
            line: diff::line_in_original(original, current, line),
            column,
            safe: mend.safe,
            reason: self.texts.get(&mend.reason, &mend.args),
            diff: proposal.map(|proposal| diff::unified(current, &proposal.text, self.redactor)).unwrap_or_default(),
            obstacle: None,
        }
    }
}

/// What a mend is known by after it was left: its place may move.
fn identity(mend: &Mend) -> String {
    let key = mend.args.get("key").map(crate::report::arg_text).unwrap_or_default();
    format!("{}\n{}\n{key}", mend.file, mend.code)
}

fn shown_identity(mend: &ShownMend) -> String {
    let key = mend.args.get("key").map(crate::report::arg_text).unwrap_or_default();
    format!("{}\n{}\n{key}", mend.file, mend.code)
}

pub(super) fn outcome(facts: &Facts) -> Option<ConfigOutcome> {
    facts.config.value().map(|config| config_outcome(config, facts.codex_version()))
}

/// Why Codex would do worse with `after` than with `before`.
fn worse(before: &Facts, after: &Facts, mend: &Mend) -> Option<String> {
    // A file that is named and cannot be read stops Codex, though perhaps only once something else is mended.
    let unreadable = |facts: &Facts| facts.config.value().map(|config| config.unreadable_files.clone()).unwrap_or_default();
    let (known, now) = (unreadable(before), unreadable(after));
    if let Some(file) = now.into_iter().find(|file| !known.contains(file)) {
        return Some(format!("{}: {}", file.file, file.error));
    }
    let (before, after) = (outcome(before)?, outcome(after)?);
    let first_line = |outcome: &ConfigOutcome| {
        let message = outcome.error.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
        message.lines().next().unwrap_or_default().to_owned()
    };
    let of_refusal = ["config.rejected", "config.syntax"].contains(&mend.code.as_str());
    match (before.is_rejected(), after.is_rejected()) {
        (false, true) => Some(first_line(&after)),
        (true, true) if of_refusal && before.error == after.error => Some(first_line(&after)),
        (false, false) if after.ignored.len() > before.ignored.len() => {
            let key = mend.args.get("key").map(crate::report::arg_text);
            let still = after.ignored.iter().find(|ignored| Some(&ignored.key) == key.as_ref());
            still.map(|ignored| ignored.key.clone())
        }
        _ => None,
    }
}

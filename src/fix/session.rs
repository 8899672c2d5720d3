//! A run of `fix`: looks, proposes the mends round by round on a draft of the files, and judges each draft before it is taken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use codex_triage_checks::facts::config::LayerName;
use codex_triage_checks::facts::{Facts, Observed, SkipReason};
use codex_triage_checks::finding::Args;
use codex_triage_checks::mend::{self, Consequences, Mend};
use codex_triage_checks::{ConfigOutcome, config_outcome};

use super::diff;
use super::edit::{Plan, Source};
use super::files::Target;
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

/// One round mends all that can be seen at once; only slips for which a file is no TOML come to light one by one. An edit that comes
/// back for ever must not hold the run.
const ROUNDS: usize = 100;

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

    /// Proposes all mends that are left; those that are taken are in the draft for the next round.
    pub(super) fn go(&mut self, mut decide: impl FnMut(&ShownMend) -> Decision) {
        for _ in 0..ROUNDS {
            let open = self.open();
            if open.is_empty() || !self.round(open, &mut decide) {
                return;
            }
        }
        for mend in self.open() {
            let shown = ShownMend { obstacle: Some(self.texts.plain("fix-too-many")), ..self.shown(&mend, None) };
            self.left.push(shown);
            self.decided.insert(identity(&mend));
        }
    }

    fn open(&self) -> Vec<Mend> {
        let mut seen = BTreeSet::new();
        let is_open = |mend: &Mend| !self.decided.contains(&identity(mend)) && seen.insert(identity(mend));
        mend::mends(&self.facts).into_iter().filter(is_open).collect()
    }

    /// One round: all mends that can be seen now are judged together where they can be, and decided one by one. Whether there can be
    /// another round.
    fn round(&mut self, open: Vec<Mend>, decide: &mut impl FnMut(&ShownMend) -> Decision) -> bool {
        let texts = self.drafts();
        let sources: BTreeMap<PathBuf, Source<'_>> = texts.iter().map(|(path, text)| (path.clone(), Source::of(text))).collect();
        let mut round = Round { session: self, sources, sides: BTreeMap::new() };
        let mut judged: Vec<Judged> = open.into_iter().map(|mend| round.planned(mend)).collect();
        // The safe ones first and by themselves: with `--yes` no other is made.
        let mut draft = round.base();
        let quiet: Vec<usize> = (0..judged.len()).filter(|index| judged[*index].is_open() && judged[*index].mend.safe).collect();
        round.prove(&mut draft, &quiet, &mut judged);
        let quiet_draft = draft.clone();
        let others: Vec<usize> = (0..judged.len()).filter(|index| judged[*index].is_open() && !judged[*index].mend.safe).collect();
        round.prove(&mut draft, &others, &mut judged);
        let mut taken = Vec::new();
        let mut stopped = false;
        let (mut left, mut shown_taken, mut decided) = (Vec::new(), BTreeMap::new(), Vec::new());
        for (index, one) in judged.iter().enumerate() {
            match &one.verdict {
                Verdict::Later => continue,
                Verdict::Not(obstacle) => {
                    decided.push(identity(&one.mend));
                    left.push(ShownMend { obstacle: Some(obstacle.clone()), ..round.shown(one) });
                    continue;
                }
                Verdict::Open | Verdict::Fine => {}
            }
            let shown = round.shown(one);
            match decide(&shown) {
                Decision::Take => {
                    taken.push(index);
                    shown_taken.insert(index, shown);
                }
                Decision::Leave => {
                    decided.push(one.id.clone());
                    left.push(shown);
                }
                Decision::Stop => {
                    left.push(shown);
                    stopped = true;
                    break;
                }
            }
        }
        let last = [draft, quiet_draft].into_iter().find(|draft| sorted(&draft.taken) == taken);
        let last = last.unwrap_or_else(|| {
            let mut draft = round.base();
            taken.iter().for_each(|index| judged[*index].verdict = Verdict::Open);
            round.prove(&mut draft, &taken, &mut judged);
            draft
        });
        let drafts = round.texts_of(&last, &judged);
        let goes_on = !stopped && (!last.taken.is_empty() || !decided.is_empty());
        let (facts, made) = (last.facts.clone(), last.taken.clone());
        drop(round);
        for index in taken {
            let Some(shown) = shown_taken.remove(&index) else { continue };
            if made.contains(&index) {
                self.applied.push(shown);
            } else if let Verdict::Not(obstacle) = &judged[index].verdict {
                decided.push(judged[index].id.clone());
                left.push(ShownMend { obstacle: Some(obstacle.clone()), ..shown });
            }
        }
        self.left.extend(left);
        self.decided.extend(decided);
        for (path, text) in drafts {
            self.request.drafts.insert(path, text.into_bytes());
        }
        if let Some(facts) = facts {
            self.facts = facts;
        }
        goes_on
    }

    fn drafts(&self) -> BTreeMap<PathBuf, String> {
        let text = |(path, bytes): (&PathBuf, &Vec<u8>)| Some((path.clone(), String::from_utf8(bytes.clone()).ok()?));
        self.request.drafts.iter().filter_map(text).collect()
    }

    /// What could still be mended from here on, as if everything were taken. Changes nothing.
    pub(super) fn list_what_is_left(&mut self, keep: impl Fn(&ShownMend) -> bool) {
        let (drafts, facts, applied, decided) =
            (self.request.drafts.clone(), self.facts.clone(), std::mem::take(&mut self.applied), self.decided.clone());
        let known = std::mem::take(&mut self.left);
        self.left = known.into_iter().filter(|mend| keep(mend)).collect();
        let kept: BTreeSet<String> = self.left.iter().map(|mend| identity_of(&mend.file, &mend.code, &mend.args)).collect();
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

    fn path_of(&self, layer: LayerName) -> Option<PathBuf> {
        match (layer, &self.request.profile) {
            (LayerName::User, _) => Some(self.world.codex_home.join("config.toml")),
            (LayerName::Profile, Some(name)) => Some(self.world.codex_home.join(format!("{name}.config.toml"))),
            _ => None,
        }
    }

    fn shown(&self, mend: &Mend, diff: Option<(u32, Vec<String>)>) -> ShownMend {
        let (line, column) = mend.edits.first().map_or((1, 1), |edit| (edit.line, edit.column));
        let (line, diff) = diff.unwrap_or((line, Vec::new()));
        ShownMend {
            code: mend.code.clone(),
            message_id: mend.message_id.clone(),
            args: mend.args.clone(),
            message: self.texts.get(&mend.message_id, &mend.args),
            file: mend.file.clone(),
            line,
            column,
            safe: mend.safe,
            reason: self.texts.get(&mend.reason, &mend.args),
            diff,
            obstacle: None,
        }
    }
}

/// What is known of a mend so far.
enum Verdict {
    /// Nothing against it.
    Open,
    /// It can be made, together with those before it.
    Fine,
    /// Not in this round: another one is in its way.
    Later,
    /// Not at all, and why.
    Not(String),
}

/// A mend of this round.
struct Judged {
    mend: Mend,
    /// What it is known by, also where something else is done instead.
    id: String,
    path: PathBuf,
    plan: Option<Plan>,
    verdict: Verdict,
}

impl Judged {
    fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Open)
    }
}

/// The mends that are taken, and what comes of them.
#[derive(Clone)]
struct Draft {
    taken: Vec<usize>,
    /// Nothing where none is taken.
    facts: Option<Facts>,
    consequences: Consequences,
}

fn sorted(taken: &[usize]) -> Vec<usize> {
    let mut taken = taken.to_vec();
    taken.sort_unstable();
    taken
}

/// Why a group of mends is not to be made as it is.
enum Against {
    /// The bytes do not come to what was meant.
    Bytes,
    /// Codex would do worse.
    Worse(String),
    /// Not unasked: the id of the reason, and the keys.
    Loud(&'static str, String),
}

/// The files as they are at the beginning of a round.
struct Round<'round, 'run> {
    session: &'round Session<'run>,
    sources: BTreeMap<PathBuf, Source<'round>>,
    /// How the lines of each file are shown.
    sides: BTreeMap<PathBuf, diff::Side<'round>>,
}

impl Round<'_, '_> {
    fn base(&self) -> Draft {
        Draft { taken: Vec::new(), facts: None, consequences: Consequences::of(&self.session.facts) }
    }

    fn planned(&self, mend: Mend) -> Judged {
        let id = identity(&mend);
        let path = self.session.path_of(mend.layer).unwrap_or_default();
        let target = self.session.targets.iter().find(|target| target.path == path);
        let refused = target.and_then(|target| target.allowed(self.session.world).err());
        let plan = self.sources.get(&path).and_then(|source| source.plan(&mend));
        let verdict = match (refused, &plan) {
            (Some(refused), _) => Verdict::Not(self.session.texts.plain(refused.message_id())),
            (None, None) => Verdict::Not(self.session.texts.plain("fix-no-edit")),
            (None, Some(_)) => Verdict::Open,
        };
        let judged = Judged { mend, id, path, plan, verdict };
        match (&judged.verdict, judged.mend.otherwise.as_deref()) {
            (Verdict::Not(_), Some(other)) if refused.is_none() => Judged { id: judged.id.clone(), ..self.planned(other.clone()) },
            _ => judged,
        }
    }

    /// Takes those of `indices` into the draft that can be made: all at once, or where that does not come right, in halves.
    fn prove(&self, draft: &mut Draft, indices: &[usize], judged: &mut [Judged]) {
        if indices.is_empty() {
            return;
        }
        let against = match self.attempt(draft, indices, judged) {
            Ok(new) => {
                *draft = new;
                indices.iter().for_each(|index| judged[*index].verdict = Verdict::Fine);
                return;
            }
            Err(against) => against,
        };
        let [index] = *indices else {
            let (first, second) = indices.split_at(indices.len() / 2);
            self.prove(draft, first, judged);
            self.prove(draft, second, judged);
            return;
        };
        let one = &mut judged[index];
        match against {
            Against::Bytes if !draft.taken.is_empty() => one.verdict = Verdict::Later,
            // It is asked for, with all others that are.
            Against::Loud(reason, keys) => {
                one.mend.safe = false;
                reason.clone_into(&mut one.mend.reason);
                one.mend.args.insert("keys".to_owned(), keys.into());
            }
            Against::Bytes | Against::Worse(_) => {
                let error = match against {
                    Against::Worse(error) => self.session.texts.get("fix-worse", &[("error".to_owned(), error.into())].into()),
                    _ => self.session.texts.plain("fix-no-edit"),
                };
                match one.mend.otherwise.take() {
                    Some(other) => {
                        let other = self.planned(*other);
                        *one = Judged { id: one.id.clone(), ..other };
                        if one.is_open() {
                            self.prove(draft, indices, judged);
                        }
                    }
                    None => one.verdict = Verdict::Not(error),
                }
            }
        }
    }

    fn attempt(&self, draft: &Draft, indices: &[usize], judged: &[Judged]) -> Result<Draft, Against> {
        let taken: Vec<usize> = draft.taken.iter().chain(indices).copied().collect();
        let mut request = self.session.request.clone();
        for (path, source) in &self.sources {
            let plans = plans(&taken, judged, path);
            if !plans.is_empty() {
                request.drafts.insert(path.clone(), source.with(&plans).ok_or(Against::Bytes)?.into_bytes());
            }
        }
        let facts = self.session.look(&request);
        let consequences = Consequences::of(&facts);
        let mends: Vec<&Mend> = indices.iter().map(|index| &judged[*index].mend).collect();
        if let Some(error) = consequences.worse(&draft.consequences, &mends) {
            return Err(Against::Worse(error));
        }
        if mends.iter().any(|mend| mend.safe)
            && let Some((reason, keys)) = consequences.loud(&draft.consequences, &mends)
        {
            return Err(Against::Loud(reason, keys));
        }
        Ok(Draft { taken, facts: Some(facts), consequences })
    }

    fn texts_of(&self, draft: &Draft, judged: &[Judged]) -> Vec<(PathBuf, String)> {
        let of_file = |(path, source): (&PathBuf, &Source<'_>)| {
            let plans = plans(&draft.taken, judged, path);
            (!plans.is_empty()).then(|| Some((path.clone(), source.with(&plans)?)))?
        };
        self.sources.iter().filter_map(of_file).collect()
    }

    /// The mend with its place in the file as it was, and what it changes by itself.
    fn shown(&mut self, one: &Judged) -> ShownMend {
        let Some(source) = self.sources.get(&one.path) else { return self.session.shown(&one.mend, None) };
        let target = self.session.targets.iter().find(|target| target.path == one.path);
        let original = target.and_then(|target| std::str::from_utf8(&target.bytes).ok()).unwrap_or_default();
        let redactor = self.session.redactor;
        let side = self.sides.entry(one.path.clone()).or_insert_with(|| diff::Side::of(original, source.text(), redactor));
        let line = side.line_in_original(one.mend.edits.first().map_or(1, |edit| edit.line));
        let after = one.plan.as_ref().filter(|_| !matches!(one.verdict, Verdict::Not(_))).and_then(|plan| source.with(&[plan]));
        let diff = after.map(|after| side.unified(&after)).unwrap_or_default();
        self.session.shown(&one.mend, Some((line, diff)))
    }
}

/// The edits of those of `taken` that are in the file `path`.
fn plans<'judged>(taken: &[usize], judged: &'judged [Judged], path: &Path) -> Vec<&'judged Plan> {
    let of_file = taken.iter().map(|index| &judged[*index]).filter(|one| one.path == path);
    of_file.filter_map(|one| one.plan.as_ref()).collect()
}

/// What a mend is known by after it was left: its place may move.
fn identity(mend: &Mend) -> String {
    identity_of(&mend.file, &mend.code, &mend.args)
}

fn identity_of(file: &str, code: &str, args: &Args) -> String {
    let key = args.get("key").map(crate::report::arg_text).unwrap_or_default();
    format!("{file}\n{code}\n{key}")
}

pub(super) fn outcome(facts: &Facts) -> Option<ConfigOutcome> {
    facts.config.value().map(|config| config_outcome(config, facts.codex_version()))
}

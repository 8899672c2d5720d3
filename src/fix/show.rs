//! What a person sees of `fix`.

use codex_triage_checks::facts::config::LayerName;
use codex_triage_checks::{ConfigOutcome, IgnoredKey};

use super::Mode;
use super::files::Trouble;
use crate::i18n::Texts;
use crate::redact::Redactor;
use crate::report::mended::{Mended, ShownMend};
use crate::report::paint::{Paint, Role, harmless};

/// Texts and colours.
pub(super) struct Show<'run> {
    pub(super) texts: &'run Texts,
    pub(super) paint: Paint,
}

impl Show<'_> {
    /// The message `id`.
    pub(super) fn line(&self, id: &str, args: &[(&str, &str)]) -> String {
        let args = args.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        harmless(&self.texts.get(id, &args))
    }

    /// Why a file was left as it is.
    pub(super) fn trouble(&self, trouble: &Trouble, file: &str, redactor: &Redactor) -> String {
        match trouble {
            Trouble::Refused(refused) => format!("{file}: {}", self.texts.plain(refused.message_id())),
            Trouble::Failed(error) => {
                self.line("fix-file-failed", &[("file", file), ("error", &redactor.text(&error.to_string()))])
            }
        }
    }

    /// One mend with its diff.
    pub(super) fn mend(&self, mend: &ShownMend) -> String {
        let place = self.paint.paint(Role::Strong, &format!("{}:{}:{}", mend.file, mend.line, mend.column));
        let mut text = format!("\n  {place}  {}\n", harmless(&mend.message));
        let (role, label) = if mend.safe { (Role::Good, "fix-label-safe") } else { (Role::Caution, "fix-label-unsafe") };
        text.push_str(&format!("  {}  {}\n", self.paint.paint(role, &self.texts.plain(label)), harmless(&mend.reason)));
        if let Some(obstacle) = &mend.obstacle {
            text.push_str(&format!(
                "  {}  {}\n",
                self.paint.paint(Role::Alarm, &self.texts.plain("fix-label-not")),
                harmless(obstacle)
            ));
        }
        for line in &mend.diff {
            let role = match line.as_bytes().first() {
                Some(b'+') => Role::Good,
                Some(b'-') => Role::Alarm,
                _ => Role::Dim,
            };
            text.push_str(&format!("    {}\n", self.paint.paint(role, &harmless(line))));
        }
        text
    }

    /// The whole of what was done and what was not. What was asked for has been shown already.
    pub(super) fn whole(&self, mended: &Mended, outcome: Option<&ConfigOutcome>, mode: Mode, dry_run: bool) -> String {
        let mut text = String::new();
        if mode != Mode::Ask {
            mended.applied.iter().chain(&mended.left).for_each(|mend| text.push_str(&self.mend(mend)));
        } else {
            mended.left.iter().filter(|mend| mend.obstacle.is_some()).for_each(|mend| text.push_str(&self.mend(mend)));
        }
        text.push('\n');
        let mut say = |line: String| {
            text.push_str("  ");
            text.push_str(&line);
            text.push('\n');
        };
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let number = |id: &str, number: usize| harmless(&self.texts.get(id, &[("count".to_owned(), count(number).into())].into()));
        mended.troubles.iter().for_each(|trouble| say(harmless(trouble)));
        let possible = mended.left.iter().filter(|mend| mend.obstacle.is_none()).count();
        if mended.written {
            say(number("fix-applied", mended.applied.len()));
            mended.backups.iter().for_each(|backup| say(self.line("fix-backup", &[("backup", backup)])));
        }
        if mended.applied.is_empty() && mended.left.is_empty() {
            say(self.texts.plain("fix-nothing"));
        } else if dry_run && possible > 0 {
            let safe = mended.left.iter().filter(|mend| mend.safe && mend.obstacle.is_none()).count();
            say(number("fix-dry-run", safe));
        } else if possible > 0 {
            let id = match mode {
                Mode::Ask => "fix-declined",
                Mode::Safe => "fix-left",
                Mode::Show => "fix-not-applied",
            };
            say(number(id, possible));
        }
        if let Some(error) = outcome.and_then(|outcome| outcome.error.as_ref()) {
            let first = error.message.lines().next().unwrap_or_default();
            say(self.line("fix-still-refused", &[("error", first)]));
        }
        let elsewhere = |key: &&IgnoredKey| !matches!(key.layer, LayerName::User | LayerName::Profile);
        let ignored = outcome.map_or(0, |outcome| outcome.ignored.iter().filter(elsewhere).count());
        if ignored > 0 {
            say(number("fix-not-own", ignored));
        }
        if mended.written {
            say(format!("{} {}", self.texts.plain("fix-verify"), self.paint.paint(Role::Command, "codex-triage --allow-cost")));
        }
        text
    }
}

//! The page on `history`, with what it prints of a made-up month.

use std::time::Duration;

use codex_triage::i18n::{Language, Texts};
use codex_triage::report::paint::Paint;
use codex_triage::report::{Report, terminal};

use crate::month;

const HEAD: &str = "\
# `codex-triage history`

Reads, offline, what Codex wrote down of all turns of the last 30 days (`--since 90d`, `--since 2026-11-01`), and tells what failed when.
Nothing is sent, and nothing in CODEX_HOME is written.
";

const REST: &str = "\
## How to read it

- **Rates** are of the turns that ended with an answer or an error; turns that somebody ended are counted apart. The 95 % interval
  (Wilson) says how well a rate is known: 3 failures of 4 turns are not 3 of 400.
- **Kinds** are what each error says by itself, as [the checks](checks/last-errors.md) read it. `undetermined` leaves several causes open,
  as the capacity sentence does when a relay wrote it; `unknown` had no error text, as in releases of Codex up to 0.144.
- **Hours** are local, as the clock showed them then. The shade is the error rate; a narrow mark rests on fewer than ten turns, a blank on
  none. With `--ascii` the marks are letters, and without colour the shapes say the same.
- **Now** is the newest failure: since when the model fails like that without an answer between, or when it answered again.
- **It comes and goes** or **it stays**: capacity has its hours. What fails for 20 hours and more, at three quarters of the day, points
  away from it.
- **Others**: another model that answered within 15 minutes shows that the account was served, and that one model was full.
- **Plan** names hours only where turns were refused surely more or less often than in the others: each hour with the two around it, at
  least 20 turns on at least 3 days, and a 99 % interval. An hour with fewer turns is not known, never quiet.

## As data

`--json` writes the [report](report.schema.json). In `history` are the sums (`by_kind`, `by_model`, `by_provider`, `by_account`), the map
(`by_weekday_hour`, Monday first), `hours`, `streaks`, `bursts`, `neighbours`, `new_models`, and every failure, one to a line, in `events`.
`codex-triage replay` shows such a file again. The exit code is that of the newest failure's verdict, as everywhere.

`--ndjson` writes every turn instead, the answered ones too, one JSON object on a line, oldest first: `at`, `ended` (`succeeded`, `failed`,
`interrupted`, `other`, `running`), `doing` (`answering`, `working-with-tools`, `compacting`), model, provider, thread, and what is known
of its error. Of very many turns the newest 500,000 are written.

## Its cache

What a rollout held is kept in this program's own cache folder (`$XDG_CACHE_HOME/codex-triage` or `~/.cache/codex-triage`, for this user
alone), so that a second look reads only what changed. A file that was changed, cut or replaced is read again, a damaged cache is made
anew, and what holds a secret is not kept. `--no-cache` does without. How long a look takes: [performance](performance.md).
";

pub(crate) fn page() -> String {
    let sample = |command: &str, language: Language| format!("```text\n{}```\n", run(command, language, false));
    let english = sample("codex-triage history", Language::En);
    let chinese = sample("codex-triage history --lang zh", Language::Zh);
    format!("{HEAD}\n![The same in colour](images/history.svg)\n\n{english}\n{REST}\n## In Chinese\n\n{chinese}")
}

/// The page in colour.
pub(crate) fn picture() -> String {
    crate::picture::of(&run("codex-triage history", Language::En, true))
}

fn run(command: &str, language: Language, color: bool) -> String {
    let facts = month::facts(6);
    let texts = Texts::new(language, facts.run.at, facts.run.utc_offset_s);
    let report = Report::of(facts, Vec::new(), &texts);
    let paint = Paint { color, ascii: false };
    let elapsed = Duration::from_millis(90);
    let view = terminal::View { paint, width: 96, on_screen: true, quiet: false, verbose: false, effective: false, elapsed };
    format!("$ {command}\n{}", terminal::write(&report, &texts, view))
}

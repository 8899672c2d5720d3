//! The catalogue of models against the lists that the real releases print. `CODEX_TRIAGE_UPDATE=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use codex_triage_checks::facts::model_cache::ListedModel;
use codex_triage_checks::knowledge::catalogue;
use codex_triage_checks::knowledge::providers::{Release, release};
use serde_json::Value;

/// A list, by slug, and the model that is taken when none is named.
type List = (BTreeMap<String, ListedModel>, String);

/// What `codex debug models --bundled` prints.
fn printed(program: &std::path::Path) -> List {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .args(["debug", "models", "--bundled"])
        .env("CODEX_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let models = list["models"].as_array().unwrap();
    let shown = models.iter().filter(|model| model["visibility"] == "list");
    let first = shown.min_by_key(|model| model["priority"].as_i64()).unwrap()["slug"].as_str().unwrap().to_owned();
    (models.iter().map(listed).map(|model| (model.slug.clone(), model)).collect(), first)
}

fn listed(model: &Value) -> ListedModel {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let each = |list: &Value, key: &str| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|one| text(&one[key])).collect()
    };
    ListedModel {
        slug: text(&model["slug"]).unwrap(),
        listed: model["visibility"] == "list",
        supported_in_api: model["supported_in_api"].as_bool(),
        efforts: each(&model["supported_reasoning_levels"], "effort"),
        default_effort: text(&model["default_reasoning_level"]),
        tiers: each(&model["service_tiers"], "id"),
        context_window: model["context_window"].as_u64(),
        max_context_window: model["max_context_window"].as_u64(),
        upgrade: text(&model["upgrade"]["model"]),
    }
}

/// What our catalogue says of a release.
fn ours(version: &str) -> List {
    let models = catalogue::list(Some(version)).map(|model| (model.slug.clone(), model.clone())).collect();
    (models, catalogue::first(Some(version)).unwrap().to_owned())
}

/// The releases that are installed where `.ci/oracle-install` puts them.
fn installed() -> BTreeMap<Release, (String, PathBuf)> {
    let newest = crate::codex::install(crate::VERSIONS[crate::VERSIONS.len() - 1]);
    let folder = newest.ancestors().nth(4).unwrap();
    let versions = std::fs::read_dir(folder).unwrap().flatten().filter_map(|entry| {
        let version = entry.file_name().into_string().ok()?;
        let program = entry.path().join("node_modules/.bin/codex");
        Some((release(&version).filter(|_| program.exists())?, (version, program)))
    });
    versions.collect()
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn the_catalogue_is_what_the_bundled_lists_say() {
    let mut lists: BTreeMap<Release, (String, List)> =
        catalogue::releases().iter().map(|version| (release(version).unwrap(), (version.clone(), ours(version)))).collect();
    let update = std::env::var_os("CODEX_TRIAGE_UPDATE").is_some();
    for version in crate::VERSIONS {
        crate::codex::install(version);
    }
    let mut compared = 0;
    for (number, (version, program)) in installed() {
        let real = printed(&program);
        match lists.get(&number) {
            Some((_, known)) if !update => assert_eq!(*known, real, "{version}"),
            _ => assert!(
                update || number < release(catalogue::newest()).unwrap(),
                "{version} is new: CODEX_TRIAGE_UPDATE=1 reads it"
            ),
        }
        compared += 1;
        if update {
            lists.insert(number, (version, real));
        }
    }
    assert!(compared >= crate::VERSIONS.len());
    if update {
        let path = crate::root().join("checks/knowledge/model-catalogue.toml");
        let head: String = std::fs::read_to_string(&path)
            .unwrap()
            .lines()
            .take_while(|line| line.starts_with('#'))
            .fold(String::new(), |head, line| head + line + "\n");
        std::fs::write(path, head + &file(&lists.into_values().collect::<Vec<_>>())).unwrap();
    }
}

/// The file, below its comment.
fn file(lists: &[(String, List)]) -> String {
    let today = chrono::Utc::now().format("%Y-%m-%d");
    let mut text = format!("source = \"codex debug models --bundled, {today}\"\nreleases = [\n");
    for line in lists.chunks(8) {
        let names: Vec<String> = line.iter().map(|(version, _)| format!("{version:?}")).collect();
        writeln!(text, "    {},", names.join(", ")).unwrap();
    }
    text += "]\n";
    for (place, (version, (_, first))) in lists.iter().enumerate() {
        if place == 0 || lists[place - 1].1.1 != *first {
            write!(text, "\n[[first]]\nsince = {version:?}\nslug = {first:?}\n").unwrap();
        }
    }
    let slugs: std::collections::BTreeSet<&String> = lists.iter().flat_map(|(_, (models, _))| models.keys()).collect();
    for slug in slugs {
        let mut place = 0;
        while place < lists.len() {
            let same = lists[place..].iter().take_while(|(_, (models, _))| models.get(slug) == lists[place].1.0.get(slug)).count();
            let until = lists.get(place + same).map(|(version, _)| version.as_str());
            if let Some(model) = lists[place].1.0.get(slug) {
                text += &row(model, &lists[place].0, until);
            }
            place += same;
        }
    }
    text
}

fn row(model: &ListedModel, since: &str, until: Option<&str>) -> String {
    let mut row = format!("\n[[model]]\nslug = {:?}\nsince = {since:?}\n", model.slug);
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            writeln!(row, "{name} = {value}").unwrap();
        }
    };
    let quoted = |text: &String| format!("{text:?}");
    let list = |texts: &[String]| Some(format!("[{}]", texts.iter().map(quoted).collect::<Vec<_>>().join(", ")));
    line("until", until.map(|until| format!("{until:?}")));
    line("listed", Some(model.listed.to_string()));
    line("supported_in_api", (model.supported_in_api == Some(false)).then(|| "false".to_owned()));
    line("efforts", list(&model.efforts));
    line("default_effort", model.default_effort.as_ref().map(quoted));
    line("tiers", list(&model.tiers));
    line("context_window", model.context_window.map(|window| window.to_string()));
    line("max_context_window", model.max_context_window.map(|window| window.to_string()));
    line("upgrade", model.upgrade.as_ref().map(quoted));
    row
}

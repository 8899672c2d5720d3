//! Configurations that are valid, or nearly so, before they are damaged.

use std::path::Path;
use std::sync::LazyLock;

use codex_triage_checks::knowledge::config::{Keys, Node, Type};
use fastrand::Rng;

use crate::mutation::{self, Mutation};
use crate::world::Setup;

/// A configuration with the damage `mutation`.
pub(crate) fn setup(random: &mut Rng, version: &str, mutation: Mutation) -> Setup {
    let mut setup = Setup { user: valid(random, version), ..Setup::default() };
    if mutation == Mutation::Layers || random.u8(..8) == 0 {
        spread(random, version, &mut setup);
    }
    mutation::apply(random, version, mutation, &mut setup);
    setup
}

/// Texts of the fixtures that Codex takes.
static WRITTEN: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config-cases");
    let mut cases: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
        .into_iter()
        .filter(|case| {
            let verdict: serde_json::Value = serde_json::from_slice(&std::fs::read(case.join("verdict.json")).unwrap()).unwrap();
            verdict["verdict"] == "accepted" && verdict["layer"] == "user" && verdict["args"].as_array().unwrap().is_empty()
        })
        .filter_map(|case| std::fs::read_to_string(case.join("config.toml")).ok())
        .filter(|text| text.len() < 20_000 && !text.contains("$PROJECT"))
        .collect()
});

/// A text written by a person, or made of keys that the release knows.
fn valid(random: &mut Rng, version: &str) -> String {
    match random.u8(..3) {
        0 => WRITTEN[random.usize(..WRITTEN.len())].clone(),
        1 => made(random, version, 12),
        _ => format!(
            "{}{}",
            made(random, version, 4),
            "\n[tui]\nnotifications = true\n\n[model_providers.relay]\nname = \"Relay\"\nbase_url = \"https://relay.example/v1\"\n\n[mcp_servers.docs]\ncommand = \"docs-server\"\nargs = [\"--stdio\"]\n"
        ),
    }
}

/// Tables that only fit together with others; texts written by persons hold them.
const LEFT_OUT: [&str; 15] = [
    "cli_auth_credentials_store",
    "debug",
    "default_permissions",
    "experimental_compact_prompt_file",
    "experimental_thread_store_endpoint",
    "mcp_oauth_credentials_store",
    "mcp_servers",
    "model_catalog_json",
    "model_instructions_file",
    "model_provider",
    "model_providers",
    "permissions",
    "profile",
    "projects",
    "tui",
];

/// Some keys of the release with values that fit.
pub(crate) fn made(random: &mut Rng, version: &str, count: usize) -> String {
    let root = Keys::of(Some(version)).0.root();
    let names: Vec<&str> = root
        .below
        .iter()
        .filter(|(_, node)| node.key.status.is_known())
        .map(|(name, _)| *name)
        .filter(|name| !LEFT_OUT.contains(name))
        .collect();
    let mut chosen: Vec<&str> = (0..count).map(|_| names[random.usize(..names.len())]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let (mut plain, mut tables) = (String::new(), String::new());
    for name in chosen {
        let node = &root.below[name];
        let is_table = matches!(node.key.kind, Type::Struct(_)) && random.bool();
        if is_table {
            tables.push_str(&format!("\n[{name}]\n"));
            for (below, child) in some(random, node) {
                tables.push_str(&format!("{} = {}\n", quoted(below), value(random, child, &child.key.kind)));
            }
        } else {
            plain.push_str(&format!("{} = {}\n", quoted(name), value(random, node, &node.key.kind)));
        }
    }
    plain + &tables
}

/// The keys that a table must have, and a few that it may have.
fn some<'tree>(random: &mut Rng, node: &'tree Node) -> Vec<(&'tree str, &'tree Node)> {
    let known = node.below.iter().filter(|(_, child)| child.key.status.is_known() && !child.key.unlisted);
    known.filter(|(_, child)| child.key.required || random.u8(..6) == 0).map(|(name, child)| (*name, child)).collect()
}

/// A value that fits, as TOML on one line.
pub(crate) fn value(random: &mut Rng, node: &Node, kind: &Type) -> String {
    let word = |random: &mut Rng, words: &[&str]| format!("{:?}", words[random.usize(..words.len())]);
    match kind {
        Type::Any => "1.5".to_owned(),
        Type::Boolean | Type::Feature => random.bool().to_string(),
        Type::String | Type::Path | Type::EnvironmentVariable => "\"some\"".to_owned(),
        Type::Effort => "\"high\"".to_owned(),
        Type::WireApi => "\"responses\"".to_owned(),
        Type::Integer(_) => random.u8(1..100).to_string(),
        Type::Float | Type::Seconds | Type::Positive => format!("{}.5", random.u8(1..9)),
        Type::Enum(words) | Type::EnumMap(words) | Type::Tag(words) => word(random, words),
        Type::Variants(words) => {
            let plain: Vec<&str> = words.iter().copied().filter(|word| !node.below.contains_key(word)).collect();
            word(random, &plain)
        }
        Type::Array(inner) => match node.below.get("[]") {
            Some(element) => format!("[{}]", value(random, element, &element.key.kind)),
            None => format!("[{}]", value(random, node, inner)),
        },
        Type::Keys => "\"ctrl-a\"".to_owned(),
        Type::GatewayCredential => "{ credential_export = { command = \"some\" } }".to_owned(),
        Type::Untagged(_, kinds) => match kinds[0] {
            "bool" => "true".to_owned(),
            "nz-u16" => "1".to_owned(),
            "strings" => "[\"left\"]".to_owned(),
            "table" | "accesses" => "{}".to_owned(),
            _ => "\"some\"".to_owned(),
        },
        Type::Map(_) | Type::Struct(_) | Type::Tagged(_) => {
            let pairs = some(random, node);
            let pairs = pairs.into_iter().map(|(name, child)| {
                let name = if name == "*" { "own" } else { name };
                format!("{} = {}", quoted(name), value(random, child, &child.key.kind))
            });
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(name: &str) -> String {
    let bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare && name != "*" { name.to_owned() } else { format!("{:?}", if name == "*" { "own" } else { name }) }
}

/// Puts values into other layers, over those of the user and beside them.
fn spread(random: &mut Rng, version: &str, setup: &mut Setup) {
    if random.bool() {
        setup.profile = Some(made(random, version, 4));
    }
    if random.bool() {
        setup.project = Some(made(random, version, 4));
    }
    if random.bool() {
        let text = made(random, version, 3);
        setup.overrides =
            text.lines().take_while(|line| !line.starts_with('[')).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    }
}

use super::*;
use crate::config_keys::tests::layers;

fn of(config: &Config) -> Vec<(String, String, LayerName, Vec<LayerName>)> {
    let keys = keys(config, Codex::of(None));
    keys.into_iter().map(|key| (key.key, key.value.to_string(), key.layer, key.overrides)).collect()
}

fn required(config: Config, values: &[(&str, &str)]) -> Config {
    let requirements = layers(&[(LayerName::Requirements, values)]).layers.remove(0);
    let names = requirements.entries.iter().filter(|entry| entry.path.len() == 1).map(|entry| entry.path[0].as_str());
    let overriding = crate::knowledge::requirements::overriding(names, None);
    Config { overriding, requirements: Some(requirements), ..config }
}

#[test]
fn the_highest_layer_wins_and_the_others_are_named() {
    let config = layers(&[
        (LayerName::System, &[("model", "gpt-5.5"), ("tui.animations", "false")]),
        (LayerName::User, &[("model", "gpt-6-sol"), ("nope", "1"), ("tui.nope", "1")]),
        (LayerName::Project, &[("model_provider", "evil"), ("approval_policy", "never")]),
        (LayerName::Override, &[("model", "gpt-6-luna")]),
    ]);
    let name = |name: &str| name.to_owned();
    assert_eq!(
        of(&config),
        [
            (name("approval_policy"), name("\"never\""), LayerName::Project, vec![]),
            (name("model"), name("\"gpt-6-luna\""), LayerName::Override, vec![LayerName::System, LayerName::User]),
            (name("tui.animations"), name("false"), LayerName::System, vec![]),
        ],
        "neither ignored nor denied keys are in effect"
    );
}

#[test]
fn a_requirement_beats_every_layer_and_takes_a_provider_as_a_whole() {
    let config = layers(&[
        (
            LayerName::User,
            &[("model_provider", "mine"), ("model_providers.corp.name", "U"), ("model_providers.corp.base_url", "u")],
        ),
        (LayerName::Override, &[("model_provider", "other")]),
    ]);
    let config = required(config, &[("model_provider", "corp"), ("model_providers.corp.name", "Corp")]);
    let found = of(&config);
    assert_eq!(found.len(), 2, "{found:?}: the address of the user's provider is gone");
    assert_eq!((found[0].1.as_str(), found[0].2), ("\"corp\"", LayerName::Requirements));
    assert_eq!(found[0].3, [LayerName::User, LayerName::Override]);
    assert_eq!(found[1].1, "\"Corp\"");
    assert_eq!(config.text(&["model_provider"]), Some("corp"));
    assert_eq!(config.text(&["model_providers", "corp", "name"]), Some("Corp"));
    assert_eq!(config.text(&["model_providers", "corp", "base_url"]), None, "no key goes to the user's address");
}

#[test]
fn a_value_that_is_not_allowed_gives_way() {
    let config =
        layers(&[(LayerName::User, &[("approval_policy", "never"), ("web_search", "live"), ("sandbox_mode", "read-only")])]);
    let lists = [
        ("allowed_approval_policies", "[on-request]"),
        ("allowed_sandbox_modes", "[read-only]"),
        ("allowed_web_search_modes", "[]"),
    ];
    let found = of(&required(config, &lists));
    let shown: Vec<_> = found.iter().map(|(key, value, layer, _)| (key.as_str(), value.as_str(), *layer)).collect();
    assert_eq!(
        shown,
        [
            ("approval_policy", "\"on-request\"", LayerName::Requirements),
            ("sandbox_mode", "\"read-only\"", LayerName::User),
            ("web_search", "\"disabled\"", LayerName::Requirements),
        ]
    );
}

#[test]
fn values_and_names_are_written_as_toml_writes_them() {
    let text = |text: &str| EffectiveValue::Scalar(Scalar::String(text.to_owned()));
    let table = EffectiveValue::Table([("a b".to_owned(), text("x\"y"))].into());
    assert_eq!(EffectiveValue::Array(vec![table, text("\\")]).to_string(), r#"[{ "a b" = "x\"y" }, "\\"]"#);
    assert_eq!(dotted(&["model_providers", "my relay", "name"]), "model_providers.\"my relay\".name");
}

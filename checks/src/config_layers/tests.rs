use super::*;
use crate::config_keys::tests::layers;
use crate::facts::Observed;
use crate::facts::environment::{Environment, Variable};

fn facts(config: Config) -> Facts {
    Facts { config: Observed::known(config, "~/.codex/config.toml"), ..Facts::default() }
}

fn with_requirements(values: &[(LayerName, &[(&str, &str)])], required: &[(&str, &str)]) -> Facts {
    let requirements = layers(&[(LayerName::Requirements, required)]).layers.remove(0);
    let names = requirements.entries.iter().filter(|entry| entry.path.len() == 1).map(|entry| entry.path[0].as_str());
    let overriding = crate::knowledge::requirements::overriding(names, None);
    facts(Config { overriding, requirements: Some(requirements), ..layers(values) })
}

fn told(facts: &Facts) -> Vec<(String, String)> {
    let key = |finding: &Finding| match finding.args.get("key").or_else(|| finding.args.get("variable")) {
        Some(crate::finding::Arg::Text(key)) => key.clone(),
        _ => String::new(),
    };
    run(facts).iter().map(|finding| (finding.code.clone(), key(finding))).collect()
}

fn pair(code: &str, key: &str) -> (String, String) {
    (code.to_owned(), key.to_owned())
}

#[test]
fn without_a_company_nothing_is_said() {
    assert_eq!(run(&facts(layers(&[(LayerName::User, &[("model", "gpt-6-sol")])]))), []);
}

#[test]
fn what_gives_way_is_told_at_its_own_place() {
    let user: &[(&str, &str)] = &[
        ("model_provider", "mine"),
        ("approval_policy", "never"),
        ("model_providers.corp.name", "U"),
        ("model_providers.mine.name", "M"),
        ("log_dir", "/same"),
    ];
    let required = [
        ("model_provider", "corp"),
        ("model_providers.corp.name", "Corp"),
        ("allowed_approval_policies", "[on-request]"),
        ("log_dir", "/same"),
        ("nonsense", "1"),
    ];
    let facts = with_requirements(&[(LayerName::User, user), (LayerName::Project, &[("model_provider", "x")])], &required);
    assert_eq!(
        told(&facts),
        [
            pair("config.requirements", ""),
            pair("config.requirement-overrides", "model_provider"),
            pair("config.requirement-overrides", "model_providers.corp"),
            pair("config.requirement-disallows", "approval_policy"),
            pair("config.requirement-unknown-key", "nonsense"),
        ],
        "an equal value gives way to nothing, and that of a project does not count anyway"
    );
    let findings = run(&facts);
    assert_eq!(findings[1].at.as_ref().unwrap().file, "User.toml");
    assert_eq!(findings[1].args["file"], "Requirements.toml:1:1".into());
}

#[test]
fn an_older_release_knows_fewer_requirements() {
    let mut facts = with_requirements(&[(LayerName::User, &[("model", "x")])], &[("otel.environment", "prod")]);
    facts.run.codex_version = Some("0.142.5".to_owned());
    assert_eq!(told(&facts).last().unwrap(), &pair("config.requirement-unknown-key", "otel"));
}

#[test]
fn the_older_form_beats_even_the_command_line() {
    let values: [(LayerName, &[(&str, &str)]); 3] = [
        (LayerName::User, &[("model", "a"), ("tui.animations", "true")]),
        (LayerName::Override, &[("model", "b")]),
        (LayerName::LegacyManaged, &[("model", "c"), ("tui.animations", "true"), ("approval_policy", "never")]),
    ];
    let config = layers(&values);
    let findings = run(&facts(config));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].args["layer"], "override".into());
}

#[test]
fn a_variable_in_both_places_is_told_where_they_differ() {
    let variable = |origin, differs| Variable { name: "RELAY_KEY".to_owned(), origin, blank: false, shown: None, differs };
    let environment = |differs| Environment {
        variables: vec![variable(VariableOrigin::Process, differs), variable(VariableOrigin::DotEnv, differs)],
        left_out: Vec::new(),
    };
    let mut facts = facts(layers(&[]));
    facts.environment = Observed::known(environment(true), "environment");
    assert_eq!(told(&facts), [pair("config.dot-env-beats-shell", "RELAY_KEY")]);
    facts.environment = Observed::known(environment(false), "environment");
    assert_eq!(told(&facts), []);
}

#[test]
fn a_codex_variable_in_the_file_counts_for_nothing() {
    let mut facts = facts(layers(&[]));
    let left_out = vec!["CODEX_API_KEY".to_owned(), "CODEX_HOME".to_owned()];
    facts.environment = Observed::known(Environment { left_out, ..Environment::default() }, "environment");
    let api_key = pair("config.dot-env-left-out", "CODEX_API_KEY");
    assert_eq!(told(&facts), [api_key, pair("config.dot-env-left-out", "CODEX_HOME")]);
    let credentials = crate::facts::credentials::Credentials {
        ignored_variables: vec!["CODEX_API_KEY (~/.codex/.env)".to_owned()],
        ..Default::default()
    };
    facts.credentials = Observed::known(credentials, "auth.json");
    assert_eq!(told(&facts), [pair("config.dot-env-left-out", "CODEX_HOME")], "the credentials' own check tells of the other");
}

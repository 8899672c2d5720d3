//! What Codex really makes of an effort and a tier: the body of its request, against what our findings say of it.

use std::process::{Command, Stdio};

use codex_triage_checks::knowledge::providers::release;
use codex_triage_lab::{Answer, Lab, Scenario};
use serde_json::{Value, json};

/// The first request that a release sends for this model with these settings.
fn request(version: &str, model: &str, settings: &str) -> Value {
    let program = crate::codex::install(version);
    let lab = Lab::start(Scenario::post(Answer::json(400, json!({ "error": { "message": "enough" } })))).unwrap();
    let home = tempfile::tempdir().unwrap();
    let config = format!("model = {model:?}\nopenai_base_url = \"{}\"\n{settings}\n", lab.base_url());
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    std::fs::write(home.path().join("auth.json"), r#"{"OPENAI_API_KEY": "made-up"}"#).unwrap();
    let status = Command::new("timeout")
        .args(["--signal=INT", "--kill-after=5", "30"])
        .arg(program)
        .args(["exec", "--skip-git-repo-check", "hi"])
        .env("CODEX_HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let requests = lab.requests();
    let post = requests.iter().find(|one| one.method == "POST" && one.target.ends_with("/responses"));
    let post = post.unwrap_or_else(|| panic!("{model} on {version}: no request, {status}"));
    serde_json::from_slice(&post.body).unwrap()
}

#[test]
#[ignore = "needs the real Codex CLI"]
fn efforts_and_tiers_are_sent_as_our_findings_say() {
    for version in crate::VERSIONS {
        let effort = |model: &str, effort: &str| {
            let body = request(version, model, &format!("model_reasoning_effort = {effort:?}"));
            body["reasoning"]["effort"].as_str().unwrap_or_default().to_owned()
        };
        // Not offered, and sent all the same, with its capitals.
        assert_eq!(
            (effort("gpt-5.5", "minimal"), effort("gpt-5.5", "High")),
            ("minimal".to_owned(), "High".to_owned()),
            "{version}"
        );
        // `ultra` alone is replaced.
        let highest = if release(version) < release("0.151.0") { "max" } else { "xhigh" };
        assert_eq!(effort("gpt-5.5", "ultra"), highest, "{version}");
        let tier = |tier: &str| request(version, "gpt-5.5", &format!("service_tier = {tier:?}"))["service_tier"].clone();
        assert_eq!((tier("fast"), tier("turbo"), tier("Fast")), (json!("priority"), Value::Null, Value::Null), "{version}");
        let flex = if release(version) < release("0.156.0") { Value::Null } else { json!("flex") };
        assert_eq!(tier("flex"), flex, "{version}");
    }
}

//! The official hosts are a matter of names, never of addresses.

use codex_triage_lab::{Answer, Certificate, Lab, OfficialHosts, Scenario};
use serde_json::json;

/// A request to `https://api.openai.com` inside of the namespace reaches the lab; outside of it, nothing has changed.
#[test]
#[ignore = "needs root and a mount namespace"]
fn the_names_lead_here_only_inside() {
    let scenario = Scenario::models(Answer::json(200, json!({"data": []})));
    let hosts = OfficialHosts::start(scenario, Certificate::Good).unwrap_or_else(|problem| panic!("{problem}"));
    let inside = hosts.command("getent").args(["hosts", "api.openai.com"]).output().unwrap();
    assert!(String::from_utf8_lossy(&inside.stdout).starts_with("127."), "{inside:?}");
    let outside = std::fs::read_to_string("/etc/hosts").unwrap();
    assert!(!outside.contains("api.openai.com"), "the machine's own hosts file was changed");
}

/// Loopback by itself is somebody's relay.
#[test]
#[ignore = "asks the program under test"]
fn loopback_is_not_official() {
    let lab = Lab::start(Scenario::default()).unwrap();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), format!("openai_base_url = \"{}\"\n", lab.base_url())).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_codex-triage"))
        .args(["explain", "--json", "Selected model is at capacity. Please try a different model."])
        .env_clear()
        .env("HOME", home.path())
        .env("CODEX_HOME", home.path())
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"]["cause"], "undetermined", "{}", report["verdict"]);
}

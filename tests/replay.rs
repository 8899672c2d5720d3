//! A replay gives the same report, byte for byte.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use common::{Call, copied, fixture};

#[test]
fn a_replay_is_byte_equal_in_every_language() {
    let homes = std::fs::read_dir(fixture("homes")).unwrap().flatten().map(|entry| entry.path());
    for home in homes {
        let home = copied(&home);
        for language in ["en", "zh"] {
            let folder = tempfile::tempdir().unwrap();
            let report = folder.path().join("report.json");
            for command in [&["--offline"][..], &["history"]] {
                let args = [command, &["--json", "--since", "3650d", "--lang", language]].concat();
                let first = Call::new(&args).home(home.path()).run();
                std::fs::write(&report, &first.stdout).unwrap();
                let again = Call::new(&["replay", "--json", report.to_str().unwrap()]).run();
                assert_eq!(first.stdout, again.stdout);
                assert_eq!(first.code, again.code);
            }
        }
    }
}

#[test]
fn what_is_no_report_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.json", "{}"), ("b.json", "no json"), ("c.json", r#"{"schema_version":"9.0","tool":{},"facts":{}}"#)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let output = Call::new(&["replay", path.to_str().unwrap()]).run();
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains(name));
    }
}

#[test]
fn every_report_fits_the_schema() {
    let schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(common::fixture("../docs/report.schema.json")).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for entry in std::fs::read_dir(fixture("homes")).unwrap().flatten() {
        let home = copied(&entry.path());
        for args in [
            &["--offline", "--json", "--since", "3650d"][..],
            &["history", "--json", "--since", "3650d"],
            &["lint", "--json"],
            &["explain", "--json", "unexpected status 502 Bad Gateway: x"],
        ] {
            let report = Call::new(args).home(home.path()).run().json();
            let problems: Vec<String> =
                validator.iter_errors(&report).map(|error| format!("{} at {}", error, error.instance_path())).collect();
            assert!(problems.is_empty(), "{}: {problems:#?}", entry.path().display());
        }
    }
}

//! `codex-triage fix` as a program: what it writes, what it keeps, what it leaves alone, what it never shows.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Call, Output, snapshot};

/// A home with a configuration of its own.
struct Home {
    scratch: tempfile::TempDir,
}

impl Home {
    fn new(config: &str) -> Self {
        let home = Self { scratch: tempfile::tempdir().unwrap() };
        fs::create_dir(home.path()).unwrap();
        fs::write(home.config(), config).unwrap();
        home
    }

    fn path(&self) -> PathBuf {
        self.scratch.path().join("home")
    }

    fn config(&self) -> PathBuf {
        self.path().join("config.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.config()).unwrap()
    }

    fn fix(&self, args: &[&str]) -> Output {
        self.fix_in(&self.path(), args)
    }

    fn fix_in(&self, directory: &Path, args: &[&str]) -> Output {
        let args: Vec<&str> = ["fix"].into_iter().chain(args.iter().copied()).collect();
        Call::new(&args).home(&self.path()).directory(directory).run()
    }

    fn backups(&self) -> Vec<PathBuf> {
        let of = |folder: PathBuf| fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        of(self.path()).filter(|path| path.to_string_lossy().ends_with(".bak")).collect()
    }
}

const FAULTY: &str = "# head\r\nmodel = \"m\" # mine\r\nmodel_fallback = \"x\"\r\napproval-policy = \"never\"\r\n";

#[test]
fn yes_makes_the_safe_edits_and_no_others() {
    let home = Home::new(FAULTY);
    let output = home.fix(&["--yes"]);
    assert_eq!(home.text(), FAULTY.replace("model_fallback = \"x\"\r\n", ""));
    assert_eq!(output.code, 1, "one is left to a person");
    assert!(output.stdout.contains("codex-triage --allow-cost"), "{}", output.stdout);
    assert!(output.stdout.contains("not safe"), "{}", output.stdout);
    let backups = home.backups();
    assert_eq!(fs::read_to_string(&backups[0]).unwrap(), FAULTY);
    let name = backups[0].file_name().unwrap().to_str().unwrap();
    assert!(output.stdout.contains(&format!("$CODEX_HOME/{name}")), "the copy can be found: {}", output.stdout);
    // Once more there is nothing that may be done unasked.
    let again = home.fix(&["--yes"]);
    assert_eq!((again.code, home.backups().len()), (1, 1), "{}", again.stdout);
}

#[test]
fn nothing_to_mend_is_fine() {
    let home = Home::new("model = \"m\"\n");
    let before = snapshot(&home.path());
    let output = home.fix(&["--yes"]);
    assert_eq!((output.code, output.stdout.trim()), (0, "There is nothing to mend."));
    assert_eq!(snapshot(&home.path()), before);
}

#[test]
fn a_dry_run_and_a_run_that_cannot_ask_write_nothing() {
    let home = Home::new(FAULTY);
    let before = snapshot(&home.path());
    for args in [&["--dry-run"][..], &[]] {
        let output = home.fix(args);
        assert_eq!(output.code, 1);
        assert!(output.stdout.contains("-model_fallback") && output.stdout.contains("Nothing was written"), "{}", output.stdout);
    }
    assert_eq!(snapshot(&home.path()), before);
}

#[test]
fn undo_puts_the_bytes_back_and_refuses_where_they_changed() {
    let home = Home::new(FAULTY);
    assert_eq!(home.fix(&["--undo"]).code, 1, "nothing to undo yet");
    home.fix(&["--yes"]);
    let mended = home.text();
    fs::write(home.config(), format!("{mended}# later\n")).unwrap();
    let refused = home.fix(&["--undo"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains(".bak"), "it says where the copy is: {}", refused.stdout);
    assert_eq!(home.text(), format!("{mended}# later\n"));
    fs::write(home.config(), mended).unwrap();
    assert_eq!(home.fix(&["--undo"]).code, 0);
    assert_eq!(home.text(), FAULTY);
    assert!(home.backups().is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_the_mode_stays() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new("");
    let target = home.scratch.path().join("dotfiles/codex.toml");
    fs::create_dir(target.parent().unwrap()).unwrap();
    fs::write(&target, FAULTY).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    fs::remove_file(home.config()).unwrap();
    symlink(&target, home.config()).unwrap();
    home.fix(&["--yes"]);
    assert!(fs::symlink_metadata(home.config()).unwrap().is_symlink());
    assert!(!fs::read_to_string(&target).unwrap().contains("model_fallback"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&target), 0o640);
    assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1, "no copy where the file may be published");
    assert!(home.backups().len() == 1 && mode(&home.backups()[0]) == 0o640);
    assert_eq!(home.fix(&["--undo"]).code, 0);
    assert_eq!(fs::read_to_string(&target).unwrap(), FAULTY);
    assert!(fs::symlink_metadata(home.config()).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_file_of_a_project_is_never_written_not_even_through_a_link() {
    let home = Home::new("");
    let project = home.scratch.path().join("work");
    fs::create_dir_all(project.join(".codex")).unwrap();
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(project.join(".codex/config.toml"), FAULTY).unwrap();
    fs::write(home.config(), format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", project.display())).unwrap();
    let before = snapshot(&project);
    assert_eq!(home.fix_in(&project, &["--yes"]).code, 0, "the person's own file has no fault");
    fs::remove_file(home.config()).unwrap();
    std::os::unix::fs::symlink(project.join(".codex/config.toml"), home.config()).unwrap();
    let output = home.fix_in(&project, &["--yes"]);
    assert!(output.stdout.contains("belongs to a project"), "{}", output.stdout);
    assert_eq!(output.code, 1);
    assert_eq!(snapshot(&project), before);
}

#[cfg(unix)]
#[test]
fn neither_a_project_elsewhere_nor_a_second_name_is_touched() {
    let home = Home::new(FAULTY);
    let project = home.scratch.path().join("elsewhere/.codex");
    fs::create_dir_all(&project).unwrap();
    fs::rename(home.config(), project.join("config.toml")).unwrap();
    std::os::unix::fs::symlink(project.join("config.toml"), home.config()).unwrap();
    assert!(home.fix(&["--yes"]).stdout.contains("belongs to a project"));
    assert_eq!(home.text(), FAULTY);
    let home = Home::new(FAULTY);
    fs::hard_link(home.config(), home.scratch.path().join("second")).unwrap();
    assert!(home.fix(&["--yes"]).stdout.contains("hard link"));
    assert_eq!(home.text(), FAULTY);
}

#[test]
fn a_report_is_not_written_over_the_file_that_it_is_about() {
    let home = Home::new(FAULTY);
    let output = home.config();
    assert_eq!(home.fix(&["--dry-run", "-o", output.to_str().unwrap()]).code, 2);
    assert_eq!(home.text(), FAULTY);
}

#[cfg(unix)]
#[test]
fn a_write_protected_file_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new(FAULTY);
    fs::set_permissions(home.config(), fs::Permissions::from_mode(0o444)).unwrap();
    let before = snapshot(&home.path());
    let output = home.fix(&["--yes"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("write-protected"), "{}", output.stdout);
    assert_eq!(snapshot(&home.path()), before);
}

#[test]
fn the_file_of_the_profile_is_mended_too() {
    let home = Home::new(FAULTY);
    fs::write(home.path().join("work.config.toml"), "modelVerbosity = \"low\"\n").unwrap();
    home.fix(&["--yes", "-p", "work"]);
    assert_eq!(fs::read_to_string(home.path().join("work.config.toml")).unwrap(), "model_verbosity = \"low\"\n");
    assert!(!home.text().contains("model_fallback"));
    assert_eq!(home.fix(&["--undo", "-p", "work"]).code, 0);
    assert_eq!(home.text(), FAULTY);
    assert_eq!(fs::read_to_string(home.path().join("work.config.toml")).unwrap(), "modelVerbosity = \"low\"\n");
}

#[test]
fn json_holds_what_was_done_and_what_codex_does_now() {
    let home = Home::new(FAULTY);
    let report = home.fix(&["--yes", "--json"]).json();
    assert_eq!(report["mended"]["written"], true);
    assert_eq!(report["mended"]["applied"][0]["args"]["key"], "model_fallback");
    assert_eq!((report["mended"]["applied"][0]["line"].as_u64(), report["mended"]["left"][0]["line"].as_u64()), (Some(3), Some(4)));
    assert_eq!(report["mended"]["left"][0]["safe"], false);
    assert_eq!(report["config"]["ignored"].as_array().unwrap().len(), 1, "of the file as it is now");
    let schema: serde_json::Value = serde_json::from_str(&fs::read_to_string("docs/report.schema.json").unwrap()).unwrap();
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn no_secret_is_shown_whatever_stands_around_the_edit() {
    let config = "model_fallback = \"canary-0\"\nexperimental_bearer_token = \"canary-aaaa-1\"\ndeveloper_instructions = '''\nmodel = canary-bbbb-2\n'''\n# canary-cccc-3\n[model_providers.p]\nname = \"P\"\napi_key = \"canary-dddd-4\"\nbaseUrl = \"https://u:canary-eeee-5@p.example/v1?k=canary-ffff-6\"\nhttp_headers = { A = \"canary-gggg-7\" }\n[mcp_servers.a]\ncommand = \"x\"\ntype = \"stdio\"\nargs = [\"--token\", \"canary-hhhh-8\"]\nenv = { K = \"canary-iiii-9\" }\n";
    for text in [config.to_owned(), format!("{config}[tui]\ntheme = dark\n")] {
        let home = Home::new(&text);
        for args in [&["--dry-run"][..], &["--dry-run", "--json"], &["--yes"], &["--dry-run"]] {
            let output = home.fix(args);
            for part in ["aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg", "hhhh", "iiii"] {
                let leaked = [&output.stdout, &output.stderr].iter().any(|text| text.contains(&format!("canary-{part}")));
                assert!(!leaked, "{part}: {args:?}\n{}", output.stdout);
            }
        }
    }
}

#[test]
fn a_configuration_that_is_still_refused_is_no_success() {
    let home = Home::new("model_fallback = \"x\"\nmodel_provider = \"nobody\"\n");
    let output = home.fix(&["--yes"]);
    assert_eq!(home.text(), "model_provider = \"nobody\"\n");
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("Model provider `nobody` not found"), "{}", output.stdout);
}

#[test]
fn what_is_no_text_and_no_file_is_left_alone() {
    let home = Home::new("");
    fs::write(home.config(), b"model = \"\xff\"\n").unwrap();
    assert_eq!(home.fix(&["--yes"]).code, 1);
    fs::remove_file(home.config()).unwrap();
    assert_eq!(home.fix(&["--yes"]).code, 0, "no file, no fault");
    assert!(!home.config().exists());
    assert_eq!(home.fix(&["--yes", "--dry-run"]).code, 2);
}

#[test]
fn it_speaks_chinese_too() {
    let home = Home::new(FAULTY);
    let output = home.fix(&["--dry-run", "--lang", "zh"]);
    assert!(output.stdout.contains("不安全") && !output.stdout.contains("not safe"), "{}", output.stdout);
}

/// Runs `fix` on a terminal of its own (`script` of util-linux makes one), with these answers.
#[cfg(target_os = "linux")]
#[allow(clippy::disallowed_methods, reason = "the program under test")]
fn on_a_terminal(home: &Home, answers: &str) -> String {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new("script")
        .args(["-qec", concat!(env!("CARGO_BIN_EXE_codex-triage"), " fix --color never"), "/dev/null"])
        .env("CODEX_HOME", home.path())
        .env("HOME", "/nonexistent")
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script (util-linux) can be started");
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_each_edit_is_asked_for() {
    let home = Home::new(FAULTY);
    let said = on_a_terminal(&home, "n\ny\n");
    assert_eq!(home.text(), FAULTY.replace("approval-policy", "approval_policy"), "the first one was declined\n{said}");
    assert!(said.contains("One edit was not made."), "{said}");
    let home = Home::new(FAULTY);
    on_a_terminal(&home, "y\nq\n");
    assert_eq!(home.text(), FAULTY.replace("model_fallback = \"x\"\r\n", ""), "what was said yes to before is kept");
    let home = Home::new(FAULTY);
    on_a_terminal(&home, "maybe\nperhaps\n\u{4}");
    assert_eq!(home.text(), FAULTY, "no answer is no yes");
}

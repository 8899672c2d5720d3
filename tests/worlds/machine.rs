//! A machine built on disk from its script, and the facts that a run on it would collect.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use codex_triage::collect::config::ConfigRequest;
use codex_triage::collect::error_text::Source;
use codex_triage::collect::plan::{self, Plan};
use codex_triage::collect::reachability::{ProbeRequest, proxies};
use codex_triage::redact::Redactor;
use codex_triage::world::World;
use codex_triage_checks::facts::credentials::{CredentialKind, Credentials};
use codex_triage_checks::facts::network::{Answer, Dns, Lookup, Outcome, Reachability, Skew, TransportError};
use codex_triage_checks::facts::run::{Platform, Run, Scope};
use codex_triage_checks::facts::sessions::Disk;
use codex_triage_checks::facts::{Fact, Facts, Observed, SkipReason};
use serde_json::json;

use super::rollouts;
use super::script::{Login, Name, Network, Script};

/// A machine on disk.
pub(crate) struct Machine<'a> {
    pub(crate) script: &'a Script,
    /// The moment that "now" is.
    pub(crate) now: DateTime<Utc>,
    root: tempfile::TempDir,
}

impl<'a> Machine<'a> {
    /// Builds it below a temporary folder, with what lies beside its `world.toml`.
    pub(crate) fn build(script: &'a Script, folder: &Path, now: DateTime<Utc>) -> Self {
        let machine = Self { script, now, root: tempfile::tempdir().unwrap() };
        let home = machine.codex_home();
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(machine.project()).unwrap();
        for (beside, to) in [("home", &home), ("project", &machine.project()), ("etc", &machine.etc())] {
            if folder.join(beside).is_dir() {
                std::fs::create_dir_all(to).unwrap();
                crate::common::copy(&folder.join(beside), to);
            }
        }
        let put = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
        if let Some(config) = &script.config {
            put("config.toml", &machine.filled(config));
        }
        if let Some(auth) = machine.auth() {
            put("auth.json", &auth);
        }
        if let Some(config) = &script.project_config {
            let project = machine.project();
            std::fs::create_dir_all(project.join(".git")).unwrap();
            std::fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            std::fs::create_dir_all(project.join(".codex")).unwrap();
            std::fs::write(project.join(".codex/config.toml"), config).unwrap();
        }
        for (name, megabytes) in &script.bulk_mb {
            let path = home.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Sparse: the size is there, the bytes are not.
            let file = std::fs::File::create(&path).unwrap();
            file.set_len(megabytes * 1_000_000).unwrap();
            file.set_modified((now - TimeDelta::days(40)).into()).unwrap();
        }
        if let Some(version) = &script.installed {
            machine.install(version);
        }
        rollouts::write(script, &home, &machine.project(), now);
        machine
    }

    fn user(&self) -> PathBuf {
        self.root.path().join("user")
    }

    /// CODEX_HOME.
    pub(crate) fn codex_home(&self) -> PathBuf {
        self.user().join(".codex")
    }

    /// The directory that Codex works in.
    pub(crate) fn project(&self) -> PathBuf {
        self.user().join("project")
    }

    fn etc(&self) -> PathBuf {
        self.root.path().join("etc")
    }

    fn filled(&self, text: &str) -> String {
        text.replace("{home}", &self.user().display().to_string()).replace("{project}", &self.project().display().to_string())
    }

    /// The variables of the machine.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let mut environment: BTreeMap<String, String> =
            self.script.environment.iter().map(|(name, value)| (name.clone(), self.filled(value))).collect();
        let windows = self.script.platform == Platform::Windows;
        let home = if windows { "USERPROFILE" } else { "HOME" };
        environment.entry(home.to_owned()).or_insert_with(|| self.user().display().to_string());
        if self.script.installed.is_some() {
            let folder = if windows { "npm" } else { "npm/bin" };
            let path = if windows { "Path" } else { "PATH" };
            environment.insert(path.to_owned(), self.root.path().join(folder).display().to_string());
        }
        environment
    }

    /// Codex as npm installs it globally.
    fn install(&self, version: &str) {
        let npm = self.root.path().join("npm");
        let windows = self.script.platform == Platform::Windows;
        let package = npm.join(if windows { "node_modules/@openai/codex" } else { "lib/node_modules/@openai/codex" });
        std::fs::create_dir_all(package.join("bin")).unwrap();
        let manifest = json!({ "name": "@openai/codex", "version": version, "bin": { "codex": "bin/codex.js" } });
        std::fs::write(package.join("package.json"), manifest.to_string()).unwrap();
        let script = package.join("bin/codex.js");
        std::fs::write(&script, "#!/usr/bin/env node\n").unwrap();
        if windows {
            let shim = "@ECHO off\r\nnode  \"%~dp0\\node_modules\\@openai\\codex\\bin\\codex.js\" %*\r\n";
            std::fs::write(npm.join("codex.cmd"), shim).unwrap();
            return;
        }
        #[cfg(unix)]
        {
            std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            std::fs::create_dir_all(npm.join("bin")).unwrap();
            std::os::unix::fs::symlink("../lib/node_modules/@openai/codex/bin/codex.js", npm.join("bin/codex")).unwrap();
        }
    }

    fn auth(&self) -> Option<String> {
        if let Some(text) = &self.script.auth_json {
            return Some(text.clone());
        }
        if self.script.login.is_none() && self.script.api_key.is_none() {
            return None;
        }
        let mut auth = json!({ "OPENAI_API_KEY": self.script.api_key });
        match &self.script.login {
            Some(login) => self.login(login, &mut auth),
            None => auth["auth_mode"] = json!("apikey"),
        }
        Some(auth.to_string())
    }

    fn login(&self, login: &Login, auth: &mut serde_json::Value) {
        let claimed = login.token_account.as_ref().unwrap_or(&login.account);
        let claims = |end: TimeDelta| {
            let claims = json!({
                "iat": (self.now + login.issued.0).timestamp(), "exp": (self.now + end).timestamp(), "email": "someone@example.org",
                "https://api.openai.com/auth": { "chatgpt_plan_type": login.plan, "chatgpt_account_id": claimed, "chatgpt_user_id": "user-one" },
            });
            format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims.to_string()))
        };
        let refresh = if login.refreshable { "rt_made_up_for_a_test" } else { "" };
        auth["tokens"] = json!({ "id_token": claims(TimeDelta::hours(1)), "access_token": claims(login.ends.0), "refresh_token": refresh,
            "account_id": login.account });
        auth["last_refresh"] = json!((self.now + login.refreshed.0).to_rfc3339());
        if let Some(mode) = &login.mode {
            auth["auth_mode"] = json!(mode);
        }
    }

    /// The facts of a run on it: the disk as it is, the network as the script says.
    pub(crate) fn facts(&self) -> (Facts, Vec<codex_triage::redact::Redaction>) {
        let script = self.script;
        let environment = self.environment();
        let mut world = World::new(environment.clone(), self.project(), None, None, script.platform, self.now, script.utc_offset_s);
        world.system_config = self.etc();
        let redactor = Arc::new(Redactor::new(&world));
        let run = Run {
            at: self.now,
            utc_offset_s: script.utc_offset_s,
            platform: script.platform,
            scope: Scope::Triage,
            offline: true,
            since: self.now - TimeDelta::hours(24),
            cut_short: false,
            codex_version: None,
        };
        let source = script.error_text.clone().map(Source::Argument);
        let plan = Plan { source, ..Plan::new(ConfigRequest::default(), Instant::now() + Duration::from_secs(20)) };
        let mut facts = plan::collect(plan, run, &Arc::new(world), &redactor).unwrap();
        // The disk is that of the script, not of whoever runs the test.
        if let Fact::Known { value: store } = &mut facts.sessions.fact {
            store.disk = Some(Disk { free_bytes: script.free_disk_mb * 1_000_000, total_bytes: 250_000_000_000 });
        }
        if let Some(network) = &script.network {
            facts.run.offline = false;
            overlay(network, &environment, &mut facts);
        }
        (facts, redactor.manifest())
    }
}

/// Puts what the network answers into the facts, in the shape in which the collectors put it.
fn overlay(network: &Network, environment: &BTreeMap<String, String>, facts: &mut Facts) {
    let Some(endpoint) = facts.endpoint.value().cloned() else {
        facts.dns = Observed::skipped(SkipReason::NeedsAnother);
        facts.reachability = Observed::skipped(SkipReason::NeedsAnother);
        facts.clock = Observed::skipped(SkipReason::NeedsAnother);
        return;
    };
    let url = ProbeRequest::to(&endpoint.base_url).url();
    let proxy = url.as_ref().and_then(|url| proxies::choose(environment, url));
    facts.dns = match &endpoint.host {
        None => Observed::skipped(SkipReason::NeedsAnother),
        Some(host) => {
            let dns = Dns {
                name: host.clone(),
                system: lookup(&network.system),
                resolver: lookup(network.resolver.as_ref().unwrap_or(&network.system)),
                through_proxy: proxy.as_ref().is_some_and(proxies::Proxy::resolves_names),
            };
            Observed::known(dns, format!("lookup of {host}"))
        }
    };
    let shown = format!("{}/models", endpoint.base_url.trim_end_matches('/'));
    let sent = facts.credentials.value().and_then(Credentials::used).is_some_and(|credential| {
        use CredentialKind as Kind;
        !matches!(credential.kind, Kind::Keyring | Kind::ProviderCommand | Kind::Bedrock | Kind::AgentIdentity)
    });
    let outcome = outcome(network);
    let answered = matches!(outcome, Outcome::Answered(_));
    let reached = Reachability {
        curl: format!("curl -sS -i --max-time 10 '{shown}'"),
        authenticated: sent,
        withheld: false,
        unusable: false,
        proxy: proxy.map(|proxy| format!("{} {}", proxy.variable, proxy.url)),
        elapsed_ms: 212,
        outcome,
        url: shown.clone(),
    };
    facts.reachability = Observed::known(reached, format!("GET {shown}"));
    let [low_s, high_s] = network.clock_ahead_s;
    facts.clock = match endpoint.host.filter(|_| answered) {
        Some(host) => Observed::known(Skew { host: host.clone(), low_s, high_s }, format!("Date header of {host}")),
        None => Observed::skipped(SkipReason::NeedsAnother),
    };
}

fn lookup(name: &Name) -> Lookup {
    match name {
        Name::Addresses(addresses) => Lookup::Addresses { addresses: addresses.clone() },
        Name::Word(word) if word == "no-such-name" => Lookup::NoSuchName,
        Name::Word(word) if word == "timeout" => Lookup::Timeout,
        Name::Word(error) => Lookup::ServerFailure { error: error.clone() },
    }
}

fn outcome(network: &Network) -> Outcome {
    match (&network.answer, &network.broken) {
        (Some(reply), None) => {
            let mut models = reply.models.clone();
            models.sort();
            Outcome::Answered(Answer {
                status: reply.status,
                headers: reply.headers.clone(),
                shape: reply.shape,
                error_code: reply.code.clone(),
                error_type: reply.kind.clone(),
                error_message: reply.message.clone(),
                models,
                redirect: reply.redirect.clone(),
            })
        }
        (None, Some(broken)) => Outcome::Broken(TransportError {
            stage: broken.stage,
            fault: broken.fault,
            timed_out: broken.timed_out,
            error: broken.error.clone(),
        }),
        _ => panic!("a network has either `answer` or `broken`"),
    }
}

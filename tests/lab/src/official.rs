//! The official hosts on loopback.
//!
//! Codex, and codex-triage, can be made to take a lab for `api.openai.com` without a network and without touching the machine:
//! TLS on port 443 of a loopback address with a certificate from an authority of our own, a hosts file that maps the official
//! names to that address, and a mount namespace in which this file lies over `/etc/hosts`. Needs root on Linux.
//!
//! What makes a host official is its *name*. Loopback as such never counts as official, so nothing in codex-triage knows of
//! this arrangement.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::certificates::{Certificate, NAMES};
use crate::scenario::Scenario;
use crate::server::{Lab, Recorded};

/// Binds the hosts file inside the namespace and becomes the program.
const SCRIPT: &str = "mount --bind \"$LAB_HOSTS\" /etc/hosts && unset LAB_HOSTS && exec \"$@\"";

/// Running official hosts. They end when this value is dropped.
pub struct OfficialHosts {
    lab: Lab,
    folder: tempfile::TempDir,
}

impl OfficialHosts {
    /// Serves `scenario` as all official hosts at once, with `certificate`.
    ///
    /// Each value has a loopback address of its own, so that several can run side by side.
    ///
    /// # Errors
    /// When port 443 cannot be had (it needs root), or namespaces cannot be made here; the error says which.
    pub fn start(scenario: Scenario, certificate: Certificate) -> std::io::Result<Self> {
        static COUNT: AtomicU8 = AtomicU8::new(0);
        check_namespaces()?;
        let process = std::process::id().to_be_bytes();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let address = Ipv4Addr::new(127, 64 | (process[2] & 0x3f), process[3], number.max(1));
        let lab = Lab::listen(scenario, Some(certificate.config()?), SocketAddr::new(IpAddr::V4(address), 443))
            .map_err(|error| std::io::Error::other(format!("cannot serve on {address}:443 (needs root): {error}")))?;
        let folder = tempfile::tempdir()?;
        let official: Vec<&str> = NAMES.into_iter().filter(|name| name.ends_with(".com")).collect();
        std::fs::write(folder.path().join("hosts"), format!("127.0.0.1 localhost\n{address} {}\n", official.join(" ")))?;
        std::fs::write(folder.path().join("authority.pem"), Certificate::AUTHORITY)?;
        Ok(Self { lab, folder })
    }

    /// A command that runs `program` where the official names lead here. Whoever is to trust the certificate must be told
    /// of [`OfficialHosts::authority`] (`CODEX_CA_CERTIFICATE` or `SSL_CERT_FILE`).
    ///
    /// The environment of the command may be changed, but not cleared afterwards.
    #[allow(clippy::disallowed_methods, reason = "starts what the test names")]
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("unshare");
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("LAB_HOSTS", self.folder.path().join("hosts"));
        command.args(["-m", "sh", "-c", SCRIPT, "sh"]).arg(program);
        command
    }

    /// The file with the authority's certificate.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.lab.requests()
    }
}

/// Fails with a plain sentence where mount namespaces cannot be had.
#[allow(clippy::disallowed_methods, reason = "a trial of unshare")]
fn check_namespaces() -> std::io::Result<()> {
    let tried = Command::new("unshare")
        .args(["-m", "sh", "-c", "mount --bind /dev/null /etc/hosts"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| std::io::Error::other(format!("`unshare` (util-linux) cannot be started: {error}")))?;
    if tried.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(std::io::Error::other(format!(
        "the official hosts need a mount namespace, and this machine gives none (run the tests as root on Linux): {said}"
    )))
}

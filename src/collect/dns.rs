//! Name resolution of the endpoint, twice at the same time: by the operating system, as Codex does it, and by asking the
//! configured name servers directly. Never asks for any other name, and never asks any server but the configured ones.

use std::net::IpAddr;
use std::time::Duration;

use codex_triage_checks::facts::Observed;
use codex_triage_checks::facts::network::{Dns, Lookup};
use hickory_resolver::config::{ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::{Resolver, TokioResolver};
use tokio::time::{Instant, timeout_at};

/// How long a name server may take before the next one is asked.
const PER_SERVER: Duration = Duration::from_secs(2);
/// The lookup ends this much before the deadline, so that its outcome is "timed out" and not "never came back".
const MARGIN: Duration = Duration::from_millis(50);

/// Looks `host` up. An address in place of a name is `absent`: there is nothing to look up.
pub async fn collect(host: &str, port: u16, deadline: Instant, through_proxy: bool) -> Observed<Dns> {
    let servers = hickory_resolver::system_conf::read_system_conf();
    collect_from(host, port, deadline, through_proxy, servers).await
}

/// The same with other name servers than the system's.
pub async fn collect_from(
    host: &str,
    port: u16,
    deadline: Instant,
    through_proxy: bool,
    servers: Result<(ResolverConfig, ResolverOpts), NetError>,
) -> Observed<Dns> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let source = "system name servers; operating system lookup";
    if bare.parse::<IpAddr>().is_ok() {
        return Observed::absent("an address, not a name");
    }
    let end = deadline.checked_sub(MARGIN).unwrap_or(deadline);
    let direct = async {
        match servers {
            Ok((config, options)) => ask_servers(bare, config, options, end).await,
            Err(error) => Lookup::ServerFailure { error: format!("name servers of this system: {error}") },
        }
    };
    let (resolver, system) = tokio::join!(direct, ask_system(bare, port, end));
    Observed::known(Dns { name: bare.to_owned(), resolver, system, through_proxy }, source)
}

async fn ask_system(host: &str, port: u16, end: Instant) -> Lookup {
    match timeout_at(end, tokio::net::lookup_host((host, port))).await {
        Err(_) => Lookup::Timeout,
        Ok(Ok(found)) => {
            let mut addresses: Vec<IpAddr> = Vec::new();
            for address in found {
                if !addresses.contains(&address.ip()) {
                    addresses.push(address.ip());
                }
            }
            if addresses.is_empty() { Lookup::NoSuchName } else { Lookup::Addresses { addresses } }
        }
        Ok(Err(error)) => system_error(&error),
    }
}

/// What `getaddrinfo` means. Its codes do not reach us as numbers on Unix, its words (glibc, musl, macOS) do.
fn system_error(error: &std::io::Error) -> Lookup {
    const NO_SUCH_NAME: [&str; 7] = [
        "name or service not known",
        "no address associated",
        "nodename nor servname",
        "name does not resolve",
        "name has no usable address",
        "no such host is known",
        "hostname not found",
    ];
    let text = error.to_string();
    let lower = text.to_ascii_lowercase();
    // Windows: WSAHOST_NOT_FOUND, WSANO_DATA.
    let code = error.raw_os_error();
    if NO_SUCH_NAME.iter().any(|words| lower.contains(words)) || matches!(code, Some(11001 | 11004)) {
        return Lookup::NoSuchName;
    }
    Lookup::ServerFailure { error: text }
}

async fn ask_servers(host: &str, config: ResolverConfig, mut options: ResolverOpts, end: Instant) -> Lookup {
    options.timeout = PER_SERVER;
    options.attempts = 1;
    // The hosts file is the operating system's business: the two lookups are there to be compared.
    options.use_hosts_file = ResolveHosts::Never;
    let resolver: TokioResolver =
        match Resolver::builder_with_config(config, TokioRuntimeProvider::default()).with_options(options).build() {
            Ok(resolver) => resolver,
            Err(error) => return Lookup::ServerFailure { error: error.to_string() },
        };
    // A name with dots is meant as it stands; one without gets the search domains.
    let name = if host.contains('.') && !host.ends_with('.') { format!("{host}.") } else { host.to_owned() };
    match timeout_at(end, resolver.lookup_ip(name)).await {
        Err(_) => Lookup::Timeout,
        Ok(Ok(found)) => {
            let addresses: Vec<IpAddr> = found.iter().collect();
            if addresses.is_empty() { Lookup::NoSuchName } else { Lookup::Addresses { addresses } }
        }
        Ok(Err(error)) => server_error(&error),
    }
}

fn server_error(error: &NetError) -> Lookup {
    match error {
        NetError::Timeout => Lookup::Timeout,
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain | ResponseCode::NoError => Lookup::NoSuchName,
            code => Lookup::ServerFailure { error: code.to_string() },
        },
        NetError::Dns(DnsError::ResponseCode(code)) => Lookup::ServerFailure { error: code.to_string() },
        other => Lookup::ServerFailure { error: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_each_system_for_an_unknown_name_are_understood() {
        for text in [
            "failed to lookup address information: Name or service not known",
            "failed to lookup address information: nodename nor servname provided, or not known",
            "failed to lookup address information: No address associated with hostname",
        ] {
            assert_eq!(system_error(&std::io::Error::other(text)), Lookup::NoSuchName, "{text}");
        }
        let busy = std::io::Error::other("failed to lookup address information: Temporary failure in name resolution");
        assert!(matches!(system_error(&busy), Lookup::ServerFailure { .. }));
    }
}

//! Which proxy a request goes through: the rules of Codex's HTTP client (those of curl, but for `HTTP_PROXY`), as a pure
//! function of the environment.

use std::collections::BTreeMap;
use std::net::IpAddr;

use url::Url;

/// The proxy of a request.
pub struct Proxy {
    /// The variable that names it.
    pub variable: &'static str,
    /// Its address; may hold a user and a password.
    pub url: Url,
}

impl Proxy {
    /// Whether the proxy, and not this machine, resolves the target's name.
    pub fn resolves_names(&self) -> bool {
        !matches!(self.url.scheme(), "socks4" | "socks5")
    }
}

/// The proxy for `target`, if any. Values that Codex's client cannot read are passed over, as it does.
pub fn choose(environment: &BTreeMap<String, String>, target: &Url) -> Option<Proxy> {
    // Inside a CGI program `HTTP_PROXY` may come from a request's header.
    if environment.contains_key("REQUEST_METHOD") || bypassed(environment, target.host_str()?) {
        return None;
    }
    let own: [&'static str; 2] = match target.scheme() {
        "http" => ["HTTP_PROXY", "http_proxy"],
        "https" => ["HTTPS_PROXY", "https_proxy"],
        _ => return None,
    };
    from_variables(environment, own).or_else(|| from_variables(environment, ["ALL_PROXY", "all_proxy"]))
}

/// The first of two spellings that is set wins, even if it is empty.
fn from_variables(environment: &BTreeMap<String, String>, names: [&'static str; 2]) -> Option<Proxy> {
    let (variable, value) = names.into_iter().find_map(|name| Some((name, environment.get(name)?)))?;
    let value = value.trim();
    let url = if value.contains("://") { Url::parse(value) } else { Url::parse(&format!("http://{value}")) };
    let url = url.ok().filter(Url::has_host)?;
    let known = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(&url.scheme());
    known.then_some(Proxy { variable, url })
}

fn bypassed(environment: &BTreeMap<String, String>, host: &str) -> bool {
    let Some(list) = environment.get("NO_PROXY").or_else(|| environment.get("no_proxy")) else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    list.split(',').map(|entry| entry.trim().to_ascii_lowercase()).filter(|entry| !entry.is_empty()).any(|entry| match address {
        Some(address) => covers(&entry, address),
        None => {
            let domain = entry.trim_start_matches('.');
            entry == "*" || host == domain || host.strip_suffix(domain).is_some_and(|before| before.ends_with('.'))
        }
    })
}

/// Whether `entry` is this address or a network that holds it. (`*` speaks of names only.)
fn covers(entry: &str, address: IpAddr) -> bool {
    let (network, length) = match entry.split_once('/') {
        Some((network, length)) => (network, length.parse::<u32>().ok()),
        None => (entry, Some(128)),
    };
    match (network.parse(), address, length) {
        (Ok(IpAddr::V4(network)), IpAddr::V4(address), Some(length)) => {
            let shift = 32 - length.min(32);
            u64::from(network.to_bits()) >> shift == u64::from(address.to_bits()) >> shift
        }
        (Ok(IpAddr::V6(network)), IpAddr::V6(address), Some(length)) => {
            let shift = 128 - length.min(128);
            network.to_bits().checked_shr(shift).unwrap_or(0) == address.to_bits().checked_shr(shift).unwrap_or(0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)], target: &str) -> Option<String> {
        let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        choose(&environment, &Url::parse(target).unwrap()).map(|proxy| format!("{} {}", proxy.variable, proxy.url))
    }

    #[test]
    fn the_scheme_picks_the_variable_and_all_proxy_steps_in() {
        let both = [("HTTP_PROXY", "http://one:1"), ("https_proxy", "two:2"), ("ALL_PROXY", "socks5h://three:3")];
        assert_eq!(chosen(&both, "http://relay.example/v1").as_deref(), Some("HTTP_PROXY http://one:1/"));
        assert_eq!(chosen(&both, "https://relay.example/v1").as_deref(), Some("https_proxy http://two:2/"));
        assert_eq!(chosen(&both[2..], "https://relay.example/v1").as_deref(), Some("ALL_PROXY socks5h://three:3"));
        assert_eq!(chosen(&[], "https://relay.example/v1"), None);
    }

    /// What Codex 0.171.0 did with a relay at `http://127.0.0.1:PORT/v1` (or `localhost`, where the row says so).
    #[test]
    fn the_choice_is_that_of_the_real_codex() {
        let proxy = "http://127.0.0.1:3128";
        for (variables, host, proxied) in [
            (&[("HTTP_PROXY", proxy)][..], "127.0.0.1", true),
            (&[("http_proxy", proxy)], "127.0.0.1", true),
            (&[("ALL_PROXY", proxy)], "127.0.0.1", true),
            (&[("all_proxy", "127.0.0.1:3128")], "127.0.0.1", true),
            (&[("HTTP_PROXY", ""), ("http_proxy", proxy)], "127.0.0.1", false),
            (&[("HTTP_PROXY", "ftp://127.0.0.1:1")], "127.0.0.1", false),
            (&[("HTTP_PROXY", proxy), ("NO_PROXY", "127.0.0.1")], "127.0.0.1", false),
            (&[("HTTP_PROXY", proxy), ("no_proxy", "127.0.0.0/8")], "127.0.0.1", false),
            (&[("HTTP_PROXY", proxy), ("NO_PROXY", "localhost")], "127.0.0.1", true),
            (&[("HTTP_PROXY", proxy), ("NO_PROXY", "*")], "127.0.0.1", true),
            (&[("HTTP_PROXY", proxy), ("NO_PROXY", "*")], "localhost", false),
            (&[("HTTP_PROXY", proxy), ("NO_PROXY", ""), ("no_proxy", "127.0.0.1")], "127.0.0.1", true),
            (&[("HTTP_PROXY", proxy)], "localhost", true),
            (&[("HTTP_PROXY", proxy), ("REQUEST_METHOD", "GET")], "127.0.0.1", false),
        ] {
            assert_eq!(chosen(variables, &format!("http://{host}:8317/v1")).is_some(), proxied, "{variables:?} {host}");
        }
    }

    #[test]
    fn an_empty_or_unreadable_value_is_no_proxy() {
        assert_eq!(chosen(&[("HTTPS_PROXY", ""), ("https_proxy", "http://one:1")], "https://a.example"), None);
        assert_eq!(chosen(&[("HTTPS_PROXY", "ftp://one:1")], "https://a.example"), None);
    }

    #[test]
    fn no_proxy_names_hosts_subdomains_addresses_and_networks() {
        for (list, target, direct) in [
            ("example.com", "https://api.example.com", true),
            (".example.com", "https://example.com", true),
            ("example.com", "https://notexample.com", false),
            ("*", "https://example.com", true),
            ("localhost, 127.0.0.1", "https://127.0.0.1:8080", true),
            ("127.0.0.0/8", "https://127.3.2.1", true),
            ("10.0.0.0/8", "https://127.0.0.1", false),
            ("localhost", "https://127.0.0.1", false),
            ("::1", "https://[::1]:8080", true),
            ("fd00::/8", "https://[fd12::1]", true),
            ("0.0.0.0/0", "https://9.9.9.9", true),
        ] {
            let is_direct = chosen(&[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", list)], target).is_none();
            assert_eq!(is_direct, direct, "{list} {target}");
        }
    }
}

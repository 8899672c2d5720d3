//! DNS: does the endpoint's name resolve, and to an address that makes sense?
//!
//! # What it checks
//! Two lookups of the host that Codex sends its requests to: the operating system's own, which Codex uses, and one that asks
//! the configured name servers directly. Where they differ, something between them (hosts file, VPN, local cache, a broken
//! server) is the reason.
//!
//! # Why it matters
//! Current Codex releases never end on a failed lookup: they say "Reconnecting" for ever and leave no error behind. A name
//! that resolves to a private or placeholder address is answered by a proxy tool or a filter, whatever answers there.
//!
//! # What it cannot tell
//! Through a proxy the name is resolved by the proxy, so local lookups decide nothing. A private address may be intended.
//!
//! # Fix
//! Check the host in `base_url` for a typing error; try another network or name server; look for a stale entry in the hosts
//! file; start or stop the VPN or proxy tool that is supposed to answer.
//!
//! # Example
//! ```text
//! dns.no-such-name  The name api.relay.example does not exist, says every name server that was asked.
//! ```

use std::net::IpAddr;

use crate::facts::endpoint::HostKind;
use crate::facts::network::{Dns, Lookup, Outcome};
use crate::facts::{Fact, Facts};
use crate::finding::{Arg, Finding, Severity};
use crate::kind::{Kind, Target};
use crate::knowledge::hosts::host_kind;

pub(crate) const ID: &str = "dns";

/// Findings about the way to the endpoint speak of one fault; `reachability` uses the same group.
pub(crate) const GROUP: &str = "network-path";

/// A name that no lookup knows stops every request.
const NO_SUCH_NAME: i16 = 30;
/// The operating system alone fails: Codex uses that one, but a second try may succeed.
const SYSTEM_FAILS: i16 = 26;
/// A lookup that ran out of time may be a slow one.
const TIMED_OUT: i16 = 20;
/// A relay's name that does not exist may be misspelt.
const MISSPELT: i16 = 8;

pub(crate) fn codes() -> Vec<String> {
    [
        "dns.no-such-name",
        "dns.private-address",
        "dns.resolver-disagrees",
        "dns.resolves",
        "dns.server-failure",
        "dns.system-disagrees",
        "dns.through-proxy",
        "dns.timeout",
    ]
    .map(str::to_owned)
    .into()
}

pub(crate) fn run(facts: &Facts) -> Vec<Finding> {
    let Fact::Known { value: dns } = &facts.dns.fact else { return vec![Finding::cannot_tell(ID, &facts.dns)] };
    if dns.through_proxy {
        return vec![said(dns, "dns.through-proxy", Severity::Note)];
    }
    match (&dns.system, &dns.resolver) {
        (Lookup::Addresses { addresses }, direct) => resolved(dns, addresses, direct),
        (system, direct) => vec![unresolved(facts, dns, system, direct)],
    }
}

fn resolved(dns: &Dns, addresses: &[IpAddr], direct: &Lookup) -> Vec<Finding> {
    let first = addresses.first().map(ToString::to_string).unwrap_or_default();
    let mut findings = vec![match direct {
        Lookup::Addresses { .. } => said(dns, "dns.resolves", Severity::Ok).weighs(Target::Kind(Kind::NetworkDns), -12),
        _ => said(dns, "dns.resolver-disagrees", Severity::Note).weighs(Target::Kind(Kind::NetworkDns), -8),
    }];
    findings[0] = findings[0].clone().arg("address", first).arg("count", addresses.len() as u64);
    // An official host is never at an address that only has a meaning inside somebody's network.
    if host_kind(&dns.name) == HostKind::Official
        && let Some(address) = addresses.iter().find(|address| !is_public(**address))
    {
        findings.push(said(dns, "dns.private-address", Severity::Note).arg("address", address.to_string()));
    }
    findings
}

fn unresolved(facts: &Facts, dns: &Dns, system: &Lookup, direct: &Lookup) -> Finding {
    let (code, decibans) = match (system, direct) {
        (_, Lookup::Addresses { .. }) => ("dns.system-disagrees", SYSTEM_FAILS),
        (Lookup::NoSuchName, Lookup::NoSuchName) => ("dns.no-such-name", NO_SUCH_NAME),
        (Lookup::NoSuchName, _) => ("dns.no-such-name", SYSTEM_FAILS),
        (Lookup::Timeout, _) => ("dns.timeout", TIMED_OUT),
        (_, _) => ("dns.server-failure", SYSTEM_FAILS),
    };
    let error = match (system, direct) {
        (Lookup::ServerFailure { error }, _) | (_, Lookup::ServerFailure { error }) => error.clone(),
        _ => String::new(),
    };
    // The request got an answer all the same: the failure was one of the moment.
    if matches!(facts.reachability.value().map(|reached| &reached.outcome), Some(Outcome::Answered(_))) {
        return said(dns, code, Severity::Warning).arg("error", error);
    }
    let finding =
        said(dns, code, Severity::Error).arg("error", error).group(GROUP).weighs(Target::Kind(Kind::NetworkDns), decibans);
    let may_be_misspelt = code == "dns.no-such-name" && host_kind(&dns.name) == HostKind::Other;
    if may_be_misspelt { finding.weighs(Target::Kind(Kind::ConfigBaseUrl), MISSPELT) } else { finding }
}

fn said(dns: &Dns, code: &str, severity: Severity) -> Finding {
    Finding::new(ID, code, severity, [("host", Arg::Text(dns.name.clone()))])
        .evidence(format!("operating system: {}", shown(&dns.system)))
        .evidence(format!("name servers: {}", shown(&dns.resolver)))
}

fn shown(lookup: &Lookup) -> String {
    match lookup {
        Lookup::Addresses { addresses } => addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        Lookup::NoSuchName => "NXDOMAIN".to_owned(),
        Lookup::ServerFailure { error } => error.clone(),
        Lookup::Timeout => "timeout".to_owned(),
    }
}

/// Whether an address is one of the public internet. The others: private and shared ranges (RFC 1918, 6598, 4193), loopback,
/// link-local, "this network", and 198.18.0.0/15 (RFC 2544), from which proxy tools hand out stand-ins.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            let stand_in = first == 198 && (second & 0xfe) == 18;
            let shared = first == 100 && (second & 0xc0) == 64;
            !(address.is_private() || address.is_loopback() || address.is_link_local() || first == 0 || shared || stand_in)
        }
        IpAddr::V6(address) => {
            !(address.is_loopback() || address.is_unspecified() || address.is_unique_local() || address.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Observed, SkipReason};

    fn to(address: &str) -> Lookup {
        Lookup::Addresses { addresses: vec![address.parse().unwrap()] }
    }

    fn facts(name: &str, system: Lookup, resolver: Lookup) -> Facts {
        let dns = Dns { name: name.to_owned(), resolver, system, through_proxy: false };
        Facts { dns: Observed::known(dns, "lookup"), ..Facts::default() }
    }

    fn codes_of(facts: &Facts) -> Vec<String> {
        run(facts).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_name_that_both_know_is_fine() {
        assert_eq!(codes_of(&facts("api.openai.com", to("104.18.6.192"), to("104.18.7.192"))), ["dns.resolves"]);
    }

    #[test]
    fn what_codex_can_resolve_is_fine_even_if_the_name_servers_cannot() {
        let findings = run(&facts("relay.lan", to("192.168.1.7"), Lookup::NoSuchName));
        assert_eq!((findings[0].code.as_str(), findings[0].severity), ("dns.resolver-disagrees", Severity::Note));
    }

    #[test]
    fn what_the_operating_system_cannot_resolve_stops_codex() {
        for (system, direct, code) in [
            (Lookup::NoSuchName, Lookup::NoSuchName, "dns.no-such-name"),
            (Lookup::NoSuchName, Lookup::Timeout, "dns.no-such-name"),
            (Lookup::NoSuchName, to("9.9.9.9"), "dns.system-disagrees"),
            (Lookup::Timeout, Lookup::Timeout, "dns.timeout"),
            (Lookup::ServerFailure { error: "SERVFAIL".to_owned() }, Lookup::Timeout, "dns.server-failure"),
        ] {
            let finding = run(&facts("api.openai.com", system, direct)).remove(0);
            assert_eq!((finding.code.as_str(), finding.severity), (code, Severity::Error));
            assert!(finding.weights["network.dns"] >= 20);
        }
    }

    #[test]
    fn a_relay_whose_name_does_not_exist_may_be_misspelt_an_official_host_not() {
        let weights = |name: &str| run(&facts(name, Lookup::NoSuchName, Lookup::NoSuchName)).remove(0).weights;
        assert!(weights("api.relay.example").contains_key("config.base-url"));
        assert!(!weights("api.openai.com").contains_key("config.base-url"));
    }

    #[test]
    fn an_official_host_at_a_private_address_is_noted_and_weighs_nothing() {
        for address in ["198.18.0.5", "198.19.255.1", "10.0.0.1", "127.0.0.1", "0.0.0.0", "100.64.0.1", "fd00::1"] {
            let findings = run(&facts("chatgpt.com", to(address), to(address)));
            assert_eq!(findings[1].code, "dns.private-address", "{address}");
            assert!(findings[1].weights.is_empty());
        }
        assert_eq!(codes_of(&facts("relay.example", to("10.0.0.1"), to("10.0.0.1"))), ["dns.resolves"]);
    }

    #[test]
    fn through_a_proxy_it_decides_nothing() {
        let mut facts = facts("api.openai.com", Lookup::NoSuchName, Lookup::NoSuchName);
        if let Fact::Known { value } = &mut facts.dns.fact {
            value.through_proxy = true;
        }
        let findings = run(&facts);
        assert_eq!(findings[0].code, "dns.through-proxy");
        assert!(findings[0].weights.is_empty());
    }

    #[test]
    fn without_a_lookup_it_says_so() {
        let facts = |dns| Facts { dns, ..Facts::default() };
        assert_eq!(codes_of(&facts(Observed::skipped(SkipReason::Offline))), ["dns.skipped"]);
        assert_eq!(codes_of(&facts(Observed::absent("an address"))), ["dns.absent"]);
        assert_eq!(run(&facts(Observed::failed("broken", "lookup")))[0].severity, Severity::Unknown);
    }
}

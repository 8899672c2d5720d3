dns-resolves = { $host } resolves, here and at the name servers.
dns-resolver-disagrees = { $host } resolves to { $address } on this computer, though the name servers do not answer for it; Codex uses the former, so this is fine.
dns-system-disagrees = The name servers know { $host }, but this computer cannot resolve it, and Codex depends on this computer's answer; a stale cache, a hosts file or a VPN may stand between.
dns-no-such-name = There is no host named { $host }, as far as this computer can find out.
dns-server-failure = The lookup of { $host } failed at the name server ({ $error }).
dns-timeout = The lookup of { $host } got no answer in time.
dns-private-address = { $host } resolves to { $address }, which is not a public address: a proxy tool, VPN or filter answers in its place.
dns-through-proxy = { $host } is resolved by the proxy, so lookups on this computer decide nothing.

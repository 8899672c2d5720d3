dns-resolves = { $host } 可以正常解析，本机与域名服务器结果均可用。
dns-resolver-disagrees = 本机把 { $host } 解析为 { $address }，但域名服务器没有给出结果；Codex 用的是本机的解析，因此没有影响。
dns-system-disagrees = 域名服务器认识 { $host }，本机却解析不了，而 Codex 依赖本机的解析；可能是过期缓存、hosts 文件或 VPN 在中间作怪。
dns-no-such-name = 就本机所能查到的，没有名为 { $host } 的主机。
dns-server-failure = 域名服务器解析 { $host } 时出错（{ $error }）。
dns-timeout = 解析 { $host } 时在限定时间内没有收到回应。
dns-private-address = { $host } 被解析为 { $address }，这不是公网地址：应答的是代理工具、VPN 或过滤软件。
dns-through-proxy = { $host } 由代理负责解析，本机的解析结果不说明问题。

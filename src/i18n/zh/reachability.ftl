reach-models-listed = { $host } 在 { $elapsed } 内返回了 { $count } 个模型的列表：网络通畅，地址正确。（这并不说明还有空余容量。）
reach-model-not-listed = { $host } 列出了 { $count } 个模型，其中没有 { $model }。
reach-answered = { $host } 在 { $elapsed } 内返回状态码 { $status }：网络是通的。
reach-unauthorized = { $host } 不接受 Codex 使用的凭据（状态码 { $status }）。
reach-forbidden-region = { $host } 不为当前网络所在的国家或地区提供服务（状态码 { $status }）。
reach-challenge = 访问 { $host } 时遇到了人机验证页面（状态码 { $status }），Codex 无法通过。常见原因是 VPN 或多人共用的出口地址。
reach-blocked = 访问 { $host } 时被拦截页面挡住（状态码 { $status }）。
reach-gateway-page = 通往 { $host } 途中的网关自己作了应答（状态码 { $status }），它背后的服务没有响应。
reach-server-error = { $host } 返回了服务端错误（状态码 { $status }）。
reach-overloaded = { $host } 表示自己负载已满（状态码 { $status }）。
reach-rate-limited = { $host } 表示请求过于频繁（状态码 { $status }）。
reach-quota = { $host } 表示余额或额度已用完（状态码 { $status }）：{ $error }
reach-no-account = 中转 { $host } 表示号池里没有可用账号，可能是额度用完，也可能是登录失效（状态码 { $status }）：{ $error }
reach-no-channel = 中转 { $host } 表示没有可用的渠道（状态码 { $status }）：{ $error }
reach-not-found = { $host } 在 { $url } 没有模型列表（状态码 404）。许多中转本来就没有；也可能是地址少了一段。
reach-web-page = { $url } 返回的是网页：这是网站的地址，或者途中有认证门户，而不是 API。
reach-redirected = { $host } 把请求转到了 { $location }；经过这样的跳转，Codex 的请求会丢失。
reach-proxy-refuses = 代理 { $proxy } 要求先提供凭据才放行（状态码 { $status }）。
reach-proxy-failed = 代理 { $proxy } 没能连上 { $host }：{ $error }
reach-dns-failed = 发送请求时无法解析 { $host }：{ $error }
reach-connect-failed = 无法连接 { $host }：{ $error }
reach-nothing-listens = { $url } 上没有程序在监听：本机应当运行的中转或模型服务没有启动。
reach-tls-failed = 与 { $host } 的 TLS 握手失败：{ $error }。如果公司会检查流量，需要让 Codex 认识公司的证书。
reach-certificate-date = 按本机时钟，{ $host } 的证书不在有效期内：{ $error }
reach-not-http = { $url } 上应答的服务说的不是该地址所写的协议：{ $error }
reach-not-requestable = 无法向 { $url } 发送请求：{ $error }
reach-cut = { $host } 收下了请求，但连接{ $stage ->
    [body] 在返回到一半时
   *[other] 在返回任何内容之前
}被切断：{ $error }
reach-timeout = { $host } 在{ $stage ->
    [dns] 解析域名时
    [connect] 建立连接时
    [tls] TLS 握手时
    [body] 返回到一半时
   *[other] 收下请求之后
}没有动静，等了 { $elapsed }。
reach-credential-withheld = 这次检查没有把凭据发给 { $host }，因为那样会以明文传输；所以那边是否接受该凭据尚不清楚。
reach-token-to-renew = { $host } 拒绝了已到期的登录令牌；Codex 在发请求之前会先刷新它，所以仅凭这一点不算故障。
reach-unusable-credential = 用于 { $host } 的凭据里含有换行或其他不可见字符；Codex 会不声不响地把它从请求中去掉。
reach-proxy-answered = 代理 { $proxy } 代替 { $host } 作了应答（状态码 { $status }）{ $place ->
    [local] ：发往本机地址的请求也走了代理，应把该地址写进 NO_PROXY
   *[remote] {""}
}。
reach-unclear = { $host } 返回状态码 { $status }，既不能说明 API 对你可用，也不能说明不可用。
reach-garbled = { $host } 用 HTTP 回应了，但响应头无法解析：服务器或中间某个环节有问题。

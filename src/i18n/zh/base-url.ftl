# 请求地址。$key 是给出该地址的配置项。
base-url-ok = 地址格式没有问题：Codex 的请求发往 { $url }。
base-url-lacks-v1 = 地址 { $base_url } 的路径里没有版本号，Codex 会请求 { $url }；多数服务器要的是 { $suggestion }。
base-url-endpoint-pasted = 地址 { $base_url } 末尾已带接口路径，Codex 还会再加一段，变成 { $url }；请改为 { $suggestion }。
base-url-doubled-v1 = 地址 { $base_url } 里版本号写了两次，Codex 会请求 { $url }；请改为 { $suggestion }。
base-url-query = 地址 { $base_url } 带有查询参数，Codex 会把路径接在其后，变成 { $url }；请改为 { $suggestion }，参数放进 `query_params`。
base-url-no-scheme = 地址 { $base_url } 缺少开头的协议，Codex 发不出请求；应写成 { $suggestion }。
base-url-unexpanded = 地址 { $base_url } 里有占位符，Codex 不会替换，请写出完整地址。
base-url-space = 地址 { $base_url } 里有空格，会变成路径的一部分：{ $url }；请改为 { $suggestion }。
base-url-plain-http = 发往 { $base_url } 的请求未加密，密钥也随之明文传输；如果服务器支持，请用 { $suggestion }。
base-url-not-a-url = 地址“{ $base_url }”（来自 { $key }）无法用来发送请求。

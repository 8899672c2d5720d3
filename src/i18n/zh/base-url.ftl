# 请求地址。$key 是给出该地址的配置项。
base-url-ok = 地址格式没有问题：Codex 的请求发往 { $url }。
base-url-lacks-v1 = 地址 { $base_url } 的路径里没有版本号，Codex 会请求 { $url }；多数服务器要的是 { $suggestion }。
base-url-endpoint-pasted = 地址 { $base_url } 末尾已带接口路径，Codex 还会再加一段，变成 { $url }；请改为 { $suggestion }。
base-url-doubled-v1 = 地址 { $base_url } 里版本号写了两次，Codex 会请求 { $url }；请改为 { $suggestion }。
base-url-query = 地址 { $base_url } 带有查询参数，Codex 会把路径接在其后，变成 { $url }；请改为 { $suggestion }，参数放进 `query_params`。
base-url-no-scheme = 地址 { $base_url } 缺少开头的协议，Codex 发不出请求；应写成 { $suggestion }。
base-url-unexpanded = 地址 { $base_url } 里有占位符，Codex 不会替换，请写出完整地址。
base-url-space = 地址 { $base_url } 里有空格，会变成路径的一部分：{ $url }；请改为 { $suggestion }。
base-url-space-before = 地址 { $base_url } 以空格开头。Codex 会把它去掉，别的程序未必。
base-url-space-unusable = 地址以一个特殊的空格开头，Codex 因此什么也发不出去。请改为 { $suggestion }。
base-url-invisible = 地址 { $base_url } 里有一个看不见的字符，它成了请求地址的一部分：{ $url }。请重新输入地址。
base-url-invisible-dropped = 地址 { $base_url } 里有一个看不见的字符。Codex 会把它去掉，别的程序未必。请重新输入地址。
base-url-invisible-unusable = 地址里有一个看不见的字符，Codex 因此什么也发不出去。请重新输入地址。
base-url-user-info = 地址 { $base_url } 里以明文写着用户名或密码（此处不显示）。只有在不发送密钥时，Codex 才用它们登录；有密钥或登录时以后者为准。请把密钥放进环境变量，并在 `env_key` 里写上变量名。
base-url-plain-http = 发往 { $base_url } 的请求未加密，密钥也随之明文传输；如果服务器支持，请用 { $suggestion }。
base-url-not-a-url = 地址“{ $base_url }”（来自 { $key }）无法用来发送请求。
base-url-other-path = 按 { $host } 自己的文档（{ $day }），接口在别处：用 { $base_url } 时 Codex 会请求 { $url }，而那里的地址是 { $suggestion }。
base-url-websocket = 地址 { $base_url } 写成了 WebSocket 的样子，Codex 发不出请求；请写 { $suggestion }，WebSocket 由 Codex 自己建立。
base-url-chat-only = 按 { $host } { $day } 的文档，它只提供 chat completions，没有 Responses API，而 Codex 只会后者：请换一个支持的地址，或用能转换协议的网关。
base-url-unselected = { $fault ->
    [lacks-v1] 目前未使用：地址 { $base_url }（`{ $key }`）的路径里没有版本号；多数服务器要的是 { $suggestion }。
    [other-path] 目前未使用：按 { $host } 自己的文档（{ $day }），接口在 { $suggestion }，不在 { $base_url }（`{ $key }`）。
    [endpoint-pasted] 目前未使用：地址 { $base_url }（`{ $key }`）末尾已带接口路径，Codex 还会再加一段；请改为 { $suggestion }。
    [doubled-v1] 目前未使用：地址 { $base_url }（`{ $key }`）里版本号写了两次；请改为 { $suggestion }。
    [query] 目前未使用：地址 { $base_url }（`{ $key }`）带有查询参数，应放进 `query_params`。
    [no-scheme] 目前未使用：地址 { $base_url }（`{ $key }`）缺少开头的协议；应写成 { $suggestion }。
    [websocket] 目前未使用：地址 { $base_url }（`{ $key }`）写成了 WebSocket 的样子；请写 { $suggestion }。
    [unexpanded] 目前未使用：地址 { $base_url }（`{ $key }`）里有占位符，Codex 不会替换。
    [space] 目前未使用：地址 { $base_url }（`{ $key }`）里有空格；请改为 { $suggestion }。
    [user-info] 目前未使用：地址 { $base_url }（`{ $key }`）里以明文写着用户名或密码。
    [invisible] 目前未使用：地址 { $base_url }（`{ $key }`）里有一个看不见的字符。
    [plain-http] 目前未使用：发往 { $base_url }（`{ $key }`）的请求未加密，密钥也会随之明文传输。
    [chat-only] 目前未使用：按 { $day } 的文档，{ $host }（`{ $key }`）没有 Responses API，而 Codex 只会这一种。
   *[other] 目前未使用：Codex 无法向“{ $base_url }”（`{ $key }`）发送请求。
}
base-url-capitals = { $base_url } 里的版本用了大写；路径区分大小写，多数服务器要的是 { $suggestion }。

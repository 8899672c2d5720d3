# 说法不一致的地方。
contradiction-none = Codex 读取的各处设置互不矛盾。
contradiction-proxies = { $variable } 是 { $value }，{ $other } 却是 { $other_value }：Codex 用 { $variable }，curl 用 { $other }，所以两者的结果不能互相印证。
contradiction-no-proxy = { $variable } 和 { $other } 列出的主机不同；Codex 用 { $variable }（{ $value }），curl 用 { $other }（{ $other_value }）。
contradiction-address-variable = { $variable } 指向 { $named }，但 Codex 请求的是 { $asked }：它不读这个变量。
contradiction-same-address = 有几个提供方的地址相同（{ $base_url }）：{ $providers }。可能是切换工具留下的。
contradiction-openai-base-url = `openai_base_url` 只改变 Codex 自带的提供方 `openai` 的地址；当前选用的是 `{ $selected }`，所以它不起作用。
contradiction-stored-key = { $place } 里存有 API 密钥，但提供方 { $provider } 不用它：它从变量 { $variable } 取密钥，而这个变量没有设置。

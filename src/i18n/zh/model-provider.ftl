# 提供方与模型。
provider-selected = Codex 使用提供方 `{ $provider }`，地址为 { $host }。
provider-selected-without-host = Codex 使用提供方 `{ $provider }`。
provider-undefined = Codex 无法启动：所选的提供方 `{ $provider }` 没有定义。
provider-undefined-case = Codex 无法启动：所选的提供方 `{ $provider }` 没有定义；已定义的是 `{ $suggestion }`，大小写须一致。
provider-relay = { $host } 不是 OpenAI 的官方地址，它关于容量的说法只代表它自己。
provider-unused = 已定义但未使用的提供方（{ $count } 个）：{ $providers }；Codex 实际使用 `{ $selected }`。
model-empty = 模型名是空的，Codex 没有可用的模型。
model-listed = 模型 { $model } 在 Codex 自带的目录里。
model-not-in-catalogue = 已知的目录里没有模型 { $model }；Codex 仍会请求它，但各项上限只能靠猜测。
model-retired = Codex { $until } 的目录里已没有模型 { $model }。
model-needs-newer-codex = 模型 { $model } 从 Codex { $since } 起才有，已安装的 { $installed } 还不认识它。

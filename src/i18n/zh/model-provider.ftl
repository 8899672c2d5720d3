# 提供方与模型。
provider-selected = Codex 使用提供方 `{ $provider }`，地址为 { $host }。
provider-selected-without-host = Codex 使用提供方 `{ $provider }`。
provider-undefined = Codex 无法启动：所选的提供方 `{ $provider }` 没有定义。
provider-undefined-case = Codex 无法启动：所选的提供方 `{ $provider }` 没有定义；已定义的是 `{ $suggestion }`，大小写须一致。
provider-relay = { $host } 不是 OpenAI 的官方地址，它关于容量的说法只代表它自己。
provider-unused = 已定义但未使用的提供方（{ $count } 个）：{ $providers }；Codex 实际使用 `{ $selected }`。
model-empty = 模型名是空的，Codex 没有可用的模型。
# $release 是所判断的 Codex 版本，$age 是本登录的列表获取至今的时间。
model-listed = 模型 { $model } 在 Codex { $release } 自带的列表里。
model-listed-for-login = 模型 { $model } 在 Codex { $age }前为本登录获取的列表里。
model-listed-here = 模型 { $model } 在服务方自己的列表里。
model-superseded = Codex { $release } 不再显示 { $model }，并建议改用 { $upgrade }。
model-by-beginning = Codex { $release } 的列表里没有 { $model } 这个名字，会把它当作 { $known }，并套用其上限。
model-own-catalogue = Codex 认识哪些模型由你自己的 `model_catalog_json` 决定；没有在其中查找 { $model }。
model-not-in-catalogue = Codex { $release } 自带的列表里没有 { $model }；Codex 仍会请求它，但各项上限只能靠假定。
model-not-in-catalogue-case = Codex { $release } 自带的列表里没有 { $model }；有的是 `{ $suggestion }`，大小写须一致。
model-not-in-catalogue-but-offered = Codex { $release } 自带的列表里没有 { $model }，但 { $age }前为本登录获取的列表里有。
model-not-for-this-login = Codex { $age }前为本登录获取的列表里没有 { $model }，请求可能被拒。
model-not-for-this-login-case = Codex { $age }前为本登录获取的列表里没有 { $model }；有的是 `{ $suggestion }`，大小写须一致。
model-retired = 模型 { $model } 自 Codex { $until } 起已不在列表里。
model-retired-for = 模型 { $model } 自 Codex { $until } 起已不在列表里，取代它的是 { $upgrade }。
model-needs-newer-codex = 模型 { $model } 从 Codex { $since } 起才有，Codex { $release } 还不认识它。
model-kept-list-old = 为本登录获取的列表是 { $age }前由 Codex { $fetched_by } 取得的，已不作准；以 Codex 自带的列表为准。
model-not-in-catalogue-slip = Codex { $release } 自带的列表里没有 { $model }；您是指 `{ $suggestion }` 吗？
provider-undefined-alike = Codex 无法启动，因为所选的提供方 `{ $provider }` 没有定义；您是指 `{ $suggestion }` 吗？
provider-undefined-ollama-chat = Codex 无法启动，因为提供方 `ollama-chat` 已被取消；请改用 `ollama`。

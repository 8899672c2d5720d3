# 每个已定义的提供方在密钥和服务上的设置。
provider-settings-ok = 已定义的提供方（{ $count } 个）设置完整。
provider-no-address = 提供方 { $provider } 没有写地址（`base_url`），Codex 会把它的请求发给 { $host }。
provider-no-address-with-key = 提供方 { $provider } 没有写地址（`base_url`），Codex 会把它的请求连同密钥发给 { $host }。请补上服务的地址。
provider-key-in-env-key = 提供方 { $provider } 的 `env_key` 里像是填了密钥本身（此处已遮盖）。这里应写存放密钥的变量名；写进过文件的密钥最好换新。
provider-env-key-not-a-name = 提供方 { $provider } 的 `env_key` 是“{ $variable }”，这不是变量名；Codex 会照字面去找同名变量。
provider-env-key-not-a-name-bare = 提供方 { $provider } 的 `env_key` 是“{ $variable }”：Codex 不做替换，会照字面去找同名变量；请写 `{ $suggestion }`。
provider-env-key-unset = 提供方 { $provider } 从变量 { $variable } 取密钥，但这里没有设置它；没有它，Codex 不会发出请求。
provider-env-key-shell-only = 提供方 { $provider } 的密钥变量 { $variable } 只在当前 shell 里；桌面应用和后台服务看不到它。写进 Codex 主目录的 .env 文件，它们就都能读到。
provider-keys-unset = 如果之后选用：未使用的提供方里有 { $count } 个的密钥变量没有设置：{ $providers }。
provider-capitals = 提供方 `{ $provider }` 不是 Codex 自带的 `{ $built_in }`，大小写有区别；当前选用的是 `{ $selected }`。
azure-path = 提供方 { $provider } 的这个路径上，Azure 没有 Responses API；请用 { $suggestion }。
azure-deployment-in-path = 提供方 { $provider } 的地址里写了部署名；Azure 的 Responses API 改由 `model` 指定部署。请用 { $suggestion }。
azure-api-version = 在这个路径上 Azure 需要版本号，而提供方 { $provider } 没有给：请加上 `query_params = {"{"} api-version = "…" {"}"}`，或改用不需要版本号的 { $suggestion }。
azure-no-key = 提供方 { $provider } 没有向 Azure 发送密钥：请在 `env_key` 里写存放密钥的变量名，或用 `env_http_headers` 以 `api-key` 请求头发送。
azure-openai-login = 提供方 { $provider } 会把 OpenAI 的登录发给 Azure，而 Azure 不认：请删去 `requires_openai_auth`，并在 `env_key` 里写存放 Azure 密钥的变量名。
azure-deployment-name = 在 Azure 上，`model` 是部署的名字：必须有一个部署正好叫 { $model }。
azure-no-model = 在 Azure 上，`model` 是部署的名字；这里没有设置，Codex 会请求它自己的默认模型。
provider-login-sent-elsewhere = Codex 会把您的 ChatGPT 登录凭据发给 { $host }，它不属于 OpenAI：运营这台主机的人可以拿它来使用您的账号。如果这不是您的本意，请改用该主机自己的密钥（`env_key`）。
provider-key-sent-elsewhere = Codex 会把保存的 API 密钥发给 { $host }，它不属于 OpenAI：如果密钥本来就是该主机的，没有问题；否则就等于把您的 OpenAI 密钥交了出去。

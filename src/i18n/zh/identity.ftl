identity-signed-in = { $kind ->
    [chatgpt] Codex 使用 ChatGPT 登录（{ $place }）。
    [api-key] Codex 使用 { $place } 中保存的 API 密钥。
    [env-api-key] Codex 使用环境变量 { $place } 中的密钥。
    [env-access-token] Codex 使用环境变量 { $place } 中的访问令牌。
    [provider-env-key] 按提供方的要求，Codex 使用环境变量 { $place } 中的密钥。
    [provider-bearer] Codex 使用写在配置里的令牌（{ $place }）。
    [provider-command] Codex 通过配置的命令（{ $place }）取得令牌；本工具没有运行该命令。
    [provider-headers] Codex 使用该提供方自己的请求头认证（{ $place }）。
    [personal-access-token] Codex 使用 { $place } 中保存的个人访问令牌。
    [agent-identity] Codex 使用 { $place } 中保存的代理身份。
    [bedrock] Codex 使用 { $place } 中保存的 Bedrock 凭据。
   *[other] Codex 使用 { $place } 中的凭据。
}
identity-not-needed = 该提供方没有配置凭据，Codex 也不会发送。
identity-none = Codex 没有可用于该提供方的凭据：既没有保存的登录，也没有设置它会读取的环境变量。
identity-missing-variable = 该提供方需要环境变量 { $variable } 中的密钥，但它没有设置；缺了它，Codex 不会发出请求。
identity-broken-store = Codex 无法读取保存的登录（{ $reason }），会当作没有登录继续运行。
identity-forced-mismatch = 保存的登录不符合 { $rule } 的要求；下次启动 Codex 时它会被删除。
identity-ignored-variable = 已设置 { $variable }，但 `codex exec` 不会使用它。
identity-ignored-variable-alone = 已设置 { $variable }，且没有登录，但 `codex exec` 不使用这个变量：请用 `codex login --with-api-key` 保存密钥，或设置 CODEX_API_KEY。
identity-env-beats-login = { $variable } 会取代已保存的登录。
identity-both-stored = { $kind ->
    [api-key] 同时保存了 API 密钥和 ChatGPT 登录；Codex 用的是密钥，费用记在密钥的账户上。
   *[other] 同时保存了 API 密钥和 ChatGPT 登录；当前没有使用密钥。
}
identity-organisation-set = 已设置 { $variable }，每个请求都会带上对应的组织或项目；如果不对，请求会被拒绝。
identity-keyring = 登录保存在系统密钥库（{ $place }）中，本工具没有打开它。
identity-expired = 访问令牌已过期 { $age }；Codex 下次启动时会自动续期。
identity-expired-for-good = 访问令牌已过期 { $age }，并且无法续期：请重新登录。
identity-refresh-stale = 上次续期登录是在 { $age } 前；Codex 会在下次请求前尝试续期。
identity-account-mismatch = 保存的登录写的是 { $account }，但令牌属于 { $token }，服务器可能会拒绝。
identity-plan = { $plan ->
    [free] 当前登录是免费套餐，Codex 的额度很少。
   *[other] 当前登录的套餐是“{ $plan }”。
}

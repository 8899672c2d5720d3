# 流传的建议、Codex 的实际做法，以及应当怎么做。
belief-taken = Codex 接受这项设置（按 { $version } 版的配置项核对）。
belief-taken-with-provider = 只要该提供方另有自己的表，Codex 就接受这一行（按 { $version } 版的配置项核对）。
belief-refused = Codex 无法用这项设置启动：{ $error }
belief-does-nothing = Codex 不认识 `{ $key }`，会当它不存在。
belief-noted = `{ $key }` 已过时：Codex 仍接受它，但可能不起作用。
belief-approval-untrusted = Codex 无法启动：`approval_policy = "untrusted"` 从 0.149.0 起会被拒绝。请删掉这一行，或改为 `on-request`。
belief-approval-on-failure = Codex 会不声不响地接受 `approval_policy = "on-failure"`；不必改动，现行文档里用的是 `on-request`。
belief-openai-table = Codex 无法启动：内置提供方的 id 不能重新定义。要改 OpenAI 自己的地址，请在文件开头写 `openai_base_url`；要用中转，请给这个表换个 id，并用 `model_provider` 选用它。
belief-wire-api-chat = Codex 无法启动：`wire_api = "chat"` 已被取消，没有选用的提供方里也不行。如果服务支持 Responses API，删掉这一行即可；否则要有能转换协议的网关才能用。
belief-profile-selector = Codex 无法启动：从 0.134.0 起，文件里的 `profile` 行会被拒绝。请把设置放进同一目录的 `名称.config.toml`，再用 `codex --profile 名称` 启动。
belief-profile-table = Codex 会接受 `[profiles.名称]` 这样的表，但不会用它，而且 `--profile 名称` 会因此失败。请把其中的设置移到同一目录的 `名称.config.toml`。
belief-effort-of-ones-own = 推理强度写什么词 Codex 都接受并发出，服务器可能拒绝，也可能随意处理。请用模型支持的值，例如 `high`。
belief-tier-of-ones-own = 服务档位写什么词 Codex 都接受；模型不支持时，它会给出警告并且不发送。请删掉这一行，或在支持时使用 `flex`。
belief-web-search-flag = Codex 无法启动：文件开头的 `web_search` 只能是 "live"、"indexed"、"cached" 或 "disabled"，不再是 true 或 false。
belief-fast-mode-says = 关掉 `/fast`；也有人说要打开
belief-fast-mode = 两种说法都有，而模型满载时两种档位都会被拒绝：它既不会增加模型的余量，也不会增加你的份额。
belief-windows-sandbox-says = 把 Windows 沙箱改成 "unelevated"，关掉插件
belief-windows-sandbox = 两者都与服务器负载无关。沙箱设置决定命令能做什么，请保持原样。
belief-change-password-says = 改密码、开两步验证、等三个小时
belief-change-password = 其中只有等待有用：满载的模型会自己空出来，与密码无关。
belief-appeal-says = 用一段现成的文字向客服申诉
belief-appeal = 没有证据表明这样的文字有用。客服用得上的是会话编号、时间和错误原文。
belief-delete-sessions-says = 删除会话
belief-delete-sessions = 只有上下文已满时才有用，而且会丢失工作：`codex archive` 可以把会话归档而不丢失。
belief-further-accounts-says = 再买几个账号，或与人合用
belief-further-accounts = 这不是修复办法，既花钱又违反服务条款。请等待，或换一个模型。
belief-it-is-the-relay-says = “是中转的问题”，或“中转没问题，是 OpenAI 的问题”
belief-it-is-the-relay = 经过中转时，这句话什么也证明不了：只要收到那个代码，无论是谁发的，Codex 都会显示它。要看中转自己的回答，再下结论。
belief-openai-variables-says = 在环境里设置 `OPENAI_API_KEY` 或 `OPENAI_BASE_URL`
belief-openai-variables = 这两个变量 `codex exec` 都不读。密钥请用 `codex login --with-api-key` 保存，或放进 `env_key` 指定的变量；地址请写到 config.toml 的 `openai_base_url`。
belief-verbose-says = `codex --verbose`
belief-verbose = Codex 没有这个选项；`RUST_LOG=info codex exec …` 会输出更多信息。
belief-reinstall-says = 重装 Codex
belief-delete-home-says = 删除整个 `~/.codex` 目录
belief-upgrade-says = 升级套餐、使用重置、购买额度
belief-no-certificate-checks-says = 关闭证书检查
advice-list-title = 建议核对表
advice-list-intro = 教程和帖子里的建议、Codex 0.171.0 的实际做法，以及应当怎么做。`codex-triage explain '文字'` 可以核对你看到的设置或说法。
advice-list-settings = 设置
advice-list-steps = 做法
advice-list-says = 建议
advice-list-fate = Codex
advice-list-does = 实际会怎样，应当怎么做
advice-list-fate-accepted = 接受
advice-list-fate-ignored = 忽略
advice-list-fate-rejected = 无法启动

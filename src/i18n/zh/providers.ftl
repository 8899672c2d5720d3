# 现成的备用服务商（docs/providers.zh-CN.md）。
providers-title = 现成的备用服务商
providers-intro = 常用的线路满载或中断时用。把这几行按给出的文件名存到 Codex 目录（`~/.codex`，或 `CODEX_HOME` 所指处）；config.toml 不变，下次不带 `-p` 启动就恢复原样。
providers-old = 这种配置从 Codex 0.134.0 起可用。
providers-save = 存为 `{ $file }`，然后运行：`{ $command }`
providers-key = 把密钥放进变量 `{ $key }`；文件里不写密钥。
providers-without-file = 不用文件：`{ $command }`
providers-source = 来源
providers-end = 只支持 Chat Completions 的服务不能用：Codex 会拒绝 `wire_api = "chat"`。`openai`、`ollama`、`lmstudio` 是内置名，写同名的表会让 Codex 无法启动，尽管有些教程这样写。单独的 `codex --oss` 无法启动：要写明服务和模型。以上文件都通过了真实 Codex 的 `--strict-config`。

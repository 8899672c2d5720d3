# 高于自己文件的配置层。$layer 为 system、user、profile、project、override、legacy-managed 或 requirements。
config-requirements = 这台机器有公司或管理员设定的规则（{ $file }），它优先于你自己的设置。
config-requirement-overrides = 这里的 `{ $key }` 不起作用：{ $file } 要求另一个值，Codex 以它为准。
config-requirement-disallows = { $file } 不允许 `{ $key }` 取这个值；Codex 改用 `{ $instead }`。
config-requirement-unknown-key = `{ $key }` 不起作用：Codex 没有这样的规则项。
config-managed-overrides = 这里的 `{ $key }` 不起作用：{ $file } 设了另一个值，它优先于其他一切设置，包括 -c。
config-dot-env-beats-shell = `{ $variable }` 在终端环境和 Codex 的 .env 文件中值不同；Codex 采用文件里的值。
config-effective-none = Codex 无法启动，因此没有生效的配置。
config-effective-empty = 没有设置任何配置项，全部采用 Codex 的默认值。
config-effective-head = 生效的配置
config-effective-over = 覆盖了 { $layers }
config-layer-system = 系统
config-layer-user = 用户
config-layer-profile = 档案
config-layer-project = 项目
config-layer-override = -c
config-layer-legacy-managed = 托管
config-layer-requirements = 强制

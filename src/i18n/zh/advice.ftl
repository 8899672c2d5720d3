# 建议。一句话，祈使语气；只能使用 checks/knowledge/advice.toml 中该行 needs 列出的值。


## 过载：服务方没有空位。

advice-switch-model = 换用 { $spare }（{ $spare_role }）：会话里输入 `/model`，对话会保留；命令行用 `-m`。
advice-switch-model-listed = 用 `/model` 换一个列表里的模型，对话会保留；命令行用 `-m`。
advice-switch-model-relay = 试试 { $spare }（{ $spare_role }）：这个中转站的列表里有它。
advice-wait-as-asked = 按服务器的要求等 { $retry_after }，再重发。
advice-wait = 等 30 秒再试，之后等 1、2、5 分钟，单次最多 15 分钟；多数情况 5 到 10 分钟就会恢复。
advice-new-session = 新开一个会话，只带上结论；旧会话归档，不要删除。
advice-leave-tier = 这次先别用受限的档位：从 config.toml 去掉 `service_tier = "flex"`，或者换一个档位。
advice-status-page = 先看模型服务方的状态页（OpenAI 是 status.openai.com），再决定要不要动配置。
advice-try-other-model = 用另一个模型发一条短提示：如果也被拒，问题在账号的份额，换模型没有用。
advice-ask-relay = 看中转站的后台，或问它的管理员：号池、余额、这个模型的渠道。
advice-spare-in-script = 脚本和 CI 里写明备用模型，按 30、60、120 秒退避，单次不超过 5 分钟，再切换：现成的写法见 docs/scripting.md。
advice-quiet-hours = 不急的重活放到清早或深夜；急事用稳定的小模型。
advice-quiet-hours-own = 你在 { $busy } 的请求比其他时段更常被拒：不急的重活避开这段时间。
advice-check-recovery = 恢复后先发一条短提示，再跑一个完整的小任务，最后看用量里有没有重试风暴。
advice-ask-support = 如果用量很低，却一整天所有模型都被拒，带上会话 id 和时间点联系客服。
advice-health-check = 批处理前先请求一次模型列表：返回 200 说明密钥和线路没问题，但不代表有空位。
advice-relay-own-words = Codex 丢掉了中转站的原话：发一个小请求直接看。会花少量 token。
advice-spare-provider = 留第二条路：用本地模型，或把这几行存为 Codex 目录下的 `openrouter.config.toml`，再用 `codex -p openrouter`。
advice-own-pool = 团队在简单办法都用尽之后，可以申请专属的容量池。
advice-model-roles = 给模型分工：最强的做大型重构，小的做短平快的活，通用的做日常，便宜的做小任务。
advice-team-page = 团队维护一页说明：试过的模型、备用模型、各适合什么；新模型先由一两个人试一天。
advice-no-upgrade = 升级套餐、买额度、用掉重置机会，对“模型已满”都没用：那不是你的额度问题。
advice-no-reinstall = 重装或重启没用：服务器还是一样满；只有一直重连时才值得重启。
advice-no-model-fallback = Codex 不认 config.toml 里的 fallback 键：用 `-m` 指定备用模型，或照 docs/scripting.md 写进脚本。

## 额度：这个账号的配额。

advice-wait-for-reset = 等到 { $reset }，窗口会重新计算；其他模型大多共用同一个窗口。
advice-find-reset = 查看窗口何时重置：会话里输入 `/status`，或看账号的用量页。
advice-try-after-reset = 再发一次：之前用完的窗口已经重置了。
advice-add-credits = 等不了就加额度或升级套餐，这种情况下有用。
advice-top-up = 到发放密钥的地方充值，并查看每月消费上限。
advice-check-plan = 确认这个登录的套餐包含 Codex 和所用模型；刚升级的话等几分钟，再重新登录。
advice-project-key = 使用对应项目的密钥，或指明组织：内置 provider 会带上 `OPENAI_ORGANIZATION` 和 `OPENAI_PROJECT`。
advice-pause = 停一分钟，或按提示的时间等，并减少并行任务。
advice-fewer-at-once = 降低每分钟的请求量：少开并行任务和子代理，缩短上下文。
advice-close-clients = 关掉同一登录的其他客户端：IDE、桌面应用、后台任务。下面的命令列出本机上的。
advice-small-jobs = 小任务别用最强的模型：{ $spare }（{ $spare_role }）占用的额度更少。
advice-separate-key = 给 CI 和自动化单独的密钥、预算和告警。
advice-organisation-member = 在组织里，和管理员确认项目密钥、套餐等级和月度上限，并移除旧设备。
advice-no-hammering = 反复重发没用：限制解除之前都不会通过。

## 配置。

advice-fix-config-line = 按报告指出的那一行修改，然后重新启动 Codex：它只在启动时读取配置。
advice-choose-served-model = 换一个这里提供的模型，例如 { $spare }（{ $spare_role }）。
advice-list-models = 换成 `/model` 里列出的模型，拼写照抄；用中转站的话，按它自己的列表。
advice-list-served-models = 查询这里实际提供哪些模型。
advice-update-codex = 更新 Codex：新模型需要足够新的版本。
advice-define-provider = 定义 `model_provider` 指定的 provider，拼写要一致，并写上 name 和 base_url。
advice-ready-provider = 或直接用现成的：把这几行存为 Codex 目录下的 `openrouter.config.toml`；docs/providers.md 里还有别家。
advice-fix-base-url = base_url 写到 `/v1` 为止，不要带 `/responses`：Codex 会自己加上。
advice-official-base-url = 要用别的地址访问 OpenAI，在 config.toml 顶层设置 `openai_base_url`。
advice-responses-api = 换一家支持 Responses API 的服务商，或在前面加转译；把这几行存为 `openrouter.config.toml`，再用 `-p openrouter`。
advice-relay-channel = 请中转站管理员为这个模型开通渠道或分组，或换一个它列出的模型。
advice-try-official = 用官方默认值测试一次：这条命令不读你的 config.toml，需要 OpenAI 登录。
advice-verify-edit = 改完之后真正发一条短请求：键写错时 Codex 照样启动。
advice-lint-in-ci = 开工前先检查配置，写法见 docs/onboarding.md。
advice-no-openai-table = `[model_providers.openai]` 会让 Codex 无法启动：这个 id 是保留的，尽管不少教程这么写。
advice-no-chat-wire = Codex 已不接受 `wire_api = "chat"`：只支持 Chat Completions 的服务不能当备用。

## 凭据与时钟。

advice-set-variable = 在启动 Codex 的终端里设置 `{ $variable }`。
advice-renew-key = 把 { $key_place } 里的密钥换成有效的；向发放方确认它是否还能用。
advice-sign-in-again = 先关掉同一登录的其他客户端，再退出并重新登录一次。
advice-organisation-settings = 如果组织设置仍然加载不了，先检查系统时钟；最后再把 { $home } 里的 `auth.json` 移走并重新登录。
advice-which-credential-counts = 看看到底用的是哪个登录：`codex exec` 中 `CODEX_API_KEY` 优先于已保存的登录；环境变量 `OPENAI_API_KEY` 只有被 provider 的 `env_key` 点名时才有效。
advice-own-login-per-machine = 每台机器单独登录；复制的 auth.json 在另一份刷新后就会失效。
advice-sync-clock = 打开时间同步；只是时区不对不会出错。
advice-no-delete-home = 删掉整个 Codex 目录没用：会话没了，问题还在。

## 网络：中间的线路。

advice-check-dns = 这里解析不了域名：检查 VPN、hosts 文件和 DNS 服务器；网络管理员能修。
advice-check-connection = 连接建立不了：检查本机网络、防火墙和 VPN；由管理它们的人处理。
advice-start-local-server = 启动 { $local } 上的本地服务或中转：现在没有程序在监听。
advice-check-proxy = 检查 `HTTPS_PROXY` 等变量里的代理：启动它，或把残留的从环境变量和 `.env` 里去掉。
advice-trust-company-root = 让 Codex 信任公司的根证书；向公司 IT 要这个文件。
advice-other-network = 换个网络或关掉 VPN 试一次；如果所在地区不提供服务，改设置也没用。
advice-tell-gateway = 等 1 到 5 分钟再试一次；如果还是那个页面，把时间和状态码发给网关的管理员。
advice-measure-stage = 看卡在哪一步：这个请求免费，最多 15 秒。
advice-try-again-once = 减少上下文再试一次；如果每次都在差不多的时长断开，说明中间的代理有时限。
advice-allow-host = 请网络和代理的管理员放行 { $host }：不做解密检查，允许长连接。
advice-other-way-out = 用手机热点对比一次：如果能用，就是当前网络的问题，与 Codex 和账号无关。
advice-keep-checks-on = 不要关掉证书校验，否则路上任何人都能读到你的密钥。
advice-no-account-change = 换账号、换密钥、换套餐都没用：请求根本没到。

## 其他：上下文、策略、客户端。

advice-smaller-context = 少发内容：一个会话一个任务，超过一小时就新开；给行号或函数名而不是整个文件，给摘要而不是几十个文件。
advice-compact = 想留在旧会话里，就用 `/compact` 压缩。
advice-archive-large-session = 把最大的会话归档：内容还在，`codex unarchive` 可以取回。
advice-delete-archived = 如果最大的已归档会话里没有需要的内容，就删除它：删除后无法恢复。
advice-migrate-rollouts = 让 Codex 报告哪些旧会话可以迁移到新的存储；不加 `--apply` 只报告。
advice-move-logs-aside = 关掉所有 Codex（包括编辑器和桌面版），把 { $log_database } 及其 `-wal`、`-shm` 移走；Codex 会新建一个。
advice-empty-write-ahead-log = 关掉所有 Codex，用 `sqlite3` 把该数据库的日志写回：`PRAGMA wal_checkpoint(TRUNCATE)`。
advice-bound-prompt-history = 给历史提示词列表设上限（字节），或者不保存：`persistence = "none"`。
advice-leave-session-databases = 删除 `state_5.sqlite` 或 `thread_history_1.sqlite` 没有帮助：名称和置顶会丢失，下次启动还要重读所有会话。
advice-free-disk = 腾出磁盘：关掉所有 Codex，把 `logs_2.sqlite` 及其 `-wal`、`-shm` 移出 { $home }；会话数据库别动。
advice-new-thread = 新开会话，去掉被标记的内容；不要重发同样的提示。如果是误判，提交反馈。
advice-report-bug = 带上这份报告和会话 id 提交问题；其中没有提示词和密钥。
advice-see-more = 想看服务器在流里说了什么，用 `RUST_LOG=info`；没有 `--verbose` 这个参数。会花少量 token。
advice-end-stuck-client = 关闭卡住的窗口，或只结束这一个进程；已写入的内容会保留，可用 `codex resume` 继续。
advice-restart-daemon = 重启卡住的后台服务（进程 { $stuck_daemon }）；正在其中运行的回合会被中断。
advice-restart-stale-client = 只重启卡住的那个客户端：找到它的进程号，单独结束它。
advice-no-kill-by-name = 不要按名字结束所有进程：IDE 和桌面应用里的会话也会一起没掉。
advice-no-larger-window = 在配置里把上下文窗口写大没用：Codex 最多按模型自身的窗口计算。

## 速查表（docs/quick-reference.zh-CN.md）。

quick-ui-title = 速查表
quick-ui-intro = 由建议目录生成；`codex-triage` 会告诉你属于哪一行，以及为什么。
quick-ui-symptom = 现象
quick-ui-first = 先做什么
quick-ui-note = 说明
quick-ui-messages = 按报错信息
quick-ui-patterns = 按现象
quick-ui-in-vain = 没有用的办法
quick-ui-overload = 过载
quick-ui-quota = 额度
quick-ui-config = 配置
quick-ui-network = 网络
quick-ui-other = 其他
quick-ui-models = 换哪个模型
quick-ui-model = 模型
quick-ui-good = 擅长
quick-ui-bad = 不足
quick-ui-spares = 备用，按顺序
quick-now-and-then = 偶尔被拒
quick-now-and-then-note = 正常波动，别的都不用动。
quick-often = 经常被拒
quick-often-note = 拆分任务，缩短会话。
quick-after-switching = 换了模型还是被拒
quick-after-switching-note = 要么配置没生效，要么是登录或账号的问题。
quick-with-timeouts = 被拒，还伴随超时
quick-with-timeouts-note = 看网络，也看上下文大小。
quick-several-people = 好几个人同时被拒
quick-several-people-note = 大家共用一个容量池：重任务错开启动。
quick-works-elsewhere = 一直重连，但新开的会话正常
quick-works-elsewhere-note = 只有这种情况重启才有用。
quick-at-capacity-note = 来自 OpenAI 就是字面意思；来自中转站，背后可能是额度、密钥或没有这个模型。
quick-high-demand-note = 任何 HTTP 500 都会显示成这句，不管是谁返回的。
quick-flex-note = 只是这个档位满了。
quick-usage-limit-note = 不是过载：等五分钟没有用。
quick-status-429-note = Codex 丢掉了原因：可能是限流，中转站上也可能是额度。
quick-quota-exceeded-note = 是 API 密钥的余额，不是 ChatGPT 套餐。
quick-plan-note = 刚升级的套餐要几分钟才生效。
quick-status-401-note = 用自己的密钥时，换密钥而不是重新登录。
quick-refresh-note = 常见于两台机器共用复制来的登录。
quick-model-unknown-note = 名字拼错也是同样的提示。
quick-status-404-note = 如果是 OpenAI 官方地址且没改过，就是服务故障：等。
quick-no-channel-note = 说的是中转站自己，不是 OpenAI。
quick-config-note = 请求还没发出。
quick-wire-api-note = 即使没有选用那个 provider 也会被拒。
quick-waiting-for-network-note = 域名、连接、证书、代理的问题都显示成这句，而且不会自己结束。
quick-closed-early-note = 用中转站时：它可能不支持 Responses API。
quick-blocked-note = 请求根本没到模型。
quick-gateway-note = 提示里出现网页内容，说明是中间设备返回的。
quick-context-note = 别的模型窗口可能更大。

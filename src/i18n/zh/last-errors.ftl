# 检查 last-errors：每个特征一条消息，另加它自己的消息。

errors-none = 自 { $since } 以来读到 { $turns } 个回合，没有一个失败。
errors-unrecognised = 在这段文字里没有认出任何已知的错误。
errors-no-outcome = Codex 开始了一个回合，但既没有打印回答也没有打印错误：它当时在等待。
errors-no-text = 最近一个回合失败了，但这个版本的 Codex 没有保存它的错误文字。
errors-request = { $retries ->
    [0] 服务器的运营方可以用 { $names } 找到失败的请求。
   *[other] 服务器的运营方可以用 { $names } 找到失败请求的最后一次尝试。
    }
errors-interrupted = 最近一个回合在 Codex 保存错误之前就被外部中止了。
errors-capacity = Codex 打印了“容量已满”那句话：链路上有一方返回了“服务器过载”的代码。
errors-capacity-admitted = 这里的请求直接发往 OpenAI，能得到这个回答，说明请求已经走到了准入这一步。
errors-capacity-old-client = 0.155.1 及更早的 Codex 在被限速时也会打印同一句话。
errors-capacity-quoted = 这句“容量已满”夹在另一条消息里，是服务器写的，不是 Codex 写的。
errors-policy-capacity = 留给受限请求的资源池已经没有余量。
errors-flex-capacity = flex 档位目前没有余量。
errors-overloaded-words = 服务器用自己的话说它过载了。
errors-overloaded-words-beside = 除了“容量已满”那句话，服务器还用自己的话说它过载了。
errors-saturated = 中转站说这个分组的上游负载已满。
errors-saturated-429 = 中转站因上游已满而对这个分组限速。
errors-high-demand = 不管原因是什么，只要收到 HTTP 500，Codex 都会打印“需求量过高”。
errors-service-auth-down = 服务器自己的一个内部服务挂了，与你的登录无关。
errors-server-fault = 服务器报告自己出了故障，但没有说明原因。
errors-internal-error = 服务器只报了自身出错，没有别的内容。
errors-server-fault-stream = 服务器已经开始回答，随后报告自己出了故障。
errors-status-5xx = { $status ->
    [none] 服务器返回了自身故障。
   *[other] 服务器返回了 { $status }，属于它自身的故障。
    }
errors-status-5xx-empty = { $status ->
    [none] 服务器返回了故障状态，正文为空。
   *[other] 服务器返回了 { $status }，正文为空。
    }
errors-gateway-page = { $host ->
    [none] 途中的一个网关返回了它自己的页面。
   *[other] { $host } 前面的网关返回了它自己的页面。
    }
errors-gateway-words = { $host ->
    [none] 途中的一个网关连不上它后面的服务。
   *[other] { $host } 前面的网关连不上它后面的服务。
    }
errors-status-52x = { $host ->
    [none] 途中的一个网关没有等到后面服务器的回答。
   *[other] { $host } 前面的网关没有等到后面服务器的回答。
    }
errors-rate-limit = { $retry ->
    [none] 服务器在对这个账号或密钥限速，过一会儿会自行恢复。
   *[other] 服务器在对这个账号或密钥限速，并要求等待 { $retry }。
    }
errors-status-429 = 服务器返回了 429，而 Codex 没有保留其中的原因。
errors-quota-stored = Codex 把这个错误归为“额度用完”。
errors-quota-exceeded = 这个 API 账户的余额或预算已经用完。
errors-usage-limit = { $reset ->
    [none] 套餐的用量上限已到。
   *[other] 套餐的用量上限已到，消息给出的恢复时间是 { $reset }。
    }
errors-limit-told = 你提到已达到使用上限。
errors-workspace-credits = 工作区的点数已用完，或已到消费上限。
errors-plan = 这个账号的套餐不包含 Codex 或这个模型。
errors-balance = 这个接口的提供方说余额或密钥额度已经用完。
errors-status-402 = 服务器返回了 402：需要先付费。
errors-concurrency = 这个登录或密钥同时运行的请求太多。
errors-cooldown = { $reset ->
    [none] 中转站因之前触发限额，暂时停用了它的账号。
   *[other] 中转站因之前触发限额，暂时停用了它的账号，时长 { $reset }。
    }
errors-no-account = 中转站没有可用账号：是额度用完、冷却中还是登录失效，它没有说明。
errors-no-channel = { $model ->
    [none] 中转站在你的分组里没有这个模型的渠道。
   *[other] 中转站在你的分组里没有 { $model } 的渠道。
    }
errors-relay-refuses = 中转站不支持转发 Codex 发送的内容。
errors-model-unknown = { $model ->
    [none] 这个服务器不提供该模型，或不向你提供。
   *[other] 这个服务器不提供 { $model }，或不向你提供。
    }
errors-value-refused = { $model ->
    [none] 服务器不接受该模型的某项设置（例如推理强度或服务档位）。
   *[other] 服务器不接受 { $model } 的某项设置（例如推理强度或服务档位）。
    }
errors-model-gone-official = 官方地址对某个模型返回 404：模型已下线，或服务出了故障；无权使用的模型在那里是 400。
errors-status-404 = { $host ->
    [none] 服务器上没有这个地址。
   *[other] { $host } 上没有这个地址。
    }
errors-status-405 = { $host ->
    [none] 服务器在这个地址不接受此类请求。
   *[other] { $host } 在这个地址不接受此类请求。
    }
errors-address-doubled = { $host ->
    [none] 地址里有一段重复了：Codex 会自己在 base URL 后面补上结尾。
   *[other] { $host } 的地址里有一段重复了：Codex 会自己在 base URL 后面补上结尾。
    }
errors-address-foreign-path = OpenAI 的主机上没有这个路径，base URL 少了或多了一段。
errors-address-without-version = { $host ->
    [none] 地址里没有版本段，而多数服务器需要它。
   *[other] { $host } 的地址里没有版本段，而多数服务器需要它。
    }
errors-address-web-page = { $host ->
    [none] 这个地址可能是网页而不是接口：里面没有版本段。
   *[other] { $host } 的地址可能是网页而不是接口：里面没有版本段。
    }
errors-address-malformed = base URL 不是有效的地址。
errors-address-blamed = 错误指出配置中的地址缺失或有误。
errors-wire-api = 协议不匹配：Codex 只使用 Responses API。
errors-config-rejected = { $place ->
    [none] Codex 不接受它的配置文件。
   *[other] Codex 不接受它的配置文件（{ $place }）。
    }
errors-provider-missing = 选中的提供方没有定义，或它的本地服务没有运行。
errors-variable-missing = { $variable ->
    [none] 提供方需要从一个环境变量读取密钥，而它没有设置。
   *[other] 提供方需要从 { $variable } 读取密钥，而它没有设置。
    }
errors-variable-unset = 保存 API key 的环境变量没有设置。
errors-mcp-failed = 有一个工具服务器没有启动，但单凭这一点不会让请求失败。
errors-mcp-command = 找不到某个工具服务器的启动命令。
errors-key-refused = 服务器不接受这个密钥或令牌。
errors-refresh-failed = 保存的登录已失效，而且无法续期。
errors-refresh-server-down = 登录无法续期，因为登录服务器出了故障。
errors-refresh-unreachable = 登录无法续期，因为连不上登录服务器。
errors-scopes = 这个登录或密钥没有使用该接口的权限。
errors-organisation = 这个账号所属的组织或工作区不允许此请求。
errors-phone-gate = 登录要求验证手机号，或不接受所填的号码。
errors-workspace-deactivated = 选中的工作区已停用。
errors-account-deactivated = 服务器说这个账号已关闭或被停用。
errors-keyring = 操作系统的凭据库无法使用。
errors-clock = 本机时间与服务器时间不一致。
errors-status-401 = 服务器返回了 401：不接受当前凭据。
errors-unauthorized-stored = Codex 把这个错误归为“未授权”。
errors-status-403 = { $host ->
    [none] 服务器返回了 403，原因不明。
   *[other] { $host } 返回了 403，原因不明。
    }
errors-sign-in-failed = 登录没有成功。
errors-login-port = 登录流程无法使用它的本地端口。
errors-dns = { $host ->
    [none] 服务器的域名解析失败。
   *[other] 域名 { $host } 解析失败。
    }
errors-tls = { $host ->
    [none] 无法建立安全连接，证书未被接受。
   *[other] 无法与 { $host } 建立安全连接，证书未被接受。
    }
errors-proxy = 代理拒绝了请求或出了故障。
errors-status-407 = 代理要求登录验证。
errors-refused = { $host ->
    [none] 连接被拒绝，或没有可用路由。
   *[other] 到 { $host } 的连接被拒绝，或没有可用路由。
    }
errors-timed-out = { $host ->
    [none] 没有及时收到回答。
   *[other] 没有及时收到 { $host } 的回答。
    }
errors-status-408 = 途中有一方等待请求超时。
errors-send-failed = { $host ->
    [none] 请求发不出去，或在收到回答之前被切断。
   *[other] 发往 { $host } 的请求发不出去，或在收到回答之前被切断。
    }
errors-send-failed-loopback = 请求发往本机，而那里可能没有程序在监听。
errors-waiting-for-network = Codex 在等待一个始终建立不起来的连接。
errors-transport = { $host ->
    [none] 连接在回答中途被切断。
   *[other] 到 { $host } 的连接在回答中途被切断。
    }
errors-stream-closed = { $host ->
    [none] 回答在没有结束事件的情况下中断了。
   *[other] { $host } 的回答在没有结束事件的情况下中断了。
    }
errors-stream-disconnected = Codex 说数据流中断了，真正的原因在别处。
errors-reconnecting = Codex 尝试过重新连接。
errors-websocket-fallback = Codex 从 WebSocket 换成了 HTTPS，这只是一个警告。
errors-region = 请求来自该服务不支持的地区。
errors-blocked-page = 回答的不是接口，而是拦截页或验证页。
errors-blocked-html = 服务器以网页形式返回了 403，像是拦截页。
errors-context-full = 对话已经放不进模型的上下文。
errors-body-too-large = 请求的大小超过了途中某一方的限制。
errors-status-413 = { $host ->
    [none] 请求的大小超过了服务器的限制。
   *[other] 请求的大小超过了 { $host } 的限制。
    }
errors-policy = 服务器出于政策原因拒绝或改派了这个请求。
errors-request-blocked = 请求被拦截，没有给出原因。
errors-policy-told = 你提到安全检查中止了这一轮。
errors-encrypted-content = 对话里含有当前账号或服务器无法解密的推理内容。
errors-payload-refused = 服务器不接受所发送对话中的某一部分。
errors-input-blamed = 服务器指出客户端发送的某一部分有问题。
errors-answer-unreadable = Codex 无法解读服务器的回答。
errors-sign-in-refused = 登录服务器拒绝了请求，多半与地区或出口地址有关。
errors-relay-upstream = 中转站转告了上游的故障，但没有说明原因。
errors-bad-request = 服务器认为请求无效。
errors-status-422 = 服务器无法处理这样的请求。
errors-adapter-conflict = Codex 与模型之间的适配层报告了它自己的故障。
errors-client-cache = Codex 读不了自己的模型缓存，可能是另一个版本写的。
errors-disk-full = 会话或日志文件占满了磁盘。
errors-local-state = Codex 无法使用它自己的某个数据库或会话文件。
errors-sandbox = 用于执行命令的沙箱无法建立。
errors-crash = 某个 Codex 进程因自身故障退出了。
errors-app-start = 应用或编辑器扩展没能启动。
errors-installation = Codex 本身没有装全，或终端找不到它。
errors-compaction-answer = 返回内容中没有 Codex 所要求的压缩结果。
errors-protocol = 某个客户端与 Codex 的 app server 无法互相理解。
errors-model-metadata = 这个版本的 Codex 不认识该模型名。
errors-said-other-model-works = 你提到别的模型可用，或只有一个模型失败。
errors-said-all-models = 你提到所有模型都失败。
errors-said-other-account-works = 你提到问题只跟着某个账号走。
errors-said-usage-low = 你提到额度还剩很多。
errors-said-usage-full = 你提到用量窗口刚刚用完。
errors-said-stale-client = 你提到只有正在运行的窗口失败，新开的窗口正常。
errors-said-many-at-once = 你提到有多个会话同时在跑。
errors-said-restart-fixed = 你提到重启之后就好了。
errors-said-proxy-left-over = 你提到有一个代理设置还在，但代理本身已经不在了。
errors-said-proxy = 你提到中间有代理。
errors-said-vpn = 你提到与 VPN 有关。
errors-said-context-large = 你提到对话很长或与压缩有关。
errors-said-changed-by-itself = 你提到某个值不是你设的，或自己变了。
errors-said-incident = 你提到别人也受影响，或有服务事故。
errors-said-relay = 你提到中间有中转站或别的提供方。
errors-unread = { $first ->
    [none] 有 { $count } 个会话文件没有读到，里面可能有更新的错误。
   *[other] 有 { $count } 个会话文件没有读到（包括 { $first }），里面可能有更新的错误。
    }
errors-broken-records = 会话文件里有 { $count } 条损坏的记录，已跳过。
errors-running = 有一个回合还没有结束，已经 { $silent }没有写入任何内容；请看看 Codex 正显示什么。
errors-ahead = 有 { $count } 个回合的时间还没有到：写入时时钟走快了，所以不会把它们当作最近的错误。

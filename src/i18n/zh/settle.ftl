# 如何区分剩下的两种可能。没有参数：值都在旁边的命令里。

settle-repeat-with-log = 这一轮被外部中断，没有留下错误：加上 `RUST_LOG=info` 重跑一次，会打印服务器在流里返回的内容。会花少量 token。
settle-relay-words = Codex 丢掉了中转站的原话：发一个小请求直接看。会花少量 token。
settle-ask-once = 向模型发一个小请求，就能看到被 Codex 丢掉的服务器原话。会花少量 token，被拒绝则不花。
settle-raw-answer = 看原始返回：Responses API 返回 `event:` 行；网页或其他 JSON 都不是。会花少量 token。
settle-look-online = 这次没有检查网络：去掉 `--offline` 再跑一次。
settle-who-answered = 看是谁在回答：响应头里有 `x-request-id` 说明是 API，返回网页说明是中间设备。
settle-lint = 单独检查一遍配置。
settle-compare-clock = 对比本机和服务器的时间：相差五分钟以上就是它。
settle-login-status = 看 Codex 用的是哪个登录，是不是你以为的那个。
settle-fresh-client = 新开一个进程发一条短提示：能用就说明只是旧客户端卡住了。会花少量 token。
settle-short-prompt = 新会话里发一条短提示：能用就说明问题在旧会话的内容。会花少量 token。
settle-one-minute = 等一分钟，只发一个请求：限流这时已经解除，模型满载或额度用完则不会。
settle-usage = 看会话里的 `/status` 或用量页：窗口到 100% 是额度问题，远没到就不是。
settle-other-model = 换个模型发同样的提示：能用，说明原来的模型满了或这里不提供；不能用，就查密钥和地址。会花少量 token。
settle-other-network = 在这里和另一个网络各发一次这个免费请求：结果不同，问题就在线路上。
settle-look-again = 有些东西没能查看，报告里列出来了。处理后再跑一次。
settle-whole-error = 把完整的错误连同前后几行一起贴进来。

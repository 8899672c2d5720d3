# 模型的设置。$key 是设置项，$offered 是模型列出的取值。
effort-not-offered = { $model } 不提供推理强度 `{ $effort }`，Codex 仍会照发；它提供：{ $offered }。
effort-spelling = Codex 会把推理强度 `{ $effort }` 连大小写原样发出；正确的写法是 `{ $suggestion }`。
effort-lowered = { $model } 不提供推理强度 `{ $effort }`，Codex 实际发送 `{ $sent }`。
effort-none = { $model } 没有列出推理强度 `none`；Codex 会照发，OpenAI 的接口可能接受。
tier-omitted = Codex 不会在请求里带上服务等级 `{ $tier }`：{ $model } 提供的是 { $offered }。
tier-omitted-case = Codex 不会在请求里带上服务等级 `{ $tier }`；正确的写法是小写的 `{ $suggestion }`。
tier-omitted-others = Codex 不会在请求里带上服务等级 `{ $tier }`：{ $model } 不提供，提供它的有 { $others }。
tier-omitted-none-offered = Codex 不会在请求里带上服务等级 `{ $tier }`：{ $model } 不提供任何等级。
tier-omitted-unknown-model = Codex 不会在请求里带上服务等级 `{ $tier }`，因为它不认识模型 { $model }。
window-capped = 上下文窗口设为 { $declared } 个 token，但 { $model } 最多只有 { $largest }，Codex 按后者计算。
window-capped-unknown-model = 上下文窗口设为 { $declared } 个 token，但 Codex 不认识 { $model }，最多按 { $largest } 计算。

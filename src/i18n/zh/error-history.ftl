# 检查 error-history。

history-recovered = 这次错误之后，{ $model } 在 { $at } 又正常回答了。
history-other-model-worked = 这次错误前后几分钟内，另一个模型 { $other } 正常回答了。
history-same-model-elsewhere = 这次错误前后几分钟内，{ $model } 经由 { $other } 正常回答了：只是这里被拒，并非处处被拒。
history-all-models-refused = 自 { $since } 起先后请求了 { $models } 个模型，没有一个接待这个账户。
history-constant = 自 { $since } 起 { $model } 每次都失败，共 { $failures } 次，且分布在一天中的多个时段。容量问题则时有时无。
history-intermittent = { $model } 有 { $recoveries } 次失败后又恢复，大多在 { $median } 之内：时有时无。
history-first-days = { $model } 在这里刚开始使用没几天，新模型人人都在试。
history-crowded-hours = 它发生在 { $from }:00 到 { $to }:00 之间，你在这段时间的 { $turns } 轮请求中有 { $refused } 轮被拒。

# history 的页面。

timeline-title = 历史
timeline-failed = 自{ $since }以来，{ $turns } 轮请求中有 { $failed } 轮失败（{ $rate }）
timeline-none-failed = 自{ $since }以来，{ $turns } 轮请求全部成功
timeline-none-ended = 自{ $since }以来有 { $turns } 轮请求，既没有得到回答的，也没有失败的
timeline-quiet-unread = ，{ $count } 个文件未读
timeline-newest = 类别、连续失败、前后情况和被拒时段只依据最近 { $kept } 次失败（自{ $since }起）；更早的只计数。
timeline-no-turns = 自{ $since }以来没有找到任何请求
timeline-absent = Codex 在 { $source } 中没有存下任何会话
timeline-not-read = 无法读取 { $source } 中的会话记录：{ $error }
timeline-not-looked = 没有查看会话记录
timeline-others = { $answered } 轮得到回答，{ $interrupted } 轮被外部中止{ $others ->
    [0] 。
   *[other] ，{ $others } 轮两者都不是。
}
timeline-label-kinds = 类别
timeline-label-hours = 时段
timeline-label-models = 模型
timeline-label-providers = 提供方
timeline-label-accounts = 账户
timeline-label-now = 当前
timeline-label-streak = 连续
timeline-label-burst = 密集
timeline-label-others = 其他模型
timeline-label-new = 新模型
timeline-label-plan = 安排
timeline-label-unread = 未读
timeline-undetermined = 错误文本不足以区分原因
timeline-unknown = 没有存下错误文本
timeline-last = 最近 { $at }
timeline-more-kinds = 另有 { $count } 次属于其他类别，见 --json。
timeline-more-rows = 另有 { $count } 项，见 --json。
timeline-day-1 = 周一
timeline-day-2 = 周二
timeline-day-3 = 周三
timeline-day-4 = 周四
timeline-day-5 = 周五
timeline-day-6 = 周六
timeline-day-7 = 周日
timeline-turns = 轮数
timeline-failed-turns = 失败
timeline-rate = 失败率
timeline-interval = 95 % 区间
timeline-not-known = 未知
timeline-legend-none = 无错误
timeline-legend-below = 低于 { $limit }
timeline-legend-above = { $limit } 以上
timeline-legend-narrow = 窄格：不足 { $few } 轮；空白：没有请求；本地时间
timeline-legend-blank = 空白：没有请求；本地时间
timeline-still = { $model }：“{ $kind }” { $failures ->
    [1] 一次，{ $last }
   *[other] 自{ $since }起{ $cut ->
        [yes] 至少
       *[no] {""}
    } { $failures } 次，最近 { $last }
}，此后没有再回答。
timeline-over = { $model }：“{ $kind }” { $failures ->
    [1] 一次，{ $last }
   *[other] 自{ $since }起{ $cut ->
        [yes] 至少
       *[no] {""}
    } { $failures } 次，最近 { $last }
}；{ $at }又正常回答了。
timeline-constant = 一直如此：自{ $since }起 { $model } 每次都失败，共{ $cut ->
    [yes] 至少
   *[no] {""}
} { $failures } 次，且分布在一天中的多个时段。容量问题则时有时无。
timeline-intermittent = 时有时无：{ $model } 恢复过{ $cut ->
    [yes] 至少
   *[no] {""}
} { $recoveries } 次，大多在 { $median }之内。
timeline-streak = 最长一次：{ $model } 连续失败{ $cut ->
    [yes] 至少
   *[no] {""}
} { $failures } 次，中间没有一次成功；首次 { $from }，末次 { $to }。
timeline-burst = 最密集一次：从{ $from }起的 { $lasted }里失败{ $cut ->
    [yes] 至少
   *[no] {""}
} { $failures } 次，涉及 { $models } 个模型。
timeline-another-answered = { $refusals } 次模型满载中，有 { $count } 次在 15 分钟内另一个模型正常回答，{ $leads ->
    [yes] 最常见的是
   *[no] 例如
} { $other }：满的是那个模型，不是你的账户。
timeline-elsewhere-answered = { $refusals } 次模型满载中，有 { $count } 次同一模型在另一个提供方正常回答，{ $leads ->
    [yes] 最常见的是
   *[no] 例如
} { $other }。
timeline-another-refused = { $refusals } 次模型满载中，有 { $count } 次另一个模型也满了。
timeline-nothing-else-tried = { $refusals } 次被拒的前后 15 分钟内都没有试过别的模型：别的模型是否有余量不得而知。
timeline-new-model = { $model } 自{ $at }起使用：头三天有 { $early } 的请求失败，之后为 { $later }。
timeline-crowded = { $from } 到 { $to } 最常被拒：{ $turns } 轮中有 { $refused } 轮（{ $rate }）。不急的重活避开这段时间。
timeline-quiet = { $from } 到 { $to } 较空闲：{ $turns } 轮中有 { $refused } 轮被拒（{ $rate }）。重活放在这时最合适。
timeline-no-hour-differs = 就 { $refused } 次被拒而言，看不出哪个时段与其他时段有确定的差别。
timeline-hours-unknown = 一天中有 { $count } 个小时请求太少，无法判断。
timeline-unread = 有 { $count } 个文件没能完整读取，例如 { $file }（{ $why }）。
timeline-not-reached = 有 { $count } 个文件没来得及读取；可用 --timeout 延长时间。
timeline-broken = 跳过了 { $count } 条损坏的记录。
timeline-footer-newest = --json 列出最近 { $kept } 次 · codex-triage 判断最近一次错误
timeline-footer = --json 列出每一次失败 · codex-triage 判断最近一次错误

context-nearly-full = 这一轮失败时，会话上下文已占用 { $percent } %（{ $tokens } / { $window } 个 token）。
context-large = 失败的请求带着很长的会话（{ $tokens } 个 token）；只带结论新开会话会轻得多。
context-fine = 查看了 { $seen } 个会话，近期用过的都没有接近上限。
context-not-told = 有 { $count } 个会话的上下文占用情况未知（共查看 { $seen } 个）。
context-sessions-nearly-full = { $bound ->
    [least] 至少有
   *[exact] 有
} { $count } 个会话快满了，最满的已占用 { $percent } %（{ $thread }）：接下来的轮次必须先压缩。
context-long-sessions = { $bound ->
    [least] 至少有
   *[exact] 有
} { $count } 个会话连续使用超过一小时；最长的用了 { $open }，从 { $from } 个 token 增长到 { $to } 个（{ $thread }）。
context-compaction-met-full-model = 会话需要压缩上下文时遇到模型满载（{ $count } 次，最近一次 { $at }）：压缩本身就是一次大请求。新会话不需要压缩。
context-compaction-failed = 会话没能压缩上下文（{ $count } 次，最近一次 { $at }）；新会话不需要压缩。
context-unread = { $reason ->
    [time] 时间用完，没有全部统计
    [both] 时间用完，没有全部统计，另有 { $count } 项无法读取（{ $first }）
   *[unread] 有 { $count } 项无法完整读取（{ $first }）
}，无法得知这些会话有多满。

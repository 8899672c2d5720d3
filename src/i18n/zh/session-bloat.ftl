sessions-fine = 会话目录大小正常：{ $files } 个文件，共 { $bytes }。
sessions-large-rollout = 有一个会话记录已达 { $bytes }（{ $file }），恢复它会很慢。
sessions-huge-rollout = 有一个会话记录已达 { $bytes }（{ $file }），恢复它可能耗尽内存。
sessions-huge-archived-rollout = 有一个已归档的会话记录占用 { $bytes }（{ $file }）。
sessions-long-line = 某个会话里有一条记录长达 { $bytes }（{ $file }）：内嵌的图片，或压缩上下文时写下的整段历史。
sessions-many = 会话目录里有 { $files } 个文件（{ $bytes }），启动和打开恢复列表都会很慢。
sessions-large-database = 数据库 { $file } 占用 { $bytes }，会拖慢启动。
sessions-large-log-database = 日志数据库 { $file } 占用 { $bytes }，会拖慢甚至卡住启动。
sessions-write-ahead-log = { $file } 有 { $bytes } 尚未写回：有什么在阻止 SQLite 写回。
sessions-large-log-files = 日志文件共占用 { $bytes }，最大的是 { $file }。
sessions-large-prompt-history = 历史提示词列表 { $file } 占用 { $bytes }。
sessions-low-disk = Codex 目录所在磁盘只剩 { $free }（共 { $total }）。
sessions-full-disk = Codex 目录所在磁盘只剩 { $free }（共 { $total }）：Codex 很快就什么都写不下了。
sessions-uncounted = { $reason ->
    [time] 时间用完，没有全部统计
    [both] 时间用完，没有全部统计，另有 { $count } 项无法读取（{ $first }）
   *[unread] 有 { $count } 项无法完整读取（{ $first }）
}，会话目录的实际大小不小于所示数值。

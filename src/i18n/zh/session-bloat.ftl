sessions-fine = 会话目录大小正常：{ $files } 个文件，共 { $bytes }。
sessions-large-rollout = 有一个会话记录已达 { $bytes }（{ $file }），恢复它会很慢。
sessions-huge-rollout = 有一个会话记录已达 { $bytes }（{ $file }），恢复它可能耗尽内存。
sessions-many = 会话目录里有 { $files } 个文件（{ $bytes }），启动和打开恢复列表都会很慢。
sessions-large-database = 数据库 { $file } 占用 { $bytes }（其中 { $log } 尚未写回），会拖慢启动。
sessions-uncounted = 会话目录没有完全统计（{ $count } 项未计入），实际大小不小于所示数值。
context-nearly-full = 这一轮失败时，会话上下文已占用 { $percent } %（{ $tokens } / { $window } 个 token）。
context-large = 失败的请求带着很长的会话（{ $tokens } 个 token）；只带结论新开会话会轻得多。

# 各项检查共用的消息。$check 是检查的名称，$reason 是原因，$source 是查看的对象。
common-cannot-tell = { $check } 无法查看：{ $reason }
common-skipped = { $check } 未查看（{ $reason }）
common-absent = { $check }：没有可查看的内容

# `fix` 命令。每条修改说明做什么；理由说明为什么安全，或为什么不安全。
fix-rename = `{ $key }` 改为 `{ $to }`。
fix-move = `{ $key }` 移到 Codex 会读取的位置：`{ $to }`。
fix-merge = `{ $key }` 下面的内容移入 Codex 读取的 `{ $to }`。
fix-remove = 删除 `{ $key }`：Codex 不使用它。
fix-remove-double = 删除 `{ $key }`：`{ $to }` 已经设置。
fix-remove-value = 删除 `{ $key } = "{ $value }"`：Codex 拒绝这个值。
fix-remove-refused = 删除 `{ $key }`：有它 Codex 就不启动。
fix-unfold = `[{ $key }]` 下面的键移到文件开头，Codex 在那里读取它们。
fix-provider-id = `{ $key }` 改名为 `{ $to }`：原来的名字是 Codex 内置服务商的保留名。本文件里选用它的地方一并修改。
fix-name = 给 `{ $key }` 加上名称 "{ $to }"：Codex 要求有名称。
fix-value = `{ $key }` 的值由 "{ $value }" 改为 "{ $to }"。
fix-unquote = `{ $key }` 的值改为不带引号的 { $value }。
fix-address = `{ $key }` 改为 { $to }。
fix-literal = `{ $key }` 里的 Windows 路径改用单引号，反斜杠就不会被当作转义。
fix-quote = 给 `{ $key }` 的值加上引号。
fix-boolean = `{ $key }` 的值改为小写。
fix-curly-quotes = `{ $key }` 的值改用英文直引号。
fix-semicolon = 删除 `{ $key }` 后面的分号。
fix-colon = `{ $key }` 改用等号。
fix-comment = 注释改用 TOML 的注释符号 `#`。
fix-repeated = `{ $key }` 重复出现，只保留一次。
fix-safe-repeated = 两处内容相同
fix-safe-without-effect = 它现在没有任何作用
fix-safe-harmless = 它不会打开任何审批、权限、地址或程序
fix-safe-quotes = 值仍是原来输入的内容
fix-safe-comment = 这只是注释
fix-unsafe-activates = 一项至今没有生效的设置会开始生效
fix-unsafe-endpoint = 请求可能会发往另一个地址
fix-unsafe-default = 之后会改用 Codex 的默认值
fix-unsafe-only-copy = 密钥可能只保存在这里：请先把它放进环境变量
fix-unsafe-unit = 数值的单位可能不同
fix-unsafe-successor = 新的键作用可能不完全相同
fix-unsafe-guess = 这个词太短，可能另有所指
fix-unsafe-unclear = Codex 不使用它，但不清楚原意是什么
fix-unsafe-loses = 那里的内容会丢失，而它可能只保存在这里
fix-unsafe-empty = 值是空的，Codex 可能不接受
fix-unsafe-place = 它所在的表可能另有用意，只对那里有效
fix-unsafe-wakes = 修改后 Codex 会接受至今拒绝的内容，更多设置随之生效：{ $keys }
fix-unsafe-newer = 所用的 Codex 比这里已知的版本新，可能认识它
fix-unsafe-refused = 修改后 Codex 会发现另一处错误
fix-label-safe = 安全
fix-label-unsafe = 不安全
fix-label-not = 未修改
fix-ask = 要修改吗？y = 是，n = 否，q = 不再询问：
fix-no-edit = 没有把握只改动这一处，请手动修改
fix-worse = 修改后 Codex 会提示：{ $error }
fix-file-project = 这是项目的文件，不作修改
fix-file-system = 这是系统的文件，不作修改
fix-file-read-only = 文件是只读的，不作修改
fix-file-changed = 文件刚刚被别的程序改动；没有写入任何内容，请重新运行
fix-file-linked = 文件还有另一个名字（硬链接），修改后两者不再是同一个文件，不作修改
fix-output-is-target = 报告不能写到要修改的文件 { $file } 上
fix-too-many = 一次运行处理不完这么多问题，请再运行一次
fix-file-failed = 无法写入 { $file }，文件保持原样：{ $error }
fix-applied = { $count ->
   *[other] 已修改 { $count } 处。
}
fix-backup = 原文件保存在：{ $backup }。`codex-triage fix --undo` 可以恢复。
fix-nothing = 没有需要修改的地方。
fix-dry-run = { $count ->
    [0] 没有写入任何内容。这些修改都不算安全：在终端运行 `codex-triage fix` 会逐条询问。
   *[other] 没有写入任何内容。`--yes` 会完成其中 { $count } 处安全的修改；在终端运行 `codex-triage fix` 会逐条询问。
}
fix-left = { $count ->
   *[other] 还有 { $count } 处需要你决定：在终端运行 `codex-triage fix` 会逐条询问。
}
fix-not-applied = { $count ->
   *[other] 没有写入任何内容，因为无法询问。`--yes` 会完成这 { $count } 处中安全的修改；在终端里会逐条询问。
}
fix-declined = { $count ->
   *[other] 有 { $count } 处没有修改。
}
fix-still-refused = 用这份配置 Codex 不会启动：{ $error }
fix-not-own = { $count ->
   *[other] 不属于你的文件里有 { $count } 个键不起作用：`codex-triage lint` 会列出它们。
}
fix-verify = 用一次真实请求检验：
fix-undone = { $file } 已恢复原样。
fix-undo-none = 没有可以撤销的修改。
fix-undo-changed = { $file } 在修改之后又有改动，所以没有恢复。修改前的内容在 { $backup }；如果仍要恢复，请把它复制过去。
fix-footer = { $count ->
   *[other] codex-triage fix 可以修改其中 { $count } 处
}

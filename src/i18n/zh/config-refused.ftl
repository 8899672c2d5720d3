# Codex refuses the configuration: its own words in brackets behind plain ones. $next says whether it comes to this after another fault.
config-refused-text = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 的值应是带引号的文字。（Codex 原文：{ $error }）
config-refused-boolean = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 的值应是 true 或 false，不加引号。（Codex 原文：{ $error }）
config-refused-count = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 的值应是不小于零的整数，不加引号。（Codex 原文：{ $error }）
config-refused-number = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 的值应是整数，不加引号。（Codex 原文：{ $error }）
config-refused-table = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 是一个表：它自己的配置项应写在表头下面，或写在花括号里。（Codex 原文：{ $error }）
config-refused-list = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 的值应是方括号里的列表。（Codex 原文：{ $error }）
config-refused-word = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 只能取 { $words } 之一，“{ $word }” 不在其中。（Codex 原文：{ $error }）
config-refused-missing = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 缺少 `{ $field }`。（Codex 原文：{ $error }）
config-refused-nameless = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：提供方 `{ $key }` 需要名称：`name = "…"`。（Codex 原文：{ $error }）
config-refused-empty = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：`{ $key }` 不能为空。（Codex 原文：{ $error }）
config-refused-transport = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：MCP 服务器 `{ $key }` 需要 `command`（程序）或 `url`（地址）。（Codex 原文：{ $error }）
config-refused-no-value = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：这一行只有名称，没有值：请写成 `名称 = 值`。（Codex 原文：{ $error }）
config-refused-twice = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：这个名称或表头在文件里已经有了，请只保留一个。（Codex 原文：{ $error }）
config-refused-unquoted = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：文字需要加引号。（Codex 原文：{ $error }）
config-refused-capital-boolean = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：true 和 false 要用小写，不加引号。（Codex 原文：{ $error }）
config-refused-open-quote = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：这一行有引号没有闭合。（Codex 原文：{ $error }）
config-refused-comma = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：列表的各项之间缺少逗号。（Codex 原文：{ $error }）
config-refused-behind-value = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：这一行的值后面还有别的内容。（Codex 原文：{ $error }）
config-refused-line-end = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：行尾的符号不是 TOML 认识的换行；请用普通编辑器重新保存。（Codex 原文：{ $error }）
config-refused-no-number = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：这不是 TOML 写法的数字；文字需要加引号。（Codex 原文：{ $error }）
config-refused-encoding = { $next ->
    [yes] 随后 Codex 会停在这里
   *[other] Codex 无法启动
}：{ $file } 不是以 UTF-8 保存的，请改用这种编码重新保存。（Codex 原文：{ $error }）

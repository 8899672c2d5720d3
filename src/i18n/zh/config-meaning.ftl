# Codex 会接受、或只用自己的话提示的配置问题。
config-below-header = { $keys } 写在表头 { $header }（第 { $line } 行）之下，Codex 会把它当作 `{ $read_as }` 这样的键（共 { $count } 个）而忽略：请移到文件开头、第一个表头之前。
config-below-header-taken = { $keys } 写在表头 { $header }（第 { $line } 行）之下，那里接受任何名字（共 { $count } 个），对 Codex 不起作用：请移到文件开头、第一个表头之前。
config-mangled-path = `{ $key }` 里的 Windows 路径用了双引号，其中的反斜杠会和后面的字母一起变成别的字符；Codex 会接受，但这样的路径并不存在。请用单引号：'C:\…'。
config-syntax-backslash = Codex 无法启动：双引号里的反斜杠是转义符（{ $error }）。Windows 路径请用单引号：'C:\…'。
config-rejected-below-header = Codex 无法启动：`{ $key }` 写在表头 { $header }（第 { $line } 行）之下，在那里不能用（{ $error }）。请移到文件开头、第一个表头之前。
config-mangled-path-name = `{ $key }` 下有一个名称是用双引号写的 Windows 路径，其中的反斜杠会和后面的字母一起变成别的字符；这样的路径并不存在。请用单引号：'C:\…'。
config-unseen-character = `{ $key }` 里有一个看不见的字符（{ $character }）。Codex 会把它当作名称或值的一部分；请删掉它并重新输入这段文字。

clients-none = 没有其他 Codex 在使用此目录。
clients-fine = 有 Codex 在使用此目录（{ $pids }），没有卡住。
clients-several = 有 { $count } 个 Codex 客户端同时使用此目录（进程 { $pids }），它们共用同一登录的限额。
clients-stuck = 进程 { $pid }（{ $kind }）有一个未结束的回合，已经 { $silent }没有写入任何内容，{ $connecting ->
    [yes] 正在尝试连接一个没有应答的服务器。
   *[no] 也没有连接到任何服务器：它在等待重新连接。
}
clients-looping = 进程 { $pid }（{ $kind }）在 { $life }的运行时间里有 { $percent } % 占满一个处理器。正常工作的客户端大部分时间都在等待。
clients-suspended = 进程 { $pid }（{ $kind }）被挂起（Ctrl-Z）；在其终端输入 `fg` 可恢复。
clients-replaced = 进程 { $pid }（{ $kind }）启动后，它的程序文件已被替换或删除。
clients-older = 进程 { $pid }（{ $kind }）仍在运行 Codex { $version }，而已安装的是 { $installed }。
clients-daemon-gone = { $file } 记录的进程 { $pid } 已不是 Codex{ $socket ->
    [dead] ，后台服务的套接字也无人监听
   *[other] { "" }
}。下次启动 Codex 时会自动清理。
clients-unseen = 有些进程无法查看（{ $count } 个名为 `codex`），可能还有其他客户端在运行。
clients-kind-tui = 窗口
clients-kind-exec = codex exec
clients-kind-app-server = app-server
clients-kind-daemon = app-server 后台服务
clients-kind-daemon-updater = 后台服务的更新程序
clients-kind-mcp-server = mcp-server
clients-kind-other = codex

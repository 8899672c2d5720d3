clients-none = No other Codex is running on this home.
clients-fine = Codex is running on this home ({ $pids }), and does not hang.
clients-several = { $count } Codex clients run on this home at once (processes { $pids }). They share the limits of one login.
clients-stuck = Process { $pid } ({ $kind }) has written nothing for { $silent } in a turn that has not ended, and { $connecting ->
    [yes] tries to connect to a server that does not answer.
   *[no] is connected to no server: it is waiting to reconnect.
}
clients-looping = Process { $pid } ({ $kind }) has kept a processor busy for { $percent } % of its life of { $life }. A client that works mostly waits.
clients-suspended = Process { $pid } ({ $kind }) is suspended (Ctrl-Z); `fg` in its terminal wakes it.
clients-replaced = Process { $pid } ({ $kind }) runs a Codex whose file was replaced or deleted since it was started.
clients-older = Process { $pid } ({ $kind }) still runs Codex { $version }; { $installed } is installed.
clients-daemon-gone = { $file } names process { $pid }, which is no Codex any more{ $socket ->
    [dead] , and nobody listens at the daemon's socket
   *[other] { "" }
}. The next start of Codex clears that away.
clients-unseen = Not all processes could be looked at ({ $count } named `codex` refused): more clients may be running.
clients-kind-tui = window
clients-kind-exec = codex exec
clients-kind-app-server = app-server
clients-kind-daemon = app-server daemon
clients-kind-daemon-updater = updater of the daemon
clients-kind-mcp-server = mcp-server
clients-kind-other = codex

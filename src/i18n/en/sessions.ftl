sessions-view-head = sessions
sessions-view-total = { $files } { $files ->
    [one] file
   *[other] files
}, { $bytes }
sessions-view-findings = { $count } { $count ->
    [one] remark
   *[other] remarks
}
sessions-view-months = Months
sessions-view-files = { $files } { $files ->
    [one] file
   *[other] files
}
sessions-view-earlier = earlier
sessions-view-archived = archived
sessions-view-compressed = compressed: { $count }
sessions-view-empty = empty: { $count }
sessions-view-projects = Projects
sessions-view-no-project = not told
sessions-view-largest = Largest
sessions-view-contexts = Contexts
sessions-view-looked-at = { $count } { $count ->
    [one] session
   *[other] sessions
} looked at
sessions-view-databases = Databases
sessions-view-not-written-back = { $bytes } not written back
sessions-view-logs = Log files
sessions-view-other = Else
sessions-view-disk = Disk
sessions-view-free = { $free } of { $total } free
sessions-view-remarks = Remarks
sessions-view-leave = Leave
sessions-view-locked = { $count } { $count ->
    [one] session has
   *[other] sessions have
} a writer lock: archive or delete none of them while it is open.
sessions-view-databases-stay = The databases, and any record in place: Codex keeps positions in them. Only its own commands move or delete sessions.
sessions-view-commands = Commands
sessions-command-archive = puts a session away and frees nothing; `codex unarchive` brings it back
sessions-command-delete = deletes a session for good
sessions-command-migrate-rollouts = tells which old sessions fit its newer store; only `--apply` changes them
sessions-view-verbose = -v shows everything
sessions-view-unread = Unread
sessions-view-time-up = the time was up
sessions-view-not-read = { $count } not read
sessions-view-nothing-counted = The time was up before anything was counted; a longer --timeout gives more.
sessions-view-cut-short = The time was up before everything was counted: the sums are lower bounds.
sessions-view-more = and { $count } more

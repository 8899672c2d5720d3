sessions-fine = The session folder is of ordinary size: { $files } { $files ->
    [one] file
   *[other] files
}, { $bytes }.
sessions-large-rollout = One session record has grown to { $bytes } ({ $file }); resuming it is slow.
sessions-huge-rollout = One session record has grown to { $bytes } ({ $file }); resuming it may run out of memory.
sessions-huge-archived-rollout = One archived session record takes { $bytes } ({ $file }).
sessions-long-line = One record of a session is { $bytes } long ({ $file }): an inlined image, or a whole history that a compaction wrote down.
sessions-many = The session folder holds { $files } files ({ $bytes }); the start and the resume list take long.
sessions-large-database = The database { $file } takes { $bytes }, which slows the start.
sessions-large-log-database = The database of the logs, { $file }, takes { $bytes }, which slows the start or blocks it.
sessions-write-ahead-log = { $bytes } of { $file } are not yet written back: something keeps SQLite from doing so.
sessions-large-log-files = The log files take { $bytes }, the largest is { $file }.
sessions-large-prompt-history = The list of past prompts, { $file }, takes { $bytes }.
sessions-low-disk = Only { $free } of { $total } are free on the disk of the Codex home.
sessions-full-disk = Only { $free } of { $total } are free on the disk of the Codex home: soon Codex can write down nothing more.
sessions-uncounted = { $reason ->
    [time] The time was up before everything was counted
    [both] The time was up before everything was counted, and { $count ->
        [one] one entry
       *[other] { $count } entries
    } could not be read ({ $first })
   *[unread] { $count ->
        [one] One entry
       *[other] { $count } entries
    } could not be read in full ({ $first })
}: what is shown of the session folder is the least there is.

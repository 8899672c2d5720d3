sessions-fine = The session folder is of ordinary size: { $files } { $files ->
    [one] file
   *[other] files
}, { $bytes }.
sessions-large-rollout = One session record has grown to { $bytes } ({ $file }); resuming it is slow.
sessions-huge-rollout = One session record has grown to { $bytes } ({ $file }); resuming it may run out of memory.
sessions-many = The session folder holds { $files } files ({ $bytes }); the start and the resume list take long.
sessions-large-database = The database { $file } takes { $bytes } ({ $log } of it not yet written back), which slows the start.
sessions-uncounted = The session folder could not be counted in full ({ $count } { $count ->
    [one] entry
   *[other] entries
} left out), so its size is at least what is shown.
context-nearly-full = The session was { $percent } % full when the turn failed ({ $tokens } of { $window } tokens).
context-large = The failed request carried a long session ({ $tokens } tokens); a new session with the conclusions only is lighter.

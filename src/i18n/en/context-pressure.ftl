context-nearly-full = The session was { $percent } % full when the turn failed ({ $tokens } of { $window } tokens).
context-large = The failed request carried a long session ({ $tokens } tokens); a new session with the conclusions only is lighter.
context-fine = None of the { $seen } sessions looked at was used of late and is near its limit.
context-not-told = { $count } of the sessions used of late { $count ->
    [one] does
   *[other] do
} not tell how full the context is ({ $seen } looked at).
context-sessions-nearly-full = { $count ->
    [one] A session is
   *[other] { $count } sessions are
} nearly full, the fullest at { $percent } % ({ $thread }): its next turns have to compact first.
context-long-sessions = { $count ->
    [one] A session has
   *[other] { $count } sessions have
} been worked in for over an hour without a pause; the longest for { $open }, from { $from } to { $to } tokens ({ $thread }).
context-compaction-met-full-model = A session had to compact its context and met a full model ({ $count ->
    [one] once
   *[other] { $count } times
}, last { $at }): the compaction is one more large request. A new session needs none.
context-compaction-failed = A session could not compact its context ({ $count ->
    [one] once
   *[other] { $count } times
}, last { $at }); a new session needs no compaction.

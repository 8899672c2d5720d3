context-nearly-full = The session was { $percent } % full when the turn failed ({ $tokens } of { $window } tokens).
context-large = The failed request carried a long session ({ $tokens } tokens); a new session with the conclusions only is lighter.
context-fine = None of the { $seen } sessions looked at was used of late and is near its limit.
context-not-told = How full { $count } of the sessions are is not known ({ $seen } looked at).
context-sessions-nearly-full = { $bound ->
    [least] At least { $count } sessions are
   *[exact] { $count ->
        [one] A session is
       *[other] { $count } sessions are
    }
} nearly full, the fullest at { $percent } % ({ $thread }): the next turns there have to compact first.
context-long-sessions = { $bound ->
    [least] At least { $count } sessions have
   *[exact] { $count ->
        [one] A session has
       *[other] { $count } sessions have
    }
} been worked in for over an hour without a pause; the longest for { $open }, from { $from } to { $to } tokens ({ $thread }).
context-compaction-met-full-model = A session had to compact its context and met a full model ({ $count ->
    [one] once
   *[other] { $count } times
}, last { $at }): the compaction is one more large request. A new session needs none.
context-compaction-failed = A session could not compact its context ({ $count ->
    [one] once
   *[other] { $count } times
}, last { $at }); a new session needs no compaction.
context-unread = { $reason ->
    [time] The time was up before everything was counted
    [both] The time was up before everything was counted, and { $count ->
        [one] one entry
       *[other] { $count } entries
    } could not be read ({ $first })
   *[unread] { $count ->
        [one] One entry
       *[other] { $count } entries
    } could not be read in full ({ $first })
}: how full those sessions are is not known.

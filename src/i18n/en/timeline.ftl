# The page of `history`.

timeline-title = HISTORY
timeline-failed = { $turns ->
    [one] the only turn failed
   *[other] { $failed } of { $turns } turns failed
} ({ $rate }) since { $since }
timeline-none-failed = { $turns ->
    [one] the only turn did not fail
   *[other] none of { $turns } turns failed
} since { $since }
timeline-none-ended = { $turns ->
    [one] one turn, and it was neither answered nor did it fail,
   *[other] { $turns } turns, none was answered and none failed,
} since { $since }
timeline-quiet-unread = , { $count ->
    [one] one file not read
   *[other] { $count } files not read
}
timeline-newest = Kinds, streaks, company and hours of refusals are of the newest { $kept } failures, since { $since }; older ones are only counted.
timeline-no-turns = no turns were found since { $since }
timeline-absent = Codex has stored no sessions in { $source }
timeline-not-read = the session records in { $source } could not be read: { $error }
timeline-not-looked = the session records were not looked at
timeline-others = { $answered ->
    [one] One was answered
   *[other] { $answered } were answered
}, { $interrupted ->
    [one] one was ended from outside
   *[other] { $interrupted } were ended from outside
}{ $others ->
    [0] .
    [one] , one came to neither.
   *[other] , { $others } came to neither.
}
timeline-label-kinds = Kinds
timeline-label-hours = Hours
timeline-label-models = Models
timeline-label-providers = Providers
timeline-label-accounts = Accounts
timeline-label-now = Now
timeline-label-streak = Streak
timeline-label-burst = Burst
timeline-label-others = Others
timeline-label-new = New
timeline-label-plan = Plan
timeline-label-unread = Unread
timeline-undetermined = its words leave several causes open
timeline-unknown = no error text was stored
timeline-last = last { $at }
timeline-more-kinds = { $count ->
    [one] One more of another kind; --json has it.
   *[other] { $count } more of other kinds; --json has them.
}
timeline-more-rows = { $count ->
    [one] One more; --json has it.
   *[other] { $count } more; --json has them.
}
timeline-day-1 = Mon
timeline-day-2 = Tue
timeline-day-3 = Wed
timeline-day-4 = Thu
timeline-day-5 = Fri
timeline-day-6 = Sat
timeline-day-7 = Sun
timeline-turns = turns
timeline-failed-turns = failed
timeline-rate = rate
timeline-interval = 95 % interval
timeline-not-known = not known
timeline-legend-none = no error
timeline-legend-below = below { $limit }
timeline-legend-above = { $limit } and more
timeline-legend-narrow = narrow: fewer than { $few } turns; blank: none; local time
timeline-legend-blank = blank: no turns; local time
timeline-still = { $model }: “{ $kind }” { $failures ->
    [one] once, { $last }
   *[other] { $cut ->
        [yes] at least { $failures }
       *[no] { $failures }
    } times since { $since }, last { $last }
}, and no answer since.
timeline-over = { $model }: “{ $kind }” { $failures ->
    [one] once, { $last }
   *[other] { $cut ->
        [yes] at least { $failures }
       *[no] { $failures }
    } times since { $since }, last { $last }
}; it answered again { $at }.
timeline-constant = It stays: { $model } failed at every try since { $since }{ $cut ->
    [yes] {" "}at least
   *[no] {""}
}, { $failures } times and at several times of the day. Capacity comes and goes.
timeline-intermittent = It comes and goes: { $cut ->
    [yes] at least { $recoveries }
   *[no] { $recoveries }
} times { $model } answered again, mostly within { $median }.
timeline-streak = The longest: { $cut ->
    [yes] at least { $failures }
   *[no] { $failures }
} failures of { $model } without an answer between, the first { $from }, the last { $to }.
timeline-burst = The largest: { $cut ->
    [yes] at least { $failures }
   *[no] { $failures }
} failures of { $models ->
    [one] one model
   *[other] { $models } models
} within { $lasted }, { $from }.
timeline-another-answered = { $refusals ->
    [one] The one time
   *[other] { $count } of { $refusals } times
} that a model was full, another one answered within 15 minutes, { $leads ->
    [yes] { $other } most often
   *[no] such as { $other }
}: then it was that model, not your account.
timeline-elsewhere-answered = { $refusals ->
    [one] The one time
   *[other] { $count } of { $refusals } times
} that a model was full, another provider served it, { $leads ->
    [yes] { $other } most often
   *[no] such as { $other }
}.
timeline-another-refused = { $count } of { $refusals } times another model was full, too.
timeline-nothing-else-tried = Nothing else was tried within 15 minutes of { $refusals ->
    [one] the only refusal
   *[other] any of the { $refusals } refusals
}: whether other models had room is not known.
timeline-new-model = { $model }, used since { $at }: { $early } of its turns failed in the first three days, { $later } since.
timeline-crowded = Crowded from { $from } to { $to }, with { $refused } of { $turns } turns refused ({ $rate }). Keep heavy work that can wait out of it.
timeline-quiet = Quiet from { $from } to { $to }, with { $refused } of { $turns } turns refused ({ $rate }). Heavy work does best then.
timeline-no-hour-differs = No hour of the day surely differs from the others, as far as { $refused ->
    [one] one refusal
   *[other] { $refused } refusals
} can tell.
timeline-hours-unknown = { $count ->
    [one] One hour of the day has too few turns to say.
   *[other] { $count } hours of the day have too few turns to say.
}
timeline-unread = { $count ->
    [one] One file could not be read wholly
   *[other] { $count } files could not be read wholly, such as
}: { $file } ({ $why }).
timeline-not-reached = { $count ->
    [one] One file was not reached in time; --timeout gives more.
   *[other] { $count } files were not reached in time; --timeout gives more.
}
timeline-broken = { $count ->
    [one] One broken record was passed over.
   *[other] { $count } broken records were passed over.
}
timeline-footer-newest = --json has the newest { $kept } events · codex-triage judges the newest error
timeline-footer = --json has every event · codex-triage judges the newest error

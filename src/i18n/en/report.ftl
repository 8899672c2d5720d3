# Labels of the terminal report.
report-error = Error
report-gate = Gate
report-for = For
report-against = Against
report-not = Not
report-settle = Settle
report-also = Also
report-played = Perhaps
report-unseen = Unseen
report-open = Open
report-sum = Sums
report-now = now
report-soon = soon
report-lasting = lasting
report-in-vain = no use
report-gate-client = client
report-gate-access = access
report-gate-admission = admission
report-gate-execution = execution
report-advice = Advice
report-answer = Answer
report-text-given = text given
report-turn-failed = { $at }, { $age } ago
report-turn-model = { $model } via { $provider }
report-recovered = The same model answered again { $at }.
report-written-by = Written by { $author }.
report-author-codex = Codex
report-author-server = the server
report-author-relay = the relay
report-author-os = this machine
report-author-person = you
report-footer = { $checks } checks in { $duration }
report-footer-verbose = -v shows the sums
report-footer-json = --json for a bug report
report-cut-short = The run was cut short; what is missing is listed under “Unseen”.
report-lint-accepted = Codex accepts this configuration.
report-lint-ignoring = Codex accepts this configuration and ignores { $count ->
    [one] one key
   *[other] { $count } keys
  }.
report-lint-rejected = Codex refuses to start with this configuration.
report-did-you-mean = did you mean `{ $suggestion }`?
report-layer = layer: { $layer }
report-ledger-prior = prior
report-ledger-total = score
report-fact-installation = installed Codex
report-fact-config = configuration
report-fact-environment = environment
report-fact-credentials = credentials
report-fact-endpoint = address
report-fact-dns = name resolution
report-fact-reachability = free request
report-fact-model_request = request to the model
report-fact-clock = clock
report-fact-history = session records
report-fact-sessions = session sizes
report-fact-clients = running Codex programs
report-fact-error_text = error text
report-why-offline = offline
report-why-not-part-of-command = not part of this command
report-why-needs-another = needs something that is missing
report-why-private = private, not read
report-why-would-execute = would run a command
report-why-unsafe = not safe to send
report-why-no-consent = only with --allow-cost
report-why-unsupported = not on this system
report-why-not-reached = not reached in time
report-internal-error = Internal error. Please report it with the command line; the report above holds what was known.
report-comma = { ", " }
report-and = { ", " }
report-colon = { ": " }
report-level-error = error
report-level-warning = warning
report-level-note = note
report-fact-cloud_layers = settings from the company's cloud
report-fact-managed_preferences = managed preferences of macOS
report-why-not-readable = not read by this program
report-lint-starts = Codex starts
report-lint-errors = { $count ->
    [one] one error
   *[other] { $count } errors
}
report-turns-missing = not every turn is here: { $parts }
report-turns-and = ; {""}
report-turns-unread = { $count ->
    [one] one file was not read in full ({ $first })
   *[other] { $count } files were not read in full, the first of them { $first }
}
report-turns-not-reached = { $count ->
    [one] one file was not reached before the time was up
   *[other] { $count } files were not reached before the time was up
}
report-turns-broken = { $count ->
    [one] one broken record was passed over
   *[other] { $count } broken records were passed over
}
report-turns-only-counted = { $count ->
    [one] one turn is known by its number only
   *[other] { $count } turns are known by their number only
}
report-turns-failed = the session records could not be read ({ $first })
report-turns-no-time = the time was up before the session records were read

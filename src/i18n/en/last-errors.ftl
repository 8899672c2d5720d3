# The check last-errors: one message per signature, and its own.

errors-none = { $turns ->
    [one] One turn was read since { $since }, and it did not fail.
   *[other] { $turns } turns were read since { $since }, and none of them failed.
}
errors-unrecognised = No known error was recognised in this text.
errors-no-outcome = Codex began a turn and printed neither an answer nor an error: it was waiting.
errors-no-text = The newest turn failed, but this Codex release stored no error text for it.
errors-request = { $retries ->
    [0] To whoever runs the server, the failed request is known as { $names }.
   *[other] To whoever runs the server, the last try of the failed request is known as { $names }.
    }
errors-interrupted = The newest turn was ended from outside before Codex stored an error.
errors-capacity = Codex printed its capacity sentence: something on the way answered with the code for an overloaded server.
errors-capacity-admitted = Requests go straight to OpenAI here, so one that got this answer got as far as admission.
errors-capacity-old-client = Codex releases up to 0.155.1 print the same sentence for throttling.
errors-capacity-quoted = The capacity sentence stands inside another message, so the server wrote it, not Codex.
errors-policy-capacity = The pool reserved for restricted requests has no room.
errors-flex-capacity = The flex tier has no room at the moment.
errors-overloaded-words = The server says in its own words that it is overloaded.
errors-overloaded-words-beside = Beside the capacity sentence, the server says in its own words that it is overloaded.
errors-saturated = The relay says that the back end of this group is full.
errors-saturated-429 = The relay throttles this group because its back end is full.
errors-high-demand = Codex prints “high demand” for every HTTP 500, whatever its reason was.
errors-service-auth-down = An internal service of the server is down; your login is not the fault.
errors-server-fault = The server reports a fault of its own without a reason.
errors-internal-error = The server reports a fault of its own and nothing else.
errors-server-fault-stream = The server began to answer and then reported a fault of its own.
errors-status-5xx = { $status ->
    [none] The server answered with a fault of its own.
   *[other] The server answered with { $status }, a fault of its own.
    }
errors-status-5xx-empty = { $status ->
    [none] The server answered with a fault and an empty body.
   *[other] The server answered with { $status } and an empty body.
    }
errors-gateway-page = { $host ->
    [none] A gateway on the way answered with a page of its own.
   *[other] A gateway in front of { $host } answered with a page of its own.
    }
errors-gateway-words = { $host ->
    [none] A gateway on the way could not reach what lies behind it.
   *[other] The gateway in front of { $host } could not reach what lies behind it.
    }
errors-status-52x = { $host ->
    [none] A gateway on the way waited in vain for the server behind it.
   *[other] The gateway in front of { $host } waited in vain for the server behind it.
    }
errors-rate-limit = { $retry ->
    [none] The server throttles this account or key; it clears by itself.
   *[other] The server throttles this account or key and says to wait { $retry }.
    }
errors-status-429 = The server answered 429, and Codex does not keep its reason.
errors-quota-stored = Codex filed this error under used-up allowances.
errors-quota-exceeded = The API account has no credit or budget left.
errors-usage-limit = { $reset ->
    [none] A usage limit of the plan is reached.
   *[other] A usage limit of the plan is reached; the message names { $reset } as its end.
    }
errors-limit-told = You write of a usage limit that was reached.
errors-workspace-credits = The workspace has no credits left, or its spend cap is reached.
errors-plan = The plan of this account does not include Codex or this model.
errors-balance = Whoever runs this endpoint says that the balance or the key's budget is used up.
errors-status-402 = The server answered 402: it wants to be paid first.
errors-concurrency = Too many requests of this login or key run at the same time.
errors-cooldown = { $reset ->
    [none] The relay keeps its accounts back after an earlier limit.
   *[other] The relay keeps its accounts back after an earlier limit, for { $reset }.
    }
errors-no-account = The relay has no usable account: out of quota, cooling down or signed out, it does not say which.
errors-no-channel = { $model ->
    [none] The relay has no channel for this model in your group.
   *[other] The relay has no channel for { $model } in your group.
    }
errors-relay-refuses = The relay does not pass on what Codex sends.
errors-model-unknown = { $model ->
    [none] This server does not serve the model, or not to you.
   *[other] This server does not serve { $model }, or not to you.
    }
errors-value-refused = { $model ->
    [none] The server refuses a setting, such as the effort or the tier, for this model.
   *[other] The server refuses a setting, such as the effort or the tier, for { $model }.
    }
errors-model-gone-official = A 404 for a model at the official address: it was retired, or the service fails; there a model without access is a 400.
errors-status-404 = { $host ->
    [none] The server knows no such address.
   *[other] { $host } knows no such address.
    }
errors-status-405 = { $host ->
    [none] The server takes no requests at this address.
   *[other] { $host } takes no such requests at this address.
    }
errors-address-doubled = { $host ->
    [none] The address holds a part twice: Codex appends its own ending to the base URL.
   *[other] The address at { $host } holds a part twice: Codex appends its own ending to the base URL.
    }
errors-address-foreign-path = OpenAI's host has no such path; the base URL lacks or adds a part.
errors-address-without-version = { $host ->
    [none] The address has no version part, which most servers need.
   *[other] The address at { $host } has no version part, which most servers need.
    }
errors-address-web-page = { $host ->
    [none] The address may be a web page, not an API: it has no version part.
   *[other] The address at { $host } may be a web page, not an API: it has no version part.
    }
errors-address-malformed = The base URL is no valid address.
errors-address-blamed = The address in the configuration is missing or wrong, says the error.
errors-wire-api = The protocol does not fit: Codex speaks the Responses API only.
errors-config-rejected = { $place ->
    [none] Codex does not accept its configuration file.
   *[other] Codex does not accept its configuration file ({ $place }).
    }
errors-provider-missing = The selected provider is not defined, or its local server does not run.
errors-variable-missing = { $variable ->
    [none] The provider wants a key from an environment variable that is not set.
   *[other] The provider wants its key from { $variable }, which is not set.
    }
errors-variable-unset = A variable with an API key is not set.
errors-mcp-failed = A tool server did not start; that alone does not stop a request.
errors-mcp-command = The command of a tool server was not found.
errors-key-refused = The server refuses the key or token.
errors-refresh-failed = The stored login is no longer valid and could not be renewed.
errors-refresh-server-down = The login could not be renewed because the sign-in server failed.
errors-refresh-unreachable = The login could not be renewed because the sign-in server was not reached.
errors-scopes = This login or key lacks the right to use this API.
errors-organisation = The account's organisation or workspace does not admit this request.
errors-phone-gate = The sign-in asks for a telephone number, or refuses the one given.
errors-workspace-deactivated = The selected workspace is deactivated.
errors-account-deactivated = The server says that this account is closed or suspended.
errors-keyring = The credential store of the operating system could not be used.
errors-clock = The times of this machine and of the server do not agree.
errors-status-401 = The server answered 401: it does not accept the credentials.
errors-unauthorized-stored = Codex filed this error under missing authorisation.
errors-status-403 = { $host ->
    [none] The server answered 403 without a clear reason.
   *[other] { $host } answered 403 without a clear reason.
    }
errors-sign-in-failed = Signing in failed.
errors-login-port = The sign-in could not use its local port.
errors-dns = { $host ->
    [none] The server's name could not be resolved.
   *[other] The name { $host } could not be resolved.
    }
errors-tls = { $host ->
    [none] No secure connection came about; the certificate was not accepted.
   *[other] No secure connection to { $host } came about; the certificate was not accepted.
    }
errors-proxy = The proxy refused or failed.
errors-status-407 = The proxy wants a login.
errors-refused = { $host ->
    [none] The connection was refused or had no route.
   *[other] The connection to { $host } was refused or had no route.
    }
errors-timed-out = { $host ->
    [none] No answer came in time.
   *[other] No answer from { $host } came in time.
    }
errors-status-408 = Something on the way gave up waiting for the request.
errors-send-failed = { $host ->
    [none] The request could not be sent, or was cut before an answer came.
   *[other] The request to { $host } could not be sent, or was cut before an answer came.
    }
errors-send-failed-loopback = The request went to this machine, where perhaps nothing listens.
errors-waiting-for-network = Codex waits for a connection that does not come about.
errors-transport = { $host ->
    [none] The connection was cut in the middle of the answer.
   *[other] The connection to { $host } was cut in the middle of the answer.
    }
errors-stream-closed = { $host ->
    [none] The answer ended without its last event.
   *[other] The answer of { $host } ended without its last event.
    }
errors-stream-disconnected = Codex says that the stream broke off; the reason stands elsewhere.
errors-reconnecting = Codex tried to connect again.
errors-websocket-fallback = Codex went over from WebSockets to HTTPS; that is only a warning.
errors-region = The request came from a place that the service does not serve.
errors-blocked-page = A block or challenge page answered in place of the API.
errors-blocked-html = The server answered 403 with a web page, as block pages do.
errors-context-full = The conversation no longer fits into the model's context.
errors-body-too-large = The request is larger than something on the way accepts.
errors-status-413 = { $host ->
    [none] The request is larger than the server accepts.
   *[other] The request is larger than { $host } accepts.
    }
errors-policy = The server refused or rerouted the request for reasons of policy.
errors-request-blocked = The request was blocked, without a reason.
errors-policy-told = You write of a safety check that stopped the turn.
errors-encrypted-content = The conversation holds reasoning that this account or server cannot decrypt.
errors-payload-refused = The server refuses a part of the conversation as it was sent.
errors-input-blamed = The server blames a part of what the client sent.
errors-answer-unreadable = Codex could not read the server's answer.
errors-sign-in-refused = The sign-in server refused the request; mostly it does so by region or address.
errors-relay-upstream = The relay passes on a fault of its upstream without the reason.
errors-bad-request = The server calls the request invalid.
errors-status-422 = The server could not process the request as it was sent.
errors-adapter-conflict = An adapter between Codex and the model reports a fault of its own.
errors-client-cache = Codex cannot read its own model cache; another version may have written it.
errors-disk-full = Session or log files fill the disk.
errors-local-state = Codex cannot use one of its own databases or session files.
errors-sandbox = The sandbox for commands could not be set up.
errors-crash = A Codex process ended by a fault of its own.
errors-app-start = The app or the editor extension does not come up.
errors-installation = Codex itself is not installed completely, or the shell does not find it.
errors-compaction-answer = The answer lacks the compaction that Codex asked for.
errors-protocol = A client and the app server of Codex do not understand each other.
errors-model-metadata = This Codex release does not know that model name.
errors-said-other-model-works = You write that another model works, or that only one fails.
errors-said-all-models = You write that all models fail.
errors-said-other-account-works = You write that it follows one account.
errors-said-usage-low = You write that much of the allowance is left.
errors-said-usage-full = You write that a usage window was just used up.
errors-said-stale-client = You write that only a running window fails, while a new one works.
errors-said-many-at-once = You write that several sessions run at once.
errors-said-restart-fixed = You write that a restart helped.
errors-said-proxy-left-over = You write of a proxy setting that outlived its proxy.
errors-said-proxy = You write that a proxy is on the way.
errors-said-vpn = You write that a VPN plays a part.
errors-said-context-large = You write of a long conversation or of compaction.
errors-said-changed-by-itself = You write that a value is not yours, or changed by itself.
errors-said-incident = You write that others are affected, or of an incident.
errors-said-relay = You write that a relay or another provider is on the way.
errors-unread = { $first ->
    [none] { $count ->
        [one] One session file was not read; a newer error may stand in it.
       *[other] { $count } session files were not read; a newer error may stand in them.
    }
   *[other] { $count ->
        [one] The session file { $first } was not read; a newer error may stand in it.
       *[other] { $count } session files were not read, { $first } among them; a newer error may stand in them.
    }
    }
errors-broken-records = { $count ->
    [one] One broken record in the session files was passed over.
   *[other] { $count } broken records in the session files were passed over.
    }
errors-running = A turn has not ended and has written nothing for { $silent }; look at what Codex shows.
errors-ahead = { $count ->
    [one] One turn carries a time that is still to come
   *[other] { $count } turns carry a time that is still to come
    }: the clock was ahead when they were written, so none of them is taken for the newest error.

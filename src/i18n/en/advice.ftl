# What to do. One short sentence, in the imperative; values only as `needs` of the row in checks/knowledge/advice.toml allows.


## Overload: whoever serves the model has no room.

advice-switch-model = Switch to { $spare } ({ $spare_role }): `/model` keeps the conversation, `-m` does it on the command line.
advice-switch-model-listed = Switch to another model that `/model` lists; the conversation stays. On the command line, use `-m`.
advice-switch-model-relay = Try { $spare } ({ $spare_role }): this relay lists it.
advice-wait-as-asked = Wait { $retry_after }, as the server asks, then send the prompt again.
advice-wait = Wait 30 seconds, then 1, 2 and 5 minutes, never more than 15; most refusals clear in 5 to 10 minutes.
advice-new-session = Start a new session with the conclusions only; archive the old one rather than delete it.
advice-leave-tier = Leave the restricted tier for this run: take `service_tier = "flex"` out of config.toml, or call it with another one.
advice-status-page = Look at the status page of whoever serves the model (OpenAI: status.openai.com) before you change anything.
advice-try-other-model = Send one short prompt to another model: if that is refused too, it is this account's share, and switching does not help.
advice-ask-relay = Look at the relay's own console or ask its operator: pool, balance, and a channel for this model.
advice-spare-in-script = In scripts and CI, name a spare model and back off 30, 60 and 120 seconds, at most 5 minutes, before you take it: docs/scripting.md has the lines.
advice-quiet-hours = Do heavy work that can wait early in the morning or late in the evening; keep urgent work on a steady smaller model.
advice-quiet-hours-own = Between { $busy } your turns are refused more often than at other hours: move heavy work that can wait out of them.
advice-check-recovery = When it works again, send one short prompt, then one small whole task, then look at your usage for a storm of retries.
advice-ask-support = If all models refuse for a day while your usage is low, write to support with the thread id and the times.
advice-health-check = Ask for the model list before a batch: a 200 proves key and route, not room.
advice-relay-own-words = Codex drops the relay's own words: read them with one small request. It costs a few tokens.
advice-spare-provider = Keep a second line: a local model, or these lines as `openrouter.config.toml` in the Codex home with `codex -p openrouter`.
advice-own-pool = For a team, get a pool of its own once the simple means are used up.
advice-model-roles = Give each model its role: the strongest for large refactoring, the smaller for quick work, the general for steady work, the cheap for small jobs.
advice-team-page = Keep a team page: models tried, spares, for which tasks; let one or two people try a new model for a day first.
advice-no-upgrade = Upgrading, buying credits or using a reset does not help against a full model: that is not your allowance.
advice-no-reinstall = Reinstalling or restarting does not help: the servers stay as full; only endless reconnecting is worth a restart.
advice-no-model-fallback = A fallback key in config.toml does nothing in Codex: name the spare model with `-m`, or in a script as docs/scripting.md shows.

## Quota: this account's allowance.

advice-wait-for-reset = Wait until { $reset }: the window then starts anew; most other models draw on the same one.
advice-find-reset = Look up when the window starts anew: `/status` in a session, or the usage page of your account.
advice-try-after-reset = Send the prompt again: the window that was used up has started anew since.
advice-add-credits = If it cannot wait, add credits or a larger plan; against this it helps.
advice-top-up = Top up the balance at whoever issued the key, and look at the monthly spend cap there.
advice-check-plan = Check that this login's plan includes Codex and the model; after a fresh upgrade wait some minutes, then sign in again.
advice-project-key = Use a key of the right project, or name it: `OPENAI_ORGANIZATION` and `OPENAI_PROJECT` are sent along by the built-in provider.
advice-pause = Pause for a minute, or for as long as the message says, and run fewer things at once.
advice-fewer-at-once = Send less per minute: fewer parallel runs and subagents, shorter context.
advice-close-clients = Close other clients of this login: IDE, desktop app, background runs. This lists those on this machine.
advice-small-jobs = Keep small jobs off the strongest model: { $spare } ({ $spare_role }) uses less of the window.
advice-separate-key = Give CI and automation a key, a budget and an alarm of their own.
advice-organisation-member = In an organisation, settle project key, plan tier and monthly limit with its administrator, and remove old devices.
advice-no-hammering = Sending it again and again does not help: nothing is let through until the limit is lifted.

## Configuration.

advice-fix-config-line = Mend the line that the report names, then start Codex anew: it reads the file only at its start.
advice-choose-served-model = Take a model that is served here: { $spare } is ({ $spare_role }).
advice-list-models = Take a model that `/model` lists, spelt as there; at a relay, one of the relay's own list.
advice-list-served-models = Ask for the list of models that are served here.
advice-update-codex = Update Codex: a new model needs a new enough release.
advice-define-provider = Define the provider that `model_provider` names, spelt the same, with a name and a base URL.
advice-ready-provider = Or take a ready one: save these lines as `openrouter.config.toml` in the Codex home; docs/providers.md has others.
advice-fix-base-url = Write the base URL up to and with `/v1`, without `/responses`: Codex adds that itself.
advice-official-base-url = To reach OpenAI by another address, set `openai_base_url` at the top of config.toml.
advice-responses-api = Take a provider that speaks the Responses API, or a translator before it; as `openrouter.config.toml` these lines go with `-p openrouter`.
advice-relay-channel = Have the relay's operator add a channel or group for this model, or take one that it lists.
advice-try-official = Test once with the official values: this run leaves your config.toml aside and needs an OpenAI login.
advice-verify-edit = After the change, send one short real request: Codex starts even where it ignores a key.
advice-lint-in-ci = Lint the configuration before work starts, as docs/onboarding.md shows.
advice-no-openai-table = A table `[model_providers.openai]` stops Codex: the id is reserved, though guides show it.
advice-no-chat-wire = `wire_api = "chat"` is refused by Codex: a service that only speaks Chat Completions cannot be a spare.

## Credentials and clock.

advice-set-variable = Set `{ $variable }` in the shell that starts Codex.
advice-renew-key = Put a valid key in the place of the one in { $key_place }; ask whoever issued it whether it still lives.
advice-sign-in-again = Sign out and in again, once, with other clients of this login closed.
advice-organisation-settings = If the organisation's settings still cannot be loaded, check the clock; only then move `auth.json` in { $home } aside and sign in.
advice-which-credential-counts = See which login counts: `CODEX_API_KEY` beats the stored one for `codex exec`; `OPENAI_API_KEY` counts only where a provider's `env_key` names it.
advice-own-login-per-machine = Sign in on each machine; a copied auth.json is refused once the other copy was renewed.
advice-sync-clock = Switch on time synchronisation; a wrong time zone alone breaks nothing.
advice-no-delete-home = Deleting the whole Codex home does not help: your sessions are lost and the cause stays.

## Network: the way between.

advice-check-dns = The name does not resolve here: check VPN, hosts file and name server; your network's administrator can mend it.
advice-check-connection = No connection comes about: check network, firewall and VPN here; whoever runs them can mend it.
advice-start-local-server = Start the local server or relay at { $local }: nothing listens there.
advice-check-proxy = Check the proxy in `HTTPS_PROXY` and its relatives: start it, or take a left-over one out of the environment and `.env`.
advice-trust-company-root = Have Codex trust your company's root certificate; its IT gives you the file.
advice-other-network = Try once from another network, or without VPN; if the region is not served, no setting here mends it.
advice-tell-gateway = Wait 1 to 5 minutes and try once; if the page stays, send its operator the time and the status.
advice-measure-stage = See where it stops: this free request ends after 15 seconds and costs nothing.
advice-try-again-once = Try once more with less context; if it breaks at the same length of time, a proxy between has a limit.
advice-allow-host = Have { $host } allowed without inspection, and with long-lived streams, by whoever runs network and proxy.
advice-other-way-out = Compare once with a phone's hotspot: if that works, it is this network, not Codex or your account.
advice-keep-checks-on = Leave certificate checking on: without it anybody on the way reads your key.
advice-no-account-change = A change of account, key or plan does not help: the request never got there.

## Other: context, policy, client.

advice-smaller-context = Send less: one task per session, a new one after an hour, lines or functions instead of whole files, summaries instead of dozens of files.
advice-compact = To stay in the old session, shorten it with `/compact`.
advice-archive-large-session = Archive the largest session: it is kept, and `codex unarchive` brings it back.
advice-delete-archived = Delete the largest archived session, if nothing in it is wanted: it is gone for good.
advice-migrate-rollouts = Ask Codex which old sessions it could move to its newer store; without `--apply` it only reports.
advice-move-logs-aside = With every Codex closed, editor and desktop too, move { $log_database } aside with its `-wal` and `-shm`; Codex makes a new one.
advice-empty-write-ahead-log = With every Codex closed, have `sqlite3` write the log of that database back: `PRAGMA wal_checkpoint(TRUNCATE)`.
advice-bound-prompt-history = Bound the list of past prompts (in bytes), or keep none: `persistence = "none"`.
advice-leave-session-databases = Deleting `state_5.sqlite` or `thread_history_1.sqlite` does not help: names and pins are lost, and the next start reads all sessions again.
advice-free-disk = Free disk space: with every Codex closed, move `logs_2.sqlite` with its `-wal` and `-shm` out of { $home }; leave the session databases.
advice-new-thread = Start a new thread without the flagged part; do not send the same prompt again. If it was flagged by mistake, report it.
advice-report-bug = Report it with this report and the thread id; it holds no prompts and no keys.
advice-see-more = See what the server says in its stream with `RUST_LOG=info`; a `--verbose` flag does not exist. It costs a few tokens.
advice-end-stuck-client = Close the window that hangs, or end this one process; what it has written is kept, and `codex resume` goes on with it.
advice-restart-daemon = Restart the background server that hangs (process { $stuck_daemon }); a turn that runs in it is cut off.
advice-restart-stale-client = Restart only the client that hangs: find its process id and end that one.
advice-no-kill-by-name = Do not end all processes by name: IDE and desktop sessions die with them.
advice-no-larger-window = Declaring a larger context window does not make it larger: Codex counts with the model's own at most.

## Quick reference (docs/quick-reference.md).

quick-ui-title = Quick reference
quick-ui-intro = Made from the catalogue of advice by a test; `codex-triage` says which line is yours, and why.
quick-ui-symptom = Symptom
quick-ui-first = First
quick-ui-note = Note
quick-ui-messages = By message
quick-ui-patterns = By pattern
quick-ui-in-vain = What does not help
quick-ui-overload = Overload
quick-ui-quota = Quota
quick-ui-config = Configuration
quick-ui-network = Network
quick-ui-other = Other
quick-ui-models = Which model instead
quick-ui-model = Model
quick-ui-good = Good at
quick-ui-bad = Bad at
quick-ui-spares = Spares, in order
quick-now-and-then = Refused now and then
quick-now-and-then-note = A passing fluctuation: change nothing else.
quick-often = Refused often
quick-often-note = Split the work, and keep sessions short.
quick-after-switching = Still refused with another model
quick-after-switching-note = Either the configuration is not in effect, or the login or account is at fault.
quick-with-timeouts = Refused, with timeouts between
quick-with-timeouts-note = Look at the network and at the size of the context.
quick-several-people = Several people at once
quick-several-people-note = You share a pool: start heavy jobs one after another.
quick-works-elsewhere = Reconnects without end, while a new session works
quick-works-elsewhere-note = The only case in which a restart helps.
quick-at-capacity-note = From OpenAI it means what it says; from a relay it may hide a quota, a key or a missing model.
quick-high-demand-note = Every HTTP 500 reads like this, whoever sent it.
quick-flex-note = Only this tier is full.
quick-usage-limit-note = Not overload: waiting five minutes changes nothing.
quick-status-429-note = Codex drops the reason: throttling, or at a relay a quota.
quick-quota-exceeded-note = The balance of an API key, not a ChatGPT plan.
quick-plan-note = A fresh upgrade takes some minutes to arrive.
quick-status-401-note = With a key of your own, renew the key instead.
quick-refresh-note = Often two machines share a copied login.
quick-model-unknown-note = A misspelt name gives the same message.
quick-status-404-note = At OpenAI's own, unchanged address it is an incident: wait.
quick-no-channel-note = The relay speaks of itself, not of OpenAI.
quick-config-note = Nothing was sent.
quick-wire-api-note = Refused even when that provider is not selected.
quick-waiting-for-network-note = Name, connection, certificate and proxy all read the same, and it never ends by itself.
quick-closed-early-note = At a relay: it may not speak the Responses API.
quick-blocked-note = The request never reached the model.
quick-gateway-note = A web page in the message comes from something between.
quick-context-note = Another model's window may be larger.

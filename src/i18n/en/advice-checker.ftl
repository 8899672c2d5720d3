# What is advised, what Codex does with it, and what to do instead.
belief-taken = Codex takes this setting (judged by the keys of { $version }).
belief-taken-with-provider = Codex takes this where the provider is defined, in a table of its own (checked against the keys of { $version }).
belief-refused = Codex does not start with this setting: { $error }
belief-does-nothing = Codex does not know `{ $key }` and goes on without it.
belief-noted = `{ $key }` is outdated: Codex still takes it, perhaps without effect.
belief-approval-untrusted = Codex does not start: `approval_policy = "untrusted"` is refused from 0.149.0 on. Remove the line, or choose `on-request`.
belief-approval-on-failure = Codex takes `approval_policy = "on-failure"` without a word; nothing needs to be changed, and `on-request` is the value of current guides.
belief-openai-table = Codex does not start: the id of a built-in provider cannot be defined anew. To move OpenAI's own address, set `openai_base_url` at the top of the file; for a relay, give the table another id and select that with `model_provider`.
belief-wire-api-chat = Codex does not start: `wire_api = "chat"` is gone, also in a provider that is not selected. Remove the line where the service offers the Responses API; else it cannot be used without a gateway that translates.
belief-profile-selector = Codex does not start: a `profile` line in the file is refused from 0.134.0 on. Put the settings into `NAME.config.toml` beside the file, and start with `codex --profile NAME`.
belief-profile-table = Codex takes a table `[profiles.NAME]` and does nothing with it, and it makes `--profile NAME` fail. Move its settings into `NAME.config.toml` beside the file.
belief-effort-of-ones-own = Codex takes any word as an effort and sends it; a server may refuse it or treat it as it likes. Use one that the model offers, such as `high`.
belief-tier-of-ones-own = Codex takes any word as a tier, and leaves it out of the request where the model does not offer it, with a warning. Remove the line, or use `flex` where it is offered.
belief-web-search-flag = Codex does not start: at the top of the file `web_search` is one of "live", "indexed", "cached" and "disabled", and no longer true or false.
belief-fast-mode-says = Turn `/fast` off; elsewhere: turn it on
belief-fast-mode = Both are advised, and both tiers are refused when a model is full: it changes neither the model's room nor your share of it.
belief-windows-sandbox-says = Set the Windows sandbox to "unelevated", switch plugins off
belief-windows-sandbox = Neither has to do with the load of a server. The sandbox setting changes what commands may do: leave it as it was.
belief-change-password-says = Change your password, set up a second factor, wait three hours
belief-change-password = Only the waiting does anything: a full model frees itself, whatever your password is.
belief-appeal-says = Post a given text as an appeal to support
belief-appeal = There is no proof that such a text helps. What support can use are the thread's id, the times and the exact message.
belief-delete-sessions-says = Delete your sessions
belief-delete-sessions = That helps only where the context was full, and it loses work: `codex archive` puts a session away without losing it.
belief-further-accounts-says = Buy further accounts, or share one
belief-further-accounts = It is no repair, costs money and breaks the terms of service. Wait, or ask another model.
belief-it-is-the-relay-says = "It is the relay", or "your relay is fine, it is OpenAI"
belief-it-is-the-relay = From a relay the sentence proves neither: Codex prints it for one code, whoever sent that. The relay's own answer decides; read it before you blame anybody.
belief-openai-variables-says = Set `OPENAI_API_KEY` or `OPENAI_BASE_URL` in the environment
belief-openai-variables = `codex exec` reads neither. A key goes into `codex login --with-api-key` or into the variable that `env_key` names; the address goes into `openai_base_url` in config.toml.
belief-verbose-says = `codex --verbose`
belief-verbose = Codex has no such option; `RUST_LOG=info codex exec …` prints more.
belief-reinstall-says = Reinstall Codex
belief-delete-home-says = Delete the whole folder `~/.codex`
belief-upgrade-says = Upgrade the plan, use a reset, buy credits
belief-no-certificate-checks-says = Turn certificate checks off
advice-list-title = Advice checker
advice-list-intro = What guides and threads advise, what Codex 0.171.0 does with it, and what to do instead. `codex-triage explain 'TEXT'` checks a setting or a sentence of your own.
advice-list-settings = Settings
advice-list-steps = Steps
advice-list-says = the advice
advice-list-fate = Codex
advice-list-does = what it does, and what to do instead
advice-list-fate-accepted = takes it
advice-list-fate-ignored = ignores it
advice-list-fate-rejected = does not start

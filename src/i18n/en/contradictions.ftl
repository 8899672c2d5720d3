# Places that say different things.
contradiction-none = The places that Codex reads do not contradict each other.
contradiction-proxies = { $variable } is { $value } and { $other } is { $other_value }: Codex goes by { $variable }, curl by { $other }, so the one proves nothing about the other.
contradiction-no-proxy = { $variable } and { $other } list different hosts; Codex goes by { $variable } ({ $value }), curl by { $other } ({ $other_value }).
contradiction-address-variable = { $variable } names { $named }, but Codex asks { $asked }: it does not read this variable.
contradiction-same-address = Several providers have the same address { $base_url }: { $providers }. Perhaps a switching program left some of them behind.
contradiction-openai-base-url = `openai_base_url` moves only Codex's own provider `openai`; selected is `{ $selected }`, so it has no effect now.
contradiction-stored-key = An API key is stored in { $place }, but the provider { $provider } does not use it: it takes its key from the variable { $variable }, which is not set.

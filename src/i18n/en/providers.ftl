# The page of ready providers (docs/providers.md).
providers-title = Ready spare providers
providers-intro = For the time when the usual line is full or down. Save the lines under the given name in the Codex home (`~/.codex`, or where `CODEX_HOME` points); config.toml stays as it is, and the next start without `-p` is the old one.
providers-old = Profiles of this kind work from Codex 0.134.0 on.
providers-save = Save as `{ $file }`, then: `{ $command }`
providers-key = Put the key into the variable `{ $key }`; no key belongs in the file.
providers-without-file = Without a file: `{ $command }`
providers-source = Source
providers-end = A service that only speaks Chat Completions cannot be used: Codex refuses `wire_api = "chat"`. The ids `openai`, `ollama` and `lmstudio` are built in, and a table of such a name stops Codex, though guides show it. `codex --oss` alone does not start: name the server and the model. The real Codex accepted all these files with `--strict-config`.

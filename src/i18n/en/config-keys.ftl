# Configuration. $layer is system, user, profile, project, override or legacy-managed; the place is shown beside the message.
config-accepted = Codex accepts this configuration (checked against the keys of { $version }).
config-unknown-key = `{ $key }` has no effect: Codex does not know this key.
config-unknown-key-spelling = `{ $key }` has no effect; did you mean `{ $suggestion }`?
config-unknown-key-spelling-otherwise = `{ $key }` has no effect; the key that Codex knows is `{ $suggestion }`, and it takes other values.
config-unknown-key-elsewhere = `{ $key }` has no effect here: `{ $suggestion }` is the key that Codex reads, so move the line there.
config-unknown-key-replaced = `{ $key }` has no effect any more; use `{ $suggestion }` instead.
config-unknown-key-removed = `{ $key }` has no effect any more: current releases of Codex no longer have this key.
config-more-unknown-keys = { $count ->
    [one] One more key has no effect.
   *[other] { $count } more keys have no effect.
}
config-foreign-capacity = `{ $key }` has no effect: Codex cannot switch models or retry by itself when a model is full.
config-foreign-provider-key = `{ $key }` has no effect here: it belongs into the table of a provider, `[model_providers.NAME]`.
config-foreign-key-in-file = `{ $key }` has no effect: Codex reads no key from this place, so put its name into `env_key` and the key into that variable.
config-foreign-address = `{ $key }` has no effect: Codex calls the address of a provider `base_url`.
config-foreign-models = `{ $key }` has no effect: Codex takes one model, named by `model`.
config-foreign-effort = `{ $key }` has no effect: Codex calls it `model_reasoning_effort`.
config-foreign-mcp-transport = `{ $key }` has no effect: Codex tells the kind of an MCP server by `command` or `url`.
config-foreign-mcp-headers = `{ $key }` has no effect: the headers of an MCP server are called `http_headers`.
config-foreign-mcp-timeout = `{ $key }` has no effect: the times of an MCP server are called `startup_timeout_sec` and `tool_timeout_sec`.
config-foreign-root = `{ $key }` has no effect, nor has anything below it: put these keys at the top of the file, above the first header.
config-denied-key = `{ $key }` has no effect here: a project may not set it; put it into your own config.toml.
config-deprecated-key = `{ $key }` is outdated; Codex still accepts it, but it may do nothing.
config-deprecated-key-replaced = `{ $key }` is outdated; its successor is `{ $suggestion }`.
config-newer-key = `{ $key }` has no effect: Codex knows this key from { $since } on, and this is { $installed }.
config-syntax = Codex does not start, because this line is not valid TOML: { $error }
config-unreadable = Codex does not start, because it cannot read its configuration: { $error }
config-rejected = Codex does not start with this configuration: { $error }
config-rejected-override = Codex does not start with these command-line settings: { $error }
config-rejected-override-key = Codex does not start with `{ $key }` as the command line sets it: { $error }
config-untrusted-project = This project has settings of its own ({ $file }), but the project is not trusted, so Codex leaves them out.
config-no-home = Codex does not start, because its home directory cannot be used: { $error }
config-not-read = { $file } is too large to be checked ({ $size }), so it is not known what Codex makes of it.
config-newer-codex = Codex { $version } is newer than what this program knows; its configuration was judged by the keys of { $known }.
config-older-codex = Codex { $version } is older than what this program knows; its configuration was judged by the keys of { $known }.
config-rejected-next = Codex stops here next: { $error }
config-rejected-next-override = Codex stops at these command-line settings next: { $error }
config-masked = Codex starts although this value is wrong ({ $error }), because a higher layer sets the key too; with `--strict-config` it does not.
config-masked-denied = Codex starts although this value is wrong ({ $error }), because it takes this key from no project; with `--strict-config` it does not start.
config-unknown-key-replaced-otherwise = `{ $key }` has no effect any more; `{ $suggestion }` took its place and takes other values.
config-rejected-local-table = Codex does not start: the id of a built-in provider cannot be defined anew. Codex finds a local program by the variable CODEX_OSS_BASE_URL; for an address in the file, give the table another id and select that with `model_provider`.
config-foreign-wire-api = `wire_api` has no effect here. In the table of a provider, `"responses"` is all that Codex takes, and it is the default; `"chat"` stops Codex there. Remove the line.

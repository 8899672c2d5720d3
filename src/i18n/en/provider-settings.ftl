# What each defined provider says of its key and its service.
provider-settings-ok = { $count ->
    [one] The settings of the defined provider are complete.
   *[other] The settings of all { $count } defined providers are complete.
}
provider-no-address = The provider { $provider } names no address (`base_url`), so Codex sends its requests to { $host }.
provider-no-address-with-key = The provider { $provider } names no address (`base_url`), so Codex sends its requests to { $host }, and its key with them. Add the address of the service.
provider-key-in-env-key = `env_key` of the provider { $provider } seems to hold a key (masked here). It wants the name of a variable that holds the key; a key that stood in a file is best replaced by a new one.
provider-env-key-not-a-name = `env_key` of the provider { $provider } is “{ $variable }”, which is no name of a variable; Codex looks for a variable of exactly that name.
provider-env-key-not-a-name-bare = `env_key` of the provider { $provider } is “{ $variable }”: Codex fills nothing in and looks for a variable of exactly that name. Write `{ $suggestion }`.
provider-env-key-unset = The provider { $provider } takes its key from the variable { $variable }, which is not set here; without it Codex sends no request.
provider-env-key-shell-only = The key variable { $variable } of the provider { $provider } comes from this shell; the desktop app and services do not see it. The file .env in Codex's home reaches them all.
provider-keys-unset = { $count ->
    [one] If you select it: the key variable of a provider that is not in use is not set: { $providers }.
   *[other] If you select one of them: the key variables of { $count } providers that are not in use are not set: { $providers }.
}
provider-capitals = The provider `{ $provider }` is not Codex's own `{ $built_in }`, for capitals count; selected is `{ $selected }`.
azure-path = Azure has no Responses API at this path of the provider { $provider }; use { $suggestion }.
azure-deployment-in-path = The address of the provider { $provider } names a deployment; Azure's Responses API takes it from `model` instead. Use { $suggestion }.
azure-api-version = At this path Azure wants a version, and the provider { $provider } gives none: add `query_params = {"{"} api-version = "…" {"}"}`, or use { $suggestion }, which needs none.
azure-no-key = The provider { $provider } sends Azure no key: name the variable that holds it in `env_key`, or send it as the header `api-key` with `env_http_headers`.
azure-openai-login = The provider { $provider } sends your OpenAI login to Azure, which does not take it: remove `requires_openai_auth` and name a variable with the Azure key in `env_key`.
azure-deployment-name = At Azure `model` is the name of your deployment: { $model } must be deployed under exactly that name.
azure-no-model = At Azure `model` is the name of your deployment, and none is set, so Codex asks for its own default.
provider-login-sent-elsewhere = Codex sends your ChatGPT login to { $host }, which is not OpenAI's: whoever runs that host can act with it. If you did not mean that, use a key of that host's own (`env_key`).
provider-key-sent-elsewhere = Codex sends the stored API key to { $host }, which is not OpenAI's: fine if the key is that host's own, else it gives your OpenAI key away.

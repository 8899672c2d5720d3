# Provider and model.
provider-selected = Codex asks the provider `{ $provider }` at { $host }.
provider-selected-without-host = Codex asks the provider `{ $provider }`.
provider-undefined = Codex does not start, because the selected provider `{ $provider }` is not defined.
provider-undefined-case = Codex does not start, because the selected provider `{ $provider }` is not defined; `{ $suggestion }` is, and capitals count.
provider-relay = { $host } is not OpenAI's own address, so what it says about capacity is its own word.
provider-unused = { $count ->
    [one] The provider { $providers } is defined but not used; Codex asks `{ $selected }`.
   *[other] The providers { $providers } are defined but not used; Codex asks `{ $selected }`.
}
model-empty = The model's name is empty, so Codex has no model to ask.
# $release is the Codex that is judged, $age how long ago the list of this login was fetched.
model-listed = The model { $model } is in the list that comes with Codex { $release }.
model-listed-for-login = The model { $model } is in the list that Codex fetched for this login { $age } ago.
model-listed-here = The model { $model } is in the list of whoever serves it.
model-superseded = Codex { $release } no longer shows { $model } and proposes { $upgrade } instead.
model-by-beginning = Codex { $release } does not list { $model } by that name and takes it for { $known }, with its limits.
model-own-catalogue = Your own `model_catalog_json` decides which models Codex knows; { $model } was not looked up in it.
model-not-in-catalogue = The list that comes with Codex { $release } does not have { $model }; Codex asks for it all the same, with assumed limits.
model-not-in-catalogue-case = The list that comes with Codex { $release } does not have { $model }; it has `{ $suggestion }`, and capitals count.
model-not-in-catalogue-but-offered = The list that comes with Codex { $release } does not have { $model }, but the one fetched for this login { $age } ago did.
model-not-for-this-login = The list that Codex fetched for this login { $age } ago does not have { $model }, so it may be refused.
model-not-for-this-login-case = The list that Codex fetched for this login { $age } ago does not have { $model }; it has `{ $suggestion }`, and capitals count.
model-retired = The model { $model } is gone from the lists of Codex since { $until }.
model-retired-for = The model { $model } is gone from the lists of Codex since { $until }; { $upgrade } took its place.
model-needs-newer-codex = The model { $model } came with Codex { $since }; Codex { $release } does not know it yet.
model-kept-list-old = The list that was fetched for this login is { $age } old and from Codex { $fetched_by }: what comes with Codex decided instead.
model-not-in-catalogue-slip = The list that comes with Codex { $release } does not have { $model }; did you mean `{ $suggestion }`?
provider-undefined-alike = Codex does not start, because the selected provider `{ $provider }` is not defined; did you mean `{ $suggestion }`?
provider-undefined-ollama-chat = Codex does not start, because the provider `ollama-chat` is gone; use `ollama`.

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
model-listed = The model { $model } is in Codex's own catalogue.
model-not-in-catalogue = The model { $model } is not in the catalogues known here; Codex asks for it all the same, with assumed limits.
model-retired = The model { $model } is no longer in the catalogue of Codex { $until }.
model-needs-newer-codex = The model { $model } came with Codex { $since }; the installed { $installed } does not know it yet.

# Settings of the model. $key is the setting, $offered the words that the model lists.
effort-not-offered = { $model } does not offer the effort `{ $effort }`, and Codex sends it all the same; it offers { $offered }.
effort-spelling = Codex sends the effort `{ $effort }` as it is written, with its capitals; the word is `{ $suggestion }`.
effort-lowered = { $model } does not offer the effort `{ $effort }`; Codex sends `{ $sent }` instead.
effort-none = { $model } does not list the effort `none`; Codex sends it, and OpenAI's API may take it.
tier-omitted = Codex leaves the service tier `{ $tier }` out of its requests: { $model } offers { $offered }.
tier-omitted-case = Codex leaves the service tier `{ $tier }` out of its requests; the word is `{ $suggestion }`, in small letters.
tier-omitted-others = Codex leaves the service tier `{ $tier }` out of its requests: { $model } does not offer it, but { $others } do.
tier-omitted-none-offered = Codex leaves the service tier `{ $tier }` out of its requests: { $model } offers none.
tier-omitted-unknown-model = Codex leaves the service tier `{ $tier }` out of its requests, because it does not know the model { $model }.
window-capped = The context window is set to { $declared } tokens, but { $model } has { $largest } at most, and Codex counts with that.
window-capped-unknown-model = The context window is set to { $declared } tokens, but Codex does not know { $model } and counts with { $largest } at most.

# Layers above one's own files. $layer is system, user, profile, project, override, legacy-managed or requirements.
config-requirements = This machine has rules of a company or an administrator, { $file }: they win over your own settings.
config-requirement-overrides = `{ $key }` does not count here: { $file } requires another value, and Codex takes that one.
config-requirement-disallows = This value of `{ $key }` is not allowed by { $file }; Codex takes `{ $instead }` instead.
config-requirement-unknown-key = `{ $key }` has no effect: Codex knows no such requirement.
config-managed-overrides = `{ $key }` does not count here: { $file } sets another value, and that wins over everything else, -c included.
config-dot-env-beats-shell = `{ $variable }` is set in the shell and in the .env file of Codex to different values; Codex takes the one from the file.
config-effective-none = Codex does not start, so nothing is in effect.
config-effective-empty = No key is set: all values are Codex's own defaults.
config-effective-head = In effect
config-effective-over = over { $layers }
config-layer-system = system
config-layer-user = user
config-layer-profile = profile
config-layer-project = project
config-layer-override = -c
config-layer-legacy-managed = managed
config-layer-requirements = required

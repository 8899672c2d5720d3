# The command `fix`. A mend says what it does; the reason says why it is safe, or why not.
fix-rename = `{ $key }` becomes `{ $to }`.
fix-move = `{ $key }` moves to where Codex reads it: `{ $to }`.
fix-merge = What stands below `{ $key }` moves into `{ $to }`, which is what Codex reads.
fix-remove = `{ $key }` goes: Codex does nothing with it.
fix-remove-double = `{ $key }` goes: `{ $to }` is already set.
fix-remove-value = `{ $key } = "{ $value }"` goes: Codex refuses this value.
fix-remove-refused = `{ $key }` goes: Codex refuses to start with it.
fix-unfold = The keys below `[{ $key }]` move to the top of the file, where Codex reads them.
fix-provider-id = `{ $key }` becomes `{ $to }`: Codex keeps the old name for a provider of its own. What selects it in this file follows.
fix-name = `{ $key }` gets the name "{ $to }": Codex asks for one.
fix-value = `{ $key }` gets the value "{ $to }" instead of "{ $value }".
fix-unquote = `{ $key }` gets the value { $value } without quotes.
fix-address = `{ $key }` becomes { $to }.
fix-literal = The Windows path in `{ $key }` gets single quotes, so that its backslashes stay backslashes.
fix-quote = The value of `{ $key }` gets its quotes.
fix-boolean = The value of `{ $key }` is written in small letters.
fix-curly-quotes = The value of `{ $key }` gets straight quotes.
fix-semicolon = The semicolon behind `{ $key }` goes.
fix-colon = `{ $key }` gets an equals sign.
fix-comment = The remark gets the mark that TOML has for it, `#`.
fix-repeated = `{ $key }` is said once instead of twice.
fix-safe-repeated = both say the same
fix-safe-without-effect = it has no effect now
fix-safe-harmless = it cannot switch on any approval, access, address or program
fix-safe-quotes = the value is the one that was typed
fix-safe-comment = it is only a remark
fix-unsafe-activates = a setting would come into effect that had none until now
fix-unsafe-endpoint = requests may go to another address, or begin to go there
fix-unsafe-default = the default of Codex would take its place
fix-unsafe-only-copy = this may be the only place where your key is kept: put it into a variable first
fix-unsafe-unit = the number may be meant in another unit
fix-unsafe-successor = the successor may not do quite the same
fix-unsafe-guess = the word is short, and may have been meant otherwise
fix-unsafe-unclear = Codex does nothing with it, but nobody knows what was meant
fix-unsafe-loses = what stands there would be lost, and it may be the only copy
fix-unsafe-empty = the value is empty, and Codex may not take that
fix-unsafe-place = in its table it may have been meant for that alone
fix-unsafe-wakes = with it Codex takes what it refuses until now, and more comes into effect: { $keys }
fix-unsafe-newer = your Codex is newer than what is known here, and may know this
fix-unsafe-refused = Codex would then find another fault
fix-label-safe = safe
fix-label-unsafe = not safe
fix-label-not = not done
fix-ask = Apply this? y = yes, n = no, q = stop asking:
fix-no-edit = no edit is sure to change just this; please do it by hand
fix-worse = Codex would then say: { $error }
fix-file-project = it belongs to a project, and is left alone
fix-file-system = it belongs to the system, and is left alone
fix-file-read-only = it is write-protected, and is left alone
fix-file-changed = the file was changed by somebody else just now; nothing was written, please run it again
fix-file-linked = it has another name (a hard link), which would no longer lead to the same file, and is left alone
fix-output-is-target = the report cannot be written over { $file }, which is to be mended
fix-too-many = there are too many faults for one run; please run it again
fix-file-failed = { $file } could not be written, and is as it was: { $error }
fix-applied = { $count ->
    [one] One edit made.
   *[other] { $count } edits made.
}
fix-backup = The file as it was: { $backup }. `codex-triage fix --undo` puts it back.
fix-nothing = There is nothing to mend.
fix-dry-run = { $count ->
    [0] Nothing was written. None of these edits is safe: `codex-triage fix` on a terminal asks for each.
    [one] Nothing was written. `--yes` would make the one safe edit; `codex-triage fix` on a terminal asks for each.
   *[other] Nothing was written. `--yes` would make the { $count } safe edits; `codex-triage fix` on a terminal asks for each.
}
fix-left = { $count ->
    [one] One edit is left to you: `codex-triage fix` on a terminal asks for it.
   *[other] { $count } edits are left to you: `codex-triage fix` on a terminal asks for each.
}
fix-not-applied = { $count ->
    [one] Nothing was written, because nobody could be asked. `--yes` makes the edit if it is safe; on a terminal it is asked for.
   *[other] Nothing was written, because nobody could be asked. `--yes` makes those of the { $count } edits that are safe; on a terminal each is asked for.
}
fix-declined = { $count ->
    [one] One edit was not made.
   *[other] { $count } edits were not made.
}
fix-still-refused = Codex does not start with this configuration: { $error }
fix-not-own = { $count ->
    [one] One key in a file that is not your own has no effect: `codex-triage lint` shows it.
   *[other] { $count } keys in files that are not your own have no effect: `codex-triage lint` shows them.
}
fix-verify = Try it with a real request:
fix-undone = { $file } is as it was before.
fix-undo-none = There is no edit to undo.
fix-undo-changed = { $file } was changed after the edit, so nothing was put back. What it was before is in { $backup }; copy it over the file if you want it in any case.
fix-footer = { $count ->
    [one] codex-triage fix can mend one of these
   *[other] codex-triage fix can mend { $count } of these
}

# Faults of a file that Codex takes or words in its own way.
config-below-header = { $count ->
    [one] { $keys } stands below the header { $header } (line { $line }), so Codex reads it as `{ $read_as }` and ignores it: move it to the top of the file, above the first header.
   *[other] { $keys } stand below the header { $header } (line { $line }), so Codex reads them as `{ $read_as }` and so on and ignores them: move them to the top of the file, above the first header.
}
config-below-header-taken = { $count ->
    [one] { $keys } stands below the header { $header } (line { $line }), where any name is taken: it sets nothing of Codex. Move it to the top of the file, above the first header.
   *[other] { $keys } stand below the header { $header } (line { $line }), where any name is taken: they set nothing of Codex. Move them to the top of the file, above the first header.
}
config-mangled-path = `{ $key }` holds a Windows path in double quotes, in which a backslash and the letter behind it stand for another character; Codex takes it, and no such path exists. Use literal quotes: 'C:\…'.
config-syntax-backslash = Codex does not start: in double quotes a backslash begins an escape ({ $error }). Put a Windows path into literal quotes: 'C:\…'.
config-rejected-below-header = Codex does not start: `{ $key }` stands below the header { $header } (line { $line }), and there it cannot be ({ $error }). Move it to the top of the file, above the first header.
config-mangled-path-name = A name below `{ $key }` is a Windows path in double quotes, in which a backslash and the letter behind it stand for another character; no such path exists. Use literal quotes: 'C:\…'.
config-unseen-character = `{ $key }` holds a character that nobody sees ({ $character }). Codex takes it as a part of the name or value; delete it and type the text again.

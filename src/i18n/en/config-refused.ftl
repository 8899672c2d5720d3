# Codex refuses the configuration: its own words in brackets behind plain ones. $next says whether it comes to this after another fault.
config-refused-text = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` takes a text, in quotes. (Codex: { $error })
config-refused-boolean = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` takes true or false, without quotes. (Codex: { $error })
config-refused-count = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` takes a whole number that is not negative, without quotes. (Codex: { $error })
config-refused-number = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` takes a whole number, without quotes. (Codex: { $error })
config-refused-table = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` is a table: it takes keys of its own below a header, or between braces. (Codex: { $error })
config-refused-list = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` takes a list, in square brackets. (Codex: { $error })
config-refused-word = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` takes one of the words { $words }, and “{ $word }” is none of them. (Codex: { $error })
config-refused-missing = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` lacks `{ $field }`. (Codex: { $error })
config-refused-nameless = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: the provider `{ $key }` needs a name: `name = "…"`. (Codex: { $error })
config-refused-empty = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: `{ $key }` must not be empty. (Codex: { $error })
config-refused-transport = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: the MCP server `{ $key }` needs `command` for a program, or `url` for an address. (Codex: { $error })
config-refused-no-value = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: this line has a name and no value: write `name = value`. (Codex: { $error })
config-refused-twice = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: this name or header stands in the file already: keep one of them. (Codex: { $error })
config-refused-unquoted = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: a text needs quotes. (Codex: { $error })
config-refused-capital-boolean = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: true and false are written in small letters, without quotes. (Codex: { $error })
config-refused-open-quote = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: a quotation mark is not closed on this line. (Codex: { $error })
config-refused-comma = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: a comma is missing between the items of a list. (Codex: { $error })
config-refused-behind-value = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: something stands behind the value on this line. (Codex: { $error })
config-refused-line-end = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: the line ends with a mark that TOML does not know; save the file anew in a plain editor. (Codex: { $error })
config-refused-no-number = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: this is no number as TOML writes it; a text needs quotes. (Codex: { $error })
config-refused-encoding = { $next ->
    [yes] Codex stops here next
   *[other] Codex does not start
}: { $file } is not saved as UTF-8; save it anew in that encoding. (Codex: { $error })

# The address of the requests. $key is the setting that gives it.
base-url-ok = The address is well formed: Codex sends its requests to { $url }.
base-url-lacks-v1 = The address { $base_url } has no version in its path, so Codex asks for { $url }; most servers want { $suggestion }.
base-url-endpoint-pasted = The address { $base_url } already ends with an endpoint, and Codex adds another: { $url }. Use { $suggestion }.
base-url-doubled-v1 = The address { $base_url } has its version twice, so Codex asks for { $url }. Use { $suggestion }.
base-url-query = The address { $base_url } carries a query, and Codex writes the path behind it: { $url }. Use { $suggestion } and put the rest into `query_params`.
base-url-no-scheme = The address { $base_url } lacks its beginning, so Codex cannot send anything; it should read { $suggestion }.
base-url-unexpanded = The address { $base_url } holds a placeholder; Codex does not fill it in, so write the address out.
base-url-space = The address { $base_url } holds a space, which becomes part of the path: { $url }. Use { $suggestion }.
base-url-space-before = The address { $base_url } begins with a space. Codex cuts it off; other programs may not.
base-url-space-unusable = The address begins with a space that is no plain one, so Codex cannot send anything. Use { $suggestion }.
base-url-invisible = The address { $base_url } holds a character that cannot be seen, and it becomes part of what Codex asks for: { $url }. Type the address anew.
base-url-invisible-dropped = The address { $base_url } holds a character that cannot be seen. Codex drops it; other programs may not. Type the address anew.
base-url-invisible-unusable = The address holds a character that cannot be seen, so Codex cannot send anything. Type the address anew.
base-url-user-info = The address { $base_url } holds a user name or a password, in plain text (not shown here). Codex signs in with them only where it sends no key; a key or a login takes their place. Put a key into a variable and name that in `env_key`.
base-url-plain-http = Requests to { $base_url } travel unencrypted, and the key with them; use { $suggestion } if the server offers it.
base-url-not-a-url = The address "{ $base_url }" (from { $key }) is not one that Codex can send requests to.
base-url-other-path = { $host } places its API elsewhere by its own pages ({ $day }): with { $base_url } Codex asks for { $url }, while { $suggestion } is the address there.
base-url-websocket = The address { $base_url } begins like that of a WebSocket, so Codex cannot send anything; write { $suggestion }, and Codex opens the WebSocket by itself.
base-url-chat-only = By its own pages of { $day }, { $host } offers chat completions and no Responses API, and Codex speaks nothing else: use an address that does, or a gateway that translates.
base-url-unselected = { $fault ->
    [lacks-v1] Not in use now: the address { $base_url } (`{ $key }`) has no version in its path; most servers want { $suggestion }.
    [other-path] Not in use now: { $host } places its API at { $suggestion } by its own pages ({ $day }), not at { $base_url } (`{ $key }`).
    [endpoint-pasted] Not in use now: the address { $base_url } (`{ $key }`) ends with an endpoint, and Codex would add another; use { $suggestion }.
    [doubled-v1] Not in use now: the address { $base_url } (`{ $key }`) has its version twice; use { $suggestion }.
    [query] Not in use now: the address { $base_url } (`{ $key }`) carries a query, which belongs into `query_params`.
    [no-scheme] Not in use now: the address { $base_url } (`{ $key }`) lacks its beginning; it should read { $suggestion }.
    [websocket] Not in use now: the address { $base_url } (`{ $key }`) begins like that of a WebSocket; write { $suggestion }.
    [unexpanded] Not in use now: the address { $base_url } (`{ $key }`) holds a placeholder, which Codex does not fill in.
    [space] Not in use now: the address { $base_url } (`{ $key }`) holds a space; use { $suggestion }.
    [user-info] Not in use now: the address { $base_url } (`{ $key }`) holds a user name or a password, in plain text.
    [invisible] Not in use now: the address { $base_url } (`{ $key }`) holds a character that cannot be seen.
    [plain-http] Not in use now: requests to { $base_url } (`{ $key }`) would travel unencrypted, and the key with them.
    [chat-only] Not in use now: by its own pages of { $day }, { $host } (`{ $key }`) offers no Responses API, which is all that Codex speaks.
   *[other] Not in use now: Codex could not send requests to "{ $base_url }" (`{ $key }`).
}
base-url-capitals = The version in { $base_url } is written in capitals; paths tell them apart, and most servers want { $suggestion }.

# The address of the requests. $key is the setting that gives it.
base-url-ok = The address is well formed: Codex sends its requests to { $url }.
base-url-lacks-v1 = The address { $base_url } has no version in its path, so Codex asks for { $url }; most servers want { $suggestion }.
base-url-endpoint-pasted = The address { $base_url } already ends with an endpoint, and Codex adds another: { $url }. Use { $suggestion }.
base-url-doubled-v1 = The address { $base_url } has its version twice, so Codex asks for { $url }. Use { $suggestion }.
base-url-query = The address { $base_url } carries a query, and Codex writes the path behind it: { $url }. Use { $suggestion } and put the rest into `query_params`.
base-url-no-scheme = The address { $base_url } lacks its beginning, so Codex cannot send anything; it should read { $suggestion }.
base-url-unexpanded = The address { $base_url } holds a placeholder; Codex does not fill it in, so write the address out.
base-url-space = The address { $base_url } holds a space, which becomes part of the path: { $url }. Use { $suggestion }.
base-url-plain-http = Requests to { $base_url } travel unencrypted, and the key with them; use { $suggestion } if the server offers it.
base-url-not-a-url = The address "{ $base_url }" (from { $key }) is not one that Codex can send requests to.

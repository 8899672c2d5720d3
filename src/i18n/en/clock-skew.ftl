clock-in-step = This computer's clock agrees with { $host } to within { $within }.
clock-off = This computer's clock is { $offset } { $direction ->
    [ahead] ahead of
   *[behind] behind
} { $host }'s; times in messages are shown wrong by as much, and a large offset upsets sign-in tokens.
clock-token-from-future = The stored login was issued at { $at }, which is { $offset } in the future: this computer's clock is behind by at least that.
clock-tokens-look-expired = This computer's clock is { $offset } { $direction ->
    [ahead] ahead of
   *[behind] behind
} { $host }'s, so every new sign-in token looks expired; Codex then renews it without end and never sends a request.

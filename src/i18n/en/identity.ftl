identity-signed-in = { $kind ->
    [chatgpt] Codex signs in with your ChatGPT login ({ $place }).
    [api-key] Codex signs in with the API key stored in { $place }.
    [env-api-key] Codex signs in with the key in { $place }.
    [env-access-token] Codex signs in with the access token in { $place }.
    [provider-env-key] Codex signs in with the key in { $place }, as the provider asks.
    [provider-bearer] Codex signs in with the token written in the configuration ({ $place }).
    [provider-command] Codex gets its token from the configured command ({ $place }), which was not run here.
    [provider-headers] Codex signs in with headers of the provider's own ({ $place }).
    [personal-access-token] Codex signs in with the personal access token stored in { $place }.
    [agent-identity] Codex signs in with the agent identity stored in { $place }.
    [bedrock] Codex signs in with the Bedrock credential stored in { $place }.
   *[other] Codex signs in with a credential in { $place }.
}
identity-not-needed = This provider is set up without a credential, so Codex sends none.
identity-none = Codex has no credential for this provider: no login is stored, and no variable that it reads is set.
identity-missing-variable = The provider wants its key in the variable { $variable }, which is not set; Codex sends no request without it.
identity-broken-store = Codex cannot read the stored login ({ $reason }) and goes on as if there were none.
identity-forced-mismatch = The stored login does not fit { $rule }; the next start of Codex will delete it.
identity-ignored-variable = { $variable } is set, but `codex exec` does not use it.
identity-ignored-variable-alone = { $variable } is set and nobody is signed in, but `codex exec` does not use that variable: store the key with `codex login --with-api-key`, or set CODEX_API_KEY.
identity-env-beats-login = { $variable } takes the place of your stored login.
identity-both-stored = { $kind ->
    [api-key] An API key and a ChatGPT login are stored side by side; Codex uses the key, and its account is billed.
   *[other] An API key and a ChatGPT login are stored side by side; the key is not the one in use.
}
identity-organisation-set = { $variable } is set, so each request names that organisation or project; a wrong one is refused.
identity-keyring = The login is in the system's keyring ({ $place }), which was not opened.
identity-expired = The access token ended { $age } ago; Codex renews it by itself at its next start.
identity-expired-for-good = The access token ended { $age } ago and there is nothing to renew it with: sign in again.
identity-refresh-stale = The login was last renewed { $age } ago; Codex tries to renew it before its next request.
identity-account-mismatch = The stored login names { $account } but its token belongs to { $token }, so the server may refuse it.
identity-plan = { $plan ->
    [free] The login is on the free plan, whose allowance for Codex is small.
   *[other] The login is on the plan “{ $plan }”.
}

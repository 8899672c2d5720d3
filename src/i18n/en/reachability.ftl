reach-models-listed = { $host } answered in { $elapsed } with a list of { $count } models: the way there and the address are good. (This says nothing about free capacity.)
reach-model-not-listed = { $host } lists { $count } models, and { $model } is not among them.
reach-answered = { $host } answered in { $elapsed } with status { $status }: the way there is open.
reach-unauthorized = { $host } does not accept the credential that Codex uses there (status { $status }).
reach-forbidden-region = { $host } does not serve the country or region that this connection comes from (status { $status }).
reach-challenge = A page that wants a browser to prove itself stands before { $host } (status { $status }); Codex cannot pass it. A VPN or a shared exit address often causes this.
reach-blocked = A page that blocks access stands before { $host } (status { $status }).
reach-gateway-page = A gateway on the way to { $host } answered in its own name (status { $status }); the service behind it did not.
reach-server-error = { $host } answered that it failed (status { $status }).
reach-overloaded = { $host } says that it is overloaded (status { $status }).
reach-rate-limited = { $host } says that requests come too fast (status { $status }).
reach-quota = { $host } says that the balance or quota is used up (status { $status }): { $error }
reach-no-account = The relay { $host } says that its pool has no usable account, used up or signed out (status { $status }): { $error }
reach-no-channel = The relay { $host } says that it has no channel to serve this with (status { $status }): { $error }
reach-not-found = { $host } has no model list at { $url } (status 404). Many relays have none; it may also mean that a part of the address is missing.
reach-web-page = { $url } is answered with a web page: this is the address of a website, or a portal stands in between, not the API.
reach-redirected = { $host } sends requests on to { $location }; Codex loses its request on such a detour.
reach-proxy-refuses = The proxy { $proxy } wants credentials before it lets requests through (status { $status }).
reach-proxy-failed = The proxy { $proxy } did not connect to { $host }: { $error }
reach-dns-failed = The name of { $host } could not be resolved for the request: { $error }
reach-connect-failed = No connection to { $host }: { $error }
reach-nothing-listens = Nothing listens at { $url }: the relay or model server that should run on this computer does not.
reach-tls-failed = The TLS handshake with { $host } failed: { $error }. Where a company inspects traffic, its certificate has to be made known to Codex.
reach-certificate-date = The certificate of { $host } is not valid at the time this computer's clock shows: { $error }
reach-not-http = What answers at { $url } does not speak the protocol that the address names: { $error }
reach-not-requestable = No request can be sent to { $url }: { $error }
reach-cut = { $host } took the request, and then the connection was cut { $stage ->
    [body] in the middle of the answer
   *[other] before any answer
}: { $error }
reach-timeout = { $host } was silent for { $elapsed } { $stage ->
    [dns] while its name was looked up
    [connect] while we connected
    [tls] in the TLS handshake
    [body] in the middle of its answer
   *[other] after it had taken the request
}.
reach-credential-withheld = The credential was not sent with this look at { $host }, because it would have travelled without encryption; whether it is accepted there is therefore unknown.
reach-token-to-renew = { $host } refused the stored sign-in token, which has ended; Codex renews it before it asks, so this alone is no fault.
reach-unusable-credential = The credential for { $host } holds a line break or another invisible character; Codex leaves it out of its requests without a word.
reach-proxy-answered = The proxy { $proxy } answered in place of { $host } (status { $status }){ $place ->
    [local] : it is asked for an address on this computer, which NO_PROXY should name
   *[remote] {""}
}.
reach-unclear = { $host } answered with status { $status }, which tells neither that the API works there for you nor that it does not.
reach-garbled = { $host } answered over HTTP, but with headers that cannot be read: the server, or something on the way to it, is broken.

# What would settle an open verdict. No arguments: the command beside it carries the values.

settle-repeat-with-log = The turn was ended from outside and left no error: repeat it with `RUST_LOG=info`, which prints what the server says in its stream. It costs a few tokens.
settle-relay-words = Codex drops the relay's own words: read them with one small request. It costs a few tokens.
settle-ask-once = One small request to the model shows the server's own words, which Codex drops. It costs a few tokens, or nothing when it is refused.
settle-raw-answer = Look at the raw answer: `event:` lines come from a Responses API, a web page or other JSON does not. It costs a few tokens.
settle-look-online = This run asked nothing of the network: run it without `--offline`.
settle-who-answered = See who answers: `x-request-id` in the headers comes from the API, a web page from something between.
settle-lint = Let the configuration be judged alone.
settle-compare-clock = Compare this clock with the server's: more than five minutes apart is the fault.
settle-login-status = See which login Codex uses, and whether it is the one you mean.
settle-fresh-client = Send one short prompt from a new process: if it works, only the old client is stale. It costs a few tokens.
settle-short-prompt = Send one short prompt in a new session: if it works, the content of the old session was at fault. It costs a few tokens.
settle-one-minute = Wait one minute and send one request alone: throttling has cleared by then, a full model or a used-up quota has not.
settle-usage = Look at `/status` in a session or at the usage page: a window at 100 % is quota, one far below it is not.
settle-other-model = Send the same to another model: if that works, this model is full or not served here; if not, look at key and address. It costs a few tokens.
settle-other-network = Send this free request here and once from another network: a different answer means that the way is at fault.
settle-look-again = Something could not be looked at: the report names it. Mend that, then run again.
settle-whole-error = Paste the whole error, with the lines around it.

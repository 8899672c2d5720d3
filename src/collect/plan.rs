//! What runs together, in which order, until when.
//!
//! Every collector puts its fact on a board as soon as it has it. When the deadline comes or the person presses Ctrl-C, the run
//! goes on with what is on the board; the rest says that it was not reached.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use codex_triage_checks::facts::credentials::{CredentialKind, Credentials};
use codex_triage_checks::facts::history::Unread;
use codex_triage_checks::facts::installation::Installation;
use codex_triage_checks::facts::run::{Run, Scope};
use codex_triage_checks::facts::{Facts, Observed, SkipReason};

use super::config::{self, ConfigRequest, RawConfig};
use super::credentials::{self, AuthRules, CredentialStore, ProviderAuth};
use super::endpoint::LiveEndpoint;
use super::error_text::{self, Source};
use super::history::{self, HistoryRequest, OtherTurns, Records, ThreadsTold, ThreadsWanted};
use super::model_request::{self, Intent, ModelProbe, Situation};
use super::reachability::{self, Bearer, ProbeRequest, proxies};
use super::sessions::listing::OnceListed;
use super::sessions::{self, SessionsRequest};
use super::{clients, clock, dns, endpoint, environment, installation, model_cache};
use codex_triage_checks::knowledge::hosts;
use codex_triage_checks::model_lists::default_model;
use codex_triage_checks::subject::{Subject, asked_model};

use crate::redact::Redactor;
use crate::world::World;

/// Tells the person what is about to be asked and may cost something.
pub type Tell = Box<dyn Fn(&Intent) + Send + Sync>;

/// What a run is to collect.
pub struct Plan {
    /// `-p` and `-c`.
    pub request: ConfigRequest,
    /// The error text that was given.
    pub source: Option<Source>,
    /// Present when one request to the model is allowed (`--allow-cost`): it is told before.
    pub consent: Option<Tell>,
    /// Where each turn that did not fail is put, when these are asked for.
    pub others: Option<Arc<OnceLock<OtherTurns>>>,
    /// Whether what earlier runs read of the session records may be used, and kept for later ones.
    pub cached: bool,
    /// When the run must be over.
    pub deadline: Instant,
}

impl Plan {
    /// A plan without an error text, without consent to a cost, and without a cache.
    pub fn new(request: ConfigRequest, deadline: Instant) -> Self {
        Self { request, source: None, consent: None, others: None, cached: false, deadline }
    }
}

/// Kept free before the deadline for judging and writing.
const RESERVE: Duration = Duration::from_millis(150);
/// Kept free before that, so that a collector that runs out of time can still say so itself.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What is about what Codex does on this machine: there the programs that run belong to the answer.
const OF_THE_MACHINE: [Scope; 2] = [Scope::Triage, Scope::Sessions];

/// The facts as far as they are known.
#[derive(Clone)]
struct Board(Arc<Mutex<Facts>>);

impl Board {
    /// A board on which nothing has been reached yet of what the run is to look at.
    fn new(run: Run, with_text: bool, consented: bool) -> Self {
        let in_scope =
            |scopes: &[Scope]| if scopes.contains(&run.scope) { SkipReason::NotReached } else { SkipReason::NotPartOfCommand };
        let online = match (run.scope, run.offline) {
            (Scope::Triage, true) => SkipReason::Offline,
            (Scope::Triage, false) => SkipReason::NotReached,
            _ => SkipReason::NotPartOfCommand,
        };
        let facts = Facts {
            installation: Observed::skipped(SkipReason::NotReached),
            model_cache: Observed::skipped(SkipReason::NotReached),
            config: Observed::skipped(SkipReason::NotReached),
            environment: Observed::skipped(SkipReason::NotReached),
            credentials: Observed::skipped(SkipReason::NotReached),
            endpoint: Observed::skipped(SkipReason::NotReached),
            dns: Observed::skipped(online),
            reachability: Observed::skipped(online),
            model_request: Observed::skipped(if consented { online } else { SkipReason::NoConsent }),
            clock: Observed::skipped(online),
            history: Observed::skipped(in_scope(&[Scope::Triage, Scope::History])),
            sessions: Observed::skipped(in_scope(&[Scope::Triage, Scope::Sessions])),
            clients: Observed::skipped(in_scope(&OF_THE_MACHINE)),
            error_text: Observed::skipped(if with_text { SkipReason::NotReached } else { SkipReason::NotPartOfCommand }),
            run,
        };
        Self(Arc::new(Mutex::new(facts)))
    }

    fn put(&self, with: impl FnOnce(&mut Facts)) {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// All that is on it, for whoever goes on with it: a month of failures is not copied. What comes after that is lost.
    fn taken(&self) -> Facts {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn facts(&self) -> Facts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Collects what the scope of `run` needs.
///
/// # Errors
/// When the given error text cannot be read, or no thread can be started.
pub fn collect(plan: Plan, run: Run, world: &Arc<World>, redactor: &Arc<Redactor>) -> Result<Facts, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("while starting the collectors: {error}"))?;
    let board = Board::new(run, plan.source.is_some(), plan.consent.is_some());
    let end = plan.deadline.checked_sub(RESERVE).unwrap_or(plan.deadline);
    // A task of its own: one that blocks, against the rules, must hold up neither the deadline nor Ctrl-C.
    let gathering = runtime.spawn(gather(plan, board.clone(), world.clone(), redactor.clone(), end));
    let cut_short = runtime.block_on(async {
        tokio::select! {
            gathered = gathering => finished(gathered).map(|()| false),
            () = tokio::time::sleep_until(end.into()) => Ok(true),
            _ = tokio::signal::ctrl_c() => Ok(true),
        }
    });
    match cut_short {
        // Nothing runs in it any more that matters, and to wake its threads so that they end would keep a processor from what comes next.
        Ok(false) => std::mem::forget(runtime),
        _ => runtime.shutdown_background(),
    }
    history::sweep();
    let mut facts = board.taken();
    facts.run.cut_short = cut_short?;
    Ok(facts)
}

/// Runs everything that the scope asks for. The configuration comes first: it says where the rest is, and which values are secret.
async fn gather(plan: Plan, board: Board, world: Arc<World>, redactor: Arc<Redactor>, end: Instant) -> Result<(), String> {
    let scope = board.facts().run.scope;
    let last_words = end.checked_sub(LAST_WORDS).unwrap_or(end);
    let listed = Arc::new(OnceListed::new(&world.codex_home, last_words));
    if matches!(scope, Scope::Triage | Scope::History | Scope::Sessions) {
        // It takes its time, and nothing that the configuration says changes it.
        let listed = Arc::clone(&listed);
        tokio::task::spawn_blocking(move || {
            listed.get();
        });
    }
    let local = {
        let (board, world, redactor) = (board.clone(), world.clone(), redactor.clone());
        blocking(move || Local::collect(&plan.request, &board, &world, &redactor)).await
    };
    let text = {
        let (board, redactor) = (board.clone(), redactor.clone());
        blocking(move || match plan.source {
            Some(source) => error_text::collect(&source, &redactor).map(|text| board.put(|facts| facts.error_text = text)),
            None => Ok(()),
        })
    };
    let running = {
        let (board, world, redactor) = (board.clone(), world.clone(), redactor.clone());
        async move {
            if OF_THE_MACHINE.contains(&scope) {
                let observed = blocking(move || timed(|| clients::collect(&world, &redactor, last_words))).await;
                board.put(|facts| facts.clients = observed);
            }
        }
    };
    if !matches!(scope, Scope::Triage | Scope::History | Scope::Sessions) {
        return tokio::join!(text, running).0;
    }
    let consented = plan.consent.is_some();
    // The usual run reads a day; what is read of years is worth keeping.
    let cached = plan.cached && scope != Scope::Triage;
    let (sqlite_home, log_dir) = (local.sqlite_home.clone(), local.log_dir.clone());
    let records = {
        let (board, world, redactor) = (board.clone(), world.clone(), redactor.clone());
        // The model that failed stands in the records: they must not take the time of asking it.
        let left = last_words.saturating_duration_since(Instant::now());
        let deadline = if consented { last_words.checked_sub(left / 2).unwrap_or(last_words) } else { last_words };
        let (slot, since) = (plan.others.clone(), board.facts().run.since);
        let request = HistoryRequest {
            since,
            deadline,
            sqlite_home: sqlite_home.clone(),
            log_dir: log_dir.clone(),
            all: scope == Scope::History,
            every_turn: slot.is_some(),
            threads: match scope {
                Scope::Sessions => ThreadsWanted::All,
                Scope::History => ThreadsWanted::None,
                Scope::Triage | Scope::Explain | Scope::Lint => ThreadsWanted::Recent,
            },
            cached,
        };
        let listed = Arc::clone(&listed);
        blocking(move || records(listed, &board, &world, &redactor, request, slot.as_deref()))
    };
    let sizes = {
        let (board, world, redactor) = (board.clone(), world.clone(), redactor.clone());
        let request = SessionsRequest { sqlite_home, log_dir, all: scope == Scope::Sessions, deadline: last_words };
        let sizes = move || {
            let observed = timed(|| sessions::collect_of(&listed, &world, &redactor, &request));
            board.put(|facts| facts.sessions = observed);
        };
        // The history of turns does not speak of sizes, and each is a look at every file.
        async move {
            if scope != Scope::History {
                blocking(sizes).await
            }
        }
    };
    let disk = {
        let board = board.clone();
        async move {
            let ((told, unread), ()) = tokio::join!(records, sizes);
            board.put(|facts| sessions::add_threads(&mut facts.sessions, told, unread));
        }
    };
    let subject = async {
        let (text, ()) = tokio::join!(text, disk);
        text?;
        if let Some(tell) = &plan.consent {
            ask_the_model(&local, &board, &redactor, last_words, tell).await;
        }
        Ok(())
    };
    let network = network(&local, &board, &redactor, last_words);
    let (subject, (), ()) = tokio::join!(subject, network, running);
    subject
}

/// A collector that blocks, on a thread of its own.
async fn blocking<T: Send + 'static>(collector: impl FnOnce() -> T + Send + 'static) -> T {
    finished(tokio::task::spawn_blocking(collector).await)
}

/// What a task came to. A panic in it is an internal error of the run, and goes on here as one.
fn finished<T>(joined: Result<T, tokio::task::JoinError>) -> T {
    match joined {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// What the local collectors found that the others need, secrets among it. Never printed, never stored.
struct Local {
    probe: Option<ProbeRequest>,
    model: Option<ModelAddress>,
    host: Option<(String, u16)>,
    sqlite_home: Option<PathBuf>,
    log_dir: Option<PathBuf>,
}

/// Where and how Codex asks the model.
struct ModelAddress {
    url: url::Url,
    websocket: bool,
    chatgpt: bool,
}

impl Local {
    fn collect(request: &ConfigRequest, board: &Board, world: &World, redactor: &Redactor) -> Self {
        // The release comes first: what a company may require depends on it.
        let observed = timed(|| installation::collect(world, redactor));
        let version = observed.value().and_then(Installation::version).map(str::to_owned);
        board.put(|facts| facts.installation = observed);
        let judged = board.facts().codex_version().map(str::to_owned);

        let begun = Instant::now();
        let request = ConfigRequest { codex_version: judged, ..request.clone() };
        let (mut config, raw) = config::collect(world, redactor, &request);
        config.took_ms = milliseconds(begun);
        board.put(|facts| facts.config = config.clone());

        let begun = Instant::now();
        let (mut observed, variables) = environment::collect(world, redactor, &world.codex_home, &raw);
        observed.took_ms = milliseconds(begun);
        board.put(|facts| facts.environment = observed);

        let observed = timed(|| model_cache::collect(world, redactor));
        board.put(|facts| facts.model_cache = observed);

        let begun = Instant::now();
        let (mut credentials, secrets) = credentials::collect(world, redactor, &provider_auth(&raw), &auth_rules(&raw));
        credentials.took_ms = milliseconds(begun);
        let kind = credentials.value().and_then(Credentials::used).map(|used| used.kind);
        let chatgpt = kind == Some(CredentialKind::Chatgpt);
        let (endpoint, live) = match config.value() {
            Some(config) => endpoint::resolve(config, &raw, &variables, redactor, chatgpt),
            None => (Observed::skipped(SkipReason::NeedsAnother), None),
        };
        let host = endpoint.value().and_then(|endpoint| Some((endpoint.host.clone()?, endpoint.port?)));
        let key_variable = credentials.value().map(key_variable);
        let secret_headers =
            |live: &LiveEndpoint| live.headers.iter().map(|(name, value)| (name.clone(), Bearer::new(value))).collect();
        let probe = endpoint.value().map(|endpoint| ProbeRequest {
            bearer: secrets.bearer().map(Bearer::new),
            headers: live.as_ref().map(secret_headers).unwrap_or_default(),
            query: live.as_ref().map(|live| live.query.clone()).unwrap_or_default(),
            account: secrets.account_id().map(str::to_owned),
            // Only the ChatGPT back end asks for it; a version that is not known is not made up.
            client_version: version.filter(|_| chatgpt),
            key_variable: key_variable.unwrap_or_else(|| "KEY".to_owned()),
            environment: variables.merged(),
            platform: world.platform,
            ..ProbeRequest::to(live.as_ref().map_or(&endpoint.base_url, |live| &live.base))
        });
        board.put(|facts| facts.endpoint = endpoint);
        board.put(|facts| facts.credentials = credentials);
        let model = live.map(|live| ModelAddress { url: live.request, websocket: tries_websocket(&raw), chatgpt });
        let folder = |key: &str| raw.text(&[key]).map(PathBuf::from);
        Self { probe, model, host, sqlite_home: folder("sqlite_home"), log_dir: folder("log_dir") }
    }
}

impl Local {
    /// Whether a proxy is used that looks names up by itself.
    fn proxy_resolves(&self) -> bool {
        let proxy = self.probe.as_ref().and_then(|probe| proxies::choose(&probe.environment, &probe.url()?));
        proxy.is_some_and(|proxy| proxy.resolves_names())
    }
}

/// Whether Codex tries a WebSocket before a POST (measured on 0.171.0).
fn tries_websocket(raw: &RawConfig) -> bool {
    let id = raw.provider();
    id == "openai" || raw.flag(&["model_providers", id, "supports_websockets"]).unwrap_or(false)
}

/// The variable that stands for the key in a command, without `$`.
fn key_variable(credentials: &Credentials) -> String {
    hosts::key_variable(credentials).trim_start_matches('$').to_owned()
}

fn provider_auth(raw: &RawConfig) -> ProviderAuth {
    let id = raw.provider().to_owned();
    let built_in_openai = id == "openai";
    let has = |key: &str| raw.has(&["model_providers", &id, key]);
    ProviderAuth {
        env_key: raw.provider_text("env_key").map(str::to_owned),
        bearer_token: raw.provider_text("experimental_bearer_token").map(str::to_owned),
        has_command: has("auth"),
        requires_openai_auth: raw.flag(&["model_providers", &id, "requires_openai_auth"]).unwrap_or(false),
        sends_headers: has("http_headers") || has("env_http_headers") || has("aws"),
        built_in_openai,
        id,
    }
}

fn auth_rules(raw: &RawConfig) -> AuthRules {
    AuthRules {
        store: raw.text(&["cli_auth_credentials_store"]).and_then(CredentialStore::parse).unwrap_or_default(),
        forced_login_method: raw.text(&["forced_login_method"]).map(str::to_owned),
        forced_workspace: raw.texts(&["forced_chatgpt_workspace_id"]).into_iter().map(str::to_owned).collect(),
    }
}

/// The session records. Beside an error text, too: what is stored with the same words tells more of it. Where only the sessions are asked
/// for, what failed in them is no subject; what could not be read of them is told all the same.
fn records(
    listed: Arc<OnceListed>,
    board: &Board,
    world: &World,
    redactor: &Redactor,
    request: HistoryRequest,
    slot: Option<&OnceLock<OtherTurns>>,
) -> (ThreadsTold, Vec<Unread>) {
    let run = board.facts().run;
    let begun = Instant::now();
    let Records { mut history, threads, others } = history::collect_of(listed, world, redactor, &request);
    if let (Some(slot), Some(others)) = (slot, others) {
        let _ = slot.set(others);
    }
    history.took_ms = milliseconds(begun);
    if run.scope == Scope::Sessions {
        let mut unread = history.value().map(|history| history.unread.clone()).unwrap_or_default();
        let not_reached = history.value().map_or(0, |history| history.not_reached);
        if not_reached > 0 {
            let why = format!("{not_reached} files not opened: the time was up");
            unread.push(Unread { file: redactor.path(&world.codex_home.join("sessions")), why });
        }
        return (threads, unread);
    }
    board.put(|facts| facts.history = history);
    (threads, Vec::new())
}

/// The request to the model, told before. Needs to know which error is triaged: its model is the one that is asked.
async fn ask_the_model(local: &Local, board: &Board, redactor: &Redactor, deadline: Instant, tell: &Tell) {
    let facts = board.facts();
    let begun = Instant::now();
    let url = local.model.as_ref().map(|model| &model.url);
    let situation = Situation { facts: &facts, probe: local.probe.as_ref(), url };
    let obstacle = model_request::obstacle(&situation);
    let (Some(probe), Some(model), None) = (&local.probe, &local.model, obstacle) else {
        let why = obstacle.unwrap_or(SkipReason::NeedsAnother);
        board.put(|facts| facts.model_request = Observed::skipped(why));
        return;
    };
    let subject = Subject::of(&facts);
    let name = asked_model(&facts, subject.as_ref()).or_else(|| default_model(&facts).map(str::to_owned));
    let Some(name) = name else {
        board.put(|facts| facts.model_request = Observed::skipped(SkipReason::NeedsAnother));
        return;
    };
    let asked = ModelProbe {
        probe: probe.clone(),
        url: model.url.clone(),
        model: name,
        websocket: model.websocket,
        unbounded: model.chatgpt,
    };
    tell(&asked.intent(redactor));
    // What the board says should the run be ended in the middle of it.
    let url = redactor.text(&redactor.url(asked.url.as_str()));
    board.put(|facts| facts.model_request = Observed::failed("the run ended before the answer came", format!("POST {url}")));
    let mut observed = model_request::collect(&asked, redactor, deadline.into()).await;
    observed.took_ms = milliseconds(begun);
    board.put(|facts| facts.model_request = observed);
}

/// Names, the free request, the clock; together, and not at all offline.
async fn network(local: &Local, board: &Board, redactor: &Redactor, deadline: Instant) {
    if board.facts().run.offline {
        return;
    }
    let deadline = deadline.into();
    let names = async {
        let begun = Instant::now();
        let mut observed = match &local.host {
            Some((host, port)) => dns::collect(host, *port, deadline, local.proxy_resolves()).await,
            None => Observed::skipped(SkipReason::NeedsAnother),
        };
        observed.took_ms = milliseconds(begun);
        board.put(|facts| facts.dns = observed);
    };
    let request = async {
        let begun = Instant::now();
        let Some(probe) = &local.probe else {
            board.put(|facts| facts.reachability = Observed::skipped(SkipReason::NeedsAnother));
            board.put(|facts| facts.clock = Observed::skipped(SkipReason::NeedsAnother));
            return;
        };
        let (mut observed, date) = reachability::collect(probe, redactor, World::clock, deadline).await;
        observed.took_ms = milliseconds(begun);
        board.put(|facts| facts.reachability = observed);
        board.put(|facts| facts.clock = clock::collect(date.as_ref()));
    };
    tokio::join!(names, request);
}

fn timed<T>(collector: impl FnOnce() -> Observed<T>) -> Observed<T> {
    let begun = Instant::now();
    let mut observed = collector();
    observed.took_ms = milliseconds(begun);
    observed
}

fn milliseconds(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

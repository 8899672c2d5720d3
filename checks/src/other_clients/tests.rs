use chrono::DateTime;
use chrono::Utc;

use super::*;
use crate::advice::fixes;
use crate::facts::Observed;
use crate::facts::clients::{Connections, DaemonRecord, OpenThread};
use crate::facts::history::{FailedTurn, History};
use crate::facts::installation::{CodexProgram, Installation};
use crate::verdict::{Verdict, weigh};

fn now() -> DateTime<Utc> {
    Facts::default().run.at
}

fn client(pid: u32, kind: ClientKind) -> Client {
    Client {
        pid,
        parent_pid: 1,
        kind,
        parent: Parent::Shell,
        started_at: Some(now() - TimeDelta::hours(1)),
        same_home: Some(true),
        version: Some("0.171.0".to_owned()),
        project: None,
        cpu_ms: 700,
        activity: Activity::Sleeping,
        replaced: false,
        connections: Some(Connections::default()),
        newest_child: None,
        children_known: true,
        threads: Vec::new(),
        retrying: None,
    }
}

/// A client in a turn of which nothing was heard for `seconds`.
fn silent(pid: u32, seconds: i64) -> Client {
    let turn = OpenTurn { began: now() - TimeDelta::seconds(seconds + 5), heard: now() - TimeDelta::seconds(seconds) };
    let thread = OpenThread { thread: format!("t{pid}"), locked: true, turn: Some(turn) };
    Client { threads: vec![thread], ..client(pid, ClientKind::Exec) }
}

fn connected(client: Client) -> Client {
    Client { connections: Some(Connections { established: 1, ..Connections::default() }), ..client }
}

fn facts(running: Vec<Client>) -> Facts {
    Facts { clients: Observed::known(Clients { running, ..Clients::default() }, "/proc"), ..Facts::default() }
}

fn codes_of(facts: &Facts) -> Vec<String> {
    run(facts).into_iter().map(|finding| finding.code).collect()
}

fn verdict(facts: &Facts) -> Verdict {
    weigh(facts, &crate::registry::run_all(facts))
}

fn failed(facts: &mut Facts, info: &str, thread: &str) {
    let failure = FailedTurn {
        at: facts.run.at,
        text: Some("exceeded retry limit, last status: 429 Too Many Requests".into()),
        info: Some(info.into()),
        status: Some(429),
        thread: Some(thread.into()),
        ..FailedTurn::default()
    };
    facts.history = Observed::known(History { failures: vec![failure], ..History::default() }, "sessions");
}

#[test]
fn what_was_not_looked_at_is_not_fine() {
    assert_eq!(codes_of(&Facts::default()), ["other-clients.skipped"]);
    assert_eq!(codes_of(&facts(Vec::new())), ["clients.none"]);
    let unseen = Clients { unreadable: 1, ..Clients::default() };
    let partly = Facts { clients: Observed::known(unseen, "/proc"), ..Facts::default() };
    assert_eq!(codes_of(&partly), ["clients.none", "clients.unseen"]);
}

#[test]
fn only_a_silent_turn_without_a_connection_and_without_a_tool_hangs() {
    assert_eq!(codes_of(&facts(vec![silent(7, 40)])), ["clients.stuck"]);
    let tool = Client { newest_child: Some(now() - TimeDelta::seconds(20)), ..silent(7, 40) };
    let server_of_tools = Client { newest_child: Some(now() - TimeDelta::hours(1)), ..silent(7, 40) };
    let unknown_children = Client { children_known: false, ..silent(7, 40) };
    let unknown_sockets = Client { connections: None, ..silent(7, 40) };
    let idle = client(7, ClientKind::Tui);
    let elsewhere = Client { same_home: Some(false), ..silent(7, 40) };
    assert_eq!(codes_of(&facts(vec![server_of_tools])), ["clients.stuck"]);
    for fine in [silent(7, 20), connected(silent(7, 4_000)), tool, unknown_children, unknown_sockets.clone(), idle] {
        assert_eq!(codes_of(&facts(vec![fine])), ["clients.fine"]);
    }
    assert_eq!(codes_of(&facts(vec![elsewhere])), ["clients.none"]);
    let retrying = Client { retrying: Some(true), ..unknown_sockets };
    assert_eq!(codes_of(&facts(vec![retrying])), ["clients.stuck"]);
    let suspended = Client { activity: Activity::Stopped, ..silent(7, 40) };
    assert_eq!(codes_of(&facts(vec![suspended])), ["clients.suspended"]);
}

#[test]
fn of_two_clients_the_one_that_hangs_is_named_and_the_advice_ends_that_one() {
    let facts = facts(vec![connected(silent(11, 50)), silent(12, 50)]);
    let findings = run(&facts);
    assert_eq!(codes_of(&facts), ["clients.stuck", "clients.several"]);
    assert_eq!(findings[0].args["pid"], Arg::Integer(12));
    assert_eq!(findings[1].args["pids"], Arg::Text("11, 12".to_owned()));
    let verdict = weigh(&facts, &findings);
    let fixes = fixes(&facts, &findings, &verdict);
    assert!(fixes.iter().any(|fix| fix.command.as_deref() == Some("kill 12")), "{fixes:?}");
    assert!(fixes.iter().all(|fix| fix.id != "restart-stale-client"));
}

#[test]
fn a_daemon_is_restarted_by_its_own_command_and_is_no_client_beside_its_window() {
    let daemon = Client { kind: ClientKind::Daemon, ..silent(21, 50) };
    let facts = facts(vec![client(20, ClientKind::Tui), daemon, client(22, ClientKind::DaemonUpdater)]);
    assert_eq!(codes_of(&facts), ["clients.stuck"]);
    let findings = run(&facts);
    let fixes = fixes(&facts, &findings, &weigh(&facts, &findings));
    assert!(fixes.iter().any(|fix| fix.command.as_deref() == Some("codex app-server daemon restart")));
    assert!(fixes.iter().all(|fix| fix.command.as_deref() != Some("kill 21")));
}

#[test]
fn whether_the_network_or_the_process_is_dead_is_open_until_the_way_was_tried() {
    let mut facts = facts(vec![silent(12, 50)]);
    let open = verdict(&facts);
    assert_eq!(open.cause, Cause::Undetermined);
    let candidates: Vec<Cause> = open.candidates.iter().map(|candidate| candidate.cause).collect();
    assert!(candidates.contains(&Cause::Network) && candidates.contains(&Cause::Other), "{candidates:?}");
    let answered = crate::reachability::tests::official(Outcome::Answered(crate::reachability::tests::list(&["gpt-6-sol"])));
    facts.endpoint = answered.endpoint;
    facts.reachability = answered.reachability;
    assert_ne!(verdict(&facts).cause, Cause::Network);
    facts.clients = self::facts(vec![silent(12, 500)]).clients;
    assert_eq!(verdict(&facts).kind, Some(Kind::OtherStaleClient));
}

#[test]
fn an_error_that_is_known_is_not_of_the_turn_that_hangs() {
    let mut facts = facts(vec![silent(12, 500), silent(13, 600)]);
    failed(&mut facts, "server_overloaded", "t99");
    assert!(run(&facts).iter().all(|finding| finding.weights.is_empty()));
}

#[test]
fn several_clients_weigh_only_beside_a_limit_of_rate() {
    let several = vec![client(1, ClientKind::Exec), client(2, ClientKind::AppServer)];
    let mut facts = facts(several);
    assert_eq!(codes_of(&facts), ["clients.several"]);
    assert!(run(&facts)[0].weights.is_empty());
    assert_eq!(verdict(&facts).cause, Cause::Healthy);
    failed(&mut facts, "rate_limit_exceeded", "t1");
    assert_eq!(run(&facts)[0].weights.len(), 1);
    assert_eq!(verdict(&facts).cause, Cause::Quota);
    failed(&mut facts, "server_overloaded", "t1");
    facts.history = match facts.history.value().cloned() {
        Some(mut history) => {
            history.failures[0].text = Some("Selected model is at capacity. Please try a different model.".into());
            history.failures[0].status = None;
            Observed::known(history, "sessions")
        }
        None => unreachable!("just set"),
    };
    assert!(run(&facts)[0].weights.is_empty());
}

#[test]
fn an_old_program_is_named_and_weighs_only_for_its_own_session() {
    let replaced = Client { replaced: true, version: None, ..silent(5, 0) };
    let mut facts = facts(vec![replaced]);
    assert_eq!(codes_of(&facts), ["clients.replaced"]);
    assert_eq!(verdict(&facts).cause, Cause::Healthy);
    failed(&mut facts, "rate_limit_exceeded", "t4");
    assert!(run(&facts)[0].weights.is_empty());
    failed(&mut facts, "rate_limit_exceeded", "t5");
    assert_eq!(run(&facts)[0].weights.len(), 1);

    let old = Client { version: Some("0.99.0".to_owned()), ..client(6, ClientKind::Daemon) };
    let mut facts = self::facts(vec![old.clone()]);
    let program = CodexProgram { path: "codex".to_owned(), version: Some("0.171.0".to_owned()), version_source: None };
    facts.installation = Observed::known(Installation { programs: vec![program] }, "PATH");
    assert_eq!(codes_of(&facts), ["clients.older"]);
    facts.clients = self::facts(vec![Client { parent: Parent::Editor, ..old }]).clients;
    assert_eq!(codes_of(&facts), ["clients.fine"]);
}

#[test]
fn a_client_that_never_waits_is_looping() {
    let hour = 3_600_000;
    let looping = |cpu_ms| Client { cpu_ms, ..client(5, ClientKind::AppServer) };
    assert_eq!(codes_of(&facts(vec![looping(hour * 9 / 10)])), ["clients.looping"]);
    assert_eq!(codes_of(&facts(vec![looping(hour / 10)])), ["clients.fine"]);
    let young = Client { started_at: Some(now() - TimeDelta::seconds(2)), ..looping(2_000) };
    assert_eq!(codes_of(&facts(vec![young])), ["clients.fine"]);
}

#[test]
fn a_dead_daemon_is_said_and_a_living_one_is_not() {
    let with = |holder| {
        let record = DaemonRecord { file: "daemon.pid".to_owned(), pid: Some(4), holder };
        let clients = Clients { daemon_records: vec![record], socket_answered: Some(false), ..Clients::default() };
        Facts { clients: Observed::known(clients, "/proc"), ..Facts::default() }
    };
    assert_eq!(codes_of(&with(Holder::Gone)), ["clients.daemon-gone"]);
    assert_eq!(codes_of(&with(Holder::Another)), ["clients.daemon-gone"]);
    assert_eq!(codes_of(&with(Holder::Itself)), ["clients.none"]);
    assert_eq!(verdict(&with(Holder::Gone)).cause, Cause::Healthy);
}

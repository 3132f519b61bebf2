//! Watching and waiting: gaps, duplicates, order, unknown states, events, deadlines.

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use crate::support;
use crate::support::{Reply, Server, WATCHDOG, limits};
use crate::support_graphql::{GraphqlServer, Peer};
use crate::support_operations::{POLLED_THING, THING, World, operations, options, submitted};
use driftless_runtime::operations::{
    Binding, Deadline, Observation, ObservationSource, Operation, OperationOutcome, OperationState, Operations,
    WatchOptions, Watched,
};
use driftless_runtime::{
    Client,
    auth::StaticToken,
    graphql::GraphqlOptions,
    testing::{Fake, FakeReply, QUERIES, REQUESTS},
};
use futures_util::{
    StreamExt as _,
    future::{BoxFuture, join_all},
};
use serde_json::json;

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(WATCHDOG, future).await.expect("it hangs")
}

/// The outcome at the first deadline that leaves time for a query.
async fn standing(operation: &Operation) -> OperationOutcome {
    for limit in limits() {
        let outcome = within(operation.wait(limit)).await.unwrap();
        if outcome.last().is_some() || outcome.error().is_some() {
            return outcome;
        }
    }
    panic!("no look comes to its end");
}

async fn serve<F: Future<Output = ()> + Send + 'static>(
    world: &World,
    script: impl Fn(Peer, World) -> F + Send + Sync + 'static,
) -> GraphqlServer {
    let (answers, scripted) = (world.clone(), world.clone());
    let handler = move |request: &support::Recorded| answers.reply(request);
    GraphqlServer::start("graphql-transport-ws", handler, move |peer| script(peer, scripted.clone())).await
}

fn states(observations: &[Observation]) -> Vec<&str> {
    observations.iter().map(|seen| seen.raw_state().unwrap_or("-")).collect()
}

async fn all(url: &str, kind: &str) -> (Vec<Observation>, OperationOutcome) {
    watched(&operations(url), kind).await
}

async fn watched(operations: &Operations, kind: &str) -> (Vec<Observation>, OperationOutcome) {
    let mut watch = submitted(operations, kind).await.watch();
    let mut seen = Vec::new();
    while let Some(observation) = within(watch.next()).await {
        seen.push(observation.unwrap());
    }
    (seen, watch.outcome().unwrap())
}

fn changed(state: &str) -> String {
    json!({ "changed": { "state": state } }).to_string()
}

/// A socket that pushes nothing.
async fn quiet(mut peer: Peer, _world: World) {
    peer.acknowledge().await;
    peer.idle().await;
}

#[tokio::test]
async fn without_a_subscription_the_query_alone_leads_to_the_end() {
    let world = World::new(&["A", "A", "B", "B", "DONE"]);
    let server = serve(&world, quiet).await;
    let (seen, outcome) = all(&server.url, "polled-thing").await;
    assert_eq!(states(&seen), ["A", "B", "DONE"]);
    assert!(outcome.is_success() && outcome.is_final());
    assert_eq!(server.opened(), 0);
}

#[tokio::test]
async fn the_ends_are_told_apart() {
    for (state, name) in [("DONE", "succeeded"), ("BAD", "failed"), ("STOPPED", "cancelled")] {
        let world = World::new(&["A", state]);
        let server = serve(&world, quiet).await;
        let outcome = within(submitted(&operations(&server.url), "thing").await.wait(Deadline::never())).await.unwrap();
        assert_eq!(outcome.name(), name);
        assert_eq!(outcome.is_success(), state == "DONE");
    }
}

#[tokio::test]
async fn an_event_between_the_look_and_the_subscription_is_found() {
    // The first query sees A; the end comes before the subscription begins, and is never pushed.
    let world = World::new(&["A", "DONE"]);
    let server = serve(&world, quiet).await;
    let (seen, outcome) = all(&server.url, "thing").await;
    assert_eq!(states(&seen), ["A", "DONE"]);
    assert!(outcome.is_success());
}

#[tokio::test]
async fn a_pushed_end_is_confirmed_by_a_query() {
    let world = World::new(&["A"]);
    let server = serve(&world, |mut peer: Peer, world| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, &changed("B")).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        // The push is ahead of the queries.
        world.only("A", &[]);
        for state in ["A", "B", "A", "B", "B", "A", "B", "DONE"] {
            world.show(state, &[]);
        }
        peer.next(&id, &changed("DONE")).await;
        peer.idle().await;
    })
    .await;
    let (seen, outcome) = all(&server.url, "thing").await;
    assert_eq!(
        seen.last().map(|last| (last.state(), last.source())),
        Some((OperationState::Succeeded, ObservationSource::Query))
    );
    assert!(seen.iter().all(|seen| !(seen.source() == ObservationSource::Push && seen.state().is_final())));
    assert!(outcome.is_success());
}

#[tokio::test]
async fn a_pushed_end_that_no_query_confirms_is_none() {
    let world = World::new(&["B"]);
    let server = serve(&world, |mut peer: Peer, _| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, &changed("DONE")).await;
        peer.idle().await;
    })
    .await;
    let operation = submitted(&operations(&server.url), "thing").await;
    let outcome = standing(&operation).await;
    assert_eq!(outcome.name(), "still-running");
    assert_eq!(outcome.last().unwrap().raw_state(), Some("B"));
}

#[tokio::test]
async fn duplicates_and_late_messages_change_nothing() {
    let world = World::new(&["A"]);
    let server = serve(&world, |mut peer: Peer, world| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        world.looked(2).await;
        for state in ["A", "B", "B", "A", "B", "A"] {
            peer.next(&id, &changed(state)).await;
        }
        world.only("DONE", &[]);
        peer.next(&id, &changed("DONE")).await;
        for late in ["A", "B", "DONE", "BAD"] {
            peer.next(&id, &changed(late)).await;
        }
        peer.idle().await;
    })
    .await;
    let (seen, outcome) = all(&server.url, "thing").await;
    assert_eq!(states(&seen), ["A", "B", "DONE"]);
    assert!(outcome.is_success());
}

/// After the first query, only a gap leads to another one: the second query shows changes from the time in which the
/// socket was dead.
fn one_look() -> WatchOptions {
    options().settle(Duration::from_secs(600))
}

/// The socket dies, cleanly or not; meanwhile the operation ends.
async fn gap(
    world: World,
    options: WatchOptions,
    script: impl Fn(Peer, World) -> BoxFuture<'static, ()> + Send + Sync + 'static,
) {
    let server = serve(&world, script).await;
    let operations = operations(&server.url).with_options(options);
    let (seen, outcome) = watched(&operations, "thing").await;
    assert_eq!(states(&seen).last(), Some(&"DONE"));
    assert!(seen.iter().any(Observation::follows_gap), "the gap is marked");
    assert!(outcome.is_success());
}

#[tokio::test]
async fn a_socket_that_dies_before_the_end_is_replaced() {
    gap(World::new(&["A"]), options(), |mut peer, world| {
        Box::pin(async move {
            peer.acknowledge().await;
            let id = peer.subscribed().await.unwrap();
            if peer.number == 0 {
                return peer.close(1011, "").await;
            }
            world.only("DONE", &[]);
            peer.next(&id, &changed("DONE")).await;
            peer.idle().await;
        })
    })
    .await;
}

#[tokio::test]
async fn an_end_that_comes_while_the_socket_is_dead_is_found() {
    gap(World::new(&["A", "DONE"]), one_look(), |mut peer, _| {
        Box::pin(async move {
            if peer.number == 0 {
                peer.acknowledge().await;
                peer.subscribed().await.unwrap();
                // Cut, without a close frame.
                return;
            }
            std::future::pending::<()>().await;
        })
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_completes_before_the_end_is_a_gap_too() {
    gap(World::new(&["A", "DONE"]), one_look(), |mut peer, _| {
        Box::pin(async move {
            peer.acknowledge().await;
            let id = peer.subscribed().await.unwrap();
            peer.send(format!(r#"{{"id":"{id}","type":"complete"}}"#)).await;
            peer.idle().await;
        })
    })
    .await;
}

#[tokio::test]
async fn a_socket_that_never_opens_leaves_the_query() {
    let world = World::new(&["A", "B", "DONE"]);
    let server = Server::start(move |request| world.reply(request)).await;
    let (seen, outcome) = all(&server.url, "thing").await;
    assert_eq!(states(&seen), ["A", "B", "DONE"]);
    assert!(outcome.is_success());
}

#[tokio::test]
async fn success_needs_the_state_and_the_events() {
    let world = World::default();
    world.show("DONE", &["other"]);
    let server = serve(&world, |mut peer: Peer, world| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        world.looked(1).await;
        peer.next(&id, r#"{"changed":{"state":"DONE","event":{"kind":"ready"}}}"#).await;
        peer.idle().await;
    })
    .await;
    let (seen, outcome) = all(&server.url, "ready-thing").await;
    assert_eq!(states(&seen), ["DONE", "DONE"]);
    assert!(outcome.is_success());
    assert_eq!(outcome.last().unwrap().events().iter().collect::<Vec<_>>(), ["other", "ready"]);
}

#[tokio::test]
async fn one_without_the_other_is_an_outcome_of_its_own() {
    let world = World::default();
    world.show("DONE", &["other"]);
    let server = serve(&world, quiet).await;
    let operations = operations(&server.url).with_options(options().events(Duration::from_millis(200)));
    match within(submitted(&operations, "ready-thing").await.wait(Deadline::never())).await.unwrap() {
        OperationOutcome::EventsMissing { missing, last } => {
            assert_eq!(missing, ["ready"]);
            assert_eq!(last.state(), OperationState::Succeeded);
        }
        other => panic!("{other:?}"),
    }
    world.only("B", &["ready"]);
    let operation = submitted(&operations, "ready-thing").await;
    let outcome = standing(&operation).await;
    assert_eq!(outcome.name(), "state-missing");
    assert!(!outcome.is_success());
}

#[tokio::test]
async fn an_unknown_state_is_reported_once_and_never_waited_for_without_end() {
    let world = World::new(&["A", "MOVING"]);
    let server = serve(&world, quiet).await;
    let operations = operations(&server.url).with_options(options().unknown(Duration::from_millis(300)));
    let mut watch = submitted(&operations, "polled-thing").await.watch();
    let mut seen = Vec::new();
    while let Some(observation) = within(watch.next()).await {
        seen.push(observation.unwrap());
    }
    assert_eq!(states(&seen), ["A", "MOVING"]);
    assert_eq!(seen[1].state(), OperationState::Unknown);
    let outcome = watch.outcome().unwrap();
    assert!(matches!(outcome, OperationOutcome::UnknownState(_)) && !outcome.is_success());
}

#[tokio::test]
async fn an_unknown_state_on_the_way_is_waited_out() {
    let world = World::new(&["A", "MOVING", "MOVING", "DONE"]);
    let server = serve(&world, quiet).await;
    let (seen, outcome) = all(&server.url, "polled-thing").await;
    assert_eq!(states(&seen), ["A", "MOVING", "DONE"]);
    assert!(outcome.is_success());
}

#[tokio::test]
async fn what_is_not_visible_yet_is_waited_for_and_then_missing() {
    let world = World::new(&["", "", "A", "DONE"]);
    let server = serve(&world, quiet).await;
    let (seen, _) = all(&server.url, "polled-thing").await;
    assert_eq!(states(&seen), ["-", "A", "DONE"]);
    assert_eq!(seen[0].state(), OperationState::NotVisible);
    world.only("", &[]);
    let mut hidden = None;
    for limit in limits() {
        let operations = operations(&server.url).with_options(options().visibility(limit));
        let operation = submitted(&operations, "thing").await;
        match within(operation.poll()).await {
            Ok(seen) => {
                assert_eq!(seen.state(), OperationState::NotVisible);
                hidden = Some(operation);
                break;
            }
            // It was not queried in time.
            Err(error) => assert!(error.is_operation_missing(), "{error:?}"),
        }
    }
    let operation = hidden.expect("a look in time");
    let error = within(operation.wait(Deadline::never())).await.unwrap_err();
    assert!(error.is_operation_missing() && !error.is_not_found(), "{error:?}");
    assert!(within(operation.poll()).await.unwrap_err().is_operation_missing());
}

#[tokio::test]
async fn a_part_that_failed_is_not_one_that_is_not_there() {
    let world = World::default();
    world.answer(json!({ "data": { "thing": null }, "errors": [{ "message": "a hitch" }] }));
    world.answer(json!({ "data": { "thing": null }, "errors": [{ "message": "a hitch" }] }));
    world.show("DONE", &[]);
    let server = serve(&world, quiet).await;
    let (seen, _) = all(&server.url, "polled-thing").await;
    assert_eq!(states(&seen), ["DONE"]);
    world.answer(json!({ "errors": [{ "message": "no such field", "locations": [{ "line": 1, "column": 19 }] }] }));
    world.query();
    let operation = submitted(&operations(&server.url), "polled-thing").await;
    let error = within(operation.wait(Deadline::never())).await.unwrap_err();
    assert!(error.is_graphql(), "{error:?}");
}

/// A service without a network, whose queries get these replies in turn, the last one for ever.
async fn troubled(replies: &[FakeReply], interval: Duration) -> (Fake, Operation) {
    let fake = Fake::new();
    replies.iter().fold(fake.on(QUERIES), |rule, reply| rule.reply(reply.clone()));
    fake.on(REQUESTS).answer(&json!({ "result": { "id": 17 } }).into());
    let client = fake.builder().graphql(GraphqlOptions::new()).build().unwrap();
    let operations = client.operations().with_binding(&POLLED_THING).with_options(options().interval(interval));
    let operation = submitted(&operations, "polled-thing").await;
    (fake, operation)
}

fn shows(state: &str) -> FakeReply {
    FakeReply::status(200).json(&json!({ "data": { "thing": { "state": state } } }))
}

#[tokio::test(start_paused = true)]
async fn a_service_that_fails_for_a_while_is_waited_out() {
    let failure = FakeReply::status(503).header("retry-after", "0");
    let replies = [vec![failure; 7], vec![shows("DONE")]].concat();
    let (_, operation) = troubled(&replies, Duration::from_millis(20)).await;
    assert!(operation.wait(Deadline::never()).await.unwrap().is_success());
}

#[tokio::test(start_paused = true)]
async fn what_the_service_asks_for_shortens_no_pause() {
    // At least 15 s pass from the first query to the second, so there is one, of at most three attempts.
    for wait in ["0", "Sun, 06 Nov 1994 08:49:37 GMT", "-1", "nonsense"] {
        let reply = FakeReply::status(503).header("retry-after", wait);
        let (fake, operation) = troubled(&[reply], Duration::from_secs(600)).await;
        let outcome = operation.wait(Duration::from_secs(14)).await.unwrap();
        let looks = fake.calls_of(QUERIES).len();
        assert!((1..=3).contains(&looks), "{wait}: {looks}");
        assert!(matches!(&outcome, OperationOutcome::Unreachable { last: None, .. }), "{outcome:?}");
        assert_eq!((outcome.name(), outcome.error().unwrap().status().unwrap().as_u16()), ("unreachable", 503));
        assert!(!outcome.is_final() && !outcome.is_success());
    }
    // It lengthens one.
    let reply = FakeReply::status(503).header("retry-after", "250");
    let (fake, operation) = troubled(&[reply], Duration::from_millis(20)).await;
    operation.wait(Duration::from_secs(249)).await.unwrap();
    assert_eq!(fake.calls_of(QUERIES).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_outage_that_is_answered_with_200_is_waited_out() {
    let away = FakeReply::status(200).json(&json!({ "errors": [{ "message": "the upstream is away" }] }));
    let no_data = json!({ "data": null, "errors": [{ "message": "away", "path": ["thing"] }] });
    let no_data = FakeReply::status(200).json(&no_data);
    let replies = [away.clone(), no_data.clone(), away.clone(), no_data, shows("DONE")];
    let (_, operation) = troubled(&replies, Duration::from_millis(20)).await;
    assert!(operation.wait(Deadline::never()).await.unwrap().is_success());

    let (_, operation) = troubled(&[away], Duration::from_millis(20)).await;
    let outcome = operation.wait(Duration::from_secs(60)).await.unwrap();
    assert!(outcome.error().unwrap().is_graphql() && outcome.name() == "unreachable", "{outcome:?}");
}

#[tokio::test]
async fn what_never_works_is_not_waited_for() {
    for (status, code) in [(200, "GRAPHQL_VALIDATION_FAILED"), (200, "GRAPHQL_PARSE_FAILED"), (400, "")] {
        let world = World::new(&["DONE"]);
        let body = json!({ "errors": [{ "message": "no", "extensions": { "code": code } }] }).to_string();
        let server = Server::start(move |request| match request.path() {
            "/graphql" => Reply::json(status, &body),
            _ => world.reply(request),
        })
        .await;
        let operation = submitted(&operations(&server.url), "polled-thing").await;
        let error = within(operation.wait(Deadline::never())).await.unwrap_err();
        assert!(error.is_graphql(), "{error:?}");
        assert_eq!(server.requests().iter().filter(|request| request.path() == "/graphql").count(), 1, "{code}");
    }
}

#[tokio::test]
async fn a_passed_deadline_is_no_failure_and_a_dropped_watcher_cancels_nothing() {
    let world = World::new(&["A"]);
    let server = serve(&world, quiet).await;
    let operation = submitted(&operations(&server.url), "thing").await;
    let outcome = standing(&operation).await;
    assert!(
        matches!(&outcome, OperationOutcome::StillRunning(Some(last)) if last.raw_state() == Some("A")),
        "{outcome:?}"
    );
    let mut watch = operation.watch();
    within(watch.next()).await.unwrap().unwrap();
    drop(watch);
    assert!(server.requests().iter().all(|request| request.method == "POST"), "nothing was cancelled");
    world.only("DONE", &[]);
    assert!(within(operation.wait(Deadline::never())).await.unwrap().is_success());
}

#[tokio::test]
async fn cancelling_is_a_request_and_the_state_tells() {
    let world = World::new(&["A", "STOPPED"]);
    let server = serve(&world, quiet).await;
    let operation = submitted(&operations(&server.url), "thing").await;
    operation.cancel().await.unwrap();
    let request = server.requests().pop().unwrap();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("DELETE", "/rooms/r%201/things/17"));
    assert_eq!(within(operation.wait(Deadline::never())).await.unwrap().name(), "cancelled");
    let polled = submitted(&operations(&server.url), "polled-thing").await;
    assert!(polled.cancel().await.unwrap_err().is_request());
}

#[tokio::test]
async fn a_thousand_operations_are_watched_over_one_socket() {
    let world = World::new(&["A"]);
    let server = serve(&world, |mut peer: Peer, world| async move {
        peer.acknowledge().await;
        let mut ids = Vec::new();
        while ids.len() < 1000 {
            ids.push(peer.subscribed().await.unwrap());
        }
        world.only("DONE", &[]);
        for id in ids {
            peer.next(&id, &changed("DONE")).await;
        }
        peer.idle().await;
    })
    .await;
    // A thousand connections at once are more than a busy machine opens in time; the socket is one connection.
    let client = Client::builder(&server.url).credential(StaticToken::new("canary-token"));
    let client = client.graphql(GraphqlOptions::new()).max_concurrency(32).connect_timeout(WATCHDOG).build().unwrap();
    let operations = client.operations().with_binding(&THING).with_options(options());
    let all = (0..1000).map(|_| async { submitted(&operations, "thing").await.wait(Deadline::never()).await.unwrap() });
    let outcomes = tokio::time::timeout(WATCHDOG * 5, join_all(all)).await.unwrap();
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_success()).count(), 1000);
    assert_eq!(server.opened(), 1);
}

#[tokio::test]
async fn a_watch_is_a_stream_and_survives_calls_that_are_dropped() {
    let world = World::new(&["A", "B", "DONE"]);
    let server = serve(&world, quiet).await;
    let operation = submitted(&operations(&server.url), "polled-thing").await;
    let mut watch = operation.watch();
    let (mut seen, mut patience) = (Vec::new(), Duration::from_millis(2));
    loop {
        // Most of these calls are dropped half-way. On a slow machine, all would be.
        match tokio::time::timeout(patience, watch.next()).await {
            Ok(Some(observation)) => seen.push(observation.unwrap()),
            Ok(None) => break,
            Err(_) => patience = patience * 11 / 10,
        }
    }
    assert_eq!(seen.last().map(Observation::state), Some(OperationState::Succeeded));
    let data: Vec<driftless_runtime::Value> =
        operation.watch().into_stream().map(|observation| observation.unwrap().data().clone()).collect().await;
    assert_eq!(data, [json!({ "thing": { "state": "DONE", "events": [] } })]);
}

static SHOWN_THING: Binding = Binding {
    kind: "shown-thing",
    watch: Some(Watched { path: "/rooms/{room}/things/{thing}?view=short", parameter: "thing", header: None }),
    query: "",
    subscription: None,
    state: "/state",
    pushed_state: None,
    ..THING
};

/// The states that a resource shows one after another: `404` while it is not visible, `503` while the service fails.
async fn watched_states(
    states: &[&'static str],
) -> (Result<Vec<String>, driftless_runtime::Error>, Vec<String>, Option<OperationOutcome>) {
    let left: Mutex<VecDeque<&str>> = Mutex::new(states.iter().copied().collect());
    let server = Server::start(move |request| {
        if request.method == "POST" {
            return Reply::json(202, r#"{"result":{"id":"a b"}}"#);
        }
        let mut left = left.lock().unwrap();
        match if left.len() > 1 { left.pop_front() } else { left.front().copied() } {
            Some(status @ ("404" | "503" | "403")) => Reply::json(status.parse().unwrap(), "{}"),
            Some("text") => Reply::new(200, &[], "<html>"),
            state => Reply::json(200, &json!({ "state": state }).to_string()),
        }
    })
    .await;
    let client = Client::builder(&server.url).credential(StaticToken::new("canary-token")).no_retry().build().unwrap();
    let operations = client.operations().with_binding(&SHOWN_THING).with_options(options());
    let mut watch = submitted(&operations, "shown-thing").await.watch();
    let mut seen = Ok(Vec::new());
    while let Some(observation) = within(watch.next()).await {
        match (observation, &mut seen) {
            (Ok(observation), Ok(states)) => states.extend(observation.raw_state().map(str::to_owned)),
            (Err(error), _) => seen = Err(error),
            (Ok(_), Err(_)) => {}
        }
    }
    let asked = server.requests().into_iter().map(|request| format!("{} {}", request.method, request.target)).collect();
    (seen, asked, watch.outcome())
}

#[tokio::test]
async fn an_operation_of_the_contract_shows_the_states() {
    let (seen, asked, outcome) = watched_states(&["404", "A", "503", "B", "B", "DONE"]).await;
    assert_eq!(seen.unwrap(), ["A", "B", "DONE"], "it is not visible at once, and a failure passes");
    assert!(outcome.unwrap().is_success());
    assert_eq!(asked[0], "POST /rooms/r%201/things");
    assert!(asked[1..].iter().all(|target| target == "GET /rooms/r%201/things/a%20b?view=short"), "{asked:?}");
    let (seen, _, outcome) = watched_states(&["A", "BAD"]).await;
    assert_eq!((seen.unwrap().len(), outcome.unwrap().name()), (2, "failed"));
    assert!(watched_states(&["A", "403"]).await.0.unwrap_err().is_forbidden(), "a refusal does not pass");
    assert!(watched_states(&["text"]).await.0.unwrap_err().is_decode(), "a web page in place of the operation ends it");
}

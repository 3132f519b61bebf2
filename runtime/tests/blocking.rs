//! Operations and GraphQL for programs without asynchronous code.

use crate::support::{Recorded, Reply, Server, WATCHDOG};
use crate::support_graphql::{GraphqlServer, Peer};
use crate::support_operations::{World, operations, platform};
use driftless_runtime::{
    Method, Value,
    blocking::Blocking,
    graphql::Delivery,
    operations::{Deadline, OperationState, Operations, Status},
};
use serde_json::json;
use tokio::runtime::Runtime;

/// The servers of these tests run here: the programs under test have no runtime except the client's own.
fn elsewhere() -> Runtime {
    Runtime::new().unwrap()
}

fn accepting(runtime: &Runtime, world: &World) -> Server {
    let world = world.clone();
    runtime.block_on(Server::start(move |request: &Recorded| match request.method.as_str() {
        "DELETE" => {
            world.only("STOPPED", &[]);
            Reply::new(204, &[], "")
        }
        _ => world.reply(request),
    }))
}

fn client(operations: &Operations) -> Blocking {
    Blocking::new(operations.client().clone()).unwrap()
}

#[test]
fn an_operation_is_submitted_polled_waited_for_and_finished() {
    let runtime = elsewhere();
    let world = World::new(&["A", "B", "B", "DONE"]);
    let server = accepting(&runtime, &world);
    let operations = operations(&server.url);
    let client = client(&operations);
    let request = client.request(Method::Post, "/rooms/r/things");
    let operation = client.wait(request.submit(&operations, "polled-thing", Some("one"))).unwrap();
    assert_eq!(client.wait(operation.poll()).unwrap().state(), OperationState::Pending);
    let outcome = client.wait(operation.wait(Deadline::after(WATCHDOG))).unwrap();
    assert!(outcome.is_success(), "{outcome:?}");
    assert!(client.wait(operation.finish(&outcome)).unwrap());
    let entry = client.wait(operations.labelled("one")).unwrap().unwrap();
    assert_eq!((entry.status(), entry.outcome()), (Status::Finished, Some("succeeded")));
}

#[test]
fn each_observation_of_an_operation_is_taken_in_turn() {
    let runtime = elsewhere();
    let world = World::new(&["A", "B", "DONE"]);
    let server = accepting(&runtime, &world);
    let operations = operations(&server.url);
    let client = client(&operations);
    let request = client.request(Method::Post, "/rooms/r/things");
    let operation = client.wait(request.submit(&operations, "polled-thing", None)).unwrap();
    let mut watch = operation.watch();
    let mut states = Vec::new();
    while let Some(observation) = client.wait(async { watch.next().await.transpose() }).unwrap() {
        states.push(observation.raw_state().unwrap_or_default().to_owned());
    }
    assert_eq!(states, ["A", "B", "DONE"]);
}

#[test]
fn an_operation_is_cancelled_and_one_that_was_submitted_before_is_resumed() {
    let runtime = elsewhere();
    let world = World::new(&["A"]);
    let server = accepting(&runtime, &world);
    let operations = operations(&server.url);
    let client = client(&operations);
    let request = client.request(Method::Post, "/rooms/r/things");
    drop(client.wait(request.submit(&operations, "thing", Some("one"))).unwrap());

    let entry = client.wait(operations.unfinished()).unwrap().all().unwrap().remove(0);
    let operation = operations.resume(&entry).unwrap();
    client.wait(operation.cancel()).unwrap();
    let outcome = client.wait(operation.wait(Deadline::after(WATCHDOG))).unwrap();
    assert_eq!(outcome.name(), "cancelled");
    let sent = server.requests();
    assert_eq!(sent.iter().filter(|request| request.method == "POST" && request.path() != "/graphql").count(), 1);
    assert_eq!(sent.iter().find(|request| request.method == "DELETE").unwrap().path(), "/rooms/r/things/17");
}

#[test]
fn a_query_is_asked_and_a_subscription_is_read_to_its_end() {
    let runtime = elsewhere();
    let server = runtime.block_on(GraphqlServer::start(
        "graphql-transport-ws",
        |_| Reply::json(200, r#"{"data":{"a":1}}"#),
        |mut peer: Peer| async move {
            peer.acknowledge().await;
            let id = peer.subscribed().await.unwrap();
            peer.next(&id, "1").await;
            peer.next(&id, "2").await;
            peer.send(format!(r#"{{"id":"{id}","type":"complete"}}"#)).await;
            peer.idle().await;
        },
    ));
    let client = Blocking::new(platform(&server.url)).unwrap();
    let answer = client.wait(client.graphql().query::<Value, _>("{ a }", ())).unwrap();
    assert_eq!(answer.into_data().unwrap(), json!({ "a": 1 }));
    let numbers: Vec<Value> = client
        .each(|platform| platform.graphql().subscribe::<Value, _>("subscription { a }", ()))
        .map(|delivery| match delivery.unwrap() {
            Delivery::Next(answer) => answer.into_data().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(numbers, [json!(1), json!(2)]);
}

#[test]
fn a_refused_subscription_is_one_error_and_then_the_end() {
    let runtime = elsewhere();
    let server = runtime.block_on(Server::always(Reply::new(403, &[], "")));
    let client = Blocking::new(platform(&server.url)).unwrap();
    let mut each = client.each(|platform| platform.graphql().subscribe::<Value, _>("subscription { a }", ()));
    assert!(each.next().unwrap().unwrap_err().is_forbidden());
    assert!(each.next().is_none());
}

#[tokio::test]
async fn asynchronous_code_is_told_to_await() {
    let server = Server::always(Reply::json(200, r#"{"data":1}"#)).await;
    let client = Blocking::new(platform(&server.url)).unwrap();
    let refused = client.wait(client.graphql().query::<Value, _>("{ a }", ())).unwrap_err();
    assert!(refused.to_string().contains(".await"), "{refused}");
    assert!(server.requests().is_empty());
}

//! Submissions and references: the entries that are stored, the requests that are sent, and the refusals.

use std::{sync::Arc, time::Duration};

use crate::support::{Reply, Server, WATCHDOG, limits};
use crate::support_operations;
use crate::support_operations::{World, operations, platform, submitted};
use driftless_runtime::{
    Error, Method,
    operations::{
        Deadline, Demand, Entry, HeldOperation, Instance, Intent, Lease, MemoryStore, Observation, Operation,
        OperationRef, Operations, Overview, Status, Store, StoreFuture, Unfinished, WakeFuture, Wanted,
    },
};
use serde_json::{Value, json};

async fn submit(operations: &Operations, kind: &str, label: &str) -> Result<Operation, Error> {
    let platform = operations.client().clone();
    let request = platform.request(Method::Post, "/rooms/r/things").json(&json!({ "size": 1 }));
    request.deadline(WATCHDOG).submit(operations, kind, Some(label)).await
}

async fn accepting() -> Server {
    let world = World::new(&["A"]);
    Server::start(move |request| world.reply(request)).await
}

fn posts(server: &Server) -> usize {
    server.requests().iter().filter(|request| request.method == "POST" && request.path() != "/graphql").count()
}

#[tokio::test]
async fn a_submission_becomes_an_operation() {
    let server = accepting().await;
    let operations = operations(&server.url);
    let operation = submit(&operations, "thing", "one").await.unwrap();
    let reference = operation.reference();
    assert_eq!((reference.kind(), reference.id()), ("thing", "17"));
    assert_eq!(reference.parameters().get("room").map(String::as_str), Some("r"));
    assert_eq!(operation.accepted::<Value>().unwrap(), json!({ "result": { "id": 17 } }));
    assert_eq!(server.last().header("idempotency-key"), Some(reference.correlation()));
    let entry = operations.labelled("one").await.unwrap().unwrap();
    assert_eq!((entry.status(), entry.reference()), (Status::Accepted, Some(reference)));
}

#[tokio::test]
async fn a_label_is_submitted_once() {
    let server = accepting().await;
    let operations = operations(&server.url);
    submit(&operations, "thing", "one").await.unwrap();
    assert!(submit(&operations, "thing", "one").await.unwrap_err().is_store());
    assert!(submit(&operations, "thing", "two").await.is_ok());
    assert_eq!(posts(&server), 2);
}

#[tokio::test]
async fn a_post_whose_connection_dies_is_sent_once_and_unknown() {
    let replies = [
        Reply::close(),
        Reply::raw(&["HTTP/1.1 202 X\r\ncontent-length: 99\r\n\r\n{\"result\":"]),
        Reply::new(500, &[], ""),
        Reply::new(503, &[("retry-after", "0")], ""),
        Reply::json(202, "{}"),
        Reply::json(202, "no json"),
        Reply::json(202, r#"{"result":{"id":""}}"#),
    ];
    for reply in replies {
        let server = Server::always(reply.clone()).await;
        // One of the replies stops in the middle of its body.
        let client = support_operations::builder(&server.url).idle_timeout(Duration::from_millis(300)).build().unwrap();
        let operations = support_operations::operations_of(&client);
        let error = submit(&operations, "polled-thing", "one").await.unwrap_err();
        assert!(error.is_submission_unknown(), "{reply:?}: {error:?}");
        assert!(!error.is_retryable(), "{error:?}");
        let entries = operations.unfinished().await.unwrap().all().unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].status(), Status::SubmissionUnknown);
        assert!(operations.resume(&entries[0]).unwrap_err().is_submission_unknown());
        // Neither automatically nor by another attempt.
        assert!(submit(&operations, "polled-thing", "one").await.unwrap_err().is_store());
        assert_eq!(posts(&server), 1, "{reply:?}");
    }
}

#[tokio::test]
async fn a_deadline_that_passes_leaves_the_submission_unknown() {
    for limit in limits() {
        let server = Server::always(Reply::raw(&[]).and_hang()).await;
        let operations = operations(&server.url);
        let platform = operations.client().clone();
        let request = platform.request(Method::Post, "/rooms/r/things").deadline(limit);
        let error = request.submit(&operations, "thing", None).await.unwrap_err();
        if posts(&server) == 1 {
            assert!(error.is_submission_unknown(), "{error:?}");
            return;
        }
    }
    panic!("nothing was sent");
}

#[tokio::test]
async fn what_was_refused_or_never_left_is_forgotten() {
    for status in [400, 401, 403, 404, 409, 422, 429] {
        let server = Server::always(Reply::new(status, &[], "")).await;
        let operations = operations(&server.url);
        let error = submit(&operations, "thing", "one").await.unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert!(!error.is_submission_unknown());
        assert!(operations.labelled("one").await.unwrap().is_none(), "{status}");
    }
    let gone = operations("http://127.0.0.1:1");
    let error = submit(&gone, "thing", "one").await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    assert!(gone.labelled("one").await.unwrap().is_none());
    let platform = gone.client().clone();
    let request = platform.request(Method::Post, "/x").header("a b", "c");
    assert!(request.submit(&gone, "thing", Some("one")).await.unwrap_err().is_request());
    assert!(gone.unfinished().await.unwrap().all().unwrap().is_empty());
}

#[tokio::test]
async fn an_unknown_submission_is_adopted_or_forgotten_by_choice() {
    let server = Server::always(Reply::close()).await;
    let operations = operations(&server.url);
    submit(&operations, "thing", "one").await.unwrap_err();
    submit(&operations, "thing", "two").await.unwrap_err();
    let [one, two] = <[Entry; 2]>::try_from(operations.unfinished().await.unwrap().all().unwrap()).unwrap();
    let operation = operations.adopt(one.intent().correlation(), "42").await.unwrap();
    assert_eq!(operation.reference().id(), "42");
    assert_eq!(operations.labelled("one").await.unwrap().unwrap().status(), Status::Accepted);
    assert!(operations.adopt(one.intent().correlation(), "43").await.unwrap_err().is_store());
    assert!(operations.adopt("unheard of", "43").await.unwrap_err().is_store());
    assert!(operations.adopt(two.intent().correlation(), "").await.unwrap_err().is_reference());
    assert!(operations.forget(&two).await.unwrap());
    assert!(operations.labelled("two").await.unwrap().is_none());
}

#[tokio::test]
async fn the_end_is_taken_by_one() {
    let server = accepting().await;
    let operations = operations(&server.url);
    let operation = submit(&operations, "thing", "one").await.unwrap();
    let outcome = operation.wait(Duration::ZERO).await.unwrap();
    let again = operations.resume(&operations.labelled("one").await.unwrap().unwrap()).unwrap();
    assert!(operation.finish(&outcome).await.unwrap());
    assert!(!again.finish(&outcome).await.unwrap());
    let entry = operations.labelled("one").await.unwrap().unwrap();
    assert_eq!((entry.status(), entry.outcome()), (Status::Finished, Some("still-running")));
    assert!(operations.unfinished().await.unwrap().all().unwrap().is_empty());
}

/// A store that fails to keep acceptances.
struct Forgetful(MemoryStore, Arc<std::sync::atomic::AtomicBool>);

impl Store for Forgetful {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        self.0.intend(intent)
    }
    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64> {
        self.0.begin(correlation)
    }
    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool> {
        self.0.withdraw(correlation, attempt)
    }
    fn accept<'a>(&'a self, _reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        self.1.store(true, std::sync::atomic::Ordering::SeqCst);
        Box::pin(async { Err(Error::store("the disk is full")) })
    }
    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool> {
        self.0.forget(correlation, revision)
    }
    fn observe<'a>(
        &'a self,
        correlation: &'a str,
        observation: &'a Observation,
        lease: Option<&'a Lease>,
    ) -> StoreFuture<'a, ()> {
        self.0.observe(correlation, observation, lease)
    }
    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        self.0.finish(correlation, outcome, lease)
    }
    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance> {
        self.0.enlist(name, lease)
    }
    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool> {
        self.0.renew(instance, lease)
    }
    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>> {
        self.0.claim(instance, wanted)
    }
    fn leases(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>> {
        self.0.leases(instance)
    }
    fn put_back<'a>(&'a self, lease: &'a Lease, after: Duration, failure: Option<&'a str>) -> StoreFuture<'a, ()> {
        self.0.put_back(lease, after, failure)
    }
    fn discard<'a>(&'a self, name: &'a str, reason: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        self.0.discard(name, reason, lease)
    }
    fn retry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, bool> {
        self.0.retry(correlation)
    }
    fn pause<'a>(&'a self, deployment: &'a str, kind: &'a str, paused: bool) -> StoreFuture<'a, ()> {
        self.0.pause(deployment, kind, paused)
    }
    fn demand<'a>(&'a self, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<Demand>> {
        self.0.demand(wanted)
    }
    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()> {
        self.0.leave(instance)
    }
    fn wake(&self) -> WakeFuture<'_> {
        self.0.wake()
    }
    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64> {
        self.0.purge(deployment, age, limit)
    }
    fn overview<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Overview> {
        self.0.overview(deployment)
    }
    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        self.0.entry(correlation)
    }
    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        self.0.labelled(deployment, label)
    }
    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished> {
        self.0.unfinished(deployment)
    }
}

#[tokio::test]
async fn an_acceptance_that_cannot_be_kept_is_handed_over_in_the_error() {
    let server = accepting().await;
    let tried = Arc::default();
    let operations = operations(&server.url).with_store(Forgetful(MemoryStore::new(), Arc::clone(&tried)));
    let error = submit(&operations, "thing", "one").await.unwrap_err();
    assert!(error.is_store() && tried.load(std::sync::atomic::Ordering::SeqCst));
    assert_eq!(error.accepted().unwrap().id(), "17");
}

#[tokio::test]
async fn a_reference_is_all_that_it_takes_and_holds_no_secret() {
    let server = accepting().await;
    let first = operations(&server.url);
    let text = serde_json::to_string(submitted(&first, "thing").await.reference()).unwrap();
    assert!(!text.contains("canary") && !text.contains("127.0.0.1"), "{text}");
    let elsewhere = operations(&format!("{}/", server.url));
    let reference: OperationRef = text.parse().unwrap();
    assert_eq!(reference.to_string(), text);
    assert!(text.replace("thing", "other").parse::<OperationRef>().unwrap_err().is_reference());
    let operation = elsewhere.operation(reference).unwrap();
    assert_eq!(operation.poll().await.unwrap().raw_state(), Some("A"));
    assert!(operation.accepted::<Value>().unwrap_err().is_decode());
}

#[tokio::test]
async fn what_is_written_down_or_shown_holds_no_token() {
    let server = accepting().await;
    let operations = operations(&server.url);
    let operation = submitted(&operations, "thing").await;
    let mut watch = operation.watch();
    let seen = watch.next().await;
    let entries = operations.unfinished().await.unwrap().all().unwrap();
    let kept = serde_json::to_string(operation.reference()).unwrap();
    let printed =
        format!("{kept} {operations:?} {operation:?} {watch:?} {seen:?} {entries:?} {:?}", operations.client());
    assert!(entries.len() == 1 && !printed.contains("canary"), "{printed}");
    let sent = server.requests();
    assert!(sent.iter().any(|request| request.header("authorization") == Some("Bearer canary-token")));
}

#[tokio::test]
async fn a_tampered_reference_does_not_read() {
    let server = accepting().await;
    let reference = submitted(&operations(&server.url), "thing").await.reference().clone();
    let good = serde_json::to_value(&reference).unwrap();
    assert_eq!(serde_json::from_value::<OperationRef>(good.clone()).unwrap(), reference);
    let changes = [
        ("id", json!("18")),
        ("kind", json!("polled-thing")),
        ("deployment", json!("0")),
        ("accepted", json!(0)),
        ("correlation", json!("x")),
        ("parameters", json!({ "room": "other" })),
        ("parameters", json!({})),
        ("version", json!(2)),
        ("version", json!(0)),
        ("check", json!("")),
        ("id", json!(null)),
        ("more", json!(1)),
    ];
    for (member, value) in changes {
        let mut bad = good.clone();
        bad[member] = value;
        assert!(serde_json::from_value::<OperationRef>(bad).is_err(), "{member}");
    }
    for member in ["id", "kind", "deployment", "accepted", "correlation", "check", "version"] {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(member);
        assert!(serde_json::from_value::<OperationRef>(bad).is_err(), "{member}");
    }
    // Parts that move from one member to the next.
    let mut bad = good.clone();
    bad["kind"] = json!("thing1");
    bad["id"] = json!("7");
    assert!(serde_json::from_value::<OperationRef>(bad).is_err());
}

#[tokio::test]
async fn a_foreign_reference_is_refused_before_anything_is_sent() {
    let (server, other) = (accepting().await, accepting().await);
    let reference = submitted(&operations(&server.url), "thing").await.reference().clone();
    for url in [other.url.clone(), format!("{}/base", server.url)] {
        assert!(operations(&url).operation(reference.clone()).unwrap_err().is_reference());
    }
    // A kind that the client does not know.
    let error = platform(&server.url).operation(reference).unwrap_err();
    assert!(error.is_reference() && error.to_string().contains("thing"), "{error}");
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn submissions_of_another_client_are_refused() {
    let (server, other) = (accepting().await, accepting().await);
    let operations = operations(&server.url);
    let stranger = platform(&other.url);
    let error = stranger.request(Method::Post, "/rooms/r/things").submit(&operations, "thing", None).await.unwrap_err();
    assert!(error.is_request(), "{error:?}");
    assert!(other.requests().is_empty() && server.requests().is_empty());
}

#[tokio::test]
async fn a_repetition_carries_the_same_key() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let server = Server::start(move |_| match count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => Reply::close(),
        _ => Reply::json(202, r#"{"result":{"id":17}}"#),
    })
    .await;
    let operations = operations(&server.url);
    let again = |kind: &'static str| {
        let platform = operations.client().clone();
        let operations = operations.clone();
        async move {
            let request = platform.request(Method::Post, "/rooms/r/things").json(&json!({ "size": 1 }));
            request.resubmit(&operations, kind, "one").await
        }
    };
    assert!(again("thing").await.unwrap_err().is_store(), "what was never submitted is not repeated");
    submit(&operations, "thing", "one").await.unwrap_err();
    assert!(again("polled-thing").await.unwrap_err().is_request(), "the service would not recognise it");
    let operation = again("thing").await.unwrap();
    assert!(again("thing").await.unwrap_err().is_store(), "what was accepted is not repeated");
    let keys: Vec<_> =
        server.requests().iter().map(|request| request.header("idempotency-key").map(str::to_owned)).collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0].as_deref(), Some(operation.reference().correlation()));
    assert_eq!(keys[0], keys[1]);
}

/// Submits in one call, whatever the label was used for before.
async fn ask(operations: &Operations, kind: &str, room: &str, label: &str) -> Result<Operation, Error> {
    let platform = operations.client().clone();
    let request = platform.request(Method::Post, format!("/rooms/{room}/things")).json(&json!({ "size": 1 }));
    request.deadline(WATCHDOG).submit_or_resume(operations, kind, label).await
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_for_a_label_gets_its_one_operation() {
    // The service recognises repetitions: one operation for each key.
    let (world, keys) = (World::new(&["DONE"]), std::sync::Mutex::new(Vec::new()));
    let server = Server::start(move |request| {
        if request.path() == "/graphql" {
            return world.reply(request);
        }
        let key = request.header("idempotency-key").map(str::to_owned);
        let mut keys = keys.lock().unwrap();
        let number = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        });
        Reply::json(202, &format!(r#"{{"result":{{"id":"{number}"}}}}"#))
    })
    .await;
    let operations = operations(&server.url);
    let tasks: Vec<_> = (0..30)
        .map(|number| {
            let (operations, label) = (operations.clone(), format!("label {}", number % 3));
            tokio::spawn(async move { (label.clone(), ask(&operations, "thing", "r", &label).await.unwrap()) })
        })
        .collect();
    let mut operations_by_label = std::collections::BTreeSet::new();
    for task in tasks {
        let (label, operation) = task.await.unwrap();
        operations_by_label.insert((label, operation.reference().id().to_owned()));
    }
    assert_eq!(operations_by_label.len(), 3, "each label has one operation: {operations_by_label:?}");
    assert_eq!(
        operations_by_label.iter().map(|(_, id)| id).collect::<std::collections::BTreeSet<_>>().len(),
        3,
        "{operations_by_label:?}"
    );
    // Later, and after its end, too.
    let sent = posts(&server);
    let again = ask(&operations, "thing", "r", "label 0").await.unwrap();
    let outcome = again.wait(Deadline::after(WATCHDOG)).await.unwrap();
    assert!(again.finish(&outcome).await.unwrap());
    let ended = ask(&operations, "thing", "r", "label 0").await.unwrap();
    assert_eq!((again.reference(), posts(&server)), (ended.reference(), sent), "nothing is sent for what is known");
    // Another submission cannot use the same label.
    for (kind, room) in [("thing", "another"), ("ready-thing", "r")] {
        let error = ask(&operations, kind, room, "label 0").await.unwrap_err();
        assert!(error.is_label_mismatch() && posts(&server) == sent, "{kind} {room}: {error:?}");
    }
}

#[tokio::test]
async fn whoever_asks_again_repeats_what_may_have_arrived_where_the_service_recognises_it() {
    let accepted = Reply::json(202, r#"{"result":{"id":17}}"#);
    let server = scripted(&[Reply::close(), accepted.clone()]).await;
    let operations = operations(&server.url);
    assert!(ask(&operations, "thing", "r", "one").await.unwrap_err().is_submission_unknown());
    let operation = ask(&operations, "thing", "r", "one").await.unwrap();
    let keys: Vec<_> =
        server.requests().iter().map(|request| request.header("idempotency-key").map(str::to_owned)).collect();
    let key = Some(operation.reference().correlation().to_owned());
    assert_eq!(keys, [key.clone(), key]);

    let server = scripted(&[Reply::close(), accepted.clone()]).await;
    let operations = support_operations::operations(&server.url);
    for _ in 0..2 {
        assert!(ask(&operations, "polled-thing", "r", "one").await.unwrap_err().is_submission_unknown());
    }
    assert_eq!(posts(&server), 1, "what nobody recognises is never repeated by itself");

    // A refused submission is forgotten, and submitted when it is requested again.
    let server = scripted(&[Reply::new(400, &[], ""), accepted]).await;
    let operations = support_operations::operations(&server.url);
    assert!(ask(&operations, "polled-thing", "r", "one").await.unwrap_err().is_bad_request());
    assert!(ask(&operations, "polled-thing", "r", "one").await.is_ok());
    assert_eq!(posts(&server), 2);
}

/// A service that answers the first request with one reply and every other with the next ones.
async fn scripted(replies: &[Reply]) -> Server {
    let (replies, count) = (replies.to_vec(), std::sync::atomic::AtomicUsize::new(0));
    Server::start(move |_| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        replies[number.min(replies.len() - 1)].clone()
    })
    .await
}

#[tokio::test]
async fn what_may_have_arrived_is_not_forgotten_whatever_comes_back_later() {
    let statuses = [303, 400, 401, 403, 404, 409, 422, 425, 429, 500, 503];
    // At the same time, so that their pauses pass together. Once by another call, and once within one.
    let cases = statuses.into_iter().flat_map(|status| [false, true].map(|idempotent| (status, idempotent)));
    let cases = cases.map(|(status, idempotent)| {
        async move {
            let refusal = Reply::new(status, &[], "");
            let server = scripted(&[Reply::close(), refusal.clone(), refusal]).await;
            let operations = operations(&server.url);
            let platform = operations.client().clone();
            let request = || platform.request(Method::Post, "/rooms/r/things").json(&json!({ "size": 1 }));
            let error = if idempotent {
                request().idempotent().submit(&operations, "thing", Some("one")).await.unwrap_err()
            } else {
                submit(&operations, "thing", "one").await.unwrap_err();
                request().resubmit(&operations, "thing", "one").await.unwrap_err()
            };
            assert!(error.is_submission_unknown(), "{status}: {error:?}");
            assert_eq!(error.status().map(|status| status.as_u16()), Some(status), "what came back is told, too");
            let entry = operations.labelled("one").await.unwrap().expect("it is forgotten");
            assert_eq!(entry.status(), Status::SubmissionUnknown, "{status}");
            // The key is still there, for the next run of the program.
            request().resubmit(&operations, "thing", "one").await.unwrap_err();
            let sent = server.requests();
            let keys: Vec<_> = sent.iter().map(|request| request.header("idempotency-key").unwrap()).collect();
            assert!(
                keys.len() >= 3 && keys.iter().all(|key| *key == entry.intent().correlation()),
                "{status}: {keys:?}"
            );
        }
    });
    futures_util::future::join_all(cases).await;
}

#[tokio::test]
async fn a_refused_connection_after_an_unknown_attempt_forgets_nothing() {
    let server = Server::always(Reply::close()).await;
    let operations = operations(&server.url);
    submit(&operations, "thing", "one").await.unwrap_err();
    drop(server);
    // The port is closed once the server is gone.
    let platform = operations.client().clone();
    let error = loop {
        let again = platform.request(Method::Post, "/rooms/r/things").json(&json!({ "size": 1 })).no_retry();
        let error = again.resubmit(&operations, "thing", "one").await.unwrap_err();
        assert!(error.is_submission_unknown(), "{error:?}");
        if std::error::Error::source(&error).unwrap().to_string().contains("no connection") {
            break error;
        }
    };
    assert!(error.was_sent(), "an attempt before it was");
    assert_eq!(operations.labelled("one").await.unwrap().unwrap().status(), Status::SubmissionUnknown);
}

#[tokio::test]
async fn a_redirect_to_what_was_made_is_no_refusal() {
    let server = Server::always(Reply::new(303, &[("location", "/things/17")], "")).await;
    let operations = operations(&server.url);
    assert!(submit(&operations, "thing", "one").await.unwrap_err().is_submission_unknown());
    assert!(operations.labelled("one").await.unwrap().is_some());
}

/// The key of a submission is that of its first attempt, so a submission that was sent without one is never sent with
/// one.
#[tokio::test]
async fn what_was_sent_without_a_key_is_not_sent_again() {
    let server = Server::always(Reply::close()).await;
    let operations = operations(&server.url);
    submit(&operations, "polled-thing", "one").await.unwrap_err();
    // Another kind has a header.
    let platform = operations.client().clone();
    let request = platform.request(Method::Post, "/rooms/r/things");
    let error = request.resubmit(&operations, "thing", "one").await.unwrap_err();
    assert!(error.is_label_mismatch() && error.to_string().contains("polled-thing"), "{error}");
    assert_eq!(posts(&server), 1);
}

#[tokio::test]
async fn an_entry_that_changed_since_it_was_read_is_not_forgotten() {
    let server = Server::always(Reply::close()).await;
    let operations = operations(&server.url);
    submit(&operations, "thing", "one").await.unwrap_err();
    let seen = operations.labelled("one").await.unwrap().unwrap();
    let platform = operations.client().clone();
    let again = platform.request(Method::Post, "/rooms/r/things").json(&json!({ "size": 1 }));
    again.resubmit(&operations, "thing", "one").await.unwrap_err();
    assert!(!operations.forget(&seen).await.unwrap(), "another attempt was sent meanwhile");
    let seen = operations.labelled("one").await.unwrap().unwrap();
    let operation = operations.adopt(seen.intent().correlation(), "42").await.unwrap();
    assert!(!operations.forget(&seen).await.unwrap(), "it was adopted meanwhile");
    assert_eq!(operations.labelled("one").await.unwrap().unwrap().reference(), Some(operation.reference()));
}

#[tokio::test]
async fn what_was_adopted_can_be_cancelled() {
    let server = scripted(&[Reply::close(), Reply::new(204, &[], "")]).await;
    let operations = operations(&server.url);
    submit(&operations, "thing", "one").await.unwrap_err();
    let entry = operations.labelled("one").await.unwrap().unwrap();
    let operation = operations.adopt(entry.intent().correlation(), "42").await.unwrap();
    operation.cancel().await.unwrap();
    assert_eq!(server.last().target, "/rooms/r/things/42");
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_leaves_no_submission_behind() {
    static ODD: driftless_runtime::operations::Binding = driftless_runtime::operations::Binding {
        kind: "odd-thing",
        idempotency: Some("Idempotency Key"),
        ..support_operations::THING
    };
    let server = accepting().await;
    let operations = operations(&server.url).with_binding(&ODD);
    assert!(submit(&operations, "odd-thing", "one").await.unwrap_err().is_request());
    assert!(operations.labelled("one").await.unwrap().is_none() && server.requests().is_empty());
}

/// A service that starts work by `GET` is not asked twice, although reading would be retried.
#[tokio::test]
async fn a_submission_is_sent_once_whatever_its_method() {
    static READ: driftless_runtime::operations::Binding = driftless_runtime::operations::Binding {
        kind: "read-thing",
        method: Method::Get,
        idempotency: None,
        ..support_operations::THING
    };
    for reply in [Reply::close(), Reply::new(503, &[], "")] {
        let server = Server::always(reply).await;
        let operations = operations(&server.url).with_binding(&READ);
        let platform = operations.client().clone();
        let request = platform.request(Method::Get, "/rooms/r/things");
        let error = request.submit(&operations, "read-thing", Some("one")).await.unwrap_err();
        assert!(error.is_submission_unknown(), "{error:?}");
        assert_eq!(server.requests().len(), 1);
        assert_eq!(operations.labelled("one").await.unwrap().unwrap().status(), Status::SubmissionUnknown);
    }
}

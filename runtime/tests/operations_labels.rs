//! Labels: the contents that they identify, and when they are free.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::support::{Reply, Server, WATCHDOG};
use crate::support_operations::{THING, World, operations};
use driftless_runtime::{
    Client, Error, Method, Middleware, MiddlewareFuture, Next, Outgoing,
    auth::{Credential, Token, TokenFuture, TokenRequest},
    operations::{Operation, SqliteStore},
};
use serde_json::json;

fn posts(server: &Server) -> usize {
    server.requests().iter().filter(|request| request.method == "POST" && request.path() != "/graphql").count()
}

/// A label that is used again for other contents, by mistake: nothing is sent under it, and certainly not with the key
/// of the first.
#[tokio::test]
async fn a_label_that_was_submitted_with_another_body_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for lost in [false, true] {
        let first = if lost { Reply::close() } else { Reply::json(202, r#"{"result":{"id":17}}"#) };
        let replies = [first, Reply::json(202, r#"{"result":{"id":18}}"#)];
        let count = AtomicUsize::new(0);
        let server = Server::start(move |_| replies[count.fetch_add(1, Ordering::SeqCst).min(1)].clone()).await;
        let store = SqliteStore::open(folder.path().join(format!("{lost}"))).unwrap();
        let operations = operations(&server.url).with_store(store);
        let platform = operations.client().clone();
        let version =
            |version: u32| platform.request(Method::Post, "/rooms/r/things").json(&json!({ "version": version }));
        assert_eq!(version(17).submit_or_resume(&operations, "thing", "one").await.is_err(), lost);
        let error = version(18).submit_or_resume(&operations, "thing", "one").await.unwrap_err();
        assert!(error.is_label_mismatch() && error.code() == "label-mismatch", "{error:?}");
        assert!(error.to_string().contains("another body") && error.to_string().contains("one"), "{error}");
        let error = version(18).resubmit(&operations, "thing", "one").await.unwrap_err();
        assert!(error.is_label_mismatch() && !error.is_retryable(), "{error:?}");
        assert_eq!(posts(&server), 1);
        // The submission goes on with its first contents.
        let operation = version(17).submit_or_resume(&operations, "thing", "one").await.unwrap();
        assert_eq!((posts(&server), operation.reference().id()), if lost { (2, "18") } else { (1, "17") });
        assert!(version(18).submit_or_resume(&operations, "thing", "two").await.is_ok());
    }
}

/// Waits as often as a test sets: for a token, and in a middleware.
#[derive(Clone, Default)]
struct Slow(Arc<AtomicBool>);

impl Slow {
    async fn wait(&self) {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
    }
}

impl Credential for Slow {
    fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async move {
            self.wait().await;
            Ok(Token::new("canary-token"))
        })
    }
}

impl Middleware for Slow {
    fn handle<'a>(&'a self, request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        Box::pin(async move {
            self.wait().await;
            // From here on, bytes may be sent.
            self.0.store(true, Ordering::SeqCst);
            let answer = next.run(request).await;
            // It is polled between the answer and the end, however fast the server is.
            self.wait().await;
            answer
        })
    }
}

/// Dropped at each await point: a submission that was not sent leaves its label free, and one that may have been sent
/// is never forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn a_submission_that_is_dropped_before_it_is_sent_leaves_its_label_free() {
    let (world, folder) = (World::new(&["A"]), tempfile::tempdir().unwrap());
    let server = Server::start(move |request| world.reply(request)).await;
    let mut ends = [0, 0];
    for sqlite in [false, true] {
        let mut store: Option<SqliteStore> = None;
        for polls in 0.. {
            let slow = Slow::default();
            let client = Client::builder(&server.url).credential(slow.clone()).middleware(slow.clone());
            let operations = client.build().unwrap().operations().with_binding(&THING);
            let operations = match sqlite {
                true => {
                    let path = folder.path().join("dropped");
                    operations.with_store(store.get_or_insert_with(|| SqliteStore::open(path).unwrap()).clone())
                }
                false => operations,
            };
            let (label, before) = (format!("{polls}"), posts(&server));
            let platform = operations.client().clone();
            let request = platform.request(Method::Post, "/rooms/r/things").json(&json!({ "size": 1 }));
            let mut submission = Box::pin(request.submit(&operations, "thing", Some(&label)));
            let mut ended = false;
            for _ in 0..polls {
                ended = std::future::poll_fn(|context| {
                    std::task::Poll::Ready(submission.as_mut().poll(context).is_ready())
                })
                .await;
                if ended {
                    break;
                }
                // Long enough for the threads of the store and of the server, most of the time.
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
            drop(submission);
            let sent = slow.0.load(Ordering::SeqCst);
            ends[usize::from(sent)] += 1;
            if sent {
                let entry = operations.labelled(&label).await.unwrap();
                assert!(entry.is_some(), "{polls}: what may have arrived is forgotten");
            } else {
                let free = async {
                    while operations.labelled(&label).await.unwrap().is_some() {
                        tokio::task::yield_now().await;
                    }
                };
                tokio::time::timeout(WATCHDOG, free).await.expect("what was not sent keeps its label");
                assert_eq!(posts(&server), before);
            }
            if ended {
                break;
            }
        }
    }
    assert!(ends[0] > 10 && ends[1] > 2, "{ends:?} points are too few to learn from");
}

/// The state of a label in the model.
#[derive(Clone, Debug)]
struct Known {
    contents: usize,
    /// The identifier, if the acceptance arrived.
    accepted: Option<String>,
}

/// A service that recognises repetitions, and loses or refuses requests as the test sets.
#[derive(Default)]
struct Service {
    /// The body of each key.
    begun: HashMap<String, Vec<u8>>,
    fate: usize,
    sent: usize,
}

const FATES: [&str; 4] = ["accepted", "the answer is lost", "the request is lost", "refused"];

/// Random sequences of submissions, lost responses and restarts, against a model of one line per label: a label
/// identifies its first contents until it is free again, no key is ever sent with two bodies, and an operation that is
/// returned was begun with the requested contents.
#[tokio::test]
async fn labels_do_as_the_model_does() {
    let service = Arc::new(Mutex::new(Service::default()));
    let shared = Arc::clone(&service);
    let server = Server::start(move |request| {
        let mut service = shared.lock().unwrap();
        service.sent += 1;
        let key = request.header("idempotency-key").unwrap().to_owned();
        let fate = FATES[service.fate];
        if !matches!(fate, "the request is lost" | "refused") {
            let body = service.begun.entry(key.clone()).or_insert_with(|| request.body.clone());
            assert_eq!(*body, request.body, "two bodies under one key");
        }
        match fate {
            "accepted" => Reply::json(202, &json!({ "result": { "id": key } }).to_string()),
            "refused" => Reply::new(422, &[], ""),
            _ => Reply::close(),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let start = || operations(&server.url).with_store(SqliteStore::open(folder.path().join("store")).unwrap());
    let (mut operations, mut model) = (start(), BTreeMap::<String, Known>::new());
    let bodies = [json!({ "version": 17 }), json!({ "version": 18 }), json!({})];
    let (mut number, mut ends): (u64, BTreeMap<String, u32>) = (23, BTreeMap::new());
    for _ in 0..600 {
        // A deterministic generator, after Knuth.
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = usize::try_from(number >> 40).unwrap();
        let (label, contents, way) = (format!("label {}", choice % 5), (choice >> 4) % 3, (choice >> 8) % 3);
        if (choice >> 12).is_multiple_of(8) {
            drop(operations);
            operations = start();
        }
        let fate = FATES[(choice >> 16) % FATES.len()];
        let before = {
            let mut service = service.lock().unwrap();
            service.fate = (choice >> 16) % FATES.len();
            service.sent
        };
        let platform = operations.client().clone();
        let request = platform.request(Method::Post, "/rooms/r/things").json(&bodies[contents]);
        let outcome = match way {
            0 => request.submit(&operations, "thing", Some(&label)).await,
            1 => request.resubmit(&operations, "thing", &label).await,
            _ => request.submit_or_resume(&operations, "thing", &label).await,
        };
        let known = model.get(&label).cloned();
        // The expectation of the model: the name of the result, and whether a request is sent.
        let (end, sent) = match (way, &known) {
            (0, Some(_)) | (1, None) => ("store", 0),
            (1 | 2, Some(known)) if known.contents != contents => ("label-mismatch", 0),
            (1, Some(Known { accepted: Some(_), .. })) => ("store", 0),
            (2, Some(Known { accepted: Some(_), .. })) => ("accepted", 0),
            (_, known) => match (fate, known.is_some()) {
                ("accepted", _) => ("accepted", 1),
                ("refused", false) => ("status", 1),
                _ => ("submission-unknown", 1),
            },
        };
        let story = format!("{label} {contents} {way} {fate}: {known:?} {outcome:?}");
        assert_eq!(outcome.as_ref().map_or_else(Error::code, |_| "accepted"), end, "{story}");
        assert_eq!(service.lock().unwrap().sent - before, sent, "{story}");
        if let Ok(operation) = &outcome {
            let body: serde_json::Value =
                serde_json::from_slice(&service.lock().unwrap().begun[operation.reference().id()]).unwrap();
            assert_eq!(body, bodies[contents], "{story}");
            assert!(known.as_ref().and_then(|known| known.accepted.as_deref()).is_none_or(|id| id == id_of(operation)));
        }
        match (end, outcome) {
            ("accepted", Ok(operation)) => {
                model.insert(label, Known { contents, accepted: Some(id_of(&operation).to_owned()) });
            }
            ("submission-unknown", _) => {
                model.insert(label, Known { contents, accepted: None });
            }
            _ => {}
        }
        // Labels become free again, to reach more states.
        if (choice >> 20).is_multiple_of(6)
            && let Some(label) = model.keys().next().cloned()
        {
            let entry = operations.labelled(&label).await.unwrap().unwrap();
            assert!(operations.forget(&entry).await.unwrap());
            model.remove(&label);
        }
        *ends.entry(format!("{way} {end}")).or_default() += 1;
    }
    assert!(ends.len() >= 11 && ends.values().all(|times| *times > 1), "{ends:?}");
}

fn id_of(operation: &Operation) -> &str {
    operation.reference().id()
}

//! A worker over PostgreSQL and a fake service.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use http::StatusCode;
use tokio::{sync::oneshot, task::JoinHandle};

use super::{
    PostgresStore,
    tests::{Server, control},
};
use crate::{
    Bytes, Error, Method,
    operations::{Operations, Owner, Store as _, WatchOptions, WorkerEvent, store_tests::THING},
    testing::Fake,
};

/// A limit that only a hang reaches.
const WATCHDOG: Duration = Duration::from_secs(300);

type Lines = Arc<Mutex<Vec<String>>>;

/// A worker that runs, its events, and the labels that it has handled.
struct Running {
    operations: Operations,
    /// The service's operations have ended.
    done: Arc<AtomicBool>,
    events: Lines,
    handled: Lines,
    fake: Fake,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Error>>,
}

impl Running {
    fn start(store: &PostgresStore, lease: Duration) -> Self {
        let (fake, done) = (Fake::new(), Arc::new(AtomicBool::new(false)));
        let (ended, mut count) = (Arc::clone(&done), 0);
        fake.script(move |call| {
            if call.path == "/graphql" {
                let state = if ended.load(Ordering::SeqCst) { "DONE" } else { "A" };
                return Ok((StatusCode::OK, format!(r#"{{"data":{{"thing":{{"state":"{state}"}}}}}}"#).into()));
            }
            count += 1;
            Ok((StatusCode::ACCEPTED, Bytes::from(format!(r#"{{"id":"{count}"}}"#))))
        });
        let soon = Duration::from_millis(20);
        let client = fake.builder().graphql(crate::graphql::GraphqlOptions::new()).build().unwrap();
        let options = WatchOptions::new().interval(soon).settle(soon).safety(soon);
        let operations = client.operations().with_binding(&THING).with_options(options).with_store(store.clone());
        let (events, handled) = (Lines::default(), Lines::default());
        let (stop, stopped) = oneshot::channel::<()>();
        let (events_sender, keep) = (Arc::clone(&events), Arc::clone(&handled));
        let worker = operations.worker().lease(lease).poll(soon).retry(soon, soon).grace(WATCHDOG);
        let worker = worker.on_event(move |event| {
            let text = match event {
                WorkerEvent::StoreFailed { error } => format!("StoreFailed {error}"),
                WorkerEvent::WatchFailed { error, correlation, .. } => format!("WatchFailed {correlation} {error}"),
                event => format!("{event:?}"),
            };
            events_sender.lock().unwrap().push(text);
        });
        let task = tokio::spawn(worker.handle(
            move |ended| {
                keep.lock().unwrap().push(ended.intent().label().unwrap_or_default().to_owned());
                std::future::ready(Ok::<(), String>(()))
            },
            async move { drop(stopped.await) },
        ));
        Self { operations, done, events, handled, fake, stop, task }
    }

    async fn submit(&self, label: &str) -> Result<(), Error> {
        let request = self.operations.client().request(Method::Post, "/things");
        request.submit(&self.operations, "thing", Some(label)).await.map(drop)
    }

    /// Returns the number of events that begin like this.
    fn count(&self, event: &str) -> usize {
        self.events.lock().unwrap().iter().filter(|events| events.starts_with(event)).count()
    }

    async fn until(&self, expected: &str, mut reached: impl FnMut() -> bool) {
        let reached = async {
            while !reached() {
                crate::clock::sleep(Duration::from_millis(10)).await;
            }
        };
        let over = crate::clock::limit(WATCHDOG, reached).await;
        assert!(over.is_ok(), "{expected} does not come: {:?}", self.events.lock().unwrap());
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        crate::clock::limit(WATCHDOG, self.task).await.expect("it stops").unwrap().unwrap();
    }
}

/// The database is away for longer than the lease, and than the time limit of a step.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_goes_on_when_the_database_comes_back_after_a_minute() {
    let Some(server) = Server::alone().await else { return };
    let store = server.store("away").await;
    let running = Running::start(&store, Duration::from_secs(3));
    for label in ["one", "two"] {
        running.submit(label).await.unwrap();
    }
    running.until("a claim", || running.count("Claimed") > 0).await;
    control("stop").await;
    running.until("the failure", || running.count("StoreFailed") > 0 && running.count("LeaseLost") > 0).await;
    let sent = running.fake.calls().iter().filter(|call| call.path == "/things").count();
    let error = running.submit("three").await.expect_err("nothing is sent that cannot be kept");
    assert!(error.is_store() && error.is_retryable(), "{error:?}");
    assert_eq!(running.fake.calls().iter().filter(|call| call.path == "/things").count(), sent);
    running.done.store(true, Ordering::SeqCst);
    assert!(running.handled.lock().unwrap().is_empty(), "nothing is handled after the lease");
    control("start").await;
    running.until("the way back", || running.count("StoreWorks") > 0).await;
    running.submit("three").await.expect("the label is free: nothing was kept of it");
    running.until("the ends", || running.count("Handled {") == 3).await;
    let mut handled = running.handled.lock().unwrap().clone();
    handled.sort();
    assert_eq!(handled, ["one", "three", "two"]);
    let failures = running.count("StoreFailed");
    assert!(failures <= 3, "a failure is told once until it is over: {failures}");
    let events = Arc::clone(&running.events);
    running.stop().await;
    // An instance whose response was lost is known to no program and has no leases; its time will be over.
    let owners = store.overview("here").await.unwrap().owners;
    let events = events.lock().unwrap();
    let is_known = |owner: &Owner| events.contains(&format!("Enlisted {{ instance: {:?} }}", owner.instance));
    assert!(
        owners.iter().all(|owner| owner.leases == 0 && !is_known(owner)),
        "it has not left: {owners:?}, {events:?}"
    );
}

/// One of many operations has an unreadable row: the others end, and it does once the row is repaired.
#[tokio::test(flavor = "multi_thread")]
async fn one_bad_row_holds_up_nobody_but_itself() {
    let Some(server) = Server::shared().await else { return };
    let store = server.store("bad").await;
    let running = Running::start(&store, Duration::from_secs(60));
    for label in ["one", "bad", "two", "three"] {
        running.submit(label).await.unwrap();
    }
    running.until("the claims", || running.count("Claimed") > 0).await;
    // It is leased by now, or will be: with the next claim the row is read again.
    let damage = "UPDATE @.submission SET intent = '{' || intent, owner = NULL WHERE label = 'bad'";
    server.run("bad", damage).await;
    running.until("the failure", || running.count("WatchFailed") > 1).await;
    running.done.store(true, Ordering::SeqCst);
    running.until("the ends", || running.count("Handled {") == 3).await;
    let failing = running.operations.overview().await.unwrap().failing;
    assert_eq!(failing.len(), 1, "{failing:?}");
    assert!(
        failing[0].label.as_deref() == Some("bad") && failing[0].failure.contains("restore the row"),
        "{failing:?}"
    );
    let events =
        running.events.lock().unwrap().iter().find(|events| events.starts_with("WatchFailed")).cloned().unwrap();
    assert!(events.contains("row ") && events.contains("its intent is damaged"), "{events}");
    server.run("bad", "UPDATE @.submission SET intent = substr(intent, 2) WHERE label = 'bad'").await;
    running.until("the last end", || running.count("Handled {") == 4).await;
    running.stop().await;
    assert_eq!(store.overview("here").await.unwrap().failing.len(), 0);
}

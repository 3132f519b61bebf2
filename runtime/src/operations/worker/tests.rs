//! A worker over a store in memory and a fake service.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http::StatusCode;
use tokio::sync::{Notify, oneshot};

use super::{
    Ended, Settings, Worker, WorkerEvent, attend::Attendance, handler::Handler, instance_lease::InstanceLease,
    shared::Shared, task_plan::TaskPlan,
};
use crate::{
    Bytes, Error, Method,
    operations::{
        Binding, Instance, Lease, MemoryStore, Observation, Operations, Standing, Store, StoreFuture, Unfinished,
        WatchOptions,
        store_tests::{THING, forward},
    },
    testing::Fake,
};

/// A limit that only a hang reaches.
const WATCHDOG: Duration = Duration::from_secs(120);

static OTHER: Binding = Binding { kind: "other", ..THING };

/// A service that completes operations on command, and its operations with a store that both share.
struct World {
    operations: Operations,
    store: Arc<MemoryStore>,
    fake: Fake,
    done: Arc<AtomicBool>,
}

/// Shares the store with the test.
struct Same(Arc<MemoryStore>);

forward!(Same);

impl World {
    fn new() -> Self {
        let (fake, done) = (Fake::new(), Arc::new(AtomicBool::new(true)));
        let (ended, count) = (Arc::clone(&done), AtomicU32::new(0));
        fake.script(move |call| {
            if call.path == "/graphql" {
                let state = if ended.load(Ordering::SeqCst) { "DONE" } else { "A" };
                return Ok((StatusCode::OK, format!(r#"{{"data":{{"thing":{{"state":"{state}"}}}}}}"#).into()));
            }
            let id = count.fetch_add(1, Ordering::SeqCst);
            Ok((StatusCode::ACCEPTED, Bytes::from(format!(r#"{{"id":"{id}"}}"#))))
        });
        let soon = Duration::from_millis(20);
        let store = Arc::new(MemoryStore::new());
        let client = fake.builder().graphql(crate::graphql::GraphqlOptions::new()).build().unwrap();
        let operations = client
            .operations()
            .with_binding(&THING)
            .with_binding(&OTHER)
            .with_options(WatchOptions::new().interval(soon).settle(soon).safety(soon))
            .with_store(Same(Arc::clone(&store)));
        Self { operations, store, fake, done }
    }

    async fn submit(&self, kind: &str, labels: &[&str]) {
        let client = self.operations.client().clone();
        for label in labels {
            client.request(Method::Post, "/things").submit(&self.operations, kind, Some(label)).await.unwrap();
        }
    }

    fn worker(&self) -> Worker {
        let soon = Duration::from_millis(20);
        self.operations.worker().lease(Duration::from_secs(60)).poll(soon).retry(soon, soon).grace(WATCHDOG)
    }

    async fn count(&self, standing: Standing) -> u64 {
        self.operations.overview().await.unwrap().count(standing)
    }

    async fn until(&self, standing: Standing, count: u64) {
        let reached = async {
            while self.count(standing).await != count {
                crate::clock::sleep(Duration::from_millis(5)).await;
            }
        };
        crate::clock::limit(WATCHDOG, reached).await.expect("it comes to that");
    }
}

/// A worker that runs, and the means to stop it.
struct Running {
    stop: oneshot::Sender<()>,
    task: tokio::task::JoinHandle<Result<(), Error>>,
}

impl Running {
    async fn stop(self) {
        self.stop.send(()).unwrap();
        crate::clock::limit(WATCHDOG, self.task).await.expect("it stops").unwrap().unwrap();
    }
}

fn start<F>(worker: Worker, handler: impl Fn(Ended) -> F + Send + Sync + 'static) -> Running
where
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(worker.handle(handler, async move { drop(stopped.await) }));
    Running { stop, task }
}

#[tokio::test]
async fn each_end_is_handled_and_a_handler_that_fails_or_panics_is_called_again() {
    let world = World::new();
    let calls: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
    let failures = Arc::new(Mutex::new(Vec::new()));
    let (seen, events) = (Arc::clone(&calls), Arc::clone(&failures));
    let worker = world.worker().on_event(move |event| {
        if let WorkerEvent::HandlerFailed { failure, failures, .. } = event {
            events.lock().unwrap().push((failure.clone(), *failures));
        }
    });
    let running = start(worker, move |ended| {
        let label = ended.intent().label().unwrap_or_default().to_owned();
        assert!(ended.outcome().is_success());
        let times = {
            let mut calls = seen.lock().unwrap();
            let times = calls.entry(label.clone()).or_default();
            *times += 1;
            *times
        };
        async move {
            assert_eq!(ended.failures(), times - 1);
            assert!(!(label == "panics" && times == 1), "as the test wants");
            if label == "fails" && times <= 2 { Err("it \u{1b}[31m broke".to_owned()) } else { Ok(()) }
        }
    });
    world.submit("thing", &["good", "fails", "panics"]).await;
    world.until(Standing::Finished, 3).await;
    running.stop().await;
    let expected = [("fails", 3), ("good", 1), ("panics", 2)].map(|(label, times)| (label.to_owned(), times));
    assert_eq!(*calls.lock().unwrap(), BTreeMap::from(expected));
    let failures = std::mem::take(&mut *failures.lock().unwrap());
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(failures.iter().all(|(failure, _)| !failure.contains('\u{1b}')), "{failures:?}");
    assert!(world.operations.overview().await.unwrap().owners.is_empty(), "it has left");
}

/// Handlers run to their end when the worker stops; operations that are only watched are returned.
#[tokio::test]
async fn a_worker_that_stops_ends_its_handlers_and_gives_the_rest_back() {
    let world = World::new();
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (enter, wait) = (Arc::clone(&entered), Arc::clone(&go_on));
    let running = start(world.worker(), move |_| {
        let (enter, wait) = (Arc::clone(&enter), Arc::clone(&wait));
        async move {
            enter.notify_one();
            wait.notified().await;
            Ok(())
        }
    });
    world.submit("thing", &["handled"]).await;
    entered.notified().await;
    world.done.store(false, Ordering::SeqCst);
    world.submit("thing", &["watched"]).await;
    world.until(Standing::Held, 2).await;
    let stopping = tokio::spawn(running.stop());
    crate::clock::sleep(Duration::from_millis(50)).await;
    assert!(!stopping.is_finished(), "it waits for its handler");
    go_on.notify_one();
    stopping.await.unwrap();
    assert_eq!((world.count(Standing::Finished).await, world.count(Standing::Waiting).await), (1, 1));
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_lets_go_learns_so_and_comes_back() {
    let world = World::new();
    world.done.store(false, Ordering::SeqCst);
    world.submit("thing", &["one", "two"]).await;
    let events = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&events);
    let worker = world.worker().lease(Duration::from_secs(5)).on_event(move |event| {
        recorder.lock().unwrap().push(format!("{event:?}"));
    });
    let handled = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&handled);
    let running = start(worker, move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    });
    world.until(Standing::Held, 2).await;
    // It was paused beyond its lease: the store has given its operations to another instance.
    let first = world.operations.overview().await.unwrap().owners[0].instance;
    world.store.leave(first).await.unwrap();
    let other = world.store.enlist("another", Duration::MAX).await.unwrap();
    let taken = world
        .store
        .claim(other, &[super::super::Wanted::new(world.operations.deployment(), "thing", 9)])
        .await
        .unwrap();
    assert_eq!(taken.len(), 2);
    world.done.store(true, Ordering::SeqCst);
    let lost = async {
        while !events.lock().unwrap().iter().any(|event| event.starts_with("LeaseLost")) {
            crate::clock::sleep(Duration::from_millis(5)).await;
        }
    };
    crate::clock::limit(WATCHDOG, lost).await.expect("it learns so");
    assert_eq!(handled.load(Ordering::SeqCst), 0, "nothing is handled after the fence: {events:?}");
    assert_eq!(world.count(Standing::Held).await, 2);
    // The other one leaves: the first is there again, as another instance.
    world.store.leave(other).await.unwrap();
    world.until(Standing::Finished, 2).await;
    assert_eq!(handled.load(Ordering::SeqCst), 2);
    running.stop().await;
}

/// A program that stalled knows by its own clock that its leases are over, before the store tells it.
#[tokio::test]
async fn nothing_is_handled_when_the_time_of_the_lease_is_over() {
    let lease = Duration::from_secs(60);
    for (asked, expected) in [(Instant::now(), 1), (Instant::now() - lease, 0)] {
        let (world, handled) = (World::new(), Arc::new(AtomicU32::new(0)));
        world.submit("thing", &["one"]).await;
        // The store uses a clock of its own, and lets it go on.
        let instance = world.store.enlist("a test", Duration::MAX).await.unwrap();
        let wanted = [super::super::Wanted::new(world.operations.deployment(), "thing", 1)];
        let claimed = world.store.claim(instance, &wanted).await.unwrap().remove(0);
        let count = Arc::clone(&handled);
        let handler = Handler::Plain(Box::new(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Ok(()) })
        }));
        let attendance = Attendance {
            shared: Shared::new(Settings::default(), None, handler),
            operations: world.operations.clone(),
            instance_lease: InstanceLease::new(instance, asked, lease),
            lease: claimed.lease().clone(),
            kind: "thing".to_owned(),
            plan: TaskPlan::new(Settings::default().task(Duration::ZERO), 0, Duration::ZERO, Instant::now()),
            progress: Arc::new(super::progress::TaskProgress::new()),
        };
        attendance.run(claimed).await;
        assert_eq!(handled.load(Ordering::SeqCst), expected);
        assert_eq!(world.count(Standing::Finished).await, u64::from(expected));
    }
}

/// Keeps no observation.
struct Unwritable(Arc<MemoryStore>);

impl Store for Unwritable {
    forward! { @submissions self self.0 }
    forward! { @instances self self.0 }
    forward! { @leases self self.0 }

    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool> {
        self.0.forget(correlation, revision)
    }

    fn observe<'a>(&'a self, _: &'a str, _: &'a Observation, _: Option<&'a Lease>) -> StoreFuture<'a, ()> {
        Box::pin(async { Err(Error::store("the disk is full")) })
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        self.0.finish(correlation, outcome, lease)
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished> {
        self.0.unfinished(deployment)
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_waits_for_its_store_stops_at_once() {
    let mut world = World::new();
    world.operations = world.operations.clone().with_store(Unwritable(Arc::clone(&world.store)));
    world.submit("thing", &["one"]).await;
    let running = start(world.worker().poll(WATCHDOG), |_| async { Ok(()) });
    // By now, the pauses are as long as the lease.
    crate::clock::sleep(Duration::from_secs(300)).await;
    assert_eq!(world.count(Standing::Held).await, 1);
    let stopping = crate::clock::now();
    running.stop().await;
    assert!(crate::clock::now() - stopping < Duration::from_secs(1), "{:?}", crate::clock::now() - stopping);
}

/// Registers this many instances, for ever, does not answer to a further one, and does not renew the first.
struct Forgetful {
    store: Arc<MemoryStore>,
    places: AtomicU32,
    renews: AtomicBool,
}

impl Store for Forgetful {
    forward! { @submissions self self.store }
    forward! { @entries self self.store }
    forward! { @leases self self.store }

    fn enlist<'a>(&'a self, name: &'a str, _: Duration) -> StoreFuture<'a, Instance> {
        match self.places.load(Ordering::SeqCst) {
            0 => Box::pin(std::future::pending()),
            places => {
                self.places.store(places - 1, Ordering::SeqCst);
                self.store.enlist(name, Duration::MAX)
            }
        }
    }

    fn renew(&self, _: Instance, _: Duration) -> StoreFuture<'_, bool> {
        Box::pin(std::future::ready(Ok(self.renews.swap(true, Ordering::SeqCst))))
    }
}

/// A worker that loses its operations, whether it can come back or not: none of them stays with an instance that is
/// gone.
#[tokio::test]
async fn what_an_instance_held_that_lost_its_leases_is_given_back() {
    for places in [1, 2] {
        let world = World::new();
        world.done.store(false, Ordering::SeqCst);
        world.submit("thing", &["one"]).await;
        let (lost, learnt) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let counted = Arc::new(AtomicUsize::new(usize::MAX));
        let let_go = Arc::clone(&counted);
        let (report, say) = (Arc::clone(&lost), Arc::clone(&learnt));
        let claims = AtomicU32::new(0);
        let store = Forgetful {
            store: Arc::clone(&world.store),
            places: AtomicU32::new(places),
            renews: AtomicBool::new(false),
        };
        let operations = world.operations.clone().with_store(store);
        let worker = operations.worker().lease(Duration::from_millis(300)).on_event(move |event| match event {
            WorkerEvent::LeaseLost { operations, .. } => {
                let_go.store(*operations, Ordering::SeqCst);
                report.notify_one();
            }
            WorkerEvent::Claimed { .. } if claims.fetch_add(1, Ordering::SeqCst) == 1 => say.notify_one(),
            _ => {}
        });
        let running = start(worker, |_| async { Ok(()) });
        crate::clock::limit(WATCHDOG, lost.notified()).await.expect("it learns so");
        assert_eq!(counted.load(Ordering::SeqCst), 1, "it held one");
        if places == 2 {
            crate::clock::limit(WATCHDOG, learnt.notified()).await.expect("it takes again what it has lost");
            let owners = world.operations.overview().await.unwrap().owners;
            assert!(owners.len() == 1 && owners[0].leases == 1, "{owners:?}");
        }
        running.stop().await;
        let overview = world.operations.overview().await.unwrap();
        assert!(overview.count(Standing::Waiting) == 1 && overview.owners.is_empty(), "{places}: {overview:?}");
    }
}

/// Waits until this many operations have been queried, and the worker, which shares a thread with this, knows their
/// ends.
async fn all_ended(fake: &Fake, count: usize) {
    while fake.calls().iter().filter(|call| call.path == "/graphql").count() < count {
        crate::clock::sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

/// A flood of one kind leaves the handlers of another one their turns.
#[tokio::test]
async fn kinds_take_turns_for_handlers() {
    let world = World::new();
    let labels: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    world.submit("thing", &labels).await;
    world.submit("other", &["x", "y", "z"]).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let (kept, seen) = (Arc::clone(&order), world.fake.clone());
    let running = start(world.worker().handling(1).watching(40), move |ended| {
        let (kept, seen, kind) = (Arc::clone(&kept), seen.clone(), ended.intent().kind().to_owned());
        async move {
            if kept.lock().unwrap().is_empty() {
                all_ended(&seen, 33).await;
            }
            kept.lock().unwrap().push(kind);
            Ok(())
        }
    });
    world.until(Standing::Finished, 33).await;
    running.stop().await;
    let order = order.lock().unwrap();
    let last = order.iter().rposition(|kind| kind == "other").unwrap();
    assert!(last < 12, "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_finished_long_ago_is_forgotten_and_options_that_cannot_work_are_errors() {
    let world = World::new();
    let running = start(world.worker().retention(Duration::ZERO), |_| async { Ok(()) });
    world.submit("thing", &["one"]).await;
    let gone = async {
        while world.operations.labelled("one").await.unwrap().is_some() {
            crate::clock::sleep(Duration::from_millis(5)).await;
        }
    };
    crate::clock::limit(WATCHDOG, gone).await.expect("it is forgotten");
    running.stop().await;
    let nothing = async |_: Ended| -> Result<(), String> { Ok(()) };
    let now = || std::future::ready(());
    let wrong = [
        world.worker().lease(Duration::ZERO),
        world.worker().watching(0),
        world.worker().handling(0),
        world.worker().kinds(["nobody knows"]),
    ];
    for worker in wrong {
        assert_eq!(worker.handle(nothing, now()).await.unwrap_err().code(), "configuration");
    }
    // Times that never end are valid.
    let worker = world.worker().lease(Duration::MAX).poll(Duration::MAX).grace(Duration::MAX).retention(Duration::MAX);
    worker.retry(Duration::MAX, Duration::MAX).handle(nothing, now()).await.unwrap();
    #[cfg(feature = "postgres")]
    {
        let error = world.worker().handle_in(|_, _| Box::pin(async { Ok(()) }), now()).await.unwrap_err();
        assert_eq!(error.code(), "configuration");
    }
}

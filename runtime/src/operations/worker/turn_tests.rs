//! Whole workers over a store in memory and a fake service, on a clock that advances when nothing else is left to do:
//! operations that never end, handlers that hang, pauses, restarts, and steps of the store that take time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use http::StatusCode;
use tokio::task::JoinHandle;

use super::{Discarded, Ended, Worker, WorkerEvent};
use crate::{
    Bytes, Error, Method, clock,
    operations::{
        Binding, Instance, MemoryStore, Operations, Standing, Status, Store, StoreFuture, WatchOptions,
        store_tests::{THING, forward},
    },
    testing::Fake,
};

static OTHER: Binding = Binding { kind: "other", ..THING };

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The end of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Never,
    /// This long after its submission.
    After(Duration),
    /// It reaches a state that the binding does not know, and stays there.
    Unknown,
    /// The service does not return it.
    Hidden,
}

/// The behaviour of its handler, call by call.
#[derive(Clone, Copy, Debug)]
enum Handling {
    Works,
    /// It hangs this often before it works.
    Hangs(u32),
    Fails(u32),
}

#[derive(Clone, Copy, Debug)]
struct Story {
    kind: &'static str,
    submitted: Duration,
    end: End,
    handling: Handling,
}

const fn story(end: End, handling: Handling) -> Story {
    Story { kind: "thing", submitted: Duration::ZERO, end, handling }
}

/// The knowledge about an operation: its label is its number.
#[derive(Clone, Debug, Default)]
struct Past {
    calls: u32,
    handled: Vec<Duration>,
    discarded: Vec<Discarded>,
    first_look: Option<Duration>,
}

struct World {
    begun: Instant,
    stories: Vec<Story>,
    operations: Operations,
    past: Arc<Mutex<Vec<Past>>>,
    events: Arc<Mutex<Vec<String>>>,
}

/// Shares the store.
struct Same(Arc<dyn Store>);

forward!(Same);

impl World {
    fn new(stories: &[Story]) -> Self {
        Self::with_store(stories, Arc::new(MemoryStore::new()))
    }

    fn with_store(stories: &[Story], store: Arc<dyn Store>) -> Self {
        let (fake, begun) = (Fake::new(), clock::now());
        let past = Arc::new(Mutex::new(vec![Past::default(); stories.len()]));
        let (ends, seen) = (stories.to_vec(), Arc::clone(&past));
        fake.script(move |call| {
            let now = clock::now() - begun;
            if call.path != "/graphql" {
                let name: serde_json::Value = serde_json::from_slice(&call.body).unwrap();
                return Ok((StatusCode::ACCEPTED, Bytes::from(format!(r#"{{"id":{name}}}"#))));
            }
            let asked: serde_json::Value = serde_json::from_slice(&call.body).unwrap();
            let number: usize = asked["variables"]["id"].as_str().unwrap().parse().unwrap();
            seen.lock().unwrap()[number].first_look.get_or_insert(now);
            let story = ends[number];
            let thing = match story.end {
                End::After(time) if story.submitted + time <= now => r#"{"state":"DONE"}"#,
                End::Never | End::After(_) => r#"{"state":"A"}"#,
                End::Unknown => r#"{"state":"NOBODY KNOWS"}"#,
                End::Hidden => "null",
            };
            Ok((StatusCode::OK, format!(r#"{{"data":{{"thing":{thing}}}}}"#).into()))
        });
        let client = fake.builder().graphql(crate::graphql::GraphqlOptions::new()).build().unwrap();
        let options = WatchOptions::new().interval(seconds(2)).safety(seconds(10));
        let operations = client
            .operations()
            .with_binding(&THING)
            .with_binding(&OTHER)
            .with_options(options.visibility(seconds(20)).unknown(seconds(20)))
            .with_store(Same(store));
        Self { begun, stories: stories.to_vec(), operations, past, events: Arc::default() }
    }

    /// Submits the operations at their times.
    fn submit(&self) -> JoinHandle<()> {
        let (operations, begun) = (self.operations.clone(), self.begun);
        let mut stories: Vec<(usize, Story)> = self.stories.iter().copied().enumerate().collect();
        stories.sort_by_key(|(_, story)| story.submitted);
        tokio::spawn(async move {
            for (number, story) in stories {
                clock::Until::from(begun, story.submitted).sleep().await;
                let request = operations.client().request(Method::Post, "/things").json(&number.to_string());
                request.submit(&operations, story.kind, Some(&number.to_string())).await.unwrap();
            }
        })
    }

    fn worker(&self) -> Worker {
        let (past, events, begun) = (Arc::clone(&self.past), Arc::clone(&self.events), self.begun);
        let worker = self.operations.worker().turn(seconds(30)).retry(seconds(1), seconds(30));
        let numbers: Mutex<BTreeMap<String, usize>> = Mutex::default();
        let operations = self.operations.clone();
        worker.on_event(move |event| {
            events.lock().unwrap().push(format!("{:?} {event:?}", clock::now() - begun));
            let (WorkerEvent::Handled { correlation, .. } | WorkerEvent::Discarded { correlation, .. }) = event else {
                return;
            };
            let mut numbers = numbers.lock().unwrap();
            let number = *numbers.entry(correlation.clone()).or_insert_with(|| {
                // A store in memory answers at once.
                let entry = futures_util::FutureExt::now_or_never(operations.store().entry(correlation));
                entry.unwrap().unwrap().unwrap().intent().label().unwrap().parse().unwrap()
            });
            let past = &mut past.lock().unwrap()[number];
            match event {
                WorkerEvent::Discarded { cause, .. } => past.discarded.push(*cause),
                _ => past.handled.push(clock::now() - begun),
            }
        })
    }

    /// Runs until it is aborted.
    fn run(&self, worker: Worker) -> JoinHandle<Result<(), Error>> {
        let (past, stories) = (Arc::clone(&self.past), self.stories.clone());
        let handler = move |ended: Ended| {
            let number: usize = ended.intent().label().unwrap().parse().unwrap();
            let calls = {
                let past = &mut past.lock().unwrap()[number];
                past.calls += 1;
                past.calls
            };
            let handling = stories[number].handling;
            async move {
                match handling {
                    Handling::Hangs(times) if calls <= times => std::future::pending().await,
                    Handling::Fails(times) if calls <= times => Err("as the test wants"),
                    _ => Ok(()),
                }
            }
        };
        tokio::spawn(worker.handle(handler, std::future::pending()))
    }

    async fn count(&self, standing: Standing) -> usize {
        usize::try_from(self.operations.overview().await.unwrap().count(standing)).unwrap()
    }

    /// Waits until this many have the standing; returns the time since the begin.
    async fn until(&self, standing: Standing, count: usize) -> Duration {
        let reached = async {
            while self.count(standing).await != count {
                clock::sleep(Duration::from_millis(500)).await;
            }
        };
        let reached = clock::limit(seconds(1_000_000), reached).await;
        reached.unwrap_or_else(|_| panic!("{standing:?} {count} does not come: {:#?}", self.events.lock().unwrap()));
        clock::now() - self.begun
    }

    async fn correlation(&self, number: usize) -> String {
        let entry = self.operations.labelled(&number.to_string()).await.unwrap().unwrap();
        entry.intent().correlation().to_owned()
    }

    fn past(&self, number: usize) -> Past {
        self.past.lock().unwrap()[number].clone()
    }
}

/// Both slots have operations that never end, and a third one has ended: it has its turn, and they go on.
#[tokio::test(start_paused = true)]
async fn operations_that_never_end_keep_no_other_from_its_turn() {
    let third = Story { submitted: seconds(5), ..story(End::After(Duration::ZERO), Handling::Works) };
    let world = World::new(&[story(End::Never, Handling::Works), story(End::Never, Handling::Works), third]);
    world.submit();
    let worker = world.run(world.worker().watching(2));
    let took = world.until(Standing::Finished, 1).await;
    assert!((seconds(30)..seconds(60)).contains(&took), "after one turn, and a round or two of polling: {took:?}");
    assert_eq!(world.past(2).handled.len(), 1);
    world.until(Standing::Held, 2).await;
    // No operation waits any more: they keep their slots.
    let yields = || world.events.lock().unwrap().iter().filter(|event| event.contains("Yielded")).count();
    let before = yields();
    clock::sleep(seconds(3600)).await;
    assert_eq!((yields(), world.count(Standing::Held).await), (before, 2));
    worker.abort();
}

/// A handler that hangs is dropped and called again, keeps its slot no longer than it may, and is given up at last;
/// then it is retried by hand.
#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_called_again_and_given_up_at_last() {
    let ended = End::After(Duration::ZERO);
    let world = World::new(&[story(ended, Handling::Hangs(3)), story(ended, Handling::Works)]);
    world.submit();
    let worker = world.worker().handling(1).watching(1).handler_timeout(seconds(60)).max_attempts(3);
    let worker = world.run(worker);
    world.until(Standing::Finished, 1).await;
    assert!(world.past(1).handled[0] < seconds(100), "it waits for one handler: {:?}", world.past(1));
    world.until(Standing::Discarded, 1).await;
    let past = world.past(0);
    assert_eq!((past.calls, past.discarded), (3, vec![Discarded::MaxAttempts]));
    let overview = world.operations.overview().await.unwrap();
    assert_eq!((overview.discarded.len(), overview.failing.len()), (1, 0), "{overview:?}");
    let discarded = &overview.discarded[0];
    assert_eq!((discarded.failures, &*discarded.failure), (3, "the handler did not return within 60 s"));
    assert!(world.operations.retry(&discarded.correlation).await.unwrap());
    world.until(Standing::Finished, 2).await;
    assert_eq!((world.past(0).calls, world.past(0).handled.len()), (4, 1));
    worker.abort();
}

/// An operation that has not ended in its time is given up; one that has ended meanwhile is not, however late it is
/// queried.
#[tokio::test(start_paused = true)]
async fn what_does_not_end_in_its_time_is_given_up() {
    let stories = [
        story(End::Never, Handling::Works),
        story(End::After(seconds(400)), Handling::Works),
        story(End::Hidden, Handling::Works),
        story(End::Unknown, Handling::Works),
    ];
    let world = World::new(&stories);
    world.submit().await.unwrap();
    let short = || world.worker().operation_timeout(seconds(300)).max_attempts(9);
    // No instance queries until the time of all of them is over.
    clock::sleep(seconds(1000)).await;
    let worker = world.run(short());
    world.until(Standing::Finished, 1).await;
    assert_eq!(world.past(1).handled.len(), 1);
    world.until(Standing::Discarded, 3).await;
    for number in [0, 2, 3] {
        let causes = world.past(number).discarded;
        assert_eq!(causes, [Discarded::OperationTimeout], "{number}: {:#?}", world.events.lock().unwrap());
    }
    // By hand it has its whole time again.
    let correlation = world.correlation(0).await;
    assert!(world.operations.retry(&correlation).await.unwrap());
    let again = clock::now();
    world.until(Standing::Discarded, 2).await;
    world.until(Standing::Discarded, 3).await;
    assert!(clock::now() - again >= seconds(299), "{:?}", clock::now() - again);
    // An operator gives it up by hand, whichever instance has its lease.
    assert!(world.operations.retry(&correlation).await.unwrap());
    world.until(Standing::Held, 1).await;
    assert!(world.operations.discard(&correlation, "it is \u{1b}[31m gone").await.unwrap());
    let overview = world.operations.overview().await.unwrap();
    assert!(!overview.discarded[0].failure.contains('\u{1b}'), "{overview:?}");
    clock::sleep(seconds(3600)).await;
    assert_eq!(world.count(Standing::Discarded).await, 3);
    assert_eq!(world.operations.labelled("0").await.unwrap().unwrap().status(), Status::Discarded);
    worker.abort();
}

/// A kind that is paused is neither watched nor handled; the other one goes on.
#[tokio::test(start_paused = true)]
async fn a_kind_that_is_paused_is_neither_watched_nor_handled() {
    let late = story(End::After(seconds(60)), Handling::Works);
    let hangs = story(End::After(seconds(1)), Handling::Hangs(1));
    let world = World::new(&[late, Story { kind: "other", ..late }, hangs, late]);
    world.submit().await.unwrap();
    let worker = world.run(world.worker().handling(1).handler_timeout(seconds(600)));
    clock::sleep(seconds(20)).await;
    assert_eq!((world.count(Standing::Held).await, world.past(2).calls), (4, 1));
    world.operations.pause("thing").await.unwrap();
    assert_eq!(world.operations.overview().await.unwrap().paused, ["thing"]);
    clock::sleep(seconds(10)).await;
    // One handler runs.
    assert_eq!((world.count(Standing::Held).await, world.count(Standing::Waiting).await), (2, 2));
    clock::sleep(seconds(3600)).await;
    assert_eq!((world.past(1).handled.len(), world.past(2).calls), (1, 1));
    assert_eq!(world.count(Standing::Finished).await, 1);
    world.operations.unpause("thing").await.unwrap();
    world.until(Standing::Finished, 4).await;
    assert!((0..4).all(|number| world.past(number).handled.len() == 1));
    let error = world.operations.pause("nobody knows").await.unwrap_err();
    assert!(error.to_string().contains("nobody knows"), "{error}");
    worker.abort();
}

/// A store each step of which takes so long.
struct Slow(MemoryStore, Duration);

impl Store for Slow {
    forward! { @submissions self self.0 }
    forward! { @entries self self.0 }

    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance> {
        Box::pin(async move {
            let instance = self.0.enlist(name, lease).await;
            clock::sleep(self.1).await;
            instance
        })
    }

    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            clock::sleep(self.1).await;
            self.0.renew(instance, lease).await
        })
    }

    forward! { @leases self self.0 }
}

/// Leases that are too short for the machine become longer until they hold, are reported, and stay below their limit.
#[tokio::test(start_paused = true)]
async fn leases_that_are_too_short_become_longer() {
    for (delay, limit, holds) in [(2, 60, true), (9, 60, true), (9, 3, false)] {
        let store = Arc::new(Slow(MemoryStore::new(), seconds(delay)));
        let stories: Vec<Story> = (0..27).map(|_| story(End::After(seconds(200)), Handling::Works)).collect();
        let world = World::with_store(&stories, store);
        world.submit().await.unwrap();
        let worker = world.worker().lease(Duration::from_millis(1500)).max_lease(seconds(limit));
        let worker = world.run(worker);
        clock::sleep(seconds(400)).await;
        let events = world.events.lock().unwrap().clone();
        let losses = events.iter().filter(|event| event.contains("LeaseLost")).count();
        let longest = events.iter().filter(|event| event.contains("LeaseChanged")).count();
        assert_eq!((losses < 6, world.count(Standing::Finished).await == 27), (holds, holds), "{delay} {events:#?}");
        assert!(longest > 0, "{events:#?}");
        let lease = world.operations.overview().await.unwrap().owners.iter().filter_map(|owner| owner.lease).max();
        assert!(lease.is_none_or(|lease| lease <= seconds(limit)), "{lease:?}");
        worker.abort();
    }
}

struct Dice(u64);

impl Dice {
    /// A number below this, after Knuth.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn random_story(dice: &mut Dice) -> Story {
    let end = match dice.roll(8) {
        0 | 1 => End::Never,
        2 => End::Unknown,
        3 => End::Hidden,
        _ => End::After(seconds(dice.roll(300))),
    };
    let handling = match dice.roll(6) {
        0 => Handling::Hangs([1, 2, u32::MAX][usize::try_from(dice.roll(3)).unwrap()]),
        1 => Handling::Fails([1, 3, u32::MAX][usize::try_from(dice.roll(3)).unwrap()]),
        _ => Handling::Works,
    };
    let kind = if dice.roll(2) == 0 { "thing" } else { "other" };
    Story { kind, submitted: seconds(dice.roll(300)), end, handling }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_handled_twice_lost_or_starved_whatever_never_ends() {
    live([1, 9]).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "takes longer: .ci/run --all runs it"]
async fn nothing_is_handled_twice_lost_or_starved_in_many_worlds() {
    let worlds = std::env::var("DRIFTLESS_WORLDS").map_or(25, |count| count.parse().unwrap());
    live(0..worlds).await;
}

/// Whatever operations and handlers do, with pauses and restarts meanwhile: each operation is handled once or given up,
/// and queried within the time that `Worker::turn` states.
async fn live(seeds: impl IntoIterator<Item = u64>) {
    const ATTEMPTS: u32 = 5;
    for seed in seeds {
        let mut dice = Dice(seed);
        let stories: Vec<Story> = (0..8 + dice.roll(24)).map(|_| random_story(&mut dice)).collect();
        let (places, handling) = (1 + dice.roll(4), 1 + dice.roll(3));
        let (instances, turn) = (1 + dice.roll(3), seconds(1 + dice.roll(60)));
        let (handler, patience, lease) = (seconds(10 + dice.roll(60)), seconds(20), seconds(30));
        let world = World::new(&stories);
        let worker = || {
            let sized = world.worker().watching(places.try_into().unwrap()).handling(handling.try_into().unwrap());
            let limited = sized.handler_timeout(handler).max_attempts(ATTEMPTS).operation_timeout(seconds(3000));
            world.run(limited.turn(turn).lease(lease))
        };
        world.submit();
        let mut workers: Vec<_> = (0..instances).map(|_| worker()).collect();
        // While another event happens, time is lost that is in no bound.
        let mut lost = Duration::ZERO;
        for _ in 0..dice.roll(6) {
            clock::sleep(seconds(dice.roll(200))).await;
            let begun = clock::now();
            match dice.roll(2) {
                0 => {
                    let index = usize::try_from(dice.roll(instances)).unwrap();
                    workers[index].abort();
                    clock::sleep(seconds(dice.roll(60))).await;
                    workers[index] = worker();
                    lost += lease + seconds(10);
                }
                _ => {
                    let kind = ["thing", "other"][usize::try_from(dice.roll(2)).unwrap()];
                    world.operations.pause(kind).await.unwrap();
                    clock::sleep(seconds(dice.roll(300))).await;
                    world.operations.unpause(kind).await.unwrap();
                }
            }
            lost += clock::now() - begun;
        }
        let context = || format!("seed {seed}: {stories:#?} {:#?}", world.events.lock().unwrap());
        let ends = async {
            while world.count(Standing::Finished).await + world.count(Standing::Discarded).await < stories.len() {
                clock::sleep(seconds(5)).await;
            }
        };
        assert!(clock::limit(seconds(100_000), ends).await.is_ok(), "an operation is neither: {}", context());
        let count = u64::try_from(stories.len()).unwrap();
        // An operation is kept for a turn, or until its handler has had its own.
        let span = turn + patience + seconds(15) + handler * u32::try_from(places.div_ceil(handling)).unwrap();
        let bound = span * u32::try_from(count.div_ceil(places) + 1).unwrap() + lost;
        for (number, story) in stories.iter().enumerate() {
            let past = world.past(number);
            let context = || format!("{number} {story:?} {past:?}, bound {bound:?}, {}", context());
            let looked = past.first_look.unwrap_or_else(|| panic!("nobody looks at {}", context()));
            assert!(looked <= story.submitted + bound, "late: {}", context());
            let failures = match story.handling {
                Handling::Works => 0,
                Handling::Hangs(times) | Handling::Fails(times) => times,
            };
            let expected = match story.end {
                End::Never => (0, vec![Discarded::OperationTimeout]),
                End::Hidden => (0, past.discarded.iter().take(1).copied().collect()),
                _ if failures >= ATTEMPTS => (0, vec![Discarded::MaxAttempts]),
                _ => (1, Vec::new()),
            };
            // A worker that is aborted may have called a handler without counting it.
            assert_eq!((past.handled.len(), past.discarded.clone()), expected, "{}", context());
            if let (End::After(time), Handling::Works) = (story.end, story.handling) {
                assert!(past.handled[0] <= story.submitted + time + bound * 2, "handled late: {}", context());
            }
        }
        workers.iter().for_each(JoinHandle::abort);
    }
}

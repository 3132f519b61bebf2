//! Figures, for `docs/fleet.md`: what the store does in a second, and how long a take-over takes.
//!
//! `runtime/tests/postgres.sh cargo test --release -p platform-runtime --all-features postgres::scale -- --ignored --nocapture`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a program that prints figures")]

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::{
    PostgresStore,
    tests::{Server, Shared},
};
use crate::{
    clock,
    operations::{
        Binding, Instance, Lease, Operations, States, Store, Wanted, WatchOptions, WorkerEvent,
        row::write,
        store_tests::{intent, reference, seen, things},
    },
    testing::Fake,
};

/// How long each figure is measured.
const SPAN: Duration = Duration::from_secs(3);

static THING: Binding = Binding {
    kind: "thing",
    path: "/things",
    query: "query ($id: ID!) { thing(id: $id) { state } }",
    state: "/thing/state",
    states: States { pending: &["A"], succeeded: &["DONE"], failed: &[], cancelled: &[] },
    ..Binding::NONE
};

/// Accepted operations, many at once.
async fn fill(store: &PostgresStore, from: usize, to: usize) {
    let sql = "INSERT INTO @.submission (correlation, deployment, kind, label, intent, reference)
               SELECT c, 'here', 'thing', c, i, r FROM unnest($1::text[], $2::text[], $3::text[]) AS x (c, i, r)";
    let mut number = from;
    while number < to {
        let names: Vec<String> = (number..to.min(number + 2000)).map(|number| format!("operation {number}")).collect();
        let intents: Vec<String> = names.iter().map(|name| write(&intent(name, Some(name))).unwrap()).collect();
        let references: Vec<String> = names.iter().map(|name| write(&reference(name)).unwrap()).collect();
        let mut connection = store.0.steps.get().await.unwrap();
        connection.execute("fill", sql, &[&names, &intents, &references]).await.unwrap();
        number += names.len();
    }
}

/// Runs one task for each worker, and says how many steps a second they did together.
async fn rate<F>(workers: usize, mut work: impl FnMut(usize) -> F) -> f64
where
    F: Future<Output = usize> + Send + 'static,
{
    let begun = Instant::now();
    let tasks: Vec<_> = (0..workers).map(|worker| tokio::spawn(work(worker))).collect();
    let mut done = 0;
    for task in tasks {
        done += task.await.unwrap();
    }
    done as f64 / begun.elapsed().as_secs_f64()
}

fn part(times: &mut [Duration], part: f64) -> f64 {
    times.sort_unstable();
    let index = ((times.len() - 1) as f64 * part).round() as usize;
    times[index].as_secs_f64() * 1000.0
}

async fn instance(store: &PostgresStore) -> Instance {
    store.enlist("a worker", Duration::from_secs(600)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes, and prints figures"]
async fn steps_a_second() {
    let Some(server) = Shared::shared().await else { return };
    println!(
        "open | workers | claims/s | heartbeats/s | observations/s | acceptance to claim ms p50, p99 | end to mark ms p50 | size MB"
    );
    for open in [1_000, 10_000, 100_000] {
        let name = format!("scale_{open}");
        let store = server.wide(&name).await;
        fill(&store, 0, open).await;
        server.run(&name, "ANALYZE @.submission").await;
        for workers in [1, 4, 16] {
            figures(&server, &name, &store, open, workers).await;
        }
    }
}

async fn figures(server: &Shared, name: &str, store: &PostgresStore, open: usize, workers: usize) {
    let mut instances = Vec::new();
    for _ in 0..workers {
        instances.push(instance(store).await);
    }
    let leases: Vec<Arc<Mutex<Vec<Lease>>>> = (0..workers).map(|_| Arc::default()).collect();
    let claims = rate(workers, |worker| {
        let (store, instance, leases) = (store.clone(), instances[worker], Arc::clone(&leases[worker]));
        async move {
            loop {
                let held = store.claim(instance, &things(100)).await.unwrap();
                if held.is_empty() {
                    return leases.lock().unwrap().len();
                }
                leases.lock().unwrap().extend(held.iter().map(|held| held.lease().clone()));
            }
        }
    })
    .await;
    let heartbeats = rate(workers, |worker| {
        let (store, instance) = (store.clone(), instances[worker]);
        async move {
            let (begun, mut count) = (Instant::now(), 0);
            while begun.elapsed() < SPAN {
                assert!(store.renew(instance, Duration::from_secs(600)).await.unwrap());
                count += 1;
            }
            count
        }
    })
    .await;
    let observations = rate(workers, |worker| {
        let (store, leases) = (store.clone(), leases[worker].lock().unwrap().clone());
        async move {
            let (begun, mut count) = (Instant::now(), 0);
            for (turn, lease) in leases.iter().cycle().enumerate() {
                if begun.elapsed() >= SPAN {
                    break;
                }
                let look = seen(turn as u64, ["A", "B", "C"][turn % 3], &["accepted"]);
                store.observe(lease.correlation(), &look, Some(lease)).await.unwrap();
                count += 1;
            }
            count
        }
    })
    .await;
    // One that waits is woken by an acceptance.
    let (mut waits, mut marks) = (Vec::new(), Vec::new());
    let sleeper = instance(store).await;
    let _first = clock::limit(Duration::from_secs(2), store.wake()).await;
    for turn in 0..100 {
        let label = format!("late {workers} {turn}");
        store.intend(&intent(&label, Some(&label))).await.unwrap();
        let wake = store.wake();
        let begun = Instant::now();
        store.accept(&reference(&label)).await.unwrap();
        wake.await;
        let lease = store.claim(sleeper, &[Wanted::new("here", "thing", 1)]).await.unwrap().remove(0).lease().clone();
        waits.push(begun.elapsed());
        let begun = Instant::now();
        assert!(store.finish(lease.correlation(), "succeeded", Some(&lease)).await.unwrap());
        marks.push(begun.elapsed());
    }
    let size = server.size(name).await / 1e6;
    println!(
        "{open} | {workers} | {claims:.0} | {heartbeats:.0} | {observations:.0} | {:.1}, {:.1} | {:.1} | {size:.0}",
        part(&mut waits, 0.5),
        part(&mut waits, 0.99),
        part(&mut marks, 0.5),
    );
    for instance in instances.into_iter().chain([sleeper]) {
        store.leave(instance).await.unwrap();
    }
}

/// A worker over a service on which nothing ends.
fn operations(store: &PostgresStore) -> Operations {
    let fake = Fake::new();
    fake.on(crate::testing::QUERIES).answer(&serde_json::json!({ "data": { "thing": { "state": "A" } } }).into());
    let client = fake.builder().graphql(crate::graphql::GraphqlOptions::new()).build().unwrap();
    let rarely = Duration::from_secs(600);
    let options = WatchOptions::new().settle(rarely).safety(rarely).interval(rarely);
    client.operations().with_binding(&THING).with_options(options).with_store(store.clone())
}

/// From the end of a worker's process to the claim of another one: its task is dropped, and nothing is said to anybody.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes, and prints figures"]
async fn take_over() {
    let Some(server) = Shared::shared().await else { return };
    println!("lease ms | poll ms | take-overs | ms min, p50, p90, max");
    for (lease, poll) in [(1000, 250), (3000, 250), (3000, 1000)] {
        let store = server.wide(&format!("take_{lease}_{poll}")).await;
        let place = operations(&store);
        let client = place.client().clone();
        let deployment = place.deployment();
        let mut one = intent("one", Some("one"));
        one.deployment.clone_from(&deployment);
        store.intend(&one).await.unwrap();
        store.accept(&crate::operations::OperationRef::of(&one, "1".to_owned()).unwrap()).await.unwrap();
        drop(client);
        let claimed: Arc<Mutex<Vec<(usize, Instant)>>> = Arc::default();
        let start = |number: usize| {
            let told = Arc::clone(&claimed);
            let worker = operations(&store).worker().name(format!("worker {number}"));
            let worker = worker.lease(Duration::from_millis(lease)).poll(Duration::from_millis(poll));
            let worker = worker.on_event(move |event| {
                if let WorkerEvent::Claimed { .. } = event {
                    told.lock().unwrap().push((number, Instant::now()));
                }
            });
            tokio::spawn(worker.handle(async |_| -> Result<(), String> { Ok(()) }, pending()))
        };
        let mut workers = vec![start(0), start(1)];
        let (mut times, mut seen) = (Vec::new(), 0);
        while times.len() < 25 {
            while claimed.lock().unwrap().len() <= seen {
                clock::sleep(Duration::from_millis(2)).await;
            }
            let (holder, _) = claimed.lock().unwrap()[seen];
            seen += 1;
            // Somewhere between two heartbeats.
            clock::sleep(Duration::from_millis(lease).mul_f64(0.2 + clock::random())).await;
            workers[holder].abort();
            let killed = Instant::now();
            while claimed.lock().unwrap().len() <= seen {
                clock::sleep(Duration::from_millis(2)).await;
            }
            times.push(claimed.lock().unwrap()[seen].1.duration_since(killed));
            workers.push(start(workers.len()));
        }
        let figures = [0.0, 0.5, 0.9, 1.0].map(|share| format!("{:.0}", part(&mut times, share)));
        println!("{lease} | {poll} | {} | {}", times.len(), figures.join(", "));
        workers.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Server<tokio::sync::RwLockReadGuard<'static, ()>> {
    /// A store with a connection for each of many workers.
    async fn wide(&self, name: &str) -> PostgresStore {
        self.builder(name).connections(16).migrate().open().await.unwrap()
    }

    /// What the tables of a store take on the disk, in bytes.
    async fn size(&self, name: &str) -> f64 {
        let sql = format!(
            "SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class WHERE relkind = 'r' AND relnamespace = '{}'::regnamespace",
            self.schema(name)
        );
        self.admin().await.query_one(&sql, &[]).await.unwrap().get(0)
    }
}

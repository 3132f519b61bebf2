//! Figures for `docs/fleet.md`: the steps per second of the store.
//!
//! `runtime/tests/postgres.sh cargo test -p driftless-runtime --all-features --lib postgres::scale -- --ignored --nocapture`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a program that prints figures")]

use std::{
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
        Instance, Intent, Lease, OperationRef, Store, Wanted,
        row::write,
        store_tests::{intent, reference, seen, things},
    },
};

/// The duration of each measurement.
const SPAN: Duration = Duration::from_secs(3);

/// Stores accepted operations, many at once.
pub(super) async fn fill(store: &PostgresStore, deployment: &str, from: usize, to: usize) {
    let sql = "INSERT INTO @.submission (correlation, deployment, kind, label, intent, reference)
               SELECT c, $4, 'thing', c, i, r FROM unnest($1::text[], $2::text[], $3::text[]) AS x (c, i, r)";
    let mut number = from;
    while number < to {
        let names: Vec<String> = (number..to.min(number + 2000)).map(|number| format!("operation {number}")).collect();
        let (mut intents, mut references) = (Vec::new(), Vec::new());
        for name in &names {
            let intent = Intent { deployment: deployment.to_owned(), ..intent(name, Some(name)) };
            intents.push(write(&intent).unwrap());
            references.push(write(&OperationRef::from_intent(&intent, format!("id of {name}")).unwrap()).unwrap());
        }
        let mut connection = store.0.steps.get().await.unwrap();
        connection.execute("fill", sql, &[&names, &intents, &references, &deployment]).await.unwrap();
        number += names.len();
    }
}

/// Runs one task for each worker, and returns their steps per second together.
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

pub(super) fn part(times: &mut [Duration], part: f64) -> f64 {
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
        fill(&store, "here", 0, open).await;
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
                let claimed = store.claim(instance, &things(100)).await.unwrap();
                if claimed.is_empty() {
                    return leases.lock().unwrap().len();
                }
                leases.lock().unwrap().extend(claimed.iter().map(|operation| operation.lease().clone()));
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
    // A waiting instance is woken by an acceptance.
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

impl Server<tokio::sync::RwLockReadGuard<'static, ()>> {
    /// A store with a connection for each of many workers.
    pub(super) async fn wide(&self, name: &str) -> PostgresStore {
        self.builder(name).connections(16).migrate().open().await.unwrap()
    }

    /// The size of a store's tables on disk, in bytes.
    async fn size(&self, name: &str) -> f64 {
        let sql = format!(
            "SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class WHERE relkind = 'r' AND relnamespace = '{}'::regnamespace",
            self.schema(name)
        );
        self.admin().await.query_one(&sql, &[]).await.unwrap().get(0)
    }
}

#![allow(clippy::expect_used, reason = "a test")]

use std::{collections::BTreeMap, fmt::Debug};

use rusqlite::types::Value;

use super::{Failure, SqliteStore};
use crate::operations::{
    Intent, MemoryStore, Observation, ObservationSource, OperationRef, OperationState, Store, store::SubmissionKey,
};

/// What the connection says of itself, through the thread that uses it.
async fn pragma(store: &SqliteStore, name: &'static str) -> Value {
    let read = store.0.read("read", move |connection| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, Value>(0)).map_err(Failure::from)
    });
    read.await.expect("a pragma")
}

#[tokio::test]
async fn a_commit_waits_for_the_disk_and_rows_go_with_their_submission() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(folder.path().join("store")).expect("a store");
    // 2 is FULL: with less, what was kept may be lost with the power.
    assert_eq!(pragma(&store, "synchronous").await, Value::Integer(2));
    assert_eq!(pragma(&store, "journal_mode").await, Value::Text("wal".to_owned()));
    assert_eq!(pragma(&store, "foreign_keys").await, Value::Integer(1));
}

fn intent(correlation: &str, label: Option<&str>) -> Intent {
    Intent {
        correlation: correlation.to_owned(),
        label: label.map(str::to_owned),
        kind: "thing".to_owned(),
        deployment: "here".to_owned(),
        at: 1,
        parameters: BTreeMap::new(),
        key: SubmissionKey::None,
    }
}

/// What came of a step, in a form that does not know the store.
fn said<T: Debug>(outcome: Result<T, crate::Error>) -> String {
    outcome.map_or_else(|error| format!("{}: {error}", error.code()), |value| format!("{value:?}"))
}

/// One step of the many that a store can be asked for, by number; and everything that it shows then.
async fn step(store: &dyn Store, number: u64, references: &[OperationRef]) -> String {
    let correlation = ["one", "two"][(number & 1) as usize];
    let small = number >> 1 & 3;
    let came = match number >> 3 & 7 {
        0 => said(store.intend(&intent(correlation, (small > 0).then_some("label"))).await),
        1 | 2 => said(store.begin(correlation).await),
        3 | 4 => said(store.withdraw(correlation, small).await),
        5 => said(store.accept(&references[(number & 3) as usize]).await),
        6 if small == 3 => said(store.finish(correlation, "succeeded").await),
        6 => said(store.forget(correlation, small).await),
        _ => {
            let seen = Observation::new(
                OperationState::Pending,
                Some(format!("{small}")),
                ObservationSource::Query,
                crate::Value::Null,
            );
            said(store.observe(correlation, &Observation { at: small, ..seen }).await)
        }
    };
    let (one, two) = (store.entry("one").await, store.entry("two").await);
    let rest = (store.labelled("here", "label").await, store.unfinished("here").await);
    format!("{came} {} {} {} {}", said(one), said(two), said(rest.0), said(rest.1))
}

/// The exhaustive tests of submitting run with the store in memory: the one on disk does the same, step by step.
#[tokio::test]
async fn both_stores_do_the_same() {
    let reference = |correlation, id: &str| OperationRef::of(&intent(correlation, None), id.to_owned());
    let references = [reference("one", "1"), reference("two", "2"), reference("one", "3"), reference("two", "2")]
        .map(|reference| reference.expect("a reference"));
    let mut number: u64 = 17;
    for round in 0..200 {
        let (memory, disk) = (MemoryStore::new(), SqliteStore::open(":memory:").expect("a store"));
        let mut story = String::new();
        for _ in 0..14 {
            // A fixed shuffle, after Knuth.
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = number >> 40;
            let expected = step(&memory, choice, &references).await;
            story = format!("{story}\n{choice} {expected}");
            assert_eq!(step(&disk, choice, &references).await, expected, "round {round}: {story}");
        }
    }
}

//! The store on disk: restarts, several programs, damaged files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod support;
#[path = "support/operations.rs"]
mod support_operations;

use std::time::Duration;

use platform_client::{
    Method,
    operations::{Binding, Operations, SqliteStore, Status},
};
use support::{Reply, Server};
use support_operations::{THING, World, operations, platform, submitted};

async fn accepting() -> Server {
    let world = World::new(&["A", "B", "DONE"]);
    Server::start(move |request| world.reply(request)).await
}

fn stored(server: &Server, folder: &tempfile::TempDir) -> Operations {
    operations(&server.url).with_store(SqliteStore::open(folder.path().join("store")).unwrap())
}

#[tokio::test]
async fn what_is_kept_is_there_after_a_restart() {
    let (server, folder) = (accepting().await, tempfile::tempdir().unwrap());
    let reference = submitted(&stored(&server, &folder), "polled-thing").await.reference().clone();
    let restarted = stored(&server, &folder);
    let entries = restarted.unfinished().await.unwrap().all().unwrap();
    assert_eq!((entries.len(), entries[0].reference()), (1, Some(&reference)));
    let operation = restarted.resume(&entries[0]).unwrap();
    let outcome = operation.wait(Duration::from_secs(20)).await.unwrap();
    assert!(outcome.is_success());
    // The last observation, without its data.
    let last = stored(&server, &folder).unfinished().await.unwrap().all().unwrap()[0].last().cloned().unwrap();
    assert_eq!(last.raw_state(), Some("DONE"));
    assert!(operation.finish(&outcome).await.unwrap());
    assert!(stored(&server, &folder).unfinished().await.unwrap().all().unwrap().is_empty());
}

#[tokio::test]
async fn a_program_that_ends_between_sending_and_storing_leaves_an_unknown_submission() {
    let (server, folder) = (Server::always(Reply::raw(&[]).and_hang()).await, tempfile::tempdir().unwrap());
    let before = stored(&server, &folder);
    let platform = before.platform().clone();
    let submit = platform.request(Method::Post, "/rooms/r/things").submit(&before, "thing", Some("one"));
    // The program ends here.
    assert!(tokio::time::timeout(Duration::from_millis(300), submit).await.is_err());
    let after = stored(&server, &folder);
    let entry = after.labelled("one").await.unwrap().unwrap();
    assert_eq!(entry.status(), Status::SubmissionUnknown);
    assert!(after.resume(&entry).unwrap_err().is_submission_unknown());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn two_programs_share_a_store() {
    let (server, folder) = (accepting().await, tempfile::tempdir().unwrap());
    let stores = [stored(&server, &folder), stored(&server, &folder)];
    let submit = |operations: &Operations, number: usize| {
        let (operations, label) = (operations.clone(), format!("{}", number / 2));
        tokio::spawn(async move {
            let platform = operations.platform().clone();
            platform.request(Method::Post, "/rooms/r/things").submit(&operations, "thing", Some(&label)).await
        })
    };
    let tasks: Vec<_> = (0..40).map(|number| submit(&stores[number % 2], number)).collect();
    let mut accepted = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => accepted += 1,
            Err(error) => assert!(error.is_store(), "{error:?}"),
        }
    }
    assert_eq!((accepted, server.requests().len()), (20, 20), "each label once, whoever submits it");
    let entries = stores[0].unfinished().await.unwrap().all().unwrap();
    let mut firsts = 0;
    for entry in &entries {
        let outcome = stores[0].resume(entry).unwrap().wait(Duration::ZERO).await.unwrap();
        for operations in &stores {
            firsts += u32::from(operations.resume(entry).unwrap().finish(&outcome).await.unwrap());
        }
    }
    assert_eq!(firsts, 20, "each end once, whoever takes it");
}

#[tokio::test]
async fn deployments_do_not_mix() {
    let (one, two, folder) = (accepting().await, accepting().await, tempfile::tempdir().unwrap());
    submitted(&stored(&one, &folder), "thing").await;
    assert!(stored(&two, &folder).unfinished().await.unwrap().all().unwrap().is_empty());
    assert_eq!(stored(&one, &folder).unfinished().await.unwrap().all().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_no_store_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    std::fs::write(&path, "a text that is long enough to be none of SQLite's files, whatever it holds").unwrap();
    assert!(SqliteStore::open(&path).unwrap_err().is_store());
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("a text"));
    assert!(SqliteStore::open(folder.path().join("no/folder")).unwrap_err().is_store());
    assert!(SqliteStore::open(folder.path()).unwrap_err().is_store());
}

#[tokio::test]
async fn a_header_that_is_configured_later_makes_no_repetition_of_what_was_sent_without_it() {
    static KEYED: Binding = Binding { kind: "polled-thing", ..THING };
    let (server, folder) = (Server::always(Reply::close()).await, tempfile::tempdir().unwrap());
    let before = stored(&server, &folder);
    let client = before.platform().clone();
    let request = || client.request(Method::Post, "/rooms/r/things");
    request().submit(&before, "polled-thing", Some("one")).await.unwrap_err();
    let store = SqliteStore::open(folder.path().join("store")).unwrap();
    let after = platform(&server.url).operations().with_binding(&KEYED).with_store(store);
    let error = request().resubmit(&after, "polled-thing", "one").await.unwrap_err();
    assert!(error.is_store() && error.to_string().contains("Idempotency-Key"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

/// What a client of the first version left behind.
fn first_version(path: &std::path::Path, deployment: &str) {
    let file = rusqlite::Connection::open(path).unwrap();
    file.execute_batch(
        "CREATE TABLE submission (correlation TEXT PRIMARY KEY, deployment TEXT NOT NULL, label TEXT, intent TEXT NOT NULL,
             reference TEXT, outcome TEXT, UNIQUE (deployment, label)) STRICT;
         CREATE TABLE observation (number INTEGER PRIMARY KEY,
             correlation TEXT NOT NULL REFERENCES submission ON DELETE CASCADE, observation TEXT NOT NULL) STRICT;
         CREATE INDEX observation_of ON observation (correlation, number);
         PRAGMA user_version = 1;",
    )
    .unwrap();
    let intent = serde_json::json!({
        "correlation": "old", "label": "one", "kind": "thing", "deployment": deployment, "at": 1_700_000_000_000_u64,
    });
    let sql = "INSERT INTO submission (correlation, deployment, label, intent) VALUES ('old', ?1, 'one', ?2)";
    file.execute(sql, [deployment, &intent.to_string()]).unwrap();
}

#[tokio::test]
async fn a_store_of_the_first_version_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    // What accepts first tells the fingerprint of the deployment.
    let replies = [202, 409, 202].map(|status| Reply::json(status, r#"{"result":{"id":17}}"#));
    let count = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |_| replies[count.fetch_add(1, std::sync::atomic::Ordering::SeqCst)].clone()).await;
    let deployment = submitted(&operations(&server.url), "thing").await.reference().deployment().to_owned();
    let path = folder.path().join("store");
    first_version(&path, &deployment);
    let operations = stored(&server, &folder);
    let entry = operations.labelled("one").await.unwrap().unwrap();
    assert_eq!((entry.status(), entry.intent().correlation()), (Status::SubmissionUnknown, "old"));
    // What an earlier version kept may have been sent, so that a refusal does not forget it.
    let platform = operations.platform().clone();
    let again = || platform.request(Method::Post, "/rooms/r/things").resubmit(&operations, "thing", "one");
    assert!(again().await.unwrap_err().is_submission_unknown());
    assert_eq!(again().await.unwrap().reference().correlation(), "old");
    let file = rusqlite::Connection::open(&path).unwrap();
    let version: i64 = file.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 2);
    file.execute_batch("PRAGMA user_version = 3").unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(error.is_store() && error.to_string().contains("version 3"), "{error}");
}

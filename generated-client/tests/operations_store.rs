//! The store on disk: restarts, several programs, damaged files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod support;
#[path = "support/operations.rs"]
mod support_operations;

use std::time::Duration;

use platform_client::{
    Method,
    operations::{Operations, SqliteStore, Status},
};
use support::{Reply, Server};
use support_operations::{World, operations, submitted};

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
    let entries = restarted.unfinished().await.unwrap();
    assert_eq!((entries.len(), entries[0].reference()), (1, Some(&reference)));
    let operation = restarted.resume(&entries[0]).unwrap();
    let outcome = operation.wait(Duration::from_secs(20)).await.unwrap();
    assert!(outcome.is_success());
    // The last observation, without its data.
    let last = stored(&server, &folder).unfinished().await.unwrap()[0].last().cloned().unwrap();
    assert_eq!(last.raw_state(), Some("DONE"));
    assert!(operation.finish(&outcome).await.unwrap());
    assert!(stored(&server, &folder).unfinished().await.unwrap().is_empty());
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
    let entries = stores[0].unfinished().await.unwrap();
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
    assert!(stored(&two, &folder).unfinished().await.unwrap().is_empty());
    assert_eq!(stored(&one, &folder).unfinished().await.unwrap().len(), 1);
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

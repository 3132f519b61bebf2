//! The store on disk: restarts, several programs, damaged files.

use std::time::Duration;

use crate::support::{Reply, Server, WATCHDOG};
use crate::support_operations::{THING, World, operations, platform, submitted};
use driftless_runtime::{
    Method,
    operations::{Binding, Entry, Operations, SqliteStore, Status},
};

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
    let outcome = operation.wait(WATCHDOG).await.unwrap();
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
    let platform = before.client().clone();
    let submit = platform.request(Method::Post, "/rooms/r/things").submit(&before, "thing", Some("one"));
    // The program ends here.
    tokio::select! {
        _ = submit => panic!("an answer"),
        () = async { while server.requests().is_empty() { tokio::task::yield_now().await; } } => {}
    }
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
            let platform = operations.client().clone();
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
    let client = before.client().clone();
    let request = || client.request(Method::Post, "/rooms/r/things");
    request().submit(&before, "polled-thing", Some("one")).await.unwrap_err();
    let store = SqliteStore::open(folder.path().join("store")).unwrap();
    let after = platform(&server.url).operations().with_binding(&KEYED).with_store(store);
    let error = request().resubmit(&after, "polled-thing", "one").await.unwrap_err();
    assert!(error.is_store() && error.to_string().contains("Idempotency-Key"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

/// The file of a client of the first version.
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
    // The first acceptance has the fingerprint of the deployment.
    let replies = [202, 202].map(|status| Reply::json(status, r#"{"result":{"id":17}}"#));
    let count = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |_| replies[count.fetch_add(1, std::sync::atomic::Ordering::SeqCst)].clone()).await;
    let deployment = submitted(&operations(&server.url), "thing").await.reference().deployment().to_owned();
    let path = folder.path().join("store");
    first_version(&path, &deployment);
    let operations = stored(&server, &folder);
    let entry = operations.labelled("one").await.unwrap().unwrap();
    assert_eq!((entry.status(), entry.intent().correlation()), (Status::SubmissionUnknown, "old"));
    // Nobody knows the body that was sent under its key, so that no other one goes out under it.
    let platform = operations.client().clone();
    let request = || platform.request(Method::Post, "/rooms/r/things").json(&"another body");
    for error in [
        request().resubmit(&operations, "thing", "one").await.unwrap_err(),
        request().submit_or_resume(&operations, "thing", "one").await.unwrap_err(),
    ] {
        assert!(error.is_store() && error.to_string().contains("adopt or forget"), "{error}");
    }
    assert_eq!(server.requests().len(), 1);
    assert!(operations.forget(&entry).await.unwrap());
    let operation = request().submit_or_resume(&operations, "thing", "one").await.unwrap();
    assert_ne!(operation.reference().correlation(), "old");
    let file = rusqlite::Connection::open(&path).unwrap();
    let version: i64 = file.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 4);
    file.execute_batch("PRAGMA user_version = 5").unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(error.is_store() && error.to_string().contains("version 5"), "{error}");
}

/// An earlier version stored all events again with each query.
#[tokio::test]
async fn events_that_were_kept_with_every_look_are_kept_once() {
    let (server, folder) = (accepting().await, tempfile::tempdir().unwrap());
    let path = folder.path().join("store");
    first_version(&path, "here");
    let look = |number: usize| {
        let events: Vec<String> =
            (0..number).map(|event| format!("\"a rather long name of an event, {event}\"")).collect();
        let state = number % 2;
        format!(
            r#"{{"at":{number},"state":"pending","raw":"{state}","source":"query","events":[{}],"gap":false}}"#,
            events.join(",")
        )
    };
    let size = || {
        let file = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT (SELECT coalesce(sum(length(observation)), 0) FROM observation)";
        file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    for number in 0..100 {
        let sql = format!("INSERT INTO observation (correlation, observation) VALUES ('old', '{}')", look(number));
        tamper(&path, &sql);
    }
    tamper(&path, "INSERT INTO observation (correlation, observation) VALUES ('old', '{ damaged')");
    tamper(
        &path,
        "DELETE FROM observation WHERE number = 101; UPDATE observation SET observation = '{' WHERE number = 1",
    );
    let before = size();
    drop(SqliteStore::open(&path).unwrap());
    assert!(size() * 10 < before, "{} of {before} bytes", size());
    // A program of the earlier version still has the file open, and continues to write as before.
    tamper(&path, &format!("INSERT INTO observation (correlation, observation) VALUES ('old', '{}')", look(101)));
    let store = SqliteStore::open(&path).unwrap();
    let entry = driftless_runtime::operations::Store::entry(&store, "old").await.unwrap().unwrap();
    let last = entry.last().unwrap();
    assert_eq!((last.events().len(), last.raw_state()), (101, Some("1")));
    drop(server);
}

/// Changes the file of a store directly.
fn tamper(path: &std::path::Path, sql: &str) {
    let file = rusqlite::Connection::open(path).unwrap();
    file.busy_timeout(WATCHDOG).unwrap();
    file.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    file.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_row_that_cannot_be_read_stops_only_itself() {
    let changes = [
        "reference = replace(reference, '\"id\":\"17\"', '\"id\":\"18\"')",
        "reference = replace(reference, '\"version\":1', '\"version\":2')",
        "reference = (SELECT reference FROM submission WHERE label = 'first')",
        "reference = '{'",
        "intent = 'no intent'",
        "intent = CAST(x'ff' AS TEXT)",
        "intent = (SELECT intent FROM submission WHERE label = 'first')",
        "intent = replace(intent, '\"kind\":\"thing\"', '\"kind\":\"polled-thing\"')",
        "correlation = 'another'",
    ];
    for change in changes {
        let (server, folder) = (accepting().await, tempfile::tempdir().unwrap());
        let operations = stored(&server, &folder);
        let platform = operations.client().clone();
        let request = || platform.request(Method::Post, "/rooms/r/things");
        for label in ["first", "bad", "last"] {
            request().submit(&operations, "thing", Some(label)).await.unwrap();
        }
        let path = folder.path().join("store");
        tamper(&path, &format!("UPDATE submission SET {change} WHERE label = 'bad'"));
        let unfinished = operations.unfinished().await.unwrap();
        let labels: Vec<_> = unfinished.entries.iter().filter_map(|entry| entry.intent().label()).collect();
        assert_eq!(labels, ["first", "last"], "{change}");
        let [problem] = unfinished.unreadable.as_slice() else { panic!("{change}: {unfinished:?}") };
        assert_eq!(problem.label(), Some("bad"), "{change}");
        assert!(problem.place().starts_with("row 2 of the table `submission`"), "{}", problem.place());
        assert!(problem.error().is_store() && problem.error().to_string().contains("row 2"), "{}", problem.error());
        assert!(unfinished.all().unwrap_err().is_store());
        // A query for this label alone has the same error, and nothing is submitted.
        let error = operations.labelled("bad").await.unwrap_err();
        assert!(error.is_store() && error.to_string().contains("`bad`"), "{change}: {error}");
        request().resubmit(&operations, "thing", "bad").await.unwrap_err();
        request().submit(&operations, "thing", Some("bad")).await.unwrap_err();
        assert_eq!(server.requests().len(), 3, "{change}");
    }
}

#[tokio::test]
async fn an_observation_that_cannot_be_read_takes_no_entry_away() {
    let (server, folder) = (accepting().await, tempfile::tempdir().unwrap());
    let operations = stored(&server, &folder);
    let operation = submitted(&operations, "thing").await;
    operation.poll().await.unwrap();
    tamper(&folder.path().join("store"), "UPDATE observation SET observation = '{\"state\":\"newer\"}'");
    let unfinished = operations.unfinished().await.unwrap();
    assert_eq!((unfinished.entries.len(), unfinished.unreadable.len()), (1, 1));
    assert!(unfinished.entries[0].last().is_none());
    assert!(unfinished.unreadable[0].place().contains("`observation`"), "{:?}", unfinished.unreadable);
    operations.resume(&unfinished.entries[0]).unwrap();
}

/// For other stores, which do not check references.
#[tokio::test]
async fn an_entry_with_the_reference_of_another_one_is_not_resumed() {
    let server = accepting().await;
    let operations = operations(&server.url);
    let (one, other) = (submitted(&operations, "thing").await, submitted(&operations, "polled-thing").await);
    let entries = operations.unfinished().await.unwrap().all().unwrap();
    let mixed = Entry::new(entries[0].intent().clone(), 1, Some(other.reference().clone()), None, None);
    assert!(operations.resume(&mixed).unwrap_err().is_reference());
    let right = Entry::new(entries[0].intent().clone(), 1, Some(one.reference().clone()), None, None);
    operations.resume(&right).unwrap();
}

#[test]
fn a_file_that_another_program_holds_keeps_no_thread_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (server, folder) = (accepting().await, tempfile::tempdir().unwrap());
        let operations = stored(&server, &folder);
        let holder = rusqlite::Connection::open(folder.path().join("store")).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let calls: Vec<_> = (0..700)
            .map(|number| {
                let (operations, label) = (operations.clone(), format!("{number}"));
                tokio::spawn(async move {
                    let platform = operations.client().clone();
                    let request = platform.request(Method::Post, "/rooms/r/things");
                    request.deadline(Duration::from_millis(300)).submit(&operations, "thing", Some(&label)).await
                })
            })
            .collect();
        // Other work of the program has its own threads.
        let other = tokio::time::timeout(WATCHDOG, tokio::task::spawn_blocking(|| 1)).await;
        assert_eq!(other.expect("the threads are taken").unwrap(), 1);
        for call in calls {
            let ended = tokio::time::timeout(WATCHDOG, call).await.expect("it does not end").unwrap();
            let error = ended.unwrap_err();
            assert!(error.is_store() && !error.is_submission_unknown(), "{error:?}");
        }
        holder.execute_batch("COMMIT").unwrap();
        // A step whose caller was dropped is not done: no label is taken by a submission that was never sent.
        let left = tokio::time::timeout(WATCHDOG, operations.unfinished()).await.expect("it hangs");
        assert_eq!(left.unwrap().all().unwrap(), []);
        assert!(server.requests().is_empty());
        submitted(&operations, "thing").await;
    });
}

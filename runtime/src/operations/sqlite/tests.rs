#![allow(clippy::expect_used, reason = "a test")]

use rusqlite::types::Value;

use super::{Failure, SqliteStore};

/// Reads a setting of the connection, through the thread that uses it.
async fn pragma(store: &SqliteStore, name: &'static str) -> Value {
    let read = store.work.read("read", move |connection| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, Value>(0)).map_err(Failure::from)
    });
    read.await.expect("a pragma")
}

#[tokio::test]
async fn a_commit_waits_for_the_disk_and_rows_go_with_their_submission() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(folder.path().join("store")).expect("a store");
    // 2 is FULL: with less, a power failure may lose data.
    assert_eq!(pragma(&store, "synchronous").await, Value::Integer(2));
    assert_eq!(pragma(&store, "journal_mode").await, Value::Text("wal".to_owned()));
    assert_eq!(pragma(&store, "foreign_keys").await, Value::Integer(1));
}

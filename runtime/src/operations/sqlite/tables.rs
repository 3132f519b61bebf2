//! The tables of a store, in their versions.

use rusqlite::{Connection, TransactionBehavior};

use super::worker::{PATIENCE, failed};
use crate::error::{Error, Kind};

/// What leads from each version to the next, in `user_version`. What is published here is never changed: files have it.
const STEPS: [&str; 2] = [
    "
    CREATE TABLE submission (
        correlation TEXT PRIMARY KEY,
        deployment TEXT NOT NULL,
        label TEXT,
        intent TEXT NOT NULL,
        reference TEXT,
        outcome TEXT,
        UNIQUE (deployment, label)
    ) STRICT;
    CREATE TABLE observation (
        number INTEGER PRIMARY KEY,
        correlation TEXT NOT NULL REFERENCES submission ON DELETE CASCADE,
        observation TEXT NOT NULL
    ) STRICT;
    CREATE INDEX observation_of ON observation (correlation, number);
    ",
    // Attempts that may have arrived. Of what an earlier version kept, nobody knows: it counts as sent. The trigger keeps the
    // first attempt with each intent, also with that of a program of the earlier version that has the file open.
    "
    ALTER TABLE submission ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
    CREATE TABLE attempt (
        correlation TEXT NOT NULL REFERENCES submission ON DELETE CASCADE,
        number INTEGER NOT NULL,
        PRIMARY KEY (correlation, number)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO attempt (correlation, number) SELECT correlation, 1 FROM submission;
    CREATE TRIGGER submission_is_attempted AFTER INSERT ON submission
    BEGIN
        INSERT INTO attempt (correlation, number) VALUES (NEW.correlation, 1);
    END;
    ",
];

/// Makes the file of a connection a store of this version.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Error> {
    let step = |cause| failed("prepare", &cause);
    connection.busy_timeout(PATIENCE).map_err(step)?;
    // The file is another one's while this fails.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(step)?;
    // Each commit waits until the disk has it: without, an acceptance may be lost with the power.
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;").map_err(step)?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(step)?;
    let version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(step)?;
    let Some(missing) = usize::try_from(version).ok().and_then(|version| STEPS.get(version..)) else {
        let what = format!("the store has version {version}; this client knows {}", STEPS.len());
        return Err(Error::of(Kind::Store, what).hint("update the client, or use another file"));
    };
    if !missing.is_empty() {
        missing.iter().try_for_each(|sql| change.execute_batch(sql)).map_err(step)?;
        change.execute_batch(&format!("PRAGMA user_version = {}", STEPS.len())).map_err(step)?;
        change.commit().map_err(step)?;
    }
    Ok(())
}

//! The tables of a store, in their versions.

use rusqlite::{Connection, TransactionBehavior};

use super::worker::{PATIENCE, failed};
use crate::error::{Error, Kind};

/// The migrations from each version to the next, in `user_version`. Published ones are never changed: files have them.
const STEPS: [&str; 4] = [
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
    // Attempts that may have arrived. Rows of an earlier version count as sent, since nothing is known about them. The
    // trigger stores the first attempt with each intent, including those of a program of the earlier version that has
    // the file open.
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
    // Leases, and events once each: an observation no longer has events of its own. Rows that a program of an earlier
    // version writes meanwhile are read as well, and the trigger records their finishing time.
    "
    ALTER TABLE submission ADD COLUMN kind TEXT
        GENERATED ALWAYS AS (CASE WHEN json_valid(intent) THEN json_extract(intent, '$.kind') END) VIRTUAL;
    ALTER TABLE submission ADD COLUMN owner INTEGER;
    ALTER TABLE submission ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE submission ADD COLUMN finisher INTEGER;
    ALTER TABLE submission ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE submission ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE submission ADD COLUMN failure TEXT;
    ALTER TABLE submission ADD COLUMN finished INTEGER;
    UPDATE submission SET finished = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE outcome IS NOT NULL;
    CREATE TRIGGER submission_is_finished AFTER UPDATE OF outcome ON submission
        WHEN NEW.outcome IS NOT NULL AND NEW.finished IS NULL
    BEGIN
        UPDATE submission SET finished = CAST(unixepoch('subsec') * 1000 AS INTEGER), owner = NULL
            WHERE correlation = NEW.correlation;
    END;
    CREATE INDEX submission_due ON submission (deployment, kind, due)
        WHERE reference IS NOT NULL AND outcome IS NULL AND owner IS NULL;
    CREATE INDEX submission_of_owner ON submission (owner) WHERE owner IS NOT NULL;
    CREATE INDEX submission_finished ON submission (deployment, finished) WHERE finished IS NOT NULL;
    CREATE TABLE instance (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        until INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE event (
        correlation TEXT NOT NULL REFERENCES submission ON DELETE CASCADE,
        name TEXT NOT NULL,
        PRIMARY KEY (correlation, name)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO event (correlation, name)
        SELECT o.correlation, e.value
        FROM observation o,
            json_each(CASE WHEN json_valid(o.observation) THEN o.observation ELSE '{}' END, '$.events') e
        WHERE e.type = 'text';
    UPDATE observation SET observation = json_set(observation, '$.events', json('[]'))
        WHERE json_valid(observation)
            AND json_type(CASE WHEN json_valid(observation) THEN observation ELSE '{}' END, '$.events') = 'array';
    ",
    // Discarded operations, the time of acceptance, the length of leases, and paused kinds. A discarded operation looks
    // finished to a program of an earlier version. It has no finishing time, so that no such program forgets it; the
    // trigger leaves it so. The other trigger records the time of an acceptance, and queues it behind the operations
    // that were put back before.
    "
    ALTER TABLE submission ADD COLUMN since INTEGER;
    ALTER TABLE submission ADD COLUMN discarded INTEGER;
    ALTER TABLE instance ADD COLUMN lease INTEGER;
    UPDATE submission SET since = CAST(unixepoch('subsec') * 1000 AS INTEGER)
        WHERE reference IS NOT NULL AND outcome IS NULL;
    CREATE TRIGGER submission_is_accepted AFTER UPDATE OF reference ON submission
        WHEN NEW.reference IS NOT NULL AND NEW.since IS NULL
    BEGIN
        UPDATE submission SET since = CAST(unixepoch('subsec') * 1000 AS INTEGER),
            due = CAST(unixepoch('subsec') * 1000 AS INTEGER)
            WHERE correlation = NEW.correlation;
    END;
    DROP TRIGGER submission_is_finished;
    CREATE TRIGGER submission_is_finished AFTER UPDATE OF outcome ON submission
        WHEN NEW.outcome IS NOT NULL AND NEW.outcome <> 'discarded' AND NEW.finished IS NULL
    BEGIN
        UPDATE submission SET finished = CAST(unixepoch('subsec') * 1000 AS INTEGER), owner = NULL
            WHERE correlation = NEW.correlation;
    END;
    CREATE INDEX submission_discarded ON submission (deployment, discarded) WHERE discarded IS NOT NULL;
    CREATE TABLE pause (
        deployment TEXT NOT NULL,
        kind TEXT NOT NULL,
        PRIMARY KEY (deployment, kind)
    ) STRICT, WITHOUT ROWID;
    ",
];

/// Turns the file of a connection into a store of this version.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Error> {
    let step = |cause| failed("prepare", &cause);
    connection.busy_timeout(PATIENCE).map_err(step)?;
    // While this fails, the file belongs to another program.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(step)?;
    // Each commit waits until it is on disk: otherwise, a power failure may lose an acceptance.
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;").map_err(step)?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(step)?;
    let version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(step)?;
    let Some(missing) = usize::try_from(version).ok().and_then(|version| STEPS.get(version..)) else {
        let message = format!("the store has version {version}; this client knows {}", STEPS.len());
        return Err(Error::with(Kind::Store, message).hint("update the client, or use another file"));
    };
    if !missing.is_empty() {
        missing.iter().try_for_each(|sql| change.execute_batch(sql)).map_err(step)?;
        change.execute_batch(&format!("PRAGMA user_version = {}", STEPS.len())).map_err(step)?;
        change.commit().map_err(step)?;
    }
    Ok(())
}

//! The tables, in their versions.

use std::sync::OnceLock;

use super::connection::{Connection, Known};
use crate::error::{Error, Kind};

/// The migrations from each version to the next. Published ones are never changed: databases have them.
pub(super) const STEPS: [&str; 4] = [
    "
    CREATE TABLE @.submission (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        correlation text NOT NULL UNIQUE,
        deployment text NOT NULL,
        kind text NOT NULL,
        label text,
        intent text NOT NULL,
        reference text,
        outcome text,
        revision bigint NOT NULL DEFAULT 1,
        open bigint[] NOT NULL DEFAULT '{1}',
        created timestamptz NOT NULL DEFAULT clock_timestamp(),
        finished timestamptz,
        owner bigint,
        fence bigint NOT NULL DEFAULT 0,
        finisher bigint,
        due timestamptz NOT NULL DEFAULT clock_timestamp(),
        failures bigint NOT NULL DEFAULT 0,
        failure text,
        UNIQUE (deployment, label)
    );
    CREATE INDEX submission_due ON @.submission (deployment, kind, due)
        WHERE reference IS NOT NULL AND outcome IS NULL AND owner IS NULL;
    CREATE INDEX submission_of_owner ON @.submission (owner) WHERE owner IS NOT NULL;
    CREATE INDEX submission_unfinished ON @.submission (deployment, number) WHERE outcome IS NULL;
    CREATE INDEX submission_finished ON @.submission (deployment, finished) WHERE outcome IS NOT NULL;
    CREATE TABLE @.observation (
        number bigint GENERATED ALWAYS AS IDENTITY,
        submission bigint NOT NULL REFERENCES @.submission ON DELETE CASCADE,
        at bigint NOT NULL,
        body text NOT NULL,
        PRIMARY KEY (submission, number)
    );
    CREATE TABLE @.event (
        submission bigint NOT NULL REFERENCES @.submission ON DELETE CASCADE,
        name text NOT NULL,
        PRIMARY KEY (submission, name)
    );
    CREATE TABLE @.instance (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL,
        until timestamptz NOT NULL
    );
    ",
    // The views for operators.
    "
    CREATE VIEW @.overview AS
        SELECT deployment, kind, standing, outcome, count(*) AS count, min(created) AS oldest, max(failures) AS failures
        FROM (
            SELECT *, CASE
                WHEN outcome IS NOT NULL THEN 'finished'
                WHEN reference IS NULL THEN 'submission-unknown'
                WHEN owner IS NOT NULL THEN 'held'
                WHEN due <= clock_timestamp() THEN 'waiting'
                ELSE 'delayed' END AS standing
            FROM @.submission) s
        GROUP BY deployment, kind, standing, outcome;
    CREATE VIEW @.owner AS
        SELECT i.id, i.name, i.until > clock_timestamp() AS alive, i.until,
            (SELECT count(*) FROM @.submission s WHERE s.owner = i.id) AS held
        FROM @.instance i;
    CREATE VIEW @.failing AS
        SELECT deployment, kind, label, correlation, failures, failure, due, owner
        FROM @.submission WHERE failure IS NOT NULL AND outcome IS NULL;
    ",
    // Removing an instance by hand returns its operations.
    "
    LOCK TABLE @.instance, @.submission IN SHARE ROW EXCLUSIVE MODE;
    UPDATE @.submission s SET owner = NULL
        WHERE owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @.instance i WHERE i.id = s.owner);
    ALTER TABLE @.submission ADD CONSTRAINT submission_owner FOREIGN KEY (owner) REFERENCES @.instance ON DELETE SET NULL;
    ",
    // Discarded operations, the time of acceptance, the length of leases, and paused kinds. A discarded operation looks
    // finished to a program of an earlier version; it has no finishing time, so that no such program forgets it. Roles
    // that may write submissions may also write the new table.
    "
    ALTER TABLE @.submission ADD COLUMN since timestamptz, ADD COLUMN discarded timestamptz;
    ALTER TABLE @.instance ADD COLUMN lease interval;
    UPDATE @.submission SET since = clock_timestamp() WHERE reference IS NOT NULL AND outcome IS NULL;
    CREATE INDEX submission_discarded ON @.submission (deployment, discarded) WHERE discarded IS NOT NULL;
    CREATE TABLE @.pause (
        deployment text NOT NULL,
        kind text NOT NULL,
        since timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (deployment, kind)
    );
    CREATE OR REPLACE VIEW @.overview AS
        SELECT deployment, kind, standing, outcome, count(*) AS count, min(created) AS oldest, max(failures) AS failures
        FROM (
            SELECT *, CASE
                WHEN outcome = 'discarded' THEN 'discarded'
                WHEN outcome IS NOT NULL THEN 'finished'
                WHEN reference IS NULL THEN 'submission-unknown'
                WHEN owner IS NOT NULL THEN 'held'
                WHEN due <= clock_timestamp() THEN 'waiting'
                ELSE 'delayed' END AS standing
            FROM @.submission) s
        GROUP BY deployment, kind, standing, outcome;
    CREATE OR REPLACE VIEW @.owner AS
        SELECT i.id, i.name, i.until > clock_timestamp() AS alive, i.until,
            (SELECT count(*) FROM @.submission s WHERE s.owner = i.id) AS held, i.lease
        FROM @.instance i;
    CREATE VIEW @.discarded AS
        SELECT deployment, kind, label, correlation, failures, failure, discarded
        FROM @.submission WHERE discarded IS NOT NULL;
    DO $$
        DECLARE
            one record;
            name text;
        BEGIN
            FOREACH name IN ARRAY ARRAY['@.pause', '@.discarded'] LOOP
                FOR one IN
                    SELECT a.grantee, a.privilege_type FROM pg_class c, aclexplode(c.relacl) a
                    WHERE c.oid = '@.submission'::regclass AND a.grantee <> c.relowner
                        AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
                LOOP
                    EXECUTE format('GRANT %s ON %s TO %s', one.privilege_type, name,
                        CASE one.grantee WHEN 0 THEN 'PUBLIC' ELSE one.grantee::regrole::text END);
                END LOOP;
            END LOOP;
        END $$;
    ",
];

/// The oldest program that can use the current tables, by the version that it supports.
const OLDEST: i32 = 1;

const VERSION: &str = "SELECT number, oldest, store FROM @.version";

fn current() -> i32 {
    i32::try_from(STEPS.len()).unwrap_or(i32::MAX)
}

/// Returns the version and identity of the database's store; `None` if it has no store.
async fn version(connection: &mut Connection, schema: &str) -> Result<Option<(i32, i32, Known)>, Error> {
    let sql = "SELECT to_regclass($1 || '.version') IS NOT NULL";
    let schema_row = connection.query_opt("look for the schema", sql, &[&schema]).await?;
    if !schema_row.is_some_and(|row| row.try_get(0).unwrap_or(false)) {
        return Ok(None);
    }
    let row = connection.query_opt("read the version of the schema", VERSION, &[]).await?;
    let read = row.and_then(|row| Some((row.try_get(0).ok()?, row.try_get(1).ok()?, Known(row.try_get(2).ok()?))));
    let odd = || {
        Error::with(Kind::Store, "the table `version` of the store has no row that can be read")
            .hint("restore it from a backup, or choose another schema")
    };
    read.map(Some).ok_or_else(odd)
}

/// Checks that a program of this version can use tables of that one.
fn fits(number: i32, oldest: i32) -> Result<(), Error> {
    let known = current();
    let message = format!("the store has version {number}; this program knows {known}");
    if number < known {
        return Err(Error::with(Kind::Store, message)
            .hint("bring it to this version with `PostgresBuilder::migrate`, by a role that may change its tables"));
    }
    if oldest > known {
        return Err(Error::with(Kind::Store, message).hint("update the program, or use another schema"));
    }
    Ok(())
}

/// Checks that a new connection leads to the same store as the others. The first one determines it.
pub(super) async fn check(connection: &mut Connection, known: &OnceLock<Known>) -> Result<(), Error> {
    let schema = connection.schema().to_owned();
    let Some((number, oldest, store)) = version(connection, &schema).await? else {
        let message = format!("the database has no store in the schema {schema}");
        return Err(Error::with(Kind::Store, message).hint(
            "if it had one, restore it: submissions are stored nowhere else; a new one is made with \
             `PostgresBuilder::migrate`",
        ));
    };
    fits(number, oldest)?;
    if *known.get_or_init(|| store.clone()) == store {
        return Ok(());
    }
    Err(Error::with(Kind::Store, "the database at this address is not the one that the store was opened with")
        .hint("lead the address back to the previous database, or restart the program to use this one"))
}

/// Creates the schema, and migrates it to this version, in one transaction and by one program at a time: if it is
/// interrupted, the previous version stays.
pub(super) async fn migrate(connection: &mut Connection, to: usize) -> Result<(), Error> {
    let action = "bring the schema to this version";
    let schema = connection.schema().to_owned();
    if version(connection, &schema).await?.is_some_and(|(number, ..)| number >= i32::try_from(to).unwrap_or(i32::MAX)) {
        return Ok(());
    }
    let mut change = connection.transaction(action).await?;
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('driftless operations ' || $1, 0))::text";
    change.query_opt(action, lock, &[&schema]).await?;
    let exists = change.query_opt(action, "SELECT to_regnamespace($1) IS NOT NULL", &[&schema]).await?;
    if !exists.is_some_and(|row| row.try_get(0).unwrap_or(false)) {
        change.batch(action, &format!("CREATE SCHEMA {schema}")).await?;
    }
    let made = "SELECT to_regclass($1 || '.version') IS NOT NULL";
    let made = change.query_opt(action, made, &[&schema]).await?.is_some_and(|row| row.try_get(0).unwrap_or(false));
    if !made {
        let sql = "CREATE TABLE @.version (number int NOT NULL, oldest int NOT NULL, store text NOT NULL);
                   INSERT INTO @.version VALUES (0, 1, gen_random_uuid()::text);";
        change.batch(action, sql).await?;
    }
    let row = change.query_opt(action, "SELECT number FROM @.version FOR UPDATE", &[]).await?;
    let number: i32 = row.and_then(|row| row.try_get(0).ok()).unwrap_or_default();
    let missing = STEPS.get(usize::try_from(number).unwrap_or_default()..to).unwrap_or_default();
    for step in missing {
        change.batch(action, step).await?;
    }
    if !missing.is_empty() {
        let to = i32::try_from(to).unwrap_or(i32::MAX);
        change.execute(action, "UPDATE @.version SET number = $1, oldest = $2", &[&to, &OLDEST]).await?;
    }
    change.commit(action).await
}

//! Leases, by the clock of the database.
//!
//! An instance has one row, whose time it renews; its operations have its number and a fencing number. So a heartbeat
//! writes one row, however many operations there are. A write under a lease locks the row of the operation, checks that
//! the number, the fencing number and the time of the instance are still valid, and writes, in one statement; a
//! statement that takes an operation away from an instance writes the same row. So one of the two comes first, and the
//! other one sees it.

use std::time::Duration;

use tokio_postgres::types::ToSql;

use super::{
    pool::Pool,
    rows::{self, get},
};
use crate::{
    Value,
    error::Error,
    operations::{
        Demand, HeldOperation, Instance, Lease, Observation, Wanted,
        lease::lost,
        row::{column, number, write},
    },
};

/// The longest time that is counted, in seconds. The database's clock goes further.
const LONGEST: f64 = 3e9;

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().min(LONGEST)
}

fn id(instance: Instance) -> i64 {
    column(instance.number())
}

/// $2 is the instance and $3 the fencing number, or both are NULL for a write without a lease.
pub(super) const OBSERVE: &str = "
    WITH held AS (
        SELECT s.number FROM @.submission s
        WHERE s.correlation = $1 AND ($2::bigint IS NULL OR (
            s.owner = $2 AND s.fence = $3 AND s.outcome IS NULL
            AND EXISTS (SELECT 1 FROM @.instance i WHERE i.id = $2 AND i.until > clock_timestamp())))
        FOR NO KEY UPDATE),
    news AS (
        INSERT INTO @.event (submission, name) SELECT held.number, name FROM held, unnest($6::text[]) AS name
        ON CONFLICT DO NOTHING RETURNING 1),
    same AS (
        SELECT held.number AS submission, o.number FROM held, LATERAL (
            SELECT number, body FROM @.observation
            WHERE submission = held.number ORDER BY number DESC LIMIT 1) o
        WHERE o.body = $5 AND NOT EXISTS (SELECT 1 FROM news)),
    again AS (
        UPDATE @.observation o SET at = $4 FROM same
        WHERE o.submission = same.submission AND o.number = same.number RETURNING 1),
    added AS (
        INSERT INTO @.observation (submission, at, body)
        SELECT number, $4, $5 FROM held WHERE NOT EXISTS (SELECT 1 FROM same) RETURNING 1)
    SELECT count(*) FROM held";

/// Stores the news in an observation: each event once, and a state once, with the time of its last observation.
pub(super) async fn observe(
    pool: &Pool,
    correlation: &str,
    observation: &Observation,
    lease: Option<&Lease>,
) -> Result<(), Error> {
    let events: Vec<&str> = observation.events.iter().map(String::as_str).collect();
    let body = Observation { at: 0, events: Default::default(), data: Value::default(), ..observation.clone() };
    let (owner, fence) = (lease.map(|lease| id(lease.instance())), lease.map(|lease| column(lease.fence())));
    let at = column(observation.at);
    let mut connection = pool.get().await?;
    let row = connection
        .query_opt("keep an observation", OBSERVE, &[&correlation, &owner, &fence, &at, &write(&body)?, &events])
        .await?;
    let count: i64 = row.map_or(Ok(0), |row| get(&row, 0))?;
    if count == 0 && lease.is_some() { Err(lost()) } else { Ok(()) }
}

/// Finishes an operation under a lease: for this crate's steps, and in a handler's transaction.
pub(super) const FINISH: &str = "
    UPDATE @.submission s SET outcome = $2, finished = clock_timestamp(), finisher = s.fence, owner = NULL
    WHERE s.correlation = $1 AND s.owner = $3 AND s.fence = $4 AND s.outcome IS NULL
        AND EXISTS (SELECT 1 FROM @.instance i WHERE i.id = $3 AND i.until > clock_timestamp())";

pub(super) async fn finish(pool: &Pool, outcome: &str, lease: &Lease) -> Result<bool, Error> {
    let action = "keep an end";
    let (owner, fence) = (id(lease.instance()), column(lease.fence()));
    let mut connection = pool.get().await?;
    if connection.execute(action, FINISH, &[&lease.correlation(), &outcome, &owner, &fence]).await? > 0 {
        return Ok(true);
    }
    if is_finished_by(pool, lease).await? { Ok(true) } else { Err(lost()) }
}

/// Returns whether this lease has finished its operation: the response to that may have been lost.
pub(super) async fn is_finished_by(pool: &Pool, lease: &Lease) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM @.submission WHERE correlation = $1 AND finisher = $2 AND outcome <> 'discarded'";
    let mut connection = pool.get().await?;
    let row = connection.query_opt("read", sql, &[&lease.correlation(), &column(lease.fence())]).await?;
    Ok(row.is_some())
}

pub(super) async fn enlist(pool: &Pool, name: &str, lease: Duration) -> Result<Instance, Error> {
    let sql = "INSERT INTO @.instance (name, until, lease)
               VALUES ($1, clock_timestamp() + make_interval(secs => $2), make_interval(secs => $2)) RETURNING id";
    let row = pool.get().await?.query_opt("take an instance in", sql, &[&name, &seconds(lease)]).await?;
    row.map_or_else(|| Err(lost()), |row| Ok(Instance::new(number(get(&row, 0)?))))
}

pub(super) const RENEW: &str = "
    UPDATE @.instance SET until = clock_timestamp() + make_interval(secs => $2), lease = make_interval(secs => $2)
    WHERE id = $1 AND until > clock_timestamp()";

pub(super) async fn renew(pool: &Pool, instance: Instance, lease: Duration) -> Result<bool, Error> {
    let values: [&(dyn ToSql + Sync); 2] = [&id(instance), &seconds(lease)];
    Ok(pool.get().await?.execute("renew leases", RENEW, &values).await? > 0)
}

/// Releases the operations of instances whose time is over, for one whose time is not. A row that is being written
/// stays until the next time, and so does its instance.
pub(super) const REAP: &str = "
    WITH dead AS (
        SELECT id FROM @.instance i WHERE until <= clock_timestamp()
            AND EXISTS (SELECT 1 FROM @.instance me WHERE me.id = $1 AND me.until > clock_timestamp())
        FOR UPDATE OF i SKIP LOCKED),
    free AS (
        SELECT s.number FROM @.submission s WHERE s.owner = ANY (ARRAY(SELECT id FROM dead))
        FOR NO KEY UPDATE SKIP LOCKED),
    freed AS (
        UPDATE @.submission s SET owner = NULL, due = clock_timestamp()
        WHERE s.number = ANY (ARRAY(SELECT number FROM free)))
    DELETE FROM @.instance i USING dead WHERE i.id = dead.id AND NOT EXISTS (
        SELECT 1 FROM @.submission s
        WHERE s.owner = dead.id AND NOT EXISTS (SELECT 1 FROM free WHERE free.number = s.number))";

/// Assigns operations of each kind to an instance that is alive. The lock on its row keeps it from being removed
/// meanwhile. Due times are compared with the time of the statement, so that an index can be used, and rows are updated
/// by a list of their numbers, which no plan joins with the whole table. A fencing number that was edited by hand is
/// reset to the countable range: it must not keep the others from being claimed.
pub(super) const CLAIM: &str = "
    WITH me AS (
        SELECT id FROM @.instance WHERE id = $1 AND until > clock_timestamp() FOR KEY SHARE),
    wanted AS (
        SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[]) AS w (deployment, kind, places)),
    picked AS (
        SELECT d.number FROM me, wanted w CROSS JOIN LATERAL (
            SELECT s.number FROM @.submission s
            WHERE s.deployment = w.deployment AND s.kind = w.kind AND s.due <= statement_timestamp()
                AND s.reference IS NOT NULL AND s.outcome IS NULL AND s.owner IS NULL
            ORDER BY s.due LIMIT w.places FOR NO KEY UPDATE SKIP LOCKED) d
        WHERE NOT EXISTS (SELECT 1 FROM @.pause p WHERE p.deployment = w.deployment AND p.kind = w.kind)),
    claimed AS (
        UPDATE @.submission s SET owner = $1, fence = least(greatest(s.fence, 0), 9223372036854775806) + 1
        WHERE s.number = ANY (ARRAY(SELECT number FROM picked)) RETURNING s.correlation)
    SELECT EXISTS (SELECT 1 FROM me), (SELECT array_agg(correlation) FROM claimed)";

/// The claims, as the statements take them.
fn columns(wanted: &[Wanted]) -> (Vec<&str>, Vec<&str>, Vec<i64>) {
    let deployments = wanted.iter().map(Wanted::deployment).collect();
    let kinds = wanted.iter().map(Wanted::kind).collect();
    (deployments, kinds, wanted.iter().map(|wanted| i64::from(wanted.limit())).collect())
}

pub(super) async fn claim(pool: &Pool, instance: Instance, wanted: &[Wanted]) -> Result<Vec<HeldOperation>, Error> {
    let action = "give operations to an instance";
    let mut connection = pool.get().await?;
    connection.execute("take operations from instances that are gone", REAP, &[&id(instance)]).await?;
    let (deployments, kinds, places) = columns(wanted);
    let row = connection.query_opt(action, CLAIM, &[&id(instance), &deployments, &kinds, &places]).await?;
    let row = row.ok_or_else(lost)?;
    if !get::<bool>(&row, 0)? {
        return Err(lost());
    }
    let claimed: Vec<String> = get::<Option<_>>(&row, 1)?.unwrap_or_default();
    if claimed.is_empty() {
        return Ok(Vec::new());
    }
    let rows = connection.query(action, rows::CLAIMED, &[&claimed]).await?;
    rows.iter().map(|row| Ok(rows::read(row)?.leased(instance, &rows::kind(row)?))).collect()
}

pub(super) async fn leased(pool: &Pool, instance: Instance) -> Result<Vec<Lease>, Error> {
    let sql = "SELECT correlation, fence FROM @.submission WHERE owner = $1";
    let rows = pool.get().await?.query("read", sql, &[&id(instance)]).await?;
    rows.iter().map(|row| Ok(Lease::new(get::<String>(row, 0)?, instance, number(get(row, 1)?)))).collect()
}

/// An operation that is due again at once wakes the waiting instances.
pub(super) const PUT_BACK: &str = "
    WITH given AS (
        UPDATE @.submission s SET owner = NULL, due = clock_timestamp() + make_interval(secs => $4),
            failures = s.failures + ($5::text IS NOT NULL)::int, failure = coalesce($5, s.failure)
        WHERE s.correlation = $1 AND s.owner = $2 AND s.fence = $3 AND s.outcome IS NULL
            AND EXISTS (SELECT 1 FROM @.instance i WHERE i.id = $2 AND i.until > clock_timestamp())
        RETURNING s.deployment)
    SELECT CASE WHEN $4 = 0 THEN pg_notify($6, deployment)::text END FROM given";

pub(super) async fn put_back(
    pool: &Pool,
    channel: &str,
    lease: &Lease,
    after: Duration,
    failure: Option<&str>,
) -> Result<(), Error> {
    // The database accepts no NUL in a text.
    let failure = failure.map(|failure| failure.replace('\0', ""));
    let (owner, fence, after) = (id(lease.instance()), column(lease.fence()), seconds(after));
    let mut connection = pool.get().await?;
    let values: [&(dyn ToSql + Sync); 6] = [&lease.correlation(), &owner, &fence, &after, &failure, &channel];
    let row = connection.query_opt("give a lease back", PUT_BACK, &values).await?;
    row.map(drop).ok_or_else(lost)
}

/// $3 is the instance and $4 the fencing number, or both are NULL if an operator gives it up.
pub(super) const DISCARD: &str = "
    UPDATE @.submission s SET outcome = 'discarded', discarded = clock_timestamp(), finisher = $4::bigint, owner = NULL,
        revision = s.revision + 1, failures = s.failures + ($3::bigint IS NOT NULL)::int, failure = $2
    WHERE s.correlation = $1 AND s.reference IS NOT NULL AND s.outcome IS NULL AND ($3::bigint IS NULL OR (
        s.owner = $3 AND s.fence = $4
        AND EXISTS (SELECT 1 FROM @.instance i WHERE i.id = $3 AND i.until > clock_timestamp())))";

pub(super) async fn discard(
    pool: &Pool,
    correlation: &str,
    reason: &str,
    lease: Option<&Lease>,
) -> Result<bool, Error> {
    let action = "discard an operation";
    // The database accepts no NUL in a text.
    let reason = reason.replace('\0', "");
    let (owner, fence) = (lease.map(|lease| id(lease.instance())), lease.map(|lease| column(lease.fence())));
    let mut connection = pool.get().await?;
    if connection.execute(action, DISCARD, &[&correlation, &reason, &owner, &fence]).await? > 0 {
        return Ok(true);
    }
    if fence.is_none() {
        return Ok(false);
    }
    let sql = "SELECT 1 FROM @.submission WHERE correlation = $1 AND finisher = $2 AND outcome = 'discarded'";
    connection.query_opt("read", sql, &[&correlation, &fence]).await?.map(|_| true).ok_or_else(lost)
}

/// An operation that is due again at once wakes the waiting instances.
pub(super) const RETRY: &str = "
    WITH retried AS (
        UPDATE @.submission s SET
            due = CASE WHEN s.outcome IS NULL THEN least(s.due, clock_timestamp()) ELSE clock_timestamp() END,
            since = clock_timestamp(), outcome = NULL, discarded = NULL, finisher = NULL, failures = 0, failure = NULL,
            revision = s.revision + 1
        WHERE s.correlation = $1 AND s.reference IS NOT NULL AND s.owner IS NULL
            AND (s.outcome IS NULL OR s.outcome = 'discarded')
        RETURNING s.deployment)
    SELECT pg_notify($2, deployment)::text FROM retried";

pub(super) async fn retry(pool: &Pool, channel: &str, correlation: &str) -> Result<bool, Error> {
    Ok(pool.get().await?.query_opt("retry an operation", RETRY, &[&correlation, &channel]).await?.is_some())
}

pub(super) async fn pause(pool: &Pool, channel: &str, deployment: &str, kind: &str, paused: bool) -> Result<(), Error> {
    let action = "pause a kind";
    let mut connection = pool.get().await?;
    if paused {
        let sql = "INSERT INTO @.pause (deployment, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        connection.execute(action, sql, &[&deployment, &kind]).await?;
    } else {
        let sql = "DELETE FROM @.pause WHERE deployment = $1 AND kind = $2";
        connection.execute(action, sql, &[&deployment, &kind]).await?;
    }
    connection.query_opt(action, "SELECT pg_notify($1, $2)::text", &[&channel, &deployment]).await?;
    Ok(())
}

/// The order is that of the index: otherwise, a plan may read the whole table for its first rows.
pub(super) const DEMAND: &str = "
    SELECT (SELECT count(*) FROM (
            SELECT 1 FROM @.submission s
            WHERE s.deployment = w.deployment AND s.kind = w.kind AND s.due <= statement_timestamp()
                AND s.reference IS NOT NULL AND s.outcome IS NULL AND s.owner IS NULL
            ORDER BY s.due LIMIT w.places) d), p.kind IS NOT NULL
    FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS w (deployment, kind, places, place)
    LEFT JOIN @.pause p ON p.deployment = w.deployment AND p.kind = w.kind
    ORDER BY w.place";

pub(super) async fn demand(pool: &Pool, wanted: &[Wanted]) -> Result<Vec<Demand>, Error> {
    let (deployments, kinds, places) = columns(wanted);
    let rows = pool.get().await?.query("read", DEMAND, &[&deployments, &kinds, &places]).await?;
    let ask = |row| {
        let (due, paused) = (get::<i64>(row, 0)?, get(row, 1)?);
        Ok(Demand { due: if paused { 0 } else { u32::try_from(due).unwrap_or(u32::MAX) }, paused })
    };
    rows.iter().map(ask).collect()
}

pub(super) async fn leave(pool: &Pool, channel: &str, instance: Instance) -> Result<(), Error> {
    let action = "let an instance go";
    let mut connection = pool.get().await?;
    let mut change = connection.transaction(action).await?;
    // A claim whose caller was dropped may be in progress. The lock waits for it, and after it no claim finds the
    // instance.
    change.execute(action, "SELECT 1 FROM @.instance WHERE id = $1 FOR UPDATE", &[&id(instance)]).await?;
    let sql = "WITH given AS (
                   UPDATE @.submission SET owner = NULL, due = clock_timestamp() WHERE owner = $1 RETURNING 1)
               SELECT pg_notify($2, '')::text WHERE EXISTS (SELECT 1 FROM given)";
    change.query_opt(action, sql, &[&id(instance), &channel]).await?;
    change.execute(action, "DELETE FROM @.instance WHERE id = $1", &[&id(instance)]).await?;
    change.commit(action).await
}

pub(super) const PURGE: &str = "
    DELETE FROM @.submission WHERE number = ANY (ARRAY(
        SELECT number FROM @.submission
        WHERE deployment = $1 AND outcome IS NOT NULL AND finished <= statement_timestamp() - make_interval(secs => $2)
        ORDER BY finished LIMIT $3 FOR UPDATE SKIP LOCKED))";

pub(super) async fn purge(pool: &Pool, deployment: &str, age: Duration, limit: u32) -> Result<u64, Error> {
    let values: [&(dyn ToSql + Sync); 3] = [&deployment, &seconds(age), &i64::from(limit)];
    pool.get().await?.execute("forget finished entries", PURGE, &values).await
}

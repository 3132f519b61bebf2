//! Reads the rows of the tables.

use std::time::{Duration, UNIX_EPOCH};

use tokio_postgres::types::FromSqlOwned;

use super::pool::Pool;
use crate::{
    error::{Error, Kind},
    operations::{
        Count, Failing, Instance, Overview, Owner, Standing,
        row::{Last, Row, number},
    },
};

/// Submissions, each with its last observation and its events.
macro_rules! entries {
    ($condition:literal) => {
        concat!(
            "SELECT s.number, s.correlation, s.deployment, s.kind, s.label, s.intent, s.reference, s.outcome, s.revision,
                s.fence, s.failures, o.number, o.at, o.body,
                (SELECT array_agg(e.name) FROM @.event e WHERE e.submission = s.number),
                extract(epoch FROM clock_timestamp() - coalesce(s.since, s.created))::float8
            FROM @.submission s
            LEFT JOIN LATERAL (
                SELECT number, at, body FROM @.observation
                WHERE submission = s.number ORDER BY number DESC LIMIT 1) o ON true
            ",
            $condition
        )
    };
}

pub(super) const ENTRY: &str = entries!("WHERE s.correlation = $1");
pub(super) const LABELLED: &str = entries!("WHERE s.deployment = $1 AND s.label = $2");
pub(super) const UNFINISHED: &str = entries!("WHERE s.deployment = $1 AND s.outcome IS NULL ORDER BY s.number");
pub(super) const CLAIMED: &str = entries!("WHERE s.correlation = ANY($1)");

/// Reads a value of a column. A table that was changed may have another type there.
pub(super) fn get<T: FromSqlOwned>(row: &tokio_postgres::Row, column: usize) -> Result<T, Error> {
    row.try_get(column).map_err(|cause| {
        let name = row.columns().get(column).map_or("", |column| column.name());
        Error::with(Kind::Store, format!("the column `{name}` of the store cannot be read"))
            .hint("its type was changed: restore the table")
            .cause(cause)
    })
}

pub(super) fn read(row: &tokio_postgres::Row) -> Result<Row, Error> {
    let bytes = |text: String| text.into_bytes();
    let last = match (get::<Option<i64>>(row, 11)?, get::<Option<i64>>(row, 12)?, get::<Option<String>>(row, 13)?) {
        (Some(order), Some(at), Some(body)) => Some(Last { number: order, text: bytes(body), at: Some(number(at)) }),
        _ => None,
    };
    Ok(Row {
        number: get(row, 0)?,
        correlation: get(row, 1)?,
        deployment: get(row, 2)?,
        label: get(row, 4)?,
        intent: get(row, 5).map(bytes)?,
        reference: get::<Option<String>>(row, 6)?.map(bytes),
        outcome: get(row, 7)?,
        revision: number(get(row, 8)?),
        fence: number(get(row, 9)?),
        failures: number(get(row, 10)?),
        age: Duration::try_from_secs_f64(get(row, 15)?).unwrap_or_default(),
        last,
        events: get::<Option<Vec<String>>>(row, 14)?.unwrap_or_default(),
    })
}

/// Returns the name of the binding under which it was claimed.
pub(super) fn kind(row: &tokio_postgres::Row) -> Result<String, Error> {
    get(row, 3)
}

pub(super) async fn overview(pool: &Pool, deployment: &str) -> Result<Overview, Error> {
    let mut connection = pool.get().await?;
    let mut overview = Overview::default();
    let sql = "SELECT kind, standing, sum(count)::bigint, extract(epoch FROM min(oldest))::float8
               FROM @.overview WHERE deployment = $1 GROUP BY kind, standing";
    for row in connection.query("read", sql, &[&deployment]).await? {
        let Some(standing) = Standing::from_name(&get::<String>(&row, 1)?) else { continue };
        let oldest: Option<f64> = get(&row, 3)?;
        let oldest = oldest.and_then(|since| Duration::try_from_secs_f64(since).ok());
        overview.counts.push(Count {
            kind: get(&row, 0)?,
            standing,
            count: number(get(&row, 2)?),
            oldest: oldest.and_then(|since| UNIX_EPOCH.checked_add(since)),
        });
    }
    overview.counts.sort_by(|one, other| (&one.kind, one.standing).cmp(&(&other.kind, other.standing)));
    let sql = "SELECT id, name, alive, held, extract(epoch FROM lease)::float8 FROM @.owner ORDER BY id";
    for row in connection.query("read", sql, &[]).await? {
        let lease: Option<f64> = get(&row, 4)?;
        overview.owners.push(Owner {
            instance: Instance::new(number(get(&row, 0)?)),
            name: get(&row, 1)?,
            alive: get(&row, 2)?,
            leases: number(get(&row, 3)?),
            lease: lease.and_then(|lease| Duration::try_from_secs_f64(lease).ok()),
        });
    }
    let failing = connection.query("read", FAILING, &[&deployment, &i64::from(Overview::LONGEST)]).await?;
    overview.failing = failing.iter().map(failure).collect::<Result<_, _>>()?;
    let discarded = connection.query("read", DISCARDS, &[&deployment, &i64::from(Overview::LONGEST)]).await?;
    overview.discarded = discarded.iter().map(failure).collect::<Result<_, _>>()?;
    let sql = "SELECT kind FROM @.pause WHERE deployment = $1 ORDER BY kind";
    let paused = connection.query("read", sql, &[&deployment]).await?;
    overview.paused = paused.iter().map(|row| get(row, 0)).collect::<Result<_, _>>()?;
    Ok(overview)
}

const FAILING: &str = "
    SELECT correlation, kind, label, failures, failure FROM @.failing
    WHERE deployment = $1 ORDER BY failures DESC, correlation LIMIT $2";

const DISCARDS: &str = "
    SELECT correlation, kind, label, failures, coalesce(failure, '') FROM @.submission
    WHERE deployment = $1 AND discarded IS NOT NULL ORDER BY discarded DESC, number LIMIT $2";

fn failure(row: &tokio_postgres::Row) -> Result<Failing, Error> {
    Ok(Failing {
        correlation: get(row, 0)?,
        kind: get(row, 1)?,
        label: get(row, 2)?,
        failures: u32::try_from(get::<i64>(row, 3)?).unwrap_or(u32::MAX),
        failure: get(row, 4)?,
    })
}

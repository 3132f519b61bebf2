//! Leases in the file of a store. The clock is that of the machine, on which all programs of a file run.

use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::{
    rows::{self, ENTRIES},
    worker::Failure,
};
use crate::operations::{
    Count, Failing, HeldOperation, Instance, Lease, Overview, Owner, Standing, Wanted,
    lease::lost,
    row::{column, number},
    time::{from_millis, millis},
};

/// The first milliseconds that no clock comes to: what is due then is never due.
const NEVER: i64 = i64::MAX;

pub(super) fn now() -> i64 {
    column(millis(SystemTime::now()))
}

fn after(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).ok().and_then(|time| now().checked_add(time)).unwrap_or(NEVER)
}

/// Whether a lease holds. Nothing is written where it does not.
pub(super) fn check(change: &Transaction<'_>, lease: Option<&Lease>) -> Result<(), Failure> {
    let Some(lease) = lease else { return Ok(()) };
    let sql = "SELECT 1 FROM submission s JOIN instance i ON i.id = s.owner
               WHERE s.correlation = ?1 AND s.owner = ?2 AND s.fence = ?3 AND s.outcome IS NULL AND i.until > ?4";
    let values = params![lease.correlation(), column(lease.instance().number()), column(lease.fence()), now()];
    let found = change.query_row(sql, values, |_| Ok(())).optional()?;
    found.ok_or_else(|| Failure::Own(lost()))
}

pub(super) fn enlist(change: &Transaction<'_>, name: &str, lease: Duration) -> Result<Instance, Failure> {
    change.execute("INSERT INTO instance (name, until) VALUES (?1, ?2)", params![name, after(lease)])?;
    Ok(Instance::new(number(change.last_insert_rowid())))
}

pub(super) fn renew(change: &Transaction<'_>, instance: Instance, lease: Duration) -> Result<bool, Failure> {
    let sql = "UPDATE instance SET until = ?2 WHERE id = ?1 AND until > ?3";
    Ok(change.execute(sql, params![column(instance.number()), after(lease), now()])? > 0)
}

pub(super) fn claim(
    change: &Transaction<'_>,
    instance: Instance,
    wanted: &[Wanted],
) -> Result<Vec<HeldOperation>, Failure> {
    let (now, owner) = (now(), column(instance.number()));
    let sql = "SELECT 1 FROM instance WHERE id = ?1 AND until > ?2";
    let alive = change.query_row(sql, [owner, now], |_| Ok(())).optional()?;
    alive.ok_or_else(|| Failure::Own(lost()))?;
    let sql = "UPDATE submission SET owner = NULL, due = ?1
               WHERE owner IN (SELECT id FROM instance WHERE until <= ?1)";
    change.execute(sql, [now])?;
    change.execute("DELETE FROM instance WHERE until <= ?1", [now])?;
    let mut held = Vec::new();
    for wanted in wanted {
        let sql = "UPDATE submission SET owner = ?1, fence = fence + 1 WHERE rowid IN (
                       SELECT rowid FROM submission WHERE deployment = ?2 AND kind = ?3 AND due <= ?4
                           AND reference IS NOT NULL AND outcome IS NULL AND owner IS NULL
                       ORDER BY due, rowid LIMIT ?5)
                   RETURNING correlation";
        let values = params![owner, wanted.deployment(), wanted.kind(), now, wanted.limit()];
        let mut statement = change.prepare_cached(sql)?;
        let claimed = statement.query_map(values, |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        for correlation in claimed {
            let mut entry = change.prepare_cached(&format!("{ENTRIES} WHERE s.correlation = ?1"))?;
            let row = entry.query_row([correlation], |row| Ok(rows::read(row)))?;
            held.push(row.held(instance, wanted.kind()));
        }
    }
    Ok(held)
}

pub(super) fn held(store: &Connection, instance: Instance) -> Result<Vec<Lease>, Failure> {
    let mut statement = store.prepare("SELECT correlation, fence FROM submission WHERE owner = ?1")?;
    let rows = statement.query_map([column(instance.number())], |row| {
        Ok(Lease::new(row.get::<_, String>(0)?, instance, number(row.get(1)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn put_back(
    change: &Transaction<'_>,
    lease: &Lease,
    due: Duration,
    failure: Option<&str>,
) -> Result<(), Failure> {
    check(change, Some(lease))?;
    let sql = "UPDATE submission SET owner = NULL, due = ?2, failures = failures + (?3 IS NOT NULL),
                   failure = coalesce(?3, failure) WHERE correlation = ?1";
    change.execute(sql, params![lease.correlation(), after(due), failure])?;
    Ok(())
}

pub(super) fn leave(change: &Transaction<'_>, instance: Instance) -> Result<(), Failure> {
    let owner = column(instance.number());
    change.execute("UPDATE submission SET owner = NULL, due = ?2 WHERE owner = ?1", params![owner, now()])?;
    change.execute("DELETE FROM instance WHERE id = ?1", [owner])?;
    Ok(())
}

pub(super) fn purge(change: &Transaction<'_>, deployment: &str, age: Duration, limit: u32) -> Result<u64, Failure> {
    let age = i64::try_from(age.as_millis()).unwrap_or(NEVER);
    let sql = "DELETE FROM submission WHERE rowid IN (
                   SELECT rowid FROM submission WHERE deployment = ?1 AND finished <= ?2 ORDER BY finished LIMIT ?3)";
    Ok(change.execute(sql, params![deployment, now().saturating_sub(age), limit])? as u64)
}

pub(super) fn overview(store: &Connection, deployment: &str) -> Result<Overview, Failure> {
    let mut overview = Overview::default();
    let sql = "SELECT coalesce(kind, ''), CASE
                   WHEN outcome IS NOT NULL THEN 'finished'
                   WHEN reference IS NULL THEN 'submission-unknown'
                   WHEN owner IS NOT NULL THEN 'held'
                   WHEN due <= ?2 THEN 'waiting'
                   ELSE 'delayed' END AS standing,
                   count(*), min(CASE WHEN json_valid(intent) THEN json_extract(intent, '$.at') END)
               FROM submission WHERE deployment = ?1 GROUP BY 1, 2 ORDER BY 1, 2";
    let mut statement = store.prepare(sql)?;
    let mut rows = statement.query(params![deployment, now()])?;
    while let Some(row) = rows.next()? {
        let Some(standing) = Standing::of(&row.get::<_, String>(1)?) else { continue };
        let oldest = row.get::<_, Option<i64>>(3).unwrap_or_default();
        overview.counts.push(Count {
            kind: row.get(0)?,
            standing,
            count: number(row.get(2)?),
            oldest: oldest.map(|oldest| from_millis(number(oldest))),
        });
    }
    overview.counts.sort_by(|one, other| (&one.kind, one.standing).cmp(&(&other.kind, other.standing)));
    let sql = "SELECT i.id, i.name, i.until > ?1, (SELECT count(*) FROM submission s WHERE s.owner = i.id)
               FROM instance i ORDER BY i.id";
    let mut statement = store.prepare(sql)?;
    let owners = statement.query_map([now()], |row| {
        Ok(Owner {
            instance: Instance::new(number(row.get(0)?)),
            name: row.get(1)?,
            alive: row.get(2)?,
            held: number(row.get(3)?),
        })
    })?;
    overview.owners = owners.collect::<Result<_, _>>()?;
    let sql = "SELECT correlation, coalesce(kind, ''), label, failures, failure FROM submission
               WHERE deployment = ?1 AND failure IS NOT NULL AND outcome IS NULL
               ORDER BY failures DESC, rowid LIMIT ?2";
    let mut statement = store.prepare(sql)?;
    let failing = statement.query_map(params![deployment, Overview::LONGEST], |row| {
        Ok(Failing {
            correlation: row.get(0)?,
            kind: row.get(1)?,
            label: row.get(2)?,
            failures: u32::try_from(number(row.get(3)?)).unwrap_or(u32::MAX),
            failure: row.get(4)?,
        })
    })?;
    overview.failing = failing.collect::<Result<_, _>>()?;
    Ok(overview)
}

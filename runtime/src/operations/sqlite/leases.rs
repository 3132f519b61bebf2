//! Leases in the file of a store. The clock is that of the machine, on which all programs of a file run.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::{
    is_there,
    rows::{self, ENTRIES, now},
    worker::Failure,
};
use crate::operations::{
    Demand, HeldOperation, Instance, Lease, Wanted,
    entry::DISCARDED,
    lease::lost,
    row::{column, number},
};

/// The first time in milliseconds that no clock reaches: an operation that is due then is never due.
const NEVER: i64 = i64::MAX;

fn span(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(NEVER)
}

fn after(time: Duration) -> i64 {
    now().saturating_add(span(time))
}

/// Checks a lease. Nothing is written if it is not valid.
pub(super) fn check(change: &Transaction<'_>, lease: Option<&Lease>) -> Result<(), Failure> {
    let Some(lease) = lease else { return Ok(()) };
    let sql = "SELECT 1 FROM submission s JOIN instance i ON i.id = s.owner
               WHERE s.correlation = ?1 AND s.owner = ?2 AND s.fence = ?3 AND s.outcome IS NULL AND i.until > ?4";
    let values = params![lease.correlation(), column(lease.instance().number()), column(lease.fence()), now()];
    let row = change.query_row(sql, values, |_| Ok(())).optional()?;
    row.ok_or_else(|| Failure::Own(lost()))
}

pub(super) fn enlist(change: &Transaction<'_>, name: &str, lease: Duration) -> Result<Instance, Failure> {
    let sql = "INSERT INTO instance (name, until, lease) VALUES (?1, ?2, ?3)";
    change.execute(sql, params![name, after(lease), span(lease)])?;
    Ok(Instance::new(number(change.last_insert_rowid())))
}

pub(super) fn renew(change: &Transaction<'_>, instance: Instance, lease: Duration) -> Result<bool, Failure> {
    let sql = "UPDATE instance SET until = ?2, lease = ?4 WHERE id = ?1 AND until > ?3";
    Ok(change.execute(sql, params![column(instance.number()), after(lease), now(), span(lease)])? > 0)
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
    let mut operations = Vec::new();
    for wanted in wanted {
        let sql = "UPDATE submission SET owner = ?1, fence = fence + 1 WHERE rowid IN (
                       SELECT rowid FROM submission WHERE deployment = ?2 AND kind = ?3 AND due <= ?4
                           AND reference IS NOT NULL AND outcome IS NULL AND owner IS NULL
                           AND NOT EXISTS (SELECT 1 FROM pause WHERE deployment = ?2 AND kind = ?3)
                       ORDER BY due, rowid LIMIT ?5)
                   RETURNING correlation";
        let values = params![owner, wanted.deployment(), wanted.kind(), now, wanted.limit()];
        let mut statement = change.prepare_cached(sql)?;
        let claimed = statement.query_map(values, |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        for correlation in claimed {
            let mut entry = change.prepare_cached(&format!("{ENTRIES} WHERE s.correlation = ?1"))?;
            let row = entry.query_row([correlation], |row| Ok(rows::read(row)))?;
            operations.push(row.leased(instance, wanted.kind()));
        }
    }
    Ok(operations)
}

pub(super) fn leased(store: &Connection, instance: Instance) -> Result<Vec<Lease>, Failure> {
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

pub(super) fn discard(
    change: &Transaction<'_>,
    correlation: &str,
    reason: &str,
    lease: Option<&Lease>,
) -> Result<bool, Failure> {
    if let Some(lease) = lease {
        let sql = "SELECT 1 FROM submission WHERE correlation = ?1 AND finisher = ?2 AND outcome = ?3";
        let values = params![correlation, column(lease.fence()), DISCARDED];
        if change.query_row(sql, values, |_| Ok(())).optional()?.is_some() {
            return Ok(true);
        }
        check(change, Some(lease))?;
    }
    let sql = "UPDATE submission SET outcome = ?2, discarded = ?3, finisher = ?4, failure = ?5, owner = NULL,
                   revision = revision + 1, failures = failures + (?4 IS NOT NULL)
               WHERE correlation = ?1 AND reference IS NOT NULL AND outcome IS NULL";
    let fence = lease.map(|lease| column(lease.fence()));
    if change.execute(sql, params![correlation, DISCARDED, now(), fence, reason])? > 0 {
        return Ok(true);
    }
    is_there(change, correlation)?;
    Ok(false)
}

pub(super) fn retry(change: &Transaction<'_>, correlation: &str) -> Result<bool, Failure> {
    let sql = "UPDATE submission SET due = CASE WHEN outcome IS NULL THEN min(due, ?2) ELSE ?2 END, since = ?2,
                   outcome = NULL, discarded = NULL, finisher = NULL, failures = 0, failure = NULL,
                   revision = revision + 1
               WHERE correlation = ?1 AND reference IS NOT NULL AND owner IS NULL
                   AND (outcome IS NULL OR outcome = ?3)";
    if change.execute(sql, params![correlation, now(), DISCARDED])? > 0 {
        return Ok(true);
    }
    is_there(change, correlation)?;
    Ok(false)
}

pub(super) fn pause(change: &Transaction<'_>, deployment: &str, kind: &str, paused: bool) -> Result<(), Failure> {
    let sql = match paused {
        true => "INSERT OR IGNORE INTO pause (deployment, kind) VALUES (?1, ?2)",
        false => "DELETE FROM pause WHERE deployment = ?1 AND kind = ?2",
    };
    change.execute(sql, [deployment, kind])?;
    Ok(())
}

pub(super) fn demand(store: &Connection, wanted: &[Wanted]) -> Result<Vec<Demand>, Failure> {
    let sql = "WITH pauses (kind) AS (SELECT EXISTS (SELECT 1 FROM pause WHERE deployment = ?1 AND kind = ?2))
               SELECT pauses.kind, (SELECT count(*) FROM (
                   SELECT 1 FROM submission WHERE deployment = ?1 AND kind = ?2 AND due <= ?3 AND NOT pauses.kind
                       AND reference IS NOT NULL AND outcome IS NULL AND owner IS NULL LIMIT ?4)) FROM pauses";
    let mut statement = store.prepare_cached(sql)?;
    let ask = |wanted: &Wanted| {
        let values = params![wanted.deployment(), wanted.kind(), now(), wanted.limit()];
        statement.query_row(values, |row| {
            Ok(Demand { paused: row.get(0)?, due: u32::try_from(number(row.get(1)?)).unwrap_or(u32::MAX) })
        })
    };
    Ok(wanted.iter().map(ask).collect::<Result<_, _>>()?)
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

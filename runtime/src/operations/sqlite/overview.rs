//! The overview for operators.

use std::time::Duration;

use rusqlite::{Connection, params};

use super::{rows::now, worker::Failure};
use crate::operations::{Count, Failing, Instance, Overview, Owner, Standing, row::number, time::from_millis};

pub(super) fn overview(store: &Connection, deployment: &str) -> Result<Overview, Failure> {
    let mut overview = Overview::default();
    let sql = "SELECT coalesce(kind, ''), CASE
                   WHEN outcome = 'discarded' THEN 'discarded'
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
        let Some(standing) = Standing::from_name(&row.get::<_, String>(1)?) else { continue };
        let oldest = row.get::<_, Option<i64>>(3).unwrap_or_default();
        overview.counts.push(Count {
            kind: row.get(0)?,
            standing,
            count: number(row.get(2)?),
            oldest: oldest.map(|oldest| from_millis(number(oldest))),
        });
    }
    overview.counts.sort_by(|one, other| (&one.kind, one.standing).cmp(&(&other.kind, other.standing)));
    let sql = "SELECT i.id, i.name, i.until > ?1, (SELECT count(*) FROM submission s WHERE s.owner = i.id), i.lease
               FROM instance i ORDER BY i.id";
    let mut statement = store.prepare(sql)?;
    let owners = statement.query_map([now()], |row| {
        Ok(Owner {
            instance: Instance::new(number(row.get(0)?)),
            name: row.get(1)?,
            alive: row.get(2)?,
            leases: number(row.get(3)?),
            lease: row.get::<_, Option<i64>>(4)?.map(|lease| Duration::from_millis(number(lease))),
        })
    })?;
    overview.owners = owners.collect::<Result<_, _>>()?;
    overview.failing =
        list(store, deployment, "failure IS NOT NULL AND outcome IS NULL ORDER BY failures DESC, rowid")?;
    overview.discarded = list(store, deployment, "discarded IS NOT NULL ORDER BY discarded DESC, rowid")?;
    let mut statement = store.prepare("SELECT kind FROM pause WHERE deployment = ?1 ORDER BY kind")?;
    let paused = statement.query_map([deployment], |row| row.get(0))?;
    overview.paused = paused.collect::<Result<_, _>>()?;
    Ok(overview)
}

fn list(store: &Connection, deployment: &str, which: &'static str) -> Result<Vec<Failing>, Failure> {
    let sql = format!(
        "SELECT correlation, coalesce(kind, ''), label, failures, coalesce(failure, '') FROM submission
         WHERE deployment = ?1 AND {which} LIMIT ?2"
    );
    let mut statement = store.prepare(&sql)?;
    let rows = statement.query_map(params![deployment, Overview::LONGEST], |row| {
        Ok(Failing {
            correlation: row.get(0)?,
            kind: row.get(1)?,
            label: row.get(2)?,
            failures: u32::try_from(number(row.get(3)?)).unwrap_or(u32::MAX),
            failure: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

//! The rows of the tables.

use std::time::{Duration, SystemTime};

use rusqlite::{OptionalExtension as _, Transaction, params, types::ValueRef};

use super::worker::Failure;
use crate::{
    Value,
    operations::{
        Observation,
        row::{Last, Row, column, number, write},
        time::millis,
    },
};

/// Returns the machine's time, in milliseconds.
pub(super) fn now() -> i64 {
    column(millis(SystemTime::now()))
}

/// Submissions, each with its last observation.
pub(super) const ENTRIES: &str = "
    SELECT s.rowid, s.correlation, s.deployment, s.label, s.intent, s.reference, s.outcome, s.revision,
        o.number, o.observation, s.fence, s.failures,
        (SELECT json_group_array(name) FROM event e WHERE e.correlation = s.correlation), s.since
    FROM submission s
    LEFT JOIN observation o
        ON o.number = (SELECT max(number) FROM observation WHERE correlation = s.correlation)";

/// Reads the row without validation, which happens afterwards.
pub(super) fn read(row: &rusqlite::Row<'_>) -> Row {
    let whole = |column: usize| row.get::<_, i64>(column).unwrap_or_default();
    let events = bytes(row, 12).and_then(|list| serde_json::from_slice(&list).ok());
    Row {
        number: whole(0),
        correlation: text(row, 1).unwrap_or_default(),
        deployment: text(row, 2).unwrap_or_default(),
        label: text(row, 3),
        intent: bytes(row, 4).unwrap_or_default(),
        reference: bytes(row, 5),
        outcome: text(row, 6),
        revision: number(whole(7)),
        last: bytes(row, 9).map(|text| Last { number: whole(8), text, at: None }),
        fence: number(whole(10)),
        failures: number(whole(11)),
        age: Duration::from_millis(number(row.get::<_, i64>(13).map_or(0, |since| now().saturating_sub(since)))),
        events: events.unwrap_or_default(),
    }
}

/// The bytes of a text, which need not be UTF-8 in a damaged file.
fn bytes(row: &rusqlite::Row<'_>, column: usize) -> Option<Vec<u8>> {
    match row.get_ref(column).ok()? {
        ValueRef::Null => None,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
        ValueRef::Integer(_) | ValueRef::Real(_) => Some(Vec::new()),
    }
}

fn text(row: &rusqlite::Row<'_>, column: usize) -> Option<String> {
    bytes(row, column).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn is_conflict(cause: &rusqlite::Error) -> bool {
    cause.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
}

/// Stores the news in an observation: each event once, and a state once, with the time of its last observation.
pub(super) fn observe(
    change: &Transaction<'_>,
    correlation: &str,
    mut observation: Observation,
) -> Result<(), Failure> {
    let mut news = false;
    for name in std::mem::take(&mut observation.events) {
        let sql = "INSERT OR IGNORE INTO event (correlation, name) VALUES (?1, ?2)";
        news |= change.execute(sql, params![correlation, name])? > 0;
    }
    let sql = "SELECT number, observation FROM observation WHERE correlation = ?1 ORDER BY number DESC LIMIT 1";
    let last = change.query_row(sql, [correlation], |row| Ok((row.get::<_, i64>(0)?, bytes(row, 1)))).optional()?;
    let same = last.and_then(|(number, text)| {
        let mut last: Observation = serde_json::from_slice(&text?).ok()?;
        last.at = observation.at;
        (last == Observation { data: Value::default(), ..observation.clone() }).then_some(number)
    });
    let text = write(&observation)?;
    match same.filter(|_| !news) {
        Some(number) => {
            change.execute("UPDATE observation SET observation = ?2 WHERE number = ?1", params![number, text])?
        }
        None => change.execute(
            "INSERT INTO observation (correlation, observation) VALUES (?1, ?2)",
            params![correlation, text],
        )?,
    };
    Ok(())
}

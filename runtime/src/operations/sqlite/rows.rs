//! What a row of the tables says. A row that was changed, was damaged or is newer is an error that names it, and stops no
//! other.

use rusqlite::types::ValueRef;
use serde::Serialize;

use super::worker::Failure;
use crate::{
    error::{Error, Kind},
    operations::{Entry, Intent, Observation, OperationRef, Unreadable},
};

/// Submissions, each with its last observation.
pub(super) const ENTRIES: &str = "
    SELECT s.rowid, s.correlation, s.deployment, s.label, s.intent, s.reference, s.outcome, s.revision,
        o.number, o.observation
    FROM submission s
    LEFT JOIN observation o
        ON o.number = (SELECT max(number) FROM observation WHERE correlation = s.correlation)";

/// One row, as it lies there.
pub(super) struct Row {
    number: i64,
    correlation: String,
    deployment: String,
    label: Option<String>,
    intent: Vec<u8>,
    reference: Option<Vec<u8>>,
    outcome: Option<String>,
    revision: u64,
    last: Option<(i64, Vec<u8>)>,
}

impl Row {
    /// Takes whatever is there: what it says is looked at afterwards.
    pub(super) fn of(row: &rusqlite::Row<'_>) -> Self {
        let whole = |column: usize| row.get::<_, i64>(column).unwrap_or_default();
        Self {
            number: whole(0),
            correlation: text(row, 1).unwrap_or_default(),
            deployment: text(row, 2).unwrap_or_default(),
            label: text(row, 3),
            intent: bytes(row, 4).unwrap_or_default(),
            reference: bytes(row, 5),
            outcome: text(row, 6),
            revision: number(whole(7)),
            last: bytes(row, 9).map(|bytes| (whole(8), bytes)),
        }
    }

    pub(super) fn entry(&self) -> Result<Entry, Error> {
        let wrong = |what: &str| {
            Error::of(Kind::Store, format!("{} of the store cannot be read: {what}", self.place())).hint(
                "look on the platform what became of it; then restore the row, update the client if a later one wrote it, \
                 or take the row out",
            )
        };
        let intent: Intent = serde_json::from_slice(&self.intent)
            .map_err(|cause| wrong("its intent is damaged or newer").cause(cause))?;
        let same = intent.correlation() == self.correlation
            && intent.deployment() == self.deployment
            && intent.label() == self.label.as_deref();
        if !same {
            return Err(wrong("its intent is that of another row"));
        }
        let reference = self.reference.as_deref().map(serde_json::from_slice::<OperationRef>).transpose();
        let reference = reference.map_err(|cause| wrong("its reference is damaged, changed or newer").cause(cause))?;
        let last = self.observation().and_then(Result::ok);
        let entry = Entry::new(intent, self.revision, reference, last, self.outcome.clone());
        entry.check().map_err(|cause| wrong("its reference is that of another submission").cause(cause))?;
        Ok(entry)
    }

    fn observation(&self) -> Option<Result<Observation, serde_json::Error>> {
        self.last.as_ref().map(|(_, text)| serde_json::from_slice(text))
    }

    /// The last observation, where it cannot be read. The entry does without it.
    pub(super) fn unreadable_observation(&self) -> Option<Unreadable> {
        let (number, _) = self.last.as_ref()?;
        let cause = self.observation()?.err()?;
        let place = format!("row {number} of the table `observation` (submission {})", self.correlation);
        let error = Error::of(Kind::Store, format!("{place} of the store cannot be read: it is damaged or newer"));
        let error = error.hint("look at the operation anew, or update the client").cause(cause);
        Some(Unreadable::new(place, self.label.clone(), error))
    }

    pub(super) fn unreadable(&self, error: Error) -> Unreadable {
        Unreadable::new(self.place(), self.label.clone(), error)
    }

    fn place(&self) -> String {
        let label = self.label.as_ref().map(|label| format!(", label `{label}`")).unwrap_or_default();
        format!("row {} of the table `submission` (submission {}{label})", self.number, self.correlation)
    }
}

/// The bytes of a text, which need not be UTF-8 in a file that was damaged.
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

/// A number of a column. SQLite has none above that of 63 bits, and nobody counts that far.
pub(super) fn number(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}

pub(super) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn write(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|_| Failure::Own(Error::of(Kind::Store, "an entry cannot be written").hint("report this")))
}

pub(super) fn is_conflict(cause: &rusqlite::Error) -> bool {
    cause.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
}

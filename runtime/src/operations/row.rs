//! Reads a row of a store's tables. A row that was changed, was damaged or is newer is an error that names it, and does
//! not affect the others.

use std::time::Duration;

use super::{Entry, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Unreadable};
use crate::error::{Error, Kind};

/// One row, as stored, with the last observation.
#[derive(Default)]
pub(super) struct Row {
    pub(super) number: i64,
    pub(super) correlation: String,
    pub(super) deployment: String,
    pub(super) label: Option<String>,
    pub(super) intent: Vec<u8>,
    pub(super) reference: Option<Vec<u8>>,
    pub(super) outcome: Option<String>,
    pub(super) revision: u64,
    pub(super) fence: u64,
    pub(super) failures: u64,
    /// The time since its acceptance was stored, or since it was retried by hand.
    pub(super) age: Duration,
    pub(super) last: Option<Last>,
    /// The names of the events, each of which is stored once.
    pub(super) events: Vec<String>,
}

/// The last observation, as stored.
pub(super) struct Last {
    pub(super) number: i64,
    pub(super) text: Vec<u8>,
    /// Its time, if the text does not contain it.
    pub(super) at: Option<u64>,
}

impl Row {
    /// Returns the entry under a lease.
    pub(super) fn leased(self, instance: Instance, kind: &str) -> HeldOperation {
        let lease = Lease::new(self.correlation.clone(), instance, self.fence);
        let entry = self.entry().map_err(|error| self.unreadable(error));
        HeldOperation::new(lease, kind, entry, u32::try_from(self.failures).unwrap_or(u32::MAX)).with_age(self.age)
    }

    pub(super) fn entry(&self) -> Result<Entry, Error> {
        let wrong = |message: &str| {
            Error::with(Kind::Store, format!("{} of the store cannot be read: {message}", self.place())).hint(
                "check its state on the service; then restore the row, update the client if a later one wrote it, or remove the row",
            )
        };
        let intent: Intent = serde_json::from_slice(&self.intent)
            .map_err(|cause| wrong("its intent is damaged or newer").cause(cause))?;
        let same = intent.correlation() == self.correlation
            && intent.deployment() == self.deployment
            && intent.label() == self.label.as_deref();
        if !same {
            return Err(wrong("its intent belongs to another row"));
        }
        let reference = self.reference.as_deref().map(serde_json::from_slice::<OperationRef>).transpose();
        let reference = reference.map_err(|cause| wrong("its reference is damaged, changed or newer").cause(cause))?;
        let last = self.observation().and_then(Result::ok);
        let entry = Entry::new(intent, self.revision, reference, last, self.outcome.clone());
        entry.check().map_err(|cause| wrong("its reference belongs to another submission").cause(cause))?;
        Ok(entry)
    }

    fn observation(&self) -> Option<Result<Observation, serde_json::Error>> {
        let last = self.last.as_ref()?;
        Some(serde_json::from_slice::<Observation>(&last.text).map(|mut observation| {
            observation.at = last.at.unwrap_or(observation.at);
            observation.events.extend(self.events.iter().cloned());
            observation
        }))
    }

    /// The last observation, if it cannot be read. The entry is used without it.
    pub(super) fn unreadable_observation(&self) -> Option<Unreadable> {
        let number = self.last.as_ref()?.number;
        let cause = self.observation()?.err()?;
        let place = format!("row {number} of the table `observation` (submission {})", self.correlation);
        let error = Error::with(Kind::Store, format!("{place} of the store cannot be read: it is damaged or newer"));
        let error = error.hint("look at the operation again, or update the client").cause(cause);
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

/// A number of a column. Databases have numbers of at most 63 bits, and none here gets that high.
pub(super) fn number(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}

pub(super) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A value as the text of a column.
pub(super) fn write(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::with(Kind::Store, "an entry cannot be written").hint("report this"))
}

//! A store that ends with the program.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Entry, Intent, Observation, OperationRef, Status, Store, StoreFuture, Unfinished, store::FIRST};
use crate::error::{Error, Kind};

/// A store in memory: what it holds ends with the program. It keeps the last observation of each operation.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    entry: Entry,
    /// The attempts that may have arrived.
    open: BTreeSet<u64>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, correlation: &str, change: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        self.all().iter_mut().find(|kept| kept.entry.intent.correlation == correlation).map(change)
    }

    /// Takes an entry out, on a condition. Whether it is out; `None` when there was none.
    fn remove(&self, correlation: &str, when: impl FnOnce(&mut Kept) -> bool) -> Option<bool> {
        let mut all = self.all();
        let place = all.iter().position(|kept| kept.entry.intent.correlation == correlation)?;
        let out = when(all.get_mut(place)?);
        if out {
            all.remove(place);
        }
        Some(out)
    }
}

/// The error of a label that is taken.
pub(super) fn taken() -> Error {
    Error::of(Kind::Store, "the store has a submission of this label")
        .hint("resume that one; where nobody knows whether it arrived, look on the platform, then adopt or forget it")
}

/// The error of a submission that has been accepted, or is done with.
pub(super) fn known() -> Error {
    Error::of(Kind::Store, "the submission was accepted, or is done with").hint("resume it")
}

/// The error of a submission that was accepted as two operations.
pub(super) fn another() -> Error {
    Error::of(Kind::Store, "the store has another operation for this submission")
        .hint("look on the platform whether both of them run")
}

/// The error of an entry that is not there.
pub(super) fn absent() -> Error {
    Error::of(Kind::Store, "the store has no such submission").hint("it was forgotten, or is in another store")
}

fn ready<'a, T: Send + 'a>(outcome: Result<T, Error>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(outcome))
}

impl Store for MemoryStore {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        let mut all = self.all();
        let same = |kept: &Kept| {
            let (known, new) = (&kept.entry.intent, intent);
            known.correlation == new.correlation
                || (new.label.is_some() && known.label == new.label && known.deployment == new.deployment)
        };
        if all.iter().any(same) {
            return ready(Err(taken()));
        }
        let entry = Entry::new(intent.clone(), FIRST, None, None, None);
        all.push(Kept { entry, open: BTreeSet::from([FIRST]) });
        ready(Ok(()))
    }

    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64> {
        let begun = self.with(correlation, |kept| {
            if kept.entry.status() != Status::SubmissionUnknown {
                return Err(known());
            }
            kept.entry.revision += 1;
            kept.open.insert(kept.entry.revision);
            Ok(kept.entry.revision)
        });
        ready(begun.unwrap_or_else(|| Err(absent())))
    }

    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool> {
        let gone = self.remove(correlation, |kept| {
            kept.open.remove(&attempt);
            kept.open.is_empty() && kept.entry.status() == Status::SubmissionUnknown
        });
        ready(Ok(gone.unwrap_or(true)))
    }

    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        let accepted = self.with(reference.correlation(), |kept| match &kept.entry.reference {
            None => {
                kept.entry.revision += 1;
                kept.entry.reference = Some(reference.clone());
                Ok(())
            }
            Some(first) if first.is_same_operation(reference) => Ok(()),
            Some(_) => Err(another()),
        });
        ready(accepted.unwrap_or_else(|| Err(absent())))
    }

    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool> {
        ready(Ok(self.remove(correlation, |kept| kept.entry.revision == revision).unwrap_or(false)))
    }

    fn observe<'a>(&'a self, correlation: &'a str, observation: &'a Observation) -> StoreFuture<'a, ()> {
        self.with(correlation, |kept| kept.entry.last = Some(observation.clone()));
        ready(Ok(()))
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str) -> StoreFuture<'a, bool> {
        let first = self.with(correlation, |kept| {
            let first = kept.entry.outcome.is_none();
            kept.entry.outcome.get_or_insert_with(|| outcome.to_owned());
            first
        });
        ready(first.ok_or_else(absent))
    }

    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        ready(Ok(self.with(correlation, |kept| kept.entry.clone())))
    }

    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let all = self.all();
        let mut entries = all.iter().map(|kept| &kept.entry);
        let found = entries.find(|entry| entry.intent.label() == Some(label) && entry.intent.deployment == deployment);
        ready(Ok(found.cloned()))
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished> {
        let all = self.all();
        let entries = all.iter().map(|kept| &kept.entry);
        let open = entries.filter(|entry| entry.intent.deployment == deployment && entry.outcome.is_none());
        ready(Ok(Unfinished { entries: open.cloned().collect(), unreadable: Vec::new() }))
    }
}

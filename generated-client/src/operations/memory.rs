//! A store that ends with the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Entry, Intent, Observation, OperationRef, Store, StoreFuture};
use crate::error::{Error, Kind};

/// A store in memory: what it holds ends with the program. It keeps the last observation of each operation.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Vec<Entry>>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, correlation: &str, change: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        self.entries().iter_mut().find(|entry| entry.intent.correlation == correlation).map(change)
    }
}

/// The error of a label that is taken.
pub(super) fn taken() -> Error {
    Error::new(Kind::Store, "the store has a submission of this label")
        .hint("resume that one; where nobody knows whether it arrived, look on the platform, then adopt or forget it")
}

/// The error of an entry that is not there.
pub(super) fn absent() -> Error {
    Error::new(Kind::Store, "the store has no such submission").hint("it was forgotten, or is in another store")
}

fn ready<'a, T: Send + 'a>(outcome: Result<T, Error>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(outcome))
}

impl Store for MemoryStore {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        let mut entries = self.entries();
        let same = |entry: &Entry| {
            let (known, new) = (&entry.intent, intent);
            known.correlation == new.correlation
                || (new.label.is_some() && known.label == new.label && known.deployment == new.deployment)
        };
        if entries.iter().any(same) {
            return ready(Err(taken()));
        }
        entries.push(Entry::new(intent.clone(), None, None, None));
        ready(Ok(()))
    }

    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        let found = self.with(reference.correlation(), |entry| entry.reference = Some(reference.clone()));
        ready(found.ok_or_else(absent))
    }

    fn forget<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, ()> {
        self.entries().retain(|entry| entry.intent.correlation != correlation);
        ready(Ok(()))
    }

    fn observe<'a>(&'a self, correlation: &'a str, observation: &'a Observation) -> StoreFuture<'a, ()> {
        self.with(correlation, |entry| entry.last = Some(observation.clone()));
        ready(Ok(()))
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str) -> StoreFuture<'a, bool> {
        let first = self.with(correlation, |entry| {
            let first = entry.outcome.is_none();
            entry.outcome.get_or_insert_with(|| outcome.to_owned());
            first
        });
        ready(first.ok_or_else(absent))
    }

    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        ready(Ok(self.with(correlation, |entry| entry.clone())))
    }

    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let entries = self.entries();
        let found =
            entries.iter().find(|entry| entry.intent.label() == Some(label) && entry.intent.deployment == deployment);
        ready(Ok(found.cloned()))
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Vec<Entry>> {
        let entries = self.entries();
        let open = entries.iter().filter(|entry| entry.intent.deployment == deployment && entry.outcome.is_none());
        ready(Ok(open.cloned().collect()))
    }
}
